"""The table of docs/openspiel.md: the games of OpenSpiel that keep the contract.

`python tests/openspiel_games.py` tests every game and writes the table again; it takes minutes.
test_openspiel.py compares the page with the games that are installed.
"""

import re
import subprocess
import sys
from pathlib import Path

from arena import load_game, rulefile
from arena.games.conformance import flaws

PAGE = Path(__file__).parent.parent / "docs" / "openspiel.md"
PART = re.compile(r"<!-- games -->\n(.*?)<!-- end -->", re.DOTALL)
PLAYOUTS = 2
LONGEST_S = 600


def installed() -> tuple[str, ...]:
    """Return the names of the games that can be loaded and are not refused."""
    names: tuple[str, ...] = rulefile.module(rulefile.shipped() / "openspiel.py").board_names()
    return names


def documented() -> tuple[str, ...]:
    """Return the names of the games in the table of the page."""
    return tuple(re.findall(r"^\| `(\w+)` ", PART.search(PAGE.read_text("utf-8"))[1], re.MULTILINE))


def sound(name: str) -> bool:
    """Return whether a game keeps the contract, tested in a process of its own, which OpenSpiel may
    end.
    """
    words = [sys.executable, __file__, name]
    try:
        done = subprocess.run(words, stderr=subprocess.DEVNULL, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def row(name: str) -> str:
    """Return a line of the table."""
    import pyspiel

    game = pyspiel.load_game(name)
    kind = game.get_type()
    turns = "at once" if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS else "in turn"
    chance = "" if kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC else "chance"
    hidden = (
        "hidden" if kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION else ""
    )
    fewest, most = kind.min_num_players, kind.max_num_players
    roles = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return (
        f"| `{name}` | {roles} | {turns} | {chance} | {hidden} | {game.min_utility():g} to "
        f"{game.max_utility():g} |"
    )


def main() -> None:
    """Test every game, and write the table."""
    rows = [row(name) for name in installed() if sound(name)]
    head = (
        "| game | roles | moves | chance | information | utility |",
        "|---|---|---|---|---|---|",
    )
    table = "\n".join(["<!-- games -->", *head, *rows, "<!-- end -->"])
    PAGE.write_text(PART.sub(lambda _: table, PAGE.read_text("utf-8")), "utf-8")
    print(f"{len(rows)} games")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(bool(flaws(load_game(f"openspiel/{sys.argv[1]}"), PLAYOUTS)))
    main()
