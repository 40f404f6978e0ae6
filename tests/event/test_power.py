"""A power cut loses nothing that was told as stored."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import whole_files
from tests.support import workspaces
from tests.support.cup import environment, stored
from tests.support.power import Disk, disk_in
from tests.support.sprint import FIRST, LAST


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with disk_in(tmp_path) as made:
        yield made


def test_every_match_that_was_told_as_finished_is_there_after_a_power_cut(disk: Disk):
    folder = workspaces.make(disk.path / "ws", {"first": FIRST, "last": LAST}, repeats=6)
    os.sync()
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "--no-charts", "--workers", "1"],
        cwd=folder,
        env=environment(TMPDIR="/tmp"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    cuts: list[tuple[int, Path]] = []
    assert run.stderr is not None
    for line in run.stderr:
        if (said := re.match(r"(\d+) of 12 matches", line)) and len(cuts) < 3:
            run.send_signal(signal.SIGSTOP)
            cuts.append((int(said[1]), disk.cut()))
            run.send_signal(signal.SIGCONT)
    assert run.wait(60) == 0

    assert len(cuts) == 3
    kept = [stored(after / "ws") for _, after in cuts]
    assert all(count >= told for (told, _), count in zip(cuts, kept, strict=True)), (cuts, kept)
    for _, after in cuts:
        with contextlib.closing(sqlite3.connect(after / "ws/results/cup/event.sqlite")) as store:
            assert store.execute("pragma integrity_check").fetchone() == ("ok",)
        for copy in (after / "ws/results/cup/bots").glob("*/*"):
            assert copy.read_bytes() in {path.read_bytes() for path in (folder / "bots").iterdir()}


def test_files_and_folders_are_there_as_soon_as_they_have_their_name(disk: Disk):
    whole_files.write(disk.path / "table.csv", b"old")
    making = whole_files.make_folder(disk.path / "bots" / ".making")
    (making / "deep").mkdir()
    (making / "deep" / "bot.py").write_text("bot")

    whole_files.write(disk.path / "table.csv", b"new")
    whole_files.publish(making, disk.path / "bots" / "0123")
    after = disk.cut()

    assert (after / "table.csv").read_bytes() == b"new"
    assert [path.name for path in (after / "bots").iterdir()] == ["0123"]
    assert (after / "bots/0123/deep/bot.py").read_text() == "bot"
