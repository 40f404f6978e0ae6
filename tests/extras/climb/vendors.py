"""A provider that scripts edits: what a model with tools would ask for, in either format."""

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.extras.models import providers

Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def scripted(commands: Sequence[str]) -> Behaviour:
    """Have the agent run these commands, one after each other; then say that all is done."""

    def behave(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        makers = {"messages": _message, "responses": _response}
        answer = makers.get(handler.path.rpartition("/")[2], _completion)
        body = answer(request, commands)
        providers.respond(handler, json.dumps(body).encode())

    return behave


def _completion(request: dict[str, Any], commands: Sequence[str]) -> dict[str, Any]:
    done = sum(message["role"] == "tool" for message in request["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": "All is done."}
    finish = "stop"
    if done < len(commands):
        call = _command_call(request["tools"], commands[done])
        message["content"] = f"Step {done + 1}."
        message["tool_calls"] = [{"id": f"call_{done}", "type": "function", "function": call}]
        finish = "tool_calls"
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": request["model"]} | {
        "choices": [choice],
        "usage": usage,
    }


def _command_call(tools: Sequence[dict[str, Any]], command: str) -> dict[str, str]:
    """Return the call of the first tool that takes a command, with all that it requires."""
    for tool in tools:
        function = tool["function"]
        parameters = function.get("parameters", {})
        if "command" in parameters.get("properties", {"command": {}}):
            arguments: dict[str, Any] = {}
            for name in parameters.get("required", ()):
                is_flag = parameters["properties"][name].get("type") == "boolean"
                arguments[name] = False if is_flag else "step"
            arguments["command"] = command
            return {"name": function["name"], "arguments": json.dumps(arguments)}
    raise ValueError("no tool takes a command")


def _message(request: dict[str, Any], commands: Sequence[str]) -> dict[str, Any]:
    done = sum(message["role"] == "assistant" for message in request["messages"])
    content: list[dict[str, Any]] = [{"type": "text", "text": "All is done."}]
    reason = "end_turn"
    if done < len(commands) and request.get("tools"):
        arguments = {"command": commands[done]}
        block = {"type": "tool_use", "id": f"toolu_{done}", "name": "Bash", "input": arguments}
        content = [{"type": "text", "text": "A step."}, block]
        reason = "tool_use"
    usage = {"input_tokens": 100, "output_tokens": 20}
    return {"id": "msg_x", "type": "message", "role": "assistant", "model": request["model"]} | {
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _response(request: dict[str, Any], commands: Sequence[str]) -> dict[str, Any]:
    items = request["input"] if isinstance(request["input"], list) else []
    done = sum(item.get("type") == "function_call_output" for item in items)
    part = {"type": "output_text", "text": "All is done.", "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": f"msg_{done}", "role": "assistant"}
    item |= {"status": "completed", "content": [part]}
    if done < len(commands) and request.get("tools"):
        item = {"type": "function_call", "id": f"fc_{done}", "call_id": f"call_{done}"}
        item |= _codex_call(request["tools"], commands[done]) | {"status": "completed"}
    asked = max(100, len(json.dumps(request)) // 4)
    usage = {"input_tokens": asked, "input_tokens_details": {"cached_tokens": 10}}
    usage |= {"output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 5}}
    return {"id": f"resp_{done}", "object": "response", "created_at": 1, "status": "completed"} | {
        "model": request["model"],
        "output": [item],
        "usage": usage | {"total_tokens": asked + 20},
    }


def _codex_call(tools: Sequence[dict[str, Any]], command: str) -> dict[str, str]:
    """Return the call of the tool of codex that runs a command; its name is one of two."""
    names = {tool.get("name") for tool in tools}
    name, argument = "exec_command", "cmd"
    if "shell_command" in names:
        name, argument = "shell_command", "command"
    return {"name": name, "arguments": json.dumps({argument: command})}
