"""Tests that want the machine to themselves have it."""

import subprocess
import sys
from itertools import combinations
from pathlib import Path

CONFTEST = Path(__file__).with_name("conftest.py")
SUITE = """\
import time
from pathlib import Path
import pytest

def stay(kind, number):
    begun = time.monotonic_ns()
    time.sleep(0.02)
    Path(f"{kind}{number}").write_text(f"{kind} {begun} {time.monotonic_ns()}")

@pytest.mark.parametrize("number", range(20))
def test_among_others(number):
    stay("among", number)

@pytest.mark.alone
@pytest.mark.parametrize("number", range(5))
def test_alone(number):
    stay("alone", number)
"""


def test_nothing_runs_beside_a_test_that_is_alone(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = alone\n")
    idle = ("-p", "no:hypothesispytest", "-p", "no:pytest_cov")  # they take longer to load than the tests to run
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "randomly", *idle]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert "25 passed" in done.stdout, done.stdout + done.stderr
    spans = [path.read_text().split() for path in [*tmp_path.glob("among*"), *tmp_path.glob("alone*")]]
    assert len(spans) == 25
    for (kind, begun, ended), (other, later, after) in combinations(spans, 2):
        apart = int(ended) <= int(later) or int(after) <= int(begun)
        assert apart or (kind, other) == ("among", "among")
