"""The CSV files beside the archive of an event."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import writing
from arena.event.plan import placings
from arena.identity import digest_of
from arena.results.archive import Archive
from arena.results.columns import PLACINGS

if TYPE_CHECKING:
    from arena.results.leaderboard import Results  # imports pandas


def write_tables(results: "Results") -> tuple[Path, ...]:
    """Write the CSV files of an event; return their paths.

    Files that stand there, made of the same, are not made again.
    """
    from arena.results import made_files
    from arena.results.leaderboard import write_csv

    folder = results.folder
    with writing(folder):
        rows = placings_of(results)
        note = folder / ".tables.json"
        key = digest_of(results.made_of, rows)
        recalled = made_files.recall(note, key)
        if recalled is not None:
            return recalled.files

        paths = write_csv(results, folder)
        if rows:
            import pandas as pd

            from arena.results import tables

            frame = pd.DataFrame(rows, columns=PLACINGS.names)
            frame = frame.astype({"buchholz": "float", "out": "Int64"})
            path = tables.write(frame, PLACINGS, folder / "placings.csv")
            paths = (*paths, path)
        made = made_files.MadeFiles(files=paths)
        made_files.store(note, key, made)
        return paths


def placings_of(results: "Results") -> list[dict[str, Any]]:
    """Return the rows of the places of a Swiss or a knockout, best first; none otherwise."""
    with Archive.open(results.folder, writing=False) as archive:
        return placings(archive)
