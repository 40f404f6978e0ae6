"""`arena grade`: marks for students by the thresholds of [grade], as a table, CSV, JSON, and files for Gradescope.

The arithmetic and the reasons are in results/grades.py, the students in author/submissions/students.py. All files here
hold real names, so that only their owner may read them.
"""

import json as json_text
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import whole_files
from arena.cli import authors, options, output, paths
from arena.errors import ArenaError, writing

if TYPE_CHECKING:
    from arena.author.submissions.students import Student
    from arena.results.archive import Archive
    from arena.results.grades import Judged, Threshold
    from arena.values import Event

FILE = "grades.csv"
NOTE_LETTERS = 90  # grades.csv has the whole note
EXAMPLE = '[[grade.threshold]] with reference = "walker", points = 40, marks = 5'


@dataclass(frozen=True, kw_only=True)
class Graded:
    """The marks of one student."""

    student: "Student"
    bot: str
    """Empty without a bot in the event."""
    marks: float
    out_of: float
    note: str
    judged: "tuple[Judged, ...]"
    """A result for each threshold; `()` without a bot."""
    match: str
    """The id of the match to look at; empty without any."""


def grade(
    event: options.EventName = None,
    people: options.People = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Grade what is there, though matches are missing.")
    ] = False,
    gradescope: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a results.json for each student into this folder.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Give marks by the thresholds of [grade], and write grades.csv; exit code 1 while matches are missing."""
    from arena.author.submissions.students import students
    from arena.results import grades
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    classroom = authors.classroom(folder, people)
    if classroom.tournament is None or classroom.tournament.grade is None:
        raise ArenaError(f"{classroom.file}: grade: this table is missing; write {EXAMPLE}")
    with Archive.open(folder) as archive:
        played = archive.event()
        try:
            thresholds = classroom.tournament.thresholds(played.boards, [bot.name for bot in played.bots])
        except ArenaError as error:
            raise ArenaError(f"{classroom.file}: {error}") from error
        names = classroom.references(played)
        challengers = [bot for bot in played.bots if bot.name not in names]
        references = [bot for bot in played.bots if bot.name in names]
        everybody = students(challengers, classroom.people, classroom.store, references)
        if (missing := _missing(played, archive, everybody)) and not partial:
            output.notice(f"{missing}: `arena run`; `--partial` grades what is there")
            raise typer.Exit(1)
        judged = grades.judge((bot.name for bot in challengers), thresholds, archive.played(), archive.transcripts())
        faults = _faults(archive)
    rows = [_graded(student, judged, thresholds, faults) for student in everybody]
    written = _write(rows, thresholds, folder, gradescope)
    if json:
        output.print_json(_json_row(row, thresholds, folder.name) for row in rows)
    else:
        _print(rows)
    if missing:
        output.notice(f"{missing}, and the marks are preliminary")
    strangers = [output.safe_line(row.student.name) for row in rows if not row.student.id]
    if strangers and len(rows) > len(strangers):
        output.notice(f"bots that belong to nobody in the table of people: {', '.join(strangers)}")
    output.notice(f"written: {', '.join(map(paths.displayed, written))}")


def _missing(event: "Event", archive: "Archive", students: "Iterable[Student]") -> str:
    """Return which matches are missing, in words; empty if none are."""
    from arena.event import schedules
    from arena.event.plan import Plan

    plan, stored = Plan(event, archive), 0
    for each in plan.walk():
        if each is None:  # later matches depend on missing ones, and only the schedule knows how many there may be
            break
        stored += each.stored
    planned = plan.walked if plan.over else max(plan.walked, schedules.total(event))
    at_most = "" if plan.over else schedules.at_most(event)
    late = [output.safe_line(student.name) for student in students if student.newer]
    parts = [f"{at_most}{planned - stored} of {planned} matches are not played yet"] if stored < planned else []
    if late:
        parts.append(f"the last bots of {output.counted(len(late), 'student')} are not played yet ({', '.join(late)})")
    return ", and ".join(parts)


def _faults(archive: "Archive") -> dict[str, str]:
    """Return for each bot that was at fault how often, with the first reason that arena gave for it."""
    seats: Counter[str] = Counter()
    endings: dict[str, Counter[str]] = defaultdict(Counter)
    ready: set[str] = set()
    first_reasons: dict[str, str] = {}
    for seat in archive.seats():
        seats[seat.bot] += 1
        if seat.ready is not None:
            ready.add(seat.bot)
        if seat.ending is not None:
            endings[seat.bot][seat.ending.replace("_", " ")] += 1
            first_reasons.setdefault(seat.bot, output.safe_line(seat.words))
    notes = {}
    for bot, counted in endings.items():
        kinds = ", ".join(f"{count} {ending}" for ending, count in sorted(counted.items()))
        if bot not in ready:
            notes[bot] = f"it never started, so that it lost all of its matches: {first_reasons[bot]}"
        else:
            notes[bot] = (
                f"at fault in {counted.total()} of {output.counted(seats[bot], 'seat')} ({kinds}): {first_reasons[bot]}"
            )
    return notes


def _graded(
    student: "Student",
    judged: "dict[str, tuple[Judged, ...]]",
    thresholds: "Sequence[Threshold]",
    faults: dict[str, str],
) -> Graded:
    """Return the marks of a student; of several bots that of the most marks counts, then that of the most points."""
    from arena.results import grades

    out_of = round(fsum(threshold.marks for threshold in thresholds), 6)

    def worth(bot: str) -> tuple[float, object]:
        return fsum(each.marks for each in judged[bot]), sum(each.points or 0 for each in judged[bot])

    if not student.bots:
        return Graded(student=student, bot="", marks=0.0, out_of=out_of, note=student.note, judged=(), match="")
    bot = max(student.bots, key=worth)
    several = f"graded is the best of {', '.join(student.bots)}" if len(student.bots) > 1 else ""
    worst = grades.worst(judged[bot])
    return Graded(
        student=student,
        bot=bot,
        marks=round(worth(bot)[0], 6),
        out_of=out_of,
        note="; ".join(filter(None, [student.note, several, faults.get(bot, "")])),
        judged=judged[bot],
        match=worst.look_at or "" if worst is not None else "",
    )


def _reasons(row: Graded, thresholds: "Sequence[Threshold]") -> list[str]:
    """Return a sentence for each threshold."""
    if row.judged:
        return [each.reason for each in row.judged]
    return [f"{each.words}: missed, {row.student.state}; 0 of {each.marks:g} marks" for each in thresholds]


def _replay(match: str, event: str) -> str:
    return shlex.join(["arena", "replay", f"{event}/{match}"]) if match else ""


def _print(rows: Sequence[Graded]) -> None:
    headers = ("student", "bot", "marks", "out of", "state", "look at", "note")
    cells = [
        (
            *(row.student.name, row.bot, f"{row.marks:g}", f"{row.out_of:g}"),
            *(str(row.student.state), row.match, output.safe_line(row.note, NOTE_LETTERS)),
        )
        for row in rows
    ]
    output.print_table(output.make_table(headers, cells))


def _json_row(row: Graded, thresholds: "Sequence[Threshold]", event: str) -> dict[str, object]:
    tests = []
    for number, (threshold, reason) in enumerate(zip(thresholds, _reasons(row, thresholds), strict=True)):
        judged = row.judged[number] if row.judged else None
        low, high = (judged.interval if judged is not None else None) or (None, None)
        tests.append(
            {
                "reference": threshold.reference,
                "boards": threshold.labels,
                "threshold": threshold.points,
                "points": None if judged is None or judged.points is None else round(float(judged.points), 4),
                "low": low and round(low, 4),
                "high": high and round(high, 4),
                "matches": judged.matches if judged is not None else 0,
                "met": judged is not None and judged.met,
                "within_noise": judged is not None and judged.within_noise,
                "marks": judged.marks if judged is not None else 0.0,
                "out_of": threshold.marks,
                "reason": reason,
                "match": judged.look_at if judged is not None else None,
            }
        )
    return {
        "student": row.student.name,
        "id": row.student.id,
        "email": row.student.email,
        "bot": row.bot or None,
        "marks": row.marks,
        "out_of": row.out_of,
        "state": str(row.student.state),
        "note": row.note,
        "thresholds": tests,
        "match": row.match or None,
        "replay": _replay(row.match, event) or None,
    }


def _write(
    rows: Sequence[Graded], thresholds: "Sequence[Threshold]", folder: Path, gradescope: Path | None
) -> list[Path]:
    """Write grades.csv, and the files for Gradescope into their folder; return the paths to show."""
    import pandas as pd

    from arena.results import tables
    from arena.results.columns import GRADES

    names = [name for name in GRADES.names if name != "reason_NUMBER"]
    at = GRADES.names.index("reason_NUMBER")
    names[at:at] = [f"reason_{number}" for number in range(1, len(thresholds) + 1)]
    cells = [
        (
            *(row.student.name, row.student.id, row.student.email, row.bot, f"{row.marks:g}", f"{row.out_of:g}"),
            *(str(row.student.state), row.note, *_reasons(row, thresholds), row.match, _replay(row.match, folder.name)),
        )
        for row in rows
    ]
    frame = pd.DataFrame(cells, columns=names)
    with writing(folder):
        written = [tables.write(frame, GRADES, folder / FILE, whole_files.PRIVATE)]
        if gradescope is not None:
            whole_files.make_folder(gradescope)
            used: set[str] = set()
            for row in rows:
                text = json_text.dumps(_gradescope(row, thresholds), indent=1, ensure_ascii=False) + "\n"
                path = gradescope / f"{paths.distinct(_file_name(row.student), used)}.json"
                whole_files.write(path, text.encode("utf-8", "backslashreplace"), whole_files.PRIVATE)
            written.append(gradescope)
    return written


def _file_name(student: "Student") -> str:
    """Return the e-mail, by which an autograder knows the student, else the id, else the name; safe for a file."""
    from arena.event.discovery import names

    known = student.email or student.id
    return known if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9@+._-]{0,99}", known) else names.safe(known or student.name)


def _gradescope(row: Graded, thresholds: "Sequence[Threshold]") -> dict[str, object]:
    """Return the content of a results.json as Gradescope's autograders write it.

    The names of the leaderboard are those of its columns: Gradescope shows students under pseudonyms that they choose.
    No other student is named anywhere.
    """
    points = [float(each.points) for each in row.judged if each.points is not None]
    look_at = [f"Ask your teacher to show you match {row.match}."] if row.match else []
    tests = [
        {
            "number": str(number),
            "name": threshold.words,
            "score": row.judged[number - 1].marks if row.judged else 0.0,
            "max_score": threshold.marks,
            "status": "passed" if row.judged and row.judged[number - 1].met else "failed",
            "output": reason,
        }
        for number, (threshold, reason) in enumerate(zip(thresholds, _reasons(row, thresholds), strict=True), 1)
    ]
    leaderboard = [{"name": "marks", "value": row.marks}]
    if points:
        leaderboard.append({"name": "points", "value": round(sum(points) / len(points), 2)})
    return {
        "score": row.marks,
        "output": " ".join([*filter(None, [row.note and f"{row.note}."]), *look_at]),
        "tests": tests,
        "leaderboard": leaderboard,
    }
