"""`ready again`: bots that stay for their next match, where the event allows it."""

import os
import time
from pathlib import Path

import pytest
from processes import gone_soon

from arena import roster, rulebook, tournament
from arena.clock import TimeControl
from arena.keeping import Keeper, keeper_of
from arena.match import Bot, Conditions, Limits, Match, Record, Seat
from arena.play import play
from arena.sandbox import levels
from arena.sandbox.door import Door
from arena.sandbox.watchdog import Watchdog

STAYS = """
import os, sys, time
played = 0
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "ready?":
        here = ",".join(os.listdir(os.environ["HOME"])) or "nothing"
        open(os.path.join(os.environ["HOME"], "note"), "w").close()
        os.mkdir(os.path.join(os.environ["HOME"], "folder"))
        print("ready again", flush=True)
    elif word == "legal": move = rest
    elif word == "go":
        until = time.process_time() + {cpu}
        while time.process_time() < until: pass
        print("# pid", os.getpid(), "match", played, "found", here, flush=True)
        print(move, flush=True)
    elif word == "end":
        played += 1
        if {dies}: os._exit(3)
"""
(HUNT,) = rulebook.find("mummy_maze/duel")


@pytest.fixture(scope="module")
def door():
    with Door() as door:
        yield door


@pytest.fixture
def keeper(door):
    keeper = Keeper(door)
    yield keeper
    keeper.close()


def bot_of(folder: Path, cpu: float = 0.0, *, dies: bool = False, first: str = "") -> Bot:
    path = folder / "stays.py"
    path.write_text(first + STAYS.format(cpu=cpu, dies=dies))
    return roster.from_path(path)


def match(number: int, bot: Bot, *, keep: bool = True, cpu: float = 60.0, sandbox: str = "") -> Match:
    conditions = Conditions(
        time=TimeControl(start=20.0, move=20.0),
        limits=Limits(cpu=cpu),
        sandbox=sandbox or levels.choose("auto", unsafe=False),
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


def test_a_bot_that_says_ready_again_plays_its_next_match_in_the_same_process_and_role(door, keeper, tmp_path):
    bot = bot_of(tmp_path)
    first, second = (play(match(number, bot), door=door, keeper=keeper) for number in (1, 2))
    assert not first.verdict.faults
    assert pids(first) == pids(second)
    assert {turn.role: turn.remarks[0].split()[1] for turn in first.turns} == {
        turn.role: turn.remarks[0].split()[1] for turn in second.turns
    }
    assert {seat.before for seat in first.seats} == {0}
    assert {seat.before for seat in second.seats} == {1}
    assert {seat.exit for seat in second.seats} == {"stays for its next match"}
    assert all("match 1" in remark for remark in remarks(second))


def test_its_scratch_folder_is_empty_again_before_its_next_match(door, keeper, tmp_path):
    bot = bot_of(tmp_path)
    for number in (1, 2):
        assert all("found nothing" in one for one in remarks(play(match(number, bot), door=door, keeper=keeper)))


def test_where_the_event_does_not_allow_it_every_match_has_fresh_processes(door, keeper, tmp_path):
    bot = bot_of(tmp_path)
    first, second = (play(match(number, bot, keep=False), door=door, keeper=keeper) for number in (1, 2))
    assert pids(first).isdisjoint(pids(second))
    assert {seat.before for seat in second.seats} == {0}
    assert keeper.pids == ()


def test_one_that_died_meanwhile_is_started_again(door, keeper, tmp_path):
    bot = bot_of(tmp_path)
    first = play(match(1, bot), door=door, keeper=keeper)
    for pid in keeper.pids:
        os.kill(pid, 9)
    second = play(match(2, bot), door=door, keeper=keeper)
    assert not second.verdict.faults
    assert pids(first).isdisjoint(pids(second))


def test_one_that_dies_of_its_end_is_started_again_and_loses_nothing_by_it(door, keeper, tmp_path):
    bot = bot_of(tmp_path, dies=True)
    records = [play(match(number, bot), door=door, keeper=keeper) for number in (1, 2)]
    assert not any(record.verdict.faults for record in records)
    assert {seat.before for seat in records[1].seats} == {0}


def test_cpu_time_counts_from_the_beginning_of_each_match(door, keeper, tmp_path):
    bot = bot_of(tmp_path, cpu=0.02)
    records = [play(match(number, bot, cpu=1.5), door=door, keeper=keeper) for number in (1, 2, 3)]
    assert not any(record.verdict.faults for record in records)
    used = sum(seat.cpu for record in records for seat in record.seats if seat.role == "mummy")
    assert used > 1.5 * 0.9
    assert all(seat.cpu < 1.5 for record in records for seat in record.seats)


def test_one_whose_name_in_process_lists_is_no_text_is_kept_like_any_other(door, keeper, tmp_path):
    bot = bot_of(tmp_path, first="import ctypes\nctypes.CDLL(None).prctl(15, b'\\xff\\n', 0, 0, 0)\n")
    records = [play(match(number, bot), door=door, keeper=keeper) for number in (1, 2)]
    assert {seat.before for seat in records[1].seats} == {1}
    assert all(seat.memory > 0 for seat in records[1].seats)


def test_one_whose_scratch_folder_cannot_be_emptied_goes(door, keeper, tmp_path):
    bot = bot_of(tmp_path, first="import os, shutil\n").command[-1]
    text = (tmp_path / bot).read_text().replace("played += 1", "pass").replace("print(move", "WRECK; print(move")
    wreck = "shutil.rmtree(os.environ['HOME'], ignore_errors=True)"
    (tmp_path / bot).write_text(text.replace("WRECK", wreck))
    wrecker = roster.from_path(tmp_path / bot)
    first, second = (play(match(n, wrecker, sandbox="rlimits"), door=door, keeper=keeper) for n in (1, 2))
    assert not first.verdict.faults
    assert not second.verdict.faults
    assert {seat.before for seat in second.seats if seat.role == "explorer"} == {0}


def test_cpu_time_of_earlier_matches_does_not_count_whoever_of_its_processes_used_it():
    dog = Watchdog(Limits(cpu=0.05, memory=None), 0, lambda: [os.getpid()], lambda: (0, 0))
    while time.process_time() < 0.2:
        pass
    assert "cpu" in (dog.look(1.0) or "")
    dog.begin_again()
    assert dog.look(dog.due) is None


def test_after_a_failure_of_ours_nothing_that_was_kept_stays_open(tmp_path, monkeypatch):
    bot = bot_of(tmp_path)
    with Door() as door:
        tournament._play(door, (match(1, bot), {}))
        before, kept = len(os.listdir("/proc/self/fd")), keeper_of(door).pids
        monkeypatch.setattr("arena.play.converse", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tournament._play(door, (match(2, bot), {}))
        assert len(kept) == 2
        assert keeper_of(door).pids == ()
        assert len(os.listdir("/proc/self/fd")) < before
        assert gone_soon(kept)


def test_nobody_is_kept_longer_than_the_door(tmp_path):
    with Door() as door:
        keeper = Keeper(door)
        play(match(1, bot_of(tmp_path)), door=door, keeper=keeper)
        kept = keeper.pids
        assert len(kept) == 2
    assert gone_soon(kept)
