"""Files of released versions of arena: this version reads them, confirms them, and makes the same
tables of them.

tests/keep.py made them, each by the code of its version. A newer file than this version knows is
refused in one line.
"""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena import file_formats, rulefile, workspace
from arena.cli import results as cli_results
from arena.event import config, result_files, schedules
from arena.event.plan import Plan
from arena.replay import notation
from arena.results import tables
from arena.results.archive import Archive
from arena.values import DISGUISED, Ending
from tests import keep
from tests.support import cup, extras

FILES = sorted(keep.KEPT.glob("*/*.tar.xz"))
EVENTS = [file for file in FILES if not file.name.startswith("site")]
"""Those with a model have a table that the extra `models` makes."""
OF_EVENTS = [
    pytest.param(file, marks=extras.needs("models")) if file.name.startswith("model") else file
    for file in EVENTS
]
SITES = [file for file in FILES if file.name.startswith("site")]


CHANGED = "what is stored means another thing than before: see docs/releasing.md, 'What is stored'"


def named(file: Path) -> str:
    return f"{file.parent.name} {file.name.partition('.')[0]}"


def unpacked(file: Path, folder: Path) -> Path:
    with tarfile.open(file) as archive:
        archive.extraction_filter = lambda member, _: (
            member
        )  # Python 3.11.2 has no argument `filter` yet
        archive.extractall(folder)
    return folder


def test_every_format_that_is_read_has_files_of_the_version_that_first_wrote_it():
    kinds = [
        value for value in vars(file_formats).values() if isinstance(value, file_formats.FileFormat)
    ]
    versions = {version for kind in kinds for version in kind.versions.values()}
    assert versions <= {file.parent.name for file in FILES}
    made = {make.__name__ for make in keep.WORKSPACES}
    for version in versions:
        assert {
            file.name.removesuffix(".tar.xz") for file in FILES if file.parent.name == version
        } == made


def test_the_files_have_each_schedule_and_whatever_an_event_may_have(tmp_path: Path):
    events, records = [], []
    for file in [file for file in EVENTS if file.parent.name == "0.2.0"]:
        with Archive.open(unpacked(file, tmp_path / file.name) / "results/cup") as archive:
            events.append(archive.event())
            records += archive.records()
    assert {event.schedule for event in events} >= {
        name for name in schedules.names() if schedules.is_shipped(name)
    }
    assert {fault.ending for record in records for fault in record.verdict.faults} == set(Ending)
    assert any(record.calls for record in records)
    assert any(record.match.board.endswith(DISGUISED) for record in records)
    assert any(record.match.opening for record in records)
    assert any(record.match.sampled for record in records)
    assert any(record.match.key for record in records)


@pytest.mark.parametrize("file", OF_EVENTS, ids=named)
def test_results_of_a_released_version_hold_and_give_the_same_tables(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = unpacked(file, tmp_path / "ws")
    results, text = folder / "results/cup", (folder / keep.TEXT).read_text()
    before = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    archive_before = (results / "event.sqlite").read_bytes()
    verified = cup.arena(folder, "verify")
    assert (verified.returncode, verified.stdout) == (
        0,
        f"{cup.stored(folder)} records: {cup.stored(folder)} confirmed\n",
    ), CHANGED
    for path in results.glob("*.csv"):
        path.unlink()
    result_files.write_tables(cli_results.read(results))
    made = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    assert {name: tables.narrowed(made[name], table) for name, table in before.items()} == before, (
        CHANGED
    )
    match = keep.first_match(folder)
    assert cup.arena(folder, "export", "--match", match).stdout == text
    assert cup.arena(folder, "replay", keep.TEXT).returncode == 0
    monkeypatch.chdir(folder)
    event, _ = workspace.event_of(
        config.load(folder / "tournament.toml"), folder / "tournament.toml"
    )
    with Archive.open(results) as archive:
        record = replace(archive.record(match), calls=())  # a text has no calls of a model
        assert notation.portable(record) == notation.read(folder / keep.TEXT)
        assert {
            each.match.id for each in Plan(event, archive).known()
        } == archive.ids()  # a run would play nothing
    assert (
        results / "event.sqlite"
    ).read_bytes() == archive_before  # who only reads changes no byte


def test_results_are_confirmed_by_their_own_rules_when_those_of_arena_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = unpacked(
        next(file for file in EVENTS if file.name.startswith("model")), tmp_path / "ws"
    )
    later = Path(shutil.copytree(rulefile.shipped(), tmp_path / "later/rules"))
    rules = later / "kuhn_poker.py"
    changed = rules.read_text().replace('f"chips {name}', 'f"stake {name}')
    assert changed != rules.read_text()
    rules.write_text(changed)
    monkeypatch.setattr(rulefile, "shipped", lambda: later)
    assert cup.arena(folder, "verify").returncode == 0
    shutil.rmtree(folder / "rules")
    done = cup.arena(folder, "verify")
    assert done.returncode == 1
    assert (
        "its rules or its board were edited since it was played; verify it in the workspace where"
        in done.stderr
    )


def test_a_table_of_an_older_arena_is_compared_by_the_columns_that_it_has():
    now = b'bot,new,score\n"a,b",1,2\nc,"x\ny",4\n'
    assert tables.narrowed(now, b'bot,score\n"a,b",9\n') == b'bot,score\n"a,b",2\nc,4\n'
    assert tables.narrowed(now, now) == now
    for other in (b"", b"\n", b"bot,strange\n", b"\xff\n", b'"' + b"x" * 200_000):
        assert tables.narrowed(now, other) == now


@extras.needs("serve")
@pytest.mark.parametrize("file", SITES, ids=named)
def test_submissions_and_accounts_of_a_released_version_are_read(file: Path, tmp_path: Path):
    folder = unpacked(file, tmp_path / "ws")
    known = json.loads((folder / keep.ACCOUNTS).read_text())
    assert keep.accounts_seen(folder) == known["seen"]
    accounts = keep.accounts_of(folder)
    for name, token in known["tokens"].items():
        session = accounts.sign_in(token)
        assert session is not None
        account = accounts.account_of(session)
        assert account is not None
        assert account.name == name
    bots = json.loads(cup.arena(folder, "bots", "--json").stdout)
    kept = json.loads((folder / keep.BOTS).read_text())
    assert [
        {key: bot[key] for key in before} for bot, before in zip(bots, kept, strict=True)
    ] == kept, CHANGED
    again = cup.arena(folder, "run", "--no-charts", "--bot", "ann,first")
    assert again.returncode == 0, again.stderr


NEWER = 99


def newer_table(path: Path) -> None:
    """Give a TOML file a newer format, with a key that this version does not know."""
    text = path.read_text()
    path.write_text(f"format = {NEWER}\nlater = 1\n{text}".replace("format = 1\n", ""))


def newer_json(path: Path) -> None:
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"format": NEWER, "edits": [{"later": 1}]})
    )


def newer_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma user_version = {NEWER}")
        connection.execute("create table later (column text)")


def newer_text(path: Path) -> None:
    path.write_text(path.read_text().replace("[Format 2]", f"[Format {NEWER}]\n[Later 1]"))


CASES: dict[str, tuple[str, str, Callable[[Path], None], tuple[str, ...]]] = {
    "archive": ("model", "results/cup/event.sqlite", newer_database, ("leaderboard",)),
    "text of a match": ("model", keep.TEXT, newer_text, ("replay", keep.TEXT)),
    "tournament.toml": ("model", "tournament.toml", newer_table, ("run",)),
    "tape": (
        "model",
        "results/cup/tape.sqlite",
        newer_database,
        ("run", "--repeats", "2", "--no-charts"),
    ),
    "submission": ("site", "bots/_versions/ann/2/.version.json", newer_json, ("bots",)),
    "accounts": ("site", ".serve/accounts.sqlite", newer_database, ("serve", "invite", "cyd")),
}


OF_EXTRAS = {"tape": "models", "accounts": "serve"}
"""The extras that alone read a file of a case."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=extras.needs(OF_EXTRAS[case])) if case in OF_EXTRAS else case
        for case in CASES
    ],
)
def test_a_file_of_a_newer_format_is_refused_in_one_line_that_says_to_upgrade(
    case: str, tmp_path: Path
):
    workspace_name, name, make_newer, words = CASES[case]
    folder = unpacked(
        next(file for file in FILES if file.name.startswith(workspace_name)), tmp_path / "ws"
    )
    make_newer(folder / name)
    done = cup.arena(folder, *words)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "upgrade arena" in line]
    assert done.returncode in {1, 2}
    assert len(lines) == 1
    assert Path(name).name in lines[0]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("found", [0, -1, 2, 99, "1", None, True, 1.0, [1]])
def test_a_number_that_is_no_format_of_a_file_is_refused(found: object):
    reason = file_formats.FileFormat({1: "0.2.0"}).refusal(found)
    assert reason is not None
    assert ("upgrade arena" in reason) == (found not in (0, -1) or found is None)


def test_a_format_from_before_the_first_release_is_read_by_no_release():
    kind = file_formats.FileFormat({8: "0.2.0", 9: "0.3.0"})
    assert [kind.refusal(number) for number in (8, 9)] == [None, None]
    assert kind.number == 9
    assert kind.refusal(7) == "is 7, from before arena 0.2.0: only the arena that wrote it reads it"
    assert kind.refusal(10) == "is 10, and this arena reads 8 to 9: upgrade arena"


def test_a_file_without_a_number_has_the_first_format(tmp_path: Path):
    folder = unpacked(SITES[0], tmp_path / "ws")
    shutil.copy(folder / "tournament.toml", tmp_path)
    assert "format" not in (folder / "tournament.toml").read_text()
    note = folder / "bots/_versions/ann/1/.version.json"
    content = json.loads(note.read_text())
    assert content.pop("format") == 1
    note.write_text(json.dumps(content))
    assert cup.arena(folder, "bots", "--json").stdout == (folder / keep.BOTS).read_text()
