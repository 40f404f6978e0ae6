"""Faults of each bot by their kind: seats that did not finish by the rules."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAULTS, GREY, About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.sheet import ROWS, Space, bare, best, legend, row_height, row_size, rows, sheet
from arena.results.leaderboard import Results
from arena.values import Ending

FIGURE_INCHES = 0.9  # for "12 of 34" beside the bars


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` that played and each `ending`: how many `seats` ended so, and how many it `held`."""
    held = results.seats_held()
    rows = [
        (standing.bot, str(ending), standing.endings.get(ending, 0), held[standing.bot])
        for standing in results.standings
        if held[standing.bot]
        for ending in Ending
    ]
    return pd.DataFrame(rows, columns=["bot", "ending", "seats", "held"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw stacked bars of the bots that were at fault, in per cent of the seats that they had."""
    table = frame.pivot_table(index="bot", columns="ending", values="seats", aggfunc="sum")
    if not len(table):
        return Nothing("no matches")
    held = frame.groupby("bot")["held"].first()
    faults = table.sum(axis=1)
    bots = [bot for bot in about.order(frame["bot"]) if faults[bot]]
    if not bots:
        return Nothing("nobody was at fault")
    innocent_count = len(table) - len(bots)
    bots, omitted = best(bots, ROWS)
    names, size = about.labels(bots), row_size(len(bots))
    innocent = {0: "", 1: "; the other one never was"}.get(innocent_count, f"; the other {innocent_count} never were")
    figure, (panel,) = sheet(
        about.title("who was at fault"),
        f"Share of the bot's seats, in per cent{innocent}{omitted}",
        (4.8, row_height(len(bots)) * len(bots)),
        space=Space(left=widest(names, size) + 0.12, right=FIGURE_INCHES, top=0.28, below=0.3),
    )
    reach = pd.Series(0.0, index=bots)
    for ending, colour in FAULTS.items():
        share = (100 * table[ending] / held)[bots] if ending in table else reach * 0
        if share.any():
            label = ending.replace("_", " ")
            panel.barh(range(len(bots)), share, left=reach, height=0.62, color=colour, label=label, linewidth=0)
            reach += share
    for row, bot in enumerate(bots):
        panel.annotate(
            f"{faults[bot]} of {held[bot]}",
            (reach[bot], row),
            (5, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
            fontsize=size - 0.5,
        )
    panel.set_xlim(0, max(1.0, reach.max()))
    rows(panel, names)
    bare(panel)
    legend(panel)
    return figure
