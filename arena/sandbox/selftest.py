"""The start-up self-test: run the real launcher with a probe that tries to get out, and trust its results only.

It costs one start of an interpreter, and one warm start where bots are started warm, since that
must hold as well. The probe is a bot like any other; the launcher cannot tell the difference.

A test has three results. The level holds. The level fails, because the kernel, bwrap or the probe
says so. Or the test was disturbed: somebody killed the spawner or the probe, or the machine had no
memory or process to spare. What the probe says counts only when it came back whole, with every
line; whatever else came back was disturbed, for whatever reason. A disturbed test says nothing
about the level, so it is repeated, and in the end given up with an error. It must never count as a
failure: otherwise anybody who can kill one process of arena, or fill its disk for a moment, could
choose the level of a whole event.
"""

import os
import select
import socket
import time

from arena.errors import ArenaError
from arena.sandbox import levels, selftest_bot
from arena.sandbox.folder import FULL_DISK
from arena.sandbox.launcher import ConfinementError, Launcher, SpawnerLostError
from arena.sandbox.level import TEMPORARY
from arena.sandbox.toolchain import PYTHON
from arena.sandbox.warm import FLAGS
from arena.values import Bot, Conditions

COLD_FLAGS = ("-s", "-S", "-E", "-B")  # the quickest start
OUTPUT_TIMEOUT_S = 20.0  # of an interpreter on a busy machine
# For a probe that closed its output, until it exits by itself, so that its exit status is its own.
EXIT_GRACE_S = 1.0
TRIES = 3
MESSAGE_LENGTH = 300


class DisturbedError(Exception):
    """This self-test was cut short, and has no result."""


def failure(level: str, python: str = PYTHON) -> str | None:
    """Return why a level does not confine here.

    Return None when the probe, run by `python`, could do nothing forbidden.

    ArenaError when every try was disturbed, so that there is no result.
    """
    for _ in range(TRIES):
        try:
            return _try(level, python)
        except (DisturbedError, SpawnerLostError) as error:
            cause = str(error)
    raise ArenaError(
        f"sandbox: the self-test of {level!r} was disturbed {TRIES} times ({cause}), so it is not known whether this "
        "machine can confine bots; nothing was played: mend that, or find what ends processes of arena here, and run "
        "the same command again"
    )


def _try(level: str, python: str) -> str | None:
    """Test a level once; return why it fails, or None.

    Raise DisturbedError or SpawnerLostError when there is no result.
    """
    try:
        with Launcher() as launcher, launcher.folder.full_disk():
            cold = _judgement(*_run_probe(launcher, level, (python, *COLD_FLAGS)))
            if cold is not None or python != PYTHON or levels.TABLE[level].wrapped:
                return cold
            warm = _judgement(*_run_probe(launcher, level, (python, *FLAGS)))
    except ConfinementError as error:
        message = str(error).removeprefix(f"{level}: ")
        if error.passing:
            raise DisturbedError(message) from error
        return message
    return warm and f"started warm, {warm}"


def _judgement(output: str, complaint: str) -> str | None:
    """Return why this is not the output of a confined probe; None when it is.

    Raise OSError for a disk that is full.

    DisturbedError, with the complaint, unless the result of each attempt is there.
    """
    whole_lines = output.split("\n")[:-1]
    results = dict(line.split(": ", 1) for line in whole_lines if ": " in line)
    if not results.keys() >= {*selftest_bot.ATTEMPTS, "play"}:
        raise DisturbedError(complaint)
    leaks = [name for name in selftest_bot.ATTEMPTS if results[name] != "no"]
    if leaks:
        return f"a bot could {', '.join(leaks)}"
    number, _, words = results["play"].partition(" ")
    if number == "yes":
        return None
    if int(number) in FULL_DISK:
        raise OSError(int(number), words)
    if int(number) in TEMPORARY:
        raise DisturbedError(words)
    return f"a bot could not play: {words}"


def _run_probe(launcher: Launcher, level: str, interpreter: tuple[str, ...]) -> tuple[str, str]:
    """Return the output of the probe, and what to say if that is not whole."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        secret = launcher.folder.path / "secret"
        secret.write_text("x")
        secret.chmod(0o644)
        targets = f"{os.getpid()} {server.getsockname()[1]} {secret}"
        bot = Bot(
            name="probe",
            command=(*interpreter, "selftest_bot.py", targets),
            digest="probe",
            files=selftest_bot.__file__,
        )
        child = launcher.start(bot, Conditions(sandbox=level), None)
        try:
            output, errors = _read_to_end((child.stdout, child.stderr), launcher.lifeline)
        finally:
            how = launcher.end(child, EXIT_GRACE_S)
            for descriptor in (child.stdin, child.stdout, child.stderr):
                os.close(descriptor)
    complaints = [line[:MESSAGE_LENGTH] for line in errors.splitlines() if line.strip()]
    end = f"within {OUTPUT_TIMEOUT_S:g} s" if how.killed else f"before its {how}"
    return output, child.error or (complaints or [f"the probe did not do all of its work {end}"])[
        -1
    ]


def _read_to_end(descriptors: tuple[int, ...], lifeline: int) -> list[str]:
    """Return the text of each pipe until its end; SpawnerLostError if the spawner ends before.

    A bwrap whose parent was killed while it started may live on for ever, and hold the pipes open.
    OUTPUT_TIMEOUT_S is for a probe that hangs. The size is not bounded, because the probe is
    arena's.
    """
    texts = dict.fromkeys(descriptors, b"")
    waiting, until = set(descriptors), time.monotonic() + OUTPUT_TIMEOUT_S
    while waiting and (seconds := until - time.monotonic()) > 0:
        # No request is on its way, so the lifeline can be read only when the spawner has ended.
        ready, _, _ = select.select([*waiting, lifeline], [], [], seconds)
        for descriptor in waiting.intersection(ready):
            if more := os.read(descriptor, 65536):
                texts[descriptor] += more
            else:
                waiting.remove(descriptor)
        if waiting and lifeline in ready:
            raise SpawnerLostError
    return [texts[descriptor].decode("utf-8", "replace") for descriptor in descriptors]
