"""Load tests, minutes long: `make soak`."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from processes import descendants, gone_soon
from test_tournament import DICE, FIRST, LAST, begun, run, tables, workspace

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def test_two_thousand_matches_with_workers_killed_all_the_time_end_with_the_same_tables(tmp_path):
    bots = {f"b{number}": (DICE, FIRST, LAST)[number % 3] + f"# {number}\n" for number in range(9)}
    cup = workspace(tmp_path, bots, ["duel", "hunt"], repeats=14)
    whole, _ = run(cup, "whole")
    assert whole.finished == 2016
    dice = random.Random(1)
    main = begun(cup)
    below: set[int] = set()
    while main.poll() is None:
        time.sleep(dice.uniform(1, 4))
        below |= descendants(main.pid)
        referees = [pid for pid in descendants(main.pid) if _name(pid).startswith("referee-")]
        if referees:
            os.kill(dice.choice(referees), signal.SIGKILL)
    assert main.returncode == 0
    assert gone_soon(below)
    assert tables(cup / "killed") == tables(cup / "whole")


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""
