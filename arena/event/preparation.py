"""What a run does before its first match: it copies the bots, builds them, and begins the plan.

A run that would not compare with the stored matches, or whose bots could read its results, is
refused here.
"""

from dataclasses import replace

from arena.errors import ArenaError
from arena.event import bot_folder, builds, plan
from arena.event.plan import Plan
from arena.results.archive import Archive
from arena.results.folders import BUILDS
from arena.sandbox import choice
from arena.sandbox.exposure import refuse_exposed
from arena.values import Event


def prepared(event: Event, archive: Archive, *, builds_here: bool) -> Plan:
    """Store the event with copies of its bots, built, in the archive, and return its plan.

    `builds_here` is False where lanes elsewhere build the bots themselves.
    """
    folder = archive.folder
    if event.conditions.sandbox == "auto":  # a notebook may not have resolved it
        event = replace(event, conditions=choice.resolved(event.conditions))
    level = event.conditions.sandbox
    if archive.of_all_versions().count():
        former = archive.event()
        if former.imported:
            raise ArenaError(
                f"{folder}: has imported matches, beside which nothing is played; "
                "play under another --name"
            )
        former_level = former.conditions.sandbox
        if former_level != level:
            raise ArenaError(
                f"{folder}: was played at the level {former_level!r}, and this run would be at "
                f"{level!r}, which does not compare: "
                f"say --sandbox {former_level}, or play under another --name"
            )
    refuse_exposed((folder,), event.bots, level)
    event = bot_folder.copy_bots(event, folder / "bots")
    if builds_here:
        event = replace(event, bots=builds.built(event.bots, folder.parent / BUILDS, level))
    return plan.begin(event, archive)
