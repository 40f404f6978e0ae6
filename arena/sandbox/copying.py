"""Copies of what strangers made: files, folders and links with their rights to read, write and run, and nothing else.

No set-uid bits, which would be ours on the copy; no pipe or device, which would be read without end; no link is
followed; as deep as paths may be. `shutil.copytree` promises none of this. No process of the stranger's may live.
"""

import os
import shutil
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

ELF = b"\x7fELF"


@dataclass(frozen=True, kw_only=True)
class Copier:
    """How to copy."""

    leave_out: Collection[str] = ()
    """Names of files and folders."""
    owner: int | None = None
    """Whose the copy is; None = ours."""
    everybody: bool = False
    """Whether everybody may read it, and run what somebody may run."""
    programs: bool = False
    """Whether what a linker made may be run: it could not say so itself, as no bot may change the modes of files."""

    def copy(self, source: str | Path, target: str | Path) -> None:
        """A file, to a name that is free, or a folder, which may be there. OSError for what cannot be copied."""
        if os.path.isdir(source):
            self._folder(os.fspath(source), os.fspath(target))
        else:
            self._file(os.fspath(source), os.fspath(target))

    def _folder(self, source: str, target: str) -> None:
        more = [(source, target)]
        while more:
            source, target = more.pop()
            os.makedirs(target, exist_ok=True)
            with os.scandir(source) as entries:
                for entry in entries:
                    path = os.path.join(target, entry.name)
                    if entry.name in self.leave_out:
                        continue
                    if entry.is_symlink():
                        os.symlink(os.readlink(entry.path), path)
                        self._give(path)
                    elif entry.is_dir():
                        more.append((entry.path, path))
                    else:
                        self._file(entry.path, path)
            os.chmod(target, self._mode(os.stat(source).st_mode | 0o700))
            self._give(target)

    def _file(self, source: str, target: str) -> None:
        taken = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(taken, "rb") as file:
            told = os.fstat(taken)
            if not stat.S_ISREG(told.st_mode):
                raise OSError(0, f"{os.path.basename(source)!r} is neither a file nor a folder")
            with open(target, "xb") as copy:
                runs = 0o100 if self.programs and file.read(len(ELF)) == ELF else 0
                file.seek(0)
                shutil.copyfileobj(file, copy)
                os.fchmod(copy.fileno(), self._mode(told.st_mode | runs))
        os.utime(target, ns=(told.st_atime_ns, told.st_mtime_ns))
        self._give(target)

    def _mode(self, mode: int) -> int:
        """The rights of a copy."""
        if self.everybody:
            mode |= 0o444 | (0o111 if stat.S_ISDIR(mode) or mode & 0o111 else 0)
        return mode & 0o777

    def _give(self, path: str) -> None:
        if self.owner is not None:
            os.chown(path, self.owner, self.owner, follow_symlinks=False)
