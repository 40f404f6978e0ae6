"""Pacman: one eats pellets, two ghosts hunt it together and move at once. Boards: pacman.toml."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arena.drawing import MAZE, Piece
from arena.game import Fact, Game, Move, Outcome, Role, Symmetry, Value

from .grid import Cell, Wall, board_facts, check_size, on_board, reachable, steps

GHOSTS = ("blinky", "inky")


class State(NamedTuple):
    """Where everybody stands, what is left to eat, and the counter; `pacman_moves` = it is Pacman's turn."""

    pacman: Cell
    blinky: Cell
    inky: Cell
    pellets: int
    """A bit for each pellet that is left, in the order of the board's pellets."""
    step: int
    pacman_moves: bool


@dataclass(frozen=True)
class Pacman(Game[State]):
    """The game on one maze."""

    size: tuple[int, int]
    """Lowest and highest coordinate."""
    pacman: Cell
    blinky: Cell
    inky: Cell
    walls: tuple[Wall, ...]
    pellets: tuple[Cell, ...]
    score: tuple[int, ...]
    """Pacman's score by the number of pellets that it took, from 0."""
    pellets_to_end: int = 35
    first_step: int = 0
    """The counter's first value."""
    steps: int = 100
    """The counter's last."""
    ghosts: str = "team"
    """`team`: both score when Pacman is caught; `each`: only the ghost that stands on it."""

    roles = ("pacman", *GHOSTS)
    sides = (("pacman",), GHOSTS)
    open = True
    drawing = (
        Piece("at pacman X Y", "muncher", "yellow"),
        Piece("at blinky X Y", "ghost", "red"),
        Piece("at inky X Y", "ghost", "blue"),
        *MAZE,
    )
    symmetry = Symmetry(("x", "y", "diagonal"))
    manual = """
        `pacman`, `blinky` and `inky` stand on the cells (<x>, <y>) of a square. `pacman` moves alone, then `blinky` and
        `inky` move together, and so on. `size <low> <high>`: both coordinates are <low> to <high>.
        `at <who> <x> <y>`: where somebody stands. They may share cells and go through one another.
        `wall <x> <y> north`: a barrier between (<x>, <y>) and (<x>, <y> + 1).
        `wall <x> <y> east`: a barrier between (<x>, <y>) and (<x> + 1, <y>).
        A turn is `move` and a direction: `north` (<y> + 1), `south` (<y> - 1), `east` (<x> + 1) or `west` (<x> - 1).
        Everybody must go to another cell, and nobody passes a barrier.
        `pellet <x> <y>`: something lies there that `pacman` takes when it comes there; `collected <n>` were taken.
        `score <n> <points>`: the points that `pacman` has in the end for <n> of them.
        The match is over when `blinky` or `inky` is on the cell of `pacman`, when `pellets <n>` were taken, or when
        `step <n>` has come to `steps <n>`; it counts the turns.
        `ghosts team`: `blinky` and `inky` both have 100 points if one of them is on the cell of `pacman`, else 0.
        `ghosts each`: 100 points only for who is there.
    """

    def __post_init__(self) -> None:
        """Refuse a board that cannot be played."""
        check_size(self.size)
        for name in self.roles:
            if not on_board(self.size, getattr(self, name)):
                raise ValueError(f"{name}: {getattr(self, name)} is not on the board")
        if self.ghosts not in {"team", "each"}:
            raise ValueError(f"ghosts: expected 'team' or 'each', not {self.ghosts!r}")
        if len(self.score) <= len(self.pellets) or not all(0 <= score <= 100 for score in self.score):
            raise ValueError(f"score: expected one of 0 to 100 for each of 0 to {len(self.pellets)} pellets")
        if lost := [cell for cell in self.pellets if cell not in self.cells_in_play]:
            raise ValueError(f"pellets: nobody can reach {lost[0]}")
        if len(self._bits) < len(self.pellets):
            raise ValueError("pellets: a cell has two")
        if stuck := [cell for cell in self.cells_in_play if not self._next[cell]]:
            raise ValueError(f"walls: nobody can leave {stuck[0]}, and everybody must move")
        if ended := self.outcome(self.start()):
            raise ValueError(f"the match is over before its first turn: {ended.reason}")

    @cached_property
    def cells_in_play(self) -> frozenset[Cell]:
        """The cells that anybody can reach."""
        return frozenset().union(*(reachable(self._ways, getattr(self, role)) for role in self.roles))

    @cached_property
    def _ways(self) -> dict[Cell, dict[str, Cell]]:
        return steps(self.size, self.walls)

    @cached_property
    def _next(self) -> dict[Cell, dict[Move, Cell]]:
        """The moves from each cell, as text, and where they lead."""
        return {cell: {f"move {way}": there for way, there in ways.items()} for cell, ways in self._ways.items()}

    @cached_property
    def _moves(self) -> dict[Cell, tuple[Move, ...]]:
        return {cell: tuple(moves) for cell, moves in self._next.items()}

    @cached_property
    def _bits(self) -> dict[Cell, int]:
        return {cell: 1 << number for number, cell in enumerate(self.pellets)}

    def board(self) -> tuple[Fact, ...]:
        """Size, walls, pellets to end, steps, Pacman's scale, and who of the ghosts scores."""
        return (
            *board_facts(self.size, self.walls),
            f"steps {self.steps}",
            f"pellets {self.pellets_to_end}",
            *(f"score {pellets} {score}" for pellets, score in enumerate(self.score)),
            f"ghosts {self.ghosts}",
        )

    def start(self) -> State:
        """Everybody at their places, Pacman to move."""
        return State(self.pacman, self.blinky, self.inky, (1 << len(self.pellets)) - 1, self.first_step, True)

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Pacman, then both ghosts at once."""
        if self.outcome(state) is not None:
            return ()
        return ("pacman",) if state.pacman_moves else GHOSTS

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """Every way out of the cell: everybody must move."""
        return self._moves[getattr(state, role)]

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Pacman's turn or the ghosts'; Pacman takes the pellet of the cell that it enters."""
        pacman, blinky, inky, pellets, step, pacman_moves = state
        if pacman_moves:
            there = self._next[pacman][moves["pacman"]]
            return State(there, blinky, inky, pellets & ~self._bits.get(there, 0), step + 1, False)
        there, here = self._next[blinky][moves["blinky"]], self._next[inky][moves["inky"]]
        return State(pacman, there, here, pellets, step + 1, True)

    def outcome(self, state: State) -> Outcome | None:
        """Caught, all pellets, or the counter at its end."""
        caught = state.pacman in (state.blinky, state.inky)
        if caught:
            return self._scored(state, "caught")
        if len(self.pellets) - state.pellets.bit_count() >= self.pellets_to_end:
            return self._scored(state, "all pellets")
        return self._scored(state, "step limit") if state.step >= self.steps else None

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """Everything: there are no secrets, but the other ghost's choice of this turn, which is not in the state."""
        left = [cell for cell, bit in self._bits.items() if state.pellets & bit]
        return (
            f"step {state.step}",
            *(f"at {name} {getattr(state, name)[0]} {getattr(state, name)[1]}" for name in self.roles),
            *(f"pellet {x} {y}" for x, y in left),
            f"collected {len(self.pellets) - len(left)}",
        )

    def estimate(self) -> Callable[[State, Role], Mapping[Move, Value]] | None:
        """Return what each move is worth: Pacman's by a search of some rounds, a ghost's by the capture it can force.

        None for a maze of more cells in play than MOST_CELLS, or with matches of more turns than MOST_TURNS.
        """
        from arena.games.pursuit import MOST_CELLS, MOST_TURNS, Pursuit  # needs numpy, which no bot asks for

        number = {cell: index for index, cell in enumerate(sorted(self.cells_in_play))}
        if len(number) > MOST_CELLS or self.steps - self.first_step > MOST_TURNS:
            return None
        pursuit = Pursuit(
            ways=[[number[there] for there in self._next[cell].values()] for cell in number],
            things=[self._bits.get(cell, 0) for cell in number],
            scores=self.score,
            enough=self.pellets_to_end,
            most=max(self.steps - self.first_step, 0),
        )
        captured = 100 if self.ghosts == "team" else 50  # the mean of both ghosts' scores

        def worth(state: State, role: Role) -> dict[Move, Value]:
            pacman, blinky, inky = (number[getattr(state, name)] for name in self.roles)
            left = self.steps - state.step
            if role == "pacman":
                scores = pursuit.runner_scores(pacman, (blinky, inky), state.pellets, left)
                values = [Value(score, 0) for score in scores]
            else:
                hunters = (blinky, inky) if role == "blinky" else (inky, blinky)
                turns = pursuit.hunter_turns(pacman, *hunters)
                values = [Value(captured, count) if count <= left else Value(0, left) for count in turns]
            return dict(zip(self._moves[getattr(state, role)], values, strict=True))

        return worth

    def _scored(self, state: State, reason: str) -> Outcome:
        on_pacman = {ghost: getattr(state, ghost) == state.pacman for ghost in GHOSTS}
        caught = any(on_pacman.values())
        ghosts = {ghost: 100 if on_pacman[ghost] or (caught and self.ghosts == "team") else 0 for ghost in GHOSTS}
        return Outcome({"pacman": self.score[len(self.pellets) - state.pellets.bit_count()], **ghosts}, reason)


game = Pacman
