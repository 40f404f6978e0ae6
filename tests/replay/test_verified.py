"""`arena verify` checks only what is new or changed since it held; nobody else can say that it held."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena import seals
from arena.cli import stored_match
from arena.cli.verify import verified_in
from arena.game import Game
from arena.replay import verify
from arena.results import memo
from arena.results.archive import Archive
from arena.values import Match
from tests.support import cup, events, workspaces

MATCHES = 4


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace with an event of two matches a repeat that was played and verified."""
    folder = workspaces.make(tmp_path_factory.mktemp("ws") / "ws", repeats=MATCHES // 2)
    assert events.run(folder, "results/cup")[0].complete
    assert cup.arena(folder, "verify").returncode == 0
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a copy of the workspace, and go there."""
    copy = Path(shutil.copytree(played, tmp_path / "ws"))
    monkeypatch.chdir(copy)
    check(copy)  # the path of its rules is another one
    yield copy
    seals._secret.cache_clear()


def check(folder: Path, *, again: bool = False) -> tuple[int, list[str]]:
    """Check the records; return for how many of them rules were asked, and the problems."""
    asked: list[str] = []

    def game_of(match: Match) -> Game:
        asked.append(match.id)
        return stored_match.game_of(match)

    with Archive.open(folder / "results/cup") as archive:
        known = verified_in(archive, again=again)
        _, problems = verify.checked(archive, game_of, verified=known)
    return len(asked), [words for _, words in problems]


def change(folder: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "results/cup/event.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_records_that_held_are_not_checked_again_unless_asked(folder: Path):
    assert check(folder) == (0, [])
    assert check(folder, again=True) == (MATCHES, [])
    assert check(folder) == (0, [])
    done = cup.arena(folder, "verify", "--again")
    assert done.stdout == f"{MATCHES} records: {MATCHES} confirmed\n"


def test_a_later_match_is_checked_alone(folder: Path):
    assert cup.run_event(folder, "--repeats", str(MATCHES // 2 + 1)).returncode == 0
    assert check(folder) == (2, [])


CHANGES = {
    "column of the match": "update matches set reason = 'other' where number = 1",
    "figures": "update matches set figures = zeroblob(length(figures)) where number = 1",
    "score of a seat": "update seats set score = score + 1 where match = 1 and position = 0",
    "words of a seat": "update seats set words = 'late' where match = 1 and position = 0",
    "times": "update clocks set walls = zeroblob(length(walls)) where match = 1",
    "no times": "delete from clocks where match = 1",
    "no seat": "delete from seats where match = 1 and position = 0",
    "bot": "update entries set digest = 'other' where number = 1",
    "record of another match": (
        "update records set record = (select record from records where match = 2) where match = 1"
    ),
    "no record": "delete from records where match = 1",
    "text for a record": "update records set record = 'text' where match = 1",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_a_record_that_somebody_changed_since_is_checked(statement: str, folder: Path):
    change(folder, statement)
    assert check(folder)[1]


def test_a_forged_record_is_found_though_all_its_columns_agree(folder: Path):
    with Archive.open(folder / "results/cup") as archive:
        record = next(archive.records())
        number = archive.numbers()[record.match.id]
    first, *rest = record.turns
    change(
        folder,
        f"delete from matches where number = {number}",
        *[
            f"delete from {table} where match = {number}"
            for table in ("seats", "clocks", "records")
        ],
    )
    with Archive.open(folder / "results/cup", writing=True) as archive:
        archive.append(replace(record, turns=(first._replace(move="forged"), *rest)))
    asked, problems = check(folder)
    assert asked == 1
    assert any("by the rules" in words for words in problems), problems


def test_other_rules_code_or_secrets_have_all_records_checked(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with (folder / "rules/sprint.py").open("a") as file:
        file.write("# edited\n")
    assert check(folder)[0] == MATCHES
    with monkeypatch.context() as patch:
        patch.setattr(memo, "program_digest", lambda: "of another arena")
        assert check(folder)[0] == MATCHES
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    seals._secret.cache_clear()
    assert check(folder)[0] == MATCHES


def test_a_note_from_elsewhere_is_not_believed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine = tmp_path / "mine"
    monkeypatch.setenv("XDG_STATE_HOME", str(mine))
    seals._secret.cache_clear()
    assert check(folder) == (MATCHES, [])  # the file has seals of another secret
    assert check(folder) == (0, [])
    for content in (b"", b"\0" * 16, b"x" * 7, b"\xff" * 100_000):
        (folder / "results/cup/.verified").write_bytes(content)
        assert check(folder) == (MATCHES, [])


def test_a_check_that_is_interrupted_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "results/cup/.verified").unlink()
    monkeypatch.setattr(verify, "CHUNK", 1)

    def interrupt(done: int, _: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with Archive.open(folder / "results/cup") as archive:
        known = verified_in(archive)
        with pytest.raises(KeyboardInterrupt):
            verify.checked(archive, stored_match.game_of, interrupt, verified=known)
    assert check(folder) == (MATCHES - 3, [])


def test_a_merge_checks_what_held_in_its_sources_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree(folder / "results/cup", folder / "results/other")
    disagreements = []
    monkeypatch.setattr(verify, "disagreements", lambda *asked: disagreements.append(asked) or ())
    done = cup.arena(folder, "merge", "results/cup", "results/other", "--name", "all")
    assert done.returncode == 0, done.stderr
    assert disagreements == []
