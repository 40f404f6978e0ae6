"""Real bots: one from its text, one that is asked outside of any match, and a match on a board by
its label.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from arena import rulefile
from arena.event import discovery
from arena.games import rulebook
from arena.match.bot import LiveBot
from arena.match.polling import ask_all, write_last_lines
from arena.protocol import Ask, Reply
from arena.sandbox.launcher import Child, Launcher
from arena.values import Bot, Conditions, Event, Match

DEFAULT = Conditions()
READY = Ask(text=b"ready?\n", announced=20.0, deadline=20.0, ready=True)
GO = Ask(text=b"go\n", announced=20.0, deadline=20.0)
RULES = rulefile.shipped() / "pacman.py"


def bot_of(path: Path, text: str | bytes) -> Bot:
    """Write a bot's file; return the bot."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return discovery.from_path(path)


def paper_bots(label: str) -> tuple[Bot, ...]:
    """Return a bot without a program for each role of a board, named after it."""
    (board,) = rulebook.find(label)
    return tuple(Bot(name=role, command=(), digest="") for role in board.roles)


def match_of(
    label: str, *bots: Bot, seed: int | str = 1, repeat: int = 0, conditions: Conditions = DEFAULT
) -> Match:
    """Return a match on this board: one bot for each role, one for all of them, or none at all, but
    names.
    """
    (board,) = rulebook.find(label)
    seated = bots * len(board.roles) if len(bots) == 1 else bots or paper_bots(label)
    entered = tuple({bot.name: bot for bot in seated}.values())
    event = Event(name="t", seed=seed, boards=(board,), bots=entered, conditions=conditions)
    return event.match(board, seated, repeat)


@contextmanager
def started(
    bot: Bot, conditions: Conditions = DEFAULT, launcher: Launcher | None = None
) -> Iterator[LiveBot]:
    """Start a bot without a kit, behind this door or one of its own; end it afterwards."""
    with Launcher() if launcher is None else nullcontext(launcher) as opened:
        live = LiveBot(opened, "r", bot, conditions, None)
        try:
            yield live
        finally:
            live.end()


@contextmanager
def ready(
    bot: Bot, conditions: Conditions = DEFAULT, launcher: Launcher | None = None
) -> Iterator[LiveBot]:
    """Start a bot that answers `ready?`."""
    with started(bot, conditions, launcher) as live:
        assert ask(live, READY).ending is None
        yield live


def ask(bot: LiveBot, question: Ask = GO) -> Reply:
    """Ask a bot alone; return its answer."""
    return ask_all({bot.role: bot}, {bot.role: question})[bot.role]


def say_goodbye(bot: LiveBot, text: bytes) -> None:
    """Write the last lines to a bot, and end it after its grace."""
    write_last_lines([bot], text)
    bot.end()


def close(child: Child) -> None:
    """Close the pipes of a bot's process that a test has started itself."""
    for descriptor in (child.stdin, child.stdout, child.stderr):
        os.close(descriptor)


def nobody_looks(bot: LiveBot) -> None:
    """Keep the watchdog from looking at a bot, so that it is the kernel that sees to its limits."""
    bot._watchdog.due = float("inf")
