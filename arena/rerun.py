"""A recorded match once more: with the same seeds and real bots, or one bot alone, fed what was read then.

It says what differs, and stores nothing. Whose bots these are, and whether they may run, the caller decides.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from arena import protocol
from arena.bot import LiveBot
from arena.converse import converse
from arena.match import Bot, Match, Record, Turn
from arena.protocol import Heard
from arena.retrace import Exchange
from arena.sandbox.door import Door


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a bot says to a question of the record."""

    then: Exchange
    now: Heard

    @property
    def said_then(self) -> str:
        """The recorded answer, or how it failed."""
        return f"({self.then.fault.ending})" if self.then.fault else self.then.answer

    @property
    def said_now(self) -> str:
        """The answer now, or how it failed; harmless to show."""
        if self.now.ending is not None:
            return f"({self.now.ending})"
        return protocol.clean(protocol.said(self.now.line))

    @property
    def same(self) -> bool:
        """Whether it is the same answer, or the same kind of failure."""
        if self.then.fault and self.now.ending is None:
            return self._refused and str(self.then.fault.ending) in {"illegal_move", "garbled"}
        return self.said_then == self.said_now

    @property
    def _refused(self) -> bool:
        legal = [line[len(b"legal ") :] for line in self.then.ask.text.splitlines() if line.startswith(b"legal ")]
        return protocol.said(self.now.line).encode("utf-8", "replace") not in legal


def feed(
    exchanges: tuple[Exchange, ...], match: Match, bot: Bot, door: Door, tell: Callable[[Answer], object] = id
) -> tuple[Answer, ...]:
    """Ask a bot exactly what was asked then, whatever it answers, until it fails; `tell` hears of each answer."""
    role = exchanges[0].role
    live = LiveBot(door, role, bot, match.conditions, Path(match.rules))
    answers: list[Answer] = []
    try:
        for one in exchanges:
            answers.append(Answer(then=one, now=converse({role: live}, {role: one.ask})[role]))
            tell(answers[-1])
            if answers[-1].now.ending is not None:
                break
    finally:
        live.end()
        door.sweep()
    return tuple(answers)


def with_bots(match: Match, bots: dict[str, Bot]) -> Match:
    """The match with these bots, by role."""
    return replace(match, seats=tuple(replace(seat, bot=bots[seat.role]) for seat in match.seats))


def differences(then: Record, now: Record) -> Iterator[str]:
    """Where the two playings of a match part, and whether they ended otherwise; nothing when they went the same."""
    for old, new in zip_longest(then.turns, now.turns):
        if _essence(old) != _essence(new):
            yield f"then {_told(old)}; now {_told(new)}"
            break
    for what, old, new in (
        ("ended by", then.verdict.reason, now.verdict.reason),
        ("scores", _scores(then), _scores(now)),
        ("faults", _faults(then), _faults(now)),
    ):
        if old != new:
            yield f"{what}: then {old}; now {new}"


def _essence(turn: Turn | None) -> tuple[object, ...] | None:
    return None if turn is None else (turn.number, turn.role, turn.move, turn.by, turn.digest)


def _told(turn: Turn | None) -> str:
    if turn is None:
        return "it was over"
    by = "" if turn.by == "bot" else f" ({turn.by})"
    return f"turn {turn.number}: {turn.role} {turn.move}{by}"


def _scores(record: Record) -> str:
    return ", ".join(f"{role} {score}" for role, score in record.verdict.scores.items())


def _faults(record: Record) -> str:
    return ", ".join(f"{one.role} {one.ending} in turn {one.turn}" for one in record.verdict.faults) or "none"
