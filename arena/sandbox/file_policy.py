"""The files that a bot may read, run and write: the tables that people read and change.

`call_policy.py` is the same for system calls. The levels landlock and bubblewrap both take their
rules from here. A file that is in no row cannot be opened (landlock) or does not exist for the bot
(bubblewrap).

| files                                      | a bot may   | where the list comes from           |
|--------------------------------------------|-------------|-------------------------------------|
| programs and libraries of the system       | read, run   | PROGRAMS; a bot.toml may name them  |
| settings that such programs read           | read, run   | SETTINGS                            |
| devices                                    | read, write | DEVICES                             |
| the interpreter of its command             | read, run   | PYTHON_PARTS, JAVA; `toolchain.py`  |
| other files that its command names in full | read, run   | `toolchain.resolved`                |
| the kit and the rules, if it gets a kit    | read, run   | KIT; `folder.Folder.kit` makes them |
| its own files: a copy for all its matches  | read, run   | `folder.Folder.room`                |
| the same, in a build: a copy of its own    | all         | `folder.Folder.room`                |
| its scratch folder                         | read, write | `folder.Folder.room`                |

The first three rows are the same for every bot; a text below each constant says how it differs from
the others. A `LaunchSpec` has the next three as `read`, then `home` and `scratch`. A row grants a
folder with everything below it: neither Landlock nor a read-only mount can leave a hole in it.
Therefore `exposure.py` refuses to play where files that bots must not see lie in such a folder, in
a row of whichever kind.

Imported by the spawner, so it stays small.
"""

PROGRAMS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
"""Folders of programs. They are public: a bot.toml may name any program in them, and
`toolchain.needs` leaves them out.

The first place matters: bubblewrap mounts that folder as it is, so it must exist and be no link.
Each other one may be missing or a link. bubblewrap makes the same link again (`/lib` to `usr/lib`),
so its target must lie in a row, too."""
SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl/openssl.cnf")
"""Files and folders that programs read, and that no bot.toml may name. Both levels follow a link,
and skip what does not exist. Node does not start if it cannot read openssl.cnf."""
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Devices that bots may write to as well: bubblewrap mounts them as devices, so each of them must
exist."""

PYTHON_PARTS = (
    "bin",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "share",
    "etc",
    "ssl",
    "src",
    "pyvenv.cfg",
)
"""The parts of a Python's prefix that a bot may read.

`etc` and `ssl` are conda's, `src` is pip's for editable installs. The whole prefix would be one
rule, and would expose everything else that somebody keeps there: for instance a workspace in the
folder of its own virtual environment, with every bot in it."""
JAVA = "/etc/java-*"
"""Debian keeps there the settings that a JVM cannot start without."""

KIT = ("kit.py", "encoding.py", "game.py", "drawing.py", "rulefile.py")
"""The files of arena that a Python bot may import, and nothing else of arena."""


def public(path: str) -> bool:
    """Return whether a path is one of the system's programs, which a bot.toml may name."""
    return path in PROGRAMS or path.startswith(tuple(f"{folder}/" for folder in PROGRAMS))
