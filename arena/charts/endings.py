"""Faults of each bot by their kind: seats that did not finish by the rules."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAULTS, About, Nothing, styled
from arena.charts.style.sheet import ROWS, Panel, Space, best, legend, sheet
from arena.results.leaderboard import Results
from arena.values import Ending


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
    innocent = {0: "", 1: "; the other one never was"}.get(innocent_count, f"; the other {innocent_count} never were")
    counts = {"at fault": [f"{faults[bot]} of {held[bot]}" for bot in bots]}
    figure, (panel,) = sheet(
        about.title("who was at fault"),
        f"Share of the bot's seats, in per cent{innocent}{omitted}",
        [Panel(names=tuple(about.labels(bots)), columns=counts)],
        wide=4.8,
        space=Space(top=0.25),
    )
    reach = pd.Series(0.0, index=bots)
    for ending, colour in FAULTS.items():
        share = (100 * table[ending] / held)[bots] if ending in table else reach * 0
        if share.any():
            label = ending.replace("_", " ")
            panel.barh(range(len(bots)), share, left=reach, height=0.62, color=colour, label=label, linewidth=0)
            reach += share
    panel.set_xlim(0, max(1.0, reach.max()))
    panel.grid(axis="x")
    legend(panel)
    return figure
