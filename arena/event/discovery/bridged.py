"""Bots behind a bridge: the command that starts both, and the digest of the bridge.

A bridge is a program between the protocol and a bot that speaks in another way. Extensions bring bridges by name
(`Extension.bridges`); a file beside the bot may be one, too. docs/extras/bridges.md is the page.
"""

# How `bridge = "uci"` becomes a command
# --------------------------------------
# The command of such a bot has six words before the bot's own:
#
#     {python} -s -B -u  {bridge:uci}  {"options": {"Threads": 1}}  ./stockfish
#
# `{bridge:uci}` stands for the program of the bridge on this machine, as `{python}` stands for its interpreter.
# sandbox/toolchain.py puts the path in, and lets the bot read the folder of that program; it treats the words behind
# it as a command, so an engine that is a Java program gets what Java needs. A bridge that is a file beside the bot is
# a program of the bot's own, with the same two words behind it.
#
# Rejected: to copy the bridge into the folder of each bot. A mistake in a bridge would stay in each copy. To have the
# path in the command: it is another one on each machine of a cluster, and it would be in the digest.
#
# The digest of the bot has the bridge's files and its options, as that of a board has the rules: after an update of
# arena that changes a bridge, its bots get new matches.
#
# A bridge that starts an engine is one process more. The organiser has installed it, so the bot is allowed that process
# without a grant (`Tournament.as_entered`). A file beside the bot is a stranger's, so it is allowed none.

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from arena import extensions
from arena.errors import known_are
from arena.event.discovery.files import digest_of, files_of
from arena.event.discovery.programs import RUN_PYTHON
from arena.sandbox.toolchain import BRIDGE, bridge_of

Option: TypeAlias = str | int | float | list[str]
"""A truth value is a whole number to Python."""
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.py")
MOST_OPTIONS = 100
LONGEST_OPTION = 1000  # characters of a name or a text
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def checked_options(value: object) -> dict[str, Any]:
    """Return the options of a bridge; ValueError with a message for a mistake.

    An engine reads them as lines, so no text has a line break in it.
    """
    if not isinstance(value, dict):
        raise ValueError("expected a table, such as [options] with a line `Threads = 1`")  # noqa: TRY004 (a user's mistake)
    if len(value) > MOST_OPTIONS:
        raise ValueError(f"more than {MOST_OPTIONS}; take fewer")
    for name, option in value.items():
        _refuse_long(name, name)
        texts = option if isinstance(option, list) else [option]
        if len(texts) > MOST_OPTIONS:
            raise ValueError(f"{name[:80]!r}: more than {MOST_OPTIONS} texts; take fewer")
        for text in texts:
            if isinstance(text, str):
                _refuse_long(name, text)
            elif isinstance(option, list) or not isinstance(text, int | float):
                words = "expected a text, a number, true, false, or a list of texts"
                raise ValueError(f"{name[:80]!r}: {words}")  # noqa: TRY004 (a user's mistake)
    return value


def _refuse_long(name: str, text: str) -> None:
    """Raise ValueError for a text of the option `name` that is too long, or not one line."""
    if len(text) > LONGEST_OPTION or CONTROL.search(text):
        raise ValueError(
            f"{name[:80]!r}: a text has at most {LONGEST_OPTION} characters, in one line"
        )


def command(
    bridge: str, options: Mapping[str, Any], words: tuple[str, ...], folder: Path | None
) -> tuple[str, ...]:
    """Return the command of a bot behind a bridge.

    Args:
        bridge: a name, or a file in `folder`.
        options: what the bridge gets.
        words: the command of the bot itself.
        folder: the folder of the bot; None if it has none.

    Raises:
        ValueError: there is no such bridge; the message says which there are.
    """
    settings = json.dumps({"options": dict(options)}, ensure_ascii=True, sort_keys=True)
    if folder is not None and FILE.fullmatch(bridge) and ".." not in bridge:
        if not (folder / bridge).is_file():
            raise ValueError(
                f"there is no file {bridge!r} in the bot's folder; copy it there, or name another bridge"
            )
        return (*RUN_PYTHON, bridge, settings, *words)
    known = extensions.bridges()
    if bridge not in known:
        raise ValueError(
            f"there is no bridge {bridge[:80]!r}; {known_are(bridge[:80], list(known))}; or name a file beside the bot "
            "that ends in .py"
        )
    return (*RUN_PYTHON, BRIDGE.format(bridge), settings, *words)


def digest_words(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the digest of a bot with this command has of its bridge; `()` without one."""
    bridge = bridge_of(command)
    return (_bridge_digest(bridge),) if bridge else ()


def more_processes(command: tuple[str, ...]) -> int:
    """Return how many processes a bot with this command needs for its bridge."""
    bridge = bridge_of(command)
    return 1 if bridge and extensions.bridges()[bridge].starts_engine else 0


@cache
def _bridge_digest(bridge: str) -> str:
    """Return the digest of all that a bot can read of its bridge."""
    folder = extensions.file_beside(extensions.bridges()[bridge].path).parent
    files = [(name, path) for name, path in files_of(folder) if os.path.splitext(name)[1] != ".pyc"]  # noqa: PTH122
    return digest_of(bridge, files)
