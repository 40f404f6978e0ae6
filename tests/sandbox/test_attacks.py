"""Every attack of attacks/ is played at each level where it meets another guard, and judged from
outside.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.support.processes import alive, until

sys.path.insert(
    0, str(Path(__file__).parents[1] / "attacks" / "harness")
)  # which also runs without pytest

import outside
import page
from stands import ALL, RARE, STANDS, Findings, Stand
from table import ACCEPTED, ATTACKS, EXPECTED

from arena.sandbox.levels import CONFINING

MISTAKES = (
    "NameError",
    "AttributeError",
    "TypeError",
    "KeyError",
    "SyntaxError",
    "ImportError",
    "ModuleNotFoundError",
)
"""A mistake in an attack looks like an attack that was stopped."""


@pytest.fixture(scope="session")
def findings(request, tmp_path_factory):
    """The results of the stands that the chosen tests ask for."""
    folder = tmp_path_factory.getbasetemp()
    side_by_side = hasattr(request.config, "workerinput")
    folder = (folder.parent if side_by_side else folder) / "attacks"
    folder.mkdir(exist_ok=True)
    chosen = [
        item.callspec.params
        for item in request.session.items
        if "stands" in getattr(item, "fixturenames", ())
    ]
    stands = [
        stand
        for stand in ALL
        if any(stand in row["stands"] for row in chosen) and stand.missing() is None
    ]
    names = {row.get("name", "") for row in chosen}
    only = (
        () if "" in names else names
    )  # a test that asks for no attack by name asks for all of them
    findings = Findings(folder, stands, only, 1 if side_by_side else (os.cpu_count() or 1))
    yield findings
    findings.close()


def played(findings: Findings, stands: Sequence[Stand]) -> dict[Stand, dict]:
    """Return the results of those of these stands that can be played here; a skip with the reason
    for none.
    """
    missing = {stand: stand.missing() for stand in stands}
    batches = {stand: findings.at(stand) for stand, why in missing.items() if why is None}
    failed = {str(stand): batch["failed"] for stand, batch in batches.items() if "failed" in batch}
    assert failed == {}
    missing |= {
        stand: f"{stand.level}: {batch['unavailable']}"
        for stand, batch in batches.items()
        if "unavailable" in batch
    }
    if all(missing.values()):
        pytest.skip("; ".join(dict.fromkeys(missing.values())))
    return {stand: batch for stand, batch in batches.items() if missing[stand] is None}


def test_every_attack_has_its_row_and_every_row_its_attack(findings):
    assert {path.stem for path in ATTACKS.glob("*.py")} == set(EXPECTED)
    assert len(EXPECTED) >= 60


def test_a_process_is_seen_whose_first_thread_has_ended():
    leaves = (
        "import ctypes, sys, threading; threading.Thread(target=sys.stdin.read).start(); "
        "print(flush=True); "
    )
    leaves += "ctypes.CDLL(None).pthread_exit(None)"
    environment = os.environ | {"ARENA_TEST_MARK": "0f1e2d3c"}
    with subprocess.Popen(
        [sys.executable, "-c", leaves], stdin=PIPE, stdout=PIPE, env=environment
    ) as process:
        try:
            assert until(lambda: not alive(process.pid))
            assert ("0f1e2d3c", process.pid) in list(outside.marked(["0f1e2d3c"]))
        finally:
            process.kill()


@pytest.mark.parametrize("path", [page.ON_OTHERS, page.ON_THE_MACHINE], ids=lambda path: path.stem)
def test_the_pages_show_the_tables_of_now(path):
    text = path.read_text("utf-8")
    assert page.renewed(path) == text, "run `python tests/attacks/harness/page.py`"


@pytest.mark.slow
@pytest.mark.timeout(600)  # the first to ask waits until all stands have been played
@pytest.mark.parametrize(
    "stands",
    [pytest.param(STANDS, id="stands"), pytest.param(RARE, id="rare", marks=pytest.mark.soak)],
)
@pytest.mark.parametrize("name", EXPECTED)
def test_an_attack_gets_what_the_table_says_and_leaves_nothing_behind(name, stands, findings):
    for stand, batch in played(findings, stands).items():
        word = stand.expected()[name]
        if word == "-" or EXPECTED[name].architecture not in ("", platform.machine()):
            assert name not in batch["results"]
            continue
        result = batch["results"][name]
        assert "broken" not in result, (str(stand), result)
        assert result["result"] in ACCEPTED[word], (str(stand), result)
        assert not any(mistake in result["said"] for mistake in MISTAKES), (
            str(stand),
            result["said"],
        )
        assert [leak for leak in result["left"] if leak.startswith(("process", "room"))] == [], str(
            stand
        )
        if stand.level in CONFINING:
            assert result["left"] == [], str(stand)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "stands",
    [
        pytest.param((stand,), id=str(stand), marks=[pytest.mark.soak] * (stand in RARE))
        for stand in ALL
    ],
)
def test_after_all_attacks_of_a_level_no_process_and_no_file_is_left(stands, findings):
    ((stand, batch),) = played(findings, stands).items()
    assert (batch["below"], batch["rest"]) == ([], [])
    played_to_the_end = [result for result in batch["results"].values() if "broken" not in result]
    confined = {result["confined"] for result in played_to_the_end}
    assert all(words.startswith(stand.level) for words in confined), confined
    assert {result["warm"] for result in played_to_the_end} == {stand.warm}
    if stand.user == "root" and stand.level != "none":
        assert all(", as user " in words for words in confined), confined
    if stand.user == "bare root":
        assert confined == {"landlock, as root without capabilities"}
