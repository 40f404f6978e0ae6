"""A match as scenes: each turn's moves with the state after them, as a replay shows it.

Pure: the rules and the recorded moves give every state again, so nothing is looked up. It knows a grid only by its
facts (`wall`, `size`, `at`), and says nothing of steps where a game has none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from arena.drawing.scene import Cell, Grid, numbers, read_grid
from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.match import Turn
from arena.referee import facts_digest

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
"""The words of a move that are steps on a grid; `y` grows to the north."""


_grid = lru_cache(read_grid)  # a board's facts are the same all match long, and reading them costs more than a turn


@dataclass(frozen=True)
class Step:
    """A word of a move: a step, or anything else, which is always `made`."""

    word: str
    fate: str = "made"
    """`made`, `blocked` (a wall or the rim stopped it) or `not made` (the match was over before it)."""

    def __str__(self) -> str:
        return self.word if self.fate == "made" else f"{self.word} ({self.fate})"


@dataclass(frozen=True)
class Scene:
    """One turn: what was played, by whom, and the state it led to."""

    number: int
    """1, 2, ...; 0 is the start, where nothing was played yet."""
    turns: tuple[Turn, ...]
    steps: tuple[tuple[Step, ...], ...]
    """The words of each turn's move, in the order of `turns`."""
    facts: tuple[Fact, ...]
    """Everything about the state after the turn."""

    def move(self, place: int) -> str:
        """The move at this place of `turns`, its steps marked."""
        return " ".join(map(str, self.steps[place]))

    def blocked(self, place: int) -> int:
        """How many steps of that move a wall stopped."""
        return sum(step.fate == "blocked" for step in self.steps[place])


class Retelling:
    """Tells a match turn by turn, as fast as its moves become known."""

    def __init__(self, game: Game[Any], role: Role | None = None) -> None:
        """`role` may see no more than its view; None sees everything."""
        self._game, self._role = game, role
        self._board = tuple(game.board())
        self._state = game.start()
        self._cells = cells(game.view(self._state, role))
        self._told = 0

    def opening(self) -> Scene:
        """The state before the first turn."""
        return Scene(0, (), (), tuple(self._game.view(self._game.start(), self._role)))

    def go_on(self, turns: Iterable[Turn]) -> Iterator[Scene]:
        """The scenes that these turns add; they are all turns of the match so far, those already told included."""
        for number, group in groupby(turns, key=lambda turn: turn.number):
            if number > self._told:
                yield self._play(number, tuple(group))

    def _play(self, number: int, turns: tuple[Turn, ...]) -> Scene:
        before = self._cells
        self._check(turns, all(turn.move in self._legal(turn.role) for turn in turns))
        self._state = self._game.play(self._state, {turn.role: turn.move for turn in turns})
        self._told = number
        known = {turn.digest for turn in turns} - {""}
        every = tuple(self._game.view(self._state, None))
        self._check(turns, known <= {facts_digest(every)})
        after = every if self._role is None else tuple(self._game.view(self._state, self._role))
        self._cells = cells(after)
        return Scene(
            number,
            turns,
            tuple(_steps(self._board, before, self._cells, turn.role, turn.move) for turn in turns),
            after,
        )

    def _legal(self, role: Role) -> tuple[str, ...]:
        return self._game.legal_moves(self._state, role) if role in self._game.to_move(self._state) else ()

    def _check(self, turns: tuple[Turn, ...], sound: bool) -> None:
        if not sound:
            raise ArenaError(
                f"turn {turns[0].number} comes out otherwise than it was recorded: the rules or the board were edited"
                " since; undo that, or play the match again"
            )


def scenes(game: Game[Any], turns: Iterable[Turn]) -> Iterator[Scene]:
    """The start and every turn of a match that was played."""
    retelling = Retelling(game)
    yield retelling.opening()
    yield from retelling.go_on(turns)


def steps_of(
    board: tuple[Fact, ...], before: Iterable[Fact], after: Iterable[Fact], role: Role, move: str
) -> tuple[Step, ...]:
    """The words of a move with the fate of each step, judged by walls and by where the role stood and stands.

    When no way along the walls explains where it stands now (a game of other rules), every word is `made`.
    """
    return _steps(board, cells(before), cells(after), role, move)


def cells(facts: Iterable[Fact]) -> dict[Role, Cell]:
    """Where each role stands, as the facts `at ROLE X Y` tell."""
    return dict(reversed([standing for standing in map(_standing, facts) if standing]))  # of two facts the first holds


@lru_cache(10_000)  # the same few facts are told again and again: to look one up takes a third of the time
def _standing(fact: Fact) -> tuple[Role, Cell] | None:
    """Who stands where, if that is what the fact tells."""
    match fact.split():
        case ["at", role, *place] if cell := numbers(place):
            return role, cell
    return None


def _steps(
    board: tuple[Fact, ...], before: Mapping[Role, Cell], after: Mapping[Role, Cell], role: Role, move: str
) -> tuple[Step, ...]:
    if role in before and role in after:
        return _way(board, before[role], after[role], move)
    return tuple(map(Step, move.split(" ")))


@lru_cache(10_000)  # the same few ways are gone again and again
def _way(board: tuple[Fact, ...], start: Cell, end: Cell, move: str) -> tuple[Step, ...]:
    """The words of a move that led from one cell to the other."""
    words = move.split(" ")
    grid = _grid(board)
    if grid is None:
        return tuple(map(Step, words))
    last = max((place for place, word in enumerate(words) if word in STEPS), default=-1)
    for made in (last + 1, *(place for place in range(last, 0, -1) if words[place] in STEPS)):
        steps, cell = _walk(grid, start, words[:made])
        if cell == end:
            rest = (Step(word, "not made" if word in STEPS else "made") for word in words[made:])
            return (*steps, *rest)
    return tuple(map(Step, words))


def _walk(grid: Grid, cell: Cell, words: list[str]) -> tuple[tuple[Step, ...], Cell]:
    steps = []
    for word in words:
        dx, dy = STEPS.get(word, (0, 0))
        there = (cell[0] + dx, cell[1] + dy)
        stopped = word in STEPS and not grid.leads(cell, there)
        steps.append(Step(word, "blocked" if stopped else "made"))
        cell = cell if stopped else there
    return tuple(steps), cell
