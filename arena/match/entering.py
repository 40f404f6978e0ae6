"""Typed text and pressed keys become legal moves.

Pure, and the same for every game: only the words of moves count.
"""

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
"""The words of a move that a key stands for; in a move of one or two words their first letters
too."""
KEYS = {"up": "up", "down": "down", "left": "left", "right": "right", ".": "stay"}
"""The keys that stand for a direction."""
SIGNS = {"up": "↑", "down": "↓", "left": "←", "right": "→", "stay": "."}
MOVES_NAMED = 6
"""So many moves are named in an answer."""


def directions_of(move: Move) -> tuple[str, ...]:
    """Return the keys that enter a move, one after another.

    `()` when none of its words is a direction.
    """
    words = move.lower().split()
    named = (
        next((direction for direction, names in DIRECTIONS.items() if word in names), "")
        for word in words
    )
    if directions := tuple(filter(None, named)):
        return directions
    letters = {
        names[0][0]: direction for direction, names in DIRECTIONS.items() if direction != "stay"
    }
    return (letters[words[-1]],) if 1 <= len(words) <= 2 and words[-1] in letters else ()


def by_directions(directions: Sequence[str], legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves that begin with these directions."""
    return tuple(
        move for move in legal if directions_of(move)[: len(directions)] == tuple(directions)
    )


def by_text(text: str, legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves that a text may mean.

    Exactly one move means that the text is understood.

    The first rule that fits counts: the text is the move itself, its last words, its number in the
    list, or the beginnings of its first or of its last words.
    """
    words = text.lower().split()
    if not words:
        return ()
    if same := [move for move in legal if move.lower().split() == words]:
        return tuple(same)
    if ends := [move for move in legal if move.lower().split()[-len(words) :] == words]:
        return tuple(ends)
    if are_numbered(legal) and len(words) == 1 and words[0].isascii() and words[0].isdecimal():
        number = int(words[0])
        return (legal[number - 1],) if 1 <= number <= len(legal) else ()

    def begins(move: list[str]) -> bool:
        starts = {0, len(move) - len(words)} if len(words) <= len(move) else set()
        return any(all(map(str.startswith, move[start:], words)) for start in starts)

    return tuple(move for move in legal if begins(move.lower().split()))


def are_numbered(legal: Sequence[Move]) -> bool:
    """Return True if a number may mean a move of the list: not where moves end in numbers of their own."""
    return not any(move.split()[-1].isdecimal() for move in legal)


def listing(
    legal: Sequence[Move], chosen: Sequence[Move] | None = None, *, shared: int = 0
) -> list[str]:
    """Return legal moves, all or the chosen ones, with their numbers.

    The first `shared` words are left out.
    """
    width = len(str(len(legal)))
    numbers = {
        move: f"{number:>{width}} " if are_numbered(legal) else ""
        for number, move in enumerate(legal, 1)
    }
    return [
        numbers[move] + " ".join(move.split()[shared:])
        for move in (legal if chosen is None else chosen)
    ]


def shared_words(legal: Sequence[Move]) -> int:
    """Count the words that all of the moves begin with.

    The last word of a move is never among them.
    """
    count = 0
    for words in zip(*(move.split()[:-1] for move in legal), strict=False):
        if len(set(words)) > 1:
            break
        count += 1
    return count


def in_columns(lines: Sequence[str], columns: int) -> list[str]:
    """Return a list that reads downwards, in as many columns as fit into the width."""
    width = max(map(len, lines), default=0) + 2
    across = max(1, (columns + 2) // width)
    down = -(-len(lines) // across)
    return ["".join(f"{line:{width}}" for line in lines[row::down]).rstrip() for row in range(down)]


def misunderstood(text: str, legal: Sequence[Move], candidates: Sequence[Move]) -> str:
    """Return the answer to a text that does not mean exactly one move."""
    if len(candidates) > 1:
        more = (
            f", and {len(candidates) - MOVES_NAMED} more" if len(candidates) > MOVES_NAMED else ""
        )
        return f"{text!r} may be {', '.join(candidates[:MOVES_NAMED])}{more}: type more of it"
    hint = did_you_mean(text.lower(), legal)
    return f"{text!r} is no legal move{hint and f'; {hint}'} ? lists them"
