"""Kuhn poker: three cards, one of them to each role, and one bet. The smallest poker with a bluff."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from types import MappingProxyType
from typing import NamedTuple

from arena.drawing import Cards
from arena.game import CHANCE, Fact, Game, Move, Outcome, Role

CARDS = "JQK"
"""From low to high."""

# After the deal: who is to move, and the legal moves. A history that is no key ends the match.
DECISIONS: Mapping[tuple[Move, ...], tuple[Role, tuple[Move, ...]]] = MappingProxyType(
    {
        (): ("first", ("check", "bet")),
        ("check",): ("second", ("check", "bet")),
        ("bet",): ("second", ("fold", "call")),
        ("check", "bet"): ("first", ("fold", "call")),
    }
)


class State(NamedTuple):
    """The card of each role, empty before the deal, and the moves since the deal."""

    first: str = ""
    second: str = ""
    moves: tuple[Move, ...] = ()


def _outcome(won: int, reason: str) -> Outcome:
    """Return 50 for each role, and 25 more for each chip that it won or less for each that it lost."""
    return Outcome({"first": 50 + 25 * won, "second": 50 - 25 * won}, reason)


@dataclass(frozen=True)
class KuhnPoker(Game[State]):
    """The game; it has no parameters."""

    roles = ("first", "second")
    drawing = (Cards("card ROLE CARD"),)
    manual = """
        `first` and `second` get one of three secret things each, named from low to high by `cards J Q K`:
        `card <who> <thing>`, where ? stands for one that you may not see. (Chance does it: `deal <thing> <thing>`.)
        Each has paid 1: `chips <who> <n>` is what somebody has paid. `moves <list>` are the choices so far.
        `first` begins with `check` (pays nothing) or `bet` (pays 1 more), and so does `second` after `check`.
        The answer to `bet` is `fold` (gives up) or `call` (pays 1 more), and ends the match.
        If nobody gave up, the higher thing wins. The winner has 50 points and 25 more for each 1 that the other paid;
        the other has 50 less these.
    """

    def board(self) -> tuple[Fact, ...]:
        """Return the cards from low to high."""
        return (f"cards {' '.join(CARDS)}",)

    def start(self) -> State:
        """Return the state before the deal: each role has put one chip into the pot."""
        return State()

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Return chance, which deals, then the role that the moves so far ask."""
        if not state.first:
            return (CHANCE,)
        return (DECISIONS[state.moves][0],) if state.moves in DECISIONS else ()

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the six deals, or the two choices of a role."""
        if role == CHANCE:
            return tuple(f"deal {first} {second}" for first, second in permutations(CARDS, 2))
        return DECISIONS[state.moves][1]

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Deal, or add a move."""
        ((role, move),) = moves.items()
        if role == CHANCE:
            _, first, second = move.split()
            return State(first, second)
        return state._replace(moves=(*state.moves, move))

    def outcome(self, state: State) -> Outcome | None:
        """Return the end by a fold or by a showdown of the cards."""
        if not state.first or state.moves in DECISIONS:
            return None
        chips = min(self._chips(state).values())  # the loser's
        if state.moves[-1] == "fold":
            return _outcome(chips if len(state.moves) == 2 else -chips, "fold")
        return _outcome(chips if CARDS.index(state.first) > CARDS.index(state.second) else -chips, "showdown")

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Return the role's own card, `?` for the other's, the chips in the pot, and the moves so far."""
        cards = {"first": state.first, "second": state.second}
        return (
            *(f"card {name} {(card if role in {None, name} else '') or '?'}" for name, card in cards.items()),
            *(f"chips {name} {chips}" for name, chips in self._chips(state).items()),
            " ".join(("moves", *state.moves)),
        )

    def _chips(self, state: State) -> dict[Role, int]:
        """Return what each role has put into the pot."""
        chips, mover = dict.fromkeys(self.roles, 1), 0
        for move in state.moves:
            chips[self.roles[mover]] += move in {"bet", "call"}
            mover = 1 - mover
        return chips


game = KuhnPoker
