"""`arena doctor`: what this machine offers."""

import shlex
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from arena import system
from arena.author import starters
from arena.cli import options, output
from arena.event.doctor import measuring
from arena.event.doctor.checks import Health, MachineCheck, toolchains
from arena.sandbox import choice


def doctor(
    measure: Annotated[
        bool,
        typer.Option(
            "--measure/--no-measure", help="Measure clocks, and matches at once, with a dummy bot."
        ),
    ] = True,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.01, max=3600, help="How long each measurement takes; longer finds rarer faults."
        ),
    ] = 1.0,
    json: options.Json = False,
) -> None:
    """Check this machine: confinement, cores, clocks, toolchains.

    The exit code is 1 when no event can be played.

    It says what to do where something is missing.
    """
    checks: list[MachineCheck] = []
    for check in _checks(measure=measure, seconds=seconds):
        checks.append(check)
        if not json:
            print(f"{check.state:<5} {check.name}: {output.safe_line(check.found, 500)}")
            if check.cure:
                print(f"      to do: {output.safe_line(check.cure, 500)}")

    bad = [check.name for check in checks if check.state is Health.BAD]
    if json:
        output.print_json(_row(check) for check in checks)
    elif bad:
        print(f"\nno event can be played here: mend {' and '.join(bad)}")
    else:
        print("\nevents can be played here")
    if bad:
        raise typer.Exit(1)


def _row(check: MachineCheck) -> dict[str, object]:
    """Return a check as JSON values."""
    return {
        "check": check.name,
        **output.fields(check, "state", "found", "figures"),
        "cure": check.cure or None,
    }


def _checks(*, measure: bool, seconds: float) -> Iterator[MachineCheck]:
    """Yield all checks; no measurement where no bot can be started."""
    from arena.event.doctor.checks import checks

    playable = True
    for check in checks():
        yield check
        if check.state is Health.BAD and check.name != "confinement":
            playable = False
    yield toolchains(_programs())
    if measure and playable:
        # The dummy bot is arena's own, and can be trusted.
        level = choice.choose("auto", unsafe=True)
        cores = len(system.cores())
        counts = measuring.lane_counts(cores)
        measured = [measuring.measure(count, level, seconds) for count in counts]
        yield measuring.clock_check(measured[0])
        yield measuring.lanes_check(measured)


def _programs() -> dict[str, set[str]]:
    """Return the programs that bots of each language need."""
    programs: dict[str, set[str]] = {}
    for kit in starters.starters():
        needed = programs.setdefault(kit.language, set())
        for command in (kit.command, kit.build):
            if not command:
                continue
            program = shlex.split(command)[0]
            # `python` in a bot's command is the interpreter that runs arena, whatever is on the
            # path.
            if program == "python":
                needed.add(sys.executable)
            elif "/" not in program:
                needed.add(program)
    return programs
