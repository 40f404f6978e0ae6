"""A frame in, a matplotlib Figure out: one file a chart.

Each has `frame(results)`, a tidy frame whose columns its docstring names, and `draw(frame, about)`, which makes the
Figure, or `Nothing` with the reason. A new chart is a new file here and no edit elsewhere. You can also draw a frame
of your own: `charts.leaderboard.draw(results.leaderboard())`. No chart but `time` contains a clock reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from matplotlib.figure import Figure

from arena import durable, parallel
from arena.charts.style import About, Nothing, save
from arena.results.leaderboard import Results

FIRST = "leaderboard"


@dataclass(frozen=True)
class Written:
    """The files of all charts, and the charts that were not drawn."""

    files: tuple[Path, ...]
    silent: Mapping[str, str]
    """By name of a chart that has nothing to show: the reason."""


def names() -> tuple[str, ...]:
    """Return the names of all charts: the leaderboard first, then in order of name."""
    modules = (module.name for module in iter_modules(__path__) if not module.ispkg)
    return tuple(sorted(modules, key=lambda name: (name != FIRST, name)))


def caption(name: str) -> str:
    """Return what a chart shows, in one sentence."""
    return (_chart(name).__doc__ or name).partition("\n")[0]


def about(results: Results) -> About:
    """Return what charts say about an event."""
    return About(
        event=results.event.name,
        bots=tuple(results.label(standing.bot) for standing in results.standings),
        boards=results.columns,
        places=tuple(results.places),
        unit=results.ratings.unit,
        limit=results.event.conditions.time.move,
    )


def draw(name: str, results: Results) -> Figure | Nothing:
    """Draw one chart of an event's results."""
    chart = _chart(name)
    figure: Figure | Nothing = chart.draw(results.labelled(chart.frame(results)), about(results))
    return figure


def write(results: Results, folder: Path) -> Written:
    """Draw every chart into `folder/charts`, as NAME.svg and NAME.png; the same results give the same bytes.

    A chart with nothing to show has no file there afterwards. The charts are drawn side by side, one process a core.
    """
    target = folder / "charts"
    durable.make_folder(target)
    # What several charts need is read here, once, and the slowest chart comes first.
    event, _, order = about(results), results.arrays, sorted(names(), key=lambda name: name != "convergence")
    results.close()  # no connection is open in a process that forks; each opens its own

    def work(name: str) -> tuple[Path, ...] | str:
        chart = _chart(name)
        figure = chart.draw(results.labelled(chart.frame(results)), event)
        results.close()
        return figure.why if isinstance(figure, Nothing) else save(figure, target / name)

    outcomes = dict(zip(order, parallel.parallel_map(work, order), strict=True))
    silent = {name: why for name, why in outcomes.items() if isinstance(why, str)}
    for name in silent:
        for form in (".svg", ".png"):
            (target / name).with_suffix(form).unlink(missing_ok=True)
    return Written(tuple(path for files in outcomes.values() if not isinstance(files, str) for path in files), silent)


def _chart(name: str) -> Any:
    return import_module(f"{__name__}.{name}")
