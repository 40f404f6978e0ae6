"""A page for every bot: its strength by role, best and worst matches, lessons, faults in words, and time."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from arena.author.checkup import advice
from arena.protocol import clean
from arena.report.author import Author
from arena.report.data import Index
from arena.report.replays import WORDS, last_lines
from arena.results.archive import Archive
from arena.results.columns import RANKINGS, STRENGTHS, TIMING, VERSIONS, interval_text
from arena.results.leaderboard import Results
from arena.results.lessons import Lesson
from arena.results.standings import first_faults
from arena.results.tables import rows_of
from arena.values import Played

MATCHES = 3  # best ones that a page names, and as many worst ones
LESSONS = 3  # positions in which the bot threw most away
REFUTING_TURNS = 6  # turns of a lesson's refutation
FAULTS = 8  # kinds of fault that a page lists
DIGEST = 6  # digits of a version's digest, as in other tables
TIMES = ("turns", "wall_p50", "wall_p99", "wall_max", "cpu_p50", "cpu_max")
Page = dict[str, Any]


def pages(
    results: Results, index: Index, archive: Archive, author: Author | None = None
) -> list[Page]:
    """Return a page for each bot of the index, in its order.

    In the report for one author only the author's bots have faults, versions and times, and only their matches are
    named. `archive` has the bots' own names.
    """
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    for match in results.played:
        for role, score in match.scores.items():
            scores[match.label, role].append(score)
    fields = {board_role: sum(values) / len(values) for board_role, values in scores.items()}
    own = index.bots if author is None else author.bots
    matches: dict[str, list[Played]] = defaultdict(list)
    for match in results.played if author is None else author.own(results.played):
        for bot in dict.fromkeys(match.seats.values()):
            matches[bot].append(match)
    times = rows_of(results.timing(), TIMING)
    faults = faults_of(results, archive, own, author)
    versions_of = versions(results if author is None else Results(archive))
    lessons = results.lessons(own, LESSONS)
    means, score_in_file = (
        {standing.bot: standing.roles for standing in results.standings},
        RANKINGS["score"].in_file,
    )
    strength = STRENGTHS.rated_in(results.unit)["strength"]
    rated: dict[tuple[str, str, str], list[object]] = {}
    for row in rows_of(results.strengths(), STRENGTHS):
        figures = [row["strength"], row["low"], row["high"]]
        value, low, high = (strength.printed(figure) for figure in figures)
        rated[row["bot"], row["board"], row["role"]] = [*figures, value, interval_text(low, high)]
    return [
        {
            "strengths": [  # the bot's mean score, all bots' mean, its strength, low and high, and their texts
                [
                    *index.board_role(*role),
                    score_in_file(mean),
                    score_in_file(fields[role]),
                    *rated.get((bot, *role), ()),
                ]
                for role in results.board_role_columns
                if (mean := means[bot].get(role)) is not None
                and role in fields  # another run may have changed the plan
            ],
            **_extremes(bot, matches[bot], results, index, fields),
            "faults": faults[bot],
            "lessons": [_lesson(lesson, index) for lesson in lessons.get(bot, ())],
            "versions": [
                [*(row | {"digest": row["digest"][:DIGEST]}).values()]
                for row in (versions_of[bot] if bot in own and len(versions_of[bot]) > 1 else ())
            ],
            "times": sorted(
                [*index.board_role(row["board"], row["role"]), *(row[name] for name in TIMES)]
                for row in times
                if row["bot"] == bot and bot in own and row["turns"]
            ),
        }
        for bot in index.bots
    ]


def reach(pages: Iterable[Page]) -> dict[str, float]:
    """Return how far the intervals of strength of all bots reach, and where the average bot stands."""
    rated = [row[4:7] for page in pages for row in page["strengths"] if len(row) > 4]
    ends = [figure for figures in rated for figure in figures if figure is not None]
    if not ends:
        return {"low": 0.0, "high": 1.0, "average": 0.0}
    return {
        "low": min(ends),
        "high": max(ends),
        "average": sum(value for value, _, _ in rated) / len(rated),
    }


def linked(pages: Iterable[Page]) -> Iterator[str]:
    """Yield the ids of the matches that the pages name."""
    for page in pages:
        yield from (*page["best"], *page["worst"])
        yield from (card["match"] for card in (*page["faults"], *page["lessons"]))


Fields = Mapping[tuple[str, str], float]
"""For each (board, role): the mean score of all bots."""


def versions(results: Results) -> dict[str, list[dict[str, str]]]:
    """Return the versions of each bot as texts: number, digest, rank, rating, interval, matches."""
    columns = VERSIONS.rated_in(results.unit)
    rating = columns["rating"]
    versions: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(results.versions(), columns):
        interval = interval_text(rating.text(row["rating_low"]), rating.text(row["rating_high"]))
        figures = {
            "rating": rating.text(row["rating"]),
            "interval": interval,
            "matches": str(row["matches"]),
        }
        texts = {name: str(row[name]) for name in ("version", "digest", "rank")}
        versions[row["bot"]].append(texts | figures)
    return versions


def _extremes(
    bot: str, matches: list[Played], results: Results, index: Index, fields: Fields
) -> Page:
    """Return matches of different seatings in which the bot was furthest above and below the mean of its seats.

    Of two equal matches the one against the better opponent counts as better.
    """
    points = {standing.bot: standing.points or 0.0 for standing in results.standings}

    def worth(match: Played) -> tuple[float, float]:
        margins = [
            match.scores[role] - fields[match.label, role]
            for role in match.seats
            if match.seats[role] == bot
        ]
        return sum(margins) / len(margins), max(
            (points.get(each, 0) for each in index.opponents(match, bot)), default=0
        )

    ascending = sorted((*worth(match), match.id, match) for match in matches)
    best = [match for margin, _, _, match in reversed(ascending) if margin >= 0]
    worst = [match for margin, _, _, match in ascending if margin < 0]
    chosen: Page = {}
    for name, ordered in (("best", best), ("worst", worst)):
        seatings: dict[object, str] = {}
        for match in ordered:
            seatings.setdefault((match.label, *match.seats.items()), match.id)
        chosen[name] = list(seatings.values())[:MATCHES]
    return chosen


def faults_of(
    results: Results, archive: Archive, own: Collection[str], author: Author | None
) -> dict[str, list[Page]]:
    """Return the commonest faults of each of the `own` bots; faults of the same ending and words count as one kind.

    Of a match in which several seats of a bot were at fault its first fault counts, as in the leaderboard.
    """
    index = Index.of(results)
    kinds: dict[str, dict[object, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    boards = {match.id: match.label for match in results.played}
    first = {match.id: first_faults(match) for match in results.played if match.endings}
    frame = results.seats()
    frame = frame[frame["ending"].notna()]
    for match, role, bot, ending, words in frame[
        ["match", "role", "bot", "ending", "words"]
    ].itertuples(index=False):
        if match in boards and bot in own and first[match].get(bot) == role:
            kinds[bot][ending, words].append((match, role))
    faults: dict[str, list[Page]] = defaultdict(list)
    for bot, by_kind in kinds.items():
        for seats in sorted(by_kind.values(), key=lambda seats: (-len(seats), seats))[:FAULTS]:
            places = Counter(index.board_role(boards[match], role) for match, role in seats)
            match, role = seats[0]
            record = archive.record(match) if author is None else author.cut(archive.record(match))
            fault = next(fault for fault in record.verdict.faults if fault.role == role)
            faults[bot].append(
                {
                    "match": match,
                    "role": clean(role),
                    "ending": fault.ending.value,
                    "turn": fault.turn,
                    "words": clean(fault.words, WORDS),
                    "advice": advice.of_record(record, fault),
                    "stderr": last_lines(
                        next(seat.stderr for seat in record.seats if seat.role == role), 8
                    ),
                    "count": len(seats),
                    "places": [[*numbers, count] for numbers, count in sorted(places.items())],
                }
            )
    return faults


def fault_text(card: Page) -> str:
    """Return a kind of fault as a paragraph: how often, in what words, what mends it, and where it can be seen."""
    count = f"{card['count']} times " if card["count"] > 1 else ""
    stderr = "".join(f"\n  stderr: {line}" for line in card["stderr"])
    where = f"in match {card['match']}, turn {card['turn']}, as {card['role']}"
    return f"{count}{card['ending'].replace('_', ' ')}: {card['words']}\n  -> {card['advice']}{stderr}\n  {where}"


def _lesson(lesson: Lesson, index: Index) -> Page:
    """Return a lesson without its board, which the replay of the match has."""
    return {
        "match": lesson.record.match.id,
        "board": index.boards[lesson.label],
        "role": index.roles[lesson.label].index(lesson.role),
        "turn": lesson.turn,
        "verdict": lesson.verdict,
        "played": clean(lesson.played),
        "good": [clean(move) for move in lesson.good],
        "then": lesson.refutation_text(REFUTING_TURNS),
    }
