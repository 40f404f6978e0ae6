"""`arena init --contest`: make a workspace that is the repository of a contest."""

import secrets
import shutil
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli.init import making, name_event

REPOSITORY = Path(__file__).with_name("repository")
"""The files of a contest's repository; those that would be hidden have no dot here."""
PUBLIC_SEED = """\
# The seed fixes all chance. Everybody can read it here, so a bot can be written against it: draw
# another for the final.
seed = {}\
"""


def init(
    folder: Path,
    contest: Annotated[
        bool,
        typer.Option(
            "--contest", help="As a git repository in which a pull request is a submission."
        ),
    ] = False,
) -> None:
    """Make the workspace of a contest.

    Of the house bots it has only those that are one file: each folder of bots/ belongs to the
    author of its name there.
    """
    del contest  # it is given, or the core's `arena init` runs
    with making(folder, ".github") as new_folder:
        for path in (new_folder / "bots").iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        seed = PUBLIC_SEED.format(secrets.randbits(53))
        name = name_event(new_folder, folder, seed, whole_files.SHARED)
        whole_files.copy_new(REPOSITORY, new_folder)
        page = new_folder / "README.md"
        page.write_text(page.read_text("utf-8").replace("@name@", name), "utf-8")
        (new_folder / "gitignore").rename(new_folder / ".gitignore")
        (new_folder / "github").rename(new_folder / ".github")
    print(
        f"{folder} is a contest now: {folder / 'README.md'} says how to put it online, and how "
        "people enter"
    )
