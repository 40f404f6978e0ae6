"""The author's side of a remote seat: it runs a bot here, and answers the questions of a site by a WebSocket.

It stands alone, so that it runs wherever Python and the package `websockets` do, also on Windows:
the site hands it out as /join.py. The bot gets a new process with its own pipes for each match, as
in any match; nothing confines it.
"""

# A connection may be lost at any moment. The processes go on meanwhile, and an answer is stored
# until the next question of its match, so that it is sent again when the site asks again. If the
# site asks a question twice, the bot gets it once.

# The token is a secret of the author's. It goes to the site of the address alone: by TLS, unless
# the author says otherwise or the site is on this machine; by no redirect; and without TLS by no
# proxy. The bot does not get it.

import argparse
import asyncio
import contextlib
import getpass
import hashlib
import inspect
import ipaddress
import json
import os
import shlex
import sys
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

EXAMPLE = "https://arena.example.org"
VARIABLE = "ARENA_TOKEN"
LINE_BYTES = 65536
MOST_BYTES = 1_000_000
MOST_REMARKS, MOST_LETTERS = 100, 200
"""The remarks of an answer that a site reads, and the letters of each."""
MOST_LINES = 3
"""Lines in place of an answer of which a site reads the beginning."""
IDLE_S = 900.0  # a match that asks nothing for so long is over
END_S = 2.0
RETRY_S = 1.0
PING_S = 5.0
"""Each side asks as often whether the other is there, and waits as long: a network that fails closes no connection."""
FORBIDDEN = 403
REDIRECTS = range(300, 400)
LONGEST_TOKEN = 1000
NO_SITE = "what answers there is no site of arena: look at the address"
REPLACED = 4000
"""The code of a connection that ends because the bot has joined from elsewhere; those from 4000 on are free."""


class RefusedError(Exception):
    """Raised when the site does not let the bot in, with its reason."""


class Direct(connect):
    """A connection that follows no redirect: it would carry the token to an address that nobody has typed."""

    def process_redirect(self, exc: Exception) -> Exception:
        """Return the error that the answer of the site is."""
        return exc


class SeatSession:
    """One match: a process of the bot, and its last answer."""

    def __init__(self) -> None:
        self.number = 0
        self.answer: dict[str, Any] | None = None
        self.used = time.monotonic()
        self._process: asyncio.subprocess.Process | None = None

    async def ask(
        self,
        question: dict[str, Any],
        command: list[str],
        folder: str,
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> dict[str, Any]:
        """Return the answer to a question, as the site reads it; `send` what the bot prints in place of `ready`."""
        head = {"session": question["session"], "number": question["number"]}
        try:
            if question["number"] == 1:
                self._process = await asyncio.create_subprocess_exec(
                    *command,
                    cwd=folder,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    limit=LINE_BYTES,
                )
            if self._process is None or self._process.stdin is None or self._process.stdout is None:
                return head | {"failed": "the bot was started again during the match"}
            self._process.stdin.write(question["text"].encode("utf-8", "replace"))
            await self._process.stdin.drain()
            remarks: list[str] = []
            instead = 0
            while line := (await self._process.stdout.readline()).decode("utf-8", "replace"):
                text = line.strip()
                if text.startswith("#"):
                    if len(remarks) < MOST_REMARKS:
                        remarks.append(text[1:].strip()[:MOST_LETTERS])
                elif text and (not question.get("ready") or text in {"ready", "ready again"}):
                    return head | {"line": text, "remarks": remarks}
                elif text and instead < MOST_LINES:
                    instead += 1
                    print(
                        f"it printed {text[:MOST_LETTERS]!a} in place of `ready`", file=sys.stderr
                    )
                    await send(head | {"instead": text[:MOST_LETTERS]})
            return head | {
                "failed": f"the bot ended before its answer: exit {await self._process.wait()}"
            }
        except (OSError, ValueError) as error:
            return head | {"failed": f"{type(error).__name__}: {error}"}

    async def end(self, text: str = "") -> None:
        """Send the last lines, and see that the process ends."""
        if (
            self._process is None
            or self._process.returncode is not None
            or self._process.stdin is None
        ):
            return
        with contextlib.suppress(OSError):
            self._process.stdin.write(text.encode("utf-8", "replace"))
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), END_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


class JoinedSeat:
    """The bot at its site, over all connections."""

    def __init__(self, command: list[str], folder: str, hello: dict[str, Any]) -> None:
        self._command, self._folder, self._hello = command, folder, hello
        self._sessions: dict[str, SeatSession] = {}
        self._socket: Any = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, address: str, token: str) -> None:
        """Answer until Ctrl-C; connect again whenever the connection is lost."""
        settings: dict[str, Any] = {
            "ping_interval": PING_S,
            "ping_timeout": PING_S,
            "max_size": MOST_BYTES,
        }
        settings["additional_headers"] = {"Authorization": f"Bearer {token}"}
        if (
            address.startswith("ws:") and "proxy" in inspect.signature(connect).parameters
        ):  # older ones ask no proxy
            settings["proxy"] = None
        try:
            while True:
                try:
                    async with Direct(address, **settings) as socket:
                        await self._serve(socket)
                except InvalidURI as error:
                    raise RefusedError(
                        f"expected the address of a site, such as {EXAMPLE}"
                    ) from error
                except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
                    if isinstance(error, InvalidStatus) and error.response.status_code == FORBIDDEN:
                        raise RefusedError(
                            "the site does not know this token; ask the organiser"
                        ) from error
                    if isinstance(error, InvalidStatus) and error.response.status_code in REDIRECTS:
                        there = printable(error.response.headers.get("Location", "another address"))
                        raise RefusedError(
                            f"this site leads to {there}, where the token does not follow; name the right address"
                        ) from error
                    if (
                        isinstance(error, ConnectionClosed)
                        and error.rcvd
                        and error.rcvd.code == REPLACED
                    ):
                        raise RefusedError(
                            "this bot has joined from elsewhere, and plays there"
                        ) from error
                    print(
                        f"the connection is lost ({printable(str(error))}); trying again",
                        file=sys.stderr,
                    )
                await asyncio.sleep(RETRY_S)
        finally:
            for session in self._sessions.values():
                await session.end()

    async def _serve(self, socket: Any) -> None:
        await socket.send(json.dumps(self._hello))
        welcome = _message(await socket.recv())
        if "refused" in welcome:
            raise RefusedError(printable(str(welcome["refused"])))
        print(f"joined as {printable(str(welcome.get('bot')))}; Ctrl-C leaves", file=sys.stderr)
        self._socket = socket
        async for text in socket:
            message = _message(text)
            if not _is_question(message):
                raise RefusedError(NO_SITE)
            session = self._sessions.setdefault(message["session"], SeatSession())
            session.used = time.monotonic()
            if "end" in message:
                del self._sessions[message["session"]]
                self._begin(session.end(message["end"]))
            elif message["number"] != session.number:
                session.number, session.answer = message["number"], None
                self._begin(self._answer(session, message))
            elif session.answer is not None:
                await self._send(session.answer)
            for key in [
                key for key, each in self._sessions.items() if time.monotonic() - each.used > IDLE_S
            ]:
                self._begin(self._sessions.pop(key).end())

    async def _answer(self, session: SeatSession, question: dict[str, Any]) -> None:
        session.answer = await session.ask(question, self._command, self._folder, self._send)
        await self._send(session.answer)

    async def _send(self, answer: dict[str, Any]) -> None:
        with contextlib.suppress(OSError, ConnectionClosed):  # it is asked for again
            await self._socket.send(json.dumps(answer))

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _message(text: str | bytes) -> dict[str, Any]:
    """Return a message of a site; RefusedError if the text is no message."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise RefusedError(NO_SITE)
    return message


def _is_question(message: dict[str, Any]) -> bool:
    """Return whether a message has what a question or the end of a match has."""
    if not isinstance(message.get("session"), str):
        return False
    if "end" in message:
        return isinstance(message["end"], str)
    return isinstance(message.get("number"), int) and isinstance(message.get("text"), str)


def program_of(bot: Path) -> tuple[list[str], str]:
    """Return the command of a bot, a file or a folder with bot.py or main.py, and the folder in which it runs."""
    if bot.is_dir():
        bot = next((bot / name for name in ("bot.py", "main.py") if (bot / name).is_file()), bot)
    if not bot.is_file():
        raise RefusedError(f"{bot}: there is no such program; name a file, or say --command")
    command = [sys.executable, "-u", bot.name] if bot.suffix == ".py" else [str(bot.absolute())]
    return command, str(bot.absolute().parent)


def version_of(command: list[str], bot: Path | None) -> str:
    """Return a hash of a program: a program that changed is a new version, and plays its matches anew."""
    if bot is None:
        files = {}
    elif bot.is_dir():
        files = {file.relative_to(bot).as_posix(): file for file in sorted(bot.rglob("*"))}
    else:
        files = {bot.name: bot}
    contents = []
    for name, file in files.items():
        if file.is_file() and "__pycache__" not in PurePath(name).parts:
            contents.append((name, hashlib.sha256(file.read_bytes()).hexdigest()))
    # As `arena.identity.digest_of` does it, which this program has not: JSON marks where each value
    # ends.
    text = json.dumps([command, contents], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def printable(text: str) -> str:
    """Return a text of a site without control characters and halves of surrogate pairs, which harm a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])


def socket_address(url: str, *, unencrypted: bool) -> str:
    """Return the address of the WebSocket of a site; RefusedError where the token would be readable on its way there.

    `unencrypted` allows that.
    """
    try:
        where = urlsplit(url)
        scheme, host, _ = where.scheme, where.hostname or "", where.port
    except ValueError:
        scheme, host = "", ""
    if scheme not in ("http", "https") or not host or "@" in where.netloc or not url.isprintable():
        raise RefusedError(f"{printable(url)}: expected the address of a site, such as {EXAMPLE}")
    if scheme == "http" and not unencrypted and not _is_here(host):
        raise RefusedError(
            f"{url}: by http the token can be read on its way; use https, or in a network that you trust --unencrypted"
        )
    return f"{url.rstrip('/').replace('http', 'ws', 1)}/join"


def _is_here(host: str) -> bool:
    """Return whether the name of a host means this machine for certain."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None) -> str:
    """Return the token: that in a file which only its owner may read, else that in ARENA_TOKEN, else it is asked for.

    The variable is removed, so that the bot does not get it.
    """
    in_variable = os.environ.pop(VARIABLE, "")
    if file is not None:
        try:
            if os.name == "posix" and file.stat().st_mode & 0o077:
                raise RefusedError(
                    f"{file}: others may read this token: chmod 600 {shlex.quote(str(file))}"
                )
            with file.open("rb") as opened:
                token = opened.read(LONGEST_TOKEN + 1).decode("utf-8", "replace")
        except OSError as error:
            raise RefusedError(f"{file}: cannot be read: {error.strerror}") from error
    elif in_variable:
        token = in_variable
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "error", getpass.GetPassWarning
                )  # without a terminal it would be echoed
                token = getpass.getpass("your token: ")
        except (EOFError, getpass.GetPassWarning) as error:
            raise RefusedError(
                "no token: there is no terminal to ask for it; name a file: --token-file FILE"
            ) from error
    token = token.strip()
    if not (
        token.isascii()
        and token.isprintable()
        and " " not in token
        and 0 < len(token) <= LONGEST_TOKEN
    ):
        raise RefusedError("this is no token: a token is one word, as the organiser has sent it")
    return token


def take_seat(
    url: str,
    bot: Path | None,
    command: str = "",
    *,
    version: str = "",
    games: tuple[str, ...] = (),
    roles: tuple[str, ...] = (),
    token_file: Path | None = None,
    unencrypted: bool = False,
) -> None:
    """Let a bot here play at a site until Ctrl-C; RefusedError for a mistake of its author, or if the site says no."""
    address = socket_address(url, unencrypted=unencrypted)
    if command:
        words, folder = shlex.split(command), str((bot or Path()).absolute())
    elif bot is not None:
        words, folder = program_of(bot)
    else:
        raise RefusedError("name a program: --bot PATH, or --command WORDS")
    token = read_token(token_file)
    hello = {
        "version": version or version_of(words, bot),
        "games": list(games),
        "roles": list(roles),
    }
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(JoinedSeat(words, folder, hello).take(address, token))


def main() -> None:
    """Run the command line of this file alone."""
    parser = argparse.ArgumentParser(
        description="Let a bot on this machine play at a site of arena."
    )
    parser.add_argument("url", help="the address of the site")
    parser.add_argument("--bot", type=Path, help="a program, or a folder with bot.py")
    parser.add_argument("--command", default="", help="the words that start it, instead")
    parser.add_argument(
        "--version", default="", help="a name of this version; default: a hash of the files"
    )
    parser.add_argument(
        "--game", action="append", default=[], help="only this game or board; may be repeated"
    )
    parser.add_argument(
        "--role", action="append", default=[], help="only this role; may be repeated"
    )
    parser.add_argument(
        "--token-file", type=Path, help="a file with the token, which only you may read"
    )
    parser.add_argument(
        "--unencrypted",
        action="store_true",
        help="send the token by http, where others can read it",
    )
    given = parser.parse_args()
    try:
        take_seat(
            given.url,
            given.bot,
            given.command,
            version=given.version,
            games=tuple(given.game),
            roles=tuple(given.role),
            token_file=given.token_file,
            unencrypted=given.unencrypted,
        )
    except RefusedError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
