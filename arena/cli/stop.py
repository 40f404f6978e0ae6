"""`arena stop`: ask the run of an event, from another terminal, to finish the matches under way and to end."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.event.control import RunState

ANSWER_S = 20.0
"""A run takes note of a request within a tenth of a second, unless it is preparing bots or its machine is very busy."""
LOOK_S = 0.05


def stop(
    event: options.EventName = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the run has ended.")] = False,
    json: options.Json = False,
) -> None:
    """Ask the run of an event to finish the matches under way, and to end; `arena run` goes on with it."""
    from arena.event import control
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    holder = Archive.holder(folder)
    if holder is None:
        raise ArenaError(f"{paths.displayed(folder)}: no run is playing this event, so there is nothing to stop")
    name = f"process {holder.pid}" if holder.pid else "the run"
    token, answer, until = "", None, time.monotonic() + ANSWER_S
    while holder is not None and (answer is None or wait):
        if holder.token != token:
            if answer is not None:  # the run that got the request has ended, and another one has begun
                holder = None
                break
            token = holder.token
            try:
                control.request_halt(folder, token)
            except OSError as error:
                reason = f"a request to stop cannot be written: {error.strerror}"
                raise ArenaError(f"{folder}: {reason}; look at its permissions") from error
        answer = answer or _answer(control.last_state(folder), token)
        if answer is None and time.monotonic() > until:
            break
        time.sleep(LOOK_S)
        holder = Archive.holder(folder)
    if json:
        row = {"folder": str(folder), "asked": True, "halting": answer is not None, "ended": holder is None}
        output.print_json([row])
    elif holder is None:
        print(f"{name} has ended; `arena run` goes on with the event")
    elif answer is None:
        print(f"{name} has not answered yet; it will end as soon as it reads the request")
    else:
        lanes = sum(lane.match != "" for lane in answer.lanes)
        where = f", in {output.counted(lanes, 'lane')}," if lanes else ""  # on a cluster only the workers know
        print(f"{name} finishes the matches under way{where} and ends")


def _answer(state: "RunState | None", token: str) -> "RunState | None":
    """Return the state if it is that of the run with this token, and the run has taken note of the request."""
    return state if state is not None and state.token == token and state.halting else None
