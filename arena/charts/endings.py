"""How the seats of every bot ended: by the rules, or by which fault."""

from matplotlib.figure import Figure

from arena.charts.style import COLOURS, PALE, axes, bare, figure, shown, tall
from arena.leaderboard import Results
from arena.match import Ending

FAULTS = dict(zip(Ending, (COLOURS[1], COLOURS[3], COLOURS[5], COLOURS[0], COLOURS[7]), strict=True))


def draw(results: Results) -> Figure:
    """Stacked bars, in per cent of the seats that the bot had."""
    table = results.leaderboard()
    table = table[table["rank"].notna()]
    seats = results.seats_held()
    held = [max(1, seats.get(bot, 0)) for bot in table["bot"]]
    made = figure(
        8.2,
        tall(len(table), rest=1.9),
        f"{results.event.name}: how matches ended",
        f"Share of each bot's seats, in per cent; {sum(table['forfeits'])} of {sum(held)} seats were at fault",
    )
    (panel,) = axes(made)
    left = [100 - 100 * faults / count for faults, count in zip(table["forfeits"], held, strict=True)]
    panel.barh(range(len(table)), left, height=0.62, color=PALE, label="by the rules")
    for ending, colour in FAULTS.items():
        share = [100 * faults / count for faults, count in zip(table[str(ending)], held, strict=True)]
        panel.barh(range(len(table)), share, left=left, height=0.62, color=colour, label=ending.replace("_", " "))
        left = [start + more for start, more in zip(left, share, strict=True)]
    panel.set(xlim=(0, 100), ylim=(len(table) - 0.4, -0.6), xticks=range(0, 101, 25))
    panel.set_yticks(range(len(table)), shown(table["bot"]))
    bare(panel)
    panel.legend(
        loc="upper center",
        bbox_to_anchor=(0.45, -0.42 / (0.3 * len(table) + 0.4)),
        ncols=6,
        frameon=False,
        fontsize=8.5,
    )
    return made
