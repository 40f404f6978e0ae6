"""What this machine offers for events, check by check: what it has, and what to change where something is missing."""

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

from arena.errors import ArenaError
from arena.sandbox import cgroup, cores, landlock, levels, procfs, seccomp

FEWEST_FILES = 512
"""Open files that a run needs with a few lanes: a lane of four bots has some 60."""
FEWEST_PROCESSES = 200
LEAST_FREE_BYTES = 1_000_000_000
VERSION_S = 10.0
"""For a program to print its version."""
EXTRAS = {"pyarrow": "`arena export --format parquet`: pip install 'botarena[parquet]'"}


class Health(StrEnum):
    """How good a thing is that was checked."""

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
    """What is there, or the reason why something is not, in words."""
    cure: str = ""
    """What to change; empty where all is good."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """The same as values."""


def checks() -> Iterator[MachineCheck]:
    """Yield what can be read or tried without a measurement; nothing more after a check that all others need."""
    uname = os.uname()
    system = f"{uname.sysname} {uname.release} on {uname.machine}, Python {sys.version.split()[0]}"
    if sys.platform != "linux":
        text = f"{system}: bots are started on Linux only"
        advice = "use a Linux machine, a virtual machine or a container"
        yield MachineCheck("system", Health.BAD, text, advice)
        return
    if seccomp.arch() is None:
        known = " and ".join(seccomp.AUDIT)
        text = f"{system}: there is no filter of system calls for {uname.machine}"
        advice = f"use a machine of {known}, or play with --unsafe if you trust every bot"
        yield MachineCheck("system", Health.WEAK, text, advice)
    else:
        yield MachineCheck("system", Health.GOOD, system, figures={"kernel": uname.release})
    if (trouble := procfs.trouble()) is not None:
        text = f"{trouble}, and arena watches bots through it"
        advice = "mount it (`mount -t proc proc /proc`; in a container, let its runtime do so)"
        yield MachineCheck("proc", Health.BAD, text, advice)
        return
    scratch = _scratch()
    yield scratch
    yield _semaphores()
    if scratch.state is not Health.BAD:  # without it no bot can be started, and no level be tried
        yield from _levels()
    yield _cgroup()
    yield _cores()
    yield _limits()
    yield _extras()


def toolchains(programs: Mapping[str, Iterable[str]]) -> MachineCheck:
    """Return which languages can be built and run here, given the programs that the bots of each language need."""
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for language, needed in programs.items():
        absent = [program for program in needed if shutil.which(program) is None]
        if absent:
            missing[language] = ", ".join(absent)
        else:
            versions[language] = "; ".join(dict.fromkeys(_version(program) for program in needed))
    lines = [f"{language} ({version})" for language, version in versions.items()]
    text = ", ".join(lines) or "none"
    if missing:
        text += f"; not here: {', '.join(f'{language} ({names})' for language, names in missing.items())}"
    advice = "" if versions else "install the languages that your bots are written in"
    return MachineCheck(
        "toolchains", Health.GOOD if versions else Health.WEAK, text, advice, {"found": versions, "missing": missing}
    )


def chosen_level() -> str | None:
    """Return the level of confinement that `auto` takes; None when no level confines bots here."""
    try:
        return levels.choose("auto", unsafe=False)
    except ArenaError:
        return None


def _scratch() -> MachineCheck:
    """Check the folder for temporary files: bots are copied there, and run there."""
    try:
        path = Path(tempfile.gettempdir())
        with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
            program = Path(folder, "program")
            program.write_text("#!/bin/sh\nexit 0\n")
            program.chmod(0o755)
            try:
                runs = subprocess.run([program], check=False).returncode == 0
            except PermissionError:
                runs = False
            free = shutil.disk_usage(folder).free
    except OSError as error:
        text = f"TMPDIR={os.environ.get('TMPDIR', '')}: cannot be written: {error.strerror}"
        advice = "set TMPDIR to a folder that can be written: bots get their folders there"
        return MachineCheck("scratch", Health.BAD, text, advice)
    figures = {"path": str(path), "free_bytes": free, "runs_programs": runs}
    size = f"{free / 1e9:.1f} GB free"
    if not runs:
        text = (
            f"{path}: no program can be started there (noexec): compiled bots and scripts cannot play, while "
            "bots that an interpreter runs can"
        )
        advice = f"set TMPDIR to a folder of a file system without noexec, or `mount -o remount,exec {path}`"
        return MachineCheck("scratch", Health.WEAK, text, advice, figures)
    if free < LEAST_FREE_BYTES:
        text = f"{path}: {size}"
        advice = "free some space, or set TMPDIR to a folder on a larger file system"
        return MachineCheck("scratch", Health.WEAK, text, advice, figures)
    return MachineCheck("scratch", Health.GOOD, f"{path}: {size}", figures=figures)


def _semaphores() -> MachineCheck:
    """Check /dev/shm, where Linux keeps the semaphores that referee processes and the log share."""
    try:
        get_context("fork").Lock()
    except OSError as error:
        text = f"no semaphore can be made in /dev/shm: {error.strerror}"
        advice = "mount a tmpfs there that can be written (docker: --shm-size)"
        return MachineCheck("semaphores", Health.BAD, text, advice)
    return MachineCheck("semaphores", Health.GOOD, "can be made")


def _levels() -> Iterator[MachineCheck]:
    """Check each level of confinement, and the choice of `auto`."""
    confined = chosen_level()
    for name in levels.CONFINING:
        reason = levels.failure(name)
        works = f"version {landlock.version()} of the kernel's interface" if name == "landlock" else "works"
        text, _, own_advice = (reason or works).partition("; ")  # some reasons have their own advice
        advice = "" if reason is None else "; ".join(filter(None, [own_advice, levels.TABLE[name].needs]))
        yield MachineCheck(
            name, Health.GOOD if reason is None else Health.WEAK, text, advice, {"works": reason is None}
        )
    if confined is None:
        text = "no level confines bots here"
        advice = f"mend one of {' and '.join(levels.CONFINING)}; or {levels.HOW_TO_TRUST}"
        yield MachineCheck("confinement", Health.BAD, text, advice)
    else:
        yield MachineCheck("confinement", Health.GOOD, f"bots are confined by {confined}", figures={"level": confined})


def _cgroup() -> MachineCheck:
    """Check whether bots can have cgroups of their own, which is never needed."""
    path = cgroup.delegated()
    if path is None:
        text = "none is delegated to arena, so that it counts memory and CPU time itself"
        advice = "`systemd-run --user --scope -p Delegate=yes arena run`, or a container with its own /sys/fs/cgroup"
        return MachineCheck("cgroup", Health.WEAK, text, advice)
    return MachineCheck("cgroup", Health.GOOD, f"bots get cgroups of their own in {path}")


def _cores() -> MachineCheck:
    """Check how many cores this process may use, by its affinity and by the quota of its container."""
    count, quota, load = len(cores.available()), cgroup.quota(), os.getloadavg()[0]
    figures = {"cores": count, "machine": os.cpu_count(), "quota": quota, "load": load}
    text = f"{count} of {os.cpu_count()} can be used, load {load:.1f}"
    if quota is not None and quota < count:
        text = f"{text}; but the container's quota is {quota:g}: beyond it, its programs are halted for a while"
        advice = f"raise the quota, or set count = {max(1, int(quota))} under [workers]"
        return MachineCheck("cores", Health.WEAK, text, advice, figures)
    if count == 1:
        text = f"{text}: matches are played one at a time, and arena shares the core with them"
        advice = "give the machine or the container two cores or more (docker: --cpus, --cpuset-cpus)"
        return MachineCheck("cores", Health.WEAK, text, advice, figures)
    if load > count:
        text = f"{text}: other programs keep them busy, which makes an event slow and not unfair"
        advice = "end the other programs, or play at another time"
        return MachineCheck("cores", Health.WEAK, text, advice, figures)
    return MachineCheck("cores", Health.GOOD, text, figures=figures)


def _limits() -> MachineCheck:
    """Check the limits of this user on open files and processes."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    processes = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    low = []
    if files != resource.RLIM_INFINITY and files < FEWEST_FILES:
        low.append(f"{files} open files (`ulimit -n`)")
    if processes != resource.RLIM_INFINITY and processes < FEWEST_PROCESSES:
        low.append(f"{processes} processes (`ulimit -u`)")
    if low:
        text = f"only {' and '.join(low)}"
        advice = f"raise them to {FEWEST_FILES} open files and {FEWEST_PROCESSES} processes, or use fewer workers"
        return MachineCheck("limits", Health.WEAK, text, advice, {"files": files, "processes": processes})
    return MachineCheck("limits", Health.GOOD, "open files and processes are enough")


def _extras() -> MachineCheck:
    """Tell which optional packages are installed; none of them is needed to play."""
    present = {name: find_spec(name) is not None for name in EXTRAS}
    lines = [name if there else f"no {name} ({EXTRAS[name]})" for name, there in present.items()]
    return MachineCheck("extras", Health.GOOD, ", ".join(lines), figures=present)


@cache
def _version(program: str) -> str:
    """Return the first line that a program prints about its version, or its name."""
    for option in ("--version", "-version", "version"):
        try:
            done = subprocess.run(
                [program, option],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=VERSION_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return program
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        if done.returncode == 0 and lines:
            return lines[0].strip()[:60]
    return program
