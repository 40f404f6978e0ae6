"""A warning about files that everybody may write, and that say what runs."""

import shlex
import stat
from collections.abc import Iterable
from pathlib import Path

from arena.cli import output, paths
from arena.results import folders
from arena.values import Board


def warn(boards: Iterable[Board], file: Path = Path(folders.TOURNAMENT_FILE)) -> None:
    """Warn about each file that decides which programs run as our user, and that all may write.

    These are the file of the event, if there is one, and the rules of the boards. A user who may
    write to the folder of a file can exchange the file, unless the folder is sticky, as /tmp is.
    The command goes on: on some file systems, such as those of Windows in WSL, every file looks
    like that. A group may write, because the organisers of a course share their folder.
    """
    files = {Path(board.rules) for board in boards}
    if file.exists():
        files.add(file)
    folders_of_files = {path.parent for path in files}
    for path in sorted(files | folders_of_files):
        mode = path.stat().st_mode
        is_sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
        if mode & stat.S_IWOTH and not is_sticky:
            name = paths.displayed(path)
            output.notice(
                f"warning: {name}: everybody on this machine may write into it, and so run "
                f"programs as you: `chmod o-w {shlex.quote(name)}`"
            )
