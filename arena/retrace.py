"""A recorded match, played again by the referee: what each seat was asked, and whether the record is what it says.

Pure. The referee is a state machine without clock and chance of its own, so the moves of a record give every line of
its dialogue again, every state and the verdict. It starts no bot and reads no file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from arena.clock import Spent
from arena.game import Game, Role
from arena.match import Fault, Record, Turn, Verdict
from arena.protocol import Ask, Heard, dismissal
from arena.referee import Referee

COMPARED = ("number", "role", "move", "by", "said", "digest")
"""What of a turn the rules and the seed decide; the rest are clock readings and remarks."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One question and what came back."""

    role: Role
    turn: int
    """0 = before the first turn."""
    ask: Ask
    answer: str = ""
    """What it said; with a fault, nothing."""
    played: Turn | None = None
    """The recorded turn; None for `ready`, and for a fault."""
    fault: Fault | None = None


@dataclass(frozen=True, kw_only=True)
class Retraced:
    """A record as the referee sees it now."""

    exchanges: tuple[Exchange, ...]
    """In the order in which they were asked."""
    turns: tuple[Turn, ...]
    verdict: Verdict | None
    """None when the record breaks off."""
    sides: tuple[tuple[Role, ...], ...]
    farewell: bytes
    """The last words to every seat that was in to the end."""

    def of(self, role: Role) -> tuple[Exchange, ...]:
        """The dialogue of one seat."""
        return tuple(one for one in self.exchanges if one.role == role)

    def last_words(self, role: Role) -> bytes:
        """What the seat was told at its end."""
        fault = next((one.fault for one in self.of(role) if one.fault), None)
        return dismissal(fault) if fault else self.farewell if self.of(role) else b""


def retrace(game: Game[Any], record: Record) -> Retraced:
    """Play the recorded answers again; it breaks off where the record has none, or has one that ends the match."""
    faults = {(fault.turn, fault.role): fault for fault in record.verdict.faults}
    never_ran = {seat.role for seat in record.seats if seat.ready is None and not seat.exit}
    absent = {role: fault for (turn, role), fault in faults.items() if turn == 0 and role in never_ran}
    turns = {(turn.number, turn.role): turn for turn in record.turns}
    referee = Referee(game, record.match, absent)
    exchanges: list[Exchange] = []
    while asks := referee.asks():
        asked = [_exchange(role, ask, turns, faults) for role, ask in asks.items()]
        if None in asked:
            break
        told = [one for one in asked if one is not None]
        exchanges += told
        referee.hear({one.role: _heard(one) for one in told})
    return Retraced(
        exchanges=tuple(exchanges),
        turns=tuple(referee.turns),
        verdict=referee.verdict,
        sides=tuple(tuple(side) for side in game.sides),
        farewell=referee.farewell() if referee.verdict else b"",
    )


def disagreements(game: Game[Any], record: Record) -> Iterator[str]:
    """How the record differs from what the rules say of its own moves, in words; nothing when it holds."""
    if [seat.role for seat in record.match.seats] != list(game.roles):
        yield f"its roles are not those of the game: {', '.join(game.roles)}"
        return
    again = retrace(game, record)
    for turn, recorded in zip(again.turns, record.turns, strict=False):
        if wrong := [name for name in COMPARED if getattr(turn, name) != getattr(recorded, name)]:
            yield _differs(turn, recorded, wrong)
            return
    if len(again.turns) != len(record.turns):
        last = max((turn.number for turn in again.turns), default=0)
        yield f"it has {len(record.turns)} moves, but by the rules they end in turn {last}, after {len(again.turns)}"
    if record.sides != again.sides:
        yield "its sides are not those of the game"
    for name in (one.name for one in fields(Verdict)):
        want, has = getattr(again.verdict, name, None), getattr(record.verdict, name)
        if want != has and not (name == "faults" and again.verdict is None):
            yield f"its verdict says {name} {_plain(has)}; by the rules it is {_plain(want)}"


def _exchange(
    role: Role, ask: Ask, turns: dict[tuple[int, Role], Turn], faults: dict[tuple[int, Role], Fault]
) -> Exchange | None:
    found = re.search(rb"(?m)^turn (\d+)$", ask.text)
    number = int(found[1]) if found and not ask.ready else 0
    if (fault := faults.get((number, role))) is not None:
        return Exchange(role=role, turn=number, ask=ask, fault=fault)
    if ask.ready:
        return Exchange(role=role, turn=0, ask=ask, answer="ready")
    played = turns.get((number, role))
    if played is None:
        return None
    said = played.said if played.by == "strike" and played.said is not None else played.move
    return Exchange(role=role, turn=number, ask=ask, answer=said, played=played)


def _heard(one: Exchange) -> Heard:
    if one.fault is not None:
        return Heard(ending=one.fault.ending, words=one.fault.words)
    spent = one.played.spent if one.played else Spent()
    return Heard(line=one.answer.encode("utf-8", "surrogatepass"), spent=spent)


def _differs(turn: Turn, recorded: Turn, wrong: list[str]) -> str:
    where = f"turn {recorded.number}, {recorded.role}"
    if wrong == ["digest"]:
        return f"{where}: {recorded.move!r} does not lead to the state that was recorded"
    told = "; ".join(f"{name} {getattr(recorded, name)!r}, by the rules {getattr(turn, name)!r}" for name in wrong)
    return f"{where}: {told}"


def _plain(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{one.role} {one.ending} in turn {one.turn}" for one in value) or "none"
    return str(value)
