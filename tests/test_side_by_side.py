"""What tests start from: no setting of the caller's Python, no time limit, and the machine to itself where one asks."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

from hypothesis import settings

CONFTEST = Path(__file__).with_name("conftest.py")
SUITE = """\
import os, sys, time
from pathlib import Path
import pytest

def stay(kind, number):
    begun = time.monotonic_ns()
    time.sleep(0.02)
    Path(f"{kind}{number}").write_text(f"{kind} {begun} {time.monotonic_ns()}")

@pytest.mark.parametrize("number", range(12))
def test_among_others(number):
    stay("among", number)

@pytest.mark.alone
@pytest.mark.parametrize("number", range(3))
def test_alone(number):
    stay("alone", number)

def test_no_setting_is_there():
    assert not [name for name in os.environ if name.startswith("PYTHON")]
    assert not sys.dont_write_bytecode
"""


def test_no_example_has_a_deadline():
    assert settings.default.deadline is None


def test_a_test_that_is_alone_has_no_neighbour_and_none_has_the_callers_settings(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = alone\n")
    idle = [
        word for name in ("hypothesispytest", "pytest_cov", "anyio", "cacheprovider") for word in ("-p", f"no:{name}")
    ]  # they take longer to load than the tests to run
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "randomly", *idle]
    caller = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "5"}
    env = os.environ | caller
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert "16 passed" in done.stdout, done.stdout + done.stderr
    spans = [path.read_text().split() for path in [*tmp_path.glob("among*"), *tmp_path.glob("alone*")]]
    assert len(spans) == 15
    for (kind, begun, ended), (other, later, after) in combinations(spans, 2):
        apart = int(ended) <= int(later) or int(after) <= int(begun)
        assert apart or (kind, other) == ("among", "among")
