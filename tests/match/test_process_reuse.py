"""`ready again`: bots that stay for their next match, where the event allows it."""

import math
import os
from pathlib import Path

import pytest

from arena.clock import TimeControl
from arena.event import lane
from arena.event.director import Work
from arena.failure import Cause
from arena.games import rulebook
from arena.match.play import play
from arena.match.process_reuse import reused_bots_of
from arena.sandbox import choice
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions, Limits, Match, Record, Seat
from tests.support import live
from tests.support.processes import gone_soon
from tests.support.programs import python

READY = """
here = ",".join(os.listdir(os.environ["HOME"])) or "nothing"
open(os.path.join(os.environ["HOME"], "note"), "w").close()
os.mkdir(os.path.join(os.environ["HOME"], "folder"))
say("ready again")
"""
GO = """
until = time.process_time() + {cpu}
while time.process_time() < until: pass
say("# pid", os.getpid(), "match", played, "found", here)
say(legal[-1])
"""
END = """
played += 1
if {dies}: os._exit(3)
"""
(HUNT,) = rulebook.find("mummy_maze/duel")


@pytest.fixture
def reused(launcher):
    reused = reused_bots_of(launcher)
    yield reused
    reused.close()


def bot_of(
    folder: Path,
    cpu: float = 0.0,
    *,
    dies: bool = False,
    first: str = "",
    go: str = "",
    end: str = "",
) -> Bot:
    """Write a bot that counts its matches, and does this, too."""
    go, end = f"{go}\n{GO.format(cpu=cpu)}", end or END.format(dies=dies)
    return live.bot_of(
        folder / "stays.py", python(go, first=f"{first}\nplayed = 0", ready=READY, end=end)
    )


def match(
    number: int, bot: Bot, *, keep: bool = True, cpu: float = 60.0, sandbox: str = ""
) -> Match:
    conditions = Conditions(
        time=TimeControl(start=20.0, move=20.0),
        limits=Limits(cpu=cpu),
        sandbox=sandbox or choice.choose("auto", unsafe=False),
        keep=keep,
    )
    return Match(
        id=f"{number:012}",
        game=HUNT.game,
        board=HUNT.name,
        rules=HUNT.rules,
        seats=tuple(Seat(role, bot) for role in HUNT.roles),
        repeat=number,
        seed=number,
        conditions=conditions,
    )


def remarks(record: Record) -> set[str]:
    return {remark for turn in record.turns for remark in turn.remarks}


def pids(record: Record) -> set[int]:
    return {int(remark.split()[1]) for remark in remarks(record)}


def test_a_bot_that_says_ready_again_plays_its_next_match_in_one_process(
    launcher, reused, tmp_path
):
    bot = bot_of(tmp_path)
    first, second = (play(match(number, bot), launcher=launcher) for number in (1, 2))
    assert not first.verdict.faults
    assert pids(first) == pids(second)
    assert {turn.role: turn.remarks[0].split()[1] for turn in first.turns} == {
        turn.role: turn.remarks[0].split()[1] for turn in second.turns
    }
    assert {seat.before for seat in first.seats} == {0}
    assert {seat.before for seat in second.seats} == {1}
    assert {seat.exit for seat in second.seats} == {"stays for its next match"}
    assert all("match 1" in remark for remark in remarks(second))


def test_its_scratch_folder_is_empty_again_before_its_next_match(launcher, reused, tmp_path):
    bot = bot_of(tmp_path)
    for number in (1, 2):
        assert all(
            "found nothing" in one for one in remarks(play(match(number, bot), launcher=launcher))
        )


def test_where_the_event_does_not_allow_it_every_match_has_fresh_processes(
    launcher, reused, tmp_path
):
    bot = bot_of(tmp_path)
    first, second = (play(match(number, bot, keep=False), launcher=launcher) for number in (1, 2))
    assert pids(first).isdisjoint(pids(second))
    assert {seat.before for seat in second.seats} == {0}
    assert reused.pids == ()


def test_a_bot_that_died_while_it_waited_is_started_again(launcher, reused, tmp_path):
    bot = bot_of(tmp_path)
    first = play(match(1, bot), launcher=launcher)
    for pid in reused.pids:
        os.kill(pid, 9)
    second = play(match(2, bot), launcher=launcher)
    assert not second.verdict.faults
    assert pids(first).isdisjoint(pids(second))


def test_a_bot_that_dies_of_its_end_is_started_again_and_loses_nothing_by_it(
    launcher, reused, tmp_path
):
    bot = bot_of(tmp_path, dies=True)
    records = [play(match(number, bot), launcher=launcher) for number in (1, 2)]
    assert not any(record.verdict.faults for record in records)
    assert {seat.before for seat in records[1].seats} == {0}


def test_cpu_time_counts_from_the_beginning_of_each_match(launcher, reused, tmp_path):
    bot = bot_of(tmp_path, cpu=0.002)
    records = [play(match(number, bot, cpu=0.15), launcher=launcher) for number in (1, 2, 3)]
    assert not any(record.verdict.faults for record in records)
    used = sum(seat.cpu for record in records for seat in record.seats if seat.role == "mummy")
    assert used > 0.15 * 0.9
    assert all(seat.cpu < 0.15 for record in records for seat in record.seats)


def test_a_bot_whose_name_in_process_lists_is_no_text_is_reused_like_any_other(
    launcher, reused, tmp_path
):
    bot = bot_of(
        tmp_path, first="import ctypes\nctypes.CDLL(None).prctl(15, b'\\xff\\n', 0, 0, 0)\n"
    )
    records = [play(match(number, bot), launcher=launcher) for number in (1, 2)]
    assert {seat.before for seat in records[1].seats} == {1}
    assert all(seat.memory > 0 for seat in records[1].seats)


def test_a_bot_whose_scratch_folder_cannot_be_emptied_is_not_reused(launcher, reused, tmp_path):
    wreck = "shutil.rmtree(os.environ['HOME'], ignore_errors=True)"
    wrecker = bot_of(tmp_path, first="import shutil", go=wreck, end="pass")
    first, second = (play(match(n, wrecker, sandbox="rlimits"), launcher=launcher) for n in (1, 2))
    assert not first.verdict.faults
    assert not second.verdict.faults
    assert {seat.before for seat in second.seats if seat.role == "explorer"} == {0}


def test_cpu_time_of_earlier_matches_does_not_count(launcher, tmp_path):
    burns = python(ready="while time.process_time() < 0.1: pass\nsay('ready')")
    with live.ready(
        live.bot_of(tmp_path / "bot.py", burns), Conditions(sandbox="landlock"), launcher
    ) as bot:
        dog = bot._watchdog
        dog._limits = Limits(cpu=0.05)
        assert dog.look(math.inf).cause is Cause.CPU
        dog.begin_again()
        assert dog.look(math.inf) is None


def test_a_roll_call_leaves_the_bots_alive_that_wait_for_their_next_match(
    launcher, reused, tmp_path
):
    bot = bot_of(tmp_path)
    first, second = match(1, bot), match(2, bot)
    lane.perform(launcher, Work(match=first))
    assert lane.perform(launcher, Work(match=second, called=second.seats[0])) is None
    record = lane.perform(launcher, Work(match=second))
    assert {seat.before for seat in record.seats} == {1}


def test_after_a_failure_of_ours_no_waiting_bot_stays_open(launcher, reused, tmp_path, monkeypatch):
    bot = bot_of(tmp_path)
    lane.perform(launcher, Work(match=match(1, bot)))
    before, waiting = len(os.listdir("/proc/self/fd")), reused.pids
    monkeypatch.setattr("arena.match.live_bots.ask_all", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        lane.perform(launcher, Work(match=match(2, bot)))
    assert len(waiting) == 2
    assert reused.pids == ()
    assert len(os.listdir("/proc/self/fd")) < before
    assert gone_soon(waiting)


def test_no_bot_waits_for_a_match_longer_than_its_launcher(tmp_path):
    with Launcher() as launcher:
        play(match(1, bot_of(tmp_path)), launcher=launcher)
        waiting = reused_bots_of(launcher).pids
        assert len(waiting) == 2
    assert gone_soon(waiting)
