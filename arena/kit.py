"""What a Python bot may import: the read-decide-answer loop, and the very rules to search with. Stdlib only.

A whole bot:

    from arena.kit import Turn, run

    def choose(turn: Turn) -> str:
        return turn.legal[0]

    run(choose)
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from arena import rulefile
from arena.game import Fact, Move, Role

if TYPE_CHECKING:
    from random import Random

Cell: TypeAlias = tuple[int, int]


class Turn:
    """What the bot was told: of the match once, of the turn each time it is asked."""

    def __init__(self) -> None:
        self.game = ""
        """`game/board`."""
        self.roles: tuple[Role, ...] = ()
        """Every role, in order of play."""
        self.role: Role = ""
        """The bot's own."""
        self.seed = 0
        """For the bot's own dice; the same in a rerun."""
        self.board: list[Fact] = []
        """What never changes."""
        self.number = 0
        self.facts: list[Fact] = []
        """The state, as far as the role may see it."""
        self.legal: list[Move] = []
        """Every legal move."""
        self.last: list[tuple[Role, Move]] = []
        """What the others played since the bot was last asked."""
        self.seconds: float | None = None
        """Time left for this answer, bank included; None = no limit."""
        self._remarks: list[str] = []
        self._untold: dict[Role, list[Move]] = {}

    @cached_property
    def rules(self) -> Any:
        """The game itself, on this board: the rules that the referee plays by (arena.game.Game)."""
        game, _, board = self.game.partition("/")
        return rulefile.load(rulefile.shipped() / f"{game}.py", board)

    @cached_property
    def random(self) -> "Random":
        """Dice that fall the same in a rerun."""
        from random import Random

        return Random(self.seed)

    @property
    def state(self) -> Any:
        """The rules' state now, from the moves so far; None where moves are hidden or left to chance."""
        while moves := self._next_moves():
            self._state = self.rules.play(self._state, moves)
        seen = list(self.rules.view(self._state, self.role))
        return self._state if seen == self.facts else None

    def after(self, move: Move) -> list[Any]:
        """The states that a move may lead to: one, or one for every choice of those who move at the same time."""
        state = self.state
        others = [role for role in self.rules.to_move(state) if role != self.role]
        choices = product(*(self.rules.legal_moves(state, role) for role in others))
        return [self.rules.play(state, {self.role: move, **dict(zip(others, moves, strict=True))}) for moves in choices]

    def remark(self, text: object) -> None:
        """Say something for the record beside the answer, such as `depth=7`."""
        self._remarks.append(f"# {text}\n")

    @cached_property
    def _state(self) -> Any:
        return self.rules.start()

    def _next_moves(self) -> dict[Role, Move]:
        """The moves of the next turn after `_state`, taken out of what was told; {} when they are not all known."""
        movers = self.rules.to_move(self._state)
        if not movers or not all(self._untold.get(role) for role in movers):
            return {}
        return {role: self._untold[role].pop(0) for role in movers}

    def _hear(self, word: str, rest: str) -> None:
        """Take in one line; words that are not known are ignored."""
        if word == "game":
            self.game = rest
        elif word == "roles":
            self.roles = tuple(rest.split())
        elif word == "role":
            self.role = rest
        elif word == "seed":
            self.seed = int(rest)
        elif word == "board":
            self.board.append(rest)
        elif word == "turn":
            self.number, self.facts, self.legal, self.last = int(rest), [], [], []
        elif word == "last":
            role, _, move = rest.partition(" ")
            self.last.append((role, move))
            self._untold.setdefault(role, []).append(move)
        elif word == "state":
            self.facts.append(rest)
        elif word == "legal":
            self.legal.append(rest)
        elif word == "note" and self._untold.get(self.role):
            self._untold[self.role][-1] = rest.rpartition('" strike ')[0].rpartition(' played "')[2]

    def _answer(self, move: Move) -> str:
        self._untold.setdefault(self.role, []).append(move)
        remarks, self._remarks = self._remarks, []
        return "".join((*remarks, move, "\n"))


def run(
    choose: Callable[[Turn], Move],
    prepare: Callable[[Turn], None] | None = None,
    lines: Iterable[str] | None = None,
    out: IO[str] | None = None,
) -> None:
    """Play a match: answer `ready` after `prepare`, and each question with `choose`; returns at its end.

    `prepare` may think for as long as the start time allows. A bot under test may be given lines and an output.
    """
    out = out or sys.stdout
    turn = Turn()
    for line in lines if lines is not None else sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "ready?":
            if prepare is not None:
                prepare(turn)
            _say(out, "ready\n")
        elif word == "go":
            turn.seconds = int(rest) / 1000 if rest else None
            _say(out, turn._answer(choose(turn)))
        elif word == "end":
            return
        else:
            turn._hear(word, rest)


def distances(board: Iterable[Fact]) -> dict[Cell, dict[Cell, int]]:
    """Steps on a shortest way between any two cells of a grid board that are not walled off from each other.

    Walls and size are taken from the board facts `size LOW HIGH` and `wall X Y north|east`.
    """
    words = [fact.split() for fact in board]
    low, high = next((int(low), int(high)) for word, low, high, *_ in words if word == "size")
    shut = {(int(x), int(y), way) for word, x, y, way in (one for one in words if one[0] == "wall")}
    ways: dict[Cell, list[Cell]] = {(x, y): [] for x in range(low, high + 1) for y in range(low, high + 1)}
    for x, y in ways:
        for there, way in (((x, y + 1), "north"), ((x + 1, y), "east")):
            if there in ways and (x, y, way) not in shut:
                ways[x, y].append(there)
                ways[there].append((x, y))
    return {cell: _distances_from(cell, ways) for cell in ways}


def _distances_from(start: Cell, ways: Mapping[Cell, Iterable[Cell]]) -> dict[Cell, int]:
    steps, ring = {start: 0}, [start]
    for cell in ring:  # grows while it is walked: breadth first
        fresh = [there for there in ways[cell] if there not in steps]
        steps |= dict.fromkeys(fresh, steps[cell] + 1)
        ring += fresh
    return steps


def _say(out: IO[str], text: str) -> None:
    out.write(text)
    out.flush()
