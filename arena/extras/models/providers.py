"""The ways to ask a model: a server that speaks the OpenAI chat format, or a command, which gets JSON and prints JSON.

Whatever comes back is a stranger's: its size and time are bounded, and its figures are checked. `AgainError` says that
the way failed, so the model has not answered. A refusal, an empty answer and a cut answer are answers.
"""

import asyncio
import contextlib
import json
import math
import os
import signal
import time
import zlib
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from arena import parallel, system
from arena.errors import MachineError
from arena.extras.models.asking import Provider
from arena.protocol import clean
from arena.values import MODERN_LIMIT, USUAL_LIMIT, ModelAnswer

MOST_BODY = 2_000_000
"""Bytes of an answer of the provider: more is a failure."""
MOST_TEXT = 64_000
"""Characters of a text, and of the reasoning before it, that are kept."""
MOST_WAIT_S = 60.0
LEAST_BYTES_A_TOKEN, MOST_A_MESSAGE = 64, 16
TOKENS_IN = (
    "prompt_tokens",
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
"""What usage says of the question: OpenAI's count has the cached tokens, Anthropic's has not."""
MOST_HIDDEN = 1_000_000
"""Tokens of an answer that a provider may count; those of hidden thoughts are among them."""
TOO_LONG = ("context_length_exceeded", "maximum context length")
"""How providers say, in a code or in words, that the question of a bot is too long."""
NO_CREDIT = "insufficient_quota"
"""The code of HTTP 429 where no later call would be answered either."""
MOST_WORDS = 300
"""Characters of a provider's own words about a failure that are shown."""
REASONS = {
    401: "it refuses the key",
    403: "it refuses the key",
    404: "it does not know the model or the path",
}
OF_THE_REQUEST = {400, 413, 422}
"""The statuses of requests that an agent wrote wrongly: it reads the provider's words itself."""
PASSING = {408, 409, 425, 429}


def fields_of(provider: Provider) -> dict[str, Any]:
    """Return the fields that the organiser adds to each request."""
    added: dict[str, Any] = json.loads(provider.fields) if provider.fields else {}
    return added


class AgainError(Exception):
    """The provider was not reached, or gave nothing that can be read: it may go better in `after` seconds."""

    def __init__(self, words: str, after: float = 0.0) -> None:
        super().__init__(words)
        self.after = min(max(after, 0.0), MOST_WAIT_S)


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
        self._limit = MODERN_LIMIT if MODERN_LIMIT in self._fields else USUAL_LIMIT
        self._url = provider.url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        headers = {"Accept-Encoding": "identity"}
        if provider.key:
            headers["Authorization"] = f"Bearer {provider.key}"
            headers["x-api-key"] = provider.key  # so Anthropic's format has it
        # No redirect is followed, and without TLS no proxy of the environment is asked: they would carry the key
        # elsewhere. The broker limits the time of the whole call.
        direct = {"http://": None} if provider.key else None
        self._client = httpx.AsyncClient(headers=headers, mounts=direct, timeout=None)  # noqa: S113
        self._failures: tuple[type[Exception], ...] = (httpx.HTTPError, httpx.InvalidURL)

    async def ask(self, request: Mapping[str, Any]) -> ModelAnswer:
        """Return what the model said."""
        if "path" in request:
            url = self._url.removesuffix("chat/completions") + request["path"]
            return await self._post(url, request["body"] | self._fields, request)
        body = {"model": self._provider.name, "messages": request["messages"]}
        body |= {name: request[name] for name in ("temperature", "stop") if name in request}
        body |= self._fields | {self._limit: request["tokens"]}
        return await self._post(self._url, body, request)

    async def _post(
        self, url: str, body: Mapping[str, Any], request: Mapping[str, Any]
    ) -> ModelAnswer:
        """Return what the model said to this body."""
        try:
            async with self._client.stream("POST", url, json=body) as response:
                data = bytearray()
                async for chunk in response.aiter_raw():
                    data += chunk
                    if len(data) > MOST_BODY:
                        raise AgainError(f"it sent more than {MOST_BODY // 1_000_000} MB")
                status, retry_after = response.status_code, response.headers.get("retry-after", "")
                coding = response.headers.get("content-encoding", "").lower()
                kind = response.headers.get("content-type", "").lower()
        except self._failures as error:
            raise AgainError(
                f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            ) from error
        data = _unpacked(data, coding)
        if status == 200 and kind.startswith("text/event-stream"):
            raise AgainError("it sent an event stream, which nobody asked for")
        if "path" in request and (status == 200 or status in OF_THE_REQUEST):
            return _verbatim(status, json_of(data, self._provider.key), request)
        if status == 200:
            return _of_chat(json_of(data, self._provider.key), request)
        said = without_key(data.decode("utf-8", "replace"), self._provider.key)
        if status == 413 or (status == 400 and any(sign in said for sign in TOO_LONG)):
            return ModelAnswer(f"the question is too long for the model (HTTP {status})", "error")
        words = _own_words(data, self._provider.key)
        quoted = f": {words}" if words else ""
        if status >= 500 or (status in PASSING and NO_CREDIT not in said):
            raise AgainError(f"HTTP {status}{quoted}", _seconds_to_wait(retry_after))
        reason = REASONS.get(status, "it gives no answers")
        raise MachineError(f"{self._provider.table}.url: HTTP {status}: {reason}{quoted}")


class Command:
    """A program that reads a request as JSON on stdin, and prints the answer as JSON."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._running: set[int] = set()
        """The leaders of the process groups that run."""
        self._starting = asyncio.Lock()

    async def end(self) -> None:
        """Kill all programs that run, with whatever they started; from now on none starts."""
        await (
            self._starting.acquire()
        )  # a program may have started others before asyncio tells us of it
        for group in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    async def ask(self, request: Mapping[str, Any]) -> ModelAnswer:
        """Return what the program printed."""
        if "path" in request:
            words = "an agent over HTTP needs a `url`, which speaks its format"
            raise MachineError(f"{self._provider.table}.command: {words}")
        provider, parent = self._provider, os.getpid()
        values = {"model": provider.name, **request}
        variables = {"ARENA_MODEL": provider.alias, "ARENA_BOT": values.pop("bot", "")}
        values.pop("again", None)  # why the bot asks again is for the record alone
        fields = fields_of(provider)
        for limit in (USUAL_LIMIT, MODERN_LIMIT):  # the tokens are the lower of the limits
            fields.pop(limit, None)
        values |= fields
        if provider.key_variable:
            variables[provider.key_variable] = provider.key
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
                    preexec_fn=(lambda: parallel.tie_to(parent)) if system.LINUX else None,
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
                os.killpg(process.pid, signal.SIGKILL)  # with whatever it started
            await process.wait()
        if process.returncode != 0:
            last = log.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise AgainError(f"it ended with {process.returncode}: {last}")
        answer = json_of(printed, provider.key)
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise AgainError('it printed no JSON object with a "text"')
        end, reasoning = answer.get("end", "stop"), answer.get("reasoning", "")
        return _answer(
            answer["text"],
            end
            if end in ("stop", "length", "refused")
            else "stop",  # a list, too, is compared with a tuple
            reasoning if isinstance(reasoning, str) else "",
            (answer.get("in"), answer.get("out")),
            request,
        )

    async def _talk(
        self, process: asyncio.subprocess.Process, request: Mapping[str, Any]
    ) -> tuple[bytes, bytes]:
        """Write the request, and return all of its output; AgainError if that is too much."""
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a command without pipes")

        async def write(stdin: asyncio.StreamWriter) -> None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not read
                stdin.write(json.dumps(request).encode("ascii") + b"\n")
                await stdin.drain()
            stdin.close()

        async def drain(stream: asyncio.StreamReader, most: int) -> bytes:
            data = b""
            while chunk := await stream.read(65536):
                data = (data + chunk)[: most + 1]
            return data

        async def read(stream: asyncio.StreamReader) -> bytes:
            data = bytearray()
            while chunk := await stream.read(65536):
                data += chunk
                if len(data) > MOST_BODY:
                    raise AgainError(f"it printed more than {MOST_BODY // 1_000_000} MB")
            return bytes(data)

        writing = asyncio.ensure_future(write(process.stdin))
        logging = asyncio.ensure_future(drain(process.stderr, 100_000))
        try:
            printed = await read(process.stdout)
            await process.wait()
            return printed, await asyncio.wait_for(logging, 1.0)
        except TimeoutError:  # something that it started holds its stderr
            return printed, b""
        finally:
            writing.cancel()
            logging.cancel()


def _unpacked(data: bytearray, coding: str) -> bytearray:
    """Return the body of a response as plain bytes; AgainError if it is too large or unreadable."""
    if coding in ("", "identity"):
        return data
    if coding not in ("gzip", "deflate"):
        raise AgainError(f"it sent its answer compressed as {coding[:20]!r}")
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS + 32)  # the header says: gzip or zlib
    try:
        plain = unpacking.decompress(bytes(data), MOST_BODY)
    except zlib.error as error:
        raise AgainError("it sent a compressed answer that cannot be read") from error
    if not unpacking.eof:
        raise AgainError(
            f"its compressed answer is cut, or has more than {MOST_BODY // 1_000_000} MB"
        )
    return bytearray(plain)


def json_of(data: bytes | bytearray, key: str) -> Any:
    """Return the JSON of a provider, without the key; AgainError if it is none."""
    try:
        return _without_key(json.loads(bytes(data).decode("utf-8-sig", "replace")), key)
    except (ValueError, RecursionError) as error:
        raise AgainError("it sent no JSON that can be read") from error


def _own_words(data: bytes | bytearray, key: str) -> str:
    """Return what a provider says of a failure, cleaned, cut and without the key; empty if nothing."""
    try:
        value = json_of(data, key)
    except AgainError:
        value = without_key(data.decode("utf-8", "replace"), key)
    return _words_of(value)


def _words_of(value: Any) -> str:
    """Return the words in the value of an error, as one clean line; empty if it has none."""
    for name in ("error", "message"):
        if isinstance(value, dict) and value.get(name):
            value = value[name]
    if not isinstance(value, str):
        value = json.dumps(value) if value else ""
    return clean(" ".join(value[: 4 * MOST_WORDS].split()))[:MOST_WORDS]


def _seconds_to_wait(retry_after: str) -> float:
    """Return the seconds in a header Retry-After, a number or a date; 0 if it is neither."""
    with contextlib.suppress(ValueError, OverflowError):
        seconds = float(retry_after)
        return seconds if math.isfinite(seconds) else 0.0
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(retry_after).timestamp() - time.time()
    return 0.0


def without_key(text: str, key: str) -> str:
    """Return a text of a provider without the key, which it may repeat."""
    return text.replace(key, "[key]") if key else text


def _without_key(value: Any, key: str) -> Any:
    """Return a value of JSON without the key in its texts; before it was read they may have had it in other letters."""
    if isinstance(value, str):
        return without_key(value, key)
    if isinstance(value, list):
        return [_without_key(each, key) for each in value]
    if isinstance(value, dict):
        return {without_key(name, key): _without_key(each, key) for name, each in value.items()}
    return value


def _of_chat(answer: Any, request: Mapping[str, Any]) -> ModelAnswer:
    """Return the answer in a response of the OpenAI chat format."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if error:
        raise AgainError(f"an error inside HTTP 200: {_words_of(error)}")
    try:
        choice = answer["choices"][0]
        if choice.get("error"):
            raise AgainError(f"an error inside HTTP 200: {_words_of(choice['error'])}")
        message = choice["message"]
        text, refusal = _text_of(message.get("content")), message.get("refusal")
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        usage = answer.get("usage") or {}
        counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise AgainError("it sent no answer in the OpenAI chat format") from error
    finish = choice.get("finish_reason")
    end = (
        "refused"
        if refusal or finish == "content_filter"
        else "length"
        if finish == "length"
        else "stop"
    )
    return _answer(
        text if isinstance(text, str) else str(refusal or ""),
        end,
        reasoning if isinstance(reasoning, str) else "",
        counts,
        request,
    )


def _verbatim(status: int, body: Any, request: Mapping[str, Any]) -> ModelAnswer:
    """Return the answer to a request that passed as it is: its status and body, as JSON."""
    if not isinstance(body, dict):
        raise AgainError("it sent no JSON object")
    if status == 200 and body.get("error"):
        raise AgainError(f"an error inside HTTP 200: {_words_of(body['error'])}")
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    tokens_in = 0
    for name in TOKENS_IN:
        count = counts.get(name)
        if isinstance(count, int) and count > 0:
            tokens_in += count
    tokens_out = counts.get("completion_tokens", counts.get("output_tokens"))
    text = _valid(json.dumps([status, body]))
    if status != 200:
        return ModelAnswer(text, "error")
    most_in = most_tokens(request["messages"])
    least_in = -(-len(request["messages"][0]["content"]) // LEAST_BYTES_A_TOKEN)
    return ModelAnswer(
        text,
        "stop",
        _credible(tokens_in, least_in, 4 * most_in + 1000, most_in),
        _credible(tokens_out, 0, MOST_HIDDEN, len(text)),
    )


def _text_of(content: Any) -> Any:
    """Return the content of a message; of a list of parts, their texts joined."""
    if not isinstance(content, list):
        return content
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    texts = [part.get("text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def _answer(
    text: str, end: str, reasoning: str, counts: tuple[object, object], request: Mapping[str, Any]
) -> ModelAnswer:
    """Return an answer with bounded texts, and tokens as counted or, where that is not credible, as many as can be."""
    most_in = most_tokens(request["messages"])
    asked = most_in - MOST_A_MESSAGE * len(request["messages"])
    said = len(text.encode("utf-8", "replace")) + len(reasoning.encode("utf-8", "replace"))
    tokens_in = _credible(counts[0], -(-asked // LEAST_BYTES_A_TOKEN), 4 * most_in + 1000, most_in)
    tokens_out = _credible(
        counts[1], -(-said // LEAST_BYTES_A_TOKEN), MOST_HIDDEN, said + MOST_A_MESSAGE
    )
    if len(text) > MOST_TEXT:
        text, end = text[:MOST_TEXT], "length"
    return ModelAnswer(_valid(text), end, tokens_in, tokens_out, _valid(reasoning[:MOST_TEXT]))


def most_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the most tokens that a question can have: one for each byte, and some for the frame of a message."""
    size = sum(len(message["content"].encode("utf-8", "replace")) for message in messages)
    return size + MOST_A_MESSAGE * len(messages)


def _credible(count: object, least: int, most: int, otherwise: int) -> int:
    is_number = isinstance(count, int) and not isinstance(count, bool)
    return count if is_number and least <= count <= most else otherwise  # type: ignore[operator, return-value]


def _valid(text: str) -> str:
    """Return a text that any program can read: half of a surrogate pair is replaced."""
    return text.encode("utf-8", "replace").decode()
