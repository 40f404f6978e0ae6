"""A response of the OpenAI chat format, in the shapes in which servers send it, as an answer.

Whatever stands in it is a stranger's: texts are bounded, and figures are checked. `AgainError` says
that there is no answer in it. A refusal, an empty answer and a cut answer are answers.
"""

# Shapes
# ------
# The content is a text, a list of parts (of which the texts are joined), or nothing. What a model
# thought stands in one of several fields, in parts of the content, or between the tags <think> and
# </think> at the beginning of the text, where a server does not take it out. Calls of tools stand
# in the answer as JSON where it has no text: arena offers no tools, but the organiser's fields may.
#
# Usage
# -----
# The provider's figures count where they can be true. `total_tokens` may be more than the sum of
# the two others: the difference are thoughts that the provider hides, which are tokens of the
# answer. The price that a provider names itself wins over the prices in tournament.toml. Tokens of
# a cache count only as a part of the provider's figure for the question: a lower price needs a
# figure that can be true. Where figures are missing or cannot be true, as many tokens count as
# there can be, one for each byte.

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.extras.models.faults import AgainError, AwayError, error_inside, words_of
from arena.values import ModelAnswer

MOST_TEXT = 64_000
"""Characters of a text, and of the reasoning before it, that are kept."""
LEAST_BYTES_A_TOKEN = 64
MOST_A_MESSAGE = 16
MOST_HIDDEN = 1_000_000
"""Tokens of an answer that a provider may count; those of hidden thoughts are among them."""
MOST_COST = 1e6
"""The price of a call that a provider may name; more is none."""
REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
"""The fields of a message that may have what the model thought; the first that has it counts."""
THOUGHT_PARTS = {"thinking", "reasoning", "reasoning.text", "reasoning.summary", "summary_text"}
TEXT_PARTS = {"text", "output_text"}
CUT = {"length", "max_tokens", "model_length", "max_output_tokens"}
REFUSED = {"content_filter", "content-filter", "refusal", "safety", "recitation", "blocklist"}
FAILED = {"error", "abort", "insufficient_system_resource"}
"""What servers say of an answer that was cut, that they refused, or that they did not finish."""
OPEN_TAG = "<think>"
CLOSE_TAG = "</think>"


def answer_in(
    response: Any,
    request: Mapping[str, Any],
    *,
    table: str,
) -> ModelAnswer:
    """Return the answer in a response; `table` is the name of the model's table, for messages."""
    if isinstance(response, dict) and response.get("error"):
        return error_inside(response["error"], table=table)
    try:
        choice = response["choices"][0]
        if choice.get("error"):
            return error_inside(choice["error"], table=table)
        message = choice["message"]
        content = message.get("content")
        text, thoughts = _texts_of(content)
        refusal = message.get("refusal")
        calls = message.get("tool_calls") or message.get("function_call")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise AgainError("it sent no answer in the OpenAI chat format") from error
    finish = choice.get("finish_reason")
    if not isinstance(finish, str):
        finish = ""
    finish = finish.lower()
    if finish in FAILED and not text:
        raise AwayError(f"it ended an answer with {finish!r}")

    thoughts = _reasoning_of(message) or thoughts
    text, tagged_thoughts = _without_thoughts(text)
    reasoning = "\n".join(filter(None, [thoughts, tagged_thoughts]))

    end = "stop"
    if finish in CUT or finish in FAILED:
        end = "length"
    if not isinstance(refusal, str):
        refusal = ""
    if refusal or finish in REFUSED:
        end = "refused"
        text = text or refusal
    elif not text and calls:
        text = json.dumps({"tool_calls": calls})
    return counted(text, end, reasoning, _usage(response), request)


def _texts_of(content: Any) -> tuple[str, str]:
    """Return the text in the content of a message, and the thoughts in it."""
    if content is None:
        return "", ""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        raise TypeError("the content of a message is a text or a list")
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") in THOUGHT_PARTS:
            thoughts.extend(_strings(part))
        elif isinstance(part, dict) and part.get("type") in TEXT_PARTS:
            text = part.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "".join(texts), "".join(thoughts)


def _reasoning_of(message: Mapping[str, Any]) -> str:
    """Return what a model thought by the fields of its message."""
    for name in REASONING:
        strings = _strings(message.get(name))
        thoughts = "".join(strings)
        if thoughts:
            return thoughts
    return ""


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts of thoughts: a text, a list of parts, or a part with one of several names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < 4:
        for part in value:
            yield from _strings(part, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for name in ("thinking", "text", "summary", "reasoning", "content"):
            if value.get(name):
                yield from _strings(value[name], depth + 1)
                return


def _without_thoughts(text: str) -> tuple[str, str]:
    """Return a text without the thoughts between tags at its beginning, and these thoughts.

    Some servers write only the second tag, because the first is part of their prompt.
    """
    before, closing, after = text.partition(CLOSE_TAG)
    beginning = before.lstrip()
    begins = beginning.startswith(OPEN_TAG)
    thoughts = beginning.removeprefix(OPEN_TAG).strip()
    if begins and not closing:  # it was cut while it thought
        return "", thoughts
    if closing and (begins or OPEN_TAG not in before):
        return after.lstrip(), thoughts
    return text, ""


def _usage(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the figures of a response by the names of the OpenAI chat format."""
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return {}
    details_in = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    details_out = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    cached = _number(details_in, "cached_tokens")
    if cached is None:
        cached = _number(usage, "prompt_cache_hit_tokens", "cache_read_input_tokens")
    written = _number(details_in, "cache_write_tokens", "cache_creation_tokens")
    if written is None:
        written = _number(usage, "cache_creation_input_tokens")

    tokens_in = _tokens_in(usage)
    tokens_out = _number(usage, "completion_tokens", "output_tokens")
    thoughts = _number(details_out, "reasoning_tokens") or 0
    total = _number(usage, "total_tokens")
    if tokens_in is not None and tokens_out is not None:
        hidden = 0
        if total is not None:
            hidden = max(0, total - tokens_in - tokens_out)
        elif thoughts > tokens_out:  # it counts thoughts apart, and no total
            hidden = thoughts
        tokens_out += hidden
        thoughts = max(thoughts, hidden)

    cost = usage.get("cost")
    if isinstance(cost, dict):
        cost = cost.get("total_cost")
    return {
        "in": tokens_in,
        "out": tokens_out,
        "cached": cached,
        "cache_written": written,
        "thoughts": thoughts,
        "cost": cost,
    }


def _tokens_in(usage: Mapping[str, Any]) -> int | None:
    """Return the tokens of a question, those in a cache too, which Anthropic counts apart."""
    tokens = _number(usage, "prompt_tokens")
    if tokens is not None:
        return tokens
    tokens = _number(usage, "input_tokens")
    if tokens is None:
        return None
    for name in ("cache_creation_input_tokens", "cache_read_input_tokens"):
        tokens += _number(usage, name) or 0
    return tokens


def _number(values: Any, *names: str) -> int | None:
    """Return the first of these figures that is a whole number; None if none of them is."""
    if not isinstance(values, dict):
        return None
    for name in names:
        value = values.get(name)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is int:
            return value
    return None


def verbatim(
    status: int,
    body: Any,
    request: Mapping[str, Any],
    *,
    table: str,
) -> ModelAnswer:
    """Return the answer to a request that passed as it is: its status and body, as JSON.

    A refusal of the request is an answer. AgainError if the body is no answer of its format.
    """
    if status != 200 and not isinstance(body, dict):
        body = {"error": {"message": words_of(body)}}
    if not isinstance(body, dict):
        raise AgainError("it sent no JSON object")
    if status == 200:
        error = body.get("error") or _error_of_a_choice(body)
        if error:
            error_inside(error, table=table)  # it returns only if the request is the reason
            status = 400
        elif not _is_answer(request["path"], body):
            raise AgainError(f"it sent no answer in the format of {request['path']}")
    text = _valid(json.dumps([status, body]))
    if status != 200:
        return ModelAnswer(text, "error")
    usage = _usage(body)
    figures = _figures(usage, request, least=0, most=len(text))
    return ModelAnswer(text, **figures)


def _error_of_a_choice(body: Mapping[str, Any]) -> Any:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        return None
    choice = choices[0]
    if not isinstance(choice, dict):
        return None
    return choice.get("error")


def _is_answer(path: str, body: Mapping[str, Any]) -> bool:
    """Return whether a body has what an agent looks for in an answer."""
    if path == "messages":
        return _are_objects(body.get("content"))
    if path == "responses":
        return _is_response(body)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    return all(_is_whole_choice(choice) for choice in choices)


def _is_whole_choice(choice: Any) -> bool:
    """Return whether a choice of a chat has a message, which the server finished."""
    if not isinstance(choice, dict):
        return False
    message = choice.get("message")
    if not isinstance(message, dict):
        return False
    calls = message.get("tool_calls")
    if calls and not _are_objects(calls):
        return False
    finish = choice.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        return False
    return finish not in FAILED or bool(message.get("content") or calls)


def _is_response(body: Mapping[str, Any]) -> bool:
    """Return whether a body is an answer of OpenAI's format of responses."""
    if body.get("status", "completed") not in ("completed", "incomplete"):
        return False
    if not _are_objects(body.get("output")):
        return False
    for item in body["output"]:
        if item.get("content") and not _are_objects(item["content"]):
            return False
    return True


def _are_objects(value: Any) -> bool:
    """Return whether a value is a list of objects."""
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def counted(
    text: str,
    end: str,
    reasoning: str,
    usage: Mapping[str, Any],
    request: Mapping[str, Any],
) -> ModelAnswer:
    """Return an answer with bounded texts and credible figures.

    `usage` has the provider's figures: `in`, `out`, `cached`, `cache_written` and `thoughts` in
    tokens, and `cost`.
    """
    size = _bytes_of(text) + _bytes_of(reasoning)
    least = -(-size // LEAST_BYTES_A_TOKEN)  # rounded up
    figures = _figures(usage, request, least=least, most=size + MOST_A_MESSAGE)
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT]
        end = "length"
    reasoning = reasoning[:MOST_TEXT]
    return ModelAnswer(_valid(text), end, reasoning=_valid(reasoning), **figures)


def _figures(
    usage: Mapping[str, Any],
    request: Mapping[str, Any],
    *,
    least: int,
    most: int,
) -> dict[str, Any]:
    """Return the figures of an answer, which has at least and at most as many tokens."""
    most_in = most_tokens(request["messages"])
    asked = most_in - MOST_A_MESSAGE * len(request["messages"])
    tokens_in: Any = usage.get("in")
    tokens_out: Any = usage.get("out")
    is_estimated = False
    cached = 0
    written = 0
    least_in = -(-asked // LEAST_BYTES_A_TOKEN)  # rounded up
    if _is_credible(tokens_in, least_in, 4 * most_in + 1000):
        cached, written = _cache_of(usage, tokens_in)
    else:
        tokens_in = most_in
        is_estimated = True
    if not _is_credible(tokens_out, least, MOST_HIDDEN):
        tokens_out = most
        is_estimated = True
    thoughts = usage.get("thoughts")
    if not _is_credible(thoughts, 0, tokens_out):
        thoughts = 0
    return {
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cached": cached,
        "cache_written": written,
        "thoughts": thoughts,
        "cost": _cost(usage.get("cost")),
        "is_estimated": is_estimated,
    }


def _cache_of(usage: Mapping[str, Any], tokens_in: int) -> tuple[int, int]:
    """Return how many of the tokens of a question were in a cache, and how many it got."""
    cached: Any = usage.get("cached")
    if not _is_credible(cached, 0, tokens_in):
        cached = 0
    written: Any = usage.get("cache_written")
    if not _is_credible(written, 0, tokens_in - cached):
        written = 0
    return cached, written


def most_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the most tokens that a question can have.

    That is one for each byte, and some for the frame of a message.
    """
    size = sum(_bytes_of(message["content"]) for message in messages)
    return size + MOST_A_MESSAGE * len(messages)


def _bytes_of(text: str) -> int:
    """Return the size of a text in UTF-8; half of a surrogate pair is one byte."""
    return len(text.encode("utf-8", "replace"))


def _is_credible(count: Any, least: int, most: int) -> bool:
    return type(count) is int and least <= count <= most


def _cost(value: Any) -> float | None:
    """Return the price of a call as its provider names it; None if that is no price."""
    if type(value) in (int, float) and 0 <= value <= MOST_COST:
        return float(value)
    return None


def _valid(text: str) -> str:
    """Return a text that any program can read: half of a surrogate pair is replaced."""
    return text.encode("utf-8", "replace").decode()
