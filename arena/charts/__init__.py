"""A frame in, a matplotlib Figure out: one file a chart.

Each has `frame(results)`, a tidy frame whose columns its docstring names, and `draw(frame, about)`, which makes the
Figure, or `Nothing` with the reason. A new chart is a new file here and no edit elsewhere; a frame of one's own will do
as well: `charts.leaderboard.draw(results.leaderboard())`. No clock reading is in any chart but `time`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from matplotlib.figure import Figure

from arena import forks
from arena.charts.style import About, Nothing, save
from arena.leaderboard import Results

FIRST = "leaderboard"


@dataclass(frozen=True)
class Written:
    """What came of drawing all charts."""

    files: tuple[Path, ...]
    silent: Mapping[str, str]
    """Of the charts with nothing to say: why."""


def names() -> tuple[str, ...]:
    """The charts there are: the leaderboard, then in order of name."""
    found = (each.name for each in iter_modules(__path__) if not each.ispkg)
    return tuple(sorted(found, key=lambda name: (name != FIRST, name)))


def caption(name: str) -> str:
    """What a chart shows, in a sentence."""
    return (_chart(name).__doc__ or name).partition("\n")[0]


def about(results: Results) -> About:
    """What charts say of an event."""
    return About(
        event=results.event.name,
        bots=tuple(one.bot for one in results.standings),
        boards=results.columns,
        places=tuple(results.places),
        unit=results.ratings.unit,
        limit=results.event.conditions.time.move,
    )


def draw(name: str, results: Results) -> Figure | Nothing:
    """One chart of an event's results."""
    chart = _chart(name)
    made: Figure | Nothing = chart.draw(chart.frame(results), about(results))
    return made


def write(results: Results, folder: Path) -> Written:
    """Draw every chart into `folder/charts`, as NAME.svg and NAME.png; the same results give the same bytes.

    A chart with nothing to say has no file there afterwards. They are drawn side by side, one a core.
    """
    target = folder / "charts"
    target.mkdir(parents=True, exist_ok=True)
    of, frames = about(results), [(name, _chart(name).frame(results)) for name in names()]
    results.close()  # no connection is open in a process that forks

    def work(one: tuple[str, Any]) -> tuple[Path, ...] | str:
        made = _chart(one[0]).draw(one[1], of)
        return made.why if isinstance(made, Nothing) else save(made, target / one[0])

    told = dict(zip(names(), forks.work(work, frames), strict=True))
    silent = {name: why for name, why in told.items() if isinstance(why, str)}
    for name in silent:
        for form in (".svg", ".png"):
            (target / name).with_suffix(form).unlink(missing_ok=True)
    return Written(tuple(path for made in told.values() if not isinstance(made, str) for path in made), silent)


def _chart(name: str) -> Any:
    return import_module(f"{__name__}.{name}")
