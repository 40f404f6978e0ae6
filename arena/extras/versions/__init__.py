"""`arena duel --bisect`: the version of a bot that made it worse. Page: docs/extras/versions.md.

It is an extra, since few events look for such a version. What versions are, and how two of them are
compared, is core: every author needs it, and the site does, too.

Where to change what (paths begin below arena/):

- which version is tested next, and what is proven at the end: `extras/versions/bisection.py`
- what a range of versions means: `extras/versions/ranges.py`
- how it is played and printed: `extras/versions/command.py`
"""

from arena.extensions import AddedOptions, Extension

EXTENSION = Extension(
    options=(AddedOptions(command="duel", path="arena.extras.versions.command:duel"),)
)
"""What the extra adds to arena."""
