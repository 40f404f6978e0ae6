"""The line protocol, version 1: messages <-> lines. The only file that knows the wire format.

It turns what the referee has to say into bytes, and what a bot said into a move's text. It judges nothing: whether a
move is legal is the referee's business, whether it came in time the live bot's.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from arena.clock import Spent, TimeControl
from arena.game import Fact, Game, Move, Role
from arena.match import Ending, Fault, Match

VERSION = 1
LINE_LIMIT = 64 * 1024
"""Bytes of a bot's longest line; more ends the seat at once. A move is a few words, so this is only a guard."""
AGAIN = b"ready again"
"""What a bot says that wants to stay for its next match."""
READY = frozenset({b"ready", AGAIN})
FEW = 64
"""Moves: sets of so many come again and again, and are kept as lines; thousands of larger ones would fill memory."""
_STATE = "\nstate "


class Ask(NamedTuple):
    """What is written to a bot, up to the line that wants an answer. A tuple, as `Heard` is: one is made every turn."""

    text: bytes
    """Whole lines; the last is `ready?` or `go`."""
    told: float | None
    """Seconds that the bot is told it has; None = no limit."""
    deadline: float | None
    """Seconds that it may be charged with; more is too late."""
    ready: bool = False
    """True when only `ready` is an answer."""


class Heard(NamedTuple):
    """What came back: a line, or how the bot failed to give one."""

    line: bytes = b""
    ending: Ending | None = None
    words: str = ""
    """What was expected and what came, when there is an ending."""
    spent: Spent = Spent()
    remarks: tuple[str, ...] = ()

    @property
    def wall(self) -> float:
        """Seconds from the question to the moment at which the answer was read."""
        return self.spent.wall


def handshake(game: Game[object], match: Match, role: Role, seed: int) -> bytes:
    """Everything up to `ready?`: who plays what, the time control, and what never changes on the board."""
    return _lines(
        f"arena {VERSION}",
        f"match {match.id}",
        f"game {match.label}",
        f"roles {' '.join(game.roles)}",
        f"role {role}",
        f"seed {seed}",
        _time(match.conditions.time),
        *(f"board {fact}" for fact in game.board()),
        "ready?",
    )


def turn(number: int, last: Iterable[tuple[Role, Move]], states: bytes, legals: bytes, seconds: float | None) -> bytes:
    """Everything up to `go`: what the others played, what the role may see, what it may do, how long it has.

    `states` and `legals` are lines already, because several turns and roles share them.
    """
    told = "".join([f"turn {number}\n", *[f"last {role} {move}\n" for role, move in last]])
    return b"%b%b%b%b" % (told.encode(), states, legals, _go(seconds))


def states(facts: tuple[Fact, ...]) -> bytes:
    """The lines of what a role may see."""
    return f"state {_STATE.join(facts)}\n".encode() if facts else b""


def legals(moves: tuple[Move, ...]) -> bytes:
    """The lines of what a role may do."""
    return _few(tuple(moves)) if len(moves) <= FEW else _legals(moves)  # rules may hand over a list


def _legals(moves: tuple[Move, ...]) -> bytes:
    return _lines(*(f"legal {move}" for move in moves))


_few = lru_cache(4096)(_legals)


@lru_cache
def _go(seconds: float | None) -> bytes:
    return b"go\n" if seconds is None else b"go %d\n" % _milliseconds(seconds)


def note(ending: Ending, said: str, played: Move, strike: int, strikes: int) -> bytes:
    """A forgiven answer: what was refused, what was played instead, and how many more are forgiven."""
    word = "illegal" if ending is Ending.ILLEGAL_MOVE else "garbled"
    return _lines(f'note {word} "{clean(said)}" played "{played}" strike {strike} of {strikes}')


def end(scores: Mapping[Role, int], reason: str) -> bytes:
    """Every role's score and the last line."""
    return _lines(*(f"score {role} {score}" for role, score in scores.items()), f"end {reason}")


def dismissal(fault: Fault) -> bytes:
    """What a seat at fault is told before its end, instead of scores."""
    return _lines(f"fault {fault.ending} {clean(fault.words, 1000)}", "end forfeit")


def read_move(line: bytes) -> str | None:
    """The text of an answer, without the blanks around it; None when it is no UTF-8."""
    try:
        return line.decode().strip(" \t\r")
    except UnicodeDecodeError:
        return None


def said(line: bytes) -> str:
    """What a line says, whatever it is; whoever shows it must `clean` it first."""
    return line.decode("utf-8", "backslashreplace").strip(" \t\r")


def garbled(text: str) -> bool:
    """Whether a text holds what no move holds: control characters, and others that do not show."""
    return any(map(_control, text))


def read_remark(line: bytes) -> str:
    """The text of a line that begins with `#`, without it."""
    return clean(line.decode("utf-8", "backslashreplace").strip(" \t\r")[1:].strip())


def clean(text: str, length: int = 200) -> str:
    """Hostile text as one line that does nothing when shown: control characters escaped, at most `length` long."""
    cut = text if len(text) <= length else f"{text[: length - 3]}..."
    if cut.isprintable():  # as nearly all is; to look at each letter takes fifty times as long
        return cut.replace('"', "'")
    shown = (char.encode("unicode_escape").decode() if _control(char) else char for char in cut)
    return "".join(shown).replace('"', "'")


def _control(char: str) -> bool:
    """Whether a character moves the cursor, breaks the line, or hides: control, format, separators, surrogates."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _time(control: TimeControl) -> str:
    named = (("start", control.start), ("move", control.move), ("bank", control.bank))
    return " ".join(["time", *(f"{word} {_milliseconds(value)}" for word, value in named if value is not None)])


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _lines(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode()
