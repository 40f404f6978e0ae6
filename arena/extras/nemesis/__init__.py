"""The nemesis of a bot: play that takes as many points from it as it can.

Page: docs/extras/nemesis.md.

Where to change what (paths begin below arena/):

- how it searches: `extras/nemesis/search.py`; its seat, which sees the whole match:
  `extras/nemesis/seat.py`
"""

from arena.extensions import AddedCommand, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="nemesis",
            line="Search for play that beats a bot.",
            path="arena.extras.nemesis.command:nemesis",
        ),
    ),
)
