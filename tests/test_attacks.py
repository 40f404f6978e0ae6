"""Every attack of attacks/ is played at every level, by an ordinary user and by root, and judged from outside."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "attacks" / "harness"))  # which also runs without pytest

import page
from stands import RARE, STANDS, Findings, Stand
from table import ACCEPTED, ATTACKS, EXPECTED

from arena.sandbox.plan import CONFINING

ALL = (*STANDS, *RARE)
TRIED = [(stand, name) for stand in ALL for name, word in stand.expected().items() if word != "-"]
OURS = ("NameError", "AttributeError", "TypeError", "KeyError", "SyntaxError", "ImportError", "ModuleNotFoundError")
"""A mistake in an attack looks like an attack that was stopped."""


def each(cases, **more):
    """A test for each of these, named after it."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    marked = [
        pytest.param(*row, id="-".join(map(str, row)), marks=[pytest.mark.soak] * (row[0] in RARE)) for row in rows
    ]
    return pytest.mark.parametrize(more["names"], marked)


@pytest.fixture(scope="session")
def findings(request, tmp_path_factory):
    """Of the stands that the chosen tests ask for."""
    folder = tmp_path_factory.getbasetemp()
    side_by_side = "PYTEST_XDIST_WORKER" in os.environ
    folder = (folder.parent if side_by_side else folder) / "attacks"
    folder.mkdir(exist_ok=True)
    chosen = [item.callspec.params.get("stand") for item in request.session.items if hasattr(item, "callspec")]
    stands = [stand for stand in ALL if stand in chosen and stand.missing() is None]
    found = Findings(folder, stands, 1 if side_by_side else (os.cpu_count() or 1))
    yield found
    found.close()


def played(findings: Findings, stand: Stand) -> dict:
    """What was found at a stand; skipped, with the reason, where it cannot be played."""
    if (why := stand.missing()) is not None:
        pytest.skip(why)
    found = findings.at(stand)
    if "unavailable" in found:
        pytest.skip(f"{stand.level}: {found['unavailable']}")
    assert "failed" not in found, found["failed"]
    return found


@pytest.mark.early  # the stands are played while other tests run
def test_every_attack_has_its_row_and_every_row_its_attack(findings):
    assert {path.stem for path in ATTACKS.glob("*.py")} == set(EXPECTED)
    assert len(EXPECTED) >= 60


def test_the_page_shows_the_table_of_now():
    text = page.PAGE.read_text()
    assert page.renewed(text) == text, "run `python tests/attacks/harness/page.py`"


@pytest.mark.slow
@pytest.mark.late
@pytest.mark.timeout(600)  # the first to ask waits until its stand has been played
@each(TRIED, names=("stand", "name"))
def test_an_attack_gets_what_the_table_says_and_leaves_nothing_behind(stand, name, findings):
    found = played(findings, stand)["results"]
    if name not in found:
        pytest.skip(f"{name} is written for {EXPECTED[name].architecture}")
    told = found[name]
    assert told["result"] in ACCEPTED[stand.expected()[name]], told
    assert not any(mistake in told["said"] for mistake in OURS), told["said"]
    assert [one for one in told["left"] if one.startswith(("process", "room"))] == []
    if stand.level in CONFINING:
        assert told["left"] == []


@pytest.mark.slow
@pytest.mark.late
@pytest.mark.timeout(600)
@each(ALL, names=("stand",))
def test_after_all_attacks_of_a_level_no_process_and_no_file_is_left(stand, findings):
    found = played(findings, stand)
    assert (found["below"], found["rest"]) == ([], [])
    confined = {told["confined"] for told in found["results"].values()}
    assert all(one.startswith(stand.level) for one in confined), confined
    assert {told["warm"] for told in found["results"].values()} == {stand.warm}
    if stand.user == "root" and stand.level != "none":
        assert all(", as user 6" in one for one in confined), confined
    if stand.user == "bare root":
        assert confined == {"landlock, as root without capabilities"}
