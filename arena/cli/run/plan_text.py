"""The plan of an event for a terminal or as JSON: matches and time, board by board."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from arena.cli import output, watching
from arena.cli.run.planned import PlannedRun
from arena.event import schedules, service

GUESSED_MATCH_S = 0.3  # a match of the shipped bots on a small machine


@dataclass(frozen=True)
class BoardPlan:
    """The matches on a board, and how long the rest of them may take."""

    board: str
    matches: int
    played: int
    seconds: float


def show(run: PlannedRun, *, json: bool) -> None:
    """Print the plan of an event.

    The time of a board that was never played is the mean of the others, or a guess.
    """
    from arena.event import plan
    from arena.results.archive import Archive, NoResultsError

    event = run.event
    played: Counter[str] = Counter()
    measured: Mapping[str, float] = {}
    with contextlib.suppress(NoResultsError), Archive.open(run.folder, writing=False) as archive:
        measured = archive.mean_seconds()
        stored = plan.Plan(event, archive).stored()
        played.update(match.label for match in stored)

    mean_s = GUESSED_MATCH_S
    if measured:
        mean_s = sum(measured.values()) / len(measured)
    rows: list[BoardPlan] = []
    for label, matches in plan.counts(event).items():
        match_s = measured.get(label, mean_s)
        due = matches - played[label]
        seconds = due * match_s / run.lanes
        rows.append(BoardPlan(label, matches, played[label], seconds))
    if json:
        output.print_json(asdict(row) for row in rows)
        return

    all_seconds = sum(row.seconds for row in rows)
    total = BoardPlan("all", schedules.total(event), played.total(), all_seconds)
    rows.append(total)
    headers = ("board", f"{schedules.at_most(event)}matches", "played", "time")
    cells: list[tuple[object, ...]] = []
    for row in rows:
        time = watching.duration(row.seconds)
        cells.append((row.board, row.matches, row.played, time))
    output.print_table(output.make_table(headers, cells))

    source = f"guessed at {GUESSED_MATCH_S} s a match"
    if measured:
        source = "by the mean time of the matches played before"
    print(f"{len(event.bots)} bots; time left {source}, with {run.lanes} at a time")
    if event.stop_when is not None:
        print(f"the event ends earlier when the {event.stop_when} (stop_when)")
    for sentence in service.sentences(event, run.folder, run.tournament):
        print(sentence)
    if event.stop_after is not None:
        print(
            f"a run begins no more matches after {watching.duration(event.stop_after)} (stop_after)"
        )
