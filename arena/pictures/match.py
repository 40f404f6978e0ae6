"""A match as a film: its scenes turn by turn, under its names and scores, over the move in words.

It owns where things stand in such a picture, and how much of a match one may have; it reads no
archive.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any

from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.pictures import canvas
from arena.pictures.canvas import ACCENT, BAD, INK, LINE, RAISED, SOFT, Film, Item, Shape
from arena.protocol import clean
from arena.replay.chances import EXACT, Chances
from arena.replay.drawing.scene import (
    BoardGrid,
    BoardScene,
    Cell,
    DrawnFact,
    board_marks,
    read_grids,
    read_scene,
)
from arena.replay.drawing.shapes import Element, elements
from arena.replay.drawing.styles import Style, Styles, wall_path
from arena.replay.replayer import STEPS, Scene
from arena.values import Record

WIDTH, EDGE = 480, 16
ROOM = WIDTH - 2 * EDGE
BOARD_HEIGHT = 420
MOST_FRAMES = 400
SECONDS, KEY_SECONDS, LAST_SECONDS = 0.6, 3.0, 3.0
TRAIL = 5
"""Turns whose way stays marked."""
PLAYER, CARD, ROW = 40, 40, 17  # heights
MOST_LINES, COLUMNS = 40, 72
"""Of the facts where a game declares nothing to draw."""
RIM = 0.45
"""Of a cell: the space of the labels."""
Line = tuple[str, float, str, dict[str, str]]
"""A line of text: its words, size, colour, and other attributes."""


@dataclass(frozen=True)
class Clip:
    """What a clip shows of a match."""

    game: Game[Any]
    record: Record
    names: Mapping[Role, str]
    scenes: tuple[Scene, ...]
    """All of the match."""
    chances: Chances | None = None
    dark: bool = False

    def __post_init__(self) -> None:
        """Refuse the record of a stranger that has other seats than the game, such as thousands."""
        if [seat.role for seat in self.record.match.seats] != list(self.game.roles):
            raise ArenaError(f"match {self.record.match.id}: its roles are not those of the game")

    def film(self, first: int, last: int) -> Film:
        """Return the scenes from one index to another; ArenaError for too many."""
        if last - first >= MOST_FRAMES:
            turns = f"{self.scenes[first].number}-{self.scenes[first + MOST_FRAMES - 1].number}"
            raise ArenaError(
                f"a clip has at most {MOST_FRAMES} turns: choose some, such as --turns {turns}"
            )
        return self._film([(index, "") for index in range(first, last + 1)])

    def key_film(self) -> Film:
        """Return the turns in which the chance to win broke, each with its sentence.

        The state before it comes first.
        """
        chosen = [
            each for index, words in self.key_turns for each in ((index - 1, ""), (index, words))
        ]
        return self._film([(index, words) for index, words in chosen if index >= 0])

    def key_stills(self) -> list[Film]:
        """Return the turning points as stills."""
        return [self._film([key]) for key in self.key_turns]

    @cached_property
    def key_turns(self) -> list[tuple[int, str]]:
        """The turning points: the index of each scene, and a sentence."""
        if self.chances is not None and self.chances.breaks:
            return [(each.scene, each.sentence) for each in self.chances.breaks]
        losses = [
            (
                quality.points,
                index,
                f"turn {scene.number}: {turn.role} {scene.move(number)}: {quality}",
            )
            for index, scene in enumerate(self.scenes)
            for number, (turn, quality) in enumerate(
                zip(scene.turns, scene.qualities, strict=False)
            )
            if quality.points
        ]
        if not losses:
            raise ArenaError(
                f"--key: no turn of match {self.record.match.id} is known to have turned it; "
                "choose by --turns"
            )
        return [
            (index, words)
            for _, index, words in sorted(sorted(losses)[-4:], key=lambda each: each[1])
        ]

    @cached_property
    def _styles(self) -> Styles:
        return Styles.of(
            self.game.drawing, [seat.role for seat in self.record.match.seats], self.record.sides
        )

    @cached_property
    def _grids(self) -> tuple[BoardGrid, ...]:
        return read_grids(self.game.board(), self.game.drawing)

    @cached_property
    def _scene(self) -> Callable[[int], BoardScene]:
        """The scene at an index; the next frames look at it, too."""
        return cache(
            lambda index: read_scene(self._grids, self.game.drawing, self.scenes[index].facts)
        )

    @cached_property
    def _ending(self) -> str:
        """The reason for the end of the match, and its faults, in words."""
        faults = [
            f"{fault.role}: {fault.ending.value.replace('_', ' ')}"
            for fault in self.record.verdict.faults
        ]
        return clean(", ".join([self.record.verdict.reason, *faults]))

    def _film(self, chosen: Sequence[tuple[int, str]]) -> Film:
        """Return the film of these scenes, each with a sentence or none."""
        top = EDGE + 20 + PLAYER * ((len(self.names) + 1) // 2) + (14 if self.chances else 0) + 6
        grids = self._placed_grids(top)
        bottom = max((grid.bottom for grid in grids), default=top)
        rows = max(len(self._scene(index).rows) for index, _ in chosen)
        facts = {index: [] if grids or rows else self._fact_lines(index) for index, _ in chosen}
        longest = max((len(fact) for lines in facts.values() for fact in lines), default=1)
        size = min(12.0, ROOM / longest / 0.602)
        facts_top = bottom + rows * (CARD + 8) + 4
        words_top = facts_top + max(map(len, facts.values())) * size / 0.8 + 22
        texts = [self._texts(index, words, facts=not facts[index]) for index, words in chosen]
        # As high with little to tell as with much: a place for each kind of line.
        height = (
            words_top
            + ROW * (sum(max(map(len, kind)) for kind in zip(*texts, strict=True)) - 1)
            + EDGE
        )
        frames = []
        for (index, _), kinds in zip(chosen, texts, strict=True):
            items = [
                *self._chance_bar(index, top - 16),
                *(item for grid in grids for item in self._drawn(grid, index)),
            ]
            items += self._cards(self._scene(index), bottom + 8)
            for row, fact in enumerate(facts[index]):
                y = facts_top + size / 0.8 * (row + 0.8)
                items.append(
                    canvas.text(fact, EDGE, y, size, INK, font_family=canvas.FONTS["mono"])
                )
            for row, (line, letter, fill, more) in enumerate(
                line for kind in kinds for line in kind
            ):
                items.append(canvas.text(line, EDGE, words_top + ROW * row, letter, fill, **more))
            frames.append(tuple(items))
        seconds = [KEY_SECONDS if words else SECONDS for _, words in chosen]
        seconds[-1] = LAST_SECONDS
        still = (*self._header(), *(item for grid in grids for item in self._ground(grid)))
        title = clean(f"{self.record.match.label}: {' against '.join(self.names.values())}")
        return Film(WIDTH, round(height), title, self.dark, still, tuple(frames), tuple(seconds))

    def _texts(
        self, index: int, words: str, *, facts: bool
    ) -> tuple[list[Line], list[Line], list[Line]]:
        """Return the lines below a scene: its moves, a sentence, and facts that nothing draws."""
        others = "   ".join(map(clean, self._scene(index).other_facts)) if facts else ""
        bold = {"font_weight": "bold"}
        return (
            [
                (line, 13, INK, bold)
                for line in canvas.wrapped(self._move(index), 13, ROOM, 2, bold=True)
            ],
            [(line, 12.5, BAD, {}) for line in canvas.wrapped(words, 12.5, ROOM, 2)],
            [(line, 11, SOFT, {}) for line in canvas.wrapped(others, 11, ROOM, 2)],
        )

    def _header(self) -> list[Item]:
        """Return the board's name, and each role with its picture, its bot and its last score."""
        result = f"{self._ending} after turn {self.scenes[-1].number}"
        items = [
            canvas.text(self.record.match.label, EDGE, EDGE + 10, 12, SOFT, 240),
            canvas.text(result, WIDTH - EDGE, EDGE + 10, 12, SOFT, 200, text_anchor="end"),
        ]
        room, scores = (ROOM - 8) / 2, self.record.verdict.scores
        for number, (role, name) in enumerate(self.names.items()):
            x, y = EDGE + (number % 2) * (room + 8), EDGE + 20 + PLAYER * (number // 2)
            score = scores.get(role, 0)
            border = ACCENT if score == max(scores.values(), default=0) else LINE
            items += [
                canvas.rect(x, y, room, PLAYER - 6, RAISED, rx=8, stroke=border),
                Item(x + 19, y + 17, 3.1, canvas.shapes(self._styles.icons[number].elements)),
                canvas.text(role, x + 38, y + 13, 10, SOFT, room - 85),
                canvas.text(name, x + 38, y + 27, 13, INK, room - 85, font_weight="bold"),
                canvas.text(
                    str(score),
                    x + room - 10,
                    y + 23,
                    17,
                    INK,
                    font_weight="bold",
                    text_anchor="end",
                ),
            ]
        return items

    def _chance_bar(self, index: int, y: float) -> list[Item]:
        """Return the chance of each side to win, as a bar with the words of what it is."""
        if self.chances is None:
            return []
        items, x = [], float(EDGE)
        for side, chance in zip(self.chances.sides, self.chances.of_scenes[index], strict=True):
            share = round((ROOM - 130) * chance / 100, 1)
            if share:
                fill = self._styles.icons[self._styles.roles.index(side[0])].trail
                items.append(canvas.rect(x, y, share, 7, fill))
            x += share
        kind = "exact" if self.chances.basis == EXACT else "estimate"
        return [
            *items,
            canvas.text(
                f"chance to win ({kind})", WIDTH - EDGE, y + 7, 10, SOFT, text_anchor="end"
            ),
        ]

    def _move(self, index: int) -> str:
        """Return the moves of a turn in words, what they lost, and how the match ended."""
        scene, moves = self.scenes[index], []
        for number, turn in enumerate(scene.turns):
            quality = str(scene.qualities[number]) if scene.qualities else ""
            by = f" ({turn.by})" if turn.by != "bot" else ""
            moves.append(
                f"{turn.role} {clean(scene.move(number))}{by}{f' ({quality})' if quality else ''}"
            )
        words = f"Turn {scene.number} of {self.scenes[-1].number}: " if scene.number else "Start"
        over = f" — {self._ending}" if index == len(self.scenes) - 1 else ""
        return words + ", ".join(moves) + over

    # The grids

    def _placed_grids(self, top: float) -> list["_PlacedGrid"]:
        """Return the grids side by side, as large as there is room."""
        if not self._grids:
            return []
        gaps = 10 * (len(self._grids) - 1)
        columns = sum(len(grid.columns) + RIM for grid in self._grids)
        rows = max(len(grid.rows) for grid in self._grids) + RIM
        name = 16 if any(grid.name for grid in self._grids) else 0
        unit = min((ROOM - gaps) / columns, BOARD_HEIGHT / rows)
        x = (WIDTH - unit * columns - gaps) / 2
        start = self._scene(0).in_play(self._grids)
        placed = []
        for number, grid in enumerate(self._grids):
            placed.append(
                _PlacedGrid(number, grid, start[number], x + unit * RIM, top + name + 2, unit)
            )
            x += unit * (len(grid.columns) + RIM) + 10
        return placed

    def _ground(self, placed: "_PlacedGrid") -> list[Item]:
        """Return the part of a grid that never changes: cells, walls, labels, and marks."""
        grid, unit = placed.grid, placed.unit
        rock = [cell for cell in product(grid.columns, grid.rows) if cell not in placed.in_play]
        floor: dict[str, str | float] = {
            "fill": "var(--floor)",
            "stroke": "var(--floor-line)",
            "stroke-width": 0.25,
        }
        ground: list[Element] = [("path", {"d": placed.squares(placed.in_play), **floor})]
        ground += [("path", {"d": placed.squares(rock), "fill": "var(--rock)"})] if rock else []
        items = [Item(placed.x, placed.y, unit / 10, canvas.shapes(ground))]
        marks = board_marks(self._grids, self.game.board(), self.game.drawing)
        items += [self._thing(placed, mark) for _, mark in marks if mark.grid == placed.number]
        walls = _stroke(wall_path(grid, placed.in_play), "var(--wall)", 1.1)
        items.append(Item(placed.x, placed.y, unit / 10, walls))
        size = min(11.0, max(6.0, unit * 0.26))
        for x in grid.columns:
            if x % (5 if len(grid.columns) > 15 else 1) == 0:
                here, bottom = (
                    placed.x + unit * (x - grid.columns[0] + 0.5),
                    placed.y + unit * len(grid.rows),
                )
                items.append(
                    canvas.text(str(x), here, bottom + size + 3, size, SOFT, text_anchor="middle")
                )
        for y in grid.rows:
            if y % (5 if len(grid.rows) > 15 else 1) == 0:
                _, here = placed.middle((grid.columns[0], y))
                items.append(
                    canvas.text(
                        str(y), placed.x - 5, here + size * 0.35, size, SOFT, text_anchor="end"
                    )
                )
        if grid.name:
            middle = placed.x + unit * len(grid.columns) / 2
            items.append(
                canvas.text(clean(grid.name), middle, placed.y - 6, 11, SOFT, text_anchor="middle")
            )
        return items

    def _drawn(self, grid: "_PlacedGrid", index: int) -> list[Item]:
        """Return the marks, the ways that pieces went, and the pieces."""
        scene, unit = self._scene(index), grid.unit
        marks = [mark for mark in scene.marks if mark.grid == grid.number]
        items = []
        if index and not scene.pieces:  # nothing moves from cell to cell: frame what is new
            before = {
                mark.cell for mark in self._scene(index - 1).marks if mark.grid == grid.number
            }
            for cell in {mark.cell for mark in marks} - before:
                x, y = (each - unit * 0.46 for each in grid.middle(cell))
                items.append(
                    canvas.rect(x, y, unit * 0.92, unit * 0.92, "var(--floor)", rx=3, stroke=ACCENT)
                )
        pieces = {name: piece for name, piece in scene.pieces.items() if piece.grid == grid.number}
        ways = {name: self._way(name, grid.number, index) for name in pieces}
        for name, piece in pieces.items():
            style = self._style(piece)
            if len(ways[name]) > 1 and style is not None:
                d = " L ".join(f"{x:g} {y:g}" for x, y in map(grid.middle, ways[name]))
                items.append(Item(0, 0, 1, _stroke(f"M {d}", style.trail, unit / 10, opacity=0.4)))
        items += [self._thing(grid, mark) for mark in marks]
        for name, piece in reversed(pieces.items()):  # who moves first stands in front
            here = [other for other, each in pieces.items() if each.cell == piece.cell]
            lane = here.index(name) - (len(here) - 1) / 2
            x, y = grid.middle(piece.cell)
            x = round(x + lane * 0.44 * unit / max(1, len(here) - 1), 2)
            facing = self._facing(piece, ways[name])
            scale = unit / 10 * (0.74 if len(here) > 1 else 1)
            items.append(self._thing(grid, piece)._replace(x=x, y=y, scale=scale, facing=facing))
        return items

    def _style(self, thing: DrawnFact) -> Style | None:
        number = self._styles.number(thing)
        return None if number is None else self._styles.table[number]

    def _thing(self, grid: "_PlacedGrid", thing: DrawnFact) -> Item:
        """Return a piece or a mark in its cell.

        A piece of nobody is a disc with the first letter of its name.
        """
        style = self._style(thing)
        drawn = style.elements if style else elements("disc", SOFT, clean(thing.name)[:1].upper())
        return Item(
            *grid.middle(thing.cell),
            grid.unit / 10,
            canvas.shapes(drawn, clean(thing.values.get("TEXT", ""))),
        )

    def _way(self, name: str, grid: int, index: int) -> list[Cell]:
        """Return the cells through which a piece went in the last turns, where its steps say so."""
        cells: list[Cell] = []
        for number in range(max(0, index - TRAIL), index + 1):
            piece = self._scene(number).pieces.get(name)
            if piece is None or piece.grid != grid:
                cells = []
                continue
            for turn, words in zip(
                self.scenes[number].turns, self.scenes[number].steps, strict=True
            ):
                for each in words if turn.role == name and cells else ():
                    if each.word in STEPS and each.fate == "made":
                        (x, y), (dx, dy) = cells[-1], STEPS[each.word]
                        cells.append((x + dx, y + dy))
            if not cells or cells[-1] != piece.cell:
                cells = [piece.cell]
        return cells

    def _facing(self, piece: DrawnFact, way: list[Cell]) -> str:
        style = self._style(piece)
        if style is None or not style.turned or len(way) < 2:
            return ""
        (x, y), (to_x, to_y) = way[-2:]
        return next(
            (
                word
                for word, step in STEPS.items()
                if step == (to_x - x, to_y - y) and word != "east"
            ),
            "",
        )

    # Without grids

    def _cards(self, scene: BoardScene, y: float) -> list[Item]:
        """Return the rows of cards."""
        items = []
        for number, row in enumerate(scene.rows):
            top = y + number * (CARD + 8)
            items.append(canvas.text(clean(row.name), EDGE, top + CARD / 2 + 4, 12, SOFT, 105))
            size = min(34.0, (ROOM - 110) / max(1, len(row.cards)) - 4)
            letter = min(16.0, size * 0.5)
            for column, card in enumerate(row.cards if size > 4 else ()):
                x, down = EDGE + 110 + column * (size + 4), card == "?"
                items.append(
                    canvas.rect(x, top, size, CARD, ACCENT if down else RAISED, rx=4, stroke=LINE)
                )
                if not down:
                    words = clean(card)
                    fitting = letter * min(1, (size - 2) / (canvas.width(words, letter) or 1))
                    middle, line = x + size / 2, top + CARD / 2 + letter * 0.36
                    look = {"text_anchor": "middle", "font_weight": "bold"}
                    items.append(canvas.text(words, middle, line, round(fitting, 2), INK, **look))
        return items

    def _fact_lines(self, index: int) -> list[Fact]:
        """Return the facts of a state as lines.

        A word with which three of them begin is left out of these.
        """
        facts = [clean(fact) for fact in (*self.game.board(), *self.scenes[index].facts)]
        begins = Counter(fact.partition(" ")[0] for fact in facts)
        short = [
            fact.partition(" ")[2] if begins[fact.partition(" ")[0]] >= 3 else fact
            for fact in facts
        ]
        lines = [fact if len(fact) <= COLUMNS else f"{fact[: COLUMNS - 1]}…" for fact in short]
        return [
            *lines[:MOST_LINES],
            *([f"... {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []),
        ]


@dataclass(frozen=True)
class _PlacedGrid:
    """A grid in the picture: where its corner in the north-west is, and the size of a cell."""

    number: int
    grid: BoardGrid
    in_play: frozenset[Cell]
    x: float
    y: float
    unit: float

    @property
    def bottom(self) -> float:
        return self.y + self.unit * (len(self.grid.rows) + RIM)

    def middle(self, cell: Cell) -> tuple[float, float]:
        x = self.x + self.unit * (cell[0] - self.grid.columns[0] + 0.5)
        return round(x, 2), round(self.y + self.unit * (self.grid.rows[-1] - cell[1] + 0.5), 2)

    def squares(self, cells: Iterable[Cell]) -> str:
        """Return cells as a path, where a cell is 10 wide."""
        corners = (
            (10 * (x - self.grid.columns[0]), 10 * (self.grid.rows[-1] - y))
            for x, y in sorted(cells)
        )
        return " ".join(
            f"M {x} {y} L {x + 10} {y} L {x + 10} {y + 10} L {x} {y + 10} Z" for x, y in corners
        )


def _stroke(d: str, colour: str, width: float, **more: float) -> tuple[Shape, ...]:
    return canvas.shapes(
        [("path", {"d": d, "fill": "none", "stroke": colour, "stroke-width": width, **more})]
    )
