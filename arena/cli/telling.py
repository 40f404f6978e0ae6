"""A match in words and drawings: what `arena match` and `arena replay` print."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from arena.cli import screen
from arena.game import Game
from arena.match import Match, Record, SeatReport, Turn
from arena.scenes import Scene

STDERR_LINES = 10


def heading(match: Match) -> str:
    """Who plays what, in one line."""
    seats = ", ".join(f"{seat.role} {screen.shown(seat.bot.name)}" for seat in match.seats)
    return f"match {match.id}  {screen.shown(match.label)}  {seats}  (repeat {match.repeat}, seed {match.seed})"


def lines(scene: Scene, names: Mapping[str, str]) -> Iterator[str]:
    """A line for each move of a turn, and its remarks below."""
    if not scene.turns:
        yield "start"
    for place, turn in enumerate(scene.turns):
        name = names.get(turn.role, "")
        who = f"{turn.role} ({screen.shown(name)})" if name else turn.role
        yield f"turn {scene.number}  {who}  {screen.shown(scene.move(place))}{_how(turn)}"
        yield from (f"    # {screen.shown(remark)}" for remark in turn.remarks)


def drawing(game: Game[Any], scene: Scene) -> str:
    """The state after the turn, drawn."""
    from arena.drawing import draw

    return draw(game.board(), scene.facts, colour=screen.colourful())


def show(game: Game[Any], match: Match, scene: Scene, *, draw: bool) -> None:
    """Print a turn, and the state after it unless it is not to be drawn."""
    for line in lines(scene, names_of(match)):
        print(line)
    if draw:
        print(f"\n{drawing(game, scene)}\n")


def enter() -> bool:
    """Wait for Enter; whether to go on. Where there is no input there is nothing to wait for."""
    if sys.stdin.isatty():
        print("Enter: go on, q: leave ", end="", flush=True)
    return not sys.stdin.readline().strip().lower().startswith("q")


def names_of(match: Match) -> dict[str, str]:
    """The name of each role's bot."""
    return {seat.role: seat.bot.name for seat in match.seats}


def verdict(record: Record) -> Iterator[str]:
    """How it ended: scores, faults in words, and the last lines of a seat at fault."""
    names = names_of(record.match)
    result = record.verdict
    scores = ", ".join(f"{role} ({screen.shown(names[role])}) {score}" for role, score in result.scores.items())
    yield f"{screen.shown(result.reason)} after {_turns(record.turns)}: {scores}"
    for fault in result.faults:
        when = f"in turn {fault.turn}" if fault.turn else "before the first turn"
        yield (
            f"{fault.role} ({screen.shown(names[fault.role])}) is at fault {when}:"
            f" {fault.ending}: {screen.shown(fault.words, 1000)}"
        )
        yield from _last_words(next(seat for seat in record.seats if seat.role == fault.role))
    for seat in record.seats:
        yield from (f"{seat.role} ({screen.shown(seat.bot)}): {screen.shown(warning)}" for warning in seat.warnings)


def row(record: Record) -> dict[str, object]:
    """A match under the names of matches.csv, with its turns and faults."""
    told: dict[str, object] = {
        "match": record.match.id,
        "game": record.match.game,
        "board": record.match.board,
        "repeat": record.match.repeat,
        "seed": record.match.seed,
        "reason": record.verdict.reason,
    }
    for seat in record.match.seats:
        told[f"{seat.role}_bot"] = seat.bot.name
        told[f"{seat.role}_score"] = record.verdict.scores[seat.role]
        told[f"{seat.role}_ending"] = record.verdict.ending(seat.role)
    faults = [
        {"role": one.role, "turn": one.turn, "ending": one.ending, "words": one.words} for one in record.verdict.faults
    ]
    return told | {"faults": faults}


def turn_rows(match: Match, scene: Scene) -> Iterator[dict[str, object]]:
    """Each move of a turn as plain values."""
    names = names_of(match)
    for place, turn in enumerate(scene.turns):
        yield {
            "match": match.id,
            "turn": turn.number,
            "role": turn.role,
            "bot": names.get(turn.role),
            "move": turn.move,
            "by": turn.by,
            "said": turn.said,
            "steps": [{"word": step.word, "fate": step.fate} for step in scene.steps[place]],
            "blocked": scene.blocked(place),
            "wall": turn.wall,
            "cpu": turn.cpu,
            "waited": turn.waited,
            "remarks": turn.remarks,
            "state": scene.facts,
        }


def _how(turn: Turn) -> str:
    """Anything unusual about who chose the move, and what it took."""
    if turn.by == "strike":
        return f'  instead of "{screen.shown(turn.said)}", which was forgiven'
    if turn.by != "bot":
        return f"  ({turn.by})"
    return f"  {turn.wall * 1000:.0f} ms"


def _last_words(seat: SeatReport) -> Iterator[str]:
    """The end of a seat's stderr."""
    said = [line for line in seat.stderr.splitlines() if line.strip()]
    for line in said[-STDERR_LINES:]:
        yield f"    stderr: {screen.shown(line)}"


def _turns(turns: tuple[Turn, ...]) -> str:
    count = turns[-1].number if turns else 0
    return f"{count} turn{'' if count == 1 else 's'}"
