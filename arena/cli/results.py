"""`arena leaderboard`, `arena charts` and `arena report`: the results of an event."""

from collections.abc import Callable, Iterable
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import workspace
from arena.cli import options, output, paths, stored_match
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError, writing
from arena.event import result_files
from arena.game import Game
from arena.results.columns import (
    CHANGE,
    CROSSTABLE,
    LEADERBOARD,
    PLACINGS,
    RANKINGS,
    TIMING,
    Columns,
)
from arena.values import Match

if TYPE_CHECKING:
    import pandas as pd

    from arena.charts import Written
    from arena.results.leaderboard import Results

AllVersions = Annotated[
    bool, typer.Option("--all-versions", help="Count matches of edited bots, boards and rules too.")
]
Rating = Annotated[
    str | None,
    typer.Option(help="Another rating than the event's: bradley_terry, elo, points or alpha_rank."),
]


def leaderboard(
    event: options.EventName = None,
    crosstable: Annotated[
        bool, typer.Option("--crosstable", help="Each bot's score against each other bot.")
    ] = False,
    timing: Annotated[
        bool, typer.Option("--timing", help="Seconds a move: median, 99 % and the longest.")
    ] = False,
    rankings: Annotated[
        bool, typer.Option("--rankings", help="A ranking of each board and of each role.")
    ] = False,
    placings: Annotated[
        bool, typer.Option("--placings", help="The places of a Swiss or knockout, with byes.")
    ] = False,
    board: Annotated[
        str | None,
        typer.Option(
            "--board", "-b", metavar="BOARD", help="Rankings, or crosstable, of this board."
        ),
    ] = None,
    role: Annotated[
        str | None, typer.Option(help="The rankings, or the crosstable, of this role only.")
    ] = None,
    wide: Annotated[
        bool, typer.Option("--wide", help="All columns: each ending, each role.")
    ] = False,
    rating: Rating = None,
    all_versions: AllVersions = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Each version of a bot as a bot of its own.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Print the leaderboard of an event, also while it is played."""
    from arena.cli import leaderboard_text
    from arena.results.tables import rows_of

    tables = {
        "--crosstable": crosstable,
        "--timing": timing,
        "--rankings": rankings,
        "--placings": placings,
    }
    chosen = [name for name, is_asked in tables.items() if is_asked]
    if len(chosen) > 1:
        counts = {2: "two", 3: "three", 4: "four"}
        count = counts[len(chosen)]
        raise ArenaError(f"{' and '.join(chosen)} are {count} tables: name one")
    if board or role:
        if timing or placings:
            raise ArenaError(
                "--board and --role choose from the rankings or the crosstable: leave out "
                f"{chosen[0]}"
            )
        rankings = not crosstable

    folder = paths.event_folder(event)
    results = read(
        folder,
        all_versions=all_versions,
        rating=rating,
        versions=versions,
    )
    if crosstable:
        _print_frame(results, results.crosstable(board, role), CROSSTABLE, json=json)
    elif timing:
        _print_frame(results, results.timing(), TIMING, json=json)
    elif rankings:
        # They are those of each board, over all its roles, and of each role; or of one of these.
        rows = rows_of(results.rankings(board, role), RANKINGS)
        if json:
            output.print_json(rows)
        else:
            leaderboard_text.print_rankings(results, rows)
    elif placings:
        rows = PLACINGS.in_file(result_files.placings_of(results))
        _print_rows(rows, PLACINGS, json=json)
    else:
        print_leaderboard(results, wide=wide, json=json)


def charts(
    event: options.EventName = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the folder with the pictures.")
    ] = False,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Draw the charts of an event, as SVG and PNG, and write its CSV files."""
    folder = paths.event_folder(event)
    results = read(folder, all_versions=all_versions)
    tables = result_files.write_tables(results)
    pictures = write_charts(results)
    print_files((*tables, *pictures.files), json=json)
    reasons = [f"{name} ({reason})" for name, reason in pictures.silent.items()]
    if reasons:
        output.notice(f"not drawn: {', '.join(reasons)}")
    if open_:
        typer.launch(str(folder / "charts"))


def report(
    event: options.EventName = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="EVENT", help="Show what changed since another event, such as last week's."
        ),
    ] = None,
    all_versions: AllVersions = False,
    json: options.Json = False,
) -> None:
    """Write report.html: leaderboard, crosstable, charts and matches to replay, in one file.

    It needs no network.
    """
    folder = paths.event_folder(event)
    results = read(folder, all_versions=all_versions)
    then = None
    if since is not None:
        then = read(paths.event_folder(since), rating=results.rating)
    page = write_report(results, stored_match.game_of, then)
    print_files([page], json=json)
    if open_:
        typer.launch(str(page))


def print_files(files: Iterable[Path], *, json: bool) -> None:
    """Print the names of files that were written."""
    names: list[str] = []
    rows: list[dict[str, str]] = []
    for file in files:
        name = paths.displayed(file)
        names.append(name)
        rows.append({"file": name})
    output.print_result(rows, *names, json=json)


def read(
    folder: Path,
    *,
    all_versions: bool = False,
    rating: str | None = None,
    versions: bool = False,
) -> "Results":
    """Return the results in a folder.

    `rating` replaces the event's own; with `versions` each version is a bot of its own.
    """
    from arena.results.leaderboard import Results

    if versions:
        numbers = workspace.version_numbers()
        return Results.side_by_side(folder, numbers, rating=rating, rules=stored_match.game_of)
    return Results.open(
        folder, all_versions=all_versions, rating=rating, rules=stored_match.game_of
    )


def write_charts(results: "Results") -> "Written":
    """Write the charts; return which were drawn, and which have nothing to show."""
    from matplotlib import artist

    # While it is imported, matplotlib writes a text about each property of each artist: a fifth of
    # the import's time.
    artist.kwdoc = lambda _: ""  # type: ignore[assignment]
    from arena import charts

    with writing(results.folder), ProgressLine("drawing the charts", begins=True):
        return charts.write(results, results.folder)


def write_report(
    results: "Results",
    rules: Callable[[Match], Game[Any]],
    since: "Results | None" = None,
) -> Path:
    """Write the charts, and report.html with them.

    `rules` returns the game that replays a match.
    """
    from arena.report import writing as report_writing

    charts = write_charts(results).files
    placings = result_files.placings_of(results)
    with writing(results.folder), ProgressLine("report: replays") as progress:
        return report_writing.write_report(
            results,
            results.folder,
            charts=charts,
            placings=placings,
            rules=rules,
            tell=progress,
            since=since,
        )


def print_leaderboard(
    results: "Results",
    *,
    wide: bool = False,
    json: bool = False,
    brief: bool = False,
) -> None:
    """Print the leaderboard, as wide as the terminal unless `wide`; `brief` explains nothing.

    The places by the rules of a Swiss or a knockout stand before it.
    """
    from arena.cli import leaderboard_text
    from arena.results.tables import rows_of

    if not json:
        _print_placings(results)
    if not (wide or json):
        leaderboard_text.show(results, brief=brief)
        return
    columns = LEADERBOARD.rated_in(results.unit)
    rows = rows_of(results.leaderboard(), columns)
    if json:
        # Only here: the CSV file depends on the stored matches alone, and a change depends on the
        # last run, too.
        changes = _rank_changes(results)
        for row in rows:
            key = (row["game"], row["bot"])
            row[CHANGE.name] = changes.get(key)
    _print_rows(rows, columns, json=json)


def _rank_changes(results: "Results") -> dict[tuple[str | None, str], int | str]:
    """Return the change of rank of each bot in each game, and in all games together."""
    from arena.results.leaderboard.rank_changes import NEW

    changes: dict[tuple[str | None, str], int | str] = {}
    for league in chain([results], results.leagues):
        for bot, change in league.rank_changes.items():
            key = (league.game, bot)
            if change is None:
                changes[key] = NEW
            else:
                changes[key] = change
    return changes


def _print_placings(results: "Results") -> None:
    """Print the places by the rules of a Swiss or a knockout; nothing for other schedules."""
    placings = result_files.placings_of(results)
    if not placings:
        return
    from arena.event.placings import shown_columns

    schedule = results.event.schedule
    print(f'places by the rules of schedule = "{schedule}", where a bye counts as a win:')
    columns = shown_columns(schedule)
    keys: list[str] = []
    for column in columns:
        if column.name == "bot":
            keys.append("display")
        else:
            keys.append(column.name)
    games = groupby(placings, key=lambda row: row["game"])
    for number, (game, rows) in enumerate(games):
        if len(results.games) > 1:
            output.print_section(number, game)
        cells = [[row[key] for key in keys] for row in rows]
        output.print_table(output.make_table(columns, cells))
    print("\nby rating, which knows matches only:")


def _print_frame(
    results: "Results",
    frame: "pd.DataFrame",
    columns: Columns,
    *,
    json: bool,
) -> None:
    """Print a frame of the results, as a table with the names that tables show."""
    from arena.results.tables import rows_of

    if not json:
        frame = results.with_display_names(frame)
    rows = rows_of(frame, columns)
    _print_rows(rows, columns, json=json)


def _print_rows(
    rows: list[dict[str, Any]],
    columns: Columns,
    *,
    json: bool,
) -> None:
    """Print rows with these columns, whose figures are rounded already."""
    if json:
        output.print_json(rows)
    elif not rows:
        print("no matches yet")
    else:
        shown_columns = [columns[name] for name in rows[0]]
        cells = [list(row.values()) for row in rows]
        output.print_table(output.make_table(shown_columns, cells))
