"""The conversation of a checkup: one bot plays one match against random opponents.

It collects the faults of the bot.

advice.py knows why an answer is wrong and what to do about it; variations.py knows the variations
of the questions.
"""

import math
import random
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from arena import protocol
from arena.author.checkup import advice, crashes
from arena.author.checkup.bot_files import BotFiles
from arena.author.checkup.findings import CheckRun, Finding, Weight, is_sound
from arena.author.checkup.variations import NEVER_SENT, VARIATIONS, plain
from arena.failure import Cause, Failure
from arena.game import Move, Role
from arena.games import rulebook
from arena.match.bot import LiveBot, OverloadedError
from arena.match.bot.complaint import complaint
from arena.match.bot.output import REMARKS_KEPT, Discarded, When
from arena.match.live_bots import LiveBots
from arena.match.referee import Referee
from arena.match.seat import Resources, Seats, WrappedSeats
from arena.match.seating import Wrappers
from arena.protocol import Ask, Reply, clean
from arena.sandbox.launcher import Launcher
from arena.values import Ending, Match, SeatReport

PAUSE_S = 0.03  # between the pieces of a question
AFTERWARDS_S = 0.1  # to see the lines that follow a wrong answer
LEAVE_S = 1.0
"""The seconds to leave after the end, before a finding says that it stays. A match waits for 50 ms
only."""
LATE_FACTOR = 2.0
"""The check waits for a late answer for this multiple of its limit, to say how late it is."""
GENEROUS_S = 1.0
GENEROUS = 3.0
"""The limit for an answer to lines that the event never sends: a second, and a multiple of the time
of its plain answers. Many bots are silent at such a line, and a wait for the whole time of the
event would only serve advice."""
PATIENCE_S = 60.0
"""The longest wait for `ready` or an answer in an event without a limit, so that a check ends."""
BEGINNING = 3  # answers of a run that is not played to its end
STDERR_BYTES = 16_000  # of stderr that are kept: with as many, its beginning is lost
REMARK_LETTERS = 200  # of a remark that are kept
LINE_LETTERS = 200  # of a line of stderr
LOG_LINES = 12  # of stderr: its end, or the lines around the error
LINES_BEFORE_ERROR = 5


def run_check(
    match: Match,
    role: Role,
    launcher: Launcher,
    name: str,
    until: int | None = None,
    services: Mapping[str, object] | None = None,
    *,
    whole_until: float = math.inf,
    usual: float = math.inf,
) -> CheckRun:
    """Examine the bot that has this role in the match; its process is gone afterwards.

    `name` is that of the variation, or of another reason for this run; `until` ends its input after
    this number of answers; `services` serve it from outside, by name. From the moment `whole_until`
    (monotonic) on, the run ends after BEGINNING answers. `usual` is the longest time in seconds of
    `ready` and the plain answers.
    """
    seat = next(seat for seat in match.seats if seat.role == role)
    if launcher.refused is not None:
        launcher.refused.start_anew()
    with LiveBots(match, [seat], launcher, live_bot=Examinee) as programs:
        bot = cast("Examinee", programs.bots[role])
        game: Any = rulebook.game_of(match)
        resources = Resources(
            match=match,
            launcher=launcher,
            services=services or {},
        )
        wrappers = Wrappers(game, resources)
        examination = Examination(wrappers.near(programs), bot, match, role, name, usual)
        conversation = Conversation(game, match, role, examination, wrappers.far(examination))
        conversation.hold(until=until, whole_until=whole_until)
        bot.end()
        report = bot.report()
    examination.advise(report)

    refused: tuple[str, ...] = ()
    if launcher.refused is not None:
        refused = tuple(launcher.refused.failing())
    return CheckRun(
        board=match.label,
        role=role,
        variation=name,
        greeted=examination.greeted,
        moves=tuple(examination.moves),
        walls=tuple(examination.walls),
        shortened=conversation.shortened,
        gave_up=examination.gave_up,
        report=report,
        refused=refused,
        findings=tuple(examination.findings),
    )


class Examinee(LiveBot):
    """A live bot that tells more than a match needs, for the sake of its author."""

    def aside(self) -> tuple[str, ...]:
        """Return its remarks since its last answer, also one whose newline did not come."""
        remarks = self._output.remarks()
        unfinished = self._output.unfinished
        if unfinished.startswith(b"#"):
            remarks += (protocol.read_remark(unfinished),)
        return remarks

    def discarded(self) -> tuple[Discarded, ...]:
        """Return the first of its lines that answered nothing."""
        return tuple(self._output.discarded)

    @property
    def empty(self) -> bool:
        """True if it is a bare file with nothing in it."""
        path = Path(self._bot.files or "")
        return path.is_file() and not path.stat().st_size

    def advice(self, failure: Failure) -> str:
        """Return advice for a failure, by its stderr and its files."""
        return advice.of_failure(failure, self.log_text, self.files)

    @property
    def files(self) -> BotFiles:
        """Return its files."""
        return BotFiles(self._bot)

    @property
    def log_text(self) -> str:
        """Return the end of its stderr, with the paths that its author knows."""
        return self._as_known(self._log.text)

    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of its stderr, safe to print, with paths that its author knows."""
        lines = [line for line in self._log.text.split("\n") if line.strip()]
        named = complaint(self._log.text)
        end = len(lines)
        if named in lines[:-LOG_LINES]:  # the trace behind the error is longer than LOG_LINES
            end = lines.index(named) + LOG_LINES - LINES_BEFORE_ERROR
        beginning = max(0, end - LOG_LINES)

        last_lines: list[str] = []
        for line in lines[beginning:end]:
            text = self._as_known(line)[:LINE_LETTERS]
            # `clean` would replace quotation marks, which these lines may keep: no message quotes
            # them.
            parts = [clean(part) for part in text.split('"')]
            last_lines.append('"'.join(parts))
        return tuple(last_lines)

    def _as_known(self, text: str) -> str:
        """Return a text of its stderr with the paths that its author knows."""
        if not self._bot.digest:
            return text
        # It ran in a private copy, in a folder that is called by its digest.
        digest = re.escape(self._bot.digest)
        return re.sub(rf"[^\s\"']*/{digest}/", "", text)


class Conversation:
    """A match of one bot against opponents that move at random."""

    def __init__(
        self,
        game: Any,
        match: Match,
        role: Role,
        examination: "Examination",
        seats: Seats,
    ) -> None:
        """`examination` has the bot's seat, the one of this role; it is asked by `seats`."""
        self.shortened = False
        """True when it was ended early, because the check took too long for whole matches."""
        self._role = role
        self._examination = examination
        self._game = game
        self._referee = Referee(self._game, match)
        self._seats = seats
        self._dice = random.Random(match.seed)

    def hold(self, *, until: int | None = None, whole_until: float = math.inf) -> None:
        """Play to the end, or to the bot's first fault, or until it gave this number of answers.

        Also stop after BEGINNING answers, once the moment `whole_until` (monotonic) has passed.
        Then end the bot's input.
        """
        moves = self._examination.moves
        while True:
            asks = self._referee.asks()
            if not asks:
                break
            if until is not None and len(moves) >= until:
                break
            if len(moves) >= BEGINNING and time.monotonic() > whole_until:
                self.shortened = True
                break

            replies: dict[Role, Reply] = {}
            for role, ask in asks.items():
                if role != self._role:
                    replies[role] = self._random_reply(role, ask)
            if self._role in asks:
                replies |= self._seats.ask({self._role: asks[self._role]})
                if self._examination.is_out:
                    return
            self._referee.hear(replies)

        if self._examination.is_plain or until is not None:
            farewell = b""
            if self._referee.verdict:
                farewell = self._referee.farewell()
            self._seats.say_goodbye({self._role: farewell})

    def _random_reply(self, role: Role, ask: Ask) -> Reply:
        """Return a random move of an opponent.

        It is one that does not end the match, so that the bot sees many turns.
        """
        if ask.ready:
            return Reply(line=b"ready")
        continuing: list[Move] = []
        moves_alone = self._game.to_move(self._referee.state) == (role,)
        if moves_alone:
            for move in ask.legal:
                if not self._ends_match(role, move):
                    continuing.append(move)
        move = self._dice.choice(continuing or ask.legal)
        return Reply(line=move.encode())

    def _ends_match(self, role: Role, move: Move) -> bool:
        """Return whether the match is over after this move, which only this role makes now."""
        after = self._game.play(self._referee.state, {role: move})
        return self._game.outcome(after) is not None


class Examination(WrappedSeats):
    """The seat of a bot whose questions vary, and whose answers become findings.

    The findings quote the bot. So this seat stands between the bot, which may ask a language model,
    and a disguise.
    """

    def __init__(
        self,
        seats: Seats,
        bot: Examinee,
        match: Match,
        role: Role,
        name: str,
        usual: float = math.inf,
    ) -> None:
        """Take the name of a variation; any other name stands for plain questions."""
        super().__init__(seats)
        self.findings: list[Finding] = []
        self.moves: list[Move] = []
        self.walls: list[float] = []
        self.greeted = False
        self.is_out = False
        """True after an answer that the event does not forgive."""
        self.gave_up = False
        """True after the check waited PATIENCE_S, where the event has no limit."""
        self.is_plain = not name
        """True when its questions do not vary."""
        self._match = match
        self._role = role
        self._bot = bot
        self._name = name
        self._variation = VARIATIONS.get(name, plain)
        self._earlier: set[Move] = set()
        """The moves that were legal in earlier turns."""
        self._turn = 0
        self._strikes = 0
        self._longest_s = math.inf
        """The most seconds that it has for an answer."""
        if name in NEVER_SENT:
            self._longest_s = GENEROUS_S + GENEROUS * usual
        self._has_blanks = False
        self._cuts_remarks = False

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`."""
        replies: dict[Role, Reply] = {}
        for role, ask in asks.items():
            reply = self._ask(ask)
            replies[role] = reply
            self.is_out = not self._is_accepted(ask, reply)
        return replies

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`: add a finding if the bot does not leave quietly."""
        for text in texts.values():
            self._end_input(text)

    def advise(self, report: SeatReport) -> None:
        """Add the findings that need the bot's whole output, once it is gone."""
        self._turn = 0
        discarded = self._bot.discarded()
        if discarded and is_sound(self.findings):
            cure = "print one line to each `go`, and only then; the rest belongs on stderr"
            only_early = all(line.when is When.BEFORE_READY for line in discarded)
            if only_early:
                cure = advice.DEBUG
            self._advise(str(discarded[0]), cure)
        if self._has_blanks:
            self._advise(
                "its lines end with CR LF, or have blanks around them",
                "nothing: arena removes them; a plain newline is enough",
            )
        if self._cuts_remarks:
            self._advise(
                f"its remarks are cut: {REMARK_LETTERS} characters of each are kept, and "
                f"{REMARKS_KEPT} a turn",
                "write fewer and shorter remarks, and the rest to stderr",
            )
        if len(report.stderr) >= STDERR_BYTES and is_sound(self.findings):
            self._advise(
                "it wrote so much to stderr that only the end was kept",
                "write less to stderr: it costs time",
            )

    def _ask(self, ask: Ask) -> Reply:
        pieces = self._variation(ask.text)
        for piece in pieces[:-1]:
            reply = self._listen(piece, PAUSE_S)
            if reply.ending is None:
                text = f'it answered before the whole question was there: "{_shown(reply.line)}"'
                self._advise(text, NEVER_SENT[self._name])
                return Reply(ending=Ending.ILLEGAL_MOVE)
            if reply.ending is not Ending.TIMEOUT:
                return reply

        limit = ask.deadline
        if limit is None:
            limit = PATIENCE_S
        deadline = min(limit, self._longest_s)
        last_ask = ask._replace(text=pieces[-1], deadline=deadline)
        return self._converse(last_ask)

    def _listen(self, text: bytes, seconds: float) -> Reply:
        """Write a text that needs no answer, and return the line that the bot prints.

        Silence is a timeout.
        """
        ask = Ask(text=text, announced=None, deadline=seconds)
        try:
            return self._converse(ask)
        except OverloadedError:  # this time is so short that a busy machine may well exceed it
            return Reply(b"", Ending.TIMEOUT)

    def _converse(self, ask: Ask) -> Reply:
        replies = self.seats.ask({self._role: ask})
        return replies[self._role]

    def _is_accepted(self, ask: Ask, reply: Reply) -> bool:
        """Return whether the reply is right; if not, add a finding that says why."""
        if not ask.ready:
            self._turn += 1
        if reply.ending is not None:
            if is_sound(self.findings) and reply.failure is not None:
                self._explain(ask, reply.failure)
            return False

        self.greeted = True
        self._has_blanks |= reply.line != reply.line.strip(b" \t\r")
        self._cuts_remarks |= len(reply.remarks) >= REMARKS_KEPT
        for remark in reply.remarks:
            self._cuts_remarks |= len(remark) >= REMARK_LETTERS
        if ask.ready:
            return True

        move = protocol.read_move(reply.line)
        if move is None or protocol.garbled(move):
            text = protocol.text_of(reply.line)
            reason = protocol.uncleanness(reply.line)
            words = f"printed {protocol.quoted(text)}, {reason}"
            return self._is_forgiven(words, advice.NOT_TEXT)
        if move not in ask.legal:
            lines_after = self._lines_after()
            cure = advice.of_illegal(move, ask.legal, self._earlier, lines_after)
            text = advice.refusal(move, ask.legal)
            return self._is_forgiven(text, cure)
        self.moves.append(move)
        self.walls.append(reply.spent.wall)
        self._earlier.update(ask.legal)
        return True

    def _is_forgiven(self, text: str, cure: str) -> bool:
        """Add a finding about a wrong answer; return whether a strike is left that forgives it."""
        strikes = self._match.conditions.strikes
        if self._strikes == strikes:
            self._fault(text, cure)
            return False
        self._strikes += 1
        text += f"; strike {self._strikes} of {strikes}, which the event forgives"
        self._advise(text, cure)
        return True

    def _lines_after(self) -> tuple[str, ...]:
        """Return the lines that the bot prints after a wrong answer."""
        for _ in range(2):  # the first question discards the lines that were printed already
            reply = self._listen(b"", AFTERWARDS_S)
            if reply.ending is None:
                return (*self._discarded(), _shown(reply.line))
        return self._discarded()

    def _discarded(self) -> tuple[str, ...]:
        return tuple(line.text for line in self._bot.discarded())

    def _explain(self, ask: Ask, failure: Failure) -> None:
        awaited = "answer"
        if ask.ready:
            awaited = "`ready`"
        if failure.cause is Cause.NO_ANSWER and self._name in NEVER_SENT:
            self._fault(f"no {awaited}, where the plain question had one", "")
        elif failure.cause is Cause.NO_ANSWER:
            message = failure.words
            if ask.deadline is None:
                self.gave_up = True
                message = (
                    f"no {awaited}: the check waited {PATIENCE_S:g} s; the event would wait for "
                    "ever"
                )
            self._fault(message, self._advice_for_silence(ask, failure))
        elif failure.cause is Cause.LINE_TOO_LONG:
            self._fault(f"printed {failure.words}", advice.of_failure(failure))
        else:
            self._bot.end()
            if self._bot.empty:
                cure = advice.EMPTY
            else:
                cure = self._bot.advice(failure)
            if cure == crashes.FAILED and not ask.ready and ask.announced is None:
                cure = advice.GO_ALONE
            self._fault(failure.words, cure, self._bot.last_words())

    def _advice_for_silence(self, ask: Ask, failure: Failure) -> str:
        """Return advice for a bot that gave no answer in time, after waiting for a late answer."""
        if self._bot.wire.stdin is None:
            return (
                "it closed its own input (stdin), so that it hears no question: leave it open "
                "until `end`"
            )
        remarks = self._bot.aside()
        late = None
        if not failure.unfinished and not self._name:
            begun = self._bot.stopwatch.begun
            limit = LATE_FACTOR * (ask.deadline or LEAVE_S)
            reply = self._converse(ask._replace(text=b"", deadline=limit))
            if reply.ending is None:
                late = self._bot.stopwatch.begun + reply.spent.wall - begun

        expected = ask.legal
        if ask.ready:
            expected = ("ready",)
        return advice.of_silence(
            failure,
            remarks,
            ready=ask.ready,
            late=late,
            discarded=self._discarded(),
            stderr=self._bot.log_text,
            expected=expected,
            files=self._bot.files,
        )

    def _end_input(self, text: bytes) -> None:
        """Write `text` and end the bot's input; add a finding if the bot does not leave quietly."""
        self._bot.close_input(text)
        end = "the end of its input"
        if text:
            end = "`end`"
        ask = Ask(text=b"", announced=None, deadline=LEAVE_S)
        for _ in range(3):
            reply = self._converse(ask)
            if reply.ending is not None:
                break
        if reply.ending is Ending.CRASHED:
            how = self._bot.end()
            if how.code != 0 or how.killed:
                self._advise(
                    f"after {end}: {reply.words}", f"leave quietly at {end}, with exit status 0"
                )
        else:
            self._advise(
                f"it is still there {LEAVE_S:g} s after {end}, and is killed",
                "leave at `end` or end of file",
            )

    def _fault(
        self,
        text: str,
        cure: str,
        log: tuple[str, ...] = (),
    ) -> None:
        if self._name in NEVER_SENT:
            self._advise(text, NEVER_SENT[self._name], log)
        else:
            self._advise(text, cure, log, Weight.FAULT)

    def _advise(
        self,
        text: str,
        cure: str,
        log: tuple[str, ...] = (),
        weight: Weight = Weight.ADVICE,
    ) -> None:
        where = f"{self._match.label} as {self._role}"
        if self._turn:
            where += f", turn {self._turn}"
        if self._name:
            where += f", {self._name}"
        finding = Finding(
            weight=weight,
            where=where,
            words=text,
            cure=cure,
            log=log,
        )
        self.findings.append(finding)


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return protocol.clean(text.strip())
