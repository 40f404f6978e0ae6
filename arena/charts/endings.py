"""Faults of each bot by their kind: matches that it forfeited, or lost a seat in."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAULTS, About, Nothing, styled
from arena.charts.style.sheet import ROWS, Panel, Space, best, legend, sheet
from arena.results.leaderboard import Results
from arena.values import Ending


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot` that played and each `ending`.

    `matches` counts those, of the matches that it `played`, that ended so.
    """
    rows = []
    for standing in results.standings:
        if not standing.matches:
            continue
        for ending in Ending:
            matches = standing.endings.get(ending, 0)
            row = (standing.bot, str(ending), matches, standing.matches)
            rows.append(row)
    return pd.DataFrame(rows, columns=["bot", "ending", "matches", "played"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw stacked bars of the bots that were at fault, in per cent of their matches."""
    table = frame.pivot_table(
        index="bot",
        columns="ending",
        values="matches",
        aggfunc="sum",
    )
    if not len(table):
        return Nothing("no matches")
    played = frame.groupby("bot")["played"].first()
    faults = table.sum(axis=1)
    order = about.order(frame["bot"])
    bots = [bot for bot in order if faults[bot]]
    if not bots:
        return Nothing("nobody was at fault")
    innocent_count = len(table) - len(bots)
    innocent = ""
    if innocent_count == 1:
        innocent = "; the other one never was"
    elif innocent_count > 1:
        innocent = f"; the other {innocent_count} never were"
    bots, omitted = best(bots, ROWS)
    counts = [f"{faults[bot]} of {played[bot]}" for bot in bots]
    texts = Panel(
        names=tuple(about.labels(bots)),
        columns={"at fault": counts},
    )
    figure, (panel,) = sheet(
        about.title("who was at fault"),
        f"Share of the bot's matches, in per cent{innocent}{omitted}",
        [texts],
        wide=4.8,
        space=Space(top=0.25),
    )
    reach = pd.Series(0.0, index=bots)  # the end of each bot's bar, in per cent
    for ending, colour in FAULTS.items():
        if ending not in table:
            continue
        shares = 100 * table[ending] / played  # by bot, in per cent
        share = shares[bots]
        if not share.any():
            continue
        panel.barh(
            range(len(bots)),
            share,
            left=reach,
            height=0.62,
            color=colour,
            label=ending.replace("_", " "),
            linewidth=0,
        )
        reach += share
    panel.set_xlim(0, max(1.0, reach.max()))
    panel.grid(axis="x")
    legend(panel)
    return figure
