"""The lines of a file that anybody may have written, one at a time, within limits."""

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from arena.errors import FileError
from arena.extras.imports.outside import FilePosition

MOST_BYTES = 4_000_000_000
"""Of a file: a million games of chess with comments of engines are shorter."""
LONGEST_LINE = 1_000_000
"""Bytes: some programs write a whole game on a line."""


def lines(path: Path, *, may_be_latin: bool) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, with a line feed at its end.

    Text is UTF-8, with or without a byte order mark; with `may_be_latin` a line that is not is
    Latin-1. ArenaError for a file that is no text, or too long.
    """
    # A pipe might never end, and to open one waits.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    kind = os.fstat(descriptor)
    if not stat.S_ISREG(kind.st_mode):
        os.close(descriptor)
        raise FileError(path, "is no file of results: copy what it says into one")
    with os.fdopen(descriptor, "rb") as file:
        if kind.st_size > MOST_BYTES:
            raise FileError(path, f"has more than {MOST_BYTES:,} bytes; import it in parts")
        number = 0
        while True:
            try:
                content = file.readline(LONGEST_LINE + 1)
            except OSError as error:
                raise FileError(path, f"cannot be read: {error.strerror}") from error
            if not content:
                return
            number += 1
            yield number, _text(content, FilePosition(path, number), may_be_latin=may_be_latin)


def _text(
    content: bytes,
    position: FilePosition,
    *,
    may_be_latin: bool,
) -> str:
    """Return the text of a line; ArenaError where it is none."""
    if position.line == 1:
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise position.mistake("", "the file is in UTF-16; save it as UTF-8")
        content = content.removeprefix(codecs.BOM_UTF8)
    if len(content) > LONGEST_LINE:
        raise position.mistake(
            "", f"has more than {LONGEST_LINE:,} bytes, as no line of results has"
        )
    zero = content.find(b"\0")
    if zero >= 0:
        raise position.mistake(f"byte {zero + 1}", "is zero; this is no text")
    content = content.removesuffix(b"\n").removesuffix(b"\r") + b"\n"
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        if may_be_latin:
            return content.decode("latin-1")
        raise position.mistake(
            f"byte {error.start + 1}", "is no UTF-8; save the file as UTF-8"
        ) from error
