"""The language models of an event: who answers (`Provider`), and how the broker is run.

The broker is a process that alone asks and pays: broker.py, with providers.py for the ways to ask,
gate.py for when to ask, and tape.py for what was answered before. Lanes reach it by a socket
(calls.py).
"""

# Theory of operation
# -------------------
# Three places for the call were weighed. In the lane, beside the frozen bots: each lane would need
# the key, and limits of rate and budget that all lanes share would need a second channel. In a
# thread of the main process: it forks lanes again and again, and a fork beside other threads may
# inherit a held lock. So the calls are made by one process of the event, the broker. It alone has
# the key, the rate, the budget and the tape; lanes send it requests over a Unix socket in a private
# folder, one line each way. No bot can make a socket (sandbox/call_policy.py).
#
# The broker alone reads the key, from a variable or a file. The variable is then removed from this
# process and from the broker's, also from the memory that process lists show, before any lane is
# forked. So no lane, spawner or bot has the key, and nothing that is stored or logged does.
#
# Paid once. An answer is on disk, in the tape, before a lane hears of it. A run that is killed
# plays its matches again and finds the answers there, by the keys of calls.py; so does a match that
# was aborted.

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from arena.errors import ArenaError
from arena.extras.models.calls import Door
from arena.sandbox import folder as scratch
from arena.sandbox.exposure import forget
from arena.values import DEFAULT_MODEL

TAPE_FILE = "tape.sqlite"
BEGIN = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from arena.extras.models.broker import main; main()"
)
"""The program of the broker; its argument is the folder that has arena."""
LEAVE_S = 2.0
LONGEST_KEY = 1000


@dataclass(frozen=True, kw_only=True)
class Provider:
    """Who answers, and what an event may use in all."""

    kind: str
    """`url`, `command` or `tape`."""
    name: str
    alias: str = DEFAULT_MODEL
    """The name by which bots ask it."""
    table: str = "model"
    """Its table in tournament.toml, for messages."""
    fields: str = ""
    """The fields that each request gets, as a JSON object; empty = none."""
    url: str = ""
    command: tuple[str, ...] = ()
    folder: str = ""
    """The folder in which the command runs."""
    key_variable: str = ""
    """The variable with the key; a command finds it there, too."""
    key_file: str = ""
    key: str = field(default="", repr=False)
    """Only in the broker."""
    wait: float = 120.0
    patience: float = 600.0
    """Seconds that calls wait while the provider is away."""
    retries: int = 3
    rate: float | None = None
    """Calls a minute."""
    at_once: int = 4
    tokens: int | None = None
    """The event's budget; None = no limit."""
    cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    price_cached: float | None = None
    price_cache_write: float | None = None
    tapes: tuple[str, ...] = ()
    """Folders of other events, whose answers serve here, too."""


@contextlib.contextmanager
def opened(providers: Sequence[Provider], folder: Path | None) -> Iterator[Door]:
    """Run a broker whose tape is in this folder; None = its tape is deleted at the end."""
    for provider in providers:
        name = provider.key_variable
        if not name or provider.kind == "tape":
            continue
        if name not in os.environ:
            # Typed as `export NAME=...` a key would stay in the history of the shell.
            cure = (
                f"type `read -rs {name} && export {name}`, paste the key, and press Enter; "
                "or name a `key_file`"
            )
            raise ArenaError(
                f"{provider.table}.key_variable: {name}: there is no such variable: {cure}"
            )
    private, lock = scratch.private()
    try:
        address = private / "broker"
        tape = (folder or private) / TAPE_FILE
        settings = {
            "providers": [asdict(provider) for provider in providers],
            "address": str(address),
            "tape": str(tape),
            "parent": os.getpid(),
        }
        folder_of_packages = Path(__file__).parents[3]
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, str(folder_of_packages)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C in the terminal is for the main process, which then ends the broker.
            start_new_session=True,
        )
        for provider in providers:
            forget(provider.key_variable)
        try:
            _begin(process, settings)
            yield Door(address)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=LEAVE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
    finally:
        scratch.discard(private)
        os.close(lock)


def _begin(process: "subprocess.Popen[bytes]", settings: dict[str, object]) -> None:
    """Give the broker its settings, and wait until it listens; ArenaError if it cannot."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the broker has no pipes")
    message = json.dumps(settings).encode() + b"\n"
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(message)
        process.stdin.flush()
    printed = process.stdout.readline()
    line = printed.decode("utf-8", "replace").strip()
    if line != "ready":
        raise ArenaError(line or "model: its broker could not be started")


def key_of(provider: Provider) -> str:
    """Return the key of a provider, in the broker; ArenaError if it cannot be read.

    The broker then loses the variable (`forget`): several models may have the same.
    """
    if provider.kind == "tape" or not (provider.key_variable or provider.key_file):
        return ""
    where = f"{provider.table}.key_variable: {provider.key_variable}"
    key = os.environ.get(provider.key_variable, "")
    if provider.key_file:
        where = f"{provider.table}.key_file: {provider.key_file}"
        path = Path(provider.key_file)
        try:
            if path.stat().st_mode & 0o077:
                raise ArenaError(f"{where}: others may read it: `chmod 600 {provider.key_file}`")
            key = path.read_text("utf-8")
        except (OSError, ValueError) as error:
            reason: str | None = "this is no text"
            if isinstance(error, OSError):
                reason = error.strerror
            raise ArenaError(f"{where}: cannot be read: {reason}") from error
    key = key.strip()
    is_word = key.isascii() and key.isprintable() and " " not in key
    if not is_word or not 0 < len(key) <= LONGEST_KEY:
        raise ArenaError(f"{where}: holds no key: a key is one word")
    return key
