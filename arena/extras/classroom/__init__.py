"""What a teacher gives back to a class: marks, letters, a page for each student.

Page: docs/extras/classroom.md.

Who the people are, and which of them wrote a bot, is no part of this: a submission has an author in
each event (arena/author/submissions/people.py).

Where to change what (paths begin below arena/):

- what a mark is, and its reason in words: `extras/classroom/grades.py`; the table [grade]:
  `extras/classroom/table.py`
- which of a student's bots counts, and the files with marks: `extras/classroom/marks.py`
- what a letter of `arena report --for everybody` says: `extras/classroom/for_authors.py`
  `write_letter`; who gets a letter: `write` there
- what a letter of `arena submit --feedback` says: `extras/classroom/letter.py`
"""

from arena.extensions import AddedCommand, AddedOptions, AddedTable, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="grade",
            line="Give marks by the thresholds of [grade].",
            path="arena.extras.classroom.command:grade",
        ),
    ),
    options=(
        AddedOptions(command="report", path="arena.extras.classroom.added_options:report"),
        AddedOptions(command="submit", path="arena.extras.classroom.added_options:submit"),
    ),
    tables={
        "grade": AddedTable(
            path="arena.extras.classroom.table:GradeTable",
            line="Marks for students, given by `arena grade`.",
        ),
    },
)
