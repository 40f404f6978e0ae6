"""The chance to win, learned from like positions in other matches of an event, board by board.

It owns what makes positions alike. It knows no game: it reads the facts of a state as numbers.
"""

# Theory of operation
#
# Two states are hardly ever the same, so what counts is what they have in common. Facts that differ
# in numbers only are alike: of each kind the features of a state are how many there are, and the
# sums of their first numbers and of all. The pieces that a game declares have their distances from
# each other instead of their cells, so that mazes with other walls compare, too; and it counts who
# moves next. A logistic regression (Newton's method, with a ridge of one observation a feature)
# says how much each of these numbers changes the chance of a side. Positions of a match are not
# independent, so all of its positions together weigh as one match on average. But they weigh alike,
# whether the match was long or short: to weigh each match alike would say that a long match goes as
# the short ones do.
#
# The chance in a match must not know how that match ended. So there are FOLDS models, each learned
# without a part of the matches, and a match gets the one that did not see it. The same models say
# whether an estimate is worth anything: if they predict the results of matches that they did not
# see no better than the mean result does, there is none.
#
# A match knows how another one ended if the same bots played both with the same seed (the legs
# share their cards, and two copies of a bot make the same moves in both), or if one is a copy of
# the other, move for move. So such matches are one group: the same models see them, and together
# they weigh as one match. In 40 simulated events of 60 pairs of legs, whose moves do not matter but
# whose seed decides who wins, there was an estimate in 28 with folds of single matches, and in none
# with folds of groups.
#
# Compared with each other on 100 to 200 matches a board, by the mean squared error of matches that
# were not seen:
#
#                               pacman/random  pacman/classic  goofspiel  connect_four  kuhn_poker
#   the mean result                  0.250          0.242        0.245        0.248        0.248
#   the 30 nearest positions         0.234          0.185          -          0.202        0.192
#   regression, facts as well        0.256          0.227        0.145        0.239        0.161
#   regression                       0.222          0.192        0.133        0.197        0.161
#
# "facts as well": each fact is a feature, too.

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import ceil, exp
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.drawing import Drawing, Piece
from arena.game import Fact, Game, Role
from arena.games.quality import PerfectPlay, positions
from arena.identity import digest_of
from arena.replay.drawing.scene import Cell, read_fact, read_grids
from arena.results.accuracy import Rules, with_assessors
from arena.results.archive import Archive
from arena.values import Match, Record

if TYPE_CHECKING:  # numpy is slow to import, and not wanted where no estimate is made
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

MOST_MATCHES = 200
ALL_MATCHES = 4000
"""The most matches of a board, and of all boards: 200 of Pacman take 0.6 s of CPU time."""
LEAST_MATCHES = 30
MOST_POSITIONS = 100
"""Of a match, evenly spaced."""
MOST_FEATURES = 100
RARE = 20  # a feature that fewer positions have says nothing
MOST_PIECES = 8  # whose distances from each other count
FOLDS = 5
STEPS = 8  # of Newton's method
SUREST = 0.99  # while a match goes on, an estimate is never sure
NUMBER = re.compile(r"-?\d{1,9}")

FactFeatures = tuple[tuple[tuple[str, float], ...], tuple[str, Cell] | None]
"""The features of a fact, or the piece that it places."""
Position = tuple[Iterable[Fact], Iterable[Role]]
"""The facts of a state, and the roles that move there."""


def features(game: Game[Any], states: Iterable[Position]) -> Iterator[dict[str, float]]:
    """Yield the features of states by their facts and by who moves there.

    The states of a match follow each other. Few facts change in a turn, so only these are added and
    taken away.
    """
    read = _reader(tuple(game.board()), game.drawing)
    sums: dict[str, float] = defaultdict(float)
    pieces: dict[str, Cell] = {}
    before: set[Fact] = set()
    for facts, movers in states:
        now = set(facts)
        for fact in before - now:
            terms, piece = read(fact)
            for name, value in terms:
                sums[name] -= value
            if piece is not None:
                name, _ = piece
                pieces.pop(name, None)
        # Sorted, since the order of a set differs in each process, and the choice among equally
        # frequent features depends on it, and the last digits of the chances.
        for fact in sorted(now - before):
            terms, piece = read(fact)
            for name, value in terms:
                sums[name] += value
            if piece is not None:
                name, cell = piece
                pieces[name] = cell
        before = now

        of_state = dict(sums)
        for role in movers:
            of_state[f"{role} moves"] = 1.0
        of_state |= _distances(pieces)
        yield of_state


def _distances(pieces: Mapping[str, Cell]) -> dict[str, float]:
    """Return the distance of each two pieces, and how near they are to each other."""
    distances: dict[str, float] = {}
    measured = sorted(pieces.items())[:MOST_PIECES]
    for (first, first_cell), (second, second_cell) in combinations(measured, 2):
        first_x, first_y = first_cell
        second_x, second_y = second_cell
        distance = abs(first_x - second_x) + abs(first_y - second_y)
        distances[f"from {first} to {second}"] = distance
        distances[f"{first} near {second}"] = 1 / (1 + distance)
    return distances


@lru_cache(64)  # the same few boards and facts come again and again
def _reader(board: tuple[Fact, ...], drawing: Drawing) -> Callable[[Fact], FactFeatures]:
    """Return the function that reads the features of a fact of this board."""
    grids = read_grids(board, drawing)

    @lru_cache(20_000)
    def read(fact: Fact) -> FactFeatures:
        thing = read_fact(grids, drawing, fact)
        if thing is not None and isinstance(thing.item, Piece):
            return (), (thing.name, thing.cell)

        numbers = []
        words = []
        for word in fact.split():
            if NUMBER.fullmatch(word):
                numbers.append(float(word))
            else:
                words.append(word)
        kind = " ".join(words)
        terms = [(kind, 1.0)]
        if numbers:
            terms.append((f"first of {kind}", numbers[0]))
            terms.append((f"sum of {kind}", sum(numbers)))
        return tuple(terms), None

    return read


class Regression(NamedTuple):
    """What each feature adds to the chance of a side, as a logit."""

    constant: float
    weights: Mapping[str, float]

    def chance(self, features: Mapping[str, float]) -> float:
        """Return the chance of the side, from 0 to 1."""
        terms = []
        for name, value in features.items():
            weight = self.weights.get(name, 0.0)
            terms.append(weight * value)
        logit = self.constant + sum(terms)
        logit = max(-50.0, min(50.0, logit))
        chance = 1 / (1 + exp(-logit))
        return min(SUREST, max(1 - SUREST, chance))


@dataclass(frozen=True, kw_only=True)
class Groups:
    """The matches of a board, in groups of which each match knows how the others ended."""

    folds: Mapping[str, int]
    """The fold of each group."""
    copied: frozenset[str]
    """Bots whose matches are copies of each other, whatever their seed."""

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Groups":
        """Return the groups of these matches, in turns in each of the folds."""
        courses_by_start: dict[str, list[str]] = defaultdict(list)
        bots_by_start = {}
        for record in records:
            start = _start(record.match)
            course = _course(record)
            courses_by_start[start].append(course)
            bots_by_start[start] = _bots(record.match)

        copied = set()
        for start, courses in courses_by_start.items():
            are_alike = len(set(courses)) == 1
            if are_alike and len(courses) > 1:
                copied.add(bots_by_start[start])

        groups = {_group(record.match, copied) for record in records}
        folds = {}
        for number, group in enumerate(sorted(groups)):
            folds[group] = number % FOLDS
        return cls(folds=folds, copied=frozenset(copied))

    def fold_of(self, match: Match) -> int:
        """Return the number of the fold of a match; any will do if none is of its group."""
        group = _group(match, self.copied)
        return self.folds.get(group, 0)


def _start(match: Match) -> str:
    """Return a key of how a match begins, but for its seed: board, bots and opening."""
    seats = [(seat.role, seat.bot.name) for seat in match.seats]
    return digest_of(match.sampled, seats, repr(match.opening))


def _course(record: Record) -> str:
    """Return a key of how a match went."""
    moves = [(turn.number, turn.role, turn.move) for turn in record.turns]
    scores = sorted(record.verdict.scores.items())
    return digest_of(moves, scores)


def _bots(match: Match) -> str:
    """Return a key of the bots of a match, in whatever roles."""
    names = [seat.bot.name for seat in match.seats]
    return digest_of(match.sampled, sorted(names))


def _group(match: Match, copied: Collection[str]) -> str:
    """Return a key of the group of a match."""
    bots = _bots(match)
    if bots in copied:
        return bots
    return digest_of(bots, match.seed)


@dataclass(frozen=True, kw_only=True, eq=False)
class LikePositions:
    """What became of the positions of a board."""

    matches: int
    """Those that a model was learned from, about."""
    folds: tuple[tuple[Regression, ...], ...]
    """Of each fold a model for each side; of two sides for the first one only."""
    groups: Groups

    @property
    def basis(self) -> str:
        """Say where the estimate comes from."""
        return (
            f"an estimate: how often similar positions were won in about {self.matches} other "
            "matches of the event, by any bot; a draw counts as half a win"
        )

    def chances(
        self,
        game: Game[Any],
        match: Match,
        states: Iterable[Position],
    ) -> list[tuple[float, ...]]:
        """Return the chance of each side in per cent, by the facts and by who moves there."""
        models = self.folds[self.groups.fold_of(match)]
        of_states = []
        for of_state in features(game, states):
            of_sides = [model.chance(of_state) for model in models]
            if len(of_sides) == 1:
                of_sides.append(1 - of_sides[0])
            total = sum(of_sides)
            per_cent = [100 * chance / total for chance in of_sides]
            of_states.append(tuple(per_cent))
        return of_states


def learn(
    archive: Archive,
    labels: Sequence[str],
    rules: Rules,
) -> dict[str, LikePositions]:
    """Return the results of the positions of these boards (`game/board`), where they tell a chance.

    Nothing does on a solved board, whose chances are exact.
    """
    share_of_board = ALL_MATCHES // max(1, len(labels))
    most = min(MOST_MATCHES, share_of_board)
    learned = {}
    for label in labels:
        ids = archive.sample_of([label], most)
        like = _learned(archive, ids, rules)
        if like is not None:
            learned[label] = like
    return learned


def shares(scores: Mapping[Role, int], sides: Sequence[Sequence[Role]]) -> tuple[float, ...]:
    """Return the share of the win that each side has by the scores, in per cent."""
    of_sides = best_scores(scores, sides)
    best = max(of_sides)
    share = 100 / of_sides.count(best)
    of_win = []
    for score in of_sides:
        if score == best:
            of_win.append(share)
        else:
            of_win.append(0.0)
    return tuple(of_win)


def best_scores(scores: Mapping[Role, int], sides: Sequence[Sequence[Role]]) -> list[int]:
    """Return the best score of each side."""
    best = []
    for side in sides:
        of_side = [scores[role] for role in side]
        best.append(max(of_side))
    return best


def _learned(
    archive: Archive,
    ids: Sequence[str],
    rules: Rules,
) -> LikePositions | None:
    """Return what these matches of a board tell; None where that is nothing."""
    import numpy as np

    rows: list[dict[str, float]] = []  # the features of each position
    results: list[tuple[float, ...]] = []
    learned: list[Record] = []
    number: list[int] = []  # of each position: its match, as an index in `learned`
    # What cannot be read is left out: `arena verify` says more.
    played = archive.played_of(ids)
    for _, record, game, assessor in with_assessors(archive, played, rules, PerfectPlay, []):
        if assessor is not None or len(game.sides) < 2:
            return None
        scores = record.verdict.scores
        if record.verdict.faults or set(scores) != set(game.roles):
            continue  # a score that is not due to the moves

        states = _sampled_states(game, record)
        rows += features(game, states)
        of_sides = shares(scores, game.sides)
        result = tuple(share / 100 for share in of_sides)
        results += [result] * len(states)
        number += [len(learned)] * len(states)
        if states:
            learned.append(record)

    side_counts = {len(result) for result in results}
    if len(learned) < LEAST_MATCHES or len(side_counts) > 1:
        return None
    groups = Groups.of(learned)
    folds = [groups.fold_of(record.match) for record in learned]
    fold_by_match = np.array(folds)
    return _fitted(
        rows,
        np.array(results),  # positions x sides
        fold_by_match[number],
        len(learned),
        groups,
    )


def _sampled_states(game: Game[Any], record: Record) -> list[Position]:
    """Return at most MOST_POSITIONS positions of a match, evenly spaced."""
    reached = list(positions(game, record.turns))
    needed_stride = ceil(len(reached) / MOST_POSITIONS)
    stride = max(1, needed_stride)
    states: list[Position] = []
    for state, turns in reached[::stride]:
        facts = game.view(state, None)
        movers = [turn.role for turn in turns]
        states.append((facts, movers))
    return states


def _fitted(
    rows: Sequence[Mapping[str, float]],
    results: "Floats",
    folds: "Ints",
    matches: int,
    groups: Groups,
) -> LikePositions | None:
    """Return the models; None where they know no more than the mean result does.

    `results` has a row a position and a column a side; `folds` has the fold of each position.
    """
    import numpy as np

    names = _frequent(rows)
    values = np.zeros((len(rows), len(names)))  # positions x features
    for position, row in enumerate(rows):
        values[position] = [row.get(name, 0.0) for name in names]
    weight = len(groups.folds) / len(rows)
    if results.shape[1] == 2:
        results = results[:, :1]  # the second side has the rest of the chance

    models: list[tuple[Regression, ...]] = []
    error = 0.0
    error_of_mean = 0.0
    for fold in range(FOLDS):
        known = folds != fold
        unknown = folds == fold
        if not known.any():
            return None
        of_sides = []
        for side in results.T:
            model = _model(names, values[known], side[known], weight)
            of_sides.append(model)

            weights = np.array([model.weights[name] for name in names])
            logits = model.constant + values[unknown] @ weights
            misses = _logistic(logits) - side[unknown]
            error += float((misses**2).sum())
            misses_of_mean = side[known].mean() - side[unknown]
            error_of_mean += float((misses_of_mean**2).sum())
        models.append(tuple(of_sides))

    if error >= error_of_mean:
        return None
    seen_by_model = matches * (FOLDS - 1) // FOLDS
    return LikePositions(
        matches=seen_by_model,
        folds=tuple(models),
        groups=groups,
    )


def _frequent(rows: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the names of the features that enough positions have."""
    counts: Counter[str] = Counter()
    for row in rows:
        for name, value in row.items():
            if value:
                counts[name] += 1
    frequent = []
    for name, count in counts.most_common(MOST_FEATURES):
        if count >= RARE:
            frequent.append(name)
    return sorted(frequent)


def _logistic(logits: "Floats") -> "Floats":
    """Return the chances that logits stand for."""
    import numpy as np

    logits = logits.clip(-50, 50)
    chances: Floats = 1 / (1 + np.exp(-logits))
    return chances


def _model(
    names: Sequence[str],
    values: "Floats",
    results: "Floats",
    weight: float,
) -> Regression:
    """Return the logistic regression of results on features, positions x features.

    Each position weighs `weight` observations.
    """
    import numpy as np

    mean = values.mean(axis=0)
    spread = values.std(axis=0)
    spread[spread < 1e-9] = np.inf  # the same everywhere: no weight
    scaled = (values - mean) / spread
    ones = np.ones(len(values))
    design = np.column_stack([ones, scaled])  # positions x (1 + features)
    size = design.shape[1]
    ridge = np.eye(size)
    solution = np.zeros(size)
    for _ in range(STEPS):
        chances = _logistic(design @ solution)
        surplus = weight * (chances - results)  # an element a position
        slope_of_ridge = ridge @ solution
        slope = design.T @ surplus + slope_of_ridge
        variance = weight * chances * (1 - chances)  # an element a position
        weighted_design = design * variance[:, None]
        bend = weighted_design.T @ design + ridge
        solution -= np.linalg.solve(bend, slope)

    weights = solution[1:] / spread
    constant = float(solution[0] - weights @ mean)
    weight_by_name = {}
    for name, feature_weight in zip(names, weights, strict=True):
        weight_by_name[name] = float(feature_weight)
    return Regression(constant, weight_by_name)
