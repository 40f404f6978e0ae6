"""Installed as a wheel and in place: a new workspace outside the checkout plays an event."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cup import environment

import arena

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, unpacked, as pip would install it."""
    pytest.importorskip("hatchling", reason="needs the package hatchling, of the extra dev")
    folder = tmp_path_factory.mktemp("wheel")
    # pip would make an environment for the build first, and get hatchling from the network.
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=100, check=False)
    assert built.returncode == 0, built.stderr
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder / "installed")
    return folder / "installed"


@pytest.mark.slow
def test_the_wheel_has_both_commands(wheel):
    (found,) = wheel.glob("*.dist-info/entry_points.txt")
    assert {line for line in found.read_text().splitlines() if "=" in line} == {
        "arena = botarena:main",
        "botarena = botarena:main",
    }
    assert (wheel / "botarena.py").is_file()


def test_the_citation_names_this_version():
    assert f"\nversion: {arena.__version__}\n" in (CHECKOUT / "CITATION.cff").read_text()


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_package(wheel):
    own = subprocess.run(
        ["git", "-C", CHECKOUT, "ls-files", "-z", "arena"], capture_output=True, text=True, check=False
    ).stdout.split("\0")
    assert [file for file in own if file and not (wheel / file).is_file()] == []
    assert (wheel / "arena/report/html/leaderboard.js").is_file()  # also where the checkout has no git


@pytest.mark.parametrize("text", ["", "from arena.cli import main\n", "__version__ = '9'\n"])
def test_another_package_of_that_name_in_the_way_is_named_in_a_line(tmp_path, text):
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena/__init__.py").write_text(text)
    command = [sys.executable, "-c", "import botarena; botarena.main()", "--version"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(PYTHONPATH=str(tmp_path)), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{tmp_path / 'arena'}: another package called arena")
    assert done.stderr.endswith("install botarena into an environment of its own\n")
    assert done.stderr.count("\n") == 1


def test_the_command_by_the_distributions_name_is_the_same_command(tmp_path):
    command = [sys.executable, "-c", "import botarena; botarena.main()", "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("arena ")


COMMANDS = """
import os, sys
import arena
from arena.cli import main

print(arena.__file__)
duel = "--set boards=['duel'] --bot dice,walker --no-charts"
codes = []
for folder, words in (
    (".", "run"),
    (".", f"run --demo {duel}"),
    (".", "run cup/tournament.toml --demo"),
    (".", "init cup"),
    ("cup", f"run --repeats 1 {duel}"),
    ("..", "games hunt"),
    (".", "match dice dice --board duel --no-draw"),
):
    os.chdir(folder)
    sys.argv = ["arena", *words.split()]
    try:
        main()
    except SystemExit as done:
        codes.append(done.code)
assert codes == [2, 0, 2, 0, 0, 0, 0], codes
"""
"""Several commands in one process, which imports arena once; prints where arena is."""


@pytest.mark.slow
def test_a_new_workspace_outside_the_checkout_plays_an_event(tmp_path, wheel):
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(wheel)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "arena run --demo" in done.stderr.splitlines()[0]  # what a run without a workspace advises
    assert "leave out cup/tournament.toml" in done.stderr
    assert (tmp_path / "demo/results/demo/leaderboard.csv").is_file()
    assert (tmp_path / "demo/tournament.toml").read_text() == (CHECKOUT / "tournament.toml").read_text()
    assert str(wheel / "arena/__init__.py") in done.stdout.splitlines()
    assert (tmp_path / "cup/results/cup/leaderboard.csv").is_file()
