"""The hub of remote seats: it carries messages between matches under way and the bots on their authors' machines.

A match is on a Unix socket (match/remote.py), a bot on a WebSocket (join.py). The hub knows who is
there, and which session belongs to which bot; it keeps no question and no answer, so nothing is
lost when it is killed: both sides connect again, and each question that is open is asked again.
"""

import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena import protocol, shared_folders
from arena.errors import ArenaError
from arena.event.discovery import REMOTE_SOCKET
from arena.extras.serve import uploads
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.entrants import Entrants
from arena.extras.serve.join import REPLACED
from arena.extras.serve.worker import BusyError
from arena.match.remote import MOST_BYTES, MOST_LETTERS, MOST_REMARKS

POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
BYTES_PER_S, MESSAGE_BYTES, BURST_S = 300_000, 500, 2.0
"""Of what a bot sends so much is read in a second, a message counted as that much more; of the rest it waits."""
GONE = (RuntimeError, WebSocketDisconnect, TimeoutError, OSError)
"""The errors of a connection whose client is gone, or takes nothing."""
MOST_NAMES = 20
HELLO_BYTES = 10_000
HELLO_S = 10.0
TOKEN_LOOK_S = 0.2  # the time between two looks whether the token of a bot's author is valid
SEND_S = 10.0  # a message that a client does not take in so long is lost
CLOSE_S = (
    1.0  # an older connection of the same bot, which perhaps takes nothing, is waited for no longer
)


class Hub:
    """The bots that are there, and the matches that ask them."""

    def __init__(self) -> None:
        self._bots: dict[str, WebSocket] = {}
        self._matches: dict[str, tuple[str, asyncio.StreamWriter]] = {}
        """The bot and the connection of each match under way, by its session."""
        self._read_until: dict[str, float] = {}
        """The time (monotonic) until which all that a bot has sent may take to be read, at BYTES_PER_S."""
        self.joins = 0
        """How often bots have joined."""
        self._joins_in_progress: set[str] = set()
        """The accounts whose bots wait to be taken in."""
        self._one_at_a_time = asyncio.Lock()

    @property
    def bots(self) -> frozenset[str]:
        """The names of the bots that are there."""
        return frozenset(self._bots)

    @contextlib.asynccontextmanager
    async def taking_in(self, account: str) -> AsyncIterator[None]:
        """Let one bot be taken in at a time, also while uploads are checked: each takes a thread of the pages.

        BusyError if another one of the account waits already.
        """
        if account in self._joins_in_progress:
            raise BusyError
        self._joins_in_progress.add(account)
        try:
            async with self._one_at_a_time:
                yield
        finally:
            self._joins_in_progress.discard(account)

    @contextlib.asynccontextmanager
    async def listening(self, bots: Path) -> AsyncIterator[None]:
        """Let matches ask the bots of this folder until the end of the `async with`."""
        if not bots.is_dir():
            yield
            return
        (bots / REMOTE_SOCKET).unlink(missing_ok=True)  # of a killed server
        before = os.umask(0o177)
        try:
            with shared_folders.socket_path(bots / REMOTE_SOCKET) as path:
                server = await asyncio.start_unix_server(self._hear_match, path, limit=MOST_BYTES)
        finally:
            os.umask(before)
        try:
            yield
        finally:
            server.close()
            for _, writer in list(self._matches.values()):
                writer.close()
            (bots / REMOTE_SOCKET).unlink(missing_ok=True)

    async def serve_bot(self, socket: WebSocket, name: str) -> None:
        """Carry the messages of a bot until it goes."""
        if (
            older := self._bots.pop(name, None)
        ) is not None:  # started again, or lost by a network that closed nothing
            self._announce(name)  # as gone first, so that the open questions are asked again
        self._bots[name] = socket
        self.joins += 1
        self._announce(name)
        if older is not None:
            with contextlib.suppress(*GONE):
                await asyncio.wait_for(older.close(REPLACED), CLOSE_S)
        try:
            while True:
                text = await socket.receive_text()
                message = _message(text)
                if message is None:
                    return
                bot, writer = self._matches.get(str(message.get("session")), ("", None))
                # An honest bot has one answer under way, and who sends more fills no memory here.
                if (
                    bot == name
                    and writer is not None
                    and writer.transport.get_write_buffer_size() < MOST_BYTES
                ):
                    writer.write(json.dumps(_answer(message)).encode() + b"\n")
                await self._pause(name, len(text))
        finally:
            if self._bots.get(name) is socket:
                del self._bots[name]
                self._announce(name)

    async def _pause(self, name: str, size: int) -> None:
        """Wait after a message of a bot, so that none takes the time in which others are answered."""
        now = time.monotonic()
        begun = max(self._read_until.get(name, 0.0), now - BURST_S)
        self._read_until[name] = begun + (size + MESSAGE_BYTES) / BYTES_PER_S
        if (left := self._read_until[name] - now) > 0:
            await asyncio.sleep(left)

    def _announce(self, name: str) -> None:
        """Tell the matches of a bot whether it is there."""
        for bot, writer in self._matches.values():
            if bot == name:
                writer.write(json.dumps({"here": name in self._bots}).encode() + b"\n")

    async def _hear_match(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry the questions of a match."""
        session = ""
        try:
            hello = _message(await reader.readline()) or {}
            name, session = str(hello.get("bot")), str(hello.get("session"))
            self._matches[session] = (name, writer)
            writer.write(json.dumps({"here": name in self._bots}).encode() + b"\n")
            while line := await reader.readline():
                if (socket := self._bots.get(name)) is not None:
                    with contextlib.suppress(*GONE):
                        await asyncio.wait_for(socket.send_text(line.decode().rstrip("\n")), SEND_S)
        except (OSError, ValueError):  # it was killed, or a line is too long
            logging.warning("a match with a remote seat has lost the server")
        finally:
            self._matches.pop(session, None)
            writer.close()


async def join(socket: WebSocket) -> None:
    """Let a bot take its seats, if it has the token of its author."""
    accounts: Accounts = socket.app.state.accounts
    scheme, _, token = socket.headers.get("authorization", "").partition(" ")
    account = accounts.with_token(token.strip()) if scheme.lower() == "bearer" else None
    if account is None:
        await _close(socket, POLICY_VIOLATION)
        return
    try:
        await socket.accept()
        text = await asyncio.wait_for(socket.receive_text(), HELLO_S)
        hello = (_message(text) if len(text) < HELLO_BYTES else None) or {}
        version, games, roles = hello.get("version"), hello.get("games", []), hello.get("roles", [])
        if not _is_text(version) or not version or not _are_names(games) or not _are_names(roles):
            raise ArenaError("this is no `arena join` of this version: fetch it again")
        hub: Hub = socket.app.state.hub
        async with hub.taking_in(account.id):
            try:
                entrants = await asyncio.to_thread(Entrants, accounts.workspace)
            except ArenaError as error:  # its organiser is changing it
                logging.warning("a remote bot waits: %s", error)
                raise BusyError from error
            name = await asyncio.to_thread(
                uploads.remote_bot, accounts, entrants, account, version, games, roles
            )
        await socket.send_json({"bot": name})
        await _until_void(hub.serve_bot(socket, name), accounts, token.strip())
        await _close(socket, POLICY_VIOLATION)
    except BusyError:
        await _close(socket, TRY_AGAIN_LATER)
    except ArenaError as error:
        await _close(socket, POLICY_VIOLATION, refused=str(error))
    except (*GONE, KeyError):  # or it sends no text
        return


async def _close(socket: WebSocket, code: int, *, refused: str = "") -> None:
    """Close the connection of a client, which may be gone, after the reason if it was refused."""
    with contextlib.suppress(*GONE):
        if refused:
            await asyncio.wait_for(socket.send_json({"refused": refused}), SEND_S)
        await asyncio.wait_for(socket.close(code), CLOSE_S)


async def _until_void(serving: Coroutine[Any, Any, None], accounts: Accounts, token: str) -> None:
    """Serve a bot until it goes, or until the token of its author is revoked or replaced."""
    task, seen = asyncio.create_task(serving), None
    try:
        while not (await asyncio.wait({task}, timeout=TOKEN_LOOK_S))[0]:
            changes = accounts.changes()
            if (changes is None or changes != seen) and accounts.with_token(token) is None:
                return
            seen = changes
        task.result()
    finally:
        task.cancel()  # so the bot is here for no match any more, before its client has heard of it
        await asyncio.wait({task})


def _is_text(value: Any) -> bool:
    """Return whether a value is a text that can be written: JSON may have half of a surrogate pair."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_NAMES and all(map(_is_text, value))


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a bot may say in a message, and no more than a match reads of it: that it is here, the hub says."""
    answer = {
        name: message[name]
        for name in ("session", "number")
        if isinstance(message.get(name), str | int)
    }
    if isinstance(failed := message.get("failed"), str):
        answer["failed"] = failed[:MOST_LETTERS]
    if isinstance(instead := message.get("instead"), str):
        answer["instead"] = instead[:MOST_LETTERS]
    if isinstance(line := message.get("line"), str):
        answer["line"] = line.encode("utf-8", "replace")[: protocol.LINE_LIMIT].decode(
            "utf-8", "replace"
        )
    if isinstance(remarks := message.get("remarks"), list):
        answer["remarks"] = [
            each[:MOST_LETTERS] for each in remarks[:MOST_REMARKS] if isinstance(each, str)
        ]
    return answer


def _message(text: str | bytes) -> dict[str, Any] | None:
    """Return a message; None for what is none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


ROUTES = [WebSocketRoute("/join", join)]
