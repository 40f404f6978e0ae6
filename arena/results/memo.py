"""Memos: what took long to compute, in a file beside the archive.

A memo may be deleted at any time. It is used only under the very key that it was stored under. A
stranger may have made the file, so the caller of `recall` says which type the value must have.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import TypeAdapter

from arena import whole_files
from arena.identity import digest_of, file_digest

Value = TypeVar("Value")


def recall(path: Path, key: str, kind: "TypeAdapter[Value]") -> Value | None:
    """Return the value that was stored under the key; None if there is none, or a damaged one."""
    try:
        content = json.loads(whole_files.read_cache(path))
        return kind.validate_python(content[1]) if content[0] == key else None
    # Whatever json, pydantic or numpy complains of, the value is computed anew.
    except Exception:  # noqa: BLE001
        return None


def store(path: Path, key: str, value: Value, kind: "TypeAdapter[Value]") -> None:
    """Store a value under the key, in place of what the file has."""
    # `dump_json` has no infinity. Where a stranger's archive has bytes for texts, `dumps` fails, so
    # that pydantic need not warn.
    content = (key, kind.dump_python(value, warnings=False))
    whole_files.write_cache(path, json.dumps(content).encode())


def code_digest(paths: Iterable[Path]) -> str:
    """Return a hash of these files of code and of numpy's version.

    As a part of a key it keeps out what another version of the code has computed.
    """
    files = [(path.name, file_digest(path)) for path in paths]
    return digest_of(files, np.__version__, length=64)
