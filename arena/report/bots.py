"""A page for every bot: how strong in which role, its best and worst matches, its faults in words, its time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.event import Played
from arena.leaderboard import Results
from arena.match import Fault, Record
from arena.protocol import clean
from arena.report.index import Index
from arena.report.replays import WORDS, last_lines
from arena.report.store import Store
from arena.tables import rows_of

MATCHES = 3  # best and worst that a page names
FAULTS = 8  # kinds of fault that a page tells
TIMES = ("turns", "wall_p50", "wall_p99", "wall_max", "cpu_p50", "cpu_max")
Page = dict[str, Any]


def pages(results: Results, index: Index, store: Store) -> list[Page]:
    """A page for each bot of the index, in its order."""
    fields = _fields(results.played)
    seen = _by_bot(results.played)
    times = rows_of(results.timing())
    faults = _faults(results, index, store)
    return [
        {
            "strengths": list(_strengths(bot, results, index, fields)),
            **_extremes(bot, seen[bot], results, index, fields),
            "faults": faults[bot],
            "times": sorted(_time(row, index) for row in times if row["bot"] == bot and row["turns"]),
        }
        for bot in index.bots
    ]


def linked(made: Iterable[Page]) -> Iterator[str]:
    """The ids of the matches that the pages name."""
    for page in made:
        yield from (*page["best"], *page["worst"], *(fault["match"] for fault in page["faults"]))


Fields = Mapping[tuple[str, str], tuple[int, float]]
"""For each (board, role): how many matches, and the mean score of all bots."""


def _fields(played: Iterable[Played]) -> Fields:
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    for match in played:
        for role, score in match.scores.items():
            scores[match.label, role].append(score)
    return {place: (len(found), sum(found) / len(found)) for place, found in scores.items()}


def _by_bot(played: Iterable[Played]) -> dict[str, list[Played]]:
    seen: dict[str, list[Played]] = defaultdict(list)
    for match in played:
        for bot in dict.fromkeys(match.seats.values()):
            seen[bot].append(match)
    return seen


def _strengths(bot: str, results: Results, index: Index, fields: Fields) -> Iterator[list[object]]:
    """Board, place of the role, the bot's mean score, that of all bots, and its strength there with low and high."""
    own = next(one for one in results.standings if one.bot == bot)
    rated = next((one.roles for one in results.ratings.ratings if one.bot == bot), {})
    for label, role in (place for place in results.places if place in own.roles):
        mean = own.roles[label, role]
        place = [index.boards[label], index.roles[label].index(role)]
        strength = [round(figure, 3) for figure in rated.get((label, role), ())]
        yield [*place, round(mean, 2), round(fields[label, role][1], 2), *strength]


def _time(row: Mapping[str, Any], index: Index) -> list[Any]:
    """Board, place of the role, and the figures of TIMES."""
    board, role = row["board"], row["role"]
    return [index.boards[board], index.roles[board].index(role), *(row[name] for name in TIMES)]


def _extremes(bot: str, seen: list[Played], results: Results, index: Index, fields: Fields) -> Page:
    """Matches in which the bot was furthest above and below what its seats bring on the mean, of unlike seatings.

    Between equals the better opponent makes a win dearer, and a loss cheaper.
    """
    points = {one.bot: one.points or 0.0 for one in results.standings}

    def worth(match: Played) -> tuple[float, float]:
        margins = [
            match.scores[role] - fields[match.label, role][1] for role in match.seats if match.seats[role] == bot
        ]
        return sum(margins) / len(margins), max(
            (points.get(each, 0) for each in index.opponents(match, bot)), default=0
        )

    down = sorted(seen, key=lambda match: (*worth(match), match.id))
    best = _unlike(match for match in reversed(down) if worth(match)[0] >= 0)
    worst = _unlike(match for match in down if worth(match)[0] < 0)
    return {"best": best, "worst": worst}


def _unlike(matches: Iterable[Played]) -> list[str]:
    """The first few ids of different seatings."""
    seatings: dict[object, str] = {}
    for match in matches:
        seatings.setdefault((match.label, tuple(match.seats.items())), match.id)
        if len(seatings) == MATCHES:
            break
    return list(seatings.values())


def _faults(results: Results, index: Index, store: Store) -> dict[str, list[Page]]:
    """For each bot its commonest faults: of the same ending and words are one, wherever they happened."""
    kinds: dict[str, dict[object, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    boards = {match.id: match.label for match in results.played}
    frame = results.seats()
    frame = frame[frame["ending"].notna()]
    for match, role, bot, ending, words in frame[["match", "role", "bot", "ending", "words"]].itertuples(index=False):
        if match in boards:
            kinds[bot][ending, words].append((match, role))
    told: dict[str, list[Page]] = defaultdict(list)
    for bot, of in kinds.items():
        for found in sorted(of.values(), key=lambda each: (-len(each), each))[:FAULTS]:
            places = Counter(
                (index.boards[boards[match]], index.roles[boards[match]].index(role)) for match, role in found
            )
            counts = {"count": len(found), "places": [[*place, count] for place, count in sorted(places.items())]}
            told[bot].append(_fault(store.record(found[0][0]), found[0][1]) | counts)
    return told


def _fault(record: Record, role: str) -> Page:
    fault: Fault = next(fault for fault in record.verdict.faults if fault.role == role)
    seat = next(seat for seat in record.seats if seat.role == role)
    return {
        "match": record.match.id,
        "role": clean(role),
        "ending": fault.ending.value,
        "turn": fault.turn,
        "words": clean(fault.words, WORDS),
        "stderr": last_lines(seat.stderr, 8),
    }
