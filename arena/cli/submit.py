"""`arena submit`: a bot, or a whole class of them, checked and taken in."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import bots, options, screen
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.submissions import Answer, Desk


def submit(
    path: Annotated[
        Path, typer.Argument(metavar="BOT", help="A bot: a file, a folder, a zip or tar; or a folder full of bots.")
    ],
    name: Annotated[str | None, typer.Option("--as", metavar="NAME", help="What the bot is called here.")] = None,
    boards: Annotated[
        list[str] | None,
        typer.Option("--board", "-b", help="Checked only at these games or boards; default: the event's."),
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Check a bot, and take it into the event as a new version; exit code 1 when it, or one of many, is refused."""
    from arena.cli.examining import Examiner
    from arena.submissions import Desk, Result

    wanted = bots.tournament(options.overrides((), sandbox=sandbox, unsafe=unsafe or None))
    shelf = bots.shelf(wanted)
    several = path.is_dir() and not (path / "bot.toml").exists()
    if several and name is not None:
        raise ArenaError(f"{path}: has no bot.toml, so it is a folder of bots, and --as names one: name the bot in it")
    screen.warn_of(wanted.conditions().sandbox)
    with Examiner(wanted, tuple(boards or ())) as examiner:
        desk = Desk(shelf, examiner, [entry.name for entry in wanted.bot])
        answers = _class(desk, path) if several else iter([desk.submit(_there(path), name)])
        told = [_told(answer, json=json, whole=not several) for answer in answers]
    if json:
        screen.print_json(map(_plain, told))
    if any(answer.result is Result.REFUSED for answer in told):
        raise typer.Exit(1)


def _there(path: Path) -> Path:
    if not path.exists() and not path.is_symlink():
        raise ArenaError(f"{path}: there is no such bot; name a file, or a folder with a bot.toml")
    return path


def _class(desk: "Desk", folder: Path) -> "Iterator[Answer]":
    from arena.submissions import class_of

    try:
        every = list(class_of(folder))
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be read: {error.strerror}") from error
    if not every:
        raise ArenaError(f"{folder}: holds no bot: no file, and no folder, whose name begins with a letter")
    return (desk.submit(path, rivals=rivals) for path, rivals in every)


def _told(answer: "Answer", *, json: bool, whole: bool) -> "Answer":
    """A line for a submission, when it is decided; all of it when it is the only one."""
    if not json:
        digest = f"  {answer.bot.digest}" if answer.bot else ""
        print(f"{answer.result:8}  {screen.shown(answer.name)}{digest}  {screen.shown(answer.words, bots.REASON)}")
        if whole and answer.reasons:
            print(f"\n{screen.harmless(answer.reasons)}\n\nIt is kept beside {answer.where}")
        sys.stdout.flush()
    return answer


def _plain(answer: "Answer") -> dict[str, object]:
    return {
        "path": str(answer.path),
        "name": answer.name,
        "result": answer.result,
        "version": answer.version,
        "digest": answer.bot.digest if answer.bot else None,
        "words": answer.words,
        "reasons": answer.reasons,
        "where": str(answer.where) if answer.where else None,
    }
