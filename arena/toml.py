"""TOML that anybody may have written -> a table, in a time that grows with the text.

It knows no keys. Strangers write the bot.toml of a bot, files of lessons, and the tournament.toml
of results.
"""

# tomllib copies the beginning of a key for each part of it: a key of 64,000 parts, in 128 kB, takes
# it four minutes. Nothing else that was tried takes more than a second for this size.

import re
import tomllib
from pathlib import Path
from typing import Any

from arena import shared_folders
from arena.errors import FileError

MOST_PARTS = 40
"""Of a dotted key, `a.b.c`; no file of arena has more than three."""
BACKSLASH = re.compile(r"Unescaped '\\'|Invalid hex value")
"""What tomllib says of a path with backslashes in "double quotes"."""
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w.-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS}}}")


def loads(content: bytes) -> dict[str, Any]:
    """Return the table of a text.

    A byte order mark at the beginning, as some editors write it, is no mistake. Raise ValueError
    for what is no UTF-8 or no TOML, and RecursionError for lists in lists without end.
    """
    text = content.decode("utf-8-sig")
    key = _LONG_KEY.search(text)
    if key is not None:
        line = text.count("\n", 0, key.start()) + 1
        raise ValueError(f"a key has more than {MOST_PARTS} parts (at line {line}, column 1)")
    return tomllib.loads(text)


def read(path: Path, hint: str, most: int | None = None) -> dict[str, Any]:
    """Return the table in a file of at most this number of bytes.

    `hint` says what to do where there is no such file. Raise FileError for any mistake.
    """
    try:
        shared_folders.refuse_pipe(path)
        most_read = -1
        if most is not None:
            most_read = most + 1
        with path.open("rb") as file:
            content = file.read(most_read)
        if most is not None and len(content) > most:
            text = f"it is larger than {most // 1000} kB; put the rest into other files"
            raise FileError(path, text)
        return loads(content)
    except FileNotFoundError as error:
        raise FileError(path, f"there is no such file; {hint}") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        text = f"this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        raise FileError(path, text) from error
    except RecursionError as error:
        raise FileError(path, "has lists in lists without end") from error
    except ValueError as error:  # it is no TOML, or it has a number of thousands of digits
        text = str(error)
        if BACKSLASH.search(text):
            text += "; write / in paths, or put the text in 'single quotes'"
        raise FileError(path, text) from error
