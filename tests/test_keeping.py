"""`ready again`: bots that stay for their next match, where the event allows it."""

import os
from pathlib import Path

import pytest
from processes import gone_soon

from arena import roster, rulebook
from arena.clock import TimeControl
from arena.keeping import Keeper
from arena.match import Bot, Conditions, Limits, Match, Record, Seat
from arena.play import play
from arena.sandbox import levels
from arena.sandbox.door import Door

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


def bot_of(folder: Path, cpu: float = 0.0, *, dies: bool = False) -> Bot:
    path = folder / "stays.py"
    path.write_text(STAYS.format(cpu=cpu, dies=dies))
    return roster.from_path(path)


def match(number: int, bot: Bot, *, keep: bool = True, cpu: float = 60.0) -> Match:
    conditions = Conditions(
        time=TimeControl(start=20.0, move=20.0),
        limits=Limits(cpu=cpu),
        sandbox=levels.choose("auto", unsafe=False),
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


def test_nobody_is_kept_longer_than_the_door(tmp_path):
    with Door() as door:
        keeper = Keeper(door)
        play(match(1, bot_of(tmp_path)), door=door, keeper=keeper)
        kept = keeper.pids
        assert len(kept) == 2
    assert gone_soon(kept)
