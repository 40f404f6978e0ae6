"""`arena check`: is this bot fit to play, and if not, what is to be done?"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import known, options, screen
from arena.errors import ArenaError
from arena.event import Board
from arena.match import Bot, Conditions

if TYPE_CHECKING:
    from arena.checkup import Checkup, Finding, Sitting
    from arena.config import Tournament


def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The file or folder of a bot, or its name.")],
    boards: Annotated[
        list[str] | None,
        typer.Option(
            "--board", "-b", help="Only at these games or boards; default: those of the tournament.toml here."
        ),
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Put a bot through the protocol, step by step, at each board that it plays; exit code 1 when it is not fit."""
    from arena.checkup import checkup
    from arena.sandbox.door import Door

    wanted = known.tournament(options.overrides((), sandbox=sandbox, unsafe=unsafe or None))
    try:
        one = known.bot_named(bot)
    except ArenaError as error:
        if not Path(bot).exists():
            raise
        _refuse(bot, str(error), json=json)
    chosen = boards_of(one, boards or (), wanted)
    conditions: Conditions = wanted.conditions()
    screen.warn_of(conditions.sandbox)
    try:
        (one,) = known.ready([one], conditions.sandbox)
    except ArenaError as error:
        _refuse(bot, str(error), json=json)
    if not json:
        print(f"{screen.shown(one.name)}  {one.digest}  at the level {conditions.sandbox}", flush=True)
    with Door() as door:
        found = checkup(one, chosen, conditions, door, id if json else _tell)
    if json:
        screen.print_json([row(found)])
    else:
        print("\n".join(_verdict(found)))
    if not found.sound:
        raise typer.Exit(1)


def row(found: "Checkup") -> dict[str, object]:
    """A checkup as plain values."""
    return {
        "bot": found.bot.name,
        "digest": found.bot.digest,
        "sound": found.sound,
        "ready": found.ready,
        "wall_p50": found.wall(0.5),
        "wall_p99": found.wall(0.99),
        "wall_max": found.wall(1.0),
        "memory": found.memory,
        "cpu": found.cpu,
        "skipped": found.skipped,
        "sittings": [
            {"board": one.board, "role": one.role, "twist": one.twist, "sound": one.sound, "turns": len(one.moves)}
            for one in found.sittings
        ],
        "findings": [_plain(one) for one in found.findings],
    }


def _plain(one: "Finding") -> dict[str, object]:
    return {name: getattr(one, name) for name in ("weight", "where", "words", "cure", "log", "again")}


def boards_of(bot: Bot, named: Iterable[str], wanted: "Tournament") -> tuple[Board, ...]:
    """Those it plays of the boards that are named, else of the event's, else of all."""
    from arena import rulebook

    def played(boards: Iterable[Board]) -> tuple[Board, ...]:
        return tuple(one for one in boards if any(bot.plays(one.game, one.name, role) for role in one.roles))

    asked = [board for words in named or wanted.boards for board in rulebook.find(words)]
    found = played(dict.fromkeys(asked)) or (() if named else played(rulebook.all_boards()))
    if not found:
        plays = " ".join((*bot.games, *bot.roles))
        raise ArenaError(f"{bot.name}: plays none of these boards: its bot.toml says {plays}; `arena games` lists them")
    return found


def _refuse(words: str, why: str, *, json: bool) -> None:
    """It is no bot at all, so that nothing can be tried."""
    if json:
        finding = {"weight": "fault", "where": "before it is started", "words": why, "cure": "", "log": [], "again": []}
        screen.print_json([{"bot": words, "sound": False, "findings": [finding]}])
    else:
        print(f"FAULT   {screen.harmless(why)}")
    raise typer.Exit(1)


def _tell(one: "Sitting") -> None:
    """A line for a sitting."""
    result = "ok   " if one.sound else "FAULT"
    twist = f", {one.twist}" if one.twist else ""
    answers = f"{len(one.moves)} legal answer{'' if len(one.moves) == 1 else 's'}"
    print(f"  {result}  {one.board} as {one.role}{twist}: {answers}")
    sys.stdout.flush()


def _verdict(found: "Checkup") -> Iterator[str]:
    """Figures, findings, and what they come to."""
    yield from _figures(found)
    for one in found.findings:
        yield f"\n{one.weight.upper():7} {one.where}{f', and {len(one.again)} more' if one.again else ''}"
        yield f"        {screen.harmless(one.words)}"
        yield from (f"        stderr: {screen.harmless(line)}" for line in one.log)
        yield f"        -> {screen.harmless(one.cure)}"
    skipped = f"; {found.skipped} more matches were not tried" if found.skipped else ""
    name = screen.shown(found.bot.name)
    yield f"\n{name} is fit to play" if found.sound else f"\n{name} would lose matches as it is{skipped}"


def _figures(found: "Checkup") -> Iterator[str]:
    limits, time = found.conditions.limits.tightened(found.bot.limits), found.conditions.time
    if found.ready is not None:
        yield f"\nready in {_ms(found.ready)}{_of(time.start)}"
    if (median := found.wall(0.5)) is not None:
        slow, worst = (_ms(found.wall(share) or 0.0) for share in (0.99, 1.0))
        yield f"answers in {_ms(median)} (median), {slow} (99 of 100), {worst} (all){_of(time.move)}"
    memory = f" of {limits.memory / 1e6:.0f} MB" if limits.memory is not None else ""
    yield f"memory {found.memory / 1e6:.0f} MB{memory}, CPU {found.cpu:.2f} s a match"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _of(seconds: float | None) -> str:
    return "" if seconds is None else f" of {seconds * 1000:g} ms"
