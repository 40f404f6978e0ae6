"""The plan of an event: the matches of its schedule, in order, as far as the results on disk decide which they are.

It asks the schedule for one batch after the other, and the archive for what was played. It plays
nothing, writes nothing, and knows no worker and no clock.
"""

# Theory of operation
#
# A plan is walked, not made: a thousand bots have a million matches. `walk` makes the next match
# only when somebody wants it, and of the matches before it the plan keeps the ids, eight bytes
# each. Whether a match is stored is looked up in the archive, some hundreds at once. A set of all
# stored ids would be quicker, but a million ids would take 120 MB.
#
# Batches that are over are stored with the ids of their matches (`StoredBatch`). `Plan.resumed`
# begins behind them: it pairs none of them again, and makes none of their matches. A stored batch
# counts only while all its matches are stored, so an archive that lost a match plays it again.
# `arena verify` walks the whole plan and compares.
#
# Batches. A batch depends on the results of earlier batches (`Schedule.BEHIND`). While these are
# not all stored, `walk` yields None: nothing can begin until more matches are done, and whoever
# walks may ask again. The schedule gets results in the order of the plan, so the order in which
# matches finished changes nothing.
#
# Resuming is the same walk, in which stored matches count as done. The plan has no other state, so
# an event can be cut anywhere and goes on with the same matches. That is also why the rule
# `stop_when` is looked at only at points of the plan, after complete batches, or, where a batch has
# several repeats of the same pairings, as a round robin has, after complete repeats: a look
# whenever a match ends would see other results in each run.

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import count, islice
from typing import Any, NamedTuple, Self

from arena.errors import ArenaError
from arena.event import schedules, stopping
from arena.identity import digest_of, plain
from arena.results.archive import Archive
from arena.results.archive.records import StoredBatch
from arena.values import Batch, Event, Match, OpenRanks, Seat, Stop, identity_of

MOST_OPEN = 1_500_000
"""A run walks no further than it plays, so only a stranger has an archive of which more are missing."""
ID_DIGITS = 12
LOOK_UP = 256
"""The number of matches that are looked up in the archive at once."""


class Planned(NamedTuple):
    """A match of the plan."""

    match: Match
    batch: int
    stored: bool
    """True when its record is on disk."""


class Plan:
    """The matches of one event; its archive says which of them are done."""

    def __init__(self, event: Event, archive: Archive, batches: Sequence[StoredBatch] = ()) -> None:
        """Begin behind the first of these batches that are complete; `resumed` takes those of the archive."""
        self._event, self._archive = event, archive
        self._schedule = schedules.find(event.schedule)
        self._ids: list[array[int]] = []
        """The ids of the matches that were walked, for each batch."""
        self._missing: list[int] = []
        """How many of these are not stored, for each batch."""
        self._open = 0
        """How many of all are not stored."""
        self._ended = 0
        """The number of batches that were walked to their end."""
        self._plugin = not schedules.is_shipped(event.schedule)
        self._seen: set[int] = set()
        """The ids that a plug-in planned. It takes 100 MB for a million, so it stays empty for arena's own schedules,
        whose tests say that each id is planned once."""
        self._results: dict[int, Batch] = {}
        self.walked = 0
        self.over = False
        """True when all matches of the plan were walked."""
        self.ended_by = "plan"
        """The key of the rule that ended the plan."""
        self.batches: dict[int, StoredBatch] = {}
        """The batches as the archive has them, by number: the complete ones, and the one under way."""
        self._begun: dict[int, str] = {}
        """The ids of the batches that were paired in this walk, behind the first batch."""
        self._begin_behind(batches)

    @classmethod
    def resumed(cls, event: Event, archive: Archive) -> Self:
        """Return the plan of the event that the archive was begun with, behind its stored batches."""
        return cls(event, archive, archive.batches())

    def _begin_behind(self, batches: Sequence[StoredBatch]) -> None:
        looks_inside = self._event.stop_when is not None and getattr(
            self._schedule, "LOOKS_EACH_REPEAT", False
        )
        for number, batch in enumerate(batches):
            if looks_inside and not (batches[-1].complete and batches[-1].ended_by):
                return  # the looks inside a batch are not stored
            ids = _ids_of(batch)
            if not batch.complete:
                self.batches[number] = batch
                return
            if len(self._archive.stored(ids)) < len(ids):
                return
            self.batches[number] = batch
            self._ids.append(array("Q", (int(match, 16) for match in ids)))
            self._missing.append(0)
            self._ended += not batch.cut
            self.walked += len(ids)
            if self._plugin:
                self._seen.update(self._ids[number])
            if batch.ended_by:
                self.over, self.ended_by = True, batch.ended_by
                return

    @property
    def complete(self) -> bool:
        """True when all matches of the plan are stored."""
        return self.over and not self._open

    @cached_property
    def total(self) -> int:
        """The number of matches, or a bound where results decide."""
        return schedules.total(self._event)

    def done(self, batch: int) -> None:
        """Take note that a match of this batch was stored."""
        self._missing[batch] -= 1
        self._open -= 1

    def walk(self) -> Iterator[Planned | None]:
        """Yield the matches in order; None while nothing is decided beyond the matches before."""
        if self.over:
            return
        limit, next_look = self._event.max_matches, 1
        looks, parts = self._event.stop_when is not None, max(0, len(self._ids) - 1)
        for part in range(
            1, parts + 1
        ):  # the looks of an earlier run, none of which ended the event
            if part >= next_look:
                next_look = stopping.next_look(part)
        by_repeats = getattr(self._schedule, "LOOKS_EACH_REPEAT", False)
        for number in count(len(self._ids)):
            decided = number if looks else max(0, number - self._schedule.BEHIND)
            while self._ended < decided or any(self._missing[:decided]):
                yield None
            repeat = -1  # the highest one of the batch so far
            batch = self._schedule.batch(
                self._event, number, _History(self, max(0, number - self._schedule.BEHIND))
            )
            if number:  # the first batch may have a million matches
                batch = tuple(batch)
                self._begun[number] = "".join(match.id for match in batch)
            for match, stored in self._looked_up(batch):
                if repeat < 0:
                    self._ids.append(array("Q"))
                    self._missing.append(0)
                if (
                    looks
                    and self.walked
                    and (repeat < 0 or (by_repeats and self._event.repeat_of(match) > repeat))
                ):
                    while self._open:
                        yield None
                    parts += 1
                    if parts >= next_look:
                        next_look, still_open = stopping.next_look(parts), self.open_ranks()
                        if stopping.holds(self._event.stop_when or "", self._event, still_open):
                            self.over, self.ended_by = True, "stop_when"
                            return
                if limit is not None and self.walked >= limit:
                    self.over, self.ended_by = True, "max_matches"
                    return
                repeat = max(repeat, self._event.repeat_of(match))
                self._ids[number].append(int(match.id, 16))
                if self._plugin:
                    self._refuse_twin(match)
                self._missing[number] += not stored
                self._open += not stored
                self.walked += 1
                if self._open > MOST_OPEN:
                    raise ArenaError(
                        f"{self._archive.folder}: more than {MOST_OPEN:,} matches of its plan are not played"
                    )
                yield Planned(match, number, stored)
            if repeat < 0:
                self.over = True
                return
            self._ended += 1

    def _refuse_twin(self, match: Match) -> None:
        if int(match.id, 16) in self._seen:
            bots = ", ".join(seat.bot.name for seat in match.seats)
            raise ArenaError(
                f"plug-in {self._event.schedule}: it plans the same match twice: {match.label}, {bots}, repeat "
                f"{match.repeat}; bots that meet again need another repeat: ask its author"
            )
        self._seen.add(int(match.id, 16))

    def stop(self, finished: int, *, late: bool) -> Stop | None:
        """Return why the event ended, None if it did not or has no rule for that; `late`: `stop_after` is over."""
        event = self._event
        if (event.max_matches, event.stop_after, event.stop_when) == (None, None, None) or not (
            self.complete or late
        ):
            return None
        rule = self.ended_by if self.complete else "stop_after"
        return Stop(rule=rule, matches=finished, open=self.open_ranks())

    def open_ranks(self) -> tuple[OpenRanks, ...]:
        """Return the ranks that the stored matches among those that were walked leave open."""
        from arena.results.arrays import (
            Arrays,
        )  # takes numpy, which a run without rules to stop does not need

        ids = [match for batch in range(len(self._ids)) for match in self.ids(batch)]
        figures = self._archive.figures(ids)
        arrays = Arrays.decode(figures, self._archive.entries()) if figures else None
        return stopping.open_ranks(self._event, arrays, self._archive.absentees(ids))

    def known(self) -> Iterator[Planned]:
        """Yield the matches that are planned by now: all up to the first that depends on one that is not stored."""
        for planned in self.walk():
            if planned is None:
                return
            yield planned

    def walk_on(self) -> None:
        """Walk to the end of `known`."""
        for _ in self.known():
            pass

    def stored(self) -> Iterator[Match]:
        """Yield those of `known` whose records are on disk; walk no further than to the last of them.

        A duel plans thousands of matches and is decided after a few.
        """
        left = self._archive.of_all_versions().count()
        for planned in self.known() if left else ():
            if planned.stored:
                yield planned.match
                left -= 1
                if not left:
                    return

    def ids(self, batch: int) -> list[str]:
        """Return the ids of the matches of a batch that were walked, in order."""
        return [f"{match:012x}" for match in self._ids[batch]]

    def results(self, batch: int) -> Batch:
        """Return the results of a complete batch."""
        if batch not in self._results:
            self._results[batch] = self._archive.played_of(self.ids(batch))
        return self._results[batch]

    def look(self) -> int:
        """Walk on as far as batches may be complete; return the number of those that are, to their end.

        Where the archive has the next batch, and matches of it are missing, nothing is paired.
        """
        under_way = self.batches.get(len(self._ids))
        if under_way is not None:
            ids = _ids_of(under_way)
            if len(self._archive.stored(ids)) < len(ids):
                return len(self._ids)
        self.walk_on()
        return min(self._ended, self._complete())

    def _complete(self) -> int:
        ended = len(self._ids) if self.over else self._ended
        return next((batch for batch in range(ended) if self._missing[batch]), ended)

    def complete_batches(self) -> list[Batch]:
        """Return the results of the first batches of which all matches were walked and are stored."""
        stored = next((batch for batch in range(self._ended) if self._missing[batch]), self._ended)
        return [self.results(batch) for batch in range(stored)]

    def begun(self, batch: int) -> str:
        """Return the ids of a batch that this walk paired, joined; empty for others."""
        return self._begun.get(batch) or "".join(self.ids(batch) if batch < len(self._ids) else ())

    def unstored(self) -> dict[int, StoredBatch]:
        """Return the batches, by number, of which more is known now than `batches` has."""
        found: dict[int, StoredBatch] = {}
        complete = self._complete()
        for number in range(max(0, len(self.batches) - 2), complete):
            is_last = self.over and number == len(self._ids) - 1
            batch = StoredBatch(
                ids="".join(self.ids(number)),
                complete=True,
                ended_by=self.ended_by if is_last else "",
                cut=number >= self._ended,
            )
            before = self.batches.get(number)
            if before is not None and before.complete:
                batch = replace(batch, places=before.places)
            if batch != before:
                found[number] = batch
        begun = self._begun.get(complete, "")
        if begun and complete not in self.batches:
            found[complete] = StoredBatch(ids=begun)
        return found

    def _looked_up(self, batch: Iterable[Match]) -> Iterator[tuple[Match, bool]]:
        matches = iter(batch)
        while chunk := list(islice(matches, LOOK_UP)):
            stored = self._archive.stored([match.id for match in chunk])
            for match in chunk:
                yield match, match.id in stored


def _ids_of(batch: StoredBatch) -> list[str]:
    return [batch.ids[start : start + ID_DIGITS] for start in range(0, len(batch.ids), ID_DIGITS)]


class _History(Sequence[Batch]):
    """The results of the first batches, read from disk when a schedule looks at them."""

    def __init__(self, plan: Plan, length: int) -> None:
        self._plan, self._length = plan, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:  # a batch, or a list of batches for a slice
        if isinstance(index, slice):
            return [self._plan.results(batch) for batch in range(self._length)[index]]
        return self._plan.results(range(self._length)[index])


def begin(event: Event, archive: Archive) -> None:
    """Store the event that is played, and have those of the stored matches count that its plan has."""
    counting = (match.id for match in Plan(event, archive).stored())
    archive.begin(event, key(event), lambda: counting)


def counts(event: Event) -> Mapping[str, int]:
    """Return how many matches are planned on each board, by its label, or a bound where results decide."""
    schedule = schedules.find(event.schedule)
    planned = schedule.count(event)
    if event.max_matches is None or sum(planned.values()) <= event.max_matches:
        return planned
    first = Counter(
        match.label for match in islice(schedule.batch(event, 0, ()), event.max_matches)
    )
    if (
        first.total() == event.max_matches
    ):  # the first batch has them all, so that the numbers are known
        return {label: first[label] for label in planned}
    return {label: min(number, event.max_matches) for label, number in planned.items()}


IRRELEVANT = ("name", "tie_breaks", "stop_after")
"""Fields of an event that change nothing in its plan."""


def key(event: Event) -> str:
    """Return a text that is another one whenever the plan of the event may be another one."""
    values = {
        each.name: getattr(event, each.name)
        for each in fields(event)
        if each.name not in IRRELEVANT
    }
    values["boards"] = [
        (board.label, board.digest, board.roles, board.sides, *board.sampled)
        for board in event.boards
    ]
    values["bots"] = [(*identity_of(Seat("", bot)), bot.games, bot.roles) for bot in event.bots]
    values["conditions"] = plain(event.conditions)
    values["openings"] = event.openings.plies, event.openings.listed
    if event.stop_when is None:
        del values["rating"], values["confidence"]
    return digest_of(values, schedules.code_digest(event.schedule))
