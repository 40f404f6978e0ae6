"""The same tables on every CPU: OpenBLAS has code of its own for each, and the last digits of its
results differ.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from inspect import getsource
from pathlib import Path

import pytest

from tests.support import stored

KERNELS = {"Prescott": "pni", "Haswell": "avx2", "SkylakeX": "avx512f"}
"""Kernels of OpenBLAS, each with the CPU flag, as Linux calls it, without which it would be an
illegal instruction."""


def others() -> list[str]:
    """Return the kernels that this machine can run, but for the last, which OpenBLAS chooses here
    by itself.
    """
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        flags = []
    return [kernel for kernel, flag in KERNELS.items() if flag in flags][:-1]


def events(folder: Path) -> list[Path]:
    """An event of bots that are alike, whose differences are noise alone, and one of unlike bots,
    with a prior and without.
    """
    alike = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=3)
    even = [
        stored.played(match, explorer=60, mummy=40, turns=match.repeat)
        for match in stored.plan(alike)
    ]
    names = [f"bot{number}" for number in range(4)]
    unlike = stored.event(*names)
    return [
        stored.store(folder / "alike", alike, even),
        *(
            stored.store(
                folder / name, event, (stored.likely(match, names) for match in stored.plan(event))
            )
            for name, event in (("unlike", unlike), ("plain", replace(unlike, prior="none")))
        ),
    ]


def write(folder: Path) -> None:
    """Write the tables of the events in a folder by each rating."""
    from arena.results.leaderboard import Results, write_csv

    for event in sorted(folder.iterdir()):
        # Elo is the first in other units, and points have no prior.
        for rating in ("bradley_terry", "points")[: 1 if event.name == "plain" else 2]:
            (event / rating).mkdir()
            write_csv(Results.open(event, rating=rating), event / rating)


def tables(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.csv"))
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The events without tables, and their tables by the kernel that OpenBLAS chose for this
    CPU.
    """
    folder = tmp_path_factory.mktemp("kernels")
    events(folder / "events")
    write(Path(shutil.copytree(folder / "events", folder / "ours")))
    return folder / "events", tables(folder / "ours")


@pytest.mark.soak
@pytest.mark.parametrize("kernel", ["Prescott", "Haswell"])
def test_the_tables_are_the_same_bytes_with_another_kernel_of_openblas(tmp_path, written, kernel):
    if kernel not in others():
        pytest.skip("this machine cannot run it, or runs it by itself")
    stored_events, ours = written
    assert len(ours) == (2 + 2 + 1) * 7
    # The end of an interpreter that has imported pandas takes as long as a table.
    program = (
        "import os, sys\nfrom pathlib import Path\n"
        f"{getsource(write)}write(Path(sys.argv[1]))\nos._exit(0)"
    )
    copy = Path(shutil.copytree(stored_events, tmp_path / kernel))
    command = [sys.executable, "-c", program, str(copy)]
    subprocess.run(command, env=os.environ | {"OPENBLAS_CORETYPE": kernel}, check=True)
    theirs = tables(copy)
    assert theirs.keys() == ours.keys()
    assert [path for path in ours if theirs[path] != ours[path]] == []


def test_no_table_has_a_negative_zero(written):
    _, ours = written
    cells = {
        cell
        for table in ours.values()
        for line in table.decode().splitlines()
        for cell in line.split(",")
    }
    assert "0.0000" in cells
    assert not [cell for cell in cells if cell.startswith("-") and not cell.strip("-0.")]
