"""What a bridge costs: `python benchmarks/bridges.py [REPEATS]`, 5 unless told.

On each board a bot that speaks the protocol itself, `plain`, plays each other bot: one that is like
it, and bots behind bridges. All answer at once, with the first legal move or by heart, so what
differs is the way of an answer. The table has what a turn was charged with and the CPU time that it
took, in the median, both after the first turn; the first turn; and what `plain` was charged with in
the same matches, since a bridge must not cost those who need none. The table is that of
docs/extras/bridges.md.
"""

import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from crowd import Silence

from arena import extensions
from arena.clock import TimeControl
from arena.event import discovery, tournament
from arena.games import rulebook
from arena.results.archive import Archive
from arena.sandbox import choice
from arena.values import Conditions, Event, Limits, Record, Turn

PLAIN = """\
import sys
for line in sys.stdin:
    if line == "ready?\\n": print("ready", flush=True); legal = ""
    elif line.startswith("turn"): legal = ""
    elif line.startswith("legal"): legal = legal or line[6:]
    elif line.startswith("go"): print(legal, end="", flush=True)
"""
KIT = "from arena import kit\n\nkit.run(lambda turn: turn.legal[0])\n"
CHESS = " ".join(f"{file}{start}{file}{end}" for start, end in ("23", "34") for file in "abcdefgh")
"""The moves of white, in order; those of black are the same from the other side."""
GO = " ".join(f"{column}{row}" for row in "12" for column in "ABCDEFGHJ")
ENGINES = {
    "uci": f"""\
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci": print("uciok", flush=True)
    elif words[0] == "isready": print("readyok", flush=True)
    elif words[0] == "position": number = max(0, len(words) - 3)
    elif words[0] == "go":
        move = "{CHESS}".split()[number // 2]
        if number % 2: move = move.translate(str.maketrans("234", "765"))
        print("bestmove", move, flush=True)
""",
    "xboard": f"""\
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "protover":
        print("feature ping=1 usermove=1 san=0 done=1", flush=True)
    elif words[0] == "new": number = 0
    elif words[0] == "usermove": number += 1
    elif words[0] == "ping": print("pong", words[1], flush=True)
    elif words[0] == "go":
        move = "{CHESS}".split()[number // 2]
        if number % 2: move = move.translate(str.maketrans("234", "765"))
        print("move", move, flush=True)
        number += 1
""",
    "gtp": f"""\
import sys
moves = iter("{GO}".split())
for line in sys.stdin:
    words = line.split()
    reply = ""
    if words[0] == "list_commands": reply = "genmove"
    elif words[0] == "genmove":
        reply = next(moves)
        if words[1] == "W": reply = reply.translate(str.maketrans("12", "98"))
    print("=", reply, "\\n", flush=True)
""",
}
BOARDS = {
    "connect_four": ("kaggle", "codingame", "pettingzoo"),
    "openspiel/breakthrough": ("openspiel",),
    "openspiel/chess": ("uci", "xboard"),
    "openspiel/go(board_size=9)": ("gtp",),
}


def write_bots(folder: Path, bridges: tuple[str, ...]) -> None:
    """Write a bot behind each bridge, and those without one."""
    folder.mkdir()
    for name, text in (("plain", PLAIN), ("plain, too", PLAIN), ("kit", KIT)):
        (folder / name.replace(", ", "_")).with_suffix(".py").write_text(text + f"# {name}\n")
    for bridge in bridges:
        bot = folder / bridge
        bot.mkdir()
        if bridge in ENGINES:
            (bot / "engine.py").write_text(ENGINES[bridge])
            settings = {"bridge": bridge, "command": "python engine.py"}
            lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
            (bot / "bot.toml").write_text("\n".join(lines))
            continue
        for path in extensions.file_beside(extensions.bridges()[bridge].skeleton).iterdir():
            if path.is_file():
                (bot / path.name).write_bytes(path.read_bytes())


def records(folder: Path, board: str, repeats: int) -> Iterator[Record]:
    """Play `plain` against each other bot, and yield the records."""
    event = Event(
        name="bridges",
        seed=1,
        boards=tuple(rulebook.find(board)),
        bots=discovery.gather(folder / "bots"),
        schedule="gauntlet",
        references=("plain",),
        repeats=repeats,
        conditions=Conditions(
            time=TimeControl(start=60.0, move=10.0),
            limits=Limits(processes=2),
            sandbox=choice.choose("auto", unsafe=False),
        ),
    )
    tournament.run(event, folder / "results", workers=1, audience=Silence())
    with Archive.open(folder / "results") as archive:
        yield from archive.records()


def milliseconds(turns: list[Turn], *, cpu: bool = False) -> str:
    """Return what turns were charged with in the median, or their CPU time."""
    seconds = [turn.cpu if cpu else turn.spent.fair() for turn in turns]
    return f"{1000 * median(seconds):.2f}" if seconds else "-"


def main(repeats: int) -> None:
    """Print the table."""
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print("| board | bot | ms a turn | CPU ms | first turn, ms | `plain` against it, ms | turns |")
    print("|---|---|---|---|---|---|---|")
    for board, bridges in BOARDS.items():
        first: defaultdict[str, list[Turn]] = defaultdict(list)
        later: defaultdict[str, list[Turn]] = defaultdict(list)
        against: defaultdict[str, list[Turn]] = defaultdict(list)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_bots(folder / "bots", bridges)
            for record in records(folder, board, repeats):
                bots = {seat.role: seat.bot.name for seat in record.match.seats}
                (other,) = set(bots.values()) - {"plain"}
                seen: set[str] = set()
                for turn in record.turns:
                    bot = bots[turn.role]
                    if bot not in seen:
                        seen.add(bot)
                        first[bot].append(turn)
                    elif bot == "plain":
                        against[other].append(turn)
                    else:
                        later[bot].append(turn)
        for bot in ("plain_too", "kit", *bridges):
            print(
                f"| `{board}` | {bot} | {milliseconds(later[bot])} "
                f"| {milliseconds(later[bot], cpu=True)} | {milliseconds(first[bot])} "
                f"| {milliseconds(against[bot])} | {len(later[bot])} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
