"""Requests of an agent that speaks a provider's own format, over HTTP: they pass as they are.

It keeps the account of the agent, and has the key of each request, as calls.py does for the lines
of bots. Only these fields of a request are changed: `model`, which is the event's; `stream`,
because the whole answer is asked for; and a limit on tokens that is larger than what is left.

The key of a request must be the same when the agent runs again. So UUIDs, dates, times, the
names of temporary files and what is called a number of a process do not count, and the folders of
an agent lie at the same paths in every run.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from arena.extras.models.calls import (
    LETTERS_A_TOKEN,
    MOST_TOKENS,
    TAPE_BYTES,
    LanguageModel,
    ModelRequest,
    TokenAccount,
)
from arena.identity import digest_of
from arena.match.model_line import NO_MODEL
from arena.values import Match, ModelAnswer, ModelTerms

PATHS = ("chat/completions", "messages")
"""The requests that pass: OpenAI's chat format, and Anthropic's."""
LIMITS = ("max_tokens", "max_completion_tokens")
REFUSED, UNREADABLE = 403, 400
"""The statuses of requests that do not reach the provider; agents do not repeat them."""
UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
NUMBERED_DATE = rf"\d{{4}}-\d\d-\d\d(?:[T ]{CLOCK})?"
DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? "
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t|tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
DATE_IN_WORDS = (
    rf"(?:{DAY})?(?:\d{{1,2}} {MONTH}|{MONTH}\.? {{1,2}}\d{{1,2}})(?:,? \d{{4}})?(?:,? {CLOCK})?"
    r"(?: {1,2}\d{4})?"
)
"""As in the output of `date` and `ls -l`, and in the headers of mails and pages."""
TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?"
TEMPORARY = r"(?:/tmp|/mnt/scratch)/tmp(?:\.\w{6,10}|[a-z0-9_]{8})"
"""As mktemp(1) and the module tempfile of Python name files."""
PROCESS = r"(?:PID|PGID|pid|pgid)[:=]? ?\d+"
PASSING = re.compile(
    rf"{UUID}|\b{PROCESS}\b|\b{NUMBERED_DATE}|\b{DATE_IN_WORDS}\b|\b{TIME}\b|{TEMPORARY}\b",
    re.ASCII,
)
"""What differs from one run of an agent to the next, and can be told by its form."""


class VerbatimCalls:
    """The requests of one agent, and what they took."""

    def __init__(self, match: Match, model: LanguageModel | None) -> None:
        self.made: list[ModelAnswer] = []
        self._match = match
        self._model = model
        (self._seat,) = match.seats
        self.terms = match.conditions.model_of(self._seat.bot)
        self._times_made: Counter[str] = Counter()
        self._bytes = 0
        if self.terms is not None:
            terms = self.terms
            self._account = TokenAccount(terms.calls, terms.move, terms.bank, terms.cost)

    @property
    def names(self) -> list[str]:
        """Return the names of the models that the agent may ask for."""
        return [] if self.terms is None else [self.terms.name]

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the body that answer a request of the agent.

        ModelError, BudgetError or MachineError where the provider gives no answer.
        """
        if self.terms is None or self._model is None:
            return REFUSED, error_of(NO_MODEL)
        passed = {name: value for name, value in body.items() if name != "stream_options"}
        passed |= {"model": self.terms.name, "stream": False}
        text = json.dumps(passed, sort_keys=True)
        words = self._refusal(text)
        if words:
            return REFUSED, error_of(words)
        most = self._limit(passed, text)
        key = self._key(self.terms, path, text)
        request = {
            "path": path,
            "body": passed,
            "messages": [{"role": "user", "content": text}],
            "tokens": most,
        }
        alias, bot = self.terms.alias, self._seat.bot.name
        answer = self._model.answer(ModelRequest(key, alias, bot, self._match.id, request))
        self.made.append(answer)
        self._bytes += len(text) + len(answer.text)
        self._account.pay(answer.tokens_in + answer.tokens_out, self.terms.cost_of(answer))
        return read_answer(answer)

    def _limit(self, passed: dict[str, Any], text: str) -> int:
        """Lower the limits of a request to what the account has; return the most tokens of it."""
        left = self._account.tokens
        most = MOST_TOKENS
        if left is not None:
            most = left - _least_tokens(text)
        for name in LIMITS:
            limit = passed.get(name)
            if isinstance(limit, int) and limit > most and left is not None:
                passed[name] = most
            if isinstance(limit, int) and not isinstance(limit, bool):
                most = min(most, max(limit, 0))
        return most

    def _key(self, terms: ModelTerms, path: str, text: str) -> str:
        """Return the key on the tape of a request, which counts how often it was made."""
        masked = PASSING.sub("*", text)
        seats = [(seat.role, seat.bot.name) for seat in self._match.seats]
        times = self._times_made[masked]
        self._times_made[masked] += 1
        return digest_of(
            "verbatim",
            terms.name,
            terms.alias,
            terms.request,
            self._match.seed,
            seats,
            path,
            masked,
            times,
            length=32,
        )

    def _refusal(self, text: str) -> str:
        """Return in words why a request is refused; empty if it may pass."""
        account = self._account
        if account.calls <= 0:
            return "the calls of this round are used up"
        if account.cost is not None and account.cost <= 0:
            return "what the calls of this round may cost is used up"
        if self._bytes >= TAPE_BYTES:
            return "the questions and answers of this round are too long"
        left = account.tokens
        if left is not None and _least_tokens(text) >= left:
            return f"the question has {_least_tokens(text)} tokens or more, and {left} are left"
        return ""


def _least_tokens(text: str) -> int:
    return sum(letter.isalnum() for letter in text) // LETTERS_A_TOKEN


def read_answer(answer: ModelAnswer) -> tuple[int, dict[str, Any]]:
    """Return the status and the body in the answer of a provider, as it is on the tape."""
    status, body = json.loads(answer.text)
    return status, body


def error_of(words: str) -> dict[str, Any]:
    """Return the body of an error that clients of both formats can read."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": words}}


def events(path: str, body: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the parts of an event stream that tell a whole answer."""
    return _message_events(body) if path == "messages" else _chat_events(body)


def _event(value: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode("ascii")


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
        reason = choice.get("finish_reason")
        whole_choice = {"index": index, "delta": delta, "finish_reason": None}
        yield _event({**frame, "choices": [whole_choice]})
        its_end = {"index": index, "delta": {}, "finish_reason": reason}
        yield _event({**frame, "choices": [its_end]})
    yield _event({**frame, "choices": [], "usage": body.get("usage")})
    yield b"data: [DONE]\n\n"


def _message_events(body: Mapping[str, Any]) -> Iterator[bytes]:
    usage = body.get("usage") or {}
    begun = {**body, "content": [], "stop_reason": None, "stop_sequence": None}
    yield _event({"type": "message_start", "message": begun}, "message_start")
    for index, block in enumerate(body.get("content") or ()):
        empty, deltas = _block_parts(block)
        start = {"type": "content_block_start", "index": index, "content_block": empty}
        yield _event(start, "content_block_start")
        for delta in deltas:
            part = {"type": "content_block_delta", "index": index, "delta": delta}
            yield _event(part, "content_block_delta")
        yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
    end = {name: body.get(name) for name in ("stop_reason", "stop_sequence")}
    yield _event({"type": "message_delta", "delta": end, "usage": usage}, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


def _block_parts(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block of content as it begins, and the deltas that complete it."""
    kind = block.get("type")
    if kind == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": block.get("text", "")}]
    if kind == "tool_use":
        arguments = json.dumps(block.get("input") or {})
        delta = {"type": "input_json_delta", "partial_json": arguments}
        return {**block, "input": {}}, [delta]
    if kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block.get("thinking", "")}]
        deltas.append({"type": "signature_delta", "signature": block.get("signature", "")})
        return {**block, "thinking": "", "signature": ""}, deltas
    return dict(block), []
