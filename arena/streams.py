"""stdout and stderr that survive their reader: a command works even if nobody reads its output.

Python's own streams keep the bytes that they could not write and try again at each flush, and every
fork flushes: a run whose stderr is closed would fail at its first worker. Here a stream that fails
is silent from then on. A full disk behind stdout is remembered, because lost results must not look
like success.
"""

import errno
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TextIO

LONGEST_ERROR_LINE = 900
"""The most characters of a line that quotes the user."""
READER_GONE = {errno.EPIPE, errno.EIO, errno.ENXIO, errno.ECONNRESET}
"""The errors of a pipe, a terminal and a socket that nobody reads any more; that reader has seen
enough."""


class Outlet(io.RawIOBase):
    """The raw end of a standard stream.

    After the first error everything is written to /dev/null.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.failure: OSError | None = None
        """The reason why output was lost, unless its reader left."""
        self.first_error: OSError | None = None
        """The reason why output was lost, whatever it is."""

    def writable(self) -> bool:
        """Part of `io.RawIOBase`."""
        return True

    def fileno(self) -> int:
        """Part of `io.RawIOBase`."""
        return self._descriptor

    def isatty(self) -> bool:
        """Part of `io.RawIOBase`."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write all of it, to the stream or to /dev/null."""
        unwritten = memoryview(data).cast("B")
        size = len(unwritten)
        while unwritten:
            try:
                unwritten = unwritten[os.write(self._descriptor, unwritten) :]
            except BlockingIOError:
                # Another process that shares this descriptor made it non-blocking.
                os.set_blocking(self._descriptor, True)
            except OSError as error:
                self.first_error = self.first_error or error
                if error.errno not in READER_GONE:
                    self.failure = error
                null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
                os.dup2(null, self._descriptor)
                os.close(null)
        return size


def replace() -> None:
    """Put outlets under sys.stdout and sys.stderr.

    A stream that our caller has closed, which is None, is /dev/null.
    """
    if sys.stdin is None:
        sys.stdin = _null("r")
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _null("w"))
        elif isinstance(stream, io.TextIOWrapper) and isinstance(_raw(stream), io.FileIO):
            outlet = Outlet(stream.fileno())
            # Python's own unbuffered streams have no buffer either, although the types ask for one.
            buffer: Any = outlet
            if not stream.write_through:
                buffer = io.BufferedWriter(outlet)
            text = io.TextIOWrapper(
                buffer,
                encoding=stream.encoding,
                errors="backslashreplace",
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, text)


def flush() -> OSError | None:
    """Write out the buffers; return the error that lost results on stdout, if any.

    Lost notices change nothing.
    """
    sys.stderr.flush()
    sys.stdout.flush()
    outlet = _raw(sys.stdout)
    return outlet.failure if isinstance(outlet, Outlet) else None


def unwritten() -> OSError | None:
    """Write out what was printed.

    Return the error if some of it reached nobody, also because the reader is gone. The caller
    reports it, so that `flush` does not.
    """
    sys.stdout.flush()
    outlet = _raw(sys.stdout)
    if isinstance(outlet, Outlet):
        outlet.failure = None
        return outlet.first_error
    is_closed = getattr(sys.stdout, "name", None) == os.devnull  # as `replace` found it
    if is_closed:
        return OSError(errno.EBADF, "it is closed")
    return None


def _null(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _raw(stream: Any) -> object:
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)


def notice(text: str) -> None:
    """Write a line for the user on stderr, after all that was printed before it."""
    # Nobody reads stdout any more; the next print or the exit says so.
    with suppress(OSError, ValueError):
        sys.stdout.flush()  # a file or a pipe that takes both streams has them in order
    print(safe_lines(text), file=sys.stderr, flush=True)


def shorten_lines(text: str) -> str:
    """Cut the middle out of long lines.

    An error quotes what the user typed, which may have any length.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if len(line) > LONGEST_ERROR_LINE:
            head = line[: LONGEST_ERROR_LINE * 2 // 3]
            tail = line[-LONGEST_ERROR_LINE // 3 :]
            lines[number] = f"{head} … {tail}"
    return "\n".join(lines)


def safe_lines(text: str) -> str:
    """Return our own text with its lines, but without control characters.

    It may quote the name of any file.
    """
    letters = []
    for char in text:
        if char == "\n" or char.isprintable():
            letters.append(char)
        else:
            letters.append(ascii(char)[1:-1])
    return "".join(letters)
