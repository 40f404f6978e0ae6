"""The parts of an inverse that a fit needs are those of the whole inverse."""

import tracemalloc

import numpy as np
import pytest

from arena.results.arrays import BoardRole
from arena.results.ratings.fitting.bootstrap import CHUNK_REFITS, _Solver
from arena.results.ratings.fitting.estimate_priors import estimate
from arena.results.ratings.fitting.fit import information
from arena.results.ratings.fitting.intervals import ranks_of
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.model import Model, model_of
from arena.results.ratings.fitting.prior import Spread, precision
from arena.results.ratings.fitting.selection import MOST_AT_ONCE, inverse, selection_of
from tests.support.simulated import DUEL, TRIO, arrays_of, league, play


def played_model(boards) -> Model:
    dice = np.random.default_rng(2)
    field = league(dice, bots=7, boards=boards)
    # Some seatings were never played, so not every bot has every role.
    return model_of(add_up(play(dice, field, chosen=lambda rows: dice.random(len(rows)) < 0.2)))


@pytest.mark.parametrize("boards", [(DUEL,), (TRIO,), (DUEL, TRIO)])
def test_unknowns_that_meet_have_the_covariances_of_the_whole_inverse(boards):
    model = played_model(boards)
    spread = Spread(bots=0.9, roles=0.3, weight=np.linspace(0.3, 1.2, 1 + model.bot.max()))
    weight = np.linspace(0.1, 2, len(model.mean))
    whole = np.linalg.inv(information(model, weight) + precision(model, spread))
    selection = selection_of(model)
    found = selection.covariances(weight, spread)
    np.testing.assert_allclose(found[selection.of_unknown], whole.diagonal(), atol=1e-9)
    np.testing.assert_allclose(
        found[selection.of_score],
        whole[model.unknown[:, :, None], model.unknown[:, None, :]],
        atol=1e-9,
    )
    same_bot = model.bot[:, None] == model.bot
    strengths = whole[len(model.advantages) :, len(model.advantages) :]
    np.testing.assert_allclose(
        np.bincount(selection.bot, weights=found[selection.of_bot]),
        np.bincount(model.bot, weights=(same_bot * strengths).sum(axis=1)),
        atol=1e-9,
    )


def test_bots_of_few_of_many_boards_take_memory_for_what_they_play_only():
    boards = [
        BoardRole(f"maze/{number}", side, role)
        for number in range(200)
        for side, role in enumerate(("explorer", "mummy"))
    ]
    bot, seat = np.arange(400), np.arange(400)
    arrays = arrays_of(
        [f"bot{number}" for number in bot],
        boards,
        seed=np.arange(200),
        transcript=np.arange(200),
        match=seat // 2,
        bot=bot,
        board_role=seat,
        score=np.tile((100, 0), 200),
    )
    model = model_of(add_up(arrays))
    tracemalloc.start()
    selection = selection_of(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sorted(selection.bot) == bot.tolist()  # each has a single strength
    assert peak < 2e6


def test_a_large_matrix_has_the_same_inverse_by_its_blocks():
    root = np.random.default_rng(3).normal(size=(2 * MOST_AT_ONCE + 1, 2 * MOST_AT_ONCE + 1))
    matrix = root @ root.T + np.eye(len(root))
    np.testing.assert_allclose(inverse(matrix) @ matrix, np.eye(len(root)), atol=1e-9)


def test_a_refit_does_not_depend_on_those_beside_it():
    fitted = estimate(played_model((DUEL, TRIO)))
    shape = (3, fitted.model.size, CHUNK_REFITS)
    chunks = [*(np.random.default_rng(4).normal(size=shape) * [[[0.01]], [[1]], [[3]]])]
    solver = _Solver(fitted)
    alone = np.hstack([solver.solve(chunk) for chunk in chunks])
    np.testing.assert_allclose(solver.solve(np.hstack(chunks)), alone, atol=1e-9)


def test_equal_values_share_the_best_of_their_ranks():
    values = np.array([[2.0, 1.0], [3.0, 1.0], [2.0, 5.0], [1.0, 0.0]])
    assert ranks_of(values).tolist() == [[2, 2], [1, 2], [2, 1], [4, 4]]
    assert ranks_of(values[:, 0]).tolist() == [2, 1, 2, 4]
