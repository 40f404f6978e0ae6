"""Start a bot's process, confined. Every bot process is started here, and nowhere else.

Other packages use `launcher.py`. Behind it:

- Policy: `call_policy.py` lists the system calls that a bot may make, `file_policy.py` the files that it may read.
  These are the tables to read and to change first.
- Start: `spawner.py` is a small process that forks the bots, and `spawner_process.py` is the referee's end of it.
  `child_setup.py` is what a fork of it does until it is the bot,
  `warm.py` makes a Python bot of a fork without a start of the interpreter, `building.py` runs a build command.
- Elsewhere than on Linux: `portable.py` starts bots as plain subprocesses, and takes the place of the spawner.
- Levels: `landlock.py`, `bubblewrap.py`, `rlimits.py`, one file each. `level.py` says what a level is,
  `levels.py` has the table, `choice.py` chooses, and `selftest.py` tries a level with `selftest_bot.py`.
- System calls: `seccomp.py` and `syscalls.py` make the kernel's filter from the policy; `refused.py` finds
  out which calls the filter refused, `forks.py` counts the forks of a bot of several processes, and
  `notifications.py` answers the kernel for both.
- Files: `toolchain.py` finds what a command needs, `folder.py` makes what a bot has on disk, `copying.py` copies it,
  and `exposure.py` refuses to play where private files lie in a folder that bots may read.
- Users: `users.py` gives a bot a user of its own when root runs arena.
- While a bot runs: `child.py` is its process, `freezer.py` stops it, `watchdog.py` and `meter.py` (`family.py` for
  a bot of several processes) look at it from outside, `procfs.py` reads /proc for them, `cgroup.py` uses the
  kernel's own count where arena has a delegated cgroup.
- Of arena itself: `descriptors.py` keeps descriptors 0 to 2 open, `cores.py` decides which lane has which core.
"""
