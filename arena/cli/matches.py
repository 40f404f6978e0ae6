"""`arena match` and `arena replay`: one match, turn by turn."""

import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import options, places, screen, telling
from arena.errors import ArenaError
from arena.event import Board, Event
from arena.game import Game
from arena.match import Bot, Conditions, Match, Record
from arena.scenes import Retelling, Scene, scenes

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Draw = Annotated[bool, typer.Option("--draw/--no-draw", help="Draw the board, or print the moves only.")]


def match(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="Names or paths of bots, in role order.")],
    board: Annotated[str, typer.Option("--board", "-b", help="A board: game/board, or its name.")],
    seed: Annotated[int, typer.Option(help="Fixes every draw.")] = 0,
    sandbox: Annotated[str | None, typer.Option(metavar="LEVEL", help=options.SANDBOX)] = None,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=options.UNSAFE)] = False,
    draw: Draw = True,
    watch: Annotated[float, typer.Option(help="Seconds to wait after each turn that is shown.")] = 0.0,
    json: Json = False,
) -> None:
    """Play one match between named bots, and show it turn by turn. Nothing is stored."""
    from arena import play, rulebook

    changed = options.overrides((), sandbox=sandbox, unsafe=unsafe or None)
    planned = _plan(_one_board(board), bots, seed, changed)
    screen.warn_of(planned.conditions.sandbox)
    game = rulebook.game_of(planned)
    retelling = Retelling(game)
    if json:
        record = play.play(planned)
        turns = [row for scene in scenes(game, record.turns) for row in telling.turn_rows(planned, scene)]
        screen.print_json([telling.row(record) | {"turns": turns}])
        return
    print(telling.heading(planned))
    _show(game, planned, retelling.opening(), draw)

    def tell(turns: Any) -> None:
        for scene in retelling.go_on(turns):
            _show(game, planned, scene, draw)
            sys.stdout.flush()
            time.sleep(watch)

    record = play.play(planned, watch=lambda referee: tell(referee.turns))
    tell(record.turns)  # what the referee played at the end, when nobody was asked any more
    print("\n".join(telling.verdict(record)))


def replay(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match, or its first digits.")],
    event: Annotated[str | None, typer.Argument(metavar="EVENT", help="Its event; default: the one here.")] = None,
    turn: Annotated[int | None, typer.Option(help="Show this turn only; 0 is the start.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each turn.")] = False,
    draw: Draw = True,
    json: Json = False,
) -> None:
    """Print a recorded match turn by turn; steps that a wall stopped are marked."""
    record = recorded(match, event)
    game = rules_of(record.match)
    chosen = list(_chosen(game, record, turn))
    if json:
        screen.print_json(row for scene in chosen for row in telling.turn_rows(record.match, scene))
        return
    print(telling.heading(record.match))
    for scene in chosen:
        _show(game, record.match, scene, draw)
        if step and not _enter():
            return
    if turn is None:
        print("\n".join(telling.verdict(record)))
        if record.verdict.faults:
            print(f"to see it again: {shlex.join(['arena', 'rerun', record.match.id, *([event] if event else [])])}")


def _one_board(words: str) -> Board:
    from arena import rulebook

    found = rulebook.find(words, Path())
    if len(found) > 1:
        raise ArenaError(f"--board {words}: one of {', '.join(board.label for board in found)}, please")
    return found[0]


def _plan(board: Board, words: list[str], seed: int, changed: Mapping[str, object]) -> Match:
    """The match of these bots: one for each role, or one for each side."""
    known, conditions = _entrants(changed)
    bots = [_bot(word, known) for word in words]
    if len(bots) == len(board.roles):
        holder = dict(zip(board.roles, bots, strict=True))
    elif len(bots) == len(board.sides):
        holder = {role: bot for side, bot in zip(board.sides, bots, strict=True) for role in side}
    else:
        raise ArenaError(
            f"{board.label}: {len(bots)} bots named, but it is played by {' '.join(board.roles)}: name one bot for each"
        )
    for role, bot in holder.items():
        if not bot.plays(board.game, board.name, role):
            raise ArenaError(f"{bot.name} does not play {role} on {board.label}: its bot.toml says what it plays")
    event = Event(name="match", seed=seed, boards=(board,), bots=tuple(bots), conditions=conditions)
    return event.match(board, tuple(holder[role] for role in board.roles), 0)


def _show(game: Game[Any], planned: Match, scene: Scene, draw: bool) -> None:
    for line in telling.lines(scene, telling.names_of(planned)):
        print(line)
    if draw:
        print(f"\n{telling.drawing(game, scene)}\n")


def _chosen(game: Game[Any], record: Record, turn: int | None) -> Iterator[Scene]:
    told = list(scenes(game, record.turns))
    last = told[-1].number
    if turn is not None and not 0 <= turn <= last:
        raise ArenaError(f"--turn {turn}: match {record.match.id} has turns 0 (the start) to {last}")
    return (scene for scene in told if turn is None or scene.number == turn)


def rules_of(match: Match) -> Game[Any]:
    """The game a match was played by, from the rules that are known here."""
    from arena import rulebook

    return rulebook.game_of(board_of(match))


def board_of(match: Match) -> Board:
    """The board a match was played on, from the rules that are known here.

    Rules are trusted code and results may come from anybody, so the path that stands in a record is never run as such.
    """
    from arena import rulebook

    known = {board.rules: board for board in (*rulebook.all_boards(), *_boards_by_path()) if board.name == match.board}
    return known.get(match.rules) or rulebook.find(match.label)[0]


def _boards_by_path() -> Iterator[Board]:
    """The boards of rules files that the tournament.toml here names by their path."""
    from arena import config, rulebook

    here = Path(places.FILE)
    if here.is_file():
        for words in config.load(here).boards:
            if ".py" in words:
                yield from rulebook.find(words)


def _enter() -> bool:
    """Wait for Enter on a terminal; whether to go on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        return not input("Enter: go on, q: leave ").strip().lower().startswith("q")
    except EOFError:
        return False


def recorded(prefix: str, event: str | None) -> Record:
    """The record of a match in an event."""
    from arena.archive import Archive

    with Archive.open(places.event_folder(event), writing=False) as archive:
        return archive.record(prefix)


def _entrants(changed: Mapping[str, object]) -> tuple[dict[str, Bot], Conditions]:
    """The bots of the workspace by name, and what it plays under; without a tournament.toml, what arena ships."""
    from arena import config, rulefile

    here = Path(places.FILE)
    wanted = config.load(here if here.is_file() else rulefile.shipped().parent / places.FILE, changed)
    if not here.is_file():
        return {bot.name: bot for bot in wanted.entrants(rulefile.shipped().parent)}, wanted.conditions()
    return {bot.name: bot for bot in wanted.entrants(Path())}, wanted.conditions()


def _bot(words: str, known: Mapping[str, Bot]) -> Bot:
    """A bot by its name, or by the path of its file or folder."""
    from arena import roster

    if words in known:
        return known[words]
    if Path(words).exists():
        return roster.from_path(Path(words))
    near = get_close_matches(words, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ArenaError(f"there is no bot {words!r}{hint} Known: {', '.join(known) or 'none'}; or name a path")
