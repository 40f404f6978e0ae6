"""A live bot under examination: more is known of it than a match needs, for the sake of its author."""

import re
from pathlib import Path

from arena.match.bot import LiveBot
from arena.match.bot.output import Discarded
from arena.protocol import clean

LINE_LETTERS = 200  # of a line of stderr
LOG_LINES = 12  # of stderr: a traceback of Node has its message ten lines above its end


class Examinee(LiveBot):
    """One bot process that tells more of itself."""

    @property
    def deaf(self) -> bool:
        """True if it closed its own stdin; ask before its end."""
        return self.wire.stdin is None

    def aside(self) -> tuple[str, ...]:
        """Return its remarks since its last answer."""
        return self._output.remarks()

    def discarded(self) -> tuple[Discarded, ...]:
        """Return the first of its lines that answered nothing."""
        return tuple(self._output.discarded)

    @property
    def empty(self) -> bool:
        """True if it is a bare file with nothing in it."""
        path = Path(self._bot.files or "")
        return path.is_file() and not path.stat().st_size

    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of its stderr, safe to print, with paths as its author knows them."""
        lines = [line for line in self._log.text.splitlines() if line.strip()][-LOG_LINES:]
        if self._bot.digest:  # it ran in a private copy, in a folder that is called by its digest
            copy = re.compile(rf"[^\s\"']*/{re.escape(self._bot.digest)}/")
            lines = [copy.sub("", line) for line in lines]
        # `clean` would replace quotation marks, which these lines may keep: no message quotes them.
        return tuple('"'.join(map(clean, line[:LINE_LETTERS].split('"'))) for line in lines)
