"""Looking at a match on a terminal: the loop that draws it and listens to keys. What they do is reel.py's."""

import time
from typing import TYPE_CHECKING

from arena.cli.live.fitting import cut, width
from arena.cli.live.reel import PACES, Reel
from arena.cli.live.stage import DIM, Story, frame
from arena.drawing.paint import paint
from arena.game import Role

if TYPE_CHECKING:
    from arena.cli.live.terminal import Terminal

KEYS = (
    ("→", "forward"),
    ("←", "back"),
    ("space", "play/pause"),
    ("+ -", "speed"),
    ("12 Enter", "to turn 12"),
    ("Home End", "first, last"),
    ("q", "leave"),
)
"""What is told of the keys, in the order in which the line of them is cut."""


class LeftEarlyError(Exception):
    """Whoever looked on, or played, left before the match was over."""


class Viewer:
    """Draws a story on a terminal and does what the keys say."""

    def __init__(self, terminal: "Terminal", story: Story, reel: Reel) -> None:
        self._terminal, self._story, self.reel = terminal, story, reel
        self._moved = time.monotonic()

    def follow(self) -> None:
        """More of the story is known: go on to its newest turn, where one already stood at its end."""
        reel, at_the_end = self.reel, self.reel.place == self.reel.last
        reel.last, reel.over = self._story.last, self._story.record is not None
        if at_the_end and (reel.wanted or reel.playing):
            reel.place = min(reel.place + 1, reel.last)
        reel.wanted = False
        self._moved = time.monotonic()
        self.draw()

    def until_wanted(self) -> None:
        """Until the next turn, which is not known yet, is asked for."""
        while not self.reel.wanted:
            self._once()

    def until_left(self) -> None:
        """Until whoever looks on has seen enough."""
        while True:
            try:
                self._once()
            except LeftEarlyError:
                return

    def to_the_end(self, *, stay: bool) -> None:
        """What is left of a match that is over; then stay, when that is wanted or somebody has paused."""
        while self.reel.playing:
            self._once()
        if stay or self.reel.place < self.reel.last:
            self.until_left()

    def draw(self) -> None:
        """Show where we are."""
        size = self._terminal.size
        below = (
            _bar(self.reel, self._story.movers, size[0], colour=self._story.colour),
            _keys(size[0], colour=self._story.colour),
        )
        self._terminal.draw(frame(self._story, self.reel.place, size, below))

    def _once(self) -> None:
        """One frame, and what happens next: a key, or the time for the next turn."""
        self.draw()
        due = self._moved + PACES[self.reel.pace]
        key = self._terminal.key(due - time.monotonic() if self.reel.playing else None)
        if key is not None:
            self.reel.press(key)
            self._moved = time.monotonic()
        elif self.reel.playing and time.monotonic() >= due:
            self.reel.forward()
            self._moved = time.monotonic()
        if self.reel.left:
            raise LeftEarlyError


def _bar(reel: Reel, movers: tuple[Role, ...], columns: int, *, colour: bool) -> str:
    """How far it is, drawn, and whether it moves; of a match that goes on, whose turn it is."""
    words = (
        f" turn {reel.place} of {reel.last} "
        if reel.over
        else f" turn {reel.place}, live, {' and '.join(movers)} to move "
    )
    if reel.number:
        words = f" to turn {reel.number}, Enter "
    state = f" {'playing' if reel.playing else 'paused'}, {1 / PACES[reel.pace]:.2g} turns a second"
    room = max(4, columns - width(words) - width(state) - 1)
    done = round(room * reel.place / max(1, reel.last))
    return f"{words}{paint('━' * done, '32', colour)}{paint('─' * (room - done), DIM, colour)}{state}"


def _keys(columns: int, *, colour: bool) -> str:
    """The keys, as many as there is room for; how to leave is always among them."""
    return key_line(KEYS, columns, colour=colour)


def key_line(keys: tuple[tuple[str, str], ...], columns: int, *, colour: bool) -> str:
    """Keys with what they do, the last always shown, others as long as there is room."""
    *others, last = keys
    kept: list[tuple[str, str]] = []
    for one in others:
        if sum(width(f" {key} {does} ") for key, does in (*kept, one, last)) <= columns:
            kept.append(one)
    return cut("".join(_key(*one, colour=colour) for one in (*kept, last)), columns)


def _key(key: str, does: str, *, colour: bool) -> str:
    return f" {paint(key, '1', colour)} {paint(does, DIM, colour)} "
