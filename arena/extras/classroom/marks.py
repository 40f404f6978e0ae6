"""The marks of students by the thresholds of [grade], with the reasons.

The best bot of a student counts.

grades.py has the arithmetic and the words of the reasons; submissions/students.py says whose a bot
is.
"""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from arena.author.submissions.students import Student, students
from arena.errors import ArenaError, counted
from arena.event import schedules
from arena.event.discovery import names
from arena.event.plan import Plan
from arena.extras.classroom import grades
from arena.extras.classroom.classroom import classroom_of
from arena.extras.classroom.grades import Judged, Threshold
from arena.extras.classroom.table import table_of
from arena.protocol import clean
from arena.results.archive import Archive
from arena.results.columns import Column, Columns
from arena.results.standings import first_faults
from arena.values import Event

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = '[[grade.threshold]] with reference = "walker", points = 40, marks = 5'

GRADES = Columns(
    Column(
        "student",
        "The name in people.csv; a bot that belongs to nobody there stands under its own name",
    ),
    Column("id", "The id in people.csv"),
    Column("email", "The e-mail in people.csv"),
    Column(
        "bot", "The bot that is graded: of several that of the most marks; empty if none was played"
    ),
    Column("marks", "The sum of the marks", "marks"),
    Column("out_of", "The marks of all thresholds", "marks"),
    Column(
        "state",
        "`played`, `not played`, `only a reference`, `refused`, `withdrawn` or `nothing handed in`",
    ),
    Column(
        "note", "What a teacher should know: why there is no bot, or how often the bot was at fault"
    ),
    Column("reason_NUMBER", "For each threshold: the mark and its reason, in a sentence"),
    Column(
        "match", "The match to look at: the worst against the reference that the bot failed most"
    ),
    Column("replay", "The command that shows this match"),
)


@dataclass(frozen=True, kw_only=True)
class StudentMarks:
    """The marks of one student."""

    student: Student
    bot: str
    """Empty without a bot in the event."""
    marks: float
    out_of: float
    note: str
    judged: tuple[Judged, ...]
    reasons: tuple[str, ...]
    match: str
    """The id of the match to look at; empty without any."""
    replay: str
    """The command that shows it; empty without any."""

    @property
    def file_name(self) -> str:
        """The e-mail, by which an autograder knows the student; without one the id, or the name.

        It is safe for a file.
        """
        known = self.student.email or self.student.id
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9@+._-]{0,99}", known):
            return known
        return names.safe(known or self.student.name)

    @property
    def key(self) -> tuple[str, str]:
        """The name and the id of the student."""
        return self.student.name, self.student.id


@dataclass(frozen=True, kw_only=True)
class EventMarks:
    """The marks of everybody in an event."""

    thresholds: tuple[Threshold, ...]
    students: tuple[StudentMarks, ...]
    missing: str
    """Which matches are missing, in words.

    It is empty when all are played; otherwise the marks are preliminary.
    """
    faulty_references: Mapping[str, str] = field(default_factory=dict)
    """How often each reference was at fault, in words: points against it may be won by that
    alone."""


def marks_of(folder: Path, people: Path | None = None) -> EventMarks:
    """Return the marks of the event in a results folder.

    `people` is another table than the people.csv there.
    """
    classroom = classroom_of(folder, people)
    table = None
    if classroom.tournament is not None:
        table = table_of(classroom.tournament)
    if table is None:
        raise ArenaError(f"{classroom.file}: grade: this table is missing; write {EXAMPLE}")
    with Archive.open(folder) as archive:
        event = archive.event()
        try:
            thresholds = table.thresholds(event.boards, event.bots)
        except ArenaError as error:
            raise ArenaError(f"{classroom.file}: {error}") from error
        measures = classroom.references(event)
        challengers = [bot for bot in event.bots if bot.name not in measures]
        references = [bot for bot in event.bots if bot.name in measures]
        everybody = students(challengers, classroom.people, classroom.store, references)
        names_judged = [bot.name for bot in challengers]
        judged = grades.judge(
            names_judged,
            thresholds,
            archive.played(),
            archive.transcripts(),
        )
        faults = _faults(archive)
        missing = _missing(event, archive, everybody)

    rows = []
    for student in everybody:
        rows.append(_marks(student, judged, thresholds, faults, folder.name))
    faulty_references: dict[str, str] = {}
    for bot in references:
        if bot.name in faults:
            faulty_references[bot.name] = faults[bot.name]
    return EventMarks(
        thresholds=thresholds,
        students=tuple(rows),
        missing=missing,
        faulty_references=faulty_references,
    )


def frame(marks: EventMarks) -> "pd.DataFrame":
    """Return the table of grades.csv: a row for each student, with the columns `GRADES`."""
    import pandas as pd

    columns = []
    for name in GRADES.names:
        if name == "reason_NUMBER":
            columns += [f"reason_{number}" for number in range(1, len(marks.thresholds) + 1)]
        else:
            columns.append(name)
    rows = []
    for row in marks.students:
        student = row.student
        cells = [student.name, student.id, student.email]
        cells += [row.bot, f"{row.marks:g}", f"{row.out_of:g}"]
        cells += [str(student.state), row.note]
        cells += row.reasons
        cells += [row.match, row.replay]
        rows.append(cells)
    return pd.DataFrame(rows, columns=columns)


def json_row(row: StudentMarks) -> dict[str, object]:
    """Return a student's marks as JSON values."""
    thresholds = []
    for judged, reason in zip(row.judged, row.reasons, strict=True):
        thresholds.append(_json_threshold(judged, reason))
    return {
        "student": row.student.name,
        "id": row.student.id,
        "email": row.student.email,
        "bot": row.bot or None,
        "marks": row.marks,
        "out_of": row.out_of,
        "state": str(row.student.state),
        "note": row.note,
        "thresholds": thresholds,
        "match": row.match or None,
        "replay": row.replay or None,
    }


def _json_threshold(judged: Judged, reason: str) -> dict[str, object]:
    """Return how a bot did by one threshold, as JSON values."""
    points: float | None = None
    low: float | None = None
    high: float | None = None
    if judged.points is not None:
        points = round(float(judged.points), 4)
    if judged.interval is not None:
        low = round(judged.interval[0], 4)
        high = round(judged.interval[1], 4)
    return {
        "reference": judged.threshold.reference,
        "boards": judged.threshold.labels,
        "threshold": judged.threshold.points,
        "points": points,
        "low": low,
        "high": high,
        "matches": judged.matches,
        "met": judged.met,
        "within_noise": judged.within_noise,
        "marks": judged.marks,
        "out_of": judged.threshold.marks,
        "reason": reason,
        "match": judged.look_at,
    }


def gradescope(row: StudentMarks) -> dict[str, object]:
    """Return the content of a results.json as Gradescope's autograders write it.

    The names of the leaderboard are those of its columns: Gradescope shows students under
    pseudonyms that they choose. No other student is named anywhere.
    """
    tests: list[dict[str, object]] = []
    points = []
    for judged, reason in zip(row.judged, row.reasons, strict=True):
        status = "failed"
        if judged.met:
            status = "passed"
        test = {
            "number": str(len(tests) + 1),
            "name": judged.threshold.words,
            "score": judged.marks,
            "max_score": judged.threshold.marks,
            "status": status,
            "output": reason,
        }
        tests.append(test)
        if judged.points is not None:
            points.append(float(judged.points))

    leaderboard = [{"name": "marks", "value": row.marks}]
    if points:
        mean = sum(points) / len(points)
        leaderboard.append({"name": "points", "value": round(mean, 2)})

    sentences = []
    if row.note:
        sentences.append(f"{row.note}.")
    if row.match:
        sentences.append(f"Ask your teacher to show you match {row.match}.")
    return {
        "score": row.marks,
        "output": " ".join(sentences),
        "tests": tests,
        "leaderboard": leaderboard,
    }


def _marks(
    student: Student,
    judged: Mapping[str, tuple[Judged, ...]],
    thresholds: Sequence[Threshold],
    faults: Mapping[str, str],
    event: str,
) -> StudentMarks:
    """Return the marks of a student.

    Of several bots the one with the most marks counts, then the one with the most points.
    """

    def worth(bot: str) -> tuple[float, object]:
        results_of_bot = judged[bot]
        marks = fsum(result.marks for result in results_of_bot)
        points = sum(result.points or 0 for result in results_of_bot)
        return marks, points

    bot = max(student.bots, key=worth, default="")
    if bot:
        results = judged[bot]
        reasons = [result.reason for result in results]
    else:
        results = tuple(map(Judged.without_match, thresholds))
        reasons = []
        for threshold in thresholds:
            out_of = f"0 of {threshold.marks:g} marks"
            reasons.append(f"{threshold.words}: missed, {student.state}; {out_of}")
    notes = []
    if student.note:
        notes.append(student.note)
    if len(student.bots) > 1:
        notes.append(f"graded is the best of {', '.join(student.bots)}")
    if bot in faults:
        notes.append(faults[bot])
    worst = grades.worst(results)
    match = ""
    replay = ""
    if worst is not None and worst.look_at:
        match = worst.look_at
        replay = shlex.join(["arena", "replay", f"{event}/{match}"])
    sum_of_marks = fsum(result.marks for result in results)
    sum_of_thresholds = fsum(threshold.marks for threshold in thresholds)
    return StudentMarks(
        student=student,
        bot=bot,
        marks=round(sum_of_marks, 6),
        out_of=round(sum_of_thresholds, 6),
        note="; ".join(notes),
        judged=results,
        reasons=tuple(reasons),
        match=match,
        replay=replay,
    )


def _missing(
    event: Event,
    archive: Archive,
    everybody: Sequence[Student],
) -> str:
    """Return which matches are missing, in words; empty if none are."""
    plan = Plan(event, archive)
    stored = 0
    for match in plan.walk():
        if match is None:
            # Later matches depend on missing ones. Only the schedule knows how many there may be.
            break
        stored += match.stored
    planned = plan.walked
    at_most = ""
    if not plan.over:
        planned = max(plan.walked, schedules.total(event))
        at_most = schedules.at_most(event)
    keys = [(student.name, student.id) for student in everybody]
    labels = names.unambiguous(keys)
    late: list[str] = []
    for student, label in zip(everybody, labels, strict=True):
        if student.newer:
            late.append(clean(label))
    parts: list[str] = []
    if stored < planned:
        parts.append(f"{at_most}{planned - stored} of {planned} matches are not played yet")
    if late:
        late_students = counted(len(late), "student")
        parts.append(f"the last bots of {late_students} are not played yet ({', '.join(late)})")
    return ", and ".join(parts)


def _faults(archive: Archive) -> dict[str, str]:
    """Return how often each bot was at fault, with the first reason that arena gave for it."""
    matches: Counter[str] = Counter()
    endings: dict[str, Counter[str]] = defaultdict(Counter)
    ready: set[str] = set()
    first_reasons: dict[str, str] = {}
    for match in archive.played():
        bots = set(match.seats.values())
        matches.update(bots)
        for bot, role in first_faults(match).items():
            ending = match.endings[role].replace("_", " ")
            endings[bot][ending] += 1
    for seat in archive.seats():
        if seat.ready is not None:
            ready.add(seat.bot)
        if seat.ending is not None:
            first_reasons.setdefault(seat.bot, clean(seat.words or ""))
    notes = {}
    for bot, by_ending in endings.items():
        reason = first_reasons[bot]
        if bot not in ready:
            notes[bot] = f"it never started, so that it lost all of its matches: {reason}"
            continue
        kinds = [f"{count} {ending}" for ending, count in sorted(by_ending.items())]
        times = f"at fault in {by_ending.total()} of {counted(matches[bot], 'match')}"
        notes[bot] = f"{times} ({', '.join(kinds)}): {reason}"
    return notes
