"""The table [remote] of tournament.toml."""

from dataclasses import replace
from typing import cast

from pydantic import Field

from arena.clock import TimeControl
from arena.event.config import Tournament
from arena.event.tables import ExtensionTable, Seconds, SecondsOrNone
from arena.values import Conditions, RemoteSeats

REMOTE = RemoteSeats()  # the defaults


class RemoteTable(ExtensionTable):
    """[remote]: bots that stay on their authors' machines; seconds, while they are connected."""

    start: SecondsOrNone = Field(
        REMOTE.time.start, gt=0, description="Seconds from `ready?` to `ready`."
    )
    move: SecondsOrNone = Field(
        REMOTE.time.move, gt=0, description="Seconds for each answer, before the bank."
    )
    bank: Seconds = Field(
        REMOTE.time.bank, ge=0, description="Seconds a match that answers may take beyond `move`."
    )
    margin: Seconds = Field(
        REMOTE.time.margin, ge=0, description="Seconds added to each deadline, for the network."
    )
    grace: Seconds = Field(
        REMOTE.grace, ge=0, description="Seconds a match, in all, that its connection may be lost."
    )
    rated: bool = Field(False, description="Play them in this event, and not in NAME-remote.")

    def seats(self) -> RemoteSeats:
        """Return the conditions of remote seats."""
        control = TimeControl(
            start=self.start,
            move=self.move,
            bank=self.bank,
            margin=self.margin,
        )
        return RemoteSeats(time=control, grace=self.grace)

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match, with those of remote seats if they are rated."""
        if not self.rated:
            return before
        return replace(before, remote=self.seats())


def table_of(tournament: Tournament) -> RemoteTable:
    """Return the table [remote] of a tournament.toml."""
    return cast(RemoteTable, tournament.table("remote"))
