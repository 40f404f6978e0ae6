"""Copies of files from strangers: files, folders, links and their modes, and nothing else.

A copy has no set-uid bit, because that would be arena's. Only its owner may write to it: otherwise
another user of the machine could change a bot that plays. It has no right that the umask forbids.
A pipe or a device is not copied, because it could be read without end. No link is followed. Folders
may be as deep as paths may be. `shutil.copytree` promises none of this. While a copy is made, no
process of the stranger may live.
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
UNTRUSTED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""The flags to open a file of a stranger, which may be a link or a pipe."""
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
        """Copy a file, to a name that is free, or a folder, to one that may exist.

        Raise OSError for what cannot be copied.
        """
        source = os.fspath(source)
        target = os.fspath(target)
        if not os.path.isdir(source):
            self._copy_file(source, target)
            return
        # This is a list and no recursion, because folders may be deep.
        folders = [(source, target)]
        while folders:
            folder, copy = folders.pop()
            folders += self._copy_folder(folder, copy)

    def _copy_folder(self, folder: str, copy: str) -> list[tuple[str, str]]:
        """Copy a folder, without the folders in it; return these with their copies' names."""
        mode = os.stat(folder).st_mode | 0o700
        with contextlib.suppress(FileExistsError):
            os.mkdir(copy, self._mode(mode))
        inner_folders = []
        with os.scandir(folder) as entries:
            for entry in entries:
                path = os.path.join(copy, entry.name)
                # In a worktree, `.git` is a file.
                if entry.name in self.leave_out and entry.is_dir():
                    continue
                if entry.is_symlink():
                    link_target = os.readlink(entry.path)
                    os.symlink(link_target, path)
                    self._set_owner(path)
                elif entry.is_dir():
                    inner_folders.append((entry.path, path))
                else:
                    self._copy_file(entry.path, path)
        if self.everybody:
            os.chmod(copy, mode)
        self._set_owner(copy)
        return inner_folders

    def _copy_file(self, source: str, target: str) -> None:
        descriptor = os.open(source, UNTRUSTED)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, f"{os.path.basename(source)!r} is neither a file nor a folder")
            mode = status.st_mode
            if self.programs and file.read(len(ELF)) == ELF:
                mode |= 0o100
            file.seek(0)
            mode = self._mode(mode)
            copy_descriptor = os.open(target, NEW, mode)
            with open(copy_descriptor, "wb") as copy:
                shutil.copyfileobj(file, copy)
                if self.everybody:
                    os.fchmod(copy.fileno(), mode)
        times = (status.st_atime_ns, status.st_mtime_ns)
        os.utime(target, ns=times)
        self._set_owner(target)

    def _mode(self, mode: int) -> int:
        """Return the mode of a copy."""
        if mode & 0o111:
            # The digest of a bot has whether anybody may run a file, and no umask may change that.
            mode |= 0o100
        if self.everybody:
            mode |= 0o444
            if stat.S_ISDIR(mode) or mode & 0o111:
                mode |= 0o111
        return mode & 0o755

    def _set_owner(self, path: str) -> None:
        if self.owner is not None:
            os.chown(path, self.owner, self.owner, follow_symlinks=False)
