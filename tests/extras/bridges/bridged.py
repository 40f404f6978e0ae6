"""Bots behind a bridge, in the folder `bots` of a test, and matches of them in the words of the
command.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from tests.support import cup


def bot(folder: Path, name: str, bridge: str, files: Mapping[str, str], **keys: object) -> str:
    """Write a bot behind a bridge into `bots`, with these files; return its path in the workspace.

    A file that begins with `#!` may be run.
    """
    home = folder / "bots" / name
    home.mkdir(parents=True)
    for file, text in files.items():
        (home / file).write_text(text)
        (home / file).chmod(0o755 if text.startswith("#!") else 0o644)
    (home / "bot.toml").write_text(tomli_w.dumps({"bridge": bridge, **keys}))
    return f"bots/{name}"


def played(folder: Path, board: str, *bots: str) -> dict:
    """Play one match on a board, and return its row."""
    done = cup.arena(folder, "match", *bots, "--board", board, "--json")
    assert done.stdout, done.stderr
    (row,) = json.loads(done.stdout)
    return row


def moves(row: dict) -> list[str]:
    """The moves of a match."""
    return [turn["move"] for turn in row["turns"]]


def fault(row: dict) -> tuple[str, str]:
    """The ending of the first fault of a match, and its words."""
    found = row["faults"][0]
    return found["ending"], found["words"]
