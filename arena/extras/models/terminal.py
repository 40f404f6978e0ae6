"""What `arena leaderboard` prints of language models, below the leaderboard."""

from collections.abc import Mapping
from typing import Any

from arena.cli import output
from arena.cli.leaderboard_text import figures_of
from arena.extras.models import frames
from arena.results.columns import interval_text
from arena.results.leaderboard import Results
from arena.results.tables import rows_of

COSTS = (
    "bot",
    "model",
    "matches",
    "calls",
    "tokens_in",
    "tokens_out",
    "cost",
    "cost_a_match",
    "cost_a_point",
)
"""The columns of the first table."""


def models(results: Results) -> None:
    """Print what each bot asked of its language model, its cost, and whence its moves came."""
    if not frames.has_model(results):
        return
    frame = frames.models(results)
    rows = rows_of(frame, frames.MODELS)
    if not rows:
        return

    print("\nlanguage model")
    columns = [frames.MODELS[name] for name in COSTS]
    lines: list[list[object]] = []
    for row in rows:
        line = [row[name] for name in COSTS]
        line[0] = results.display_name(row["bot"])
        lines.append(line)
    output.print_table(output.make_table(columns, lines))

    print("\nhow its moves came about")
    cells: dict[str, list[object]] = {}
    cells["bot"] = [results.display_name(row["bot"]) for row in rows]
    cells["moves"] = [row["moves"] for row in rows]
    for name in frames.SHARES:
        heading = f"{frames.MODELS[name].heading}, %"
        cells[heading] = [_share(row, name) for row in rows]
    for name in ("unasked", *frames.ANSWERS):
        cells[name] = [row[name] for row in rows]
    output.print_table(output.table_of(cells))


def _share(row: Mapping[str, Any], name: str) -> str:
    """Return a share of moves in %, with its interval."""
    if row[name] is None:
        return ""
    column = frames.MODELS[name]
    share = column.text(row[name])
    low = column.text(row[f"{name}_low"])
    high = column.text(row[f"{name}_high"])
    return f"{share} ({interval_text(low, high)})"


def disguise(results: Results) -> None:
    """Print what the play of each bot that needs a language model owes to knowing the game."""
    if not frames.is_disguised(results):
        return
    columns = frames.DISGUISE.rated_in(results.unit)
    rows = rows_of(frames.disguise(results), columns)
    if not rows:
        return
    cells: dict[str, list[object]] = {}
    cells["bot"] = [results.display_name(row["bot"]) for row in rows]
    for name in ("plain", "disguised", "difference"):
        column = columns[name]
        cells[column.heading] = figures_of(rows, column)
    cells["95 %"] = []
    for row in rows:
        interval = ""
        if row["difference"] is not None:
            low = columns["difference_low"].text(row["difference_low"])
            high = columns["difference_high"].text(row["difference_high"])
            interval = interval_text(low, high)
        cells["95 %"].append(interval)

    print("\nin disguise")
    output.print_table(output.table_of(cells))
