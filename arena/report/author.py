"""The report for one author: their own matches, with everybody else's private words and names left out.

Private are, of the bots of others: their names, their stderr, the words of their faults, what they printed (remarks,
refused answers, warnings), what they asked a language model, and how their processes ended. What the rules make public
stays: moves, scores, who was at fault in which way.
"""

# How nothing leaks
# -----------------
# Names. The archive itself is read under pseudonyms (`Archive.by_version`), so that no table, rating or list that is
# made of it can know a name. Only records keep the names, and `cut` goes over each record before anything of it is
# shown.
#
# A pseudonym must not be guessed from its number: with numbers in order of name, a class list would give all of them
# away. So the numbers are in the order of a hash, which also takes the digests of the bots' files; nobody knows those
# of others. All authors of an event see the same pseudonyms.
#
# Records. `cut` makes the turns and seats of others anew, of what is named there: a text that records get later is left
# out until somebody decides that it is public.
#
# Charts are pictures of names, so that the page has none.

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import PRIVATE
from arena.identity import digest_of
from arena.results.archive import Archive
from arena.values import Bot, Opening, Played, Record, SeatReport, Turn

FROZEN = re.compile(r"""((?<=["'])/[^"'\n]*|(?<![^\s"'])[^\s"']*)/bots/[0-9a-f]{16,}/?""")
"""The folder of a bot's files in any folder, for the event may have been played elsewhere.

A match begins only where a word or a quotation does, so that the time does not grow with the square of a long text.
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
    """What their author should know before all else, in paragraphs; it may quote anything that a bot wrote."""
    hidden_paths: tuple[str, ...] = ()
    """Folders of this machine, which a traceback of the author's bot may name; the longest first."""
    sees_all_matches: bool = False
    """True on a site whose matches are public, but not what others' bots wrote."""

    def own(self, played: Iterable[Played]) -> tuple[Played, ...]:
        """Return the matches of the author's bots, or all where all are public."""
        if self.sees_all_matches:
            return tuple(played)
        return tuple(match for match in played if not self.bots.isdisjoint(match.seats.values()))

    def cut(self, record: Record) -> Record:
        """Return a record without the private words of others, and without paths of this machine."""
        own = {seat.role for seat in record.match.seats if seat.bot.name in self.bots}
        faults = tuple(
            replace(fault, words=self.without_paths(fault.words) if fault.role in own else PRIVATE)
            for fault in record.verdict.faults
        )
        turns = tuple(  # of others the move, who chose it, and its times
            turn
            if turn.role in own
            else Turn(
                turn.number,
                turn.role,
                turn.move,
                turn.by,
                wall=turn.wall,
                cpu=turn.cpu,
                digest=turn.digest,
            )
            for turn in record.turns
        )
        seats = tuple(  # of others figures, without any text but the role
            replace(
                seat,
                stderr=self.without_paths(seat.stderr),
                warnings=tuple(map(self.without_paths, seat.warnings)),
            )
            if seat.role in own
            else SeatReport(
                role=seat.role,
                bot="",
                digest="",
                ready=seat.ready,
                memory=seat.memory,
                cpu=seat.cpu,
            )
            for seat in record.seats
        )
        calls = tuple(call for call in record.calls if call.role in own)
        return replace(
            record,
            turns=turns,
            verdict=replace(record.verdict, faults=faults),
            seats=seats,
            calls=calls,
        )

    def portable(self, record: Record, pseudonyms: Mapping[str, str]) -> Record:
        """Return a record that is cut, with nothing of the bots of others but these names: to be handed out as a text.

        A drawn opening is told by its moves and not by its key, because matches to come have that key, too.
        """
        cut = self.cut(record)
        opened = max(
            (number for number, turn in enumerate(cut.turns, 1) if turn.by == "opening"), default=0
        )
        opening = (
            Opening(moves=tuple((turn.role, turn.move) for turn in cut.turns[:opened]))
            if opened
            else None
        )
        bots = [
            seat.bot
            if seat.bot.name in self.bots
            else Bot(
                name=pseudonyms.get(seat.bot.name, "rival").replace(" ", "-"), command=(), digest=""
            )
            for seat in record.match.seats
        ]
        seats = tuple(
            replace(seat, bot=bot) for seat, bot in zip(cut.match.seats, bots, strict=True)
        )
        reports = tuple(
            replace(report, bot=bot.name, digest=bot.digest)
            for report, bot in zip(cut.seats, bots, strict=True)
        )
        return replace(
            cut, match=replace(cut.match, seats=seats, opening=opening), seats=reports, machine=""
        )

    def without_paths(self, text: str) -> str:
        """Return a text of the author's bot without paths of this machine."""
        for path in self.hidden_paths:
            text = re.sub(rf"{re.escape(path)}(/bots/[0-9a-f]{{16,}})?/?", "", text)
        return FROZEN.sub("", text)


def hidden_paths(folder: Path) -> tuple[str, ...]:
    """Return the folders around an event whose names are nobody's business: its own, its workspace, the home."""
    event = folder.absolute()
    folders = {
        str(path)
        for each in (event, event.resolve())
        for path in (each, each.parent, each.parent.parent)
    }
    folders.add(str(Path.home()))
    return tuple(
        sorted((path for path in folders if len(path) > 1), key=lambda path: (-len(path), path))
    )


def pseudonymous(archive: Archive, known: Collection[str]) -> tuple[Archive, dict[str, str]]:
    """Return the archive with a pseudonym for each bot but the `known` ones, and the new name of each bot."""
    digests: dict[str, set[str]] = defaultdict(set)
    event = archive.event()
    for bot in event.bots:
        digests[bot.name].add(bot.digest)
    for entry in archive.entries().values():
        digests[entry.bot].add(entry.digest)
    order = sorted(
        digests, key=lambda name: digest_of("pseudonym", event.seed, name, sorted(digests[name]))
    )
    # A bot's name has no blank, so that no pseudonym is the name of a bot.
    names = {
        name: name if name in known else f"rival {number}" for number, name in enumerate(order, 1)
    }
    return archive.by_version(lambda bot, _digest: names.get(bot, "rival")), names
