"""The best values of a bot's parameters, found by playing. Page: docs/extras/tune.md."""

from arena.extensions import AddedCommand, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="tune",
            line="Find better values of a bot's parameters by playing.",
            path="arena.extras.tune.command:tune",
        ),
    ),
    charts={"tune": "arena.extras.tune.chart"},
)
