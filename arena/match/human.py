"""A human's seat. It has no process and no clock, and its moves are legal, because the screen offers no others.

The screen shows a human only what `view` shows a bot in that role.
"""

from collections.abc import Callable

from arena.game import Move, Role
from arena.match.referee import Referee
from arena.protocol import Ask, Reply
from arena.values import Bot

Choose = Callable[[Referee, Role], Move]
"""Asks a human for one of the legal moves of a role, for as long as it takes."""
HUMAN = Bot(name="you", command=(), digest="")
"""The bot that stands in a match for a human."""


def reply(choose: Choose, referee: Referee, role: Role, ask: Ask) -> Reply:
    """Return a human's reply: `ready` at once, or the move that is chosen."""
    return Reply(line=b"ready" if ask.ready else choose(referee, role).encode())
