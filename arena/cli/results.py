"""`arena leaderboard`, `arena charts` and `arena report`: how an event went."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import bots, ladder, options, places, screen
from arena.cli.counting import Counting
from arena.errors import ArenaError

if TYPE_CHECKING:
    import pandas as pd

    from arena.game import Game
    from arena.leaderboard import Results
    from arena.match import Match

Words = Annotated[
    str | None,
    typer.Argument(metavar="EVENT", help="A name under results/, a path, or a tournament.toml; default: the one here."),
]
AllVersions = Annotated[
    bool, typer.Option("--all-versions", help="Count matches of edited bots, boards and rules too.")
]
Rating = Annotated[str | None, typer.Option(help="Another rating than the event's: bradley_terry, elo or points.")]


def leaderboard(
    event: Words = None,
    crosstable: Annotated[bool, typer.Option("--crosstable", help="Who did how well against whom.")] = False,
    timing: Annotated[bool, typer.Option("--timing", help="Seconds a move: median, 99 % and worst.")] = False,
    board: Annotated[str | None, typer.Option("--board", "-b", help="Crosstable: only this board.")] = None,
    role: Annotated[str | None, typer.Option(help="Crosstable: only this role.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="All columns: each ending, each role.")] = False,
    rating: Rating = None,
    all_versions: AllVersions = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="The same, with each version of a bot as a bot of its own.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Print the leaderboard of an event, also while it is played."""
    from arena.leaderboard import Results

    if crosstable and timing:
        raise ArenaError("--crosstable and --timing are two tables: name one")
    if (board or role) and not crosstable:
        raise ArenaError("--board and --role choose from the crosstable: say --crosstable too")
    folder = places.event_folder(event)
    if versions:
        results = Results.side_by_side(folder, bots.numbers(), rating=rating)
    else:
        results = read(folder, all_versions=all_versions, rating=rating)
    if crosstable:
        show(results.crosstable(board, role), json=json)
    elif timing:
        show(results.timing(), json=json, decimals=4)
    else:
        standings(results, wide=wide, json=json)


def charts(
    event: Words = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the folder with the pictures.")] = False,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Draw the charts of an event, as SVG and PNG, and write its CSV files."""
    folder = places.event_folder(event)
    results = read(folder, all_versions=all_versions)
    written = (*write_tables(results, folder), *write_charts(results, folder))
    if json:
        screen.print_json({"file": places.shortest(path)} for path in written)
    else:
        print("\n".join(places.shortest(path) for path in written))
    if open_:
        typer.launch(str(folder / "charts"))


def report(
    event: Words = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Write report.html: leaderboard, crosstable, charts and every match to replay, in one file without network."""
    from arena.cli import archived

    folder = places.event_folder(event)
    results = read(folder, all_versions=all_versions)
    written = write_report(results, folder, write_charts(results, folder), archived.rules_of)
    if json:
        screen.print_json([{"file": places.shortest(written)}])
    else:
        print(places.shortest(written))
    if open_:
        typer.launch(str(written))


def read(folder: Path, *, all_versions: bool = False, rating: str | None = None) -> "Results":
    """The results in a folder; `rating` is another rating than the event's."""
    from arena.leaderboard import Results

    return Results.open(folder, all_versions=all_versions, rating=rating)


def write_tables(results: "Results", folder: Path) -> tuple[Path, ...]:
    """Write the CSV files; every file that was written."""
    from arena.leaderboard import write_csv

    with _named(folder):
        return write_csv(results, folder)


def write_charts(results: "Results", folder: Path) -> tuple[Path, ...]:
    """Write the charts; every file that was written."""
    from arena import charts

    with _named(folder):
        written = charts.write(results, folder)
    if written.silent:
        screen.notice(f"not drawn: {', '.join(f'{name} ({why})' for name, why in written.silent.items())}")
    return written.files


def write_report(
    results: "Results", folder: Path, charts: Iterable[Path], rules: "Callable[[Match], Game[Any]]"
) -> Path:
    """Write report.html with these charts in it; `rules` gives the game that a match is replayed by."""
    from arena import report

    with _named(folder), Counting("report: replays") as counting:
        return report.write(results, folder, charts=charts, rules=rules, tell=counting)


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """A file that can't be written is the user's business: which, and why."""
    try:
        yield
    except OSError as error:
        raise ArenaError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error


def standings(results: "Results", *, wide: bool = False, json: bool = False) -> None:
    """The leaderboard on stdout: all of it, or what a terminal has room for."""
    if wide or json:
        show(results.leaderboard(), json=json)
    else:
        ladder.show(results)


def show(frame: "pd.DataFrame", *, json: bool, decimals: int = 2) -> None:
    """A frame on stdout."""
    from arena.tables import rows_of

    rows = rows_of(frame)
    if json:
        screen.print_json(rows)
    elif not rows:
        print("no matches yet")
    else:
        screen.show(screen.table(list(rows[0]), [list(row.values()) for row in rows], decimals))
