"""`arena join`: let a bot that stays on this machine play at a site."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ArenaError


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the site.")],
    bot: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The bot: a program, or a folder with one.")
    ] = None,
    command: Annotated[
        str, typer.Option(help="The words that start it, instead; --bot is then its folder.")
    ] = "",
    version: Annotated[
        str,
        typer.Option(
            help="A name of this version, which plays its own matches; "
            "default: a hash of the files."
        ),
    ] = "",
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", metavar="GAME", help="Only this game or board; repeatable."),
    ] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only this role; repeatable.")] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with the token, which only you may read."),
    ] = None,
    unencrypted: Annotated[
        bool,
        typer.Option(
            "--unencrypted",
            help="Send the token by http, too, though others on the way can read and use it.",
        ),
    ] = False,
) -> None:
    """Let a bot that stays on this machine play at a site, until Ctrl-C.

    It connects again when the connection is lost. The token of its author is asked for, unless it
    stands in a file or in the variable ARENA_TOKEN. It goes to the site by https only, or by http
    on this machine. The bot is not confined here, and does not get the token.
    """
    if find_spec("websockets") is None:
        raise ArenaError(
            "join: needs a package that is not here; `pip install websockets` installs it"
        )
    from arena.extras.serve.join import RefusedError, take_seat

    try:
        code = take_seat(
            url,
            bot,
            command,
            version=version,
            games=tuple(game or ()),
            roles=tuple(role or ()),
            token_file=token_file,
            unencrypted=unencrypted,
        )
    except RefusedError as error:
        raise ArenaError(str(error)) from error
    raise typer.Exit(code)
