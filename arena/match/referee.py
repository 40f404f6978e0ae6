"""One match as a state machine: `asks`, `hear`, `verdict`. No process, no clock, no file.

It owns legality, strikes, forfeits, scores, and the chance that rules or faults need. It does not
know how a line reaches a bot, nor what time it is: the time that an answer took stands in its
reply. It gets one line for each answer: bot/output.py finds that line, and bot/early_lines.py
throws away a second one.
"""

import hashlib
import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from arena import protocol
from arena.clock import Clock, TimeUsed
from arena.game import CHANCE, Fact, Game, Move, Role
from arena.games import openings
from arena.identity import digest_of
from arena.protocol import Ask, Reply
from arena.values import (
    Ending,
    Fault,
    Match,
    Opening,
    Record,
    SeatReport,
    Turn,
    Verdict,
)


class ChosenMove(NamedTuple):
    """A move that is about to be played, with the values that its Turn records."""

    move: Move
    by: str
    rejected_text: str | None = None
    spent: TimeUsed = TimeUsed()
    remarks: tuple[str, ...] = ()
    refused: Ending | None = None


class Referee:
    """Plays one match of `game`. The caller carries its questions to the bots, and replies back."""

    def __init__(
        self,
        game: Game[Any],
        match: Match,
        earlier_faults: Mapping[Role, Fault] | None = None,
    ) -> None:
        """`earlier_faults` are recorded for seats that are at fault before the first turn."""
        self.game = game
        self.match = match
        self.state = game.start()
        self.verdict: Verdict | None = None
        self.turns: list[Turn] = []
        self._number = 1
        self._faults: dict[Role, Fault] = {}
        self._strikes = dict.fromkeys(game.roles, 0)
        self._clocks: dict[Role, Clock] = {}
        for seat in match.seats:
            control = match.conditions.time_of(seat.bot)
            self._clocks[seat.role] = Clock.full(control, seat.bot.threads)
        self._notes = dict.fromkeys(game.roles, b"")
        self._unreported: dict[Role, list[tuple[Role, Move]]] = {role: [] for role in game.roles}
        """The moves of others that each role has not been told yet."""
        self._own_moves = dict.fromkeys(game.roles, 0)
        self._greeted = False
        self._legal: dict[Role, tuple[Move, ...]] = {}
        self._open_state: bytes | None = None
        """The lines of a state that every role may see, made once for all of them."""
        for fault in (earlier_faults or {}).values():
            self._fail(fault)
        self._forfeit_if_decided()

    def asks(self) -> dict[Role, Ask]:
        """Return the next questions, by role, to be asked at once; `{}` when there is a verdict."""
        if self.verdict is None and not self._greeted:
            return self._greetings()
        while self.verdict is None:
            movers = self.game.to_move(self.state)
            self._legal = {role: self.game.legal_moves(self.state, role) for role in movers}
            questions: dict[Role, Ask] = {}
            for role in movers:
                if role != CHANCE and role not in self._faults:
                    questions[role] = self._question(role)
            if questions:
                return questions
            self._advance({})
        return {}

    def _greetings(self) -> dict[Role, Ask]:
        """Return the question `ready?` for each seat that is not at fault."""
        match = self.match
        greetings: dict[Role, Ask] = {}
        for role in self.game.roles:
            if role in self._faults:
                continue
            control = self._clocks[role].control
            seed = bot_seed(match.entropy, role)
            secret = bot_secret(match.key, role)
            text = protocol.handshake(self.game, match, role, control, seed, secret)
            deadline = control.deadline(control.start)
            greetings[role] = Ask(text, control.start, deadline, ready=True)
        return greetings

    def hear(self, replies: Mapping[Role, Reply]) -> dict[Role, bytes]:
        """Take the replies to the last `asks`.

        Return the last words for each seat that its reply put out.
        """
        if not self._greeted:
            self._hear_greetings(replies)
        else:
            chosen: dict[Role, ChosenMove] = {}
            for role, reply in replies.items():
                move = self._judge(role, reply)
                if move is not None:
                    chosen[role] = move
            self._forfeit_if_decided()
            if self.verdict is None:
                self._advance(chosen)
        last_words: dict[Role, bytes] = {}
        for role, fault in self._faults.items():
            if role in replies:
                last_words[role] = protocol.dismissal(fault)
        return last_words

    def _hear_greetings(self, replies: Mapping[Role, Reply]) -> None:
        """Take the replies to `ready?`, and play the opening."""
        self._greeted = True
        for role, reply in replies.items():
            if reply.ending is not None:
                fault = Fault(
                    role=role,
                    ending=reply.ending,
                    turn=0,
                    words=reply.words,
                )
                self._fail(fault)
        self._forfeit_if_decided()
        self._finish_if_over()
        if self.verdict is None and self.match.opening is not None:
            self._play_opening(self.match.opening)

    def _play_opening(self, opening: Opening) -> None:
        """Play the first turns, which no bot chooses.

        Raise ArenaError when listed moves do not fit the rules.
        """
        for moves in openings.turns_of(self.game, opening):
            chosen: dict[Role, ChosenMove] = {}
            self._legal = {}
            for role, move in moves.items():
                self._legal[role] = (move,)
                chosen[role] = ChosenMove(move, "opening")
            self._advance(chosen)

        moves_so_far: list[tuple[Role, Move]] = []
        for turn in self.turns:
            if turn.role != CHANCE:
                moves_so_far.append((turn.role, turn.move))
        for role in self.game.roles:  # each role hears its own moves, too
            self._unreported[role] = list(moves_so_far)

    def farewell(self) -> bytes:
        """Return the last lines for every seat that is not at fault.

        Raise RuntimeError when there is no verdict.
        """
        if self.verdict is None:
            raise RuntimeError("a match that is not over has no scores")
        return protocol.end(self.verdict.scores, self.verdict.reason)

    def record(
        self,
        seats: tuple[SeatReport, ...],
        started: str,
        seconds: float,
    ) -> Record:
        """Return the record of the match, with the seats in order of play.

        Raise RuntimeError when there is no verdict.
        """
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

    def _question(self, role: Role) -> Ask:
        """Return the question for a move: the state, what others played, and the legal moves."""
        clock = self._clocks[role]
        legal = self._legal[role]
        if not self.game.open:
            state = protocol.states(self.game.view(self.state, role))
        else:
            if self._open_state is None:
                self._open_state = protocol.states(self.game.view(self.state, None))
            state = self._open_state

        unreported = self._unreported[role]
        number = self._number
        if self.game.hidden:
            # Its own moves of the opening stay: nobody else can tell a bot what it has played. The
            # number of all turns would say how often others were to move: in phantom tic-tac-toe,
            # how often they met its marks.
            unreported = [(mover, move) for mover, move in unreported if mover == role]
            number = self._own_moves[role] + 1
        self._unreported[role] = []

        legal_lines = protocol.legals(legal)
        text = protocol.turn(number, unreported, state, legal_lines, clock.announced)
        note = self._notes[role]
        if note:
            text = note + text
            self._notes[role] = b""
        return Ask(text, clock.announced, clock.deadline, turn=self._number, legal=legal)

    def _judge(self, role: Role, reply: Reply) -> ChosenMove | None:
        """Return the move that a reply makes, or None when the seat is out because of it."""
        if reply.ending is not None:
            fault = Fault(
                role=role,
                ending=reply.ending,
                turn=self._number,
                words=reply.words,
            )
            self._fail(fault)
            return None
        clock = self._clocks[role]
        if clock.bank:
            self._clocks[role] = clock.after(reply.spent)
        if reply.refused is not None:
            return self._refuse(role, reply.refused, reply)
        move = protocol.read_move(reply.line)
        if move is not None and move in self._legal[role]:
            return ChosenMove(move, "bot", None, reply.spent, reply.remarks)
        if move is None or protocol.garbled(move):
            return self._refuse(role, Ending.GARBLED, reply)
        return self._refuse(role, Ending.ILLEGAL_MOVE, reply)

    def _refuse(
        self,
        role: Role,
        ending: Ending,
        reply: Reply,
    ) -> ChosenMove | None:
        """Return the move that is played instead of a refused answer.

        Return None when the seat is out because of it.
        """
        text = protocol.text_of(reply.line)
        strikes = self.match.conditions.strikes
        if self._strikes[role] >= strikes:
            refusal = _refusal(ending, reply.line, self._legal[role])
            if reply.words:
                refusal += f"; {reply.words}"
            fault = Fault(
                role=role,
                ending=ending,
                turn=self._number,
                words=refusal,
            )
            self._fail(fault)
            return None

        self._strikes[role] += 1
        move = self._draw(role)
        self._notes[role] = protocol.note(ending, text, move, self._strikes[role], strikes)
        return ChosenMove(
            move,
            "strike",
            rejected_text=protocol.clean(text),
            spent=reply.spent,
            remarks=reply.remarks,
            refused=ending,
        )

    def _advance(self, answered: Mapping[Role, ChosenMove]) -> None:
        """Play one turn: the moves of the replies, and the referee's own for all other roles.

        The referee moves for chance, and for seats that are out.
        """
        chosen = answered
        if len(answered) < len(self._legal):
            chosen = {role: answered.get(role) or self._substitute(role) for role in self._legal}
        moves = {role: choice.move for role, choice in chosen.items()}
        game = self.game
        self.state = game.play(self.state, moves)
        facts = game.view(self.state, None)
        self._open_state = protocol.states(facts) if game.open else None
        digest = facts_digest(facts)
        for role, (move, by, rejected_text, spent, remarks, refused) in chosen.items():
            self.turns.append(
                Turn(self._number, role, move, by, rejected_text, *spent, remarks, digest, refused)
            )
            if role != CHANCE:
                self._own_moves[role] += 1
                for listener, unreported in self._unreported.items():
                    if listener != role:
                        unreported.append((role, move))
        self._number += 1
        self._finish_if_over()

    def _substitute(self, role: Role) -> ChosenMove:
        """Draw the move of chance, or of a seat that is out."""
        move = self._draw(role)
        if role == CHANCE:
            return ChosenMove(move, "chance")
        return ChosenMove(move, "substitute")

    def _draw(self, role: Role) -> Move:
        """Draw a legal move by (entropy, turn, role): it depends on nothing else that happened."""
        dice = random.Random(f"{self.match.entropy}/{self._number}/{role}")
        return dice.choice(self._legal[role])

    def _fail(self, fault: Fault) -> None:
        self._faults[fault.role] = fault

    def _forfeit_if_decided(self) -> None:
        """End the match when a fault has left at most one side in play."""
        if not self._faults:
            return
        sides_in_play = 0
        scores = dict.fromkeys(self.game.roles, 0)
        for side in self.game.sides:
            roles_in_play = [role for role in side if role not in self._faults]
            if roles_in_play:
                sides_in_play += 1
            for role in roles_in_play:
                scores[role] = 100
        if sides_in_play <= 1:
            faults = tuple(self._faults.values())
            self.verdict = Verdict(
                scores=scores,
                reason="forfeit",
                faults=faults,
            )

    def _finish_if_over(self) -> None:
        """Give the verdict when the rules report an outcome; a seat at fault scores 0."""
        if self.verdict is not None:
            return
        outcome = self.game.outcome(self.state)
        if outcome is None:
            return
        scores: dict[Role, int] = {}
        for role in self.game.roles:
            if role in self._faults:
                scores[role] = 0
            else:
                scores[role] = outcome.scores[role]
        faults = tuple(self._faults.values())
        self.verdict = Verdict(
            scores=scores,
            reason=outcome.reason,
            faults=faults,
        )


def bot_seed(entropy: str, role: Role) -> int:
    """Return the seed that a bot is told, a number of 31 bits.

    It is a one-way hash, so that it does not give away the referee's draws or another bot's seed.
    That holds while the entropy cannot be guessed: a match's `key` can't; its `seed` can, where the
    event's seed is a number.
    """
    text = f"bot/{entropy}/{role}"
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def bot_secret(key: str, role: Role) -> str:
    """Return 32 hex digits that only this role is told, for dice that an opponent cannot foretell.

    The text is empty without a key. The seed of a bot is no such secret: it has 31 bits, because
    bots read it as a number, and an opponent that watches its dice can try them all (3 us each, and
    much less with tables made beforehand).
    """
    if not key:
        return ""
    text = f"secret/{key}/{role}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def facts_digest(facts: tuple[Fact, ...]) -> str:
    """Return 16 hex digits over all facts of a state, which `verify` compares turn by turn.

    The facts are those of `view` with role None.
    """
    return digest_of(facts, length=16)


def _refusal(ending: Ending, line: bytes, legal: tuple[Move, ...]) -> str:
    """Return a sentence for the bot's author: the line that came, and what was expected."""
    text = protocol.text_of(line)
    answer = protocol.quoted(text)
    expected = f"expected one of {len(legal)} legal moves"
    if ending is Ending.GARBLED:
        return f"printed {answer}, {protocol.uncleanness(line)}; {expected}"
    from difflib import get_close_matches  # slow to import, and only a refused move needs it

    (nearest,) = get_close_matches(text[:200], legal, n=1, cutoff=0.0)
    return f'printed {answer}, {expected}; the nearest is "{nearest}"'
