"""`arena rerun`: play a recorded match once more, or feed one bot alone what its seat read then."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import workspace
from arena.cli import match_text, options, output, paths, stored_match
from arena.errors import ArenaError
from arena.event import discovery, service
from arena.match import play
from arena.replay.rerun import Comparison, differences, feed, under
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Record, Seat

if TYPE_CHECKING:
    from arena.event.config import Tournament


def rerun(
    match: options.MatchId,
    bot: Annotated[
        str | None,
        typer.Option(
            metavar="BOT", help="Only this bot, by name or path: feed it what its seat read."
        ),
    ] = None,
    role: options.RoleName = None,
    print_: Annotated[
        bool, typer.Option("--print", help="With --bot: every line, not the answers alone.")
    ] = False,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Play a recorded match again with the same seeds; nothing is stored.

    The exit code is 1 when it goes differently.
    """
    event = stored_match.event_of(match)
    played = stored_match.load_record(match)
    overrides = options.overrides(sandbox=sandbox, unsafe=unsafe)
    tournament = workspace.tournament(overrides)
    record = as_here(played, tournament)
    workspace.warn_about_confinement(record.match.conditions)

    then = asdict(played.match.conditions)
    now = asdict(record.match.conditions)
    keys = ", ".join(sorted(_changed(then, now)))
    if keys:
        output.notice(f"{keys}: as in the tournament.toml here; the match was played otherwise")

    if bot is None and (role or print_):
        raise ArenaError("--role and --print are for one bot: name it with --bot")
    if bot is None:
        same = _play_again(record, event, tournament, json=json)
    else:
        same = _feed(
            record,
            event,
            tournament,
            bot,
            role,
            questions=print_,
            json=json,
        )
    if not same:
        raise typer.Exit(1)


def _changed(
    then: Mapping[str, Any],
    now: Mapping[str, Any],
    table: str = "",
) -> Iterator[str]:
    """Yield the keys of the conditions, as tournament.toml has them, with another value now."""
    for key, value in now.items():
        earlier = then.get(key)
        if isinstance(value, Mapping) and isinstance(earlier, Mapping):
            yield from _changed(earlier, value, f"{key}.")
        elif value != earlier:
            yield f"{table}{key}"


def as_here(record: Record, tournament: "Tournament") -> Record:
    """Return the record of a match that is played again here.

    A record may come from anybody: the rules are those known here, and so are the powers and limits
    of the bots.
    """
    workspace.forget_secrets(tournament)
    here = workspace.conditions_here(tournament, by_hand=True)
    board = stored_match.board_of(record.match)
    match_here = under(record.match, here)
    planned = replace(match_here, rules=board.rules)
    return replace(record, match=planned)


def played_again(
    record: Record,
    event: str | None,
    tournament: "Tournament",
) -> Record:
    """Play a match of `as_here` again, with the bots of that time; return the new record."""
    match = record.match
    bots = [_bot_then(seat, event) for seat in match.seats]
    built = workspace.built(tournament, bots, match.conditions.sandbox)

    seats: list[Seat] = []
    for seat, bot in zip(match.seats, built, strict=True):
        same_model = replace(bot, model_alias=seat.bot.model_alias)
        seats.append(replace(seat, bot=same_model))
    planned = replace(match, seats=tuple(seats))

    services = service.recorded(record)
    return play.play(planned, services=services)


def _play_again(
    record: Record,
    event: str | None,
    tournament: "Tournament",
    *,
    json: bool,
) -> bool:
    """Play the whole match again, and print what differs; return True if nothing does."""
    again = played_again(record, event, tournament)
    different = list(differences(record, again))
    lines = [match_text.heading(record.match)]
    for difference in different:
        lines.append(output.safe_line(difference, 1000))
    if not different:
        turns = max((turn.number for turn in record.turns), default=0)
        reason = output.safe_line(record.verdict.reason)
        lines.append(f"it went the same: {reason} after {turns} turns")

    row = {
        "match": record.match.id,
        "same": not different,
        "differences": different,
    }
    output.print_result([row], *lines, json=json)
    return not different


def _feed(
    record: Record,
    event: str | None,
    tournament: "Tournament",
    name: str,
    role: str | None,
    *,
    questions: bool,
    json: bool,
) -> bool:
    """Feed one bot what its seats read, and print its answers; return True if all are the same."""

    def print_answer(answer: Comparison) -> None:
        text = "\n".join(_lines(answer, questions=questions))
        print(text, flush=True)

    seats, named = _seats_and_bot(record, event, name, role)
    (bot,) = workspace.built(tournament, [named], record.match.conditions.sandbox)
    dialogue = stored_match.dialogue_of(record)
    game = stored_match.game_of(record.match)
    tell: Callable[[Comparison], object] = print_answer
    if json:
        tell = id
    rows: list[dict[str, object]] = []
    same = True
    with Launcher() as launcher:
        for seat in seats:
            if not json:
                then = output.safe_line(seat.bot.name)
                print(f"{seat.role} ({output.safe_line(bot.name)}), fed what {then} read then")
            exchanges = dialogue.of(seat.role)
            if not exchanges:
                raise ArenaError(
                    f"{seat.role} was never asked anything in match {record.match.id}; where its "
                    "bot did not start, `arena check BOT` says why"
                )
            services = service.recorded(record)
            answers = feed(exchanges, record.match, game, bot, launcher, tell, services)
            for answer in answers:
                same = same and answer.same
                rows.append(_row(record, seat, answer))

    conclusion = "every answer is the same"
    if not same:
        conclusion = f"not {conclusion}"
    output.print_result(rows, conclusion, json=json)
    return same


def _row(record: Record, seat: Seat, answer: Comparison) -> dict[str, object]:
    """Return an answer then and now as JSON values."""
    ask = answer.then.ask
    question = ask.text.decode("utf-8", "replace")
    return {
        "match": record.match.id,
        "role": seat.role,
        "turn": ask.turn,
        "question": question.splitlines(),
        "then": answer.said_then,
        "now": answer.said_now,
        "same": answer.same,
        "wall": answer.now.wall,
        "words": answer.now.words or None,
    }


def _seats_and_bot(
    record: Record,
    event: str | None,
    name: str,
    role: str | None,
) -> tuple[list[Seat], Bot]:
    """Return the seats whose questions are asked again, and the bot that answers them.

    The name of a bot of this match is that bot as it played then. A path, or another name, is a bot
    of the workspace.
    """
    roles = stored_match.roles_of(record, role)
    seats = [seat for seat in record.match.seats if seat.role in roles]
    named_seats = [seat for seat in seats if seat.bot.name == name]
    if named_seats and not Path(name).exists():
        return named_seats, _bot_then(named_seats[0], event)

    bot = workspace.bot_named(name)
    if not role:
        seats = [seat for seat in seats if seat.bot.name == bot.name]
    if not seats:
        names = ", ".join(f"{seat.role} ({seat.bot.name})" for seat in record.match.seats)
        raise ArenaError(
            f"--bot {name}: it has no seat in match {record.match.id}; say --role: {names}"
        )
    return seats, bot


def _bot_then(seat: Seat, event: str | None) -> Bot:
    """Return a seat's bot from the event's copies; without a copy as it is now, with a notice."""
    reason = f"no copy of {seat.bot.digest} is left"
    target = Path(tempfile.mkdtemp(dir=workspace.temporary_folder()))
    try:
        folder = paths.event_folder(event)
        copies, refused = stored_match.copy_bots(folder, [seat.bot.digest], target)
        for copy in copies.values():
            return discovery.from_path(copy, seat.bot.name)
    except ArenaError as error:
        refused = {seat.bot.digest: str(error)}
    for why in refused.values():
        reason = f"the copy of {seat.bot.digest} is not played: {output.safe_line(why)}"

    bot = workspace.entrant_named(seat.bot.name)
    if bot.digest != seat.bot.digest:
        output.notice(f"{seat.bot.name}: was edited since ({reason}); it plays as it is now")
    return bot


def _lines(answer: Comparison, *, questions: bool) -> Iterator[str]:
    """Yield a line for an answer, marked `!` if it differs.

    With `questions`, its question and remarks come first.
    """
    if questions:
        yield from match_text.question(answer.then.ask.text)
        for remark in answer.now.remarks:
            yield f"{match_text.INDENT}> # {output.safe_line(remark)}"

    turn = "ready?"
    if answer.then.ask.turn:
        turn = f"turn {answer.then.ask.turn}"
    now = output.safe_line(answer.said_now)
    time = f"{answer.now.wall * 1000:.1f} ms"
    if answer.same:
        yield f"= {turn}: {now}  {time}"
    else:
        then = output.safe_line(answer.said_then)
        yield f"! {turn}: then {then}, now {now}  {time}"

    if answer.then.fault is not None and not answer.same:
        yield f"  then {output.safe_line(answer.then.fault.words, 1000)}"
    if answer.now.ending is not None:
        yield f"  {output.safe_line(answer.now.words, 1000)}"
