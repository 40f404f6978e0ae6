"""The event that a run is to play, with the file that describes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena import workspace
from arena.cli import paths
from arena.values import Bot, Event

if TYPE_CHECKING:
    from arena.event.config import Tournament


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """An event, and how it is to be played here."""

    path: Path
    """The tournament.toml."""
    tournament: "Tournament"
    event: Event
    entrants: tuple[Bot, ...]
    """All bots of the file; those that play none of the boards are not in the event."""
    folder: Path
    """The folder of the results."""
    lanes: int
    """The number of matches at once."""


def load(
    path: Path,
    changed: Mapping[str, object],
    bots: Sequence[str],
    boards: Sequence[str],
) -> PlannedRun:
    """Read a tournament.toml, in which these keys are changed.

    The event has only the named bots and boards, if any are named.
    """
    from arena.event import config

    tournament = config.load(path, changed)
    event, entrants = workspace.event_of(tournament, path, bots, boards)
    return PlannedRun(
        path=path,
        tournament=tournament,
        event=event,
        entrants=entrants,
        folder=paths.results_folder(path.parent, event.name),
        lanes=workspace.matches_at_once(tournament, event),
    )
