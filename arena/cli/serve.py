"""`arena serve`: the pages of a workspace for its readers and authors."""

import contextlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import output, paths
from arena.errors import ArenaError, refusal

LOOPBACK = "127.0.0.1"


def serve(
    workspace: Annotated[Path, typer.Option(metavar="DIR", help="The workspace whose events are shown.")] = Path(),
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 is every one of this machine.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen at; 0: any that is free.")] = 8000,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A name that readers type for this machine; may be repeated.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate for TLS, as PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key.")] = None,
    secure: Annotated[
        bool, typer.Option("--secure", help="Readers come by TLS, through a proxy: cookies go by TLS only.")
    ] = False,
) -> None:
    """Serve the results of a workspace as web pages, also while an event is played, until Ctrl-C."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArenaError("serve: needs packages that are not here; `pip install 'botarena[serve]'` installs them")
    if (tls_cert is None) != (tls_key is None):
        raise ArenaError("--tls-cert and --tls-key: name both, or none")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise ArenaError(f"{file}: no such file; TLS needs a certificate and its key")
    if not (workspace / paths.TOURNAMENT_FILE).is_file():
        raise ArenaError(f"{workspace}: there is no {paths.TOURNAMENT_FILE}; `arena init DIR` makes a workspace")
    from arena.serve.app import make_app
    from arena.serve.guard import Settings
    from arena.serve.server import listening, server

    certificate, key = (file and file.resolve() for file in (tls_cert, tls_key))
    os.chdir(workspace)
    settings = Settings(names=tuple(name or ()), secure=secure or certificate is not None)
    app = make_app(Path.cwd(), settings)
    try:
        socket = listening(host, port)
    except OSError as error:
        raise ArenaError(f"{host}:{port}: {refusal(error) or error.strerror}; try another --port or --host") from error
    with contextlib.closing(socket):
        scheme = "http" if certificate is None else "https"
        shown = f"[{host}]" if ":" in host else host
        output.notice(f"serving {scheme}://{shown}:{socket.getsockname()[1]}/ until Ctrl-C")
        server(app, certificate=certificate, key=key).run([socket])
