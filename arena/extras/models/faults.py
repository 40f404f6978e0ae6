"""What it means that a provider gave no answer: by its status, its code and its words.

Three things may follow. A fault that may pass is waited for (`AwayError`). A refusal that each
request would get ends the run (`MachineError`). A refusal of one question is told to its bot, as an
answer with the end `error` or `refused`. Whatever a provider says is a stranger's, and is cleaned.
"""

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from arena.errors import MachineError
from arena.protocol import clean
from arena.values import ModelAnswer

MOST_WORDS = 300
"""Characters of a provider's own words about a fault that are shown."""
PASSING = {408, 409, 425, 429}
"""Statuses below 500 that may pass; those from 500 on may pass, but for NEVER_PASSING."""
NEVER_PASSING = {501, 505}
TOO_LONG = ("context_length_exceeded", "maximum context length", "exceed_context_size_error")
"""How providers say, in a code or in words, that the question of a bot is too long."""
NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "insufficient balance")
"""The same of HTTP 429 where no later call would be answered either."""
FLAGGED = (
    "content_filter",
    "content_policy",
    "contentpolicyviolation",
    "responsibleaipolicyviolation",
    "content management policy",
    "content filtering policy",
    "data_inspection_failed",
    "moderation_blocked",
    "flagged_input",
    "prompt was flagged",
    "input was flagged",
    "prohibited_content",
)
"""The same of a question that the provider's filter refuses."""
INSIDE = 200
"""The status of an error that has no other."""
LENGTH_STATUSES = {INSIDE, 400, 422}
FLAG_STATUSES = {INSIDE, 400, 403, 422, 451}
CREDIT_STATUSES = {INSIDE, 429}
"""The statuses of a response whose codes or words say so."""
REASONS = {
    400: "it refuses the request; its settings stand in [{table}.request]",
    401: "it refuses the key",
    402: "it wants to be paid first",
    403: "it refuses the key",
    404: "it does not know the model or the path",
    422: "it refuses the request; its settings stand in [{table}.request]",
}
"""Why a provider refuses every request, by its status."""
CODES = ("code", "type", "status")
"""The fields of an error that have a word or a number of the provider."""


class RetryAdvice(NamedTuple):
    """What the headers of a response say about asking again."""

    after: float = 0.0
    """Seconds to wait; 0 = they name no time."""
    is_worth_it: bool | None = None
    """None = they do not say."""


NO_ADVICE = RetryAdvice()


class AgainError(Exception):
    """The provider gave nothing that can be read: the call may go better in `after` seconds."""

    def __init__(self, words: str, after: float = 0.0) -> None:
        super().__init__(words)
        self.after = max(after, 0.0)


class AwayError(AgainError):
    """The provider is away or has too much to do: it is worth waiting for."""


def refusal_of(
    status: int,
    body: Any,
    *,
    table: str,
    advice: RetryAdvice = NO_ADVICE,
    address: str = "",
) -> ModelAnswer:
    """Return what a bot is told of a response without an answer, if its question is the reason.

    Otherwise raise AwayError if the fault may pass, or MachineError. `body` is the JSON or text of
    the response, `table` the name of the model's table, and `address` that of a redirect.
    """
    words = words_of(body)
    signs = _signs_in(body)
    quoted = ""
    if words:
        quoted = f": {words}"
    name = f"HTTP {status}"
    if status == INSIDE:
        name = "an error inside HTTP 200"
    if status == 413 or (status in LENGTH_STATUSES and _has_any(signs, TOO_LONG)):
        return ModelAnswer(f"the question is too long for the model ({name})", "error")
    if status in FLAG_STATUSES and _has_any(signs, FLAGGED):
        return ModelAnswer(f"the provider refused the question: {name}{quoted}", "refused")
    has_no_credit = status in CREDIT_STATUSES and _has_any(signs, NO_CREDIT)
    may_pass = status == INSIDE or status in PASSING or status >= 500
    may_pass = may_pass and status not in NEVER_PASSING
    if advice.is_worth_it is not None:
        may_pass = advice.is_worth_it
    if may_pass and not has_no_credit:
        raise AwayError(f"{name}{quoted}", advice.after)
    reason = REASONS.get(status, "it gives no answers").format(table=table)
    if status not in REASONS and advice.is_worth_it is False:
        reason = "it says that asking again is in vain"
    if has_no_credit:
        reason = "the credit is used up"
    if 300 <= status < 400 and address:
        address = clean(address, MOST_WORDS)
        reason = (
            f"it redirects to {address}; no redirect is followed, because the key would go along"
        )
    raise MachineError(f"{table}.url: {name}: {reason}{quoted}")


def error_inside(error: Any, *, table: str) -> ModelAnswer:
    """Do the same for an error inside HTTP 200, whose code may be the status of another server."""
    code = None
    if isinstance(error, dict):
        code = error.get("code")
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    if type(code) is not int or not 400 <= code < 600:
        code = INSIDE
    return refusal_of(code, error, table=table)


def names_any(error: Any, names: Iterable[str]) -> bool:
    """Return whether the words of an error name one of these; a question that is too long does not.

    A name counts where it stands alone: `top_p` is not in `top_probabilities`.
    """
    if _has_any(_signs_in(error), TOO_LONG):
        return False
    words = words_of(error).lower()
    for name in names:
        pattern = re.escape(name.lower())
        if re.search(rf"(?<!\w){pattern}(?!\w)", words):
            return True
    return False


def _signs_in(error: Any) -> str:
    """Return the codes and the words of an error, in small letters."""
    signs = [*_codes(error), words_of(error)]
    return "\n".join(signs).lower()


def _has_any(text: str, signs: tuple[str, ...]) -> bool:
    return any(sign in text for sign in signs)


def _codes(error: Any) -> Iterator[str]:
    """Yield the words by which a provider names an error; a quoted question is not among them."""
    if not isinstance(error, dict):
        return
    for name in CODES:
        if isinstance(error.get(name), str):
            yield error[name]
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and "flagged_input" in metadata:  # OpenRouter
        yield "flagged_input"
    for name in ("error", "innererror"):
        yield from _codes(error.get(name))


def words_of(error: Any) -> str:
    """Return the words in the value of an error, as one clean line; empty if it has none."""
    value = error
    for name in ("error", "message"):
        if isinstance(value, dict) and value.get(name):
            value = value[name]
    if not value:
        return ""
    if not isinstance(value, str):
        value = json.dumps(value)
    words = value[: 4 * MOST_WORDS].split()
    return clean(" ".join(words), MOST_WORDS)


def advice_of(headers: Mapping[str, str]) -> RetryAdvice:
    """Return what the headers of a response say, by their names in small letters.

    `retry-after-ms` and `x-should-retry` are headers of OpenAI, which other providers send, too;
    the first is more exact than Retry-After, and counts in its place.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is None:
        after = seconds_to_wait(headers.get("retry-after", ""))
    else:
        after = milliseconds / 1000
    words = headers.get("x-should-retry", "").strip().lower()
    meanings = {"true": True, "false": False}
    return RetryAdvice(after, is_worth_it=meanings.get(words))


def seconds_to_wait(retry_after: str) -> float:
    """Return the seconds in a header Retry-After, a number or a date; 0 if it is neither."""
    seconds = _number(retry_after)
    if seconds is not None:
        return seconds
    try:
        return parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _number(text: str) -> float | None:
    """Return the number in a text; None if it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return number
