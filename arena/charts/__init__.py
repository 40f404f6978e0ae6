"""A frame in, a matplotlib Figure out: one file a chart, each with one function `draw(results)`.

`write` draws every file of this folder as SVG and PNG; a new chart is a new file here and no edit elsewhere.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from matplotlib.figure import Figure

from arena.charts.style import save
from arena.leaderboard import Results


def names() -> tuple[str, ...]:
    """The charts there are, in order of name."""
    return tuple(found.name for found in iter_modules(__path__) if found.name != "style")


def draw(name: str, results: Results) -> Figure:
    """One chart of an event's results."""
    figure: Figure = import_module(f"{__name__}.{name}").draw(results)
    return figure


def write(results: Results, folder: Path) -> tuple[Path, ...]:
    """Draw every chart into `folder/charts`, as NAME.svg and NAME.png; the same results give the same bytes."""
    target = folder / "charts"
    target.mkdir(parents=True, exist_ok=True)
    return tuple(path for name in names() for path in save(draw(name, results), target / name))
