"""The line protocol, version 1: messages <-> lines. The only file that knows the wire format.

It turns the referee's messages into bytes, and a bot's line into the text of a move. It judges
nothing: the referee decides whether a move is legal, and the live bot whether it came in time.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from arena.clock import TimeControl, TimeUsed
from arena.failure import Failure
from arena.game import Fact, Game, Move, Role
from arena.values import DISGUISED, Ending, Fault, Match, ModelTerms

VERSION = 1
LINE_LIMIT = 64 * 1024
"""Bytes of a bot's longest line; more ends the seat at once. A move is a few words, so this is only
a guard."""
AGAIN = b"ready again"
"""The line of a bot that asks to stay for its next match."""
READY = frozenset({b"ready", AGAIN})
MODEL = b"model "
"""The beginning of a line by which a bot asks the event's language model, and of the line with the
answer."""
MOST_LINES, LINE_LETTERS = 200, 1000
"""The most lines of a hostile text that are printed, and the most letters of each line."""
FEW_MOVES = 64
"""Sets of so few legal moves come again and again, so their lines are cached; thousands of larger
sets would fill the memory."""


class Ask(NamedTuple):
    """A question to a bot. A tuple, as `Reply` is, because one is made for every answer."""

    text: bytes
    """Whole lines; the last is `ready?` or `go`."""
    announced: float | None
    """Seconds that the bot is told it has; None = no limit."""
    deadline: float | None
    """Seconds of which no more may be charged (clock.py); None = no limit."""
    ready: bool = False
    """True when only `ready` is an answer."""
    turn: int = 0
    """The number of the turn; 0 before the first."""
    legal: tuple[Move, ...] = ()
    """The legal moves, of which the answer must be one; none when only `ready` is an answer."""
    resumes: bool = False
    """True when it goes on with a question that the bot interrupted to ask a language model."""


class Reply(NamedTuple):
    """A line of a bot, or how the bot failed to give one."""

    line: bytes = b""
    ending: Ending | None = None
    words: str = ""
    """What was expected and what came, when there is an ending; otherwise what the author of the
    bot should know as well, if the answer is no move."""
    spent: TimeUsed = TimeUsed()
    remarks: tuple[str, ...] = ()
    refused: Ending | None = None
    """Only when a record is replayed: why the referee refused this answer, of which the record has
    only clean text."""
    failure: Failure | None = None
    """Why there is an ending, with its figures, when a live bot failed; a record has ending and
    words only."""

    @property
    def wall(self) -> float:
        """Seconds from the question to the moment at which the answer was read."""
        return self.spent.wall


def handshake(
    game: Game[object],
    match: Match,
    role: Role,
    control: TimeControl,
    seed: int,
    secret: str = "",
) -> bytes:
    """Return the lines before the first turn: match, roles, time control, board, and `ready?`."""
    times = {
        "start": control.start,
        "move": control.move,
        "bank": control.bank,
    }
    time_words = ["time"]
    for name, value in times.items():
        if value is not None:
            time_words.append(f"{name} {_milliseconds(value)}")
    lines = [
        f"arena {VERSION}",
        f"match {match.id}",
        f"game {match.label.removesuffix(DISGUISED)}",
        f"roles {' '.join(game.roles)}",
        f"role {role}",
        f"seed {seed}",
    ]
    if secret:
        lines.append(f"secret {secret}")
    lines.append(" ".join(time_words))
    if match.conditions.has_models:
        bots = {seat.role: seat.bot for seat in match.seats}
        terms = match.conditions.model_of(bots[role])
        if terms is not None:
            lines.append(_model_terms(terms))
    if match.sampled:
        lines.append(f"parameters {match.sampled}")
    lines += [f"board {fact}" for fact in game.board()]
    lines.append("ready?")
    return _lines(lines)


def turn(
    number: int,
    last: Iterable[tuple[Role, Move]],
    states: bytes,
    legals: bytes,
    seconds: float | None,
) -> bytes:
    """Return the lines of a turn: the others' moves, the state, the legal moves, and `go`.

    `go` has the `seconds` that are left; None = no limit. `states` and `legals` are lines already,
    because several turns and roles share them.
    """
    head = f"turn {number}\n"
    for role, move in last:
        head += f"last {role} {move}\n"
    go = b"go\n"
    if seconds is not None:
        go = b"go %d\n" % _milliseconds(seconds)
    return b"%b%b%b%b" % (head.encode(), states, legals, go)


def states(facts: tuple[Fact, ...]) -> bytes:
    """Return the lines `state FACT`."""
    if not facts:
        return b""
    text = "\nstate ".join(facts)
    return f"state {text}\n".encode()


def legals(moves: tuple[Move, ...]) -> bytes:
    """Return the lines `legal MOVE`."""
    if len(moves) > FEW_MOVES:
        return _legals(moves)
    return _cached_legals(tuple(moves))  # rules may return a list, which cannot be a key


def _legals(moves: tuple[Move, ...]) -> bytes:
    return _lines(f"legal {move}" for move in moves)


_cached_legals = lru_cache(4096)(_legals)


def note(
    ending: Ending,
    rejected: str,
    played: Move,
    strike: int,
    strikes: int,
) -> bytes:
    """Return the line for a forgiven answer.

    It has the rejected text, the move that was played, and the number of strikes.
    """
    kind = "garbled"
    if ending is Ending.ILLEGAL_MOVE:
        kind = "illegal"
    refused_text = clean(rejected)
    return _lines([f'note {kind} "{refused_text}" played "{played}" strike {strike} of {strikes}'])


def end(scores: Mapping[Role, int], reason: str) -> bytes:
    """Return the lines after the last turn: every role's score, and `end`."""
    lines = [f"score {role} {score}" for role, score in scores.items()]
    lines.append(f"end {reason}")
    return _lines(lines)


def dismissal(fault: Fault) -> bytes:
    """Return the last lines for a seat at fault, which is told no scores."""
    return _lines([f"fault {fault.ending} {clean(fault.words, 1000)}", "end forfeit"])


def rewritten(
    text: bytes,
    change: Mapping[str, Callable[[str], str | None]],
    rules: Iterable[str] = (),
) -> bytes:
    """Return lines in which these kinds of lines have other values.

    A line whose new value is None is left out. `rules` are told before `ready?`, a line each.
    """
    lines: list[str] = []
    for line in text.decode().splitlines():
        kind, _, value = line.partition(" ")
        if kind == "ready?":
            lines += [f"rules {rule}" for rule in rules]
        if kind not in change:
            lines.append(line)
            continue
        changed = change[kind](value)
        if changed is not None:
            lines.append(f"{kind} {changed}")
    return _lines(lines)


def _model_terms(terms: ModelTerms) -> str:
    limits = {
        "calls": terms.calls,
        "move": terms.move,
        "bank": terms.bank,
        "cost": terms.cost,
    }
    set_limits = {name: limit for name, limit in limits.items() if limit is not None}
    return f"model {json.dumps(set_limits)}"


def asks_model(ask: Ask, line: bytes) -> bool:
    """Return whether a line is a request to a language model; a legal move never is."""
    if not line.startswith(MODEL) or ask.ready:
        return False
    return not ask.legal or read_move(line) not in ask.legal


def model_answer(values: Mapping[str, object]) -> bytes:
    """Return the line that answers such a request."""
    return MODEL + json.dumps(values).encode("ascii") + b"\n"


def read_move(line: bytes) -> str | None:
    """Return the text of an answer, without the blanks around it; None when it is not UTF-8."""
    try:
        return line.decode().strip(" \t\r")
    except UnicodeDecodeError:
        return None


def text_of(line: bytes) -> str:
    """Return the text of any line, without the blanks around it.

    It may be hostile: `clean` it before it is shown.
    """
    return line.decode("utf-8", "backslashreplace").strip(" \t\r")


def garbled(text: str) -> bool:
    """Return whether a text has control characters or other invisible ones, which no move has."""
    return any(map(_control, text))


def is_utf16(line: bytes) -> bool:
    """Return whether a line looks like UTF-16: by its mark, or since every second byte is zero.

    A line of two or three bytes shows too little: a program in C may send the zero that ends a
    text.
    """
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    even = line[::2]
    odd = line[1::2]
    if len(odd) < 2:
        return False
    is_little_endian = all(even) and not any(odd)
    is_big_endian = all(odd) and not any(even)
    return is_little_endian or is_big_endian


def uncleanness(line: bytes) -> str:
    """Return why an answer is garbled, for the author of its bot."""
    if is_utf16(line):
        return "which is UTF-16, and arena reads UTF-8"
    text = read_move(line)
    if text is None:
        return "which is not clean UTF-8 text"
    if text.startswith("\ufeff"):
        return "which begins with a byte order mark"
    if "\0" in text:
        return "which has a zero byte"
    return "which has control characters, or others that nobody sees"


def read_remark(line: bytes) -> str:
    """Return the text of a line that begins with `#`, without the `#`; cleaned."""
    return clean(text_of(line)[1:].strip())


def clean(text: str, length: int = 200) -> str:
    """Return hostile text as one line that does nothing when it is printed.

    It is escaped first, then cut to `length` characters. A clean text comes back unchanged, because
    records hold clean texts and are cleaned again wherever they are shown.
    """
    # Escapes only lengthen the text, so the other characters would be cut off anyway.
    line = text[: length + 1]
    # Nearly all texts are printable, and to look at each letter takes fifty times as long.
    if not line.isprintable():
        line = "".join(_escaped(char) if _control(char) else char for char in line)
    line = line.replace('"', "'")
    if len(line) > length:
        return f"{line[: length - 3]}..."
    return line


def quoted(line: str, length: int = 200) -> str:
    """Return a bot's line in quotation marks, as `clean` does, with invisible blanks escaped."""
    text = line[: length + 1]
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _escaped(char) for char in text)
    return f'"{clean(text, length)}"'


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


def clean_lines(text: str) -> str:
    """Return hostile text of several lines, each cleaned and cut, and no more than MOST_LINES."""
    lines = text.split("\n")
    cleaned = [clean(line, LINE_LETTERS) for line in lines[:MOST_LINES]]
    more = len(lines) - MOST_LINES
    if more > 0:
        cleaned.append(f"... {more} more lines")
    return "\n".join(cleaned)


def _control(char: str) -> bool:
    """Return whether a character moves the cursor, breaks the line, or hides.

    Such characters are control, format and separator characters, and surrogates.
    """
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _lines(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
