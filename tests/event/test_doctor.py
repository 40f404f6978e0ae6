"""`arena doctor`: what a machine lacks is named with its cure, in an environment that really lacks
it.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import pytest

from arena.event.doctor import checks as doctor_checks
from arena.event.doctor import measuring
from arena.event.doctor.checks import Health
from arena.event.doctor.measuring import Measured
from arena.sandbox import cgroup, choice, levels, procfs
from tests.sandbox.test_confinement import LANDLOCK, NAMESPACES, without
from tests.support import cup


@pytest.mark.slow
def test_a_poor_machine_hears_of_each_lack_and_its_cure(tmp_path):
    take = without(*NAMESPACES, *LANDLOCK)

    def become_poor() -> None:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        take()

    mount = ["mount", "-t", "tmpfs", "-o", "noexec", "none", str(tmp_path)]
    noexec = (
        shutil.which("mount") is not None
        and not subprocess.run(mount, capture_output=True, check=False).returncode
    )
    try:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "doctor", "--no-measure"],
            env=cup.environment(TMPDIR=str(tmp_path)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            preexec_fn=become_poor,
        )
    finally:
        if noexec:
            subprocess.run(["umount", "-l", tmp_path], check=True)
    assert (done.returncode, done.stderr) == (1, "")
    poor = [
        (
            r"weak  landlock: .*this kernel has no Landlock.*\n +to do: .*Linux 5.13 or newer with "
            r"Landlock switched on"
        ),
        r"weak  bubblewrap: .*\n +to do: .*a system where users may make namespaces",
        r"bad   confinement: .*\n +to do: mend one of landlock and bubblewrap; or say --unsafe",
        r"weak  cores: 1 of .*\n +to do: .*two cores or more",
    ]
    if noexec:  # else TMPDIR has programs
        poor.append(
            rf"weak  scratch: {tmp_path}: no program can be started there \(noexec\).*\n"
            " +to do: .*set TMPDIR to a folder of a file system without noexec"
        )
    assert [lack for lack in poor if not re.search(f"^{lack}", done.stdout, re.MULTILINE)] == []
    assert "clock" not in done.stdout
    assert done.stdout.endswith("\n\nno event can be played here: mend confinement\n")


@pytest.mark.soak
def test_a_machine_that_can_play_is_measured_and_says_how_many_matches_at_once(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(measuring, "THINKING_S", 0.0001)
    monkeypatch.setattr(measuring, "BOARD", "goofspiel.py/five")
    monkeypatch.setattr(measuring, "lane_counts", lambda _: (2,))
    choice.failure.cache_clear()
    done = cup.arena(tmp_path, "doctor", "--json", "--seconds", "0.01")
    checks = {row["check"]: row for row in json.loads(done.stdout)}
    bad = [name for name, row in checks.items() if row["state"] == "bad"]
    assert done.returncode == (1 if bad else 0)
    assert set(bad) <= {"confinement"}
    assert all(row["cure"] for row in checks.values() if row["state"] != "good")
    assert checks["system"]["figures"]["kernel"] == os.uname().release
    assert checks["cores"]["figures"]["cores"] == len(os.sched_getaffinity(0))
    assert "python" in checks["toolchains"]["figures"]["found"]
    clock, lanes = checks["clock"]["figures"], checks["matches at once"]["figures"]
    assert clock["answers"] >= 4
    assert 0 <= clock["median"] <= clock["high"] <= clock["highest"]
    assert [tried["lanes"] for tried in lanes["tried"]] == [2]
    assert all(tried["matches"] >= tried["lanes"] for tried in lanes["tried"])


def test_without_proc_nothing_else_is_tried(monkeypatch):
    monkeypatch.setattr(procfs, "trouble", lambda: "/proc is not mounted here")
    checks = list(doctor_checks.checks())
    assert [(check.name, check.state) for check in checks] == [
        ("system", Health.GOOD),
        ("proc", Health.BAD),
    ]
    assert "mount -t proc proc /proc" in checks[-1].cure


def test_on_another_system_no_level_is_tried(monkeypatch):
    monkeypatch.setattr(doctor_checks.system, "LINUX", False)
    checks = {check.name: check for check in doctor_checks.checks()}
    assert [*checks] == ["system", "scratch", "confinement", "cores", "limits"]
    assert (checks["confinement"].state, "Linux only" in checks["confinement"].found) == (
        Health.BAD,
        True,
    )


def test_a_tmpdir_that_cannot_be_written_is_bad_and_no_level_is_tried(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    checks = {check.name: check for check in doctor_checks.checks()}
    assert checks["scratch"].state is Health.BAD
    assert "set TMPDIR to a folder that can be written" in checks["scratch"].cure
    assert "landlock" not in checks


def test_the_quota_of_a_container_is_the_lowest_around_us(tmp_path, monkeypatch):
    own = tmp_path / "outer" / "inner"
    own.mkdir(parents=True)
    for folder, limit in ((tmp_path / "outer", "150000 100000"), (own, "max 100000")):
        (folder / "cgroup.procs").touch()
        (folder / "cpu.max").write_text(limit + "\n")
    monkeypatch.setattr(cgroup, "_current", lambda: str(own))
    assert cgroup.quota() == 1.5
    (own / "cpu.max").write_text("50000 100000\n")
    assert cgroup.quota() == 0.5
    monkeypatch.setattr(doctor_checks.system, "cores", lambda: (0, 1, 2))
    check = doctor_checks._cores()
    assert (check.state, check.figures["quota"]) == (Health.WEAK, 0.5)
    assert check.cure == "raise the quota, or set count = 1 under [workers]"
    monkeypatch.setattr(cgroup, "_current", lambda: None)
    assert cgroup.quota() is None


def test_low_limits_of_a_user_are_named(monkeypatch):
    low = {resource.RLIMIT_NOFILE: (64, 64), resource.RLIMIT_NPROC: (50, 50)}
    monkeypatch.setattr(resource, "getrlimit", low.__getitem__)
    check = doctor_checks._limits()
    assert (check.state, check.found) == (
        Health.WEAK,
        "only 64 open files (`ulimit -n`) and 50 processes (`ulimit -u`)",
    )


def test_a_language_counts_only_with_all_of_its_programs():
    check = doctor_checks.toolchains({"shell": ["sh"], "klingon": ["sh", "no-such-program"]})
    assert list(check.figures["found"]) == ["shell"]
    assert check.figures["missing"] == {"klingon": "no-such-program"}
    assert doctor_checks.toolchains({"klingon": ["no-such-program"]}).state is Health.WEAK


def measured(lanes, lost=0, failed=0, highest=0.001):
    return Measured(
        lanes=lanes,
        matches=9,
        answers=90,
        seconds=1.0,
        median=0.0001,
        high=highest,
        highest=highest,
        lost=lost,
        failed=failed,
    )


def test_false_time_losses_and_failed_matches_lower_the_number_of_matches_at_once():
    fair = measuring.lanes_check([measured(1), measured(2), measured(4)])
    assert (fair.state, fair.figures["at_once"], fair.cure) == (Health.GOOD, 4, "")
    for each in (measured(4, lost=2), measured(4, failed=1)):
        check = measuring.lanes_check([measured(1), measured(2), each])
        assert (check.state, check.figures["at_once"]) == (Health.WEAK, 2)
        assert check.cure == "set count = 2 under [workers], or raise margin under [time]"
    none = measuring.lanes_check([measured(1, lost=1)])
    assert (none.figures["at_once"], none.cure.startswith("end other programs")) == (0, True)


def test_a_clock_that_jumps_asks_for_a_longer_margin():
    assert measuring.clock_check(measured(1)).state is Health.GOOD
    jumping = measuring.clock_check(measured(1, highest=0.08))
    assert (jumping.state, jumping.cure) == (Health.WEAK, "set margin = 0.16 under [time]")


def test_a_level_that_fails_with_advice_of_its_own_gives_that_first(monkeypatch):
    reasons = {
        "landlock": "this kernel has no Landlock",
        "bubblewrap": "nobody can read it; install it elsewhere",
    }
    monkeypatch.setattr(choice, "failure", reasons.get)
    one, other, both = doctor_checks._levels()
    assert (one.found, one.cure) == ("this kernel has no Landlock", levels.TABLE["landlock"].needs)
    assert other.found == "nobody can read it"
    assert other.cure == f"install it elsewhere; {levels.TABLE['bubblewrap'].needs}"
    assert (both.name, both.state) == ("confinement", Health.BAD)
