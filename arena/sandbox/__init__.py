"""Start a bot's process, confined. Every bot process is started here, and nowhere else.

Other packages use `launcher.py`. Behind it:

- Policy: `call_policy.py` lists the system calls that a bot may make, `file_policy.py` the files
  that it may read. These are the tables to read and to change first.
- Start: `spawner.py` is a small process that forks the bots, and `spawner_process.py` is the
  referee's end of it. `child_setup.py` is what a fork of it does until it is the bot, `warm.py`
  makes a Python bot of a fork without a start of the interpreter, `building.py` runs a build
  command.
- Elsewhere than on Linux: `portable.py` starts bots as plain subprocesses, and takes the place of
  the spawner.
- Levels: `landlock.py`, `bubblewrap.py`, `rlimits.py`, one file each. `level.py` says what a level
  is, `levels.py` has the table, `choice.py` chooses, and `selftest.py` tries a level with
  `selftest_bot.py`.
- System calls: `seccomp.py` and `syscalls.py` make the kernel's filter from the policy;
  `refused.py` finds out which calls the filter refused, `forks.py` counts the forks of a bot of
  several processes, and `notifications.py` answers the kernel for both.
- Networks: `own_network.py` gives a program a loopback of its own, where arena listens.
- Files: `toolchain.py` finds what a command needs, `folder.py` makes what a bot has on disk,
  `copying.py` copies it, and `exposure.py` refuses to play where private files lie in a folder that
  bots may read.
- Users: `users.py` gives a bot a user of its own when root runs arena.
- While a bot runs: `child.py` is its process, `freezer.py` stops it, `watchdog.py` and `meter.py`
  (`family.py` for a bot of several processes) look at it from outside, `procfs.py` reads /proc for
  them, `cgroup.py` uses the kernel's own count where arena has a delegated cgroup.
- Of arena itself: `descriptors.py` keeps descriptors 0 to 2 open, `cores.py` decides which lane has
  which core.

Where to change what (paths begin below arena/):

- a level of confinement: a file with a subclass of `Level`, `sandbox/level.py`, and its place in
  `sandbox/levels.py` `_LEVELS`, the order in which auto tries them; its name in
  `event/config/__init__.py` `sandbox`, and in the help of `--sandbox`: `cli/options.py` `Sandbox`;
  docs/confinement.md, docs/tournament.md, SECURITY.md, then the schema and `python tests/pages.py`;
  what each attack does there: `tests/attacks/harness/table.py` `LEVELS`
- which system calls all bots may make: `sandbox/call_policy.py`, then `python
  tests/attacks/harness/page.py`
- which system calls the bots of one event may make: the key `syscalls` of tournament.toml: no
  code; `event/config/__init__.py` `conditions` checks the key
- which files a bot may read: `sandbox/file_policy.py`, for both confining levels;
  `sandbox/toolchain.py` finds what its interpreter needs; `sandbox/exposure.py` refuses private
  files there
- what differs where the system is not Linux: `system.py`; how bots start there:
  `sandbox/portable.py`; which commands play there without the option unsafe: `sandbox/choice.py`
  `choose`; how it is tested: tests/not_linux/; docs/laptops.md
- a limit for bots: its value: `values.py` `Limits`, `event/tables/__init__.py` `BotLimits` (its
  key in tournament.toml and bot.toml), `sandbox/building.py` `BUILD_LIMITS` (of builds); who
  enforces it: the kernel, for one process: `sandbox/rlimits.py`; sums of the whole bot, seen from
  outside: `sandbox/watchdog.py`; what it prints: `match/bot/output.py`
- what the organiser allows one bot by its name (`[[bot]]` `processes`), or all bots (`threads`):
  `event/config/__init__.py` `as_entered`, `unmet_requests`; bots get it in an event by `event`
  there, and in all other matches by `workspace.py` `built`; what it means in a match:
  `values.py` `limits_of`
- a limit for bots: the words of its verdict, and the advice: `failure.py` `Cause`,
  `match/bot/postmortem.py` `limit_exceeded`, `author/checkup/advice.py` `LIMIT_ADVICE`;
  docs/endings.md, docs/tournament.md, the schema
- a limit for bots: its test: a file in `tests/bad_bots/` and its row in `tests/support/sins.py`
  `SINS`
- the limits of what runs in a process of its own: the module that asks for it:
  `author/submissions/unpacking.py` (archives), `games/trial.py` (boards' names),
  `games/conformance/examination.py` (rules under check); how it is done: `limited.py`
"""
