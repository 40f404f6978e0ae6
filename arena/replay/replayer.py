"""A match as scenes: each turn's moves with the state after them, as a replay shows it.

Pure: the rules and the recorded moves give every state again. It knows a grid only by its facts
(`wall`, `size`, `at`), and marks no steps where a game has none.

`reconstruct.py` plays a record again too, but not with this code: there the referee hears the
recorded answers, so that strikes, faults, dialogue and verdict come out again. A replay needs none
of these, must follow a match that is not over yet, and may see no more than one role; and the
referee does not stop at each state that a replay shows, as it plays turns of chance and of absent
seats on its own. They share `facts_digest`, the rule for when two states are the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.games.quality import MoveQuality
from arena.match.referee import facts_digest
from arena.replay.drawing.scene import BoardGrid, Cell, cells_of_roles, only_grid
from arena.values import Turn

STEPS = {
    "north": (0, 1),
    "south": (0, -1),
    "east": (1, 0),
    "west": (-1, 0),
}
"""The words of a move that are steps on a grid; `y` grows to the north."""


@dataclass(frozen=True)
class MoveWord:
    """A word of a move: a step, or anything else, which is always `made`."""

    word: str
    fate: str = "made"
    """`made`, `blocked` (a wall or the rim stopped it) or `not made` (the match was over)."""

    def __str__(self) -> str:
        if self.fate == "made":
            return self.word
        return f"{self.word} ({self.fate})"


@dataclass(frozen=True)
class Scene:
    """One turn: what was played, by whom, and the state it led to."""

    number: int
    """1, 2, ...; 0 is the start, where nothing was played yet."""
    turns: tuple[Turn, ...]
    steps: tuple[tuple[MoveWord, ...], ...]
    """The words of each turn's move, in the order of `turns`."""
    facts: tuple[Fact, ...]
    """Everything about the state after the turn."""
    qualities: tuple[MoveQuality, ...] = ()
    """The quality of each turn's move, where the board is solved and somebody asked for it."""

    def move(self, index: int) -> str:
        """Return the move at this index of `turns`, its steps marked."""
        return " ".join(map(str, self.steps[index]))

    def blocked(self, index: int) -> int:
        """Return how many steps of that move a wall stopped."""
        fates = [step.fate for step in self.steps[index]]
        return fates.count("blocked")


class Replayer:
    """Replays a match turn by turn, while its moves become known."""

    def __init__(self, game: Game[Any], role: Role | None = None) -> None:
        """Replay what `role` may see; None = everything."""
        self._game = game
        self._role = role
        board = tuple(game.board())
        self._grid = only_grid(board)
        self.state = game.start()
        facts = tuple(game.view(self.state, role))
        self.opening = Scene(
            number=0,
            turns=(),
            steps=(),
            facts=facts,
        )
        """The state before the first turn."""
        self._cells = cells_of_roles(facts)
        self._number = 0  # of the last turn that was replayed

    def go_on(self, turns: Iterable[Turn]) -> Iterator[Scene]:
        """Yield the scenes that these turns add; `turns` are all turns of the match so far."""
        for number, group in groupby(turns, key=lambda turn: turn.number):
            if number <= self._number:
                continue
            yield self._step(number, tuple(group))

    def _step(self, number: int, turns: tuple[Turn, ...]) -> Scene:
        """Play one turn's moves.

        ArenaError where they are illegal, or lead to another state than was recorded.
        """
        edited = ArenaError(
            f"turn {number} comes out otherwise than it was recorded: "
            "the rules or the board were edited since;"
            " undo that, or play the match again"
        )
        movers = self._game.to_move(self.state)
        moves = {}
        for turn in turns:
            if turn.role not in movers:
                raise edited
            if turn.move not in self._game.legal_moves(self.state, turn.role):
                raise edited
            moves[turn.role] = turn.move

        self.state = self._game.play(self.state, moves)
        self._number = number
        facts = tuple(self._game.view(self.state, None))
        digests = {turn.digest for turn in turns}
        if not digests <= {"", facts_digest(facts)}:
            raise edited
        if self._role is not None:
            facts = tuple(self._game.view(self.state, self._role))

        before = self._cells
        after = cells_of_roles(facts)
        self._cells = after
        steps = []
        for turn in turns:
            way = steps_of(self._grid, before, after, turn.role, turn.move)
            steps.append(way)
        return Scene(
            number=number,
            turns=turns,
            steps=tuple(steps),
            facts=facts,
        )


def scenes(
    game: Game[Any],
    turns: Iterable[Turn],
    qualities: Iterable[MoveQuality] = (),
) -> Iterator[Scene]:
    """Yield the start and every turn of a match, with the quality of each turn's move, if any."""
    replayer = Replayer(game)
    yield replayer.opening
    left = iter(qualities)
    for scene in replayer.go_on(turns):
        of_scene = tuple(islice(left, len(scene.turns)))
        yield replace(scene, qualities=of_scene)


def steps_of(
    grid: BoardGrid | None,
    before: Mapping[Role, Cell],
    after: Mapping[Role, Cell],
    role: Role,
    move: str,
) -> tuple[MoveWord, ...]:
    """Return the words of a move with the fate of each step.

    It is judged by walls and by where the role stood and stands. Where the board is no single grid,
    or no way along the walls explains where the role stands now (a game of other rules), every word
    is `made`.
    """
    if grid is None or role not in before or role not in after:
        return tuple(map(MoveWord, move.split(" ")))
    start = before[role]
    end = after[role]
    return _way(grid, start, end, move)


@lru_cache(10_000)  # the same few ways come again and again
def _way(
    grid: BoardGrid,
    start: Cell,
    end: Cell,
    move: str,
) -> tuple[MoveWord, ...]:
    """Return the words of a move that led from one cell to the other, each with its fate."""
    move_words = move.split(" ")
    for count in _lengths(move_words):
        way, cell = _walked(grid, start, move_words[:count])
        if cell != end:
            continue

        for word in move_words[count:]:
            fate = "made"
            if word in STEPS:
                fate = "not made"
            way.append(MoveWord(word, fate))
        return tuple(way)
    return tuple(map(MoveWord, move_words))


def _lengths(move_words: Sequence[str]) -> list[int]:
    """Return how many words of a move to try: a match may end in the middle of a move.

    The whole move comes first, then the move without its last step, and so on.
    """
    steps = [index for index, word in enumerate(move_words) if word in STEPS]
    if not steps:
        return []
    last_step = steps[-1]
    lengths = [last_step + 1]
    for index in reversed(steps):
        if index > 0:
            lengths.append(index)
    return lengths


def _walked(
    grid: BoardGrid,
    start: Cell,
    move_words: Iterable[str],
) -> tuple[list[MoveWord], Cell]:
    """Return words of a move with their fate by the walls, and the cell that they lead to."""
    cell = start
    way = []
    for word in move_words:
        if word not in STEPS:
            way.append(MoveWord(word))
            continue
        x, y = cell
        dx, dy = STEPS[word]
        target = (x + dx, y + dy)
        if grid.leads(cell, target):
            way.append(MoveWord(word))
            cell = target
        else:
            way.append(MoveWord(word, "blocked"))
    return way, cell
