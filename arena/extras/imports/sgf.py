"""Results in an SGF file: the root of each game, which has players, board and result.

SGF is the "Smart Game Format" FF[4] of red-bean.com, as Go servers and editors write it.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.extras.imports import outside, source
from arena.extras.imports.outside import DRAW, LOSS, WIN, FilePosition, OutsideMatch, OutsideSeat
from arena.protocol import clean
from arena.values import Ending

GAMES = {"": "go", "1": "go", "2": "othello", "3": "chess", "4": "gomoku", "11": "hex"}
"""The games of the property GM that many programs write."""
GO_SIZE = "19"
BLACK = "black"
WHITE = "white"
VALUE = re.compile(r"(?:[^\]\\]|\\.)*+", re.DOTALL)
NAME = re.compile(r"[A-Za-z]+")
ESCAPE = re.compile(r"\\(\n?)(.?)", re.DOTALL)
RESULT = re.compile(r"([BW])\+\s*([0-9]+(?:[.,/][0-9]*)?|[A-Za-z]*)", re.IGNORECASE)
DRAWS = frozenset({"0", "draw", "jigo"})
UNKNOWN = frozenset({"", "?", "void"})
REASONS = {
    "r": "resign",
    "resign": "resign",
    "t": "time",
    "time": "time",
    "f": "forfeit",
    "forfeit": "forfeit",
}
BORDERS = "[;()"
"""What ends a name, or begins a value, a node or a variation; a bracket in a value is escaped."""
LONGEST_VALUE = 100_000
"""Letters of a value of the root, where some programs put a text about the game."""
READ = frozenset({"PB", "PW", "RE", "GM", "SZ", "HA", "DT"})
"""The properties that are read."""


@dataclass
class _Tree:
    """What was read of one game."""

    line: int
    depth: int = 1
    """The number of parentheses that are open."""
    nodes: int = 0
    values: dict[str, str] = field(default_factory=dict)
    """The properties of the root that are read."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each."""
    name: str = ""
    """The name of the last property."""
    name_line: int = 0
    content: "hashlib._Hash" = field(default_factory=hashlib.sha256)


def read(
    path: Path,
    game: str | None,
    board: str | None,
) -> Iterator[OutsideMatch | None]:
    """Yield the matches of an SGF file.

    A game without a result, or without the names of its players, is None.

    `game` and `board` replace those of the properties GM and SZ.
    """
    for tree in _trees(path):
        yield _match(path, tree, game, board)


def _trees(path: Path) -> Iterator[_Tree]:
    """Yield each game of a collection. Text before, between and behind them is no part of it."""
    tree: _Tree | None = None
    parts: list[str] | None = None  # of the value that is open
    length = 0
    for number, text in source.lines(path, may_be_latin=True):
        position = FilePosition(path, number)
        end = 0
        while end < len(text):
            if parts is not None and tree is not None:
                value_match = VALUE.match(text, end)
                value = ""
                if value_match is not None:
                    value = value_match[0]
                end += len(value)
                length += len(value)
                if tree.nodes == 1 and tree.name in READ:
                    parts.append(value)
                    if length > LONGEST_VALUE:
                        raise position.mistake(
                            f"property {tree.name}", f"has more than {LONGEST_VALUE:,} letters"
                        )
                tree.content.update(value.encode())
                if end < len(text):  # it is at the bracket that closes the value
                    _add_value(tree, "".join(parts), position)
                    tree.content.update(b"]")
                    parts = None
                    end += 1
                continue
            sign = text[end]
            if tree is None:
                end += 1
                if sign == "(":
                    tree = _Tree(number)
                continue
            word = NAME.match(text, end)
            if word is not None:
                # Old files have small letters in names: "PlayerBlack" is PB.
                tree.name = "".join(filter(str.isupper, word[0]))
                tree.name_line = number
                tree.content.update(tree.name.encode())
                end = word.end()
                continue
            end += 1
            if sign in BORDERS:
                tree.content.update(sign.encode())
            if sign == "[":
                parts = []
                length = 0
            elif sign == ";":
                tree.nodes += 1
            elif sign == "(":
                tree.depth += 1
            elif sign == ")":
                tree.depth -= 1
                if not tree.depth:
                    if tree.nodes:  # parentheses in a text around the games have no nodes
                        yield tree
                    tree = None
            elif not sign.isspace():
                if not tree.nodes:  # this parenthesis is one of the text around the games
                    tree = None
                else:
                    raise position.mistake(
                        f"column {end}", f"{clean(sign)!r} is no part of an SGF file"
                    )
    if tree is not None and tree.nodes:
        raise FilePosition(path, tree.line).mistake("", "a game begins here and has no end")


def _add_value(tree: _Tree, text: str, position: FilePosition) -> None:
    if tree.nodes != 1 or tree.name not in READ:
        return
    name = tree.name
    if name in tree.values:
        message = f"is there twice in this game, first in line {tree.lines[name]}"
        raise position.mistake(f"property {name}", message)
    # A backslash before the end of a line joins two lines; before a letter it stands for the
    # letter.
    unescaped = ESCAPE.sub(r"\2", text)
    tree.values[name] = " ".join(unescaped.split())
    tree.lines[name] = tree.name_line


def _match(
    path: Path,
    tree: _Tree,
    game: str | None,
    board: str | None,
) -> OutsideMatch | None:
    """Return the match of a game; None if it has no result, or a player without a name."""
    values = tree.values

    def at(name: str) -> FilePosition:
        return FilePosition(path, tree.lines.get(name, tree.line))

    result = values.get("RE", "").casefold()
    names = (values.get("PB", "?"), values.get("PW", "?"))
    if result in UNKNOWN or not UNKNOWN.isdisjoint(names):
        return None

    if result in DRAWS:
        scores = (DRAW, DRAW)
        reason = "draw"
    else:
        result_match = RESULT.match(result)
        if result_match is None:
            message = f"{clean(values['RE'], 40)!r} is no result, such as B+R, W+0.5 or 0"
            raise at("RE").mistake("property RE", message)
        winner, how = result_match.groups()
        scores = (LOSS, WIN)
        if winner == "b":
            scores = (WIN, LOSS)
        reason = "won"
        if how[:1].isdigit():
            reason = "score"
        reason = REASONS.get(how, reason)

    black_score, white_score = scores
    players = (
        (BLACK, "PB", black_score),
        (WHITE, "PW", white_score),
    )
    seats = []
    for role, name, score in players:
        ending = None
        words = ""
        if reason == "time" and score == LOSS:
            ending = Ending.TIMEOUT
            words = "lost on time"
        seats.append(
            OutsideSeat(
                role=role,
                bot=outside.bot_name(values[name], at(name), f"property {name}"),
                score=score,
                ending=ending,
                words=words,
            )
        )

    number = values.get("GM", "")
    game = game or GAMES.get(number)
    if not game:
        game = outside.board_name(f"sgf-{number}", at("GM"), "property GM")
    return OutsideMatch(
        position=FilePosition(path, tree.line),
        game=game,
        board=board or _board(tree, at),
        seats=tuple(seats),
        reason=reason,
        started=_started(tree, at),
        content=tree.content.hexdigest(),
    )


def _board(tree: _Tree, at: Callable[[str], FilePosition]) -> str:
    """Return the board: its size, and the stones that Black had before.

    Against such stones White has another advantage.
    """
    sizes = tree.values.get("SZ", GO_SIZE)
    width, _, height = sizes.partition(":")
    height = height or width
    size = outside.board_name(f"{width}x{height}", at("SZ"), "property SZ")

    handicap = tree.values.get("HA", "")
    if handicap in ("", "0", "1"):
        return size
    board = f"{size}-handicap-{handicap}"
    return outside.board_name(board, at("HA"), "property HA")


def _started(tree: _Tree, at: Callable[[str], FilePosition]) -> str:
    """Return the first day of a game; empty where its file has no whole date."""
    dates = tree.values.get("DT", "")
    date_match = re.match(r"\d{4}-\d\d-\d\d(?!\d)", dates)
    if date_match is None:
        return ""
    return outside.moment(date_match[0], at("DT"), "property DT")
