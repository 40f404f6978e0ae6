"""The stands at which attacks are played: each level, by each kind of user, in a process that
judges from outside.

Stands are played a few at a time, each once, by whichever process of the tests comes first; the
others read what came of it. Such a process makes a copy of arena and of the attacks that everybody
may read, and gives each stand a folder of its own in it.
"""

import json
import os
import platform
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import outside
from table import AMOUNTS, ATTACKS, EXPECTED, LEFT, LEVELS, LOWEST, MEMORY, PROCESSES

import arena
from arena.sandbox.levels import CONFINING

ARENA = Path(arena.__file__).parent
ORDINARY = range(60578, 60706)
"""Users that nobody is: below those that bots become, unused in systemd's table of uid ranges."""
PATIENCE_S = 500.0
"""After this a stand that does not come counts as lost."""


@dataclass(frozen=True)
class Stand:
    """One level, played by one kind of user."""

    user: str
    """`user`, `root`, or `bare root`, whose interpreter no other user can read, so that bots stay
    root by name."""
    level: str
    warm: bool = False
    """All its bots are forked from the spawner."""
    apart: bool = False
    """Only those attacks are played that may fare otherwise here than at the stands that play all:
    `_is_apart`."""

    def __str__(self) -> str:
        return (
            f"{self.user.replace(' ', '-')}-{self.level}"
            + "-warm" * self.warm
            + "-apart" * self.apart
        )

    def expected(self) -> dict[str, str]:
        """Return the word for each attack."""
        if self.warm:
            words = {name: row.warm[self.user != "user"] for name, row in EXPECTED.items()}
        else:
            column = LEVELS.index(self.level)
            words = {
                name: (row.user if self.user == "user" else row.root)[column]
                for name, row in EXPECTED.items()
            }
        if os.getpriority(os.PRIO_PROCESS, 0) == LOWEST:
            words["slows_the_opponent"] = (
                "-"  # it has the lowest priority already, as all have here
            )
        return {
            name: word if not self.apart or self._is_apart(name) else "-"
            for name, word in words.items()
        }

    def _is_apart(self, name: str) -> bool:
        """Return whether an attack meets another guard here than at `landlock` and `bubblewrap` of
        an ordinary user.

        Those two stands play every attack. Here the filter, the rules and the watchdog are the same
        code, so that to play all again would try them again, and no other.
        """
        row = EXPECTED[name]
        # a fork: it has memory and descriptors of the spawner, and is measured from outside like
        # any bot
        if self.warm:
            return row.category != AMOUNTS or row.proof.peak == ("memory", MEMORY)
        if row.category == PROCESSES and self.user == "root" and self.level == "bubblewrap":
            return False  # it sees no other process there, whoever it is
        if (
            self.user == "root"
        ):  # another user: it is guarded by that, too; and the change clears its parent's signal
            return row.user != row.root or row.category == LEFT
        word = row.user[LEVELS.index(self.level)]
        landlock, _, rlimits, none = row.user
        # Less confined: the attack works, which shows that elsewhere something stopped it; or a
        # limit alone stops it.
        others = {landlock, none} if self.level == "rlimits" else {rlimits}
        return word != "kernel" and others != {word}

    def names(self, only: Collection[str] = ()) -> list[str]:
        """Return the attacks that are played here: `only` these, or all."""
        machine = ("", platform.machine())
        tried = [name for name, word in self.expected().items() if word != "-"]
        return [
            name
            for name in tried
            if name in (only or EXPECTED) and EXPECTED[name].architecture in machine
        ]

    def missing(self) -> str | None:
        """Return why it cannot be played here, as far as that is known before it is tried."""
        if self.user != "user" and os.getuid() != 0:
            return (
                "the tests run as an ordinary user: what root's bots may do is tested when root "
                "runs them"
            )
        if public_python() is None:
            return (
                f"user {ORDINARY[0]} can run neither {sys.executable} nor /usr/bin/python3 of "
                "3.11 or newer"
            )
        return None


WARM = Stand("bare root" if os.getuid() == 0 else "user", "landlock", warm=True)
"""Where root runs the tests, its warm bots, which are root by name as their referee is, stand for a
user's as well."""
STANDS = (
    *(Stand("user", level) for level in CONFINING),
    *(Stand("user", level, apart=True) for level in LEVELS if level not in CONFINING),
    *(Stand("root", level, apart=True) for level in CONFINING),
    replace(WARM, apart=True),
)
RARE = (
    *(Stand("user", level) for level in LEVELS if level not in CONFINING),
    *(Stand("root", level) for level in LEVELS),
    *(Stand(user, "landlock", warm=True) for user in ("user", "root", "bare root")),
    Stand("bare root", "landlock"),
)
"""Made of parts that the others have: played by `make soak`."""
ALL = (*STANDS, *RARE)


def become(user: int) -> dict[str, object]:
    return {"user": user, "group": user, "extra_groups": []}


def claim_user() -> tuple[int, socket.socket]:
    """Return an ordinary user that no other stand on this machine is, and the claim to it.

    The kernel counts waiting signals and processes by user, so that one stand's attack would be the
    other's limit.
    """
    for user in ORDINARY:
        if (claim := outside.claim(f"user-{user}")) is not None:
            return user, claim
    raise RuntimeError(f"all {len(ORDINARY)} users for attacks are taken")


@cache
def public_python() -> str | None:
    """Return an interpreter that the ordinary user can run; our own where we are one."""
    if os.getuid() != 0:
        return sys.executable
    new_enough = ["-I", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    for python in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError):
            if (
                subprocess.run(
                    [python, *new_enough], check=False, cwd="/", **become(ORDINARY[0])
                ).returncode
                == 0
            ):
                return python
    return None


def private_python(folder: Path) -> str:
    """Return an interpreter that nobody but us can read."""
    if public_python() != sys.executable:
        return sys.executable
    folder.mkdir(mode=0o700)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--copies", folder / "venv"], check=True
    )
    return str(folder / "venv/bin/python")


@contextmanager
def copied() -> Iterator[Path]:
    """Copy arena and the attacks to a folder that everybody may read; yield it.

    It is on a disk, as users' files are: a file system in memory may know no attributes and handles
    of files.
    """
    with tempfile.TemporaryDirectory(
        prefix="attacks-", dir="/var/tmp", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        folder.chmod(0o755)
        unused = shutil.ignore_patterns(
            "author", "charts", "cli", "pictures", "replay", "report", "serve"
        )
        shutil.copytree(
            ARENA, folder / "arena", ignore=unused
        )  # compiled as it is: each process would do so again
        shutil.copytree(ATTACKS / "harness", folder / "attacks/harness")
        for path in ATTACKS.glob("*.py"):
            (folder / "attacks" / path.name).write_text(
                (ATTACKS / "harness/attack.py").read_text() + path.read_text()
            )
        (folder / "rules").mkdir()
        yield folder


def play(stand: Stand, folder: Path, only: Collection[str] = ()) -> dict[str, object]:
    """Play the attacks (`only` these, or all) at a stand; return the batch's JSON, or `{"failed"}`
    with the reason.

    `folder` holds a copy of arena and of the attacks; the stand gets a folder of its own in it.
    """
    with ExitStack() as leaving:
        own = folder / str(stand)
        (own / "tmp").mkdir(parents=True)
        leaving.callback(shutil.rmtree, own, ignore_errors=True)
        user = None
        if stand.user == "user" and os.getuid() == 0:
            user, claim = claim_user()
            leaving.enter_context(claim)
            for path in (own, own / "tmp"):
                os.chown(path, user, user)
        python = private_python(own / "private") if stand.user == "bare root" else public_python()
        token = secrets.token_hex(12)
        order = {
            "level": stand.level,
            "warm": stand.warm,
            "names": stand.names(only),
            "python": python,
            "token": token,
        }
        done = subprocess.run(
            [
                python if stand.warm or user else sys.executable,
                "-s",
                "-B",
                folder / "attacks/harness/batch.py",
            ],
            input=json.dumps(order),
            env={
                "PYTHONPATH": str(folder),
                "PATH": os.environ["PATH"],
                "HOME": str(own),
                "TMPDIR": str(own / "tmp"),
                "SECRET": token,
            },
            cwd=own,
            text=True,
            capture_output=True,
            start_new_session=True,
            timeout=PATIENCE_S,
            check=False,
            **({} if user is None else become(user)),
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-2000:]}


class Findings:
    """The results of the stands, shared by the processes of one run of the tests through a
    folder.
    """

    def __init__(
        self, folder: Path, stands: list[Stand], only: Collection[str], at_once: int
    ) -> None:
        """Begin to play those that nobody has begun, a number at once; beside us, where no test
        sees what it opens.

        `only` these attacks are played; none = all.
        """
        self._folder = folder
        self._players = [
            subprocess.Popen(
                [sys.executable, __file__, folder, ",".join(only), *map(str, stands)],
                env=os.environ | {"PYTHONPATH": str(ARENA.parent)},
                stdin=subprocess.PIPE,  # it ends with us
            )
            for _ in range(at_once if stands else 0)
        ]

    @cache  # noqa: B019 (there is one object, which lives as long as the tests)
    def at(self, stand: Stand) -> dict[str, object]:
        """Wait for what came of a stand; return it."""
        path, until = self._folder / f"{stand}.json", time.monotonic() + PATIENCE_S
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return json.loads(path.read_text())

    def close(self) -> None:
        """Begin no more; wait for what was begun here."""
        for player in self._players:
            player.communicate()


def main() -> None:
    """Play the stands that are named and that nobody has begun, as long as somebody holds our input
    open.
    """
    folder, only = Path(sys.argv[1]), sys.argv[2].split(",") if sys.argv[2] else []
    with copied() as files:
        for stand in [stand for name in sys.argv[3:] for stand in ALL if str(stand) == name]:
            if select.select([sys.stdin], [], [], 0)[0]:
                return
            try:
                (folder / f"{stand}.begun").touch(exist_ok=False)
            except FileExistsError:
                continue
            try:
                findings = play(stand, files, only)
            # Whoever waits must hear of the error, whatever it is.
            except Exception as error:  # noqa: BLE001
                findings = {"failed": repr(error)}
            new = folder / f"{stand}.new"
            new.write_text(json.dumps(findings))
            new.rename(folder / f"{stand}.json")


if __name__ == "__main__":
    main()
