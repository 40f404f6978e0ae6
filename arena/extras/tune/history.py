"""What a tuning has played: its steps, in one file of its folder of results.

Whoever changes the file changes what the search does next, and nothing else: the test at the end plays.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from arena import file_formats, shared_folders, whole_files
from arena.errors import ArenaError, writing
from arena.extras.tune.spsa import Point, Range

FILE = "tune.json"
MOST_BYTES = 20_000_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step that was played: the values of both bots, and the result."""

    up: Point
    down: Point
    difference: float
    """How many points the bot with the values `up` had more, -100 to 100."""
    guess: Point
    """The best values after the step."""


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """A tuning so far."""

    settings: str
    """A hash of all that decides how it goes on."""
    bot: str
    ranges: Mapping[str, Range]
    start: Point
    steps: tuple[Step, ...] = ()
    format: int = file_formats.TUNING.number

    def with_step(self, step: Step) -> "Tuning":
        """Return the tuning after one more step."""
        return replace(self, steps=(*self.steps, step))


TUNING = TypeAdapter(Tuning)


def read(folder: Path) -> Tuning | None:
    """Return the tuning in a folder of results; None where nothing was tuned."""
    path = folder / FILE
    try:
        table = json.loads(shared_folders.read(path, most=MOST_BYTES))
        found = table.get("format", 1) if isinstance(table, dict) else 1
        file_formats.TUNING.check(found, f"{path}: its format")
        return TUNING.validate_python(table)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is damaged"
        raise ArenaError(f"{path}: cannot be read: {reason}; for a new tuning take another --name") from error


def store(folder: Path, tuning: Tuning) -> None:
    """Write the tuning into a folder of results, in one step."""
    with writing(folder):
        whole_files.make_folder(folder)
        whole_files.write(folder / FILE, TUNING.dump_json(tuning, indent=1) + b"\n")
