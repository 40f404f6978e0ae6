"""Mean score by role, every board and role side by side."""

from math import isnan

from matplotlib.figure import Figure

from arena.charts.style import COLOURS, GREY, PALE, axes, bare, figure, shown, tall
from arena.leaderboard import Results


def draw(results: Results) -> Figure:
    """A column of bars for each (board, role); a bot that does not play a role has no bar."""
    table = results.leaderboard()
    table = table[table["rank"].notna()]
    columns = list(results.places.values())
    boards = list(results.columns.values())
    made = figure(
        max(6.5, 1.9 + 1.35 * len(columns)),
        tall(len(table)),
        f"{results.event.name}: strong in which role",
        "Mean score, 0 to 100, by board and role",
    )
    for number, (panel, column) in enumerate(zip(axes(made, 1, len(columns), sharey=True), columns, strict=True)):
        board = next(name for name in boards if column.startswith(f"{name}_"))
        scores = table[column].astype(float)
        panel.barh(range(len(table)), [100] * len(table), height=0.62, color=PALE, alpha=0.45)
        panel.barh(range(len(table)), scores, height=0.62, color=COLOURS[boards.index(board) % len(COLOURS)])
        for place, score in enumerate(scores):
            if not isnan(score):
                panel.text(score + 4, place, f"{score:.0f}", va="center", fontsize=8, color=GREY)
        panel.set_title(f"{board}\n{column.removeprefix(f'{board}_')}", fontsize=9.5, loc="left")
        panel.set(xlim=(0, 128), ylim=(len(table) - 0.4, -0.6), xticks=[])
        if number == 0:
            panel.set_yticks(range(len(table)), shown(table["bot"]))
        bare(panel, grid="")
    return made
