"""Points of every bot, best first, with its mean on each board."""

from matplotlib.figure import Figure

from arena.charts.style import (
    COLOURS,
    GREY,
    INK,
    MARKS,
    PALE,
    axes,
    bare,
    figure,
    legend,
    legend_lines,
    rows,
    shown,
    tall,
)
from arena.leaderboard import Results


def draw(results: Results) -> Figure:
    """Bars for points; a mark a board; bots that never played are named at the end."""
    table = results.leaderboard()
    boards = list(results.columns.values())
    made = figure(
        8.2,
        tall(len(table), rest=1.4 + 0.2 * legend_lines(boards)),
        f"{results.event.name}: who is best",
        f"Points: mean score over boards and roles, 0 to 100; {results.count} matches",
    )
    (panel,) = axes(made)
    panel.barh(range(len(table)), table["points"].astype(float).fillna(0), height=0.62, color=PALE)
    for number, column in enumerate(boards):
        lane = 0.36 * ((number + 0.5) / len(boards) - 0.5)  # boards with equal means stay apart
        panel.scatter(
            table[column].astype(float),
            [place + lane for place in range(len(table))],
            s=26,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKS[(number + number // len(COLOURS)) % len(MARKS)],
            label=column,
            zorder=3,
            clip_on=False,
        )
    names = []
    for place, (one, name) in enumerate(zip(results.standings, shown(table["bot"]), strict=True)):
        if one.points is None:
            panel.text(1.5, place, "never played", va="center", color=GREY)
        else:
            panel.text(103.5, place, f"{one.points:.1f}", va="center", fontweight="bold", color=INK)
        names.append(name if one.rank is None else f"{one.rank}.  {name}")
    panel.set(xlim=(-1.5, 112), xticks=range(0, 101, 25))
    rows(panel, names)
    bare(panel)
    legend(panel)
    return made
