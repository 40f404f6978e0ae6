"""The same tables on every CPU: OpenBLAS has code of its own for each, and the last digits of its results differ."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import stored

from arena.results.leaderboard import Results, write_csv

KERNELS = {
    "": "",  # the one that OpenBLAS chooses for this CPU
    "Prescott": "sse3",
    "Haswell": "avx2",
    "Zen": "avx2",
    "SkylakeX": "avx512f",
}
"""Kernels of OpenBLAS, each with the CPU flag without which it would be an illegal instruction."""
WRITE = """
import sys
from pathlib import Path
from arena.results.leaderboard import Results, write_csv
for folder in map(Path, sys.argv[1:]):
    for rating in ("bradley_terry", "elo", "points"):
        (folder / rating).mkdir()
        write_csv(Results.open(folder, rating=rating), folder / rating)
"""


def kernels() -> list[str]:
    """Return the kernels that this machine can run."""
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        flags = []
    names = {"sse3": "pni"}  # as Linux calls it
    return [kernel for kernel, flag in KERNELS.items() if not flag or names.get(flag, flag) in flags]


def events(folder: Path) -> list[Path]:
    """An event of bots that are alike, whose differences are noise alone, and one of unlike bots."""
    alike = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=3)
    even = [stored.played(match, explorer=60, mummy=40, turns=match.repeat) for match in stored.plan(alike)]
    names = [f"bot{number}" for number in range(7)]
    unlike = stored.event(*names, repeats=2)
    return [
        stored.store(folder / "alike", alike, even),
        stored.store(folder / "unlike", unlike, (stored.likely(match, names) for match in stored.plan(unlike))),
    ]


def test_the_tables_are_the_same_bytes_with_every_kernel_of_the_linear_algebra_library(tmp_path):
    events(tmp_path / "first")
    running = {}
    for kernel in kernels():
        copy = Path(shutil.copytree(tmp_path / "first", tmp_path / f"by {kernel}"))
        environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        environment |= {"OPENBLAS_CORETYPE": kernel} if kernel else {}
        command = [sys.executable, "-c", WRITE, *map(str, sorted(copy.iterdir()))]
        running[copy] = subprocess.Popen(command, env=environment)
    assert [process.wait() for process in running.values()] == [0] * len(running)
    tables = [{path.relative_to(copy): path.read_bytes() for path in sorted(copy.rglob("*.csv"))} for copy in running]
    assert len(tables[0]) == 2 * 3 * 7
    for table in tables[1:]:
        assert [str(path) for path in table if table[path] != tables[0][path]] == []
    if len(tables) < 2:
        pytest.skip("this machine has one kernel only")


def test_no_table_has_a_negative_zero(tmp_path):
    (alike, _) = events(tmp_path)
    for rating in ("bradley_terry", "elo", "points"):
        (alike / rating).mkdir()
        write_csv(Results.open(alike, rating=rating), alike / rating)
    cells = {
        cell for path in alike.rglob("*.csv") for line in path.read_text().splitlines() for cell in line.split(",")
    }
    assert "0.0000" in cells
    assert not [cell for cell in cells if cell.startswith("-") and not cell.strip("-0.")]
