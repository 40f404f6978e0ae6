"""Sampled boards on disk, so that an event that is run again or goes on draws none a second time.

A file `KEY.json` in the cache's folder has the boards of one table for one seed, from the first on.
The key is made of everything that decides them: the code of the generator, what it imports beside
it and from arena, the versions of Python and numpy, the parameters and the seed. So an entry is
never out of date, and a board is looked up without care. The folder may be deleted at any time.
"""

import contextlib
import json
import platform
from pathlib import Path

from arena import rulefile, whole_files
from arena.identity import digest_of, file_digest


def file_of(folder: Path, generator: Path, table: object, key: str) -> Path:
    """Return the path of the entry of a table's boards; the generator is imported."""
    import numpy as np  # takes longer to import than most commands to run

    # A generator may search with arena's solvers, and they may change what is worth playing.
    rules = [(name, file_digest(path)) for name, path in rulefile.named_sources(generator).items()]
    ours = [*sorted(Path(__file__).parent.glob("*.py")), Path(rulefile.__file__)]
    code = [(path.name, file_digest(path)) for path in ours]
    versions = (platform.python_version_tuple()[:2], np.__version__)
    return folder / f"{digest_of(rules, code, versions, table, key, length=32)}.json"


def load(path: Path) -> tuple[str, ...]:
    """Return the boards of an entry, each a JSON object.

    `()` where there is none or a damaged one.
    """
    try:
        content = json.loads(whole_files.read_cache(path))
        boards = tuple(content["boards"])
        return boards if content["digest"] == _digest(boards) else ()
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ()


def store(path: Path, boards: tuple[str, ...]) -> None:
    """Write an entry, whole or not at all.

    Of several processes that draw at once the last one's file stays.
    """
    # Only its owner reads it: before an event nobody is to know its boards.
    with contextlib.suppress(
        OSError
    ):  # in a folder that may not be written the boards are sampled each time
        whole_files.make_folder(path.parent)
        content = {"boards": boards, "digest": _digest(boards)}
        whole_files.write_cache(path, json.dumps(content).encode(), whole_files.PRIVATE)


def _digest(boards: tuple[str, ...]) -> str:
    return digest_of(list(boards), length=64)
