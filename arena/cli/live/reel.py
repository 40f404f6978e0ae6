"""Where one is in a match that is looked at, and where each key leads. It knows no terminal and reads no clock."""

from dataclasses import dataclass

PACES = (2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
"""Seconds a turn."""
FAR = 10
"""Turns of a page."""


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
