"""The process that writes the tables of an event and draws its charts; the server starts it."""

import sys
from pathlib import Path

from arena import exits
from arena.errors import writing
from arena.event import result_files
from arena.results import folders


def draw() -> None:
    """Draw the charts of the event whose name is the last word of the command line."""
    # They are slow to import, and a mistake in the results needs none of them.
    from arena import charts
    from arena.extras.serve.jobs import rules_of
    from arena.results.leaderboard import Results

    folder = folders.results_folder(Path(), sys.argv[-1])
    results = Results.open(folder, rules=rules_of(folder))
    result_files.write_tables(results)
    with writing(folder):
        charts.write(results, folder)


if __name__ == "__main__":
    exits.run(draw)
