"""`arena init`: make a new workspace, a copy of the one that comes with arena."""

import re
import secrets
import shutil
from pathlib import Path
from typing import Annotated

import typer

from arena import rulefile, whole_files
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import names

PARTS = ("tournament.toml", "rules", "bots", "results/README.md")
SEED_LINE = re.compile(r"^seed = .*$", re.MULTILINE)
DRAWN_SEED = """\
# The seed fixes all chance. Who knows it can foretell it: show this file to nobody until the event is over.
seed = "{}"\
"""
PUBLIC_SEED = """\
# The seed fixes all chance. Everybody can read it here, so a bot can be written against it: draw another for the final.
seed = {}\
"""
CONTEST = Path(__file__).parent.parent / "author/contest/repository"
"""The files of a contest's repository; those that would be hidden have no dot here."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make; it may exist.")],
    empty: Annotated[bool, typer.Option("--empty", help="Without the house bots.")] = False,
    contest: Annotated[
        bool, typer.Option("--contest", help="As a git repository in which a pull request is a submission.")
    ] = False,
) -> None:
    """Make a new workspace: a tournament.toml, rules and bots to start from; the event gets the folder's name."""
    if contest:
        make_workspace(folder, contest=True)
        print(f"{folder} is a contest now: {folder / 'README.md'} says how to put it online, and how people enter")
        return
    make_workspace(folder, empty=empty)
    print(
        f"{folder} is a workspace now. The seed in its tournament.toml was drawn for it: show it to nobody until the\n"
        f"event is over. Next:\n\n  cd {folder}\n  arena run\n  arena leaderboard"
    )


def make_workspace(folder: Path, *, empty: bool = False, demo: bool = False, contest: bool = False) -> None:
    """Copy the workspace that comes with arena into `folder`; a demo's event has its name and its seed.

    A contest gets a repository's files too. Of the house bots it has only those that are one file: there each folder of
    bots/ belongs to the author of its name.

    Raises:
        ArenaError: `folder` is a workspace already, or cannot be written.
    """
    source = rulefile.shipped().parent
    existing = [
        name
        for name in ("tournament.toml", "rules", "bots", "results", *([".github"] if contest else []))
        if (folder / name).exists()
    ]
    if existing:
        raise ArenaError(f"{folder}: has {', '.join(existing)} already; name another folder, or move them away")
    try:
        whole_files.make_folder(folder)
        with whole_files.staging(folder) as making:  # a power cut leaves no empty file, which would stop a run
            for part in PARTS:
                if (source / part).exists():
                    (making / part).parent.mkdir(exist_ok=True)
                    whole_files.copy_new(source / part, making / part)
            for path in (making / "bots").iterdir() if empty or contest else ():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name != discovery.README and not contest:
                    path.unlink()
            file = making / "tournament.toml"
            if not demo:
                # The new event gets its own name, and a seed that nobody can guess or read.
                name = names.safe(folder.absolute().resolve().name)
                text = file.read_text("utf-8")
                seed = PUBLIC_SEED.format(secrets.randbits(53)) if contest else DRAWN_SEED.format(secrets.token_hex(16))
                text = SEED_LINE.sub(lambda _: seed, text, count=1)
                text = text.replace("The demo event", "This event").replace("results/demo", f"results/{name}")
                text = text.replace('name = "demo"', f'name = "{name}"')
                whole_files.write(file, text.encode(), whole_files.SHARED if contest else whole_files.PRIVATE)
            if contest:
                whole_files.copy_new(CONTEST, making)
                page = making / "README.md"
                page.write_text(page.read_text("utf-8").replace("@name@", name), "utf-8")
                (making / "gitignore").rename(making / ".gitignore")
                (making / "github").rename(making / ".github")
            parts = sorted(making.iterdir(), key=lambda path: path == file)  # last what makes it a workspace
            whole_files.publish_all({path: folder / path.name for path in parts})
    except OSError as error:
        raise ArenaError(f"{error.filename or folder}: {error.strerror}; name a folder that can be written") from error
