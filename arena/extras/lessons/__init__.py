"""Lessons: the positions in which a bot threw most away, shown, and as tests.

What a lesson is, is core (arena/results/lessons.py), as the report has the worst ones on the page
of each bot. So is the file of lessons (arena/lessons.py): tests of bots import `arena.lessons`, and
could not if this folder were gone. Page: docs/extras/lessons.md.

Where to change what (paths begin below arena/):

- how a lesson is printed: `extras/lessons/command.py`
- `arena check --lessons`: `extras/lessons/check.py`
"""

from arena.extensions import AddedCommand, AddedOptions, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="lessons",
            line="Show the positions in which a bot threw most away.",
            path="arena.extras.lessons.command:lessons",
        ),
    ),
    options=(AddedOptions(command="check", path="arena.extras.lessons.check:check"),),
)
