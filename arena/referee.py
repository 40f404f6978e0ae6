"""One match as a state machine: `asks`, `hear`, `verdict`. No process, no clock, no file.

It owns legality, strikes, forfeits, scores and every draw that rules or faults need. It does not know how a line
reaches a bot, nor what time it is: what an answer took is told to it.
"""

import hashlib
import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from arena import protocol
from arena.clock import Clock, Spent
from arena.game import CHANCE, Fact, Game, Move, Role
from arena.match import Ending, Fault, Match, Record, SeatReport, Turn, Verdict
from arena.protocol import Ask, Heard


class Made(NamedTuple):
    """A move that is about to be played, and where it comes from."""

    move: Move
    by: str
    said: str | None = None
    spent: Spent = Spent()
    remarks: tuple[str, ...] = ()


class Referee:
    """Plays one match of `game` with whoever answers its asks.

    `absent` are seats that are at fault before the match, with the fault that they are recorded with.
    """

    def __init__(self, game: Game[Any], match: Match, absent: Mapping[Role, Fault] | None = None) -> None:
        self.game = game
        self.match = match
        self.state = game.start()
        self.verdict: Verdict | None = None
        self.turns: list[Turn] = []
        self._number = 1
        self._faults: dict[Role, Fault] = {}
        self._strikes = dict.fromkeys(game.roles, 0)
        self._clocks = dict.fromkeys(game.roles, Clock.full(match.conditions.time))
        self._notes = dict.fromkeys(game.roles, b"")
        self._untold: dict[Role, list[tuple[Role, Move]]] = {role: [] for role in game.roles}
        self._greeted = False
        self._legal: dict[Role, tuple[Move, ...]] = {}
        self._states: bytes | None = None  # the lines of a state that everybody may see
        for fault in (absent or {}).values():
            self._fail(fault)
        self._forfeit_if_decided()

    def asks(self) -> dict[Role, Ask]:
        """What to ask whom now, all at once; empty when there is a verdict."""
        if self.verdict is None and not self._greeted:
            return {role: self._greeting(role) for role in self.game.roles if role not in self._faults}
        while self.verdict is None:
            movers = self.game.to_move(self.state)
            self._legal = {role: self.game.legal_moves(self.state, role) for role in movers}
            asked = [role for role in movers if role != CHANCE and role not in self._faults]
            if asked:
                return {role: self._question(role) for role in asked}
            self._advance({})
        return {}

    def hear(self, heard: Mapping[Role, Heard]) -> dict[Role, bytes]:
        """Take the answers to the last `asks`; returns the last words to each seat that is out because of its own."""
        if not self._greeted:
            self._greeted = True
            for role, answer in heard.items():
                if answer.ending is not None:
                    self._fail(Fault(role=role, ending=answer.ending, turn=0, words=answer.words))
            self._forfeit_if_decided()
            self._finish_if_over()
        else:
            moves = {role: move for role, answer in heard.items() if (move := self._judge(role, answer)) is not None}
            self._forfeit_if_decided()
            if self.verdict is None:
                self._advance(moves)
        if not self._faults:
            return {}
        return {role: protocol.dismissal(fault) for role, fault in self._faults.items() if role in heard}

    def farewell(self) -> bytes:
        """The last words to every seat that is still in."""
        if self.verdict is None:
            raise RuntimeError("a match that is not over has no scores")
        return protocol.end(self.verdict.scores, self.verdict.reason)

    def record(self, seats: tuple[SeatReport, ...], started: str, seconds: float) -> Record:
        """The whole match, with what became of each seat, in order of play; RuntimeError when it is not over."""
        if self.verdict is None:
            raise RuntimeError("the referee asked nobody and gave no verdict")
        return Record(
            match=self.match,
            turns=tuple(self.turns),
            verdict=self.verdict,
            sides=tuple(self.game.sides),
            seats=seats,
            started=started,
            seconds=seconds,
        )

    def _greeting(self, role: Role) -> Ask:
        control = self.match.conditions.time
        deadline = None if control.start is None else control.start + control.margin
        text = protocol.handshake(self.game, self.match, role, bot_seed(self.match.seed, role))
        return Ask(text, control.start, deadline, ready=True)

    def _question(self, role: Role) -> Ask:
        clock = self._clocks[role]
        last = () if self.game.hidden else self._untold[role]
        text = protocol.turn(self._number, last, self._states_for(role), protocol.legals(self._legal[role]), clock.told)
        if note := self._notes[role]:
            text, self._notes[role] = note + text, b""
        self._untold[role] = []
        return Ask(text, clock.told, clock.deadline)

    def _states_for(self, role: Role) -> bytes:
        if not self.game.open:
            return protocol.states(self.game.view(self.state, role))
        if self._states is None:
            self._states = protocol.states(self.game.view(self.state, None))
        return self._states

    def _judge(self, role: Role, answer: Heard) -> Made | None:
        """The move that an answer makes, or None when the seat is out because of it."""
        if answer.ending is not None:
            self._fail(Fault(role=role, ending=answer.ending, turn=self._number, words=answer.words))
            return None
        self._clocks[role] = self._clocks[role].after(answer.spent)
        move = protocol.read_move(answer.line)
        if move is not None and move in self._legal[role]:
            return Made(move, "bot", None, answer.spent, answer.remarks)
        return self._refuse(role, move, answer)

    def _refuse(self, role: Role, move: str | None, answer: Heard) -> Made | None:
        """What is played instead of an answer that is no legal move; None when the seat is out because of it."""
        said = protocol.said(answer.line)
        ending = Ending.GARBLED if move is None or protocol.garbled(move) else Ending.ILLEGAL_MOVE
        legal = self._legal[role]
        if self._strikes[role] >= self.match.conditions.strikes:
            words = _refusal(ending, said, legal)
            self._fail(Fault(role=role, ending=ending, turn=self._number, words=words))
            return None
        self._strikes[role] += 1
        move = self._draw(role)
        strike = self._strikes[role]
        self._notes[role] = protocol.note(ending, said, move, strike, self.match.conditions.strikes)
        return Made(move, "strike", protocol.clean(said), answer.spent, answer.remarks)

    def _advance(self, answered: Mapping[Role, Made]) -> None:
        """Play one turn: the moves that were answered, and the referee's own for chance and for empty seats."""
        made = answered
        if len(answered) < len(self._legal):
            made = {role: answered.get(role) or self._own(role) for role in self._legal}
        moves = {role: one.move for role, one in made.items()}
        self.state = self.game.play(self.state, moves)
        facts = self.game.view(self.state, None)
        self._states = protocol.states(facts) if self.game.open else None
        digest = facts_digest(facts)
        for role, (move, by, said, spent, remarks) in made.items():
            self.turns.append(Turn(self._number, role, move, by, said, *spent, remarks, digest))
        for role, untold in self._untold.items():
            for other, move in moves.items():
                if other != role and other != CHANCE:
                    untold.append((other, move))
        self._number += 1
        self._finish_if_over()

    def _own(self, role: Role) -> Made:
        return Made(self._draw(role), "chance" if role == CHANCE else "substitute")

    def _draw(self, role: Role) -> Move:
        """A legal move, keyed by (seed, turn, role), so that it depends on nothing else that happened."""
        return random.Random(f"{self.match.seed}/{self._number}/{role}").choice(self._legal[role])

    def _fail(self, fault: Fault) -> None:
        self._faults[fault.role] = fault

    def _forfeit_if_decided(self) -> None:
        """End the match when a fault has left at most one side in play."""
        if not self._faults:
            return
        left = [side for side in self.game.sides if any(role not in self._faults for role in side)]
        if len(left) > 1:
            return
        winners = {role for side in left for role in side if role not in self._faults}
        scores = {role: 100 if role in winners else 0 for role in self.game.roles}
        self.verdict = Verdict(scores=scores, reason="forfeit", faults=tuple(self._faults.values()))

    def _finish_if_over(self) -> None:
        outcome = None if self.verdict is not None else self.game.outcome(self.state)
        if outcome is not None:
            scores = {role: 0 if role in self._faults else outcome.scores[role] for role in self.game.roles}
            self.verdict = Verdict(scores=scores, reason=outcome.reason, faults=tuple(self._faults.values()))


def bot_seed(seed: int, role: Role) -> int:
    """The seed that a bot is told: a one-way hash, so that it cannot foresee the referee's draws."""
    return int.from_bytes(hashlib.sha256(f"bot/{seed}/{role}".encode()).digest()[:4], "big") >> 1


def state_digest(game: Game[Any], state: object) -> str:
    """16 hex digits over every fact of a state: what `verify` compares turn by turn."""
    return facts_digest(game.view(state, None))


def facts_digest(facts: tuple[Fact, ...]) -> str:
    """The same over the facts of a state that are at hand: what `view` tells whom everything may be told."""
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def _refusal(ending: Ending, said: str, legal: tuple[Move, ...]) -> str:
    """What came and what was expected, in words for the bot's author."""
    if ending is Ending.GARBLED:
        return (
            f'printed "{protocol.clean(said)}", which is not clean UTF-8 text; expected one of {len(legal)} legal moves'
        )
    from difflib import get_close_matches  # slow to import, and only a refused move needs it

    near = get_close_matches(said[:200], legal, n=1, cutoff=0.0)
    return f'printed "{protocol.clean(said)}", expected one of {len(legal)} legal moves; the nearest is "{near[0]}"'
