"""Sections of extensions in the report, below the leaderboard. It knows none of them."""

import pandas as pd
from markupsafe import Markup

from arena import extensions
from arena.report import leaderboard, page
from arena.results.columns import Columns
from arena.results.leaderboard import Results


def of(results: Results) -> tuple[object, ...]:
    """Return the HTML of each section that extensions have for these results.

    A text that is no `markupsafe.Markup` is escaped.
    """
    sections: list[object] = []
    for added in extensions.sections().values():
        section = extensions.load(added.page)
        html = section(results)
        if html is not None:
            sections.append(html)
    return tuple(sections)


def of_bots(
    results: Results,
    frame: pd.DataFrame,
    columns: Columns,
    *,
    name: str,
    title: str,
    caption: str,
) -> Markup:
    """Return a section with a frame that has a row for each `bot`.

    `name` is that of the table in the page, and `caption` is what a screen reader says of it.
    """
    template = page.TEMPLATES.get_template("_section.html.j2")
    html = template.render(
        table=leaderboard.of_bots(results, frame, columns),
        id=name,
        title=title,
        caption=caption,
        bot_path=page.BOT_PATH,
    )
    return Markup(html)  # noqa: S704  the template escapes what it shows
