"""The manual: what is made from the code is as the code makes it, and every page's commands and words hold."""

import ast
import re
from pathlib import Path

import pages
import pytest
from cup import arena
from test_docs import AUTHORS, ENDINGS, HERE, blocks, commands

from arena.values import Ending

PROTOCOL = (HERE / "docs" / "protocol.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in (HERE / "arena").rglob("*.py"))
"""Every word that arena can say."""


def reasons_of(game):
    """The words for how a match ended, in the text of a rules file: those in the last argument of an outcome."""
    tree = ast.parse((HERE / "rules" / f"{game}.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [
        call
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in {"_outcome", "_scored", "Outcome"}
    ]
    words = [node for call in named for node in ast.walk(call.args[-1]) if isinstance(node, ast.Constant)]
    return {word.value for word in words if isinstance(word.value, str)}


@pytest.mark.parametrize("part", pages.parts().items(), ids=lambda part: f"{part[0][0].name} {part[0][1]}")
def test_what_is_made_from_the_code_stands_in_the_page(part):
    (page, name), text = part
    assert pages.standing(page, name) == text, "run `python tests/pages.py`, and look at the difference"


def test_every_game_has_a_dialogue():
    games = {path.stem for path in (HERE / "rules").glob("*.toml")}
    assert games <= set(pages.PLAYED)


def test_every_line_of_the_dialogues_is_explained():
    told = set(re.findall(r"^\| `(\w+\??)", PROTOCOL, re.MULTILINE))
    said = [line for name in pages.PLAYED for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()]
    words = {line.split()[0] for line in said if not line.startswith((">", "...", "```"))}
    assert words == told - {"parameters"}  # it comes on drawn boards only, and no dialogue here has such a board


def test_every_fact_of_the_games_is_explained():
    explained = set(re.findall(r"^\| `((?:board|state) \w+)", PROTOCOL, re.MULTILINE)) - {"board FACT", "state FACT"}
    said = [line for name in pages.PLAYED for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()]
    assert {" ".join(line.split()[:2]) for line in said if line.startswith(("board ", "state "))} == explained


def test_every_ending_has_a_section_and_there_is_no_other():
    assert re.findall(r"^### `(\w+)`", ENDINGS, re.MULTILINE) == list(Ending)


def test_every_reason_of_the_games_is_explained():
    rows = re.findall(r"^\| `([a-z ]+)` \| ([a-z_, ]+) \|", ENDINGS, re.MULTILINE)
    told = {(game, reason) for reason, games in rows for game in games.split(", ")}
    assert told == {(path.stem, one) for path in (HERE / "rules").glob("*.toml") for one in reasons_of(path.stem)}


def test_what_an_ending_is_said_to_say_is_what_arena_says():
    sections = re.findall(r"^The report says .*?\n\n", ENDINGS, re.MULTILINE | re.DOTALL)
    quoted = [words for section in sections for words in re.findall(r"`([a-z][^`]+)`", section)]
    assert len(sections) == len(Ending) - 1
    assert [words for words in quoted if not re.search(words.replace("no answer", "no {awaited}"), CODE)] == []


def test_every_limit_that_a_bot_may_pass_is_explained():
    told = set(re.findall(r"`(\w+:)`", ENDINGS))
    assert {words for words in told if f'"{words}' not in CODE and f" {words}" not in CODE} == set()
    assert told >= {"memory:", "cpu:", "threads:", "processes:", "scratch:", "files:", "output:", "stderr:"}


def test_the_page_for_authors_of_bots_can_be_followed(tmp_path):
    folder, done = tmp_path, {}
    # test_lessons.py follows the section on lessons, which wants matches of an event.
    page = re.sub(r"(?s)\n## What should it have played\?\n.*?(?=\n## )", "", AUTHORS)
    # A match of an event is followed there and in test_docs.py; a duel's exit code is its answer, after minutes.
    followed = [argv for argv in commands(page) if len(argv) > 2 and argv[1] != "duel" and "MATCH" not in argv]
    for _, command, *words in followed:
        once = {"play": ["--help"], "match": ["--no-draw", *(["--unsafe"] if "none" in words else [])]}
        done[command] = arena(folder, command, *words, *once.get(command, []))
        assert done[command].returncode == 0, (command, words, done[command].stderr)
        if command == "init":
            folder = folder / words[0]
            (folder / "bots" / "mine.py").write_text(blocks(AUTHORS, "python")[0])
    assert list(done) == ["init", "new", "check", "match", "play"]
    assert "forfeit" not in done["match"].stdout


@pytest.mark.parametrize(
    "page",
    [*sorted((HERE / "docs").glob("*.md")), *(HERE / folder / "README.md" for folder in ("", "rules", "results"))],
    ids=lambda page: page.name,
)
def test_every_link_of_a_page_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))
    here = [link for link in links if "://" not in link and not Path(page.parent, link).exists()]
    assert here == []
