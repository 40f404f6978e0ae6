"""The pages agree with the code: every command, key, column, ending and bot is documented; every
example runs.
"""

import ast
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest
from pydantic import BaseModel

from arena import extensions
from arena.author.checkup import conversation
from arena.cli import command as parser_of
from arena.event import config, discovery, schedules
from arena.games import rulebook
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.results import ratings, tiebreaks
from arena.results.columns import ADDED
from arena.results.leaderboard import Results
from tests.support import cup, extras, live, stored
from tests.support.tutorial import MATCH, blocks, commands, typed

HERE = Path(__file__).parents[2]
README = (HERE / "README.md").read_text()
BOTS = (HERE / "bots" / "README.md").read_text()
AUTHORS = (HERE / "docs" / "bot-authors.md").read_text()
RESULTS = (HERE / "results" / "README.md").read_text()
COLUMNS = (HERE / "docs" / "columns.md").read_text()
TOURNAMENT = (HERE / "docs" / "tournament.md").read_text()
ENDINGS = (HERE / "docs" / "endings.md").read_text()
CONTRIBUTING = (HERE / "CONTRIBUTING.md").read_text()
PAGES = {
    str(path.relative_to(HERE)): path.read_text("utf-8")
    for path in sorted(
        {
            *HERE.glob("*.md"),
            *HERE.glob("*/README.md"),
            *(HERE / "benchmarks").glob("*.md"),
            *(HERE / "docs").rglob("*.md"),
        }
    )
    if path.name != "CHANGELOG.md"  # it also names commands that are no more
    and (path.parent.name != "extras" or extras.of_page(path) in extensions.extras())
}
FOLLOWED_ELSEWHERE = {
    "CONTRIBUTING.md",  # it names commands, as words for what they do
    "docs/first-tournament.md",  # by test_tutorials.py
    "docs/extras/classroom.md",  # by test_class.py
    "docs/extras/climb.md",  # by test_climb.py
    "docs/extras/serve.md",  # by test_serve_accounts.py
    "docs/extras/cluster.md",  # by test_clusters.py
    "docs/commands.md",  # made from the commands
    "docs/more-commands.md",  # as is this
    "docs/extras/tune.md",  # by test_tune.py
    "docs/extras/versions.md",  # by test_bisect.py and test_versions.py
    "docs/extras/lessons.md",  # made from the commands
    "docs/extras/clips.md",  # by test_clips.py
    "docs/extras/imports.md",  # by test_imports.py
    "docs/extras/bridges.md",  # by test_page_of_bridges.py and test_new_bridge.py
    "docs/extras/contest.md",  # by test_contest.py
    "docs/extras/notary.md",  # by test_notary.py
    "docs/export.md",  # by test_export.py
    "docs/extensions.md",  # by test_extensions.py
    "docs/game-authors.md",  # by test_writing_a_game.py
    "docs/openspiel.md",  # by test_openspiel.py
    "docs/rl.md",  # by test_rl.py
    "docs/sweep.md",  # by test_sweep.py
}


def unlike(pages: dict[str, str]) -> list[list[str]]:
    """Return the commands of pages, those that differ in values only once; without those that
    `played` follows.

    A command that a table only names is returned where no page has words for it.
    """
    # test_lessons.py follows the section on lessons, which wants blunders.
    texts = [
        re.sub(r"(?s)\n## What should it have played\?\n.*?(?=\n## )", "", text)
        for text in pages.values()
    ]
    found = sorted(
        words
        for text in texts
        for words in commands(text)
        if words not in FOLLOWED and words[1] != "init"
    )
    forms = {
        (words[1], *(word for word in words if word.startswith("-"))): words for words in found
    }
    named = {words[1] for words in forms.values() if words[2:]}
    return [
        *(words for words in forms.values() if words[2:] or words[1] not in named),
        ["arena", "init"],
    ]


FOLLOWED = next(
    found
    for block in blocks(README, "console")
    if len(found := commands(f"```console\n{block}```")) > 4
)
"""The README's way from nothing to a report."""


BARE = {"init": ["elsewhere"], "compare": ["dice", "ada"]}
"""The arguments of commands that a table names without any."""
HELP_ONLY = {
    "check",  # `played` runs it
    "check-rules",  # test_writing_a_game.py follows its page
    "climb",  # test_climb.py follows its page
    "doctor",  # test_tutorials.py runs it
    "duel",  # its exit code is the answer, after minutes
    "import",  # test_imports.py follows its page
    "grade",  # it wants a class; test_tutorials.py has one
    "join",
    "merge",  # it wants a second archive; test_export.py follows the page
    "nemesis",  # test_nemesis.py searches
    "play",  # it wants somebody to play
    "serve",  # it serves until Ctrl-C
    "stop",  # it wants a run to stop
    "submit",
    "withdraw",
}


@pytest.fixture(scope="module", autouse=True)
def hurried():
    """Let every command draw one chart, and each check ask without pauses; test_charts.py and
    test_check.py do more.
    """
    with cup.first_chart_only(), patch.object(conversation, "PAUSE_S", 0.002):
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A workspace that is made as the README says, its demo event played by a few of its bots."""
    folder = here = tmp_path_factory.mktemp("docs")
    quick = {
        "check": ["--board", "hunt"],
        "report": ["--help"],  # another one compares with last week
        "run": shlex.split("--bot ada,dice,hungry --repeats 1 --seed 1 --no-charts --workers 1"),
    }
    assert [words[1] for words in FOLLOWED] == ["init", "new", "check", "run", "report"]
    for _, command, *rest in FOLLOWED:
        done = cup.arena(here, command, *rest, *quick.get(command, []))
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        here = folder / "cup"
        if command == "init":  # pages call boards by name
            event = here / "tournament.toml"
            named = 'boards = ["hunt", "duel", "classic"]'
            event.write_text(re.sub(r"(?m)^boards = .*", named, event.read_text("utf-8")), "utf-8")
    shutil.copytree(
        folder / "cup/results/cup", folder / "cup/results/last-week"
    )  # for `arena report --since`
    (folder / "cup" / "bots" / "mine.py").write_text(blocks(AUTHORS, "python")[0])
    return folder / "cup"


def test_the_bot_of_the_readme_is_the_shortest_bot():
    assert blocks(README, "python") == blocks(AUTHORS, "python")[:1]


def test_the_readme_has_at_most_700_words_12_links_and_600_kb_of_clips():
    assert len(README.split()) <= 700
    assert len(re.findall(r"(?<!!)\[[^\]]*\]\(", README)) <= 12
    assert 0 < sum(clip.stat().st_size for clip in (HERE / "docs").glob("*.gif")) < 600_000


def test_the_readmes_way_finds_the_command_from_its_first_line_on(tmp_path):
    venv.create(tmp_path / ".venv")  # as `make run` leaves one
    command = tmp_path / ".venv" / "bin" / "arena"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m arena "$@"\n')
    command.chmod(0o755)
    (way,) = (block for block in blocks(README, "console") if "arena init cup" in block)
    lines = [line.removeprefix("$ ") for line in way.splitlines()]
    (last,) = (number for number, line in enumerate(lines) if line.startswith("arena new"))
    script = "\n".join([*lines[: last + 1], "command -v arena"])
    # Nothing but the folder .venv may bring the command.
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=tmp_path,
        env=cup.environment(PATH=os.defpath),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(command)
    assert (tmp_path / "cup" / "bots" / "ada" / "bot.py").is_file()


def test_the_manual_leads_each_reader_by_three_pages_and_lists_all_pages():
    manual = (HERE / "docs" / "manual.md").read_text()
    rows = [row for row in manual.splitlines() if row.startswith("| ") and "](" in row]
    assert len(rows) >= 6
    assert max(row.count("](") for row in rows) == 3
    linked = {(HERE / "docs" / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", manual)}
    pages = {*(HERE / "docs").rglob("*.md")} - {HERE / "docs" / "manual.md"}
    assert {page.name for page in pages - linked} == set()


NOT_OURS = {"COMMAND", "streaks"}
"""Stands for any command; the package of docs/extensions.md has it."""


def test_every_command_of_a_page_can_be_typed():
    parser = functools.cache(parser_of)
    for page, text in PAGES.items():
        for _, name, *rest in typed(text):
            if name not in NOT_OURS:
                try:
                    parser(name).make_context(name, [*rest], resilient_parsing=True)
                except KeyError:  # there is no such command
                    assert extras.missing_for(name, *rest) is not None, (page, name, rest)
            if "--board" in rest and page not in FOLLOWED_ELSEWHERE:
                assert rulebook.find(rest[rest.index("--board") + 1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    unlike({page: text for page, text in PAGES.items() if page not in FOLLOWED_ELSEWHERE}),
    ids=" ".join,
)
def test_every_documented_command_runs(played, words):
    quick = {
        "run": ["--bot", "dice,walker", "--no-charts", "--plan"],
        "charts": ["--json"],
        "match": ["--no-draw", *(["--unsafe"] if "none" in words else [])],
    }
    _, command, *rest = words
    if rest[:1] == ["--for"]:
        rest = ["--for", "dice"]  # test_tutorials.py has a class
    rest = ["--help"] if command in HELP_ONLY else rest or BARE.get(command, [])
    if MATCH & {*rest}:
        turns = Results.open(played / "results" / "cup").turns()
        longest = turns[turns["bot"] == "ada"].groupby("match")["turn"].max().idxmax()
        rest = [longest if word in MATCH else word for word in rest]
    done = cup.arena(played, command, *rest, *quick.get(command, []))
    if done.returncode == 2 and "No such " in done.stderr:
        missing = extras.missing_for(*words[1:])
        if missing is not None:
            pytest.skip(f"without {missing} in arena/extras/")
    assert done.returncode == 0, done.stderr


def keys_of(table: type[BaseModel]) -> set[str]:
    """Return the keys of a table, and of the tables in it."""
    schema = table.model_json_schema()
    keys = set(schema["properties"])
    for inner in schema.get("$defs", {}).values():
        keys.update(inner["properties"])
    return keys


def test_every_key_of_a_tournament_is_documented():
    for key in keys_of(config.Tournament):
        forms = (f"`{key}`", f"`[{key}]`", f"`[[{key}]]`")
        assert any(form in TOURNAMENT for form in forms), key


@pytest.mark.parametrize("name", extensions.extras())
def test_the_keys_of_an_extra_are_on_its_own_page_to_which_the_core_leads(name):
    pages = [page for page in PAGES if page.startswith("docs/extras/")]
    texts = [PAGES[page] for page in pages if extras.of_page(Path(page)) == name]
    extension = extensions.extras()[name]
    keys: set[str] = set()
    for table, added in extension.tables.items():
        assert f"| `[{table}" in TOURNAMENT or f", `[{table}" in TOURNAMENT
        keys |= keys_of(extensions.load(added.path))
    for table, path in extension.keys.items():
        assert f"| `[{table}]` `" in TOURNAMENT
        keys |= keys_of(extensions.load(path))
    documented_keys = set(
        re.findall(r"[`.](\w+)\]*`", "\n".join(texts))
    )  # also `[[grade.threshold]]`
    assert keys <= documented_keys


def test_every_rating_and_tie_break_is_documented():
    assert all(f"`{name}`" in TOURNAMENT for name in tiebreaks.names())
    assert all(f'`"{name}"`' in TOURNAMENT for name in ratings.names())


def documented(name: str) -> list[str]:
    """The columns of a frame, as its section of the page lists them."""
    section = re.search(rf"^## `{name}\(.*?(?=^##|\Z)", COLUMNS, re.DOTALL | re.MULTILINE)
    assert section is not None, f"no section of {name}()"
    rows = re.findall(r"^\| (`.*?) \|.*?\|.*?\|$", section[0], re.MULTILINE)
    return [column for cell in rows for column in re.findall(r"`([^`]+)`", cell)]


def test_every_frame_is_documented():
    frames = {
        name
        for name, method in vars(Results).items()
        if not name.startswith("_")
        and getattr(method, "__annotations__", {}).get("return") is pd.DataFrame
        and name != "overall_leaderboard"  # rows of `leaderboard`
        and "frame" not in method.__annotations__  # what is made of a frame has the columns of that
    }
    assert frames == set(re.findall(r"^## `(\w+)\(", COLUMNS, re.MULTILINE))


def test_the_columns_of_each_frame_are_those_of_its_page(played):
    results = Results.open(played / "results" / "cup")
    for league in (results, *results.leagues):
        league.event = replace(league.event, tie_breaks=("wins", "koya"))
    families = {
        "TIEBREAK": results.event.tie_breaks,
        "BOARD": results.board_columns.values(),
        "BOARD_ROLE": results.board_role_columns.values(),
    }
    families |= dict.fromkeys(ADDED, ())  # of events with a language model
    roles = list(dict.fromkeys(role for _, role in results.board_role_columns))
    for name in re.findall(r"^## `(\w+)\(", COLUMNS, re.MULTILINE):
        whole, each = [], []
        for column in documented(name):
            (each if column.startswith("ROLE_") else whole).extend(families.get(column, [column]))
        each = [column.replace("ROLE", role) for role in roles for column in each]
        named = results.leaderboard()["bot"][:2] if name == "head_to_head" else ()
        assert list(getattr(results, name)(*named).columns) == [*whole, *each], name
    results.close()


def test_every_house_bot_is_documented():
    assert set(re.findall(r"^\| `(\w+)` \| [A-Zeb]", BOTS, re.MULTILINE)) >= {
        bot.name for bot in discovery.gather(HERE / "bots")
    }


@pytest.mark.slow
def test_the_bots_of_the_page_play(played):
    for number in (0, 1):
        (played / "bots" / f"page{number}.py").write_text(blocks(AUTHORS, "python")[number])
    done = cup.arena(played, "match", "page0", "page1", "--board", "duel", "--no-draw")
    assert done.returncode == 0
    assert "forfeit" not in done.stdout + done.stderr


def test_the_notebook_example_of_the_results_runs(played, monkeypatch):
    monkeypatch.chdir(played)
    *examples, _ = blocks(RESULTS, "python")  # the last one draws, and has the next test
    for example in examples:
        exec(compile(example, "page", "exec"), {})


def test_a_chart_of_ones_own_takes_five_lines(played, monkeypatch):
    monkeypatch.chdir(played)
    example = blocks(RESULTS, "python")[-1]
    assert len(example.replace("\n\n", "\n").splitlines()) == 5
    names: dict[str, Any] = {}
    exec(compile(example, "page", "exec"), names)
    drawn = [bar.get_width() for bar in names["axes"].patches]
    assert drawn == list(Results.open(played / "results" / "cup").leaderboard()["rating"])[::-1]
    assert Path("mine.png").stat().st_size > 1000


def test_the_dialogue_of_the_page_is_the_protocols():
    match = live.match_of("duel")
    referee = Referee(rulebook.game_of(match), match)
    said = referee.asks()["mummy"].text
    referee.hear(dict.fromkeys(referee.asks(), Reply(line=b"ready")))
    referee.asks()
    referee.hear({"explorer": Reply(line=b"move1 west")})
    said += referee.asks()["mummy"].text
    page = next(block for block in blocks(AUTHORS, "") if block.startswith("arena 1"))
    told = [
        line
        for line in page.splitlines()
        if not line.startswith((">", "match", "seed", "score", "end"))
    ]
    assert [line for line in told if line not in said.decode().splitlines()] == []
    assert "score explorer 0" in page
    assert page.rstrip().endswith("end eaten")


def test_the_listing_of_contributing_is_the_listing():
    listing = next(block for block in blocks(CONTRIBUTING, "") if "tournament.toml" in block)
    columns = re.findall(r"^  (\S+(?: \S+)*)  ", listing, re.MULTILINE)
    listed = {name for column in columns for name in column.split()}
    here = {path.name for path in (HERE / "arena").iterdir() if path.is_file()}
    # What an older checkout left, a folder with nothing but __pycache__, is no part of arena.
    here |= {f"{path.parent.name}/" for path in (HERE / "arena").glob("*/__init__.py")}
    hidden = {"__init__.py", "__main__.py", "py.typed", "ruff.toml"}
    assert listed == here - hidden


def pointers() -> Iterator[tuple[str, list[str]]]:
    """Give each row that says where something is, with the files and names that it points to."""
    pages = [CONTRIBUTING, (HERE / "docs" / "words.md").read_text()]
    for name in extensions.extras():
        _, _, words = (
            (HERE / "docs/extras" / f"{name}.md").read_text().partition("\n## The words\n")
        )
        pages.append(words.partition("\n## ")[0])
    for page in pages:
        for row in re.findall(r"^\|.*`.*\|$", page, re.MULTILINE):
            yield row, re.findall(r"`([^` ]+)`", row.rstrip("| ").rpartition("|")[2])
    for path in (HERE / "arena").rglob("__init__.py"):
        where = (ast.get_docstring(ast.parse(path.read_text())) or "").partition(
            "Where to change what"
        )[2]
        for row in re.split(r"^- ", where, flags=re.MULTILINE)[1:]:
            start = re.search(r"`[^` ]+\.[a-z]+`", row)
            yield row, re.findall(r"`([^`\s]+)`", row[start.start() :]) if start else []


def test_every_file_and_name_that_a_contributor_is_sent_to_exists():
    rows = list(pointers())
    assert len(rows) > 140
    missing = []
    for _, names in rows:
        text = ""
        for name in names:
            if "/" in name or name.endswith(".py"):
                path = HERE / ("" if name.startswith(("tests/", "docs/")) else "arena") / name
                text = path.read_text("utf-8") if path.is_file() else ""
                missing += [] if path.exists() else [name]
            elif text and name.isidentifier():
                defined = re.search(
                    rf"^ *(?:def|class) {name}\b|^ *{name}\b[^\n]* = ", text, re.MULTILINE
                )
                missing += [] if defined else [name]
    assert missing == []


def test_the_core_names_no_file_of_an_extra():
    named = []
    for path in (HERE / "arena").rglob("*.*"):
        is_of_core = (
            path.suffix in {".py", ".js", ".j2"} and "extras" not in path.relative_to(HERE).parts
        )
        if is_of_core and re.search(r"\bextras[./][a-z]", path.read_text("utf-8")):
            named.append(path.name)
    words = (HERE / "docs" / "words.md").read_text("utf-8")
    assert named == []
    assert "`extras/" not in words


def test_contributing_is_read_in_a_quarter_of_an_hour():
    assert len(CONTRIBUTING.split()) <= 2500


def test_every_schedule_is_documented_and_the_one_of_the_page_plans():
    page = (HERE / "docs" / "formats.md").read_text()
    assert all(f'`"{name}"`' in page for name in schedules.names())
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    own: dict[str, Any] = {}
    exec(code, own)
    event = stored.event("ann", "bob", "cat")
    matches = list(own["batch"](event, 0, ()))
    assert Counter(match.label for match in matches) == Counter(own["count"](event))
    assert not list(own["batch"](event, 1 + own["BEHIND"], ()))
