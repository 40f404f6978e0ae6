"""`arena check --lessons`: play the lessons of a file with a bot."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import output, stored_match
from arena.cli.check import candidate_of
from arena.errors import ArenaError
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions


def check(
    bot: str,
    boards: list[str] | None,
    sandbox: str | None,
    unsafe: bool,
    json: bool,
    lessons: Annotated[
        Path | None,
        typer.Option(
            "--lessons",
            metavar="FILE",
            help="Play the lessons that `arena lessons --tests` wrote, and nothing else; "
            "exit code 1 when one fails.",
        ),
    ] = None,
) -> None:
    """Build the bot, and play the lessons with it."""
    if lessons is None:
        raise TypeError("this runs only with the option")
    if boards:
        raise ArenaError(
            "--board and --lessons: the lessons of a file are on the boards of their matches"
        )
    built = candidate_of(
        bot,
        (),
        sandbox=sandbox,
        unsafe=unsafe,
        json=json,
        needs_boards=False,
    )
    with Launcher(watches=True) as launcher:
        if not json:
            built.print_head(launcher)
        _play_lessons(built.bot, lessons, built.screening.conditions, launcher, json=json)


def _play_lessons(
    bot: Bot,
    path: Path,
    conditions: Conditions,
    launcher: Launcher,
    *,
    json: bool,
) -> None:
    """Print what the bot makes of each lesson of a file; exit code 1 unless all pass."""
    from arena import lessons

    rows: list[dict[str, object]] = []
    passed = 0
    for lesson in lessons.read(path, stored_match.board_of):
        result = lessons.play(lesson, bot, launcher, conditions)
        passed += result.passed
        match = lesson.record.match
        row = {"lesson": lesson.number, "match": match.id, "board": match.label}
        row |= output.fields(lesson, "role", "turn", "good")
        row |= output.fields(result, "answer", "passed", "words")
        rows.append(row)
        if json:
            continue
        verdict = "FAULT"
        if result.passed:
            verdict = "ok   "
        reason = output.safe_line(result.words, 1000)
        print(f"  {verdict}  {lesson.number}. {lesson}: {reason}", flush=True)
    lesson_count = output.counted(len(rows), "lesson")
    summary = f"\n{output.safe_line(bot.name)} passes {passed} of {lesson_count}"
    output.print_result(rows, summary, json=json)
    if passed < len(rows):
        raise typer.Exit(1)
