"""`arena grade`: marks for students by the thresholds of [grade].

It gives them as a table, CSV, JSON, and files for Gradescope.

The marks are made in marks.py. All files here hold real names, so that only their owner may read
them.
"""

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths
from arena.errors import writing
from arena.event.discovery import names

FILE = "grades.csv"
NOTE_LETTERS = 90  # grades.csv has the whole note


def grade(
    event: options.EventName = None,
    people: options.People = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Grade though matches are missing.")
    ] = False,
    gradescope: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a results.json for each student into this folder."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Give marks by the thresholds of [grade], and write grades.csv.

    The exit code is 1 while matches are missing.
    """
    from arena.author.submissions.students import namesakes_notice
    from arena.extras.classroom import marks as formats
    from arena.results import tables

    folder = paths.event_folder(event)
    marks = formats.marks_of(folder, people)
    if marks.missing and not partial:
        output.notice(f"{marks.missing}: `arena run`; `--partial` grades what is there")
        raise typer.Exit(1)

    written = []
    with writing(folder):
        frame = formats.frame(marks)
        table = tables.write(frame, formats.GRADES, folder / FILE, whole_files.PRIVATE)
        written.append(table)
        if gradescope is not None:
            whole_files.make_folder(gradescope)
            file_names = [row.file_name for row in marks.students]
            files = names.all_distinct(file_names)
            for row, name in zip(marks.students, files, strict=True):
                values = formats.gradescope(row)
                text = json_text.dumps(values, indent=1, ensure_ascii=False) + "\n"
                content = text.encode("utf-8", "backslashreplace")
                whole_files.write(gradescope / f"{name}.json", content, whole_files.PRIVATE)
            written.append(gradescope)

    if json:
        output.print_json(formats.json_row(row) for row in marks.students)
    else:
        keys = [row.key for row in marks.students]
        labels = names.unambiguous(keys)
        columns: dict[str, list[object]] = {"student": list(labels)}
        columns["bot"] = [row.bot for row in marks.students]
        columns["marks"] = [f"{row.marks:g}" for row in marks.students]
        columns["out of"] = [f"{row.out_of:g}" for row in marks.students]
        columns["state"] = [str(row.student.state) for row in marks.students]
        columns["look at"] = [row.match for row in marks.students]
        notes: list[object] = []
        for row in marks.students:
            notes.append(output.safe_line(row.note, NOTE_LETTERS))
        columns["note"] = notes
        output.print_columns(columns, ("bot", "out of"))

    if marks.missing:
        output.notice(f"{marks.missing}, and the marks are preliminary")
    for reference, words in marks.faulty_references.items():
        output.notice(
            f"reference {reference}: {words}; points against it may be won by its faults alone"
        )
    strangers = []
    for row in marks.students:
        if not row.student.id:
            strangers.append(output.safe_line(row.student.name))
    if strangers and len(marks.students) > len(strangers):
        output.notice(f"bots that belong to nobody in the table of people: {', '.join(strangers)}")
    namesakes = namesakes_notice(row.student for row in marks.students)
    if namesakes:
        output.notice(namesakes)
    written_paths = map(paths.displayed, written)
    output.notice(f"written: {', '.join(written_paths)}")
