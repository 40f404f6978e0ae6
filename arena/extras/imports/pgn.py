"""Results in a PGN file: the tags of each game, and the result behind its moves.

PGN is the standard of 1994 ("Portable Game Notation Specification and Implementation Guide"), as
programs write it.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.extras.imports import outside, source
from arena.extras.imports.outside import DRAW, LOSS, WIN, FilePosition, OutsideMatch, OutsideSeat
from arena.protocol import clean
from arena.values import Ending

GAME = "chess"
BOARD = "standard"
TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*+)"\s*\]\s*')
UNESCAPED_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*')
"""A tag that has its line for itself: some programs write quotes in its value without a
backslash."""
ESCAPE = re.compile(r"\\(.)")
MOST_TAGS = 500
WHITE = "white"
BLACK = "black"
RESULTS = {
    "1-0": (WIN, LOSS),
    "0-1": (LOSS, WIN),
    **dict.fromkeys(("1/2-1/2", "1/2", "\u00bd-\u00bd"), (DRAW, DRAW)),
    "0-0": (LOSS, LOSS),
}
"""The scores of White and Black; 0-0 is lost by both, as where nobody came."""
UNKNOWN = frozenset({"", "?", "*", "-"})
"""Texts of tags that say nothing."""
FAULTS = {
    "time forfeit": Ending.TIMEOUT,
    "stalled connection": Ending.TIMEOUT,
    "illegal move": Ending.ILLEGAL_MOVE,
    "rules infraction": Ending.ILLEGAL_MOVE,
    "abandoned": Ending.CRASHED,
}
"""The endings of words of the tag Termination: those of the standard, of cutechess and of
fastchess."""


@dataclass
class _GameText:
    """What was read of one game."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each tag."""
    has_moves: bool = False
    last: str = ""
    """The last word of the moves: their result."""
    moves: "hashlib._Hash" = field(default_factory=hashlib.sha256)


def read(
    path: Path,
    game: str,
    board: str | None,
) -> Iterator[OutsideMatch | None]:
    """Yield the matches of a PGN file.

    A game without a result, or without the names of its players, is None.

    `board` replaces the board, which is otherwise that of the tag Variant.
    """
    for text in _games(path):
        yield _match(path, text, game, board)


def _games(path: Path) -> Iterator[_GameText]:
    """Yield the text of each game: tags in square brackets, then moves; both may be missing."""
    current: _GameText | None = None
    comment_line = 0  # where the comment began that is open
    after_blank = False
    for number, text in source.lines(path, may_be_latin=True):
        position = FilePosition(path, number)
        if text.startswith("%"):
            continue  # the standard's escape: a line for other programs
        if not comment_line and not text.strip():
            after_blank = True
            continue
        if not comment_line and text.lstrip().startswith("["):
            pairs = _tags(text, position)
            # Files of tags alone have no moves that end a game: there a tag that comes again begins
            # the next one.
            comes_again = current is not None and pairs[0][0] in current.tags
            if current is None or current.has_moves or (after_blank and comes_again):
                if current is not None:
                    yield current
                current = _GameText(number)
            for name, value in pairs:
                _add_tag(current, name, value, position)
        else:
            move_words, comment_line = _without_comments(text, number, comment_line)
            if move_words and current is None:
                raise position.mistake(
                    "",
                    f'{clean(move_words[0], 40)}: a game begins with tags, such as [White "ada"]',
                )
            if current is not None:
                _add_moves(current, move_words)
        after_blank = False
    if comment_line:
        raise FilePosition(path, comment_line).mistake("", "a comment begins here and has no end")
    if current is not None:
        yield current


def _tags(text: str, position: FilePosition) -> list[tuple[str, str]]:
    """Return the tags of a line; ArenaError where it has anything else."""
    pairs = []
    end = 0
    while end < len(text):
        tag_match = TAG.match(text, end)
        if tag_match is None and not end:
            tag_match = UNESCAPED_TAG.fullmatch(text)
        if tag_match is None:
            message = f'{clean(text[end:].strip(), 40)} is no tag, such as [White "ada"]'
            raise position.mistake(f"column {end + 1}", message)
        name, escaped = tag_match.groups()
        value = ESCAPE.sub(r"\1", escaped)
        pairs.append((name, value.strip()))
        end = tag_match.end()
    return pairs


def _add_tag(
    game: _GameText,
    name: str,
    value: str,
    position: FilePosition,
) -> None:
    if name in game.tags:
        raise position.mistake(
            f"tag {name}", f"is there twice in this game, first in line {game.lines[name]}"
        )
    if len(game.tags) >= MOST_TAGS:
        raise position.mistake(f"tag {name}", f"this game has more than {MOST_TAGS} tags")
    game.tags[name] = value
    game.lines[name] = position.line


def _add_moves(game: _GameText, move_words: list[str]) -> None:
    for word in move_words:
        game.has_moves = True
        game.last = word
        game.moves.update(word.encode() + b" ")


def _without_comments(
    text: str,
    number: int,
    comment_line: int,
) -> tuple[list[str], int]:
    """Return the words of a line of moves.

    With them goes the line where the comment began that is open at its end, or 0.
    """
    parts = []
    remaining_text = text
    while remaining_text:
        if comment_line:
            _, closed, remaining_text = remaining_text.partition("}")
            if closed:
                comment_line = 0
            continue
        opening = remaining_text.find("{")
        semicolon = remaining_text.find(";")
        if semicolon >= 0 and (opening < 0 or semicolon < opening):
            parts.append(remaining_text[:semicolon])
            break
        if opening < 0:
            parts.append(remaining_text)
            break
        parts.append(remaining_text[:opening])
        remaining_text = remaining_text[opening + 1 :]
        comment_line = number
    return " ".join(parts).split(), comment_line


def _match(
    path: Path,
    text: _GameText,
    game: str,
    board: str | None,
) -> OutsideMatch | None:
    """Return the match of a game; None if it has no result, or a player without a name."""
    tags = text.tags
    named = FilePosition(path, text.lines.get("Result", text.line))
    result = tags.get("Result", "")
    behind = ""
    if text.last in RESULTS:
        behind = text.last
    if result in UNKNOWN:
        result = behind
    if not result:
        return None
    if result not in RESULTS:
        raise named.mistake(
            "tag Result", f"{clean(result, 40)!r} is none of {', '.join(RESULTS)}, *"
        )
    if behind and RESULTS[behind] != RESULTS[result]:
        raise named.mistake("tag Result", f"is {result}, and behind the moves stands {behind}")
    white = tags.get("White", "")
    black = tags.get("Black", "")
    if white in UNKNOWN or black in UNKNOWN:
        return None

    white_score, black_score = RESULTS[result]
    words_of_termination = tags.get("Termination", "").casefold().split()
    termination = " ".join(words_of_termination)
    fault = FAULTS.get(termination)
    players = (
        (WHITE, "White", white_score),
        (BLACK, "Black", black_score),
    )
    seats = []
    for role, tag, score in players:
        position = FilePosition(path, text.lines[tag])
        ending = None
        words = ""
        if fault is not None and score == LOSS:
            ending = fault
            words = termination
        seats.append(
            OutsideSeat(
                role=role,
                bot=outside.bot_name(tags[tag], position, f"tag {tag}"),
                score=score,
                ending=ending,
                words=words,
            )
        )

    board = board or _board(path, text)
    at_termination = FilePosition(path, text.lines.get("Termination", text.line))
    reason = outside.short_text(termination, at_termination, "tag Termination")
    return OutsideMatch(
        position=FilePosition(path, text.line),
        game=game,
        board=board,
        seats=tuple(seats),
        reason=reason or "normal",
        started=_started(path, text),
        content=f"{sorted(tags.items())} {text.moves.hexdigest()}",
    )


def _board(path: Path, text: _GameText) -> str:
    """Return the board of the tag Variant."""
    words = text.tags.get("Variant", "").casefold().split()
    variant = "-".join(words)
    if variant in UNKNOWN:
        return BOARD
    position = FilePosition(path, text.lines["Variant"])
    return outside.board_name(variant, position, "tag Variant")


def _started(path: Path, text: _GameText) -> str:
    """Return when a game began; empty if the file does not know the day, as in 1992.??.??."""
    for date_tag, time_tag in (("UTCDate", "UTCTime"), ("Date", "Time")):
        date = text.tags.get(date_tag, "")
        if re.fullmatch(r"\d{4}\.\d\d\.\d\d", date) is None:
            continue
        moment = date.replace(".", "-")
        time = text.tags.get(time_tag, "")
        if re.fullmatch(r"\d\d:\d\d:\d\d", time):
            moment += f"T{time}"

        position = FilePosition(path, text.lines[date_tag])
        return outside.moment(moment, position, f"tag {date_tag}")
    return ""
