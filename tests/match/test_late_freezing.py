"""Short answers and late freezing: who answers at once stays awake for a moment, and gains nothing
by it.
"""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.match import bot, live_bots
from arena.match.bot import LiveBot, stopwatch
from arena.match.live_bots import LiveBots
from arena.match.play import play
from arena.match.polling import ask_all
from arena.protocol import Reply
from arena.sandbox import choice, procfs
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Limits
from tests.support import live
from tests.support.live import GO, READY
from tests.support.processes import alive, descendants, until
from tests.support.programs import python

pytestmark = pytest.mark.skipif(
    choice.failure("landlock") is not None,
    reason="elsewhere a bot may be several processes, and is frozen at once",
)
LANDLOCK = Conditions(sandbox="landlock")
PATIENT_S = 0.5
BOT = """
import os, sys, threading, time
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until: pass
{setup}
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        {before}
        sys.stdout.write(f"{{time.process_time()}}\\n")
        sys.stdout.flush()
        {after}
"""
BURSTS = {"after": "burn(0.0007)"}
SPINS_IN_A_THREAD = {"setup": "threading.Thread(target=burn, args=(600,), daemon=True).start()"}
BURSTS_IN_THREADS = {
    "setup": """
begin = [threading.Semaphore(0) for _ in range(4)]
def bursts(one):
    while one.acquire(): burn(0.0003)
for one in begin: threading.Thread(target=bursts, args=(one,), daemon=True).start()
""",
    "after": "for one in begin: one.release()",
}


def text(setup: str = "", before: str = "pass", after: str = "pass") -> str:
    return BOT.format(setup=setup, before=before, after=after)


@contextmanager
def opponents(
    launcher: Launcher, folder: Path, conditions: Conditions = LANDLOCK, **texts: str
) -> Iterator[dict[str, LiveBot]]:
    """Start a bot for each role, and have all of them say that they are ready."""
    with ExitStack() as ending:
        bots = {}
        for role, source in texts.items():
            bots[role] = LiveBot(
                launcher, role, live.bot_of(folder / f"{role}.py", source), conditions, None
            )
            ending.callback(bots[role].end)
        ask_all(bots, dict.fromkeys(bots, READY))
        with ending.pop_all():
            yield bots


def turns(bots: dict[str, LiveBot], number: int) -> dict[str, list[Reply]]:
    """Ask them in turn, a number of times each, and freeze them late."""
    heard: dict[str, list[Reply]] = {role: [] for role in bots}
    for _ in range(number):
        for role in bots:
            heard[role].append(ask_all(bots, {role: GO}, freeze_late=True)[role])
            assert heard[role][-1].ending is None
    return heard


@pytest.fixture
def patient(monkeypatch):
    """Call an answer short that took up to PATIENT_S, so that it needs no luck on a busy
    machine.
    """
    monkeypatch.setattr(bot, "SHORT_ANSWER_MS", round(PATIENT_S * 1000))
    for module in (bot, stopwatch, live_bots):
        monkeypatch.setattr(module, "SHORT_ANSWER_S", PATIENT_S)


def stopped(pid: int | None) -> bool:
    return pid is not None and set(procfs.states(pid)) == {b"T"}


# Nobody gains


@pytest.mark.parametrize(
    "way", [BURSTS, SPINS_IN_A_THREAD, BURSTS_IN_THREADS], ids=["bursts", "spins", "in threads"]
)
def test_what_a_bot_computes_unasked_is_charged_to_its_next_answers(launcher, tmp_path, way):
    with opponents(launcher, tmp_path, quick=text(), thinks=text(**way)) as bots:

        def all_is_charged() -> bool:
            heard: list[Reply] = []
            used = 0.0
            while used <= 0.02 and len(heard) < 3000:  # on a busy machine it gets less of a core
                heard += turns(bots, 60)["thinks"]
                used = float(heard[-1].line) - float(heard[0].line)
            assert used > 0.02
            charged = sum(reply.spent.cpu for reply in heard[1:])
            return charged == pytest.approx(used, abs=0.015, rel=0.06)  # a tick for each thread

        # A thread goes on between the bot's reading of the clock and ours, for long if a busy
        # machine lets us wait: that is seldom the first or the last turn of each attempt.
        assert until(all_is_charged)


# it feels the load: what burns before the last reading of the meter is not counted afterwards
@pytest.mark.alone
@pytest.mark.slow
def test_a_bot_that_thinks_on_while_it_is_left_awake_is_charged_for_it(launcher, tmp_path, patient):
    with opponents(launcher, tmp_path, thinks=text(after="burn(0.03)")) as bots:
        thinker = bots["thinks"]
        live.nobody_looks(thinker)  # so that all questions go the fast path
        turns(bots, 4)
        assert not thinker._frozen
        assert until(lambda: thinker._meter.since_read() > 0.02)
        assert turns(bots, 1)["thinks"][0].spent.cpu > 0.015


# it compares times: what is left of a wait that was not seen grows with the load
@pytest.mark.alone
@pytest.mark.parametrize("way", [BURSTS, SPINS_IN_A_THREAD], ids=["bursts", "spins"])
def test_who_is_asked_is_not_charged_what_another_used_unasked_on_the_same_core(tmp_path, way):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        thinks = text(**way)
        with (
            Launcher() as own,
            opponents(own, tmp_path, asked=text(before="burn(0.003)"), thinks=thinks) as bots,
        ):
            heard = turns(bots, 20)["asked"]
    finally:
        os.sched_setaffinity(0, cores)
    assert sum(reply.spent.fair() for reply in heard) < 1.2 * sum(
        reply.spent.cpu for reply in heard
    )


# Who is awake, and when


def test_a_bot_that_gave_a_short_answer_is_awake_until_another_thinks(launcher, tmp_path, patient):
    with opponents(launcher, tmp_path, quick=text(), slow=text(before="time.sleep(0.6)")) as bots:
        quick = bots["quick"]
        live.nobody_looks(quick)  # so that only its first questions do not go the fast path
        for _ in range(3):
            ask_all(bots, {"quick": GO}, freeze_late=True)
        assert not quick._frozen
        assert not stopped(quick.program)
        ask_all(bots, {"slow": GO}, freeze_late=True)
        assert until(lambda: stopped(quick.program))
        ask_all(bots, {"quick": GO})
        assert until(lambda: stopped(quick.program))


def test_a_bot_whose_thread_runs_on_is_soon_frozen_at_once(launcher, tmp_path):
    with opponents(launcher, tmp_path, quick=text(), spins=text(**SPINS_IN_A_THREAD)) as bots:
        turns(bots, 60)
        for _ in range(5):
            turns(bots, 1)
            assert until(lambda: stopped(bots["spins"].program))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "pause", "late"),
    [
        pytest.param("landlock", 0.0, True, id="one process for certain"),
        pytest.param(
            "rlimits", 0.0, False, id="perhaps several processes, whose CPU time can be lost"
        ),
        pytest.param("landlock", PATIENT_S * 1.1, False, id="slow rules"),
    ],
)
def test_a_match_is_frozen_late_only_where_that_costs_nobody_anything(
    launcher, tmp_path, patient, level, pause, late
):
    match = live.match_of(
        "mummy_maze/duel",
        live.bot_of(tmp_path / "bot.py", text()),
        conditions=Conditions(sandbox=level),
    )
    with LiveBots(match, match.seats, launcher, freeze_late=True) as opened:
        first, second = opened.bots.values()
        opened.ask({one.role: READY for one in (first, second)})
        live.nobody_looks(first)  # so that only the first questions do not go the fast path
        live.nobody_looks(second)
        for one in [first, second] * 4:
            time.sleep(pause)
            opened.ask({one.role: GO})
        assert second._frozen == (not late)


def test_children_that_compute_unasked_are_stopped_with_their_parent(launcher, tmp_path):
    """Their CPU time may be lost when they end, so this match is not frozen late."""
    conditions = Conditions(sandbox="landlock", limits=Limits(processes=2))
    source = text(after="child = os.fork() or (burn(0.0005), os._exit(0)); os.waitpid(child, 0)")
    match = live.match_of(
        "mummy_maze/duel", live.bot_of(tmp_path / "bot.py", source), conditions=conditions
    )
    with LiveBots(match, match.seats, launcher, freeze_late=True) as opened:
        opened.ask(dict.fromkeys(opened.bots, READY))
        for role in [*opened.bots] * 5:
            assert opened.ask({role: GO})[role].ending is None
            group = list(opened.bots[role].child.processes())
            assert until(lambda pids=group: all(stopped(pid) or not alive(pid) for pid in pids))


def test_beside_a_bot_whose_waits_are_not_excused_nobody_is_left_awake(launcher, tmp_path, patient):
    forks, single = (
        live.bot_of(tmp_path / f"{name}.py", text() + f"# {name}") for name in ("forks", "single")
    )
    single = replace(single, limits=Limits(processes=1))
    conditions = Conditions(sandbox="landlock", limits=Limits(processes=2))
    match = live.match_of("mummy_maze/duel", forks, single, conditions=conditions)
    with LiveBots(match, match.seats, launcher, freeze_late=True) as opened:
        _, second = opened.bots.values()
        live.nobody_looks(second)
        opened.ask(dict.fromkeys(opened.bots, READY))
        for role in [*opened.bots] * 4:
            opened.ask({role: GO})
        assert second.of_one_process
        assert second._frozen


def test_while_somebody_watches_a_match_no_bot_is_awake_between_two_turns(tmp_path):
    match = live.match_of(
        "mummy_maze/duel", live.bot_of(tmp_path / "bot.py", RANDOM), conditions=LANDLOCK
    )
    seen: list[bool] = []

    def look(_: object) -> None:
        if (
            len(seen) < 8
        ):  # to look at all processes of this machine takes most of the time of this test
            seen.append(until(lambda: all(map(stopped, descendants(launcher._spawner.pid)))))

    with Launcher() as launcher:
        play(match, launcher=launcher, observer=look)
    assert len(seen) > 2
    assert all(seen)


RANDOM = python("say(legal[-1])")

# The fast path


ANSWERS = """
import os, sys, time
answers = [b"x\\n"] * 4 + [b"# why\\nx\\n", b"x\\n", b"x\\n# later\\n", b"x\\n"]
answers += [(b"x", b"\\n"), (b"# slow\\n", b"x\\n"), b"", b"x\\n"]
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        answer = answers.pop(0)
        if answer == b"":
            time.sleep(0.01)
            answer = b"x\\n"
        for part in answer if isinstance(answer, tuple) else [answer]:
            os.write(1, part)
            if isinstance(answer, tuple): time.sleep(0.005)
        if not answers: break
"""


@pytest.mark.parametrize("freeze", [True, False])
def test_an_answer_counts_whether_it_is_short_or_not_and_whatever_comes_with_it(
    launcher, tmp_path, freeze
):
    with opponents(
        launcher, tmp_path, Conditions(sandbox="landlock", freeze=freeze), odd=ANSWERS
    ) as bots:
        heard = [ask_all(bots, {"odd": GO}, freeze_late=True)["odd"] for _ in range(13)]
    assert [reply.line for reply in heard[:12]] == [b"x"] * 12
    remarks = [remark for reply in heard for remark in reply.remarks]
    assert remarks == ["why", "later", "slow"]
    assert all(reply.spent.wall > 0 for reply in heard[:12])
    assert heard[10].spent.wall > 0.01
    assert heard[12].ending == "crashed"


def test_a_referee_that_was_stopped_takes_no_time_from_a_bot(launcher, tmp_path):
    with opponents(launcher, tmp_path, quick=text()) as bots:
        stopwatch = bots["quick"].stopwatch
        stopwatch.start(GO, anew=False)
        stopwatch.excuse_late_look(0.5)
        stopwatch.excuse_late_look(0.25)
        spent = stopwatch.spent(stopwatch.begun + 1.0)
        assert 0.75 - stopwatch._delay.since() <= spent.referee_late <= 0.75
