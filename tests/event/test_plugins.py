"""Schedules of installed packages, found by their entry points."""

import importlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.event import schedules
from arena.event.plan import Plan
from arena.results.archive import Archive
from tests.support import stored

POINTS = """
[arena.schedules]
only_once = extra.once
round_robin = extra.once
twins = extra.twins
lame = extra.lame
"""
ONCE = """
BEHIND = 0
def batch(event, number, history):
    if not number:
        yield event.match(event.boards[0], event.bots[:2], 0)
def count(event):
    return {board.label: int(board == event.boards[0]) for board in event.boards}
"""
TWINS = ONCE.replace("if not number", "if number < 2")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package as pip leaves it, on the path of this process."""
    package = tmp_path / "extra"
    package.mkdir()
    for name, text in {
        "__init__": "",
        "once": ONCE,
        "lame": "BEHIND = 0\n",
        "twins": TWINS,
    }.items():
        (package / f"{name}.py").write_text(text)
    (tmp_path / "extra-1.dist-info").mkdir()
    (tmp_path / "extra-1.dist-info/METADATA").write_text("Name: extra\nVersion: 1\n")
    (tmp_path / "extra-1.dist-info/entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "extra"]:
        del sys.modules[name]


def test_a_schedule_of_a_package_plans_and_cannot_replace_one_of_arena(installed: Path):
    assert "only_once" in schedules.names()
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    assert [match.repeat for match in schedules.find("only_once").batch(event, 0, ())] == [0]
    assert schedules.find("round_robin").__name__ == "arena.event.schedules.round_robin"
    before = schedules.code_digest("only_once")
    (installed / "once.py").write_text(ONCE + "# changed\n")
    assert schedules.code_digest("only_once") != before


def test_a_damaged_plugin_is_one_line_with_its_name(installed: Path):
    with pytest.raises(
        ArenaError, match=r"^plug-in lame: extra.lame has no 'batch'; `arena docs formats`"
    ):
        schedules.find("lame")
    (installed / "once.py").unlink()
    with pytest.raises(
        ArenaError,
        match=r"^plug-in only_once: extra.once: ModuleNotFoundError: .*install its package",
    ):
        schedules.find("only_once")


@pytest.mark.usefixtures("installed")
def test_a_schedule_that_plans_a_match_twice_is_one_line_with_its_name(tmp_path):
    event = replace(stored.event("ann", "bob", boards=[stored.DUEL]), schedule="twins")
    with Archive.open(tmp_path / "cup", writing=True) as archive:
        walk = Plan(event, archive)
        first, second = islice(walk.walk(), 2)
        assert second is None  # it depends on the first match
        archive.append(stored.played(first.match))
        with pytest.raises(
            ArenaError,
            match=r"^plug-in twins: it plans the same match twice: mummy_maze/duel, ann, bob, ",
        ):
            list(Plan(event, archive).known())
