"""Goofspiel, the game of pure strategy: both bid at once for a prize that chance turns up. Boards: goofspiel.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from arena.drawing import Cards
from arena.game import CHANCE, Fact, Game, Move, Outcome, Role

Numbers = tuple[int, ...]
MOST_CARDS = 1000


class State(NamedTuple):
    """The cards of both roles and of the prizes, and the points so far."""

    prizes: Numbers
    """Those that are not turned up yet."""
    prize: int
    """The one that both bid for; 0 = chance is to turn one up."""
    left: Numbers
    right: Numbers
    left_points: int = 0
    right_points: int = 0


@dataclass(frozen=True)
class Goofspiel(Game[State]):
    """The game with any number of cards."""

    cards: int = 13
    """Each role has cards of 1 to this number, and so have the prizes."""

    roles = ("left", "right")
    open = True
    drawing = (Cards("prize CARDS"), Cards("prizes CARDS"), Cards("hand ROLE CARDS"))
    manual = """
        `left` and `right` have the numbers from 1 to `cards <n>`, each number once: `hand <who> <numbers>` are those
        that they still have. `prizes <numbers>` are the same numbers. In each round one of them is drawn and is to be
        won: `prize <number>`, as the draw is called, too.
        Then both say at the same time `bid <number>` with one of their own numbers, which is used up. The higher one
        wins: its owner has <number> more in `points <who> <number>`. If both are equal, nobody wins it.
        After the last round the one with more scores 100 and the other 0, or both score 50.
    """

    def __post_init__(self) -> None:
        """Refuse a board that cannot be played."""
        if not isinstance(self.cards, int) or not 1 <= self.cards <= MOST_CARDS:
            raise ValueError(f"cards: expected a whole number from 1 to {MOST_CARDS}, not {self.cards}")

    def board(self) -> tuple[Fact, ...]:
        """Return the number of cards."""
        return (f"cards {self.cards}",)

    def start(self) -> State:
        """Return all cards in their hands."""
        cards = tuple(range(1, self.cards + 1))
        return State(prizes=cards, prize=0, left=cards, right=cards)

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Return chance, which turns up a prize, then both roles at once."""
        if not state.left:
            return ()
        return self.roles if state.prize else (CHANCE,)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return `prize N` for each prize that is left, or `bid N` for each card in the role's hand."""
        if role == CHANCE:
            return tuple(f"prize {card}" for card in state.prizes)
        return tuple(f"bid {card}" for card in (state.left if role == "left" else state.right))

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Turn up a prize, or give it to the higher bid; after equal bids nobody gets it."""
        cards = {role: int(move.split()[1]) for role, move in moves.items()}
        if CHANCE in cards:
            return state._replace(prizes=_without(state.prizes, cards[CHANCE]), prize=cards[CHANCE])
        left, right = cards["left"], cards["right"]
        return State(
            prizes=state.prizes,
            prize=0,
            left=_without(state.left, left),
            right=_without(state.right, right),
            left_points=state.left_points + (state.prize if left > right else 0),
            right_points=state.right_points + (state.prize if right > left else 0),
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return a win by points, or a draw, when all cards are played."""
        if state.left:
            return None
        left, right = state.left_points, state.right_points
        score = 50 if left == right else 100 if left > right else 0
        return Outcome({"left": score, "right": 100 - score}, "all cards played")

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Return all cards and points: both know which cards the other has left."""
        return (
            _cards("prizes", state.prizes),
            _cards("prize", (state.prize,) if state.prize else ()),
            _cards("hand left", state.left),
            _cards("hand right", state.right),
            f"points left {state.left_points}",
            f"points right {state.right_points}",
        )


def _without(cards: Numbers, card: int) -> Numbers:
    return tuple(other for other in cards if other != card)


def _cards(name: str, cards: Numbers) -> Fact:
    return " ".join((name, *map(str, cards)))


game = Goofspiel
