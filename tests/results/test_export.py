"""`arena export`: the tables have every match, seat and turn of the records, in both formats, for
every reader.
"""

import asyncio
import contextlib
import json
import re
import shutil
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.results import export
from arena.results.archive import Archive
from arena.values import Ending
from tests.support import cup, stored, workspaces
from tests.support.events import run
from tests.support.sprint import FIRST, LAST
from tests.support.tutorial import commands

PAGES = Path(__file__).parents[2] / "docs"
PAGE = (PAGES / "export.md").read_text("utf-8")
READERS = dict(re.findall(r"```python\n# (\w+)\n(.*?)```", PAGE, re.DOTALL))
DRAWN = '{"walls": "é"}'
HOSTILE = "=1+1 \x1b[31m \ud800 é \n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results of matches with faults, strikes, remarks, and a plan that leaves one of them out."""
    event = stored.event("ann", "bob", repeats=2)
    records = []
    for number, match in enumerate(stored.plan(event)):
        record = stored.played(
            match, turns=3 + number, **({"explorer": Ending.TIMEOUT} if number == 4 else {})
        )
        if number == 3:
            drawn = replace(record.match, sampled=DRAWN)
            record = replace(record, match=drawn, machine=HOSTILE, scale=1.5)
        if number == 5:
            strike = {
                "by": "strike",
                "rejected_text": HOSTILE,
                "refused": Ending.GARBLED,
                "remarks": (HOSTILE, "b"),
            }
            record = replace(record, turns=(record.turns[0]._replace(**strike), *record.turns[1:]))
        records.append(record)
    folder = stored.store(tmp_path_factory.mktemp("export") / "cup", event, records)
    with Archive.open(folder, writing=True) as archive:
        stored.begin(archive, event, [record.match.id for record in records[1:]])
    return folder


@pytest.fixture(scope="module", params=export.FORMATS)
def exported(request, folder, tmp_path_factory):
    """The folder of tables in each format, of all versions."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    target = tmp_path_factory.mktemp(request.param)
    with Archive.open(folder) as archive:
        written = export.write(archive, target, request.param, all_versions=True)
    tables = (
        ["tables.sqlite"]
        if request.param == "sqlite"
        else [f"{name}.{request.param}" for name in export.TABLES]
    )
    assert [path.name for path in written.files] == [*tables, "export.json"]
    assert {path.name for path in target.iterdir()} == {*tables, "export.json"}
    return target


@pytest.fixture(scope="module")
def both(folder, tmp_path_factory):
    """A workspace whose event cup was exported in both formats."""
    pytest.importorskip("pyarrow")
    workspace = tmp_path_factory.mktemp("both")
    with Archive.open(folder) as archive:
        for form in export.FORMATS:
            export.write(archive, workspace / "results/cup/export", form)
    return workspace


def rows(target, table):
    if (target / f"{table}.jsonl").exists():
        return [
            json.loads(line)
            for line in (target / f"{table}.jsonl").read_text("utf-8").split("\n")[:-1]
        ]
    return (
        database_rows(target, table)
        if (target / "tables.sqlite").exists()
        else parquet_rows(target, table)
    )


def database_rows(target, table):
    with contextlib.closing(sqlite3.connect(target / "tables.sqlite")) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute(f"select * from {table} order by rowid")]
    for row in found:
        row |= {name: bool(row[name]) for name in ("counts", "killed") if name in row}
        row |= {"remarks": json.loads(row["remarks"])} if "remarks" in row else {}
    return found


def parquet_rows(target, table):
    from pyarrow import parquet

    found = parquet.read_table(target / f"{table}.parquet").to_pylist()
    for row in found:
        if "started" in row:
            row["started"] = row["started"].isoformat()
    return found


def test_every_match_seat_and_turn_of_the_records_is_a_row(folder, exported):
    with Archive.open(folder) as archive:
        records = [
            record
            for record, _ in archive.records_numbered(archive.of_all_versions().numbers_in_order())
        ]
        counting = archive.planned_ids()
    matches, seats, turns = (rows(exported, table) for table in export.TABLES)
    assert [(row["match"], row["counts"]) for row in matches] == [
        (record.match.id, record.match.id in counting) for record in records
    ]
    assert len(counting) == len(records) - 1
    assert [(row["machine"], row["scale"], row["sampled"]) for row in matches] == [
        (HOSTILE.replace("\ud800", "\\ud800"), 1.5, DRAWN) if number == 3 else ("", 1.0, None)
        for number in range(len(records))
    ]
    assert [(row["match"], row["role"], row["bot"], row["score"]) for row in seats] == [
        (record.match.id, seat.role, seat.bot, record.verdict.scores[seat.role])
        for record in records
        for seat in record.seats
    ]
    assert [
        (row["match"], row["turn"], row["role"], row["move"], row["wall"], row["cpu"])
        for row in turns
    ] == [
        (record.match.id, turn.number, turn.role, turn.move, turn.wall, turn.cpu)
        for record in records
        for turn in record.turns
    ]
    (fault,) = [row for row in seats if row["ending"]]
    assert (fault["ending"], fault["words"], fault["fault_turn"]) == ("timeout", "nothing came", 1)
    (strike,) = [row for row in turns if row["rejected"]]
    assert (strike["rejected"], strike["refused"]) == (
        HOSTILE.replace("\ud800", "\\ud800"),
        "garbled",
    )
    assert strike["remarks"] == [HOSTILE.replace("\ud800", "\\ud800"), "b"]
    manifest = json.loads((exported / "export.json").read_text())
    assert (manifest["schema"], manifest["event"]) == (2, "cup")
    assert manifest["rows"] == {"matches": len(matches), "seats": len(seats), "turns": len(turns)}


def test_all_formats_say_the_same(both):
    target = both / "results/cup/export"
    for table in export.TABLES:
        assert rows(target, table) == parquet_rows(target, table) == database_rows(target, table)
    assert all(row["counts"] for row in rows(target, "matches"))


def test_every_row_has_the_columns_of_the_schema_in_their_order(exported):
    for table, columns in export.TABLES.items():
        assert {tuple(row) for row in rows(exported, table)} == {
            tuple(column.name for column in columns)
        }
        for column in columns:
            empty = [row for row in rows(exported, table) if row[column.name] is None]
            assert not empty or column.kind.endswith("?")


def test_a_parquet_file_names_the_version_of_its_schema(both):
    from pyarrow import parquet

    for table in export.TABLES:
        metadata = parquet.read_schema(both / f"results/cup/export/{table}.parquet").metadata
        assert (metadata[b"botarena.schema"], metadata[b"botarena.table"]) == (b"2", table.encode())


@pytest.mark.parametrize("reader", READERS)
def test_the_three_lines_of_the_page_read_the_tables(reader, both, monkeypatch):
    module = {"json": "pandas"}.get(reader, reader)
    pytest.importorskip(
        module,
        reason=f"{module} is not installed; it is no part of the development extra, for its size",
    )
    monkeypatch.chdir(both)
    assert len([line for line in READERS[reader].split("\n") if line.strip()]) == 3
    names: dict[str, object] = {}
    exec(compile(READERS[reader], "page", "exec"), names)
    best = names["best"]
    values = {"polars": lambda: best.rows(), "duckdb": lambda: best.fetchall()}.get(
        reader, lambda: best.to_numpy().tolist()
    )()
    scores: dict[str, list[int]] = {}
    for row in rows(both / "results/cup/export", "seats"):
        scores.setdefault(row["bot"], []).append(row["score"])
    expected = sorted(
        ((bot, sum(all_) / len(all_)) for bot, all_ in scores.items()), key=lambda pair: -pair[1]
    )
    assert [row[0] for row in values] == [bot for bot, _ in expected]
    assert [row[1] for row in values] == pytest.approx([mean for _, mean in expected])


def test_the_command_writes_the_tables_beside_the_results_and_names_mistakes(
    folder, tmp_path, monkeypatch
):
    done = cup.arena(tmp_path, "export", str(folder), "--to", "out", "--json")
    assert done.returncode == 0
    assert [row["rows"] for row in json.loads(done.stdout)][:2] == [11, 23]
    wrong = cup.arena(tmp_path, "export", str(folder), "--format", "csv")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "--format csv: expected jsonl or parquet or sqlite\n",
    )
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    missing = cup.arena(tmp_path, "export", str(folder), "--format", "parquet", "--to", "none")
    assert missing.returncode == 2
    assert "pip install 'botarena[parquet]'" in missing.stderr
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").touch()
    blocked = cup.arena(tmp_path, "export", str(folder), "--to", "file")
    assert (blocked.returncode, blocked.stderr) == (2, "file: cannot be written: File exists\n")


def test_a_record_that_is_lost_is_named_and_leaves_no_tables(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "cup"))
    with contextlib.closing(sqlite3.connect(copy / "event.sqlite")) as connection:
        connection.execute("delete from records where match = 3")
        connection.commit()
    done = cup.arena(tmp_path, "export", "cup", "--to", "out")
    assert done.returncode == 2
    assert (
        "cup/event.sqlite: 1 of 11 records are missing: the file is damaged"
        in done.stderr.splitlines()[-1]
    )
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.soak
def test_the_queries_of_the_page_run_in_datasette(both):
    datasette = pytest.importorskip(
        "datasette.app", reason="needs the package datasette, of the extra dev"
    )
    yaml = pytest.importorskip("yaml", reason="comes with datasette")
    metadata = yaml.safe_load((PAGES / "datasette.yaml").read_text())
    served = datasette.Datasette(
        [str(both / "results/cup/export/tables.sqlite")], metadata=metadata
    )

    async def answers() -> dict[str, list[dict[str, object]]]:
        paths = {
            name: f"/tables/{name}.json?_shape=array"
            for name in metadata["databases"]["tables"]["queries"]
        }
        return {name: (await served.client.get(path)).json() for name, path in paths.items()}

    answered = asyncio.run(answers())
    assert set(answered) >= {
        "faults",
        "slowest_moves",
        "points_by_role",
        "head_to_head",
        "openings",
    }
    assert all(isinstance(rows, list) and rows for rows in answered.values())
    (fault,) = answered["faults"]
    assert (fault["ending"], fault["words"], fault["times"]) == ("timeout", "nothing came", 1)


@pytest.mark.soak
def test_every_command_of_the_page_runs_in_its_order(tmp_path):
    pytest.importorskip("pyarrow")
    folder = workspaces.make(tmp_path / "ws", {"a": FIRST, "b": LAST})
    for name in ("one", "two"):
        run(folder, f"results/{name}", 1)
    shown = [
        words for words in dict.fromkeys(map(tuple, commands(PAGE))) if words[1:] != ("merge",)
    ]
    order = ["export", "replay", "rerun", "merge"]
    for words in sorted(
        shown, key=lambda words: order.index(words[1]) if words[1] in order else -1
    ):
        with Archive.open(folder / "results/one") as archive:
            match = next(archive.records()).match.id
        given = [{"ID": match}.get(word, word) for word in words[1:]]
        given += {"run": ["--help"], "verify": ["one"]}.get(given[0], [])
        given = [given[0], "match.txt"] if given[0] in {"replay", "rerun"} else given
        given = ["merge", "one", "match.txt"] if given == ["merge", "match.txt"] else given
        given += ["one"] if given[0] == "export" else []
        done = cup.arena(folder, *given)
        assert done.returncode == 0, (words, done.stderr)
    assert {words[1] for words in shown} >= {"export", "replay", "merge"}
    assert (folder / "tables/turns.parquet").is_file()
