"""Marks for points against reference bots, with the reason for each in words. Pure.

A threshold asks for a mean score of a bot against one reference. This module knows bots only;
`marks.py` of the extra classroom knows which student wrote a bot.
"""

# How sure is a mark?
# -------------------
# The mark follows the plain mean of the matches that were played, because everybody can compute it
# again from matches.csv. Whether another event with other seeds would have given the same mark is
# another question, and a teacher who defends a mark must know the answer. So each reason says when
# the threshold lies inside the 95 % interval of the mean.
#
# - The unit is a pairing: all matches (legs) of two bots on one board and repeat. They share a
#   seed, so they are one observation of luck.
# - The interval is that of Agresti and Coull ("plus four"): two pairings of 0 points and two of 100
#   are added to those that were played. Without them, three pairings that were all won have no
#   spread at all, and would look certain. For scores between 0 and 100 the interval is wider than
#   necessary, which only makes the words more careful.
# - Bots without chance repeat themselves move for move. If all pairings on a board went the same
#   way, more pairings or other seeds bring nothing new: there is no noise, and the mean is exact.

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from arena.errors import counted
from arena.values import Played

Z = 1.96  # standard errors of a 95 % interval
ADDED = (0.0, 0.0, 100.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Marks for enough points against one bot."""

    reference: str
    board: str
    """The boards as the teacher names them; empty = all."""
    labels: tuple[str, ...]
    """The `game/board`s that count."""
    points: float
    """0 to 100: the points that are enough."""
    marks: float

    @property
    def words(self) -> str:
        """The threshold as a person calls it: `40 points against walker on duel`."""
        text = f"{self.points:g} points against {self.reference}"
        if self.board:
            text += f" on {self.board}"
        return text


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """A match of a bot against a reference, seen from the bot."""

    match: Played
    score: int
    """Of the bot's side, which is that of its best role."""
    fault: bool
    """True if a seat of the bot was at fault."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One threshold for one bot."""

    threshold: Threshold
    matches: int
    points: Fraction | None
    """The mean score; None without a match."""
    interval: tuple[float, float] | None
    """The 95 % interval of the mean; None where there is no noise, and without a match."""
    look_at: str | None
    """The id of its worst match: the match with the lowest score.

    Of equal scores it is a match with a fault, and of these the shortest.
    """

    @classmethod
    def without_match(cls, threshold: Threshold) -> "Judged":
        """Return the result of a bot that did not meet the reference."""
        return cls(
            threshold=threshold,
            matches=0,
            points=None,
            interval=None,
            look_at=None,
        )

    @property
    def met(self) -> bool:
        """True if the bot has the marks."""
        if self.points is None:
            return False
        return self.points >= _points_of(self.threshold)

    @property
    def marks(self) -> float:
        """The marks that it has from this threshold."""
        if not self.met:
            return 0.0
        return self.threshold.marks

    @property
    def within_noise(self) -> bool:
        """True if the interval of the mean contains the threshold.

        Then other seeds might give the other mark.
        """
        if self.interval is None:
            return False
        low, high = self.interval
        return low < self.threshold.points <= high

    @property
    def reason(self) -> str:
        """The mark and its reason, a sentence."""
        demand = self.threshold.words
        worth = f"{self.marks:g} of {self.threshold.marks:g} marks"
        if self.points is None:
            return f"{demand}: missed without a match; {worth}"
        verb = "missed"
        if self.met:
            verb = "met"
        matches = counted(self.matches, "match")
        text = f"{demand}: {verb} with {_rounded(self)} in {matches}"
        if self.interval is None:
            text += (
                ", which the bots repeat move for move, so that more matches would change nothing"
            )
        else:
            low, high = self.interval
            interval = f"95 % interval {low:.0f} to {high:.0f}"
            if self.within_noise:
                interval = f"within the noise: {interval}"
            text += f" ({interval})"
        return f"{text}; {worth}"


def _points_of(threshold: Threshold) -> Fraction:
    """Return the points of a threshold as they are written, without an error of a float."""
    return Fraction(str(threshold.points))


def _rounded(judged: Judged) -> str:
    """Return the points with enough decimals to tell them from the threshold if they are below."""
    points = judged.points or Fraction()
    for decimals in (1, 2, 4):
        text = f"{float(points):.{decimals}f}"
        if judged.met or Fraction(text) < _points_of(judged.threshold):
            break
    return text


def judge(
    bots: Iterable[str],
    thresholds: Sequence[Threshold],
    played: Iterable[Played],
    transcripts: Mapping[str, int],
) -> dict[str, tuple[Judged, ...]]:
    """Return each bot's results at all thresholds.

    `transcripts` are hashes of what was played, by match.
    """
    names = set(bots)
    references = {threshold.reference for threshold in thresholds}
    meetings: dict[tuple[str, str], list[Meeting]] = defaultdict(list)
    for match in sorted(played, key=lambda match: match.id):
        if references.isdisjoint(match.seats.values()):
            continue
        for bot, reference, meeting in _meetings(match, names, references):
            meetings[bot, reference].append(meeting)
    results = {}
    for bot in sorted(names):
        judged = []
        for threshold in thresholds:
            met = meetings[bot, threshold.reference]
            result = _judged(threshold, met, transcripts)
            judged.append(result)
        results[bot] = tuple(judged)
    return results


def worst(judged: Iterable[Judged]) -> Judged | None:
    """Return the result whose match tells most: the fewest points.

    A missed threshold comes before those that were met.
    """
    candidates = [result for result in judged if result.look_at is not None]
    return min(candidates, key=lambda result: (result.met, result.points), default=None)


def _meetings(
    match: Played,
    bots: Collection[str],
    references: Collection[str],
) -> Iterator[tuple[str, str, Meeting]]:
    """Yield a bot, a reference on another side, and the match as the bot sees it.

    Teammates do not meet.
    """
    for side in match.sides:
        score = max(match.scores[role] for role in side)
        rivals = set()
        for role, bot in match.seats.items():
            if role not in side and bot in references:
                rivals.add(bot)
        bots_of_side = {match.seats[role] for role in side}
        for bot in bots_of_side.intersection(bots):
            roles = [role for role in side if match.seats[role] == bot]
            fault = any(role in match.endings for role in roles)
            meeting = Meeting(match=match, score=score, fault=fault)
            for reference in rivals - {bot}:
                yield bot, reference, meeting


def _judged(
    threshold: Threshold,
    meetings: Iterable[Meeting],
    transcripts: Mapping[str, int],
) -> Judged:
    """Return the result of the meetings with the reference of a threshold, on its boards."""
    met = [meeting for meeting in meetings if meeting.match.label in threshold.labels]
    if not met:
        return Judged.without_match(threshold)

    def worst_first(meeting: Meeting) -> tuple[int, bool, int, str]:
        return meeting.score, not meeting.fault, meeting.match.turns, meeting.match.id

    sum_of_scores = sum(meeting.score for meeting in met)
    worst_meeting = min(met, key=worst_first)
    return Judged(
        threshold=threshold,
        matches=len(met),
        points=Fraction(sum_of_scores, len(met)),
        interval=_interval(met, transcripts),
        look_at=worst_meeting.match.id,
    )


def _interval(
    meetings: Sequence[Meeting],
    transcripts: Mapping[str, int],
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean score.

    It is None where the bots repeat themselves on every board.
    """
    pairings: dict[tuple[str, int], list[Meeting]] = defaultdict(list)
    for meeting in meetings:
        match = meeting.match
        pairings[match.label, match.repeat].append(meeting)
    if _are_repeats(pairings, transcripts):
        return None
    means = list(ADDED)
    for legs in pairings.values():
        sum_of_scores = sum(leg.score for leg in legs)
        means.append(sum_of_scores / len(legs))

    middle = sum(means) / len(means)
    squares = sum((mean - middle) ** 2 for mean in means)
    reach = Z * sqrt(squares) / len(means)
    sum_of_all_scores = sum(meeting.score for meeting in meetings)
    mean = sum_of_all_scores / len(meetings)
    low = min(middle - reach, mean)
    high = max(middle + reach, mean)
    return max(0.0, low), min(100.0, high)


def _are_repeats(
    pairings: Mapping[tuple[str, int], Sequence[Meeting]],
    transcripts: Mapping[str, int],
) -> bool:
    """Return whether on every board there are several pairings and all went the same way.

    `pairings` are by `game/board` and repeat.
    """
    plays_by_board: dict[str, list[frozenset[object]]] = defaultdict(list)
    for (label, _), legs in pairings.items():
        play = set()
        for leg in legs:
            seating = tuple(leg.match.seats.items())
            transcript = transcripts[leg.match.id]
            play.add((seating, transcript))
        plays_by_board[label].append(frozenset(play))
    for plays in plays_by_board.values():
        has_several = len(plays) > 1
        are_alike = len(set(plays)) == 1
        if not has_several or not are_alike:
            return False
    return True
