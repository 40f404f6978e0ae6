"""The arithmetic of time: what an answer is charged with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import ROUNDING_S, WALL_PER_CPU_S, Clock, TimeControl, TimeUsed

seconds = st.floats(0, 1e4)
spents = st.builds(TimeUsed, wall=seconds, cpu=seconds, waited=seconds, referee_late=seconds)


@given(spents)
def test_nobody_is_charged_more_than_the_wall_nor_less_than_its_cpu_time(spent):
    charged = TimeControl().charged(spent)
    assert charged <= max(spent.wall, spent.cpu)
    assert charged >= spent.cpu


@given(spents, st.integers(1, 64))
def test_a_bot_of_several_threads_is_charged_its_cpu_time_shared_out_among_them(spent, threads):
    charged = TimeControl().charged(spent, threads)
    assert spent.cpu / threads <= charged <= max(spent.wall, spent.cpu / threads)
    assert charged <= TimeControl().charged(spent)


@given(spents)
def test_by_the_cpu_clock_cpu_time_is_charged_and_sleep_a_fraction(spent):
    charged = TimeControl(clock="cpu").charged(spent)
    assert charged == max(spent.cpu, TimeControl().charged(spent) / WALL_PER_CPU_S)


@given(
    spents, st.floats(0, 1e4), st.integers(1, 4), st.sampled_from(["wall", "cpu"]), st.booleans()
)
def test_an_answer_is_too_late_when_it_is_charged_with_more_than_its_deadline(
    spent, told, threads, clock, ready
):
    control = TimeControl(clock=clock)
    charged = control.charged(spent, threads, ready=ready)
    assert control.too_late(spent, told, threads, ready=ready) == (charged > told + ROUNDING_S)
    assert control.charged(spent, threads, ready=True) == TimeControl().charged(spent, threads)


@pytest.mark.parametrize("told", [0.0, 1.0, None])
def test_a_deadline_is_what_a_bot_is_told_and_the_margin(told):
    assert TimeControl(margin=0.5).deadline(told) == (None if told is None else told + 0.5)


@pytest.mark.parametrize(
    ("spent", "charged"),
    [
        pytest.param(TimeUsed(wall=1.0), 1.0, id="it slept"),
        pytest.param(TimeUsed(wall=1.0, cpu=1.0), 1.0, id="it thought"),
        pytest.param(TimeUsed(wall=1.0, cpu=0.25, waited=0.75), 0.25, id="it had no core"),
        pytest.param(
            TimeUsed(wall=1.0, cpu=0.25, waited=0.25, referee_late=0.25),
            0.5,
            id="and the referee was late",
        ),
        pytest.param(
            TimeUsed(wall=1.0, cpu=1.0, waited=5.0), 1.0, id="its threads waited for one another"
        ),
        pytest.param(TimeUsed(wall=1.0, cpu=2.0, waited=1.0), 2.0, id="two threads on two cores"),
    ],
)
def test_what_the_machine_kept_a_bot_waiting_is_not_charged(spent, charged):
    assert TimeControl().charged(spent) == pytest.approx(charged)


def test_the_bank_pays_only_for_what_is_charged_beyond_the_move():
    clock = Clock.full(TimeControl(move=1.0, bank=5.0))
    assert clock.announced == 6.0
    assert clock.after(TimeUsed(wall=0.9)) == clock
    assert clock.after(TimeUsed(wall=3.0, cpu=0.5, waited=2.5)) == clock
    assert clock.after(TimeUsed(wall=3.0)).bank == pytest.approx(3.0)
    assert clock.after(TimeUsed(wall=9.0)).bank == 0.0
    assert clock.after(TimeUsed(wall=9.0)).announced == 1.0
    assert clock.after(TimeUsed(wall=0.9, cpu=3.0)).bank == pytest.approx(3.0)
    assert (
        Clock.full(TimeControl(move=1.0, bank=5.0), threads=4)
        .after(TimeUsed(wall=0.9, cpu=3.0))
        .bank
        == 5.0
    )


def test_without_a_limit_nothing_is_ever_used_up():
    clock = Clock.full(TimeControl(move=None, bank=5.0))
    assert clock.announced is None
    assert clock.deadline is None
    assert clock.after(TimeUsed(wall=9.0)) == clock
