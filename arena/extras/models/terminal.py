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
    rows = rows_of(frames.models(results), frames.MODELS)
    if not rows:
        return
    print("\nlanguage model")
    columns = [frames.MODELS[name] for name in COSTS]
    cells = [[results.display_name(row["bot"]), *[row[name] for name in COSTS[1:]]] for row in rows]
    output.print_table(output.make_table(columns, cells))
    print("\nhow its moves came about")
    shown: dict[str, list[object]] = {"bot": [results.display_name(row["bot"]) for row in rows]}
    shown["moves"] = [row["moves"] for row in rows]
    for name in frames.SHARES:
        shown[f"{frames.MODELS[name].heading}, %"] = [_share(row, name) for row in rows]
    for name in ("unasked", *frames.ANSWERS):
        shown[name] = [row[name] for row in rows]
    output.print_table(output.table_of(shown))


def _share(row: Mapping[str, Any], name: str) -> str:
    """Return a share of moves in %, with its interval."""
    column = frames.MODELS[name]
    if row[name] is None:
        return ""
    ends = [column.text(row[f"{name}_{end}"]) for end in ("low", "high")]
    return f"{column.text(row[name])} ({interval_text(*ends)})"


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
    output.print_table(output.table_of(cells))
