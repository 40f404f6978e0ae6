"""The same tables on every CPU: OpenBLAS has code of its own for each, and the last digits of its results differ."""

import os
import shutil
import subprocess
import sys
from inspect import getsource
from pathlib import Path

import pytest
import stored

KERNELS = {
    "Prescott": "sse3",
    "Haswell": "avx2",
    "SkylakeX": "avx512f",
}
"""Kernels of OpenBLAS, each with the CPU flag without which it would be an illegal instruction."""


def kernels() -> list[str]:
    """Return the kernels that this machine can run, but for the last, which OpenBLAS chooses here by itself."""
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        flags = []
    names = {"sse3": "pni"}  # as Linux calls it
    return [kernel for kernel, flag in KERNELS.items() if not flag or names.get(flag, flag) in flags][:-1]


def events(folder: Path) -> list[Path]:
    """An event of bots that are alike, whose differences are noise alone, and one of unlike bots."""
    alike = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=3)
    even = [stored.played(match, explorer=60, mummy=40, turns=match.repeat) for match in stored.plan(alike)]
    names = [f"bot{number}" for number in range(7)]
    unlike = stored.event(*names)
    return [
        stored.store(folder / "alike", alike, even),
        stored.store(folder / "unlike", unlike, (stored.likely(match, names) for match in stored.plan(unlike))),
    ]


def write(folder: Path) -> None:
    """Write the tables of the events in a folder by each rating."""
    from arena.results.leaderboard import Results, write_csv

    for event in sorted(folder.iterdir()):
        for rating in ("bradley_terry", "elo", "points"):
            (event / rating).mkdir()
            write_csv(Results.open(event, rating=rating), event / rating)


def tables(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.csv"))}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The events without tables, and their tables by the kernel that OpenBLAS chose for this CPU."""
    folder = tmp_path_factory.mktemp("kernels")
    events(folder / "events")
    write(Path(shutil.copytree(folder / "events", folder / "ours")))
    return folder / "events", tables(folder / "ours")


def test_the_tables_are_the_same_bytes_with_every_kernel_of_openblas(tmp_path, written):
    stored_events, ours = written
    assert len(ours) == 2 * 3 * 7
    # The end of an interpreter that has imported pandas takes as long as a table.
    program = f"import os, sys\nfrom pathlib import Path\n{getsource(write)}write(Path(sys.argv[1]))\nos._exit(0)"
    running = {}
    for kernel in kernels():
        copy = Path(shutil.copytree(stored_events, tmp_path / kernel))
        running[copy] = subprocess.Popen(
            [sys.executable, "-c", program, str(copy)], env=os.environ | {"OPENBLAS_CORETYPE": kernel}
        )
    assert [process.wait() for process in running.values()] == [0] * len(running)
    for copy in running:
        theirs = tables(copy)
        assert theirs.keys() == ours.keys()
        assert [path for path in ours if theirs[path] != ours[path]] == [], copy.name
    if not running:
        pytest.skip("this machine has one kernel only")


def test_no_table_has_a_negative_zero(written):
    _, ours = written
    cells = {cell for table in ours.values() for line in table.decode().splitlines() for cell in line.split(",")}
    assert "0.0000" in cells
    assert not [cell for cell in cells if cell.startswith("-") and not cell.strip("-0.")]
