"""A match as text and as JSON rows: the output of `arena match`, `play` and `replay`."""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from arena.cli import output, stored_match
from arena.game import Game, Role
from arena.replay.calls import question_of, usage_of
from arena.replay.drawing import render_state
from arena.replay.reconstruct import Exchange, Retraced
from arena.replay.replayer import Scene
from arena.values import ANSWER_ENDS, Match, ModelCall, Record, Seat

STDERR_LINES = 10
LONGEST_LINE = 10_000  # characters of a line of a call of a language model


def names_of(match: Match) -> dict[str, str]:
    """Return the name of each role's bot."""
    return {seat.role: seat.bot.name for seat in match.seats}


def heading(match: Match) -> str:
    """Return one line: the match, its board, and its bots with their roles."""
    board = output.safe_line(match.label)
    seats: list[str] = []
    for seat in match.seats:
        seats.append(f"{seat.role} {output.safe_line(seat.bot.name)}")
    return (
        f"match {match.id}  {board}  {', '.join(seats)}  (repeat {match.repeat}, seed {match.seed})"
    )


def print_scene(
    game: Game[Any],
    match: Match,
    scene: Scene,
    *,
    draw: bool,
    calls: Iterable[ModelCall] = (),
) -> None:
    """Print the moves of a turn with their remarks, and the state after them if `draw`.

    `calls` are those of the match: what was asked in this turn comes before its moves.
    """
    names = names_of(match)
    for call in calls:
        if call.turn == scene.number:
            print("\n".join(call_lines(call)))

    if not scene.turns:
        title = "start"
        if scene.number:
            title = f"turn {scene.number}"
        print(title)
    for index, turn in enumerate(scene.turns):
        mover = turn.role
        name = names.get(turn.role, "")
        if name:
            mover += f" ({output.safe_line(name)})"
        if turn.by == "strike":
            note = f'instead of "{output.safe_line(turn.rejected_text)}", which was forgiven'
        elif turn.by == "bot":
            note = f"{turn.wall * 1000:.0f} ms"
        else:
            note = f"({turn.by})"
        quality = ""
        if scene.qualities:
            quality = str(scene.qualities[index])
        if quality:
            note += f"  {quality}"
        move = output.safe_line(scene.move(index))
        print(f"turn {scene.number}  {mover}  {move}  {note}")
        for remark in turn.remarks:
            print(f"    # {output.safe_line(remark)}")

    if draw:
        print(f"\n{drawing(game, scene)}\n")


def call_lines(call: ModelCall) -> Iterator[str]:
    """Yield what a bot asked a language model, what that thought, and what it said."""
    answer = call.answer
    tokens = f"{answer.tokens_in} tokens, and {answer.tokens_out} of its answer"
    notes = [f"turn {call.turn}  {call.role} asks the model: {tokens}"]
    usage_and_end = [usage_of(answer), ANSWER_ENDS.get(answer.end)]
    notes += filter(None, usage_and_end)
    yield ", ".join(notes)

    texts = {
        "asked": question_of(call),
        "thought": answer.reasoning,
        "said": answer.text,
    }
    for name, text in texts.items():
        for line in text.splitlines():
            yield f"    {name:>7} | {output.safe_line(line, LONGEST_LINE)}"


def drawing(game: Game[Any], scene: Scene) -> str:
    """Draw the state after a turn."""
    return render_state(game, scene.facts, colour=output.wants_colour())


def goes_on() -> bool:
    """Wait for Enter, or for the end of the input; return False if the user typed `q`."""
    if sys.stdin.isatty():
        print("Enter: go on, q: leave ", end="", flush=True)
    answer = sys.stdin.readline().strip().lower()
    return not answer.startswith("q")


def verdict(record: Record) -> Iterator[str]:
    """Yield lines about the end of a match: scores, faults with stderr, and warnings."""
    names = names_of(record.match)
    result = record.verdict
    last_turn = 0
    if record.turns:
        last_turn = record.turns[-1].number
    turns = output.counted(last_turn, "turn")
    scores: list[str] = []
    for role, score in result.scores.items():
        scores.append(f"{role} ({output.safe_line(names[role])}) {score}")
    yield f"{output.safe_line(result.reason)} after {turns}: {', '.join(scores)}"

    for fault in result.faults:
        when = "before the first turn"
        if fault.turn:
            when = f"in turn {fault.turn}"
        yield (
            f"{fault.role} ({output.safe_line(names[fault.role])}) is at fault {when}:"
            f" {fault.ending}: {output.safe_line(fault.words, 1000)}"
        )
        stderr = next(seat.stderr for seat in record.seats if seat.role == fault.role)
        lines = [line for line in stderr.splitlines() if line.strip()]
        for line in lines[-STDERR_LINES:]:
            yield f"    stderr: {output.safe_line(line)}"

    for seat in record.seats:
        for line in seat.warnings:
            yield f"{seat.role} ({output.safe_line(seat.bot)}): {output.safe_line(line)}"


def match_row(record: Record) -> dict[str, object]:
    """Return a match as JSON values: the columns of matches.csv, and its faults."""
    match = record.match
    result = record.verdict
    row: dict[str, object] = {"match": match.id}
    row |= output.fields(match, "game", "board", "repeat", "seed")
    row["reason"] = result.reason
    for seat in match.seats:
        role = seat.role
        row[f"{role}_bot"] = seat.bot.name
        row[f"{role}_score"] = result.scores[role]
        row[f"{role}_ending"] = result.ending(role)
    faults: list[dict[str, object]] = []
    for fault in result.faults:
        faults.append(output.fields(fault, "role", "turn", "ending", "words"))
    row["faults"] = faults
    return row


def turn_rows(match: Match, scene: Scene) -> Iterator[dict[str, object]]:
    """Yield each move of a turn as JSON values."""
    names = names_of(match)
    for index, turn in enumerate(scene.turns):
        quality = None
        if scene.qualities:
            quality = scene.qualities[index]
        steps = [output.fields(step, "word", "fate") for step in scene.steps[index]]
        yield {
            "match": match.id,
            "turn": turn.number,
            "role": turn.role,
            "bot": names.get(turn.role),
            **output.fields(turn, "move", "by"),
            "said": turn.rejected_text,
            "steps": steps,
            "blocked": scene.blocked(index),
            **output.fields(turn, "wall", "cpu", "waited", "remarks"),
            "points_lost": getattr(quality, "points", None),
            "turns_lost": getattr(quality, "turns", None),
            "estimate": getattr(quality, "estimate", None),
            "state": scene.facts,
        }


TIME_COLUMNS = 11
INDENT = " " * TIME_COLUMNS


def show_dialogue(record: Record, role: Role | None, *, json: bool) -> None:
    """Print every line that the seat of a role, or each seat, read and wrote.

    Each answer has its time.
    """
    dialogue = stored_match.dialogue_of(record)
    roles = stored_match.roles_of(record, role)
    seats = [seat for seat in record.match.seats if seat.role in roles]
    if json:
        rows: list[dict[str, object]] = []
        for seat in seats:
            for exchange in dialogue.of(seat.role):
                rows.append(_exchange_row(record, seat, exchange))
        output.print_json(rows)
        return

    print(heading(record.match))
    for seat in seats:
        print(f"\n{seat.role} ({output.safe_line(seat.bot.name)})")
        for line in _dialogue_lines(record, dialogue, seat.role):
            print(line)

    print()
    print("\n".join(verdict(record)))


def _exchange_row(
    record: Record,
    seat: Seat,
    exchange: Exchange,
) -> dict[str, object]:
    """Return a question and its answer as JSON values."""
    answer = exchange.played
    fault = exchange.fault
    answer_text = None
    seconds = None
    if not fault:
        answer_text = exchange.answer
        seconds = _seconds(record, exchange)
    remarks: list[str] = []
    if answer:
        remarks = list(answer.remarks)
    return {
        "match": record.match.id,
        "bot": seat.bot.name,
        "role": exchange.role,
        "turn": exchange.ask.turn,
        "question": exchange.ask.text.decode("utf-8", "replace").splitlines(),
        "answer": answer_text,
        "by": getattr(answer, "by", None),
        "cpu": getattr(answer, "cpu", None),
        "waited": getattr(answer, "waited", None),
        "ending": getattr(fault, "ending", None),
        "words": getattr(fault, "words", None),
        "wall": seconds,
        "remarks": remarks,
    }


def _dialogue_lines(
    record: Record,
    dialogue: Retraced,
    role: Role,
) -> Iterator[str]:
    """Yield every line of a seat; the bot's lines have a `>`, and the time that they took."""
    report = next(seat for seat in record.seats if seat.role == role)
    for exchange in dialogue.of(role):
        yield from question(exchange.ask.text)
        for call in record.calls:
            if call.turn == exchange.ask.turn and call.role == role:
                yield f"{INDENT}> model {output.safe_line(call.request, LONGEST_LINE)}"
                answer = json.dumps(call.answer.text)
                yield f"{INDENT}model {output.safe_line(answer, LONGEST_LINE)}"

        if exchange.fault is not None:
            message = output.safe_line(exchange.fault.words, 1000)
            yield f"{INDENT}> {exchange.fault.ending}: {message}"
            continue
        if exchange.played:
            for remark in exchange.played.remarks:
                yield f"{INDENT}> # {output.safe_line(remark)}"
        if exchange.answer is None:
            yield f"{INDENT}> (not recorded: the match ended in this turn by another seat's fault)"
            continue
        time = ""
        seconds = _seconds(record, exchange)
        if seconds is not None:
            time = f"{seconds * 1000:.1f} ms"
        yield f"{time:>{TIME_COLUMNS - 1}} > {output.safe_line(exchange.answer)}"

    yield from question(dialogue.last_words(role))
    end = output.safe_line(report.exit) or "it never ran"
    if report.killed:
        end += ", ended by arena"
    yield f"{INDENT}{end}"


def question(text: bytes) -> Iterator[str]:
    """Yield the lines that a bot read, indented."""
    for line in text.decode("utf-8", "replace").splitlines():
        yield f"{INDENT}{output.safe_lines(line)}"


def _seconds(record: Record, exchange: Exchange) -> float | None:
    """Return how long an answer took; `ready` is counted from the start of the process."""
    if exchange.played is not None:
        return exchange.played.wall
    if exchange.ask.turn:
        return None
    for seat in record.seats:
        if seat.role == exchange.role:
            return seat.ready
    return None
