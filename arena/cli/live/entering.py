"""What a person types or presses -> a legal move. Pure, and the same for every game: it looks at words only."""

from collections.abc import Sequence

from arena.errors import did_you_mean
from arena.game import Move

WAYS = {
    "up": ("north", "up"),
    "down": ("south", "down"),
    "left": ("west", "left"),
    "right": ("east", "right"),
    "stay": ("nowhere", "stay", "wait", "pass", "none", "hold", "skip"),
}
"""The words of a move that a key stands for; in a move of one or two words their first letters too."""
KEYS = {"up": "up", "down": "down", "left": "left", "right": "right", ".": "stay"}
"""The keys that stand for such words."""
SIGNS = {"up": "↑", "down": "↓", "left": "←", "right": "→", "stay": "."}
LISTED = 6
"""Moves that are named in an answer."""


def ways_of(move: Move) -> tuple[str, ...]:
    """The keys that enter a move, one after another; `()` when none of its words is a way."""
    words = move.lower().split()
    found = (next((way for way, named in WAYS.items() if word in named), "") for word in words)
    if ways := tuple(filter(None, found)):
        return ways
    letters = {named[0][0]: way for way, named in WAYS.items() if way != "stay"}
    return tuple(letters[words[-1]] for _ in words[:1] if len(words) <= 2 and words[-1] in letters)


def by_ways(ways: Sequence[str], legal: Sequence[Move]) -> tuple[Move, ...]:
    """The legal moves that begin with these ways."""
    return tuple(move for move in legal if ways_of(move)[: len(ways)] == tuple(ways))


def by_text(text: str, legal: Sequence[Move]) -> tuple[Move, ...]:
    """The legal moves that a text may mean; one means that it is understood.

    In this order: the move itself, its last words, its number in the list, the beginnings of its first or last words.
    """
    words = text.lower().split()
    if not words:
        return ()
    if same := [move for move in legal if move.lower().split() == words]:
        return tuple(same)
    if ends := [move for move in legal if move.lower().split()[-len(words) :] == words]:
        return tuple(ends)
    if numbered(legal) and len(words) == 1 and words[0].isascii() and words[0].isdecimal():
        return tuple(legal[place] for place in [int(words[0]) - 1] if 0 <= place < len(legal))
    return tuple(move for move in legal if _begins(words, move.lower().split()))


def numbered(legal: Sequence[Move]) -> bool:
    """Whether a number may mean a place in the list: not where moves end in numbers of their own."""
    return not any(move.split()[-1].isdecimal() for move in legal)


def listing(legal: Sequence[Move], chosen: Sequence[Move] | None = None, *, shared: int = 0) -> list[str]:
    """Legal moves, all or those chosen, numbered where a number may be typed; without so many words that all share."""
    wide = len(str(len(legal)))
    numbers = {move: f"{number:>{wide}} " if numbered(legal) else "" for number, move in enumerate(legal, 1)}
    return [numbers[move] + " ".join(move.split()[shared:]) for move in (legal if chosen is None else chosen)]


def shared(legal: Sequence[Move]) -> int:
    """How many words all of the moves begin with; the last word of a move is never among them."""
    together = 0
    for words in zip(*(move.split()[:-1] for move in legal), strict=False):
        if len(set(words)) > 1:
            break
        together += 1
    return together


def columned(lines: Sequence[str], columns: int) -> list[str]:
    """A list in as many columns as there is room for, read downwards."""
    wide = max(map(len, lines), default=0) + 2
    across = max(1, (columns + 2) // wide)
    down = -(-len(lines) // across)
    return ["".join(f"{line:{wide}}" for line in lines[place::down]).rstrip() for place in range(down)]


def misunderstood(text: str, legal: Sequence[Move], found: Sequence[Move]) -> str:
    """What to say when a text does not mean one move."""
    if len(found) > 1:
        more = f", and {len(found) - LISTED} more" if len(found) > LISTED else ""
        return f"{text!r} may be {', '.join(found[:LISTED])}{more}: type more of it"
    meant = did_you_mean(text.lower(), legal)
    return f"{text!r} is no legal move{meant and f'; {meant}'} ? lists them"


def _begins(text: list[str], move: list[str]) -> bool:
    """Whether each word begins the move's word in its place, counted from the first or from the last."""
    places = {0, len(move) - len(text)} if len(text) <= len(move) else set()
    return any(all(word.startswith(one) for one, word in zip(text, move[place:], strict=False)) for place in places)
