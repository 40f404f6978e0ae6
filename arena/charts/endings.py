"""How the seats of every bot ended: by the rules, or by which fault."""

from matplotlib.figure import Figure

from arena.charts.style import COLOURS, GREY, PALE, axes, bare, figure, legend, rows, shown, tall
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
        tall(len(table), rest=1.6),
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
    for place, faults in enumerate(table["forfeits"]):
        if faults:
            panel.text(101.5, place, f"{faults} of {held[place]}", va="center", color=GREY, fontsize=8.5)
    panel.set(xlim=(0, 112), xticks=range(0, 101, 25))
    rows(panel, shown(table["bot"]))
    bare(panel)
    legend(panel)
    return made
