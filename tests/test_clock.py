"""The arithmetic of time: what an answer is charged with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import ASLEEP, Clock, Spent, TimeControl

seconds = st.floats(0, 1e4)
spents = st.builds(Spent, wall=seconds, cpu=seconds, waited=seconds, late=seconds)


@given(spents)
def test_nobody_is_charged_more_than_the_wall_shows_nor_less_than_the_cpu_time_within_it(spent):
    charged = TimeControl().charged(spent)
    assert charged <= spent.wall
    assert charged >= min(spent.cpu, spent.wall) - 1e-9


@given(spents)
def test_by_the_cpu_clock_cpu_time_is_charged_and_sleep_a_fraction(spent):
    charged = TimeControl(clock="cpu").charged(spent)
    assert charged == max(spent.cpu, TimeControl().charged(spent) / ASLEEP)


@pytest.mark.parametrize(
    ("spent", "charged"),
    [
        pytest.param(Spent(wall=1.0), 1.0, id="it slept"),
        pytest.param(Spent(wall=1.0, cpu=1.0), 1.0, id="it thought"),
        pytest.param(Spent(wall=1.0, cpu=0.25, waited=0.75), 0.25, id="it had no core"),
        pytest.param(Spent(wall=1.0, cpu=0.25, waited=0.25, late=0.25), 0.5, id="and the referee was late"),
        pytest.param(Spent(wall=1.0, cpu=1.0, waited=5.0), 1.0, id="its threads waited for one another"),
        pytest.param(Spent(wall=1.0, cpu=2.0, waited=1.0), 1.0, id="two threads on two cores"),
    ],
)
def test_what_the_machine_kept_a_bot_waiting_is_not_charged(spent, charged):
    assert TimeControl().charged(spent) == pytest.approx(charged)


def test_the_bank_pays_only_for_what_is_charged_beyond_the_move():
    clock = Clock.full(TimeControl(move=1.0, bank=5.0))
    assert clock.told == 6.0
    assert clock.after(Spent(wall=0.9)) == clock
    assert clock.after(Spent(wall=3.0, cpu=0.5, waited=2.5)) == clock
    assert clock.after(Spent(wall=3.0)).bank == pytest.approx(3.0)
    assert clock.after(Spent(wall=9.0)).bank == 0.0
    assert clock.after(Spent(wall=9.0)).told == 1.0


def test_without_a_limit_nothing_is_ever_used_up():
    clock = Clock.full(TimeControl(move=None, bank=5.0))
    assert clock.told is None
    assert clock.deadline is None
    assert clock.after(Spent(wall=9.0)) == clock
