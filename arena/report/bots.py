"""A page for every bot: strength by role, best and worst matches, lessons, faults, and time."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from arena.author.checkup import advice
from arena.protocol import clean
from arena.report.author import Author, matches_of
from arena.report.data import Index
from arena.report.recorded import WORDS, last_lines
from arena.results.archive import Archive
from arena.results.columns import RANKINGS, STRENGTHS, TIMING, VERSIONS, interval_text
from arena.results.leaderboard import Results
from arena.results.lessons import Lesson
from arena.results.standings import first_faults
from arena.results.tables import rows_of
from arena.values import Played, Record

MATCHES = 3  # best ones that a page names, and as many worst ones
LESSONS = 3  # positions in which the bot threw most away
REFUTING_TURNS = 6  # turns of a lesson's refutation
FAULTS = 8  # kinds of fault that a page lists
DIGEST = 6  # digits of a version's digest, as in other tables
TIMES = ("turns", "wall_p50", "wall_p99", "wall_max", "cpu_p50", "cpu_max")
Page = dict[str, Any]
MatchRole = tuple[str, str]
"""The id of a match, and a role in it."""


def pages(
    results: Results,
    index: Index,
    archive: Archive,
    author: Author | None = None,
) -> list[Page]:
    """Return a page for each bot of the index, in its order.

    In the report for one author only the author's bots have faults, versions and times, and only
    their matches are named. `archive` has the bots' own names.
    """
    fields = _fields(results)
    chosen: Collection[str] = index.bots
    if author is not None:
        chosen = author.bots
    matches: dict[str, list[Played]] = defaultdict(list)
    for match in matches_of(results.played, author):
        for bot in dict.fromkeys(match.seats.values()):
            matches[bot].append(match)

    faults = faults_of(results, archive, chosen, author)
    lessons = results.lessons(chosen, LESSONS)
    strengths = _strengths(results, index, fields)
    if author is None:
        version_rows = versions(results)
    else:
        version_rows = versions(Results(archive))
    times = _times(results, index)

    pages = []
    for bot in index.bots:
        best, worst = _extremes(
            bot,
            matches[bot],
            results,
            index,
            fields,
        )
        lessons_of_bot = lessons.get(bot, ())
        lesson_cards = [_lesson(lesson, index) for lesson in lessons_of_bot]
        page: Page = {
            "strengths": strengths[bot],
            "best": best,
            "worst": worst,
            "faults": faults[bot],
            "lessons": lesson_cards,
            "versions": [],
            "times": [],
        }
        if bot in chosen:
            page["versions"] = _version_cells(version_rows[bot])
            page["times"] = sorted(times[bot])
        pages.append(page)
    return pages


Fields = Mapping[tuple[str, str], float]
"""For each (board, role): the mean score of all bots."""


def _fields(results: Results) -> Fields:
    """Return the mean score of all bots in each role."""
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    for match in results.played:
        for role, score in match.scores.items():
            scores[match.label, role].append(score)
    means = {}
    for board_role, of_matches in scores.items():
        means[board_role] = sum(of_matches) / len(of_matches)
    return means


def _strengths(
    results: Results,
    index: Index,
    fields: Fields,
) -> dict[str, list[list[object]]]:
    """Return the rows of each bot about its strength, one for each role that it played.

    A row has the numbers of board and role, the bot's mean score, the mean of all bots, and where
    the bot is rated its strength, the ends of the interval, and the texts of both.
    """
    rated = _rated_strengths(results)
    in_file = RANKINGS["score"].in_file
    strengths: dict[str, list[list[object]]] = defaultdict(list)
    for standing in results.standings:
        for board, role in results.board_role_columns:
            mean = standing.roles.get((board, role))
            mean_of_all = fields.get((board, role))
            # Another run may have changed the plan meanwhile, so that no match has the role.
            if mean is None or mean_of_all is None:
                continue
            board_number, role_number = index.board_role(board, role)
            cells: list[object] = [
                board_number,
                role_number,
                in_file(mean),
                in_file(mean_of_all),
            ]
            seat = (standing.bot, board, role)
            cells += rated.get(seat, ())
            strengths[standing.bot].append(cells)
    return strengths


def _rated_strengths(results: Results) -> dict[tuple[str, str, str], list[object]]:
    """Return the cells about the rating, by bot, board and role."""
    column = STRENGTHS.rated_in(results.unit)["strength"]
    rated: dict[tuple[str, str, str], list[object]] = {}
    for row in rows_of(results.strengths(), STRENGTHS):
        seat = (row["bot"], row["board"], row["role"])
        strength = row["strength"]
        low = row["low"]
        high = row["high"]
        low_text = column.printed(low)
        high_text = column.printed(high)
        rated[seat] = [
            strength,
            low,
            high,
            column.printed(strength),
            interval_text(low_text, high_text),
        ]
    return rated


def _version_cells(rows: list[dict[str, str]]) -> list[list[str]]:
    """Return the cells of a bot's versions; none for a bot with one version."""
    if len(rows) < 2:
        return []
    cells = []
    for row in rows:
        short_digest = row["digest"][:DIGEST]
        texts = row | {"digest": short_digest}
        cells.append(list(texts.values()))
    return cells


def _times(results: Results, index: Index) -> dict[str, list[list[Any]]]:
    """Return the rows of each bot about its times: the numbers of board and role, then TIMES."""
    times: dict[str, list[list[Any]]] = defaultdict(list)
    for row in rows_of(results.timing(), TIMING):
        if not row["turns"]:
            continue
        board, role = index.board_role(row["board"], row["role"])
        cells: list[Any] = [board, role]
        for name in TIMES:
            cells.append(row[name])
        bot = row["bot"]
        times[bot].append(cells)
    return times


def reach(pages: Iterable[Page]) -> dict[str, float]:
    """Return how far the intervals of all bots reach, and where the average bot stands."""
    strengths = []
    ends = []
    for page in pages:
        for row in page["strengths"]:
            if len(row) <= 4:  # the bot is not rated there
                continue
            strength, low, high = row[4:7]
            strengths.append(strength)
            ends.append(strength)
            if low is not None:
                ends.append(low)
            if high is not None:
                ends.append(high)
    if not ends:
        return {"low": 0.0, "high": 1.0, "average": 0.0}
    return {
        "low": min(ends),
        "high": max(ends),
        "average": sum(strengths) / len(strengths),
    }


def linked(pages: Iterable[Page]) -> Iterator[str]:
    """Yield the ids of the matches that the pages name."""
    for page in pages:
        yield from page["best"]
        yield from page["worst"]
        for card in page["faults"] + page["lessons"]:
            yield card["match"]


def versions(results: Results) -> dict[str, list[dict[str, str]]]:
    """Return the versions of each bot as texts.

    They are number, digest, rank, rating, interval and matches.
    """
    columns = VERSIONS.rated_in(results.unit)
    rating = columns["rating"]
    versions: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(results.versions(), columns):
        low = rating.text(row["rating_low"])
        high = rating.text(row["rating_high"])
        texts = {
            "version": str(row["version"]),
            "digest": str(row["digest"]),
            "rank": str(row["rank"]),
            "rating": rating.text(row["rating"]),
            "interval": interval_text(low, high),
            "matches": str(row["matches"]),
        }
        versions[row["bot"]].append(texts)
    return versions


def _extremes(
    bot: str,
    matches: list[Played],
    results: Results,
    index: Index,
    fields: Fields,
) -> tuple[list[str], list[str]]:
    """Return the ids of the matches in which the bot was furthest above the mean, and below it.

    The mean is that of its seats. The matches are of different seatings. Of two equal matches the
    one against the better opponent counts as better.
    """
    points = {}
    for standing in results.standings:
        points[standing.bot] = standing.points or 0.0
    ascending = []
    for match in matches:
        margins = []
        for role, seated in match.seats.items():
            if seated == bot:
                mean = fields[match.label, role]
                margins.append(match.scores[role] - mean)
        margin = sum(margins) / len(margins)
        points_of_best = 0.0
        opponents = index.opponents(match, bot)
        if opponents:
            points_of_best = max(points.get(opponent, 0) for opponent in opponents)
        ascending.append((margin, points_of_best, match.id, match))
    ascending.sort()

    best = []
    worst = []
    for margin, _, _, match in ascending:
        if margin < 0:
            worst.append(match)
        else:
            best.append(match)
    best.reverse()
    return _seatings(best), _seatings(worst)


def _seatings(matches: Iterable[Played]) -> list[str]:
    """Return the ids of the first matches of different seatings."""
    ids: dict[object, str] = {}
    for match in matches:
        seats = tuple(match.seats.items())
        seating = (match.label, seats)
        ids.setdefault(seating, match.id)
    return list(ids.values())[:MATCHES]


def faults_of(
    results: Results,
    archive: Archive,
    chosen: Collection[str],
    author: Author | None,
) -> dict[str, list[Page]]:
    """Return the commonest faults of each of the `chosen` bots.

    Faults of the same ending and words count as one kind. Of a match in which several seats of a
    bot were at fault its first fault counts, as in the leaderboard.
    """
    boards = {match.id: match.label for match in results.played}
    index = Index.of(results)

    def commonest_first(seats: list[MatchRole]) -> tuple[int, list[MatchRole]]:
        return -len(seats), seats

    faults: dict[str, list[Page]] = defaultdict(list)
    for bot, by_kind in _seats_at_fault(results, chosen).items():
        commonest = sorted(by_kind.values(), key=commonest_first)
        for seats in commonest[:FAULTS]:
            example, _ = seats[0]
            record = archive.record(example)
            if author is not None:
                record = author.cut(record)
            counts: Counter[tuple[int, int]] = Counter()
            for match, role in seats:
                board_role = index.board_role(boards[match], role)
                counts[board_role] += 1
            card = _fault_card(record, seats, counts)
            faults[bot].append(card)
    return faults


def _seats_at_fault(
    results: Results,
    chosen: Collection[str],
) -> dict[str, dict[object, list[MatchRole]]]:
    """Return match and role of the seats at fault, by bot, and by ending and words."""
    known = set()  # the ids of the matches that count
    first = {}  # by id: the role of the first fault of each bot
    for match in results.played:
        known.add(match.id)
        if match.endings:
            first[match.id] = first_faults(match)

    kinds: dict[str, dict[object, list[MatchRole]]] = {}
    for seat in results.archive.seats():  # a frame of all seats would take 0.5 kB for each
        if seat.ending is None:
            continue
        if seat.match not in known or seat.bot not in chosen:
            continue
        first_role = first[seat.match].get(seat.bot)
        if first_role != seat.role:
            continue
        kind = (seat.ending, seat.words)
        kinds_of_bot = kinds.setdefault(seat.bot, {})
        seats = kinds_of_bot.setdefault(kind, [])
        seats.append((seat.match, seat.role))
    return kinds


def _fault_card(
    record: Record,
    seats: list[MatchRole],
    counts: Mapping[tuple[int, int], int],
) -> Page:
    """Return a kind of fault: an example, and how often it happened where.

    `record` is the match of the first of these seats; `counts` are by numbers of board and role.
    """
    match, role = seats[0]
    fault = next(fault for fault in record.verdict.faults if fault.role == role)
    stderr = next(seat.stderr for seat in record.seats if seat.role == role)
    counts_by_role = []
    for (board, board_role), count in sorted(counts.items()):
        counts_by_role.append([board, board_role, count])
    return {
        "match": match,
        "role": clean(role),
        "ending": fault.ending.value,
        "turn": fault.turn,
        "words": clean(fault.words, WORDS),
        "advice": advice.of_record(record, fault),
        "stderr": last_lines(stderr, 8),
        "count": len(seats),
        "places": counts_by_role,
    }


def fault_text(card: Page) -> str:
    """Return a kind of fault as a paragraph.

    It says how often it happened, in what words, what mends it, and where it can be seen.
    """
    ending = card["ending"].replace("_", " ")
    if card["count"] > 1:
        ending = f"{card['count']} times {ending}"
    lines = [f"{ending}: {card['words']}", f"  -> {card['advice']}"]
    for line in card["stderr"]:
        lines.append(f"  stderr: {line}")
    lines.append(f"  in match {card['match']}, turn {card['turn']}, as {card['role']}")
    return "\n".join(lines)


def _lesson(lesson: Lesson, index: Index) -> Page:
    """Return a lesson without its board, which the replay of the match has."""
    roles = index.roles[lesson.label]
    return {
        "match": lesson.record.match.id,
        "board": index.boards[lesson.label],
        "role": roles.index(lesson.role),
        "turn": lesson.turn,
        "verdict": lesson.verdict,
        "played": clean(lesson.played),
        "good": [clean(move) for move in lesson.good],
        "then": lesson.refutation_text(REFUTING_TURNS),
    }
