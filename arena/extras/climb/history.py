"""The history of a climb, in one small file.

It says what agents made of bots, round by round, and what tests have proven. This module knows the
file. It does not know how an agent works, nor how a version is tested.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from arena import file_formats
from arena.event import histories

FILE = "climb.json"
MOST_BYTES = 50_000_000


class EditOutcome(StrEnum):
    """What became of an edit."""

    TESTING = "in test"
    """It is fit to play, and it is not decided yet whether it is promoted."""
    PROMOTED = "promoted"
    REJECTED = "rejected"
    """It is fit to play, and was not proven good enough."""
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    """It is not fit to play, or no bot at all."""
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """What an agent made of a bot in one round.

    No time is in it: the same climb has the same history.
    """

    round: int
    bot: str
    outcome: EditOutcome
    words: str = ""
    """The reason of the outcome, in a sentence; it may quote what agent or bot printed."""
    digest: str = ""
    """Of the version; empty where there is none."""
    calls: int = 0
    """Answers that a language model gave to the agent."""
    tokens: int = 0
    cost: float = 0.0
    pairings: int = 0
    """Of the test; the difference is that of the points in them, with the interval of the test."""
    difference: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class History:
    """A climb so far."""

    settings: str
    """A hash of all that decides how it goes on, beside agents and bots."""
    agents: Mapping[str, str]
    """The command of the agent of each bot that climbs."""
    first: Mapping[str, str]
    """The digest of each of these bots before the first round."""
    edits: tuple[Edit, ...] = ()
    format: int = file_formats.CLIMB.number

    def champion(self, bot: str) -> str:
        """Return the digest of the version that was promoted last."""
        digest = self.first[bot]
        for edit in self.of(bot):
            if edit.outcome is EditOutcome.PROMOTED:
                digest = edit.digest
        return digest

    def of(self, bot: str) -> Iterator[Edit]:
        """Yield the edits of a bot in the order of rounds."""
        return (edit for edit in self.edits if edit.bot == bot)

    def with_edit(self, edit: Edit) -> "History":
        """Return the history with an edit, in place of an earlier state of it."""
        edits: list[Edit] = []
        for other_edit in self.edits:
            if other_edit.round != edit.round or other_edit.bot != edit.bot:
                edits.append(other_edit)
        edits.append(edit)
        return replace(self, edits=tuple(edits))


HISTORY = TypeAdapter(History)


def read(folder: Path) -> History | None:
    """Return the history in a folder of results; None where nobody climbed."""
    return histories.read(folder / FILE, HISTORY, file_formats.CLIMB, MOST_BYTES)


def store(folder: Path, history: History) -> None:
    """Write the history into a folder of results, in one step."""
    histories.store(folder / FILE, HISTORY, history)
