"""Memos: what took long to compute, in a file beside the archive.

A memo may be deleted at any time. It is used only under the very key that it was stored under, and
in the file that it was stored in. It has a seal (seals.py), because a stranger may have made the
file; a bug may have written it, too, so the caller of `recall` says which type the value must have.
"""

import json
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from arena import extensions, plugins, rulefile, seals, whole_files
from arena.game import Game
from arena.identity import digest_of, file_digest

Value = TypeVar("Value")
PURPOSE = "memo"


def recall(path: Path, key: str, kind: "TypeAdapter[Value]") -> Value | None:
    """Return the value that was stored under the key.

    It is None if there is none, a damaged one, or one that this user's arena has not stored.
    """
    try:
        sealed = whole_files.read_cache(path)
        text, _, mark = sealed.rpartition(b"\n")
        if mark != _seal(path, text):
            return None
        content = json.loads(text)
        if content[0] != key:
            return None
        return kind.validate_python(content[1])
    # Whatever json, pydantic or numpy complains of, the value is computed anew.
    except Exception:  # noqa: BLE001
        return None


def store(
    path: Path,
    key: str,
    value: Value,
    kind: "TypeAdapter[Value]",
) -> None:
    """Store a value under the key, in place of what the file has."""
    # `dump_json` has no infinity. Where a stranger's archive has bytes for texts, `dumps` fails, so
    # that pydantic need not warn.
    plain = kind.dump_python(value, warnings=False)
    text = json.dumps((key, plain)).encode()
    sealed = text + b"\n" + _seal(path, text)
    whole_files.write_cache(path, sealed)


def _seal(path: Path, text: bytes) -> bytes:
    """Return the seal of a memo in hex; in another file the same text has another one."""
    name = path.name.encode()
    content = name + b"\n" + text
    mark = seals.seal(PURPOSE, content)
    return mark.hex().encode()


def code_digest(paths: Iterable[Path]) -> str:
    """Return a hash of these files of code and of numpy's version.

    As a part of a key it keeps out what another version of the code has computed.
    """
    import numpy as np  # which a process that opens no results does without

    files = []
    for path in paths:
        digest = file_digest(path)
        files.append((path.name, digest))
    return digest_of(files, np.__version__, length=64)


@cache
def program_digest() -> str:
    """Return a hash of all code that makes tables, charts and pages of results.

    It has the files of arena, the packages with extensions and plug-ins, Python and pandas. It
    takes some 20 ms.
    """
    folder = Path(__file__).parents[1]
    packages = []
    for group in (extensions.GROUP, "arena.schedules", "arena.rules"):
        for point in plugins.points(group):
            release = ""
            if point.dist is not None:
                release = point.dist.version
            package: list[object] = [group, point.name, point.value, release]
            package += _files_of(point.module)
            packages.append(package)
    return digest_of(
        _digests(folder),
        packages,
        sys.version,
        version("pandas"),
    )


def _files_of(module: str) -> list[list[str]]:
    """Return the digests of the files of a module, or of those of its package."""
    package, _, _ = module.partition(".")
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    file = Path(spec.origin)
    if spec.submodule_search_locations:
        return _digests(file.parent)
    return [[module, file_digest(file)]]


def _digests(folder: Path) -> list[list[str]]:
    """Return each file in a folder, by its path there, with its digest; no compiled ones."""
    digests = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".pyc" or not path.is_file():
            continue
        name = str(path.relative_to(folder))
        digest = file_digest(path)
        digests.append([name, digest])
    return digests


def rules_digest(games: Iterable[Game[Any]]) -> str:
    """Return a hash of the rules of games, and of what stands beside them under their names.

    These are their boards, their tables and their viewers.
    """
    files: set[Path] = set()
    for game in games:
        for path in rulefile.sources_of(game):
            beside = path.parent.glob(f"{path.stem}.*")
            files.update(beside)
    plain_files = filter(Path.is_file, files)
    return code_digest(sorted(plain_files))
