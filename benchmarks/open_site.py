"""A long event beside a site that is open and read.

`python benchmarks/open_site.py [MATCHES] [BOTS] [READERS]` plays the event of the load test
tests/extras/serve/test_soak_in_the_open.py: 100,000 matches of 1,000 bots beside 50 readers, unless
said. Its figures go into docs/growth.md.
"""

import os
import sys
import tempfile
import textwrap
from pathlib import Path
from statistics import quantiles

from tests import pages
from tests.extras.serve import open_event
from tests.extras.serve.open_event import SCHEDULES, Figures, Growth, Size

PAGE = Path(__file__).parents[1] / "docs" / "growth.md"
PART = "made by benchmarks/open_site.py"
WIDTH = 128
KINDS = {
    "run": "the run",
    "run: lane": "a lane, the one that grew most",
    "run: spawner": "a spawner, the same",
    "site": "the site",
    "site: helper": "a helper of it, the same",
    "site: worker": "a worker of it, the same",
}
HEAD = """\
| memory, second and last quarter | of the ladder | bytes a match | of the Swiss | bytes a match |
|---|---|---|---|---|
"""


def most_grown(figures: Figures, schedule: str) -> dict[str, Growth]:
    """Return the process of each kind that grew most."""
    found: dict[str, Growth] = {}
    for name, grown in figures.growth(schedule).items():
        kind, _ = open_event.kind_of(name)
        if kind not in found or grown.a_match > found[kind].a_match:
            found[kind] = grown
    return found


def table(figures: Figures, size: Size) -> str:
    """Return the sentences and the table of the page."""
    columns = [most_grown(figures, schedule) for schedule in SCHEDULES]
    rows = []
    for kind, words in KINDS.items():
        cells = [words]
        for column in columns:
            if kind not in column:
                cells += ["", ""]
                continue
            grown = column[kind]
            cells.append(f"{grown.second / 1e6:.1f}, {grown.last / 1e6:.1f} MB")
            cells.append(f"{grown.a_match:+,.0f}")
        rows.append(f"| {' | '.join(cells)} |")
    played = " and ".join(f"{figures.played[name]:,} ({name})" for name in SCHEDULES)
    answers = ", ".join(f"{count:,} of {status}" for status, count in figures.answers.items())
    p50, p95 = (1000 * quantiles(figures.waits, n=20)[index] for index in (9, 18))
    log = max(sample.log for name in SCHEDULES for sample in figures.samples[name])
    sentences = (
        f"{played} matches of {size.bots:,} bots beside {size.readers} readers, at a load of "
        f"{os.getloadavg()[2]:.0f} on {len(os.sched_getaffinity(0))} cores: "
        f"{len(figures.lost)} matches of good bots were lost by a fault, hostile bots lost "
        f"{figures.punished.total():,}, {len(figures.aborts)} were aborted. "
        f"With readers {figures.ratio:.2f} of the rate without them, in turns of half a minute. "
        f"CPU time of a match in the run: {figures.cpu_ms('run', True):.1f} ms with readers, "
        f"{figures.cpu_ms('run', False):.1f} without; in the site "
        f"{figures.cpu_ms('site', True):.1f} and {figures.cpu_ms('site', False):.1f} ms. "
        f"Answers by status: {answers}; waits: median {p50:.0f} ms, p95 {p95:.0f} ms. "
        f"The log of the archive had {log / 1e6:.0f} MB at most."
    )
    return "\n".join(textwrap.wrap(sentences, WIDTH)) + "\n\n" + HEAD + "\n".join(rows)


def main(size: Size) -> None:
    """Play, print, and write the page."""
    with tempfile.TemporaryDirectory(prefix="open-") as name:
        Path(name).chmod(0o755)  # bots must reach their files
        figures = open_event.play(Path(name) / "cup", size)
    made = table(figures, size)
    print(made)
    print(*figures.lost[:20], *figures.left, *figures.punished.items(), figures.log, sep="\n")
    pages.write(PAGE, PART, made)


if __name__ == "__main__":
    main(Size(*map(int, sys.argv[1:4])))
