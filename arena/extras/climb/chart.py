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
    if (history := climb_history.read(results.folder)) is None:
        return pd.DataFrame(rows, columns=COLUMNS)
    for league in results.leagues:
        rated = {(row.bot, row.digest): row for row in league.versions().itertuples()}
        for bot, version in history.first.items():
            tokens, cost = 0, 0.0
            for edit in (None, *history.of(bot)):
                if edit is not None:
                    version = (
                        edit.digest
                        if edit.outcome is climb_history.EditOutcome.PROMOTED
                        else version
                    )
                    tokens, cost = tokens + edit.tokens, cost + edit.cost
                if (row := rated.get((bot, version))) is not None:
                    number, text = (
                        edit.round if edit else 0,
                        f"{cost:.3g}" if cost else f"{tokens:,}" if tokens else "",
                    )
                    rows.append(
                        (
                            league.game,
                            bot,
                            number,
                            row.rating,
                            row.rating_low,
                            row.rating_high,
                            text,
                        )
                    )
    return pd.DataFrame(rows, columns=COLUMNS)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a bot: its rating after each round, with a 95 % interval and the cost."""
    if frame.empty:
        return Nothing("no agent has made a version that was promoted")
    unit = f" in {about.unit}" if about.unit else ""
    subtitle = (
        f"Rating{unit} after each round, with its 95 % interval; "
        "the number: cost, or tokens, by then"
    )
    return curves(frame, about, "round", "how the bots climbed", subtitle, texts="cost")
