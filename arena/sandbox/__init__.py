"""How a child is confined and started: the one door through which every bot process comes to life.

`door.py` is what the rest of arena uses; `spawner.py` is the small process behind it, and obeys a `plan.py`. Each level
of confinement is one file (`landlock.py`, `bubblewrap.py`, `rlimits.py`, `none.py`), `levels.py` chooses between them
and `trial.py` tries them out with `probe.py`. `seccomp.py` is the filter that both confining levels share (`policy.py`,
`bpf.py`, `syscalls.py`), `users.py` who a bot is when root runs it, `toolchain.py` what its interpreter needs,
`folder.py` what it sees on disk, `copying.py` how that is copied, `building.py` how one is built, `birth.py` what
becomes of a fork, and `warm.py` how it is a bot at once. `child.py` is the bot to us; `watchdog.py` and `meter.py` look
at it from outside.
"""
