"""One attack on stage, and all that it aims at: files, sockets, a terminal, an opponent, an
accomplice.

A scene is played in steps, so that many can be played side by side: batch.py says which and why.
"""

import contextlib
import marshal
import os
import secrets
import shutil
import socket
import subprocess
import time
import tty
from dataclasses import dataclass, replace
from pathlib import Path

import outside
from outside import CALLS, Process
from table import ARENA_FILE, EXPECTED, SETTING

from arena.event.discovery.programs import RUN_PYTHON
from arena.match.bot import LiveBot
from arena.sandbox import procfs
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions

DYING_S = 0.3
"""How long processes may stay at the end of their namespace."""


@dataclass(frozen=True)
class Stage:
    """The things that the scenes of one batch share."""

    launcher: Launcher
    level: str
    warm: bool
    python: str
    folder: Path
    token: str
    """The secret: nowhere in what an attacker is given."""
    rules: Path
    bots: Path
    """A folder with a file for each attack."""
    innocent: Path
    """The folder of all opponents, with a secret in it."""
    commons: tuple[str, ...]
    """Files that everybody may read, and whose locks and times no other batch looks at
    meanwhile."""


class Scene:
    """One attack with its targets."""

    def __init__(self, stage: Stage, name: str) -> None:
        self.stage, self.name, self.row = stage, name, EXPECTED[name]
        self.tag = f"attack-{secrets.token_hex(6)}"
        self.note = f"{self.tag}-note"
        """A name that accomplices know."""
        self.key, self.common_key = (secrets.randbelow(1 << 30) + 1 for _ in range(2))
        self.message = f"{secrets.randbits(16) | 0x8001:016b}"
        self.folder = stage.folder / "targets" / self.tag
        self.leaving = contextlib.ExitStack()
        """Takes all targets away."""
        self.sockets: dict[str, socket.socket] = {}
        self.priority = max(13, os.getpriority(os.PRIO_PROCESS, 0))
        """Of the sleeper, which is found by it; only root could have one that is above our own."""
        self.broken = ""
        """Why the harness could not play it to its end: a traceback; empty while it can."""
        self.free = self.slave = self.sleeper = self.opponent = self.accomplice = self.bot = None
        self.seen: object = None
        """The value that the proof's look returned."""
        self.peak = 0
        self.said = ""
        self.left: list[str] = []
        self.conditions = Conditions(
            sandbox=stage.level, limits=self.row.limits, freeze=True, warm=stage.warm
        )

    def prepare(self) -> None:
        """Put all targets in their places, and start whoever else plays."""
        self.folder.mkdir(parents=True)
        self.leaving.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o777)
        self.canary, self.results, self.private = (
            self.folder / name for name in ("canary", "event.sqlite", "key")
        )
        for path in (
            (self.canary, self.results, self.private)
            if self.row.needs == "files"
            else (self.canary,)
        ):
            path.write_text(self.stage.token)
            path.chmod(0o600 if path == self.private else 0o666)
        with contextlib.suppress(OSError):  # not every file system keeps them
            os.setxattr(self.canary, "user.note", self.stage.token.encode())
        if self.row.needs == "files":
            (self.folder / f"listed-{self.stage.token}").touch()
        if self.row.needs == "sockets":
            self._open_sockets()
        self.files = {entry.name for entry in self.folder.iterdir()}
        if self.row.needs == "terminal":
            master, self.slave = os.openpty()
            for descriptor in (master, self.slave):
                self.leaving.callback(os.close, descriptor)
            tty.setraw(self.slave)
            os.set_blocking(self.slave, False)
            with contextlib.suppress(PermissionError):
                os.chmod(os.ttyname(self.slave), 0o666)
        if self.row.needs == "setting":
            self.setting = SETTING.read_text()
            self.leaving.callback(
                lambda: SETTING.read_text() == self.setting or SETTING.write_text(self.setting)
            )
        if self.row.needs == "key":
            outside.add_key(self.tag, self.stage.token)
            self.leaving.callback(outside.remove_key, None, self.tag)
        if self.row.needs == "sleeper":
            self.sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
            os.setpriority(os.PRIO_PROCESS, self.sleeper.pid, self.priority)
            self.leaving.callback(self.sleeper.wait)
            self.leaving.callback(self.sleeper.kill)  # first: the last comes first
        if self.row.opponent:
            self.opponent = self._start("opponent", freeze=self.row.opponent == "frozen")
        if self.row.twice:
            self.accomplice = self._start(
                "accomplice", freeze=self.row.twice != "at once", message=self.message
            )

    def enter(self) -> None:
        """Start the attacker; whoever else plays is ready by now."""
        aims = {}
        if self.opponent:
            process = Process(self.opponent.program)
            self.opponent_before = process.treatment()
            self.address = process.find(self.stage.token)
            secret = self.opponent.child.room.home / "secret.txt"
            aims = {
                "opponent": self.opponent.program,
                "opponent_file": str(secret),
                "address": self.address,
            }
        if self.accomplice and self.row.twice == "later":
            self.accomplice.end()
        self.before = outside.state(self.canary), outside.state(self.results), outside.own_limit()
        self.bot = self._start("attacker", freeze=True, **aims)

    def look(self) -> None:
        """Look as its proof asks, while the attacker lives and is not asked."""
        if self.row.proof.frozen is not None:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                self.seen = self.row.proof.frozen(self)

    def end_bots(self) -> None:
        """End every bot that has begun."""
        for bot in (self.bot, self.opponent, self.accomplice):
            if bot:
                bot.end()

    def see_what_is_left(self) -> None:
        """See what it said, and what outlives the match outside of every folder that arena
        removes.
        """
        self.said = self.bot.report().stderr + "\n".join(self.bot.reply.remarks)
        self.after = outside.state(self.canary), outside.state(self.results), outside.own_limit()
        self.new_files = {entry.name for entry in self.folder.iterdir()} - self.files
        for key in (self.key, self.common_key):
            self.left += [f"System V {kind}" for kind in outside.remove_system_v(key)]
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", str(self.stage.folder / "tmp")):
            for name in (self.tag, self.note):
                if os.path.lexists(f"{folder}/{name}"):
                    self.left.append(f"file in {folder}")
                    os.unlink(f"{folder}/{name}")
        if outside.libc.mq_unlink(f"/{self.tag}".encode()) == 0:
            self.left.append("POSIX message queue")
        if self.name == "leaves_a_key" and outside.remove_key(self.bot.child.spec.user, self.tag):
            self.left.append("key")
        self.left += [f"file beside the canary: {name}" for name in self.new_files]

    def judge(self) -> None:
        """Find the result: `watched`, `possible` or `stopped`."""
        proof = self.row.proof
        proved = self.peak > proof.peak[1] if proof.peak else proof.ended(self, self.seen)
        watched = self.bot.reply.ending == "limit_exceeded"
        self.result = "watched" if watched else "possible" if proved else "stopped"

    def note_what_outlived_it(self, survivors: list[int]) -> None:
        """After the sweep: note what is still left."""
        room = ["room"] * self.bot.child.room.scratch.exists()
        self.left = [f"process {pid}" for pid in survivors] + room + self.left

    @property
    def mark(self) -> str:
        """The text that stands in the environment of each of its processes."""
        return str(self.bot.child.room.scratch)

    def processes(self) -> list[int]:
        """Return its living processes, in whatever session they hide."""
        return [pid for _, pid in outside.marked([self.mark])]

    def stays(self) -> bool:
        """Return whether processes stay at its end; the kernel may take a moment to kill a whole
        namespace.
        """
        until = time.monotonic() + DYING_S
        while self.processes():
            if time.monotonic() > until:
                return True
            time.sleep(0.02)
        return False

    def in_scratch(self) -> tuple[int, int, bool]:
        """Return (bytes, files, whether there is a device) in its scratch folder."""
        return Process(self.bot.program).stored(self.bot.child.spec.scratch)

    def changed_namespace(self) -> bool:
        """Return whether one of its processes is in a user or network namespace that it was not
        given.
        """
        child = self.bot.child
        around = (
            [child.pid, *procfs.children(child.pid)] if self.stage.level == "bubblewrap" else []
        )
        given = Process(around[-1] if around else os.getpid()).spaces
        return any(
            Process(pid).spaces not in (given, ("", ""))
            for pid in self.processes()
            if pid not in around
        )

    def _open_sockets(self) -> None:
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, f"{self.folder}/unix"),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.tag}"),
            ("datagrams", socket.AF_UNIX, socket.SOCK_DGRAM, f"{self.folder}/datagrams"),
        ):
            target = self.sockets[name] = self.leaving.enter_context(socket.socket(family, kind))
            target.bind(address)
            target.setblocking(False)
            if kind == socket.SOCK_STREAM:
                target.listen()
        for name in ("unix", "datagrams"):
            (self.folder / name).chmod(0o666)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.free = free.getsockname()[1]

    def _start(self, part: str, *, freeze: bool, message: str = "", **aims: object) -> LiveBot:
        """Start one of its bots: the opponent is innocent, the others run the attack."""
        # As quick as can be; or as everybody's, which is what a warm start takes.
        python = RUN_PYTHON if self.stage.warm else (self.stage.python, "-ESsBu")
        if part == "opponent":
            files, argument = self.stage.innocent, f"secret={self.stage.token}"
            command = (
                (*python, "innocent.py", argument)
                if self.stage.warm
                else ("/bin/sh", "innocent.sh", argument)
            )
        else:
            files = self.stage.bots / f"{self.name}.py"
            argument = marshal.dumps({**self._aims(), "message": message, **aims}).hex()
            command = (*python, files.name, argument)
        bot = Bot(name=self.name, command=command, digest=files.stem, files=str(files))
        conditions = replace(self.conditions, freeze=freeze)
        rules = self.stage.rules if self.row.needs == "kit" else None
        return LiveBot(self.stage.launcher, self.name, bot, conditions, rules)

    def _aims(self) -> dict[str, object]:
        """Return what an attacker is told, to spare it the search: no secret is in it."""
        return {
            "numbers": CALLS,
            "tag": self.tag,
            "note": self.note,
            "folder": str(self.folder),
            "canary": str(self.canary),
            "results": str(self.results),
            "private_key": str(self.private),
            "arena_file": str(ARENA_FILE),
            "setting": str(SETTING),
            "referee": os.getpid(),
            "priority": self.priority,
            "near": self.sleeper and self.sleeper.pid // 500 * 500,
            "pending": outside.own_limit()[1],
            "core": max(os.sched_getaffinity(0)),
            "key": self.key,
            "common_key": self.common_key,
            "commons": self.stage.commons,
            "common": self.stage.commons[0],
            "terminal": self.slave and os.ttyname(self.slave),
            "tcp": self.sockets and self.sockets["tcp"].getsockname()[1],
            "udp": self.sockets and self.sockets["udp"].getsockname()[1],
            "free": self.free,
            "unix": f"{self.folder}/unix",
            "datagrams": f"{self.folder}/datagrams",
            "abstract": self.tag,
        }
