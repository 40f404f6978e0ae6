"""A recorded match once more: with the same seeds and real bots, or one bot alone.

One bot alone reads what it read in the recorded match. This module says what differs, and stores
nothing. The caller decides which bots run, and whether they may.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from arena import protocol
from arena.game import Game
from arena.match.seat import Resources
from arena.match.seating import PROGRAMS, AllSeats
from arena.protocol import Reply
from arena.replay.reconstruct import Exchange, fault_words
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions, Ending, Match, Record, Seat, Turn, Verdict

DECIDED = ("number", "role", "move", "by", "digest")
"""What is the same of a turn that is played again."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A bot's answer now to a question of the record."""

    then: Exchange
    now: Reply

    @property
    def said_then(self) -> str:
        """The recorded answer, or how it failed."""
        if self.then.answer is None:
            return "(not recorded)"
        if self.then.fault is not None:
            return f"({self.then.fault.ending})"
        return self.then.answer

    @property
    def said_now(self) -> str:
        """The answer now, or how it failed; harmless to show."""
        if self.now.ending is not None:
            return f"({self.now.ending})"
        return protocol.clean(protocol.text_of(self.now.line))

    @property
    def same(self) -> bool:
        """True for the same answer, or the same kind of failure."""
        failed_now = self.now.ending is not None
        text_now = protocol.text_of(self.now.line)
        fault_then = self.then.fault
        if fault_then and not failed_now:
            if text_now in self.then.ask.legal:
                return False
            return fault_then.ending in {Ending.ILLEGAL_MOVE, Ending.GARBLED}
        if self.then.answer is None:
            return not failed_now  # nothing is there to compare it with
        played = self.then.played
        if not failed_now and played is not None and played.by == "bot":
            # A move is recorded as it was, not cleaned.
            return text_now == self.then.answer
        return self.said_then == self.said_now


def feed(
    exchanges: tuple[Exchange, ...],
    match: Match,
    game: Game[Any],
    bot: Bot,
    launcher: Launcher,
    tell: Callable[[Comparison], object] = id,
    services: Mapping[str, object] | None = None,
) -> tuple[Comparison, ...]:
    """Ask a bot exactly what was asked then, whatever it answers, until it fails.

    `tell` gets each answer. `services` serve the bot from outside, by name. `game` is that of the
    match, from rules that are trusted.
    """
    role = exchanges[0].role
    fed_seat = Seat(role, bot)
    seats = []
    for seat in match.seats:
        if seat.role == role:
            seats.append(fed_seat)
        else:
            seats.append(seat)

    # Nobody asks an author's machine again: the bot is a program here, or a mistake says that it is
    # none.
    conditions = replace(match.conditions, remote=None)
    fed_match = replace(match, seats=tuple(seats), conditions=conditions)
    resources = Resources(
        match=fed_match,
        launcher=launcher,
        services=services or {},
    )

    answers: list[Comparison] = []
    with AllSeats(game, [fed_seat], resources, last=PROGRAMS) as fed:
        for exchange in exchanges:
            replies = fed.ask({role: exchange.ask})
            answer = Comparison(then=exchange, now=replies[role])
            answers.append(answer)
            tell(answer)
            if answer.now.ending is not None:
                break
    return tuple(answers)


def under(match: Match, here: Conditions) -> Match:
    """Return a recorded match as it is played again, under the conditions `here`.

    They say what a bot may do and use. A record may come from anybody. It decides only what belongs
    to the course of the match: the time that bots are told, how many answers are forgiven, and what
    a language model may be asked.
    """
    then = match.conditions
    conditions = replace(
        here,
        time=then.time,
        strikes=then.strikes,
        protocol=then.protocol,
        model=then.model,
        models=then.models,
    )
    return replace(match, conditions=conditions)


def differences(then: Record, now: Record) -> Iterator[str]:
    """Yield the first turn in which two playings differ, and differences of their ends."""
    for old, new in zip_longest(then.turns, now.turns):
        if not _same_turn(old, new):
            yield f"then {_turn_text(old)}; now {_turn_text(new)}"
            break
    before = _aspects(then.verdict)
    after = _aspects(now.verdict)
    for aspect, old_text in before.items():
        new_text = after[aspect]
        if old_text != new_text:
            yield f"{aspect}: then {old_text}; now {new_text}"


def _same_turn(old: Turn | None, new: Turn | None) -> bool:
    if old is None or new is None:
        return False
    return all(getattr(old, name) == getattr(new, name) for name in DECIDED)


def _aspects(verdict: Verdict) -> dict[str, str]:
    """Return the texts of an end that are compared, by the name of the aspect."""
    scores = []
    for role, score in verdict.scores.items():
        scores.append(f"{role} {score}")
    faults = fault_words(verdict)
    return {
        "ended by": verdict.reason,
        "scores": ", ".join(scores),
        "faults": ", ".join(faults) or "none",
    }


def _turn_text(turn: Turn | None) -> str:
    if turn is None:
        return "it was over"
    text = f"turn {turn.number}: {turn.role} {turn.move}"
    if turn.by != "bot":
        text += f" ({turn.by})"
    return text
