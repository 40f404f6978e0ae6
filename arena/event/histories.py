"""A command that works in steps: the lock of its folder, and its history there, one JSON file.

The steps are the caller's own. A stranger may have written the file, so what is read is bounded and
checked.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from arena import shared_folders, whole_files
from arena.errors import ArenaError, writing
from arena.file_formats import FileFormat

History = TypeVar("History")


@contextmanager
def locked(folder: Path, name: str, work: str) -> Iterator[None]:
    """Make the folder of a command, and hold its lock; ArenaError while another process holds it.

    `name` is that of the lock, `work` what the command calls its work: `this climb`.
    """
    with ExitStack() as stack:
        try:
            with writing(folder):
                whole_files.make_folder(folder)
                stack.enter_context(whole_files.locked(folder / name, waits=False))
        except BlockingIOError as error:
            raise ArenaError(f"{folder}: {work} is under way in another process") from error
        yield


def read(
    path: Path,
    kind: TypeAdapter[History],
    file_format: FileFormat,
    most: int,
) -> History | None:
    """Return the history in a file of at most `most` bytes; None where there is no file.

    Raise ArenaError for a file that is damaged, or of a format that this arena does not read.
    """
    try:
        content = shared_folders.read(path, most=most)
        table = json.loads(content)
        version = 1
        if isinstance(table, dict):
            version = table.get("format", 1)
        file_format.check(version, f"{path}: its format")
        return kind.validate_python(table)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is damaged"
        raise ArenaError(
            f"{path}: cannot be read: {reason}; to begin anew take another --name"
        ) from error


def store(path: Path, kind: TypeAdapter[History], history: History) -> None:
    """Write a history in one step."""
    with writing(path.parent):
        whole_files.make_folder(path.parent)
        content = kind.dump_json(history, indent=1) + b"\n"
        whole_files.write(path, content)
