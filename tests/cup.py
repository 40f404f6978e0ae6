"""Small workspaces for the tests of the command line, and the real command in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BOT = """\
import sys, time
legal = []
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "ready?":
        print("ready", flush=True)
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        time.sleep({pause})
        print("# [red]seen[/red]", flush=True)
        print(legal[{place}], flush=True)
        legal = []
"""
CRASHES = 'raise SystemExit("[bold]no[/bold]")\n'
TOML = """\
name = "cup"
seed = 7
boards = [{boards}]
repeats = {repeats}
bots = "bots"

[time]
start = 10.0
move = 10.0
"""
FIRST, LAST = BOT.format(place=0, pause=0), BOT.format(place=-1, pause=0)
SLOW = BOT.format(place=0, pause=0.004)


def make(folder: Path, boards: str = "duel", repeats: int = 1, **bots: str) -> Path:
    """A workspace with these bots, `first` and `last` when none are named."""
    (folder / "bots").mkdir(parents=True)
    for name, text in (bots or {"first": FIRST, "last": LAST}).items():
        (folder / "bots" / f"{name}.py").write_text(text)
    labels = ", ".join(f'"{board}"' for board in boards.split())
    (folder / "tournament.toml").write_text(TOML.format(boards=labels, repeats=repeats))
    return folder


def environment(**changes: str) -> dict[str, str]:
    """This process's own, without what a terminal would tell."""
    kept = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
    return kept | changes


def arena(folder: Path, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def processes_naming(text: str) -> Iterator[int]:
    """The processes whose command line holds this text, this one apart."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:  # it ended meanwhile
                continue
            if text.encode() in words:
                yield int(entry.name)
