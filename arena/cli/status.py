"""`arena status` and `arena stop`: show how far an event is, void matches, and end a run."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths
from arena.cli.watching import duration
from arena.errors import ArenaError, known_are, writing
from arena.event import schedules

if TYPE_CHECKING:
    from arena.event.control import LaneStatus, RunState

SILENT_S = 10.0
"""A run publishes its state about once a second; the reader should know of a longer silence."""


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
        with Archive.open(folder, writing=True) as archive:
            machines = archive.machines()
            if void not in machines:
                raise ArenaError(
                    f"{void!r}: this machine played no match of {folder}; "
                    f"{known_are(void, machines)}"
                )
            voided = archive.void(void, f"voided, {void}: {reason}")
        matches = output.counted(len(voided), "match")
        summary = (
            f"{matches} of {output.safe_line(void)} voided; `arena run` plays what is due again"
        )
        output.print_result([{"match": match} for match in voided], summary, json=json)
        return
    holder = Archive.holder(folder)
    state = control.last_state(folder)
    with Archive.open(folder, writing=False) as archive:
        played_event, finished, aborts = archive.event(), archive.count(), len(archive.aborts())
        stop = archive.stop()
    # The schedule may know a bound only. The run that ended knows whether all is played, unless
    # matches came later.
    by_run = state is not None and state.complete and state.finished == finished
    by_rule = stop is not None and stop.rule != "stop_after" and stop.matches == finished
    complete = by_run or by_rule or played_event.imported
    planned = finished if complete else schedules.total(played_event)
    running = (
        state if holder is not None and state is not None and state.token == holder.token else None
    )
    row: dict[str, object] = {
        "event": played_event.name,
        "folder": str(folder),
        "planned": planned,
        "played": finished,
        "due": max(0, planned - finished),
        "complete": complete or finished >= planned,
        "aborted": aborts,
        "running": holder is not None,
        "pid": int(holder.pid) if holder is not None and holder.pid else None,
        **dict.fromkeys(
            ("machine", "begun", "written", "halting", "played_now", "rate", "seconds_left")
        ),
        "expected_end": None,
        "machines": [],
        "lanes": [],
    }
    if running is not None:
        row |= _of_run(running)
    if json:
        output.print_json([row])
        return
    at_most = "" if row["complete"] else schedules.at_most(played_event)
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
    if holder is None:
        print("no run is playing it" + ("" if row["complete"] else "; `arena run` goes on with it"))
    elif running is None:
        print(
            f"{f'process {holder.pid}' if holder.pid else 'another process'} holds it, and plays "
            "no match yet"
        )
    else:
        _print_run(running, row)


def _of_run(state: "RunState") -> dict[str, object]:
    """Return the figures of a run that is under way, as JSON values."""
    left = None if state.halting else state.seconds_left
    end = None if left is None else datetime.fromisoformat(state.written) + timedelta(seconds=left)
    machines: dict[str, list[LaneStatus]] = {}
    for lane in state.lanes:
        machines.setdefault(lane.machine, []).append(lane)
    return {
        **output.fields(state, "machine", "begun", "written", "halting"),
        "played_now": state.played,
        "rate": state.played / state.seconds if state.played and state.seconds > 0 else None,
        "seconds_left": left,
        "expected_end": end and end.isoformat(timespec="seconds"),
        "machines": [
            {
                "machine": name,
                "lanes": sum(not lane.state for lane in lanes),
                "playing": sum(bool(lane.match) for lane in lanes),
                "played": sum(lane.played for lane in lanes),
                "state": lanes[-1].state if all(lane.state for lane in lanes) else None,
            }
            for name, lanes in machines.items()
        ],
        "lanes": [
            {
                key: value or None if isinstance(value, str) else value
                for key, value in asdict(lane).items()
            }
            for lane in state.lanes
        ],
    }


def _print_run(state: "RunState", row: Mapping[str, object]) -> None:
    """Print the figures of a run that is under way, and a table of its lanes."""
    from arena.event.control import utc_now

    print(
        f"process {state.pid} on {output.safe_line(state.machine)} plays it since "
        f"{_clock(state.begun)}: {state.played} matches in this run"
        + (f", {row['rate']:.1f}/s" if row["rate"] else "")
    )
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
    rows = [
        (
            *(
                lane.lane,
                lane.machine,
                lane.played,
                lane.match or lane.state,
                lane.board,
                ", ".join(lane.bots),
            ),
            duration(_seconds_between(lane.since, state.written)) if lane.since else "",
        )
        for lane in state.lanes
    ]
    if rows:
        output.print_table(
            output.make_table(("lane", "machine", "played", "match", "board", "bots", "for"), rows)
        )


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
    from arena.event import control
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    holder = Archive.holder(folder)
    if holder is None:
        raise ArenaError(
            f"{paths.displayed(folder)}: no run is playing this event, so there is nothing to stop"
        )
    name = f"process {holder.pid}" if holder.pid else "the run"
    token, answer, until = "", None, time.monotonic() + ANSWER_S
    while holder is not None and (answer is None or wait):
        if holder.token != token:
            if answer is not None:
                # The run that got the request has ended, and another run has begun.
                holder = None
                break
            token = holder.token
            with writing(folder):
                control.request_halt(folder, token)
        state = control.last_state(folder)
        if answer is None and state is not None and state.token == token and state.halting:
            answer = state
        if answer is None and time.monotonic() > until:
            break
        time.sleep(LOOK_S)
        holder = Archive.holder(folder)
    if json:
        row = {
            "folder": str(folder),
            "asked": True,
            "halting": answer is not None,
            "ended": holder is None,
        }
        output.print_json([row])
    elif holder is None:
        print(f"{name} has ended; `arena run` goes on with the event")
    elif answer is None:
        print(f"{name} has not answered yet; it will end as soon as it reads the request")
    else:
        lanes = sum(lane.match != "" for lane in answer.lanes)
        # On a cluster only the workers know the lanes.
        where = f", in {output.counted(lanes, 'lane')}," if lanes else ""
        print(f"{name} finishes the matches under way{where} and ends")
