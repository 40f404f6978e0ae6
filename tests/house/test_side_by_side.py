"""What tests start from: no setting of the caller's Python, no time limit, and the machine to
itself where one asks.
"""

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import settings

CONFTEST = Path(__file__).parents[1] / "conftest.py"
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


LEAVES = """\
import tempfile

def test_leaves_a_folder():
    tempfile.mkdtemp(prefix="left-")

def test_leaves_nothing(tmp_path):
    (tmp_path / "file").touch()
"""


def ran(folder: Path, suite: str) -> subprocess.CompletedProcess[str]:
    """Run these tests in two workers of their own, as ours are run."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_it.py").write_text(suite)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = alone\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "worksteal",
        "-p",
        "randomly",
    ]
    for name in ("hypothesispytest", "pytest_cov", "anyio", "cacheprovider"):
        command += ["-p", f"no:{name}"]  # it takes longer to load than the tests to run
    caller = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "5"}
    env = os.environ | caller
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=200, check=False
    )


def test_no_example_has_a_deadline():
    assert settings.default.deadline is None


@pytest.mark.slow
def test_a_test_that_is_alone_has_no_neighbour_and_none_has_the_callers_settings(tmp_path):
    done = ran(tmp_path, SUITE)
    assert "16 passed" in done.stdout, done.stdout + done.stderr
    spans = [
        path.read_text().split() for path in [*tmp_path.glob("among*"), *tmp_path.glob("alone*")]
    ]
    assert len(spans) == 15
    for (kind, begun, ended), (other, later, after) in combinations(spans, 2):
        apart = int(ended) <= int(later) or int(after) <= int(begun)
        assert apart or (kind, other) == ("among", "among")


@pytest.mark.soak
def test_a_run_fails_if_a_test_leaves_a_file_and_names_the_test(tmp_path):
    done = ran(tmp_path, LEAVES)
    assert (done.returncode, "2 passed" in done.stdout) == (1, True), done.stdout + done.stderr
    assert re.search(
        r"^left behind: left-\S+, since test_it.py::test_leaves_a_folder$",
        done.stdout,
        re.MULTILINE,
    )


@pytest.mark.soak
def test_after_a_failure_a_line_says_what_to_look_at_first(tmp_path):
    done = ran(tmp_path, "def test_fails():\n    assert False\n")
    assert (done.returncode, "1 failed" in done.stdout) == (1, True), done.stdout + done.stderr
    assert re.search(r"^first failure: test_it.py::test_fails: \w.*", done.stdout, re.MULTILINE)
