"""Who loses on time on a crowded machine: `python benchmarks/crowd.py [LANES] [SPINNERS]
[REPEATS]`.

Matches are played in many more lanes than there are cores (24), beside programs that do nothing but
spin (8). Quick bots answer at once, or think for a few milliseconds, and should never lose on time.
Late bots need a little longer than they may, and each of their matches should be lost on time at
the first answer: they sleep whole or in pieces, sleep before they compute or after it, or sleep
while a thread or a process of theirs computes. Wrappers start an engine, a second process, and wait
for it at each answer.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tables import print_table

from arena import system
from arena.clock import TimeControl
from arena.event import discovery, tournament
from arena.games import rulebook
from arena.results.archive import Archive
from arena.sandbox import choice
from arena.values import Abort, Conditions, Ending, Event, Fault, Limits, Record

MOVE_S, MARGIN_S = 0.1, 0.05
LATE_S = MOVE_S + MARGIN_S + 0.02
HEAD = """
import os, sys, threading, time
LATE = {late}
def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
def spin_in_thread():
    def run():
        while True: spin(0.002); time.sleep(0.02)
    threading.Thread(target=run, daemon=True).start()
def spin_in_process():
    if os.fork() == 0:
        os.closerange(0, 3)
        while os.getppid() != 1: spin(0.002); time.sleep(0.02)
        os._exit(0)
def engine(work):
    down, up = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.close(down[1])
        while os.read(down[0], 1):
            work()
            os.write(up[1], b"x")
        os._exit(0)
    def think():
        os.write(down[1], b"x")
        os.read(up[0], 1)
    return think
{start}
for line in sys.stdin:
    if line == "ready?\\n": print("ready", flush=True)
    elif line.startswith("legal"): move = line[6:]
    elif line.startswith("go"):
        {answer}
        print(move, end="", flush=True)
"""
QUICK = {
    "quick": ("", "pass"),
    "thinker": ("", "spin(0.01)"),
}
QUICK_PROCESSES = {
    "quick_family": ("spin_in_process()", "pass"),
    "quick_wrapper": ("think = engine(lambda: None)", "think()"),
    "thinking": ("think = engine(lambda: spin(0.05))", "think()"),
}
LATE = {
    "sleeper": ("", "time.sleep(LATE)"),
    "napper": ("", "for _ in range(17): time.sleep(LATE / 17)"),
    "spins_first": ("", "spin(0.02); time.sleep(LATE - 0.02)"),
    "sleeps_first": ("", "time.sleep(LATE - 0.02); spin(0.02)"),
    "threaded": ("spin_in_thread()", "time.sleep(LATE)"),
}
LATE_PROCESSES = {
    "late_wrapper": ("think = engine(lambda: time.sleep(LATE))", "think()"),
    "napping": ("think = engine(lambda: [time.sleep(LATE / 17) for _ in range(17)])", "think()"),
    "forks": (
        "",
        "child = os.fork()\n        if child == 0: spin(LATE); os._exit(0)\n        os.wait()",
    ),
    "family": ("spin_in_process()", "time.sleep(LATE)"),
}


class Silence:
    """An audience that counts."""

    def __init__(self) -> None:
        self.aborts = 0

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        print(f"{bot} is absent: {fault.words}")

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        del abort
        self.aborts += 1


def played(
    folder: Path, bots: dict[str, tuple[str, str]], processes: int, lanes: int, repeats: int
) -> list[list[object]]:
    """Play each bot against the first, and return a row for each: how many seats lost on time."""
    (folder / "bots").mkdir()
    for name, (start, answer) in bots.items():
        text = HEAD.format(late=LATE_S, start=start, answer=answer) + f"# {name}\n"
        (folder / "bots" / f"{name}.py").write_text(text)
    event = Event(
        name="crowd",
        seed=1,
        boards=tuple(rulebook.find("mummy_maze/duel")),
        bots=discovery.gather(folder / "bots"),
        schedule="gauntlet",
        references=(next(iter(bots)),),
        repeats=repeats,
        conditions=Conditions(
            time=TimeControl(start=60.0, move=MOVE_S, margin=MARGIN_S),
            limits=Limits(processes=processes),
            sandbox=choice.choose("auto", unsafe=False),
        ),
    )
    silence = Silence()
    tournament.run(event, folder / "results", workers=lanes, audience=silence)
    seats: Counter[str] = Counter()
    endings: dict[str, Counter[str]] = {name: Counter() for name in bots}
    turns = 0
    with Archive.open(folder / "results") as archive:
        for match in archive.played():
            turns += match.turns
            for role, bot in match.seats.items():
                seats[bot] += 1
                if role in match.endings:
                    endings[bot][match.endings[role]] += 1
    rows: list[list[object]] = []
    for name in bots:
        late = endings[name].pop(Ending.TIMEOUT, 0)
        others = ", ".join(f"{count} {ending}" for ending, count in endings[name].items())
        wanted = "none" if name in QUICK | QUICK_PROCESSES else "all"
        rows.append([f"`{name}`", processes, f"{late} of {seats[name]}", wanted, others])
    print(f"{turns} turns, {silence.aborts} matches aborted", file=sys.stderr)
    return rows


def main() -> None:
    """Play both groups of bots, and print what became of them."""
    lanes, spinners, repeats = (
        int(word) for word in (*sys.argv[1:], *("24", "8", "10")[len(sys.argv) - 1 :])
    )
    spinning = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(spinners)
    ]
    rows = []
    try:
        for processes, bots in ((1, QUICK | LATE), (2, QUICK_PROCESSES | LATE_PROCESSES)):
            with tempfile.TemporaryDirectory() as name:
                rows += played(Path(name), bots, processes, lanes, repeats)
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    load = f"load {os.getloadavg()[0]:.0f} at the end"
    limits = f"{1000 * MOVE_S:.0f} ms a move, margin {1000 * MARGIN_S:.0f} ms"
    title = f"{limits}; {lanes} lanes on {len(system.cores())} cores, {spinners} programs that spin"
    head = ["bot", "processes", "lost on time", "should be", "other faults"]
    print_table(f"{title}, {load}", head, rows)


if __name__ == "__main__":
    main()
