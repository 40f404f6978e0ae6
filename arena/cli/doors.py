"""The door through which the bots of one match start, when somebody wants to know who is who."""

from typing import Any

from arena.cli import screen
from arena.sandbox.door import Door


class TellingDoor(Door):
    """A door that can tell a debugger the process number of each bot that it starts."""

    def __init__(self, *, told: bool) -> None:
        super().__init__()
        self._told = told

    def start(self, *words: Any, **named: Any) -> Any:
        """Start a bot, and say its process number where that is wanted."""
        child = super().start(*words, **named)
        if self._told:
            screen.notice(f"{screen.shown(words[0].name)}: process {child.pid}")
        return child
