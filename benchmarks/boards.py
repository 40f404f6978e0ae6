"""Draws a thousand boards of each generator, and counts their values, lengths and the draws that
were refused.

    python benchmarks/boards.py [COUNT]

prints the tables of rules/README.md. It takes some two minutes of CPU time, spread over all cores.
"""

import sys
import time
from collections import Counter
from functools import partial
from unittest.mock import patch

from arena import parallel, rulefile
from arena.identity import boards_key

BAND = 5
"""Turns that are counted together."""


def sampled(game: str, number: int) -> tuple[str, int, int, float]:
    """Draw a board for an event of its own; return who wins, in how many turns, the mazes sampled,
    seconds of CPU.
    """
    path = rulefile.shipped() / f"{game}.py"
    generator = rulefile.module(path.with_name(f"{game}_random.py"))
    before = time.process_time()
    with patch.object(generator, "draw_walls", wraps=generator.draw_walls) as walls:
        text = rulefile.draw(path, "random", boards_key(number, f"{game}/random"), number)
    seconds = time.process_time() - before
    board = rulefile.load_sampled(path, text)
    if game == "pacman":
        cells = list(generator.steps(board.size, ()))
        turns = generator.turns_to_capture(board.size, board.walls, board.steps)
        place = tuple(cells.index(cell) for cell in (board.pacman, board.blinky, board.inky))
        return "ghosts", int(turns[place]), walls.call_count, seconds
    value = board.solve()(board.start())
    return ("explorer" if value.score else "mummy"), value.turns, walls.call_count, seconds


def main(count: int) -> None:
    """Print a table for each game."""
    for game in ("mummy_maze", "pacman"):
        boards = list(parallel.parallel_map(partial(sampled, game), range(count)))
        lengths = {
            winner: Counter(turns for who, turns, _, _ in boards if who == winner)
            for winner, *_ in boards
        }
        bands = sorted({turns // BAND * BAND for of in lengths.values() for turns in of})
        print(f"\n{game}/random: {count} boards, each of an event of its own\n")
        print(
            "| turns with perfect play |",
            " | ".join(f"{band} to {band + BAND - 1}" for band in bands),
            "|",
        )
        print("|" + "---|" * (len(bands) + 1))
        for winner, of in sorted(lengths.items()):
            cells = (sum(of[turns] for turns in range(band, band + BAND)) for band in bands)
            print(f"| won by {winner} |", " | ".join(map(str, cells)), "|")
        mazes, seconds = (
            sum(mazes for *_, mazes, _ in boards),
            sum(seconds for *_, seconds in boards),
        )
        print(
            f"\n{count} of {mazes} mazes had places to play from; {1000 * seconds / count:.0f} ms "
            "of CPU time a board"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
