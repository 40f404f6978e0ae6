"""Damaged results: one line says what is damaged, `arena verify` says which records hold, and no
traceback is shown.
"""

import random
import re
import shutil
import sqlite3
from itertools import product

import pytest

from arena.event import plan
from arena.replay import verify
from arena.results.archive import Archive
from tests.support import events, workspaces
from tests.support.cup import arena
from tests.support.sprint import FIRST, LAST

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A workspace with results, and how their file is laid out: the pages of each table and
    index.
    """
    folder = workspaces.make(
        tmp_path_factory.mktemp("damage") / "ws", {"first": FIRST, "last": LAST}, "duel", repeats=6
    )
    assert events.run(folder, "results/cup")[0].complete
    path = folder / "results/cup/event.sqlite"
    store = sqlite3.connect(path)
    roots = dict(store.execute("select name, rootpage from sqlite_master"))
    store.execute("pragma wal_checkpoint(truncate)")
    store.close()
    return folder, path.read_bytes(), roots


@pytest.fixture
def damaged(whole, tmp_path):
    """Makes a workspace whose file has other bytes."""

    def make_it(content: bytes):
        folder = tmp_path / "ws"
        shutil.copytree(whole[0], folder)
        results = folder / "results/cup"
        for name in ("event.sqlite-wal", "event.sqlite-shm", ".ratings-bradley_terry.json"):
            (results / name).unlink(missing_ok=True)
        (results / "event.sqlite").write_bytes(content)
        return folder

    return make_it


@pytest.mark.parametrize("few", [0, 12])  # other processes check them, or this one
def test_a_record_that_changed_is_the_only_one_that_does_not_hold(whole, damaged, monkeypatch, few):
    monkeypatch.setattr(verify, "FEW", few)
    _, content, _ = whole
    record = re.search(rb"x\x01[^\x00]{40}", content)  # how zlib begins
    folder = damaged(content[: record.start() + 30] + b"\xff\xff" + content[record.start() + 32 :])
    done = arena(folder, "verify")
    assert done.returncode == 1
    assert "12 records: 11 confirmed, 1 not\n" in done.stdout
    assert "its record cannot be read" in done.stdout


@pytest.mark.parametrize(
    ("command", "table"),
    [
        *product(
            ("leaderboard", "verify"),
            (
                "matches",
                "sqlite_autoindex_matches_1",
                "seats",
                "tallies",
                "meta",
                "entries",
                "records",
            ),
        ),
        *(("run", table) for table in ("matches", "meta", "entries")),
    ],
)
def test_a_page_of_zeros_is_reported_in_one_line(whole, damaged, table, command):
    _, content, roots = whole
    start = (roots[table] - 1) * PAGE
    folder = damaged(content[:start] + bytes(PAGE) + content[start + PAGE :])
    done = arena(
        folder, *([command] if command != "run" else ["run", "--no-charts", "--repeats", "7"])
    )
    if command == "verify":
        assert done.returncode == 1
        assert (
            "the file is damaged" in done.stdout + done.stderr
            or "are not those of its matches" in done.stdout
        )
        assert re.search(r"\d+ records: \d+ confirmed", done.stdout)
    elif done.returncode:
        assert done.returncode == 2
        assert "event.sqlite: " in done.stderr.splitlines()[-1]
        assert (
            "the file is damaged; `arena verify` says which records still hold"
            in done.stderr.splitlines()[-1]
        )
        assert len(done.stderr.splitlines()[-1]) < 500


@pytest.mark.parametrize(
    "seed", [0, *[pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2)]]
)
def test_a_flipped_bit_in_a_text_is_no_traceback(whole, damaged, seed):
    """`arena` here lets an exception through that the command line has no line for."""
    _, content, _ = whole
    dice = random.Random(seed)
    texts = [
        match.start() for match in re.finditer(rb'mummy_maze|explorer|first|"[a-z]+":', content)
    ]
    place = dice.choice(texts) + dice.randrange(4)
    changed = bytearray(content)
    changed[place] ^= dice.choice((0x80, 0x01))
    folder = damaged(bytes(changed))
    for command in ("leaderboard", "verify"):
        done = arena(folder, command)
        assert done.returncode in {0, 1, 2}
        if done.returncode == 2:
            assert "the file is damaged" in done.stderr


def test_a_search_for_damage_ends_in_time_however_long_the_plan_is(whole, tmp_path, monkeypatch):
    walked, known = [], plan.Plan.known
    monkeypatch.setattr(
        plan.Plan, "known", lambda self: (walked.append(each) or each for each in known(self))
    )
    monkeypatch.setattr(verify, "DAMAGE_SEARCH_S", 0)
    folder = tmp_path / "cup"
    shutil.copytree(whole[0] / "results/cup", folder)
    with Archive.open(folder) as archive:
        assert verify.damage(archive) is None
    store = sqlite3.connect(folder / "event.sqlite")
    store.execute("delete from tallies")
    store.commit()
    store.close()
    with Archive.open(folder) as archive:
        assert (
            verify.damage(archive) == "the sums behind the leaderboard are not those of its matches"
        )
    assert len(walked) == 2


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_a_truncated_file_is_reported_in_one_line(whole, damaged, share):
    _, content, _ = whole
    folder = damaged(content[: int(share * len(content))])
    for words in (["leaderboard"], ["run", "--no-charts"]):
        done = arena(folder, *words)
        assert done.returncode == 2
        assert "the file is damaged" in done.stderr


def test_a_tournament_that_is_cut_leaves_the_records_and_their_grades_as_they_were(whole, damaged):
    folder = damaged(whole[1])
    before = arena(folder, "leaderboard", "results/cup", "--json").stdout
    (folder / "tournament.toml").write_text('name = "cup"\nboards = ["du')

    assert "12 records: 12 confirmed\n" in arena(folder, "verify", "results/cup").stdout
    for cache in (folder / "results/cup").glob(".accuracy*"):
        cache.unlink()
    assert arena(folder, "leaderboard", "results/cup", "--json").stdout == before
    assert '"accuracy"' in before
