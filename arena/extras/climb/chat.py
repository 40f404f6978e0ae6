"""The formats that an agent may speak over HTTP: which request is which, and how it is answered."""

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from arena.extras.climb.endpoint import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from arena.extras.models.verbatim import VerbatimCalls

COUNT_PATH = "messages/count_tokens"
LETTERS_A_TOKEN = 4
"""Of an estimate for `count_tokens`, which costs nothing and is asked of nobody."""


class Chat:
    """Answers the requests of one agent."""

    def __init__(self, calls: "VerbatimCalls") -> None:
        self._calls = calls

    def respond(self, question: HttpRequest) -> HttpResponse:
        """Return the answer to a request; an exception where the model gives none."""
        from arena.extras.models.streams import events
        from arena.extras.models.verbatim import PATHS, REFUSED, UNREADABLE, error_of

        method = question.method
        path = _path_of(question.path)
        if path == "models" and method in {"GET", "HEAD"}:
            models = [{"id": name, "object": "model"} for name in self._calls.names]
            return _free(200, {"object": "list", "data": models})
        is_known = path in PATHS or path == COUNT_PATH
        if method != "POST" or not is_known:
            error = error_of(f"{method} /v1/{path}: is not answered here")
            return _free(404, error)
        body = _object_of(question.body)
        if body is None:
            error = error_of("the body is no JSON object")
            return _free(UNREADABLE, error)
        if path == COUNT_PATH:
            tokens = len(question.body) // LETTERS_A_TOKEN
            return _free(200, {"input_tokens": tokens})

        status, answer = self._calls.answer(path, body)
        if status == 200 and body.get("stream") is True:
            content = b"".join(events(path, answer))
            return HttpResponse(status, content, "text/event-stream")
        content = json.dumps(answer).encode("ascii")
        is_free = status == REFUSED
        return HttpResponse(status, content, is_free=is_free)


def _path_of(address: str) -> str:
    """Return the path of a request without its version; empty if it is none."""
    try:
        return urlsplit(address).path.strip("/").removeprefix("v1/")
    except ValueError:  # such as "//["
        return ""


def _object_of(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a request; None if some program on its way could not write it.

    Python reads numbers beyond all limits, halves of surrogate pairs, and what is nested deeply.
    """
    from arena.extras.models.reach import is_too_deep

    try:
        body = json.loads(data)
        if not isinstance(body, dict) or is_too_deep(body):
            return None
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return body


def _free(status: int, body: dict[str, Any]) -> HttpResponse:
    """Return an answer for which no model was asked."""
    return HttpResponse(status, json.dumps(body).encode("ascii"), is_free=True)
