"""What of an event decides its plan, as one text: when it changes, the event is planned anew."""

from dataclasses import fields
from typing import Any

from arena.event import schedules
from arena.identity import digest_of, plain
from arena.values import Event, Seat, identity_of

IRRELEVANT = ("name", "tie_breaks", "stop_after")
"""Fields of an event that change nothing in its plan."""


def plan_key(event: Event) -> str:
    """Return a text that changes whenever the plan of the event may change."""
    values: dict[str, Any] = {}
    for field in fields(event):
        if field.name not in IRRELEVANT:
            values[field.name] = getattr(event, field.name)
    boards: list[tuple[object, ...]] = []
    for board in event.boards:
        identity = (board.label, board.digest, board.roles, board.sides)
        boards.append(identity + board.sampled)
    values["boards"] = boards

    bots: list[tuple[object, ...]] = []
    for bot in event.bots:
        seat = Seat("", bot)
        bots.append((*identity_of(seat), bot.games, bot.roles))
    values["bots"] = bots

    values["conditions"] = plain(event.conditions)
    values["openings"] = (event.openings.plies, event.openings.listed)
    if event.stop_when is None:
        del values["rating"]
        del values["confidence"]
    if event.stop_when is None or event.has_prior:
        del values["prior"]  # it is newer than stored plans
    code = schedules.code_digest(event.schedule)
    return digest_of(values, code)
