"""A climb: the rating of each bot after each round of its agent, and its cost by then."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.curves import curves
from arena.extras.climb import history as climb_history
from arena.results.leaderboard import Results

COLUMNS = ["game", "bot", "round", "rating", "rating_low", "rating_high", "cost"]


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `game`, `bot` and `round`.

    It has `rating`, `rating_low`, `rating_high`, and the `cost` so far. The cost is a text: that of
    the agent's calls, or where they have no price their tokens.
    """
    rows: list[tuple[object, ...]] = []
    history = climb_history.read(results.folder)
    if history is None:
        return pd.DataFrame(rows, columns=COLUMNS)
    for league in results.leagues:
        versions = league.versions()
        rated = {(row.bot, row.digest): row for row in versions.itertuples()}
        for bot, first_version in history.first.items():
            points = [(0, first_version, "")]  # round, version, cost or tokens so far
            version = first_version
            tokens = 0
            cost = 0.0
            for edit in history.of(bot):
                if edit.outcome is climb_history.EditOutcome.PROMOTED:
                    version = edit.digest
                tokens += edit.tokens
                cost += edit.cost
                points.append((edit.round, version, _spent(cost, tokens)))

            for number, version_then, spent in points:
                row = rated.get((bot, version_then))
                if row is None:
                    continue
                cells = (
                    league.game,
                    bot,
                    number,
                    row.rating,
                    row.rating_low,
                    row.rating_high,
                    spent,
                )
                rows.append(cells)
    return pd.DataFrame(rows, columns=COLUMNS)


def _spent(cost: float, tokens: int) -> str:
    """Return the cost of the model's answers; without a cost the tokens; empty for none."""
    if cost:
        return f"{cost:.3g}"
    if tokens:
        return f"{tokens:,}"
    return ""


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a bot: its rating after each round, with a 95 % interval and the cost."""
    if frame.empty:
        return Nothing("no agent has made a version that was promoted")
    unit = ""
    if about.unit:
        unit = f" in {about.unit}"
    subtitle = (
        f"Rating{unit} after each round, with its 95 % interval; "
        "the number: cost, or tokens, by then"
    )
    return curves(frame, about, "round", "how the bots climbed", subtitle, texts="cost")
