"""Points of every bot, best first, with its mean on each board."""

from matplotlib.figure import Figure

from arena.charts.style import COLOURS, GREY, PALE, axes, bare, figure, shown, tall
from arena.leaderboard import Results


def draw(results: Results) -> Figure:
    """Bars for points; a mark a board."""
    table = results.leaderboard()
    table = table[table["rank"].notna()]
    played = len(results.played)
    made = figure(
        8.2,
        tall(len(table), rest=1.9),
        f"{results.event.name}: who is best",
        f"Points: mean score over boards and roles, 0 to 100; {played} matches",
    )
    (panel,) = axes(made)
    places = range(len(table))
    panel.barh(places, table["points"].astype(float), height=0.62, color=PALE, edgecolor="none")
    marks = list(results.columns.values())
    for number, column in enumerate(marks):
        lane = 0.3 * ((number + 0.5) / len(marks) - 0.5)  # boards with equal means stay apart
        panel.scatter(
            table[column].astype(float),
            [place + lane for place in places],
            s=30,
            color=COLOURS[number % len(COLOURS)],
            marker="os^DvP*X"[number % 8],
            label=column,
            zorder=3,
        )
    for place, (rank, points) in enumerate(zip(table["rank"], table["points"], strict=True)):
        panel.text(103.5, place, f"{points:.1f}", va="center", fontweight="bold")
        panel.text(-1.5, place, f"{rank}.", va="center", ha="right", color=GREY, fontsize=8)
    panel.set(xlim=(0, 112), ylim=(len(table) - 0.4, -0.6), xticks=range(0, 101, 25))
    panel.set_yticks(list(places), shown(table["bot"]))
    panel.tick_params(axis="y", pad=20)
    bare(panel)
    panel.legend(
        loc="upper center", bbox_to_anchor=(0.45, -0.42 / (0.3 * len(table) + 0.4)), ncols=6, frameon=False, fontsize=9
    )
    return made
