"""`arena join`: a bot that stays on this machine plays at a site (`arena serve`) on another."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ArenaError


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the site.")],
    bot: Annotated[Path | None, typer.Option(metavar="PATH", help="The bot: a program, or a folder with one.")] = None,
    command: Annotated[str, typer.Option(help="The words that start it, instead; --bot is then its folder.")] = "",
    version: Annotated[
        str, typer.Option(help="A name of this version, which plays its own matches; default: a hash of the files.")
    ] = "",
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only this game or board; repeatable.")] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only this role; repeatable.")] = None,
) -> None:
    """Let a bot that stays on this machine play at a site, until Ctrl-C; it connects again when the connection is lost.

    The token of its author is read from ARENA_TOKEN, or asked for. The bot is not confined here.
    """
    if find_spec("websockets") is None:
        raise ArenaError("join: needs a package that is not here; `pip install websockets` installs it")
    from arena.serve.join import RefusedError, take_seat

    if not url.startswith(("http://", "https://")):
        raise ArenaError(f"{url}: expected the address of a site, such as https://arena.example.org")
    try:
        take_seat(url, bot, command, version=version, games=tuple(game or ()), roles=tuple(role or ()))
    except RefusedError as error:
        raise ArenaError(str(error)) from error
