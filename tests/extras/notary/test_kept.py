"""Commitments of released versions of arena: this version confirms them, and refuses a newer one in
one line.
"""

from pathlib import Path

import pytest

from tests.results.test_kept import CHANGED, EVENTS, named, newer_json, unpacked
from tests.support import cup

TRIED = {"faults", "model", "swiss"}
"""The events whose commitments are not for the soak: they differ most in what is committed."""


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file, id=named(file), marks=[pytest.mark.soak] * (named(file).split()[-1] not in TRIED)
        )
        for file in EVENTS
    ],
)
def test_results_of_a_released_version_are_as_they_were_committed(file: Path, tmp_path: Path):
    folder = unpacked(file, tmp_path / "ws")
    verified = cup.arena(folder, "verify", "--public")
    count = cup.stored(folder)
    assert (verified.returncode, verified.stdout) == (0, f"{count} records: {count} confirmed\n"), (
        CHANGED
    )


def test_a_commitment_of_a_newer_format_is_refused_in_one_line_that_says_to_upgrade(tmp_path: Path):
    folder = unpacked(
        next(file for file in EVENTS if file.name.startswith("model")), tmp_path / "ws"
    )
    newer_json(folder / "results/cup/commitment.json")
    done = cup.arena(folder, "verify", "--public")
    lines = [line for line in done.stdout.splitlines() if "upgrade arena" in line]
    assert done.returncode == 1
    assert len(lines) == 1
    assert lines[0].startswith("commitment.json: ")
    assert "Traceback" not in done.stderr
