"""What the author of a bot reads about a mistake names its cause, and no other: the table of advice_cases.py."""

import os
from dataclasses import replace

import advice_cases
import pytest
import sins
from advice_cases import CASES

from arena.author.checkup import checkup
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.event import builds, discovery
from arena.games import rulebook
from arena.sandbox import choice
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Limits


@pytest.fixture(scope="module")
def watching():
    """Yield a launcher as `arena check` has it, which sees the calls that are refused."""
    with Launcher(watches=True) as launcher:
        yield launcher


def read_by_author(case, path, launcher, builds_folder):
    """Return whether a bot is fit to play, and all that its author reads about it, as `arena check` finds it."""
    conditions = Conditions(
        time=TimeControl(start=case.answers_in, move=case.answers_in, margin=0.0),
        limits=Limits(memory=200_000_000, cpu=20, stderr=16_000_000),
        sandbox=choice.choose("auto", unsafe=False),
        preload=sins.PRELOAD,
    )
    try:
        (bot,) = builds.built([discovery.from_path(path)], builds_folder, conditions.sandbox)
        found = checkup(replace(bot, roles=("mummy",)), rulebook.find("mummy_maze/duel"), conditions, launcher)
    except ArenaError as error:
        return False, str(error)
    return found.sound, "\n".join(f"{finding.words}\n-> {finding.cure}" for finding in found.findings)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_author_reads_the_cause_of_a_mistake_and_no_other(name, tmp_path, watching, monkeypatch):
    case = CASES[name]
    if missing := advice_cases.missing(case):
        pytest.skip(f"{missing[0]} is not on this machine")
    path = advice_cases.write(case, tmp_path / "home")
    if case.no_programs:
        monkeypatch.setenv("PATH", os.fspath(tmp_path))
    sound, text = read_by_author(case, path, watching, tmp_path / "builds")
    assert sound == case.sound, text
    text = text.replace(f"{tmp_path}/", "")
    assert [words for words in case.says if words not in text] == [], text
    assert [words for words in case.never if words in text] == [], text
    assert text.isprintable() or all(line.isprintable() for line in text.split("\n")), text
