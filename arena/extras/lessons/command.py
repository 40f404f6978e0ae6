"""`arena lessons`: the positions in which a bot threw most away.

They are written as text, as tests of a bot, or as openings.
"""

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
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_IN_A_FILE,
            help="The most lessons to show.",
        ),
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
    """Show the positions in which a bot threw most away.

    They are shown with what would have been better, the worst first.
    """
    from arena import lessons as lesson_file
    from arena.results.archive import Archive
    from arena.results.lessons import find, most_regretted

    folders = {paths.event_folder(name): name for name in (events or (None,))}
    game_of = stored_match.game_of
    with ExitStack() as opened:
        archives = [opened.enter_context(Archive.open(folder)) for folder in folders]
        report = find(
            archives,
            bot,
            game_of,
            board=board,
            role=role,
            most=most,
        )
        regret = None
        if not report.lessons:
            regret = most_regretted(
                archives,
                report.bot,
                game_of,
                board=board,
                role=role,
            )

    _notice_problems(report.problems)
    if tests is not None and report.lessons:
        paths.write(tests, lesson_file.text_of(report.lessons, bot, game_of))
    elif tests is not None:
        output.notice(f"{tests}: not written, because there is no lesson")
    if openings is not None:
        _write_openings(openings, report.lessons)

    if json:
        output.print_json(_values(lesson) for lesson in report.lessons)
        return
    for number, lesson in enumerate(report.lessons, 1):
        event = folders[lesson.folder]
        lines = _lines(number, lesson, event, draw=draw)
        print("\n".join(lines))
        print()

    if report.lessons:
        return
    name = output.safe_line(bot)
    print(f"no lesson for {name} in {output.counted(report.matches, 'match')}: {report.why_none}")
    if regret is not None:
        match = _address(folders[regret.folder], regret.match)
        replay = shlex.join(["arena", "replay", match])
        print(
            f"a search estimates the points that each move threw away: those of {name} add up to "
            f"{regret.points} in one match; `{replay}` shows in which turns"
        )


def _notice_problems(problems: Sequence[str]) -> None:
    """Say which matches could not be read, and why."""
    if not problems:
        return
    reasons = "; ".join(problems[:PROBLEMS])
    if len(problems) > PROBLEMS:
        reasons += f"; and {len(problems) - PROBLEMS} more"
    matches = output.counted(len(problems), "match")
    output.notice(f"{matches} left out: {reasons}; `arena verify` says more")


def _values(lesson: "Lesson") -> dict[str, object]:
    """Return a lesson as values for JSON."""
    means = {}
    for move, mean in lesson.means.items():
        means[move] = output.fields(mean, "matches", "score")
    refutation = []
    for turn in lesson.refutation:
        refutation.append({"turn": turn.number, **output.fields(turn, "role", "move")})
    fields = ("role", "turn", "played", "good", "points", "uncertain", "scores")
    return {
        "match": lesson.record.match.id,
        "board": lesson.label,
        **output.fields(lesson, *fields),
        "estimate": lesson.is_estimate,
        "means": means,
        "matches": lesson.times,
        "state": lesson.facts,
        "refutation": refutation,
    }


def _address(event: str | None, match: str) -> str:
    """Return a match as `arena replay` takes it; None = the event of the tournament.toml here."""
    if not event:
        return match
    return f"{event}/{match}"


def _lines(
    number: int,
    lesson: "Lesson",
    event: str | None,
    *,
    draw: bool,
) -> Iterator[str]:
    """Yield a lesson as text.

    It has the place, the board, the move played, the good moves, and the refutation.
    """
    match = lesson.record.match
    position = f"{output.safe_line(match.label)} as {lesson.role}, turn {lesson.turn}"
    often = ""
    if lesson.times > 1:
        often = f", in {output.counted(lesson.times, 'match')}"
    yield f"{number}. {position}: {lesson.verdict}{often}"
    for reason in lesson.uncertain:
        yield f"   {reason}"
    if draw:
        game = stored_match.game_of(match)
        drawing = render_state(game, lesson.facts, colour=output.wants_colour())
        yield f"\n{drawing}\n"
    good_moves = [_good_move(lesson, move) for move in lesson.good]
    yield f"   played  {output.safe_line(lesson.played)}"
    yield f"   good    {', '.join(good_moves)}"
    yield f"   then    {lesson.refutation_text(SHOWN_TURNS)}"
    name = _address(event, match.id)
    before = str(lesson.turn - 1)
    yield f"   replay  {shlex.join(['arena', 'replay', name])}"
    yield f"   fork    {shlex.join(['arena', 'match', '--from', name, '--turn', before])}"


def _good_move(lesson: "Lesson", move: str) -> str:
    """Return a good move as text; in an estimate with its mean score."""
    text = output.safe_line(move)
    mean = lesson.means.get(move)
    if mean is None:
        return text
    return f"{text} ({mean.score:.0f} in {output.counted(mean.matches, 'match')})"


def _write_openings(path: Path, chosen: Sequence["Lesson"]) -> None:
    """Write the positions that a file of openings can have.

    A notice says why others are left out.
    """
    from arena.games import openings

    sampled = 0
    at_start = 0
    lines: dict[str, None] = {}  # in order, without repeats
    for lesson in chosen:
        if lesson.record.match.sampled:
            sampled += 1
        elif not lesson.opening:
            at_start += 1
        else:
            lines[openings.line(lesson.label, lesson.opening)] = None
    if sampled:
        output.notice(
            f"{path}: {sampled} left out: "
            "openings are listed for boards that have a name, not for sampled ones"
        )
    if at_start:
        output.notice(
            f"{path}: {at_start} left out: at the start of the board there is no move to list"
        )
    if lines:
        paths.write(path, "".join(f"{line}\n" for line in lines))
    else:
        output.notice(f"{path}: not written, because there is no opening")
