"""`arena init`: make a new workspace, a copy of the one that comes with arena."""

import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena import rulefile, whole_files
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import names

TOURNAMENT = "tournament.toml"
PARTS = (TOURNAMENT, "rules", "bots", "results/README.md")
SEED_LINE = re.compile(r"^seed = .*$", re.MULTILINE)
DRAWN_SEED = """\
# The seed fixes all chance, so its reader can foretell it: hide this file until the event is over.
seed = "{}"\
"""


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to make; it may exist.")
    ],
    empty: Annotated[bool, typer.Option("--empty", help="Without the house bots.")] = False,
) -> None:
    """Make a new workspace: a tournament.toml, rules and bots to start from.

    The event gets the folder's name.
    """
    with making(folder) as new_folder:
        if empty:
            for path in (new_folder / "bots").iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name != discovery.README:
                    path.unlink()
        seed = DRAWN_SEED.format(secrets.token_hex(16))
        name_event(new_folder, folder, seed, whole_files.PRIVATE)
    print(
        f"{folder} is a workspace now. Its tournament.toml has a random seed: keep it secret until "
        "the event is over,\nbecause a bot that knows it can predict all random events. Next:\n\n"
        f"  cd {folder}\n  arena new NAME\n  arena check bots/NAME\n  arena run"
    )


@contextmanager
def making(folder: Path, *more: str) -> Iterator[Path]:
    """Yield a copy of the workspace that comes with arena, which becomes `folder` at the end.

    `more` are names, beside those of that workspace, that `folder` must not have.

    Raises:
        ArenaError: `folder` is a workspace already, or cannot be written.
    """
    source = rulefile.shipped().parent
    reserved = [TOURNAMENT, "rules", "bots", "results", *more]
    existing = [name for name in reserved if (folder / name).exists()]
    if existing:
        raise ArenaError(
            f"{folder}: has {', '.join(existing)} already; name another folder, or move them away"
        )
    try:
        whole_files.make_folder(folder)
        # A power cut leaves no empty file, which would stop a run.
        with whole_files.staging(folder) as new_folder:
            for part in PARTS:
                if not (source / part).exists():
                    continue
                target = new_folder / part
                target.parent.mkdir(exist_ok=True)
                whole_files.copy_new(source / part, target)
            yield new_folder
            # The file that makes it a workspace is published last.
            parts = sorted(new_folder.iterdir(), key=lambda path: path.name == TOURNAMENT)
            whole_files.publish_all({path: folder / path.name for path in parts})
    except OSError as error:
        raise ArenaError(
            f"{error.filename or folder}: {error.strerror}; name a folder that can be written"
        ) from error


def name_event(
    new_folder: Path,
    folder: Path,
    seed: str,
    mode: int,
) -> str:
    """Name the event of a new workspace after its folder, and return the name.

    `seed` is the text of the seed in tournament.toml, `mode` the mode of that file.
    """
    real_name = folder.absolute().resolve().name
    name = names.safe(real_name)
    file = new_folder / TOURNAMENT
    text = file.read_text("utf-8")
    text = SEED_LINE.sub(lambda _: seed, text, count=1)
    text = text.replace("The demo event", "This event")
    text = text.replace("results/demo", f"results/{name}")
    text = text.replace('name = "demo"', f'name = "{name}"')
    whole_files.write(file, text.encode(), mode)
    return name
