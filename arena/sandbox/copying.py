"""Copies of files from strangers: files, folders and links with their rights to read, write and run, and nothing else.

No set-uid bits, which would be arena's on the copy. No right to write but the owner's, which would
let another user of the machine change a bot that plays, and no right that the umask forbids. No
pipe or device, which could be read without end. No link is followed. Folders may be as deep as
paths may be. `shutil.copytree` promises none of this. While a copy is made, no process of the
stranger may live.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
"""The flags to open a file that must not be there yet."""
ELF = b"\x7fELF"
"""The first bytes of a program that a linker made."""


@dataclass(frozen=True, kw_only=True)
class Copier:
    """Copies files with these options."""

    leave_out: Collection[str] = ()
    """Names of files and folders that are not copied."""
    owner: int | None = None
    """The user that owns the copy; None = we."""
    everybody: bool = False
    """Whether everybody may read the copy, and run each file that somebody may run, whatever the
    umask."""
    programs: bool = False
    """Whether programs that a linker made become executable: a bot cannot change the modes of files
    itself."""

    def copy(self, source: str | Path, target: str | Path) -> None:
        """Copy a file, to a name that is free, or a folder, which may be there.

        Raise OSError for what cannot be copied.
        """
        if not os.path.isdir(source):
            self._copy_file(os.fspath(source), os.fspath(target))
            return
        # A list and no recursion, because folders may be deep.
        folders = [(os.fspath(source), os.fspath(target))]
        while folders:
            folder, copy = folders.pop()
            mode = self._mode(os.stat(folder).st_mode | 0o700)
            with contextlib.suppress(FileExistsError):
                os.mkdir(copy, mode)
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = os.path.join(copy, entry.name)
                    # A file `.git` of a worktree is a file.
                    if entry.name in self.leave_out and entry.is_dir():
                        continue
                    if entry.is_symlink():
                        os.symlink(os.readlink(entry.path), path)
                        self._set_owner(path)
                    elif entry.is_dir():
                        folders.append((entry.path, path))
                    else:
                        self._copy_file(entry.path, path)
            if self.everybody:
                os.chmod(copy, mode)
            self._set_owner(copy)

    def _copy_file(self, source: str, target: str) -> None:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, f"{os.path.basename(source)!r} is neither a file nor a folder")
            executable = 0o100 if self.programs and file.read(len(ELF)) == ELF else 0
            file.seek(0)
            mode = self._mode(status.st_mode | executable)
            with open(os.open(target, NEW, mode), "wb") as copy:
                shutil.copyfileobj(file, copy)
                if self.everybody:
                    os.fchmod(copy.fileno(), mode)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        self._set_owner(target)

    def _mode(self, mode: int) -> int:
        if mode & 0o111:
            # The digest of a bot says whether anybody may run a file, and no umask may change that.
            mode |= 0o100
        if self.everybody:
            mode |= 0o444 | (0o111 if stat.S_ISDIR(mode) or mode & 0o111 else 0)
        return mode & 0o755

    def _set_owner(self, path: str) -> None:
        if self.owner is not None:
            os.chown(path, self.owner, self.owner, follow_symlinks=False)
