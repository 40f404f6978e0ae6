"""`arena run`: its output, its files and its exit codes."""

import json
import multiprocessing
import re
import resource
import signal
import tomllib
from dataclasses import replace
from pathlib import Path

from arena.results.archive import Archive
from tests.support import cup, live, sprint, workspaces
from tests.support import stored as unplayed
from tests.support.cup import (
    CRASHES,
    Command,
    arena,
    leaderboard,
    refused,
    run_event,
    stored,
    tables,
)
from tests.support.programs import python

QUICK = {"first": sprint.FIRST, "last": sprint.LAST}
"""Bots that are quick to start, for events whose game does not matter."""


def test_a_run_prints_the_leaderboard_and_leaves_tables_and_charts(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK)
    with cup.first_chart_only():
        done = Command(folder, "run", "--strict").end()
    assert done.returncode == 0
    assert [path.name for path in (folder / "results/cup").glob("event.sqlite*")] == [
        "event.sqlite"
    ]
    assert done.stdout == arena(folder, "leaderboard").stdout
    assert "the best on default is last or first (95 % confidence)\n" in done.stdout
    assert "2 of 2 matches (100 %)" in done.stderr
    assert "for a browser:\n  open results/cup/report.html\n" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert {path.suffix for path in (folder / "results/cup/charts").iterdir()} == {".svg", ".png"}
    assert (folder / "results/cup/tournament.toml").read_text() == (
        folder / "tournament.toml"
    ).read_text()


def test_running_again_changes_nothing_and_a_plan_knows_what_was_played(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK)
    first = run_event(folder)
    before = tables(folder), stored(folder)
    again = run_event(folder)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "2 of them played before" in again.stderr
    assert (tables(folder), stored(folder)) == before
    (row,) = json.loads(run_event(folder, "--plan", "--repeats", "3", "--json").stdout)
    assert (row["board"], row["matches"], row["played"]) == ("sprint/default", 6, 2)
    assert row["seconds"] > 0
    assert "mean time" in run_event(folder, "--plan").stdout


def test_options_change_the_event_for_one_run(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK | {"other": sprint.DICE}, "sprint duel")
    words = [
        "--name",
        "small",
        "--seed",
        "3",
        "--repeats",
        "2",
        "--board",
        "sprint",
        "--bot",
        "first,other",
    ]
    done = run_event(folder, *words, "--set", "time.move=2.5", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["bot"] for row in json.loads(done.stdout)] == [
        row["bot"] for row in leaderboard(folder, "small")
    ]
    assert sorted(row["bot"] for row in leaderboard(folder, "small")) == ["first", "other"]
    assert [row["matches"] for row in leaderboard(folder, "small")] == ["4", "4"]
    text = (folder / "results/small/tournament.toml").read_text()
    played = tomllib.loads(text)
    assert "--bot first,other" in text.splitlines()[0]
    assert (played["seed"], played["boards"], played["time"]["move"]) == (
        3,
        ["sprint/default"],
        2.5,
    )


def test_a_plan_plays_nothing(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel classic", repeats=2)
    done = run_event(folder, "--plan", "--workers", "2")
    assert done.returncode == 0
    assert re.search(r"^ *mummy_maze/duel +4 +0 +\S+ s$", done.stdout, re.MULTILINE)
    assert re.search(r"^ *all +8 +0 +\S+ s$", done.stdout, re.MULTILINE)
    assert "guessed" in done.stdout
    assert not (folder / "results").exists()


def test_a_bot_that_never_starts_is_named_and_forfeits_and_strict_fails(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK | {"broken": CRASHES})
    done = run_event(folder)
    assert done.returncode == 0
    assert done.stdout.startswith("broken is absent, its matches are forfeited: crashed: ")
    assert "[bold]no[/bold]" in done.stdout.splitlines()[0]
    assert leaderboard(folder)[-1]["bot"] == "broken"
    assert leaderboard(folder)[-1]["crashed"] == "4"
    assert done.stderr.count("broken is absent") == 1
    assert "\n  arena check broken\n" in done.stderr  # it was asked nothing that `rerun` could ask
    assert "--bot broken" not in done.stderr
    assert run_event(folder, "--strict").returncode == 1  # although all was played before
    assert run_event(folder, "--strict", "--bot", "first,last").returncode == 0


def test_bots_that_always_fail_are_at_the_bottom_with_their_endings_counted(tmp_path):
    sins = {"illegal_move": python("say('up')"), "crashed": python("raise KeyError('x')")}
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST, **sins})
    done = run_event(folder)
    assert done.returncode == 0, done.stderr
    best, *rows = leaderboard(folder)
    assert best["bot"] == "first"
    for row in rows:
        assert int(row[row["bot"]]) == int(row["forfeits"]) > 0, row
    reruns = dict(re.findall(r"arena (rerun \S+ --bot (\S+) --print)", done.stderr))
    assert set(reruns.values()) == set(sins)  # each with the command that shows why
    command = next(line for line, bot in reruns.items() if bot == "illegal_move")
    again = arena(folder, *command.split())
    assert again.returncode == 0, again.stderr
    assert "expected one of" in done.stderr


def test_a_run_that_was_killed_while_its_file_was_made_is_gone_on_with(tmp_path):
    """The kernel ends a process at once when a file of its grows past a limit."""
    folder = workspaces.make(tmp_path / "ws", QUICK)
    results = folder / "results/cup"
    results.mkdir(parents=True)
    for size in (0, 5000, 40_000):
        for file in results.iterdir():
            file.unlink()
        results.joinpath("event.sqlite").touch()
        killed = multiprocessing.get_context("fork").Process(
            target=make_tables_within, args=(results, size)
        )
        killed.start()
        killed.join()
        assert killed.exitcode == -signal.SIGXFSZ
        assert refused(
            arena(folder, "leaderboard"), "event.sqlite: holds no results; `arena run` makes some\n"
        )
        assert arena(folder, "run", "--plan").returncode == 0
        Archive.open(results, writing=True).close()
    assert run_event(folder).returncode == 0
    assert stored(folder) == 2


def make_tables_within(results: Path, size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    Archive.open(results, writing=True)


def test_matches_that_arena_fails_leave_the_event_unfinished_with_exit_code_1(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK)
    rules = (folder / "rules/sprint.py").read_text()  # what `first` plays as the hare breaks them
    (folder / "rules/sprint.py").write_text(
        rules.replace("steps = {", "1 // (moves != {'hare': 'rest'}); steps = {")
    )
    done = run_event(folder)
    assert done.returncode == 1
    assert "was given up after 3 attempts: ZeroDivisionError: " in done.stderr
    assert "1 of 2 matches are still due; to go on:\n  arena run --no-charts" in done.stderr
    assert "rank" in done.stdout


def test_a_replay_never_runs_the_rules_file_that_a_strangers_results_name(tmp_path):
    folder = workspaces.make(tmp_path / "cup", boards="duel")
    theirs = tmp_path / "rules" / "mummy_maze.py"
    theirs.parent.mkdir()
    theirs.write_text("open('ran', 'w')\n")
    match = replace(live.match_of("duel"), rules=str(theirs))
    with Archive.open(folder / "results/cup", writing=True) as archive:
        archive.append(unplayed.played(match, turns=0))
    done = arena(folder, "replay", match.id, "--no-draw")
    assert done.returncode == 0
    assert not (folder / "ran").exists()


def test_a_run_says_which_bot_gets_fewer_threads_than_it_asks_for(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST})
    (folder / "bots" / "deep").mkdir()
    (folder / "bots" / "deep" / "bot.sh").write_text(sprint.LAST)
    (folder / "bots" / "deep" / "bot.toml").write_text('command = "sh bot.sh"\nthreads = 4\n')
    done = run_event(folder, "--set", "limits.threads=2", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert (
        "deep asks for 4 threads and gets 2: limits.threads in tournament.toml is the limit"
        in done.stderr
    )
    done = run_event(folder, "--set", "limits.threads=none")
    assert done.returncode == 0, done.stderr
    assert "threads" not in done.stderr
    assert "2 of them played before" in done.stderr  # the matches are the same


def test_a_board_that_needs_more_bots_than_there_are_is_named(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="three_cards nine")
    done = arena(folder, "run", "--plan")
    assert done.returncode == 0
    assert done.stderr == (
        "surround/nine: no match, since it needs 4 different bots that play its roles; add bots\n"
    )
