"""The module that a Python bot may import: the loop that reads and answers, and the rules to search with. Stdlib only.

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

        LookupError in disguise: there the game has no name, and `manual` has to do.
        """
        if self._manual:
            raise LookupError("in a match in disguise nobody may load the rules: read turn.manual")
        game, _, board = self.game.partition("/")
        path = rulefile.shipped() / f"{game}.py"
        return (
            rulefile.load_sampled(path, self.parameters)
            if self.parameters
            else rulefile.load(path, board)
        )

    @property
    def manual(self) -> str:
        """The rules in words, also in disguise; empty where the game has no manual."""
        lines = self._manual or [" ".join(line.split()) for line in self.rules.manual.splitlines()]
        return "\n".join(line for line in lines if line)

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
        return states[0] if len(states) == 1 else None

    @property
    def states(self) -> list[Any]:
        """Return the states that fit all that the role was told, each once.

        `[]` where moves are hidden.

        There are several where chance decided something that the role does not see, such as an
        opponent's card.
        """
        rules, roles = self.rules, list(self.rules.roles)
        positions, reached = list(self._positions), dict[tuple[Any, tuple[int, ...]], None]()
        for state, used in positions:  # grows while it is walked
            movers = rules.to_move(state)
            facts = self._asked.get(used[roles.index(self.role)]) if self.role in movers else None
            if facts and list(rules.view(state, self.role)) != facts:
                continue
            moves = [
                rules.legal_moves(state, role)
                if role == CHANCE
                else self._played.get(role, [])[used[roles.index(role)] :][:1]
                for role in movers
            ]
            if not movers or not all(moves):  # the match is over, or a role has not moved yet
                reached[state, used] = None
                continue
            after = tuple(
                number + (role in movers) for role, number in zip(roles, used, strict=True)
            )
            choices = (dict(zip(movers, choice, strict=True)) for choice in product(*moves))
            positions += (
                (rules.play(state, choice), after)
                for choice in choices
                # A state in which a known move is not legal is none of those that fit.
                if all(move in rules.legal_moves(state, role) for role, move in choice.items())
            )
            if len(positions) > MOST_STATES:
                self._positions = []
                return []
        fitting = [
            position
            for position in reached
            if list(rules.view(position[0], self.role)) == self.facts
            # Else a hidden move is missing, though the bot sees no change.
            and self.role in rules.to_move(position[0])
        ]
        # Before the first turn there are no facts, and nothing fits: the positions stay for the
        # next call.
        self._positions = fitting or list(reached)
        return [state for state, _ in fitting]

    def after(self, move: Move) -> list[Any]:
        """Return the states that a move may lead to: one for every choice of the roles that move at the same time.

        Where several `states` fit, the move is played in each of them.
        """
        states: list[Any] = []
        for state in self.states:
            others = [role for role in self.rules.to_move(state) if role != self.role]
            choices = product(*(self.rules.legal_moves(state, role) for role in others))
            states += (
                self.rules.play(state, {self.role: move, **dict(zip(others, moves, strict=True))})
                for moves in choices
            )
        return states

    def remark(self, text: object) -> None:
        """Record a text with the next answer, such as `depth=7`."""
        self._remarks.append(f"# {text}\n")

    def model(
        self,
        question: str | Sequence[Mapping[str, str]],
        *,
        tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] | None = None,
    ) -> Said:
        """Ask the event's language model: a prompt, or messages with `role` and `content`.

        Meanwhile no time passes.

        `tokens` are the most of its answer. Only in `choose`: before a turn nobody may ask.
        """
        import json

        request: dict[str, object] = {
            "prompt" if isinstance(question, str) else "messages": question
        }
        request |= {"tokens": tokens, "temperature": temperature, "stop": stop}
        line = f"model {json.dumps({key: value for key, value in request.items() if value is not None})}\n"
        if len(line) > LONGEST_REQUEST_BYTES:
            return Said("", error=f"the request is longer than {LONGEST_REQUEST_BYTES} bytes")
        _say(self._out, line)
        for answer in self._lines:
            word, _, value = answer.strip().partition(" ")
            if word == "model":
                values = json.loads(value)
                names = ("text", "end", "error", "left")
                return Said(
                    **{"text": "", **{name: values[name] for name in names if name in values}}
                )
        raise EOFError("the referee has left")

    @cached_property
    def _positions(self) -> list[tuple[Any, tuple[int, ...]]]:
        """The states that fitted last, each with the number of moves of each role that led to it."""
        return [(self.rules.start(), (0,) * len(self.rules.roles))]

    def _hear(self, word: str, value: str) -> None:
        """Take in a line; lines with an unknown word are ignored."""
        if word in ("game", "role", "secret", "parameters"):
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
            self.number, self.facts, self.legal, self.last = int(value), [], [], []
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
            self._played[self.role][-1] = value.rpartition('" strike ')[0].rpartition(' played "')[
                2
            ]

    def _answer(self, move: Move) -> str:
        own = self._played.setdefault(self.role, [])
        self._asked[len(own)] = self.facts
        own.append(move)
        remarks, self._remarks = self._remarks, []
        return "".join((*remarks, move, "\n"))


def run(
    choose: Callable[[Turn], Move],
    prepare: Callable[[Turn], None] | None = None,
    lines: Iterable[str] | None = None,
    out: IO[str] | None = None,
) -> None:
    """Play a match to its end: answer `ready` after `prepare`, and each question with `choose`.

    `prepare` may think for as long as the start time allows. A test may give `lines` and `out`
    instead of stdin and stdout.
    """
    out = out or sys.stdout
    turn = Turn()
    turn._lines, turn._out = iter(lines if lines is not None else sys.stdin), out
    for line in turn._lines:
        word, _, value = line.strip().partition(" ")
        if word == "ready?":
            if prepare is not None:
                prepare(turn)
            _say(out, "ready\n")
        elif word == "go":
            turn.seconds = int(value) / 1000 if value else None
            _say(out, turn._answer(choose(turn)))
        elif word == "end":
            return
        else:
            turn._hear(word, value)


def distances(board: Iterable[Fact]) -> dict[Cell, dict[Cell, int]]:
    """Return the number of steps on a shortest way between any two cells of a grid that are not walled off.

    Walls and size are read from the board facts `size LOW HIGH` and `wall X Y north|east`.
    """
    facts = [fact.split() for fact in board]
    low, high = next((int(fact[1]), int(fact[2])) for fact in facts if fact[0] == "size")
    walls = {(int(fact[1]), int(fact[2]), fact[3]) for fact in facts if fact[0] == "wall"}
    ways: dict[Cell, list[Cell]] = {
        (x, y): [] for x in range(low, high + 1) for y in range(low, high + 1)
    }
    for x, y in ways:
        for there, way in (((x, y + 1), "north"), ((x + 1, y), "east")):
            if there in ways and (x, y, way) not in walls:
                ways[x, y].append(there)
                ways[there].append((x, y))
    table: dict[Cell, dict[Cell, int]] = {}
    for start in ways:
        steps, ring = {start: 0}, [start]
        for cell in ring:  # grows while it is walked: breadth first
            fresh = [there for there in ways[cell] if there not in steps]
            steps |= dict.fromkeys(fresh, steps[cell] + 1)
            ring += fresh
        table[start] = steps
    return table


def _say(out: IO[str], text: str) -> None:
    out.write(text)
    out.flush()
