"""`arena leaderboard`, `arena charts` and `arena report`: the results of an event as tables, pictures and a page."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import leaderboard_text, options, output, paths, workspace
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError, refusal
from arena.results.columns import CROSSTABLE, LEADERBOARD, RANKINGS, TIMING, Columns

if TYPE_CHECKING:
    import pandas as pd

    from arena.game import Game
    from arena.results.leaderboard import Results
    from arena.values import Match

AllVersions = Annotated[
    bool, typer.Option("--all-versions", help="Count matches of edited bots, boards and rules too.")
]
Rating = Annotated[str | None, typer.Option(help="Another rating than the event's: bradley_terry, elo or points.")]


def leaderboard(
    event: options.EventName = None,
    crosstable: Annotated[bool, typer.Option("--crosstable", help="Each bot's score against each other bot.")] = False,
    timing: Annotated[bool, typer.Option("--timing", help="Seconds a move: median, 99 % and the longest.")] = False,
    rankings: Annotated[bool, typer.Option("--rankings", help="A ranking of each board and of each role.")] = False,
    board: Annotated[
        str | None, typer.Option("--board", "-b", help="The rankings, or the crosstable, of this board only.")
    ] = None,
    role: Annotated[str | None, typer.Option(help="The rankings, or the crosstable, of this role only.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="All columns: each ending, each role.")] = False,
    rating: Rating = None,
    all_versions: AllVersions = False,
    versions: Annotated[bool, typer.Option("--versions", help="Each version of a bot as a bot of its own.")] = False,
    json: options.Json = False,
) -> None:
    """Print the leaderboard of an event, also while it is played."""
    from arena.results.leaderboard import Results

    tables = {"--crosstable": crosstable, "--timing": timing, "--rankings": rankings}
    asked = [name for name, is_asked in tables.items() if is_asked]
    if len(asked) > 1:
        raise ArenaError(f"{' and '.join(asked)} are {'two' if len(asked) == 2 else 'three'} tables: name one")
    if (board or role) and not (crosstable or rankings):
        raise ArenaError("--board and --role choose from a table: add --rankings or --crosstable")
    folder = paths.event_folder(event)
    if versions:
        results = Results.side_by_side(folder, workspace.version_numbers(), rating=rating)
    else:
        results = read(folder, all_versions=all_versions, rating=rating)
    if crosstable:
        frame = results.crosstable(board, role)
        _print_frame(frame if json else results.labelled(frame), CROSSTABLE, json=json)
    elif timing:
        frame = results.timing()
        _print_frame(frame if json else results.labelled(frame), TIMING, json=json)
    elif rankings and json:
        _print_rows(RANKINGS.in_file(results.rankings_rows(board, role)), RANKINGS, json=True)
    elif rankings:
        leaderboard_text.show_rankings(results, board, role)
    else:
        print_leaderboard(results, wide=wide, json=json)


def charts(
    event: options.EventName = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the folder with the pictures.")] = False,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Draw the charts of an event, as SVG and PNG, and write its CSV files."""
    folder = paths.event_folder(event)
    results = read(folder, all_versions=all_versions)
    written = (*write_tables(results, folder), *write_charts(results, folder))
    if json:
        output.print_json({"file": paths.displayed(path)} for path in written)
    else:
        print("\n".join(paths.displayed(path) for path in written))
    if open_:
        typer.launch(str(folder / "charts"))


def report(
    event: options.EventName = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Write report.html: leaderboard, crosstable, charts and every match to replay, in one file without network."""
    from arena.cli import stored_match

    folder = paths.event_folder(event)
    results = read(folder, all_versions=all_versions)
    page = write_report(results, folder, write_charts(results, folder), stored_match.game_of)
    if json:
        output.print_json([{"file": paths.displayed(page)}])
    else:
        print(paths.displayed(page))
    if open_:
        typer.launch(str(page))


def read(folder: Path, *, all_versions: bool = False, rating: str | None = None) -> "Results":
    """Return the results in a folder; `rating` replaces the event's own."""
    from arena.results.leaderboard import Results

    return Results.open(folder, all_versions=all_versions, rating=rating)


def write_tables(results: "Results", folder: Path) -> tuple[Path, ...]:
    """Write the CSV files; return their paths."""
    from arena.results.leaderboard import write_csv

    with _writing(folder):
        return write_csv(results, folder)


def write_charts(results: "Results", folder: Path) -> tuple[Path, ...]:
    """Write the charts; return their paths."""
    from arena import charts

    with _writing(folder):
        written = charts.write(results, folder)
    if written.silent:
        output.notice(f"not drawn: {', '.join(f'{name} ({reason})' for name, reason in written.silent.items())}")
    return written.files


def write_report(
    results: "Results", folder: Path, charts: Iterable[Path], rules: "Callable[[Match], Game[Any]]"
) -> Path:
    """Write report.html with these charts; `rules` returns the game that replays a match."""
    from arena import report

    with _writing(folder), ProgressLine("report: replays") as progress:
        return report.write(results, folder, charts=charts, rules=rules, tell=progress)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turn the failure to write a file into an ArenaError that names the file and the reason."""
    try:
        yield
    except OSError as error:
        if refusal(error) is not None:
            raise
        raise ArenaError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error


def print_leaderboard(results: "Results", *, wide: bool = False, json: bool = False) -> None:
    """Print the leaderboard: every column, or those that fit the terminal."""
    if wide or json:
        columns = LEADERBOARD.rated_in(results.ratings.unit)
        _print_rows(columns.in_file(results.leaderboard_rows()), columns, json=json)
    else:
        leaderboard_text.show(results)


def _print_frame(frame: "pd.DataFrame", columns: Columns, *, json: bool) -> None:
    from arena.results.tables import rows_of

    _print_rows(rows_of(frame, columns), columns, json=json)


def _print_rows(rows: list[dict[str, Any]], columns: Columns, *, json: bool) -> None:
    """Print rows with these columns, whose figures are rounded already."""
    if json:
        output.print_json(rows)
    elif not rows:
        print("no matches yet")
    else:
        output.print_table(output.make_table([columns[name] for name in rows[0]], [list(row.values()) for row in rows]))
