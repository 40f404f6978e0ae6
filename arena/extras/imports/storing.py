"""Matches from outside as records of an archive.

It makes their ids, their bots and boards, and the event that has them all.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from arena.errors import ArenaError
from arena.extras.imports.outside import OutsideMatch
from arena.identity import digest_of
from arena.results.archive import Archive
from arena.values import (
    IMPORTED,
    Board,
    Bot,
    Event,
    Fault,
    Match,
    Played,
    Record,
    Seat,
    SeatReport,
    Verdict,
)

MOST_MATCHES = 1_000_000
MOST_BOTS = 10_000
MOST_BOARDS = 1_000
UNKNOWN_START = "1970-01-01T00:00:00+00:00"
"""The start of a match of which nobody knows the date."""
FORFEIT = "forfeit"


class Importer:
    """Makes records of matches for one archive, and the event of their bots and boards."""

    def __init__(
        self,
        archive: Archive,
        before: Event | None,
        name: str,
    ) -> None:
        """Go on with the event `before`, if the archive has one."""
        self._archive = archive
        self._name = name
        self._bots: dict[str, Bot] = {}
        self._boards: dict[str, Board] = {}
        self._stored = 0
        """The number of matches that the archive had before."""
        if before is not None:
            self._bots = {bot.name: bot for bot in before.bots}
            self._boards = {board.label: board for board in before.boards}
            self._stored = archive.of_all_versions().count()
        self.matches = 0
        """The number of matches that were read."""

    def event(self) -> Event:
        """Return the event of all bots and boards so far."""
        bots = tuple(self._bots[name] for name in sorted(self._bots))
        boards = tuple(self._boards.values())
        return Event(
            name=self._name,
            seed=0,
            boards=boards,
            bots=bots,
            schedule=IMPORTED,
        )

    def records(self, matches: Iterable[OutsideMatch]) -> Iterator[Record]:
        """Yield the records of the matches of one file."""
        matches_by_hash: dict[int, int] = {}
        """How many matches of each content the file had so far."""
        for match in matches:
            self.matches += 1
            if self._stored + self.matches > MOST_MATCHES:
                message = (
                    f"is beyond the {MOST_MATCHES:,} matches that an archive of results may have; "
                    "import them in parts"
                )
                raise match.position.mistake("", message)
            identity = _identity(match)
            key = int(digest_of(*identity), 16)
            earlier = matches_by_hash.get(key, 0)
            matches_by_hash[key] = earlier + 1
            if match.name and earlier:
                raise match.position.mistake(
                    "column match", f"match {match.name!r} is there twice, or not in one piece"
                )
            # Equal matches of a file are told apart by their number among them.
            match_id = f"{key:012x}"
            if earlier:
                match_id = digest_of(*identity, earlier)
            record = self._record(match, match_id, earlier)
            if match.name:
                self._refuse_another(match, record)
            yield record

    def _record(
        self,
        match: OutsideMatch,
        match_id: str,
        repeat: int,
    ) -> Record:
        board = self._board(match)
        scores = {}
        seats = []
        reports = []
        faults = []
        for seat in match.seats:
            bot = self._bot(match, seat.bot)
            seats.append(Seat(seat.role, bot))
            report = SeatReport(
                role=seat.role,
                bot=bot.name,
                digest=bot.digest,
                cpu=seat.seconds,
            )
            reports.append(report)
            scores[seat.role] = seat.score
            if seat.ending is not None:
                fault = Fault(
                    role=seat.role,
                    ending=seat.ending,
                    turn=1,
                    words=seat.words or f"imported as {seat.ending.value}",
                )
                faults.append(fault)
        # 48 bits, as of a match that is played; each match is a meeting of its own.
        seed = int(digest_of("seed", match_id), 16)
        planned = Match(
            id=match_id,
            game=match.game,
            board=match.board,
            rules=IMPORTED,
            seats=tuple(seats),
            repeat=repeat,
            seed=seed,
        )
        reason = match.reason or IMPORTED
        if faults:
            reason = FORFEIT
        verdict = Verdict(
            scores=scores,
            reason=reason,
            faults=tuple(faults),
        )
        return Record(
            match=planned,
            turns=(),
            verdict=verdict,
            sides=board.sides,
            seats=tuple(reports),
            started=match.started or UNKNOWN_START,
            seconds=sum(seat.seconds for seat in match.seats),
        )

    def _bot(self, match: OutsideMatch, name: str) -> Bot:
        bot = self._bots.get(name)
        if bot is None:
            if len(self._bots) >= MOST_BOTS:
                raise match.position.mistake(
                    "", f"is of one bot more than the {MOST_BOTS:,} that an archive may have"
                )
            digest = digest_of(IMPORTED, name)
            bot = Bot(name=name, command=(), digest=digest)
            self._bots[name] = bot
        return bot

    def _board(self, match: OutsideMatch) -> Board:
        """Return the board of a match; ArenaError where it had other roles in an earlier match."""
        roles = tuple(seat.role for seat in match.seats)
        by_side: dict[str, list[str]] = {}
        for seat in match.seats:
            side = seat.role
            if seat.side:
                side = f"side {seat.side}"
            by_side.setdefault(side, []).append(seat.role)
        sides = tuple(map(tuple, by_side.values()))
        label = f"{match.game}/{match.board}"
        board = self._boards.get(label)
        if board is None:
            if len(self._boards) >= MOST_BOARDS:
                message = f"is on one board more than the {MOST_BOARDS:,} that an archive may have"
                raise match.position.mistake("", message)
            digest = digest_of(IMPORTED, label, roles, sides)
            board = Board(
                game=match.game,
                name=match.board,
                rules=IMPORTED,
                digest=digest,
                roles=roles,
                sides=sides,
            )
            self._boards[label] = board
        if set(board.roles) != set(roles):
            there = ", ".join(board.roles)
            message = (
                f"{label} has the roles {', '.join(roles)} here, and {there} in an earlier match; "
                "name another board"
            )
            raise match.position.mistake("", message)
        earlier_sides = set(map(frozenset, board.sides))
        sides_here = set(map(frozenset, sides))
        if sides_here != earlier_sides:
            raise match.position.mistake(
                "", f"{label} has other sides here than in an earlier match; name another board"
            )
        return board

    def _refuse_another(self, match: OutsideMatch, record: Record) -> None:
        """Raise ArenaError where the archive has another result of a match of this name."""
        archive = self._archive.of_all_versions()
        for stored in archive.played_of([record.match.id]):
            if _result(stored) != _result(Played.of(record)):
                message = (
                    f"{self._archive.folder} has another result of match {match.name!r}, and "
                    "keeps it"
                )
                raise match.position.mistake(
                    "column match", f"{message}; to replace it, import under another --name"
                )


def _result(played: Played) -> tuple[Any, ...]:
    return dict(played.seats), dict(played.scores), dict(played.endings)


def _identity(match: OutsideMatch) -> tuple[object, ...]:
    """Return what tells a match from others: its name, or all that its file says of it."""
    if match.name:
        return IMPORTED, match.game, match.board, "named", match.name
    seats = []
    for seat in match.seats:
        values = (
            seat.role,
            seat.bot,
            seat.score,
            seat.ending,
            seat.seconds,
        )
        seats.append(values)
    return (
        IMPORTED,
        match.game,
        match.board,
        "content",
        sorted(seats),
        match.started,
        match.reason,
        match.content,
    )


def before_in(archive: Archive) -> Event | None:
    """Return the event of an archive of imported matches; None if it is new.

    Raise ArenaError if arena played there.
    """
    if not archive.has_event():
        return None
    event = archive.event()
    if not event.imported:
        raise ArenaError(
            f"{archive.folder}: has matches that arena played, beside which nothing is imported; "
            "choose another --name"
        )
    return event
