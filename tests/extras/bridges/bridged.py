"""Bots behind a bridge, in the folder `bots` of a test, and matches of them as `arena match` plays
them.
"""

import atexit
import contextlib
import functools
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from arena import workspace
from arena.cli import match_text
from arena.games import rulebook
from arena.match.play import play
from arena.replay.replayer import scenes
from arena.sandbox.launcher import Launcher


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


@functools.cache
def launcher() -> Launcher:
    """Return a launcher for all matches of this process: the start of each takes as long as one."""
    opened = Launcher()
    atexit.register(opened.close)
    return opened


def played(folder: Path, board: str, *bots: str) -> dict:
    """Play one match on a board, and return its row of `arena match --json`."""
    with contextlib.chdir(folder):
        tournament = workspace.tournament()
        (chosen,) = rulebook.find(board, Path())
        named = [workspace.bot_named(bot) for bot in bots]
        players = workspace.assign_roles(chosen, chosen.roles, named)
        conditions = workspace.conditions_here(tournament, by_hand=True)
        match = workspace.make_match(tournament, chosen, players, 0, conditions)
        record = play(match, launcher=launcher())
    row = match_text.match_row(record)
    row["turns"] = [
        turn
        for scene in scenes(rulebook.game_of(match), record.turns)
        for turn in match_text.turn_rows(match, scene)
    ]
    return row


def moves(row: dict) -> list[str]:
    """The moves of a match."""
    return [turn["move"] for turn in row["turns"]]


def fault(row: dict) -> tuple[str, str]:
    """The ending of the first fault of a match, and its words."""
    found = row["faults"][0]
    return found["ending"], found["words"]
