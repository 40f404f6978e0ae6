"""The games of OpenSpiel, each as a board: `openspiel/connect_four`, `openspiel/goofspiel(num_cards=5)`.

The board's name is the text with which OpenSpiel loads the game. It needs the package `open_spiel`, which
`pip install 'botarena[openspiel]'` installs.
"""

# This is a rules file like any other, although its boards are no tables, so that digests, workspaces and the bots' kit
# find it as they find every game. As a part of arena.games it would need a second way in all three.
#
# A state of OpenSpiel is changed in place, has no equality and may differ from another one although both print the same
# text. So a state here is the list of all actions since the start, with OpenSpiel's state beside it; `play` copies that
# state before it applies an action. Two states are equal if their actions are equal.
#
# OpenSpiel is C++ and may end the process at an illegal action. It never gets one: the referee hands `play` only moves
# that it found in `legal_moves`, and `play` finds their actions in the same table.

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from importlib.metadata import version as version_of
from math import comb, isfinite, lcm
from typing import Any

from arena.drawing import CHESSMEN, Drawing, Grid, Mark, LetterRows
from arena.game import CHANCE, Fact, Game, Move, Outcome, Role

MOST_TICKETS = 10_000
"""The referee draws each move of chance with equal weight, so an outcome of weight 2 in 5 is two of five moves. No more
moves than this stand for the outcomes of one chance node; finer probabilities are rounded to such shares."""
UNSOUND = {"morpion_solitaire": "may end the process (seen in OpenSpiel 2.0.2)"}
"""Games with an error of OpenSpiel itself that every bot would meet."""
WORD = re.compile(r"\w+")
READS_FILE = re.compile(r"file(name)?\s*=\s*[^\s,)]")
"""A parameter such as `filename=game.efg`, or `instances_file` of bargaining; its default is an empty text."""
PARAMETER = re.compile(r"(\w+)\s*=\s*([^,()]*)")
FAILED_CHECK = re.compile(r"\S+\.(?:cc|h):\d+ ")
"""The beginning of a message of OpenSpiel that quotes a line of its source."""
NEGATIVE = re.compile(r"(\w+)\s*=\s*-")
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
MOST_NUMBER = 2048
"""The highest number in a parameter, because a game that is too large costs seconds and gigabytes before it begins. It
is the highest default of any game here; `mnk(m=2048,n=2048)` takes 0.2 s and 50 MB."""
MOST_OF = {"board_size": 26}
"""Other limits, by name. `y` and `havannah` end the process at a board_size of 100."""
MOST_BLOTTO = 100_000
"""The most actions of `blotto`, which lists every distribution of its coins before it begins."""
MOST_LOADED = 200
"""Games that stay loaded: all, because the list of games asks for each twice, and some take 0.2 s."""
SPACES = re.compile(r"^ +|  +")
"""Spaces that a drawing needs: those that begin a line, and runs of them."""


def _board(row: str, things: Mapping[str, str], looks: Mapping[str, tuple[str, str]], *, chess: bool = False) -> Drawing:
    """Return how a board looks that OpenSpiel writes in rows.

    `things` has the words of a fact by each letter, `looks` a sign and a shape. The second word is the colour.
    """
    marks = [Mark(f"{thing} X Y", *looks[letter], colour=thing.split()[1]) for letter, thing in things.items()]
    rows = LetterRows(row, tuple(things.items()), ("observation", "position"), is_kept=chess)  # which also says who may castle
    return (rows, Grid("grid COLUMNS ROWS", is_chequered=chess), *marks)


def _chess() -> Drawing:
    """Return how chess looks, in which `player1` has the white pieces."""
    things, looks = {}, {}
    for owner, letters, signs in (("player1 white", "KQRBNP", "♔♕♖♗♘♙"), ("player0 black", "kqrbnp", "♚♛♜♝♞♟")):
        for man, letter, sign in zip(CHESSMEN, letters, signs, strict=True):
            things[letter] = f"{owner} {man}"
            looks[letter] = sign, man
    return _board(r"([KQRBNPkqrbnp1-8/]+) [wb] .*", things, looks, chess=True)


def _two(row: str, letters: str, colours: str, noun: str, signs: str) -> Drawing:
    """Return how a board looks on which each player has things of one kind."""
    things, looks = {}, {}
    for player, (letter, colour, sign) in enumerate(zip(letters, colours.split(), signs, strict=True)):
        things[letter] = f"player{player} {colour} {noun}"
        looks[letter] = sign, "disc"
    return _board(row, things, looks)


DRAWINGS = {
    "breakthrough": _two(r"\d+([.bw]+)", "bw", "black white", "pawn", "●○"),
    "chess": _chess(),
    "clobber": _two(r"\d+([.xo]+)", "ox", "blue red", "disc", "ox"),
    "connect_four": _two(r"([.xo]+)", "xo", "blue red", "disc", "xo"),
    "go": _two(r"_?\d+ ([+XO]+)", "XO", "black white", "stone", "●○"),
    "mnk": _two(r"([.xo]+)", "xo", "blue red", "disc", "xo"),
    "othello": _two(r"\d ((?:[-xo] ){8})\d", "xo", "black white", "stone", "●○"),
    "tic_tac_toe": _two(r"([.xo]+)", "xo", "blue red", "disc", "xo"),
}
"""The games whose boards are drawn."""


@dataclass(frozen=True)
class State:
    """All actions since the start; those of roles that move at once stand in order of the roles."""

    actions: tuple[int, ...]
    spiel: Any = field(compare=False, repr=False)
    """OpenSpiel's state, which nobody changes any more."""
    tables: dict[Role, dict[Move, int]] = field(default_factory=dict, compare=False, repr=False)
    """The action of each legal move, for each role that was looked at."""


@dataclass(frozen=True)
class OpenSpiel(Game[State]):
    """A game of OpenSpiel."""

    name: str
    """The text with which `pyspiel.load_game` loads it, such as `goofspiel(num_cards=5)`."""

    def __post_init__(self) -> None:
        """Refuse a game that the referee cannot play."""
        _refuse_unsafe(self.name, self.name)  # before OpenSpiel reads the name
        _refuse_huge(self.name)
        kind = self._spiel.get_type()
        _refuse_unsafe(self.name, str(self._spiel))
        if not self._spiel.num_distinct_actions():
            raise ValueError(f"{self.name} has no list of its legal actions")
        if kind.dynamics == _pyspiel().GameType.Dynamics.MEAN_FIELD:
            raise ValueError(f"{self.name} is a mean field game, which has no single players")
        if kind.chance_mode == _pyspiel().GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise ValueError(f"{self.name} draws chance by itself, so no match could be played again")
        if not isfinite(self._spiel.min_utility()) or not isfinite(self._spiel.max_utility()):
            raise ValueError(f"{self.name} has no bounds of utility, so there is no score from 0 to 100")
        if self.hidden and not (kind.provides_information_state_string or kind.provides_observation_string):
            raise ValueError(f"{self.name} does not say what a player may see")
        try:
            self.view(self.start(), None)
        except Exception as error:  # some parameters are refused only here, by errors of several kinds
            raise ValueError(f"OpenSpiel cannot begin {self.name}: {_reason(error)}") from error

    @cached_property
    def _spiel(self) -> Any:
        pyspiel, game = _pyspiel(), self.name.partition("(")[0]
        if game not in pyspiel.registered_names():  # asked first, because OpenSpiel prints whatever it raises
            near = get_close_matches(game, pyspiel.registered_names(), n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`arena games openspiel` lists them"
            raise ValueError(f"OpenSpiel has no game {game!r}; {hint}")
        try:
            return _loaded(self.name)
        except Exception as error:
            raise ValueError(f"OpenSpiel cannot load {self.name}: {_reason(error)}") from error

    @cached_property
    def version(self) -> str:
        """The version of OpenSpiel, because its games are part of these rules."""
        return _version()

    @cached_property
    def drawing(self) -> Drawing:  # type: ignore[override]
        """A grid and what stands on it, in the games of which OpenSpiel writes rows of cells."""
        return DRAWINGS.get(self.name.partition("(")[0], ())

    @cached_property
    def hidden(self) -> bool:  # type: ignore[override]
        """True in games of imperfect information: an observation has every move that its player may know."""
        return bool(self._spiel.get_type().information == _pyspiel().GameType.Information.IMPERFECT_INFORMATION)

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """`player0`, `player1`, ..."""
        return tuple(f"player{number}" for number in range(self._spiel.num_players()))

    def board(self) -> tuple[Fact, ...]:
        """The game with all parameters that were set, and the bounds of utility, which are the scores 0 and 100."""
        low, high = self._spiel.min_utility(), self._spiel.max_utility()
        grid: tuple[Fact, ...] = ()
        for item in self.drawing:
            if isinstance(item, LetterRows) and (rows := item.cells(_facts("position", str(self._spiel.new_initial_state())))):
                grid = (f"grid {len(rows[0])} {len(rows)}",)
        return (*_facts("openspiel", str(self._spiel)), f"utility {low:g} {high:g}", *grid)

    def start(self) -> State:
        """The initial state."""
        return State((), self._spiel.new_initial_state())

    def to_move(self, state: State) -> tuple[Role, ...]:
        """Chance, one player, or every player that has a choice at a simultaneous node."""
        spiel = state.spiel
        if spiel.is_terminal():
            return ()
        if spiel.is_chance_node():
            return (CHANCE,)
        if spiel.is_simultaneous_node():
            return tuple(role for player, role in enumerate(self.roles) if spiel.legal_actions(player))
        return (self.roles[spiel.current_player()],)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        """The texts of the legal actions; those of chance are as many as their weights ask for."""
        return tuple(self._table(state, role))

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        """Apply the actions of these moves to a copy of OpenSpiel's state."""
        spiel = state.spiel.clone()
        chosen = {role: self._table(state, role)[move] for role, move in moves.items()}
        if spiel.is_simultaneous_node():
            actions = tuple(chosen.get(role, _pyspiel().INVALID_ACTION) for role in self.roles)
            spiel.apply_actions(list(actions))
        else:
            actions = tuple(chosen.values())
            spiel.apply_action(*actions)
        return State(state.actions + actions, spiel)

    def outcome(self, state: State) -> Outcome | None:
        """The utilities as scores: the game's lowest utility is 0, its highest is 100."""
        if not state.spiel.is_terminal():
            return None
        low, high = self._spiel.min_utility(), self._spiel.max_utility()
        utilities = dict(zip(self.roles, state.spiel.returns(), strict=True))
        shares = {role: (utility - low) / (high - low) if high > low else 0.5 for role, utility in utilities.items()}
        # Some games return a utility a little outside of the bounds that they state.
        return Outcome({role: round(100 * min(max(share, 0), 1)) for role, share in shares.items()}, "finished")

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        """What the player observes: its information state where information is imperfect, else the position."""
        if role is None:
            digest = hashlib.sha256(repr(state.actions).encode()).hexdigest()[:16]
            return (*_facts("position", str(state.spiel)), f"actions {len(state.actions)} {digest}")
        if state.spiel.is_chance_node():
            return ("chance to move",)  # some games have no observation here, and nobody is asked
        kind, player = self._spiel.get_type(), self.roles.index(role)
        if kind.provides_information_state_string and (self.hidden or not kind.provides_observation_string):
            return _facts("information", state.spiel.information_state_string(player))
        if kind.provides_observation_string:
            return _facts("observation", state.spiel.observation_string(player))
        return _facts("position", str(state.spiel))

    def _table(self, state: State, role: Role) -> dict[Move, int]:
        """Return the action of each legal move of a role, in OpenSpiel's order."""
        if role not in state.tables:
            if role == CHANCE:
                state.tables[role] = dict(_tickets(state.spiel))
            else:
                player = self.roles.index(role)
                state.tables[role] = _named(state.spiel, player, state.spiel.legal_actions(player))
        return state.tables[role]


def named_board(name: str) -> dict[str, Any]:
    """Return the parameters of the board `openspiel/NAME`; ValueError when OpenSpiel is missing or has no such game."""
    return {"name": name}


def board_names() -> tuple[str, ...]:
    """Return the names of the games that OpenSpiel loads without parameters, and that the referee can play."""
    names = []
    for kind in _pyspiel().registered_games():
        if kind.default_loadable:
            try:
                OpenSpiel(kind.short_name)
            except ValueError:
                continue
            names.append(kind.short_name)
    return tuple(names)


def _pyspiel() -> Any:
    try:
        import pyspiel  # only here, so that arena works without it
    except ImportError as error:
        raise ValueError("the games of OpenSpiel need a package: pip install 'botarena[openspiel]'") from error
    return pyspiel


@lru_cache(MOST_LOADED)
def _loaded(name: str) -> Any:
    return _pyspiel().load_game(name)


@cache
def _version() -> str:
    return f"open_spiel {version_of('open_spiel')}"


def _refuse_unsafe(name: str, text: str) -> None:
    """Raise ValueError if a game's text names an unsound game, also inside another one, or sets a file to be read."""
    for word in WORD.findall(text):
        if reason := UNSOUND.get(word):
            raise ValueError(f"{name}: {word} {reason}")
    if READS_FILE.search(text):
        raise ValueError(f"{name} reads a file, which a board's name may not do: it may come from anybody's record")


def _refuse_huge(name: str) -> None:
    """Raise ValueError for a parameter that is negative, or so high that OpenSpiel would need much time or memory."""
    if negative := NEGATIVE.search(name):  # which some games take for a number of 64 bits without a sign
        raise ValueError(f"{name}: {negative[1]} is negative; take a number from 0")
    parameters = {key: [float(number) for number in NUMBER.findall(value)] for key, value in PARAMETER.findall(name)}
    for key, numbers in parameters.items():
        if (most := MOST_OF.get(key, MOST_NUMBER)) < max(numbers, default=0):
            raise ValueError(f"{name}: {key} is too high: {most} is the most that arena lets OpenSpiel prepare")
    if "blotto" in WORD.findall(name):
        coins, fields = (int((parameters.get(key) or [default])[0]) for key, default in (("coins", 10), ("fields", 3)))
        if fields and comb(coins + fields - 1, fields - 1) > MOST_BLOTTO:
            raise ValueError(f"{name}: coins: there are more than {MOST_BLOTTO} distributions of them; take fewer")


def _reason(error: Exception) -> str:
    """Return what OpenSpiel says of parameters that it refuses, as words that need no knowledge of its source."""
    text = _line((str(error).strip().splitlines() or [""])[0])
    if check := FAILED_CHECK.match(text):
        return f"it takes no such parameters: its check {text[check.end() :]!r} fails"
    return text if " " in text else f"it takes no such parameters ({text or type(error).__name__})"  # such as "map::at"


def _named(spiel: Any, player: int, actions: Iterable[int]) -> dict[Move, int]:
    """Return the actions by their texts; a text that is empty or that two actions share gets the action's number."""
    texts = {action: _line(spiel.action_to_string(player, action)) for action in actions}
    counts: dict[str, int] = {}
    for text in texts.values():
        counts[text] = counts.get(text, 0) + 1
    return {
        text if text and counts[text] == 1 else f"{text} action {action}".strip(): action
        for action, text in texts.items()
    }


def _tickets(spiel: Any) -> Iterator[tuple[Move, int]]:
    """Yield moves of equal weight for the outcomes of a chance node, each with its action."""
    actions, weights = zip(*spiel.chance_outcomes(), strict=True)
    shares = dict(zip(actions, _shares(weights), strict=True))
    for text, action in _named(spiel, _pyspiel().PlayerId.CHANCE, actions).items():
        if shares[action] == 1:
            yield text, action
        else:
            yield from ((f"{text} ticket {number}", action) for number in range(1, shares[action] + 1))


@lru_cache
def _shares(weights: tuple[float, ...]) -> tuple[int, ...]:
    """Return how many moves of equal weight stand for each outcome of a chance node.

    The shares are exact where the weights have a common denominator of at most MOST_TICKETS, as those of cards and
    dice do; else they are the nearest ones of that denominator, and at least 1.
    """
    total = lcm(*(Fraction(weight).limit_denominator(MOST_TICKETS).denominator for weight in weights))
    exact = all(abs(weight * total - round(weight * total)) < 1e-6 <= weight * total for weight in weights)
    if total > MOST_TICKETS or not exact:
        total = MOST_TICKETS
    return tuple(max(1, round(weight * total)) for weight in weights)


def _facts(word: str, text: str) -> tuple[Fact, ...]:
    """Return each line of a text as a fact that begins with this word; the last lines may not be empty."""
    return tuple(f"{word} {_line(line, indented=True)}".strip() for line in text.rstrip().split("\n"))


def _line(text: str, *, indented: bool = False) -> str:
    """Return a text as words with single spaces. Runs of spaces, which drawings need, become as many `_`."""
    shown = "".join(char if char.isprintable() else " " for char in text.rstrip())
    if indented:
        return SPACES.sub(lambda match: "_" * len(match[0]), shown)
    return " ".join(shown.replace("#", "no. ").split() if shown.startswith("#") else shown.split())


game = OpenSpiel
