"""The author's side of a remote seat: it runs a bot here, and answers the questions of a site by a WebSocket.

It stands alone, so that it runs wherever Python and the package `websockets` do, also on Windows: the site hands it out
as /join.py. The bot gets a new process with its own pipes for each match, as in any match; nothing confines it.
"""

# A connection may be lost at any moment. The processes go on meanwhile, and an answer is stored until the next question
# of its match, so that it is sent again when the site asks again. If the site asks a question twice, the bot gets it
# once.

import argparse
import asyncio
import contextlib
import getpass
import hashlib
import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

EXAMPLE = "https://arena.example.org"
LINE_BYTES = 65536
MOST_BYTES = 1_000_000
MOST_REMARKS, MOST_LETTERS = 100, 200
"""The remarks of an answer that a site reads, and the letters of each."""
IDLE_S = 900.0  # a match that asks nothing for so long is over
END_S = 2.0
RETRY_S = 1.0
PING_S = 5.0
"""Each side asks as often whether the other is there, and waits as long: a network that fails closes no connection."""
FORBIDDEN = 403
REPLACED = 4000
"""The code of a connection that ends because the bot has joined from elsewhere; those from 4000 on are free."""


class RefusedError(Exception):
    """Raised when the site does not let the bot in, with its reason."""


class SeatSession:
    """One match: a process of the bot, and its last answer."""

    def __init__(self) -> None:
        self.number = 0
        self.answer: dict[str, Any] | None = None
        self.used = time.monotonic()
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, question: dict[str, Any], command: list[str], folder: str) -> dict[str, Any]:
        """Return the answer to a question, as the site reads it."""
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
            self._process.stdin.write(question["text"].encode())
            await self._process.stdin.drain()
            remarks: list[str] = []
            while line := (await self._process.stdout.readline()).decode("utf-8", "replace"):
                text = line.strip()
                if text.startswith("#"):
                    if len(remarks) < MOST_REMARKS:
                        remarks.append(text[1:].strip()[:MOST_LETTERS])
                elif text and (not question.get("ready") or text in {"ready", "ready again"}):
                    return head | {"line": text, "remarks": remarks}
            return head | {"failed": f"the bot ended before its answer: exit {await self._process.wait()}"}
        except (OSError, ValueError) as error:
            return head | {"failed": f"{type(error).__name__}: {error}"}

    async def end(self, text: str = "") -> None:
        """Send the last lines, and see that the process ends."""
        if self._process is None or self._process.returncode is not None or self._process.stdin is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.write(text.encode())
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
        try:
            while True:
                try:
                    headers = {"Authorization": f"Bearer {token}"}
                    pings: dict[str, Any] = {"ping_interval": PING_S, "ping_timeout": PING_S}
                    async with connect(address, additional_headers=headers, max_size=MOST_BYTES, **pings) as socket:
                        await self._serve(socket)
                except InvalidURI as error:
                    raise RefusedError(f"expected the address of a site, such as {EXAMPLE}") from error
                except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
                    if isinstance(error, InvalidStatus) and error.response.status_code == FORBIDDEN:
                        raise RefusedError("the site does not know this token; ask the organiser") from error
                    if isinstance(error, ConnectionClosed) and error.rcvd and error.rcvd.code == REPLACED:
                        raise RefusedError("this bot has joined from elsewhere, and plays there") from error
                    print(f"the connection is lost ({error}); trying again", file=sys.stderr)
                await asyncio.sleep(RETRY_S)
        finally:
            for session in self._sessions.values():
                await session.end()

    async def _serve(self, socket: Any) -> None:
        await socket.send(json.dumps(self._hello))
        welcome = json.loads(await socket.recv())
        if "refused" in welcome:
            raise RefusedError(str(welcome["refused"]))
        print(f"joined as {welcome['bot']}; Ctrl-C leaves", file=sys.stderr)
        self._socket = socket
        async for text in socket:
            message = json.loads(text)
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
            for key in [key for key, each in self._sessions.items() if time.monotonic() - each.used > IDLE_S]:
                self._begin(self._sessions.pop(key).end())

    async def _answer(self, session: SeatSession, question: dict[str, Any]) -> None:
        session.answer = await session.ask(question, self._command, self._folder)
        await self._send(session.answer)

    async def _send(self, answer: dict[str, Any]) -> None:
        with contextlib.suppress(OSError, ConnectionClosed):  # it is asked for again
            await self._socket.send(json.dumps(answer))

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


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
    digest = hashlib.sha256("\0".join(command).encode())
    files = [] if bot is None else sorted(bot.rglob("*")) if bot.is_dir() else [bot]
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def take_seat(
    url: str,
    bot: Path | None,
    command: str = "",
    *,
    version: str = "",
    games: tuple[str, ...] = (),
    roles: tuple[str, ...] = (),
) -> None:
    """Let a bot here play at a site until Ctrl-C. The token is that in ARENA_TOKEN, or is asked for."""
    if command:
        words, folder = shlex.split(command), str((bot or Path()).absolute())
    elif bot is not None:
        words, folder = program_of(bot)
    else:
        raise RefusedError("name a program: --bot PATH, or --command WORDS")
    token = os.environ.get("ARENA_TOKEN") or getpass.getpass("your token: ")
    hello = {"version": version or version_of(words, bot), "games": list(games), "roles": list(roles)}
    address = url.rstrip("/").replace("http", "ws", 1) + "/join"
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(JoinedSeat(words, folder, hello).take(address, token))


def main() -> None:
    """Run the command line of this file alone."""
    parser = argparse.ArgumentParser(description="Let a bot on this machine play at a site of arena.")
    parser.add_argument("url", help="the address of the site")
    parser.add_argument("--bot", type=Path, help="a program, or a folder with bot.py")
    parser.add_argument("--command", default="", help="the words that start it, instead")
    parser.add_argument("--version", default="", help="a name of this version; default: a hash of the files")
    parser.add_argument("--game", action="append", default=[], help="only this game or board; may be repeated")
    parser.add_argument("--role", action="append", default=[], help="only this role; may be repeated")
    given = parser.parse_args()
    try:
        roles, games = tuple(given.role), tuple(given.game)
        take_seat(given.url, given.bot, given.command, version=given.version, games=games, roles=roles)
    except RefusedError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
