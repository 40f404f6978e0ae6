"""`arena new`: for whoever writes a bot."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, places, screen
from arena.errors import ArenaError
from arena.event import Board

Language = Annotated[str, typer.Option("--language", "-l", help="A starter kit: python, python_kit, c, rust, ...")]


def new(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="What the bot is called.")] = None,
    language: Language = "python",
    game: Annotated[str | None, typer.Option("--game", "-g", help="What it plays; default: every game.")] = None,
    author: Annotated[str, typer.Option(help="Who wrote it.")] = "",
    json: options.Json = False,
) -> None:
    """Make a bot from a starter kit, in bots/ of the workspace; without a name, list the kits."""
    from arena import roster, starters

    if name is None:
        _list(json=json)
        return
    kit = starters.find(language)
    target = _folder() / roster.checked(name, "NAME")
    _must_be_new(target)
    boards = _boards(game)
    words = _words(target, boards[0])
    starters.copy(kit, target, author=author, games=_games(game, boards), words=words)
    if json:
        screen.print_json([{"bot": name, "path": str(target), "language": kit.language, "build": kit.build}])
        return
    steps = [f"arena check {words['path']}", f"arena match {words['match']}", f"arena submit {words['path']}"]
    print(f"{target} is a bot now: {target / 'README.md'} says where to begin. Next:\n")
    print("\n".join(f"  {step}" for step in steps))


def _list(*, json: bool) -> None:
    from arena import starters

    rows = [{"name": kit.name, "language": kit.language, "build": kit.build} for kit in starters.starters()]
    if json:
        screen.print_json(rows)
    else:
        screen.show(screen.table(("name", "language", "build"), [list(row.values()) for row in rows]))


def _folder() -> Path:
    """Where the bots of the workspace are; here, when this is none."""
    from arena import config

    here = Path(places.FILE)
    return Path((config.load(here).bots if here.is_file() else None) or ".")


def _must_be_new(target: Path) -> None:
    """Case makes no difference, and neither does an ending."""
    folder = target.parent
    if not folder.is_dir():
        raise ArenaError(f"{folder}: there is no such folder; make it, or run this where tournament.toml is")
    for path in sorted(folder.iterdir()):
        if target.name.lower() in {path.name.lower(), path.stem.lower() if path.is_file() else ""}:
            raise ArenaError(f"{path}: is there already; choose another name than {target.name!r}")


def _boards(game: str | None) -> tuple[Board, ...]:
    from arena import rulebook

    return rulebook.find(game) if game else rulebook.all_boards()


def _games(game: str | None, boards: tuple[Board, ...]) -> list[str]:
    """What bot.toml says of it: a game, one of its boards, or nothing for everything."""
    if game is None:
        return []
    one = len(boards) == 1 and game.rpartition("/")[2] == boards[0].name
    return [boards[0].label if one else boards[0].game]


def _words(target: Path, board: Board) -> dict[str, str]:
    """What a kit's README.md leaves open."""
    path = shlex.quote(str(target))
    against_itself = " ".join([path] * len(board.sides))
    return {"name": target.name, "path": path, "match": f"{against_itself} --board {board.label}"}
