"""The table by machine: whether machines played alike, as far as their results tell."""

import random
from statistics import median

from arena.extras.cluster.comparison import BlockSeat, MachineRow, Machines, homogeneity, table


def seats(advantage: float, *, blocks: int = 60, seed: int = 1) -> list[BlockSeat]:
    """Blocks of two legs of three bots on two machines; `slow` scores so much less on the machine
    `b`.
    """
    draws, made, match = random.Random(seed), [], 0
    for number in range(blocks):
        pair = [("quick", "slow"), ("quick", "other"), ("slow", "other")][number % 3]
        machine = draws.choice("ab")
        for leg in (pair, pair[::-1]):
            match += 1
            score = 100 * (draws.random() < 0.5)
            if "slow" in leg and machine == "b" and draws.random() < advantage:
                score = 0 if leg[0] == "slow" else 100
            made += [BlockSeat(machine, "g/b", number, match, leg[0], score)]
            made += [BlockSeat(machine, "g/b", number, match, leg[1], 100 - score)]
    return made


def test_a_bot_that_loses_on_one_machine_only_is_noticed():
    assert homogeneity(seats(0.9)) <= 0.01


def test_machines_that_play_alike_give_every_p_value_equally_often():
    values = [homogeneity(seats(0.0, blocks=30, seed=seed)) for seed in range(15)]
    assert 0.2 < median(values) < 0.8
    assert sum(value < 0.1 for value in values) <= 5


def test_a_stronger_bot_is_no_difference_between_machines():
    strong = [
        seat._replace(score=100 if seat.bot == "quick" else seat.score) for seat in seats(0.0)
    ]
    assert homogeneity(strong) > 0.01


def test_machines_that_share_no_pairing_cannot_be_compared():
    apart = [
        BlockSeat("ab"[number % 2], "g/b", 0, number, f"bot{number % 2}", 50) for number in range(4)
    ]
    assert homogeneity(apart) is None
    assert homogeneity([]) is None


def test_the_sentence_says_what_was_found_and_only_a_cluster_has_a_table():
    row = MachineRow(machine="a", matches=3, scale=1.0, seconds=0.5, timeouts=0, crashes=0)
    assert Machines((row,), 0.002).sentence.startswith(
        "The machines did not play alike (p = 0.002)"
    )
    assert (
        Machines((row,), 0.5).sentence
        == "There is no sign that the machines played differently (p = 0.50)"
    )
    assert table([row], []) == Machines((row,), None)
    assert (
        table(
            [MachineRow(machine="", matches=3, scale=1.0, seconds=0.5, timeouts=0, crashes=0)], []
        )
        is None
    )
