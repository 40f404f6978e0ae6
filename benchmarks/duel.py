"""A game for benchmarks: mummy_maze/duel made longer, between bots that stand still, so that it is
played to its end.

Shared by the benchmarks beside it. The bots read their lines as students' bots do, one at a time.
"""

import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from side_by_side import public_folder

from arena import rulefile
from arena.clock import TimeControl
from arena.game import Role
from arena.games import rulebook
from arena.match.play import play
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Conditions, Match, Record, Seat

DOCS = Path(__file__).parent.parent / "docs"
PYTHON_BOT = """\
import sys
for line in sys.stdin:
    if line.startswith("legal"): move = line[6:]
    elif line.startswith("go"): print(move, end="", flush=True)
    elif line == "ready?\\n": print("ready again", flush=True)
"""
PYTHON = ("{python}", "-s", "-B", "-u", "bot.py")


def board(turns: int) -> Board:
    """The duel with this number of turns."""
    workspace = public_folder()
    shutil.copytree(rulefile.shipped(), workspace / "rules")
    boards = workspace / "rules" / "mummy_maze.toml"
    before, table, rest = boards.read_text().partition("[duel]\n")
    boards.write_text(
        before
        + table
        + re.sub(r"^steps = \d+", f"steps = {turns}", rest, count=1, flags=re.MULTILINE)
    )
    (found,) = rulebook.find("mummy_maze/duel", workspace)
    return found


def python_bot(text: str = PYTHON_BOT) -> Bot:
    """A bot in Python, in a folder that everybody may read."""
    folder = public_folder()
    (folder / "bot.py").write_text(text)
    return Bot(
        name="python", command=PYTHON, digest=str(abs(hash(text))), files=str(folder / "bot.py")
    )


def program_bot(program: Path) -> Bot:
    """A bot that is a program."""
    return Bot(
        name=program.stem, command=(f"./{program.name}",), digest=program.stem, files=str(program)
    )


def match(board: Board, bot: Bot, number: int = 1, **conditions: object) -> Match:
    """The bot against itself."""
    return Match(
        id=f"{number:012x}",
        game=board.game,
        board=board.name,
        rules=board.rules,
        seats=tuple(Seat(role, bot) for role in board.roles),
        repeat=number,
        seed=number,
        conditions=Conditions(
            time=TimeControl(start=60.0, move=10.0),
            **conditions,  # type: ignore[arg-type]
        ),
    )


def timed(match: Match, launcher: Launcher, *, watched: bool = False) -> tuple[Record, list[float]]:
    """Play a match; its record, and the moment after the greeting and after each turn
    (`time.perf_counter`).

    The referee notes the moments, because a match with an observer, as one that is `watched`, is
    frozen at once.
    """
    moments: list[float] = []

    class TimedReferee(Referee):
        def hear(self, replies: Mapping[Role, Reply]) -> dict[Role, bytes]:
            last_lines = super().hear(replies)
            moments.append(time.perf_counter())
            return last_lines

    with mock.patch("arena.match.play.Referee", TimedReferee):
        record = play(match, launcher=launcher, observer=(lambda _: None) if watched else None)
    return record, moments


def script(board: Board) -> list[tuple[int, bytes]]:
    """All that the referee writes in a match: to which seat, and what."""
    game = rulebook.game_of(board)
    referee = Referee(game, match(board, python_bot()))
    written = []
    while asks := referee.asks():
        heard = {}
        for role, ask in asks.items():
            written.append((game.roles.index(role), ask.text))
            heard[role] = Reply(line=b"ready" if ask.ready else ask.legal[-1].encode())
        referee.hear(heard)
    return written


def written_to(path: Path, board: Board) -> Path:
    """The same as a file that loop.c reads."""
    with path.open("wb") as file:
        for seat, text in script(board):
            file.write(b"%d %d\n" % (seat, len(text)) + text)
    return path
