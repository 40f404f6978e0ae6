"""A contest that is a git repository, in which a pull request is a submission.

Page: docs/extras/contest.md.

Where to change what (paths begin below arena/):

- what a pull request may change, how its archive is pushed, what git may use for it:
  `extras/contest/git.py`; the steps of `arena contest`: `extras/contest/command.py`
- what `arena init --contest` makes: `extras/contest/new_contest.py`; the files of the repository:
  `extras/contest/repository/`
- the site: `extras/contest/site.py`, `extras/contest/site.html.j2`
"""

from arena.extensions import AddedCommand, AddedOptions, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="contest",
            line="Take a step of a contest that is a git repository.",
            path="arena.extras.contest.command:contest",
        ),
    ),
    options=(AddedOptions(command="init", path="arena.extras.contest.new_contest:init"),),
)
