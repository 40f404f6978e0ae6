"""Sections of extensions in the report, below the leaderboard. It knows none of them."""

from arena import extensions
from arena.results.leaderboard import Results


def of(results: Results) -> tuple[object, ...]:
    """Return the HTML of each section that extensions have for these results.

    A text that is no `markupsafe.Markup` is escaped.
    """
    found: list[object] = []
    for path in extensions.sections().values():
        html = extensions.load(path)(results)
        if html is not None:
            found.append(html)
    return tuple(found)
