"""Time under load: who is kept waiting by the machine loses nothing, who sleeps or spins loses
every time.
"""

import contextlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.clock import TimeControl
from arena.event import discovery, tournament
from arena.games import rulebook
from arena.results.archive import Archive
from arena.sandbox import choice
from arena.values import Conditions, Ending, Event, Limits
from tests.support.events import Audience
from tests.support.programs import python

MOVE = 0.02  # seconds
THINKS = python("""
until = time.process_time() + {cpu}
while time.process_time() < until: pass
time.sleep({sleep})
say(legal[-1])
""")
BOTS = {
    "thinker": THINKS.format(cpu=0.005, sleep=0),
    "brooder": THINKS.format(cpu=0.005, sleep=0) + "# another\n",
    "sleeper": THINKS.format(cpu=0, sleep=0.3),
    "spinner": THINKS.format(cpu=0.3, sleep=0),
}


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that do nothing but spin."""
    spinning = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(processes)
    ]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def played(folder: Path, bots: list[str], matches: int) -> dict[str, Counter[str]]:
    """How each bot's seats ended in a number of matches of each against each, played under load."""
    (folder / "bots").mkdir()
    for name in bots:
        (folder / "bots" / f"{name}.py").write_text(BOTS[name])
    (board,) = rulebook.find("mummy_maze/duel")
    conditions = Conditions(
        time=TimeControl(start=60.0, move=MOVE, margin=0.0),
        limits=Limits(),
        sandbox=choice.choose("auto", unsafe=False),
    )
    event = Event(
        name="load",
        seed=1,
        boards=(board,),
        bots=discovery.gather(folder / "bots"),
        repeats=matches // (len(bots) * (len(bots) - 1)),
        conditions=conditions,
    )
    with load(4 * len(os.sched_getaffinity(0))):
        progress = tournament.run(event, folder / "results", workers=2, audience=Audience())
    assert progress.complete
    endings: dict[str, Counter[str]] = {name: Counter() for name in bots}
    with Archive.open(folder / "results") as archive:
        for one in archive.played():
            for role, bot in one.seats.items():
                endings[bot][one.endings.get(role) or "fine"] += 1
        assert not archive.aborts()
    return endings


@pytest.mark.alone
@pytest.mark.slow
def test_under_load_a_quick_bot_never_loses_on_time_and_a_slow_one_always_does(tmp_path):
    endings = played(tmp_path, ["thinker", "sleeper", "spinner"], 6)
    assert set(endings["thinker"]) == {"fine"}
    assert (
        endings["sleeper"][Ending.TIMEOUT] + endings["spinner"][Ending.TIMEOUT] == 6
    )  # one loser a match


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_five_hundred_matches_under_load_have_a_verdict_and_no_false_time_loss(tmp_path):
    endings = played(tmp_path, ["thinker", "brooder"], 500)
    assert endings == {"thinker": Counter(fine=500), "brooder": Counter(fine=500)}
