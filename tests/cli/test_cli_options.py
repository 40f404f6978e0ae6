"""The parts of the command line that need no process: overrides, TOML, progress, plans, tables and
JSON.
"""

import io
import json
import re
import time
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

from arena import workspace
from arena.cli import options, output
from arena.cli.run import as_played
from arena.cli.watching import Watcher, duration
from arena.errors import ArenaError
from arena.event import config
from tests.support import workspaces


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("time.move=0.5", 0.5),
        ("seed=3", 3),
        ('name="x"', "x"),
        ("name=x", "x"),
        ("seating=distinct", "distinct"),
        ("boards=['duel']", ["duel"]),
        ("limits.memory = 1 GB", "1 GB"),
    ],
)
def test_a_setting_is_a_toml_value_or_a_bare_word(words, value):
    assert options.overrides([words]) == {words.partition("=")[0].strip(): value}


@pytest.mark.parametrize("words", ["seed", "=3", "boards=[1", 'name="x'])
def test_a_text_that_is_no_setting_is_a_mistake_that_quotes_it(words):
    with pytest.raises(ArenaError, match=r"^--set"):
        options.overrides([words])


def test_an_option_with_a_name_wins_over_set_and_one_not_given_changes_nothing():
    assert options.overrides(["seed=1"], seed=2, workers__count=None) == {"seed": 2}
    assert options.overrides([], workers__count=3) == {"workers.count": 3}


def test_a_comma_in_brackets_belongs_to_a_board():
    assert options.names_in(["a,go(size=9,komi=7),b"]) == ("a", "go(size=9,komi=7)", "b")
    assert options.names_in(None) == ()


def test_a_mistake_in_a_folder_with_the_name_of_an_option_names_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    workspaces.make(tmp_path / "--cup", boards="duel")
    path = Path("--cup/tournament.toml")
    with pytest.raises(ArenaError, match=r"^--bot: there is no bot 'nobody'"):
        workspace.event_of(config.load(path), path, bots=["nobody"])
    (tmp_path / "--cup/bots/notes.txt").write_text("no bot")
    with pytest.raises(
        ArenaError, match=r"^--cup/tournament\.toml: --cup/bots/notes\.txt: not a bot"
    ):
        workspace.event_of(config.load(path), path)


@pytest.mark.parametrize("words", ["0", "-1", "many", "1.5"])
def test_a_number_of_workers_is_at_least_one(words):
    with pytest.raises(ArenaError, match=r"^--workers"):
        options.worker_count(words)


def test_a_table_is_written_as_toml_that_reads_back():
    table = {
        "name": 'a "quoted"\\ \x7f name',
        "boards": ["a/b", "ü"],
        "time": {"move": 0.5, "start": 1e-9, "on": True},
        "bot": (
            {"name": "x", "path": None, "command": ("a", "b")},
            {"name": "y", "path": "p", "command": None},
        ),
    }
    read = tomllib.loads(as_played.toml(table))
    bots = [{"name": "x", "command": ["a", "b"]}, {"name": "y", "path": "p"}]
    assert read == {**table, "bot": bots}


def test_no_limit_is_written_as_none():
    assert tomllib.loads(as_played.toml({"time": {"move": None}})) == {"time": {"move": "none"}}


def test_the_file_as_played_is_only_touched_when_it_differs(tmp_path):
    as_played.store(tmp_path, "seed = 1\n", secret=False)
    before = (tmp_path / "tournament.toml").stat().st_mtime_ns
    as_played.store(tmp_path, "seed = 1\n", secret=False)
    assert (tmp_path / "tournament.toml").stat().st_mtime_ns == before
    as_played.store(tmp_path, "seed = 2\n", secret=False)
    assert (tmp_path / "tournament.toml").read_text() == "seed = 2\n"


def watched(planned: int, done: int, played: int, seconds: float) -> str:
    watcher = Watcher("cup", "2 at a time", "")
    watcher.planned, watcher.done, watcher.played = planned, done, played
    watcher.begun = time.monotonic() - seconds
    return watcher.summary()


def test_progress_tells_share_rate_and_when_it_ends():
    begun = "50 of 200 matches (25 %), 4.0/s, about 38 s left, until "
    assert re.fullmatch(re.escape(begun) + r"(tomorrow )?\d\d:\d\d", watched(200, 50, 40, 10.0))


def test_progress_before_the_first_match_and_after_the_last_promises_nothing():
    assert watched(200, 0, 0, 3.0) == "0 of 200 matches (0 %)"
    assert watched(1000, 999, 0, 3.0) == "999 of 1000 matches (99 %)"
    assert watched(50, 29, 0, 3.0) == "29 of 50 matches (58 %)"
    assert watched(4, 4, 2, 1.0) == "4 of 4 matches (100 %), 2.0/s"
    assert watched(0, 0, 0, 0.0) == "0 of 0 matches (100 %)"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.44, "0.4 s"), (12, "12 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_a_duration_is_short_words(seconds, words):
    assert duration(seconds) == words


HOSTILE = "[red]x[/red]\x1b[2J\u202e\n=1+1"


def test_hostile_text_is_one_harmless_line():
    shown = output.safe_line(HOSTILE)
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert "\u202e" not in shown
    assert "[red]x[/red]" in shown


def test_a_table_shows_hostile_text_as_it_is_and_never_as_markup(capsys):
    output.print_table(output.make_table(["bot", "points"], [(HOSTILE, 1.0), (None, None)]))
    said = capsys.readouterr().out
    assert "[red]x[/red]\\x1b" in said
    assert "\x1b" not in said
    assert all(line == line.rstrip() for line in said.split("\n"))


def test_a_piped_table_is_never_cut(capsys):
    output.print_table(output.make_table(["bot"] * 30, [["x" * 40] * 30]))
    assert "x" * 40 + " " in capsys.readouterr().out


@pytest.mark.parametrize(("width", "between"), [(80, "  "), (12, " ")])
def test_a_narrow_terminal_gets_narrow_columns_before_anything_is_folded(width, between):
    to = Console(width=width, file=io.StringIO())
    to.print(
        output.tightened(output.make_table(["ab", "cd", "ef", "gh"], [("a", "c", "e", "g")]), to)
    )
    assert to.file.getvalue().split("\n")[0].strip() == between.join(["ab", "cd", "ef", "gh"])


def test_json_holds_no_nan_and_no_raw_control_character(capsys):
    output.print_json([{"a": float("nan"), "b": HOSTILE, "c": (1, None)}])
    said = capsys.readouterr().out
    assert json.loads(said) == [{"a": None, "b": HOSTILE, "c": [1, None]}]
    assert said.isascii()


def test_a_stream_that_is_no_terminal_gets_no_colour():
    assert not output.wants_colour(io.StringIO())
