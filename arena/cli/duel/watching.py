"""The display of a duel while it is played: on a terminal a frame, in a pipe a line now and then."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from arena.cli import output
from arena.cli.duel import wording
from arena.cli.duel.state import Duel
from arena.cli.run.watching import FRAME_INTERVAL_S, LINE_INTERVAL_S, Watcher
from arena.values import Abort, Fault, Played, Record

if TYPE_CHECKING:
    from rich.live import Live


class DuelWatcher(Watcher):
    """The audience that shows a duel: on a terminal in a frame, in a pipe in a line now and then."""

    def __init__(self, duel: Duel, workers: int, live: "Live | None") -> None:
        super().__init__(duel.event.name, f"{workers} matches at a time")
        self._duel, self._live = duel, live
        self._shown_at = time.monotonic()
        self.blocked = False
        """True once a match was given up: no later round can count in this run."""

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned, self.done, self.begun = planned, finished, time.monotonic()
        before = f", {finished} matches played before" if finished else ""
        most = self._duel.event.repeats * self._duel.pairings_a_round
        self.line(f"{self.name}: at most {output.counted(most, 'pairing')}{before}, {self.lanes}")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault  # ends the duel, whose error reports it

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self._duel.add(Played.of(record))

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        from arena.event.director import ATTEMPTS

        super().aborted(abort)
        self.blocked |= abort.attempt >= ATTEMPTS

    def line(self, text: str) -> None:
        """Print a line at once, above the frame."""
        if self._live is None:
            output.notice(text)
        else:
            from rich.text import Text

            self._live.console.print(Text(output.safe_lines(text)))

    def tick(self) -> None:
        """Show the test if that is due."""
        if time.monotonic() - self._shown_at < (LINE_INTERVAL_S if self._live is None else FRAME_INTERVAL_S):
            return
        self._shown_at = time.monotonic()
        rate = self.progress.rate
        speed = "" if rate is None else f", {rate:.1f} matches/s"
        bot, opponent = map(output.safe_line, self._duel.names)
        lines = [f"{bot} against {opponent}: {wording.pairings(self._duel)}{speed}", *wording.evidence(self._duel)]
        if self._live is None:
            self.line("; ".join(lines))
        else:
            from rich.text import Text

            self._live.update(Text("\n".join(lines)), refresh=True)


def live_frame() -> "AbstractContextManager[Live | None]":
    """Return a frame at the bottom of the terminal, or None where stderr is none."""
    console = output.console(sys.stderr)
    if not sys.stderr.isatty() or not console.is_terminal or console.is_dumb_terminal:
        return nullcontext()
    from rich.live import Live

    return Live(console=console, auto_refresh=False, transient=True)
