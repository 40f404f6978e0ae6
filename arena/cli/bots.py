"""`arena bots`, `arena withdraw`: who takes part in the event of this workspace, and who no longer does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import known, options, places, screen
from arena.errors import ArenaError, did_you_mean

if TYPE_CHECKING:
    from arena.config import Tournament
    from arena.submissions import Shelf
    from arena.submissions.listing import Row

HEADERS = ("name", "version", "digest", "author", "language", "games", "state")
REASON = 300  # characters of one that are shown in a line


def bots(
    versions: Annotated[bool, typer.Option("--versions", help="Every version, not only the one that counts.")] = False,
    json: options.Json = False,
) -> None:
    """List the bots of this workspace: name, version, digest, author, language, games, state."""
    from arena.submissions import listing

    wanted = tournament()
    rows = list(listing.rows(shelf(wanted)) if wanted.bots is not None else ())
    entered = {entry.name for entry in wanted.bot}
    tables = wanted.model_copy(update={"bots": None}).entrants(Path()) if entered else ()
    rows += listing.of_tables(tables)
    shown = [row for place, row in enumerate(rows) if versions or not _behind(rows, place)]
    if json:
        screen.print_json({name: getattr(row, name) for name in (*HEADERS, "submitted", "words")} for row in shown)
        return
    screen.show(screen.table(HEADERS, [_cells(row) for row in shown]))
    for row in shown:
        if row.words:
            screen.notice(f"{row.name}: {screen.shown(row.words, REASON)}")


def withdraw(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bot of this workspace.")], json: options.Json = False
) -> None:
    """Take a bot out of the event; its versions are kept, and so are its matches."""
    from arena.submissions import Desk

    wanted = tournament()
    here = shelf(wanted)
    if name in {entry.name for entry in wanted.bot}:
        raise ArenaError(f"{name!r} is a [[bot]] of tournament.toml: take it out there")
    if not here.playing(name):
        playing = [one for one in here.names() if here.playing(one)]
        gone = "is withdrawn already" if name in here.names() else "there is no such bot"
        raise ArenaError(f"{name!r}: {gone}; {did_you_mean(name, playing) or '`arena bots` lists them'}")
    kept = Desk(here, lambda _: ()).withdraw(name)
    if json:
        screen.print_json([{"name": name, "version": kept.number, "digest": kept.digest, "state": "withdrawn"}])
    else:
        print(f"{name} is withdrawn; version {kept.number} is kept, and plays again after\n")
        print(f"  arena submit {kept.path} --as {name}")


def tournament(changed: dict[str, object] | None = None) -> "Tournament":
    """The tournament.toml here."""
    if not Path(places.FILE).is_file():
        raise ArenaError(f"there is no {places.FILE} here; `arena init DIR` makes a workspace with one")
    return known.tournament(changed)


def shelf(wanted: "Tournament") -> "Shelf":
    """The bots of the workspace here."""
    from arena.submissions import Shelf

    if wanted.bots is None:
        raise ArenaError(f'{places.FILE}: bots: names no folder to take bots into; write bots = "bots", and make it')
    if not Path(wanted.bots).is_dir():
        raise ArenaError(f"bots: there is no folder {wanted.bots}; make it")
    return Shelf(Path(wanted.bots))


def numbers() -> dict[str, int]:
    """The version of each digest that was submitted here; none where this is no workspace."""
    if not Path(places.FILE).is_file() or (wanted := tournament()).bots is None or not Path(wanted.bots).is_dir():
        return {}
    here = shelf(wanted)
    return {one.digest: one.number for name in here.names() for one in here.versions(name)}


def _behind(rows: "list[Row]", place: int) -> bool:
    """Whether a newer row of the same bot stands before it."""
    return rows[place].state in {"replaced", "withdrawn"} and any(
        one.name == rows[place].name for one in rows[:place] if one.state != "refused"
    )


def _cells(row: "Row") -> list[object]:
    games = " ".join(row.games) or ("all" if row.digest else "")
    return [row.name, row.version, row.digest, row.author, row.language, games, row.state]
