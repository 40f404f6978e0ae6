"""Seats whose bots are programs that run here: starts, asks and ends them.

It owns which of them are awake, and which are reused. It knows no rules and no language model, and
polling.py waits for their answers.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from arena import system
from arena.clock import SHORT_ANSWER_S
from arena.game import Role
from arena.match.bot import LiveBot
from arena.match.bot.process import Process
from arena.match.polling import ask_all, write_last_lines
from arena.match.process_reuse import reused_bots_of
from arena.match.seat import Resources, Seats, report_of_nobody
from arena.protocol import Ask, Reply
from arena.sandbox import choice
from arena.sandbox.launcher import Launcher, cleaning_up
from arena.values import Match, Seat, SeatReport


def live_bots(seats: Sequence[Seat], resources: Resources) -> list["LiveBots"]:
    """Return all of these seats together, as programs: part of `KINDS`."""
    if not seats:
        return []
    bots = LiveBots(
        resources.match,
        seats,
        resources.launcher,
        resources.blameless,
        reuses=resources.reuses,
        freeze_late=resources.freeze_late,
    )
    return [bots]


class LiveBots(Seats):
    """The live bots of a match. After the `with` they are gone, with all that they left behind."""

    def __init__(
        self,
        match: Match,
        seats: Sequence[Seat],
        launcher: Launcher,
        blameless: Collection[str] = (),
        *,
        reuses: bool = False,
        freeze_late: bool = False,
        live_bot: type[LiveBot] = LiveBot,
    ) -> None:
        """`reuses`: bots that have stayed play again, and bots that ask to stay may do so.

        With `freeze_late`, bots are frozen late where that is safe (polling.py). `live_bot` is the
        class of the bots.
        """
        self.roles = [seat.role for seat in seats]
        self.bots: dict[Role, LiveBot] = {}
        self._match = match
        self._launcher = launcher
        self._blameless = blameless
        self._live_bot = live_bot
        self._reuses = reuses
        self._reused = reused_bots_of(launcher)
        self._seats = {seat.role: seat for seat in seats}
        self._conditions = match.conditions
        self._greeted = False
        self._freezes_late = freeze_late
        self._answered: tuple[Role, float] | None = None
        """The role that answered last, and the moment of its answer (monotonic)."""
        self._pauses: dict[Role, float] = {}
        """Seconds that the referee took after each role's last answer until it asked again."""

    def __enter__(self) -> Self:
        if self._conditions.sandbox == "auto":
            # An event resolves this before it plans; a match from Python may not.
            self._conditions = choice.resolved(self._conditions)
        with ExitStack() as ending:
            ending.enter_context(cleaning_up(self._end))
            level = self._conditions.sandbox
            with self._launcher.users_for(len(self._seats), level, self._end_waiting):
                for seat in self._seats.values():
                    process = None
                    if self._reuses:
                        process = self._reused.take(self._match, seat)
                    self._start(seat, process)
            self._ending = ending.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ending.__exit__(*error)

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`: ask as many at a time as there are cores for."""
        if not self._greeted:
            return self._greet(asks)
        if len(asks) == 1:
            return self._ask_one(asks)
        replies: dict[Role, Reply] = {}
        few_cores = len(asks) > len(self._launcher.cores)
        if few_cores and self._conditions.freeze:
            # One after another, each with its own deadline, the others frozen.
            for role, ask in asks.items():
                replies |= self._ask_one({role: ask})
            return replies
        if not few_cores and len(system.cores()) == 1:
            # This lane is pinned to one core, and owns several.
            for role, core in zip(asks, self._launcher.cores, strict=False):
                self.bots[role].move_to(core)
        return ask_all(self.bots, asks)

    def dismiss(self, role: Role, text: bytes) -> None:
        """Part of `Seats`: write the last lines, and end it. No other bot is awake meanwhile."""
        for bot in self.bots.values():
            if bot.role != role:
                bot.freeze()
        bot = self.bots[role]
        write_last_lines([bot], text)
        bot.end()

    def rest(self) -> None:
        """Part of `Seats`: freeze all of them."""
        for bot in self.bots.values():
            bot.freeze()

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`: let those wait that stay, and leave the others awake for a moment."""
        leaving: dict[bytes, list[LiveBot]] = {}
        for role, bot in self.bots.items():
            if role not in texts:
                continue
            text = texts[role]
            if self._reuses and bot.stays:
                process = bot.stay(text)
                self._reused.put(self._match, self._seats[role], process)
            else:
                leaving.setdefault(text, []).append(bot)
        for text, bots in leaving.items():
            write_last_lines(bots, text)

    def report(self, role: Role) -> SeatReport:
        """Part of `Seats`."""
        if role not in self.bots:
            return report_of_nobody(self._seats[role])
        return self.bots[role].report()

    def _greet(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Ask all for `ready` at once, since all have been awake since their start.

        A reused bot that fails is started again, once: it may have died of what it did in its last
        match.
        """
        self._greeted = True
        replies = ask_all(self.bots, asks)
        failed: dict[Role, Ask] = {}
        for role, reply in replies.items():
            bot = self.bots[role]
            if reply.ending is not None and bot.reused:
                failed[role] = asks[role]
        for role in failed:
            self.bots[role].end()
            self._start(self._seats[role], None)
        if failed:
            replies |= ask_all(self.bots, failed)
        return replies

    def _end(self) -> None:
        """Make sure that all bots are gone that don't stay, with all that they left behind.

        A bot that waits for a later match in this lane lives on, also after a roll call, which
        reuses nobody.
        """
        LiveBot.end_all(self._launcher, self.bots.values(), self._reused.pids)

    def _end_waiting(self) -> None:
        """End the bots of this lane that wait for another match, so that others get their users."""
        self._reused.close()
        self._launcher.sweep()

    def _ask_one(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Ask a single bot, and note how long the referee took since its last answer."""
        (role,) = asks
        if self._answered is not None:
            last_role, moment = self._answered
            self._pauses[last_role] = time.monotonic() - moment
        # Rules that need long for a role's turn would leave its bot awake for that time, so it is
        # frozen at once.
        pause = self._pauses.get(role, 0.0)
        late = self._freezes_late and pause <= SHORT_ANSWER_S
        replies = ask_all(self.bots, asks, freeze_late=late)
        self._answered = role, time.monotonic()
        return replies

    def _start(self, seat: Seat, process: Process | None) -> None:
        """Seat a bot in a process that has waited for it, or in a new one."""
        bot = self._live_bot(
            self._launcher,
            seat.role,
            seat.bot,
            self._conditions,
            Path(self._match.rules),
            process,
            blameless=seat.bot.name in self._blameless,
        )
        self.bots[seat.role] = bot
        self._freezes_late &= bot.of_one_process
