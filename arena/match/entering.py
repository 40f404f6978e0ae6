"""Typed text and pressed keys become legal moves.

This file is pure, and the same for every game: only the words of moves count.
"""

import math
from collections.abc import Sequence

from arena.errors import did_you_mean
from arena.game import Move

DIRECTIONS = {
    "up": ("north", "up"),
    "down": ("south", "down"),
    "left": ("west", "left"),
    "right": ("east", "right"),
    "stay": ("nowhere", "stay", "wait", "pass", "none", "hold", "skip"),
}
"""The words of a move that a key stands for. In a move of one or two words, their first letters
count, too."""
KEYS = {
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    ".": "stay",
}
"""The keys that stand for a direction."""
SIGNS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "stay": ".",
}
MOVES_NAMED = 6
"""The most moves that an answer names."""


def directions_of(move: Move) -> tuple[str, ...]:
    """Return the keys that enter a move, one after another.

    `()` when none of its words is a direction.
    """
    words = move.lower().split()
    directions: list[str] = []
    for word in words:
        for direction, names in DIRECTIONS.items():
            if word in names:
                directions.append(direction)
                break
    if directions:
        return tuple(directions)
    if len(words) not in (1, 2):
        return ()

    last_word = words[-1]
    for direction, names in DIRECTIONS.items():
        first_letter = names[0][0]
        if direction != "stay" and last_word == first_letter:
            return (direction,)
    return ()


def by_directions(directions: Sequence[str], legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves that begin with these directions."""
    pressed = tuple(directions)
    moves = []
    for move in legal:
        beginning = directions_of(move)[: len(pressed)]
        if beginning == pressed:
            moves.append(move)
    return tuple(moves)


def by_text(text: str, legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves that a text may mean; exactly one of them means that it is clear.

    The first rule that fits counts: the text is the move itself, its last words, its number in the
    list, or the beginnings of its first or of its last words.
    """
    words = text.lower().split()
    if not words:
        return ()

    words_of = {move: move.lower().split() for move in legal}
    same = [move for move in legal if words_of[move] == words]
    if same:
        return tuple(same)
    count = len(words)
    same_end = [move for move in legal if words_of[move][-count:] == words]
    if same_end:
        return tuple(same_end)

    first = words[0]
    is_number = len(words) == 1 and first.isascii() and first.isdecimal()
    if is_number and are_numbered(legal):
        number = int(first)
        if not 1 <= number <= len(legal):
            return ()
        return (legal[number - 1],)

    moves = []
    for move in legal:
        if _are_beginnings(words, words_of[move]):
            moves.append(move)
    return tuple(moves)


def _are_beginnings(words: Sequence[str], of_move: Sequence[str]) -> bool:
    """Return whether words are the beginnings of the first or of the last words of a move."""
    count = len(words)
    if count > len(of_move):
        return False
    first_words = of_move[:count]
    last_words = of_move[-count:]
    begin_first = all(map(str.startswith, first_words, words))
    begin_last = all(map(str.startswith, last_words, words))
    return begin_first or begin_last


def are_numbered(legal: Sequence[Move]) -> bool:
    """Return whether a number may mean a move of the list.

    It may not where moves end in numbers of their own.
    """
    return not any(move.split()[-1].isdecimal() for move in legal)


def listing(
    legal: Sequence[Move],
    chosen: Sequence[Move] | None = None,
    *,
    shared: int = 0,
) -> list[str]:
    """Return legal moves, all or the chosen ones, with their numbers.

    The first `shared` words are left out.
    """
    width = len(str(len(legal)))
    numbers = dict.fromkeys(legal, "")
    if are_numbered(legal):
        for number, move in enumerate(legal, 1):
            numbers[move] = f"{number:>{width}} "
    if chosen is None:
        chosen = legal

    lines = []
    for move in chosen:
        words = move.split()[shared:]
        lines.append(numbers[move] + " ".join(words))
    return lines


def shared_words(legal: Sequence[Move]) -> int:
    """Count the words that all of the moves begin with.

    The last word of a move is never among them.
    """
    count = 0
    beginnings = [move.split()[:-1] for move in legal]
    for words in zip(*beginnings, strict=False):
        if len(set(words)) > 1:
            break
        count += 1
    return count


def in_columns(lines: Sequence[str], columns: int) -> list[str]:
    """Return a list that reads downwards, in as many columns as fit into the width."""
    longest = max(map(len, lines), default=0)
    width = longest + 2
    across = max(1, (columns + 2) // width)
    rows = math.ceil(len(lines) / across)
    table = []
    for row in range(rows):
        cells = [f"{line:{width}}" for line in lines[row::rows]]
        text = "".join(cells)
        table.append(text.rstrip())
    return table


def misunderstood(
    text: str,
    legal: Sequence[Move],
    candidates: Sequence[Move],
) -> str:
    """Return the answer to a text that does not mean exactly one move."""
    if len(candidates) > 1:
        named = ", ".join(candidates[:MOVES_NAMED])
        unnamed = len(candidates) - MOVES_NAMED
        if unnamed > 0:
            named += f", and {unnamed} more"
        return f"{text!r} may be {named}: type more of it"
    hint = did_you_mean(text.lower(), legal)
    if hint:
        hint = f"; {hint}"
    return f"{text!r} is no legal move{hint} ? lists them"
