"""Check what this machine offers for events, and say what to change where something is missing."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT

from arena import system
from arena.errors import ArenaError
from arena.sandbox import cgroup, choice, landlock, levels, procfs, seccomp
from arena.sandbox import folder as scratch

FEWEST_FILES = 512
"""The open files that a run with a few lanes needs: a lane of four bots has some 60."""
FEWEST_PROCESSES = 200
LEAST_FREE_BYTES = 1_000_000_000
VERSION_S = 10.0
"""The time for a program to print its version."""


class Health(StrEnum):
    """The health of a part of the machine."""

    GOOD = "good"
    WEAK = "weak"
    """An event can be played, but something is missing or slower than it could be."""
    BAD = "bad"
    """No event can be played here."""


@dataclass(frozen=True)
class MachineCheck:
    """The result of a check."""

    name: str
    state: Health
    found: str
    """What the machine has, or why it does not have it, in words."""
    cure: str = ""
    """What to change; empty where the health is good."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """The values in `found`."""


def checks() -> Iterator[MachineCheck]:
    """Yield the checks that need no measurement; none after a failed check that all others need."""
    yield _system()
    if not system.LINUX:
        yield _scratch()
        text = "bots are confined on Linux only"
        yield MachineCheck("confinement", Health.BAD, text, choice.ELSEWHERE)
        yield _cores()
        yield _limits()
        return
    trouble = procfs.trouble()
    if trouble is not None:
        text = f"{trouble}, and arena watches bots through it"
        cure = "mount it (`mount -t proc proc /proc`; in a container, let its runtime do so)"
        yield MachineCheck("proc", Health.BAD, text, cure)
        return
    scratch = _scratch()
    yield scratch
    yield _semaphores()
    if scratch.state is not Health.BAD:  # without it no bot can be started, and no level be tried
        yield from _levels()
    yield _cgroup()
    yield _cores()
    yield _limits()
    has_parquet = find_spec("pyarrow") is not None
    text = "pyarrow"
    if not has_parquet:  # its health is good nevertheless: no match needs it
        text = "no pyarrow (`arena export --format parquet`: pip install 'botarena[parquet]')"
    yield MachineCheck("extras", Health.GOOD, text, figures={"pyarrow": has_parquet})


def toolchains(programs: Mapping[str, Iterable[str]]) -> MachineCheck:
    """Return which languages can be built and run here.

    `programs` are the programs that the bots of each language need.
    """
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for language, needed in programs.items():
        absent = [program for program in needed if shutil.which(program) is None]
        if absent:
            missing[language] = ", ".join(absent)
        else:
            distinct = dict.fromkeys(map(_version, needed))
            versions[language] = "; ".join(distinct)

    text = _listed(versions) or "none"
    if missing:
        text += f"; not here: {_listed(missing)}"
    figures = {"found": versions, "missing": missing}
    if versions:
        return MachineCheck("toolchains", Health.GOOD, text, figures=figures)
    cure = "install the languages that your bots are written in"
    return MachineCheck("toolchains", Health.WEAK, text, cure, figures)


def _listed(languages: Mapping[str, str]) -> str:
    """Return languages in words, each with its programs in brackets."""
    words = [f"{language} ({programs})" for language, programs in languages.items()]
    return ", ".join(words)


def _system() -> MachineCheck:
    """Check the operating system and the kind of processor."""
    uname = os.uname()
    python = sys.version.split()[0]
    here = f"{uname.sysname} {uname.release} on {uname.machine}, Python {python}"
    if not system.LINUX:
        cure = (
            "`arena docs laptops` says what works here; "
            "the rest needs Linux, also in a virtual machine or a container"
        )
        return MachineCheck("system", Health.WEAK, f"{here}: a part of arena works", cure)
    if seccomp.arch() is None:
        text = f"{here}: there is no filter of system calls for {uname.machine}"
        machines = " and ".join(seccomp.AUDIT)
        cure = f"use a machine of {machines}, or play with --unsafe if you trust every bot"
        return MachineCheck("system", Health.WEAK, text, cure)
    return MachineCheck("system", Health.GOOD, here, figures={"kernel": uname.release})


def _scratch() -> MachineCheck:
    """Check the folder for temporary files: bots are copied there, and run there."""
    try:
        path = Path(tempfile.gettempdir())
        # By this name the next start removes it after `kill -9`.
        with tempfile.TemporaryDirectory(prefix=f".{scratch.PRIVATE}") as folder:
            program = Path(folder, "program")
            program.write_text("#!/bin/sh\nexit 0\n")
            program.chmod(0o755)
            try:
                runs = subprocess.run([program], check=False).returncode == 0
            except PermissionError:
                runs = False
            free = shutil.disk_usage(folder).free
    except OSError as error:
        tmpdir = os.environ.get("TMPDIR", "")
        text = f"TMPDIR={tmpdir}: cannot be written: {error.strerror}"
        cure = "set TMPDIR to a folder that can be written: bots get their folders there"
        return MachineCheck("scratch", Health.BAD, text, cure)
    figures = {"path": str(path), "free_bytes": free, "runs_programs": runs}
    text = f"{path}: {free / 1e9:.1f} GB free"
    if not runs:
        text = (
            f"{path}: no program can be started there (noexec): "
            "compiled bots and scripts cannot play, while bots that an interpreter runs can"
        )
        cure = (
            "set TMPDIR to a folder of a file system without noexec, "
            f"or `mount -o remount,exec {path}`"
        )
    elif free < LEAST_FREE_BYTES:
        cure = "free some space, or set TMPDIR to a folder on a larger file system"
    else:
        return MachineCheck("scratch", Health.GOOD, text, figures=figures)
    return MachineCheck("scratch", Health.WEAK, text, cure, figures)


def _semaphores() -> MachineCheck:
    """Check /dev/shm, where Linux keeps the semaphores that referee processes and the log share."""
    try:
        get_context("fork").Lock()
    except OSError as error:
        text = f"no semaphore can be made in /dev/shm: {error.strerror}"
        cure = "mount a tmpfs there that can be written (docker: --shm-size)"
        return MachineCheck("semaphores", Health.BAD, text, cure)
    return MachineCheck("semaphores", Health.GOOD, "can be made")


def _levels() -> Iterator[MachineCheck]:
    """Check each level of confinement, and whether any of them works."""
    for name in levels.CONFINING:
        reason = choice.failure(name)
        if reason is None:
            text = "works"
            if name == "landlock":
                text = f"version {landlock.version()} of the kernel's interface"
            yield MachineCheck(name, Health.GOOD, text, figures={"works": True})
        else:
            text, _, cure = reason.partition("; ")  # some reasons have a cure
            needs = levels.TABLE[name].needs
            if cure and needs:
                cure += "; "
            yield MachineCheck(name, Health.WEAK, text, cure + needs, {"works": False})
    try:
        level = choice.choose("auto", unsafe=False)
    except ArenaError:
        names = " and ".join(levels.CONFINING)
        cure = f"mend one of {names}; or {choice.HOW_TO_TRUST}"
        yield MachineCheck("confinement", Health.BAD, "no level confines bots here", cure)
    else:
        text = f"bots are confined by {level}"
        yield MachineCheck("confinement", Health.GOOD, text, figures={"level": level})


def _cgroup() -> MachineCheck:
    """Check whether bots can have cgroups of their own, which is never needed."""
    path = cgroup.delegated()
    if path is not None:
        return MachineCheck("cgroup", Health.GOOD, f"bots get cgroups of their own in {path}")
    text = "none is delegated to arena, so that it counts memory and CPU time itself"
    cure = (
        "`systemd-run --user --scope -p Delegate=yes arena run`, "
        "or a container with its own /sys/fs/cgroup"
    )
    return MachineCheck("cgroup", Health.WEAK, text, cure)


def _cores() -> MachineCheck:
    """Check how many cores this process may use, by its affinity and its container's quota."""
    count = len(system.cores())
    quota = cgroup.quota()
    load, _, _ = os.getloadavg()
    figures = {
        "cores": count,
        "machine": os.cpu_count(),
        "quota": quota,
        "load": load,
    }
    text = f"{count} of {os.cpu_count()} can be used, load {load:.1f}"
    if quota is not None and quota < count:
        text += (
            f"; but the container's quota is {quota:g}: "
            "beyond it, its programs are halted for a while"
        )
        most = max(1, int(quota))
        cure = f"raise the quota, or set count = {most} under [workers]"
    elif count == 1:
        text += ": matches are played one at a time, and arena shares the core with them"
        cure = "give the machine or the container two cores or more (docker: --cpus, --cpuset-cpus)"
    elif load > count:
        text += ": other programs keep them busy, which makes an event slow and not unfair"
        cure = "end the other programs, or play at another time"
    else:
        return MachineCheck("cores", Health.GOOD, text, figures=figures)
    return MachineCheck("cores", Health.WEAK, text, cure, figures)


def _limits() -> MachineCheck:
    """Check the limits for open files and for processes."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    low = []
    if files != resource.RLIM_INFINITY and files < FEWEST_FILES:
        low.append(f"{files} open files (`ulimit -n`)")
    if processes != resource.RLIM_INFINITY and processes < FEWEST_PROCESSES:
        low.append(f"{processes} processes (`ulimit -u`)")
    if not low:
        return MachineCheck("limits", Health.GOOD, "open files and processes are enough")
    cure = (
        f"raise them to {FEWEST_FILES} open files and {FEWEST_PROCESSES} processes, "
        "or use fewer workers"
    )
    figures = {"files": files, "processes": processes}
    shortages = " and ".join(low)
    return MachineCheck("limits", Health.WEAK, f"only {shortages}", cure, figures)


@cache
def _version(program: str) -> str:
    """Return the first line that a program prints about its version, or its name."""
    for option in ("--version", "-version", "version"):
        try:
            completed = subprocess.run(
                [program, option],
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=STDOUT,
                timeout=VERSION_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return program
        lines = completed.stdout.decode("utf-8", "replace").splitlines()
        if completed.returncode == 0 and lines:
            return lines[0].strip()[:60]
    return program
