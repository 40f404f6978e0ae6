"""Mean score by role, every board and role side by side."""

from math import isnan

from matplotlib.figure import Figure

from arena.charts.style import COLOURS, GREY, PALE, axes, bare, figure, rows, shown, tall
from arena.leaderboard import Results

TITLE = 15  # characters that fit over a column of bars


def draw(results: Results) -> Figure:
    """A column of bars for each (board, role); a bot that does not play a role has no bar."""
    table = results.leaderboard()
    table = table[table["rank"].notna()]
    boards = list(results.columns)
    made = figure(
        max(6.5, 1.9 + 1.35 * len(results.places)),
        tall(len(table)),
        f"{results.event.name}: strong in which role",
        "Mean score, 0 to 100, by board and role",
    )
    panels = axes(made, 1, len(results.places), sharey=True)
    for panel, ((board, role), column) in zip(panels, results.places.items(), strict=True):
        scores = table[column].astype(float)
        panel.barh(range(len(table)), scores * 0 + 100, height=0.62, color=PALE, alpha=0.45)
        panel.barh(range(len(table)), scores, height=0.62, color=COLOURS[boards.index(board) % len(COLOURS)])
        for place, score in enumerate(scores):
            if not isnan(score):
                panel.text(105, place, f"{score:.0f}", va="center", fontsize=8, color=GREY)
        panel.set_title("\n".join(shown([results.columns[board], role], TITLE)), fontsize=9.5, loc="left")
        panel.set(xlim=(0, 128), xticks=[])
        rows(panel, shown(table["bot"]))
        bare(panel, grid="")
    return made
