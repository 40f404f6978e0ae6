"""Agents edit bots, round by round, and what a test proves better is promoted.

Page: docs/extras/climb.md.

Where to change what (paths begin below arena/):

- what an agent gets: `extras/climb/feedback.py`; how it is confined: `extras/climb/agent.py`
- the steps of a round, and when an edit is promoted: `extras/climb/climbing.py` `Climb`,
  `question`; its history: `extras/climb/history.py`
"""

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
