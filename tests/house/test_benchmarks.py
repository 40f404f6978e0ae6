"""The benchmarks, which take minutes and are run by hand: what they import is there, and their pages
have no figure that no script makes.
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from tests import pages
from tests.support import extras

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import renew
import side_by_side
import tables

del sys.path[0]  # where `rules` is a file, and the rules of the games would no longer be found

FOLDER = Path(__file__).parents[2] / "benchmarks"
OF_EXTRAS = {"clusters": "cluster", "open_site": "serve", "regressions": "versions", "tune": "tune"}
"""The extra that a benchmark measures."""
BENCHMARKS = [
    pytest.param(path, marks=extras.needs(OF_EXTRAS[path.stem]), id=path.stem)
    if path.stem in OF_EXTRAS
    else pytest.param(path, id=path.stem)
    for path in sorted(FOLDER.glob("*.py"))
]


@pytest.mark.parametrize("path", BENCHMARKS)
def test_whatever_a_benchmark_takes_from_arena_and_its_tests_is_there(path):
    missing = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in {
            "arena",
            "tests",
        }:
            package = importlib.import_module(node.module)
            for name in [alias.name for alias in node.names if not hasattr(package, alias.name)]:
                try:
                    importlib.import_module(f"{node.module}.{name}")
                except ModuleNotFoundError:
                    missing.append(f"{node.module}.{name}")
    assert missing == []


PAGES = sorted({part.page for part in renew.PARTS.values()})
MADE = re.compile(r"<!-- (\w+) -->\n(.*?)\n<!-- end -->\n?", re.DOTALL)
FIGURE = re.compile(r"\b\d[\d.,]* ?(us|ms|s|seconds|kB|MB|GB|%|times)(?!\w)")
"""A figure that is measured."""


def hand_written(path):
    text = MADE.sub("", path.read_text("utf-8"))
    return re.sub(r"`[^`]*`", "", text).replace("95 %", "")  # as in `95 % interval`


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_scripts_make_each_table_and_no_sentence_has_a_measured_figure(path):
    text = hand_written(path)
    assert [line for line in text.splitlines() if line.startswith("|")] == []
    assert [figure[0] for figure in FIGURE.finditer(text)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_all_parts_that_scripts_write(path):
    text = path.read_text("utf-8")
    names = [name for name, part in renew.PARTS.items() if part.page == path]
    assert sorted(name for name, _ in MADE.findall(text)) == sorted(names)


def test_every_part_names_a_script_and_the_list_is_that_of_the_folder():
    for part in renew.PARTS.values():
        assert (FOLDER / part.command.partition(" ")[0]).is_file()
    assert pages.standing(renew.LIST, renew.SCRIPTS) == renew.scripts()


def test_a_part_is_written_with_its_conditions_and_what_its_script_prints(tmp_path, monkeypatch):
    written = tmp_path / "page.md"
    written.write_text("before\n<!-- lone -->\nold\n<!-- end -->\nafter\n")
    script = tmp_path / "lone.py"
    script.write_text("import sys\nprint(f'**{sys.argv[1]}**\\n\\n| a |\\n|---|')\n")
    monkeypatch.setitem(renew.PARTS, "lone", renew.Part(written, f"{script} 7", "0"))
    monkeypatch.setattr(renew, "LIST", written)  # whose list of scripts is left alone
    assert renew.main(["lone"]) == 0
    conditions = (
        r"2\d{3}-\d\d-\d\d, commit .*, \d+ cores, Linux .*, Python .*, load [\d.]+ at the start"
    )
    assert re.fullmatch(
        rf"before\n<!-- lone -->\n`{script} 7`, {conditions}\n\n"
        r"\*\*7\*\*\n\n\| a \|\n\|---\|\n<!-- end -->\nafter\n",
        written.read_text(),
    )


def test_a_part_whose_program_was_not_given_is_left_as_it_is(capfd):
    before = renew.PEERS.read_bytes()
    assert renew.main(["engines"]) == 1
    assert "left as it is: give --fastchess PATH" in capfd.readouterr().err
    assert renew.PEERS.read_bytes() == before


def test_a_table_has_the_ratio_of_medians_and_marks_a_missed_goal(capsys):
    found = {"loop": side_by_side.Rounds(), "ours": side_by_side.Rounds()}
    for name, values in (("loop", [10, 12, 11]), ("ours", [33, 30, 44])):
        found[name].extend(values)
        found[name].loads = [0.5] * 3
    side_by_side.show("A turn", "us", found, "loop", {"ours": tables.Goal(most=2.6)})
    assert capsys.readouterr().out == (
        '**A turn, beside "loop" (3 rounds, load 0.5 to 0.5)**\n'
        "\n|  | median, us | least to most | ratio |\n|---|---|---|---|\n"
        "| loop | 11.0 | 10.0 to 12.0 | 1.00 |\n"
        "| ours | 33.0 | 30.0 to 44.0 | **3.00** (at most 2.6) |\n\n"
    )


def test_a_first_cell_that_repeats_is_left_empty(capsys):
    tables.print_table("T", ["a", "b"], [["x", 1], ["x", 2], ["y", 3]])
    assert capsys.readouterr().out.splitlines()[4:] == ["| x | 1 |", "|  | 2 |", "| y | 3 |", ""]
