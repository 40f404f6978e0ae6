"""`arena status` and `arena stop`: show how far an event is, void matches, and end a run."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths
from arena.cli.watching import duration
from arena.errors import ArenaError, known_are, writing
from arena.event import schedules

if TYPE_CHECKING:
    from arena.event.control import LaneStatus, RunState
    from arena.results.archive.database import Holder

SILENT_S = 10.0
"""A run publishes its state about once a second; the reader should know of a longer silence."""
LANE_HEADERS = ("lane", "machine", "played", "match", "board", "bots", "for")
NO_RUN: Mapping[str, object] = {
    "machine": None,
    "begun": None,
    "written": None,
    "halting": None,
    "played_now": None,
    "rate": None,
    "seconds_left": None,
    "expected_end": None,
    "machines": [],
    "lanes": [],
    "waits": [],
}
"""The figures of the run, as JSON values, where no run is under way."""


def status(
    event: options.EventName = None,
    void: Annotated[
        str | None,
        typer.Option(
            "--void",
            metavar="MACHINE",
            help=(
                "Void the crashes and time losses of a faulty machine of a cluster; the next run "
                "plays them again."
            ),
        ),
    ] = None,
    reason: Annotated[
        str, typer.Option(help="With --void: what is wrong with it; the archive keeps this.")
    ] = "a faulty machine",
    json: options.Json = False,
) -> None:
    """Show how far an event is: matches played and due, each lane's match, and the expected end."""
    from arena.event import control
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    if void is not None:
        _void(folder, void, reason, json=json)
        return
    holder = Archive.holder(folder)
    state = control.last_state(folder)
    with Archive.open(folder, writing=False) as archive:
        played_event = archive.event()
        finished = archive.count()
        aborts = len(archive.aborts())
        stop = archive.stop()

    # The schedule may know a bound only. The run that ended knows whether all is played, unless
    # matches came later.
    by_run = state is not None and state.complete and state.finished == finished
    by_rule = stop is not None and stop.rule != "stop_after" and stop.matches == finished
    complete = by_run or by_rule or played_event.imported
    planned = finished
    if not complete:
        planned = schedules.total(played_event)
    pid = None
    if holder is not None and holder.pid:
        pid = int(holder.pid)
    running = None
    if holder is not None and state is not None and state.token == holder.token:
        running = state

    row: dict[str, object] = {
        "event": played_event.name,
        "folder": str(folder),
        "planned": planned,
        "played": finished,
        "due": max(0, planned - finished),
        "complete": complete or finished >= planned,
        "aborted": aborts,
        "running": holder is not None,
        "pid": pid,
    }
    if running is None:
        row |= NO_RUN
    else:
        row |= _of_run(running)
    if json:
        output.print_json([row])
        return

    at_most = ""
    if not row["complete"]:
        at_most = schedules.at_most(played_event)
    percent = output.percent_done(finished, planned)
    print(
        f"{output.safe_line(played_event.name)}: {finished} of {at_most}{planned} matches are "
        f"played ({percent} %), {at_most}{row['due']} are due"
    )
    if aborts:
        print(
            f"arena failed {output.counted(aborts, 'time')} to play a match; such matches are "
            "played again"
        )
    if running is not None:
        _print_run(running, row)
    elif holder is not None:
        process = "another process"
        if holder.pid:
            process = f"process {holder.pid}"
        print(f"{process} holds it, and plays no match yet")
    elif row["complete"]:
        print("no run is playing it")
    else:
        print("no run is playing it; `arena run` goes on with it")


def _void(
    folder: Path,
    machine: str,
    reason: str,
    *,
    json: bool,
) -> None:
    """Void the crashes and time losses of a machine."""
    from arena.results.archive import Archive

    with Archive.open(folder, writing=True) as archive:
        machines = archive.machines()
        if machine not in machines:
            raise ArenaError(
                f"{machine!r}: this machine played no match of {folder}; "
                f"{known_are(machine, machines)}"
            )
        voided = archive.void(machine, f"voided, {machine}: {reason}")

    rows = [{"match": match} for match in voided]
    matches = output.counted(len(voided), "match")
    name = output.safe_line(machine)
    line = f"{matches} of {name} voided; `arena run` plays what is due again"
    output.print_result(rows, line, json=json)


def _of_run(state: "RunState") -> dict[str, object]:
    """Return the figures of a run that is under way, as JSON values, with the keys of `NO_RUN`."""
    rate = None
    if state.played and state.seconds > 0:
        rate = state.played / state.seconds
    seconds_left = None
    if not state.halting:
        seconds_left = state.seconds_left
    expected_end = None
    if seconds_left is not None:
        end = datetime.fromisoformat(state.written) + timedelta(seconds=seconds_left)
        expected_end = end.isoformat(timespec="seconds")
    return {
        **output.fields(state, "machine", "begun", "written", "halting"),
        "played_now": state.played,
        "rate": rate,
        "seconds_left": seconds_left,
        "expected_end": expected_end,
        "machines": _machine_rows(state.lanes),
        "lanes": [_lane_row(lane) for lane in state.lanes],
        "waits": list(state.waits),
    }


def _machine_rows(lanes: "Iterable[LaneStatus]") -> list[dict[str, object]]:
    """Return a row of JSON for each machine that has lanes."""
    machines: dict[str, list[LaneStatus]] = {}
    for lane in lanes:
        machines.setdefault(lane.machine, []).append(lane)

    rows: list[dict[str, object]] = []
    for name, of_machine in machines.items():
        working = sum(not lane.state for lane in of_machine)
        state = None
        if not working:
            state = of_machine[-1].state
        row: dict[str, object] = {
            "machine": name,
            "lanes": working,
            "playing": sum(bool(lane.match) for lane in of_machine),
            "played": sum(lane.played for lane in of_machine),
            "state": state,
        }
        rows.append(row)
    return rows


def _lane_row(lane: "LaneStatus") -> dict[str, object]:
    """Return a lane as JSON values; an empty text is null."""
    row: dict[str, object] = asdict(lane)
    for key, value in row.items():
        if value == "":
            row[key] = None
    return row


def _print_run(state: "RunState", row: Mapping[str, object]) -> None:
    """Print the figures of a run that is under way, and a table of its lanes."""
    from arena.event.control import utc_now

    rate = ""
    if row["rate"]:
        rate = f", {row['rate']:.1f}/s"
    print(
        f"process {state.pid} on {output.safe_line(state.machine)} plays it since "
        f"{_clock(state.begun)}: {state.played} matches in this run{rate}"
    )
    for sentence in state.waits:
        print(output.safe_line(sentence))
    if state.halting:
        print("it was asked to stop: it finishes the matches under way, and begins no more")
    elif state.seconds_left is not None:
        print(
            f"the end is expected in about {duration(state.seconds_left)}, at "
            f"{_clock(str(row['expected_end']))}"
        )
    silence = _seconds_between(state.written, utc_now())
    if silence > SILENT_S:
        print(
            f"these figures are {duration(silence)} old: the run is stopped, or its machine is "
            "very busy"
        )

    cells: list[tuple[object, ...]] = []
    for lane in state.lanes:
        match = lane.match or lane.state
        bots = ", ".join(lane.bots)
        seconds = ""
        if lane.since:
            seconds = duration(_seconds_between(lane.since, state.written))
        cells_of_lane = (
            lane.lane,
            lane.machine,
            lane.played,
            match,
            lane.board,
            bots,
            seconds,
        )
        cells.append(cells_of_lane)
    if cells:
        output.print_table(output.make_table(LANE_HEADERS, cells))


def _seconds_between(earlier: str, later: str) -> float:
    difference = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0.0, difference.total_seconds())


def _clock(time: str) -> str:
    """Return a UTC time in ISO 8601 as a person writes it, to the second."""
    return f"{time[:19].replace('T', ' ')} UTC"


ANSWER_S = 20.0
"""The seconds to wait for an answer. A run reads a request within a tenth of a second, unless it is
preparing bots or its machine is very busy."""
LOOK_S = 0.05


def stop(
    event: options.EventName = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the run has ended.")] = False,
    json: options.Json = False,
) -> None:
    """Ask the run of an event to end after the matches under way; `arena run` continues it."""
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    holder = Archive.holder(folder)
    if holder is None:
        raise ArenaError(
            f"{paths.displayed(folder)}: no run is playing this event, so there is nothing to stop"
        )

    answer, ended = _ask_to_halt(folder, holder, wait=wait)
    name = "the run"
    if holder.pid:
        name = f"process {holder.pid}"
    if json:
        row = {
            "folder": str(folder),
            "asked": True,
            "halting": answer is not None,
            "ended": ended,
        }
        output.print_json([row])
    elif ended:
        print(f"{name} has ended; `arena run` goes on with the event")
    elif answer is None:
        print(f"{name} has not answered yet; it will end as soon as it reads the request")
    else:
        lanes = sum(lane.match != "" for lane in answer.lanes)
        where = ""
        if lanes:  # on a cluster only the workers know the lanes
            where = f", in {output.counted(lanes, 'lane')},"
        print(f"{name} finishes the matches under way{where} and ends")


def _ask_to_halt(
    folder: Path,
    holder: "Holder | None",
    *,
    wait: bool,
) -> "tuple[RunState | None, bool]":
    """Ask the run that holds an archive to end, and wait for its answer, or for its end.

    Return the state in which it answered, None if it did not, and whether it has ended.
    """
    from arena.event import control
    from arena.results.archive import Archive

    token = ""
    answer: RunState | None = None
    until = time.monotonic() + ANSWER_S
    while holder is not None and (answer is None or wait):
        if holder.token != token:
            if answer is not None:
                # The run that got the request has ended, and another run has begun.
                return answer, True
            token = holder.token
            with writing(folder):
                control.request_halt(folder, token)
        state = control.last_state(folder)
        obeys = state is not None and state.token == token and state.halting
        if answer is None and obeys:
            answer = state
        if answer is None and time.monotonic() > until:
            break
        time.sleep(LOOK_S)
        holder = Archive.holder(folder)
    return answer, holder is None
