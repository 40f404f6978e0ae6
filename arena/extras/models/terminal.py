"""What `arena leaderboard` prints of language models, below the leaderboard."""

from arena.cli import output
from arena.cli.leaderboard_text import figures_of, table_of
from arena.extras.models import frames
from arena.results.columns import interval_text
from arena.results.leaderboard import Results
from arena.results.tables import rows_of


def models(results: Results) -> None:
    """Print what each bot asked of the language model, and what that cost."""
    if not frames.has_model(results):
        return
    rows = rows_of(frames.models(results), frames.MODELS)
    if rows:
        print("\nlanguage model")
        cells = [[results.display_name(row["bot"]), *list(row.values())[1:]] for row in rows]
        output.print_table(output.make_table(frames.MODELS.columns, cells))


def disguise(results: Results) -> None:
    """Print what the play of each bot that needs a language model owes to knowing the game."""
    if not frames.is_disguised(results):
        return
    columns = frames.DISGUISE.rated_in(results.unit)
    rows = rows_of(frames.disguise(results), columns)
    if not rows:
        return
    cells: dict[str, list[object]] = {"bot": [results.display_name(row["bot"]) for row in rows]}
    for name in ("plain", "disguised", "difference"):
        cells[columns[name].heading] = figures_of(rows, columns[name])
    intervals: list[object] = []
    for row in rows:
        ends = [columns[end].text(row[end]) for end in ("difference_low", "difference_high")]
        intervals.append("" if row["difference"] is None else interval_text(*ends))
    cells["95 %"] = intervals
    print("\nin disguise")
    output.print_table(table_of(cells))
