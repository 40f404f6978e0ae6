"""What CI runs: `.ci/run` in a small project, whose tests fail as ours could."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import pathlib, pytest

def test_that_fails_once():
    seen = pathlib.Path("seen")
    if not seen.exists():
        seen.touch()
        assert False

def test_that_passes():
    pass
"""


@pytest.mark.parametrize(
    ("tests", "last", "code"),
    [
        (TESTS, "2 passed, 0 failed, 0 skipped; 1 passed only at the second try", 0),
        (
            TESTS + "\ndef test_that_is_broken():\n    assert False\n",
            "1 passed, 2 failed, 0 skipped",
            2,
        ),
        pytest.param(
            TESTS.replace(
                "def test_that_fails",
                "@pytest.mark.parametrize('n', range(4))\ndef test_that_fails",
            )
            .replace("once():", "once(n):")
            .replace('"seen"', 'f"seen{n}"'),
            "1 passed, 4 failed, 0 skipped",
            2,
            marks=pytest.mark.soak,
        ),
    ],
    ids=["passes alone", "is broken", "too many"],
)
def test_up_to_three_tests_that_failed_are_played_again_and_named_if_they_pass_then(
    tmp_path, tests, last, code
):
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    pytest_command = tmp_path / ".venv" / "bin" / "pytest"
    pytest_command.write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest -p no:randomly "$@"\n')
    pytest_command.chmod(0o755)
    (tmp_path / "Makefile").write_text("test:\n\t.venv/bin/pytest\n")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -ra\nmarkers =\n  slow\n  alone\n  soak\n"
    )
    (tmp_path / "test_small.py").write_text(tests)
    for program in (
        "bwrap",
        "chromium-headless-shell",
    ):  # so that it installs nothing on this machine
        (tmp_path / program).symlink_to("/bin/true")
    # Five starts of pytest: plug-ins would take longer to load than all the rest.
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    ended = subprocess.run(
        ["bash", ".ci/run"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    lines = ended.stdout.splitlines()
    assert (lines[-1], ended.returncode) == (last, code), ended.stdout
    assert ("FAILED test_small.py::test_that_fails_once" in lines) == (code == 0)
