"""How the things of a scene look in a picture: a style for each declaration and owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.drawing import Cards, Drawing, Grid, LetterRows, Mark, Piece
from arena.game import Role
from arena.replay.drawing.scene import BoardGrid, Cell, DrawnFact
from arena.replay.drawing.shapes import COLOURS, SIDES, TRAILS, TURNED, Element, elements
from arena.replay.drawing.signs import of_role, role_letters


class Style(NamedTuple):
    """A way to look."""

    kind: str
    """`piece`, `mark` or `cards`."""
    fact: str
    """The pattern of the fact, with its role: what a thing of this style says."""
    role: int | None
    """The number of the role that owns such things; None = nobody."""
    shape: str
    elements: tuple[Element, ...]
    trail: str
    """The colour that marks where a piece went."""
    turned: bool
    """True when a piece is turned to where it goes."""


DISC = Mark("", "", "disc")
"""The look of a role for which a game declares nothing."""


@dataclass(frozen=True)
class Styles:
    """The styles of a board."""

    drawing: Drawing
    roles: tuple[Role, ...]
    table: tuple[Style, ...]
    icons: tuple[Style, ...]
    """Of each role: its piece, or else the discs or the king that it owns, or else a disc with its
    letter."""
    numbers: Mapping[tuple[int, int | None], int]
    """The number in `table`, by the numbers of declaration and role."""

    @classmethod
    def of(
        cls,
        drawing: Drawing,
        roles: Sequence[Role],
        sides: Sequence[Sequence[Role]],
    ) -> "Styles":
        """Return the styles that the things of these roles may have."""
        letters = role_letters(roles)
        hues: dict[Role, str] = {}
        icons = []
        for owner, role in enumerate(roles):
            look = _item_of(drawing, role)
            hue = _hue(look, role, sides)
            hues[role] = hue
            icon = _style(look, role, owner, hue, letters[role])
            icons.append(icon)

        table: list[Style] = []
        numbers: dict[tuple[int, int | None], int] = {}
        for number, item in enumerate(drawing):
            if isinstance(item, Grid | LetterRows):
                continue
            is_lettered = isinstance(item, Piece) or getattr(item, "sign", "") == "ROLE"
            for role in _owners(item, roles):
                owner_number = None
                if role:
                    owner_number = roles.index(role)
                colour = _colour(item, role)
                hue = COLOURS.get(colour, hues.get(role, ""))
                letter = ""
                if is_lettered:
                    letter = letters.get(role, "")
                style = _style(item, role, owner_number, hue, letter)
                numbers[number, owner_number] = len(table)
                table.append(style)
        return cls(
            drawing=drawing,
            roles=tuple(roles),
            table=tuple(table),
            icons=tuple(icons),
            numbers=numbers,
        )

    def number(self, thing: DrawnFact) -> int | None:
        """Return the number of the style of a thing; None for a piece of nobody."""
        role = thing.values.get("ROLE")
        if isinstance(thing.item, Piece):
            role = thing.name
        declaration = self.drawing.index(thing.item)
        of_nobody = self.numbers.get((declaration, None))
        if role not in self.roles:
            return of_nobody

        owner = self.roles.index(role)
        return self.numbers.get((declaration, owner), of_nobody)


def wall_path(grid: BoardGrid, in_play: frozenset[Cell]) -> str:
    """Return the walls and the rim as a path of SVG, where a cell is 10 wide.

    Edges in one line are one stroke.
    """
    shut = grid.shut(in_play)
    row_by_row = sorted(shut, key=lambda edge: (edge[1], edge[0]))
    strokes = []
    for column, row in row_by_row:
        dx = 0
        dy = 2
        if column % 2:
            dx = 2
            dy = 0
        if (column - dx, row - dy) in shut:
            continue  # the stroke that begins there has this edge

        length = 1
        while (column + dx * length, row + dy * length) in shut:
            length += 1
        x = 5 * (column - column % 2)
        y = 5 * (row - row % 2)
        end_x = x + 5 * dx * length
        end_y = y + 5 * dy * length
        strokes.append(f"M {x} {y} L {end_x} {end_y}")
    return " ".join(strokes)


def _owners(item: Piece | Mark | Cards, roles: Sequence[Role]) -> list[Role]:
    """Return the roles that may own things of a declaration; an empty one stands for nobody."""
    owners = []
    if not isinstance(item, Cards):
        words = item.fact.split()
        for role in roles:
            if "ROLE" in words or role in words:
                owners.append(role)
    if not isinstance(item, Piece):
        owners.append("")
    return owners


def _item_of(drawing: Drawing, role: Role) -> Piece | Mark:
    """Return the declaration that says how a role looks: its piece, or the discs that it owns."""
    disc = DISC
    for item in drawing:
        if not isinstance(item, Piece | Mark):
            continue
        words = item.fact.split()
        if "ROLE" not in words and role not in words:
            continue
        if isinstance(item, Piece):
            return item
        if item.shape in {"disc", "king"} and disc is DISC:
            disc = item
    return disc


def _hue(
    item: Piece | Mark,
    role: Role,
    sides: Sequence[Sequence[Role]],
) -> str:
    """Return the colour of a role: the declared one, or its side's in its own shade."""
    colour = COLOURS.get(_colour(item, role))
    if colour:
        return colour
    for number, side in enumerate(sides):
        if role not in side:
            continue
        round_of_hues, hue = divmod(number, len(SIDES))
        shades = SIDES[hue]
        shade = side.index(role) + round_of_hues
        return shades[shade % len(shades)]
    return SIDES[0][0]


def _colour(item: Piece | Mark | Cards, role: Role) -> str:
    colour: str = getattr(item, "colour", "")
    if colour == "ROLE":
        return role
    return colour


def _style(
    item: Piece | Mark | Cards,
    role: Role,
    owner: int | None,
    hue: str,
    sign: str,
) -> Style:
    """Return the style of a declaration for the things of a role; `owner` is the role's number."""
    shape = getattr(item, "shape", "disc")
    if getattr(item, "sign", "") == "TEXT":
        shape = "text"
    parts: tuple[Element, ...] = ()
    if not isinstance(item, Cards):
        parts = elements(shape, hue, sign)
    return Style(
        kind=type(item).__name__.lower(),
        fact=of_role(item.fact, role or "ROLE"),
        role=owner,
        shape=shape,
        elements=parts,
        trail=TRAILS.get(shape, hue),
        turned=shape in TURNED,
    )
