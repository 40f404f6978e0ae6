"""A match as a film: its scenes turn by turn, under its names and scores, over the move in words.

It owns where things stand in such a picture, and how much of a match one may have; it reads no archive.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.pictures import canvas
from arena.pictures.canvas import Film, Item, Shape
from arena.protocol import clean
from arena.replay.chances import EXACT, Chances
from arena.replay.drawing.scene import BoardGrid, BoardScene, Cell, DrawnFact, board_marks, read_grids, read_scene
from arena.replay.drawing.shapes import elements
from arena.replay.drawing.styles import Style, Styles, wall_path
from arena.replay.replayer import STEPS, MoveWord, Scene
from arena.values import Record

WIDTH, EDGE = 480, 16
BOARD_HEIGHT = 420
MOST_FRAMES = 400
SECONDS, KEY_SECONDS, LAST_SECONDS = 0.6, 3.0, 3.0
TRAIL = 5
"""Turns whose way stays marked."""
PLAYER, CARD, LINE = 40, 40, 17  # heights
MOST_LINES, COLUMNS = 40, 72
"""Of the facts where a game declares nothing to draw."""
RIM = 0.45
"""Of a cell: the space of the labels."""


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
            raise ArenaError(f"a clip has at most {MOST_FRAMES} turns: choose some, such as --turns {turns}")
        return self._film([(index, "") for index in range(first, last + 1)])

    def key_film(self) -> Film:
        """Return the turns in which the chance to win broke, each after the state before it, with its sentence."""
        chosen = [each for index, words in self.key_turns for each in ((index - 1, ""), (index, words))]
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
            (quality.points, index, f"turn {scene.number}: {turn.role} {scene.move(number)}: {quality}")
            for index, scene in enumerate(self.scenes)
            for number, (turn, quality) in enumerate(zip(scene.turns, scene.qualities, strict=False))
            if quality.points
        ]
        if not losses:
            raise ArenaError(
                f"--key: no turn of match {self.record.match.id} is known to have turned it; choose by --turns"
            )
        return [(index, words) for _, index, words in sorted(sorted(losses)[-4:], key=lambda each: each[1])]

    @cached_property
    def _colours(self) -> Mapping[str, str]:
        return canvas.colours(self.dark)

    @cached_property
    def _styles(self) -> Styles:
        return Styles.of(self.game.drawing, [seat.role for seat in self.record.match.seats], self.record.sides)

    @cached_property
    def _grids(self) -> tuple[BoardGrid, ...]:
        return read_grids(self.game.board(), self.game.drawing)

    @cached_property
    def _read(self) -> dict[int, BoardScene]:
        return {}

    def _scene(self, index: int) -> BoardScene:
        if index not in self._read:  # each is looked at by the next frames, too
            self._read[index] = read_scene(self._grids, self.game.drawing, self.scenes[index].facts)
        return self._read[index]

    @cached_property
    def _ending(self) -> str:
        """How the match ended, in words."""
        faults = [f"{fault.role}: {fault.ending.value.replace('_', ' ')}" for fault in self.record.verdict.faults]
        return clean(", ".join([self.record.verdict.reason, *faults]))

    def _film(self, chosen: Sequence[tuple[int, str]]) -> Film:
        """Return the film of these scenes, each with a sentence or none."""
        shown = {index: self._scene(index) for index, _ in chosen}
        top = EDGE + 20 + PLAYER * ((len(self.names) + 1) // 2) + (14 if self.chances else 0) + 6
        grids = self._placed_grids(top)
        bottom = max((grid.bottom for grid in grids), default=top)
        rows = max(len(scene.rows) for scene in shown.values())
        facts = [] if grids or rows else [self._fact_lines(index) for index, _ in chosen]
        facts_top, line = bottom + rows * (CARD + 8) + 4, self._line_height(facts)
        words_top = facts_top + max(map(len, facts), default=0) * line + 22
        room = WIDTH - 2 * EDGE
        moves = {index: canvas.wrapped(self._move(index), 13, room, 2, bold=True) for index, _ in chosen}
        extra = max(map(len, moves.values())) - 1 + (2 if any(words for _, words in chosen) else 0)
        others = [] if facts else [_others(scene) for scene in shown.values()]
        below = max((len(canvas.wrapped(words, 11, room, 2)) for words in others), default=0)
        height = words_top + LINE * (extra + below) + EDGE
        frames = []
        for number, (index, words) in enumerate(chosen):
            scene = shown[index]
            items = [*self._chance_bar(index, top - 16), *(item for grid in grids for item in self._drawn(grid, index))]
            items += self._cards(scene, bottom + 8)
            for row, fact in enumerate(facts[number] if facts else ()):
                fill = self._colours["ink"]
                items.append(canvas.text(fact, EDGE, facts_top + line * (row + 0.8), line * 0.8, fill, mono=1))
            lines: list[tuple[str, float, str, bool]] = [(line, 13, "ink", True) for line in moves[index]]
            lines += [(line, 12.5, "bad", False) for line in canvas.wrapped(words, 12.5, room, 2)]
            lines += [
                (line, 11, "soft", False) for line in canvas.wrapped("" if facts else _others(scene), 11, room, 2)
            ]
            for row, (line_words, size, colour, bold) in enumerate(lines):
                fill = self._colours[colour]
                items.append(canvas.text(line_words, EDGE, words_top + LINE * row, size, fill, bold=int(bold)))
            frames.append(tuple(items))
        seconds = [KEY_SECONDS if words else SECONDS for _, words in chosen]
        seconds[-1] = max(seconds[-1], LAST_SECONDS)
        still = (*self._header(), *(item for grid in grids for item in self._ground(grid)))
        title = clean(f"{self.record.match.label}: {' against '.join(self.names.values())}")
        paper = self._colours["paper"]
        return Film(WIDTH, round(height), title, paper, still, tuple(frames), tuple(seconds))

    def _header(self) -> list[Item]:
        """Return the board's name, and each role with its picture, its bot and the score that it had in the end."""
        match, ink, soft = self.record.match, self._colours["ink"], self._colours["soft"]
        result = f"{self._ending} after turn {self.scenes[-1].number}"
        label = canvas.text(match.label, EDGE, EDGE + 10, 12, soft, room=240)
        items = [label, canvas.text(result, WIDTH - EDGE, EDGE + 10, 12, soft, anchor="end", room=200)]
        room = (WIDTH - 2 * EDGE - 8) / 2
        best = max(self.record.verdict.scores.values(), default=0)
        for number, (role, name) in enumerate(self.names.items()):
            x, y = EDGE + (number % 2) * (room + 8), EDGE + 20 + PLAYER * (number // 2)
            score = self.record.verdict.scores.get(role, 0)
            border = self._colours["accent" if score == best else "line"]
            items.append(canvas.box(x, y, room, PLAYER - 6, self._colours["raised"], border, 8))
            icon = canvas.shapes(self._styles.icons[number].elements, self.dark)
            items.append(Item(x + 19, y + 17, 3.1, icon))
            items.append(canvas.text(role, x + 38, y + 13, 10, soft, room=room - 85))
            items.append(canvas.text(name, x + 38, y + 27, 13, ink, bold=1, room=room - 85))
            items.append(canvas.text(str(score), x + room - 10, y + 23, 17, ink, bold=1, anchor="end"))
        return items

    def _chance_bar(self, index: int, y: float) -> list[Item]:
        """Return the chance of each side to win, as a bar with the words of what it is."""
        if self.chances is None:
            return []
        items, x, room = [], float(EDGE), WIDTH - 2 * EDGE - 130
        for side, chance in zip(self.chances.sides, self.chances.of_scenes[index], strict=True):
            colour = self._styles.icons[self._styles.roles.index(side[0])].trail
            share = round(room * chance / 100, 1)
            items += [canvas.rect(x, y, share, 7, colour)] if share else []
            x += share
        kind = "exact" if self.chances.basis == EXACT else "estimate"
        soft = self._colours["soft"]
        return [*items, canvas.text(f"chance to win ({kind})", WIDTH - EDGE, y + 7, 10, soft, anchor="end")]

    def _move(self, index: int) -> str:
        """Return the moves of a turn in words, what they lost, and how the match ended."""
        scene = self.scenes[index]
        words = f"Turn {scene.number} of {self.scenes[-1].number}: " if scene.number else "Start"
        moves = []
        for number, turn in enumerate(scene.turns):
            quality = str(scene.qualities[number]) if scene.qualities else ""
            by = f" ({turn.by})" if turn.by != "bot" else ""
            moves.append(f"{turn.role} {clean(scene.move(number))}{by}{f' ({quality})' if quality else ''}")
        over = f" — {self._ending}" if index == len(self.scenes) - 1 else ""
        return words + ", ".join(moves) + over

    # The grids

    def _placed_grids(self, top: float) -> list["_PlacedGrid"]:
        """Return the grids side by side, as large as there is room."""
        if not self._grids:
            return []
        gap = 10
        columns = sum(len(grid.columns) + RIM for grid in self._grids)
        rows = max(len(grid.rows) for grid in self._grids) + RIM
        name = 16 if any(grid.name for grid in self._grids) else 0
        unit = min((WIDTH - 2 * EDGE - gap * (len(self._grids) - 1)) / columns, BOARD_HEIGHT / rows)
        x = (WIDTH - unit * columns - gap * (len(self._grids) - 1)) / 2
        start = read_scene(self._grids, self.game.drawing, self.scenes[0].facts).in_play(self._grids)
        placed = []
        for number, grid in enumerate(self._grids):
            placed.append(_PlacedGrid(number, grid, start[number], x + unit * RIM, top + name + 2, unit))
            x += unit * (len(grid.columns) + RIM) + gap
        return placed

    def _ground(self, grid: "_PlacedGrid") -> list[Item]:
        """Return what never changes of a grid: its floor, walls, labels, and the marks of the board."""
        colours, board = self._colours, grid.grid
        across, down = 10 * len(board.columns), 10 * len(board.rows)
        lines = [f"M {10 * x} 0 L {10 * x} {down}" for x in range(1, len(board.columns))]
        lines += [f"M 0 {10 * y} L {across} {10 * y}" for y in range(1, len(board.rows))]
        ground = [
            Shape("rect", (("x", 0), ("y", 0), ("width", across), ("height", down), ("fill", colours["floor"]))),
            _stroke(" ".join(lines), colours["floor-line"], 0.25),
        ]
        rock = list(_rock(grid))
        if rock:
            ground.append(Shape("path", (("d", " ".join(rock)), ("fill", colours["rock"]))))
        scale = grid.unit / 10
        items = [Item(grid.x, grid.y, scale, tuple(ground))]
        marks = board_marks(self._grids, self.game.board(), self.game.drawing)
        items += [self._thing(grid, mark) for _, mark in marks if mark.grid == grid.number]
        walls = _stroke(wall_path(board, grid.in_play), colours["wall"], 1.1)
        items.append(Item(grid.x, grid.y, scale, (walls,)))
        size = min(11.0, max(6.0, grid.unit * 0.26))
        for x in board.columns:
            if x % _stride(len(board.columns)) == 0:
                here = grid.x + grid.unit * (x - board.columns[0] + 0.5)
                bottom = grid.y + grid.unit * len(board.rows)
                items.append(canvas.text(str(x), here, bottom + size + 3, size, colours["soft"], anchor="middle"))
        for y in board.rows:
            if y % _stride(len(board.rows)) == 0:
                _, here = grid.middle((board.columns[0], y))
                label = canvas.text(str(y), grid.x - 5, here + size * 0.35, size, colours["soft"], anchor="end")
                items.append(label)
        if board.name:
            middle = grid.x + grid.unit * len(board.columns) / 2
            items.append(canvas.text(clean(board.name), middle, grid.y - 6, 11, colours["soft"], anchor="middle"))
        return items

    def _drawn(self, grid: "_PlacedGrid", index: int) -> list[Item]:
        """Return the marks, the ways that pieces went, and the pieces."""
        scene = self._scene(index)
        items = []
        pieces = {name: piece for name, piece in scene.pieces.items() if piece.grid == grid.number}
        if index and not scene.pieces:  # nothing moves from cell to cell: frame what is new
            before = {(mark.grid, mark.cell) for mark in self._scene(index - 1).marks}
            for cell in {mark.cell for mark in scene.marks if mark.grid == grid.number} - {
                cell for number, cell in before if number == grid.number
            }:
                x, y = grid.middle(cell)
                half, accent = grid.unit * 0.46, self._colours["accent"]
                items.append(canvas.box(x - half, y - half, 2 * half, 2 * half, self._colours["floor"], accent, 3))
        for name, piece in pieces.items():
            cells = self._way(name, grid.number, index)
            style = self._style(piece)
            if len(cells) > 1 and style is not None:
                points = [grid.middle(cell) for cell in cells]
                d = " ".join(f"{'L' if number else 'M'} {x:g} {y:g}" for number, (x, y) in enumerate(points))
                items.append(Item(0, 0, 1, (_stroke(d, style.trail, grid.unit / 10, opacity=0.4),)))
        items += [self._thing(grid, mark) for mark in scene.marks if mark.grid == grid.number]
        for name, piece in reversed(pieces.items()):  # who moves first stands in front
            here = [other for other, each in pieces.items() if each.cell == piece.cell]
            lane = here.index(name) - (len(here) - 1) / 2
            x, y = grid.middle(piece.cell)
            shift = lane * 0.44 * grid.unit / max(1, len(here) - 1)
            facing = self._facing(name, grid.number, index, piece)
            scale = grid.unit / 10 * (0.74 if len(here) > 1 else 1)
            items.append(self._thing(grid, piece)._replace(x=round(x + shift, 2), y=y, scale=scale, facing=facing))
        return items

    def _style(self, thing: DrawnFact) -> Style | None:
        number = self._styles.number(thing)
        return None if number is None else self._styles.table[number]

    def _thing(self, grid: "_PlacedGrid", thing: DrawnFact) -> Item:
        """Return a piece or a mark in its cell; a piece of nobody is a disc with the first letter of its name."""
        style = self._style(thing)
        x, y = grid.middle(thing.cell)
        if style is None:
            disc = elements("disc", self._colours["soft"], clean(thing.name)[:1].upper())
            return Item(x, y, grid.unit / 10, canvas.shapes(disc, self.dark))
        shapes = canvas.shapes(style.elements, self.dark, clean(thing.values.get("TEXT", "")))
        return Item(x, y, grid.unit / 10, shapes)

    def _way(self, name: str, grid: int, index: int) -> list[Cell]:
        """Return the cells through which a piece went in the last turns, where its steps say so."""
        cells: list[Cell] = []
        for number in range(max(0, index - TRAIL), index + 1):
            piece = self._scene(number).pieces.get(name)
            if piece is None or piece.grid != grid:
                cells = []
                continue
            for turn, words in zip(self.scenes[number].turns, self.scenes[number].steps, strict=True):
                if turn.role == name and cells:
                    cells += _steps(cells[-1], words)
            if not cells or cells[-1] != piece.cell:
                cells = [piece.cell]
        return cells

    def _facing(self, name: str, grid: int, index: int, piece: DrawnFact) -> str:
        style, cells = self._style(piece), self._way(name, grid, index)
        if style is None or not style.turned or len(cells) < 2:
            return ""
        (x, y), (to_x, to_y) = cells[-2:]
        step = (to_x - x, to_y - y)
        return next((word for word, each in STEPS.items() if each == step and word != "east"), "")

    # Without grids

    def _cards(self, scene: BoardScene, y: float) -> list[Item]:
        """Return the rows of cards."""
        items, colours = [], self._colours
        for number, row in enumerate(scene.rows):
            top = y + number * (CARD + 8)
            items.append(canvas.text(clean(row.name), EDGE, top + CARD / 2 + 4, 12, colours["soft"], room=105))
            room = (WIDTH - 2 * EDGE - 110) / max(1, len(row.cards))
            size = min(34.0, room - 4)
            for column, card in enumerate(row.cards[: MOST_FRAMES if size > 4 else 0]):
                x, down = EDGE + 110 + column * (size + 4), card == "?"
                fill = colours["accent" if down else "raised"]
                items.append(canvas.box(x, top, size, CARD, fill, colours["line"], 4))
                if not down:
                    letter = min(16.0, size * 0.5)
                    text = canvas.text(
                        clean(card), x + size / 2, top + CARD / 2 + letter * 0.36, letter, colours["ink"]
                    )
                    items.append(_centred(text, size))
        return items

    def _fact_lines(self, index: int) -> list[Fact]:
        """Return the facts of a state as lines; a word with which three of them begin is left out of these."""
        every = [clean(fact) for fact in (*self.game.board(), *self.scenes[index].facts)]
        begins = Counter(fact.partition(" ")[0] for fact in every)
        shown = [fact.partition(" ")[2] if begins[fact.partition(" ")[0]] >= 3 else fact for fact in every]
        facts = [fact if len(fact) <= COLUMNS else f"{fact[: COLUMNS - 1]}…" for fact in shown]
        return [*facts[:MOST_LINES], *([f"... {len(facts) - MOST_LINES} more"] if len(facts) > MOST_LINES else [])]

    def _line_height(self, facts: Sequence[Sequence[Fact]]) -> float:
        """Return the height of a line of facts, so that the longest has room."""
        longest = max((len(fact) for lines in facts for fact in lines), default=1)
        letter = min(12.0, (WIDTH - 2 * EDGE) / max(1, longest) / 0.602)
        return letter / 0.8


@dataclass(frozen=True)
class _PlacedGrid:
    """A grid and where it is in the picture: the corner in the north-west, and the size of a cell."""

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


def _stroke(d: str, colour: str, width: float, **more: float) -> Shape:
    return Shape("path", (("d", d), ("fill", "none"), ("stroke", colour), ("stroke-width", width), *more.items()))


def _rock(grid: _PlacedGrid) -> Iterator[str]:
    """Yield the cells that nobody reaches as paths, those beside each other in one."""
    for y, row in enumerate(reversed(grid.grid.rows)):
        out = [(column, row) not in grid.in_play for column in grid.grid.columns]
        for is_out, run in groupby(enumerate(out), key=lambda pair: pair[1]):
            if is_out:
                xs = [x for x, _ in run]
                left, right, top = 10 * xs[0], 10 * xs[-1] + 10, 10 * y
                yield f"M {left} {top} L {right} {top} L {right} {top + 10} L {left} {top + 10} Z"


def _others(scene: BoardScene) -> str:
    return "   ".join(map(clean, scene.other_facts))


def _stride(count: int) -> int:
    return 5 if count > 15 else 1


def _steps(cell: Cell, words: Sequence[MoveWord]) -> list[Cell]:
    """Return the cells that the steps of a move lead to."""
    cells = [cell]
    for each in words:
        if each.word in STEPS and each.fate == "made":
            dx, dy = STEPS[each.word]
            cells.append((cells[-1][0] + dx, cells[-1][1] + dy))
    return cells[1:]


def _centred(text: Item, room: float) -> Item:
    (shape,) = text.shapes
    own = dict(shape.attributes)
    size, words = float(own["size"]), str(own["words"])
    if (wide := canvas.width(words, size)) > room - 2:
        size *= (room - 2) / wide
    changed = own | {"size": round(size, 2), "anchor": "middle", "bold": 1}
    return text._replace(shapes=(Shape("text", tuple(changed.items())),))
