"""A recorded match, played again by the referee: each seat's dialogue, and a check of the record.

The referee is a state machine without clock and chance of its own, so the moves of a record give
every line of its dialogue again, every state and the verdict. It starts no bot, and reads no file
but rules (`confirmed`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from arena import protocol
from arena.clock import TimeUsed
from arena.errors import ArenaError
from arena.game import Game, Role
from arena.games import rulebook
from arena.match.referee import Referee
from arena.protocol import Ask, Reply, dismissal
from arena.values import Board, Fault, Record, Turn, Verdict

COMPARED = ("number", "role", "move", "by", "rejected_text", "refused", "digest")
"""The fields of a turn that the rules and the seed decide; others are times and remarks."""

LONGEST_MESSAGE = 500  # characters of a disagreement: a record may hold any text


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One question and what came back."""

    role: Role
    ask: Ask
    answer: str | None = ""
    """The text of the answer; empty with a fault.

    None = not recorded: another seat's fault ended the match first.
    """
    played: Turn | None = None
    """The recorded turn; None for `ready`, and for a fault."""
    fault: Fault | None = None


@dataclass(frozen=True, kw_only=True)
class Retraced:
    """A record after the referee has played it again."""

    exchanges: tuple[Exchange, ...]
    """In the order in which they were asked."""
    turns: tuple[Turn, ...]
    verdict: Verdict | None
    """None when the record breaks off."""
    farewell: bytes
    """The last words to every seat that was in to the end."""

    def of(self, role: Role) -> tuple[Exchange, ...]:
        """Return the dialogue of one seat."""
        dialogue = []
        for exchange in self.exchanges:
            if exchange.role == role:
                dialogue.append(exchange)
        return tuple(dialogue)

    def last_words(self, role: Role) -> bytes:
        """Return the last lines that the seat was sent."""
        dialogue = self.of(role)
        for exchange in dialogue:
            if exchange.fault is not None:
                return dismissal(exchange.fault)
        if not dialogue:
            return b""
        return self.farewell


def retrace(game: Game[Any], record: Record) -> Retraced:
    """Play the recorded answers again, up to the first that is missing or that ends the match."""
    faults = {(fault.turn, fault.role): fault for fault in record.verdict.faults}
    turns = {(turn.number, turn.role): turn for turn in record.turns}
    never_ran = set()
    for seat in record.seats:
        if seat.ready is None and not seat.exit:
            never_ran.add(seat.role)
    absent = {}
    for (number, role), fault in faults.items():
        if number == 0 and role in never_ran:
            absent[role] = fault

    conditions = record.match.conditions.scaled(record.scale)
    as_played = replace(record.match, conditions=conditions)
    referee = Referee(game, as_played, absent)
    exchanges: list[Exchange] = []
    while asks := referee.asks():
        latest = []
        replies = {}
        for role, ask in asks.items():
            exchange = _exchange(role, ask, turns, faults)
            latest.append(exchange)
            if exchange.answer is not None:
                replies[role] = _reply(exchange)
        missing = len(replies) < len(latest)
        if missing and not any(exchange.fault for exchange in latest):
            break

        exchanges += latest
        referee.hear(replies)
        if missing and referee.verdict is None:
            break  # no fault explains why this turn was not recorded

    farewell = b""
    if referee.verdict is not None:
        farewell = referee.farewell()
    return Retraced(
        exchanges=tuple(exchanges),
        turns=tuple(referee.turns),
        verdict=referee.verdict,
        farewell=farewell,
    )


def confirmed(record: Record, board: Board) -> Record:
    """Return a record that may come from anybody, with the rules known here.

    ArenaError unless they confirm it.
    """
    match = replace(record.match, rules=board.rules)
    record = replace(record, match=match)
    game = rulebook.game_of(match)
    disagreement = next(disagreements(game, record), None)
    if disagreement is not None:
        message = protocol.clean(disagreement, LONGEST_MESSAGE)
        raise ArenaError(f"does not agree with the rules known here: {message}")
    return record


def disagreements(game: Game[Any], record: Record) -> Iterator[str]:
    """Yield how the record differs from what the rules make of its moves; nothing when it holds."""
    seated = [seat.role for seat in record.match.seats]
    if seated != list(game.roles):
        roles = ", ".join(game.roles)
        yield f"its roles are not those of the game: {roles}"
        return
    try:
        again = retrace(game, record)
    except ArenaError as error:
        yield f"its opening cannot be played: {error}"
        return

    for turn, recorded in zip(again.turns, record.turns, strict=False):
        difference = _difference(turn, recorded)
        if difference:
            yield f"turn {recorded.number}, {recorded.role}: {difference}"
            return
    recorded_count = len(record.turns)
    count = len(again.turns)
    if count != recorded_count:
        last = 0
        if again.turns:
            last = again.turns[-1].number
        yield (
            f"it has {recorded_count} moves, "
            f"but by the rules they end in turn {last}, after {count}"
        )
    if record.sides != tuple(map(tuple, game.sides)):
        yield "its sides are not those of the game"
    yield from _verdict_differences(again.verdict, record.verdict)


def _difference(turn: Turn, recorded: Turn) -> str:
    """Return how a recorded turn differs from the turn by the rules; empty where it does not."""
    wrong = []
    differences = []
    for name in COMPARED:
        by_rules = getattr(turn, name)
        in_record = getattr(recorded, name)
        if by_rules != in_record:
            wrong.append(name)
            differences.append(f"{name} {in_record!r}, by the rules {by_rules!r}")
    if wrong == ["digest"]:
        return f"{recorded.move!r} does not lead to the state that was recorded"
    return "; ".join(differences)


def _verdict_differences(by_rules: Verdict | None, recorded: Verdict) -> Iterator[str]:
    """Yield how a recorded verdict differs from that by the rules, which a match may not reach."""
    for field in fields(Verdict):
        name = field.name
        old = getattr(recorded, name)
        new = getattr(by_rules, name, None)
        if old == new:
            continue
        if name == "faults":
            if by_rules is None:
                continue
            old = ", ".join(fault_words(recorded)) or "none"
            new = ", ".join(fault_words(by_rules)) or "none"
        yield f"its verdict says {name} {old}; by the rules it is {new}"


def _exchange(
    role: Role,
    ask: Ask,
    turns: dict[tuple[int, Role], Turn],
    faults: dict[tuple[int, Role], Fault],
) -> Exchange:
    """Return a question with the recorded answer, or the recorded fault."""
    fault = faults.get((ask.turn, role))
    if fault is not None:
        return Exchange(role=role, ask=ask, fault=fault)
    if ask.ready:
        return Exchange(role=role, ask=ask, answer="ready")
    played = turns.get((ask.turn, role))
    if played is None:
        return Exchange(role=role, ask=ask, answer=None)
    answer = played.move
    if played.by == "strike" and played.rejected_text is not None:
        answer = played.rejected_text
    return Exchange(
        role=role,
        ask=ask,
        answer=answer,
        played=played,
    )


def _reply(exchange: Exchange) -> Reply:
    """Return the recorded answer as the referee hears a bot's."""
    fault = exchange.fault
    if fault is not None:
        return Reply(ending=fault.ending, words=fault.words)
    spent = TimeUsed()
    refused = None
    if exchange.played is not None:
        spent = exchange.played.spent
        refused = exchange.played.refused
    text = exchange.answer or ""
    may_be_cleaned = "'" in text or "\\" in text or text.endswith("...")
    if not may_be_cleaned:
        refused = None  # cleaning changed nothing in this text, so the referee can judge it again
    line = text.encode("utf-8", "surrogatepass")
    return Reply(line=line, spent=spent, refused=refused)


def fault_words(verdict: Verdict) -> list[str]:
    """Return whose fault it was, which, and when."""
    words = []
    for fault in verdict.faults:
        words.append(f"{fault.role} {fault.ending} in turn {fault.turn}")
    return words
