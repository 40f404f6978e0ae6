"""The nemesis of a bot: play that takes as many points from it as it can. Page: docs/extras/nemesis.md."""

from arena.extensions import Command, Extension

EXTENSION = Extension(
    commands=(
        Command(
            name="nemesis",
            line="Search for play that beats a bot.",
            path="arena.extras.nemesis.command:nemesis",
        ),
    ),
)
