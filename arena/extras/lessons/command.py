"""`arena lessons`: the positions in which a bot threw most away; as text, as tests of a bot, or as openings."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths, stored_match
from arena.replay.drawing import render_state

if TYPE_CHECKING:
    from arena.results.lessons import Lesson

MOST_IN_A_FILE = 1000  # as `arena check --lessons` reads
MOST = 5  # lessons, unless --most says otherwise
SHOWN_TURNS = 8  # of a refutation
PROBLEMS = 3  # matches that cannot be read and that a notice names


def lessons(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot in the results.")],
    events: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EVENT...",
            help="Names under results/, paths, or tournament.toml files; default: the one here.",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_IN_A_FILE, help="The most lessons to show.")
    ] = MOST,
    board: Annotated[
        str | None, typer.Option("--board", "-b", metavar="BOARD", help="Only on this board.")
    ] = None,
    role: Annotated[str | None, typer.Option(help="Only in this role.")] = None,
    tests: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write them as a file for `arena check BOT --lessons FILE`."
        ),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the moves to each position as a file of openings."
        ),
    ] = None,
    draw: options.Draw = True,
    json: options.Json = False,
) -> None:
    """Show the positions in which a bot threw most away, the worst first, and what would have been better."""
    from arena import lessons as lesson_file
    from arena.results.archive import Archive
    from arena.results.lessons import find, most_regretted

    folders = {paths.event_folder(name): name for name in (events or (None,))}
    with ExitStack() as opened:
        archives = [opened.enter_context(Archive.open(folder)) for folder in folders]
        result = find(archives, bot, stored_match.game_of, board=board, role=role, most=most)
        regret = None
        if not result.lessons:
            regret = most_regretted(
                archives, result.bot, stored_match.game_of, board=board, role=role
            )
    if result.problems:
        more = (
            f"; and {len(result.problems) - PROBLEMS} more"
            if len(result.problems) > PROBLEMS
            else ""
        )
        problems = "; ".join(result.problems[:PROBLEMS])
        output.notice(
            f"{output.counted(len(result.problems), 'match')} left out: {problems}{more}; `arena verify` says more"
        )
    if tests is not None and result.lessons:
        paths.write(tests, lesson_file.text_of(result.lessons, bot, stored_match.game_of))
    elif tests is not None:
        output.notice(f"{tests}: not written, because there is no lesson")
    if openings is not None:
        _write_openings(openings, result.lessons)
    if json:
        output.print_json(
            {
                "match": lesson.record.match.id,
                "board": lesson.label,
                **output.fields(
                    lesson, "role", "turn", "played", "good", "points", "uncertain", "scores"
                ),
                "estimate": lesson.is_estimate,
                "means": {
                    move: output.fields(mean, "matches", "score")
                    for move, mean in lesson.means.items()
                },
                "matches": lesson.times,
                "state": lesson.facts,
                "refutation": [
                    {"turn": turn.number, **output.fields(turn, "role", "move")}
                    for turn in lesson.refutation
                ],
            }
            for lesson in result.lessons
        )
        return
    for number, lesson in enumerate(result.lessons, 1):
        print("\n".join([*_lines(number, lesson, folders[lesson.folder], draw=draw), ""]))
    if not result.lessons:
        name, looked_at = output.safe_line(bot), output.counted(result.matches, "match")
        print(f"no lesson for {name} in {looked_at}: {result.why_none}")
        if regret is not None:
            replay = shlex.join(["arena", "replay", _address(folders[regret.folder], regret.match)])
            print(
                f"a search estimates that {name} threw away {regret.points} points in one match; "
                f"`{replay}` shows in which turns"
            )


def _address(event: str | None, match: str) -> str:
    """Return a match as `arena replay` takes it; None = the event of the tournament.toml here."""
    return f"{event}/{match}" if event else match


def _lines(number: int, lesson: "Lesson", event: str | None, *, draw: bool) -> Iterator[str]:
    """Yield a lesson as text: where it is, the board, what was played, what would do, and the refutation."""
    match = lesson.record.match
    often = f", in {output.counted(lesson.times, 'match')}" if lesson.times > 1 else ""
    yield f"{number}. {output.safe_line(match.label)} as {lesson.role}, turn {lesson.turn}: {lesson.verdict}{often}"
    yield from (f"   {reason}" for reason in lesson.uncertain)
    if draw:
        yield f"\n{render_state(stored_match.game_of(match), lesson.facts, colour=output.wants_colour())}\n"
    yield f"   played  {output.safe_line(lesson.played)}"
    yield f"   good    {', '.join(_good_move(lesson, move) for move in lesson.good)}"
    yield f"   then    {lesson.refutation_text(SHOWN_TURNS)}"
    name = _address(event, match.id)
    yield f"   replay  {shlex.join(['arena', 'replay', name])}"
    yield f"   fork    {shlex.join(['arena', 'match', '--from', name, '--turn', str(lesson.turn - 1)])}"


def _good_move(lesson: "Lesson", move: str) -> str:
    """Return a good move as text; in an estimate with its mean score."""
    mean = lesson.means.get(move)
    scored = (
        "" if mean is None else f" ({mean.score:.0f} in {output.counted(mean.matches, 'match')})"
    )
    return f"{output.safe_line(move)}{scored}"


def _write_openings(path: Path, chosen: Sequence["Lesson"]) -> None:
    """Write the positions that a file of openings can have; a notice says why others are left out."""
    from arena.games import openings

    listed = [lesson for lesson in chosen if not lesson.record.match.sampled]
    if sampled := len(chosen) - len(listed):
        output.notice(
            f"{path}: {sampled} left out: openings are listed for boards that have a name, not for sampled ones"
        )
    lines = dict.fromkeys(
        openings.line(lesson.label, lesson.opening) for lesson in listed if lesson.opening
    )
    if at_start := sum(not lesson.opening for lesson in listed):
        output.notice(
            f"{path}: {at_start} left out: at the start of the board there is no move to list"
        )
    if lines:
        paths.write(path, "".join(f"{line}\n" for line in lines))
    else:
        output.notice(f"{path}: not written, because there is no opening")
