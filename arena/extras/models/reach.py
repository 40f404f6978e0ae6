"""What in an agent's request would reach beyond the model.

An agent has no network, and none of the organiser's data. A provider has both: it fetches pages and
pictures, calls servers, runs programs, and keeps files and conversations of the account whose key
is used. So a request passes only if its answer depends on the request and the model alone. That
also makes it the same answer when it is played again from the tape.
"""

from collections.abc import Iterator, Mapping
from typing import Any

FIELDS = (
    "previous_response_id",
    "conversation",
    "prompt",
    "background",
    "container",
    "mcp_servers",
    "web_search_options",
    "plugins",
    "models",
    "fallbacks",
    "api_base",
    "api_key",
    "base_url",
    "extra_body",
    "extra_headers",
)
"""Fields that name what a provider has stored, other models or servers, or a search."""
TIERS = (None, "auto", "default", "standard_only")
"""Of `service_tier`: others have other prices."""
TOOLS = ("function", "custom", "namespace", "local_shell", "apply_patch")
TOOL_FAMILIES = ("bash_", "text_editor_", "memory_", "computer_")
"""The types of tools that the agent itself runs; the provider runs those of any other type."""
ADDRESSES = ("image_url", "video_url", "audio_url", "file_url", "file_id")
"""The names of what a provider fetches, or has; a picture may stand in the request as data."""
MOST_DEPTH = 100


def words_beyond(body: Mapping[str, Any]) -> str:
    """Return in words which part of a request reaches beyond the model; empty if none does."""
    for name in FIELDS:
        if body.get(name):
            return _refused(name)
    if body.get("service_tier") not in TIERS:
        return _refused("service_tier")
    for tool in _tools(body.get("tools")):
        kind = str(tool.get("type") or "custom")
        if kind not in TOOLS and not kind.startswith(TOOL_FAMILIES):
            return _refused(f"tools: {kind[:40]!r}")
    for name in ("messages", "input", "system", "instructions"):
        for part in _objects(body.get(name)):
            if _has_address(part):
                return _refused(f"{name}: an address or a stored file")
    return ""


def _refused(name: str) -> str:
    return f"{name}: an agent gets the model alone, and nothing that its provider reaches or keeps"


def _tools(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the tools of a request, those in namespaces too."""
    for tool in value if isinstance(value, list) else ():
        if isinstance(tool, dict):
            yield tool
            yield from _tools(tool.get("tools"))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield all objects in a value."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _has_address(part: Mapping[str, Any]) -> bool:
    """Return whether a part of a message is something that the provider has to fetch."""
    for name in ADDRESSES:
        address = part.get(name)
        if isinstance(address, dict):
            address = address.get("url")
        if isinstance(address, str) and not address.startswith("data:"):
            return True
    source = part.get("source")
    return isinstance(source, dict) and source.get("type") in {"url", "file"}


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
