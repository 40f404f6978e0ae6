"""`arena serve`: the pages of a workspace for its readers and authors."""

import contextlib
import getpass
import ipaddress
import os
import ssl
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, streams, system, whole_files
from arena.cli import options, output, paths
from arena.errors import ArenaError, refusal, writing

if TYPE_CHECKING:
    from arena.extras.serve.actions import Rows

LOOPBACK = "127.0.0.1"


def serve(
    action: Annotated[
        str | None,
        typer.Argument(
            metavar="ACTION",
            help="For organisers, instead of the server: see docs/extras/serve.md.",
        ),
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD...", help="What the action needs.")
    ] = None,
    workspace: Annotated[
        Path, typer.Option(metavar="DIR", help="The workspace whose events are shown.")
    ] = Path(),
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 is every one.")
    ] = LOOPBACK,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="The port to listen at; 0: any that is free.",
        ),
    ] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name that readers type for this machine; may be repeated."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The certificate for TLS, as PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key.")] = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Readers come by TLS, through a proxy at this address: cookies go by TLS only, "
            "and it says whose address a reader has.",
        ),
    ] = None,
    unencrypted: Annotated[
        bool,
        typer.Option(
            "--unencrypted",
            help="Serve other machines without TLS, though others on the way can read tokens "
            "and use them.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Serve the results of a workspace as web pages, also while an event is played, until Ctrl-C.

    With an action: invite, rotate, revoke and list the accounts; withdraw a bot; freeze and
    unfreeze submissions; pause and resume; hide and publish results; set rounds and limits; list
    similar programs, and export them for JPlag; print the log.
    """
    if not system.LINUX:  # it reaches sockets through /proc, and strangers hand in what it plays
        raise ArenaError(
            f"serve: needs Linux, and this is {sys.platform}; "
            "`arena docs laptops` says what works here"
        )
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArenaError(
            "serve: needs packages that are not here; `pip install 'botarena[serve]'` installs them"
        )
    if (tls_cert is None) != (tls_key is None):
        raise ArenaError("--tls-cert and --tls-key: name both, or none")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise ArenaError(f"{file}: no such file; TLS needs a certificate and its key")
    if not (workspace / paths.TOURNAMENT_FILE).is_file():
        raise ArenaError(
            f"{workspace}: there is no {paths.TOURNAMENT_FILE}; `arena init DIR` makes a workspace"
        )
    if action is not None:
        os.chdir(workspace)
        _act(action, words or (), json=json)
        return
    from arena.extras.serve import log
    from arena.extras.serve.app import make_app
    from arena.extras.serve.guard import Settings
    from arena.extras.serve.server import is_here, listening, server
    from arena.extras.serve.worker import start_maker

    # The paths are made full, since the server goes into the folder of the workspace.
    certificate = None
    if tls_cert is not None:
        certificate = tls_cert.resolve()
    key = None
    if tls_key is not None:
        key = tls_key.resolve()
    if certificate is not None:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
        except OSError as error:
            raise ArenaError(
                f"{tls_cert} and {tls_key}: no certificate with its key, as PEM: {error}"
            ) from error
    if proxy is not None:
        try:
            parsed = ipaddress.ip_address(proxy)
        except ValueError as error:
            raise ArenaError(f"--proxy {proxy}: expected an address, such as 127.0.0.1") from error
        proxy = str(parsed)  # as the system writes the address of a connection

    os.chdir(workspace)
    is_secure = proxy is not None or certificate is not None
    settings = Settings(names=tuple(name or ()), secure=is_secure)
    app = make_app(Path.cwd(), settings)
    try:
        socket = listening(host, port, proxy)
    except OSError as error:
        raise ArenaError(
            f"{host}:{port}: {refusal(error) or error.strerror}; try another --port or --host"
        ) from error
    address, listening_port = socket.getsockname()[:2]
    readable = not settings.secure and not is_here(address)
    if readable and not unencrypted:
        socket.close()
        raise ArenaError(
            f"--host {host}: without TLS others on the way can read tokens and use them: "
            "name --tls-cert and --tls-key, or --proxy, or, in a network that you trust, "
            "--unencrypted"
        )

    scheme = "http"
    if certificate is not None:
        scheme = "https"
    host_in_address = host
    if ":" in host:  # an address of IPv6
        host_in_address = f"[{host}]"
    log.begin()
    with (
        contextlib.closing(socket),
        signals.listening() as interrupt,
        interrupt.aborting(),
    ):
        start_maker()
        output.notice(f"serving {scheme}://{host_in_address}:{listening_port}/ until Ctrl-C")
        if readable:
            output.notice("without TLS: others on the way can read tokens and use them")
        server(app, socket, certificate=certificate, key=key).run([socket])
    raise typer.Exit(interrupt.code)


def _act(action: str, words: Sequence[str], *, json: bool) -> None:
    """Do an action of the organiser here, and print its answer."""
    from arena.extras.serve import actions, similar
    from arena.extras.serve.accounts import Accounts
    from arena.extras.serve.entrants import Entrants

    accounts = Accounts(Path.cwd())
    if action == "export":
        if len(words) != 1:
            raise ArenaError("serve export: name the zip to write, for JPlag")
        path = Path(words[0])
        with writing(path):
            entrants = Entrants(Path.cwd())
            content = similar.export(entrants.store, entrants.played())
            whole_files.write(path, content, whole_files.PRIVATE)
        return
    try:
        who = f"{getpass.getuser()} by command"
    except (OSError, KeyError):  # a user without a name
        who = "a command"
    printed: list[actions.Rows] = []

    def show_first(rows: actions.Rows) -> None:
        """Print tokens; raise ArenaError if they did not leave this process."""
        _print_rows(rows, json=json)
        lost = streams.unwritten()
        if lost is not None:
            raise ArenaError(
                f"stdout: cannot be written: {lost.strerror}; "
                "nothing was changed, and no token is valid"
            )
        printed.append(rows)

    rows = actions.act(accounts, action, words, who, show_first)
    if not printed:
        _print_rows(rows, json=json)


def _print_rows(rows: "Rows", *, json: bool) -> None:
    """Print the rows of an answer, or its sentence if it has only one."""
    if json:
        output.print_json(rows)
        return
    if rows and rows[0].keys() == {"done"}:
        output.notice(rows[0]["done"])
        return
    for row in rows:
        cells = [output.safe_line(cell) for cell in row.values()]
        print("\t".join(cells))
