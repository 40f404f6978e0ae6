"""What a record itself says, as the replay viewer reads it: moves, faults, calls, seats.

No rules are needed for it. This module owns what of long texts is left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from arena.game import Role
from arena.protocol import clean, clean_lines
from arena.replay.calls import question_of, usage_of
from arena.values import ANSWER_ENDS, ModelCall, Record, SeatReport, Turn

REMARKS = 20_000  # characters of remarks that a match may bring
CALLS = 100_000  # characters of calls of a language model that a match may bring
STDERR_LINES = 20
WORDS = 1000  # characters of a fault's words


def values_of(record: Record) -> dict[str, object]:
    """Return the moves and faults of a match, what its processes left, and the calls of models."""
    roles = [seat.role for seat in record.match.seats]
    faults = []
    for fault in record.verdict.faults:
        faults.append(
            [
                roles.index(fault.role),
                fault.turn,
                fault.ending.value,
                _clean(fault.words, WORDS),
            ]
        )
    values: dict[str, object] = {
        "moves": list(moves(record.turns, roles)),
        "faults": faults,
        "seats": [_seat(seat) for seat in record.seats],
    }
    calls = list(_calls(record.calls, roles))
    if calls:
        values["calls"] = calls
    return values


def moves(turns: Iterable[Turn], roles: Sequence[str]) -> Iterator[list[object]]:
    """Yield turn, role, move, milliseconds, remarks, chooser and refused text of each turn.

    Usual values at the end are left out.
    """
    free_characters = REMARKS
    for turn in turns:
        remarks = list(map(_clean, turn.remarks))
        if remarks:
            free_characters -= sum(map(len, remarks))
            if free_characters < 0:
                remarks = ["(too many remarks to store)"]
        chooser = ""
        if turn.by != "bot":
            chooser = turn.by
        row: list[object] = [
            turn.number,
            _role(turn.role, roles),
            _clean(turn.move),
            round(turn.wall * 1000),
            remarks,
            chooser,
            _clean(turn.rejected_text or ""),
        ]
        while not row[-1] and len(row) > 4:
            row.pop()
        yield row


def _role(role: Role, roles: Sequence[str]) -> int | str:
    """Return the number of a role, or its name if no seat has it, as for `chance`."""
    if role in roles:
        return roles.index(role)
    return role


def _calls(calls: Iterable[ModelCall], roles: list[str]) -> Iterator[list[object]]:
    """Yield turn, role, tokens of question and answer, and the texts of each call.

    The texts are the question, the reasoning, the answer, and words about its tokens.
    """
    free_characters = CALLS
    for call in calls:
        answer = call.answer
        answer_text = answer.text
        if answer.end in ANSWER_ENDS:
            answer_text = f"({ANSWER_ENDS[answer.end]})\n{answer_text}"
        hostile_texts = [question_of(call), answer.reasoning, answer_text]
        texts = list(map(clean_lines, hostile_texts))
        free_characters -= sum(map(len, texts))
        if free_characters < 0:
            texts = ["(too much to store: `arena replay` has it)", "", ""]
        yield [
            call.turn,
            _role(call.role, roles),
            answer.tokens_in,
            answer.tokens_out,
            *texts,
            usage_of(answer),
        ]


def _seat(seat: SeatReport) -> dict[str, object]:
    """Return what a seat's process left behind, without empty values."""
    warnings = list(map(_clean, seat.warnings[:10]))
    values = {
        "ready": seat.ready and round(seat.ready, 3),
        "cpu": round(seat.cpu, 2),
        "memory": round(seat.memory / 1e6),
        "exit": _clean(seat.exit),
        "warnings": warnings,
        "stderr": last_lines(seat.stderr),
    }
    return {name: value for name, value in values.items() if value}


def last_lines(stderr: str, count: int = STDERR_LINES) -> list[str]:
    """Return the last lines of a seat's stderr."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return list(map(_clean, lines[-count:]))


def _clean(text: str, length: int = 200) -> str:
    # `clean` reads no more of a text than this, and the cache is not to hold 16 kB for a line.
    return _cleaned(text[: length + 1], length)


_cleaned = lru_cache(100_000)(clean)  # moves and remarks come again and again
