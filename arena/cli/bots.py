"""`arena bots` and `arena withdraw`: list the bots of this workspace, and take one out of the event."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, output, workspace
from arena.display_names import bot_shown
from arena.errors import ArenaError

HEADERS = ("name", "version", "digest", "author", "language", "games", "state", "display")
REASON_LENGTH = 300  # characters of a reason that are shown in a line


def bots(
    versions: Annotated[bool, typer.Option("--versions", help="Every version, not only the one that counts.")] = False,
    refused: Annotated[
        bool, typer.Option("--refused", help="Also the refused bots, with the reasons; by default only how many.")
    ] = False,
    json: options.Json = False,
) -> None:
    """List the bots of this workspace: name, version, digest, author, language, games, state, display name."""
    from arena.author.submissions import listing

    tournament = workspace.own_tournament()
    rows = list(listing.rows(workspace.bot_store(tournament)) if tournament.bots is not None else ())
    tables = tournament.model_copy(update={"bots": None}).entrants(Path()) if tournament.bot else ()
    rows += listing.of_tables(tables)
    if not versions:
        rows = listing.newest(rows)
    if json:
        output.print_json({name: getattr(row, name) for name in (*HEADERS, "submitted", "words")} for row in rows)
        return
    refusals = sum(row.state == "refused" for row in rows)
    if not refused:
        rows = [row for row in rows if row.state != "refused"]
    cells = []
    for row in rows:
        games = " ".join(row.games) or ("all" if row.digest else "")
        cells.append([row.name, row.version, row.digest, row.author, row.language, games, row.state, row.display])
    output.print_table(output.make_table(HEADERS, cells))
    if refusals and not refused:
        output.notice(f"{refusals} refused; `arena bots --refused` says why")
    for row in rows:
        if row.words:
            output.notice(f"{row.name}: {output.safe_line(row.words, REASON_LENGTH)}")


def withdraw(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot of this workspace.")], json: options.Json = False
) -> None:
    """Take a bot out of the event; its versions and its matches are kept."""
    tournament = workspace.own_tournament()
    store = workspace.bot_store(tournament)
    with suppress(ArenaError):  # a bot that is none may be withdrawn, too
        name = bot_shown(name, workspace.entrants())
    if name in {entry.name for entry in tournament.bot}:
        raise ArenaError(f"{name!r} is a [[bot]] of tournament.toml: take it out there")
    version = store.withdraw(name)
    if json:
        output.print_json([{"name": name, "version": version.number, "digest": version.digest, "state": "withdrawn"}])
    else:
        print(f"{name} is withdrawn; version {version.number} is kept, and plays again after\n")
        print(f"  arena submit {version.path} --as {name}")
