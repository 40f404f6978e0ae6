"""Sampled boards on disk, so that an event that is run again or goes on draws none a second time.

A file `KEY.json` in the cache's folder has the boards of one table for one seed, from the first on.
The key is made of everything that decides them: the code of the generator, what it imports beside
it and from arena, the versions of Python and numpy, the parameters and the seed. So an entry is
never out of date, and no reader has to check its age. An entry has a seal (seals.py): a workspace
from elsewhere may bring such a folder, with boards that suit somebody's bot. The folder may be
deleted at any time.
"""

import contextlib
import json
import platform
from pathlib import Path

from arena import rulefile, seals, whole_files
from arena.identity import digest_of, file_digest

PURPOSE = "sampled boards"


def file_of(
    folder: Path,
    generator: Path,
    table: object,
    key: str,
) -> Path:
    """Return the path of the entry of a table's boards; the generator is imported."""
    import numpy as np  # takes longer to import than most commands to run

    # A generator may search with arena's solvers, and they may change what is worth playing.
    sources = rulefile.named_sources(generator)
    rules = [(name, file_digest(path)) for name, path in sources.items()]

    own_folder = Path(__file__).parent
    files = sorted(own_folder.glob("*.py"))
    files.append(Path(rulefile.__file__))
    code = [(path.name, file_digest(path)) for path in files]

    python_version = platform.python_version_tuple()[:2]
    versions = (python_version, np.__version__)
    digest = digest_of(rules, code, versions, table, key, length=32)
    return folder / f"{digest}.json"


def load(path: Path) -> tuple[str, ...]:
    """Return the boards of an entry as JSON objects.

    There are none where the entry is missing, damaged, or not of this user's arena.
    """
    try:
        content = json.loads(whole_files.read_cache(path))
        boards = tuple(content["boards"])
        intact = content["seal"] == _seal(path, boards)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ()
    if not intact:
        return ()
    return boards


def store(path: Path, boards: tuple[str, ...]) -> None:
    """Write an entry, whole or not at all.

    If several processes draw at once, the file of the last process stays.
    """
    # Only the owner may read the file: before an event nobody is to know its boards.
    # In a folder that may not be written the boards are sampled each time.
    with contextlib.suppress(OSError):
        whole_files.make_folder(path.parent)
        content = {
            "boards": boards,
            "seal": _seal(path, boards),
        }
        text = json.dumps(content)
        whole_files.write_cache(path, text.encode(), whole_files.PRIVATE)


def _seal(path: Path, boards: tuple[str, ...]) -> str:
    digest = digest_of(path.name, list(boards), length=64)
    seal = seals.seal(PURPOSE, digest.encode())
    return seal.hex()
