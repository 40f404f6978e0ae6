"""Clips of matches, cards of leaderboards, badges of bots, each as a file.

The drawing itself is core (arena/pictures): the report has a card beside it, and a site has
previews of its links. Page: docs/extras/clips.md.
"""

from arena.extensions import AddedCommand, AddedOptions, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="clip",
            line="Write a recorded match as a GIF, SVG, film or picture.",
            path="arena.extras.clips.command:clip",
        ),
    ),
    options=(AddedOptions(command="export", path="arena.extras.clips.export:export"),),
)
