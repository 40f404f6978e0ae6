"""The broker, a process of its own that begins in `main`, with its settings as a line of JSON on stdin.

It answers the lanes' requests from the tape, or asks the provider, within the limits that all lanes share. A line comes
in on each connection, and a line goes back: `["answer", {...}]`, `["again", words]` where the match is to be played
again, `["budget", words]` where the event's budget is used up, or `["end", words]` where nothing would go better.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from arena import parallel, shared_folders
from arena.errors import ArenaError
from arena.extras.models.asking import TAPE_FILE, Provider, key_of
from arena.extras.models.calls import Door
from arena.extras.models.providers import AgainError, Command, Url, most_tokens, without_key
from arena.extras.models.tape import Tape
from arena.protocol import clean
from arena.sandbox.exposure import forget
from arena.values import ModelAnswer, ModelTerms

BACKOFF_S = 0.5
"""Before the second try; each later one waits twice as long."""
MOST_BACKOFF_S = 30.0
DOWN = 3
"""Calls in a row that came to nothing: then the provider is down, and the run ends."""

Result = tuple[str, object]


class Broker:
    """The calls of one model of an event."""

    def __init__(self, provider: Provider, tape: Tape) -> None:
        self._provider = provider
        self._tape = tape
        self._others: list[Tape] = []
        for folder in map(Path, provider.tapes):
            if (folder / TAPE_FILE).exists():
                self._others.append(Tape(folder / TAPE_FILE, writing=False))
            else:
                self._tape.fill(folder, paid=False)
        self._asked: Url | Command | None = None
        """None: the tape answers alone."""
        if provider.kind != "tape":
            self._asked = Url(provider) if provider.kind == "url" else Command(provider)
        self._terms = ModelTerms(name=provider.name, price_in=provider.price_in, price_out=provider.price_out)
        self._slots = asyncio.Semaphore(provider.at_once)
        self._under_way: dict[str, asyncio.Task[Result]] = {}
        self._reserved: dict[str, tuple[int, float]] = {}
        """What the calls under way may take at most, by their keys."""
        self._ended = asyncio.Condition()
        self._next_start = 0.0
        self._failures = 0

    async def end(self) -> None:
        """End what was started: every answer that is there is on disk, and nobody waits for the others."""
        if isinstance(self._asked, Command):
            await self._asked.end()

    async def answer(self, request: Mapping[str, Any]) -> Result:
        """Return the recorded answer to a request, or the provider's."""
        key = request["key"]
        try:
            if (stored := self._recorded(request)) is not None:
                return "answer", stored._asdict()
            if self._asked is None:
                words = f"the tape has no answer to a request of {request['bot']} in match {request['match']}"
                return "end", f"{self._provider.table}: {words}: play with a provider, which then answers that alone"
            if key not in self._under_way:  # a lane that was killed may have asked already
                task = self._under_way[key] = asyncio.ensure_future(self._pay(request))
                task.add_done_callback(lambda _: self._under_way.pop(key))
            return await asyncio.shield(self._under_way[key])
        except ArenaError as error:
            return "end", str(error)

    def _recorded(self, request: Mapping[str, Any]) -> ModelAnswer | None:
        if (stored := self._tape.find(request["key"])) is not None:
            return stored
        for tape in self._others:
            if (stored := tape.find(request["key"])) is not None:
                self._add(request, stored, paid=False)
                return stored
        return None

    def _add(self, request: Mapping[str, Any], answer: ModelAnswer, *, paid: bool) -> None:
        cost = self._terms.price(answer.tokens_in, answer.tokens_out)
        alias = self._provider.alias
        self._tape.add(request["key"], alias, request["match"], request["bot"], answer, cost=cost, paid=paid)

    async def _pay(self, request: Mapping[str, Any]) -> Result:
        """Ask the provider within rate and budget, a few times if it fails, and record the answer."""
        key = request["key"]
        async with self._slots:
            if not await self._has_budget(request["request"], key):
                return "budget", f"{self._provider.table}: the event's budget is used up"
            try:
                answer = await self._tried({**request["request"], "bot": request["bot"]})
            except AgainError as error:
                self._failures += 1
                words = f"the model gave no answer: {clean(without_key(str(error), self._provider.key))}"
                return ("end" if self._failures >= DOWN else "again"), f"{self._provider.table}: {words}"
            else:
                self._failures = 0
                self._add(request, answer, paid=True)
                return "answer", answer._asdict()
            finally:
                del self._reserved[key]
                async with self._ended:
                    self._ended.notify_all()

    async def _has_budget(self, request: Mapping[str, Any], key: str) -> bool:
        """Return whether a call may begin; wait while calls under way could use the budget up.

        So all calls together take at most one call more than the budget.
        """
        tokens_in = most_tokens(request["messages"])
        most = (tokens_in + request["tokens"], self._terms.price(tokens_in, request["tokens"]))
        budget = (self._provider.tokens, self._provider.cost)
        async with self._ended:
            while True:
                spent = self._tape.paid(self._provider.alias)
                held = [sum(each) for each in zip(*self._reserved.values(), strict=True)] or [0, 0.0]
                if any(limit is not None and used >= limit for limit, used in zip(budget, spent, strict=True)):
                    return False
                fits = all(
                    limit is None or used + waiting < limit
                    for limit, used, waiting in zip(budget, spent, held, strict=True)
                )
                if fits or not self._reserved:
                    self._reserved[key] = most
                    return True
                await self._ended.wait()

    async def _tried(self, request: Mapping[str, Any]) -> ModelAnswer:
        if self._asked is None:
            raise RuntimeError("a tape is not asked")
        for attempt in range(self._provider.retries + 1):
            await self._take_turn()
            begun = time.monotonic()
            try:
                async with asyncio.timeout(self._provider.wait):
                    answer = await self._asked.ask(request)
            except TimeoutError:
                failure = AgainError(f"it took more than {self._provider.wait:g} seconds")
            except AgainError as error:
                failure = error
            else:
                return answer._replace(seconds=round(time.monotonic() - begun, 3))
            if attempt < self._provider.retries:
                await asyncio.sleep(max(failure.after, min(BACKOFF_S * 2**attempt, MOST_BACKOFF_S)))
        raise failure

    async def _take_turn(self) -> None:
        """Wait until the rate allows another call."""
        if self._provider.rate is not None:
            now = time.monotonic()
            start = max(now, self._next_start)
            self._next_start = start + 60 / self._provider.rate
            await asyncio.sleep(start - now)


class ModelServer:
    """The brokers of all models of an event, which share its tape."""

    def __init__(self, providers: Sequence[Provider], path: Path) -> None:
        tape = Tape(path)
        if tape.is_new:
            tape.fill(path.parent, paid=True)
        self._brokers = {provider.alias: Broker(provider, tape) for provider in providers}

    async def end(self) -> NoReturn:
        """End at once, with all that was started."""
        for broker in self._brokers.values():
            await broker.end()
        os._exit(0)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the request on one connection."""
        # A lane may be killed, or its line too long.
        with contextlib.closing(writer), contextlib.suppress(ConnectionError, ValueError):
            request = json.loads(await reader.readline())
            answering = asyncio.ensure_future(self._brokers[request["alias"]].answer(request))
            while not (await asyncio.wait({answering}, timeout=Door.PULSE_S))[0]:
                writer.write(b"\n")
            writer.write(json.dumps(answering.result()).encode("ascii") + b"\n")
            await writer.drain()


def _provider_of(settings: Mapping[str, Any]) -> Provider:
    """Return a provider, with its key, from the settings that came as JSON."""
    values: dict[str, Any] = {}
    for name, value in settings.items():
        values[name] = tuple(value) if isinstance(value, list) else value
    provider = Provider(**values)
    return replace(provider, key=key_of(provider))


async def _main(settings: Mapping[str, Any]) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    providers = [_provider_of(values) for values in settings["providers"]]
    for provider in providers:
        forget(provider.key_variable)
    brokers = ModelServer(providers, Path(settings["tape"]))
    with shared_folders.socket_path(Path(settings["address"])) as path:
        server = await asyncio.start_unix_server(brokers.serve, path, limit=Door.LONGEST_LINE)
    print("ready", flush=True)
    async with server:
        await stop.wait()
        await brokers.end()


def main() -> None:
    """Serve until the process that started this one ends it, or ends."""
    settings = json.loads(sys.stdin.readline())
    parallel.tie_to(settings["parent"], signal.SIGTERM)  # a command may have started programs, which end with it
    os.umask(0o077)
    try:
        asyncio.run(_main(settings))
    except ArenaError as error:
        print(str(error), flush=True)
        sys.exit(2)
