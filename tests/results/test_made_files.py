"""Files that are made of an archive: not made again of the same, and made again of anything else."""

import contextlib
import json
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from arena import seals
from arena.errors import ArenaError
from arena.event import result_files
from arena.results import leaderboard, made_files, memo
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Ending
from tests.support import stored

EVENT = stored.event("ann", "bob", boards=[stored.DUEL], repeats=3)
RECORDS = [stored.played(match, explorer=Ending.CRASHED) for match in stored.plan(EVENT)]
NOTE = ".tables.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an event whose tables were written, of all its matches but one."""
    folder = stored.store(tmp_path_factory.mktemp("cup"), EVENT, RECORDS[:-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaderboard, "REFITS", 30)
        written(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(leaderboard, "REFITS", 30)
    return Path(shutil.copytree(made, tmp_path / "cup"))


def written(folder: Path, **options: bool) -> tuple[Path, ...]:
    with contextlib.closing(Results.open(folder, rules=unknown_rules, **options)) as results:
        return result_files.write_tables(results)


def unknown_rules(match: object) -> None:
    raise ArenaError("no rules")


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return inode and content of each table."""
    return {path.name: (path.stat().st_ino, path.read_bytes()) for path in folder.glob("*.csv")}


def test_tables_of_the_same_matches_are_not_made_again(folder: Path):
    before = files_of(folder)
    names = {path.name for path in written(folder)}
    assert names == before.keys()
    assert files_of(folder) == before


def forge(folder: Path) -> None:
    """Write other figures, and a note that agrees with them, as somebody without the secret can."""
    (folder / "leaderboard.csv").write_text("rank,bot\n1,mallory\n")
    text, mark = (folder / NOTE).read_text().split("\n")
    key, (digests, words) = json.loads(text)
    digests |= made_files.digests_of([folder / "leaderboard.csv"], folder)
    (folder / NOTE).write_text(f"{json.dumps((key, (digests, words)))}\n{mark}")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda folder: (folder / "matches.csv").write_text("match\n"),
    "removed": lambda folder: (folder / "timing.csv").unlink(),
    "forged": forge,
    "no note": lambda folder: (folder / NOTE).unlink(),
    "note cut short": lambda folder: (folder / NOTE).write_text('["'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_tables_that_somebody_changed_are_made_again(
    damage: Callable[[Path], object], folder: Path
):
    before = {name: content for name, (_, content) in files_of(folder).items()}
    damage(folder)
    written(folder)
    assert {name: content for name, (_, content) in files_of(folder).items()} == before


def add(folder: Path) -> None:
    with Archive.open(folder, writing=True) as archive:
        archive.append(RECORDS[-1])


def void(folder: Path) -> None:
    with Archive.open(folder, writing=True) as archive:
        assert archive.void("", "its disk was full")


def begin_other(folder: Path, **changes: object) -> None:
    with Archive.open(folder, writing=True) as archive:
        stored.begin(archive, replace(EVENT, **changes), (record.match.id for record in RECORDS))


def name_differently(folder: Path) -> None:
    bots = [replace(bot, display=f"{bot.name} the great") for bot in EVENT.bots]
    begin_other(folder, bots=tuple(bots))


def play_again(folder: Path) -> None:
    with Archive.open(folder, writing=True) as archive:
        archive.void("", "its disk was full")
        archive.append(*RECORDS[:-1])


CHANGES: dict[str, Callable[[Path], object]] = {
    "one more match": add,
    "voided matches": void,
    "voided matches played again": play_again,
    "other names to show": name_differently,
    "another tie-break": lambda folder: begin_other(folder, tie_breaks=("wins",)),
    "another rating": lambda folder: begin_other(folder, rating="points"),
    "a bot less": lambda folder: begin_other(folder, bots=EVENT.bots[:1]),
    "fewer matches that count": lambda folder: begin_fewer(folder),
}


def begin_fewer(folder: Path) -> None:
    with Archive.open(folder, writing=True) as archive:
        stored.begin(archive, EVENT, (record.match.id for record in RECORDS[:2]))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_tables_are_made_again_when_the_archive_changed(
    change: Callable[[Path], object], folder: Path
):
    before = files_of(folder)
    change(folder)
    written(folder)
    after = files_of(folder)
    assert after["leaderboard.csv"][0] != before["leaderboard.csv"][0]


def test_tables_are_made_again_by_other_code_options_or_rules(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    inodes = [files_of(folder)["leaderboard.csv"][0]]

    def is_made_again(**options: bool) -> bool:
        written(folder, **options)
        inodes.append(files_of(folder)["leaderboard.csv"][0])
        return inodes[-1] != inodes[-2]

    assert not is_made_again()
    assert is_made_again(all_versions=True)
    assert is_made_again()
    monkeypatch.setattr(memo, "program_digest", lambda: "of another arena")
    assert is_made_again()
    assert not is_made_again()
    monkeypatch.setattr(memo, "rules_digest", lambda _: "of edited rules")
    assert is_made_again()


FIT = ".ratings-bradley_terry.json"


def fitted(folder: Path) -> list[tuple[str, float]]:
    """Return the strength of each bot; the fit is stored, or is read from its file."""
    with contextlib.closing(Results.open(folder)) as results:
        return [(rating.bot, rating.strength.value) for rating in results.ratings.ratings]


def stored_ratings(folder: Path) -> object:
    """Return the ratings in the file of the fit; beside them it says when they were made."""
    _, value = json.loads((folder / FIT).read_text().split("\n")[0])
    return value["ratings"]


def swap_names(folder: Path) -> None:
    """Have the better bot's strength be that of the other one."""
    text = (folder / FIT).read_text()
    swapped = text.replace('"ann"', '"?"').replace('"bob"', '"ann"').replace('"?"', '"bob"')
    (folder / FIT).write_text(swapped)


def take_from_other(folder: Path) -> None:
    """Take a memo of this user from another file; its text has the key of this one."""
    key, value = json.loads((folder / FIT).read_text().split("\n")[0])
    swapped = json.loads(json.dumps(value).replace("ann", "?").replace("bob", "ann"))
    other = folder / ".other.json"
    memo.store(other, key, swapped, TypeAdapter(object))
    other.rename(folder / FIT)


@pytest.mark.parametrize(
    "change",
    [
        swap_names,
        take_from_other,
        lambda folder: (folder / FIT).write_text((folder / FIT).read_text().split("\n")[0]),
        lambda folder: (folder / FIT).write_text(""),
    ],
    ids=["edited", "of another file", "without a seal", "empty"],
)
def test_a_stored_fit_that_somebody_changed_is_computed_again(
    change: Callable[[Path], object], folder: Path
):
    strengths = fitted(folder)
    stored_fit = (folder / FIT).read_bytes()
    before = stored_ratings(folder)
    change(folder)
    assert (folder / FIT).read_bytes() != stored_fit
    assert fitted(folder) == strengths
    assert stored_ratings(folder) == before


def test_a_stored_fit_is_computed_again_by_another_arena_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    strengths = fitted(folder)
    with monkeypatch.context() as patch:
        patch.setattr(Results, "fit", None)
        assert fitted(folder) == strengths
    before = (folder / FIT).read_bytes()
    monkeypatch.setattr(memo, "code_digest", lambda _: "of another arena")
    assert fitted(folder) == strengths
    assert (folder / FIT).read_bytes() != before


@pytest.fixture
def secrets_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder for the state of a user who has none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    seals._secret.cache_clear()
    yield tmp_path / "state" / "arena"
    seals._secret.cache_clear()


def test_a_seal_stays_the_same_while_its_secret_is_there(secrets_in: Path):
    first = seals.seal("report", b"text")
    assert stat.S_IMODE((secrets_in / "secret").stat().st_mode) == 0o600
    seals._secret.cache_clear()
    assert seals.seal("report", b"text") == first
    assert len({first, seals.seal("tables", b"text"), seals.seal("report", b"other")}) == 3
    (secrets_in / "secret").unlink()
    seals._secret.cache_clear()
    assert seals.seal("report", b"text") != first


def test_a_secret_that_cannot_be_kept_serves_one_process(
    secrets_in: Path, monkeypatch: pytest.MonkeyPatch
):
    secrets_in.mkdir(parents=True)
    (secrets_in / "secret").write_bytes(b"short")
    first = seals.seal("report", b"text")
    assert seals.seal("report", b"text") == first
    seals._secret.cache_clear()
    assert seals.seal("report", b"text") != first
