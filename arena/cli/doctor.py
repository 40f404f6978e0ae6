"""`arena doctor`: what this machine offers for events, what is missing, and what to change."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output

if TYPE_CHECKING:
    from arena.event.machine import Check
    from arena.event.measuring import Measured

SECONDS = 1.0


def doctor(
    measure: Annotated[
        bool, typer.Option("--measure/--no-measure", help="Measure clocks, and matches at once, with a dummy bot.")
    ] = True,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=3600, help="How long each measurement takes; longer finds rarer faults.")
    ] = SECONDS,
    json: options.Json = False,
) -> None:
    """Check this machine: confinement, cores, clocks, toolchains; exit code 1 when no event can be played.

    It says what to do where something is missing.
    """
    from arena.event.machine import State

    checks = []
    for check in _checks(measure=measure, seconds=seconds):
        checks.append(check)
        if not json:
            print(f"{check.state:<5} {check.name}: {output.safe_line(check.found, 500)}")
            if check.cure:
                print(f"      to do: {output.safe_line(check.cure, 500)}")
    bad = [check.name for check in checks if check.state is State.BAD]
    if json:
        output.print_json(
            {
                "check": check.name,
                "state": str(check.state),
                "found": check.found,
                "cure": check.cure or None,
                "figures": dict(check.figures),
            }
            for check in checks
        )
    elif bad:
        print(f"\nno event can be played here: mend {' and '.join(bad)}")
    else:
        print("\nevents can be played here")
    if bad:
        raise typer.Exit(1)


def _checks(*, measure: bool, seconds: float) -> Iterator["Check"]:
    """Yield all checks; no measurement where no bot can be started."""
    from arena.event import machine
    from arena.sandbox import cores, levels

    playable = True
    for check in machine.checks():
        yield check
        playable = playable and (check.state is not machine.State.BAD or check.name == "confinement")
    yield machine.toolchains(_programs())
    if measure and playable:
        from arena.event import measuring

        level = machine.chosen_level() or levels.UNSAFE[0]  # the dummy bot is arena's own, and can be trusted
        counts = measuring.lane_counts(len(cores.available()))
        measured = [measuring.measure(count, level, seconds) for count in counts]
        yield _clock_check(measured[0])
        yield _lanes_check(measured)


def _programs() -> dict[str, set[str]]:
    """Return the programs that bots of each language need, by the starter kits."""
    from arena.author import starters

    programs: dict[str, set[str]] = {}
    for kit in starters.starters():
        needed = {shlex.split(words)[0] for words in (kit.command, kit.build) if words}
        programs.setdefault(kit.language, set()).update(word for word in needed if "/" not in word)
    return programs


def _clock_check(measured: "Measured") -> "Check":
    """Judge the jitter of one match at a time by the usual margin."""
    from arena.event.machine import Check, State
    from arena.event.measuring import CONTROL

    figures = {
        "answers": measured.answers,
        "median": measured.median,
        "high": measured.high,
        "highest": measured.highest,
        "margin": CONTROL.margin,
    }
    found = (
        f"in {measured.answers} answers a dummy bot was charged {_ms(measured.median)} too much in the median, "
        f"{_ms(measured.high)} in 1 of 100, {_ms(measured.highest)} at most"
    )
    if not measured.answers:
        return Check(
            name="clock",
            state=State.BAD,
            found=f"the dummy bot could not play: {measured.reason}",
            cure="`arena match dice dice --board duel` shows more",
            figures=figures,
        )
    if measured.highest > CONTROL.margin / 2:
        return Check(
            name="clock",
            state=State.WEAK,
            found=f"{found}; margin is {_ms(CONTROL.margin)}",
            cure=f"set margin = {max(0.1, round(2 * measured.highest, 2)):g} under [time]",
            figures=figures,
        )
    return Check(name="clock", state=State.GOOD, found=found, figures=figures)


def _lanes_check(measured: "list[Measured]") -> "Check":
    """Judge how many matches at once were played without a loss on time that is the machine's."""
    from arena.event.machine import Check, State

    fair = [each for each in measured if each.matches and not each.lost and not each.failed]
    rates = ", ".join(f"{each.lanes} at once: {each.answers_per_second:.0f} answers/s" for each in measured)
    figures = {
        "at_once": max((each.lanes for each in fair), default=0),
        "tried": [
            {
                "lanes": each.lanes,
                "matches": each.matches,
                "answers_per_second": each.answers_per_second,
                "highest": each.highest,
                "lost": each.lost,
                "failed": each.failed,
            }
            for each in measured
        ],
    }
    if len(fair) == len(measured):
        found = f"{measured[-1].lanes} were refereed without a false time loss ({rates})"
        return Check(name="matches at once", state=State.GOOD, found=found, figures=figures)
    worst = next(each for each in measured if each not in fair)
    found = (
        f"at {worst.lanes} at once {worst.lost} seats lost on time that should not have, and {worst.failed} matches "
        f"failed ({rates})"
    )
    advice = f"set count = {fair[-1].lanes} under [workers]" if fair else "end other programs and try again"
    return Check(
        name="matches at once",
        state=State.WEAK,
        found=found,
        cure=f"{advice}, or raise margin under [time]",
        figures=figures,
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
