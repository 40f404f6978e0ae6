"""A provider that is away costs time and no event; what it refuses ends the run at once."""

import asyncio
import json
import os
import re
import signal
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.cli.watching import Watcher
from arena.errors import MachineError
from arena.event import run_words
from arena.extras.models.asking import Provider
from arena.extras.models.broker import Broker
from arena.extras.models.faults import AgainError, AwayError, refusal_of
from arena.extras.models.gate import Gate
from arena.extras.models.providers import Url
from arena.extras.models.tape import Tape
from arena.results.archive import Archive
from arena.values import ModelAnswer
from tests.extras.models import providers
from tests.extras.models.test_models import calls_in, workspace
from tests.support import cup
from tests.support.processes import descendants, until

LANES = 8
"""The calls at once of these tests."""
Ask = Callable[[object], Awaitable[ModelAnswer]]


def broker(folder: Path, ask: Ask, **settings: object) -> Broker:
    """Make a broker in this process, whose provider answers by this function."""
    values = {"kind": "tape", "name": "gpt-x", "at_once": LANES, "patience": 20.0}
    made = Broker(Provider(**values | settings), Tape(folder / "tape.sqlite"))
    made._asked = SimpleNamespace(ask=ask)
    return made


async def answers(asked: Broker, count: int = LANES) -> list[tuple[str, object]]:
    """Make as many calls at once, and return what becomes of them."""
    question = {"messages": [{"role": "user", "content": "Which?"}], "tokens": 100}
    calls = []
    for number in range(count):
        request = {"key": str(number), "bot": "a", "match": "b", "request": question}
        calls.append(asked.answer(request))
    return await asyncio.gather(*calls)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Wait as if a second was a hundredth of one."""
    monkeypatch.setattr("arena.extras.models.gate.BACKOFF_S", 0.005)
    monkeypatch.setattr("arena.extras.models.gate.MOST_BACKOFF_S", 0.3)


def test_an_outage_is_waited_for_by_one_call_for_all_lanes(tmp_path):
    starts: list[float] = []
    back = time.monotonic() + 1.2

    async def ask(_: object) -> ModelAnswer:
        starts.append(time.monotonic())
        await asyncio.sleep(0)
        if time.monotonic() < back:
            raise AwayError("ConnectError")
        return ModelAnswer("x")

    results = asyncio.run(answers(broker(tmp_path, ask)))
    assert [kind for kind, _ in results] == ["answer"] * LANES
    tries = sum(start < back for start in starts)
    # Each lane by itself would have tried ten times.
    assert LANES < tries < 3 * LANES
    assert len(starts) == tries + LANES


def test_the_pauses_grow_and_no_two_are_alike(tmp_path):
    starts: list[float] = []

    async def ask(_: object) -> ModelAnswer:
        starts.append(time.monotonic())
        if len(starts) < 8:
            raise AwayError("HTTP 503")
        return ModelAnswer("x")

    asyncio.run(answers(broker(tmp_path, ask), 1))
    pauses = [later - earlier for earlier, later in pairwise(starts)]
    assert max(pauses[-2:]) > 4 * pauses[0]
    assert len(set(pauses)) == len(pauses)


def test_all_lanes_obey_what_one_of_them_hears_of_a_time_to_wait(tmp_path):
    starts: list[float] = []

    async def ask(_: object) -> ModelAnswer:
        starts.append(time.monotonic())
        if len(starts) == 1:
            raise AwayError("HTTP 429", 0.4)
        return ModelAnswer("x")

    async def one_before_all() -> list[tuple[str, object]]:
        asked = broker(tmp_path, ask)
        first = asyncio.ensure_future(answers(asked, 1))
        await asyncio.sleep(0.05)
        return [*await answers(asked), *await first]

    results = asyncio.run(one_before_all())
    assert {kind for kind, _ in results} == {"answer"}
    assert starts[1] - starts[0] >= 0.4


def test_the_run_ends_with_the_providers_words_when_its_patience_is_over(tmp_path):
    async def ask(_: object) -> ModelAnswer:
        raise AwayError("HTTP 503: down for repair")

    asked = broker(tmp_path, ask, patience=0.2)
    results = asyncio.run(answers(asked))
    kinds = {kind for kind, _ in results}
    assert kinds == {"end"}
    assert "waited 0.2 s (`patience`): HTTP 503: down for repair" in results[0][1]
    assert asked._tape.paid("default") == (0, 0.0)


def test_a_time_to_wait_beyond_the_patience_ends_the_run_at_once(tmp_path):
    async def ask(_: object) -> ModelAnswer:
        raise AwayError("HTTP 429: come back tomorrow", 86400)

    results = asyncio.run(answers(broker(tmp_path, ask), 1))
    assert results[0][0] == "end"
    assert "86400 s, which is beyond `patience`: HTTP 429: come back tomorrow" in results[0][1]


def test_patience_counts_from_the_last_answer_and_not_for_each_call(tmp_path):
    calls = 0

    async def ask(_: object) -> ModelAnswer:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.1)
        if calls % 3:
            raise AwayError("HTTP 529")
        return ModelAnswer("x")

    begun = time.monotonic()
    results = asyncio.run(answers(broker(tmp_path, ask, at_once=1, patience=0.6), 4))
    assert {kind for kind, _ in results} == {"answer"}
    assert time.monotonic() - begun > 0.6


def test_a_call_that_alone_fails_is_given_up_and_the_others_go_on(tmp_path):
    async def ask(_: object) -> ModelAnswer:
        if asyncio.current_task() is poisoned:
            raise AwayError("it took more than 1 seconds")
        await asyncio.sleep(0.02)
        return ModelAnswer("x")

    poisoned: asyncio.Task[object] | None = None

    async def together() -> tuple[str, object]:
        nonlocal poisoned
        asked = broker(tmp_path, ask, patience=0.4)
        question = {"messages": [{"role": "user", "content": "Which?"}], "tokens": 100}
        request = {"key": "poison", "bot": "a", "match": "b", "request": question}
        failing = asyncio.ensure_future(asked.answer(request))
        await asyncio.sleep(0)
        poisoned = asked._under_way["poison"]
        number = 0
        while not failing.done():
            number += 1
            request = {"key": str(number), "bot": "a", "match": "b", "request": question}
            assert (await asked.answer(request))[0] == "answer"
        return failing.result()

    kind, words = asyncio.run(together())
    assert (kind, "more than 1 seconds" in words) == ("again", True)


def test_what_is_waited_for_and_until_when_is_said_without_the_key(tmp_path):
    async def ask(_: object) -> ModelAnswer:
        refusal_of(503, {"error": "my-key \x1b[31m" + "x" * 5000}, table="m")

    async def waiting() -> tuple[str, str]:
        asked = broker(tmp_path, ask, table="models.gpt", key="my-key")
        before = asked.wait
        task = asyncio.ensure_future(answers(asked, 1))
        await asyncio.sleep(0.05)
        task.cancel()
        return before, asked.wait

    before, wait = asyncio.run(waiting())
    assert before == ""
    assert wait.startswith(r"models.gpt: waiting for gpt-x: HTTP 503: [key] \x1b[31mxxxx")
    assert re.search(r"xxx.*; it is asked again (now|at [\w: ]+), until [\w: ]+ at most$", wait)
    assert len(wait) < 500


@pytest.fixture
def in_berlin(monkeypatch):
    """Move this process to Berlin, whatever zones are installed here."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_the_end_of_a_wait_is_right_when_the_clock_is_set_forward_before(in_berlin, monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 3, 29, 0, 30, 30, tzinfo=UTC).astimezone(tz)  # 01:30:30 in Berlin

    monkeypatch.setattr(run_words, "datetime", Clock)
    gate = Gate(rate=None, patience=45 * 60)
    gate.failed(AwayError("it is away"), time.monotonic())
    assert re.search(r"until 03:15:\d\d at most$", gate.wait)


def test_rubbish_is_no_outage(tmp_path):
    calls = 0

    async def ask(_: object) -> ModelAnswer:
        nonlocal calls
        calls += 1
        raise AgainError("it sent no JSON that can be read")

    results = asyncio.run(answers(broker(tmp_path, ask, retries=2, patience=0), 1))
    assert results[0][0] == "again"
    assert calls == 3


WAITED = {408, 409, 425, 429, *range(500, 600)} - {501, 505}
TOLD = {413}
ENDS = {status for status in range(300, 600) if status not in WAITED | TOLD}


@pytest.mark.parametrize(("kind", "statuses"), [("wait", WAITED), ("told", TOLD), ("end", ENDS)])
def test_each_status_from_300_to_599_is_waited_for_told_or_ends_the_run(kind, statuses):
    assert len(statuses) == {"wait": 102, "told": 1, "end": 197}[kind]
    for status in statuses:
        found, words = outcome(status)
        assert found == kind, status
        if kind == "wait":
            assert words == f"HTTP {status}: no"
        if kind == "end":
            assert words.startswith(f"models.gpt.url: HTTP {status}: ")
            assert words.endswith(": no")


def outcome(status: int) -> tuple[str, str]:
    """Return what follows from a status, and the words about it."""
    try:
        answer = refusal_of(status, {"error": {"message": "no"}}, table="models.gpt")
    except AwayError as error:
        return "wait", str(error)
    except MachineError as error:
        return "end", str(error)
    return "told", answer.text


def away_while(flag: Path, handler: object, request: dict[str, object]) -> None:
    """Name any legal move, but not while this file is there."""
    if flag.exists():
        providers.respond(handler, b'{"error": {"message": "no room"}}', 503)
    else:
        providers.plays(handler, request)


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time that these processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.soak
def test_a_run_says_for_whom_it_waits_and_ends_at_once_by_ctrl_c(tmp_path):
    flag = tmp_path / "away"
    flag.touch()
    with providers.serving(partial(away_while, flag)) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"\nmost_at_once = 2', repeats=1)

        def waits() -> list[str]:
            (row,) = json.loads(cup.arena(folder, "status", "--json").stdout)
            return row["waits"]

        playing = cup.start(folder)
        assert until(lambda: "waiting for m" in playing.said())
        (sentence,) = waits()
        assert sentence.startswith("model: waiting for m: HTTP 503: no room; it is asked again ")
        assert "model: waiting for m: HTTP 503" in cup.arena(folder, "status").stdout
        processes = descendants(playing.pid)
        before = cpu_seconds(processes)
        begun = time.monotonic()
        time.sleep(1.0)
        assert cpu_seconds(processes) - before < 0.3 * (time.monotonic() - begun)
        os.kill(playing.pid, signal.SIGINT)
        ended = playing.end(20)
        assert ended.returncode == 130
        assert "model: waiting for m: HTTP 503" in ended.stderr
        playing = cup.start(folder)
        assert until(lambda: "waiting for m" in playing.said())
        tries = server.calls.value
        flag.unlink()
        ended = playing.end(60)
        assert ended.returncode == 0
        assert server.calls.value - tries <= len(calls_in(folder / "results/cup")) + 2
        assert waits() == []
    with Archive.open(folder / "results/cup") as archive:
        endings = {fault.ending for record in archive.records() for fault in record.verdict.faults}
    assert endings == set()  # no clock ran meanwhile


def test_progress_in_a_pipe_says_once_that_it_waits_and_that_it_goes_on(capsys):
    watcher = Watcher("cup", "2 at a time", "")
    for sentences in ((), ("waiting for m: \x1b, at 10:00:00",), ("waiting for m, at 10:01",), ()):
        watcher.show_waits(sentences)
        if sentences:
            assert watcher.summary().endswith("; waiting for m, at 10:01") == (
                len(sentences[0]) < 25
            )
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["waiting for m: \\x1b, at 10:00:00", "the matches go on"]


def resets(handler: object, request: dict[str, object]) -> None:
    """End the connection without a response."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


@pytest.mark.parametrize("fault", ["refused", "unknown host", "reset", "closed"])
def test_a_connection_that_fails_is_waited_for(fault):
    request = {"messages": [{"role": "user", "content": "x"}], "tokens": 10}
    behave = {"reset": resets, "closed": lambda handler, _: handler.connection.close()}
    with providers.serving(behave.get(fault, providers.plays)) as server:
        url = server.url
        if fault == "refused":
            server.close()
        if fault == "unknown host":
            url = "http://no-such-host.invalid/v1"
        with pytest.raises(AwayError):
            asyncio.run(Url(Provider(kind="url", name="m", url=url)).ask(request))
