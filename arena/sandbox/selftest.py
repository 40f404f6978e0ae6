"""The self-test: run the real launcher with a probe that tries to get out, and trust only that.

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

COLD_FLAGS = ("-s", "-S", "-E", "-B")
"""The flags of the quickest start."""
OUTPUT_TIMEOUT_S = 20.0
"""The time that an interpreter has on a busy machine until its output ends."""
EXIT_GRACE_S = 1.0
"""The time that a probe has to exit by itself after it has closed its output. If it were killed,
its exit status would not be its own."""
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
        f"sandbox: the self-test of {level!r} was disturbed {TRIES} times ({cause}), so it is not "
        "known whether this machine can confine bots; nothing was played: mend that, or find what "
        "ends processes of arena here, and run the same command again"
    )


def _try(level: str, python: str) -> str | None:
    """Test a level once; return why it fails, or None.

    Raise DisturbedError or SpawnerLostError when there is no result.
    """
    try:
        with Launcher() as launcher, launcher.folder.full_disk():
            output, complaint = _run_probe(launcher, level, (python, *COLD_FLAGS))
            failure_of_cold_start = _judgement(output, complaint)
            has_warm_starts = python == PYTHON and not levels.TABLE[level].wrapped
            if failure_of_cold_start is not None or not has_warm_starts:
                return failure_of_cold_start
            output, complaint = _run_probe(launcher, level, (python, *FLAGS))
            failure_of_warm_start = _judgement(output, complaint)
    except ConfinementError as error:
        message = str(error).removeprefix(f"{level}: ")
        if error.passing:
            raise DisturbedError(message) from error
        return message
    if failure_of_warm_start is None:
        return None
    return f"started warm, {failure_of_warm_start}"


def _judgement(output: str, complaint: str) -> str | None:
    """Return why this is not the output of a confined probe; None when it is.

    Raise DisturbedError, with the complaint, unless the result of each attempt is there. Raise
    OSError for a disk that is full.
    """
    results: dict[str, str] = {}
    for line in output.split("\n")[:-1]:  # whole lines
        attempt, separator, result = line.partition(": ")
        if separator:
            results[attempt] = result
    expected = {"play"}.union(selftest_bot.ATTEMPTS)
    if not results.keys() >= expected:
        raise DisturbedError(complaint)
    leaks = [name for name in selftest_bot.ATTEMPTS if results[name] != "no"]
    if leaks:
        return f"a bot could {', '.join(leaks)}"
    number, _, text = results["play"].partition(" ")
    if number == "yes":
        return None
    if int(number) in FULL_DISK:
        raise OSError(int(number), text)
    if int(number) in TEMPORARY:
        raise DisturbedError(text)
    return f"a bot could not play: {text}"


def _run_probe(
    launcher: Launcher,
    level: str,
    interpreter: tuple[str, ...],
) -> tuple[str, str]:
    """Return the output of the probe, and the complaint if that is not whole."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        secret = launcher.folder.path / "secret"
        secret.write_text("x")
        secret.chmod(0o644)
        _, port = server.getsockname()
        targets = f"{os.getpid()} {port} {secret}"
        bot = Bot(
            name="probe",
            command=(*interpreter, "selftest_bot.py", targets),
            digest="probe",
            files=selftest_bot.__file__,
        )
        child = launcher.start(bot, Conditions(sandbox=level), None)
        try:
            pipes = (child.stdout, child.stderr)
            output, errors = _read_to_end(pipes, launcher.lifeline)
        finally:
            end = launcher.end(child, EXIT_GRACE_S)
            for descriptor in (child.stdin, child.stdout, child.stderr):
                os.close(descriptor)
    if child.error:
        return output, child.error
    complaints = [line for line in errors.splitlines() if line.strip()]
    if complaints:
        return output, complaints[-1][:MESSAGE_LENGTH]
    moment = f"before its {end}"
    if end.killed:
        moment = f"within {OUTPUT_TIMEOUT_S:g} s"
    return output, f"the probe did not do all of its work {moment}"


def _read_to_end(descriptors: tuple[int, ...], lifeline: int) -> list[str]:
    """Return the text of each pipe until its end.

    Raise SpawnerLostError if the spawner ends before: a bwrap whose parent was killed while it
    started may live on for ever, and hold the pipes open. OUTPUT_TIMEOUT_S is for a probe that
    hangs. The size is not bounded, because the probe is arena's.
    """
    texts = dict.fromkeys(descriptors, b"")
    waiting = set(descriptors)
    until = time.monotonic() + OUTPUT_TIMEOUT_S
    while waiting:
        seconds = until - time.monotonic()
        if seconds <= 0:
            break
        # No request is on its way, so the lifeline can be read only when the spawner has ended.
        watched = [*waiting, lifeline]
        ready, _, _ = select.select(watched, [], [], seconds)
        for descriptor in waiting.intersection(ready):
            part = os.read(descriptor, 65536)
            texts[descriptor] += part
            if not part:
                waiting.remove(descriptor)
        if waiting and lifeline in ready:
            raise SpawnerLostError
    return [texts[descriptor].decode("utf-8", "replace") for descriptor in descriptors]
