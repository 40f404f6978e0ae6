"""How the facts of a game look: the declarations that the terminal, replays and the report draw by.

A game says it in a class attribute, such as `drawing = (Grid("grid COLUMNS ROWS"), Mark("disc ROLE
X Y"))`. Each declaration has a pattern: a fact in which words in capitals stand for any word. The
first declaration whose pattern fits a fact draws it; facts that fit none are shown as they are.

It imports the standard library only, because bots may import rules.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

CHESSMEN = ("king", "queen", "rook", "bishop", "knight", "pawn")
SHAPES = ("disc", "dot", "square", "door", "ghost", "muncher", "explorer", "mummy", *CHESSMEN)
"""The shapes that the report can draw. Doors, munchers, explorers and mummies have colours of their
own."""
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "black", "white")

DIGIT = re.compile(r"\d")
EMPTY = "."


class Grid(NamedTuple):
    """A grid of cells: `y` grows upwards. Its facts are looked for on the board.

    With the word GRID in its patterns each such fact is a grid of its own, called by that word, as
    in `Grid("sea GRID COLUMNS ROWS")`; a Piece and a Mark then say by GRID on which grid they are.
    """

    size: str = "size LOW HIGH"
    """LOW and HIGH are the lowest and the highest coordinate of both axes; or COLUMNS and ROWS,
    counted from 1."""
    walls: str = "wall X Y WAY"
    """WAY is `north` or `east`: the side of the cell (X, Y) on which a wall stands."""
    is_chequered: bool = False
    """True where the report has dark cells between light ones; the cell with the lowest numbers is
    dark."""


class Piece(NamedTuple):
    """A thing that moves from cell to cell (X, Y).

    The other words of the fact name it, usually by its ROLE.
    """

    fact: str
    shape: str = "disc"
    colour: str = ""
    """One of COLOURS, or `ROLE` where the roles are called like colours; empty = a colour for each
    role."""


class Mark(NamedTuple):
    """A thing that stays in its cell (X, Y) as long as its fact is there."""

    fact: str
    sign: str = "·"
    """Its sign in a terminal; `ROLE` is the role's letter, `role` the same in lower case. `TEXT` is
    the word TEXT of the fact itself, which stands in the cell, in the report too."""
    shape: str = "dot"
    colour: str = ""
    """As a Piece's."""


class Cards(NamedTuple):
    """A row of cards. CARD is one word, CARDS all words that are left.

    The card `?` is shown face down.
    """

    fact: str


class LetterRows(NamedTuple):
    """A board that facts write as rows of letters, the first row on top.

    A drawing has a fact for each thing on the board in their place, such as `black stone 4 3`,
    which a Mark draws.
    """

    row: str
    """A regular expression of a row: what stands behind the first word of a fact. Its group has a
    letter for each cell, or a digit for as many empty cells, as in chess; `/` parts rows."""
    things: tuple[tuple[str, str], ...]
    """Each letter that is a thing, and the words of its fact before X and Y, such as `black
    stone`."""
    words: tuple[str, ...]
    """The first words of the facts that have the rows. The drawing leaves such facts out."""
    is_kept: bool = False
    """True where these facts say more than the board, and the drawing has them, too."""

    def cells(self, facts: Iterable[str]) -> list[str]:
        """Return the letters of each row; none where the rows are not of equal length."""

        def empty_cells(digit: re.Match[str]) -> str:
            return EMPTY * int(digit[0])

        rows: list[str] = []
        for fact in facts:
            first, _, text = fact.partition(" ")
            match = re.fullmatch(self.row, text)
            if match is None or first not in self.words:
                continue
            letters = DIGIT.sub(empty_cells, match[1])
            letters = letters.replace(" ", "")
            rows += letters.split("/")
        lengths = set(map(len, rows))
        if len(lengths) != 1:
            return []
        return rows

    def drawn_facts(self, facts: Sequence[str]) -> list[str]:
        """Return facts with one for each thing in place of the rows."""
        things = dict(self.things)
        all_facts: list[str] = []
        rows = self.cells(facts)
        from_the_top = range(len(rows), 0, -1)
        for y, row in zip(from_the_top, rows, strict=True):
            for x, letter in enumerate(row, 1):
                if letter in things:
                    all_facts.append(f"{things[letter]} {x} {y}")
        for fact in facts:
            first, _, _ = fact.partition(" ")
            is_text = first in self.words
            if self.is_kept or not rows or not is_text:
                all_facts.append(fact)
        return all_facts


Drawing: TypeAlias = tuple[Grid | Piece | Mark | Cards | LetterRows, ...]

MAZE: Drawing = (
    Grid(),
    Mark("exit X Y", "⌂", "door", "purple"),
    Mark("pellet X Y"),
    Piece("at ROLE X Y"),
)
"""The drawing of a game that declares none; a game in a maze may add its own pieces before it."""
