"""`arena export`: an event as tables for other programs, or one match as a text."""

from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError, writing


def export(
    event: options.EventName = None,
    form: Annotated[
        str, typer.Option("--format", help="jsonl, sqlite, or parquet (with botarena[parquet]).")
    ] = "jsonl",
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="PATH", help="The folder of the tables; default: export/ in the results."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option("--match", metavar="ID", help="Only this match, as a text: to stdout, or into the file of --to."),
    ] = None,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Matches of edited bots, boards and rules too.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Write matches, seats and turns as JSON lines, SQLite or Parquet, or one match as a text that can be read back."""
    from arena.replay import notation
    from arena.results import export as tables
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    if match is not None:
        with Archive.open(folder) as archive:
            name, record = archive.event().name, archive.record(match)
        text = notation.text_of(record, name)
        if to is not None:
            with writing(to):
                whole_files.write(to, text.encode("ascii"))
        if json:
            output.print_json([{"match": record.match.id, "file": None if to is None else str(to), "text": text}])
        else:
            print(text if to is None else f"{paths.displayed(to)}\n", end="")
        return
    if form not in tables.FORMATS:
        raise ArenaError(f"--format {form}: expected {' or '.join(tables.FORMATS)}")
    with Archive.open(folder) as archive, writing(to or folder), ProgressLine("export: matches") as progress:
        target = to or whole_files.make_folder(folder, "export")
        exported = tables.write(archive, target, form, all_versions=all_versions, tell=progress)
    if json:
        output.print_json({"file": str(path), "rows": exported.rows.get(path.stem)} for path in exported.files)
    else:
        print("\n".join(paths.displayed(path) for path in exported.files))
