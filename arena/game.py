"""The contract that every file in rules/ meets.

It owns the terms that rules, referee and bots share. It knows no board, no bot, no clock and no
text format. It imports the standard library only, because bots may import it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from arena.drawing import MAZE, Drawing

Role: TypeAlias = str
"""A part in the rules, such as `explorer`."""

Move: TypeAlias = str
"""A move is its text: what is legal, sent, recorded and printed is the same string."""

Fact: TypeAlias = str
"""A line of words, such as `at explorer 8 1`."""

CHANCE: Role = "chance"
"""The role that the referee itself plays, with equal weight on each legal move."""

State = TypeVar("State")


@dataclass(frozen=True)
class Outcome:
    """The end of a match by the rules: a score from 0 to 100 for each role, and a word for why."""

    scores: Mapping[Role, int]
    reason: str


DRAW = 50
"""The score of a draw, where the scores of two sides add up to 100."""


class Value(NamedTuple):
    """What a state is worth when both sides play perfectly: a winner hurries, a loser delays."""

    score: int
    """The score, 0 to 100, with which the first side ends."""
    turns: int
    """The number of turns until the end."""


MIRRORS = ("x", "y", "diagonal")


class Symmetry(NamedTuple):
    """The ways to reflect a board under which each sentence of the rules stays true.

    A disguise uses them. The facts with cells are those that `drawing` declares. In moves `north`,
    `south`, `east` and `west` turn, too.
    """

    mirrors: tuple[str, ...] = ()
    """`x`: west and east change places; `y`: south and north; `diagonal`: both axes. Each holds
    alone, so all do."""
    moves: tuple[str, ...] = ()
    """Patterns of moves that name a cell by X and Y, a column by X or a row by Y, such as `drop
    X`."""


class Game(Protocol[State]):
    """A game on one board: a frozen dataclass whose fields are the board's parameters.

    States are immutable and hashable. The referee hands `play` only moves that it found in
    `legal_moves`, so rules never check a move and never report an error.
    """

    hidden: bool = False
    """True when the other roles' moves must not be told, nor how many they were."""
    open: bool = False
    """True when `view` is the same for every role and for None, so that the referee calls it once
    for all of them."""
    drawing: Drawing = MAZE
    """How the facts look in a terminal and in the report."""
    manual: str = ""
    """The rules in words, for a reader who knows nothing else, such as a language model. Every word
    of roles, facts and moves stands in it, always in `backticks`, with <placeholders> for what
    changes: in disguise it is another word."""
    symmetry: Symmetry = Symmetry()
    """How its boards may be reflected in disguise."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Every role, in order of play."""
        ...

    @property
    def sides(self) -> tuple[tuple[Role, ...], ...]:
        """The roles that win together; by default each role is a side of its own."""
        return tuple((role,) for role in self.roles)

    def board(self) -> tuple[Fact, ...]:
        """Return the facts that never change, a line each."""
        ...

    def start(self) -> State:
        """Return the state before the first turn."""
        ...

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Return the roles that move now, all at once, none seeing the others' choice.

        `()` when the match is over.
        """
        ...

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return every move that `role`, which is to move, may make.

        Never empty, in a fixed order, without repeats.
        """
        ...

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Return the state after the roles to move made these legal moves."""
        ...

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome, or None while the match goes on."""
        ...

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Return the facts of the state that `role` may know, a line each; None sees all.

        Secrets are cut only here.
        """
        ...

    def solve(self) -> "Callable[[State], Value] | None":
        """Return a function from each state to its value under perfect play.

        Return None when nobody computed that. Rules of two sides with scores that add up to 100 and
        one role to move at a time may have it. Then every move of a record is graded.
        """
        return None

    def estimate(self) -> "Callable[[State, Role], Mapping[Move, Value]] | None":
        """Return a function from a state and a role that moves there to the values of its moves.

        It is for games that nobody can solve: a search says what it sees. The score of a value is
        that of the role's own side (the mean of its roles), the turns are 0 where the search does
        not know them, and of moves with equal scores the one with fewer turns is better. The same
        state gives the same values every time, so a search counts its work and looks at no clock.
        Then each move of a record has a regret, which is shown as an estimate. Return None when
        there is no search.
        """
        return None
