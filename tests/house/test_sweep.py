"""The notebook of a sweep, run cell by cell: a parameter, three seeds, a plot, and which value is
better.
"""

import json

import pytest

from tests import notebook

PATH = notebook.DOCS / "sweep.md"
QUICK = {"run": ["--repeats", "1", "--workers", "1"], "duel": ["--max-pairings", "1"]}


def test_the_notebook_has_the_text_of_its_page():
    written = json.loads(PATH.with_suffix(".ipynb").read_text("utf-8"))
    assert written == notebook.notebook(PATH.read_text("utf-8")), (
        "python tests/notebook.py writes it again"
    )


@pytest.mark.soak
def test_a_sweep_of_a_parameter_gives_a_plot_and_a_comparison(tmp_path, capsys):
    folder, names, printed = notebook.follow(PATH.with_suffix(".ipynb"), tmp_path, QUICK)
    assert {done.args[0]: done.stderr for done in printed if done.returncode not in {0, 3}} == {}
    assert [done.args[0] for done in printed] == ["init", "run", "run", "run", "duel"]
    table = names["table"]
    assert sorted(zip(table["seed"], table["margin"], strict=True)) == [
        (s, m) for s in (1, 2, 3) for m in range(4)
    ]
    assert table.groupby("margin")["points"].mean().idxmin() == 0  # every other value beats it
    assert not names["record"].verdict.faults
    assert (folder / "sweep.png").stat().st_size > 1000
    assert "Elo" in capsys.readouterr().out
