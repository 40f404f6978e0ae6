"""A level of confinement, as the other modules see it: a name, answers to their questions, and the confinement itself.

Each level is a subclass with a file of its own; `levels.py` has the table of them. No other module compares names.
Imported by the spawner, so it stays small.
"""

from arena.sandbox.plan import Plan


class Level:
    """A level of confinement. The values here are those of a level that sets limits and confines nothing."""

    name: str
    confines: bool = False
    """A bot reaches its own files only, and can fork only if it may be several processes."""
    leaves_open: str = ""
    """The acts of a bot that a level does not prevent, if it does not confine."""
    needs: str = ""
    """The reason why this machine may not offer the level, and the remedy."""
    restricts: bool = True
    """A bot loses privileges, has limits, and gets a user and a cgroup of its own where arena can give them."""
    confines_itself: bool = True
    """The process that calls `confine` is confined when it returns, so a fork of the spawner can be a bot (`warm.py`).
    Otherwise only the command that it returns confines."""
    reports_refused_calls: bool = False
    """Arena can learn which system calls are refused to a bot (`refused.py`)."""
    wrapped: bool = False
    """The process that arena starts and reaps is a helper; the bot is a process below it."""
    private_scratch: bool = False
    """The scratch folder is in memory, in a mount of the bot's own: nobody outside can list or empty it."""
    needs_user: bool = False
    """Run by root, the level works only if the bot becomes an unprivileged user."""

    def prepare(self, processes: int, calls: tuple[str, ...], readable: tuple[str, ...], *, other_user: bool) -> None:
        """In the spawner, once for all bots of this kind: do what takes time. OSError when the level fails here.

        Every bot may read `readable`; `other_user` says whether the bots become another user.
        """

    def confine(self, plan: Plan, argv: list[str]) -> list[str]:
        """Confine the child that calls this; return the command that runs the bot. OSError when that fails."""
        raise NotImplementedError

    def program(self, pid: int) -> int | None:
        """Return the process that runs the bot's own program, given the started one; None while there is none."""
        return pid or None

    def helpers(self, pid: int) -> set[int]:
        """Return the processes that belong to the level, not to the bot, given the started one."""
        del pid
        return set()

    def exit_code(self, code: int) -> int:
        """Return the bot's exit code, or minus the number of its signal, given that of the started process."""
        return code
