"""The start-up self-test: run the real launcher with a probe that tries to get out, and believe only what it found.

It costs one start of an interpreter, and a warm one where bots are started warm, which must hold as well. The probe is
a bot like any other; the door does not know it from one.
"""

import json
import os
import select
import socket
import time

from arena.match import Bot, Conditions
from arena.sandbox import probe
from arena.sandbox.door import PYTHON, WARM, ConfinementError, Door, SpawnerLostError
from arena.sandbox.warm import FLAGS

COLD = ("-s", "-S", "-E", "-B")  # as quick as can be
PATIENCE = 20.0  # seconds: an interpreter on a busy machine


def failure(level: str, python: str = PYTHON) -> str | None:
    """Why a level does not confine here; None when the probe, run by `python`, could do nothing that it should not."""
    try:
        with Door() as door:
            cold = _judged(*_run(door, level, (python, *COLD)))
            if cold is not None or python != PYTHON or level not in WARM:
                return cold
            warm = _judged(*_run(door, level, (python, *FLAGS)))
    except (ConfinementError, SpawnerLostError) as error:
        return str(error).removeprefix(f"{level}: ")
    return warm and f"started warm, {warm}"


def _judged(said: str, complaint: str) -> str | None:
    """Why this is not what a confined probe says."""
    try:
        found = json.loads(said)
    except ValueError:
        return complaint or "the probe did not answer"
    if not found.get("plays"):
        return f"a bot could not play: {found.get('why', 'no scratch folder')}"
    leaks = [name for name in probe.ATTEMPTS if found.get(name) is not False]
    return f"a bot could {', '.join(leaks)}" if leaks else None


def _run(door: Door, level: str, interpreter: tuple[str, ...]) -> tuple[str, str]:
    """What the probe printed, and the last line of what was complained of."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        secret = door.folder.path / "secret"
        secret.write_text("x")
        secret.chmod(0o644)
        targets = json.dumps([str(secret), os.getpid(), server.getsockname()[1]])
        bot = Bot(
            name="probe",
            command=(*interpreter, "probe.py", targets),
            digest="probe",
            files=probe.__file__,
        )
        child = door.start(bot, Conditions(sandbox=level), None)
        try:
            said, complaint = (_all_of(descriptor) for descriptor in (child.stdout, child.stderr))
        finally:
            door.end(child)
            for descriptor in (child.stdin, child.stdout, child.stderr):
                os.close(descriptor)
    lines = [line for line in complaint.splitlines() if line.strip()]
    return said, child.error or (lines[-1][:300] if lines else "")


def _all_of(descriptor: int) -> str:
    """Everything until the end, which is bounded: the probe is ours."""
    data, until = b"", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if select.select([descriptor], [], [], max(0.0, until - time.monotonic()))[0]:
            more = os.read(descriptor, 65536)
            if not more:
                break
            data += more
    return data.decode("utf-8", "replace")
