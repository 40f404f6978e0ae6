"""What a provider's fault is: words for whoever runs the event, and never an answer of the
model.
"""

import asyncio
import gzip
import json
from email.utils import formatdate
from functools import partial
from time import time

import pytest

from arena.errors import MachineError
from arena.extras.models.asking import Provider
from arena.extras.models.faults import (
    AgainError,
    AwayError,
    RetryAdvice,
    advice_of,
    seconds_to_wait,
)
from arena.extras.models.providers import MOST_BODY, Url
from tests.extras.models.providers import answering, chat, says


def says_as(header: tuple[str, str], body: bytes, handler: object, request: object) -> None:
    """Send this body with one more header."""
    handler.send_response(200)
    handler.send_header(*header)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def asked_as(header: tuple[str, str], body: bytes) -> object:
    with answering(partial(says_as, header, body)) as url:
        return asyncio.run(Url(Provider(kind="url", name="m", url=url)).ask(REQUEST))


REQUEST = {"messages": [{"role": "user", "content": "Which move?"}], "tokens": 10}
PASSING = {408, 409, 425, 429}


def asked(body: bytes, status: int) -> object:
    """Ask a server that sends this body and status, and return the answer."""
    with answering(partial(says, body, status)) as url:
        provider = Provider(kind="url", name="m", url=url, key="my-key")
        return asyncio.run(Url(provider).ask(REQUEST))


def error(words: str, **more: object) -> bytes:
    return json.dumps({"error": {"message": words, **more}}).encode()


@pytest.mark.parametrize("status", [302, 308, 400, 401, 402, 403, 404, 418, 422, 451])
def test_a_request_that_is_refused_ends_the_run_with_the_providers_own_words(status):
    with pytest.raises(
        MachineError, match=rf"HTTP {status}: .*: no \[key\], no \\x1bmodel"
    ) as raised:
        asked(error("no my-key,\n no \x1bmodel"), status)
    assert "my-key" not in str(raised.value)
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize("status", [*sorted(PASSING), 500, 502, 503, 529, 599])
def test_a_failure_that_may_pass_is_tried_again_with_the_providers_own_words(status):
    with pytest.raises(AgainError, match=f"HTTP {status}: overloaded"):
        asked(error("overloaded"), status)


def test_a_provider_without_credit_ends_the_run_though_its_status_may_pass():
    with pytest.raises(MachineError, match=r"HTTP 429: .*: pay first"):
        asked(error("pay first", code="insufficient_quota"), 429)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no room"}},
        {"error": "no room", "choices": [{"message": {"content": "a"}}]},
        {"choices": [{"error": {"message": "no room"}, "message": {"content": ""}}]},
    ],
)
def test_an_error_inside_http_200_is_no_answer(body):
    with pytest.raises(AgainError, match="an error inside HTTP 200: no room"):
        asked(json.dumps(body).encode(), 200)


def test_a_question_that_is_too_long_is_told_to_the_bot():
    answer = asked(error("too many", code="context_length_exceeded"), 400)
    assert answer.end == "error"
    assert "too long" in answer.text


def test_retry_after_is_a_number_a_fraction_or_a_date():
    assert seconds_to_wait("7") == 7
    assert seconds_to_wait("4.5") == 4.5
    assert 50 < seconds_to_wait(formatdate(time() + 60, usegmt=True)) < 61
    for wrong in ("", "nan", "inf", "soon", "\u00b2"):
        assert seconds_to_wait(wrong) == 0


@pytest.mark.parametrize(
    ("headers", "advice"),
    [
        ({}, RetryAdvice()),
        ({"retry-after": "7"}, RetryAdvice(7)),
        ({"retry-after-ms": "250"}, RetryAdvice(0.25)),
        ({"retry-after-ms": "250.5", "retry-after": "7"}, RetryAdvice(0.2505)),
        ({"retry-after-ms": "soon", "retry-after": "7"}, RetryAdvice(7)),
        ({"retry-after-ms": "nan", "retry-after": "7"}, RetryAdvice(7)),
        ({"x-should-retry": "true"}, RetryAdvice(0, True)),
        ({"x-should-retry": "False", "retry-after": "4.5"}, RetryAdvice(4.5, False)),
        ({"x-should-retry": "perhaps"}, RetryAdvice()),
    ],
)
def test_headers_say_whether_and_when_to_ask_again(headers, advice):
    assert advice_of(headers) == advice


def refuses(status: int, headers: dict[str, str], handler: object, request: object) -> None:
    """Refuse with more headers."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", "2")
    handler.end_headers()
    handler.wfile.write(b"no")


def refused_with(status: int, **headers: str) -> object:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with answering(partial(refuses, status, named)) as url:
        return asyncio.run(Url(Provider(kind="url", name="m", url=url)).ask(REQUEST))


def test_a_time_in_milliseconds_is_waited_for():
    with pytest.raises(AwayError) as raised:
        refused_with(429, Retry_After_Ms="1500", Retry_After="60")
    assert raised.value.after == 1.5


@pytest.mark.parametrize("status", [400, 403, 501])
def test_a_refusal_that_the_provider_calls_worth_repeating_is_waited_for(status):
    with pytest.raises(AwayError, match=f"HTTP {status}: no"):
        refused_with(status, X_Should_Retry="true")


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_fault_that_the_provider_calls_lasting_ends_the_run(status):
    with pytest.raises(MachineError, match=f"HTTP {status}: it says that asking again is in vain"):
        refused_with(status, X_Should_Retry="false")


@pytest.mark.parametrize(
    ("header", "body"),
    [
        (("Content-Encoding", "gzip"), gzip.compress(chat("left"))),
        (("Content-Type", "application/json"), b"\xef\xbb\xbf" + chat("left")),
        (
            ("Content-Type", "application/json"),
            json.dumps(
                {
                    "choices": [
                        {
                            "message": {
                                "content": [
                                    {"type": "thinking", "thinking": []},
                                    {"type": "text", "text": "le"},
                                    {"type": "text", "text": "ft"},
                                ]
                            }
                        }
                    ]
                }
            ).encode(),
        ),
    ],
    ids=["gzip", "byte order mark", "parts"],
)
def test_an_answer_in_an_unusual_shape_is_read(header, body):
    assert asked_as(header, body).text == "left"


@pytest.mark.parametrize(
    ("header", "body", "words"),
    [
        (("Content-Encoding", "br"), b"x", "compressed as 'br'"),
        (("Content-Encoding", "gzip"), b"no gzip", "cannot be read"),
        (("Content-Encoding", "gzip"), gzip.compress(b" " * (MOST_BODY + 1)), "more than 2 MB"),
        (("Content-Type", "text/event-stream"), b"data: {}\n\n", "an event stream"),
    ],
)
def test_a_response_that_cannot_be_read_is_a_failure_in_words(header, body, words):
    with pytest.raises(AgainError, match=words):
        asked_as(header, body)
