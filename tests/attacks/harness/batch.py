"""Every attack at one level, by one user: plays the scenes, many side by side, and prints what was found as JSON.

Run as a script, with the folder that has arena in it on PYTHONPATH, and what is wanted as JSON on its input.
"""

import json
import os
import platform
import random
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import facts
import machine
import truth
from scene import SETTING, Scene, Stage
from table import EXPECTED, PATIENCE

import arena.sandbox.door
from arena.converse import converse
from arena.protocol import Ask
from arena.sandbox import procfs, trial
from arena.sandbox.door import Door

SIDE_BY_SIDE = 14
FROZEN = 0.25  # seconds in which a bot that is not asked should use no CPU
LOOK = 0.004
COMMONS = 16
CLAIMS: list[socket.socket] = []
"""A name for each of our common files, held while we play."""


class Sampler:
    """Looks at one scene again and again while it is played: the most that there was of what its proof asks for."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._over = scene, threading.Event()
        self._name = getattr(scene.row.truth, "measures", "")
        self._children: set[int] = set()
        self._kernel = _kernel_memory()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        peaks = self._scene.peaks
        while self._name and not self._over.wait(LOOK):
            peaks[self._name] = max(peaks.get(self._name, 0), self._measure())

    def _measure(self) -> int:
        child, program = self._scene.bot._child, self._scene.bot._child.program()
        if self._name == "kernel":
            return _kernel_memory() - self._kernel
        if self._name == "memory_files":
            return facts.memory_files(program) if program else 0
        if self._name in ("stored", "files"):
            stored, files, _ = machine.scratch(program, child.plan.scratch) if program else (0, 0, False)
            return stored if self._name == "stored" else files
        pids = {child.pid, *procfs.below(child.pid)}
        self._children |= pids
        seen = [one for pid in pids if (one := procfs.see(pid)) is not None]
        return {
            "processes": len(seen),
            "threads": sum(one.threads for one in seen),
            "memory": sum(one.resident for one in seen),
            "children": len(self._children),
        }[self._name]


def _kernel_memory() -> int:
    """Bytes that the kernel has taken for itself."""
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    return int(lines["Slab"].split()[0]) * 1024


def play(stage: Stage, scenes: list[Scene]) -> None:
    """These scenes, side by side, from their beginning to their end."""
    setting = Path(SETTING).read_text()
    for scene in scenes:
        scene.prepare()
    ask(scenes, "opponent")
    ask(scenes, "accomplice")
    for scene in scenes:
        scene.enter()
    if len(scenes) == 1 and scenes[0].row.alone:
        with Sampler(scenes[0]):
            ask(scenes, "bot")
    else:
        ask(scenes, "bot")
    frozen = [scene for scene in scenes if scene.row.truth is truth.ran_on]
    before = {scene: settled(scene) for scene in frozen}
    time.sleep(FROZEN if frozen else 0.0)
    for scene in frozen:
        scene.used_while_frozen = used(scene) - before[scene]
    pending = machine.pending()
    mark(scenes, "processes")
    for scene in scenes:
        scene.signals = pending
        scene.look()
    for scene in scenes:
        scene.end()
        if scene.name == "writes_system_settings":
            scene.setting_changed = Path(SETTING).read_text() != setting
            if scene.setting_changed:
                Path(SETTING).write_text(setting)
    machine.set_own_limit(scenes[0].canary_before[2])
    mark(scenes, "stays")  # until the sweep
    stage.door.sweep()
    mark(scenes, "survivors")
    for scene in scenes:
        scene.clean()


def mark(scenes: list[Scene], name: str) -> None:
    """Keep the processes of each scene, in whatever session they hide, under this name."""
    found = machine.marked([scene.mark for scene in scenes])
    for scene in scenes:
        setattr(scene, name, found[scene.mark])


def settled(scene: Scene) -> float:
    """What it has used when it has stopped: on a busy machine a thread runs on until another has seen the signal."""
    until = time.monotonic() + FROZEN
    while facts.stopped(scene.bot._child.program()) is False and time.monotonic() < until:
        time.sleep(0.002)
    return used(scene)


def used(scene: Scene) -> float:
    """Seconds of CPU so far; 0 once it has ended."""
    return scene.bot._meter.read().cpu if scene.bot._exit is None else 0.0


def ask(scenes: list[Scene], part: str) -> None:
    """Have these bots say that they are ready, all at once."""
    bots = {scene.name: getattr(scene, part) for scene in scenes if getattr(scene, part) is not None}
    asks = {
        scene.name: Ask(
            text=b"ready?\n", told=None, deadline=scene.row.patience if part == "bot" else PATIENCE, ready=True
        )
        for scene in scenes
        if scene.name in bots
    }
    for bot in bots.values():
        bot.role = next(name for name, one in bots.items() if one is bot)
    if bots:
        converse(bots, asks)


def outlive(stage: Stage, name: str) -> Scene:
    """A scene whose spawner is killed: whether its attacker lives on."""
    with Door() as door:
        scene = Scene(Stage(**{**vars(stage), "door": door}), name, EXPECTED[name])
        scene.prepare()
        scene.enter()
        ask([scene], "bot")
        mark([scene], "processes")
        scene.look()
        os.kill(door._spawner.pid, signal.SIGKILL)
        until = time.monotonic() + 0.5
        while time.monotonic() < until and machine.marked([scene.mark])[scene.mark]:
            time.sleep(0.01)
        mark([scene], "stays")
    mark([scene], "survivors")
    scene.left = [f"process {pid}" for pid in scene.survivors]
    return scene


def verdict(scene: Scene) -> str:
    """`watched`, `possible` or `stopped`."""
    heard = scene.bot.heard
    if heard is not None and heard.ending == "limit_exceeded":
        return "watched"
    return "possible" if scene.row.truth(scene) else "stopped"


def found(scene: Scene, seconds: float) -> dict[str, object]:
    """What is told of a scene."""
    heard = scene.bot.heard
    return {
        "result": verdict(scene),
        "left": scene.left,
        "peaks": scene.peaks,
        "ending": heard and (heard.ending or "ready"),
        "words": heard and heard.words,
        "said": scene.said[-600:],
        "confined": scene.bot._child.confined,
        "warm": scene.bot._child.plan.warm,
        "seconds": round(seconds, 2),
    }


def stage_for(order: dict[str, str], door: Door) -> Stage:
    """All that the scenes share."""
    folder = Path(order["folder"])
    rules = folder / "rules"
    rules.mkdir()
    (rules / "game.py").touch()
    for number in range(COMMONS):
        (rules / f"note{number:02}.toml").write_text("# nothing\n")
    return Stage(
        door=door,
        level=order["level"],
        warm=order["warm"],
        python=order["python"],
        folder=folder,
        token=order["token"],
        arena_file=Path(arena.sandbox.door.__file__),
        rules=rules / "game.py",
        commons=commons(),
    )


def commons() -> tuple[str, ...]:
    """Files that everybody may read, and that no other batch on this machine has: its locks would be read as ours."""
    places = (Path("/usr/bin").iterdir(), Path("/usr/lib").glob("python3*/*.py"))
    everybodys = {path.resolve() for place in places for path in place if path.is_file() and os.access(path, os.R_OK)}
    ours: list[str] = []
    for path in random.SystemRandom().sample(sorted(everybodys), len(everybodys)):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0arena-attacks-{path}"[:100])
        except OSError:
            claim.close()
            continue
        CLAIMS.append(claim)
        ours.append(str(path))
        if len(ours) == COMMONS:
            break
    return tuple(ours)


def main() -> None:
    """Play everything; print what was found."""
    order = json.load(sys.stdin)
    if order["level"] in ("landlock", "bubblewrap") and (why := trial.failure(order["level"], order["python"])):
        print(json.dumps({"unavailable": why}))
        return
    results = {}
    wanted = set(order.get("only") or EXPECTED)
    names = [name for name in EXPECTED if name in wanted and order["expected"].get(name) != "-"]
    names = [name for name in names if EXPECTED[name].architecture in ("", platform.machine())]
    crowd = [name for name in names if not EXPECTED[name].alone and name != "outlives_its_spawner"]
    groups = [crowd[first : first + SIDE_BY_SIDE] for first in range(0, len(crowd), SIDE_BY_SIDE)]
    groups += [[name] for name in names if EXPECTED[name].alone]
    with Door() as door:
        stage = stage_for(order, door)
        signal.pthread_sigmask(signal.SIG_BLOCK, truth.SIGNALS)
        for group in groups:
            begun = time.monotonic()
            scenes = [Scene(stage, name, EXPECTED[name]) for name in group]
            play(stage, scenes)
            results |= {scene.name: found(scene, time.monotonic() - begun) for scene in scenes}
        if "outlives_its_spawner" in names:
            scene = outlive(stage, "outlives_its_spawner")
            results[scene.name] = found(scene, 0.0)
        spares = {pid for pid in procfs.children(door._spawner.pid) if facts.waits(pid)}
        below = sorted({*procfs.below(door._spawner.pid)} - spares)
    rest = sorted(str(path.name) for path in Path(os.environ["TMPDIR"]).iterdir())
    print(json.dumps({"results": results, "below": below, "rest": rest}))


if __name__ == "__main__":
    main()
