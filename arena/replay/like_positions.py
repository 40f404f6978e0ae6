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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import exp
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from arena.drawing import Drawing, Piece
from arena.game import Fact, Game, Role
from arena.games.quality import PerfectPlay, positions
from arena.replay.drawing.scene import Cell, read_fact, read_grids
from arena.results.accuracy import Rules, with_assessors
from arena.results.archive import Archive

MOST_MATCHES, ALL_MATCHES = 200, 4000
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

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


FactFeatures = tuple[tuple[tuple[str, float], ...], tuple[str, Cell] | None]
"""The features of a fact, or the piece that it places."""


def features(
    game: Game[Any], states: Iterable[tuple[Iterable[Fact], Iterable[Role]]]
) -> Iterator[dict[str, float]]:
    """Yield the features of states by their facts and by who moves there.

    The states of a match follow each other. Few facts change in a turn, so only these are added and
    taken away.
    """
    read, sums = _reader(tuple(game.board()), game.drawing), defaultdict[str, float](float)
    pieces, before = dict[str, Cell](), set[Fact]()
    for facts, movers in states:
        now = set(facts)
        for changed, sign in ((before - now, -1), (now - before, 1)):
            for fact in changed:
                terms, piece = read(fact)
                for name, value in terms:
                    sums[name] += sign * value
                if piece is not None and sign > 0:
                    pieces[piece[0]] = piece[1]
                elif piece is not None:
                    pieces.pop(piece[0], None)
        before, of_state = now, {**sums, **{f"{role} moves": 1.0 for role in movers}}
        for (first, (x, y)), (second, (u, v)) in combinations(
            sorted(pieces.items())[:MOST_PIECES], 2
        ):
            distance = abs(x - u) + abs(y - v)
            of_state[f"from {first} to {second}"] = distance
            of_state[f"{first} near {second}"] = 1 / (1 + distance)
        yield of_state


@lru_cache(64)  # the same few boards and facts come again and again
def _reader(board: tuple[Fact, ...], drawing: Drawing) -> Callable[[Fact], FactFeatures]:
    grids = read_grids(board, drawing)

    @lru_cache(20_000)
    def read(fact: Fact) -> FactFeatures:
        drawn = read_fact(grids, drawing, fact)
        if drawn is not None and isinstance(drawn.item, Piece):
            return (), (drawn.name, drawn.cell)
        words = fact.split()
        numbers = [float(word) for word in words if NUMBER.fullmatch(word)]
        kind = " ".join(word for word in words if not NUMBER.fullmatch(word))
        sums = (
            ((f"first of {kind}", sum(numbers[:1])), (f"sum of {kind}", sum(numbers)))
            if numbers
            else ()
        )
        return ((kind, 1.0), *sums), None

    return read


class Regression(NamedTuple):
    """What each feature adds to the chance of a side, as a logit."""

    constant: float
    weights: Mapping[str, float]

    def chance(self, features: Mapping[str, float]) -> float:
        """Return the chance of the side, from 0 to 1."""
        logit = self.constant + sum(
            self.weights.get(name, 0.0) * value for name, value in features.items()
        )
        return min(SUREST, max(1 - SUREST, 1 / (1 + exp(-max(-50.0, min(50.0, logit))))))


@dataclass(frozen=True, kw_only=True, eq=False)
class LikePositions:
    """What became of the positions of a board."""

    matches: int
    """Those that a model was learned from, about."""
    folds: tuple[tuple[Regression, ...], ...]
    """Of each fold a model for each side; of two sides for the first one only."""

    @property
    def basis(self) -> str:
        """Say where the estimate comes from."""
        return (
            f"an estimate: how often like positions were won in about {self.matches} "
            "other matches of the event,"
            " whoever played; a draw counts half"
        )

    def chances(
        self, game: Game[Any], match: str, states: Iterable[tuple[Sequence[Fact], Iterable[Role]]]
    ) -> list[tuple[float, ...]]:
        """Return the chance of each side in per cent, by the facts and by who moves there."""
        of_states = []
        for of_state in features(game, states):
            own = [model.chance(of_state) for model in self.folds[_fold(match)]]
            own += [1 - own[0]] if len(own) == 1 else []
            of_states.append(tuple(100 * chance / sum(own) for chance in own))
        return of_states


def learn(archive: Archive, labels: Sequence[str], rules: Rules) -> dict[str, LikePositions]:
    """Return the results of the positions of these boards (`game/board`), where they tell a chance.

    Nothing does on a solved board, whose chances are exact.
    """
    most = min(MOST_MATCHES, ALL_MATCHES // max(1, len(labels)))
    learned = {
        label: _learned(archive, archive.sample_of([label], most), rules) for label in labels
    }
    return {label: like for label, like in learned.items() if like is not None}


def shares(scores: Mapping[Role, int], sides: Sequence[Sequence[Role]]) -> tuple[float, ...]:
    """Return the share of the win that each side has by the scores, in per cent."""
    best = [max(scores[role] for role in side) for side in sides]
    return tuple(100 / best.count(max(best)) if score == max(best) else 0.0 for score in best)


def _learned(archive: Archive, ids: Sequence[str], rules: Rules) -> LikePositions | None:
    rows, results, folds = list[dict[str, float]](), list[tuple[float, ...]](), list[int]()
    matches = 0
    # What cannot be read is left out: `arena verify` says more.
    for match, record, game, assessor in with_assessors(
        archive, archive.played_of(ids), rules, PerfectPlay, []
    ):
        if assessor is not None or len(game.sides) < 2:
            return None
        if record.verdict.faults or {*record.verdict.scores} != {*game.roles}:
            continue  # a score that is not due to the moves
        reached = [
            (state, [turn.role for turn in turns]) for state, turns in positions(game, record.turns)
        ]
        reached = reached[:: max(1, -(-len(reached) // MOST_POSITIONS))]
        rows += features(game, ((game.view(state, None), movers) for state, movers in reached))
        results += [
            tuple(share / 100 for share in shares(record.verdict.scores, game.sides))
        ] * len(reached)
        folds += [_fold(match.id)] * len(reached)
        matches += bool(reached)
    if matches < LEAST_MATCHES or len({*map(len, results)}) > 1:
        return None
    return _fitted(rows, np.array(results), np.array(folds), matches)


def _fitted(
    rows: Sequence[Mapping[str, float]], results: Floats, folds: Ints, matches: int
) -> LikePositions | None:
    """Return the models; None where they know no more than the mean result does."""
    counts = Counter(name for row in rows for name, value in row.items() if value)
    names = sorted(name for name, count in counts.most_common(MOST_FEATURES) if count >= RARE)
    values = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    weight = matches / len(rows)
    modelled = results[:, : 1 if results.shape[1] == 2 else None]
    models, error, error_of_mean = list[tuple[Regression, ...]](), 0.0, 0.0
    for fold in range(FOLDS):
        seen, unseen = folds != fold, folds == fold
        if not seen.any():
            return None
        of_sides = tuple(_model(names, values[seen], side[seen], weight) for side in modelled.T)
        models.append(of_sides)
        for side, model in zip(modelled.T, of_sides, strict=True):
            logits = model.constant + values[unseen] @ np.array(
                [model.weights[name] for name in names]
            )
            error += float(((1 / (1 + np.exp(-logits.clip(-50, 50))) - side[unseen]) ** 2).sum())
            error_of_mean += float(((side[seen].mean() - side[unseen]) ** 2).sum())
    return (
        LikePositions(matches=matches * (FOLDS - 1) // FOLDS, folds=tuple(models))
        if error < error_of_mean
        else None
    )


def _model(names: Sequence[str], values: Floats, results: Floats, weight: float) -> Regression:
    """Return the logistic regression of results on features.

    Each position weighs `weight` observations.
    """
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread[spread < 1e-9] = np.inf  # the same everywhere: no weight
    design = np.column_stack([np.ones(len(values)), (values - mean) / spread])
    ridge = np.eye(design.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(design @ found).clip(-50, 50)))
        slope = design.T @ (weight * (chances - results)) + ridge @ found
        bend = (design * (weight * chances * (1 - chances))[:, None]).T @ design + ridge
        found -= np.linalg.solve(bend, slope)
    weights = found[1:] / spread
    return Regression(
        float(found[0] - weights @ mean), dict(zip(names, map(float, weights), strict=True))
    )


def _fold(match: str) -> int:
    """Return the number of the fold of a match, by its id."""
    return crc32(match.encode()) % FOLDS
