"""Matches that people play in the browser: who plays which, how far it is, when it ends.

Nothing of them is stored.

Each has a process of its own (human_process.py), so that no page waits for a bot and one match
disturbs no other. The server talks with it by two pipes, and keeps what it needs when a page is
loaded again.
"""

# Theory of operation
#
# What was considered. A thread of the server: a bug or a slow rule there would hold all pages. A
# job of the scheduler with its state on disk, as a request has: it would survive the server, but
# nobody misses an unrated match, and what is on disk must be removed, bounded and hidden. So it is
# a child with pipes, which ends with the server: the kernel ends it when the server dies, and it
# ends itself when its stdin does.
#
# A page with scripts has a stream of events, which is also how the server knows that it is open.

import asyncio
import contextlib
import json
import logging
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.errors import ArenaError
from arena.extras.serve.accounts import Account, Accounts
from arena.extras.serve.human_process import MOST_BYTES
from arena.extras.serve.processes import SiteProcess
from arena.extras.serve.streams import EventStream
from arena.match import entering
from arena.protocol import clean

AT_ONCE = 8
"""The most matches of all people at a time."""
IDLE_S = 1800.0
"""The time that a person has for a move."""
CLOSED_S = 60.0
"""A match ends so long after its page was closed; nobody sees that a page without scripts was."""
STORED_S = 3600.0
"""The time for which a match that has ended can be looked at."""
STORED = 30
"""The most matches that have ended and can be looked at, of all people."""
TURNS = 300
"""The turns that a page gets when it is loaded again, the last of the match."""
LOOK_S = 0.5
END_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The match that somebody wants to play."""

    board: str
    roles: tuple[str, ...]
    bot: str
    """The bot as commands name it: `ada@2`."""
    own_bot: bool
    """True if the bot belongs to whoever plays, who may read what it wrote."""

    def __str__(self) -> str:
        return f"{self.board} as {' and '.join(self.roles)} against {self.bot}"


@dataclass(kw_only=True)
class HumanMatch:
    """A match, as its page shows it."""

    account: str
    wish: Wish
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    """Random, so that nobody can guess it."""
    events: EventStream = field(default_factory=lambda: EventStream(TURNS))
    number: int = 0
    """The number of the last question."""
    role: str = ""
    choices: tuple[Mapping[str, Any], ...] = ()
    """The legal moves of the role (human_process.py `Choice`), while it is asked."""
    ended: str = ""
    """How it ended, in words; empty while it is played."""
    replay: str = ""
    """JSON for the replay viewer; empty if the match has no verdict."""
    record: str = ""
    """The text of the match; empty if it has no verdict."""
    moved: float = field(default_factory=time.monotonic)
    """The time (monotonic) of the last question or move."""
    seen: float = field(default_factory=time.monotonic)
    """The time (monotonic) of the last request for the match."""
    pages: int | None = None
    """How many of its pages with scripts are open; None if there was none yet."""
    process: asyncio.subprocess.Process | None = None
    reading: "asyncio.Task[None] | None" = None

    async def changed(self, seconds: float, count: int, number: int) -> bool:
        """Wait until there is more than a page has: a turn, a question, or the end of the match.

        The page has `count` states and the question `number`. Return False if nothing came in time.
        """
        until = time.monotonic() + seconds
        while not self._has_more(count, number):
            seconds_left = until - time.monotonic()
            has_news = await self.events.news(seconds_left)
            if not has_news:
                return False
        return True

    def _has_more(self, count: int, number: int) -> bool:
        """Return whether there is more than `count` states and the question `number`."""
        if self.ended or self.events.count > count:
            return True
        return bool(self.choices) and self.number != number

    @contextlib.contextmanager
    def open_page(self) -> Iterator[None]:
        """Count a page with scripts, which is open until the end of the `with`."""
        self.pages = (self.pages or 0) + 1
        try:
            yield
        finally:
            self.pages -= 1
            self.seen = time.monotonic()

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take a message of the process."""
        if "head" in message:
            self.events.head = json.dumps(message["head"])
        elif "turn" in message:
            turn = json.dumps(message["turn"])
            self.events.add([turn], self.events.count + 1)
            self.events.text = message["text"]
        elif "ask" in message:
            question = message["ask"]
            self.number = question["number"]
            self.role = question["role"]
            self.choices = tuple(question["choices"])
            self.moved = time.monotonic()
        elif "over" in message:
            self.ended = message["words"]
            self.replay = message["over"]
            self.record = message["text"]
        elif "refused" in message:
            self.ended = f"it cannot be played: {message['refused']}"
        self.events.ring()

    def send(self, message: Mapping[str, object]) -> None:
        """Write a message to the process."""
        if self.process is None or self.process.stdin is None:
            return
        line = json.dumps(message).encode() + b"\n"
        self.process.stdin.write(line)

    def move(self, number: str, text: str) -> None:
        """Answer a question by a text that means a legal move.

        Raise ArenaError if this question is not open, or if the text does not mean one legal move.
        """
        if self.ended:
            raise ArenaError("this match is over")
        if not self.choices or number != str(self.number):
            raise ArenaError("this move came too late: look at the board again")
        legal = [choice["move"] for choice in self.choices]
        if text in legal:
            move = text
        else:
            meant = entering.by_text(text, legal)
            if len(meant) != 1:
                how_many = "no"
                if meant:
                    how_many = "more than one"
                typed = clean(text, 100)
                raise ArenaError(f"{typed!r} is {how_many} legal move; choose another")
            move = meant[0]
        self.send({"number": self.number, "move": move})
        self.choices = ()
        self.moved = time.monotonic()
        self.events.ring()


class HumanMatches:
    """All matches that people play here, or have played within an hour."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._matches: dict[str, HumanMatch] = {}

    def under_way(self, account: Account) -> HumanMatch | None:
        """Return the match that somebody plays."""
        for match in self._matches.values():
            if match.account == account.id and not match.ended:
                return match
        return None

    def find(self, id: str, account: Account) -> HumanMatch | None:  # noqa: A002
        """Return a match of an account by its id; None if it has no such match."""
        match = self._matches.get(id)
        if match is None or match.account != account.id:
            return None
        match.seen = time.monotonic()
        return match

    async def begin(self, account: Account, wish: Wish) -> HumanMatch:
        """Begin a match.

        Raise ArenaError if the account has a match under way, or if the server or a limit allows no
        more.
        """
        if self.under_way(account) is not None:
            raise ArenaError("you have a match under way: go on with it, or leave it")
        under_way = [match for match in self._matches.values() if not match.ended]
        if len(under_way) >= AT_ONCE:
            raise ArenaError(
                f"{AT_ONCE} matches are played here by people already; try again later"
            )
        match = HumanMatch(account=account.id, wish=wish)
        self._matches[match.id] = match  # at once, so that nobody begins two matches
        accounts = self._accounts
        try:
            await asyncio.to_thread(accounts.begin_match, account, wish.bot, str(wish))
            match.process = await asyncio.create_subprocess_exec(
                *SiteProcess.HUMAN_MATCH.command(),
                cwd=accounts.workspace,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=MOST_BYTES,
            )
        except BaseException:
            del self._matches[match.id]
            raise
        match.reading = asyncio.create_task(self._read(match, match.process))
        return match

    def leave(self, match: HumanMatch, words: str) -> None:
        """End a match before its end."""
        if match.ended:
            return
        match.ended = words
        match.choices = ()
        match.events.ring()
        if match.process is not None:
            _end(match.process)

    @contextlib.asynccontextmanager
    async def looked_after(self) -> AsyncIterator[None]:
        """End matches that nobody plays any more, and all matches at the end of the context."""

        async def look() -> None:
            while True:
                self.step()
                await asyncio.sleep(LOOK_S)

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            tasks = [looking]
            for match in self._matches.values():
                self.leave(match, "the server has ended")
                if match.reading is not None:
                    tasks.append(match.reading)
            await asyncio.gather(*tasks, return_exceptions=True)

    def step(self) -> None:
        """End matches that nobody plays any more, and forget those that ended long ago."""
        now = time.monotonic()
        revoked = self._revoked()
        for match in self._matches.values():
            if match.account in revoked:
                self.leave(match, "your account was revoked")
            elif now - match.moved > IDLE_S:
                self.leave(match, f"nobody has moved for {IDLE_S / 60:.0f} minutes")
            elif match.pages == 0 and now - match.seen > CLOSED_S:
                self.leave(match, "its page was closed")
        over = [match for match in self._matches.values() if match.ended]
        newest_first = reversed(over)
        for number, match in enumerate(newest_first):
            if number >= STORED or now - match.seen > STORED_S:
                del self._matches[match.id]

    def _revoked(self) -> frozenset[str]:
        """Return the accounts that were revoked; none if nobody plays."""
        if all(match.ended for match in self._matches.values()):
            return frozenset()
        accounts = self._accounts.accounts()
        return frozenset(account.id for account in accounts if account.revoked)

    async def _read(self, match: HumanMatch, process: asyncio.subprocess.Process) -> None:
        """Take the messages of a process until it ends."""
        match.send(asdict(match.wish))
        try:
            while not match.ended and process.stdout is not None:
                line = await process.stdout.readline()
                if not line:
                    break
                match.hear(json.loads(line))
        except ValueError:
            logging.exception("a match of a person: its process wrote an invalid or too long line")
        failed = not match.ended
        self.leave(
            match,
            "arena failed to play it; the organiser can read why in the terminal of the server",
        )
        match.choices = ()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            _end(process)
            await process.wait()
        if failed:  # a process that was killed, such as for memory, has written nothing there
            how = _how_ended(process.returncode or 0)
            logging.error("a match of a person (%s): its process %s", match.wish, how)


def _how_ended(code: int) -> str:
    """Say how a process ended, also one that ended in order after a signal (128 and its number)."""
    number = code - 128
    if code < 0:
        number = -code
    try:
        return f"was ended by the signal {signal.Signals(number).name}"
    except ValueError:
        return f"ended with {code}"


def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a process to end with its bots, and kill it if it does not end in time."""

    def send(signal_number: int) -> None:
        # Not `send_signal`: it looks whether the process has ended, and would take its exit code
        # from asyncio, which then knows 255.
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal_number)

    send(signal.SIGTERM)
    loop = asyncio.get_running_loop()
    loop.call_later(END_S, send, signal.SIGKILL)
