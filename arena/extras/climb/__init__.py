"""Agents edit bots, round by round, and what a test proves better is promoted. Page: docs/extras/climb.md."""

from arena.extensions import AddedCommand, AddedTable, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="climb",
            line="Let agents edit bots, and promote what is proven better.",
            path="arena.extras.climb.command:climb",
        ),
    ),
    charts={"climb": "arena.extras.climb.chart"},
    tables={
        "climb": AddedTable(
            path="arena.extras.climb.table:ClimbTable",
            line="Rounds in which agents edit bots (`arena climb`).",
        ),
    },
)
