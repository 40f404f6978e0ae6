"""What an agent may ask over HTTP, in each format, and what it is refused."""

import json
from typing import Any

import pytest

from arena.extras.climb.chat import Chat
from arena.extras.climb.endpoint import HttpRequest
from arena.extras.models import chat
from arena.extras.models.calls import ModelRequest
from arena.extras.models.faults import AgainError
from arena.extras.models.verbatim import VerbatimCalls
from arena.values import Bot, Conditions, Match, ModelAnswer, ModelTerms, Seat

TERMS = ModelTerms(name="m", calls=9, move=10_000, price_in=10.0, price_cached=1.0)
BODIES = {
    "chat/completions": {"messages": [{"role": "user", "content": "How?"}]},
    "messages": {"messages": [{"role": "user", "content": "How?"}], "max_tokens": 50},
    "responses": {"input": "How?", "max_output_tokens": 50},
}
CALL = {"type": "function_call", "id": "fc", "call_id": "c", "name": "run", "arguments": '{"a":1}'}
THOUGHTS = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
TEXT = {"type": "output_text", "text": "All is done.", "annotations": []}
MESSAGE = {"type": "message", "id": "msg", "role": "assistant", "content": [TEXT]}
USAGE = {
    "input_tokens": 30,
    "input_tokens_details": {"cached_tokens": 20},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 39,
}
RESPONSE = {
    "id": "resp",
    "object": "response",
    "status": "completed",
    "error": None,
    "output": [THOUGHTS, CALL, MESSAGE],
    "usage": USAGE,
}
ANSWERS = {
    "chat/completions": {"choices": [{"message": {"content": "x"}}]},
    "messages": {"content": [{"type": "text", "text": "x"}]},
    "responses": RESPONSE,
}


class Provider:
    """A provider in this process, which answers each request of an agent."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = ANSWERS[request.request["path"]]
        return chat.verbatim(200, answer, request.request, table="model")


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def calls(provider: Provider) -> VerbatimCalls:
    return calls_of(provider)


def calls_of(provider: Provider) -> VerbatimCalls:
    seat = Seat("agent", Bot(name="a", command=("a",), digest="x"))
    match = Match(
        id="climb-1",
        game="climb",
        board="1",
        rules="",
        seats=(seat,),
        repeat=1,
        seed=1,
        conditions=Conditions(model=TERMS),
    )
    return VerbatimCalls(match, provider)


def ask(calls: VerbatimCalls, path: str, body: Any) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Chat(calls).respond(HttpRequest("POST", f"/v1/{path}", data))


def test_a_request_for_a_response_passes_as_it_is_and_is_counted(provider, calls):
    body = BODIES["responses"] | {"tools": [{"type": "function", "name": "run"}], "store": False}
    response = ask(calls, "responses", body | {"model": "any", "max_output_tokens": 10**6})
    assert json.loads(response.body) == RESPONSE
    (request,) = provider.requests
    sent = request.request["body"]
    assert sent["max_output_tokens"] < 10_000
    most = sent["max_output_tokens"]
    assert sent == {**body, "model": "m", "stream": False, "max_output_tokens": most}
    (answer,) = calls.made
    assert (answer.tokens_in, answer.tokens_out) == (30, 9)
    assert (answer.cached, answer.thoughts) == (20, 5)
    assert TERMS.cost_of(answer) == (10 * 10.0 + 20 * 1.0) / 1e6


def test_a_stream_of_a_response_tells_its_items_and_ends_with_the_whole(calls):
    response = ask(calls, "responses", BODIES["responses"] | {"stream": True})
    assert response.kind == "text/event-stream"
    values = []
    for block in response.body.decode().strip().split("\n\n"):
        name, data = block.split("\n")
        values.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {values[-1]['type']}"
    assert [value["sequence_number"] for value in values] == list(range(len(values)))
    kinds = [value["type"].removeprefix("response.") for value in values]
    assert kinds == [
        *("created", "in_progress"),
        *("output_item.added", "output_item.done"),
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.done"),
        *("output_item.done", "output_item.added", "content_part.added", "output_text.delta"),
        *("output_text.done", "content_part.done", "output_item.done", "completed"),
    ]
    assert values[-1]["response"] == RESPONSE
    done = [value["item"] for value in values if value["type"].endswith("item.done")]
    assert done == RESPONSE["output"]
    assert "".join(value.get("delta", "") for value in values) == '{"a":1}All is done.'


def test_a_response_that_was_cut_is_an_answer_and_a_failed_one_is_none(provider, calls):
    request = {"path": "responses", "messages": [{"role": "user", "content": "x"}], "tokens": 9}
    cut = RESPONSE | {"status": "incomplete"}
    assert chat.verbatim(200, cut, request, table="model").end == "stop"
    for more in ({"status": "failed"}, {"status": "queued"}, {"output": None}, {"output": ["x"]}):
        with pytest.raises(AgainError):
            chat.verbatim(200, RESPONSE | more, request, table="model")
    failed = {"status": "failed", "error": {"code": "server_error", "message": "no room"}}
    with pytest.raises(AgainError, match="no room"):
        chat.verbatim(200, RESPONSE | failed, request, table="model")


def test_what_no_model_reads_is_in_no_key(provider):
    for number in ("1", "2"):
        more = {"client_metadata": {"started": number}, "prompt_cache_key": number}
        output = f"Chunk ID: 05031{number}\nWall time: 0.{number} seconds\nmade"
        ask(calls_of(provider), "responses", {"input": output, **more})
    first, second = provider.requests
    assert first.key == second.key
    assert first.request["body"]["prompt_cache_key"] == "1"


ADDRESS = "http://127.0.0.1:1/secret"
BEYOND = [
    ("responses", {"previous_response_id": "resp_1"}),
    ("responses", {"conversation": "conv_1"}),
    ("responses", {"background": True}),
    ("responses", {"service_tier": "priority"}),
    ("responses", {"tools": [{"type": "web_search"}]}),
    ("responses", {"tools": [{"type": "mcp", "server_url": ADDRESS}]}),
    ("responses", {"tools": [{"type": "namespace", "tools": [{"type": "code_interpreter"}]}]}),
    ("responses", {"input": [{"content": [{"type": "input_image", "image_url": ADDRESS}]}]}),
    ("responses", {"input": [{"content": [{"type": "input_file", "file_id": "file-1"}]}]}),
    ("messages", {"tools": [{"type": "web_fetch_20250910", "name": "web_fetch"}]}),
    ("messages", {"mcp_servers": [{"type": "url", "url": ADDRESS}]}),
    ("messages", {"messages": [{"content": [{"source": {"type": "url", "url": ADDRESS}}]}]}),
    ("chat/completions", {"web_search_options": {"search_context_size": "low"}}),
    ("chat/completions", {"messages": [{"content": [{"image_url": {"url": ADDRESS}}]}]}),
    ("chat/completions", {"api_base": ADDRESS}),
    ("chat/completions", {"models": ["a-dear-one"]}),
    ("chat/completions", {"max_tokens": "1000000"}),
    ("chat/completions", {"max_completion_tokens": 1e6}),
    ("chat/completions", {"max_tokens": True}),
    ("chat/completions", {"max_tokens": -1}),
    ("messages", {"max_tokens": 0}),
    ("chat/completions", {"n": 128}),
    ("chat/completions", {"search_parameters": {}}),
    ("chat/completions", {"enable_search": True}),
    ("chat/completions", {"MODEL": "a-dear-one"}),
    ("chat/completions", {"input_cost_per_token": -1}),
    ("chat/completions", {"tools": {"type": "web_search"}}),
    ("chat/completions", {"tools": ["web_search"]}),
    ("chat/completions", {"tools": [{"googleSearch": {}}]}),
    ("chat/completions", {"tools": [{"type": "function", "Type": "web_search"}]}),
    ("chat/completions", {"tools": [{"type": "function", "function": {"name": "googleSearch"}}]}),
    ("chat/completions", {"messages": [{"content": [{"file": {"file_data": ADDRESS}}]}]}),
    ("chat/completions", {"messages": [{"content": [{"Image_URL": {"URL": ADDRESS}}]}]}),
    ("chat/completions", {"messages": [{"content": [{"image_url": [ADDRESS]}]}]}),
    ("chat/completions", {"messages": [{"content": [{"type": "video", "video": [ADDRESS]}]}]}),
    ("chat/completions", {"messages": [{"content": [{"input_audio": {"data": ADDRESS}}]}]}),
    ("messages", {"messages": [{"content": [{"source": {"url": ADDRESS}}]}]}),
    ("chat/completions", {"chat_template_kwargs": {"chat_template": "{{ 9 ** 9 ** 9 }}"}}),
    ("chat/completions", {"logprobs": True, "top_logprobs": 20}),
    ("responses", {"top_logprobs": 20}),
    ("responses", {"include": ["message.output_text.logprobs"]}),
    ("responses", {"include": "message.output_text.logprobs"}),
    ("messages", {"speed": "fast"}),
    ("responses", {"input": [{"type": "item_reference", "id": "msg_1"}]}),
    ("responses", {"input": [{"id": "msg_1"}]}),
    ("responses", {"input": [{"type": "tool_search_output", "tools": [{"type": "mcp"}]}]}),
]


@pytest.mark.parametrize(("path", "more"), BEYOND)
def test_a_request_that_reaches_beyond_its_model_is_refused(provider, calls, path, more):
    response = ask(calls, path, BODIES[path] | more)
    assert (response.status, response.is_free) == (403, True)
    assert json.loads(response.body)["error"]["message"].startswith(next(iter(more)))
    assert provider.requests == []


DATA = "data:image/png;base64,AA=="
HARMLESS = [
    ("responses", {"tools": [{"type": "custom"}, {"type": "local_shell"}], "background": False}),
    ("responses", {"input": [{"content": [{"type": "input_image", "image_url": DATA}]}]}),
    ("responses", {"previous_response_id": None, "service_tier": "auto"}),
    ("messages", {"tools": [{"name": "Bash"}, {"type": "bash_20250124", "name": "bash"}]}),
    ("messages", {"messages": [{"content": [{"type": "tool_use", "input": {"image": ADDRESS}}]}]}),
    ("chat/completions", {"tools": [{"type": "function", "function": {"name": "x"}}]}),
    ("chat/completions", {"max_tokens": None}),
    ("responses", {"include": ["reasoning.encrypted_content"], "top_logprobs": 0}),
    (
        "chat/completions",
        {"n": 1, "logprobs": False, "tools": None, "seed": 1, "reasoning_effort": "low"},
    ),
    ("messages", {"system": [{"type": "text", "text": ADDRESS}], "tools": [], "mcp_servers": []}),
    ("responses", {"input": [CALL, THOUGHTS, MESSAGE], "include": [], "text": {}, "store": False}),
]


@pytest.mark.parametrize(("path", "more"), HARMLESS)
def test_what_an_agent_does_itself_passes(provider, calls, path, more):
    assert ask(calls, path, BODIES[path] | more).status == 200
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("path", "limits", "held"),
    [
        ("chat/completions", {"max_tokens": 70}, 70),
        ("chat/completions", {"max_tokens": 1, "max_completion_tokens": 70}, 70),
        ("chat/completions", {"max_tokens": 70, "max_output_tokens": 1}, 70),
        ("messages", {"max_tokens": 70, "max_completion_tokens": 1}, 70),
        ("responses", {"max_output_tokens": 70, "max_tokens": 1}, 70),
    ],
)
def test_the_budget_holds_as_much_as_any_limit_allows_that_its_provider_reads(
    provider, calls, path, limits, held
):
    ask(calls, path, BODIES[path] | limits)
    assert provider.requests[0].request["tokens"] == held


@pytest.mark.parametrize("path", ["//[", "http://[::1/v1/messages", "//\uff0f"])
def test_a_path_that_is_none_is_refused_and_ends_nothing(calls, path):
    response = Chat(calls).respond(HttpRequest("POST", path, b"{}"))
    assert (response.status, response.is_free) == (404, True)


@pytest.mark.parametrize(
    "letter",
    [
        " ",
        pytest.param('"', marks=pytest.mark.soak),
        pytest.param("\u4e2d", marks=pytest.mark.soak),
    ],
)
def test_a_giant_question_of_few_letters_is_refused(provider, calls, letter):
    body = {"messages": [{"role": "user", "content": letter * 400_000}]}
    assert ask(calls, "chat/completions", body | {"stop": [letter * 1_900_000]}).status == 403
    assert provider.requests == []


def nested(depth: int) -> bytes:
    return b'{"messages": ' + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize(
    "data",
    [
        *(nested(depth) for depth in (101, 900, *range(940, 1000), 100_000)),
        b'{"messages": ["\\ud800"]}',
        b'{"\\udc00": 1, "messages": []}',
        b'{"messages": [], "temperature": NaN}',
        b'{"messages": [], "temperature": 1e999}',
        b'{"messages": [], "seed": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b"",
    ],
    ids=lambda data: f"{data[-12:]!r} {len(data)}",
)
def test_json_that_not_every_program_can_write_is_refused(provider, calls, data):
    response = ask(calls, "chat/completions", data)
    assert (response.status, response.is_free) == (400, True)
    assert provider.requests == []
