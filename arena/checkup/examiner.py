"""Asks one bot through one match, against dice that play for time, and says what it did wrong.

It owns the conversation of a checkup. Why an answer is wrong and what to do about it, cures.py knows; what is unusual
about the questions, twists.py.
"""

import random
from typing import Any

from arena import protocol, rulebook
from arena.bot.inbox import REMARKS_KEPT
from arena.checkup import cures
from arena.checkup.examinee import Examinee
from arena.checkup.finding import Finding, Weight
from arena.checkup.twists import WINDOWS, Twist
from arena.converse import converse
from arena.game import Move, Role
from arena.match import Ending, Match, SeatReport
from arena.protocol import Ask, Heard
from arena.referee import Referee

PAUSE = 0.03  # seconds between the pieces of a question
AFTERWARDS = 0.1  # seconds to see what follows a wrong answer
LEAVE = 1.0  # seconds to leave after the end, before it is said; a match waits for 50 ms only
LATER = 2.0  # times the limit that a late answer is waited for, so that it can be said how late it is
ENOUGH = 1.0  # seconds for an answer to a twisted question, where the plain one is known to be quick enough
MANY = 16_000  # bytes on stderr of which the beginning is lost


class Examiner:
    """Asks one bot through one match."""

    def __init__(self, match: Match, role: Role, bot: Examinee, name: str, twist: Twist) -> None:
        self.findings: list[Finding] = []
        self.moves: list[Move] = []
        self.walls: list[float] = []
        self.greeted = False
        self._match, self._role, self._bot = match, role, bot
        self._name, self._twist = name, twist
        self._game: Any = rulebook.game_of(match)
        self._referee = Referee(self._game, match)
        self._dice = random.Random(match.seed)
        self._earlier: set[Move] = set()
        self._turn = 0
        self._blanks = self._cut = False

    def examine(self, *, until: int | None = None) -> None:
        """Play to the end, to the bot's first fault, or until it gave so many answers and its input ends."""
        while asks := self._referee.asks():
            if until is not None and len(self.moves) >= until:
                break
            heard = {role: self._dice_play(role, ask) for role, ask in asks.items() if role != self._role}
            if self._role in asks:
                answer = self._asked(asks[self._role])
                if not self._accepted(asks[self._role], answer):
                    return
                heard[self._role] = answer
            self._referee.hear(heard)
        if not self._name or until is not None:
            self._part(self._referee.farewell() if self._referee.verdict else b"")

    def advise(self, report: SeatReport) -> None:
        """What else is to be said, once it is gone."""
        self._turn = 0
        warned = [one for one in report.warnings if one.startswith("thrown away")]
        if warned and self._sound:
            early = any("before it was asked" in one for one in warned)
            cure = "print one line to each `go`, and only then; the rest belongs on stderr" if early else cures.DEBUG
            self._advise(warned[0], cure)
        if self._blanks:
            self._advise(
                "its lines end with CR LF, or have blanks around them",
                "nothing: they are trimmed; a plain newline is enough",
            )
        if self._cut:
            self._advise(
                f"its remarks are cut: 200 characters of each are kept, and {REMARKS_KEPT} a turn",
                "write fewer and shorter remarks, and the rest to stderr",
            )
        if len(report.stderr) >= MANY and self._sound:
            self._advise("it wrote so much to stderr that only the end was kept", "write less to stderr: it costs time")

    def _dice_play(self, role: Role, ask: Ask) -> Heard:
        """An opponent that rather goes on than ends the match, so that the bot sees many turns."""
        if ask.ready:
            return Heard(line=b"ready")
        state, legal = self._referee.state, self._game.legal_moves(self._referee.state, role)
        alone = self._game.to_move(state) == (role,)
        lasting = [move for move in legal if alone and self._game.outcome(self._game.play(state, {role: move})) is None]
        return Heard(line=self._dice.choice(lasting or legal).encode())

    def _asked(self, ask: Ask) -> Heard:
        """Its answer to a question that is written as the twist wants it."""
        *first, last = self._twist(ask.text)
        for piece in first:
            heard = self._converse(Ask(text=piece, told=None, deadline=PAUSE))
            if heard.ending is None:
                words = f"it answered before the whole question was there: {_quoted(heard.line)}"
                self._fault(words, "read whole lines, and answer when `go` and its newline are there")
                return Heard(ending=Ending.ILLEGAL_MOVE)
            if heard.ending is not Ending.TIMEOUT:
                return heard
        return self._converse(self._patient(ask._replace(text=last)))

    def _converse(self, ask: Ask) -> Heard:
        return converse({self._role: self._bot}, {self._role: ask})[self._role]

    def _patient(self, ask: Ask) -> Ask:
        """It was quicker when it was asked plainly: no need to wait for long."""
        if not self._name or ask.deadline is None:
            return ask
        enough = min(ask.deadline, ENOUGH)
        return ask._replace(told=enough, deadline=enough)

    def _accepted(self, ask: Ask, heard: Heard) -> bool:
        """Whether the answer is a good one; if not, why is found out."""
        self._turn += not ask.ready
        if heard.ending is not None:
            if self._sound:
                self._failed(ask, heard)
            return False
        self.greeted = True
        self._blanks |= heard.line != heard.line.strip(b" \t\r")
        self._cut |= len(heard.remarks) >= REMARKS_KEPT or any(len(remark) >= 200 for remark in heard.remarks)
        return ask.ready or self._legal(heard)

    def _legal(self, heard: Heard) -> bool:
        said = protocol.read_move(heard.line)
        legal = self._game.legal_moves(self._referee.state, self._role)
        if said is None or protocol.garbled(said):
            said = protocol.said(heard.line)
            self._fault(f'printed "{protocol.clean(said)}", which is not clean UTF-8 text', cures.of_garbled(""))
            return False
        if said not in legal:
            after = [one[1:-1] for one in self._afterwards()]
            self._fault(cures.refusal(said, legal), cures.of_illegal(said, legal, self._earlier, after))
            return False
        self.moves.append(said)
        self.walls.append(heard.spent.wall)
        self._earlier.update(legal)
        return True

    def _afterwards(self) -> tuple[str, ...]:
        """What it prints after a wrong answer."""
        for _ in range(2):  # a line may come in one that is asked, and in one that is thrown away before
            heard = self._converse(Ask(text=b"", told=None, deadline=AFTERWARDS))
            if heard.ending is None:
                return (*self._bot.thrown(), _quoted(heard.line))
        return self._bot.thrown()

    def _failed(self, ask: Ask, heard: Heard) -> None:
        """It gave no answer: why, and what to do about it."""
        words = heard.words
        if heard.ending is Ending.TIMEOUT:
            self._fault(words, self._silence(ask, words))
        elif heard.ending is Ending.GARBLED:
            self._fault(f"printed {words}", cures.of_garbled(words))
        elif heard.ending is not None:
            self._bot.end()
            log = self._bot.last_words()
            self._fault(words, cures.of_failure(heard.ending, words, "\n".join(log)), log)

    def _silence(self, ask: Ask, words: str) -> str:
        if self._bot.deaf:
            return "it closed its own input (stdin), so that it hears no question: leave it open until `end`"
        remarks, limit = self._bot.aside(), ask.deadline or LEAVE
        late = None
        if "without a newline" not in words and not self._name:
            begun = self._bot.begun
            awaited = converse({self._role: self._bot}, {self._role: ask._replace(text=b"", deadline=LATER * limit)})
            heard = awaited[self._role]
            late = self._bot.begun + heard.spent.wall - begun if heard.ending is None else None
        return cures.of_silence(words, remarks, ready=ask.ready, late=late, thrown=self._bot.thrown())

    def _part(self, words: bytes) -> None:
        """The end of its input: it ought to leave."""
        self._bot.tell(words)
        ended = "`end`" if words else "the end of its input"
        for _ in range(3):
            heard = self._converse(Ask(text=b"", told=None, deadline=LEAVE))
            if heard.ending is not None:
                break
        if heard.ending is Ending.CRASHED:
            how = self._bot.end()
            if how.code != 0 or how.killed:
                self._advise(f"after {ended}: {heard.words}", f"leave quietly at {ended}, with exit status 0")
        else:
            self._advise(f"it is still there {LEAVE:g} s after {ended}, and is killed", "leave at `end` or end of file")

    @property
    def _sound(self) -> bool:
        return all(one.weight is not Weight.FAULT for one in self.findings)

    @property
    def _where(self) -> str:
        turn = f", turn {self._turn}" if self._turn else ""
        return f"{self._match.label} as {self._role}{turn}{f', {self._name}' if self._name else ''}"

    def _fault(self, words: str, cure: str, log: tuple[str, ...] = ()) -> None:
        if self._name == WINDOWS:
            self._advise(words, "strip what ends a line, CR LF too: arena sends LF only, but other tools may not")
        else:
            self.findings.append(Finding(weight=Weight.FAULT, where=self._where, words=words, cure=cure, log=log))

    def _advise(self, words: str, cure: str) -> None:
        self.findings.append(Finding(weight=Weight.ADVICE, where=self._where, words=words, cure=cure))


def _quoted(line: bytes) -> str:
    return f'"{protocol.clean(line.decode("utf-8", "backslashreplace").strip())}"'
