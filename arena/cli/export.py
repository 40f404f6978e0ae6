"""`arena export`: an event as tables for other programs, or one match as a text."""

import re
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths
from arena.cli.progress import ProgressLine
from arena.display_names import bot_shown
from arena.errors import ArenaError, writing

FORBIDDEN = re.compile(r"[^\w@-]")
"""What a bot's name may have, but not that of a file."""


def export(
    event: options.EventName = None,
    form: Annotated[str, typer.Option("--format", help="jsonl, sqlite, or parquet (botarena[parquet]).")] = "jsonl",
    to: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The folder of the tables; default: export/ in the results.")
    ] = None,
    match: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this match, as a text: to stdout, or into the file of --to.")
    ] = None,
    card: Annotated[bool, typer.Option("--card", help="Only the leaderboard, as a picture: card.png or --to.")] = False,
    badge: Annotated[str | None, typer.Option(metavar="BOT", help="Only a bot's rank: badge-BOT.svg, or --to.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="A card for dark pages: card-dark.png.")] = False,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Matches of edited bots and rules too.")] = False,
    json: options.Json = False,
) -> None:
    """Write matches, seats and turns as JSON lines, SQLite or Parquet, or one match as a text that can be read back."""
    from arena.replay import notation
    from arena.results import export as tables
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    if dark and not card:
        raise ArenaError("--dark goes with --card only")
    if card or badge is not None:
        if match is not None or (card and badge is not None):
            raise ArenaError("--match, --card and --badge are three things: name one")
        _write_picture(folder, badge, to, dark=dark, all_versions=all_versions, json=json)
        return
    if match is not None:
        with Archive.open(folder) as archive:
            name, record = archive.event().name, archive.record(match)
        text = notation.text_of(record, name)
        if to is not None:
            with writing(to):
                whole_files.write(to, text.encode("ascii"))
        row = {"match": record.match.id, "file": None if to is None else str(to), "text": text}
        output.print_result([row], text.removesuffix("\n") if to is None else paths.displayed(to), json=json)
        return
    if form not in tables.FORMATS:
        raise ArenaError(f"--format {form}: expected {' or '.join(tables.FORMATS)}")
    with Archive.open(folder) as archive, writing(to or folder), ProgressLine("export: matches") as progress:
        target = to or whole_files.make_folder(folder, "export")
        exported = tables.write(archive, target, form, all_versions=all_versions, tell=progress)
    rows = [{"file": str(path), "rows": exported.rows.get(path.stem)} for path in exported.files]
    output.print_result(rows, *map(paths.displayed, exported.files), json=json)


def _write_picture(
    folder: Path, badge: str | None, to: Path | None, *, dark: bool, all_versions: bool, json: bool
) -> None:
    """Write the leaderboard as a card, or a bot's badge."""
    from arena.cli.results import read
    from arena.pictures import card, pixels, svg

    # The card of the report, card.png, is a light one.
    name = f"card{'-dark' * dark}.png" if badge is None else f"badge-{FORBIDDEN.sub('_', badge)[:100]}.svg"
    to = to or folder / name
    if to.suffix not in {".png", ".svg"}:
        raise ArenaError(f"--to {to}: the name of a picture must end with .png or .svg")
    results = read(folder, all_versions=all_versions)
    film = card.card(results, dark) if badge is None else card.badge(results, bot_shown(badge, results.event.bots))
    content = svg.svg(film) if to.suffix == ".svg" else pixels.png([film])
    with writing(to):
        whole_files.write(to, content)
    output.print_result([{"file": str(to), "bytes": len(content)}], paths.displayed(to), json=json)
