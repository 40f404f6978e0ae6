"""One attack and all that it aims at: files, sockets, an opponent, an accomplice. It stages and records; it judges not.

A scene is played in steps, so that many can be played side by side: `prepare`, ask the bots of `cast`, `look` while
the attacker lives and is frozen, `end`, `clean`.
"""

import contextlib
import json
import os
import platform
import secrets
import shutil
import socket
import subprocess
import tty
from dataclasses import dataclass, replace
from pathlib import Path

import facts
import machine
import peeks
from table import Row

from arena.bot import LiveBot
from arena.match import Bot, Conditions
from arena.roster.bot_toml import RUN_PYTHON
from arena.sandbox import procfs
from arena.sandbox.door import Door
from arena.sandbox.syscalls import numbers

HERE = Path(__file__).parent
EXTRA = {
    "x86_64": {"timer_create": 222, "timer_settime": 223, "futex": 202},
    "aarch64": {"timer_create": 107, "timer_settime": 110, "futex": 98},
}
"""Calls that no rule of the filter names."""


@dataclass(frozen=True)
class Stage:
    """What the scenes of one batch share."""

    door: Door
    level: str
    warm: bool
    python: str
    folder: Path
    token: str
    """The secret: nowhere in what an attacker is given."""
    arena_file: Path
    rules: Path
    commons: tuple[str, ...]
    """Files that everybody may read."""


class Scene:
    """One attack on stage."""

    def __init__(self, stage: Stage, name: str, row: Row) -> None:
        self.stage, self.name, self.row = stage, name, row
        self.tag = f"attack-{secrets.token_hex(6)}"
        self.key, self.common_key = (secrets.randbelow(1 << 30) + 1 for _ in range(2))
        self.size = 1000 + secrets.randbelow(9000)
        self.message = f"{secrets.randbits(16) | 0x8001:016b}"
        self.folder = stage.folder / "targets" / self.tag
        self.sockets: dict[str, socket.socket] = {}
        self.opponent = self.accomplice = None
        self.opponent_before = self.opponent_after = self.facts = None
        self.peaks: dict[str, int] = {}
        self.said, self.left = "", []
        self.conditions = Conditions(sandbox=stage.level, limits=row.limits, freeze=True, warm=stage.warm)

    def prepare(self) -> None:
        """Put everything in its place but the attacker."""
        self._put_files()
        if self.row.sockets:
            self._open_sockets()
        if self.row.terminal:
            self._open_terminal()
        if self.row.key:
            machine.add_key(self.tag, self.stage.token)
        self.sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True) if self.row.sleeper else None
        if self.sleeper:
            os.setpriority(os.PRIO_PROCESS, self.sleeper.pid, 13)
        if self.row.opponent:
            conditions = replace(self.conditions, freeze=self.row.opponent == "frozen")
            self.opponent = self._start("opponent", HERE / "innocent.py", conditions, {})
        if self.row.twice:
            conditions = replace(self.conditions, freeze=self.row.twice != "at once")
            self.accomplice = self._start("accomplice", HERE.parent / f"{self.name}.py", conditions, {})

    def enter(self) -> None:
        """Start the attacker; whoever else plays is ready by now."""
        if self.opponent:
            self.opponent_before = facts.of(self.opponent._child.program())
        if self.accomplice and self.row.twice == "later":
            self.accomplice.end()
        self.canary_before = machine.state(self.canary), machine.state(self.results), machine.own_limit()
        aims = {"message": ""}
        if self.opponent:
            child = self.opponent._child
            pid = child.program()
            self.address = peeks.find(pid, self.stage.token)
            aims |= {"opponent": pid, "opponent_file": str(child.room.home / "secret.txt"), "address": self.address}
        self.bot = self._start("attacker", HERE.parent / f"{self.name}.py", self.conditions, aims)

    def look(self) -> None:
        """See what became of everything, while the attacker lives and is not asked."""
        child = self.bot._child
        self.program = child.program() if self.bot._exit is None else None
        self.facts = facts.of(self.program) if self.program else None
        if self.opponent:
            self.opponent_after = facts.of(self.opponent._child.program())
            self.opponent_said = peeks.waiting(self.opponent._child.stdout)
            self.opponent_holds = peeks.read(self.opponent._child.program(), self.address, len(self.stage.token))
        self.namespaces = self._namespaces(child)
        self.scratch = machine.scratch(self.program, child.plan.scratch) if self.program else (0, 0, False)
        self.memory_files = facts.memory_files(self.program) if self.program else 0
        self.home = {entry.name for entry in child.room.home.iterdir()} if child.room.home.exists() else set()
        self.reached = {name for name, one in self.sockets.items() if peeks.came(one)}
        self.canary_meanwhile = machine.state(self.canary)
        self.served = self.row.sockets and peeks.connects(self.free)
        self.typed = self._typed() if self.row.terminal else b""

    def end(self) -> None:
        """End the attacker; see what is left of it, and what it said."""
        for bot in (self.bot, self.opponent, self.accomplice):
            if bot:
                bot.end()
        report = self.bot.report()
        self.said = report.stderr + "\n".join(self.bot.heard.remarks if self.bot.heard else ())
        self.canary_after = machine.state(self.canary), machine.state(self.results), machine.own_limit()
        self.found = {entry.name for entry in self.folder.iterdir()} - self.files
        self.holds = self._left()

    def clean(self) -> None:
        """After the sweep: what is still left, and is taken away by us now."""
        room = self.bot._child.room
        used = room.path.exists() and not room.untouched
        self.left = [f"process {pid}" for pid in self.survivors] + ["room"] * used + self.holds
        for one in self.sockets.values():
            one.close()
        if self.sleeper:
            self.sleeper.kill()
            self.sleeper.wait()
        if self.row.terminal:
            os.close(self.master)
            os.close(self.slave)
        if self.row.key:
            machine.key_of(None, self.tag, remove=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _left(self) -> list[str]:
        """What outlives the match, outside of every folder that arena removes; taken away."""
        left = [f"System V {kind}" for key in (self.key, self.common_key) for kind in sorted(machine.system_v(key))]
        for key in (self.key, self.common_key):
            machine.remove_system_v(key)
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", str(self.stage.folder / "tmp")):
            for name in (self.tag, self.note):
                if os.path.lexists(f"{folder}/{name}"):
                    left.append(f"file in {folder}")
                    os.unlink(f"{folder}/{name}")
        if machine.message_queue(self.tag):
            left.append("POSIX message queue")
        if self.name == "leaves_a_key" and machine.key_of(self.bot._child.plan.user, self.tag, remove=True):
            left.append("key")
        return left + [f"file beside the canary: {name}" for name in self.found]

    @property
    def mark(self) -> str:
        """What stands in the environment of each of its processes."""
        return f"{self.bot._child.room.path}/"

    @property
    def note(self) -> str:
        """A name that accomplices know."""
        return f"{self.tag}-note"

    def _put_files(self) -> None:
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o777)
        self.canary, self.results, self.private = (self.folder / name for name in ("canary", "event.sqlite", "key"))
        for path in (self.canary, self.results, self.private):
            path.write_text(self.stage.token)
            path.chmod(0o600 if path == self.private else 0o666)
        (self.folder / f"listed-{self.stage.token}").touch()
        self.files = {entry.name for entry in self.folder.iterdir()}

    def _open_sockets(self) -> None:
        kinds = socket.SOCK_STREAM, socket.SOCK_DGRAM
        tcp, udp = (socket.socket(socket.AF_INET, kind) for kind in kinds)
        unix, abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sockets = {"tcp": tcp, "udp": udp, "unix": unix, "abstract": abstract, "datagrams": datagrams}
        for one, address in (
            (tcp, ("127.0.0.1", 0)),
            (udp, ("127.0.0.1", 0)),
            (unix, f"{self.folder}/unix"),
            (abstract, f"\0{self.tag}"),
            (datagrams, f"{self.folder}/datagrams"),
        ):
            one.bind(address)
            one.setblocking(False)
            if one.type == socket.SOCK_STREAM:
                one.listen()
        for name in ("unix", "datagrams"):
            (self.folder / name).chmod(0o666)
        self.files |= {"unix", "datagrams"}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.free = free.getsockname()[1]

    def _open_terminal(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.slave, False)
        self.terminal = os.ttyname(self.slave)
        with contextlib.suppress(PermissionError):
            os.chmod(self.terminal, 0o666)

    def _typed(self) -> bytes:
        with contextlib.suppress(OSError):
            return os.read(self.slave, 100)
        return b""

    def _start(self, part: str, script: Path, conditions: Conditions, aims: dict[str, object]) -> LiveBot:
        files = self.stage.folder / "bots" / f"{self.tag}-{part}"
        files.mkdir(parents=True)
        shutil.copy(script, files / "bot.py")
        shutil.copy(HERE / "attack.py", files)
        if part == "opponent":
            (files / "secret.txt").write_text(self.stage.token.ljust(self.size, "."))
        (files / "target.json").write_text(json.dumps(self._aims() | aims))
        bot = Bot(
            name=self.name,
            command=(*self._command(), *([f"secret={self.stage.token}"] if part == "opponent" else [])),
            digest=f"{self.tag}-{part}",
            files=str(files),
        )
        return LiveBot(self.stage.door, part, bot, conditions, self.stage.rules if self.row.kit else None)

    def _command(self) -> tuple[str, ...]:
        """As quick as can be; or as everybody's, which is what a warm start takes."""
        if self.stage.warm:
            return (*RUN_PYTHON, "bot.py")
        return (self.stage.python, "-E", "-s", "-S", "-B", "-u", "bot.py")

    def _aims(self) -> dict[str, object]:
        """What an attacker is told, to spare it the search: no secret is in it."""
        address = {name: one.getsockname() for name, one in self.sockets.items()}
        cores = sorted(os.sched_getaffinity(0))
        return {
            "numbers": numbers(platform.machine()) | EXTRA[platform.machine()],
            "tag": self.tag,
            "note": self.note,
            "message": self.message,
            "folder": str(self.folder),
            "canary": str(self.canary),
            "results": str(self.results),
            "private_key": str(self.private),
            "arena_file": str(self.stage.arena_file),
            "setting": SETTING,
            "referee": os.getpid(),
            "near": self.sleeper and self.sleeper.pid // 500 * 500,
            "pending": machine.own_limit()[1],
            "core": cores[-1],
            "key": self.key,
            "common_key": self.common_key,
            "commons": self.stage.commons,
            "common": self.stage.commons[0],
            "terminal": self.row.terminal and self.terminal,
            "tcp": self.sockets and address["tcp"][1],
            "udp": self.sockets and address["udp"][1],
            "free": self.sockets and self.free,
            "unix": f"{self.folder}/unix",
            "datagrams": f"{self.folder}/datagrams",
            "abstract": self.tag,
        }

    def _namespaces(self, child) -> bool:
        """Whether one of its processes is in a user or network namespace that it was not given."""
        around = [child.pid, *procfs.children(child.pid)] if self.stage.level == "bubblewrap" else []
        given = peeks.spaces(around[-1] if around else os.getpid())
        return any(peeks.spaces(pid) not in (given, ("", "")) for pid in self.processes if pid not in around)


SETTING = "/proc/sys/kernel/printk_ratelimit_burst"
"""Of the kernel's settings, one that hurts nobody."""
