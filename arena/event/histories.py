"""The history of a command that works in steps, as one JSON file in its folder of results.

The steps are the caller's own. A stranger may have written the file, so what is read is bounded and
checked.
"""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from arena import shared_folders, whole_files
from arena.errors import ArenaError, writing
from arena.file_formats import FileFormat

History = TypeVar("History")


def read(
    path: Path, kind: TypeAdapter[History], file_format: FileFormat, most: int
) -> History | None:
    """Return the history in a file of at most `most` bytes; None where there is no file.

    Raise ArenaError for a file that is damaged, or of a format that this arena does not read.
    """
    try:
        table = json.loads(shared_folders.read(path, most=most))
        version = table.get("format", 1) if isinstance(table, dict) else 1
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
        whole_files.write(path, kind.dump_json(history, indent=1) + b"\n")
