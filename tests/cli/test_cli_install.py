"""Installed as a wheel and in place: a new workspace outside the checkout plays an event."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import arena
from tests.support.cup import environment

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, unpacked, as pip would install it."""
    pytest.importorskip("hatchling", reason="needs the package hatchling, of the extra dev")
    folder = tmp_path_factory.mktemp("wheel")
    # pip would make an environment for the build first, and get hatchling from the network.
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(
        command, cwd=CHECKOUT, capture_output=True, text=True, timeout=100, check=False
    )
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


def test_a_release_names_the_repository_that_made_it(tmp_path):
    yaml = pytest.importorskip(
        "yaml", reason="needs the package pyyaml, which mkdocs of the extra dev brings"
    )
    workflow = yaml.safe_load((CHECKOUT / ".github/workflows/release.yml").read_text())
    (step,) = [step for step in workflow["jobs"]["build"]["steps"] if "urls" in step.get("run", "")]
    (tmp_path / "pyproject.toml").write_text((CHECKOUT / "pyproject.toml").read_text())
    where = environment(GITHUB_SERVER_URL="https://host.example", GITHUB_REPOSITORY="a/b")
    subprocess.run(["bash", "-ec", step["run"]], cwd=tmp_path, env=where, check=True)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    assert project["urls"] == {
        "Source": "https://host.example/a/b",
        "Issues": "https://host.example/a/b/issues",
        "Changelog": "https://host.example/a/b/blob/main/CHANGELOG.md",
    }


def test_the_citation_names_this_version():
    assert f"\nversion: {arena.__version__}\n" in (CHECKOUT / "CITATION.cff").read_text()


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_package(wheel):
    own = subprocess.run(
        ["git", "-C", CHECKOUT, "ls-files", "-z", "arena"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\0")
    assert [file for file in own if file and not (wheel / file).is_file()] == []
    assert (
        wheel / "arena/report/html/leaderboard.js"
    ).is_file()  # also where the checkout has no git


def botarena(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command where this folder comes first on the path of modules."""
    command = [sys.executable, *options, "-c", "import botarena; botarena.main()", "--version"]
    env = environment(PYTHONPATH=str(path))
    return subprocess.run(command, cwd=path, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("text", ["", "from arena.cli import main\n"])
def test_another_package_of_that_name_in_the_way_is_named_in_a_line(tmp_path, text):
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena/__init__.py").write_text(text)
    done = botarena(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{tmp_path / 'arena'}: another package called arena")
    assert done.stderr.endswith("install botarena into an environment of its own\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_another_package_whose_files_were_put_over_ours_is_named_in_a_line(tmp_path, wheel):
    shutil.copytree(wheel, tmp_path / "installed")
    (tmp_path / "installed/arena/__init__.py").write_text("def play():\n    return 1\n")
    done = botarena(tmp_path / "installed")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{tmp_path / 'installed/arena'}: another package called arena" in done.stderr
    (tmp_path / "installed/arena/__init__.py").unlink()  # as an uninstalled package leaves it
    done = botarena(tmp_path / "installed", "-S")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "pip install --force-reinstall botarena" in done.stderr


def test_the_command_by_the_distributions_name_is_the_same_command(tmp_path):
    done = botarena(tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("arena ")


COMMANDS = """
import os, sys
import arena
from arena.cli import main

print(arena.__file__)
duel = "--set boards=['duel'] --bot dice,walker --no-charts --workers 1"
codes = []
for folder, words in (
    (".", "run"),
    (".", f"run --demo {duel}"),
    (".", "run cup/tournament.toml --demo"),
    (".", "init cup"),
    (".", "games hunt"),
    (".", "match dice dice --board duel --no-draw"),
):
    os.chdir(folder)
    sys.argv = ["arena", *words.split()]
    try:
        main()
    except SystemExit as done:
        codes.append(done.code)
assert codes == [2, 0, 2, 0, 0, 0], codes
"""
"""Several commands in one process, which imports arena once; prints where arena is."""


@pytest.mark.soak  # .ci/wheel takes these steps in an empty venv
def test_a_new_workspace_outside_the_checkout_plays_an_event(tmp_path, wheel):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMANDS],  # nothing of ours is deprecated
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(wheel)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (
        "arena run --demo" in done.stderr.splitlines()[0]
    )  # what a run without a workspace advises
    assert "leave out cup/tournament.toml" in done.stderr
    assert (tmp_path / "demo/results/demo/leaderboard.csv").is_file()
    assert (tmp_path / "demo/tournament.toml").read_text() == (
        CHECKOUT / "tournament.toml"
    ).read_text()
    assert str(wheel / "arena/__init__.py") in done.stdout.splitlines()
    assert (tmp_path / "cup/bots/dice.py").is_file()
    assert "Warning" not in done.stderr
