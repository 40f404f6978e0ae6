"""The line by which a bot asks a language model, and what it gets where nobody answers.

The line is part of the protocol, so it is answered in every match, if only by an error. This module
tells it from a move, carries it to whoever answers, and carries the answer back. It knows no model:
an extension brings one as a wrapper.
"""

# How a request is carried
# ------------------------
# For the live bot, a line `model {json}` is an answer like any other: its clock stops, and it is
# frozen. Then the bot is asked again, with the answer to its request in place of the question, and
# with the time that it has left. A turn without a request costs only a look at the beginning of a
# line.
#
# Seats of a match without a model stand in `ModelSeats` with `NoModel`, outside of what extensions
# put next to them. So a line that an extension has answered never comes here.

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Protocol

from arena import protocol
from arena.clock import TimeUsed
from arena.failure import Cause, Failure
from arena.game import Role
from arena.match.bot.output import REMARKS_KEPT
from arena.match.seat import Seats, WrappedSeats
from arena.protocol import Ask, Reply
from arena.values import Match

MOST_REFUSED = 20
"""Requests of one turn that come to nothing; one more puts a bot out that does not listen."""
NO_MODEL = "no language model answers here: the event has no [model], or none that this bot names"


class Answerer(Protocol):
    """Whoever answers requests of bots."""

    def begin(self, asks: Mapping[Role, Ask]) -> None:
        """Take note of the turns of these roles."""
        ...

    def answers(self, asked: Mapping[Role, tuple[Ask, bytes]]) -> dict[Role, bytes | Failure]:
        """Return the line that answers each of these requests, or why the bot is out."""
        ...

    def note(self, role: Role) -> str:
        """Return what the bot's author should know of its last request, if it is at fault now."""
        ...


def refused(count: int, words: str) -> bytes | Failure:
    """Return the answer to a request that came to nothing, the `count`-th of its turn."""
    if count > MOST_REFUSED:
        text = (
            f"model: more than {MOST_REFUSED} requests in one turn that came to nothing; "
            f"the last: {words}"
        )
        return Failure(cause=Cause.MODEL, words=text)
    return protocol.model_answer({"error": words})


class NoModel:
    """Answers each request by an error: the bots of this match have no model."""

    def __init__(self) -> None:
        self._refused: Counter[tuple[Role, int]] = Counter()
        """By role and turn."""

    def begin(self, asks: Mapping[Role, Ask]) -> None:
        """Part of `Answerer`."""

    def answers(self, asked: Mapping[Role, tuple[Ask, bytes]]) -> dict[Role, bytes | Failure]:
        """Part of `Answerer`."""
        lines: dict[Role, bytes | Failure] = {}
        for role, (ask, _) in asked.items():
            role_and_turn = (role, ask.turn)
            self._refused[role_and_turn] += 1
            count = self._refused[role_and_turn]
            lines[role] = refused(count, NO_MODEL)
        return lines

    def note(self, role: Role) -> str:
        """Part of `Answerer`."""
        del role
        return ""


class ModelSeats(WrappedSeats):
    """Seats whose bots may ask a language model."""

    def __init__(
        self,
        seats: Seats,
        answerer: Answerer,
        match: Match,
        *,
        every_turn: bool = False,
    ) -> None:
        """`every_turn`: the answerer takes note of turns without a request, too."""
        super().__init__(seats)
        self._answerer = answerer
        self._every_turn = every_turn
        self._control = match.conditions.time
        self._threads = {seat.role: seat.bot.threads for seat in match.seats}

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`: answer requests until each of these bots has given a move or failed."""
        replies = self.seats.ask(asks)
        for reply in replies.values():
            if self._every_turn or reply.line.startswith(protocol.MODEL):
                return self._converse(asks, replies)
        return replies

    def _converse(
        self,
        asks: Mapping[Role, Ask],
        replies: dict[Role, Reply],
    ) -> dict[Role, Reply]:
        """Carry requests and answers, and return the replies that are no requests.

        A reply has the time of all parts of its turn, and their remarks.
        """
        final = dict(replies)
        asks = dict(asks)
        self._answerer.begin(asks)
        spent = dict.fromkeys(asks, TimeUsed())
        remarks: dict[Role, tuple[str, ...]] = dict.fromkeys(asks, ())
        served: set[Role] = set()
        """The roles that were answered in this turn."""
        while True:
            asked: dict[Role, tuple[Ask, bytes]] = {}
            for role, reply in replies.items():
                spent[role] = spent[role].plus(reply.spent)
                all_remarks = remarks[role] + reply.remarks
                remarks[role] = all_remarks[:REMARKS_KEPT]
                final[role] = reply._replace(
                    spent=spent[role],
                    remarks=remarks[role],
                    words=self._words(role, reply, served),
                )
                if reply.ending is None and protocol.asks_model(asks[role], reply.line):
                    asked[role] = (asks[role], reply.line)
            if not asked:
                return final

            self.seats.rest()
            served.update(asked)
            asks = {}
            for role, line in self._answerer.answers(asked).items():
                if isinstance(line, Failure):
                    final[role] = final[role]._replace(
                        line=b"",
                        ending=line.ending,
                        words=line.words,
                        failure=line,
                    )
                else:
                    question, _ = asked[role]
                    spent_on_request = replies[role].spent
                    asks[role] = self._resumed(question, line, role, spent_on_request)
            replies = {}
            if asks:
                replies = self.seats.ask(asks)

    def _words(
        self,
        role: Role,
        reply: Reply,
        served: Collection[Role],
    ) -> str:
        """Return the words of a reply, which name the calls in its turn; `served` had some."""
        words = reply.words
        if reply.ending is not None and served:
            words = f"after a call of its model: {words}"
        parts = [words]
        if role in served:
            parts.append(self._answerer.note(role))
        return "; ".join(filter(None, parts))

    def _resumed(
        self,
        ask: Ask,
        line: bytes,
        role: Role,
        spent: TimeUsed,
    ) -> Ask:
        """Return the question that goes on with the answer, and the time that is left."""
        resumed = ask._replace(text=line, resumes=True)
        if ask.announced is None:
            return resumed
        threads = self._threads.get(role, 1)
        charged = self._control.charged(spent, threads)
        remaining = max(0.0, ask.announced - charged)
        # Each part has the margin, because it is another way through the pipe.
        deadline = self._control.deadline(remaining)
        return resumed._replace(announced=remaining, deadline=deadline)
