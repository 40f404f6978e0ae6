"""The door to a language model: the requests of bots, what they may use, and the answering lines.

It reads requests, keeps each seat's account of calls, tokens and cost, and writes down every call.
A `LanguageModel` answers them: the broker of an event (asking.py), or a record. This module knows
no provider, no key and no rules.
"""

# Theory of operation
# -------------------
# A bot that is asked may print `model {json}` instead of its move. match/model_line.py tells such a
# line from a move, and asks the bot again with what is answered here.
#
# Whatever a bot is told depends on its requests and on the model's answers alone, never on time:
# played again with the same answers a match goes the same way.
#
# The key of a call. It names the model, the match by its seed, its seats by name, the role, the
# request and how often the role has made it in this match. So answers differ from match to match,
# in whichever order lanes play them. The digests of the bots are not in it: when one bot was
# edited, the same questions of all others, and its own, have the same answers, and only what nobody
# has asked before has to be paid.
#
# Tokens. How many tokens a question has is known only when the provider has counted them. Three
# bounds were weighed. One token a byte is the only sure upper bound, but it refuses three of four
# honest questions. A tokenizer of ours is that of one model. So a question is refused where it
# surely does not fit, by LETTERS_A_TOKEN, its answer gets what is left beside it, and what a call
# takes beyond that is a debt, which the next turns of the seat pay before they may ask. So all
# turns together take at most one call more than they may, however wrong an estimate is.

import json
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from arena import protocol, shared_folders
from arena.errors import MachineError, OutsideError, SpentError
from arena.failure import Failure
from arena.game import Role
from arena.identity import digest_of
from arena.match.model_line import NO_MODEL, refused
from arena.protocol import Ask
from arena.values import (
    ANSWER_ENDS,
    DEFAULT_MODEL,
    Match,
    ModelAnswer,
    ModelCall,
    ModelTerms,
    Record,
)

MOST_TOKENS = 32_000
"""Of an answer whose request names no number."""
LETTERS_A_TOKEN = 6
"""Letters and digits: with the tokenizers of today a token of prose has 1.5 (Chinese) to 5
(English) on average. Blanks and signs are not counted, because a long run of them, as on a drawn
board, may be one token."""
TAPE_BYTES = 8_000_000
"""Of all calls of a match, as JSON: a record has 50 MB at most."""
LONGEST_WORDS = 500
NOT_THEN = "this was not asked when the match was recorded, and a rerun pays for no answer"
UNREACHABLE = "the process that asks it has ended: run the same command again"


class ModelError(OutsideError):
    """The provider could not be asked: the match must be played again."""


class BudgetError(SpentError):
    """The event's budget of tokens or cost is used up: the match stays due."""


class ModelRequest(NamedTuple):
    """A call for the model to answer."""

    key: str
    alias: str
    """The name by which the bot asks the model."""
    bot: str
    """For messages; it changes no answer."""
    match: str
    request: Mapping[str, Any]
    """`messages` and `tokens`, and what the bot gave of `temperature` and `stop`."""


class LanguageModel(Protocol):
    """Whatever answers requests."""

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the answer; ModelError, BudgetError or MachineError if there is none."""
        ...


class Door:
    """The models of an event: their broker, a process that lanes reach by a Unix socket."""

    LONGEST_LINE = 4_000_000
    PULSE_S = 10.0
    """While a call takes its time the broker sends an empty line each time that these pass."""
    SILENCE_S = 60.0
    """A broker from which no line comes for this time has stopped."""

    WAITS = "waits"
    """The file beside its socket in which the broker says what calls wait for."""
    MOST_WAITS_BYTES = 100_000

    def __init__(self, path: Path) -> None:
        self._path = path

    def waits(self) -> tuple[str, ...]:
        """Return which providers are away, and until when calls wait for them, a sentence each."""
        try:
            text = shared_folders.read(self._path.with_name(self.WAITS), self.MOST_WAITS_BYTES)
        except FileNotFoundError:  # no call has waited yet
            return ()
        return tuple(json.loads(text))

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """Part of `LanguageModel`. The broker bounds the time of a call."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(self.SILENCE_S)
                with shared_folders.socket_path(self._path) as address:
                    connection.connect(address)
                message = json.dumps(request._asdict())
                connection.sendall(message.encode("ascii") + b"\n")
                with connection.makefile("rb") as lines:
                    line = b"\n"
                    while line == b"\n":
                        line = lines.readline(self.LONGEST_LINE)
        except OSError as error:
            raise MachineError(f"model: {UNREACHABLE} ({error.strerror or error})") from error
        if not line.endswith(b"\n"):
            raise MachineError(f"model: {UNREACHABLE}")
        kind, values = json.loads(line)
        if kind == "answer":
            return ModelAnswer(**values)
        if kind == "again":
            raise ModelError(values)
        if kind == "budget":
            raise BudgetError(values)
        raise MachineError(values)


class Recorded:
    """The model of a record: it gives the recorded answers, and an error to any other request."""

    def __init__(self, record: Record) -> None:
        self._answers = {call.key: call.answer for call in record.calls}

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """Part of `LanguageModel`."""
        return self._answers.get(request.key) or ModelAnswer(NOT_THEN, "error")


@dataclass
class TokenAccount:
    """What one seat has left."""

    calls: int
    move: int | None
    """Tokens of each turn; None = no limit."""
    bank: int
    """Tokens for the whole match; below 0 it is the debt that later turns pay."""
    cost: float | None
    turn: int = 0
    turn_tokens: int = field(init=False)
    """Of this turn."""
    refused: int = 0
    """Requests of this turn that came to nothing."""
    bytes: int = 0
    times_made: Counter[str] = field(default_factory=Counter)
    """How often each request was made."""

    def __post_init__(self) -> None:
        self.turn_tokens = self.move or 0

    def begin(self, turn: int) -> None:
        """Give the seat its tokens for a turn that is new; they pay its debt first."""
        if turn <= self.turn:
            return
        self.turn = turn
        self.refused = 0
        if self.move is not None:
            paid = min(self.move, self.owed)
            self.bank += paid
            self.turn_tokens = self.move - paid

    @property
    def owed(self) -> int:
        """Tokens that were taken beyond what there was."""
        return max(0, -self.bank)

    @property
    def tokens(self) -> int | None:
        """Tokens that are left for this turn, bank included; None = no limit."""
        if self.move is None:
            return None
        return max(0, self.turn_tokens + self.bank)

    def pay(self, tokens: int, cost: float) -> None:
        """Take a call from what is left; what it takes beyond that is owed."""
        self.calls -= 1
        if self.move is not None:
            beyond = max(0, tokens - self.turn_tokens)
            self.turn_tokens = max(0, self.turn_tokens - tokens)
            self.bank -= beyond
        if self.cost is not None:
            self.cost -= cost

    def left(self) -> dict[str, int]:
        """Return what the bot reads of this account."""
        left = {"calls": self.calls}
        if self.tokens is not None:
            left["tokens"] = self.tokens
        if self.owed:
            left["owed"] = self.owed
        return left


class Calls:
    """The calls of one match."""

    def __init__(self, match: Match, model: LanguageModel | None) -> None:
        self.made: list[ModelCall] = []
        self._match = match
        self._model = model
        self._names: dict[Role, str] = {}
        self._terms: dict[Role, ModelTerms] = {}
        for seat in match.seats:
            self._names[seat.role] = seat.bot.name
            terms = match.conditions.model_of(seat.bot)
            if terms is not None:
                self._terms[seat.role] = terms
        self._accounts: dict[Role, TokenAccount] = {}

    def begin(self, asks: Mapping[Role, Ask]) -> None:
        """Take note of the turns of these roles; also turns without a request pay debts."""
        for role, ask in asks.items():
            terms = self._terms.get(role)
            if terms is not None:
                self._account(terms, role, ask.turn)

    def answers(self, asked: Mapping[Role, tuple[Ask, bytes]]) -> dict[Role, bytes | Failure]:
        """Return the line that answers each of these requests, or why the bot is out."""
        lines: dict[Role, bytes | Failure] = {}
        requests: dict[Role, ModelRequest] = {}
        for role, (ask, line) in asked.items():
            terms = self._terms.get(role)
            if terms is None or self._model is None:
                lines[role] = self._refused(role, ask.turn, NO_MODEL)
                continue
            request = self._request(terms, role, ask, line)
            if isinstance(request, ModelRequest):
                requests[role] = request
            else:
                lines[role] = self._refused(role, ask.turn, request)

        if requests and self._model is not None:
            answers = _side_by_side(self._model, list(requests.values()))
            for role, answer in zip(requests, answers, strict=True):
                ask, _ = asked[role]
                request = requests[role]
                lines[role] = self._paid(role, ask.turn, request, answer)
        return lines

    def note(self, role: Role) -> str:
        """Return how the last answer that a role got ended, if it was none, in words."""
        for call in reversed(self.made):
            if call.role != role:
                continue
            end = ANSWER_ENDS.get(call.answer.end)
            if end is None:
                return ""
            note = f"the last answer of its model was {end}"
            if call.answer.text:
                note += f": {protocol.quoted(call.answer.text)}"
            return note
        return ""

    def _account(
        self,
        terms: ModelTerms,
        role: Role,
        turn: int,
    ) -> TokenAccount:
        account = self._accounts.get(role)
        if account is None:
            account = TokenAccount(terms.calls, terms.move, terms.bank, terms.cost)
            self._accounts[role] = account
        account.begin(turn)
        return account

    def _request(
        self,
        terms: ModelTerms,
        role: Role,
        ask: Ask,
        line: bytes,
    ) -> ModelRequest | str:
        """Return the call that a line asks for, or in words why it is refused."""
        account = self._account(terms, role, ask.turn)
        if account.calls <= 0:
            return f"its {terms.calls} calls of this match are used up"
        left = account.tokens
        if left == 0:
            words = "its tokens of this turn are used up"
            if terms.bank:
                words = "its tokens are used up"
            if account.owed:
                words += f", and {account.owed} more, which its next turns pay"
            return words
        if account.cost is not None and account.cost <= 0:
            return "what its calls of this match may cost is used up"
        if account.bytes >= TAPE_BYTES // len(self._match.seats):
            return "its questions and answers of this match fill what a record has room for"
        request = read_request(line)
        if isinstance(request, str):
            return request
        letters = 0
        for message in request["messages"]:
            letters += sum(letter.isalnum() for letter in message["content"])
        least = letters // LETTERS_A_TOKEN
        if left is not None and least >= left:
            return (
                f"its question has {least} tokens or more ({letters} letters), and {left} are left"
            )
        if account.cost is not None and terms.least_price(least) >= account.cost:
            return (
                f"its question has {least} tokens or more, which cost more than the "
                f"{account.cost:.4g} that is left"
            )
        left_for_answer = None
        if left is not None:
            left_for_answer = left - least
        request["tokens"] = _most_tokens(request, terms, left_for_answer)

        text = json.dumps(request, sort_keys=True)
        key = self._key(terms, role, text, account.times_made[text])
        account.times_made[text] += 1
        return ModelRequest(
            key,
            terms.alias,
            bot=self._names[role],
            match=self._match.id,
            request=request,
        )

    def _key(
        self,
        terms: ModelTerms,
        role: Role,
        text: str,
        times: int,
    ) -> str:
        """Return the key on the tape of a request that the role has made this often before."""
        parts = [
            "model",
            terms.name,
            self._match.seed,
            list(self._names.items()),
            role,
            text,
            times,
        ]
        # The tapes of older events have only default models without fields.
        if terms.alias != DEFAULT_MODEL or terms.request:
            parts += [terms.alias, terms.request]
        return digest_of(*parts, length=32)

    def _refused(self, role: Role, turn: int, words: str) -> bytes | Failure:
        terms = self._terms.get(role, ModelTerms(name=""))
        account = self._account(terms, role, turn)
        account.refused += 1
        return refused(account.refused, words)

    def _paid(
        self,
        role: Role,
        turn: int,
        request: ModelRequest,
        answer: ModelAnswer,
    ) -> bytes:
        """Write a call down and take it from the account; return the line for the bot."""
        terms = self._terms[role]
        text = json.dumps(request.request, sort_keys=True)
        call = ModelCall(turn, role, text, answer, request.key)
        self.made.append(call)

        account = self._account(terms, role, turn)
        answer_text = json.dumps([answer.text, answer.reasoning])
        account.bytes += len(text) + len(answer_text)
        tokens = answer.tokens_in + answer.tokens_out
        account.pay(tokens, terms.cost_of(answer))

        left = account.left()
        if answer.end == "error":
            return protocol.model_answer({"error": answer.text, "left": left})
        return protocol.model_answer(
            {
                "text": answer.text,
                "end": answer.end,
                "in": answer.tokens_in,
                "out": answer.tokens_out,
                "left": left,
            }
        )


def _most_tokens(
    request: Mapping[str, Any],
    terms: ModelTerms,
    left: int | None,
) -> int:
    """Return the most tokens of an answer: the lowest limit of bot, organiser and account."""
    usual = MOST_TOKENS
    if terms.most_tokens is not None:
        usual = terms.most_tokens
    if left is None:
        left = usual
    most: int = min(request.get("tokens", usual), left)
    if terms.most_tokens is not None:
        most = min(most, terms.most_tokens)
    return most


def _side_by_side(model: LanguageModel, requests: Sequence[ModelRequest]) -> list[ModelAnswer]:
    """Return the answer to each of these requests, which are asked at once."""
    if len(requests) < 2:  # no thread for a single one
        return [model.answer(request) for request in requests]
    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(model.answer, requests))


def read_request(line: bytes) -> dict[str, Any] | str:
    """Return the request in a line of a bot, or in words what is wrong with it.

    The request has `messages` in place of a prompt. A hostile bot wrote the line: its length is
    bounded, and nothing else.
    """
    from pydantic import ValidationError  # slow to import, and only a match with a model needs it

    try:
        request = _reader().validate_json(line[len(protocol.MODEL) :])
    except ValidationError as error:
        mistake = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, mistake["loc"]))
        words = str(mistake["msg"])
        if where:
            words = f"{where}: {words}"
        return protocol.clean(words, LONGEST_WORDS)
    values: dict[str, Any] = request.model_dump(exclude_none=True)
    prompt = values.pop("prompt", None)
    if prompt is not None:
        if "messages" in values:
            return "give either `prompt` or `messages`"
        values["messages"] = [{"role": "user", "content": prompt}]
    elif "messages" not in values:
        return "give a `prompt`, or `messages`"
    return values


@cache
def _reader() -> Any:
    """Return what reads a request: strict, with every key known."""
    from typing import Annotated, Literal

    from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)

    class Message(Strict):
        role: Literal["system", "user", "assistant"]
        content: str

    stop_word = Annotated[str, Field(min_length=1, max_length=100)]

    class Asked(Strict):
        prompt: str | None = None
        messages: Annotated[list[Message], Field(min_length=1, max_length=200)] | None = None
        tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
        temperature: (
            Annotated[
                float,
                Field(
                    ge=0,
                    le=2,
                    allow_inf_nan=False,
                ),
            ]
            | None
        ) = None
        again: Literal["illegal", "unreadable", "cut", "refused"] | None = None
        stop: Annotated[list[stop_word], Field(max_length=4)] | None = None

    return TypeAdapter(Asked)
