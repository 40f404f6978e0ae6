"""How the things of a scene look in a picture: a style for each declaration and owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.drawing import Cards, Drawing, Grid, Mark, Piece
from arena.game import Role
from arena.replay.drawing.scene import BoardGrid, Cell, DrawnFact
from arena.replay.drawing.shapes import COLOURS, SIDES, TRAILS, TURNED, Element, elements
from arena.replay.drawing.signs import role_letters


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
    """Of each role: its piece, or else the discs that it owns, or else a disc with its letter."""
    numbers: Mapping[tuple[int, int | None], int]
    """The number in `table`, by the numbers of declaration and role."""

    @classmethod
    def of(
        cls, drawing: Drawing, roles: Sequence[Role], sides: Sequence[Sequence[Role]]
    ) -> "Styles":
        """Return the styles that the things of these roles may have."""
        letters = role_letters(roles)
        looks = {role: _item_of(drawing, role) for role in roles}
        hues = {role: _hue(item, role, sides) for role, item in looks.items()}
        icons = [
            _style(looks[role], role, owner, hues[role], letters[role])
            for owner, role in enumerate(roles)
        ]
        table: list[Style] = []
        numbers: dict[tuple[int, int | None], int] = {}
        for number, item in enumerate(drawing):
            if isinstance(item, Grid):
                continue
            words = [] if isinstance(item, Cards) else item.fact.split()
            owners = [role for role in roles if "ROLE" in words or role in words]
            nobody = [] if isinstance(item, Piece) else [""]
            for role in [*owners, *nobody]:
                owner = roles.index(role) if role else None
                hue = COLOURS.get(_colour(item, role), hues.get(role, ""))
                lettered = isinstance(item, Piece) or getattr(item, "sign", "") == "ROLE"
                numbers[number, owner] = len(table)
                table.append(
                    _style(item, role, owner, hue, letters.get(role, "") if lettered else "")
                )
        return cls(drawing, tuple(roles), tuple(table), tuple(icons), numbers)

    def number(self, thing: DrawnFact) -> int | None:
        """Return the number of the style of a thing; None for a piece of nobody."""
        role = thing.name if isinstance(thing.item, Piece) else thing.values.get("ROLE")
        owner = self.roles.index(role) if role in self.roles else None
        declaration = self.drawing.index(thing.item)
        return self.numbers.get((declaration, owner), self.numbers.get((declaration, None)))


def wall_path(grid: BoardGrid, in_play: frozenset[Cell]) -> str:
    """Return the walls and the rim as a path of SVG, where a cell is 10 wide.

    Edges in one line are one stroke.
    """
    shut, strokes = grid.shut(in_play), []
    for column, row in sorted(shut, key=lambda edge: (edge[1], edge[0])):
        step = (2, 0) if column % 2 else (0, 2)
        if (column - step[0], row - step[1]) in shut:
            continue
        length = 1
        while (column + step[0] * length, row + step[1] * length) in shut:
            length += 1
        x, y = 5 * (column - column % 2), 5 * (row - row % 2)
        strokes.append(f"M {x} {y} L {x + 5 * step[0] * length} {y + 5 * step[1] * length}")
    return " ".join(strokes)


def _item_of(drawing: Drawing, role: Role) -> Piece | Mark:
    """Return the declaration that says how a role looks: its piece, or the discs that it owns."""
    own = [
        item
        for item in drawing
        if isinstance(item, Piece | Mark) and {"ROLE", role} & {*item.fact.split()}
    ]
    pieces: list[Piece | Mark] = [item for item in own if isinstance(item, Piece)]
    return next(
        iter(pieces + [item for item in own if isinstance(item, Mark) and item.shape == "disc"]),
        DISC,
    )


def _hue(item: Piece | Mark, role: Role, sides: Sequence[Sequence[Role]]) -> str:
    """Return the colour of a role: the declared one, or its side's in its own shade."""
    if colour := COLOURS.get(_colour(item, role)):
        return colour
    side = next((number for number, own in enumerate(sides) if role in own), 0)
    shades = SIDES[side % len(SIDES)]
    return shades[(sides[side].index(role) if sides and role in sides[side] else 0) % len(shades)]


def _colour(item: Piece | Mark | Cards, role: Role) -> str:
    colour = getattr(item, "colour", "")
    return role if colour == "ROLE" else colour


def _style(item: Piece | Mark | Cards, role: Role, owner: int | None, hue: str, sign: str) -> Style:
    """Return the style of a declaration for the things of a role; `owner` is the role's number."""
    shape = "text" if getattr(item, "sign", "") == "TEXT" else getattr(item, "shape", "disc")
    return Style(
        type(item).__name__.lower(),
        " ".join(role if word == "ROLE" and role else word for word in item.fact.split()),
        owner,
        shape,
        () if isinstance(item, Cards) else elements(shape, hue, sign),
        TRAILS.get(shape, hue),
        shape in TURNED,
    )
