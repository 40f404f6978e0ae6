"""A person's seat without a screen: the board and the legal moves as text, a move as a line of it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena.cli import screen, telling
from arena.cli.live import entering
from arena.cli.live.sight import Sight
from arena.cli.live.viewer import LeftEarlyError
from arena.game import Game, Move, Role
from arena.match import Match

if TYPE_CHECKING:
    from arena.referee import Referee

LISTED = 9
"""Legal moves that are told with every question; more are told when they are asked for."""
HELP = "type a move, its number, or the beginning of its words; `?` lists them, `quit` leaves"


class Lines:
    """A seat without a screen: the board and the legal moves as text, a move as a line."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._game, self._match = game, match
        self._sight = Sight(game, match)
        print(telling.heading(match))
        print(HELP)
        telling.show(game, match, self._sight.opening(), draw=True)

    def watch(self, referee: "Referee") -> None:
        """Print what was played."""
        for scene in self._sight.go_on(referee.turns):
            telling.show(self._game, self._match, scene, draw=True)

    def choose(self, referee: "Referee", role: Role) -> Move:
        """A legal move of the role; the end of the input leaves."""
        legal = tuple(self._game.legal_moves(referee.state, role))
        self._tell(legal, every=len(legal) <= LISTED)
        while True:
            print(f"your move, {role}: ", end="", flush=True)
            line = sys.stdin.readline()
            text = line.strip()
            if not line or text in {"quit", "exit"}:
                raise LeftEarlyError
            found = entering.by_text(text, legal)
            if len(found) == 1:
                print(found[0])
                return found[0]
            if text in {"?", ""}:
                self._tell(legal, every=True)
            else:
                print(screen.shown(entering.misunderstood(text, legal, found), 500))

    def _tell(self, legal: Sequence[Move], *, every: bool) -> None:
        if every:
            print("legal moves:")
            print("\n".join(f"  {screen.shown(line)}" for line in entering.columned(entering.listing(legal), 76)))
        else:
            print(f"{len(legal)} legal moves, such as {screen.shown(legal[0])}; ? lists them")
