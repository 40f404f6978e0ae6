"""The module that a Python bot may import: the loop that reads and answers, and the rules.

A whole bot:

    from arena.kit import Turn, run

    def choose(turn: Turn) -> str:
        return turn.legal[0]

    run(choose)
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from arena import rulefile
from arena.game import CHANCE, Fact, Move, Role

if TYPE_CHECKING:
    from random import Random

Cell: TypeAlias = tuple[int, int]

MOST_STATES = 4_000
"""Where more states than this may be meant, `Turn.states` gives up, because a bot could not search
them in time."""


LONGEST_REQUEST_BYTES = 64_000
"""Of a line to a language model; the referee takes no longer one."""


class Said(NamedTuple):
    """What a language model said to `Turn.model`."""

    text: str
    """Empty when there is an `error`."""
    end: str = ""
    """`stop`: it was done; `length`: it was cut; `refused`: it would not answer."""
    error: str = ""
    """Why there is no answer: the event has no model, calls or tokens are used up, or the request
    has a mistake."""
    left: Mapping[str, int] = {}
    """`calls` that are left for the match, and `tokens` for this turn; `owed` is what the next
    turns pay first."""


class Turn:
    """The messages of the referee: of the match once, of the turn each time the bot is asked."""

    def __init__(self) -> None:
        self.game = ""
        """`game/board`."""
        self.roles: tuple[Role, ...] = ()
        """Every role, in order of play."""
        self.role: Role = ""
        """The bot's own role."""
        self.seed = 0
        """For the bot's own dice; the same in a rerun."""
        self.secret = ""
        """32 hex digits for dice that no opponent can foretell; empty in an event whose seed is a
        number."""
        self.time = ""
        """The clocks in milliseconds, as the protocol has them: `start 5000 move 1000 bank 0`."""
        self.parameters = ""
        """The parameters of a board that was sampled for the event, as a JSON object; empty on
        every other board."""
        self.board: list[Fact] = []
        """The facts that never change."""
        self._manual: list[str] = []
        """The manual of a match in disguise, as the referee tells it."""
        self.number = 0
        self.facts: list[Fact] = []
        """The state, as far as the role may see it."""
        self.legal: list[Move] = []
        """Every legal move."""
        self.last: list[tuple[Role, Move]] = []
        """The moves of the others since the bot was last asked."""
        self.seconds: float | None = None
        """Time left for this answer, bank included; None = no limit."""
        self.model_limits = ""
        """What the event allows of its language model, as a JSON object; empty where it has
        none."""
        self._lines: Iterator[str] = iter(())
        self._out: IO[str] = sys.stdout
        self._remarks: list[str] = []
        self._played: dict[Role, list[Move]] = {}
        """The moves of each role so far, as far as they are known."""
        self._asked: dict[int, list[Fact]] = {}
        """The facts of each turn that the bot has answered, by the number of its moves before."""

    @cached_property
    def rules(self) -> Any:
        """The game itself, on this board: the rules that the referee plays by (arena.game.Game).

        Raise LookupError in disguise: there the game has no name, and `manual` has to do.
        """
        if self._manual:
            raise LookupError("in a match in disguise nobody may load the rules: read turn.manual")
        game, _, board = self.game.partition("/")
        path = rulefile.shipped() / f"{game}.py"
        if self.parameters:
            return rulefile.load_sampled(path, self.parameters)
        return rulefile.load(path, board)

    @property
    def manual(self) -> str:
        """The rules in words, also in disguise; empty where the game has no manual."""
        lines = self._manual
        if not lines:
            manual = self.rules.manual
            lines = [" ".join(line.split()) for line in manual.splitlines()]
        return "\n".join(filter(None, lines))

    @cached_property
    def random(self) -> "Random":
        """Dice with a fixed seed, so that they fall the same in a rerun."""
        from random import Random

        return Random(self.secret or self.seed)

    @property
    def state(self) -> Any:
        """Return the rules' state now.

        Return None where the bot cannot know it, because moves or cards are hidden.
        """
        states = self.states
        if len(states) != 1:
            return None
        return states[0]

    @property
    def states(self) -> list[Any]:
        """Return the states that fit all that the role was told, each once.

        There are several where chance decided something that the role does not see, such as an
        opponent's card. There are none where moves are hidden.
        """
        rules = self.rules
        index_of = {role: index for index, role in enumerate(rules.roles)}
        positions = list(self._positions)
        reached: dict[tuple[Any, tuple[int, ...]], None] = {}
        for state, counts in positions:  # grows while it is walked
            movers = rules.to_move(state)
            if self.role in movers:
                own_index = index_of[self.role]
                facts = self._asked.get(counts[own_index])
                if facts and list(rules.view(state, self.role)) != facts:
                    continue

            moves: list[Sequence[Move]] = []
            for role in movers:
                if role == CHANCE:
                    moves.append(rules.legal_moves(state, role))
                else:
                    count = counts[index_of[role]]
                    played = self._played.get(role, [])
                    moves.append(played[count : count + 1])
            if not movers or not all(moves):  # the match is over, or a role has not moved yet
                reached[state, counts] = None
                continue

            counts_after = []
            for role, index in index_of.items():
                count = counts[index]
                if role in movers:
                    count += 1
                counts_after.append(count)
            after = tuple(counts_after)
            for choice in product(*moves):
                chosen = dict(zip(movers, choice, strict=True))
                # A state in which a known move is not legal is none of those that fit.
                all_legal = all(
                    move in rules.legal_moves(state, role) for role, move in chosen.items()
                )
                if all_legal:
                    next_state = rules.play(state, chosen)
                    positions.append((next_state, after))
            if len(positions) > MOST_STATES:
                self._positions = []
                return []

        fitting = []
        for state, counts in reached:
            if self._fits(state):
                fitting.append((state, counts))
        # Before the first turn there are no facts, and nothing fits: the positions stay for the
        # next call.
        self._positions = fitting or list(reached)
        return [state for state, _ in fitting]

    def _fits(self, state: Any) -> bool:
        """Return whether a state has the facts of this turn, and the bot is to move in it.

        Otherwise a hidden move is missing, though the bot sees no change.
        """
        facts = list(self.rules.view(state, self.role))
        if facts != self.facts:
            return False
        return self.role in self.rules.to_move(state)

    def after(self, move: Move) -> list[Any]:
        """Return the states that a move may lead to.

        There is one for every choice of the roles that move at the same time. Where several
        `states` fit, the move is played in each of them.
        """
        rules = self.rules
        states: list[Any] = []
        for state in self.states:
            others = [role for role in rules.to_move(state) if role != self.role]
            legal = [rules.legal_moves(state, role) for role in others]
            for moves in product(*legal):
                chosen = {self.role: move}
                chosen.update(zip(others, moves, strict=True))
                states.append(rules.play(state, chosen))
        return states

    def remark(self, text: object) -> None:
        """Record a text with the next answer, such as `depth=7`."""
        self._remarks.append(f"# {text}\n")

    def fallback(self, text: object) -> None:
        """Record that the next answer is none of the model's: tables and replays show it."""
        self._remarks.append(f"# fallback 1\n# fallback: {text}\n")

    def model(
        self,
        question: str | Sequence[Mapping[str, str]],
        *,
        tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] | None = None,
        again: str | None = None,
    ) -> Said:
        """Ask the event's language model: a prompt, or messages with `role` and `content`.

        Meanwhile no time passes. `tokens` are the most of its answer. `again` says why the answer
        before was no move: `illegal`, `unreadable`, `cut` or `refused`; it is counted and not sent.
        This works in `choose` only: before a turn nobody may ask.
        """
        import json

        request: dict[str, object] = {}
        if isinstance(question, str):
            request["prompt"] = question
        else:
            request["messages"] = question
        options = {
            "tokens": tokens,
            "temperature": temperature,
            "stop": stop,
            "again": again,
        }
        chosen = {name: option for name, option in options.items() if option is not None}
        request |= chosen
        line = f"model {json.dumps(request)}\n"
        if len(line) > LONGEST_REQUEST_BYTES:
            return Said("", error=f"the request is longer than {LONGEST_REQUEST_BYTES} bytes")
        _say(self._out, line)
        for answer in self._lines:
            word, _, value = answer.strip().partition(" ")
            if word == "model":
                values = json.loads(value)
                known = {}
                for name in ("end", "error", "left"):
                    if name in values:
                        known[name] = values[name]
                return Said(values.get("text", ""), **known)
        raise EOFError("the referee has left")

    @cached_property
    def _positions(self) -> list[tuple[Any, tuple[int, ...]]]:
        """The states that fitted last, each with the numbers of the roles' moves before."""
        no_moves = (0,) * len(self.rules.roles)
        return [(self.rules.start(), no_moves)]

    def _hear(self, word: str, value: str) -> None:
        """Take in a line; lines with an unknown word are ignored."""
        if word in ("game", "role", "secret", "time", "parameters"):
            setattr(self, word, value)
        elif word == "roles":
            self.roles = tuple(value.split())
        elif word == "seed":
            self.seed = int(value)
        elif word == "model":
            self.model_limits = value
        elif word == "board":
            self.board.append(value)
        elif word == "rules":
            self._manual.append(value)
        elif word == "turn":
            self.number = int(value)
            self.facts = []
            self.legal = []
            self.last = []
        elif word == "last":
            role, _, move = value.partition(" ")
            if role != self.role:  # its own are told after an opening, which no bot chose
                self.last.append((role, move))
            self._played.setdefault(role, []).append(move)
        elif word == "state":
            self.facts.append(value)
        elif word == "legal":
            self.legal.append(value)
        elif word == "note" and self._played.get(self.role):
            # `note KIND "SAID" played "MOVE" strike N of M`: MOVE was played instead of the bot's
            # last answer.
            before, _, _ = value.rpartition('" strike ')
            _, _, move = before.rpartition(' played "')
            self._played[self.role][-1] = move

    def _answer(self, move: Move) -> str:
        """Return the lines of an answer: the remarks, then the move."""
        moves = self._played.setdefault(self.role, [])
        self._asked[len(moves)] = self.facts
        moves.append(move)
        text = "".join(self._remarks)
        self._remarks = []
        return f"{text}{move}\n"


def run(
    choose: Callable[[Turn], Move],
    prepare: Callable[[Turn], None] | None = None,
    lines: Iterable[str] | None = None,
    out: IO[str] | None = None,
    *,
    again: bool = False,
) -> None:
    """Play a match to its end: answer `ready` after `prepare`, and each question with `choose`.

    `prepare` may think for as long as the start time allows. A test may give `lines` and `out`
    instead of stdin and stdout. With `again`, ask to stay for the next match, which begins with
    `prepare`, too.
    """
    out = out or sys.stdout
    if lines is None:
        lines = sys.stdin
    source = iter(lines)
    ready = "ready\n"
    if again:
        ready = "ready again\n"
    turn = _new_turn(source, out)
    for line in source:
        word, _, value = line.strip().partition(" ")
        if word == "ready?":
            if prepare is not None:
                prepare(turn)
            _say(out, ready)
        elif word == "go":
            turn.seconds = None
            if value:
                turn.seconds = int(value) / 1000
            move = choose(turn)
            _say(out, turn._answer(move))
        elif word == "end":
            if not again:
                return
            turn = _new_turn(source, out)
        else:
            turn._hear(word, value)


def _new_turn(lines: Iterator[str], out: IO[str]) -> Turn:
    turn = Turn()
    turn._lines = lines
    turn._out = out
    return turn


def distances(board: Iterable[Fact]) -> dict[Cell, dict[Cell, int]]:
    """Return the number of steps on a shortest way between any two cells of a grid.

    Cells that are walled off from each other have no entry. Walls and size are read from the board
    facts `size LOW HIGH` and `wall X Y north|east`.
    """
    ways = _ways(board)
    table: dict[Cell, dict[Cell, int]] = {}
    for start in ways:
        steps = {start: 0}
        reached = [start]
        for cell in reached:  # grows while it is walked: breadth first
            for neighbour in ways[cell]:
                if neighbour not in steps:
                    steps[neighbour] = steps[cell] + 1
                    reached.append(neighbour)
        table[start] = steps
    return table


def _ways(board: Iterable[Fact]) -> dict[Cell, list[Cell]]:
    """Return the cells beside each cell of a grid that no wall parts from it."""
    facts = [fact.split() for fact in board]
    size = next(fact for fact in facts if fact[0] == "size")
    low = int(size[1])
    high = int(size[2])
    coordinates = range(low, high + 1)
    walls = set()
    for fact in facts:
        if fact[0] == "wall":
            cell = (int(fact[1]), int(fact[2]))
            walls.add((cell, fact[3]))

    ways: dict[Cell, list[Cell]] = {}
    for cell in product(coordinates, coordinates):
        ways[cell] = []
    for cell in ways:
        x, y = cell
        neighbours = {
            "north": (x, y + 1),
            "east": (x + 1, y),
        }
        for way, neighbour in neighbours.items():
            if neighbour in ways and (cell, way) not in walls:
                ways[cell].append(neighbour)
                ways[neighbour].append(cell)
    return ways


def _say(out: IO[str], text: str) -> None:
    out.write(text)
    out.flush()
