"""A match on a terminal: the playback that keys control, and the loop that draws it."""

import time
from contextlib import suppress
from dataclasses import dataclass

from arena.cli.live.layout import BOLD, DIM, Story, frame, width
from arena.cli.live.terminal import Terminal
from arena.replay.drawing.paint import paint

KEYS = (
    ("→", "forward"),
    ("←", "back"),
    ("space", "play/pause"),
    ("+ -", "speed"),
    ("12 Enter", "to turn 12"),
    ("Home End", "first, last"),
    ("q", "leave"),
)
"""The keys that the last line explains; a narrow line has the first of them, and the last."""
SPEEDS_S = (2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
"""Seconds a turn."""
PAGE_TURNS = 10


class LeftEarlyError(Exception):
    """The user left before the match was over."""


@dataclass
class Playback:
    """The shown turn of a match, and the effect of each key on it.

    It knows no terminal and reads no clock.
    """

    last: int = 0
    """The last known turn."""
    over: bool = True
    """True if no more turns will come."""
    turn: int = 0
    """The shown turn."""
    playing: bool = False
    speed: int = 3
    """Index of SPEEDS_S."""
    number: str = ""
    """The digits typed so far of a turn to go to."""
    next_requested: bool = False
    """True if the user asks for the turn after the last known one."""
    left: bool = False

    def press(self, key: str) -> None:
        """Apply a key; an unknown key does nothing."""
        if key.isascii() and key.isdecimal():
            self.number += key
            return
        number = self.number
        self.number = ""
        if key in {"enter", "g"} and number:
            self.go_to(int(number))
        elif key in {"right", "enter", "l", "n"}:
            self.playing = False
            self.forward()
        elif key in {"left", "backspace", "h", "p"}:
            self.go_to(self.turn - 1)
        elif key == "space":
            self.playing = not self.playing
            if self.playing and self.over and self.turn == self.last:
                self.turn = 0
        elif key in {"+", "=", "up", "-", "down"}:
            step = 1
            if key in {"-", "down"}:
                step = -1
            fastest = len(SPEEDS_S) - 1
            self.speed = min(fastest, max(0, self.speed + step))
        elif key in {"home", "end", "G", "page up", "page down"}:
            targets = {
                "home": 0,
                "page up": self.turn - PAGE_TURNS,
                "page down": self.turn + PAGE_TURNS,
            }
            self.go_to(targets.get(key, self.last))
        elif key in {"q", "ctrl-d"} or (key == "escape" and not number):
            self.left = True

    def go_to(self, turn: int) -> None:
        """Show a turn, or the nearest known one, and pause there."""
        self.turn = max(0, min(self.last, turn))
        self.playing = False

    def forward(self) -> None:
        """Show the next turn, or ask for it if it is not yet known."""
        if self.turn < self.last:
            self.turn += 1
        elif self.over:
            self.playing = False
        else:
            self.next_requested = True


class Viewer:
    """Draws a story on a terminal and passes its keys to the playback."""

    def __init__(
        self,
        terminal: Terminal,
        story: Story,
        playback: Playback,
    ) -> None:
        self._terminal = terminal
        self._story = story
        self._playback = playback
        self._moved = time.monotonic()

    def follow(self) -> None:
        """Learn that the story has more scenes; show the newest if the user asked for it."""
        playback = self._playback
        at_end = playback.turn == playback.last
        playback.last = self._story.last
        playback.over = self._story.record is not None
        if at_end and (playback.next_requested or playback.playing):
            playback.turn = min(playback.turn + 1, playback.last)
        playback.next_requested = False
        self._moved = time.monotonic()

    def run_until_next_turn(self) -> None:
        """Run until the user, or the playback, asks for the turn that is not yet known."""
        while not self._playback.next_requested:
            self._step()

    def run_until_left(self) -> None:
        """Run until the user leaves."""
        with suppress(LeftEarlyError):
            while True:
                self._step()

    def draw(self) -> None:
        """Draw the shown turn, and below it a bar with the speed.

        The bar of a live match names the roles that are to move.
        """
        playback = self._playback
        colour = self._story.colour
        size = self._terminal.size
        text = f" turn {playback.turn} of {playback.last} "
        if playback.number:
            text = f" to turn {playback.number}, Enter "
        elif not playback.over:
            text = f" turn {playback.turn}, live, {' and '.join(self._story.movers)} to move "

        verb = "paused"
        if playback.playing:
            verb = "playing"
        speed = 1 / SPEEDS_S[playback.speed]
        state = f" {verb}, {speed:.2g} turns a second"

        columns = max(4, size[0] - width(text) - width(state) - 1)
        done = round(columns * playback.turn / max(1, playback.last))
        done_part = paint("━" * done, "32", colour)
        open_part = paint("─" * (columns - done), DIM, colour)
        bar = f"{text}{done_part}{open_part}{state}"

        keys = key_line(KEYS, size[0], colour=colour)
        below = (bar, keys)
        lines = frame(self._story, playback.turn, size, below)
        self._terminal.draw(lines)

    def _step(self) -> None:
        """Draw a frame, and wait for a key or for the time of the next turn."""
        self.draw()
        playback = self._playback
        due = self._moved + SPEEDS_S[playback.speed]
        seconds = None
        if playback.playing:
            seconds = due - time.monotonic()
        key = self._terminal.key(seconds)
        if key is not None:
            playback.press(key)
            self._moved = time.monotonic()
        elif playback.playing and time.monotonic() >= due:
            playback.forward()
            self._moved = time.monotonic()
        if playback.left:
            raise LeftEarlyError


def key_line(
    keys: tuple[tuple[str, str], ...],
    columns: int,
    *,
    colour: bool,
) -> str:
    """Return a line that explains as many keys as fit, and always the last."""
    chosen: list[tuple[str, str]] = []
    used = _key_width(keys[-1])
    for pair in keys[:-1]:
        pair_width = _key_width(pair)
        if used + pair_width <= columns:
            chosen.append(pair)
            used += pair_width
    chosen.append(keys[-1])

    line = ""
    for key, effect in chosen:
        painted_key = paint(key, BOLD, colour)
        painted_effect = paint(effect, DIM, colour)
        line += f" {painted_key} {painted_effect} "
    return line


def _key_width(pair: tuple[str, str]) -> int:
    key, effect = pair
    return width(f" {key} {effect} ")
