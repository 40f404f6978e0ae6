"""A disk whose power can be cut: a file system in a file, and copies of that file as they were at
some moment.

What a program wrote, and the kernel still keeps in memory, is not in a copy: as after a power cut.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

MEGABYTES = 48


class Disk:
    """A mounted ext4 file system; all of it is gone at the end of the test."""

    def __init__(self, folder: Path, leaving: contextlib.ExitStack) -> None:
        self._folder = folder
        self._leaving = leaving
        self._image = folder / "disk.img"
        with self._image.open("wb") as file:
            file.truncate(MEGABYTES * 1_000_000)
        _do("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", self._image)
        self.path = self._mounted(self._image, "disk")
        _do("sync", "-f", self.path)

    def cut(self) -> Path:
        """What a power cut at this moment would leave, as a folder to look into."""
        number = len(list(self._folder.glob("*.copy")))
        copy = self._folder / f"{number}.copy"
        _do("cp", "--sparse=always", self._image, copy)
        return self._mounted(copy, f"after{number}")

    def _mounted(self, image: Path, name: str) -> Path:
        point = self._folder / name
        point.mkdir()
        _do("mount", "-o", "loop", image, point)
        self._leaving.callback(subprocess.run, ["umount", "-l", point], check=False)
        return point


@contextlib.contextmanager
def disk_in(folder: Path) -> Iterator[Disk]:
    """A disk that is kept in a folder; where there are no root and no loop devices, the test is
    skipped.
    """
    for program in ("mkfs.ext4", "mount"):
        if shutil.which(program) is None:
            pytest.skip(f"no power can be cut here: there is no {program}")
    with contextlib.ExitStack() as leaving:
        try:
            made = Disk(folder, leaving)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no power can be cut here: {error.stderr.strip()}")
        yield made


def _do(*words: str | Path) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)
