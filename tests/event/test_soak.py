"""Load tests, minutes long: `make soak`."""

import os
import random
import signal
import time

import pytest

from arena.event.plan import placings
from arena.results.archive import Archive
from tests.support import workspaces
from tests.support.events import event_of, killed_often, played_by, referees, run, tables
from tests.support.processes import gone_soon
from tests.support.sprint import DICE, FIRST, LAST

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def test_two_thousand_matches_with_killed_workers_have_the_same_tables(tmp_path):
    bots = {f"b{number}": (DICE, FIRST, LAST)[number % 3] + f"# {number}\n" for number in range(9)}
    cup = workspaces.make(tmp_path, bots, "duel hunt", repeats=14)
    whole, _ = run(cup, "whole")
    assert whole.finished == 2016
    dice = random.Random(1)
    below: set[int] = set()
    with played_by(event_of(cup), cup / "killed") as main:
        while main.process.is_alive():
            time.sleep(dice.uniform(1, 4))
            below |= main.below
            if playing := referees(main.below):
                os.kill(dice.choice(playing), signal.SIGKILL)
        assert main.process.exitcode == 0
    assert gone_soon(below)
    assert tables(cup / "killed") == tables(cup / "whole")


@pytest.mark.parametrize(
    ("schedule", "keys"), [("swiss", {"rounds": 5, "repeats": 2}), ("ladder", {"rounds": 7})]
)
def test_a_schedule_that_looks_at_results_survives_twenty_kills(tmp_path, schedule, keys):
    bots = {
        f"b{number:02}": (DICE, FIRST, LAST)[number % 3] + f"# {number}\n" for number in range(13)
    }
    cup = workspaces.make(tmp_path, bots, schedule=schedule, **keys)
    whole, _ = run(cup, "whole")
    assert whole.complete
    killed_often(event_of(cup), cup / "killed", planned=whole.planned, kills=20)
    assert run(cup, "killed", workers=2)[0].complete
    assert tables(cup / "killed") == tables(cup / "whole")
    rows = []
    for name in ("whole", "killed"):
        with Archive.open(cup / name) as archive:
            rows.append(placings(archive))
    assert rows[0] == rows[1]
    assert bool(rows[0]) == (schedule == "swiss")
