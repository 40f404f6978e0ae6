"""A match as one frame of a terminal: the board to the left, who and what to the right, two lines of ours below.

Values in, lines out: it reads no key and asks no terminal. Everything that a bot may have written is made harmless
before it stands in a line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.cli import screen
from arena.cli.live.fitting import cut, width, wrapped
from arena.drawing.lattice import rows
from arena.drawing.paint import paint, style
from arena.drawing.scene import EXIT, PELLET, Grid, read_grid, read_scene
from arena.drawing.scene import Scene as Drawn
from arena.game import Game, Role
from arena.match import Match, Record
from arena.scenes import Scene

BOLD, DIM, TURNED, ALARM = "1", "2", "7", "1;31"
GAP = 3
"""Columns between board and panel."""
PANEL = 30
"""Columns that a panel takes at least; where there are fewer it stands below the board."""


@dataclass
class Story:
    """A match as far as it was told."""

    game: Game[Any]
    match: Match
    names: Mapping[Role, str]
    colour: bool
    scenes: list[Scene] = field(default_factory=list)
    record: Record | None = None
    """Once it is over."""
    movers: tuple[Role, ...] = ()
    """Who is to move now, while it is played."""

    @property
    def last(self) -> int:
        """The place of the last scene that is known."""
        return len(self.scenes) - 1


def frame(
    story: Story, place: int, size: tuple[int, int], below: tuple[str, str], aside: tuple[str, ...] = ()
) -> list[str]:
    """The scene at a place, as lines that fit into so many columns and rows.

    `below` are the two last lines; `aside` stands in the panel in place of the moves so far.
    """
    columns, height = size
    room = height - 3  # but for the title and the lines below
    scene = story.scenes[place]
    grid = _grid(story)
    drawn = _board(story, scene, grid)
    wide = max(map(width, drawn), default=0)
    beside = columns - wide - GAP >= PANEL
    panel_size = (columns - wide - GAP, room) if beside else (columns, max(0, room - len(drawn) - 1))
    panel = _panel(story, place, grid, panel_size, aside)
    if beside:
        body = [f"{left}{' ' * (wide - width(left) + GAP)}{right}" for left, right in _side_by_side(drawn, panel, room)]
    else:
        body = [*drawn, "", *panel]
    if len(drawn) > room or wide > columns:
        body = [
            *body[: room - 1],
            paint(f"the terminal is too small for this board: {wide} x {len(drawn) + 3}", ALARM, story.colour),
        ]
    body = [*body[:room], *[""] * (room - len(body))]
    return [cut(line, columns) for line in (_title(story), *body, *below)]


def panel_columns(story: Story, columns: int) -> int:
    """How wide the panel is on a terminal of so many columns."""
    wide = max(map(width, _board(story, story.scenes[-1], _grid(story))), default=0)
    return columns - wide - GAP if columns - wide - GAP >= PANEL else columns


def _title(story: Story) -> str:
    match = story.match
    return paint(f"{screen.shown(match.label)}   match {match.id}   seed {match.seed}", BOLD, story.colour)


def _grid(story: Story) -> Grid | None:
    grid = read_grid(story.game.board())
    return grid if grid is not None and grid.fits else None


def _board(story: Story, scene: Scene, grid: Grid | None) -> list[str]:
    """The board, drawn; where there is no grid its facts and the state's."""
    if grid is None:
        facts = (*story.game.board(), "", *scene.facts)
        return [f"  {screen.shown(fact, 46)}" for fact in facts]
    return [line.rstrip() for line in rows(grid, read_scene(grid, scene.facts), story.colour)]


def _side_by_side(left: list[str], right: list[str], rows_wanted: int) -> Iterator[tuple[str, str]]:
    for number in range(min(rows_wanted, max(len(left), len(right)))):
        yield left[number] if number < len(left) else "", right[number] if number < len(right) else ""


def _panel(story: Story, place: int, grid: Grid | None, size: tuple[int, int], aside: tuple[str, ...]) -> list[str]:
    """Who plays, what the signs mean, what the state says besides; then the moves so far, the newest last."""
    columns, height = size
    scene = story.scenes[place]
    top = [*_seats(story, scene, grid, columns), ""]
    end = _verdict(story, columns) if story.record and place == story.last else []
    left = height - len(top) - len(end) - bool(end)
    if aside:
        room = max(0, height - len(top))
        return [*top, *(aside if len(aside) <= room else (*aside[: room - 1], "... and more"))]
    log: list[str] = []
    for number in range(place, 0, -1):
        lines = list(_turn(story, story.scenes[number], columns, now=number == place))
        if len(log) + len(lines) > left:
            break
        log = [*lines, *log]
    return [*top, *log, *([""] if end else []), *end]


def _seats(story: Story, scene: Scene, grid: Grid | None, columns: int) -> Iterator[str]:
    drawn = read_scene(grid, scene.facts) if grid else None
    longest = max(map(len, story.game.roles))
    scores = story.record.verdict.scores if story.record and scene is story.scenes[-1] else {}
    for role in story.game.roles:
        sign = drawn.letters.get(role, " ") if drawn else ""
        sign = f"{paint(sign, style(drawn, sign), story.colour)} " if drawn else ""
        score = f"  {scores[role]}" if role in scores else ""
        yield cut(
            f"{sign}{role:{longest}}  {screen.shown(story.names[role])}{paint(score, BOLD, story.colour)}", columns
        )
    if drawn and grid:
        yield from _legend(drawn, grid, story.colour, columns)
    for fact in drawn.others if drawn else ():
        yield cut(f"  {screen.shown(fact)}", columns)


def _legend(drawn: Drawn, grid: Grid, colour: bool, columns: int) -> Iterator[str]:
    signs = [(EXIT, "exit")] * bool(grid.exits)
    signs += [(PELLET, f"{len(drawn.pellets)} pellet{'' if len(drawn.pellets) == 1 else 's'}")] * bool(drawn.pellets)
    if signs:
        yield cut("   ".join(f"{paint(sign, style(drawn, sign), colour)} {words}" for sign, words in signs), columns)


def _turn(story: Story, scene: Scene, columns: int, *, now: bool) -> Iterator[str]:
    """A turn's moves; of the one that is shown, what was remarkable about them too."""
    longest = max(map(len, story.game.roles))
    for place, turn in enumerate(scene.turns):
        by = "" if turn.by == "bot" else f" ({turn.by})"
        text = f"{scene.number:>3} {turn.role:{longest}} {screen.shown(scene.move(place))}{by}"
        for line in wrapped(text, columns, 6):
            yield paint(line, BOLD, story.colour and now)
        if now and turn.said is not None:
            yield cut(paint(f'      instead of "{screen.shown(turn.said)}"', DIM, story.colour), columns)
        for remark in turn.remarks[:3] if now else ():
            yield cut(paint(f"    # {screen.shown(remark)}", DIM, story.colour), columns)


def _verdict(story: Story, columns: int) -> list[str]:
    """How it ended, and whose fault that was."""
    if story.record is None:
        return []
    verdict, number = story.record.verdict, story.scenes[-1].number
    told = [f"{screen.shown(verdict.reason)} after {number} turn{'' if number == 1 else 's'}"]
    lines = [paint(line, BOLD, story.colour) for line in told]
    for fault in verdict.faults:
        words = f"{fault.role}: {fault.ending}: {screen.shown(fault.words, 300)}"
        lines += [paint(line, ALARM, story.colour) for line in wrapped(words, columns, 2)]
    return lines
