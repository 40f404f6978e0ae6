"""A scene as a terminal shows it: signs in cells, their styles, and what they mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_uppercase, digits
from typing import Any

from arena.drawing import Drawing, Mark, Piece
from arena.game import Fact, Game, Role
from arena.protocol import clean
from arena.replay.drawing.scene import (
    BoardGrid,
    BoardScene,
    Cell,
    DrawnFact,
    board_marks,
    name_of,
    read_scene,
)

ROLES = ("1;7;32", "1;7;31", "1;7;34", "1;7;35", "1;7;36")
"""SGR codes of the roles, in order of play: turned, so that they stand out on light and on dark."""
COLOURS = {
    "red": "31",
    "orange": "33",
    "yellow": "33",
    "green": "32",
    "blue": "34",
    "purple": "35",
}
"""SGR codes of the colours that a declaration may name."""


@dataclass(frozen=True)
class BoardSigns:
    """What a terminal shows of a scene."""

    scene: BoardScene
    letters: Mapping[Role, str]
    symbols: Mapping[tuple[int, Cell], tuple[str, ...]]
    """The signs in each cell of each grid, the foremost first."""
    styles: dict[str, str]
    """The SGR code of each sign that has one."""
    meanings: tuple[tuple[str, str], ...]
    """The signs of marks, each with its meaning in words."""
    in_play: tuple[frozenset[Cell], ...]
    """Of each grid the cells that a piece can reach."""


def board_signs(
    grids: Sequence[BoardGrid],
    game: Game[Any],
    facts: Iterable[Fact],
) -> BoardSigns:
    """Return the signs of a state."""
    fixed = board_marks(grids, game.board(), game.drawing)
    scene = read_scene(grids, game.drawing, facts)
    marks = [mark for _, mark in fixed]
    marks.extend(scene.marks)
    owners = []
    for mark in marks:
        if "ROLE" in mark.values:
            owners.append(mark.values["ROLE"])

    named_roles = chain(game.roles, scene.pieces, owners)
    letters = role_letters(named_roles)
    styles = {}
    for number, letter in enumerate(letters.values()):
        styles[letter] = ROLES[number % len(ROLES)]

    symbols: dict[tuple[int, Cell], tuple[str, ...]] = defaultdict(tuple)
    for thing in chain(scene.pieces.values(), marks):
        sign, style = _look(thing, letters)
        symbols[thing.grid, thing.cell] += tuple(sign)
        if style:
            styles[sign] = style

    meanings = []
    for fact, mark in fixed:
        sign, _ = _look(mark, letters)
        meanings.append((sign, fact))
    roles = dict.fromkeys(chain(game.roles, owners))
    meanings += _meanings(game.drawing, scene.marks, roles, letters)
    return BoardSigns(
        scene=scene,
        letters=letters,
        symbols=symbols,
        styles=styles,
        meanings=tuple(meanings),
        in_play=scene.in_play(grids),
    )


def _look(thing: DrawnFact, letters: Mapping[Role, str]) -> tuple[str, str]:
    """Return the sign of a piece or a mark, and its SGR code; empty for that of its letter."""
    upright = ""
    turned = ""
    colour = COLOURS.get(thing.colour)
    if colour is not None:
        upright = f"1;{colour}"
        turned = f"1;7;{colour}"
    if isinstance(thing.item, Piece):
        return letters[thing.name], turned

    role = thing.values.get("ROLE")
    sign = getattr(thing.item, "sign", "")
    if role is not None and sign in {"ROLE", "role"}:
        letter = letters[role]
        number = list(letters).index(role)
        code = turned or ROLES[number % len(ROLES)]
        if sign == "ROLE":
            return letter, code
        return letter.lower(), code.removeprefix("1;7;")
    if sign == "TEXT":
        sign = clean(thing.values.get("TEXT", ""))
    return sign, upright


def _meanings(
    drawing: Drawing,
    marks: Sequence[DrawnFact],
    owners: Iterable[Role],
    letters: Mapping[Role, str],
) -> Iterable[tuple[str, str]]:
    """Yield the signs of the marks of a state: those of the roles, and the number of others."""
    for item in drawing:
        if not isinstance(item, Mark) or item.sign == "TEXT":  # a text says what it means
            continue
        if "ROLE" in item.fact.split():
            for role in owners:
                fact = of_role(item.fact, role)
                mark = DrawnFact(
                    item=item,
                    grid=0,
                    cell=(0, 0),
                    name="",
                    values={"ROLE": role},
                )
                sign, _ = _look(mark, letters)
                yield sign, name_of(f"- {item.fact}", f"- {fact}")
            continue
        count = 0
        for mark in marks:
            if mark.item is item:
                count += 1
        if count:
            noun = name_of(item.fact, item.fact)
            if count > 1:
                noun += "s"
            yield item.sign, f"{count} {noun}"


def of_role(pattern: str, role: Role) -> str:
    """Return the pattern of a fact with a role in place of ROLE."""
    words = []
    for word in pattern.split():
        if word == "ROLE":
            words.append(role)
        else:
            words.append(word)
    return " ".join(words)


def role_letters(roles: Iterable[Role]) -> dict[Role, str]:
    """Return a sign for each role: a free letter of its name, or any free letter or digit."""
    signs = ascii_uppercase + digits
    letters: dict[Role, str] = {}
    for role in dict.fromkeys(roles):
        used = set(letters.values())
        letters[role] = "?"
        for sign in role.upper() + signs:
            if sign in signs and sign not in used:
                letters[role] = sign
                break
    return letters
