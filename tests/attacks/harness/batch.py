"""Plays attacks at one stand, many side by side, and prints as JSON what came of each. A script;
stands.py runs it.

Theory of operation. An attack is a bot: it makes its attempt as soon as it starts, whatever comes
of it, then answers `ready` and stays until its input ends (attack.py). It is believed nothing, and
nothing in arena is asked either. This process holds the targets (files, sockets, an opponent with a
secret, a terminal), and looks at them, at /proc and at what the kernel keeps, before, during and
after. It runs as the user whose files and processes are at stake, as the referee does.

A stand has about 150 attacks, and most of a scene is waiting: for an interpreter, a deadline, the
end of a process. So a batch of scenes goes through these steps together.

1. Targets are put in place (`prepare`); opponents and accomplices start, and say that they are
  ready.
2. Attackers start (`enter`) and are asked whether they are ready, all at once, by the same code as
  in a match. Whoever answers is frozen. Whoever goes beyond a limit is ended by the watchdog: its
  result is `watched`.
3. While all of them are frozen, each scene looks as its proof asks (`look`): it is too late
  afterwards for what a process holds, and too early before for what it does when it is not asked.
4. All bots end (`end_bots`), and each scene is judged before the sweep, since the sweep takes away
  what some proofs are of.
5. The door sweeps, as after a match. What then still has one of the scenes' rooms in its
  environment has outlived it; so has what lies in a folder or in the kernel under a name that only
  this scene knows. It is noted as a leak, which is another question than whether the attack worked,
  and taken away.

Every name, key and secret is drawn anew for each scene, so that neighbours are not mistaken for one
another. Scenes that cannot have neighbours are played `alone`: those that concern every process,
and those that take so much that a neighbour would feel it. What these take at most is seen by a
thread that looks all the time, since the watchdog ends them before anybody could ask.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import outside
from outside import Process
from scene import Scene, Stage
from table import EXPECTED, PATIENCE_S, RAN_ON, SIGNALS

from arena.match.bot import LiveBot
from arena.match.polling import ask_all
from arena.protocol import Ask
from arena.sandbox import procfs, selftest
from arena.sandbox.launcher import Launcher
from arena.sandbox.levels import CONFINING

SIDE_BY_SIDE = 14
FROZEN_S = 0.15
"""So long a bot is watched that is not asked: it should use no CPU. That is 50 times what proves
that it did."""
STOPPING_S = 0.25
"""So long it may take until all threads of a bot have seen that they are stopped."""
SAMPLED_S = 0.01
"""Between two looks at a scene that is played alone."""
OUTLIVES = "outlives_its_spawner"
"""The attack whose spawner is killed."""
COMMONS = 16
MEMORY = {"kernel": "Slab", "shared": "Shmem", "tables": "PageTables"}
"""Measures of the whole machine's memory, and their names in /proc/meminfo."""


@contextlib.contextmanager
def sampled(scene: Scene) -> Iterator[None]:
    """Look at a scene again and again meanwhile, and keep the most that there was of what its proof
    asks for.
    """
    name, over, children = scene.row.proof.peak[0], threading.Event(), set()
    at_first = outside.memory_of_the_machine(MEMORY[name]) if name in MEMORY else 0

    def measured() -> int:
        if name in MEMORY:
            return outside.memory_of_the_machine(MEMORY[name]) - at_first
        if name == "memory_files":
            return Process(scene.bot.program).memory_files
        if name in ("stored", "files"):
            return scene.in_scratch()[name == "files"]
        pids = {scene.bot.child.pid, *outside.below(scene.bot.child.pid)}
        children.update(pids)
        processes = [process for pid in pids if (process := procfs.see(pid)) is not None]
        return {
            "processes": len(processes),
            "threads": sum(process.threads for process in processes),
            "memory": sum(process.resident for process in processes),
            "children": len(children),
            "ended": len(pids) - len(processes),
        }[name]

    def look() -> None:
        look_s = (
            0.0  # a look at hundreds of processes takes long, and must leave the referee its time
        )
        while not over.wait(SAMPLED_S + 2 * look_s):
            begun = time.monotonic()
            scene.peak = max(scene.peak, measured())
            look_s = time.monotonic() - begun

    sampler = threading.Thread(target=look)
    sampler.start()
    try:
        yield
    finally:
        over.set()
        sampler.join()


def ask(bots: list[LiveBot], patience: float = PATIENCE_S) -> None:
    """Have these bots say that they are ready, all at once."""
    if bots:
        question = Ask(text=b"ready?\n", announced=None, deadline=patience, ready=True)
        ask_all({bot.role: bot for bot in bots}, {bot.role: question for bot in bots})


def take(step: Callable[[Scene], None], scenes: list[Scene]) -> None:
    """Take a step of each scene. A scene in which that fails is broken: it says why, and the others
    go on.
    """
    for scene in scenes:
        if not scene.broken:
            try:
                step(scene)
            except Exception:  # noqa: BLE001 (the test of this attack shows it, whatever it is)
                scene.broken = traceback.format_exc()


def play(stage: Stage, names: list[str]) -> list[Scene]:
    """Play these attacks side by side, from their beginning to their end; return their scenes."""
    scenes = [Scene(stage, name) for name in names]
    take(Scene.prepare, scenes)
    ask([bot for scene in scenes for bot in (scene.opponent, scene.accomplice) if bot])
    limit = outside.own_limit()
    take(Scene.enter, scenes)
    entered = [scene for scene in scenes if scene.bot]
    with sampled(scenes[0]) if entered and scenes[0].row.proof.peak else contextlib.nullcontext():
        ask([scene.bot for scene in entered], scenes[0].row.patience)
    watch_frozen([scene for scene in entered if scene.row.proof is RAN_ON])
    take(Scene.look, scenes)
    if names == [OUTLIVES]:
        os.kill(stage.launcher._spawner.pid, signal.SIGKILL)
        until = time.monotonic() + 0.5
        while time.monotonic() < until and scenes[0].processes():
            time.sleep(0.01)
    else:
        for scene in scenes:
            scene.end_bots()
        take(Scene.see_what_is_left, scenes)
    outside.set_own_limit(limit[0])
    take(Scene.judge, scenes)
    if names == [OUTLIVES]:
        stage.launcher.close()
    else:
        stage.launcher.sweep()
    survivors = list(outside.marked([scene.mark for scene in entered]))
    for scene in entered:
        scene.note_what_outlived_it([pid for mark, pid in survivors if mark == scene.mark])
    for scene in scenes:
        scene.leaving.close()
    return scenes


def watch_frozen(scenes: list[Scene]) -> None:
    """See how much CPU these use while they are not asked.

    A bot that is stopped may run for a moment more: on a busy machine its threads run on until they
    have seen the signal. So its use counts from when all of them have stopped; that they never do
    is its use, too.
    """
    until = time.monotonic() + STOPPING_S
    before = {}
    for scene in scenes:
        while set(procfs.states(scene.bot.program or 0)) - {b"T"} and time.monotonic() < until:
            time.sleep(0.002)
        before[scene] = scene.bot.cpu()
    time.sleep(FROZEN_S if scenes else 0.0)
    for scene in scenes:
        scene.used_while_frozen = scene.bot.cpu() - before[scene]


def commons() -> dict[str, socket.socket]:
    """Return files that everybody may read, and claims to them, so that no other batch on this
    machine has them.

    Else its locks would be read as ours.
    """
    folders = (Path("/usr/bin").iterdir(), Path("/usr/lib").glob("python3*/*.py"))
    paths = [path for folder in folders for path in folder]
    random.SystemRandom().shuffle(paths)
    claims: dict[str, socket.socket] = {}
    for path in paths:
        usable = (
            len(claims) < COMMONS
            and path.is_file()
            and not path.is_symlink()
            and os.access(path, os.R_OK)
        )
        if usable and (claim := outside.claim(str(path))) is not None:
            claims[str(path)] = claim
    return claims


def main() -> None:
    """Play everything; print what came of it."""
    order = json.load(sys.stdin)
    if order["level"] in CONFINING and (why := selftest.failure(order["level"], order["python"])):
        print(json.dumps({"unavailable": why}))
        return
    rules = Path.cwd() / "rules"
    rules.mkdir()
    (rules / "game.py").touch()
    claims = commons()
    innocent = Path.cwd() / "innocent"
    # Open, as folders are; where nothing confines, private, as a careful organiser has it: a walk
    # up would find it.
    innocent.mkdir(mode=0o755 if order["level"] in CONFINING else 0o700)
    for name in ("innocent.py", "innocent.sh"):
        shutil.copy(Path(__file__).with_name(name), innocent)
    (innocent / "secret.txt").write_text(
        order["token"].ljust(random.SystemRandom().randrange(1000, 10_000), ".")
    )
    for number in range(COMMONS):
        (rules / f"note{number:02}.toml").write_text("# nothing\n")
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    # Those that nobody answers for are in one batch, which waits for all of them at once; so are
    # those that run on.
    crowd = sorted(
        (name for name in order["names"] if not EXPECTED[name].alone),
        key=lambda name: EXPECTED[name].proof is RAN_ON,
    )
    hasty = [name for name in crowd if EXPECTED[name].patience != PATIENCE_S]
    patient = [name for name in crowd if name not in hasty]
    batches = [
        hasty,
        *(patient[first : first + SIDE_BY_SIDE] for first in range(0, len(patient), SIDE_BY_SIDE)),
    ]
    batches += [[name] for name in order["names"] if EXPECTED[name].alone]
    results = {}
    with Launcher() as launcher:
        stage = Stage(
            launcher=launcher,
            level=order["level"],
            warm=order["warm"],
            python=order["python"],
            token=order["token"],
            folder=Path.cwd(),
            rules=rules / "game.py",
            bots=Path(__file__).parents[1],
            innocent=innocent,
            commons=tuple(claims),
        )
        for names in filter(None, batches):
            begun = time.monotonic()
            with (
                outside.waited_for("alone")
                if EXPECTED[names[0]].alone
                else contextlib.nullcontext()
            ):
                # No other batch on this machine plays such an attack meanwhile: it may signal every
                # process of the machine, or take memory that another attack's measure of the whole
                # machine sees.
                scenes = play(
                    replace(stage, launcher=Launcher()) if names == [OUTLIVES] else stage, names
                )
            for scene in scenes:
                if scene.broken:
                    results[scene.name] = {"broken": scene.broken}
                    continue
                results[scene.name] = {
                    "result": scene.result,
                    "left": scene.left,
                    "peak": scene.peak,
                    "ending": scene.bot.reply.ending or "ready",
                    "words": scene.bot.reply.words,
                    "said": scene.said[-600:],
                    "confined": scene.bot.child.confined,
                    "warm": scene.bot.child.spec.warm,
                    "seconds": round(time.monotonic() - begun, 2),
                }
        spawner, until = launcher._spawner.pid, time.monotonic() + 60
        while below := [
            pid
            for pid in outside.below(spawner)
            if Process(pid).text("comm").strip() != "arena-spare"
            or pid not in procfs.children(spawner)
        ]:
            if time.monotonic() > until:
                break
            # A spare process gets its name after the fork, and a killed process takes a moment to
            # end.
            time.sleep(0.05)
    print(
        json.dumps(
            {"results": results, "below": below, "rest": sorted(os.listdir(os.environ["TMPDIR"]))}
        )
    )
    for claim in claims.values():
        claim.close()


if __name__ == "__main__":
    main()
