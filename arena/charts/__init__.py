"""A frame in, a matplotlib Figure out: one file a chart.

Each has `frame(results)`, a tidy frame whose columns its docstring names, and `render(frame,
about)`, which makes the Figure, or `Nothing` with the reason. A new chart is a new file here and no
edit elsewhere. You can also draw a frame of your own:
`charts.leaderboard.render(results.leaderboard())`. No chart but `time` contains a clock reading.

Where to change what (paths begin below arena/):

- the colour of the leaderboard's markers and bars: `charts/style/__init__.py` `RATING` (the
  charts of roles and of convergence have it, too; `POINTS`: only when no bot has a rating); the
  report: `report/html/1_tokens.css` (accent), `report/html/3_tables.css` (bar); the terminal:
  `cli/leaderboard_text.py` `TIER_STYLES`
- the other colours of the charts: `charts/style/__init__.py` `BLUE`; the names below it say which
  chart uses which colour
- a chart: one file in `charts/`, its row in the table of results/README.md, and its name in
  `tests/charts/test_charts.py` `NAMES`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.figure import Figure

from arena import extensions, parallel, whole_files
from arena.charts.style import About, Nothing, save
from arena.identity import digest_of
from arena.results import made_files, memo
from arena.results.leaderboard import Results

FIRST = "leaderboard"
FORMS = (".svg", ".png")


@dataclass(frozen=True)
class Written:
    """The files of all charts, and the charts that were not drawn."""

    files: tuple[Path, ...]
    silent: Mapping[str, str]
    """By name of a chart that has nothing to show: the reason."""


def names() -> tuple[str, ...]:
    """Return the names of all charts: the leaderboard first, then in order of name."""

    def leaderboard_first(name: str) -> tuple[bool, str]:
        return name != FIRST, name

    return tuple(sorted(_modules(), key=leaderboard_first))


def caption(name: str) -> str:
    """Return what a chart shows, in one sentence."""
    text: str = _chart(name).__doc__ or name
    sentence, _, _ = text.partition("\n")
    return sentence


def about(results: Results) -> About:
    """Return what charts say about an event."""
    leagues = {}
    for league in results.leagues:
        leagues[str(league.game)] = _best_first(league)
    conditions = results.event.conditions
    return About(
        event=results.event.name,
        bots=_best_first(results),
        leagues=leagues,
        board_roles=tuple(results.board_role_columns),
        unit=results.unit,
        limit=conditions.time.move,
    )


def _best_first(results: Results) -> tuple[str, ...]:
    """Return the display names of the bots, in the order of the standings."""
    names = []
    for standing in results.standings:
        names.append(results.display_name(standing.bot))
    return tuple(names)


def render(name: str, results: Results) -> Figure | Nothing:
    """Draw one chart of an event's results."""
    return _drawn(name, results, about(results))


def write(results: Results, folder: Path) -> Written:
    """Draw every chart into `folder/charts`, as NAME.svg and NAME.png.

    The same results give the same bytes. A chart with nothing to show has no file there afterwards.
    The charts are drawn side by side, one process a core. Charts that stand there, drawn from these
    results, are not drawn again.
    """
    target = whole_files.make_folder(folder, "charts")
    stored = folder / ".charts.json"
    key = digest_of(code_digest(), names(), results.made_of)
    recalled = made_files.recall(stored, key)
    if recalled is not None:
        files_here = set(target.iterdir())
        if set(recalled.files) == files_here:
            return Written(recalled.files, recalled.words)

    # What several charts need is read here, once, and the slowest chart comes first.
    event = about(results)
    _ = results.arrays
    order = sorted(names(), key=lambda name: name != "convergence")
    results.close()  # no connection is open in a process that forks; each opens its own

    def work(name: str) -> str | None:
        figure = _drawn(name, results, event)
        results.close()
        if isinstance(figure, Nothing):
            return figure.why
        save(figure, target / name)
        return None

    reasons = parallel.parallel_map(work, order)
    charts = zip(order, reasons, strict=True)
    silent = {name: why for name, why in charts if why is not None}
    files = _files(target, silent)
    outdated = set(target.iterdir()) - set(files)  # of charts that have nothing to show any more
    for path in outdated:
        whole_files.remove(path)
    made = made_files.MadeFiles(files=files, words=silent)
    made_files.store(stored, key, made)
    return Written(files, silent)


def _drawn(name: str, results: Results, event: About) -> Figure | Nothing:
    """Return a chart, drawn with display names."""
    chart = _chart(name)
    frame = chart.frame(results)
    frame = results.with_display_names(frame)
    figure: Figure | Nothing = chart.render(frame, event)
    return figure


def _files(target: Path, silent: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the files of all charts that have something to show, in order of the names."""
    files = []
    for name in names():
        if name in silent:
            continue
        for form in FORMS:
            files.append(target / f"{name}{form}")
    return tuple(files)


@cache
def code_digest() -> str:
    """Return a hash of what else decides a picture: the code of arena, the libraries, the fonts."""
    fonts = [font.fname for font in font_manager.fontManager.ttflist]
    return digest_of(
        memo.program_digest(),
        matplotlib.__version__,
        sorted(fonts),
    )


def _chart(name: str) -> Any:
    module = _modules()[name]
    return import_module(module)


@cache
def _modules() -> dict[str, str]:
    """Return the module of each chart by name; an extension replaces no chart of this folder."""
    modules = dict(extensions.charts())
    for module in iter_modules(__path__):
        if not module.ispkg:
            modules[module.name] = f"{__name__}.{module.name}"
    return modules
