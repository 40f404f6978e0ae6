"""Versions of a bot as an author compares them: those that `arena submit` stored."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support import cup, events, workspaces


@pytest.fixture(scope="module")
def submitted(tmp_path_factory) -> Path:
    """Return a workspace in which `ada` was submitted three times, and played twice."""
    folder = tmp_path_factory.mktemp("versions")
    made = workspaces.make(folder / "ws", {"bob": cup.FIRST})
    for number in range(1, 4):
        source = folder / "ada.py"
        source.write_text(f"{cup.LAST if number == 2 else cup.FIRST}# {number}\n")
        done = cup.arena(made, "submit", str(source))
        assert done.returncode == 0, done.stderr
        assert "next: `arena run` plays it" in done.stderr
        if number in {1, 2}:
            assert events.run(made, "results/cup")[0].complete
    return made


@pytest.mark.soak
def test_two_versions_that_played_are_compared_by_the_results_of_the_event(submitted):
    (row,) = json.loads(cup.arena(submitted, "compare", "ada@1", "ada@2", "--json").stdout)
    assert (row["bot"], row["opponent"]) == ("ada v1", "ada v2")
    (row,) = json.loads(cup.arena(submitted, "compare", "ada@1", "bob", "--json").stdout)
    assert (row["bot"], row["opponent"]) == ("ada v1", "bob")


def test_the_name_alone_is_the_version_that_plays_in_the_event(submitted):
    (row,) = json.loads(cup.arena(submitted, "compare", "ada@1", "ada", "--json").stdout)
    assert (row["bot"], row["opponent"]) == ("ada v1", "ada v2")


def test_versions_without_results_together_are_one_line_with_the_command(submitted):
    done = cup.arena(submitted, "compare", "ada@2", "ada@3")
    assert cup.refused(
        done,
        "ada@3: no such version played; it has ada@1, ada@2; they have no results "
        "together: `arena duel ada@2 ada@3` plays them",
    )
    unknown = cup.arena(submitted, "compare", "ada@2", "ada@9")
    assert cup.refused(unknown, "ada@9: no such version played")
    assert "arena duel" not in unknown.stderr


def test_versions_are_compared_by_their_duel_where_the_event_has_not_both(submitted, tmp_path):
    made = shutil.copytree(submitted, tmp_path / "ws", symlinks=True)
    played = cup.arena(made, "duel", "ada@3", "ada@2", "--max-pairings", "1", "--workers", "1")
    assert played.returncode in {0, 1, 3}, played.stderr
    done = cup.arena(made, "compare", "ada@2", "ada@3")
    assert done.returncode == 0, done.stderr
    assert "chance that ada@2 is better" in done.stdout
    assert "from their duel, duel-ada@3-ada@2:" in done.stderr


def test_versions_are_words_for_a_match(submitted):
    done = cup.arena(submitted, "match", "ada@1", "ada@2", "--board", "sprint")
    assert done.returncode == 0, done.stderr
    assert "ada@1" in done.stdout
