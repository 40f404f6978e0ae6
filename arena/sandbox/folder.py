"""The private folder of a referee process, with the bots' files, scratch folders and the kit.

It lasts as long as its referee process. Run by root, its modes let the unprivileged users that bots
become reach their own part of it by a path that they know, and list no other part. Only these users
are in the group that may pass through it: an unguessable name would not do for the others, because
process lists show it, and the paths below it.

A killed process leaves its folder. So each folder is locked by its process (`flock`), and a new
process removes those folders of its user that nobody locks. A folder gets its final name only when
it is locked.

A bot that cannot write to its own files shares one copy of them with all its matches; any other
gets a copy each time. Each match has a new scratch folder for each of its bots, so no note survives
a match.
"""

import contextlib
import errno
import fcntl
import importlib.util
import os
import py_compile
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena import rulefile
from arena.errors import MachineError
from arena.sandbox import leftovers, spawner, users
from arena.sandbox.copying import Copier
from arena.sandbox.file_policy import KIT
from arena.values import Bot, Limits

ENVIRONMENTS = (".venv", "venv")
"""Folders with a virtual environment of Python: its links and paths work on the machine that made
it only."""
COMMANDS_OF_NPM = ".bin"
"""A folder in node_modules with links to commands for people; Node loads packages without it."""
LEFT_OUT = {"__pycache__", ".git", COMMANDS_OF_NPM}.union(ENVIRONMENTS)
"""Folders that tools leave beside a bot: no part of it."""

PRIVATE = "arena-run-"
"""The beginning of the name of every private folder."""

MAKING_S = 60.0
"""A folder without its final name that is older was left by a process that was killed before it had
locked it."""

REACHABLE = 0o711
"""The mode of a folder that others may pass through, and not list."""

UNTOUCHED_NS = 0
"""The time of change of a scratch folder that is new. The kernel changes it with the first file
that is made there."""

FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""The errors of a disk that takes no more."""

ADVICE = "bots get their scratch folders there: free some space, or set TMPDIR to another folder"


@dataclass(frozen=True)
class Room:
    """The files of one bot for one match.

    They lie beside each other in the private folder, since every folder that is removed costs: an
    ext4 mounted with `discard` and without a journal waits a millisecond for the disk each time.
    """

    scratch: Path
    """The bot's TMPDIR, empty at first."""
    home: Path
    """Its own files; it runs here."""
    own_copy: bool
    """Whether no other bot has these files."""

    @property
    def untouched(self) -> bool:
        """Return whether no file was ever made in the scratch folder.

        This holds for a bot that cannot set the times of files.
        """
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self.scratch, follow_symlinks=False).st_mtime_ns == UNTOUCHED_NS
        return False

    def empty(self) -> None:
        """Remove all that is in the scratch folder."""
        with os.scandir(self.scratch) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    discard(Path(entry.path))
                else:
                    # The bot's last call before it froze may have removed it.
                    Path(entry.path).unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove it, whatever a bot put there."""
        discard(self.scratch)
        if self.own_copy:
            discard(self.home)
        note = self.scratch.with_suffix(leftovers.NOTE)
        try:
            note.unlink(missing_ok=True)
        except OSError:  # a bot that is not confined can put a folder there
            discard(note)


class Folder:
    """A private folder with the bots of one referee process in it."""

    def __init__(self) -> None:
        sweep()
        self._lock: int | None
        self.path, self._lock = private()
        if os.getuid() == 0:
            # Root of a namespace may not have the group, nor bots become users.
            with contextlib.suppress(OSError):
                os.chown(self.path, -1, users.GROUP)
                self.path.chmod(0o710)
        self._kits: dict[str, Path] = {}
        """The kit for a rules file, and the one for all rules in a folder, by their paths."""
        self._bots: dict[str, Path] = {}

    def kit(self, rules: Path) -> Path:
        """Return a folder for PYTHONPATH, with the kit and rules.

        The rules are those beside this rules file, and those of arena where no file has their name.
        """
        # These paths are texts, because this is asked at every start.
        file = os.fspath(rules)
        folder = os.path.dirname(rules)
        if file in self._kits:
            return self._kits[file]
        with self.full_disk():
            kit = self._kits.get(folder) or self._new_kit(rules.parent)
            names = {source.name for source in rulefile.loaded_sources(rules)}
            names.add(rules.name)
            for name in names:  # to compile all games takes 12 ms
                _compile(kit / "rules" / name)
            if os.getuid() == 0:
                # The users that bots become must be able to read it, and only to read it.
                kit.chmod(0o755)
                for path in kit.rglob("*"):
                    mode = 0o644
                    if path.is_dir():
                        mode = 0o755
                    path.chmod(mode)
        self._kits[folder] = kit
        self._kits[file] = kit
        return kit

    def _new_kit(self, rules: Path) -> Path:
        kit = self.path / f"kit{len(self._kits)}"
        package = kit / "arena"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        for name in KIT:
            copy = _copy(Path(rulefile.__file__).parent / name, package)
            _compile(copy)
        (kit / "rules").mkdir()
        folders = [rulefile.shipped()]
        if rules != folders[0]:
            folders.append(rules)
        for folder in folders:
            for file in folder.iterdir():
                if file.suffix in {".py", ".toml"} and file.is_file():
                    _copy(file, kit / "rules")
        return kit

    def room(self, bot: Bot, *, own_copy: bool, user: int | None) -> Room:
        """Return a room for one bot in one match, which `user` may use.

        None = the user that we are.

        A bot that could write to its files gets a copy of its own.
        """
        with self.full_disk():
            # A number would tell the bot how many matches were played before, and so perhaps who
            # its opponent is.
            scratch = self.path / f"room{secrets.token_hex(8)}"
            home = self._originals(bot)
            if own_copy:
                originals = home
                home = scratch.with_suffix(".home")
                Copier(owner=user).copy(originals, home)
            scratch.mkdir(mode=0o700)
            if user is not None:
                os.chown(scratch, user, user)
            os.utime(scratch, ns=(UNTOUCHED_NS, UNTOUCHED_NS))
            return Room(scratch, home, own_copy)

    def _originals(self, bot: Bot) -> Path:
        """Return the bot's files as they were when this referee process first used them."""
        if bot.digest in self._bots:
            return self._bots[bot.digest]
        originals = self.path / "bots" / bot.digest
        if not originals.exists():
            making = Path(tempfile.mkdtemp(dir=self.path))
            copier = Copier(leave_out=LEFT_OUT, everybody=os.getuid() == 0)
            if bot.files is not None:
                source = Path(bot.files)
                target = making
                if not source.is_dir():
                    target = making / source.name
                copier.copy(source, target)
            making.chmod(0o755)
            originals.parent.mkdir(exist_ok=True)
            originals.parent.chmod(REACHABLE)
            making.rename(originals)
        self._bots[bot.digest] = originals
        return originals

    @contextlib.contextmanager
    def full_disk(self) -> Iterator[None]:
        """Raise MachineError for a disk that is full, which is neither a bot's fault nor a bug."""
        try:
            yield
        except OSError as error:
            if error.errno not in FULL_DISK:
                raise
            raise _unwritable(str(self.path.parent), error) from error

    def refuse_full(self, limits: Limits) -> None:
        """Raise MachineError where the disk has less than what a bot may use of it.

        A bot that fails there may have failed because of that, and its author has no part in it.
        """
        disk = os.statvfs(self.path)
        free_bytes = disk.f_bavail * disk.f_frsize
        free_files = disk.f_favail
        if not disk.f_files:  # a file system that does not count files reports 0 of them
            free_files = sys.maxsize
        lacks_bytes = free_bytes < (limits.scratch or 0)
        lacks_files = free_files < (limits.files or 0)
        if lacks_bytes or lacks_files:
            raise MachineError(
                f"{self.path.parent}: has less room than the limits scratch and files allow a bot; "
                f"{ADVICE}"
            )

    def remove(self) -> None:
        """Remove everything."""
        discard(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def private() -> tuple[Path, int]:
    """Make a folder in TMPDIR for this process; return it, and the descriptor that locks it."""
    try:
        making = Path(tempfile.mkdtemp(prefix=f".{PRIVATE}"))
        with contextlib.ExitStack() as unfinished:
            unfinished.callback(discard, making)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            lock = os.open(making, flags)
            unfinished.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            final_name = making.name.removeprefix(".")
            finished = making.rename(making.with_name(final_name))
            unfinished.pop_all()
    except OSError as error:
        temporary = os.environ.get("TMPDIR", "the folder for temporary files")
        raise _unwritable(temporary, error) from error
    return finished, lock


@contextlib.contextmanager
def temporary() -> Iterator[Path]:
    """Yield a folder that is removed at the end; after `kill -9` the next start removes it."""
    path, lock = private()
    try:
        yield path
    finally:
        discard(path)
        os.close(lock)


def sweep() -> None:
    """Remove what killed processes of this user have left: folders in TMPDIR, and bots in them."""
    with contextlib.suppress(OSError):
        temporary = Path(tempfile.gettempdir())
        for pattern in (f"{PRIVATE}*", f".{PRIVATE}*"):
            for path in temporary.glob(pattern):
                with contextlib.suppress(OSError):
                    _remove_if_left(path)


def _remove_if_left(path: Path) -> None:
    """Remove a private folder whose process was killed. Raise BlockingIOError if it lives."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        is_new = time.time() - status.st_mtime < MAKING_S
        is_being_made = path.name.startswith(".") and is_new
        if status.st_uid == os.getuid() and not is_being_made:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leftovers.end(os.fspath(path))
            discard(path)
    finally:
        os.close(descriptor)


def _unwritable(folder: str, error: OSError) -> MachineError:
    return MachineError(f"{folder}: cannot be written: {error.strerror}; {ADVICE}")


def _copy(file: Path, folder: Path) -> Path:
    """Copy a file's content alone; return the copy."""
    copy = folder / file.name
    # Its mode and access list are not copied: some attributes cannot be set, which would be an
    # error.
    shutil.copyfile(file, copy)
    return copy


def _compile(copy: Path) -> None:
    """Put the code of a Python file beside it: here once, not in every bot.

    The code that Python has stored for the original would not do: it names the workspace. A bot
    that imports a file that cannot be compiled gets the error.
    """
    # With PYTHONPYCACHEPREFIX, which no bot has, Python would use another folder.
    cache = Path(importlib.util.cache_from_source(copy))
    code = copy.parent / "__pycache__" / cache.name
    mode = py_compile.PycInvalidationMode.TIMESTAMP
    py_compile.compile(
        str(copy),
        str(code),
        invalidation_mode=mode,
        quiet=2,
    )


def discard(path: Path) -> None:
    """Remove a folder, whatever a bot put there.

    `shutil.rmtree` recurses and may give up. The programs of the system do not.
    """
    with contextlib.suppress(OSError):
        path.rmdir()  # most scratch folders are empty
        return
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        command = ["/bin/sh", "-c", spawner.REMOVE, "sh", os.fspath(path)]
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
