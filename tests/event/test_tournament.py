"""The event: parallel or not, interrupted or not, with broken bots or not, it ends with the same
tables.
"""

import contextlib
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.errors import ArenaError
from arena.event import bot_folder, end_time, lane, tournament
from arena.event.director import RunPhase
from arena.match.play import play
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.sandbox import procfs
from arena.values import Ending, Record
from tests.support import workspaces
from tests.support.events import (
    Audience,
    Main,
    event_of,
    killed_often,
    played_by,
    referees,
    run,
    tables,
)
from tests.support.processes import children, until
from tests.support.sprint import DICE, FIRST, LAST, slow


@pytest.mark.slow
def test_with_two_lanes_and_kills_at_any_moment_the_tables_are_those_of_one_lane(tmp_path):
    cup = workspaces.make(tmp_path / "ws", {"a": DICE, "b": FIRST, "c": LAST}, repeats=6)
    event, killed = event_of(cup), cup / "killed"
    assert run(cup, "whole")[0].complete
    with played_by(event, killed) as main:
        assert main.stores(1)
        os.kill(referees(main.below)[0], signal.SIGKILL)
        log = killed / "logs" / "arena.log"
        assert until(lambda: "was killed; a new one takes its place" in log.read_text())
    killed_often(event, killed, planned=36, kills=1)
    assert run(cup, "killed", workers=2)[0].complete
    assert tables(killed) == tables(cup / "whole")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A workspace with a finished event of six matches; a bot is a folder."""
    cup = workspaces.make(tmp_path_factory.mktemp("finished") / "ws", {"a": DICE, "b": FIRST})
    folder = cup / "bots" / "c"
    folder.mkdir()
    (folder / "bot.toml").write_text('command = "sh bot.sh"\n')
    (folder / "bot.sh").write_text(LAST)
    outcome, _ = run(cup)
    assert outcome.complete
    return cup


@pytest.fixture
def played(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "ws")


def test_an_edited_bot_gets_new_matches_and_the_others_keep_theirs(played):
    (played / "bots" / "c" / "bot.sh").write_text(LAST + "# edited\n")
    _, audience = run(played)
    assert audience.counts == (6, 2)
    assert all("c" in {seat.bot for seat in record.seats} for record in audience.records)
    results = Results.open(played / "results")
    assert len(results.matches()) == 6
    assert len(Results.open(played / "results", all_versions=True).matches()) == 10
    results.close()


def test_a_bot_that_is_edited_while_an_event_runs_plays_on_as_it_was(tmp_path):
    cup = workspaces.make(tmp_path, {"a": LAST, "b": FIRST}, repeats=2)
    event = event_of(cup)

    class Editor(Audience):
        def begins(self, planned: int, finished: int) -> None:
            (cup / "bots" / "b").write_text("#!/bin/sh\nexit 1\n")

    audience = Editor()
    tournament.run(event, cup / "results", workers=1, audience=audience)
    assert [record.verdict.faults for record in audience.records] == [()] * 4
    assert audience.missing == {}


def test_a_copy_of_a_bot_that_was_damaged_is_made_again(finished):
    copies = [path for path in (finished / "results" / "bots").rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in copies}
    assert len(before) == 4
    for path in copies:
        path.write_text("")  # as a power cut leaves a file that was renamed and never synced
    bot_folder.copy_bots(event_of(finished), finished / "results" / "bots")
    assert {path: path.read_bytes() for path in copies} == before


def test_a_bot_that_was_edited_before_it_was_copied_is_refused_and_leaves_no_copies(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST})
    event = event_of(cup)
    (cup / "bots" / "b").write_text(LAST)
    with pytest.raises(
        ArenaError, match=r"bots/b: was edited while it was read; run the same command again$"
    ):
        tournament.run(event, cup / "results", workers=1, audience=Audience())
    assert list((cup / "results" / "bots").iterdir()) == []


def test_bots_with_the_same_content_in_folders_of_different_names_share_a_copy(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE})
    for name in ("twin", "other"):
        folder = cup / "bots" / name
        folder.mkdir()
        (folder / "bot.toml").write_text('command = "sh bot.sh"\n')
        (folder / "bot.sh").write_text(FIRST)
    for _ in range(2):
        copied = bot_folder.copy_bots(event_of(cup), cup / "copies")
        programs = [Path(bot.files) / "bot.sh" for bot in copied.bots if bot.name != "a"]
        assert [program.read_text() for program in programs] == [FIRST, FIRST]
    assert len(list((cup / "copies").iterdir())) == 2


def test_a_log_that_cannot_be_written_is_named_in_one_line(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST})
    (cup / "results").mkdir()
    (cup / "results" / "logs").write_text("")
    with pytest.raises(ArenaError, match="logs: cannot be written"):
        run(cup)


UNREADY = {
    "mute": "#!/bin/sh\nread -r line; while read -r line; do :; done\n",
    "dead": "#!/bin/sh\nexit 3\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
}
"""Bots that never say `ready`: they are waited for, end, or kill themselves."""
BROKEN = {
    "crash": FIRST.replace("go) echo", "go) exit 1; echo"),
    "cheat": FIRST.replace('echo "$legal"', "echo move anywhere"),
    "slow": FIRST.replace("go) echo", "go) read -r line; echo"),
    "noise": FIRST.replace('echo "$legal"', "printf '\\377\\n'"),
}


ENDINGS = {"mute": "timeout", "dead": "crashed", "killed": "crashed"}
ENDINGS |= {"crash": "crashed", "cheat": "illegal_move", "slow": "timeout", "noise": "garbled"}


def with_broken(folder: Path, sound: int) -> tuple[list[str], Audience]:
    """Play an event of sound bots, those of UNREADY, and those of BROKEN; return the names of the
    sound.
    """
    bots = {
        f"b{number:02}": random.Random(number).choice([FIRST, LAST]) + f"# {number}\n"
        for number in range(sound)
    }
    cup = workspaces.make(folder, bots | UNREADY | BROKEN, time={"start": 1.0, "move": 0.2})
    outcome, audience = run(
        cup, workers=2
    )  # most of the time is waited for those that are too slow
    assert outcome.complete
    return list(bots), audience


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken") / "ws"
    return folder, *with_broken(folder, 2)


@pytest.mark.slow
def test_bots_that_never_say_ready_are_named_and_forfeit_unplayed(broken):
    *_, audience = broken
    assert {name: fault.ending for name, fault in audience.missing.items()} == {
        "mute": Ending.TIMEOUT,
        "dead": Ending.CRASHED,
        "killed": Ending.CRASHED,
    }
    assert audience.aborts == []
    unplayed = [
        record for record in audience.records if {*UNREADY} & {seat.bot for seat in record.seats}
    ]
    assert len(unplayed) == 2 * (8 + 7 + 6)
    assert all(record.turns == () and record.verdict.reason == "forfeit" for record in unplayed)
    assert all(record.seconds < 0.2 for record in unplayed)


def come_last(folder: Path, sound: list[str]) -> None:
    board = Results.open(folder / "results").leaderboard().set_index("bot")
    assert set(board.index[-len(ENDINGS) :]) == set(ENDINGS)
    for name, ending in ENDINGS.items():
        assert (
            board.loc[name, ending] >= 2 * len(sound) + 3
        )  # and against others that fail where it begins
        assert board.loc[name, ending] == board.loc[name, "forfeits"]
    assert (board.loc[sound, "forfeits"] == 0).all()


@pytest.mark.slow
def test_the_bots_that_always_fail_come_last_with_their_endings_counted(broken):
    folder, sound, _ = broken
    come_last(folder, sound)


@pytest.mark.soak
def test_behind_twenty_sound_bots_come_those_that_always_fail(tmp_path):
    sound, _ = with_broken(tmp_path, 20)
    come_last(tmp_path, sound)


HOLDER = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from arena.results.archive import Archive
with Archive.open(Path(sys.argv[1]), writing=True):
    print('held', flush=True)
    time.sleep(60)
"""


def test_a_run_beside_another_is_refused_and_one_after_it_plays_nothing(played):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(played / "results")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        with pytest.raises(ArenaError, match=f"process {holder.pid} is playing this event"):
            run(played)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    outcome, audience = run(played)
    assert (outcome.complete, audience.counts, audience.records) == (True, (6, 6), [])


@pytest.mark.slow
def test_who_kills_or_stops_processes_of_bots_costs_no_bot_a_match(tmp_path):
    cup = workspaces.make(
        tmp_path, {"a": slow(FIRST), "b": slow(LAST)}, repeats=6, time={"start": 5.0, "move": 0.5}
    )
    harms = {
        "a: its process was killed": signal.SIGKILL,
        "b: its process was stopped": signal.SIGSTOP,
    }

    def causes() -> list[str]:
        with Archive.open(cup / "harmed") as archive:
            return [abort.cause for abort in archive.aborts()]

    def kinds() -> set[str]:
        return {cause.partition(" by ")[0] for cause in causes()}

    with played_by(event_of(cup), cup / "harmed") as main:
        for kind, number in (
            list(harms.items()) * 4
        ):  # again, as a stop may come just before arena's own
            if not main.stores(1) or kind in kinds():
                continue
            assert harmed(main, kind[0], number)
        main.process.join()
        assert main.process.exitcode == 0
    assert kinds() == set(harms)
    assert all("signal that arena did not send" in cause for cause in causes())
    assert len(causes()) <= 8
    with Archive.open(cup / "harmed") as archive:
        assert [record.verdict.faults for record in archive.records()] == [()] * 12


def harmed(main: Main, name: str, number: int) -> bool:
    """Send a signal to a process of this bot, as soon as one is awake: what a frozen bot is sent,
    its thaw undoes.
    """
    end = time.monotonic() + 60
    while time.monotonic() < end:
        spawners = [spawner for lane in children(main.process.pid) for spawner in children(lane)]
        for pid in [bot for spawner in spawners for bot in children(spawner)]:
            with contextlib.suppress(OSError):  # it ended meanwhile
                named = Path(f"/proc/{pid}/cmdline").read_bytes().endswith(f"/{name}\0".encode())
                if named and procfs.states(pid) not in ([], [b"T"]):
                    os.kill(pid, number)
                    return True
        time.sleep(0.005)
    return False


def test_a_bot_that_kills_itself_gains_no_replay(tmp_path):
    kills = FIRST.replace("go) echo", "go) kill -9 $$; echo")
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": kills}, sandbox="rlimits", unsafe=True)
    outcome, audience = run(cup)
    assert (outcome.complete, audience.aborts) == (True, [])
    faults = [fault for record in audience.records for fault in record.verdict.faults]
    assert [fault.ending for fault in faults] == [Ending.CRASHED] * 2
    assert all("signal SIGKILL, which arena did not send" in fault.words for fault in faults)


def test_a_match_that_arena_keeps_failing_ends_the_event_and_stays_due(tmp_path, monkeypatch):
    cup = workspaces.make(tmp_path, {"a": LAST, "b": FIRST})

    def broken(match, **more):
        if match.seats[0].bot.name == "b":
            raise RuntimeError("our own bug")
        return play(match, **more)

    monkeypatch.setattr(lane, "play", broken)
    outcome, audience = run(cup)
    assert not outcome.complete
    assert [abort.attempt for abort in audience.aborts] == [1, 2, 3]
    assert "our own bug" in outcome.failed[0].cause
    monkeypatch.undo()
    assert run(cup)[0].complete


def test_a_finished_match_is_stored_then_told_although_no_other_ends(tmp_path, monkeypatch):
    """Each match goes on only when the audience was told of the one before it."""
    begun, told = (multiprocessing.Value("i") for _ in range(2))
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST}, repeats=3)

    class Reader(Audience):
        def finished(self, record: Record) -> None:
            with Archive.open(cup / "results") as archive:
                assert record.match.id in archive.ids()
            told.value += 1

    def when_told(*args, **more):
        until = time.monotonic() + 60  # a guard against hangs
        while told.value < begun.value:
            assert time.monotonic() < until, "the match before is not told"
            time.sleep(0.001)
        begun.value += 1
        return play(*args, **more)

    audience = Reader()
    monkeypatch.setattr(lane, "play", when_told)  # the workers are forked, so they have it, too
    outcome = tournament.run(event_of(cup), cup / "results", workers=1, audience=audience)
    assert (outcome.complete, told.value, audience.aborts) == (True, 6, [])


def test_a_stopped_event_keeps_what_finished(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=20)
    audience = Audience()
    outcome = tournament.run(
        event_of(cup),
        cup / "results",
        workers=1,
        audience=audience,
        stopped=lambda: len(audience.records) >= 5,
    )
    assert outcome.phase is RunPhase.INTERRUPTED
    assert 5 <= outcome.finished < 120
    with Archive.open(cup / "results") as archive:
        assert len(archive.ids()) == outcome.finished


@pytest.mark.parametrize(("steady", "wall"), [(1000, 0), (1000, -3600)])
def test_a_match_that_waits_in_a_lane_does_not_begin_after_stop_after(
    tmp_path, monkeypatch, steady, wall
):
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST}, stop_after=600, repeats=2)
    put_clocks(monkeypatch, steady, wall)
    outcome, _ = run(cup)
    assert (outcome.stop.rule, outcome.complete, outcome.finished) == ("stop_after", False, 1)
    monkeypatch.undo()
    outcome, audience = run(cup)
    assert (outcome.complete, len(audience.records), audience.aborts) == (True, 3, [])


@pytest.mark.parametrize("wall", [-3600, 3600])
def test_a_clock_that_somebody_sets_changes_nothing_for_stop_after(tmp_path, monkeypatch, wall):
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST}, stop_after=600, repeats=2)
    put_clocks(monkeypatch, 0, wall)
    outcome, audience = run(cup)
    assert (outcome.complete, outcome.stop.rule, len(audience.records)) == (True, "plan", 4)


def put_clocks(monkeypatch, steady: float, wall: float) -> None:
    """Put the two clocks of `stop_after` forward by some seconds in the moment in which the first
    match ends.
    """
    put = multiprocessing.Value("b", False)
    clocks = SimpleNamespace(
        monotonic=lambda: time.monotonic() + steady * put.value,
        time=lambda: time.time() + wall * put.value,
    )
    monkeypatch.setattr(end_time, "time", clocks)

    def long(*args, **more):
        record = play(*args, **more)
        put.value = True
        return record

    monkeypatch.setattr(lane, "play", long)  # the workers are forked, so they have it, too


def test_an_event_ends_by_stop_after_then_by_max_matches_then_by_its_plan(tmp_path):
    cup = workspaces.make(
        tmp_path,
        {"a": FIRST, "b": LAST, "c": FIRST + "#\n"},
        rounds=2,
        stop_after=0.001,
        max_matches=3,
    )
    ended = []
    for key in ("stop_after", "max_matches", None):
        outcome, audience = run(cup)
        with contextlib.closing(Results.open(cup / "results")) as results:
            sentences = results.end_sentences
        ended.append((outcome.stop and outcome.stop.rule, outcome.complete, audience.counts))
        if key == "max_matches":
            assert sentences[0] == "the event ended after 3 matches (max_matches)"
            assert sentences[1].startswith("still open at 95 %: ranks 1 to 3 (")
        text = (cup / "tournament.toml").read_text()
        (cup / "tournament.toml").write_text(re.sub(f"^{key} = .*\n", "", text, flags=re.MULTILINE))
    assert ended == [
        ("stop_after", False, (3, 0)),
        ("max_matches", True, (3, 0)),
        (None, True, (4, 3)),
    ]
    assert sentences == ()
