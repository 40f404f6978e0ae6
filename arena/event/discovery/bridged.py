"""Bots behind a bridge: the command that starts both, and the digest of the bridge.

A bridge is a program between arena's protocol and a bot that speaks another protocol. Extensions
bring bridges by name (`Extension.bridges`); a file beside the bot may be one, too.
"""

# How `bridge = "uci"` becomes a command
# --------------------------------------
# The command of such a bot has six words before the bot's own:
#
#     {python} -s -B -u  {bridge:uci}  {"options": {"Threads": 1}}  ./stockfish
#
# `{bridge:uci}` stands for the program of the bridge on this machine, as `{python}` stands for its
# interpreter. sandbox/toolchain.py inserts the path, and lets the bot read the folder of that
# program. It treats the words behind it as a command, so an engine that is a Java program gets the
# files of Java. A bridge that is a file beside the bot is a program of the bot, with the same two
# words behind it.
#
# Rejected: copying the bridge into the folder of each bot, because a mistake in a bridge would stay
# in each copy; and the path in the command, because it differs on each machine of a cluster, and it
# would be in the digest.
#
# The digest of the bot has the bridge's files and its options, as that of a board has the rules:
# after an update of arena that changes a bridge, its bots get new matches.
#
# A bridge that starts an engine needs one more process. The organiser has installed the bridge, so
# the bot gets that process without a grant (`Tournament.as_entered`). A file beside the bot is a
# stranger's, so it gets no more processes.

import json
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

Option: TypeAlias = bool | str | int | float | list[str]
"""The value of an option."""
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.py")
MOST_OPTIONS = 100
LONGEST_OPTION = 1000
"""The characters of a name or a text."""
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def checked_options(value: object) -> dict[str, Any]:
    """Return the options of a bridge; ValueError with a message for a mistake.

    An engine reads them as lines, so no text has a line break in it.
    """
    if not isinstance(value, dict):
        expectation = "expected a table, such as [options] with a line `Threads = 1`"
        raise ValueError(expectation)  # noqa: TRY004 (a user's mistake)
    if len(value) > MOST_OPTIONS:
        raise ValueError(f"more than {MOST_OPTIONS}; take fewer")
    for name, option in value.items():
        _refuse_long(name, name)
        texts = [option]
        if isinstance(option, list):
            texts = option
        if len(texts) > MOST_OPTIONS:
            raise ValueError(f"{name[:80]!r}: more than {MOST_OPTIONS} texts; take fewer")
        for text in texts:
            if isinstance(text, str):
                _refuse_long(name, text)
            elif isinstance(option, list) or not isinstance(text, int | float):
                expectation = "expected a text, a number, true, false, or a list of texts"
                raise ValueError(f"{name[:80]!r}: {expectation}")  # noqa: TRY004 (a user's mistake)
    return value


def _refuse_long(name: str, text: str) -> None:
    """Raise ValueError for a text of the option `name` that is too long, or not one line."""
    if len(text) > LONGEST_OPTION or CONTROL.search(text):
        raise ValueError(
            f"{name[:80]!r}: a text has at most {LONGEST_OPTION} characters, in one line"
        )


def command(
    bridge: str,
    options: Mapping[str, Any],
    words: tuple[str, ...],
    folder: Path | None,
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
                f"there is no file {bridge!r} in the bot's folder; "
                "copy it there, or name another bridge"
            )
        return (*RUN_PYTHON, bridge, settings, *words)
    known = extensions.bridges()
    if bridge not in known:
        name = bridge[:80]
        names = known_are(name, list(known))
        raise ValueError(
            f"there is no bridge {name!r}; {names}; or name a file beside the bot that ends in .py"
        )
    return (*RUN_PYTHON, BRIDGE.format(bridge), settings, *words)


def digest_words(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of its bridge that are part of the digest of a bot with this command.

    Without a bridge there are none.
    """
    bridge = bridge_of(command)
    if not bridge:
        return ()
    return (_bridge_digest(bridge),)


def more_processes(command: tuple[str, ...]) -> int:
    """Return the number of processes that a bot with this command needs for its bridge."""
    bridge = bridge_of(command)
    if bridge and extensions.bridges()[bridge].starts_engine:
        return 1
    return 0


@cache
def _bridge_digest(bridge: str) -> str:
    """Return the digest of all that a bot can read of its bridge."""
    known = extensions.bridges()
    program = extensions.file_beside(known[bridge].path)
    files: list[tuple[str, Path]] = []
    for name, path in files_of(program.parent):
        if path.suffix != ".pyc":
            files.append((name, path))
    return digest_of(bridge, files)
