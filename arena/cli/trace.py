"""`arena trace`: what was said in a recorded match, line by line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import archived, options, screen, telling
from arena.errors import ArenaError
from arena.game import Role
from arena.match import Record, Seat

if TYPE_CHECKING:
    from arena.retrace import Exchange, Retraced

RoleName = Annotated[str | None, typer.Option(help="Only the seat of this role.")]
TIME = 11  # columns for the time of an answer


def trace(
    match: options.MatchId, event: options.EventName = None, role: RoleName = None, json: options.Json = False
) -> None:
    """Print what was said in a recorded match, seat by seat: every line, and how long each answer took."""
    record = archived.recorded(match, event)
    again = retraced(record)
    seats = [seat for seat in record.match.seats if seat.role in roles_of(record, role)]
    if json:
        screen.print_json(_exchange_row(record, seat, one) for seat in seats for one in again.of(seat.role))
        return
    print(telling.heading(record.match))
    for seat in seats:
        print("\n".join(["", f"{seat.role} ({screen.shown(seat.bot.name)})", *_dialogue(record, again, seat.role)]))
    print("\n".join(["", *telling.verdict(record)]))


def retraced(record: Record) -> "Retraced":
    """The dialogue of a recorded match; ArenaError when the record does not hold."""
    from arena.retrace import disagreements, retrace

    game = archived.rules_of(record.match)
    if wrong := next(disagreements(game, record), None):
        raise ArenaError(f"match {record.match.id} does not agree with the rules: {wrong}; `arena verify` tells more")
    return retrace(game, record)


def roles_of(record: Record, role: str | None) -> tuple[Role, ...]:
    """The roles that are meant by `--role`."""
    roles = tuple(seat.role for seat in record.match.seats)
    if role is not None and role not in roles:
        raise ArenaError(f"--role {role}: match {record.match.id} has the roles {', '.join(roles)}")
    return roles if role is None else (role,)


def _dialogue(record: Record, again: "Retraced", role: Role) -> Iterator[str]:
    """Every line of a seat, the bot's with a `>` and the time that they took."""
    for one in again.of(role):
        yield from asked(one.ask.text)
        yield from _answered(record, one)
    yield from asked(again.last_words(role))
    report = next(seat for seat in record.seats if seat.role == role)
    yield f"{'':{TIME}}{screen.shown(report.exit) or 'it never ran'}{', ended by arena' if report.killed else ''}"


def asked(text: bytes) -> Iterator[str]:
    """The lines of a question."""
    return (f"{'':{TIME}}{screen.harmless(line)}" for line in text.decode("utf-8", "replace").splitlines())


def _answered(record: Record, one: "Exchange") -> Iterator[str]:
    if one.fault is not None:
        yield f"{'':{TIME}}> {one.fault.ending}: {screen.shown(one.fault.words, 1000)}"
        return
    for remark in one.played.remarks if one.played else ():
        yield f"{'':{TIME}}> # {screen.shown(remark)}"
    seconds = _seconds(record, one)
    time = "" if seconds is None else f"{seconds * 1000:.1f} ms"
    yield f"{time:>{TIME - 1}} > {screen.shown(one.answer)}"


def _seconds(record: Record, one: "Exchange") -> float | None:
    """How long an answer took; `ready` is counted from the start of the process."""
    if one.played is not None:
        return one.played.wall
    return next((seat.ready for seat in record.seats if seat.role == one.role), None)


def _exchange_row(record: Record, seat: Seat, one: "Exchange") -> dict[str, object]:
    played = one.played
    return {
        "match": record.match.id,
        "role": one.role,
        "bot": seat.bot.name,
        "turn": one.turn,
        "question": one.ask.text.decode("utf-8", "replace").splitlines(),
        "answer": None if one.fault else one.answer,
        "by": played.by if played else None,
        "ending": one.fault.ending if one.fault else None,
        "words": one.fault.words if one.fault else None,
        "wall": None if one.fault else _seconds(record, one),
        "cpu": played.cpu if played else None,
        "waited": played.waited if played else None,
        "remarks": list(played.remarks) if played else [],
    }
