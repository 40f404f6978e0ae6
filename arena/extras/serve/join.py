"""The author's side of a remote seat: it runs a bot here, which answers a site by a WebSocket.

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
import signal
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine
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
"""The lines in place of an answer that a site reads."""
IDLE_S = 900.0
"""A match that asks nothing for so long is over."""
END_S = 2.0
RETRY_S = 1.0
PING_S = 5.0
"""How often each side asks whether the other is there, and how long it waits for the answer.

A network that fails closes no connection.
"""
FORBIDDEN = 403
REDIRECTS = range(300, 400)
LONGEST_TOKEN = 1000
NO_SITE = "what answers there is no site of arena: look at the address"
REPLACED = 4000
"""The code of a connection that ends because the bot has joined from elsewhere."""


class RefusedError(Exception):
    """Raised when the site does not let the bot in, with its reason."""


class Direct(connect):
    """A connection that follows no redirect, which would carry the token to another address."""

    def process_redirect(self, exc: Exception) -> Exception:
        """Return the redirect as an error."""
        return exc


class SeatSession:
    """A match: a process of the bot, and its last answer."""

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
        """Return the answer to a question, as the site reads it.

        Lines that the bot prints in place of `ready` go to `send`.
        """
        head = {"session": question["session"], "number": question["number"]}
        try:
            if question["number"] == 1:
                self._process = await asyncio.create_subprocess_exec(
                    *command,
                    cwd=folder,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    limit=LINE_BYTES,
                    start_new_session=True,  # Ctrl-C in the terminal is for this program
                )
            process = self._process
            if process is None or process.stdin is None or process.stdout is None:
                return head | {"failed": "the bot was started again during the match"}
            process.stdin.write(question["text"].encode("utf-8", "replace"))
            with contextlib.suppress(ConnectionError):  # it ended; what it printed says why
                await process.stdin.drain()
            is_first = bool(question.get("ready"))
            remarks: list[str] = []
            refused = 0
            async for line in process.stdout:
                text = line.decode("utf-8", "replace").strip()
                if text.startswith("#"):
                    if len(remarks) < MOST_REMARKS:
                        remark = text[1:].strip()
                        remarks.append(remark[:MOST_LETTERS])
                elif text and (not is_first or text in {"ready", "ready again"}):
                    return head | {"line": text, "remarks": remarks}
                elif text and refused < MOST_LINES:
                    refused += 1
                    start = text[:MOST_LETTERS]
                    print(f"it printed {start!a} in place of `ready`", file=sys.stderr)
                    await send(head | {"instead": start})
            code = await process.wait()
            return head | {"failed": f"the bot ended before its answer: exit {code}"}
        except (OSError, ValueError) as error:
            return head | {"failed": f"{type(error).__name__}: {error}"}

    async def end(self, text: str = "") -> None:
        """Send the last lines to the process, and kill it if it does not end in time."""
        process = self._process
        self._process = None
        if process is None or process.stdin is None:
            return
        try:
            if process.returncode is None:
                with contextlib.suppress(OSError):
                    process.stdin.write(text.encode("utf-8", "replace"))
                    process.stdin.close()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), END_S)
        finally:
            with contextlib.suppress(OSError):  # nothing is left, or it is no longer ours
                if os.name == "posix":
                    os.killpg(process.pid, signal.SIGKILL)  # what the bot has started, too
                else:
                    process.kill()


class JoinedSeat:
    """The bot at its site, over all connections."""

    def __init__(
        self,
        command: list[str],
        folder: str,
        hello: dict[str, Any],
    ) -> None:
        self._command = command
        self._folder = folder
        self._hello = hello
        self._sessions: dict[str, SeatSession] = {}
        self._socket: Any = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, address: str, token: str) -> None:
        """Answer until this is cancelled; connect again whenever the connection is lost."""
        settings: dict[str, Any] = {
            "ping_interval": PING_S,
            "ping_timeout": PING_S,
            "close_timeout": END_S,
            "max_size": MOST_BYTES,
            "additional_headers": {"Authorization": f"Bearer {token}"},
        }
        # Older versions of the package never use a proxy.
        knows_proxies = "proxy" in inspect.signature(connect).parameters
        if knows_proxies and address.startswith("ws:"):
            settings["proxy"] = None
        try:
            while True:
                try:
                    async with Direct(address, **settings) as socket:
                        await self._serve(socket)
                except InvalidURI as error:
                    message = f"expected the address of a site, such as {EXAMPLE}"
                    raise RefusedError(message) from error
                except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
                    refusal = _refusal(error)
                    if refusal:
                        raise RefusedError(refusal) from error
                    reason = printable(str(error))
                    print(f"the connection is lost ({reason}); trying again", file=sys.stderr)
                await asyncio.sleep(RETRY_S)
        finally:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            try:
                await asyncio.gather(*tasks, return_exceptions=True)
            finally:  # also at a second signal
                ends = [session.end() for session in self._sessions.values()]
                await asyncio.gather(*ends)

    async def _serve(self, socket: Any) -> None:
        """Join over a new connection, and answer until it is lost."""
        await socket.send(json.dumps(self._hello))
        welcome = _message(await socket.recv())
        if "refused" in welcome:
            reason = str(welcome["refused"])
            raise RefusedError(printable(reason))
        name = str(welcome.get("bot"))
        print(f"joined as {printable(name)}; Ctrl-C leaves", file=sys.stderr)
        self._socket = socket
        async for text in socket:
            message = _message(text)
            if not _is_question(message):
                raise RefusedError(NO_SITE)
            key = message["session"]
            session = self._sessions.setdefault(key, SeatSession())
            session.used = time.monotonic()
            if "end" in message:
                del self._sessions[key]
                self._begin(session.end(message["end"]))
            elif message["number"] != session.number:
                session.number = message["number"]
                session.answer = None
                self._begin(self._answer(session, message))
            elif session.answer is not None:
                await self._send(session.answer)
            self._end_idle()

    def _end_idle(self) -> None:
        """End the sessions of matches that have asked nothing for long."""
        now = time.monotonic()
        for key, session in list(self._sessions.items()):
            if now - session.used > IDLE_S:
                del self._sessions[key]
                self._begin(session.end())

    async def _answer(self, session: SeatSession, question: dict[str, Any]) -> None:
        """Ask the bot, and send its answer."""
        session.answer = await session.ask(
            question,
            self._command,
            self._folder,
            self._send,
        )
        await self._send(session.answer)

    async def _send(self, answer: dict[str, Any]) -> None:
        """Send an answer; if the connection is lost, the site asks for the answer again."""
        with contextlib.suppress(OSError, ConnectionClosed):
            await self._socket.send(json.dumps(answer))

    def _begin(self, work: Any) -> None:
        """Run a coroutine beside the others."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _refusal(error: Exception) -> str:
    """Return why the site ended a connection for good; "" if it makes sense to try again."""
    if isinstance(error, InvalidStatus):
        response = error.response
        if response.status_code == FORBIDDEN:
            return "the site does not know this token; ask the organiser"
        if response.status_code in REDIRECTS:
            location = response.headers.get("Location", "another address")
            message = f"this site leads to {printable(location)}, where the token does not follow"
            return f"{message}; name the right address"
    if isinstance(error, ConnectionClosed):
        close_frame = error.rcvd
        if close_frame and close_frame.code == REPLACED:
            return "this bot has joined from elsewhere, and plays there"
    return ""


def _message(text: str | bytes) -> dict[str, Any]:
    """Return a message of a site; raise RefusedError for an invalid one."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise RefusedError(NO_SITE)
    return message


def _is_question(message: dict[str, Any]) -> bool:
    """Return whether a message is a valid question, or the end of a match."""
    if not isinstance(message.get("session"), str):
        return False
    if "end" in message:
        return isinstance(message["end"], str)
    if not isinstance(message.get("number"), int):
        return False
    return isinstance(message.get("text"), str)


def program_of(bot: Path) -> tuple[list[str], str]:
    """Return the command of a bot, and the folder in which it runs.

    The bot is a file, or a folder with bot.py or main.py.
    """
    program = bot
    if bot.is_dir():
        program = bot / "bot.py"
        if not program.is_file():
            program = bot / "main.py"
        if not program.is_file():
            program = bot
    if not program.is_file():
        raise RefusedError(f"{bot}: there is no such program; name a file, or say --command")
    if program.suffix == ".py":
        command = [sys.executable, "-u", program.name]
    else:
        command = [str(program.absolute())]
    return command, str(program.absolute().parent)


def version_of(command: list[str], bot: Path | None) -> str:
    """Return a hash of a program: a changed program is a new version, with new matches."""
    files: dict[str, Path] = {}
    if bot is not None and bot.is_dir():
        for file in sorted(bot.rglob("*")):
            name = file.relative_to(bot).as_posix()
            files[name] = file
    elif bot is not None:
        files[bot.name] = bot
    contents = []
    for name, file in files.items():
        is_cache = "__pycache__" in PurePath(name).parts
        if is_cache or not file.is_file():
            continue
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        contents.append((name, digest))
    # This is what `arena.identity.digest_of` does, which this program cannot import. JSON marks
    # where each value ends.
    text = json.dumps(
        [command, contents],
        separators=(",", ":"),
        ensure_ascii=False,
    )
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:16]


def printable(text: str) -> str:
    """Return a text of a site without the control characters that harm a terminal."""
    letters = []
    for letter in text[:MOST_LETTERS]:
        if letter.isprintable():
            letters.append(letter)
        else:
            letters.append("?")
    return "".join(letters)


def socket_address(url: str, *, unencrypted: bool) -> str:
    """Return the address of the WebSocket of a site.

    Raise RefusedError if others could read the token on its way, unless `unencrypted` allows that.
    """
    mistake = f"{printable(url)}: expected the address of a site, such as {EXAMPLE}"
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # raises ValueError if it is no number
    except ValueError as error:
        raise RefusedError(mistake) from error
    if parts.scheme not in ("http", "https") or not host:
        raise RefusedError(mistake)
    if "@" in parts.netloc or not url.isprintable():
        raise RefusedError(mistake)
    may_be_read = parts.scheme == "http" and not _is_here(host)
    if may_be_read and not unencrypted:
        raise RefusedError(
            f"{url}: by http the token can be read on its way; "
            "use https, or in a network that you trust --unencrypted"
        )
    socket_url = url.rstrip("/").replace("http", "ws", 1)
    return f"{socket_url}/join"


def _is_here(host: str) -> bool:
    """Return whether the name of a host means this machine for certain."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None) -> str:
    """Return the token: from the file, or from the variable ARENA_TOKEN, or from the terminal.

    Only its owner may read the file. The variable is removed, so that the bot does not get it.
    """
    in_variable = os.environ.pop(VARIABLE, "")
    if file is not None:
        try:
            if os.name == "posix" and file.stat().st_mode & 0o077:
                path = shlex.quote(str(file))
                raise RefusedError(f"{file}: others may read this token: chmod 600 {path}")
            with file.open("rb") as opened:
                token = opened.read(LONGEST_TOKEN + 1).decode("utf-8", "replace")
        except OSError as error:
            raise RefusedError(f"{file}: cannot be read: {error.strerror}") from error
    elif in_variable:
        token = in_variable
    else:
        try:
            with warnings.catch_warnings():
                # Without a terminal the token would be echoed.
                warnings.simplefilter("error", getpass.GetPassWarning)
                token = getpass.getpass("your token: ")
        except (EOFError, getpass.GetPassWarning) as error:
            raise RefusedError(
                "no token: there is no terminal to ask for it; name a file: --token-file FILE"
            ) from error
    token = token.strip()
    is_word = token.isascii() and token.isprintable() and " " not in token
    if not is_word or not 0 < len(token) <= LONGEST_TOKEN:
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
) -> int:
    """Let a bot here play at a site until a signal ends it; return the exit code.

    It is 0 after Ctrl-C. Raise RefusedError for a mistake of its author, or if the site refuses
    the bot.
    """
    address = socket_address(url, unencrypted=unencrypted)
    if command:
        command_words = shlex.split(command)
        folder = str((bot or Path()).absolute())
    elif bot is not None:
        command_words, folder = program_of(bot)
    else:
        raise RefusedError("name a program: --bot PATH, or --command WORDS")
    token = read_token(token_file)
    hello = {
        "version": version or version_of(command_words, bot),
        "games": list(games),
        "roles": list(roles),
    }
    seat = JoinedSeat(command_words, folder, hello)
    number = signal.SIGINT
    with contextlib.suppress(KeyboardInterrupt):
        number = asyncio.run(until_signal(seat.take(address, token)))
    if number == signal.SIGINT:
        return 0
    return 128 + number


async def until_signal(work: Coroutine[Any, Any, None]) -> signal.Signals:
    """Do the work until a signal ends the program, then cancel it; return the signal.

    A second signal waits neither for the site nor for a bot that does not end. A signal that is
    ignored (nohup) stays ignored. A handler that raises an exception would end whatever runs at
    that moment, such as one match, with a traceback.
    """
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[signal.Signals] = loop.create_future()
    working: asyncio.Future[Any] = asyncio.ensure_future(work)

    def hear(number: signal.Signals) -> None:
        if stop.done():
            working.cancel()
        else:
            stop.set_result(number)

    if os.name == "posix":  # elsewhere Ctrl-C cancels this
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, hear, number)
    try:
        await asyncio.wait((working, stop), return_when=asyncio.FIRST_COMPLETED)
    finally:
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
    return stop.result()


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
    arguments = parser.parse_args()
    try:
        code = take_seat(
            arguments.url,
            arguments.bot,
            arguments.command,
            version=arguments.version,
            games=tuple(arguments.game),
            roles=tuple(arguments.role),
            token_file=arguments.token_file,
            unencrypted=arguments.unencrypted,
        )
    except RefusedError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:  # while it asked for the token
        sys.exit(128 + signal.SIGINT)
    sys.exit(code)


if __name__ == "__main__":
    main()
