"""What the seccomp filter refuses a bot: the tables that people read and change; `seccomp.py` makes a filter of them.

One policy for the levels landlock and bubblewrap: namespaces or Landlock hide the world, this closes what they leave
open. What is REFUSED is EPERM; what is ABSENT is ENOSYS, as on an older kernel: every program has a plan B there. All
that is not named is free, as long as `syscalls.py` knows its number.
"""

REFUSED = {
    "a clock that wakes it while it is stopped, by SIGCONT": "timer_create",
    "another process: to read it, steer it, hold it": (
        "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_open pidfd_getfd"
    ),
    "signals whose target a filter cannot judge": "tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal",
    "out of the group that is killed and stopped whole": "setsid setpgid",
    "new namespaces, and into those of others": "unshare setns",
    "another file system": (
        "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick "
        "mount_setattr statmount listmount"
    ),
    "files by other names than their path, and devices": (
        "open_by_handle_at name_to_handle_at lookup_dcookie mknod mknodat"
    ),
    "attributes of files: Landlock guards what is in them": (
        "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr "
        "lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr"
    ),
    "a file cut short without being opened, which Landlock knows since its third version": "truncate",
    "what others do with files": (
        "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark"
    ),
    "marks that another bot finds: locks, keys, the page cache": "flock add_key request_key keyctl cachestat",
    "the network, and sockets of any family": "socket connect bind listen accept accept4",
    "memory and messages that outlive a bot": (
        "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl "
        "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"
    ),
    "memory that no limit counts, or that must stay where it is": (
        "memfd_create memfd_secret mlock mlock2 mlockall mbind set_mempolicy set_mempolicy_home_node "
        "migrate_pages move_pages"
    ),
    "the time of others: the scheduler, the disk": (
        "sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set sync syncfs"
    ),
    "who it is": "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset",
    "parts of the kernel with a long list of holes": "bpf perf_event_open userfaultfd modify_ldt uselib",
    "the machine": (
        "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl "
        "quotactl_fd settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm vhangup "
        "syslog"
    ),
}
ABSENT = {
    "work that the kernel does unseen by any filter": "io_uring_setup io_uring_enter io_uring_register io_setup",
    "flags in memory, where a filter cannot look; the older call has them in a register": "clone3 openat2",
    "a security label of its own": "lsm_set_self_attr",
}
PROCESSES = "fork vfork"
"""Refused, beside `clone` without CLONE_THREAD, when a bot may be one process only."""

FCNTL = (0, 1, 2, 3, 4, 9, 1027, 1030, 1032, 1034)
"""F_DUPFD, GETFD, SETFD, GETFL, SETFL, GETOWN, DUPFD_QUERY, DUPFD_CLOEXEC, GETPIPE_SZ, GET_SEALS; fcntl(2).

So no locks, leases, hints and notices, no owner of a file's signals, no larger pipe.
"""
IOCTL = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""TCGETS, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2; ioctl_list(2).

So no faked input (TIOCSTI), no owner (FIOSETOWN, FIOASYNC), and no flags, seals or encryption of files (FS_IOC_...):
for these it is enough to have opened a file for reading and to have its owner's uid, and Landlock lets them pass.
"""
PERSONALITY = (0, 0xFFFFFFFF)
"""As every program is, and the question which one it has."""

PRCTL = (1, 4, 35, 36, 62, 0x59616D61)
"""Refused: PR_SET_PDEATHSIG, DUMPABLE, MM, CHILD_SUBREAPER, PR_SCHED_CORE, PR_SET_PTRACER; prctl(2).

A bot would outlive its spawner, hide from the watchdog, look like another program, adopt, keep others off half of a
core, and call others to trace it.
"""

NAMELESS = 0o20000000
OPEN_BITS = 0o1003 | NAMELESS
OPEN_NEVER = (0o3, 0o1000, 0o1003, *(NAMELESS | bits for bits in (0, 1, 2, 3, 0o1000, 0o1001, 0o1002, 0o1003)))
"""Of O_ACCMODE, O_TRUNC and O_TMPFILE: O_TRUNC without the right to write, the mode 3, and files without a name.

Landlock asks for the right to write when a file is opened for writing, and below its third version for nothing more:
O_RDONLY with O_TRUNC empties any file. The mode 3 (for ioctl only) is asked for no right at all.
Files without a name take room in the scratch folder that nobody finds there.
"""
AF_UNIX = 1
PAIR_BITS, PAIRS = 0xF, (1, 5)
"""Of the type: SOCK_STREAM and SOCK_SEQPACKET, whose ends reach nobody but each other.

One end of a pair of SOCK_DGRAM can send to any socket that has a path, such as the one of the system's log.
"""
ALL_BITS = 0xFFFFFFFF

ONLY = {
    "fcntl": (1, ALL_BITS, FCNTL),
    "ioctl": (1, ALL_BITS, IOCTL),
    "personality": (0, ALL_BITS, PERSONALITY),
    "prlimit64": (0, ALL_BITS, (0,)),  # 0 is itself
    "fallocate": (1, ALL_BITS, (0,)),  # no room past the end of a file, which RLIMIT_FSIZE does not count
    "preadv2": (5, ALL_BITS, (0,)),  # not RWF_NOWAIT: what is in the page cache is somebody else's trace
}
"""Free when these bits of the argument with this index are one of these values, else refused."""

NEVER = {
    "prctl": (0, ALL_BITS, PRCTL),
    "fadvise64": (3, ALL_BITS, (4,)),  # POSIX_FADV_DONTNEED, which leaves such a trace
    "open": (1, OPEN_BITS, OPEN_NEVER),
    "openat": (2, OPEN_BITS, OPEN_NEVER),
}
"""Refused when these bits of the argument with this index are one of these values, else free."""

TO_ITSELF = "kill tgkill"
"""Outside a pid namespace, free only when the first argument is the bot's own pid."""

CLONE_THREAD, CLONE_PARENT = 0x10000, 0x8000
CLONE_NEW = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME is for clone3 and unshare only."""
