"""The ways to ask a model.

A way is a server that speaks the OpenAI chat format, or a command, which gets JSON and prints JSON.
Whatever comes back is a stranger's: its size and time are bounded. `AgainError` says that the way
failed, so the model has not answered. chat.py reads answers, and faults.py what is none.
"""

import asyncio
import contextlib
import functools
import json
import os
import signal
import ssl
import zlib
from collections.abc import Mapping
from typing import Any

from arena import parallel, system
from arena.errors import MachineError
from arena.extras.models import chat, faults
from arena.extras.models.asking import Provider
from arena.extras.models.faults import AgainError, AwayError, advice_of, refusal_of
from arena.values import MODERN_LIMIT, USUAL_LIMIT, ModelAnswer

MOST_BODY = 2_000_000
"""Bytes of an answer of the provider: more is a failure."""
OF_THE_REQUEST = {400, 413, 422}
"""The statuses of requests that an agent wrote wrongly: it reads the provider's words itself."""
OF_THE_PATH = {404, 405, 501}
"""The same of a format that the provider does not speak."""
ANTHROPICS = "messages"
"""The path of Anthropic's format, which has the key in a header of its own."""
ANTHROPIC_VERSION = "2023-06-01"
"""The version of that format, which its provider wants named."""
UNTRUSTED = "certificate verify failed"
"""How a connection fails that no patience mends."""
MOST_LOG = 100_000
"""Bytes of the stderr of a command that are kept."""


def fields_of(provider: Provider) -> dict[str, Any]:
    """Return the fields that the organiser adds to each request."""
    fields: dict[str, Any] = {}
    if provider.fields:
        fields = json.loads(provider.fields)
    return fields


@functools.cache
def _authorities() -> ssl.SSLContext:
    """Return the trusted certificates; reading them takes 20 ms, so all models share them."""
    import httpx

    return httpx.create_ssl_context()


class Url:
    """A server that speaks the OpenAI chat format."""

    def __init__(self, provider: Provider) -> None:
        try:
            import httpx
        except ImportError as error:
            words = f"{provider.table}.url: needs httpx: pip install 'botarena[models]'"
            raise MachineError(words) from error
        self._provider = provider
        self._fields = fields_of(provider)
        self._answered: set[str] = set()
        """The paths on which an agent got an answer."""
        self._limit = USUAL_LIMIT
        if MODERN_LIMIT in self._fields:
            self._limit = MODERN_LIMIT
        base = provider.url.rstrip("/").removesuffix("/chat/completions")
        self._url = f"{base}/chat/completions"
        headers = {"Accept-Encoding": "identity"}
        if provider.key:
            headers["Authorization"] = f"Bearer {provider.key}"
        # No redirect is followed, and without TLS no proxy of the environment is asked: they would
        # carry the key elsewhere. The broker limits the time of the whole call.
        direct = None
        if provider.key:
            direct = {"http://": None}
        self._client = httpx.AsyncClient(
            headers=headers,
            mounts=direct,
            timeout=None,  # noqa: S113
            verify=_authorities(),
        )
        self._lost: type[Exception] = httpx.TransportError
        self._failures: tuple[type[Exception], ...] = (httpx.HTTPError, httpx.InvalidURL)

    async def ask(self, request: Mapping[str, Any]) -> ModelAnswer:
        """Return what the model said."""
        status, headers, data = await self._send(request)
        if status != 200:
            return self._refusal(request, status, headers, data)

        data = _unpacked(data, headers)
        content_type = headers.get("content-type", "").lower()
        if content_type.startswith("text/event-stream"):
            raise AgainError("it sent an event stream, which nobody asked for")
        body = json_of(data, self._provider.key)
        table = self._provider.table
        if "path" not in request:
            return chat.answer_in(body, request, table=table)
        answer = chat.verbatim(status, body, request, table=table)
        if answer.end != "error":
            self._answered.add(request["path"])
        return answer

    async def _send(self, request: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Send the request of a bot, or that of an agent to the path that it names."""
        if "path" not in request:
            body = self._body(request)
            return await self._post(self._url, body, {})
        path = request["path"]
        base = self._url.removesuffix("chat/completions")
        headers = {}
        if path == ANTHROPICS:
            headers["anthropic-version"] = ANTHROPIC_VERSION
            if self._provider.key:
                headers["x-api-key"] = self._provider.key
        body = self._body_of_agent(request)
        return await self._post(base + path, body, headers)

    def _refusal(
        self,
        request: Mapping[str, Any],
        status: int,
        headers: Mapping[str, str],
        data: bytes,
    ) -> ModelAnswer:
        """Return the answer to a refused request, if that request is the reason.

        Otherwise raise what `refusal_of` raises.
        """
        table = self._provider.table
        body = self._readable(data, headers)
        advice = advice_of(headers)
        is_again = advice.is_worth_it is True
        is_verbatim = "path" in request
        if is_verbatim and not is_again and self._is_of_request(status, body, request["path"]):
            return chat.verbatim(status, body, request, table=table)
        address = without_key(headers.get("location", ""), self._provider.key)
        answer = refusal_of(
            status,
            body,
            table=table,
            advice=advice,
            address=address,
        )
        if is_verbatim:
            return chat.verbatim(status, body, request, table=table)
        return answer

    def _is_of_request(self, status: int, body: Any, path: str) -> bool:
        """Return whether an agent is the reason of a refusal, so that the run goes on.

        It is not where each request would be refused: for the model, or for a field that the
        organiser added. Once the model has answered, both are good, and an agent may have the
        provider quote such a name, or ask in a format that the provider does not speak.
        """
        has_answered = bool(self._answered)
        if status in OF_THE_PATH:
            return has_answered and path not in self._answered
        if status not in OF_THE_REQUEST:
            return False
        if has_answered:
            return True
        names = (self._provider.name, *self._fields)
        return not faults.names_any(body, names)

    def _body_of_agent(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is sent for the request of an agent.

        Where the organiser has a limit of tokens too, the lower one holds, in one field: providers
        refuse both.
        """
        body: dict[str, Any] = request["body"] | self._fields
        if self._limit not in self._fields:
            return body
        limits = [self._fields[self._limit]]
        for name in (USUAL_LIMIT, MODERN_LIMIT):
            limit = request["body"].get(name)
            if limit is not None:
                limits.append(limit)
            body.pop(name, None)
        body[self._limit] = min(limits)
        return body

    def _body(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is sent for the request of a bot."""
        body: dict[str, Any] = {
            "model": self._provider.name,
            "messages": request["messages"],
        }
        for name in ("temperature", "stop"):
            if name in request:
                body[name] = request[name]
        body |= self._fields
        body[self._limit] = request["tokens"]
        return body

    async def _post(
        self,
        url: str,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request, and return status, headers and body; AgainError without a response.

        `headers` are those of this request alone.
        """
        data = bytearray()
        try:
            async with self._client.stream("POST", url, json=body, headers=headers) as response:
                async for chunk in response.aiter_raw():
                    data += chunk
                    if len(data) > MOST_BODY:
                        raise AgainError(f"it sent more than {MOST_BODY // 1_000_000} MB")
        except self._failures as error:
            words = type(error).__name__
            if str(error):
                words += f": {error}"
            if UNTRUSTED in words.lower():
                raise MachineError(f"{self._provider.table}.url: {words}") from error
            if isinstance(error, self._lost):
                raise AwayError(words) from error
            raise AgainError(words) from error
        return response.status_code, response.headers, bytes(data)

    def _readable(self, data: bytes, headers: Mapping[str, str]) -> Any:
        """Return the JSON or the text of a response that is no answer, without the key."""
        key = self._provider.key
        try:
            data = _unpacked(data, headers)
            return json_of(data, key)
        except AgainError:
            return without_key(data.decode("utf-8", "replace"), key)


class Command:
    """A program that reads a request as JSON on stdin, and prints the answer as JSON."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._running: set[int] = set()
        """The leaders of the process groups that run."""
        self._starting = asyncio.Lock()

    async def end(self) -> None:
        """Kill all programs that run, with whatever they started; from now on none starts."""
        # A program may have started others before asyncio tells us of it.
        await self._starting.acquire()
        for group in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    async def ask(self, request: Mapping[str, Any]) -> ModelAnswer:
        """Return what the program printed."""
        provider = self._provider
        if "path" in request:
            words = "an agent over HTTP needs a `url`, which speaks its format"
            raise MachineError(f"{provider.table}.command: {words}")
        values = {"model": provider.name, **request}
        variables = {
            "ARENA_MODEL": provider.alias,
            "ARENA_BOT": values.pop("bot", ""),
        }
        values.pop("again", None)  # why the bot asks again is for the record alone
        fields = fields_of(provider)
        for limit in (USUAL_LIMIT, MODERN_LIMIT):  # the tokens are the lower of the limits
            fields.pop(limit, None)
        values |= fields
        if provider.key_variable:
            variables[provider.key_variable] = provider.key

        parent = os.getpid()

        def tie() -> None:
            parallel.tie_to(parent)

        in_child = None
        if system.LINUX:
            in_child = tie
        try:
            async with self._starting:
                process = await asyncio.create_subprocess_exec(
                    *provider.command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    cwd=provider.folder or None,
                    env=os.environ | variables,
                    start_new_session=True,
                    preexec_fn=in_child,
                )
                self._running.add(process.pid)
        except OSError as error:
            raise MachineError(
                f"{provider.table}.command: {provider.command[0]}: cannot be run: {error.strerror}"
            ) from error
        try:
            printed, log = await self._talk(process, values)
        finally:
            self._running.discard(process.pid)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with whatever it has started
            await process.wait()
        if process.returncode != 0:
            lines = log.decode("utf-8", "replace").strip()
            last = lines.rpartition("\n")[2]
            raise AgainError(f"it ended with {process.returncode}: {last}")

        answer = json_of(printed, provider.key)
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise AgainError('it printed no JSON object with a "text"')
        end = answer.get("end", "stop")
        if end not in ("stop", "length", "refused"):  # it may be a list, which no set looks for
            end = "stop"
        reasoning = answer.get("reasoning", "")
        if not isinstance(reasoning, str):
            reasoning = ""
        return chat.counted(answer["text"], end, reasoning, answer, request)

    async def _talk(
        self, process: asyncio.subprocess.Process, request: Mapping[str, Any]
    ) -> tuple[bytes, bytes]:
        """Write the request, and return all of its output; AgainError if that is too much."""
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a command without pipes")

        async def write(stdin: asyncio.StreamWriter) -> None:
            line = json.dumps(request).encode("ascii") + b"\n"
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not read
                stdin.write(line)
                await stdin.drain()
            stdin.close()

        async def drain(stream: asyncio.StreamReader, most: int) -> bytes:
            data = b""
            while True:
                chunk = await stream.read(65536)
                if not chunk:
                    return data
                data = (data + chunk)[: most + 1]

        async def read(stream: asyncio.StreamReader) -> bytes:
            data = bytearray()
            while True:
                chunk = await stream.read(65536)
                if not chunk:
                    return bytes(data)
                data += chunk
                if len(data) > MOST_BODY:
                    raise AgainError(f"it printed more than {MOST_BODY // 1_000_000} MB")

        writing = asyncio.ensure_future(write(process.stdin))
        logging = asyncio.ensure_future(drain(process.stderr, MOST_LOG))
        try:
            printed = await read(process.stdout)
            await process.wait()
            return printed, await asyncio.wait_for(logging, 1.0)
        except TimeoutError:  # something that it started holds its stderr
            return printed, b""
        finally:
            writing.cancel()
            logging.cancel()


def _unpacked(data: bytes, headers: Mapping[str, str]) -> bytes:
    """Return the body of a response as plain bytes; AgainError if it is too large or unreadable."""
    coding = headers.get("content-encoding", "").lower()
    if coding in ("", "identity"):
        return data
    if coding not in ("gzip", "deflate"):
        raise AgainError(f"it sent its answer compressed as {coding[:20]!r}")
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS + 32)  # the header says: gzip or zlib
    try:
        plain = unpacking.decompress(data, MOST_BODY)
    except zlib.error as error:
        raise AgainError("it sent a compressed answer that cannot be read") from error
    if not unpacking.eof:
        most = f"{MOST_BODY // 1_000_000} MB"
        raise AgainError(f"its compressed answer is cut, or has more than {most}")
    return plain


def json_of(data: bytes, key: str) -> Any:
    """Return the JSON of a provider, without the key; AgainError if it is none."""
    text = data.decode("utf-8-sig", "replace")
    try:
        return _without_key(json.loads(text), key)
    except (ValueError, RecursionError) as error:
        raise AgainError("it sent no JSON that can be read") from error


def without_key(text: str, key: str) -> str:
    """Return a text of a provider without the key, which it may repeat."""
    if not key:
        return text
    return text.replace(key, "[key]")


def _without_key(value: Any, key: str) -> Any:
    """Return a value of JSON without the key in its texts.

    Before it was read they may have had the key in other letters, as escaped characters.
    """
    if isinstance(value, str):
        return without_key(value, key)
    if isinstance(value, list):
        return [_without_key(part, key) for part in value]
    if isinstance(value, dict):
        cleaned = {}
        for name, part in value.items():
            cleaned[without_key(name, key)] = _without_key(part, key)
        return cleaned
    return value
