"""Cycles: fields in which A beats B, B beats C and C beats A. Page: docs/extras/cycles.md."""

from arena.extensions import AddedFrame, Extension

EXTENSION = Extension(
    charts={"cycles": "arena.extras.cycles.chart"},
    frames={
        "cycles": AddedFrame(
            path="arena.extras.cycles.frames:cycles",
            columns="arena.extras.cycles.frames:CYCLES",
        ),
        "beaten_in_cycles": AddedFrame(
            path="arena.extras.cycles.frames:beaten_in_cycles",
            columns="arena.extras.cycles.frames:BEATEN",
        ),
    },
)
