"""Make the workspaces of tests/kept: `python tests/keep.py` plays them by the code of today.

Each is what a user of a released version of arena has: bots, rules, tournament.toml, and results.
test_kept.py reads them with every later version. Those of a version that was released are never
made again.
"""

import contextlib
import io
import json
import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena import rulefile
from arena.version import __version__
from tests.support import cup, sprint, workspaces
from tests.support.programs import python

KEPT = Path(__file__).with_name("kept")
LEFT_OUT = {"logs", "charts", ".lock", "__pycache__", ".desk"}
"""Names in a workspace that no later arena reads."""
TEXT, BOTS, ACCOUNTS = "match.txt", "bots.json", "accounts.json"
"""What commands said of the workspace when it was made, beside its files."""
SECRET = "5eed" * 8
PLAIN = {"sandbox": "rlimits", "unsafe": True}
"""A level that every machine has: it is a part of each match's id."""
BOTS_OF_SPRINT = {"first": sprint.FIRST, "last": sprint.LAST, "dice": sprint.DICE}
MODEL = """\
import json, sys
request = json.load(sys.stdin)
legal = json.loads(request["messages"][1]["content"].partition("legal_moves: ")[2].partition("\\n")[0])
print(json.dumps({"text": json.dumps({"move": sorted(legal)[-1]}), "in": 100, "out": 20}))
"""
FAULTY = {
    "illegal": sprint.BOT % "fly",
    "garbled": sprint.FIRST.replace('echo "$legal"', r"printf '\377\n'"),
    "crashes": sprint.FIRST.replace('echo "$legal"', "exit 3"),
    "absent": "#!/bin/sh\nexit 1\n",
    "sleeps": python("time.sleep(9)"),
    "floods": python(
        'print("# " + "x" * 4000, flush=True) or [print("#" * 4000) for _ in range(1100)]'
    ),
    "first": sprint.FIRST,
}
"""Bots that lose by each fault."""


def round_robin(folder: Path) -> Path:
    return workspaces.make(
        folder, BOTS_OF_SPRINT, repeats=2, seed=SECRET, openings={"plies": 2}, **PLAIN
    )


def gauntlet(folder: Path) -> Path:
    """Sampled boards: their generator is in the workspace, too."""
    boards = "sprint mummy_maze/random:2"
    workspaces.make(
        folder, BOTS_OF_SPRINT, boards, schedule="gauntlet", references=["last"], **PLAIN
    )
    for name in (
        "mummy_maze.py",
        "mummy_maze.toml",
        "mummy_maze_random.py",
        "random_walls.py",
        "grid.py",
    ):
        shutil.copy(rulefile.shipped() / name, folder / "rules")
    return folder


def swiss(folder: Path) -> Path:
    bots = BOTS_OF_SPRINT | {"more": f"{sprint.DICE}# more\n", "absent": FAULTY["absent"]}
    return workspaces.make(
        folder, bots, schedule="swiss", rounds=3, tie_breaks=["buchholz"], **PLAIN
    )


def knockout(folder: Path) -> Path:
    bots = BOTS_OF_SPRINT | {"more": f"{sprint.DICE}# more\n"}
    return workspaces.make(folder, bots, schedule="knockout", **PLAIN)


def ladder(folder: Path) -> Path:
    return workspaces.make(
        folder, BOTS_OF_SPRINT, schedule="ladder", rounds=1, seed=SECRET, **PLAIN
    )


def faults(folder: Path) -> Path:
    return workspaces.make(
        folder, FAULTY, faults={"strikes": 1}, time={"start": 2.0, "move": 0.3}, **PLAIN
    )


def model(folder: Path) -> Path:
    """A language model, whose calls are in the records, and boards in disguise."""
    bots = {"low": sprint.FIRST, "high": sprint.LAST}
    table = {"name": "m", "command": ["python3", "-S", "model.py"], "disguise": True}
    workspaces.make(folder, bots, "kuhn_poker/three_cards", model=table, **PLAIN)
    for name in ("kuhn_poker.py", "kuhn_poker.toml"):
        shutil.copy(rulefile.shipped() / name, folder / "rules")
    shutil.copytree(rulefile.shipped().parent / "bots/llm", folder / "bots/llm")
    (folder / "model.py").write_text(MODEL)
    return folder


def site(folder: Path) -> Path:
    """Submissions, one of which was refused, two versions of a bot, and the accounts of a site with
    an upload.
    """
    workspaces.make(folder, BOTS_OF_SPRINT, **PLAIN)
    handed_in = folder / "in"
    handed_in.mkdir()
    for name, text in (("ann.py", cup.FIRST), ("ann.py", cup.LAST), ("bob.py", "1 +\n")):
        (handed_in / name).write_text(text)
        cup.arena(folder, "submit", f"in/{name}", "--as", name.removesuffix(".py"), "--replace")
    shutil.rmtree(handed_in)
    accounts = accounts_of(folder)
    tokens = {
        name: accounts.invite(
            name,
            "the organiser",
            id=f"{name}-id",
            email=f"{name}@example.org",
            organiser=name == "ann",
        )
        for name in ("ann", "bob")
    }
    ann = accounts.named("ann")
    accounts.add_upload("u1", ann, "ann.zip")
    accounts.ask(ann, "first", "last", "sprint", 2)
    accounts.begin_round()
    accounts.end_round("it ended")
    (folder / ACCOUNTS).write_text(
        json.dumps({"tokens": tokens, "seen": accounts_seen(folder)}, indent=1)
    )
    (folder / BOTS).write_text(cup.arena(folder, "bots", "--json").stdout)
    return folder


def accounts_of(folder: Path) -> Any:
    """Return the accounts of the site of a workspace; this needs the extra `serve`."""
    from arena.extras.serve.accounts import Accounts

    return Accounts(folder)


def accounts_seen(folder: Path) -> dict[str, object]:
    """Return what a site of the workspace knows, as texts."""
    accounts = accounts_of(folder)
    seen = (accounts.accounts(), accounts.uploads(), accounts.requests(), accounts.rounds())
    fields = (
        "id",
        "name",
        "email",
        "is_organiser",
        "revoked",
        "file",
        "status",
        "first",
        "second",
        "pairings",
        "words",
    )
    return {
        kind: [{name: getattr(row, name) for name in fields if hasattr(row, name)} for row in rows]
        for kind, rows in zip(("accounts", "uploads", "requests", "rounds"), seen, strict=True)
    }


WORKSPACES: tuple[Callable[[Path], Path], ...] = (
    *(round_robin, gauntlet, swiss, knockout, ladder, faults, model, site),
)


def played(folder: Path) -> None:
    """Commit and play the event of a workspace; store a match of it as a text."""
    for words in (["commit"], ["run", "--no-charts", "--workers", "2"]):
        done = cup.arena(folder, *words)
        if done.returncode:
            sys.exit(f"{folder.name}: {' '.join(words)}: {done.stderr}")
    match = first_match(folder)
    (folder / TEXT).write_text(cup.arena(folder, "export", "--match", match).stdout)


def first_match(folder: Path) -> str:
    """Return the id of the first match of the table of matches."""
    return (folder / "results/cup/matches.csv").read_text().splitlines()[1].partition(",")[0]


def packed(folder: Path) -> bytes:
    """Return a workspace as a tar file without the names and times of this machine."""
    for database in folder.rglob("*.sqlite"):
        with contextlib.closing(
            sqlite3.connect(database)
        ) as connection:  # so that each is one file
            connection.execute("pragma wal_checkpoint(truncate)")

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
        info.mtime = info.uid = info.gid = 0
        info.uname = info.gname = ""
        is_cache = info.name.rpartition("/")[2].startswith(
            (".ratings", ".charts", ".ranks", ".accuracy")
        )
        return None if is_cache or LEFT_OUT & {*info.name.split("/")} else info

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz", preset=9) as archive:
        for path in sorted(folder.iterdir()):
            archive.add(path, path.name, filter=plain)
    return data.getvalue()


def main() -> None:
    """Write all workspaces of this version."""
    target = KEPT / __version__
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        os.environ["TMPDIR"] = made
        for make in WORKSPACES:
            folder = make(Path(made) / make.__name__)
            if make is not site:
                played(folder)
            file = target / f"{make.__name__}.tar.xz"
            file.write_bytes(packed(folder))
            print(f"{file.relative_to(KEPT.parent)}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
