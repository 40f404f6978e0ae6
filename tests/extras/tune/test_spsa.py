"""The search of `arena tune`, with matches that are played by dice."""

import random

import pytest

from arena.extras.tune.spsa import Range, Spsa, replayed

GRID = Range(low=0, high=20, step=1)


def tuned(
    seed: int, parameters: int, steps: int, pairings: int = 10, curvature: float = 600.0
) -> float:
    """Tune against a hidden optimum; return how many Elo points the result is weaker than it."""
    dice = random.Random(f"a league of seed {seed}")
    names = [f"p{number}" for number in range(parameters)]
    optimum = {name: float(dice.randint(0, 20)) for name in names}
    start = {name: float(dice.randint(0, 20)) for name in names}
    search = Spsa(dict.fromkeys(names, GRID), start, steps, str(seed))

    def strength(point):
        return -sum(
            curvature * (GRID.share(point[name]) - GRID.share(optimum[name])) ** 2 for name in names
        )

    for _ in range(steps):
        up, down = search.pair()
        chance = 1 / (1 + 10 ** ((strength(down) - strength(up)) / 400))
        won = sum(dice.random() < chance for _ in range(2 * pairings))
        search.hear((2 * won / (2 * pairings) - 1) * 100)
    return -strength(search.best)


@pytest.mark.parametrize(("parameters", "steps"), [(1, 40), (2, 60), (6, 100)])
def test_a_hidden_optimum_is_found_to_within_25_elo_in_19_of_20_searches(parameters, steps):
    weaker = [tuned(seed, parameters, steps) for seed in range(20)]
    assert sum(points < 25 for points in weaker) >= 19


def test_a_parameter_that_matters_to_nobody_stays_within_its_range():
    search = Spsa({"noise": Range(2, 5, 0.5)}, {"noise": 2}, 50, "seed")
    dice = random.Random(7)
    for _ in range(50):
        up, down = search.pair()
        assert {up["noise"], down["noise"]} <= {2, 2.5, 3, 3.5, 4, 4.5, 5}
        search.hear(dice.uniform(-100, 100))
    assert 2 <= search.best["noise"] <= 5


def test_the_two_points_of_a_step_always_differ():
    for ranges in (
        {"a": Range(0, 1, 1)},
        {"a": Range(0, 1, 1), "b": Range(-5, 5, 0.1)},
        {"a": Range(1, 100, 1)},
    ):
        search = Spsa(ranges, {name: bounds.high for name, bounds in ranges.items()}, 300, "seed")
        for number in range(300):
            up, down = search.pair()
            assert up != down, (ranges, number)
            search.hear(100.0)


def test_a_search_that_goes_on_is_the_search_that_was_never_interrupted():
    ranges, start = {"a": GRID, "b": GRID}, {"a": 3.0, "b": 9.0}
    whole = Spsa(ranges, start, 30, "seed")
    differences = [float(number * 37 % 201 - 100) for number in range(30)]
    replayed(whole, differences)
    again = replayed(Spsa(ranges, start, 30, "seed"), differences[:11])
    assert replayed(again, differences[11:]).guesses == whole.guesses
    assert again.best == whole.best
