"""What in an agent's request would reach beyond the model.

An agent has no network, and none of the organiser's data. A provider has both: it fetches pages and
pictures, calls servers, runs programs, and keeps files and conversations of the account whose key
is used. So a request passes only if its answer depends on the request and the model alone. That
also makes it the same answer when it is played again from the tape.
"""

from collections.abc import Iterator, Mapping
from typing import Any

FIELDS = (
    "model messages input system instructions stream store user metadata client_metadata "
    "safety_identifier prompt_cache_key prompt_cache_retention cache_control service_tier "
    "max_tokens max_completion_tokens max_output_tokens max_tool_calls n stop stop_sequences "
    "temperature top_p top_k min_p seed frequency_penalty presence_penalty repetition_penalty "
    "logit_bias response_format text output_config output_format verbosity "
    "reasoning reasoning_effort include_reasoning thinking enable_thinking "
    "tools tool_choice parallel_tool_calls functions function_call include truncation "
    "context_management usage"
)
"""The fields that pass. Any other may name what a provider has stored, other models or servers, a
search or a price: each provider has fields of its own, and no list of these would be whole. Some
read `MODEL` as `model`, so the letters must be these."""
TIERS = (None, "auto", "default", "standard_only")
"""Of `service_tier`: others have other prices."""
INCLUDED = ("reasoning.encrypted_content",)
"""Of `include`. Probabilities make an answer of few tokens longer than any answer may be: then it
is asked for again, and paid again."""
TOOLS = ("function", "custom", "namespace", "local_shell", "apply_patch")
TOOL_FAMILIES = ("bash_", "text_editor_", "memory_", "computer_")
"""The types of tools that the agent itself runs; the provider runs those of any other type."""
TOOL_FIELDS = (
    "type name description parameters input_schema function strict format tools cache_control "
    "defer_loading eager_input_streaming input_examples allowed_callers display_width_px "
    "display_height_px display_number display_width display_height environment max_characters "
    "enable_zoom output_schema"
)
"""The fields of a tool: in another one a gateway could look for a tool of its provider."""
GATEWAYS_TOOLS = ("googleSearch", "codeExecution", "urlContext", "$web_search")
"""The names of functions that gateways to other formats let the provider run."""
DATA = ("image_url", "video_url", "audio_url", "file_url", "file_data")
"""The names of what a provider fetches, unless it stands in the request as data."""
MEDIA = ("image", "video", "audio", "file", "input_audio", "input_image", "input_video")
"""The types of parts, and the names of fields, that have a picture, a sound or a file."""
SOURCES = ("base64", "text", "content")
MOST_DEPTH = 100


def words_beyond(body: Mapping[str, Any]) -> str:
    """Return in words which part of a request reaches beyond the model; empty if none does."""
    passing = FIELDS.split()
    for name, value in body.items():
        if name not in passing and value not in (None, False, []):
            return _refused(name[:40])
    if body.get("service_tier") not in TIERS:
        return _refused("service_tier")
    included = body.get("include") or []
    if not isinstance(included, list):
        return _refused("include")
    if any(name not in INCLUDED for name in included):
        return _refused("include")
    if body.get("n") not in (None, 1):
        return "n: expected 1: the limits are those of one answer"
    if _has_strange_tool(body.get("tools")):
        return _refused("tools: what the provider would run")
    for item in _items(body.get("input")):
        is_reference = "type" not in item and "role" not in item and "content" not in item
        if is_reference or item.get("type") == "item_reference":
            return _refused("input: a stored item")
        if _has_strange_tool(item.get("tools")):
            return _refused("input: a tool that the provider would run")
    for name in ("messages", "input", "system", "instructions"):
        for part in _objects(body.get(name)):
            if _has_address(part):
                return _refused(f"{name}: an address or a stored file")
    return ""


def _refused(name: str) -> str:
    return f"{name}: an agent gets the model alone, and nothing that its provider reaches or keeps"


def _items(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that stand in a list."""
    if not isinstance(value, list):
        return
    for item in value:
        if isinstance(item, dict):
            yield item


def _has_strange_tool(tools: Any) -> bool:
    """Return whether there is a tool that the agent itself may not run, in namespaces too."""
    if not tools:
        return False
    return not isinstance(tools, list) or any(map(_is_strange, tools))


def _is_strange(tool: Any) -> bool:
    if not isinstance(tool, dict):
        return True
    allowed = TOOL_FIELDS.split()
    if not set(tool).issubset(allowed):
        return True
    kind = tool.get("type") or "custom"
    if not isinstance(kind, str):
        return True
    if kind not in TOOLS and not kind.startswith(TOOL_FAMILIES):
        return True
    function = tool.get("function")
    if not isinstance(function, dict):
        function = tool
    if function.get("name") in GATEWAYS_TOOLS:
        return True
    return _has_strange_tool(tool.get("tools"))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield all objects in a value, but for what the model wrote to a tool."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            is_call = part.get("type") == "tool_use"
            for name, inner in part.items():
                if name != "input" or not is_call:
                    waiting.append(inner)
        elif isinstance(part, list):
            waiting.extend(part)


def _has_address(part: Mapping[str, Any]) -> bool:
    """Return whether a part of a message is something that the provider has to fetch."""
    for key, value in part.items():
        name = key.casefold()
        if name == "file_id" and value is not None:
            return True
        if name in DATA and not _is_data(value):
            return True
        if name in MEDIA and _is_fetched(value):
            return True
        if name == "source" and isinstance(value, dict):
            kind = value.get("type")
            if kind not in SOURCES:
                return True
    return False


def _is_data(value: Any) -> bool:
    """Return whether a picture or a file stands in the request, or there is none."""
    if value is None:
        return True
    if isinstance(value, dict):
        for name, inner in value.items():
            if name.casefold() == "url" and not _is_data(inner):
                return False
        return True
    return isinstance(value, str) and value.startswith("data:")


def _is_fetched(value: Any) -> bool:
    """Return whether one of the texts in a value is an address."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_is_fetched, value))
    return isinstance(value, str) and "://" in value[:100]


def is_too_deep(value: Any) -> bool:
    """Return whether a value of JSON is nested deeper than other programs read."""
    level = [value]
    for _ in range(MOST_DEPTH):
        below: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                below.extend(part.values())
            elif isinstance(part, list):
                below.extend(part)
        level = below
    return bool(level)
