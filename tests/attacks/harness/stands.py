"""Where the attacks are played: each level, by each kind of user, in a process of its own that judges from outside.

A stand gets a copy of arena and of the attacks that everybody may read, and a folder of its own. Stands are played a
few at a time, each once, by whichever process of the tests comes first; the others read what it found.
"""

import json
import os
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from table import ATTACKS, EXPECTED, LEVELS

import arena
from arena.sandbox.plan import CONFINING

ARENA = Path(arena.__file__).parent
ORDINARY = 60700
"""A user that nobody is: the one below the users that bots become."""

PATIENCE = 500.0  # seconds until a stand that does not come counts as lost


@dataclass(frozen=True)
class Stand:
    """One level, played by one kind of user."""

    user: str
    """`user`, `root`, or `bare root`, whose interpreter no other user can read, so that bots stay root by name."""
    level: str
    warm: bool = False
    """Whether its bots are forked from the spawner, all of them."""

    def __str__(self) -> str:
        return f"{self.user.replace(' ', '-')}-{self.level}" + "-warm" * self.warm

    def expected(self) -> dict[str, str]:
        """The word for each attack."""
        if self.warm:
            return {name: row.warm[self.user != "user"] for name, row in EXPECTED.items()}
        place = LEVELS.index(self.level)
        return {name: (row.user if self.user == "user" else row.root)[place] for name, row in EXPECTED.items()}

    def missing(self) -> str | None:
        """Why it cannot be played here, as far as that is known before it is tried."""
        if self.user != "user" and os.getuid() != 0:
            return "the tests run as an ordinary user: what root's bots may do is tested when root runs them"
        if public_python() is None:
            return f"user {ORDINARY} can run neither {sys.executable} nor /usr/bin/python3 of 3.11 or newer"
        return None


STANDS = (
    *(Stand("user", level) for level in LEVELS),
    *(Stand("root", level) for level in CONFINING),
    *(Stand(user, "landlock", warm=True) for user in ("user", "bare root")),
)
RARE = (
    *(Stand("root", level) for level in LEVELS if level not in CONFINING),
    Stand("bare root", "landlock"),
    Stand("root", "landlock", warm=True),
)
"""Made of parts that the others have: played by `make soak`."""


@cache
def public_python() -> str | None:
    """An interpreter that the ordinary user can run; our own where we are one."""
    if os.getuid() != 0:
        return sys.executable
    for python in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError):
            asked = subprocess.run(
                [python, "-I", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"],
                **_become(ORDINARY),
                check=False,
                cwd="/",
            )
            if asked.returncode == 0:
                return python
    return None


def private_python(folder: Path) -> str:
    """An interpreter that nobody but us can read."""
    if public_python() != sys.executable:
        return sys.executable
    folder.mkdir(mode=0o700)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--copies", folder / "venv"], check=True)
    return str(folder / "venv/bin/python")


def play(stand: Stand) -> dict[str, object]:
    """What was found at this stand: the batch's JSON, or `{"failed"}` with what it complained of."""
    with tempfile.TemporaryDirectory(prefix="attacks-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(ARENA, folder / "arena")  # compiled as it is: to do so again takes half a second a process
        shutil.copytree(ATTACKS, folder / "attacks", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "rules").mkdir()
        own = folder / "stand"
        (own / "tmp").mkdir(parents=True)
        user = ORDINARY if stand.user == "user" and os.getuid() == 0 else None
        if user is not None:
            for place in (own, own / "tmp"):
                os.chown(place, user, user)
        python = private_python(folder / "private") if stand.user == "bare root" else public_python()
        token = secrets.token_hex(12)
        order = {
            "level": stand.level,
            "warm": stand.warm,
            "python": python,
            "folder": str(own),
            "token": token,
            "expected": stand.expected(),
        }
        done = subprocess.run(
            [
                python if stand.warm else sys.executable if user is None else public_python(),
                "-s",
                "-B",
                folder / "attacks/harness/batch.py",
            ],
            input=json.dumps(order),
            env={
                "PYTHONPATH": name,
                "PATH": os.environ["PATH"],
                "HOME": str(own),
                "TMPDIR": str(own / "tmp"),
                "SECRET": token,
            },
            cwd=own,
            text=True,
            capture_output=True,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
            **_become(user),
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-2000:]}


def _become(user: int | None) -> dict[str, object]:
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


class Findings:
    """What was found at the stands, shared by the processes of one run of the tests through a folder."""

    def __init__(self, folder: Path, stands: list[Stand], at_once: int) -> None:
        """Begin to play those that nobody has begun, so many at once; beside us, where no test sees what it opens."""
        self._folder = folder
        self._players = [
            subprocess.Popen(
                [sys.executable, __file__, folder, *map(str, stands)],
                env=os.environ | {"PYTHONPATH": str(ARENA.parent)},
                stdin=subprocess.PIPE,  # it ends with us
            )
            for _ in range(at_once if stands else 0)
        ]

    def at(self, stand: Stand) -> dict[str, object]:
        """Wait for what was found at a stand."""
        path, until = self._folder / f"{stand}.json", time.monotonic() + PATIENCE
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return json.loads(path.read_text())

    def close(self) -> None:
        """Begin no more; wait for what was begun here."""
        for player in self._players:
            player.communicate()


def keep(stand: Stand, folder: Path) -> None:
    """Play it, unless somebody has begun to, and leave in the folder what was found."""
    try:
        (folder / f"{stand}.begun").touch(exist_ok=False)
    except FileExistsError:
        return
    try:
        found = play(stand)
    except Exception as error:  # noqa: BLE001 (whoever waits must hear of it, whatever it is)
        found = {"failed": repr(error)}
    new = folder / f"{stand}.new"
    new.write_text(json.dumps(found))
    new.rename(folder / f"{stand}.json")


def main() -> None:
    """Play the stands that are named, one after the other, as long as somebody holds our input open."""
    for name in sys.argv[2:]:
        if select.select([sys.stdin], [], [], 0)[0]:
            return
        keep(next(stand for stand in (*STANDS, *RARE) if str(stand) == name), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
