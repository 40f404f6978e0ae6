"""EXPECTED, the one table of attacks: the targets and the proof that each needs, and what is
expected at each level.

The words of a level's column are the keys of MEANING. Nothing here runs anything. A proof is what
is true outside, never what the bot claims; batch.py says when it is looked at.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import outside
from outside import Process

from arena.sandbox import procfs
from arena.values import Limits

ATTACKS = Path(__file__).parent.parent
LEVELS = ("landlock", "bubblewrap", "rlimits", "none")
WARM = "landlock, warm"
"""The column beside those of the levels: a bot that was forked from the spawner."""
STOPPED, WATCHED, POSSIBLE = "stopped", "watched", "possible"
"""The results."""

MEANING = {
    "stopped": "it is refused, or there is nothing to be had",
    "watched": "arena sees it and ends the bot, as `limit_exceeded`",
    "limited": "refused or ended at a limit, whichever comes first",
    "possible": "it works",
    "harmless": "it works, and gains nothing",
    "kernel": (
        "arena does nothing against it; it depends on the kernel, its settings and the moment"
    ),
    "-": "not tried: it would mean nothing there",
}
ACCEPTED = {
    "stopped": {STOPPED},
    "watched": {WATCHED},
    "limited": {STOPPED, WATCHED},
    "possible": {POSSIBLE},
    "harmless": {POSSIBLE},
    "kernel": {STOPPED, POSSIBLE},
}
LETTERS = {word[0].upper(): word for word in MEANING}
PATIENCE_S = 30.0
"""A bot must be ready by then: many start at once, perhaps on a busy machine."""
HANGS_S = 2.5
"""The same for attacks after which nobody answers: the scene is looked at when this is over."""
FORKS = Limits(processes=None)
"""Without a limit for the watchdog to see; where processes are confined it means one."""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A way to see that an attack got what it meant to. `scene` is a Scene of scene.py."""

    frozen: Callable[[Any], object] | None = None
    """Look while the attacker lives and is not asked. What is gone by then (an OSError) proves
    nothing."""
    ended: Callable[[Any, Any], object] = lambda _, seen: seen
    """Judge once it has ended, before what it left is swept, with what `frozen` returned (None = it
    was gone)."""
    peak: tuple[str, float] | None = None
    """Instead: one of the measures of batch.py, and how much of it there must have been at one
    moment."""


def while_frozen(look: Callable[[Any], object]) -> Proof:
    return Proof(frozen=look)


def at_its_end(judge: Callable[[Any], object]) -> Proof:
    return Proof(ended=lambda scene, _: judge(scene))


def peak(measure: str, most: float) -> Proof:
    """More of this than allowed, at one moment while it was played alone."""
    return Proof(peak=(measure, most))


def itself(look: Callable[[Process], object]) -> Proof:
    """Something about the attacker's own process."""
    return while_frozen(lambda scene: scene.bot.program and look(Process(scene.bot.program)))


def holds(*marks: str) -> Proof:
    """One of its descriptors leads to something of this kind."""
    return itself(lambda process: any(mark in link for link in process.links for mark in marks))


def opponent(look: Callable[[Process], object]) -> Proof:
    """Something about its opponent, which lives."""
    return while_frozen(
        lambda scene: scene.opponent.program and look(Process(scene.opponent.program))
    )


def opponent_differs(name: str) -> Proof:
    """The kernel treats its opponent in another way than before."""
    return while_frozen(
        lambda scene: (
            Process(scene.opponent.program).treatment()[name] != scene.opponent_before[name]
        )
    )


def said(expected: Callable[[Any], str]) -> Proof:
    """It said what it cannot know; what that is, is looked up while it lives."""
    return Proof(frozen=expected, ended=lambda scene, text: text is not None and text in scene.said)


def line_of(path: str) -> Proof:
    """It said a line of this file."""
    return at_its_end(
        lambda scene: any(
            line in scene.said for line in Path(path).read_text().splitlines() if len(line) > 15
        )
    )


def signalled(number: int) -> Proof:
    """This signal waits for us; it is taken away."""
    return while_frozen(lambda _: signal.sigtimedwait([number], 0))


def reached(name: str) -> Proof:
    """Something came in at this socket of ours."""
    return while_frozen(lambda scene: outside.arrived(scene.sockets[name]))


LEAKED = said(lambda scene: scene.stage.token)
TOLD = said(lambda scene: scene.message)  # which only its accomplice knew
CHANGED = at_its_end(lambda scene: scene.before[:2] != scene.after[:2] or scene.new_files)
LEFT_BEHIND = at_its_end(lambda scene: scene.left)
STAYED = at_its_end(lambda scene: scene.stays())
FLED = while_frozen(  # from the group that is stopped and killed
    lambda scene: any(
        procfs.group(pid) not in (None, scene.bot.child.pid) for pid in scene.processes()
    )
)
RAISED = itself(
    lambda process: any(hard == str(1 << 40) for _, hard in process.treatment()["limits"].values())
)
MOUNTED = while_frozen(
    lambda scene: f"tmpfs {scene.tag} " in Process(scene.bot.program).text("mountinfo")
)
ELSEWHERE = while_frozen(lambda scene: scene.changed_namespace())
RAN_ON = while_frozen(lambda scene: scene.used_while_frozen > 0.003)
SPOKE_FOR_OPPONENT = while_frozen(
    lambda scene: scene.tag.encode() in outside.waiting(scene.opponent.child.stdout)
)
OVERWRITTEN = while_frozen(  # the secret of its opponent
    lambda scene: (
        Process(scene.opponent.program).memory(scene.address, len(scene.stage.token))
        != scene.stage.token.encode()
    )
)
KILLED = while_frozen(lambda scene: Process(scene.opponent.program).state in ("", "Z"))
TRACED = opponent(lambda process: process.status("TracerPid"))
LOWEST = 19
"""The priority below which there is none."""
TYPED = while_frozen(lambda scene: scene.tag.encode() in outside.waiting(scene.slave))
UNREADABLE = itself(lambda process: (process.folder / "fd").stat().st_uid != process.user)
CLOCK = said(lambda scene: f"used {Process(scene.opponent.program).cpu}")
AT_HOME = while_frozen(lambda scene: (scene.bot.child.room.home / "written.txt").exists())
LINKED = while_frozen(lambda scene: outside.state(scene.canary) != scene.before[0])
LAID_OUT = itself(lambda process: int(process.text("personality") or "0", 16))
SIZE = said(lambda scene: f"size {(scene.stage.innocent / 'secret.txt').stat().st_size}")
SET = at_its_end(lambda scene: SETTING.read_text() != scene.setting)
ALWAYS = at_its_end(lambda _: True)  # it works unless it is watched
USR1, USR2, URG = signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG
QUEUED, BY_DESCRIPTOR, BY_PIPE = (signal.SIGRTMIN + number for number in (1, 2, 3))
SIGNALS = {USR1, USR2, URG, QUEUED, BY_DESCRIPTOR, BY_PIPE}
"""Signals that a batch blocks, so that they wait to be seen."""
ARENA_FILE = Path(procfs.__file__)
SETTING = Path("/proc/sys/kernel/printk_ratelimit_burst")
"""Of the kernel's settings, one that hurts nobody."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One attack."""

    category: str
    proof: Proof
    user: tuple[str, ...]
    """The expected words, level by level, for a referee that an ordinary user runs."""
    root: tuple[str, ...]
    """The same, run by root: bots are other users, but at the level none."""
    warm: tuple[str, str]
    """The same of a bot that was started warm: of an ordinary user's, and of root's."""
    opponent: str = ""
    """`frozen` or `awake`, if there is one."""
    twice: str = ""
    """It has an accomplice: `later`, when that has ended; `meanwhile`, while it is frozen; `at
    once`, while it runs."""
    limits: Limits = FORKS
    alone: bool = False
    """Nothing else runs meanwhile: it is large, or it concerns everybody."""
    patience: float = PATIENCE_S
    needs: str = ""
    """Another target that it has: `sockets`, a `terminal`, a `key`, a `sleeper` (a process), a
    `setting` (SETTING); `files` beside the canary; or the `kit`."""
    architecture: str = ""
    """The only one that it is written for."""


def row(category, proof, user, root="", warm="", **more) -> Row:
    """A row from letters; warm bots fare as others at their level, unless it is said."""
    columns = (user, root or user, warm or user[0] + (root or user)[0])
    users, roots, warms = (tuple(LETTERS[letter] for letter in letters) for letters in columns)
    return Row(category=category, proof=proof, user=users, root=roots, warm=warms, **more)


FILES, PROCESSES, NETWORK, KERNEL, LEFT, AMOUNTS, SIGNS = (
    "Files",
    "Other processes",
    "Network and terminal",
    "The kernel",
    "What outlives a match",
    "Amounts",
    "Signs to an accomplice, or to oneself",
)
SMALL = Limits(processes=None, memory=64_000_000, scratch=4_000_000, files=300)
"""So that a large appetite is still a small one."""

MANY = replace(SMALL, processes=8)
MEMORY = 64_000_000 * 1.25
CPU = Limits(cpu=0.1, processes=4)
SHORT_LIVES = Limits(cpu=0.3, processes=20)
"""More than those have that live at one moment, also where a busy machine lets them live longer."""
SCRATCH = 4_000_000
frozen, awake = {"opponent": "frozen"}, {"opponent": "awake"}
alone = {"alone": True}

DEVICES = ("kmsg", "mem", "vda", "sda", "fuse", "kvm", "net/tun", "ptmx", "pts/ptmx", "hwrng")

IN_FILES = while_frozen(lambda scene: scene.in_scratch()[0] > SCRATCH * 2)
HIDDEN = itself(lambda process: process.hidden > SCRATCH * 2)

# The columns: landlock bubblewrap rlimits none.
EXPECTED = {
    "reads_the_opponents_files": row(FILES, LEAKED, "SSPP", **frozen),
    "lists_folders": row(FILES, LEAKED, "SSPP", needs="files"),
    "searches_from_its_own_folder_up": row(FILES, LEAKED, "SSPP", "SSSP", **frozen),
    "reads_the_password_file": row(FILES, line_of("/etc/passwd"), "SSPP"),
    "reads_a_private_key": row(FILES, LEAKED, "SSPP", "SSSP", needs="files"),
    "reads_the_referees_code": row(FILES, said(lambda _: ARENA_FILE.read_text()[:80]), "SSPP"),
    "reads_the_results": row(FILES, LEAKED, "SSPP", needs="files"),
    "reads_through_proc_self_root": row(FILES, LEAKED, "SSPP"),
    "reads_through_a_symbolic_link": row(FILES, LEAKED, "SSPP"),
    "opens_by_handle": row(FILES, LEAKED, "SSSS", "SSSP"),
    "inherits_the_environment": row(FILES, LEAKED, "SSSS"),
    "inherits_descriptors": row(FILES, LEAKED, "SSSS"),
    "searches_its_memory": row(FILES, LEAKED, "SSSS", **frozen),
    "searches_its_objects": row(FILES, LEAKED, "SSSS", **frozen),
    "reads_notes_at_files": row(FILES, LEAKED, "SSKK"),
    "reads_system_information": row(FILES, line_of("/proc/version"), "SHHH"),
    "reads_devices": row(FILES, holds(*(f"/dev/{name}" for name in DEVICES)), "SSPP"),
    "measures_the_opponents_files": row(FILES, SIZE, "PSPP", **frozen),
    "reads_the_opponents_clock": row(PROCESSES, CLOCK, "SSPP", **frozen),
    "sleeps_on_the_opponents_clock": row(PROCESSES, CLOCK, "SSPP", **frozen),
    "watches_the_opponents_files": row(FILES, holds("inotify"), "SSPP"),
    "writes_outside": row(FILES, CHANGED, "SSPP"),
    "changes_the_results": row(FILES, CHANGED, "SSPP", needs="files"),
    "creates_files_outside": row(FILES, CHANGED, "SSPP"),
    "creates_files_in_tmp": row(FILES, LEFT_BEHIND, "SSPP"),
    "creates_files_in_dev_shm": row(FILES, LEFT_BEHIND, "SSPP"),
    "creates_files_at_the_root": row(FILES, LEFT_BEHIND, "SSSS", "SSSP"),
    "writes_its_own_folder": row(FILES, AT_HOME, "SSHH"),
    "writes_through_a_symbolic_link": row(FILES, CHANGED, "SSPP"),
    "takes_a_file_by_a_hard_link": row(FILES, LINKED, "SSPP"),
    "changes_modes": row(FILES, CHANGED, "SSPP", "SSSP"),
    "changes_times": row(FILES, CHANGED, "SSPP", "SSSP"),
    "changes_attributes": row(FILES, CHANGED, "SSKK"),
    "changes_flags": row(FILES, CHANGED, "SSKK", "SSSK"),
    "truncates": row(FILES, CHANGED, "SSPP"),
    "truncates_while_opening": row(FILES, CHANGED, "SSPP"),
    "removes_files": row(FILES, CHANGED, "SSPP"),
    "moves_files": row(FILES, CHANGED, "SSPP"),
    "makes_devices": row(FILES, while_frozen(lambda scene: scene.in_scratch()[2]), "SSSS", "SSSP"),
    "runs_what_it_wrote": row(
        FILES, itself(lambda process: "/room" in process.link("exe")), "SHHH"
    ),
    "runs_a_set_uid_program": row(
        FILES, itself(lambda process: process.user == 0), "SSSP", "SSS-", patience=HANGS_S
    ),
    "writes_system_settings": row(FILES, SET, "SSSS", "SSSP", needs="setting", **alone),
    "reads_the_referees_environment": row(PROCESSES, LEAKED, "SSPP", "SSSP"),
    "reads_the_opponents_folder_through_proc": row(PROCESSES, LEAKED, "SSPP", "SSSP", **frozen),
    "speaks_for_the_opponent": row(PROCESSES, SPOKE_FOR_OPPONENT, "SSPP", "SSSP", **frozen),
    "reads_the_opponents_memory": row(PROCESSES, LEAKED, "SSKK", "SSSK", **frozen),
    "reads_the_opponents_memory_by_call": row(PROCESSES, LEAKED, "SSKK", "SSSK", **frozen),
    "writes_the_opponents_memory": row(PROCESSES, OVERWRITTEN, "SSKK", "SSSK", **frozen),
    "traces_the_opponent": row(PROCESSES, TRACED, "SSKK", "SSSK", **frozen),
    "steals_the_opponents_descriptors": row(
        PROCESSES, SPOKE_FOR_OPPONENT, "SSKK", "SSSK", **frozen
    ),
    "kills_the_opponent": row(PROCESSES, KILLED, "SSPP", "SSSP", **frozen),
    "stops_the_opponent": row(
        PROCESSES, opponent(lambda process: process.state == "T"), "SSPP", "SSSP", **awake
    ),
    "wakes_the_opponent": row(
        PROCESSES, opponent(lambda process: process.state != "T"), "SSPP", "SSSP", **frozen
    ),
    "signals_the_referee": row(PROCESSES, signalled(USR1), "SSPP", "SSSP"),
    "signals_everybody": row(PROCESSES, signalled(URG), "SSPP", "SSSP", **alone),
    "signals_a_thread": row(PROCESSES, signalled(USR2), "SSPP", "SSSP"),
    "queues_a_signal": row(PROCESSES, signalled(QUEUED), "SSPP", "SSSP"),
    "signals_by_descriptor": row(PROCESSES, signalled(BY_DESCRIPTOR), "SSPP", "SSSP"),
    "signals_by_a_pipe": row(PROCESSES, signalled(BY_PIPE), "SSPP", "SSSP"),
    "limits_the_referee": row(
        PROCESSES, at_its_end(lambda scene: scene.before[2] != scene.after[2]), "SSPP", "SSSP"
    ),
    "limits_the_opponent": row(PROCESSES, opponent_differs("limits"), "SSPP", "SSSP", **frozen),
    "slows_the_opponent": row(PROCESSES, opponent_differs("priority"), "SSPP", "SSSP", **frozen),
    "idles_the_opponent": row(PROCESSES, opponent_differs("policy"), "SSPP", "SSSP", **frozen),
    "pins_the_opponent": row(PROCESSES, opponent_differs("cores"), "SSPP", "SSSP", **frozen),
    "slows_the_opponents_disk": row(
        PROCESSES, opponent_differs("priority at the disk"), "SSPP", "SSSP", **frozen
    ),
    "finds_processes": row(
        PROCESSES, said(lambda scene: f"found {scene.sleeper.pid}"), "PSPP", needs="sleeper"
    ),
    "moves_itself_to_a_core": row(
        PROCESSES, itself(lambda process: len(process.treatment()["cores"]) == 1), "SSPP"
    ),
    "raises_its_limits": row(PROCESSES, RAISED, "SSS-", limits=Limits()),
    "kills_itself": row(
        PROCESSES, at_its_end(lambda scene: "SIGKILL" in scene.bot.reply.words), "SSPP"
    ),
    "stops_itself": row(
        PROCESSES,
        at_its_end(lambda scene: scene.bot.reply.ending == "timeout"),
        "SSPP",
        patience=HANGS_S,
    ),
    "hides_from_the_watchdog": row(PROCESSES, UNREADABLE, "SSPP", "SSP-"),
    "changes_its_group": row(PROCESSES, FLED, "SSPP"),
    "runs_on_out_of_turn": row(PROCESSES, RAN_ON, "SSSS"),
    "wakes_itself_out_of_turn": row(PROCESSES, RAN_ON, "SSPP"),
    "wakes_itself_while_it_is_stopped": row(PROCESSES, RAN_ON, "SSKK"),
    "wakes_itself_by_ends_of_children": row(PROCESSES, RAN_ON, "SSKK", limits=Limits(processes=64)),
    "wakes_its_parent_out_of_turn": row(PROCESSES, RAN_ON, "SSSS", limits=Limits(processes=4)),
    "works_on_in_the_kernel": row(PROCESSES, RAN_ON, "SSKK", **alone),
    "wakes_itself_by_a_timer": row(
        PROCESSES, RAN_ON, "SSKK"
    ),  # a timer must expire between two stops
    "connects_by_tcp": row(NETWORK, reached("tcp"), "SSPP", needs="sockets"),
    "sends_by_udp": row(NETWORK, reached("udp"), "SSPP", needs="sockets"),
    "connects_to_a_path": row(NETWORK, reached("unix"), "SSPP", needs="sockets"),
    "connects_to_an_abstract_name": row(NETWORK, reached("abstract"), "SSPP", needs="sockets"),
    "sends_from_a_socket_pair": row(NETWORK, reached("datagrams"), "SSPP", needs="sockets"),
    "listens": row(
        NETWORK, while_frozen(lambda scene: outside.connects(scene.free)), "SSPP", needs="sockets"
    ),
    "opens_a_netlink_socket": row(NETWORK, holds("socket:"), "SSPP"),
    "opens_a_vsock": row(NETWORK, holds("socket:"), "SSKK"),
    "opens_a_raw_socket": row(NETWORK, holds("socket:"), "SSSS", "SSSP"),
    "opens_a_crypto_socket": row(NETWORK, holds("socket:"), "SSKK"),
    "types_into_a_terminal": row(NETWORK, TYPED, "SSKK", needs="terminal"),
    "makes_a_user_namespace": row(KERNEL, ELSEWHERE, "SSKK"),
    "makes_a_network_namespace": row(KERNEL, ELSEWHERE, "SSKK"),
    "forks_into_a_namespace": row(KERNEL, ELSEWHERE, "SSKK"),
    "forks_into_a_namespace_by_clone3": row(KERNEL, ELSEWHERE, "SSKK"),
    "enters_a_namespace": row(KERNEL, ELSEWHERE, "SSKK"),
    "mounts": row(KERNEL, MOUNTED, "SSKK"),
    "mounts_by_new_calls": row(KERNEL, holds("fscontext"), "SSKK"),
    "changes_its_root": row(KERNEL, itself(lambda process: process.link("root") != "/"), "SSKK"),
    "handles_page_faults": row(KERNEL, holds("userfaultfd"), "SSKK"),
    "works_unseen_by_filters": row(KERNEL, holds("io_uring"), "SSKK"),
    "loads_bpf": row(KERNEL, holds("bpf"), "SSKK"),
    "counts_events": row(KERNEL, holds("perf_event"), "SSKK"),
    "calls_as_32_bit_code": row(KERNEL, holds("socket:"), "SSKK", architecture="x86_64"),
    "calls_as_x32_code": row(KERNEL, holds("socket:"), "SSKK", architecture="x86_64"),
    "changes_its_memory_layout": row(KERNEL, LAID_OUT, "SSHH"),
    "reads_the_kernels_log": row(KERNEL, said(lambda _: "log of"), "SSKK"),
    "dumps_core": row(KERNEL, CHANGED, "SSSK"),
    "outlives_its_spawner": row(LEFT, STAYED, "SSPP", **alone),
    "leaves_a_daemon": row(LEFT, STAYED, "SSPP"),
    "leaves_a_grandchild_with_its_pipes": row(LEFT, STAYED, "SSPP", patience=HANGS_S),
    "leaves_shared_memory": row(LEFT, LEFT_BEHIND, "SSPP"),
    "leaves_semaphores": row(LEFT, LEFT_BEHIND, "SSPP"),
    "leaves_messages": row(LEFT, LEFT_BEHIND, "SSPP"),
    "makes_a_message_queue": row(LEFT, LEFT_BEHIND, "SSSK"),
    "leaves_a_key": row(LEFT, LEFT_BEHIND, "SSKK"),
    "reads_a_key": row(LEFT, LEAKED, "SSKK", "SSSK", needs="key"),
    "locks_its_folders": row(LEFT, LEFT_BEHIND, "WSWW", "SSSS"),
    "forks_without_end": row(AMOUNTS, peak("processes", 5), "SSWW", limits=Limits(), **alone),
    "leaves_its_children_unreaped": row(
        AMOUNTS, peak("ended", 450), "LLLL", limits=Limits(processes=3), **alone
    ),
    "threads_without_end": row(AMOUNTS, peak("threads", 400), "LLLL", **alone),
    "eats_memory": row(AMOUNTS, peak("memory", MEMORY), "SSSW", limits=SMALL, **alone),
    "eats_memory_in_children": row(AMOUNTS, peak("memory", MEMORY), "WWWW", limits=MANY, **alone),
    "eats_shared_memory": row(AMOUNTS, peak("memory", MEMORY), "SSWW", limits=SMALL, **alone),
    "hides_shared_memory": row(AMOUNTS, peak("shared", 80_000_000), "SSPP", limits=SMALL, **alone),
    "hides_shared_memory_in_a_device": row(
        AMOUNTS, peak("shared", 80_000_000), "SSPP", limits=SMALL, **alone
    ),
    "eats_stack": row(AMOUNTS, peak("memory", MEMORY), "SSWW", limits=SMALL, **alone),
    "hides_memory_in_page_tables": row(
        AMOUNTS, peak("tables", MEMORY), "WWWW", limits=SMALL, **alone
    ),
    "eats_memory_files": row(
        AMOUNTS, peak("memory_files", 20_000_000), "SSWW", limits=SMALL, **alone
    ),
    "eats_memory_in_pipes": row(
        AMOUNTS, itself(lambda process: process.pipe_size > 1 << 16), "SSPP", **alone
    ),
    "hides_memory_in_pipes": row(AMOUNTS, itself(lambda process: process.piped), "SSPP"),
    "hides_pages_of_files_in_pipes": row(AMOUNTS, itself(lambda process: process.piped), "SSPP"),
    "eats_memory_in_socket_pairs": row(AMOUNTS, peak("kernel", 12_000_000), "PPPP", **alone),
    "fills_its_queue_of_signals": row(
        AMOUNTS, itself(lambda process: process.queued > 10_000), "SSSP"
    ),
    "eats_cpu_in_threads": row(AMOUNTS, ALWAYS, "WWWW", limits=CPU, **alone),
    "eats_cpu_in_children": row(AMOUNTS, peak("children", 8), "PPPP", limits=SHORT_LIVES, **alone),
    "fills_its_scratch_folder": row(
        AMOUNTS, peak("stored", SCRATCH * 1.5), "WLWW", limits=SMALL, **alone
    ),
    "fills_its_scratch_folder_with_names": row(
        AMOUNTS, peak("files", 450), "WWWW", limits=SMALL, **alone
    ),
    "digs_deep": row(AMOUNTS, ALWAYS, "WWWW", limits=SMALL, **alone),
    "allocates_past_the_end": row(
        AMOUNTS, peak("stored", SCRATCH * 1.5), "LLLL", limits=SMALL, **alone
    ),
    "hides_data_in_removed_files": row(AMOUNTS, HIDDEN, "WLWW", limits=SMALL, **alone),
    "hides_data_on_its_way": row(
        AMOUNTS, itself(lambda process: process.in_flight), "SSPP", limits=SMALL
    ),
    "hides_data_in_a_thread": row(AMOUNTS, HIDDEN, "SLPP", limits=SMALL, **alone),
    "hides_data_behind_its_end": row(AMOUNTS, HIDDEN, "WLWW", limits=SMALL, **alone),
    "hides_data_behind_vanishing_names": row(AMOUNTS, IN_FILES, "WLWW", limits=SMALL, **alone),
    "hides_data_on_the_move": row(AMOUNTS, IN_FILES, "WLWW", limits=SMALL, **alone),
    "hides_data_in_nameless_files": row(AMOUNTS, HIDDEN, "SSLL", limits=SMALL, **alone),
    "hides_data_in_mapped_files": row(AMOUNTS, HIDDEN, "WLWW", limits=SMALL, **alone),
    "leaves_a_note": row(SIGNS, TOLD, "SSPP", twice="later"),
    "leaves_a_note_in_times_of_reading": row(
        SIGNS, TOLD, "KSKK", twice="later", needs="kit", **alone
    ),
    "leaves_a_note_in_the_page_cache": row(SIGNS, TOLD, "KKKK", twice="later", **alone),
    "signals_by_futexes": row(SIGNS, TOLD, "PPPP", twice="at once"),
    "signals_by_locks": row(SIGNS, TOLD, "SSPP", twice="meanwhile"),
    "signals_by_whole_file_locks": row(SIGNS, TOLD, "SSPP", twice="meanwhile"),
    "signals_by_memory": row(SIGNS, TOLD, "SSPP", twice="meanwhile"),
    "signals_by_names_of_files": row(SIGNS, TOLD, "SSPP", "SSSP", twice="meanwhile"),
    "signals_by_names_of_sockets": row(SIGNS, TOLD, "SSPP", twice="meanwhile"),
}
