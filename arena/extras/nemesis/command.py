"""`arena nemesis`: search for play that beats a bot."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena import workspace
from arena.cli import match_text, options, output, paths
from arena.cli.match import board_named, playing
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.extras.nemesis.search import Exploitation, Nemesis, exploit
from arena.extras.nemesis.seat import NEMESIS, seats_of
from arena.games import rulebook
from arena.match import play
from arena.match.human import HUMAN
from arena.sandbox import folder as scratch
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Event, Match, Record

SHOWN_MOVES = 12


def nemesis(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The bot that is to be beaten: a name or a path.")
    ],
    board: Annotated[
        str,
        typer.Option("--board", "-b", metavar="BOARD", help="The board: game/board, or its name."),
    ],
    role: Annotated[
        str | None, typer.Option(help="A role of the bot; it plays all roles of its side.")
    ] = None,
    matches: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The most matches that are played.",
        ),
    ] = 400,
    seed: Annotated[int, typer.Option(help="Fixes the search, and all chance.")] = 0,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the shortest match that punishes, for `arena replay FILE`."
        ),
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write what the bot should have played, for `arena check`."
        ),
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Search for play that beats a bot, by matches with it.

    Say how many points that takes, and how sure it is. Against a bot that answers each position
    always alike the search can end with a proof that no play takes more.
    """
    overrides = options.overrides(sandbox=sandbox, unsafe=unsafe)
    tournament = workspace.tournament(overrides)
    conditions = workspace.conditions_here(tournament, by_hand=True)
    opponent = workspace.bot_named(bot)
    (built,) = workspace.built(tournament, [opponent], conditions.sandbox)
    chosen = board_named(board, "--board")
    side = _side(chosen, built, role)
    workspace.warn_about_confinement(conditions)

    event = Event(
        name="nemesis",
        seed=seed,
        boards=(chosen,),
        bots=(built,),
        conditions=conditions,
    )
    bots: list[Bot] = []
    nemesis_roles: list[str] = []
    for seat_role in chosen.roles:
        if seat_role in side:
            bots.append(built)
        else:
            bots.append(HUMAN)
            nemesis_roles.append(seat_role)
    seating = tuple(bots)
    first = event.match(chosen, seating, seed)  # of sampled boards the seed chooses one
    game = rulebook.game_of(first)
    with playing(), Launcher() as launcher, ProgressLine("nemesis: matches") as progress:

        def play_match(number: int, searcher: Nemesis) -> Record:
            seed_of_match = seed + number * chosen.variants
            match = event.match(chosen, seating, seed_of_match)
            record = play.play(
                _with_nemesis(match),
                launcher=launcher,
                kinds=[seats_of(searcher)],
            )
            progress(number + 1, matches)
            return record

        result = exploit(game, nemesis_roles, play_match, matches, seed=seed)

    if to is not None:
        from arena.replay import notation

        portable = notation.portable(result.shortest)
        paths.write(to, notation.text_of(portable))
    if tests is not None:
        _write_lessons(tests, result, built, chosen)

    moves = []
    for turn in result.shortest.turns:
        move = {"turn": turn.number, **output.fields(turn, "role", "move")}
        moves.append(move)
    row = {
        "bot": built.name,
        "board": chosen.label,
        "roles": list(side),
        **output.fields(result, "score", "low", "high", "exact", "value"),
        "matches": len(result.records),
        "moves": moves,
    }
    lines = _lines(result, built, chosen, side)
    output.print_result([row], *lines, json=json)


def _side(board: Board, bot: Bot, role: str | None) -> tuple[str, ...]:
    """Return the roles that the bot plays: those of the side that has this role."""
    if len(board.sides) < 2:
        raise ArenaError(
            f"{board.label}: nobody plays against a bot there; name a board with two sides"
        )
    if role is None:
        choices = " or --role ".join(board.roles)
        raise ArenaError(f"{board.label}: say which role the bot plays: --role {choices}")
    if role not in board.roles:
        raise ArenaError(f"--role {role}: {board.label} has {', '.join(board.roles)}")
    (side,) = [side for side in board.sides if role in side]
    for member in side:
        if not bot.plays(board.game, board.name, member):
            raise ArenaError(
                f"{bot.name} does not play {member} on {board.label}: "
                "its bot.toml says what it plays"
            )
    return side


def _with_nemesis(match: Match) -> Match:
    """Return a match against a person with the search in its place.

    The id and the seed stay, which the names of all bots decide: a search that was made before is
    made again alike.
    """
    seats = []
    for seat in match.seats:
        if seat.bot == HUMAN:
            seat = replace(seat, bot=NEMESIS)
        seats.append(seat)
    return replace(match, seats=tuple(seats))


def _lines(
    result: Exploitation,
    bot: Bot,
    board: Board,
    side: tuple[str, ...],
) -> Iterator[str]:
    """Yield how well the search did, and the shortest match that punishes."""
    if result.low < result.high:
        certainty = f"95 %: {result.low:.1f} to {result.high:.1f}, a lower bound"
    elif result.exact:
        certainty = "no play takes more, if it answers each position always alike"
    else:
        certainty = "a lower bound"
    player = f"{output.safe_line(bot.name)} as {' and '.join(side)} on {board.label}"
    yield f"{player}: its nemesis scores {result.score:.1f} of 100 ({certainty})"
    if result.value is not None:
        loss = max(0.0, result.score - result.value)
        yield f"perfect play allows {result.value}: the bot gives away {loss:.1f}"

    played = result.shortest.turns
    moves = [f"{turn.role} {output.safe_line(turn.move)}" for turn in played[:SHOWN_MOVES]]
    if len(played) > SHOWN_MOVES:
        moves.append("...")
    turns = max((turn.number for turn in played), default=0)
    matches = output.counted(len(result.records), "match")
    yield f"shortest of {matches}, {turns} turns: {'; '.join(moves)}"
    yield from match_text.verdict(result.shortest)


def _write_lessons(
    path: Path,
    result: Exploitation,
    bot: Bot,
    board: Board,
) -> None:
    """Write the positions in which the bot threw most away, as `arena lessons --tests` does."""
    from arena import lessons
    from arena.cli.stored_match import game_of
    from arena.results.archive import Archive
    from arena.results.lessons import find

    bots = sorted((bot, NEMESIS), key=lambda bot: bot.name)
    event = Event(
        name="nemesis",
        seed=0,
        boards=(board,),
        bots=tuple(bots),
    )
    match_ids = [record.match.id for record in result.records]
    with (
        scratch.temporary() as folder,
        Archive.open(folder, writing=True) as archive,
    ):
        archive.begin(event, "nemesis", lambda: match_ids)
        archive.append(*result.records)
        report = find([archive], bot.name, game_of, most=lessons.MOST_LESSONS)
        if report.lessons:
            text = lessons.text_of(report.lessons, bot.name, game_of)
            paths.write(path, text)
        else:
            output.notice(f"{path}: not written, because there is no lesson: {report.why_none}")
