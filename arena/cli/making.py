"""The folder in which a command makes an archive, before the archive gets its name."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from arena import whole_files
from arena.errors import ArenaError


@contextmanager
def making_archive(target: Path, name: str) -> Iterator[Path]:
    """Yield an empty folder for the archive of `target`; it is removed if it is still there later.

    It lies in a folder of this name beside `target`, where one command at a time makes an archive.
    """
    parent = whole_files.make_folder(target.parent / name)
    with ExitStack() as stack:
        try:
            stack.enter_context(whole_files.locked(parent / ".lock", waits=False))
        except BlockingIOError as error:
            raise ArenaError(
                f"{parent}: another command makes an archive here; wait for it"
            ) from error
        for leftover in parent.iterdir():  # of a command that was killed
            if leftover.is_dir():
                shutil.rmtree(leftover)
        making = parent / target.name
        making.mkdir()
        stack.callback(shutil.rmtree, making, ignore_errors=True)
        yield making
