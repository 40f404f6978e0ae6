"""Newer Pythons, where they are on this machine: arena is installed there, and main parts of the
suite run on it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = (
    "tests/test_kit.py",
    "tests/author/test_submissions.py",
    "tests/cli/test_cli.py",
    "tests/event/test_discovery.py",
    "tests/match/test_bot.py",
    "tests/match/test_referee.py",
    "tests/results/test_archive.py",
    "tests/sandbox/test_warm.py",
)
VERSIONS = ("3.12", "3.13")


def interpreter(version: str) -> str | None:
    """Return a Python of this version: on the path, or beside our own, as version managers have
    them.
    """
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}*/bin/python{version}"))
    for path in filter(None, (shutil.which(f"python{version}"), *map(str, beside))):
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("version", VERSIONS)
def test_arena_works_on_a_newer_python(tmp_path, version):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not on this machine")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    own = tmp_path / "venv/bin/python"
    subprocess.run([own, "-m", "pip", "install", "--quiet", "-e", f"{ROOT}[dev]"], check=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [own, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *TESTS],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]


def test_the_parts_that_are_tried_on_newer_pythons_are_there():
    assert [path for path in TESTS if not (ROOT / path).is_file()] == []


def test_the_classifiers_name_the_versions_that_are_tried():
    text = (ROOT / "pyproject.toml").read_text()
    assert all(f"Programming Language :: Python :: {version}" in text for version in VERSIONS)
