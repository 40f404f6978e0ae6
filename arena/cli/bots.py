"""`arena new`, `arena bots` and `arena withdraw`: make, list and withdraw the bots here."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena import workspace
from arena.author import named_bots, starters
from arena.author.submissions import listing
from arena.cli import options, output, paths
from arena.display_names import bot_shown
from arena.errors import ArenaError
from arena.event import discovery
from arena.games import rulebook


def new(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The bot's name.")] = None,
    language: Annotated[
        str, typer.Option("--language", "-l", help="A starter kit: python, c, rust, ...")
    ] = "python",
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="Its game or board; default: every game."
        ),
    ] = None,
    author: Annotated[str, typer.Option(help="The author's name.")] = "",
    json: options.Json = False,
) -> None:
    """Make a bot from a starter kit, in bots/ of the workspace; without a name, list the kits."""
    from arena.event import config

    if name is None:
        kits = starters.starters()
        rows = [output.fields(kit, "name", "language", "build") for kit in kits]
        output.print_records(rows, json=json)
        return

    kit = starters.find(language)
    file = paths.tournament_file(None)
    folder = Path()
    known = game
    if file.is_file():
        tournament = config.load(file)
        folder = Path(tournament.bots or ".")
        if not game and tournament.boards:
            # The suggested match is on the event's first board; of many boards to draw it is
            # enough to draw one.
            known = tournament.boards[0].partition(":")[0]
    target = folder / discovery.checked(name, Path("NAME"))

    if known:
        boards = rulebook.find(known)
    else:
        boards = rulebook.all_boards()
    first = boards[0]
    games: list[str] = []  # for bot.toml: a game, one of its boards, or nothing for everything
    if game is not None:
        query, _, _ = game.partition(":")  # a colon is followed by the number of boards to draw
        _, _, name_in_query = query.rpartition("/")
        if len(boards) == 1 and name_in_query == first.name:
            games.append(first.label)
        else:
            games.append(first.game)

    path = shlex.quote(str(target))
    board = f" --board {shlex.quote(first.label)}"
    players = " ".join([path] * len(first.sides))
    match = f"{players}{board}"
    readme = {"name": target.name, "path": path, "match": match}
    """What a kit's README.md leaves open."""
    starters.copy(
        kit,
        target,
        author=author,
        games=games,
        replacements=readme,
    )
    if json:
        row = {
            "bot": name,
            "path": str(target),
            "language": kit.language,
            "build": kit.build,
        }
        output.print_json([row])
        return

    print(f"{target} is a bot now: {target / 'README.md'} says where to begin. Next:\n")
    if first.game not in rulebook.games_with_named_boards():
        board = ""  # only a board that is made from its name must be named where no event plays it
    print(f"  arena check {path}{board}\n  arena match {match}\n  arena submit {path}{board}")


HEADERS = ("name", "version", "digest", "author", "language", "games", "state", "display")
SPARE = ("display", "language", "games", "author", "version")
"""The columns that are left out if a terminal is too narrow for all, the first of them first."""
REASON_LENGTH = 300  # characters of a reason that are shown in a line


def bots(
    versions: Annotated[
        bool, typer.Option("--versions", help="Every version, not only the one that counts.")
    ] = False,
    refused: Annotated[
        bool,
        typer.Option(
            "--refused", help="Also the refused bots, with the reasons; by default only how many."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """List the bots of this workspace.

    A row has name, version, digest, author, language, games, state and display name.
    """
    rows = _rows()
    if not versions:
        rows = listing.newest(rows)
    if json:
        output.print_json(output.fields(row, *HEADERS, "submitted", "words") for row in rows)
        return

    refusals = sum(row.state == "refused" for row in rows)
    if not refused:
        rows = [row for row in rows if row.state != "refused"]
    output.print_columns(_columns(rows), SPARE)
    if refusals and not refused:
        output.notice(f"{refusals} refused; `arena bots --refused` says why")
    for row in rows:
        if row.words:
            output.notice(f"{row.name}: {output.safe_line(row.words, REASON_LENGTH)}")


def _rows() -> list[listing.Row]:
    """Return the bots here: those that were submitted, then those of tables of tournament.toml."""
    tournament = workspace.own_tournament()
    rows: list[listing.Row] = []
    people = named_bots.people_now(Path())
    if tournament.bots is not None:
        store = workspace.bot_store(tournament)
        rows += listing.rows(store, people)

    tables = tuple(entry for entry in tournament.bot if entry.adds_bot)
    only_tables = tournament.model_copy(update={"bots": None, "bot": tables})
    for bot in only_tables.entrants(Path()):
        rows.append(listing.row_of(bot, listing.BotState.BY_HAND))
    return rows


def _columns(rows: Sequence[listing.Row]) -> dict[str, list[object]]:
    """Return the columns of a table of bots, without those that are empty."""
    columns: dict[str, list[object]] = {}
    for header in HEADERS:
        column = [_cell(row, header) for row in rows]
        if any(column) or not rows:
            columns[header] = column
    return columns


def _cell(row: listing.Row, header: str) -> object:
    """Return the cell of a bot in the column with this header."""
    if header != "games":
        return getattr(row, header)
    if row.games:
        return " ".join(row.games)
    if row.digest:
        return "all"
    return ""


def withdraw(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot of this workspace.")],
    json: options.Json = False,
) -> None:
    """Take a bot out of the event; its versions and its matches are kept."""
    tournament = workspace.own_tournament()
    store = workspace.bot_store(tournament)
    with suppress(ArenaError):  # a file that is no bot may be withdrawn, too
        name = bot_shown(name, workspace.entrants())
    if name in tournament.table_bots:
        raise ArenaError(f"{name!r} is a [[bot]] of tournament.toml: take it out there")
    version = store.withdraw(name)
    row = {
        "name": name,
        "version": version.number,
        "digest": version.digest,
        "state": "withdrawn",
    }
    output.print_result(
        [row],
        f"{name} is withdrawn; version {version.number} is kept, and plays again after\n",
        f"  arena submit {version.path} --as {name}",
        json=json,
    )
