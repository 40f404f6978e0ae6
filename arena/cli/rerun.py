"""`arena rerun`: a recorded match once more, or one bot alone, fed what its seat read then."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import archived, known, options, places, screen, telling, trace
from arena.errors import ArenaError
from arena.match import Bot, Match, Record, Seat

if TYPE_CHECKING:
    from arena.rerun import Answer


def rerun(
    match: options.MatchId,
    event: options.EventName = None,
    bot: Annotated[
        str | None, typer.Option("--bot", help="Only this bot, a name or a path: feed it what its seat read then.")
    ] = None,
    role: trace.RoleName = None,
    print_: Annotated[bool, typer.Option("--print", help="With --bot: every line, not the answers alone.")] = False,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Play a recorded match again with the same seeds; exit code 1 when it goes otherwise. Nothing is stored."""
    record = archived.recorded(match, event)
    planned = _playable(record.match, sandbox, unsafe=unsafe)
    if bot is None and (role or print_):
        raise ArenaError("--role and --print are for one bot: name it with --bot")
    if bot is None:
        same = _play_again(replace(record, match=planned), event, json=json)
    else:
        same = _feed(replace(record, match=planned), event, bot, role, whole=print_, json=json)
    if not same:
        raise typer.Exit(1)


def _play_again(record: Record, event: str | None, *, json: bool) -> bool:
    from arena import play
    from arena.rerun import differences, with_bots

    then = [_bot_then(seat, event) for seat in record.match.seats]
    ready = known.ready(then, record.match.conditions.sandbox)
    bots = {seat.role: bot for seat, bot in zip(record.match.seats, ready, strict=True)}
    found = list(differences(record, play.play(with_bots(record.match, bots))))
    if json:
        screen.print_json([{"match": record.match.id, "same": not found, "differences": found}])
        return not found
    print(telling.heading(record.match))
    for words in found:
        print(screen.shown(words, 1000))
    last = max((turn.number for turn in record.turns), default=0)
    if not found:
        print(f"it went the same: {screen.shown(record.verdict.reason)} after {last} turns")
    return not found


def _feed(record: Record, event: str | None, words: str, role: str | None, *, whole: bool, json: bool) -> bool:
    from arena.rerun import feed
    from arena.sandbox.door import Door

    seats, found = _fed(record, event, words, role)
    (one,) = known.ready([found], record.match.conditions.sandbox)
    again = trace.retraced(record)
    rows: list[dict[str, object]] = []
    same = True
    with Door() as door:
        for seat in seats:
            if not json:
                print(f"{seat.role} ({screen.shown(one.name)}), fed what {screen.shown(seat.bot.name)} read then")
            tell = id if json else (lambda answer: print("\n".join(_answer_lines(answer, whole)), flush=True))
            exchanges = again.of(seat.role)
            if not exchanges:
                raise ArenaError(f"{seat.role} was never asked anything in match {record.match.id}")
            answers = feed(exchanges, record.match, one, door, tell)
            same = same and all(answer.same for answer in answers)
            rows += [_answer_row(record, seat, answer) for answer in answers]
    if json:
        screen.print_json(rows)
    else:
        print("every answer is the same" if same else "not every answer is the same")
    return same


def _fed(record: Record, event: str | None, words: str, role: str | None) -> tuple[list[Seat], Bot]:
    """The seats whose questions are asked again, and the bot that answers them."""
    roles = trace.roles_of(record, role)
    own = [seat for seat in record.match.seats if seat.bot.name == words and seat.role in roles]
    if own and not Path(words).exists():
        return own, _bot_then(own[0], event)
    one = known.bot_named(words)
    seats = [seat for seat in record.match.seats if seat.role in roles and (role or seat.bot.name == one.name)]
    if not seats:
        names = ", ".join(f"{seat.role} ({seat.bot.name})" for seat in record.match.seats)
        raise ArenaError(f"--bot {words}: it has no seat in match {record.match.id}; say --role: {names}")
    return seats, one


def _bot_then(seat: Seat, event: str | None) -> Bot:
    """The bot of a seat as it was played, from the copies of the event; else as it is now, which is said."""
    from arena import roster

    kept = places.event_folder(event) / "bots" / seat.bot.digest
    for copy in sorted(kept.glob("*")):
        found = roster.from_path(copy, seat.bot.name)
        if found.digest == seat.bot.digest:
            return found
    now = known.bot_named(seat.bot.name)
    if now.digest != seat.bot.digest:
        screen.notice(
            f"{seat.bot.name}: was edited since (no copy of {seat.bot.digest} is left); it plays as it is now"
        )
    return now


def _playable(match: Match, sandbox: str | None, *, unsafe: bool) -> Match:
    """The match with the rules that are known here, at a level of confinement that can be had here."""
    from arena.sandbox import levels

    level = levels.choose(sandbox or match.conditions.sandbox, unsafe=unsafe)
    screen.warn_of(level)
    return replace(match, rules=archived.board_of(match).rules, conditions=replace(match.conditions, sandbox=level))


def _answer_lines(answer: "Answer", whole: bool) -> Iterator[str]:
    """A line for an answer, after its question where that is wanted; marked where it is another than then."""
    if whole:
        yield from trace.asked(answer.then.ask.text)
        yield from (f"{'':{trace.TIME}}> # {screen.shown(remark)}" for remark in answer.now.remarks)
    turn = f"turn {answer.then.turn}" if answer.then.turn else "ready?"
    mark = "=" if answer.same else "!"
    now = f"now {screen.shown(answer.said_now)}" if not answer.same else screen.shown(answer.said_now)
    then = "" if answer.same else f"then {screen.shown(answer.said_then)}, "
    yield f"{mark} {turn}: {then}{now}  {answer.now.wall * 1000:.1f} ms"
    if answer.then.fault is not None and not answer.same:
        yield f"  then {screen.shown(answer.then.fault.words, 1000)}"
    if answer.now.ending is not None:
        yield f"  {screen.shown(answer.now.words, 1000)}"


def _answer_row(record: Record, seat: Seat, answer: "Answer") -> dict[str, object]:
    return {
        "match": record.match.id,
        "role": seat.role,
        "turn": answer.then.turn,
        "question": answer.then.ask.text.decode("utf-8", "replace").splitlines(),
        "then": answer.said_then,
        "now": answer.said_now,
        "same": answer.same,
        "wall": answer.now.wall,
        "words": answer.now.words or None,
    }
