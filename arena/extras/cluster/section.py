"""The section of the report: the machines that played, and whether they played alike."""

from pathlib import Path

from markupsafe import Markup

from arena.extras.cluster.frames import compared
from arena.report import page
from arena.results.leaderboard import Results


def section(results: Results) -> Markup | None:
    """Return the table by machine; None for an event that no cluster played."""
    machines = compared(results)
    if machines is None:
        return None
    template = page.templates(Path(__file__).parent).get_template("section.html.j2")
    # The template escapes what it shows.
    return Markup(template.render(machines=machines))  # noqa: S704
