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
        str, typer.Option("--format", help="jsonl, sqlite, or parquet (botarena[parquet]).")
    ] = "jsonl",
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="The folder of the tables; default: export/ in the results."
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Only this match, as a text: to stdout, or into the file of --to."
        ),
    ] = None,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Matches of edited bots and rules too.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Write matches, seats and turns as JSON lines, SQLite or Parquet, or one match as text.

    The text of a match can be read back.
    """
    from arena.replay import notation
    from arena.results import export as tables
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    if match is not None:
        with Archive.open(folder) as archive:
            name = archive.event().name
            record = archive.record(match)
        if record.match.imported:
            raise ArenaError(
                f"match {record.match.id}: was imported without its moves, so there is nothing to "
                "write"
            )
        text = notation.text_of(record, name)
        if to is not None:
            with writing(to):
                whole_files.write(to, text.encode("ascii"))
        row = {"match": record.match.id, "file": None, "text": text}
        line = text.removesuffix("\n")
        if to is not None:
            row["file"] = str(to)
            line = paths.displayed(to)
        output.print_result([row], line, json=json)
        return

    if form not in tables.FORMATS:
        raise ArenaError(f"--format {form}: expected {' or '.join(tables.FORMATS)}")
    with (
        Archive.open(folder) as archive,
        writing(to or folder),
        ProgressLine("export: matches") as progress,
    ):
        target = to or whole_files.make_folder(folder, "export")
        exported = tables.write(
            archive,
            target,
            form,
            all_versions=all_versions,
            tell=progress,
        )
    rows = []
    lines = []
    for path in exported.files:
        row_count = exported.rows.get(path.stem)
        rows.append({"file": str(path), "rows": row_count})
        lines.append(paths.displayed(path))
    output.print_result(rows, *lines, json=json)
