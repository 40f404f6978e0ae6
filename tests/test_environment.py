"""What tests start from: no setting of the caller's Python, and no time limit on an example."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import settings

SUITE = """\
import os, sys, time
from hypothesis import given, strategies as st

@given(st.sampled_from([0, 0.3]))
def test_an_example_may_take_longer_than_others(seconds):
    time.sleep(seconds)

def test_no_setting_is_there():
    assert not [name for name in os.environ if name.startswith("PYTHON")]
    assert not sys.dont_write_bytecode
"""


def test_tests_run_without_the_callers_settings_of_python_and_without_a_deadline(tmp_path):
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(SUITE)
    caller = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "5"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env=os.environ | caller,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_no_example_has_a_deadline_here():
    assert settings.default.deadline is None
