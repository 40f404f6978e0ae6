"""What a provider says to an agent's own request: an answer, its refusal, or nobody's answer."""

import asyncio
import json
from functools import partial

import pytest

from arena.errors import MachineError
from arena.extras.models.asking import Provider
from arena.extras.models.faults import AgainError
from arena.extras.models.providers import Url
from arena.extras.models.verbatim import read_answer
from tests.extras.models.providers import answering, respond, says

KEY = "my-key"
MESSAGES = {"role": "user", "content": "How?"}
FIELDS = json.dumps({"reasoning_effort": "high"})


def ask(
    behave: object,
    path: str = "chat/completions",
    key: str = KEY,
    fields: str = FIELDS,
    **more: object,
) -> object:
    body = {"model": "gpt-x", "messages": [MESSAGES], **more}
    request = {"path": path, "body": body, "messages": [MESSAGES], "tokens": 10}
    with answering(behave) as url:
        provider = Provider(kind="url", name="gpt-x", url=url, key=key, fields=fields)
        return asyncio.run(Url(provider).ask(request))


def refusal(words: str) -> bytes:
    return json.dumps({"error": {"message": words}}).encode()


@pytest.mark.parametrize("words", ["there is no model gpt-x", "reasoning_effort: unsupported"])
@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_of_the_organisers_settings_is_no_answer_to_an_agent(status, words):
    with pytest.raises(MachineError, match=f"HTTP {status}: .*{words}"):
        ask(partial(says, refusal(words), status))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, refusal("tools.0: a function has no name")),
        (400, refusal("the maximum context length of gpt-x is 8")),
        (413, b"<h1>too large</h1>"),
        (422, refusal("reasoning_efforts: unknown")),
        (403, json.dumps({"error": {"message": "no", "code": "content_filter"}}).encode()),
    ],
)
def test_a_refusal_of_an_agents_own_request_reaches_it(status, body):
    answer = ask(partial(says, body, status))
    assert (answer.end, answer.tokens_in) == ("error", 0)
    came, said = read_answer(answer)
    assert came == status
    assert said["error"]["message"]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({}, 300), ({"max_tokens": 40}, 40), ({"max_tokens": 900}, 300), ({"max_tokens": None}, 300)],
)
def test_the_lower_limit_of_agent_and_organiser_holds_under_the_organisers_name(limits, expected):
    def behave(handler, request):
        respond(handler, json.dumps({"choices": [{"message": {}}], "asked": request}).encode())

    fields = json.dumps({"max_completion_tokens": 300})
    _, said = read_answer(ask(behave, fields=fields, **limits))
    del said["asked"]["model"]
    assert said["asked"] == {"messages": [MESSAGES], "max_completion_tokens": expected}


async def ends(way: Url, path: str, **more: object) -> list[str]:
    """Return how an ordinary request of an agent ends, and how a second one."""
    body = {"messages": [MESSAGES]}
    request = {"path": "chat/completions", "body": body, "messages": [MESSAGES], "tokens": 10}
    first = await way.ask(request)
    second = await way.ask(request | {"path": path, "body": body | more})
    return [first.end, second.end]


@pytest.mark.parametrize(
    ("path", "more"), [("chat/completions", {"tools": [{"name": "gpt-x"}]}), ("responses", {})]
)
def test_no_quoted_name_and_no_other_path_ends_a_run_with_answers(path, more):
    def behave(handler, request):
        if "tools" in request:
            respond(handler, refusal("gpt-x: a bad tool"), 400)
        elif handler.path.endswith("completions"):
            respond(handler, b'{"choices": [{"message": {}}]}')
        else:
            respond(handler, refusal("gpt-x: no such path"), 404)

    with answering(behave) as url:
        way = Url(Provider(kind="url", name="gpt-x", url=url))
        assert asyncio.run(ends(way, path, **more)) == ["stop", "error"]


def test_a_model_that_is_gone_ends_the_run():
    def behave(handler, request):
        if "tools" in request:
            respond(handler, refusal("gpt-x is gone"), 404)
        else:
            respond(handler, b'{"choices": [{"message": {}}]}')

    with answering(behave) as url:
        way = Url(Provider(kind="url", name="gpt-x", url=url))
        with pytest.raises(MachineError, match="HTTP 404"):
            asyncio.run(ends(way, "chat/completions", tools=[]))


NO_ANSWERS = [
    {},
    {"choices": []},
    {"choices": None},
    {"choices": [1]},
    {"choices": [{"message": "All is done."}]},
    {"choices": [{"message": {"content": ""}, "finish_reason": "error"}]},
    {"choices": [{"error": {"message": "no room"}, "message": {"content": ""}}]},
    {"choices": [{"message": {"content": ""}, "finish_reason": ["error"]}]},
    {"error": {"message": "no room"}},
    ["a list"],
]


@pytest.mark.parametrize("body", NO_ANSWERS, ids=json.dumps)
def test_what_is_no_answer_of_its_format_is_asked_again(body):
    with pytest.raises(AgainError):
        ask(partial(says, json.dumps(body).encode(), 200))


def test_a_message_without_content_is_no_answer():
    with pytest.raises(AgainError, match="no answer in the format of messages"):
        ask(partial(says, b'{"type": "message"}', 200), "messages")


@pytest.mark.parametrize("status", [500, 529])
def test_an_outage_is_no_answer_to_an_agent(status):
    with pytest.raises(AgainError):
        ask(partial(says, refusal("overloaded"), status))


@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("chat/completions", KEY, [None, None]),
        ("messages", KEY, ["[key]", "2023-06-01"]),
        ("messages", "", [None, "2023-06-01"]),
    ],
)
def test_anthropics_headers_go_with_anthropics_format_alone(path, key, expected):
    def behave(handler, request):
        names = ("x-api-key", "anthropic-version")
        headers = [handler.headers[name] for name in names]
        body = {"choices": [{"message": {}}], "content": [], "headers": headers}
        respond(handler, json.dumps(body).encode())

    _, said = read_answer(ask(behave, path, key))
    assert said["headers"] == expected
