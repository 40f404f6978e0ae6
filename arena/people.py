"""One match in which people hold some of the seats and bots the others.

It decides nothing: the referee does, and whoever chooses for a person is handed in. A person has no clock and says
nothing that is not legal. What a person may see is cut by `view`, as for a bot.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from arena import rulebook
from arena.bot import LiveBot
from arena.converse import converse, part
from arena.game import Move, Role
from arena.match import Bot, Match, Record, SeatReport
from arena.protocol import Ask, Heard
from arena.referee import Referee
from arena.sandbox.door import Door

Choose = Callable[[Referee, Role], Move]
"""Asks a person for one of the legal moves of a role; takes as long as it takes."""
Watch = Callable[[Referee], None]
"""Called after every turn."""
PERSON = Bot(name="you", command=(), digest="")
"""Who stands in a seat that a person holds."""


def play(match: Match, choose: Choose, watch: Watch) -> Record:
    """Play a match to its verdict; `choose` is asked for every seat that PERSON holds."""
    started, begun = datetime.now(UTC), time.monotonic()
    referee = Referee(rulebook.game_of(match), match)
    with ExitStack() as leaving:
        door = leaving.enter_context(Door())
        bots = _live(match, door, leaving)
        while asks := referee.asks():
            for role, words in referee.hear(_answers(asks, bots, referee, choose)).items():
                part([bots[role]], words)
            watch(referee)
        out = {fault.role for fault in referee.verdict.faults} if referee.verdict else set()
        part([bot for role, bot in bots.items() if role not in out], referee.farewell())
    return referee.record(
        tuple(
            bots[seat.role].report() if seat.role in bots else SeatReport(role=seat.role, bot=PERSON.name, digest="")
            for seat in match.seats
        ),
        started.isoformat(timespec="milliseconds"),
        time.monotonic() - begun,
    )


def _live(match: Match, door: Door, leaving: ExitStack) -> dict[Role, LiveBot]:
    """A live bot in each seat that no person holds; `leaving` ends them."""
    bots: dict[Role, LiveBot] = {}
    leaving.callback(door.sweep)
    for seat in match.seats:
        if seat.bot != PERSON:
            bots[seat.role] = LiveBot(door, seat.role, seat.bot, match.conditions, Path(match.rules))
            leaving.callback(bots[seat.role].end)
    return bots


def _answers(
    asks: Mapping[Role, Ask], bots: Mapping[Role, LiveBot], referee: Referee, choose: Choose
) -> dict[Role, Heard]:
    """Everybody's answers to one turn. People first, so that no bot is awake while they think."""
    heard = {
        role: Heard(line=b"ready" if ask.ready else choose(referee, role).encode())
        for role, ask in asks.items()
        if role not in bots
    }
    theirs = {role: ask for role, ask in asks.items() if role in bots}
    return heard | (converse(bots, theirs) if theirs else {})
