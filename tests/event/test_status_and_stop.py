"""`arena status` and `arena stop`: a run that is seen, and asked to end, by another process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.event import control, tournament
from arena.event.control import Control, LaneStatus
from arena.event.director import RunPhase
from arena.results.archive import Archive
from tests.support import cup, workspaces
from tests.support.events import Audience, event_of, run
from tests.support.processes import until
from tests.support.sprint import FIRST, LAST, slow

HOLD = """
import sys; from pathlib import Path; from arena.results.archive import Archive
with Archive.open(Path(sys.argv[1]), writing=True) as archive:
    print(archive.token, flush=True)
    input()
"""


class Asks(Audience):
    """An audience that asks for the end, as `arena stop` does, once a number of matches are
    finished.
    """

    def __init__(self, folder: Path, after: int) -> None:
        super().__init__()
        self._folder, self._after = folder, after

    def finished(self, record) -> None:
        super().finished(record)
        if len(self.records) == self._after:
            control.request_halt(self._folder, (self._folder / ".lock").read_text().split("\n")[1])


def test_a_halted_run_finishes_what_it_plays_and_the_next_plays_the_rest(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"a": slow(FIRST), "b": slow(LAST)}, repeats=3)
    audience = Asks(folder / "results", 1)
    outcome = tournament.run(event_of(folder), folder / "results", workers=1, audience=audience)
    assert (outcome.phase, outcome.complete, outcome.failed) == (RunPhase.HALTED, False, ())
    assert 1 <= outcome.finished == len(audience.records) < outcome.planned == 6
    assert audience.aborts == []
    assert not (folder / "results" / control.HALT_FILE).exists()
    state = control.last_state(folder / "results")
    assert (state.finished, state.halting, state.complete) == (outcome.finished, True, False)
    rest, _ = run(folder)
    assert (rest.phase, rest.complete, rest.finished) == (RunPhase.PLAYING, True, 6)
    assert control.last_state(folder / "results").complete
    (row,) = json.loads(cup.arena(tmp_path, "status", "ws/results", "--json").stdout)
    assert (row["planned"], row["played"], row["due"], row["complete"], row["running"]) == (
        6,
        6,
        0,
        True,
        False,
    )
    assert cup.arena(tmp_path, "status", "ws/results").stdout == (
        "cup: 6 of 6 matches are played (100 %), 0 are due\nno run is playing it\n"
    )


def test_a_request_to_another_run_stops_nothing(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"a": FIRST, "b": LAST})
    (folder / "results").mkdir()
    control.request_halt(folder / "results", "0" * 32)
    outcome, _ = run(folder)
    assert (outcome.phase, outcome.complete) == (RunPhase.PLAYING, True)
    own = Control(folder / "results", "1" * 32)
    control.request_halt(folder / "results", "0" * 32)
    own.look(lambda: (2, 1, 1, (), ()))
    assert not own.halt_requested


def test_a_request_that_comes_while_the_run_prepares_is_seen_when_it_plays(tmp_path):
    control.request_halt(tmp_path, "1" * 32)
    own = Control(tmp_path, "1" * 32)
    own.look(lambda: (9, 4, 4, (), ()))
    assert own.halt_requested


def test_a_request_for_the_run_itself_is_seen_and_published_at_once(tmp_path):
    own = Control(tmp_path, "1" * 32)
    lane = LaneStatus(
        lane="referee-1", machine="m", played=3, match="ab", board="g/b", bots=("x",), since="2026"
    )
    own.publish(9, 4, 3, [lane], ["waiting"])
    assert not control.last_state(tmp_path).halting
    control.request_halt(tmp_path, "1" * 32)
    own.look(lambda: (9, 4, 3, [lane], ["waiting"]))
    assert own.halt_requested
    state = control.last_state(tmp_path)
    assert state.waits == ("waiting",)
    assert (state.halting, state.planned, state.finished, state.played, state.lanes) == (
        True,
        9,
        4,
        3,
        (lane,),
    )


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"token": 5}', "\xff"])
def test_a_progress_file_that_is_no_progress_is_as_good_as_none(tmp_path, text):
    (tmp_path / control.PROGRESS_FILE).write_text(text, "latin-1")
    assert control.last_state(tmp_path) is None


def test_the_holder_of_an_archive_has_a_new_token_and_is_gone_with_its_process(tmp_path):
    tokens = set()
    for _ in range(2):
        holding = subprocess.Popen(
            [sys.executable, "-c", HOLD, tmp_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        token = holding.stdout.readline().strip()
        assert Archive.holder(tmp_path) == (str(holding.pid), token)
        tokens.add(token)
        holding.kill()
        holding.communicate()
        assert Archive.holder(tmp_path) is None  # though its lines are still in the file
    assert len(tokens) == 2
    assert Archive.holder(tmp_path / "nowhere") is None


@pytest.mark.slow
def test_an_event_is_watched_and_stopped_from_another_terminal(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws", {"a": slow(FIRST), "b": slow(LAST), "c": slow(FIRST) + "# c\n"}, repeats=60
    )
    playing = cup.start(folder, "--workers", "2")
    assert until(lambda: cup.stored(folder) >= 2)

    def row() -> dict[str, object]:
        (only,) = json.loads(cup.arena(folder, "status", "--json").stdout)
        return only

    assert until(lambda: row()["played_now"])
    now, text = row(), cup.arena(folder, "status").stdout
    assert (now["running"], now["pid"], now["planned"], now["complete"]) == (
        True,
        playing.pid,
        360,
        False,
    )
    assert now["played"] + now["due"] == 360
    assert {lane["lane"] for lane in now["lanes"]} == {"referee-1", "referee-2"}
    assert {lane["board"] for lane in now["lanes"] if lane["match"]} <= {"sprint/default"}
    assert [machine["machine"] for machine in now["machines"]] == [os.uname().nodename]
    assert now["expected_end"] > now["written"]
    assert f"process {playing.pid} on " in text
    assert "the end is expected in about" in text

    done = cup.arena(folder, "stop", "--wait")
    assert (done.returncode, done.stdout) == (
        0,
        f"process {playing.pid} has ended; `arena run` goes on with the event\n",
    )
    ended = playing.end(20)
    assert ended.returncode == 1
    assert "rank" in ended.stdout
    assert (
        "stopped by `arena stop`: the matches that were under way are finished and stored\n"
        in ended.stderr
    )
    assert re.search(r"\d+ of 360 matches are still due; to go on:\n", ended.stderr)
    after = row()
    assert (after["running"], after["pid"], after["lanes"], after["expected_end"]) == (
        False,
        None,
        [],
        None,
    )
    assert after["played"] == cup.stored(folder) < 360
    assert cup.arena(folder, "status").stdout.endswith(
        "no run is playing it; `arena run` goes on with it\n"
    )
    again = cup.arena(folder, "stop")
    assert (again.returncode, again.stdout) == (2, "")
    assert (
        again.stderr == "results/cup: no run is playing this event, so there is nothing to stop\n"
    )
