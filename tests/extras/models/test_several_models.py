"""Several models in one event: whom a bot asks, what its requests have, and which matches are
new.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import sys
from functools import partial
from pathlib import Path

import pytest

from arena.event import config
from arena.event.service import Opener
from arena.extras.models import asking, service
from arena.extras.models.tape import TABLE, Tape
from arena.extras.serve import scheduler
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import ModelAnswer, ModelTerms
from tests.extras.models import kills_of_runs, providers
from tests.extras.models.test_models import HOUSE
from tests.support import cup, events, workspaces

DICE = """\
import sys
legal = []
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "ready?":
        print("ready", flush=True)
    elif word == "turn":
        legal = []
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        print(legal[0], flush=True)
"""
TWO_PROMPTS = [("brave", "Be brave."), ("careful", "Be careful.")]


def workspace(folder: Path, models: str, entries: str, **keys: object) -> Path:
    """Make a workspace with two prompts of the house bot, which stand outside of `bots`, and a
    plain bot.
    """
    workspaces.make(folder, {"dice": DICE}, **keys)
    for name, words in TWO_PROMPTS:
        shutil.copytree(HOUSE, folder / "prompts" / name)
        (folder / "prompts" / name / "prompt.md").write_text(f"{words}\n")
    with (folder / "tournament.toml").open("a") as file:
        file.write(f"{entries}\n{models}\n")
    return folder


def entry(name: str, prompt: str, model: str) -> str:
    return f'[[bot]]\nname = "{name}"\npath = "prompts/{prompt}"\nmodel = "{model}"\n'


def table(alias: str, lines: str, **request: object) -> str:
    """Return a table [models.ALIAS] with fields of its requests."""
    fields = "\n".join(f"{name} = {json.dumps(value)}" for name, value in request.items())
    return f'[models.{alias}]\nname = "{alias}-1"\n{lines}\n[models.{alias}.request]\n{fields}\n'


def edit(folder: Path, before: str, after: str) -> None:
    path = folder / "tournament.toml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def served(folder: Path) -> dict[str, Opener]:
    found = service.providers_of(config.load(folder / "tournament.toml"), folder)
    return {service.NAME: partial(asking.opened, found)}


def run(folder: Path, results: str = "results/cup"):
    return events.run(folder, results, workers=2, services=served(folder))[0]


def ids(folder: Path) -> dict[str, set[str]]:
    """The ids of the planned matches of an event, by the names of their bots."""
    by_bots: dict[str, set[str]] = {}
    with Archive.open(folder) as archive:
        for record in archive.records():
            names = " ".join(sorted(seat.bot.name for seat in record.match.seats))
            by_bots.setdefault(names, set()).add(record.match.id)
    return by_bots


def assert_new_matches_are_of(
    model: str, before: dict[str, set[str]], after: dict[str, set[str]]
) -> None:
    """Assert that the matches of bots with this model have other ids than before, and no others."""
    assert before.keys() == after.keys()
    for names, matches in before.items():
        assert (matches == after[names]) == (model not in names)


def two_by_two(folder: Path, lines: str, **keys: object) -> Path:
    """Make an event of two models with two prompts each, and dice."""
    models = table("gpt", lines, temperature=0.5) + table("qwen", lines, max_completion_tokens=300)
    entries = [
        entry(f"{prompt}-{model}", prompt, model)
        for prompt, _ in TWO_PROMPTS
        for model in ("gpt", "qwen")
    ]
    return workspace(folder, models, "\n".join(entries), **keys)


@pytest.mark.soak
@pytest.mark.parametrize(("kills", "repeats"), [(2, 1), (10, 2)])
def test_an_event_of_two_models_is_killed_replayed_and_changed_in_one_of_them(
    tmp_path, kills, repeats
):
    with providers.serving(providers.plays) as server:
        lines = f'url = "{server.url}"\nprice_in = 100.0'
        folder = two_by_two(tmp_path / "w", lines, repeats=repeats)
        event, results, paid = events.event_of(folder), folder / "results" / "cup", server.calls
        Archive.make(results)
        kills_of_runs.play(event, results, paid, served(folder), kills)
        assert run(folder).complete
        tables = events.tables(results)
        before = ids(results)
        asked = paid.value
        edit(folder, 'name = "cup"', 'name = "again"')
        edit(folder, f'url = "{server.url}"', 'provider = "tape"\ntapes = ["cup"]')
        assert run(folder, "results/again").complete
        assert events.tables(folder / "results" / "again") == tables
        assert paid.value == asked
        edit(folder, 'name = "again"', 'name = "cup"')
        edit(folder, 'provider = "tape"\ntapes = ["cup"]', f'url = "{server.url}"')
        edit(folder, "temperature = 0.5", "temperature = 0.7")
        assert run(folder).complete
    after = ids(results)
    assert_new_matches_are_of("gpt", before, after)
    assert paid.value > asked


def sees(handler, request: dict[str, object]) -> None:
    """Play, and write down the fields of the request that are no messages."""
    fields = {name: value for name, value in request.items() if name != "messages"}
    with open(os.environ["SEEN"], "a") as file:
        file.write(json.dumps(fields) + "\n")
    providers.plays(handler, request)


@pytest.mark.soak
def test_the_fields_of_a_model_go_into_its_requests_as_they_are(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    monkeypatch.setenv("SEEN", str(seen))
    with providers.serving(sees) as server:
        url = f'url = "{server.url}"'
        one = table("one", url, temperature=0.25, reasoning_effort="none", max_completion_tokens=77)
        two = table("two", url, seed=7, logit_bias={"50256": -100}).replace(
            '{"50256": -100}', '{"50256" = -100}'
        )
        folder = workspace(
            tmp_path / "w",
            one + two,
            entry("x", "brave", "one") + entry("y", "brave", "two"),
            repeats=1,
        )
        assert run(folder).complete
    by_model: dict[str, list[dict[str, object]]] = {}
    for line in seen.read_text().splitlines():
        fields = json.loads(line)
        by_model.setdefault(fields.pop("model"), []).append(fields)
    assert by_model.keys() == {"one-1", "two-1"}
    for fields in by_model["one-1"]:
        assert fields == {
            "temperature": 0.25,
            "reasoning_effort": "none",
            "max_completion_tokens": 77,
        }
    for fields in by_model["two-1"]:
        assert fields.pop("max_tokens") > 1000
        assert fields == {"seed": 7, "logit_bias": {"50256": -100}}


COMMAND = """\
import json, os, sys
request = json.load(sys.stdin)
with open("seen.log", "a") as log:
    log.write(f"{os.environ['ARENA_MODEL']} {os.environ['ARENA_BOT']} {request['model']} {request.get('top_p')}\\n")
print(json.dumps({"text": "none", "in": 10, "out": 2}))
"""


@pytest.mark.soak
def test_a_command_reads_which_model_and_which_bot_asks(tmp_path):
    command = f'command = ["{sys.executable}", "-S", "model.py"]\ncalls = 1'
    models = table("one", command, top_p=0.5) + table("two", command)
    folder = workspace(
        tmp_path, models, entry("x", "brave", "one") + entry("y", "brave", "two"), repeats=1
    )
    (folder / "model.py").write_text(COMMAND)
    assert run(folder).complete
    assert set((folder / "seen.log").read_text().splitlines()) == {
        "one x one-1 0.5",
        "two y two-1 None",
    }
    with Archive.open(folder / "results/cup") as archive:
        for record in archive.records():
            names = {seat.bot.model_alias for seat in record.match.seats}
            default = record.match.conditions.model
            assert default is None
            assert {terms.alias for terms in record.match.conditions.models} == names - {""}


@pytest.mark.soak
def test_each_model_has_a_budget_and_a_tape_of_its_own(tmp_path):
    command = providers.command_in(tmp_path)
    one = table("one", f"command = {command}\nevent_tokens = 300")
    two = table("two", f"command = {command}")
    folder = workspace(
        tmp_path, one + two, entry("x", "brave", "one") + entry("y", "brave", "two"), repeats=2
    )
    assert not run(folder).complete
    tape = Tape(folder / "results/cup/tape.sqlite")
    assert tape.paid("one")[0] == 360
    assert tape.paid("two")[0] % 120 == 0
    assert tape.paid("default") == (0.0, 0.0)
    printed = cup.arena(folder, "run", "--plan").stdout
    assert "models.one: 0 of the budget of 300 tokens are left" in printed
    edit(folder, "event_tokens = 300", "")
    assert run(folder).complete


def test_a_tape_without_names_of_models_is_read_and_written_on(tmp_path):
    path = tmp_path / "tape.sqlite"
    first = TABLE.replace(", model text not null default 'default'", "")
    assert first != TABLE
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(first)
        database.execute("pragma user_version = 1")
        database.commit()
        content = path.read_bytes()
    assert Tape(path, writing=False).paid("default") == (0.0, 0.0)
    assert path.read_bytes() == content
    answer = ModelAnswer("x", "stop", 3, 4)
    Tape(path).add("key", "gpt", "match", "bot", answer, cost=0.5, paid=True)
    again = Tape(path)
    assert again.find("key") == answer
    assert again.paid("gpt") == (7.0, 0.5)


def loaded(folder: Path, text: str) -> config.Tournament:
    workspaces.make(folder, {"dice": DICE, "more": DICE})
    with (folder / "tournament.toml").open("a") as file:
        file.write(text)
    return config.load(folder / "tournament.toml")


def test_one_model_changes_only_the_ids_of_the_matches_of_its_bots(tmp_path):
    def match_ids(temperature: float, other: str = "") -> dict[str, str]:
        number = len(list(tmp_path.iterdir()))
        models = table("hot", 'command = "x"', temperature=temperature) + table(
            "cold", f'command = "x"\n{other}'
        )
        folder = workspace(
            tmp_path / str(number), models, entry("x", "brave", "hot") + entry("y", "brave", "cold")
        )
        event = events.event_of(folder)
        bots = {bot.name: bot for bot in event.bots}
        found = {}
        for first, second in (("x", "y"), ("x", "dice"), ("y", "dice"), ("dice", "dice")):
            found[f"{first} {second}"] = event.match(
                event.boards[0], (bots[first], bots[second]), 0
            ).id
        return found

    before = match_ids(0.0)
    hotter = match_ids(1.0)
    assert {names for names in before if before[names] != hotter[names]} == {"x y", "x dice"}
    dearer = match_ids(0.0, "calls = 7")
    assert {names for names in before if before[names] != dearer[names]} == {"x y", "y dice"}


def test_the_default_model_is_the_same_by_either_table_and_by_its_name(tmp_path):
    short = '[model]\nname = "m"\ncommand = "x"\n'
    ids = set()
    for number, models in enumerate((short, short.replace("[model]", "[models.default]"))):
        folder = workspace(tmp_path / str(number), models, entry("x", "brave", "default"))
        event = events.event_of(folder)
        ids.add(event.match(event.boards[0], event.bots[:2], 0).id)
    assert len(ids) == 1


def test_a_bot_names_its_model_in_its_own_folder_and_a_single_model_needs_no_name(tmp_path):
    models = table("one", 'command = "x"') + table("two", 'command = "x"')
    folder = workspace(tmp_path / "a", models, "")
    shutil.move(folder / "prompts" / "brave", folder / "bots" / "brave")
    toml = folder / "bots" / "brave" / "bot.toml"
    toml.write_text('command = "python bot.py"\nmodel = "two"\n')
    workspaces.make(folder / "other", {"dice": DICE})
    shutil.copy(folder / "other" / "bots" / "dice.py", folder / "bots" / "more.py")
    bots = {bot.name: bot for bot in events.event_of(folder).bots}
    assert (bots["brave"].model, bots["brave"].model_alias) == (True, "two")
    toml.write_text('command = "python bot.py"\nmodel = "three"\n')
    assert "brave" not in {bot.name for bot in events.event_of(folder).bots}
    said = cup.arena(folder, "run", "--plan").stderr
    assert "left out: brave bot.toml: model: there is no [models.three]" in said
    toml.write_text('command = "python bot.py"\nmodel = true\n')
    assert "left out: brave names none of the models" in cup.arena(folder, "run", "--plan").stderr
    edit(folder, table("two", 'command = "x"'), "")
    bots = {bot.name: bot for bot in events.event_of(folder).bots}
    assert bots["brave"].model_alias == "one"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[models.a]\nname = "m"\n', "models.a: url: missing"),
        (
            '[models.a]\nname = "m"\nurll = "x"\ncommand = "x"\n',
            "models.a.urll: unknown key; did you mean 'url'?",
        ),
        ('[models]\nname = "m"\n', 'models.name: expected a table, not "m"'),
        ('[models."a b"]\nname = "m"\ncommand = "x"\n', "models: 'a b': expected a name"),
        (
            '[models.a]\nname = "m"\ncommand = "x"\nmost_at_once = 0\n',
            "models.a.most_at_once: expected 1 or more",
        ),
        (
            table("a", 'command = "x"', messages=[]),
            "models.a: request.messages: arena fills this field",
        ),
        (
            table("a", 'command = "x"', max_tokens=0),
            "request.max_tokens: expected a whole number from 1",
        ),
        (
            table("a", 'command = "x"', max_tokens=1, max_completion_tokens=1),
            "a `max_completion_tokens` as well",
        ),
        (table("a", 'command = "x"') + "when = 2026-01-01\n", "request.when: JSON has no dates"),
        (table("a", 'command = "x"') + "top_p = inf\n", "request.top_p: JSON has no such number"),
        (
            '[model]\nname = "m"\ncommand = "x"\n[models.default]\nname = "m"\ncommand = "x"\n',
            "models.default: there is a table [model] as well",
        ),
        (
            entry("x", "brave", "gtp") + table("gpt", 'command = "x"'),
            "bot 'x': model: there is no [models.gtp]; did you mean 'gpt'?",
        ),
        (entry("x", "brave", "a b") + table("gpt", 'command = "x"'), "[[bot]] 1: model: expected"),
    ],
)
def test_a_mistake_in_the_tables_of_models_is_one_line_with_its_key(tmp_path, text, words):
    folder = workspaces.make(tmp_path, {"dice": DICE, "more": DICE})
    with (folder / "tournament.toml").open("a") as file:
        file.write(text)
    assert cup.refused(cup.arena(folder, "run"), words)


@pytest.mark.soak
def test_the_table_of_models_names_the_model_of_each_bot(tmp_path):
    with providers.serving(providers.plays) as server:
        folder = two_by_two(tmp_path / "w", f'url = "{server.url}"\nprice_in = 100.0', repeats=1)
        assert run(folder).complete
    with contextlib.closing(Results.open(folder / "results/cup")) as results:
        frame = results.models().set_index("bot")
        leaderboard = results.leaderboard().set_index("bot")
    assert dict(frame["model"]) == {
        "brave-gpt": "gpt",
        "brave-qwen": "qwen",
        "careful-gpt": "gpt",
        "careful-qwen": "qwen",
    }
    assert (frame["cost"] > 0).all()
    assert (frame["moves"] > 0).all()
    assert (frame["at_once"] == 100).all()
    assert (frame["fallback"] == 0).all()
    for name in ("model", "cost_a_match"):
        assert leaderboard[name].dropna().to_dict() == frame[name].to_dict()
    printed = cup.arena(folder, "leaderboard").stdout
    assert "cost_a_match" in printed.partition("language model")[0]
    assert printed.count("how its moves came about") == 1


@pytest.mark.parametrize(
    "request_text", ["[1]", "[" * 100_000, "{", '{"max_tokens": "x"}', '{"max_tokens": 0}']
)
def test_fields_of_a_request_that_a_stranger_wrote_wrong_are_refused(request_text):
    with pytest.raises(ValueError, match="request"):
        ModelTerms(name="m", request=request_text)


def test_a_site_keeps_the_keys_of_all_models_for_the_runs_that_it_starts(tmp_path, monkeypatch):
    names = ("KEY_OF_ONE", "KEY_OF_TWO")
    models = "".join(
        table(name.lower(), f'command = "x"\nkey_variable = "{name}"') for name in names
    )
    folder = workspace(tmp_path, models, "")
    for name in names:
        monkeypatch.setenv(name, f"sk-{name}")
    keys = scheduler.ProviderKey(folder)
    assert not set(names) & os.environ.keys()
    assert keys.variables() == {name: f"sk-{name}" for name in names}


@pytest.mark.soak
def test_check_says_which_of_several_models_answers_a_bot(tmp_path):
    text = '{"text": "none", "in": 1, "out": 1}'
    models = "".join(table(alias, f"command = ['echo', '{text}']") for alias in ("one", "two"))
    folder = workspace(tmp_path, models, entry("x", "brave", "two"))
    assert "two-1 answers it, by [models.two]" in cup.arena(folder, "check", "x").stdout
    said = cup.arena(folder, "check", "prompts/careful").stdout
    assert "no language model answers it" in said
    assert "names none of the models" in said
