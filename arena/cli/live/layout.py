"""A match as one frame of a terminal: board, panel of players and moves, two lines below.

Values in, lines out: it reads no key and asks no terminal. Text that a bot may have written is made
harmless before it stands in a line.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from arena.cli import output
from arena.game import Game, Role
from arena.replay.drawing import picture, plain, readable
from arena.replay.drawing.paint import paint
from arena.replay.drawing.signs import BoardSigns
from arena.replay.replayer import Scene
from arena.values import Match, ModelCall, Record, Turn

BOLD = "1"
DIM = "2"
REVERSED = "7"
ALARM = "1;31"
GAP_COLUMNS = 3
"""The columns between board and panel."""
PANEL_COLUMNS = 30
"""The least columns of the panel; on a narrower terminal it stands below the board."""
SAID_LETTERS = 300
"""The letters of a language model's answer; `arena replay` in a pipe has all of it, and the
question."""
SGR = re.compile(r"(\x1b\[[0-9;]*m)")


def width(text: str) -> int:
    """Return how many columns a text takes; its colours take none."""
    from rich.cells import cell_len

    return cell_len(SGR.sub("", text))


def cut(text: str, columns: int) -> str:
    """Return as much of a text as fits into a number of columns; its colours are kept, and ended.

    rich's `Text.from_ansi` and `truncate` do the same, but then need a console that writes the
    colours again.
    """
    if width(text) <= columns:
        return text
    from rich.cells import set_cell_size

    result = ""
    free = max(0, columns - 1)
    for part in SGR.split(text):
        if SGR.fullmatch(part):
            result += part
            continue
        part_width = width(part)
        if part_width <= free:
            result += part
        else:
            result += set_cell_size(part, free)
        free = max(0, free - part_width)
    if SGR.search(result):
        return f"{result}…\x1b[0m"
    return f"{result}…"


@dataclass
class Story:
    """A match as far as it is known."""

    game: Game[Any]
    match: Match
    names: Mapping[Role, str]
    colour: bool
    scenes: list[Scene] = field(default_factory=list)
    record: Record | None = None
    """None until the match is over."""
    movers: tuple[Role, ...] = ()
    """The roles that are to move now, while the match is played."""

    @property
    def last(self) -> int:
        """The index of the last known scene."""
        return len(self.scenes) - 1


def frame(
    story: Story,
    index: int,
    size: tuple[int, int],
    below: tuple[str, str],
    aside: tuple[str, ...] = (),
) -> list[str]:
    """Return a scene as lines that fit into this number of columns and rows.

    `below` are the two last lines; `aside` stands in the panel in place of the moves so far.
    """
    columns, height = size
    rows_left = height - 3  # without the title and the lines below
    match = story.match
    board, state = _board(story, story.scenes[index])
    board_width = _widest(board)
    beside = columns - board_width - GAP_COLUMNS

    body: list[str] = []
    if beside >= PANEL_COLUMNS:
        panel = _panel(story, index, state, (beside, rows_left), aside)
        for board_line, panel_line in zip_longest(board, panel, fillvalue=""):
            gap = " " * (board_width - width(board_line) + GAP_COLUMNS)
            body.append(f"{board_line}{gap}{panel_line}")
    else:
        rows_below = max(0, rows_left - len(board) - 1)
        body += board
        body.append("")
        body += _panel(story, index, state, (columns, rows_below), aside)

    if len(board) > rows_left or board_width > columns:
        needed = f"the terminal is too small for this board: {board_width} x {len(board) + 3}"
        body[rows_left - 1 :] = [paint(needed, ALARM)]
    empty_lines = rows_left - len(body)
    body = body[:rows_left] + [""] * empty_lines

    title = f"{output.safe_line(match.label)}   match {match.id}   seed {match.seed}"
    lines = [paint(title, BOLD)]
    lines += body
    lines += below
    lines = [cut(line, columns) for line in lines]
    if not story.colour:
        lines = [plain(line) for line in lines]
    return lines


def panel_columns(story: Story, columns: int) -> int:
    """Return the width of the panel on a terminal of this width."""
    board, _ = _board(story, story.scenes[-1])
    beside = columns - _widest(board) - GAP_COLUMNS
    if beside < PANEL_COLUMNS:
        return columns
    return beside


def _widest(lines: list[str]) -> int:
    return max((width(line) for line in lines), default=0)


def _board(story: Story, scene: Scene) -> tuple[list[str], BoardSigns | None]:
    """Return the drawn board and its state; the facts alone if there is nothing to draw."""
    game = story.game
    grids, state = readable(game, scene.facts)
    if grids or state.scene.rows:
        drawn = picture(grids, state)
        return [line.rstrip() for line in drawn], state

    facts = list(game.board())
    facts.append("")
    facts += scene.facts
    return [f"  {output.safe_line(fact, 46)}" for fact in facts], None


def _panel(
    story: Story,
    index: int,
    state: BoardSigns | None,
    size: tuple[int, int],
    aside: tuple[str, ...],
) -> list[str]:
    """Return the players, signs and other facts; then the moves so far, the newest last."""
    columns, height = size
    top = list(_seats(story, story.scenes[index], state))
    top.append("")
    if aside:
        rows_left = max(0, height - len(top))
        if len(aside) > rows_left:
            aside = (*aside[: rows_left - 1], "... and more")
        return top + list(aside)

    end: list[str] = []
    if story.record and index == story.last:
        verdict = story.record.verdict
        turns = output.counted(story.scenes[-1].number, "turn")
        sentence = f"{output.safe_line(verdict.reason)} after {turns}"
        end = ["", paint(sentence, BOLD)]
        for fault in verdict.faults:
            text = f"{fault.role}: {fault.ending}: {output.safe_line(fault.words, 300)}"
            for line in _wrapped(text, columns, 2):
                end.append(paint(line, ALARM))

    rows_left = height - len(top) - len(end)
    log: list[str] = []
    for number in range(index, 0, -1):
        is_current = number == index
        moves = _moves(story, story.scenes[number], columns, current=is_current)
        lines = list(moves)
        if len(log) + len(lines) > rows_left:
            break
        log = lines + log
    return top + log + end


def _seats(
    story: Story,
    scene: Scene,
    state: BoardSigns | None,
) -> Iterator[str]:
    longest = max(len(role) for role in story.game.roles)
    is_over = story.record is not None and scene is story.scenes[-1]
    scores: Mapping[Role, int] = {}
    if story.record is not None and is_over:
        scores = story.record.verdict.scores

    for role in story.game.roles:
        sign = ""
        if state and state.symbols:
            letter = state.letters.get(role, " ")
            style = state.styles.get(letter, "")
            sign = f"{paint(letter, style)} "
        score = ""
        if role in scores:
            score = f"  {scores[role]}"
        name = output.safe_line(story.names[role])
        yield f"{sign}{role:{longest}}  {name}{paint(score, BOLD)}"

    if state is None:
        return
    if state.meanings:
        meanings: list[str] = []
        for sign, text in state.meanings:
            style = state.styles.get(sign, "")
            styled = paint(sign, style)
            meanings.append(f"{styled} {output.safe_line(text)}")
        yield "   ".join(meanings)
    for fact in state.scene.other_facts:
        yield f"  {output.safe_line(fact)}"


def _moves(
    story: Story,
    scene: Scene,
    columns: int,
    *,
    current: bool,
) -> Iterator[str]:
    """Yield a turn's moves; of the current turn the refused text and the remarks too."""
    longest = max(len(role) for role in story.game.roles)
    for index, turn in enumerate(scene.turns):
        move = output.safe_line(scene.move(index))
        text = f"{scene.number:>3} {turn.role:{longest}} {move}"
        if turn.by != "bot":
            text += f" ({turn.by})"
        quality = ""
        if scene.qualities:
            quality = str(scene.qualities[index])
        if quality:
            text += f", {quality}"
        for line in _wrapped(text, columns, 6):
            yield paint(line, BOLD, story.colour and current)
        if current:
            yield from _asides(story, turn, columns)


def _asides(story: Story, turn: Turn, columns: int) -> Iterator[str]:
    """Yield the model's answers, the refused text and the first remarks of a move."""
    calls: tuple[ModelCall, ...] = ()
    if story.record:
        calls = story.record.calls
    for call in calls:
        if call.turn != turn.number or call.role != turn.role:
            continue
        tokens = f"{call.answer.tokens_in} + {call.answer.tokens_out} tokens"
        answer = output.safe_line(call.answer.text, SAID_LETTERS)
        for line in _wrapped(f"    model, {tokens}: {answer}", columns, 6):
            yield paint(line, DIM)

    if turn.rejected_text is not None:
        rejected = output.safe_line(turn.rejected_text)
        yield paint(f'      instead of "{rejected}"', DIM)

    for remark in turn.remarks[:3]:
        yield paint(f"    # {output.safe_line(remark)}", DIM)


def _wrapped(text: str, columns: int, indent: int) -> list[str]:
    width = max(10, columns)
    lines = textwrap.wrap(text, width, subsequent_indent=" " * indent)
    return lines or [""]
