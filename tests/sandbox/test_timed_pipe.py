"""When an answer came: a referee that is late takes no time from a bot, and gives none to one that
is late itself.
"""

import os
import time
from pathlib import Path

import pytest

from arena.match.bot import LiveBot
from arena.protocol import Ask
from arena.sandbox import timed_pipe
from arena.values import Conditions, Ending, Limits
from tests.support.live import READY, ask, bot_of
from tests.support.programs import python

DEADLINE_S = 0.25
LATE_S = 0.6
"""When the referee looks: long after the deadline, and after each of these bots has answered."""
HELPERS = """
def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
"""
BOTS = {
    "at once": ("say('x')", None),
    "thinks": ("spin(0.02); say('x')", None),
    "naps in time": ("time.sleep(0.02); say('x')", None),
    "says much": ("say('# ' + 'y' * 9000); say('x')", None),
    "sleeps": ("time.sleep(0.35); say('x')", Ending.TIMEOUT),
    "sleeps in pieces": ("for _ in range(35): time.sleep(0.01)\nsay('x')", Ending.TIMEOUT),
    "spins, then sleeps": ("spin(0.02); time.sleep(0.33); say('x')", Ending.TIMEOUT),
    "sleeps, then spins": ("time.sleep(0.33); spin(0.02); say('x')", Ending.TIMEOUT),
    "remarks, then sleeps": ("say('# early'); time.sleep(0.35); say('x')", Ending.TIMEOUT),
    "begins its line, then sleeps": (
        "sys.stdout.write('x'); sys.stdout.flush(); time.sleep(0.35); say()",
        Ending.TIMEOUT,
    ),
    "sets the time back": ("time.sleep(0.35); say('x'); os.utime(1, (0, 0))", Ending.TIMEOUT),
    "sets the time back before": (
        "os.utime(1, (0, 0)); time.sleep(0.35); say('x')",
        Ending.TIMEOUT,
    ),
    "fills the pipe": (
        "say('# early'); time.sleep(0.35); os.write(1, b'x\\n' + b'#\\n' * 60_000)",
        Ending.TIMEOUT,
    ),
}


CASES = []
"""Each bot with the number of its processes. It feels the load where there may be two at this
level, as no wait for a core is excused there."""
for case in BOTS:
    is_in_time = BOTS[case][1] is None
    CASES.append((case, 1))
    CASES.append(pytest.param(case, 2, marks=[pytest.mark.alone] if is_in_time else []))


@pytest.mark.parametrize(("name", "processes"), CASES)
def test_a_late_referee_takes_no_time_from_a_bot_and_gives_none(
    launcher, tmp_path, name, processes
):
    answer, ending = BOTS[name]
    conditions = Conditions(sandbox="none", limits=Limits(processes=processes))
    bot = LiveBot(
        launcher, "r", bot_of(tmp_path / "bot.py", python(answer, first=HELPERS)), conditions, None
    )
    assert ask(bot, READY).ending is None
    bot.begin(Ask(text=b"go\n", announced=DEADLINE_S, deadline=DEADLINE_S))
    time.sleep(LATE_S)
    while bot.reply is None:
        now = time.monotonic()
        for descriptor, _ in bot.wire.wait(1000):
            bot.attend(descriptor, now, now - bot.stopwatch.begun)
    bot.end()
    assert bot.reply.ending == ending, bot.reply


def test_an_answer_that_is_not_there_is_late_though_the_referee_had_no_core(
    launcher, tmp_path, monkeypatch
):
    bot = LiveBot(
        launcher,
        "r",
        bot_of(tmp_path / "bot.py", python("time.sleep(60)")),
        Conditions(sandbox="none"),
        None,
    )
    assert ask(bot, READY).ending is None
    bot.begin(Ask(text=b"go\n", announced=DEADLINE_S, deadline=DEADLINE_S))
    time.sleep(DEADLINE_S / 2)  # until it sleeps
    monkeypatch.setattr(bot.stopwatch._delay, "since", lambda: 0.5)
    bot.look(bot.stopwatch.due + 0.5, 0.5)
    assert bot.reply.ending is Ending.TIMEOUT
    bot.end()


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_referee_that_loses_its_core_before_it_asks_takes_no_time(
    launcher, tmp_path, monkeypatch, is_frozen
):
    conditions = Conditions(sandbox="none", freeze=is_frozen)
    bot = LiveBot(launcher, "r", bot_of(tmp_path / "bot.py", python()), conditions, None)
    assert ask(bot, READY).ending is None
    write = bot.wire.write

    def slowly(text: bytes) -> None:
        time.sleep(LATE_S)
        write(text)

    monkeypatch.setattr(bot.wire, "write", slowly)
    reply = ask(bot, Ask(text=b"legal x\ngo\n", announced=DEADLINE_S, deadline=DEADLINE_S))
    assert reply.line == b"x"
    assert reply.spent.wall < LATE_S
    bot.end()


def test_a_timed_pipe_says_when_it_was_written_to_and_leaves_nothing_behind():
    folder = Path(timed_pipe._folder())
    before = {path.name for path in folder.glob("arena-*")}
    reading, writing = timed_pipe.make()
    try:
        assert os.get_blocking(reading)
        for _ in range(5):
            time.sleep(0.01)
            begun = time.monotonic()
            os.write(writing, b"x")
            earliest, latest = timed_pipe.last_write(reading)
            assert earliest <= time.monotonic()
            assert latest >= begun - timed_pipe.tick(), (
                "a tick of a virtual machine may be late itself"
            )
            assert latest - earliest == pytest.approx(timed_pipe.tick())
        assert timed_pipe.is_timed(reading)
        assert timed_pipe.is_timed(writing)
        ours = {path.name for path in folder.glob("arena-*") if path.is_fifo()}
        assert not ours - before
    finally:
        os.close(reading)
        os.close(writing)


def test_where_no_folder_notes_times_a_pipe_is_a_plain_one_and_matches_are_played(
    launcher, tmp_path, monkeypatch
):
    monkeypatch.setattr(timed_pipe, "_folder", lambda: None)
    bot = LiveBot(
        launcher,
        "r",
        bot_of(tmp_path / "bot.py", python("say('x')")),
        Conditions(sandbox="none"),
        None,
    )
    assert ask(bot, READY).ending is None
    assert not bot.wire.is_timed
    bot.begin(Ask(text=b"go\n", announced=DEADLINE_S, deadline=DEADLINE_S))
    time.sleep(LATE_S)
    now = time.monotonic()
    bot.attend(bot.wire.stdout, now, now - bot.stopwatch.begun)
    assert bot.reply.line == b"x"
    bot.end()


def test_a_folder_that_is_full_or_gone_costs_no_start(monkeypatch, tmp_path):
    monkeypatch.setattr(timed_pipe, "_folder", lambda: str(tmp_path / "gone"))
    ends = timed_pipe.make()
    assert not any(timed_pipe.is_timed(end) for end in ends)
    for end in ends:
        os.close(end)


def test_a_folder_whose_file_system_notes_no_times_is_not_taken(monkeypatch):
    timed_pipe._folder.cache_clear()
    monkeypatch.setattr(timed_pipe.os, "fstat", lambda _: os.stat_result([0] * 10))
    try:
        assert timed_pipe._folder() is None
    finally:
        monkeypatch.undo()
        timed_pipe._folder.cache_clear()


def test_the_name_that_a_killed_process_left_is_removed_and_nobody_elses(monkeypatch, tmp_path):
    left, young, other, file = (tmp_path / f"arena-{letter * 32}" for letter in "abcd")
    for path in (left, young, other):
        os.mkfifo(path)
    file.write_text("")
    timed_pipe._sweep(str(tmp_path))
    assert left.exists()  # somebody may be about to remove it
    monkeypatch.setattr(timed_pipe, "OLD_S", -1.0)
    os.rename(young, tmp_path / "arena-users")
    monkeypatch.setattr(timed_pipe.os, "geteuid", lambda: os.getuid() + 1)
    timed_pipe._sweep(str(tmp_path))
    assert other.exists()
    monkeypatch.undo()
    monkeypatch.setattr(timed_pipe, "OLD_S", -1.0)
    timed_pipe._sweep(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, "arena-users"]
