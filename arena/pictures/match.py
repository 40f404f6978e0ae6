"""A match as a film: its scenes turn by turn, under its names and scores, over the move in words.

It owns where things stand in such a picture, and how much of a match one may have; it reads no
archive.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, product
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
from arena.replay.replayer import STEPS, MoveWord, Scene
from arena.values import Record

WIDTH = 480
EDGE = 16
ROOM = WIDTH - 2 * EDGE
BOARD_HEIGHT = 420
MOST_FRAMES = 400
SECONDS = 0.6
KEY_SECONDS = 3.0
LAST_SECONDS = 3.0
TRAIL = 5
"""Turns whose way stays marked."""
PLAYER = 40  # the height of a role's box, with the space below it
CARD = 40  # the height of a card
ROW = 17  # the height of a line of text
MOST_LINES = 40
COLUMNS = 72
"""Lines, and letters of a line, of the facts where a game declares nothing to draw."""
RIM = 0.45
"""Of a cell: the space of the labels."""
FACING = {STEPS[word]: word for word in ("west", "north", "south")}
"""Where a piece is turned to by its last step; by itself it looks to the east."""
FLOOR: Mapping[str, str | float] = {
    "fill": "var(--floor)",
    "stroke": "var(--floor-line)",
    "stroke-width": 0.25,
}
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
        roles = [seat.role for seat in self.record.match.seats]
        if roles != list(self.game.roles):
            raise ArenaError(f"match {self.record.match.id}: its roles are not those of the game")

    def film(self, first: int, last: int) -> Film:
        """Return the scenes from one index to another; ArenaError for too many."""
        if last - first >= MOST_FRAMES:
            begin = self.scenes[first].number
            end = self.scenes[first + MOST_FRAMES - 1].number
            raise ArenaError(
                f"a clip has at most {MOST_FRAMES} turns: "
                f"choose some, such as --turns {begin}-{end}"
            )
        chosen = [(index, "") for index in range(first, last + 1)]
        return self._film(chosen)

    def key_film(self) -> Film:
        """Return the turns in which the chance to win broke, each with its sentence.

        The state before it comes first.
        """
        chosen = []
        for index, sentence in self.key_turns:
            if index > 0:
                chosen.append((index - 1, ""))
            chosen.append((index, sentence))
        return self._film(chosen)

    def key_stills(self) -> list[Film]:
        """Return the turning points as stills."""
        return [self._film([key]) for key in self.key_turns]

    @cached_property
    def key_turns(self) -> list[tuple[int, str]]:
        """The turning points: the index of each scene, and a sentence."""
        if self.chances is not None and self.chances.breaks:
            return [(turning.scene, turning.sentence) for turning in self.chances.breaks]

        losses = []
        for index, scene in enumerate(self.scenes):
            for number, quality in enumerate(scene.qualities):
                if not quality.points:
                    continue
                move = f"{scene.turns[number].role} {scene.move(number)}"
                sentence = f"turn {scene.number}: {move}: {quality}"
                losses.append((quality.points, index, sentence))
        if not losses:
            raise ArenaError(
                f"--key: no turn of match {self.record.match.id} is known to have turned it; "
                "choose by --turns"
            )

        losses.sort()
        largest = losses[-4:]
        largest.sort(key=lambda loss: loss[1])
        return [(index, sentence) for _, index, sentence in largest]

    @cached_property
    def _styles(self) -> Styles:
        roles = [seat.role for seat in self.record.match.seats]
        return Styles.of(self.game.drawing, roles, self.record.sides)

    @cached_property
    def _grids(self) -> tuple[BoardGrid, ...]:
        return read_grids(self.game.board(), self.game.drawing)

    @cached_property
    def _scene(self) -> Callable[[int], BoardScene]:
        """The scene at an index; the next frames look at it, too."""

        @cache
        def scene(index: int) -> BoardScene:
            facts = self.scenes[index].facts
            return read_scene(self._grids, self.game.drawing, facts)

        return scene

    @cached_property
    def _ending(self) -> str:
        """The reason for the end of the match, and its faults, in words."""
        verdict = self.record.verdict
        reasons = [verdict.reason]
        for fault in verdict.faults:
            ending = fault.ending.value.replace("_", " ")
            reasons.append(f"{fault.role}: {ending}")
        return clean(", ".join(reasons))

    def _film(self, chosen: Sequence[tuple[int, str]]) -> Film:
        """Return the film of these scenes, each with a sentence or none."""
        layout = self._layout(chosen)
        frames = []
        seconds = []
        for index, sentence in chosen:
            frame = self._frame(index, sentence, layout)
            frames.append(tuple(frame))
            if sentence:
                seconds.append(KEY_SECONDS)
            else:
                seconds.append(SECONDS)
        seconds[-1] = LAST_SECONDS

        still = self._header()
        for grid in layout.grids:
            still += self._ground(grid)
        rivals = " against ".join(self.names.values())
        title = clean(f"{self.record.match.label}: {rivals}")
        return Film(
            width=WIDTH,
            height=layout.height,
            title=title,
            dark=self.dark,
            still=tuple(still),
            frames=tuple(frames),
            seconds=tuple(seconds),
        )

    def _layout(self, chosen: Sequence[tuple[int, str]]) -> "_Layout":
        """Return where things stand in all frames of these scenes, each with a sentence or none."""
        player_rows = (len(self.names) + 1) // 2
        chance_bar = 0
        if self.chances:
            chance_bar = 14
        top = EDGE + 20 + PLAYER * player_rows + chance_bar + 6
        grids = self._placed_grids(top)
        bottom = max((grid.bottom for grid in grids), default=top)
        card_rows = max(len(self._scene(index).rows) for index, _ in chosen)

        fact_lines: dict[int, list[Fact]] = {}
        fact_count = 0
        longest = 0
        for index, _ in chosen:
            lines: list[Fact] = []
            if not grids and not card_rows:
                lines = self._fact_lines(index)
            fact_lines[index] = lines
            fact_count = max(fact_count, len(lines))
            for line in lines:
                longest = max(longest, len(line))
        size = min(12.0, ROOM / (longest or 1) / 0.602)
        facts_top = bottom + card_rows * (CARD + 8) + 4
        words_top = facts_top + fact_count * size / 0.8 + 22

        # A picture is as high with little to tell as with much: each kind of line has its space.
        line_counts = [0, 0, 0]
        for index, sentence in chosen:
            has_facts = bool(fact_lines[index])
            texts = self._texts(index, sentence, facts=not has_facts)
            for kind, lines_of_kind in enumerate(texts):
                line_counts[kind] = max(line_counts[kind], len(lines_of_kind))
        words_height = ROW * (sum(line_counts) - 1)
        height = words_top + words_height + EDGE
        return _Layout(
            grids=grids,
            top=top,
            bottom=bottom,
            fact_lines=fact_lines,
            fact_size=size,
            facts_top=facts_top,
            words_top=words_top,
            height=round(height),
        )

    def _frame(
        self,
        index: int,
        sentence: str,
        layout: "_Layout",
    ) -> list[Item]:
        """Return what a frame shows of a scene, over its sentence if it has any."""
        items = self._chance_bar(index, layout.top - 16)
        for grid in layout.grids:
            items += self._drawn(grid, index)
        scene = self._scene(index)
        items += self._cards(scene, layout.bottom + 8)

        facts = layout.fact_lines[index]
        size = layout.fact_size
        for row, fact in enumerate(facts):
            y = layout.facts_top + size / 0.8 * (row + 0.8)
            item = canvas.text(
                fact,
                EDGE,
                y,
                size,
                INK,
                font_family=canvas.FONTS["mono"],
            )
            items.append(item)

        texts = self._texts(index, sentence, facts=not facts)
        for row, line in enumerate(chain.from_iterable(texts)):
            content, letter, fill, more = line
            y = layout.words_top + ROW * row
            item = canvas.text(
                content,
                EDGE,
                y,
                letter,
                fill,
                **more,
            )
            items.append(item)
        return items

    def _texts(
        self,
        index: int,
        words: str,
        *,
        facts: bool,
    ) -> tuple[list[Line], list[Line], list[Line]]:
        """Return the lines below a scene: its moves, a sentence, and facts that nothing draws."""
        move = self._move(index)
        moves = canvas.wrapped(move, 13, ROOM, 2, bold=True)
        move_lines: list[Line] = []
        for line in moves:
            move_lines.append((line, 13, INK, {"font_weight": "bold"}))

        sentence = canvas.wrapped(words, 12.5, ROOM, 2)
        sentence_lines: list[Line] = []
        for line in sentence:
            sentence_lines.append((line, 12.5, BAD, {}))

        undrawn_facts = ""
        if facts:
            other_facts = self._scene(index).other_facts
            undrawn_facts = "   ".join(map(clean, other_facts))
        undrawn = canvas.wrapped(undrawn_facts, 11, ROOM, 2)
        undrawn_lines: list[Line] = []
        for line in undrawn:
            undrawn_lines.append((line, 11, SOFT, {}))

        return move_lines, sentence_lines, undrawn_lines

    def _header(self) -> list[Item]:
        """Return the board's name, and each role with its picture, its bot and its last score."""
        result = "start"
        if self.record.turns:
            result = f"{self._ending} after turn {self.scenes[-1].number}"
        line = EDGE + 10
        label = canvas.text(
            self.record.match.label,
            EDGE,
            line,
            12,
            SOFT,
            240,
        )
        result_text = canvas.text(
            result,
            WIDTH - EDGE,
            line,
            12,
            SOFT,
            200,
            text_anchor="end",
        )
        items = [label, result_text]
        for number, role in enumerate(self.names):
            items += self._player(number, role)
        return items

    def _player(self, number: int, role: Role) -> list[Item]:
        """Return the box of a role, two in a row."""
        row, column = divmod(number, 2)
        width = (ROOM - 8) / 2
        x = EDGE + column * (width + 8)
        y = EDGE + 20 + PLAYER * row
        text_room = width - 85

        scores = self.record.verdict.scores
        score = scores.get(role, 0)
        border = LINE
        if score == max(scores.values(), default=0):
            border = ACCENT

        box = canvas.rect(
            x,
            y,
            width,
            PLAYER - 6,
            RAISED,
            rx=8,
            stroke=border,
        )
        icon_shapes = canvas.shapes(self._styles.icons[number].elements)
        icon = Item(x + 19, y + 17, 3.1, icon_shapes)
        role_text = canvas.text(
            role,
            x + 38,
            y + 13,
            10,
            SOFT,
            text_room,
        )
        bot_text = canvas.text(
            self.names[role],
            x + 38,
            y + 27,
            13,
            INK,
            text_room,
            font_weight="bold",
        )
        score_text = canvas.text(
            str(score),
            x + width - 10,
            y + 23,
            17,
            INK,
            font_weight="bold",
            text_anchor="end",
        )
        return [box, icon, role_text, bot_text, score_text]

    def _chance_bar(self, index: int, y: float) -> list[Item]:
        """Return the chance of each side to win, as a bar with the words of what it is."""
        if self.chances is None:
            return []
        items = []
        x = float(EDGE)
        of_sides = self.chances.of_scenes[index]
        for side, chance in zip(self.chances.sides, of_sides, strict=True):
            share = round((ROOM - 130) * chance / 100, 1)
            if share:
                first = self._styles.roles.index(side[0])
                fill = self._styles.icons[first].trail
                bar = canvas.rect(x, y, share, 7, fill)
                items.append(bar)
            x += share

        kind = "estimate"
        if self.chances.basis == EXACT:
            kind = "exact"
        caption = canvas.text(
            f"chance to win ({kind})",
            WIDTH - EDGE,
            y + 7,
            10,
            SOFT,
            text_anchor="end",
        )
        items.append(caption)
        return items

    def _move(self, index: int) -> str:
        """Return the moves of a turn in words, what they lost, and how the match ended."""
        scene = self.scenes[index]
        moves = []
        for number, turn in enumerate(scene.turns):
            move = f"{turn.role} {clean(scene.move(number))}"
            if turn.by != "bot":
                move += f" ({turn.by})"
            quality = ""
            if scene.qualities:
                quality = str(scene.qualities[number])
            if quality:
                move += f" ({quality})"
            moves.append(move)

        text = "Start"
        if scene.number:
            last = self.scenes[-1].number
            text = f"Turn {scene.number} of {last}: "
        text += ", ".join(moves)
        if index == len(self.scenes) - 1:
            text += f" — {self._ending}"
        return text

    # The grids

    def _placed_grids(self, top: float) -> list["_PlacedGrid"]:
        """Return the grids side by side, as large as there is room."""
        if not self._grids:
            return []
        gaps = 10 * (len(self._grids) - 1)
        columns = sum(len(grid.columns) + RIM for grid in self._grids)
        highest = max(len(grid.rows) for grid in self._grids)
        rows = highest + RIM
        y = top + 2
        if any(grid.name for grid in self._grids):
            y += 16
        unit_by_width = (ROOM - gaps) / columns
        unit_by_height = BOARD_HEIGHT / rows
        unit = min(unit_by_width, unit_by_height)
        x = (WIDTH - unit * columns - gaps) / 2

        in_play = self._scene(0).in_play(self._grids)
        placed_grids = []
        for number, grid in enumerate(self._grids):
            placed = _PlacedGrid(
                number=number,
                grid=grid,
                in_play=in_play[number],
                x=x + unit * RIM,
                y=y,
                unit=unit,
            )
            placed_grids.append(placed)
            x += unit * (len(grid.columns) + RIM) + 10
        return placed_grids

    def _ground(self, placed: "_PlacedGrid") -> list[Item]:
        """Return the part of a grid that never changes: cells, walls, labels, and marks."""
        grid = placed.grid
        floor = placed.squares(placed.in_play)
        ground: list[Element] = [("path", {"d": floor, **FLOOR})]

        dark_cells = [cell for cell in placed.in_play if grid.is_dark(cell)]
        if dark_cells:
            dark = placed.squares(dark_cells)
            ground.append(("path", {"d": dark, "fill": "var(--dark-cell)"}))

        all_cells = set(product(grid.columns, grid.rows))
        rock_cells = all_cells - set(placed.in_play)
        if rock_cells:
            rock = placed.squares(rock_cells)
            ground.append(("path", {"d": rock, "fill": "var(--rock)"}))
        ground_shapes = canvas.shapes(ground)
        items = [placed.item(ground_shapes)]

        board = self.game.board()
        marks = board_marks(self._grids, board, self.game.drawing)
        for _, mark in marks:
            if mark.grid == placed.number:
                item = self._thing(placed, mark)
                items.append(item)

        path = wall_path(grid, placed.in_play)
        walls = _stroke(path, "var(--wall)", 1.1)
        items.append(placed.item(walls))
        items += placed.labels()
        return items

    def _drawn(self, grid: "_PlacedGrid", index: int) -> list[Item]:
        """Return the marks, the ways that pieces went, and the pieces."""
        scene = self._scene(index)
        marks = [mark for mark in scene.marks if mark.grid == grid.number]
        pieces = {}
        ways = {}
        for name, piece in scene.pieces.items():
            if piece.grid == grid.number:
                pieces[name] = piece
                ways[name] = self._way(name, grid.number, index)

        items: list[Item] = []
        if index and not scene.pieces:  # nothing moves from cell to cell
            items += self._frames(grid, marks, index)
        for name, piece in pieces.items():
            way = ways[name]
            style = self._style(piece)
            if len(way) > 1 and style is not None:
                trail = _trail(grid, way, style.trail)
                items.append(trail)
        for mark in marks:
            item = self._thing(grid, mark)
            items.append(item)
        for name, piece in reversed(pieces.items()):  # who moves first stands in front
            in_cell = []  # the names of the pieces in its cell
            for neighbour_name, neighbour in pieces.items():
                if neighbour.cell == piece.cell:
                    in_cell.append(neighbour_name)
            number = in_cell.index(name)
            item = self._thing(grid, piece)
            facing = self._facing(piece, ways[name])
            item = item._replace(facing=facing)
            item_in_lane = _in_lane(item, number, len(in_cell), grid.unit)
            items.append(item_in_lane)
        return items

    def _frames(
        self,
        grid: "_PlacedGrid",
        marks: Iterable[DrawnFact],
        index: int,
    ) -> Iterator[Item]:
        """Yield a frame around each mark that is new in this scene."""
        before: set[tuple[Cell, object]] = set()
        for mark in self._scene(index - 1).marks:
            if mark.grid == grid.number:
                before.add((mark.cell, mark.item))

        side = grid.unit * 0.92
        for mark in marks:
            if (mark.cell, mark.item) in before:
                continue
            x, y = grid.middle(mark.cell)
            yield canvas.rect(
                x - grid.unit * 0.46,
                y - grid.unit * 0.46,
                side,
                side,
                "none",
                rx=3,
                stroke=ACCENT,
            )

    def _style(self, thing: DrawnFact) -> Style | None:
        number = self._styles.number(thing)
        if number is None:
            return None
        return self._styles.table[number]

    def _thing(self, grid: "_PlacedGrid", thing: DrawnFact) -> Item:
        """Return a piece or a mark in its cell.

        A piece of nobody is a disc with the first letter of its name.
        """
        style = self._style(thing)
        if style is None:
            name = clean(thing.name)
            initial = name[:1].upper()
            parts = elements("disc", SOFT, initial)
        else:
            parts = style.elements
        text = clean(thing.values.get("TEXT", ""))
        x, y = grid.middle(thing.cell)
        return Item(
            x=x,
            y=y,
            scale=grid.unit / 10,
            shapes=canvas.shapes(parts, text),
        )

    def _way(
        self,
        name: str,
        grid: int,
        index: int,
    ) -> list[Cell]:
        """Return the cells through which a piece went in the last turns, where its steps say so."""
        cells: list[Cell] = []
        first = max(0, index - TRAIL)
        for number in range(first, index + 1):
            piece = self._scene(number).pieces.get(name)
            if piece is None or piece.grid != grid:
                cells = []
                continue
            scene = self.scenes[number]
            for turn, move_words in zip(scene.turns, scene.steps, strict=True):
                if turn.role == name and cells:
                    _walk(cells, move_words)
            if not cells or cells[-1] != piece.cell:
                cells = [piece.cell]
        return cells

    def _facing(self, piece: DrawnFact, way: list[Cell]) -> str:
        """Return where a piece looks that went this way; empty for the east."""
        style = self._style(piece)
        if style is None or not style.turned:
            return ""
        if len(way) < 2:
            return ""
        x, y = way[-2]
        to_x, to_y = way[-1]
        step = (to_x - x, to_y - y)
        return FACING.get(step, "")

    # Without grids

    def _cards(self, scene: BoardScene, y: float) -> list[Item]:
        """Return the rows of cards."""
        items = []
        label_room = 110
        for number, row in enumerate(scene.rows):
            top = y + number * (CARD + 8)
            line = top + CARD / 2 + 4
            label = clean(row.name)
            label_text = canvas.text(label, EDGE, line, 12, SOFT, 105)
            items.append(label_text)
            card_count = max(1, len(row.cards))
            card_room = (ROOM - label_room) / card_count
            width = min(34.0, card_room - 4)
            if width <= 4:
                continue
            for column, card in enumerate(row.cards):
                x = EDGE + label_room + column * (width + 4)
                items += _card(card, x, top, width)
        return items

    def _fact_lines(self, index: int) -> list[Fact]:
        """Return the facts of a state as lines.

        A word with which three of them begin is left out of these.
        """
        board_facts = self.game.board()
        scene_facts = self.scenes[index].facts
        facts = []
        for fact in chain(board_facts, scene_facts):
            facts.append(clean(fact))
        first_words = Counter(fact.partition(" ")[0] for fact in facts)

        lines = []
        for fact in facts[:MOST_LINES]:
            first, _, following = fact.partition(" ")
            line = fact
            if first_words[first] >= 3:
                line = following
            if len(line) > COLUMNS:
                line = f"{line[: COLUMNS - 1]}…"
            lines.append(line)
        hidden = len(facts) - MOST_LINES
        if hidden > 0:
            lines.append(f"... {hidden} more")
        return lines


def _walk(cells: list[Cell], words: Iterable[MoveWord]) -> None:
    """Append the cells to which the steps of a move led."""
    for step in words:
        if step.word not in STEPS or step.fate != "made":
            continue
        x, y = cells[-1]
        dx, dy = STEPS[step.word]
        cells.append((x + dx, y + dy))


def _trail(grid: "_PlacedGrid", way: Iterable[Cell], colour: str) -> Item:
    """Return the way that a piece went, as a line through the middles of its cells."""
    points = []
    for cell in way:
        x, y = grid.middle(cell)
        points.append(f"{x:g} {y:g}")
    path = "M " + " L ".join(points)
    line = _stroke(path, colour, grid.unit / 10, opacity=0.4)
    return Item(0, 0, 1, line)


def _in_lane(
    item: Item,
    number: int,
    count: int,
    unit: float,
) -> Item:
    """Return a piece beside the others of its cell: it has a number, and with it there are `count`.

    `unit` is the size of the cell.
    """
    lane = number - (count - 1) / 2
    shift = lane * 0.44 * unit / max(1, count - 1)
    x = round(item.x + shift, 2)
    scale = unit / 10
    if count > 1:
        scale *= 0.74
    return item._replace(x=x, scale=scale)


def _card(
    card: str,
    x: float,
    top: float,
    width: float,
) -> list[Item]:
    """Return a card, which lies face down where it is `?`."""
    fill = RAISED
    if card == "?":
        fill = ACCENT
    paper = canvas.rect(
        x,
        top,
        width,
        CARD,
        fill,
        rx=4,
        stroke=LINE,
    )
    if card == "?":
        return [paper]

    text = clean(card)
    letter = min(16.0, width * 0.5)
    text_width = canvas.width(text, letter) or 1
    shrinking = min(1, (width - 2) / text_width)
    size = round(letter * shrinking, 2)
    middle = x + width / 2
    line = top + CARD / 2 + letter * 0.36
    face = canvas.text(
        text,
        middle,
        line,
        size,
        INK,
        text_anchor="middle",
        font_weight="bold",
    )
    return [paper, face]


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Where things stand in every frame of a film."""

    grids: list["_PlacedGrid"]
    top: float
    """Of the grids."""
    bottom: float
    """Of the grids."""
    fact_lines: Mapping[int, list[Fact]]
    """The facts of each scene as lines, by its index; none where something is drawn."""
    fact_size: float
    facts_top: float
    words_top: float
    height: int


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
        """The lower end of the grid with its labels."""
        rows = len(self.grid.rows) + RIM
        return self.y + self.unit * rows

    def middle(self, cell: Cell) -> tuple[float, float]:
        """Return the middle of a cell."""
        column, row = cell
        columns_to_middle = column - self.grid.columns[0] + 0.5
        rows_to_middle = self.grid.rows[-1] - row + 0.5
        x = self.x + self.unit * columns_to_middle
        y = self.y + self.unit * rows_to_middle
        return round(x, 2), round(y, 2)

    def item(self, shapes: tuple[Shape, ...]) -> Item:
        """Return shapes that are as large as the whole grid, where a cell is 10 wide."""
        return Item(self.x, self.y, self.unit / 10, shapes)

    def labels(self) -> list[Item]:
        """Return the labels of columns and rows, every fifth of many, and the grid's name."""
        columns = self.grid.columns
        rows = self.grid.rows
        size = min(11.0, max(6.0, self.unit * 0.26))
        items = []

        line = self.y + self.unit * len(rows) + size + 3
        for x in columns:
            if x % _label_step(columns) != 0:
                continue
            columns_to_middle = x - columns[0] + 0.5
            middle = self.x + self.unit * columns_to_middle
            label = canvas.text(
                str(x),
                middle,
                line,
                size,
                SOFT,
                text_anchor="middle",
            )
            items.append(label)

        for y in rows:
            if y % _label_step(rows) != 0:
                continue
            _, middle = self.middle((columns[0], y))
            line = middle + size * 0.35
            label = canvas.text(
                str(y),
                self.x - 5,
                line,
                size,
                SOFT,
                text_anchor="end",
            )
            items.append(label)

        if self.grid.name:
            middle = self.x + self.unit * len(columns) / 2
            label = canvas.text(
                clean(self.grid.name),
                middle,
                self.y - 6,
                11,
                SOFT,
                text_anchor="middle",
            )
            items.append(label)
        return items

    def squares(self, cells: Iterable[Cell]) -> str:
        """Return cells as a path, where a cell is 10 wide."""
        squares = []
        for column, row in sorted(cells):
            west = 10 * (column - self.grid.columns[0])
            north = 10 * (self.grid.rows[-1] - row)
            east = west + 10
            south = north + 10
            squares.append(f"M {west} {north} L {east} {north} L {east} {south} L {west} {south} Z")
        return " ".join(squares)


def _label_step(numbers: range) -> int:
    """Return 5 where a label of each of these numbers would be too many."""
    if len(numbers) > 15:
        return 5
    return 1


def _stroke(
    path: str,
    colour: str,
    width: float,
    **more: float,
) -> tuple[Shape, ...]:
    """Return a path as a line."""
    attributes: dict[str, str | float] = {
        "d": path,
        "fill": "none",
        "stroke": colour,
        "stroke-width": width,
        **more,
    }
    return canvas.shapes([("path", attributes)])
