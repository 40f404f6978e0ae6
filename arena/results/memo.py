"""Memos: what took long to compute, in a file beside the archive. A memo may be deleted at any time.

A memo is used only under the very key that it was stored under. A stranger may have made the file, so the caller of
`recall` says which type the value must have.
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
    """Return the value that was stored under the key; None where there is none, or a damaged one."""
    try:
        content = json.loads(whole_files.read_cache(path))
        return kind.validate_python(content[1]) if content[0] == key else None
    except Exception:  # noqa: BLE001  whatever damage json, pydantic or numpy complains of: it is computed anew
        return None


def store(path: Path, key: str, value: Value, kind: "TypeAdapter[Value]") -> None:
    """Store a value under the key, in place of what the file has."""
    # Not `dump_json`, which has no infinity. A foreign archive may have bytes where texts belong: no warning, it fails.
    whole_files.write_cache(
        path, json.dumps((key, kind.dump_python(value, warnings=False))).encode()
    )


def code_digest(paths: Iterable[Path]) -> str:
    """Return a hash of these files of code and of numpy's version: what other code computed is not used."""
    return digest_of([(path.name, file_digest(path)) for path in paths], np.__version__, length=64)
