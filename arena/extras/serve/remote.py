"""The hub of remote seats: it carries messages between matches and bots on their authors' machines.

A match is on a Unix socket (remote_seat.py), a bot on a WebSocket (join.py). The hub knows who is
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
from arena.extras.serve.remote_seat import MOST_BYTES, MOST_LETTERS, MOST_REMARKS
from arena.extras.serve.worker import BusyError

POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013
BYTES_PER_S = 300_000
"""How fast the messages of a bot are read; a bot that has sent more waits."""
MESSAGE_BYTES = 500
"""The bytes that each message counts in addition to its own."""
BURST_S = 2.0
"""A bot that was silent before may send as much at once as is read in this time."""
GONE = (RuntimeError, WebSocketDisconnect, TimeoutError, OSError)
"""The errors of a connection whose client has disconnected, or reads nothing."""
MOST_NAMES = 20
HELLO_BYTES = 10_000
HELLO_S = 10.0
TOKEN_LOOK_S = 0.2
"""The time between two looks whether the token of a bot's author is valid."""
SEND_S = 10.0
"""A message is lost if the client does not read it in this time."""
CLOSE_S = 1.0
"""The time to close an older connection of a bot, which perhaps reads nothing."""


class Hub:
    """The bots that are connected, and the matches that ask them."""

    def __init__(self) -> None:
        self._bots: dict[str, WebSocket] = {}
        self._matches: dict[str, tuple[str, asyncio.StreamWriter]] = {}
        """The bot and the connection of each match under way, by its session."""
        self._read_until: dict[str, float] = {}
        """The time (monotonic) at which all messages of a bot are read, at BYTES_PER_S."""
        self.joins = 0
        """How often bots have joined."""
        self._joins_in_progress: set[str] = set()
        """The accounts whose bots wait to be taken in."""
        self._one_at_a_time = asyncio.Lock()

    @property
    def bots(self) -> frozenset[str]:
        """The names of the bots that are connected."""
        return frozenset(self._bots)

    @contextlib.asynccontextmanager
    async def taking_in(self, account: str) -> AsyncIterator[None]:
        """Take in one bot at a time, because each takes a thread that pages need, too.

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
        socket_file = bots / REMOTE_SOCKET
        socket_file.unlink(missing_ok=True)  # a killed server leaves its socket
        before = os.umask(0o177)
        try:
            with shared_folders.socket_path(socket_file) as path:
                server = await asyncio.start_unix_server(self._hear_match, path, limit=MOST_BYTES)
        finally:
            os.umask(before)
        try:
            yield
        finally:
            server.close()
            for _, writer in list(self._matches.values()):
                writer.close()
            socket_file.unlink(missing_ok=True)

    async def serve_bot(self, socket: WebSocket, name: str) -> None:
        """Carry the messages of a bot until it disconnects."""
        older = self._bots.pop(name, None)
        if older is not None:
            # The bot was started again, or its network failed and closed no connection. It is
            # announced as gone first, so that the open questions are asked again.
            self._announce(name)
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
                self._pass_on(name, message)
                await self._pause(name, len(text))
        finally:
            if self._bots.get(name) is socket:
                del self._bots[name]
                self._announce(name)

    def _pass_on(self, name: str, message: dict[str, Any]) -> None:
        """Give the message of a bot to its match."""
        session = str(message.get("session"))
        if session not in self._matches:
            return
        bot, writer = self._matches[session]
        if bot != name:
            return
        # An honest bot sends one answer at a time, and a bot that sends more fills no memory here.
        if writer.transport.get_write_buffer_size() < MOST_BYTES:
            answer = _answer(message)
            writer.write(_line(answer))

    async def _pause(self, name: str, size: int) -> None:
        """Wait after a message of a bot, so that it does not take the time of others."""
        now = time.monotonic()
        read_until = self._read_until.get(name, 0.0)
        begun = max(read_until, now - BURST_S)
        seconds = (size + MESSAGE_BYTES) / BYTES_PER_S
        until = begun + seconds
        self._read_until[name] = until
        if until > now:
            await asyncio.sleep(until - now)

    def _announce(self, name: str) -> None:
        """Tell the matches of a bot whether it is connected."""
        message = _line({"here": name in self._bots})
        for bot, writer in self._matches.values():
            if bot == name:
                writer.write(message)

    async def _hear_match(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry the questions of a match."""
        session = ""
        try:
            hello = _message(await reader.readline()) or {}
            name = str(hello.get("bot"))
            session = str(hello.get("session"))
            self._matches[session] = (name, writer)
            writer.write(_line({"here": name in self._bots}))
            async for line in reader:
                socket = self._bots.get(name)
                if socket is None:
                    continue
                question = line.decode().rstrip("\n")
                with contextlib.suppress(*GONE):
                    await asyncio.wait_for(socket.send_text(question), SEND_S)
        except (OSError, ValueError):  # the match was killed, or a line is too long
            logging.warning("a match with a remote seat has lost the server")
        finally:
            self._matches.pop(session, None)
            writer.close()


async def join(socket: WebSocket) -> None:
    """Let a bot take its seats, if it has the token of its author."""
    accounts: Accounts = socket.app.state.accounts
    authorization = socket.headers.get("authorization", "")
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    account = None
    if scheme.lower() == "bearer":
        account = accounts.with_token(token)
    if account is None:
        await _close(socket, POLICY_VIOLATION)
        return
    try:
        await socket.accept()
        text = await asyncio.wait_for(socket.receive_text(), HELLO_S)
        version, games, roles = _read_hello(text)
        hub: Hub = socket.app.state.hub
        async with hub.taking_in(account.id):
            try:
                entrants = await asyncio.to_thread(Entrants, accounts.workspace)
            except ArenaError as error:  # its organiser is changing it
                logging.warning("a remote bot waits: %s", error)
                raise BusyError from error
            name = await asyncio.to_thread(
                uploads.remote_bot,
                accounts,
                entrants,
                account,
                version,
                games,
                roles,
            )
        await socket.send_json({"bot": name})
        await _until_void(hub.serve_bot(socket, name), accounts, token)
        await _close(socket, POLICY_VIOLATION)
    except BusyError:
        await _close(socket, TRY_AGAIN_LATER)
    except ArenaError as error:
        await _close(socket, POLICY_VIOLATION, refused=str(error))
    except (*GONE, KeyError):  # KeyError: the client sends bytes in place of text
        return


def _read_hello(text: str) -> tuple[str, list[str], list[str]]:
    """Return version, games and roles of a bot that joins; raise ArenaError for an invalid text."""
    hello = None
    if len(text) < HELLO_BYTES:
        hello = _message(text)
    if hello is not None:
        version = hello.get("version")
        games = hello.get("games", [])
        roles = hello.get("roles", [])
        has_names = _are_names(games) and _are_names(roles)
        if version and _is_text(version) and has_names:
            return version, games, roles
    raise ArenaError("this is no `arena join` of this version: fetch it again")


async def _close(socket: WebSocket, code: int, *, refused: str = "") -> None:
    """Close the connection of a client, after the reason if it was refused.

    The client may have disconnected.
    """
    with contextlib.suppress(*GONE):
        if refused:
            await asyncio.wait_for(socket.send_json({"refused": refused}), SEND_S)
        await asyncio.wait_for(socket.close(code), CLOSE_S)


async def _until_void(
    serving: Coroutine[Any, Any, None],
    accounts: Accounts,
    token: str,
) -> None:
    """Serve a bot until it disconnects, or until the token of its author is revoked or replaced."""
    task = asyncio.create_task(serving)
    last_changes = None
    try:
        while True:
            finished, _ = await asyncio.wait({task}, timeout=TOKEN_LOOK_S)
            if finished:
                task.result()
                return
            changes = accounts.changes()
            may_have_changed = changes is None or changes != last_changes
            if may_have_changed and accounts.with_token(token) is None:
                return
            last_changes = changes
    finally:
        # The matches hear that the bot has gone before its client hears that it was refused.
        task.cancel()
        await asyncio.wait({task})


def _is_text(value: Any) -> bool:
    """Return whether a value is a text that can be written; JSON may have half a surrogate pair."""
    if not isinstance(value, str):
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _are_names(value: Any) -> bool:
    """Return whether a value is a short list of texts."""
    if not isinstance(value, list) or len(value) > MOST_NAMES:
        return False
    return all(map(_is_text, value))


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a message that a bot may send, no longer than a match reads them.

    A bot cannot send `here`: the hub alone says whether a bot is connected.
    """
    answer: dict[str, Any] = {}
    for name in ("session", "number"):
        value = message.get(name)
        if isinstance(value, str | int):
            answer[name] = value
    for name in ("failed", "instead"):
        text = message.get(name)
        if isinstance(text, str):
            answer[name] = text[:MOST_LETTERS]
    line = message.get("line")
    if isinstance(line, str):
        content = line.encode("utf-8", "replace")[: protocol.LINE_LIMIT]
        answer["line"] = content.decode("utf-8", "replace")
    remarks = message.get("remarks")
    if isinstance(remarks, list):
        texts: list[str] = []
        for remark in remarks[:MOST_REMARKS]:
            if isinstance(remark, str):
                texts.append(remark[:MOST_LETTERS])
        answer["remarks"] = texts
    return answer


def _line(message: dict[str, Any]) -> bytes:
    """Return a message as a match reads it."""
    return json.dumps(message).encode() + b"\n"


def _message(text: str | bytes) -> dict[str, Any] | None:
    """Return a message; None for an invalid one."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict):
        return None
    return message


ROUTES = [WebSocketRoute("/join", join)]
