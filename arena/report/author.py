"""The report for one author: their own matches, without private words and names of others.

Private are, of the bots of others: their names, their stderr, the words of their faults, what they
printed (remarks, refused answers, warnings), what they asked a language model, and how their
processes ended. What the rules make public stays: moves, scores, who was at fault in which way.
"""

# How nothing leaks
# -----------------
# Names. The archive itself is read under pseudonyms (`Archive.by_version`), so that no table,
# rating or list that is made of it can know a name. Only records keep the names, and `cut` goes
# over each record before anything of it is shown.
#
# A pseudonym must not be guessed from its number: with numbers in order of name, a class list would
# give all of them away. So the numbers are in the order of a hash, which also takes the digests of
# the bots' files; nobody knows those of others. All authors of an event see the same pseudonyms.
#
# Records. `cut` makes the turns and seats of others anew, of what is named there: a text that
# records get later is left out until somebody decides that it is public.
#
# Charts are pictures of names, so that the page has none.

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import PRIVATE
from arena.identity import digest_of
from arena.results.archive import Archive
from arena.values import Bot, Opening, Played, Record, SeatReport, Turn

FROZEN = re.compile(r"""((?<=["'])/[^"'\n]*|(?<![^\s"'])[^\s"']*)/bots/[0-9a-f]{16,}/?""")
"""The folder of a bot's files in any folder, because the event may have been played elsewhere.

A match begins only where a word or a quotation does, so that the time does not grow with the square
of a long text.
"""


@dataclass(frozen=True, kw_only=True)
class Author:
    """The author whom a report is for."""

    name: str
    """As the title of the page shows it."""
    bots: frozenset[str]
    """The names of the author's bots; none = they have none in this event."""
    file: str
    """The name of the author's files, without ending."""
    email: str = ""
    notice: str = ""
    """What their author should know before all else, in paragraphs.

    It may quote anything that a bot wrote.
    """
    hidden_paths: tuple[str, ...] = ()
    """Folders of this machine that a traceback of the author's bot may name; the longest first."""
    sees_all_matches: bool = False
    """True on a site whose matches are public, but not what others' bots wrote."""

    def own(self, played: Iterable[Played]) -> tuple[Played, ...]:
        """Return the matches of the author's bots, or all where all are public."""
        if self.sees_all_matches:
            return tuple(played)
        matches = []
        for match in played:
            bots = match.seats.values()
            if not self.bots.isdisjoint(bots):
                matches.append(match)
        return tuple(matches)

    def cut(self, record: Record) -> Record:
        """Return a record without the private words of others and without paths of this machine."""
        roles = set()
        for seat in record.match.seats:
            if seat.bot.name in self.bots:
                roles.add(seat.role)

        faults = []
        for fault in record.verdict.faults:
            reason = PRIVATE
            if fault.role in roles:
                reason = self.without_paths(fault.words)
            faults.append(replace(fault, words=reason))

        turns = []
        for turn in record.turns:
            if turn.role in roles:
                turns.append(turn)
            else:
                turns.append(_public_turn(turn))

        reports = []
        for report in record.seats:
            if report.role in roles:
                stderr = self.without_paths(report.stderr)
                warnings = tuple(map(self.without_paths, report.warnings))
                reports.append(replace(report, stderr=stderr, warnings=warnings))
            else:
                reports.append(_public_seat(report))

        calls = [call for call in record.calls if call.role in roles]
        return replace(
            record,
            turns=tuple(turns),
            verdict=replace(record.verdict, faults=tuple(faults)),
            seats=tuple(reports),
            calls=tuple(calls),
        )

    def portable(self, record: Record, pseudonyms: Mapping[str, str]) -> Record:
        """Return a record that is cut, to be handed out as a text.

        Of the bots of others it has nothing but their pseudonyms. A drawn opening stands there by
        its moves and not by its key, because matches to come have that key, too.
        """
        cut = self.cut(record)
        seats = []
        reports = []
        for seat, report in zip(cut.match.seats, cut.seats, strict=True):
            bot = seat.bot
            if bot.name not in self.bots:
                pseudonym = pseudonyms.get(bot.name, "rival")
                bot = Bot(
                    name=pseudonym.replace(" ", "-"),
                    command=(),
                    digest="",
                )
            seats.append(replace(seat, bot=bot))
            renamed_report = replace(report, bot=bot.name, digest=bot.digest)
            reports.append(renamed_report)

        match = replace(
            cut.match,
            seats=tuple(seats),
            opening=_opening_as_played(cut.turns),
        )
        return replace(
            cut,
            match=match,
            seats=tuple(reports),
            machine="",
        )

    def without_paths(self, text: str) -> str:
        """Return a text of the author's bot without paths of this machine."""
        for path in self.hidden_paths:
            in_folder = rf"{re.escape(path)}(/bots/[0-9a-f]{{16,}})?/?"
            text = re.sub(in_folder, "", text)
        return FROZEN.sub("", text)


def _opening_as_played(turns: Sequence[Turn]) -> Opening | None:
    """Return the opening of a match, with its moves of chance; None if it has no opening."""
    count = 0  # the turns up to the last one of the opening
    for number, turn in enumerate(turns, 1):
        if turn.by == "opening":
            count = number
    if not count:
        return None
    moves = []
    for turn in turns[:count]:
        moves.append((turn.role, turn.move))
    return Opening(moves=tuple(moves))


def _public_turn(turn: Turn) -> Turn:
    """Return of another's turn only the move, who chose it, and its times."""
    return Turn(
        turn.number,
        turn.role,
        turn.move,
        turn.by,
        wall=turn.wall,
        cpu=turn.cpu,
        digest=turn.digest,
    )


def _public_seat(seat: SeatReport) -> SeatReport:
    """Return of another's seat only figures, without any text but the role."""
    return SeatReport(
        role=seat.role,
        bot="",
        digest="",
        ready=seat.ready,
        memory=seat.memory,
        cpu=seat.cpu,
    )


def matches_of(played: Iterable[Played], author: Author | None) -> tuple[Played, ...]:
    """Return the matches that a report shows: all, or those of its author."""
    if author is None:
        return tuple(played)
    return author.own(played)


def hidden_paths(folder: Path) -> tuple[str, ...]:
    """Return the folders around an event whose names are private, the longest first.

    They are its own folder, its workspace, and the home.
    """
    absolute = folder.absolute()
    folders = {Path.home()}
    for event in (absolute, absolute.resolve()):
        results = event.parent
        workspace = results.parent
        folders.update((event, results, workspace))
    paths = []
    for private in folders:
        path = str(private)
        if len(path) > 1:
            paths.append(path)

    def longest_first(path: str) -> tuple[int, str]:
        return -len(path), path

    paths.sort(key=longest_first)
    return tuple(paths)


def pseudonymous(
    archive: Archive,
    known: Collection[str],
) -> tuple[Archive, dict[str, str]]:
    """Return the archive with a pseudonym for each bot but the `known` ones, and all new names.

    The names are by the names of bots.
    """
    event = archive.event()
    digests: dict[str, set[str]] = defaultdict(set)
    for bot in event.bots:
        digests[bot.name].add(bot.digest)
    for entry in archive.entries().values():
        digests[entry.bot].add(entry.digest)

    def unguessable(name: str) -> str:
        digests_of_bot = sorted(digests[name])
        return digest_of("pseudonym", event.seed, name, digests_of_bot)

    names = {}
    shuffled = sorted(digests, key=unguessable)
    for number, name in enumerate(shuffled, 1):
        if name in known:
            names[name] = name
        else:
            # A bot's name has no blank, so that no pseudonym is the name of a bot.
            names[name] = f"rival {number}"

    def name_of(bot: str, _digest: str) -> str:
        return names.get(bot, "rival")

    return archive.by_version(name_of), names
