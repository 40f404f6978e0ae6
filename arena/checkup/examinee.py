"""A live bot under examination: what a match need not know of it, but its author should."""

from arena.bot import LiveBot
from arena.protocol import clean

LOG = 12  # lines of stderr: a traceback of Node has its message ten lines above its end


class Examinee(LiveBot):
    """One bot process, seen more closely."""

    @property
    def deaf(self) -> bool:
        """Whether it closed its own input; asked before its end."""
        return self.wire.stdin is None

    def aside(self) -> tuple[str, ...]:
        """Its remarks since its last answer."""
        return self._inbox.remarks()

    def thrown(self) -> tuple[str, ...]:
        """Its lines that answered nothing, harmless and in quotation marks."""
        return tuple(f'"{one.partition(": ")[2][1:-1]}"' for one in self._inbox.warnings() if ': "' in one)

    def last_words(self) -> tuple[str, ...]:
        """The end of its stderr."""
        lines = self._stderr.decode("utf-8", "replace").splitlines()
        return tuple(clean(line) for line in lines if line.strip())[-LOG:]
