"""A contest that is a git repository.

It knows what a pull request may change, what a merge of it gives, and the archive.

The archive has a branch of its own. It calls git, and knows neither how a bot is checked nor how an
event is played.
"""

# Theory of operation
# -------------------
# The branch of the archive has one commit without a parent, so that the repository does not grow
# with each event: its tree is the file of the event, the history of the ranks, and the commit of
# the workspace that was played. It is pushed with `--force-with-lease`: git takes the push only if
# the branch still is what we have read. Of two runs that end at once one is refused; it reads the
# branch again, joins both archives, and pushes again, so that nothing is lost.
#
# A few bytes of a commit can be folders and files without number: the same tree again and again, or
# zeros that are packed. So git looks at a stranger's commits in a process with limits, which its
# children have, too.
#
# Whether a pull request is fit is a question about the workspace after the merge, not about the
# author's folder: that folder may be called like a bot of the organiser, or like one that was
# merged since. So git merges in a clone, and the result is read as `arena run` would read it.
#
# git runs no hook, and no program that a repository's configuration names for its own files is
# started before the author's folder alone is checked out, in a clone that has the plain
# configuration.

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from arena.author.submissions.copy_untrusted import (
    MOST_BYTES,
    MOST_ENTRIES,
    check_path,
    copy_submission,
    too_large,
    too_many,
)
from arena.errors import ArenaError
from arena.event.discovery import is_skipped, may_be_called, shown
from arena.limited import LimitedError, limited_value

Found = TypeVar("Found")

BOTS = "bots"
FILES = {
    "120000": "is a symbolic link: copy the file instead",
    "160000": "is another repository: copy its files",
}
"""Modes of git that no file of a bot may have, and why."""
CLONE = "clone"
"""The folder in which git merges."""
COMMIT = "commit"
"""The file of the archive's branch that names the commit of the workspace that was played."""
AUTHOR = {"GIT_AUTHOR_NAME": "arena", "GIT_AUTHOR_EMAIL": "arena@localhost"}
AUTHOR |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in AUTHOR.items()}
STALE = (
    b"stale info",
    b"cannot lock ref",
    b"failed to update ref",
    b"reference already exists",
    b"incorrect old value",
)
"""What git says of a push if the branch is not what we have read: it has no code for that. LC_ALL
keeps it English."""
MOST_MEMORY = 2_000_000_000
MOST_CPU_S = 20
MOST_S = 120
"""What git may use to look at a stranger's commits."""
TOO_MUCH = (
    "it has more files than git can list in reasonable time and memory: leave out what the bot "
    "does not need"
)


class GitError(ArenaError):
    """git has failed, in its words."""

    def __init__(self, command: str, stderr: bytes) -> None:
        text = stderr.decode("utf-8", "replace").strip()
        words = " ".join(text.splitlines()) or "no reason"
        super().__init__(f"git {command}: {shown(words)}")
        self.stderr = stderr


def git(
    *words: str,
    folder: Path = Path(),
    given: bytes = b"",
    fails: bool = False,
) -> bytes:
    """Run git in a folder and return what it printed.

    If git fails, return b"" with `fails`, otherwise raise GitError.
    """
    command = ["git", "-c", f"core.hooksPath={os.devnull}", *words]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=given,
            capture_output=True,
            check=False,
            env=os.environ | AUTHOR | {"LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise ArenaError(
            "a contest needs the program git, which is not on this machine; install it"
        ) from error
    if done.returncode < 0 or b"ut of memory" in done.stderr:
        raise ArenaError(TOO_MUCH)
    if done.returncode and not fails:
        raise GitError(words[0], done.stderr)
    if done.returncode:
        return b""
    return done.stdout


def git_text(*words: str, given: bytes = b"", fails: bool = False) -> str:
    """Run git here and return what it printed, as a text without blanks around it."""
    printed = git(*words, given=given, fails=fails)
    return printed.decode().strip()


def within_limits(work: Callable[[], Found]) -> Found:
    """Return what `work()` finds in a stranger's commits; ArenaError if it takes too much."""
    try:
        return limited_value(
            work,
            memory=MOST_MEMORY,
            cpu=MOST_CPU_S,
            wall=MOST_S,
        )
    except LimitedError as error:
        raise ArenaError(TOO_MUCH) from error


def commit_of(name: str) -> str:
    """Return the id of the commit that a branch, a tag or an id names.

    Raise ArenaError if there is none.
    """
    commit = ""
    if not name.startswith("-"):
        commit = git_text("rev-parse", "--verify", "-q", f"{name}^{{commit}}", fails=True)
    if not commit:
        raise ArenaError(f"{shown(name)}: is no commit of this repository; fetch it first")
    return commit


def mistakes(base: str, head: str, author: str) -> Iterator[str]:
    """Yield, in words, each change between two commits that this author may not make.

    The base is where they parted.
    """
    if not may_be_called(author):
        yield (
            f"{shown(author)} cannot be a bot's name, which an author's folder is: letters, "
            "digits and . _ - only"
        )
        return
    if is_skipped(author):
        yield (
            f"{shown(author)} cannot be a bot's name: `arena run` skips what is called so in "
            f"{BOTS}/"
        )
        return
    bases = git_text("merge-base", "--all", base, head, fails=True).split()
    # Of several, git diff takes one, and hides what differs from another; git merge would not.
    if len(bases) != 1:
        yield (
            "it has no commit in common with the base, or several that are the last: rebase it "
            "onto the base"
        )
        return
    # A plumbing command, which heeds no setting of how a person likes to see changes.
    changes = git(
        "diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none", bases[0], head
    ).split(b"\0")
    if len(changes) < 2:
        yield "it changes nothing"
    abouts = changes[::2]
    names = changes[1::2]
    for about, name in zip(abouts, names, strict=False):
        path = PurePosixPath(os.fsdecode(name))
        mode = about.decode().split()[1]
        is_inside = path.parts[:2] == (BOTS, author) and len(path.parts) > 2
        if not is_inside:
            yield (
                f"{shown(str(path))}: is not in {BOTS}/{author}/, and only what is there is yours "
                "to change"
            )
        elif any(part.lower().startswith(".git") for part in path.parts):
            yield f"{shown(str(path))}: is a file for git, and may change what others check out"
        elif mode in FILES:
            yield f"{shown(str(path))}: {FILES[mode]}"
        else:
            try:
                check_path(path)
            except ArenaError as error:
                yield str(error)


@dataclass(frozen=True)
class Merged:
    """What the merge of a pull request gives."""

    workspace: Path
    """All files of the contest, as they are after the merge."""
    bot: Path | None
    """A copy of the author's folder alone; None if it is gone."""


def check_out(
    head: str,
    author: str,
    folder: Path,
    base: str = "HEAD",
) -> Merged:
    """Merge a pull request onto the base, in an empty folder.

    Raise ArenaError if git cannot, or if it is too large.
    """
    listed = git("ls-tree", "-r", "-l", "-z", head, f"{BOTS}/{author}")
    files = listed.split(b"\0")[:-1]
    total = 0
    for row in files:
        about, _, _ = row.partition(b"\t")
        _, kind, _, size = about.split()
        if kind == b"blob":
            total += int(size)
    # Both limits are checked before git unpacks the files.
    if len(files) > MOST_ENTRIES:
        raise too_many()
    if total > MOST_BYTES:
        raise too_large()
    onto = newest(base)
    head = commit_of(head)

    clone = folder / CLONE
    here = Path().absolute()
    git("clone", "-q", "--shared", "--no-checkout", str(here), str(clone))
    git("checkout", "-q", "--detach", onto, folder=clone)
    try:
        git("merge", "-q", "--no-commit", "--no-ff", head, folder=clone)
    except ArenaError as error:
        raise ArenaError(
            f"it does not merge with the base as that is now; rebase it onto the base ({error})"
        ) from error
    if not os.path.lexists(clone / BOTS / author):
        return Merged(clone, None)
    copy_submission(clone / BOTS / author, folder / author)
    return Merged(clone, folder / author)


def newest(base: str) -> str:
    """Return the commit that is checked out here; the base if it does not go on from that."""
    onto = commit_of(base)
    here = commit_of("HEAD")
    merge_base = git_text("merge-base", onto, here, fails=True)
    if merge_base == onto:
        return here
    return onto


@dataclass(frozen=True)
class ArchiveBranch:
    """A branch of a remote repository that holds the files of an archive."""

    remote: str
    name: str

    def read(self) -> "Stored | None":
        """Fetch the branch, and the others, which show what was played.

        Return what the branch holds; None if there is none.
        """
        if not git("ls-remote", self.remote, f"refs/heads/{self.name}"):
            return None
        git("fetch", "-q", "--no-tags", "--prune", self.remote, "+refs/heads/*:refs/arena/*")
        return Stored(commit_of(f"refs/arena/{self.name}"))

    def push(self, files: Mapping[str, bytes], expected: "Stored | None") -> bool:
        """Push these files as the only commit.

        Return False, and push nothing, if the branch is not as `expected`.
        """
        rows = ""
        for name, content in files.items():
            blob = git_text("hash-object", "-w", "--stdin", given=content)
            rows += f"100644 blob {blob}\t{name}\n"
        tree = git_text("mktree", given=rows.encode())
        commit = git_text("commit-tree", tree, "-m", "archive: matches of the contest")
        ref = f"refs/heads/{self.name}"
        before = ""
        if expected:
            before = expected.commit
        lease = f"--force-with-lease={ref}:{before}"
        try:
            git("push", "-q", lease, self.remote, f"{commit}:{ref}")
        except GitError as error:
            if any(message in error.stderr for message in STALE):
                return False
            raise
        return True


@dataclass(frozen=True)
class Stored:
    """The files of an archive's branch as it was at one moment."""

    commit: str

    def file(self, name: str) -> bytes:
        """Return the content of a file, b"" if there is none."""
        return git("cat-file", "blob", f"{self.commit}:{name}", fails=True)

    @property
    def played(self) -> str:
        """Return the commit of the workspace that was played, "" if the file does not say it."""
        text = self.file(COMMIT).decode("utf-8", "replace").strip()
        if re.fullmatch("[0-9a-f]{40,64}", text) is None:
            return ""
        return text

    def is_newer_than(self, commit: str) -> bool:
        """Return whether it was played with a later state of the workspace than that of a commit.

        A commit that no branch has any more is no later one: somebody rewrote the history.
        """
        if self.played in {"", commit}:
            return False
        merge_base = git_text("merge-base", commit, self.played, fails=True)
        return merge_base == commit
