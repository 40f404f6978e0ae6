"""The plan of an event: the matches of its schedule, in order, as far as results decide them.

The plan asks the schedule for one batch after the other, and the archive for the results. There it
also stores its batches (`store_batches`). It plays no match, and knows no worker and no clock.
"""

# Theory of operation
#
# A plan is walked, not made at once: a thousand bots have a million matches. `walk` makes the next
# match only when the caller asks for it, and of the matches before it the plan keeps the ids, eight
# bytes each. Whether a match is stored is looked up in the archive, some hundreds at once. A set of
# all stored ids would be quicker, but a million ids would take 120 MB.
#
# Batches that are over are stored with the ids of their matches (`StoredBatch`). `Plan.resumed`
# begins behind them: it does not pair them again, and does not make their matches. A stored batch
# counts only while all its matches are stored, so an archive that lost a match plays it again.
# `arena verify` walks the whole plan and compares.
#
# Batches. A batch depends on the results of earlier batches (`Schedule.BEHIND`). While these are
# not all stored, `walk` yields None: nothing can begin until more matches are done, and the caller
# may ask again. The schedule gets results in the order of the plan, so the order in which matches
# finished changes nothing.
#
# Resuming is the same walk, in which stored matches count as done. The plan has no other state, so
# an event can be interrupted anywhere and continues with the same matches. For the same reason
# there are looks at the rule `stop_when` only at fixed points of the plan: after complete batches,
# or, where a batch has several repeats of the same pairings, as in a round robin, after complete
# repeats. A look whenever a match ends would see different results in each run.

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count, islice
from typing import Any, NamedTuple, Self

from arena.display_names import display_names
from arena.errors import ArenaError
from arena.event import schedules
from arena.event.placings import has_places, places
from arena.event.plan_key import plan_key
from arena.event.schedules._pairings import leagues
from arena.event.stopping import StopRule, next_look
from arena.results.archive import Archive
from arena.results.archive.records import StoredBatch
from arena.values import Batch, Event, Match, OpenRanks, Stop

MOST_OPEN = 1_500_000
"""The most matches that may not be played: a run walks no further than it plays, so more of them
are missing only in an archive that a stranger made."""
ID_DIGITS = 12
"""The hex digits of the id of a match."""
LOOK_UP = 256
"""The number of matches that are looked up in the archive at once."""


class Planned(NamedTuple):
    """A match of the plan."""

    match: Match
    batch: int
    stored: bool
    """True when its record is on disk."""


class _Looks:
    """The looks at `stop_when` after the complete parts of a plan, which are repeats or batches."""

    def __init__(self, after: int) -> None:
        """Pass over the looks at this number of parts, none of which ended the event."""
        self._parts = 0
        self._next = 1
        for _ in range(after):
            self.is_due()

    def is_due(self) -> bool:
        """Take note of one more complete part; return whether to look now."""
        self._parts += 1
        if self._parts < self._next:
            return False
        self._next = next_look(self._parts)
        return True


class Plan:
    """The matches of one event; its archive says which of them are done."""

    def __init__(self, event: Event, archive: Archive) -> None:
        """Begin with the first batch; `resumed` begins later."""
        self.event = event
        self.archive = archive
        self._schedule = schedules.find(event.schedule)
        self._stop_rule = StopRule(event)
        self._looks_inside: bool = getattr(self._schedule, "LOOKS_EACH_REPEAT", False)
        """True when there are looks at `stop_when` after each repeat, not only after each batch."""
        self._ids: list[array[int]] = []
        """The ids of the matches that were walked, for each batch."""
        self._missing: list[int] = []
        """The number of these matches that are not stored, for each batch."""
        self._open = 0
        """The number of all walked matches that are not stored."""
        self._ended = 0
        """The number of batches that were walked to their end."""
        self._has_places = has_places(event)
        self._is_plugin = not schedules.is_shipped(event.schedule)
        self._seen: set[int] = set()
        """The ids that a plug-in planned. A million of them take 100 MB, so it stays empty for
        arena's own schedules, whose tests say that each id is planned once."""
        self._results: dict[int, Batch] = {}
        """The results of complete batches that were read from disk."""
        self.walked = 0
        """The number of matches that were walked."""
        self.over = False
        """True when all matches of the plan were walked."""
        self.ended_by = "plan"
        """The key of the rule that ended the plan."""
        self.finished = 0
        """The number of its matches that are stored, in a plan that `begin` returned."""
        self._batch_of: dict[str, int] = {}
        """The batch of each match that `due` yielded and that is not stored."""
        self.batches: dict[int, StoredBatch] = {}
        """The batches as the archive has them, by number: the complete batches, and the batch that
        is under way."""
        self._begun: dict[int, str] = {}
        """The ids of each batch that was paired in this walk, joined; without the first batch."""

    @classmethod
    def resumed(cls, event: Event, archive: Archive) -> Self:
        """Return the plan of the event of an archive; it begins behind the stored batches."""
        plan = cls(event, archive)
        plan._begin_behind(archive.batches())
        return plan

    def _begin_behind(self, batches: Sequence[StoredBatch]) -> None:
        """Count the complete batches at the beginning of `batches` as walked."""
        is_over = False
        if batches:
            last = batches[-1]
            is_over = last.complete and last.ended_by != ""
        looks_inside = self.event.stop_when is not None and self._looks_inside
        if looks_inside and not is_over:
            return  # the looks inside a batch are not stored

        for number, batch in enumerate(batches):
            ids = _ids_of(batch)
            if not batch.complete:
                self.batches[number] = batch
                return
            if not self.archive.has_all(ids):
                return

            self.batches[number] = batch
            numbers = array("Q", [int(match, 16) for match in ids])
            self._ids.append(numbers)
            self._missing.append(0)
            if not batch.cut:
                self._ended += 1
            self.walked += len(ids)
            if self._is_plugin:
                self._seen.update(numbers)
            if batch.ended_by:
                self._end(batch.ended_by)
                return

    @property
    def complete(self) -> bool:
        """True when all matches of the plan are stored."""
        return self.over and not self._open

    @cached_property
    def total(self) -> int:
        """The number of matches, or a bound where results decide."""
        return schedules.total(self.event)

    def due(self) -> Iterator[Match | None]:
        """Yield the matches of `walk` that are not stored, and None where `walk` does.

        The caller says `done` of each. The others count from now on: a batch that depends on
        results may plan matches that an earlier plan had played.
        """
        stored: list[str] = []
        for planned in self.walk():
            if planned is not None and planned.stored:
                stored.append(planned.match.id)
                if len(stored) < LOOK_UP:
                    continue
            self._count(stored)
            if planned is None:
                yield None
            elif not planned.stored:
                self._batch_of[planned.match.id] = planned.batch
                yield planned.match
        self._count(stored)

    def _count(self, stored: list[str]) -> None:
        """Have these stored matches count, and empty the list."""
        if stored:
            self.finished += self.archive.mark_planned(stored)
            stored.clear()

    def done(self, match: str) -> None:
        """Take note that a match of `due` was stored."""
        self._missing[self._batch_of.pop(match)] -= 1
        self._open -= 1
        self.finished += 1

    def walk(self) -> Iterator[Planned | None]:
        """Yield the matches in order; None while nothing is decided beyond the matches before."""
        if self.over:
            return
        event = self.event
        walked_batches = len(self._ids)
        looks = _Looks(after=max(0, walked_batches - 1))
        for number in count(walked_batches):
            while not self._is_decided(number):
                yield None
            highest_repeat = -1  # of the matches of this batch so far
            # A batch may have 100,000 matches, and no name holds it while the next is made.
            for match, stored in self._looked_up(self._batch(number)):
                repeat = event.repeat_of(match)
                begins_batch = highest_repeat < 0
                if begins_batch:
                    self._ids.append(array("Q"))
                    self._missing.append(0)
                begins_part = begins_batch or (self._looks_inside and repeat > highest_repeat)
                if event.stop_when is not None and self.walked and begins_part:
                    while self._open:
                        yield None
                    if looks.is_due() and self._stop_rule.holds(self.open_ranks()):
                        self._end("stop_when")
                        return
                if event.max_matches is not None and self.walked >= event.max_matches:
                    self._end("max_matches")
                    return
                highest_repeat = max(highest_repeat, repeat)
                self._add(match, number, stored=stored)
                yield Planned(match, number, stored)
            if highest_repeat < 0:
                self.over = True
                return
            self._ended += 1

    def _is_decided(self, number: int) -> bool:
        """Return whether all results are there on which a batch depends."""
        earlier = number
        if self.event.stop_when is None:
            earlier = max(0, number - self._schedule.BEHIND)
        return self._ended >= earlier and not any(self._missing[:earlier])

    def _batch(self, number: int) -> Iterable[Match]:
        """Return the matches of a batch by the schedule."""
        known = max(0, number - self._schedule.BEHIND)
        history = _History(self, known)
        batch = self._schedule.batch(self.event, number, history)
        if number:  # the first batch may have a million matches
            batch = tuple(batch)
            self._begun[number] = "".join(match.id for match in batch)
        return batch

    def _add(self, match: Match, batch: int, *, stored: bool) -> None:
        """Take note of the next match of the walk."""
        self._ids[batch].append(int(match.id, 16))
        if self._is_plugin:
            self._refuse_twin(match)
        if not stored:
            self._missing[batch] += 1
            self._open += 1
        self.walked += 1
        if self._open > MOST_OPEN:
            raise ArenaError(
                f"{self.archive.folder}: more than {MOST_OPEN:,} matches of its plan are not played"
            )

    def _end(self, rule: str) -> None:
        """Take note that a rule ended the plan."""
        self.over = True
        self.ended_by = rule

    def _refuse_twin(self, match: Match) -> None:
        """Raise ArenaError if a plug-in has planned a match with this id before."""
        number = int(match.id, 16)
        if number in self._seen:
            names = [seat.bot.name for seat in match.seats]
            bots = ", ".join(names)
            raise ArenaError(
                f"plug-in {self.event.schedule}: it plans the same match twice: {match.label}, "
                f"{bots}, repeat {match.repeat}; bots that meet again need another repeat: "
                "ask its author"
            )
        self._seen.add(number)

    def stop(self, *, late: bool) -> Stop | None:
        """Return why the event ended; None if it did not end, or has no rule to end.

        `late` says that the time `stop_after` is over.
        """
        event = self.event
        rules = (event.max_matches, event.stop_after, event.stop_when)
        if all(rule is None for rule in rules):
            return None
        if self.complete:
            ended_by = self.ended_by
        elif late:
            ended_by = "stop_after"
        else:
            return None
        return Stop(
            rule=ended_by,
            matches=self.finished,
            open=self.open_ranks(),
        )

    def open_ranks(self) -> tuple[OpenRanks, ...]:
        """Return the ranks that are open after the walked matches that are stored."""
        # It imports numpy, which a run without a rule to end does not need.
        from arena.results.arrays import Arrays

        ids: list[str] = []
        for batch in range(len(self._ids)):
            ids += self.ids(batch)
        figures = self.archive.figures(ids)
        arrays: Arrays | None = None
        if figures:
            arrays = Arrays.decode(figures, self.archive.entries())
        absent = self.archive.absentees(ids)
        return self._stop_rule.open_ranks(arrays, absent)

    def known(self) -> Iterator[Planned]:
        """Yield the matches that are planned by now.

        The first match that depends on a match that is not stored is none of them.
        """
        for planned in self.walk():
            if planned is None:
                return
            yield planned

    def walk_on(self) -> None:
        """Walk to the end of `known`."""
        for _ in self.known():
            pass

    def stored(self) -> Iterator[Match]:
        """Yield the matches of `known` whose records are on disk; end the walk at the last of them.

        A duel plans thousands of matches and is decided after a few.
        """
        remaining = self.archive.of_all_versions().count()
        if not remaining:
            return
        for planned in self.known():
            if planned.stored:
                yield planned.match
                remaining -= 1
                if not remaining:
                    return

    def ids(self, batch: int) -> list[str]:
        """Return the ids of the matches of a batch that were walked, in order."""
        return [f"{match:012x}" for match in self._ids[batch]]

    def results(self, batch: int) -> Batch:
        """Return the results of a complete batch."""
        if batch not in self._results:
            self._results[batch] = self.archive.played_of(self.ids(batch))
        return self._results[batch]

    def look(self) -> int:
        """Walk on as far as batches may be complete; return the number of batches that are.

        Where the archive has the next batch, and matches of it are missing, nothing is paired.
        """
        under_way = self.batches.get(len(self._ids))
        if under_way is not None:
            ids = _ids_of(under_way)
            if not self.archive.has_all(ids):
                return len(self._ids)
        self.walk_on()
        return min(self._ended, self._complete())

    def _complete(self) -> int:
        """Return the number of complete batches; a batch that a rule cut is one of them."""
        if self.over:
            return self._stored_of(len(self._ids))
        return self._stored_of(self._ended)

    def _stored_of(self, batches: int) -> int:
        """Return how many of the first `batches` batches are stored without a gap."""
        for batch in range(batches):
            if self._missing[batch]:
                return batch
        return batches

    def complete_batches(self) -> list[Batch]:
        """Return the results of the first batches whose matches were all walked and are stored."""
        stored = self._stored_of(self._ended)
        return [self.results(batch) for batch in range(stored)]

    def begun(self, batch: int) -> str:
        """Return the ids of a batch that this walk paired, joined; empty for other batches."""
        if self._begun.get(batch):
            return self._begun[batch]
        if batch < len(self._ids):
            return "".join(self.ids(batch))
        return ""

    def store_batches(self) -> None:
        """Store the batches that began or ended since the last call, with the places after them."""
        batches = self.unstored()
        for number, batch in batches.items():
            is_whole = batch.complete and not batch.cut
            if is_whole and batch.places is None and self._has_places:
                history = [self.results(earlier) for earlier in range(number + 1)]
                table = places(self.event, history)
                batches[number] = replace(batch, places=table)
        if batches:
            self.archive.store_batches(batches)
            self.batches.update(batches)

    def unstored(self) -> dict[int, StoredBatch]:
        """Return the batches, by number, of which more is known now than `batches` has."""
        new: dict[int, StoredBatch] = {}
        complete = self._complete()
        first = max(0, len(self.batches) - 2)
        for number in range(first, complete):
            is_last = self.over and number == len(self._ids) - 1
            ended_by = ""
            if is_last:
                ended_by = self.ended_by
            batch = StoredBatch(
                ids="".join(self.ids(number)),
                complete=True,
                ended_by=ended_by,
                cut=number >= self._ended,
            )
            before = self.batches.get(number)
            if before is not None and before.complete:
                batch = replace(batch, places=before.places)
            if batch != before:
                new[number] = batch

        begun = self._begun.get(complete, "")
        if begun and complete not in self.batches:
            new[complete] = StoredBatch(ids=begun)
        return new

    def _looked_up(self, batch: Iterable[Match]) -> Iterator[tuple[Match, bool]]:
        """Yield the matches of a batch, each with whether it is stored."""
        matches = iter(batch)
        chunk = list(islice(matches, LOOK_UP))
        while chunk:
            ids = [match.id for match in chunk]
            stored = self.archive.stored(ids)
            for match in chunk:
                yield match, match.id in stored
            chunk = list(islice(matches, LOOK_UP))


def _ids_of(batch: StoredBatch) -> list[str]:
    """Return the ids of the matches of a batch."""
    starts = range(0, len(batch.ids), ID_DIGITS)
    return [batch.ids[start : start + ID_DIGITS] for start in starts]


class _History(Sequence[Batch]):
    """The results of the first batches, read from disk when a schedule looks at them."""

    def __init__(self, plan: Plan, length: int) -> None:
        self._plan = plan
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:  # a batch, or a list of batches for a slice
        batches = range(self._length)
        if isinstance(index, slice):
            return [self._plan.results(batch) for batch in batches[index]]
        return self._plan.results(batches[index])


def begin(event: Event, archive: Archive) -> Plan:
    """Store the event that is played, count its stored matches, and return its plan."""
    if event.imported:
        counting: Iterable[str] = archive.ids()
    else:
        matches = Plan(event, archive).stored()
        counting = (match.id for match in matches)
    archive.begin(event, plan_key(event), lambda: counting)
    plan = Plan.resumed(event, archive)
    archive.forget_batches(len(plan.batches))
    plan.finished = archive.count()
    return plan


def placings(archive: Archive) -> list[dict[str, Any]]:
    """Return the rows of the tables of places of a stored event after its complete batches.

    There are none where its schedule has no table. The keys are those of `PLACINGS`. The table that
    the run stored is used if there is one.
    """
    event = archive.event()
    if not has_places(event):
        return []
    plan = Plan.resumed(event, archive)
    complete = plan.look()
    stored = plan.batches.get(complete - 1)
    if stored is None or stored.places is None:
        rows = places(event, plan.complete_batches())
    else:
        rows = stored.places
        bots: list[tuple[str, str]] = []
        for league, _ in leagues(event):
            game = league.games[0]
            for bot in league.bots:
                bots.append((game, bot.name))

        bots_of_rows = [(row.game, row.bot) for row in rows]
        if sorted(bots_of_rows) != sorted(bots):
            raise archive.damaged("the places after its last round are not those of its bots")

    displays = display_names(event.bots)
    table: list[dict[str, Any]] = []
    for row in rows:
        columns = row._asdict()
        columns["display"] = displays[row.bot]
        table.append(columns)
    return table


def counts(event: Event) -> Mapping[str, int]:
    """Return how many matches are planned on each board, by its label.

    It is a bound where results decide the number.
    """
    schedule = schedules.find(event.schedule)
    planned = schedule.count(event)
    most = event.max_matches
    if most is None:
        return planned
    if sum(planned.values()) <= most:
        return planned

    first_batch = schedule.batch(event, 0, ())
    matches = islice(first_batch, most)
    in_first_batch = Counter(match.label for match in matches)
    if in_first_batch.total() == most:
        return {label: in_first_batch[label] for label in planned}
    return {label: min(number, most) for label, number in planned.items()}
