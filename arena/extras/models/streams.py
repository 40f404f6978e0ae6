"""Event streams that tell a whole answer, in the formats of providers.

An agent that asks for a stream gets one, though arena asks its provider for whole answers. Whatever
stands in an answer is a stranger's, and is passed on as it is.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def events(path: str, body: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the parts of an event stream that tell a whole answer."""
    makers = {"messages": _message_events, "responses": _response_events}
    maker = makers.get(path, _chat_events)
    return maker(body)


def _event(value: Mapping[str, Any], name: str = "") -> bytes:
    head = ""
    if name:
        head = f"event: {name}\n"
    data = json.dumps(value)
    return f"{head}data: {data}\n\n".encode("ascii")


def _chat_events(body: Mapping[str, Any]) -> Iterator[bytes]:
    frame = {
        "id": body.get("id", "arena"),
        "object": "chat.completion.chunk",
        "created": body.get("created", 0),
        "model": body.get("model", ""),
    }
    for number, choice in enumerate(body.get("choices") or ()):
        delta = dict(choice.get("message") or {})
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            delta["tool_calls"] = [{"index": at, **call} for at, call in enumerate(calls)]
        index = choice.get("index", number)
        whole_choice = {
            "index": index,
            "delta": delta,
            "finish_reason": None,
        }
        yield _event({**frame, "choices": [whole_choice]})
        its_end = {
            "index": index,
            "delta": {},
            "finish_reason": choice.get("finish_reason"),
        }
        yield _event({**frame, "choices": [its_end]})
    yield _event({**frame, "choices": [], "usage": body.get("usage")})
    yield b"data: [DONE]\n\n"


def _message_events(body: Mapping[str, Any]) -> Iterator[bytes]:
    message = {
        **body,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    yield _event({"type": "message_start", "message": message}, "message_start")

    for index, block in enumerate(body.get("content") or ()):
        empty, deltas = _block_parts(block)
        start = {
            "type": "content_block_start",
            "index": index,
            "content_block": empty,
        }
        yield _event(start, "content_block_start")
        for delta in deltas:
            part = {
                "type": "content_block_delta",
                "index": index,
                "delta": delta,
            }
            yield _event(part, "content_block_delta")
        stop = {"type": "content_block_stop", "index": index}
        yield _event(stop, "content_block_stop")

    reasons = {
        "stop_reason": body.get("stop_reason"),
        "stop_sequence": body.get("stop_sequence"),
    }
    end = {
        "type": "message_delta",
        "delta": reasons,
        "usage": body.get("usage") or {},
    }
    yield _event(end, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


def _block_parts(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block of content as it begins, and the deltas that complete it."""
    kind = block.get("type")
    empty = dict(block)
    if kind == "text":
        text = {"type": "text_delta", "text": block.get("text", "")}
        empty["text"] = ""
        return empty, [text]
    if kind == "tool_use":
        arguments = block.get("input") or {}
        call = {
            "type": "input_json_delta",
            "partial_json": json.dumps(arguments),
        }
        empty["input"] = {}
        return empty, [call]
    if kind == "thinking":
        thoughts = {
            "type": "thinking_delta",
            "thinking": block.get("thinking", ""),
        }
        signature = {
            "type": "signature_delta",
            "signature": block.get("signature", ""),
        }
        empty["thinking"] = ""
        empty["signature"] = ""
        return empty, [thoughts, signature]
    return empty, []


def _response_events(body: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the events of a response; each has its number."""
    status = body.get("status") or "completed"
    begun = {
        **body,
        "output": [],
        "status": "in_progress",
        "usage": None,
    }
    values: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(body.get("output") or ()):
        values.extend(_item_events(index, item))
    values.append({"type": f"response.{status}", "response": body})
    for number, value in enumerate(values):
        numbered = {**value, "sequence_number": number}
        yield _event(numbered, value["type"])


def _item_events(index: int, item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of one item of a response: a message, a call of a tool, or thoughts."""
    position = {"item_id": item.get("id", ""), "output_index": index}
    empty = {**item, "status": "in_progress"}
    if "content" in item:
        empty["content"] = []
    if "arguments" in item:
        empty["arguments"] = ""
    if "input" in item:
        empty["input"] = ""
    yield {
        "type": "response.output_item.added",
        "output_index": index,
        "item": empty,
    }

    if item.get("type") == "message":
        for number, part in enumerate(item.get("content") or ()):
            position_of_part = {**position, "content_index": number}
            yield from _part_events(position_of_part, part)
    texts = {
        "arguments": "function_call_arguments",
        "input": "custom_tool_call_input",
    }
    for name, event in texts.items():
        text = item.get(name)
        if isinstance(text, str):
            yield {"type": f"response.{event}.delta", **position, "delta": text}
            yield {"type": f"response.{event}.done", **position, name: text}

    yield {
        "type": "response.output_item.done",
        "output_index": index,
        "item": item,
    }


def _part_events(position: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of one part of a message: its text, or a refusal."""
    kind = str(part.get("type"))
    names = {"output_text": "text", "refusal": "refusal"}
    name = names.get(kind)
    empty = dict(part)
    if name is not None:
        empty[name] = ""
    yield {"type": "response.content_part.added", **position, "part": empty}
    if name is not None:
        text = part.get(name, "")
        yield {"type": f"response.{kind}.delta", **position, "delta": text}
        yield {"type": f"response.{kind}.done", **position, name: text}
    yield {"type": "response.content_part.done", **position, "part": part}
