"""What was said in a recorded match, line by line: the output of `arena replay --lines`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.cli import match_text, output, stored_match
from arena.game import Role
from arena.values import Record, Seat

if TYPE_CHECKING:
    from arena.replay.reconstruct import Exchange, Retraced

TIME_COLUMNS = 11
INDENT = " " * TIME_COLUMNS


def show(record: Record, role: Role | None, *, json: bool) -> None:
    """Print every line that the seat of a role, or each seat, read and wrote, and how long each answer took."""
    dialogue = stored_match.dialogue_of(record)
    seats = [seat for seat in record.match.seats if seat.role in stored_match.roles_of(record, role)]
    if json:
        output.print_json(_row(record, seat, exchange) for seat in seats for exchange in dialogue.of(seat.role))
        return
    print(match_text.heading(record.match))
    for seat in seats:
        print(f"\n{seat.role} ({output.safe_line(seat.bot.name)})", *_lines(record, dialogue, seat.role), sep="\n")
    print("\n".join(["", *match_text.verdict(record)]))


def _lines(record: Record, dialogue: "Retraced", role: Role) -> Iterator[str]:
    """Yield every line of a seat; the bot's lines have a `>`, and the time that they took."""
    report = next(seat for seat in record.seats if seat.role == role)
    for exchange in dialogue.of(role):
        yield from question(exchange.ask.text)
        if exchange.fault is not None:
            yield f"{INDENT}> {exchange.fault.ending}: {output.safe_line(exchange.fault.words, 1000)}"
            continue
        for remark in exchange.played.remarks if exchange.played else ():
            yield f"{INDENT}> # {output.safe_line(remark)}"
        if exchange.answer is None:
            yield f"{INDENT}> (not recorded: the match ended in this turn by another seat's fault)"
            continue
        seconds = _seconds(record, exchange)
        time = "" if seconds is None else f"{seconds * 1000:.1f} ms"
        yield f"{time:>{TIME_COLUMNS - 1}} > {output.safe_line(exchange.answer)}"
    yield from question(dialogue.last_words(role))
    yield f"{INDENT}{output.safe_line(report.exit) or 'it never ran'}{', ended by arena' if report.killed else ''}"


def question(text: bytes) -> Iterator[str]:
    """Yield the lines that a bot read, indented."""
    return (f"{INDENT}{output.safe_lines(line)}" for line in text.decode("utf-8", "replace").splitlines())


def _seconds(record: Record, exchange: "Exchange") -> float | None:
    """Return how long an answer took; `ready` is counted from the start of the process."""
    if exchange.played is not None:
        return exchange.played.wall
    if exchange.turn:
        return None
    return next((seat.ready for seat in record.seats if seat.role == exchange.role), None)


def _row(record: Record, seat: Seat, exchange: "Exchange") -> dict[str, object]:
    played, fault = exchange.played, exchange.fault
    return {
        "match": record.match.id,
        "role": exchange.role,
        "bot": seat.bot.name,
        "turn": exchange.turn,
        "question": exchange.ask.text.decode("utf-8", "replace").splitlines(),
        "answer": None if fault else exchange.answer,
        "by": played.by if played else None,
        "ending": fault.ending if fault else None,
        "words": fault.words if fault else None,
        "wall": None if fault else _seconds(record, exchange),
        "cpu": played.cpu if played else None,
        "waited": played.waited if played else None,
        "remarks": list(played.remarks) if played else [],
    }
