"""The broker, a process of its own that begins in `main`, with its settings as JSON on stdin.

It answers the lanes' requests from the tape, or asks the provider, within the limits that all lanes
share. A line comes in on each connection, and a line goes back: `["answer", {...}]`,
`["again", words]` where the match is to be played again, `["budget", words]` where the event's
budget is used up, or `["end", words]` where nothing would go better.
"""

import asyncio
import contextlib
import json
import math
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from arena import parallel, shared_folders, signals, whole_files
from arena.errors import ArenaError
from arena.extras.models.asking import TAPE_FILE, Provider, key_of
from arena.extras.models.calls import Door
from arena.extras.models.chat import most_tokens
from arena.extras.models.faults import AgainError, AwayError
from arena.extras.models.gate import Gate, PatienceError, backoff
from arena.extras.models.providers import Command, Url, without_key
from arena.extras.models.tape import Tape
from arena.protocol import clean
from arena.sandbox.exposure import forget
from arena.values import ModelAnswer, ModelTerms

DOWN = 3
"""Calls in a row that came to nothing: then no other goes better, and the run ends."""
LONGEST_WORDS = 600
"""Characters of a sentence about a provider; its own words have half as many at most."""
LOOK_S = 0.5
"""The time between two looks at what the calls wait for."""

Result = tuple[str, object]


class Broker:
    """The calls of one model of an event."""

    def __init__(self, provider: Provider, tape: Tape) -> None:
        self._provider = provider
        self._tape = tape
        self._others: list[Tape] = []
        for name in provider.tapes:
            folder = Path(name)
            path = folder / TAPE_FILE
            if path.exists():
                self._others.append(Tape(path, writing=False))
            else:
                self._tape.fill(folder, paid=False)
        self._asked: Url | Command | None = None
        """None: the tape answers alone."""
        if provider.kind == "url":
            self._asked = Url(provider)
        elif provider.kind == "command":
            self._asked = Command(provider)
        self._terms = ModelTerms(
            name=provider.name,
            price_in=provider.price_in,
            price_out=provider.price_out,
            price_cached=provider.price_cached,
            price_cache_write=provider.price_cache_write,
        )
        self._slots = asyncio.Semaphore(provider.at_once)
        self._gate = Gate(rate=provider.rate, patience=provider.patience)
        self._under_way: dict[str, asyncio.Task[Result]] = {}
        self._reserved: dict[str, tuple[int, float]] = {}
        """What the calls under way may take at most, by their keys."""
        self._ended = asyncio.Condition()
        self._failures = 0

    @property
    def wait(self) -> str:
        """What the calls of this model wait for, in words; empty while it answers."""
        wait = self._gate.wait
        if not wait:
            return ""
        words = clean(without_key(wait, self._provider.key), LONGEST_WORDS)
        return f"{self._provider.table}: waiting for {clean(self._provider.name)}: {words}"

    async def end(self) -> None:
        """End what was started.

        Every answer that is there is on disk, and nobody waits for the others.
        """
        if isinstance(self._asked, Command):
            await self._asked.end()

    async def answer(self, request: Mapping[str, Any]) -> Result:
        """Return the recorded answer to a request, or the provider's."""
        key = request["key"]
        table = self._provider.table
        try:
            stored = self._recorded(request)
            if stored is not None:
                return "answer", stored._asdict()
            if self._asked is None:
                return "end", (
                    f"{table}: the tape has no answer to a request of {request['bot']} in match "
                    f"{request['match']}: play with a provider, which then answers that alone"
                )
            if key not in self._under_way:  # a lane that was killed may have asked already
                task = asyncio.ensure_future(self._pay(request))
                self._under_way[key] = task
                task.add_done_callback(lambda _: self._under_way.pop(key))
            return await asyncio.shield(self._under_way[key])
        except ArenaError as error:
            return "end", str(error)

    def _recorded(self, request: Mapping[str, Any]) -> ModelAnswer | None:
        stored = self._tape.find(request["key"])
        if stored is not None:
            return stored
        for tape in self._others:
            stored = tape.find(request["key"])
            if stored is not None:
                self._add(request, stored, paid=False)
                return stored
        return None

    def _add(
        self,
        request: Mapping[str, Any],
        answer: ModelAnswer,
        *,
        paid: bool,
    ) -> None:
        self._tape.add(
            request["key"],
            self._provider.alias,
            request["match"],
            request["bot"],
            answer,
            cost=self._terms.cost_of(answer),
            paid=paid,
        )

    async def _pay(self, request: Mapping[str, Any]) -> Result:
        """Ask the provider within rate and budget, again if it fails, and record the answer."""
        key = request["key"]
        table = self._provider.table
        async with self._slots:
            if not await self._has_budget(request["request"], key):
                return "budget", f"{table}: the event's budget is used up"
            try:
                question = {**request["request"], "bot": request["bot"]}
                answer = await self._tried(question)
            except (AgainError, PatienceError) as error:
                self._failures += 1
                fault = without_key(str(error), self._provider.key)
                words = f"{table}: the model gave no answer: {clean(fault, LONGEST_WORDS)}"
                if isinstance(error, PatienceError) or self._failures >= DOWN:
                    return "end", words
                return "again", words
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
        tokens = tokens_in + request["tokens"]
        cost = self._terms.most_price(tokens_in, request["tokens"])
        token_budget: float = math.inf
        if self._provider.tokens is not None:
            token_budget = self._provider.tokens
        cost_budget = math.inf
        if self._provider.cost is not None:
            cost_budget = self._provider.cost
        async with self._ended:
            while True:
                spent_tokens, spent_cost = self._tape.paid(self._provider.alias)
                if spent_tokens >= token_budget or spent_cost >= cost_budget:
                    return False
                held_tokens = sum(tokens for tokens, _ in self._reserved.values())
                held_cost = sum(cost for _, cost in self._reserved.values())
                fits_tokens = spent_tokens + held_tokens < token_budget
                fits_cost = spent_cost + held_cost < cost_budget
                if (fits_tokens and fits_cost) or not self._reserved:
                    self._reserved[key] = tokens, cost
                    return True
                await self._ended.wait()

    async def _tried(self, request: Mapping[str, Any]) -> ModelAnswer:
        """Return the answer of the provider, which is asked again where it fails.

        A response that cannot be read counts as one of the `retries`. While the provider is away
        the gate has the patience. AgainError if this call alone has failed for longer than that.
        """
        unreadable = 0
        failing_since = None
        while True:
            async with self._gate.passage():
                begun = time.monotonic()
                try:
                    answer = await self._once(request)
                except AwayError as error:
                    self._gate.failed(error, begun)
                    failing_since = failing_since or begun
                    if time.monotonic() - failing_since >= self._provider.patience:
                        raise
                    continue
                except AgainError:
                    self._gate.answered()
                    unreadable += 1
                    if unreadable > self._provider.retries:
                        raise
                else:
                    self._gate.answered()
                    seconds = time.monotonic() - begun
                    return answer._replace(seconds=round(seconds, 3))
            await asyncio.sleep(backoff(unreadable))

    async def _once(self, request: Mapping[str, Any]) -> ModelAnswer:
        if self._asked is None:
            raise RuntimeError("a tape is not asked")
        wait = self._provider.wait
        try:
            async with asyncio.timeout(wait):
                return await self._asked.ask(request)
        except TimeoutError as error:
            words = f"it took more than {wait:g} seconds"
            if self._provider.kind == "command":
                raise AgainError(words) from error
            raise AwayError(words) from error


class ModelServer:
    """The brokers of all models of an event, which share its tape."""

    def __init__(self, providers: Sequence[Provider], path: Path) -> None:
        tape = Tape(path)
        if tape.is_new:
            tape.fill(path.parent, paid=True)
        self._brokers: dict[str, Broker] = {}
        for provider in providers:
            self._brokers[provider.alias] = Broker(provider, tape)

    async def report(self, path: Path) -> NoReturn:
        """Keep in a file, as JSON, what the calls of each model wait for."""
        written: list[str] = []
        while True:
            waits = [broker.wait for broker in self._brokers.values()]
            waits = [wait for wait in waits if wait]
            if waits != written:
                content = json.dumps(waits).encode("ascii")
                with whole_files.replacing(path, synced=False) as file:
                    file.write(content)
                written = waits
            await asyncio.sleep(LOOK_S)

    async def end(self) -> NoReturn:
        """End at once, with all that was started."""
        for broker in self._brokers.values():
            await broker.end()
        os._exit(0)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the request on one connection."""
        # A lane may be killed, or its line too long.
        with contextlib.closing(writer), contextlib.suppress(ConnectionError, ValueError):
            line = await reader.readline()
            request = json.loads(line)
            alias = request["alias"]
            broker = self._brokers[alias]

            answering = asyncio.ensure_future(broker.answer(request))
            while not answering.done():
                await asyncio.wait({answering}, timeout=Door.PULSE_S)
                if not answering.done():
                    writer.write(b"\n")

            answer = json.dumps(answering.result())
            writer.write(answer.encode("ascii") + b"\n")
            await writer.drain()


def _provider_of(settings: Mapping[str, Any]) -> Provider:
    """Return a provider, with its key, from the settings that came as JSON."""
    values: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, list):
            value = tuple(value)
        values[name] = value
    provider = Provider(**values)
    return replace(provider, key=key_of(provider))


async def _main(settings: Mapping[str, Any]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in signals.ENDING_SIGNALS:
        loop.add_signal_handler(number, stop.set)

    providers = [_provider_of(values) for values in settings["providers"]]
    for provider in providers:
        forget(provider.key_variable)
    brokers = ModelServer(providers, Path(settings["tape"]))

    address = Path(settings["address"])
    with shared_folders.socket_path(address) as path:
        server = await asyncio.start_unix_server(brokers.serve, path, limit=Door.LONGEST_LINE)
    print("ready", flush=True)

    waits = address.with_name(Door.WAITS)
    reporting = asyncio.ensure_future(brokers.report(waits))
    async with server:
        await stop.wait()
        reporting.cancel()
        await brokers.end()


def main() -> None:
    """Serve until the process that started this one ends it, or ends."""
    settings = json.loads(sys.stdin.readline())
    # A command may have started programs, which end with the broker.
    parallel.tie_to(settings["parent"], signal.SIGTERM)
    os.umask(0o077)
    try:
        asyncio.run(_main(settings))
    except ArenaError as error:
        print(str(error), flush=True)
        sys.exit(2)
