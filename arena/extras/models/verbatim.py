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
from collections.abc import Mapping
from typing import Any

from arena.extras.models.calls import (
    LETTERS_A_TOKEN,
    MOST_TOKENS,
    TAPE_BYTES,
    Door,
    LanguageModel,
    ModelRequest,
    TokenAccount,
)
from arena.extras.models.chat import MOST_HIDDEN
from arena.extras.models.reach import words_beyond
from arena.identity import digest_of
from arena.match.model_line import NO_MODEL
from arena.values import Match, ModelAnswer, ModelTerms

PATHS = ("chat/completions", "messages", "responses")
"""The requests that pass: OpenAI's chat format, Anthropic's, and OpenAI's of responses."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
LIMITS_OF = {
    "chat/completions": ("max_tokens", "max_completion_tokens"),
    "messages": ("max_tokens",),
    "responses": ("max_output_tokens",),
}
"""The limits of a format: its provider may read any of them, and leave out the others."""
NO_WORDS = ("client_metadata", "prompt_cache_key")
"""Fields that no model reads, and that differ from run to run: they pass, and are in no key."""
REFUSED = 403
UNREADABLE = 400
"""The statuses of requests that do not reach the provider; agents do not repeat them."""
LONGEST_REQUEST = Door.LONGEST_LINE - 10_000
"""Characters of a request as it goes to the broker, with its key and names in one line."""
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
CODEX = r"Chunk ID: [0-9a-f]{6}|Wall time: \d+(?:\.\d+)? seconds"
"""As codex writes about each command that it has run."""
PASSING = re.compile(
    rf"{UUID}|{CODEX}|\b{PROCESS}\b|\b{NUMBERED_DATE}|\b{DATE_IN_WORDS}\b|\b{TIME}\b|{TEMPORARY}\b",
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
            self._account = TokenAccount(
                self.terms.calls,
                self.terms.move,
                self.terms.bank,
                self.terms.cost,
            )

    @property
    def names(self) -> list[str]:
        """Return the names of the models that the agent may ask for."""
        if self.terms is None:
            return []
        return [self.terms.name]

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the body that answer a request of the agent.

        ModelError, BudgetError or MachineError where the provider gives no answer.
        """
        if self.terms is None or self._model is None:
            return REFUSED, error_of(NO_MODEL)
        passed = {name: value for name, value in body.items() if name != "stream_options"}
        passed |= {"model": self.terms.name, "stream": False}
        text = json.dumps(passed, sort_keys=True)
        words = words_beyond(passed) or self._refusal(passed, text)
        if words:
            return REFUSED, error_of(words)

        most = self._limit(path, passed, text)
        key = self._key(self.terms, path, passed)
        request = {
            "path": path,
            "body": passed,
            "messages": [{"role": "user", "content": text}],
            "tokens": most,
        }
        if len(json.dumps(request)) > LONGEST_REQUEST:
            return REFUSED, error_of("the question is too long")
        call = ModelRequest(
            key,
            self.terms.alias,
            bot=self._seat.bot.name,
            match=self._match.id,
            request=request,
        )
        answer = self._model.answer(call)

        self.made.append(answer)
        self._bytes += len(text) + len(answer.text)
        tokens = answer.tokens_in + answer.tokens_out
        self._account.pay(tokens, self.terms.cost_of(answer))
        return read_answer(answer)

    def _limit(self, path: str, passed: dict[str, Any], text: str) -> int:
        """Lower the limits of a request to what the account has; return the most tokens of it."""
        left = self._account.tokens
        usual = MOST_TOKENS
        most = MOST_HIDDEN
        if left is not None:
            most = left - _least_tokens(text)
            usual = most
        limits: list[int] = []
        for name in LIMITS:
            limit = passed.get(name)
            if limit is None:
                continue
            if limit > most and left is not None:
                passed[name] = most
            if name in LIMITS_OF[path]:
                limits.append(limit)
        return min(max(limits, default=usual), most)

    def _key(
        self,
        terms: ModelTerms,
        path: str,
        passed: Mapping[str, Any],
    ) -> str:
        """Return the key on the tape of a request, which counts how often it was made."""
        read = {name: value for name, value in passed.items() if name not in NO_WORDS}
        masked = PASSING.sub("*", json.dumps(read, sort_keys=True))
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

    def _refusal(self, passed: Mapping[str, Any], text: str) -> str:
        """Return in words why a request is refused; empty if it may pass."""
        for name in LIMITS:
            limit = passed.get(name)
            if limit is not None and (type(limit) is not int or limit < 1):
                # A lenient provider may read a number in it that nobody here has lowered, and some
                # take -1 for no limit.
                return f"{name}: expected a whole number from 1"
        account = self._account
        if account.calls <= 0:
            return "the calls of this round are used up"
        if account.cost is not None and account.cost <= 0:
            return "what the calls of this round may cost is used up"
        if self._bytes >= TAPE_BYTES:
            return "the questions and answers of this round are too long"
        left = account.tokens
        if left is None:
            return ""
        least = _least_tokens(text)
        if least >= left:
            return f"the question has {least} tokens or more, and {left} are left"
        return ""


def _least_tokens(text: str) -> int:
    letters = sum(letter.isalnum() for letter in text)
    return letters // LETTERS_A_TOKEN


def read_answer(answer: ModelAnswer) -> tuple[int, dict[str, Any]]:
    """Return the status and the body in the answer of a provider, as it is on the tape."""
    status, body = json.loads(answer.text)
    return status, body


def error_of(words: str) -> dict[str, Any]:
    """Return the body of an error that clients of both formats can read."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
