"""What each attack aims at, how it is judged, and what is expected of it at each level: EXPECTED, the one table.

The words of a level's column are the keys of MEANING. Nothing here runs anything.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import truth
from truth import holds, itself, opponent, peak, reached, said, signalled

from arena.match import Limits

ATTACKS = Path(__file__).parent.parent
LEVELS = ("landlock", "bubblewrap", "rlimits", "none")
WARM = "landlock, warm"
"""The column beside those of the levels: a bot that was forked from the spawner."""
STOPPED, WATCHED, POSSIBLE = "stopped", "watched", "possible"
"""What can be found."""

MEANING = {
    "stopped": "it is refused, or there is nothing to be had",
    "watched": "arena sees it and ends the bot, as `limit_exceeded`",
    "limited": "refused or ended at a limit, whichever comes first",
    "possible": "it works",
    "harmless": "it works, and gains nothing",
    "kernel": "arena does nothing against it; it depends on the kernel and its settings",
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
PATIENCE = 30.0
"""Seconds until a bot must be ready: many start at once, perhaps on a busy machine."""
FORKS = Limits(processes=None)
"""Without a limit for the watchdog to see; where processes are confined it means one."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One attack."""

    category: str
    truth: truth.Truth
    user: tuple[str, ...]
    """What is expected, level by level, of a referee that an ordinary user runs."""
    root: tuple[str, ...]
    """The same, run by root: bots are other users, but at the level none."""
    warm: tuple[str, str]
    """The same of a bot that was started warm: of an ordinary user's, and of root's."""
    opponent: str = ""
    """`frozen` or `awake`, if there is one."""
    twice: str = ""
    """It has an accomplice: `later`, when that has ended; `meanwhile`, while it is frozen; `at once`, while it runs."""
    limits: Limits = FORKS
    alone: bool = False
    """Nothing else runs meanwhile: it is large, or it concerns everybody."""
    patience: float = PATIENCE
    """Seconds until it must have answered."""
    sockets: bool = False
    terminal: bool = False
    key: bool = False
    sleeper: bool = False
    kit: bool = False
    architecture: str = ""
    """The only one that it is written for."""


def row(category, proof, user, root="", warm="", **more) -> Row:
    """A row from letters; warm bots fare as others at their level, unless it is said."""
    columns = (user, root or user, warm or user[0] + (root or user)[0])
    users, roots, warms = (tuple(LETTERS[letter] for letter in letters) for letters in columns)
    return Row(category=category, truth=proof, user=users, root=roots, warm=warms, **more)


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
CPU = Limits(cpu=0.2, processes=4)
SCRATCH = 4_000_000
frozen, awake = {"opponent": "frozen"}, {"opponent": "awake"}
alone = {"alone": True}

DEVICES = [
    f"/dev/{name}" for name in ("kmsg", "mem", "vda", "sda", "fuse", "kvm", "net/tun", "ptmx", "pts/ptmx", "hwrng")
]

HIDDEN = itself(lambda facts: facts.stored > SCRATCH * 2)

# The columns: landlock bubblewrap rlimits none.
EXPECTED = {
    "reads_the_opponents_files": row(FILES, truth.leaked, "SSPP", **frozen),
    "lists_folders": row(FILES, truth.leaked, "SSPP"),
    "searches_from_its_own_folder_up": row(FILES, truth.leaked, "SSPP", "SSSP", **frozen),
    "reads_the_password_file": row(FILES, truth.line_of("/etc/passwd"), "SSPP"),
    "reads_a_private_key": row(FILES, truth.leaked, "SSPP", "SSSP"),
    "reads_the_referees_code": row(FILES, said(lambda scene: scene.stage.arena_file.read_text()[:80]), "SSPP"),
    "reads_the_results": row(FILES, truth.leaked, "SSPP"),
    "reads_through_proc_self_root": row(FILES, truth.leaked, "SSPP"),
    "reads_through_a_symbolic_link": row(FILES, truth.leaked, "SSPP"),
    "opens_by_handle": row(FILES, truth.leaked, "SSSS", "SSSP"),
    "inherits_the_environment": row(FILES, truth.leaked, "SSSS"),
    "inherits_descriptors": row(FILES, truth.leaked, "SSSS"),
    "searches_its_memory": row(FILES, truth.leaked, "SSSS", **frozen),
    "searches_its_objects": row(FILES, truth.leaked, "SSSS", **frozen),
    "reads_system_information": row(FILES, truth.line_of("/proc/version"), "SHHH"),
    "reads_devices": row(
        FILES,
        holds(
            "/dev/kmsg",
            "/dev/mem",
            "/dev/vda",
            "/dev/sda",
            "/dev/fuse",
            "/dev/kvm",
            "/dev/net/tun",
            "/dev/ptmx",
            "/dev/pts/ptmx",
            "/dev/hwrng",
        ),
        "SSPP",
    ),
    "measures_the_opponents_files": row(FILES, said(lambda scene: f"size {scene.size}"), "PSPP", **frozen),
    "watches_the_opponents_files": row(FILES, holds("inotify"), "SSPP"),
    "writes_outside": row(FILES, truth.changed, "SSPP"),
    "changes_the_results": row(FILES, truth.changed, "SSPP"),
    "creates_files_outside": row(FILES, truth.changed, "SSPP"),
    "creates_files_in_tmp": row(FILES, truth.left, "SSPP"),
    "creates_files_in_dev_shm": row(FILES, truth.left, "SSPP"),
    "creates_files_at_the_root": row(FILES, truth.left, "SSSS", "SSSP"),
    "writes_its_own_folder": row(FILES, truth.wrote_home, "SSHH"),
    "writes_through_a_symbolic_link": row(FILES, truth.changed, "SSPP"),
    "takes_a_file_by_a_hard_link": row(FILES, truth.linked, "SSPP"),
    "changes_modes": row(FILES, truth.changed, "SSPP", "SSSP"),
    "changes_times": row(FILES, truth.changed, "SSPP", "SSSP"),
    "changes_attributes": row(FILES, truth.changed, "SSKK"),
    "changes_flags": row(FILES, truth.changed, "SSKK", "SSSK"),
    "truncates": row(FILES, truth.changed, "SSPP"),
    "truncates_while_opening": row(FILES, truth.changed, "SSPP"),
    "removes_files": row(FILES, truth.changed, "SSPP"),
    "moves_files": row(FILES, truth.changed, "SSPP"),
    "makes_devices": row(FILES, truth.device, "SSSS", "SSSP"),
    "runs_what_it_wrote": row(FILES, itself(lambda facts: "/scratch/" in facts.program), "SHHH"),
    "runs_a_set_uid_program": row(FILES, itself(lambda facts: facts.uid == 0), "SSSP", "SSS-", patience=2.5),
    "writes_system_settings": row(FILES, truth.set_a_setting, "SSSS", "SSSP", **alone),
    "reads_the_referees_environment": row(PROCESSES, truth.leaked, "SSPP", "SSSP"),
    "reads_the_opponents_folder_through_proc": row(PROCESSES, truth.leaked, "SSPP", "SSSP", **frozen),
    "speaks_for_the_opponent": row(PROCESSES, truth.spoke_for_opponent, "SSPP", "SSSP", **frozen),
    "reads_the_opponents_memory": row(PROCESSES, truth.leaked, "SSKK", "SSSK", **frozen),
    "reads_the_opponents_memory_by_call": row(PROCESSES, truth.leaked, "SSKK", "SSSK", **frozen),
    "writes_the_opponents_memory": row(PROCESSES, truth.opponent_holds_other, "SSKK", "SSSK", **frozen),
    "traces_the_opponent": row(PROCESSES, opponent(lambda _, after: after.tracer), "SSKK", "SSSK", **frozen),
    "steals_the_opponents_descriptors": row(PROCESSES, truth.spoke_for_opponent, "SSKK", "SSSK", **frozen),
    "kills_the_opponent": row(PROCESSES, truth.opponent_gone, "SSPP", "SSSP", **frozen),
    "stops_the_opponent": row(PROCESSES, opponent(lambda _, after: after.state == "T"), "SSPP", "SSSP", **awake),
    "wakes_the_opponent": row(PROCESSES, opponent(lambda _, after: after.state != "T"), "SSPP", "SSSP", **frozen),
    "signals_the_referee": row(PROCESSES, signalled(truth.USR1), "SSPP", "SSSP"),
    "signals_everybody": row(PROCESSES, signalled(truth.URG), "SSPP", "SSSP", **alone),
    "signals_a_thread": row(PROCESSES, signalled(truth.USR2), "SSPP", "SSSP"),
    "queues_a_signal": row(PROCESSES, signalled(truth.QUEUED), "SSPP", "SSSP"),
    "signals_by_descriptor": row(PROCESSES, signalled(truth.BY_DESCRIPTOR), "SSPP", "SSSP"),
    "signals_by_a_pipe": row(PROCESSES, signalled(truth.BY_PIPE), "SSPP", "SSSP"),
    "limits_the_referee": row(PROCESSES, truth.limited_us, "SSPP", "SSSP"),
    "limits_the_opponent": row(
        PROCESSES, opponent(lambda before, after: before.limits != after.limits), "SSPP", "SSSP", **frozen
    ),
    "slows_the_opponent": row(PROCESSES, opponent(lambda _, after: after.priority == 19), "SSPP", "SSSP", **frozen),
    "idles_the_opponent": row(
        PROCESSES, opponent(lambda before, after: before.policy != after.policy), "SSPP", "SSSP", **frozen
    ),
    "pins_the_opponent": row(
        PROCESSES, opponent(lambda before, after: before.cores != after.cores), "SSPP", "SSSP", **frozen
    ),
    "slows_the_opponents_disk": row(
        PROCESSES, opponent(lambda before, after: before.disk != after.disk), "SSPP", "SSSP", **frozen
    ),
    "finds_processes": row(PROCESSES, said(lambda scene: f"found {scene.sleeper.pid}"), "PSPP", sleeper=True),
    "moves_itself_to_a_core": row(PROCESSES, itself(lambda facts: len(facts.cores) == 1), "SSPP"),
    "raises_its_limits": row(PROCESSES, itself(truth.raised), "SSS-", limits=Limits()),
    "hides_from_the_watchdog": row(PROCESSES, itself(lambda facts: not facts.dumpable), "SSPP", "SSP-"),
    "changes_its_group": row(PROCESSES, truth.fled, "SSPP"),
    "runs_on_out_of_turn": row(PROCESSES, truth.ran_on, "SSSS"),
    "wakes_itself_out_of_turn": row(PROCESSES, truth.ran_on, "SSPP"),
    "wakes_itself_by_a_timer": row(PROCESSES, truth.ran_on, "SSPP"),
    "connects_by_tcp": row(NETWORK, reached("tcp"), "SSPP", sockets=True),
    "sends_by_udp": row(NETWORK, reached("udp"), "SSPP", sockets=True),
    "connects_to_a_path": row(NETWORK, reached("unix"), "SSPP", sockets=True),
    "connects_to_an_abstract_name": row(NETWORK, reached("abstract"), "SSPP", sockets=True),
    "sends_from_a_socket_pair": row(NETWORK, reached("datagrams"), "SSPP", sockets=True),
    "listens": row(NETWORK, truth.served, "SSPP", sockets=True),
    "opens_a_netlink_socket": row(NETWORK, holds("socket:"), "SSPP"),
    "opens_a_vsock": row(NETWORK, holds("socket:"), "SSKK"),
    "opens_a_raw_socket": row(NETWORK, holds("socket:"), "SSSS", "SSSP"),
    "opens_a_crypto_socket": row(NETWORK, holds("socket:"), "SSKK"),
    "types_into_a_terminal": row(NETWORK, truth.typed, "SSKK", terminal=True),
    "makes_a_user_namespace": row(KERNEL, truth.elsewhere, "SSKK"),
    "makes_a_network_namespace": row(KERNEL, truth.elsewhere, "SSKK"),
    "forks_into_a_namespace": row(KERNEL, truth.elsewhere, "SSKK"),
    "forks_into_a_namespace_by_clone3": row(KERNEL, truth.elsewhere, "SSKK"),
    "enters_a_namespace": row(KERNEL, truth.elsewhere, "SSKK"),
    "mounts": row(KERNEL, truth.mounted, "SSKK"),
    "mounts_by_new_calls": row(KERNEL, holds("fscontext"), "SSKK"),
    "changes_its_root": row(KERNEL, itself(lambda facts: facts.root != "/"), "SSKK"),
    "handles_page_faults": row(KERNEL, holds("userfaultfd"), "SSKK"),
    "works_unseen_by_filters": row(KERNEL, holds("io_uring"), "SSKK"),
    "loads_bpf": row(KERNEL, holds("bpf"), "SSKK"),
    "counts_events": row(KERNEL, holds("perf_event"), "SSKK"),
    "calls_as_32_bit_code": row(KERNEL, holds("socket:"), "SSKK", architecture="x86_64"),
    "calls_as_x32_code": row(KERNEL, holds("socket:"), "SSKK", architecture="x86_64"),
    "changes_its_memory_layout": row(KERNEL, itself(lambda facts: facts.personality != 0), "SSHH"),
    "reads_the_kernels_log": row(KERNEL, said(lambda _: "log of"), "SSKK"),
    "dumps_core": row(KERNEL, truth.changed, "SSSK"),
    "outlives_its_spawner": row(LEFT, truth.outlived, "SSPP"),
    "leaves_a_daemon": row(LEFT, truth.stayed, "SSPP"),
    "leaves_a_grandchild_with_its_pipes": row(LEFT, truth.stayed, "SSPP", patience=2.5),
    "leaves_shared_memory": row(LEFT, truth.left, "SSPP"),
    "leaves_semaphores": row(LEFT, truth.left, "SSPP"),
    "leaves_messages": row(LEFT, truth.left, "SSPP"),
    "makes_a_message_queue": row(LEFT, truth.left, "SSSK"),
    "leaves_a_key": row(LEFT, truth.left, "SSKK"),
    "reads_a_key": row(LEFT, truth.leaked, "SSKK", "SSSK", key=True),
    "locks_its_folders": row(LEFT, truth.left, "WSWW", "SSSS"),
    "forks_without_end": row(AMOUNTS, peak("processes", 5), "SSWW", limits=Limits(), **alone),
    "threads_without_end": row(AMOUNTS, peak("threads", 400), "LLLL", **alone),
    "eats_memory": row(AMOUNTS, peak("memory", MEMORY), "SSSW", limits=SMALL, **alone),
    "eats_memory_in_children": row(AMOUNTS, peak("memory", MEMORY), "WWWW", limits=MANY, **alone),
    "eats_shared_memory": row(AMOUNTS, peak("memory", MEMORY), "WWWW", limits=SMALL, **alone),
    "eats_stack": row(AMOUNTS, peak("memory", MEMORY), "WWWW", limits=SMALL, **alone),
    "eats_memory_files": row(AMOUNTS, peak("memory_files", 20_000_000), "SSWW", limits=SMALL, **alone),
    "eats_memory_in_pipes": row(AMOUNTS, itself(lambda facts: facts.pipe > 1 << 16), "SSPP", **alone),
    "eats_memory_in_socket_pairs": row(AMOUNTS, peak("kernel", 12_000_000), "PPPP", **alone),
    "eats_cpu_in_threads": row(AMOUNTS, truth.always, "WWWW", limits=CPU, **alone),
    "eats_cpu_in_children": row(AMOUNTS, peak("children", 8), "PPPP", limits=CPU, **alone),
    "fills_its_scratch_folder": row(AMOUNTS, peak("stored", SCRATCH * 1.5), "WLWW", limits=SMALL, **alone),
    "fills_its_scratch_folder_with_names": row(AMOUNTS, peak("files", 1000), "WWWW", limits=SMALL, **alone),
    "digs_deep": row(AMOUNTS, truth.always, "WWWW", limits=SMALL, **alone),
    "allocates_past_the_end": row(AMOUNTS, peak("stored", SCRATCH * 1.5), "LLLL", limits=SMALL, **alone),
    "hides_data_in_removed_files": row(AMOUNTS, HIDDEN, "WLWW", limits=SMALL, **alone),
    "hides_data_in_nameless_files": row(AMOUNTS, HIDDEN, "SSLL", limits=SMALL, **alone),
    "hides_data_in_mapped_files": row(AMOUNTS, HIDDEN, "WLWW", limits=SMALL, **alone),
    "leaves_a_note": row(SIGNS, truth.told, "SSPP", twice="later"),
    "leaves_a_note_in_times_of_reading": row(SIGNS, truth.told, "KSKK", twice="later", kit=True, **alone),
    "leaves_a_note_in_the_page_cache": row(SIGNS, truth.told, "KKKK", twice="later", **alone),
    "signals_by_futexes": row(SIGNS, truth.told, "PPPP", twice="at once"),
    "signals_by_locks": row(SIGNS, truth.told, "SSPP", twice="meanwhile"),
    "signals_by_whole_file_locks": row(SIGNS, truth.told, "SSPP", twice="meanwhile"),
    "signals_by_memory": row(SIGNS, truth.told, "SSPP", twice="meanwhile"),
    "signals_by_names_of_sockets": row(SIGNS, truth.told, "SSPP", twice="meanwhile"),
}
