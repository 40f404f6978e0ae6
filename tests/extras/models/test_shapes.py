"""The shapes in which servers send what a model said, each with the answer or the words it gets."""

import asyncio
import csv
import gzip
import io
import json
import time
from typing import Any, NamedTuple

import pytest

from arena.errors import MachineError
from arena.extras.models.asking import Provider
from arena.extras.models.chat import MOST_TEXT
from arena.extras.models.faults import AgainError, AwayError
from arena.extras.models.providers import MOST_BODY, Url
from arena.extras.models.tape import Tape
from arena.games import rulebook
from arena.report import replays
from arena.results.archive import Archive
from arena.values import ModelAnswer
from tests.extras.models import providers
from tests.extras.models.test_models import run, workspace
from tests.support import cup, events

REQUEST = {"messages": [{"role": "user", "content": "Which move is best for me?"}], "tokens": 100}
USAGE = {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}
ANSWER = ModelAnswer("left", "stop", 12, 7)
CALL = {"id": "1", "type": "function", "function": {"name": "move", "arguments": "{}"}}


class Shape(NamedTuple):
    """A response, and what becomes of it: an answer, or an error with its words."""

    body: Any
    """JSON, or bytes."""
    becomes: ModelAnswer | tuple[type[Exception], str]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    way: str = "whole"
    """`whole`; `chunked`, `until closed` (HTTP/1.0) and `slow` are ways to send it."""


def chat(content: Any = "left", finish: Any = "stop", usage: Any = USAGE, **more: Any) -> Any:
    """Return a response of the OpenAI chat format, with more fields in its message."""
    message = {"role": "assistant", "content": content} | more
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": "x", "object": "chat.completion", "choices": choices, "usage": usage}


def error(words: str, **more: Any) -> Any:
    return {"error": {"message": words, **more}}


def used(**usage: Any) -> Any:
    return chat(usage=USAGE | usage)


TOO_LONG = "the question is too long for the model"
REFUSED = "the provider refused the question"
ESTIMATED = ANSWER._replace(tokens_in=26 + 16, tokens_out=4 + 16, is_estimated=True)
SHAPES = {
    # What a model said.
    "plain": Shape(chat(), ANSWER),
    "list of parts": Shape(
        chat([{"type": "text", "text": "le"}, {"type": "output_text", "text": "ft"}]), ANSWER
    ),
    "thinking parts": Shape(
        chat(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "left"},
            ]
        ),
        ANSWER._replace(reasoning="hm"),
    ),
    "reasoning_content": Shape(chat(reasoning_content="hm"), ANSWER._replace(reasoning="hm")),
    "reasoning": Shape(chat(reasoning="hm"), ANSWER._replace(reasoning="hm")),
    "reasoning_details": Shape(
        chat(reasoning=None, reasoning_details=[{"type": "reasoning.text", "text": "hm"}]),
        ANSWER._replace(reasoning="hm"),
    ),
    "thinking_blocks": Shape(
        chat(thinking_blocks=[{"type": "thinking", "thinking": "hm", "signature": "s"}]),
        ANSWER._replace(reasoning="hm"),
    ),
    "think tags": Shape(chat("<think>\nhm\n</think>\n\nleft"), ANSWER._replace(reasoning="hm")),
    "closing tag alone": Shape(chat("hm\n</think>\n\nleft"), ANSWER._replace(reasoning="hm")),
    "cut in its tags": Shape(
        chat("<think>\nhm", "length"), ANSWER._replace(text="", end="length", reasoning="hm")
    ),
    "cut": Shape(chat("le", "length"), ANSWER._replace(text="le", end="length")),
    "cut without text": Shape(chat("", "length"), ANSWER._replace(text="", end="length")),
    "no content": Shape(chat(None), ANSWER._replace(text="")),
    "finish_reason null": Shape(chat(finish=None), ANSWER),
    "content_filter": Shape(chat("", "content_filter"), ANSWER._replace(text="", end="refused")),
    "refusal": Shape(
        chat(None, refusal="I can't."), ANSWER._replace(text="I can't.", end="refused")
    ),
    "tool calls": Shape(
        chat(None, "tool_calls", tool_calls=[CALL]),
        ANSWER._replace(text=json.dumps({"tool_calls": [CALL]})),
    ),
    "two choices": Shape(
        chat() | {"choices": chat()["choices"] + chat("right")["choices"]}, ANSWER
    ),
    "huge text": Shape(
        chat("x" * 70_000, usage=USAGE | {"completion_tokens": 9000}),
        ModelAnswer("x" * MOST_TEXT, "length", 12, 9000),
    ),
    # Usage.
    "usage missing": Shape(chat(usage=None), ESTIMATED),
    "usage in floats": Shape(used(prompt_tokens=12.0, completion_tokens=7.0), ANSWER),
    "hidden thoughts": Shape(used(total_tokens=519), ANSWER._replace(tokens_out=507, thoughts=500)),
    "thoughts": Shape(
        used(completion_tokens_details={"reasoning_tokens": 5}), ANSWER._replace(thoughts=5)
    ),
    "thoughts apart": Shape(
        chat(
            usage={
                "prompt_tokens": 12,
                "completion_tokens": 7,
                "completion_tokens_details": {"reasoning_tokens": 50},
            }
        ),
        ANSWER._replace(tokens_out=57, thoughts=50),
    ),
    "cached tokens": Shape(
        used(prompt_tokens_details={"cached_tokens": 8}), ANSWER._replace(cached=8)
    ),
    "cost": Shape(used(cost=0.0125), ANSWER._replace(cost=0.0125)),
    "other names": Shape(
        chat(usage={"input_tokens": 4, "cache_read_input_tokens": 8, "output_tokens": 7}),
        ANSWER._replace(cached=8),
    ),
    "lies of few tokens": Shape(
        chat("x" * 640, usage=USAGE | {"completion_tokens": 9}),
        ModelAnswer("x" * 640, "stop", 12, 656, is_estimated=True),
    ),
    "lies of many tokens": Shape(
        used(prompt_tokens=-3, completion_tokens=10**12, cost=-1.0), ESTIMATED
    ),
    "figures that are none": Shape(
        used(
            prompt_tokens=True,
            completion_tokens="7",
            total_tokens=float("inf"),
            cost=float("nan"),
            prompt_tokens_details=[],
        ),
        ESTIMATED,
    ),
    # What is no answer.
    "error inside 200": Shape(error("no room"), (AwayError, "an error inside HTTP 200: no room")),
    "error inside a choice": Shape(
        {"choices": [{"error": {"code": 502, "message": "no room"}, "message": {"content": ""}}]},
        (AwayError, "HTTP 502: no room"),
    ),
    "parameter inside 200": Shape(
        error("no top_p", code=400), (MachineError, r"HTTP 400: .*model\.request\]: no top_p")
    ),
    "no choices": Shape({"choices": []}, (AgainError, "no answer in the OpenAI chat format")),
    "parameter": Shape(
        error("Unsupported parameter: 'max_tokens'"),
        (
            MachineError,
            r"HTTP 400: it refuses the request; its settings stand in \[model.request\]: Uns",
        ),
        400,
    ),
    "unknown model": Shape(
        error("no such model"), (MachineError, "does not know the model or the path: no such"), 404
    ),
    "no credit": Shape(error("top up"), (MachineError, "wants to be paid first: top up"), 402),
    "quota": Shape(
        error("pay", code="insufficient_quota"), (MachineError, "the credit is used up: pay"), 429
    ),
    "wrong key": Shape(error("bad key"), (MachineError, "it refuses the key: bad key"), 401),
    "rate limit": Shape(error("slow"), (AwayError, "HTTP 429: slow"), 429),
    "overloaded": Shape(b"<html>busy", (AwayError, "HTTP 503: <html>busy"), 503),
    "too long": Shape(
        error("This model's maximum context length is 10"),
        ModelAnswer(f"{TOO_LONG} (HTTP 400)", "error"),
        400,
    ),
    "flagged by a filter": Shape(
        error("flagged", code="content_filter"),
        ModelAnswer(f"{REFUSED}: HTTP 400: flagged", "refused"),
        400,
    ),
    "flagged by moderation": Shape(
        error("no", code=403, metadata={"flagged_input": "x"}),
        ModelAnswer(f"{REFUSED}: HTTP 403: no", "refused"),
        403,
    ),
    "an account that is flagged": Shape(
        error("Your account was flagged."), (MachineError, "it refuses the key: Your account"), 403
    ),
    "redirect": Shape(
        b"",
        (MachineError, "HTTP 308: it redirects to https://other.example/v1; no redirect is"),
        308,
        (("Location", "https://other.example/v1"),),
    ),
    # How it is sent.
    "gzip": Shape(
        gzip.compress(json.dumps(chat()).encode()), ANSWER, headers=(("Content-Encoding", "gzip"),)
    ),
    "byte order mark": Shape(b"\xef\xbb\xbf" + json.dumps(chat()).encode(), ANSWER),
    "blank lines before": Shape(b"\n\n  \n" + json.dumps(chat()).encode(), ANSWER),
    "chunked": Shape(chat(), ANSWER, way="chunked"),
    "HTTP 1.0 without length": Shape(chat(), ANSWER, way="until closed"),
    "slow first byte": Shape(chat(), ANSWER, way="slow"),
    "event stream": Shape(
        b"data: {}\n\n",
        (AgainError, "an event stream"),
        headers=(("Content-Type", "text/event-stream; charset=utf-8"),),
    ),
    "too large": Shape(b" " * (MOST_BODY + 1), (AgainError, "more than 2 MB")),
}
"""The 38 shapes that were found at servers, and their brothers."""


def sends(handler: Any, request: dict[str, Any]) -> None:
    """Send the shape that the request names as its model."""
    shape = SHAPES[request["model"]]
    body = shape.body if isinstance(shape.body, bytes) else json.dumps(shape.body).encode()
    if shape.way == "slow":
        time.sleep(0.2)
    if shape.way == "chunked":
        handler.protocol_version = "HTTP/1.1"
    handler.send_response(shape.status)
    for name, value in shape.headers:
        handler.send_header(name, value)
    if shape.way == "chunked":
        handler.send_header("Transfer-Encoding", "chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    elif shape.way != "until closed":
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
    handler.close_connection = True


@pytest.fixture(scope="module")
def server():
    with providers.serving(sends) as serving:
        yield serving


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_of_a_response_is_read_or_gets_its_words(server, name):
    url = Url(Provider(kind="url", name=name, url=server.url))
    becomes = SHAPES[name].becomes
    if isinstance(becomes, ModelAnswer):
        assert asyncio.run(url.ask(REQUEST)) == becomes
    else:
        kind, words = becomes
        with pytest.raises(kind, match=words) as raised:
            asyncio.run(url.ask(REQUEST))
        assert type(raised.value) is kind


@pytest.mark.parametrize("place", ["same host", "another host"])
def test_no_redirect_carries_the_key_anywhere(tmp_path, place):
    log = tmp_path / "asked"

    def notes(handler: Any, request: dict[str, Any]) -> None:
        log.write_text(str(handler.headers))
        providers.plays(handler, request)

    with providers.serving(notes) as other:

        def redirects(handler: Any, request: dict[str, Any]) -> None:
            address = other.url if place == "another host" else f"http://{handler.headers['Host']}"
            handler.send_response(307)
            handler.send_header("Location", f"{address}/chat/completions?key=my-key")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with providers.serving(redirects) as server:
            url = Url(Provider(kind="url", name="m", url=server.url, key="my-key"))
            with pytest.raises(MachineError, match=r"redirects to .*key=\[key\]"):
                asyncio.run(url.ask(REQUEST))
            assert server.calls.value == 1
        assert not log.exists()


@pytest.mark.soak
def test_one_flagged_prompt_is_a_verdict_in_words_and_the_event_goes_on(tmp_path):
    flagged = SHAPES["flagged by a filter"].body

    def sometimes(handler: Any, request: dict[str, Any]) -> None:
        if "You are a." in request["messages"][0]["content"]:
            providers.respond(handler, json.dumps(flagged).encode(), 400)
        else:
            providers.plays(handler, request)

    with providers.serving(sometimes) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"', "abc", repeats=1)
        assert run(folder)[0].complete
        asked = server.calls.value
    results = folder / "results/cup"
    with Archive.open(results) as archive:
        records = list(archive.records())
    assert len(records) == 6
    for record in records:
        names = {seat.role: seat.bot.name for seat in record.match.seats}
        for fault in record.verdict.faults:
            assert names[fault.role] == "a"
            assert "the last answer of its model was refused" in fault.words
            assert "HTTP 400: flagged" in fault.words
        assert bool(record.verdict.faults) == ("a" in names.values())
    again = run(folder, "results/again", kind="tape", tapes=(str(results),))
    assert again[0].complete
    assert events.tables(folder / "results/again") == events.tables(results)
    assert server.calls.value == asked


@pytest.mark.soak
def test_the_provider_s_own_figures_are_in_the_tape_the_tables_and_the_replay(tmp_path):
    usage = USAGE | {"prompt_tokens": 100, "total_tokens": 620, "cost": 0.25}
    usage["prompt_tokens_details"] = {"cached_tokens": 64}

    def plays(handler: Any, request: dict[str, Any]) -> None:
        providers.respond(
            handler, json.dumps(chat(providers.any_move(request), usage=usage)).encode()
        )

    with providers.serving(plays) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"\nprice_in = 100.0', repeats=1)
        run(folder)
    results = folder / "results/cup"
    with Archive.open(results) as archive:
        record = next(archive.records())
    answer = record.calls[0].answer
    assert (answer.cached, answer.thoughts, answer.cost, answer.tokens_out) == (64, 513, 0.25, 520)
    tape = Tape(results / "tape.sqlite", writing=False)
    assert tape.find(record.calls[0].key) == answer
    tokens, cost = tape.paid("default")
    assert (tokens / 620, cost / 0.25) == (server.calls.value, server.calls.value)
    shown = cup.arena(folder, "replay", record.match.id).stdout
    words = "64 of the question from a cache, 513 of the answer were thoughts, it cost 0.25"
    assert f"100 tokens, and 520 of its answer, {words}" in shown
    assert replays.replay(record, replays.Games(rulebook.game_of))["calls"][0][-1] == words
    events.tables(results)
    table = list(csv.DictReader(io.StringIO((results / "models.csv").read_text())))
    assert all(float(row["cost"]) == 0.25 * int(row["calls"]) for row in table)
