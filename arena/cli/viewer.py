"""Looking at a match by keys: forward, back, play and pause, faster, slower, to any turn.

`Reel` is what the keys do, and knows no terminal; `Viewer` is the loop that draws and listens.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.cli.stage import DIM, Story, cut, frame, width
from arena.drawing.paint import paint

if TYPE_CHECKING:
    from arena.cli.terminal import Terminal

PACES = (2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
"""Seconds a turn."""
FAR = 10
"""Turns of a page."""
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


@dataclass
class Reel:
    """Where one is in a match, and where the keys lead."""

    last: int = 0
    """The last turn that is known."""
    over: bool = True
    """Whether no more will come."""
    place: int = 0
    playing: bool = False
    pace: int = 3
    """Of PACES."""
    number: str = ""
    """The digits typed so far of a turn to go to."""
    wanted: bool = False
    """Whether the turn after the last that is known is asked for."""
    left: bool = False

    def press(self, key: str) -> None:
        """What a key does; one that is not known does nothing."""
        if key.isascii() and key.isdecimal():
            self.number += key
            return
        number, self.number = self.number, ""
        if key in {"enter", "g"} and number:
            self.go(int(number))
        elif key in {"right", "enter", "l", "n"}:
            self.playing = False
            self.forward()
        elif key in {"left", "backspace", "h", "p"}:
            self.go(self.place - 1)
        elif key == "space":
            self.playing = not self.playing
            if self.playing and self.over and self.place == self.last:
                self.place = 0
        elif key in {"+", "=", "up", "-", "down"}:
            step = -1 if key in {"-", "down"} else 1
            self.pace = min(len(PACES) - 1, max(0, self.pace + step))
        elif key in {"home", "end", "G", "page up", "page down"}:
            ways = {"home": 0, "page up": self.place - FAR, "page down": self.place + FAR}
            self.go(ways.get(key, self.last))
        elif key in {"q", "ctrl-d"} or (key == "escape" and not number):
            self.left = True

    def go(self, place: int) -> None:
        """To a turn, or to the nearest that is known; there it stands still."""
        self.place, self.playing = max(0, min(self.last, place)), False

    def forward(self) -> None:
        """One turn on."""
        if self.place < self.last:
            self.place += 1
        elif self.over:
            self.playing = False
        else:
            self.wanted = True


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
        below = (_bar(self.reel, size[0], colour=self._story.colour), _keys(size[0], colour=self._story.colour))
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


def _bar(reel: Reel, columns: int, *, colour: bool) -> str:
    """How far it is, drawn, and whether it moves."""
    words = f" turn {reel.place} of {reel.last} " if reel.over else f" turn {reel.place}, live "
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
        if sum(width(f" {key} {does}  ") for key, does in (*kept, one, last)) <= columns:
            kept.append(one)
    return cut("".join(_key(*one, colour=colour) for one in (*kept, last)), columns)


def _key(key: str, does: str, *, colour: bool) -> str:
    return f" {paint(key, '1', colour)} {paint(does, DIM, colour)} "
