"""Lessons as a file, and as tests of a bot: in this position, play one of these moves.

It owns the format of the file, and how a bot is led to a position. arena/results/lessons.py finds
the lessons.
"""

# How a bot is led to a position
#
# A bot may remember what it was asked and what it answered, so it is asked every question of its
# seat up to the position, exactly as then, whatever it answers (as `arena rerun --bot` does). If
# all its answers are those of the record, it is in the position, and its next answer decides.
#
# A mended bot may answer otherwise before that. The match goes on as recorded all the same, but a
# bot that remembers its answers believes that they were played. So it is started again, and the
# moves up to the position are told to it as an opening (as `arena match --from` does): the protocol
# can say "this was played, and you did not choose it". Then this answer decides. To ask only in
# this way would be simpler, but a bot that plans in its first turn would have no plan.
#
# The file holds whole matches, as `arena export --match` writes them, because the rules can confirm
# these: the dice of a match, its clocks and forgiven answers all decide what a bot reads. The names
# of the other bots and whatever they printed decide nothing. They are left out, so that the author
# of the bot may have the file.

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import BeforeValidator, Field, ValidationError

from arena import extensions, file_formats, protocol, shared_folders, toml
from arena.errors import ArenaError
from arena.event import builds, config, discovery
from arena.event.tables import Names, Table, as_tuple
from arena.event.tables.mistakes import wrong_keys
from arena.game import Game, Move, Role
from arena.games import rulebook
from arena.replay import notation
from arena.replay.drawing import render_state
from arena.replay.reconstruct import Exchange, confirmed, retrace
from arena.replay.rerun import Comparison, feed, under
from arena.results.folders import TOURNAMENT_FILE
from arena.results.lessons import Lesson
from arena.sandbox import choice, levels
from arena.sandbox import folder as scratch
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Conditions, Match, Opening, Record, Seat, SeatReport

HEAD = "# Lessons for {bot}: positions in which it threw points away, the worst first.\n"
USE = "# `arena check BOT --lessons FILE` asks a bot for its move in each of them.\n"
COMMAND = "lessons"
"""The command of an extra, which may not be here: it brings the option of `arena check`, too."""
MOST_LESSONS = 1000
"""Of a file, and as many matches: each is played again by the rules when the file is read."""
RIVAL = "rival"
"""The name of all other bots in the file."""
HIDDEN = "..."
"""Stands for the text of another bot.

Then `reconstruct.py` takes the reason of a refusal from the record.
"""


class LessonTable(Table):
    """[[lesson]]: a position, what was played there, and what would have been better."""

    board: str = ""
    role: str
    turn: int = Field(ge=1)
    played: str = ""
    good: Names = Field(min_length=1)
    verdict: str = ""
    match: str


class LessonFile(Table):
    """The file."""

    format: int = file_formats.LESSONS.number
    lesson: Annotated[tuple[LessonTable, ...], BeforeValidator(as_tuple)] = ()
    matches: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LessonResult:
    """The move of a bot in a lesson."""

    passed: bool
    answer: str
    """Its answer, or how it failed; harmless to show."""
    words: str
    """A sentence: what it plays, and unless it passed what would do."""


@dataclass(frozen=True, kw_only=True)
class LessonTest:
    """A lesson as a test of a bot."""

    number: int
    """1, 2, ...: in the order of the file."""
    record: Record
    turn: int
    role: Role
    good: tuple[Move, ...]

    def __str__(self) -> str:
        """Return the name of the test, for `ids=str` of pytest."""
        return (
            f"{self.record.match.label} as {self.role}, turn {self.turn} of {self.record.match.id}"
        )

    def check(self, bot: "str | Path | Bot", *, sandbox: str = "auto") -> None:
        """Play the lesson with a confined bot.

        AssertionError, in one line, unless it plays a good move. ArenaError for a bot that cannot
        be started. `bot` is a path, or a Bot; `sandbox` is a level of confinement. The limits are
        those of the tournament.toml in the current folder, else the default ones.
        """
        __tracebackhide__ = True  # pytest shows the line of the test, and the message
        tournament = _tournament_here(sandbox)
        conditions = tournament.conditions()
        conditions = choice.resolved(conditions, unsafe=tournament.unsafe, by_hand=True)
        if not isinstance(bot, Bot):
            bot = discovery.from_path(Path(bot))
        seated = tournament.as_entered(bot)
        with scratch.temporary() as folder, Launcher() as launcher:
            (built,) = builds.built([seated], folder, conditions.sandbox)
            result = play(self, built, launcher, conditions)
        if not result.passed:
            raise AssertionError(f"{built.name} on {self}: {result.words}")


def play(
    lesson: LessonTest,
    bot: Bot,
    launcher: Launcher,
    conditions: Conditions,
) -> LessonResult:
    """Lead a bot to the position of a lesson, and return what it plays there.

    `conditions` are those of the workspace. The file of lessons may come from anybody, so what it
    says of limits and confinement is not believed.
    """
    match = under(lesson.record.match, conditions)
    if not bot.plays(match.game, match.board, lesson.role):
        words = (
            f"{bot.name} does not play {lesson.role} on {match.label}: its bot.toml says what it "
            "plays"
        )
        return LessonResult(passed=False, answer="", words=words)
    game = rulebook.game_of(match)
    questions = _questions(game, lesson.record, lesson.role, lesson.turn)
    answers = feed(questions, match, game, bot, launcher)
    before_position = answers[: len(questions) - 1]
    answers_as_recorded = all(answer.same for answer in before_position)
    if not answers_as_recorded:
        from_opening = _from_opening(lesson.record, lesson.turn)
        questions = _questions(game, from_opening, lesson.role, lesson.turn)
        answers = feed(questions, match, game, bot, launcher)
    return _judged(answers[-1], lesson)


def _tournament_here(sandbox: str) -> config.Tournament:
    """Return the tournament.toml in the current folder, or an empty one, with this confinement."""
    changed: dict[str, object] = {
        "sandbox": sandbox,
        "unsafe": sandbox in levels.UNSAFE,
    }
    file = Path(TOURNAMENT_FILE)
    if file.is_file():
        return config.load(file, changed)
    changed["boards"] = []
    return config.Tournament.model_validate(changed)


def _judged(answer: Comparison, lesson: LessonTest) -> LessonResult:
    text = answer.said_now
    ask = answer.then.ask
    expected = f"expected {' or '.join(lesson.good)}"
    if answer.now.ending is not None:
        moment = "before the first turn"
        if ask.turn:
            moment = f"in turn {ask.turn}"
        words = f"fails {moment}: {answer.now.words}; {expected}"
        return LessonResult(passed=False, answer=text, words=words)
    move = protocol.read_move(answer.now.line)
    if move in lesson.good:
        return LessonResult(passed=True, answer=text, words=f"plays {text}")
    words = f"plays {text}"
    if move not in ask.legal:
        words += ", which is not legal"
    return LessonResult(passed=False, answer=text, words=f"{words}; {expected}")


def _questions(
    game: Game[Any],
    record: Record,
    role: Role,
    turn: int,
) -> tuple[Exchange, ...]:
    """Return the questions to the seat of a role up to this turn, each with the recorded answer."""
    retraced = retrace(game, record)
    questions = []
    for exchange in retraced.of(role):
        if exchange.ask.turn <= turn:
            questions.append(exchange)
    return tuple(questions)


def _from_opening(record: Record, turn: int) -> Record:
    """Return a match that begins, after an opening of the same moves, with this turn."""
    moves = []
    turns = []
    for played in record.turns:
        if played.number < turn:
            moves.append((played.role, played.move))
        elif played.number == turn:
            turns.append(played)
    opening = None
    if moves:
        opening = Opening(moves=tuple(moves))
    seats = [replace(seat, ready=0.0) for seat in record.seats]
    return replace(
        record,
        match=replace(record.match, opening=opening),
        turns=tuple(turns),
        verdict=replace(record.verdict, faults=()),
        seats=tuple(seats),
    )


def text_of(
    lessons: Iterable[Lesson],
    bot: str,
    rules: Callable[[Match], Game[Any]],
) -> str:
    """Return the file of the lessons of a bot; the drawing of each position is a comment."""
    matches: dict[str, str] = {}
    parts = [HEAD.format(bot=protocol.clean(bot))]
    if COMMAND in extensions.commands():
        parts.append(USE)
    parts.append(f"format = {file_formats.LESSONS.number}\n")
    for lesson in lessons:
        match = lesson.record.match
        # For another seat of the same match other text is left out.
        name = f"{match.id}_{lesson.role}"
        record = _without_others(notation.portable(lesson.record), lesson.role)
        matches[name] = notation.text_of(record)
        picture = render_state(rules(match), lesson.facts)
        comment = ""
        for line in picture.splitlines():
            comment += f"# {line}".rstrip() + "\n"
        parts.append(comment)
        table = LessonTable(
            board=match.label,
            role=lesson.role,
            turn=lesson.turn,
            played=lesson.played,
            good=lesson.good,
            verdict=lesson.verdict,
            match=name,
        )
        parts.append(f"[[lesson]]\n{tomli_w.dumps(table.model_dump())}")
    parts.append("[matches]\n")
    for name, text in matches.items():
        if "'''" in text:
            parts.append(tomli_w.dumps({name: text}))
        else:
            # A text in three apostrophes needs no backslash before each of its quotes.
            parts.append(f"{name} = '''\n{text}'''\n")
    return "\n".join(parts)


def _without_others(record: Record, role: Role) -> Record:
    """Return a record without the other bots' names and texts, and without facts of the machine."""
    turns = []
    for turn in record.turns:
        if turn.role != role:
            turn = turn._replace(remarks=())
            if turn.rejected_text is not None:
                turn = turn._replace(rejected_text=HIDDEN)
        turns.append(turn)

    seats = []
    for seat in record.match.seats:
        if seat.role != role:
            hidden = Bot(
                name=RIVAL,
                command=(),
                digest="",
                threads=seat.bot.threads,
            )
            seat = Seat(seat.role, hidden)
        seats.append(seat)

    reports = []
    for report in record.seats:
        if report.role == role:
            reports.append(
                replace(
                    report,
                    stderr="",
                    warnings=(),
                    confined="",
                )
            )
        else:
            reports.append(_hidden_report(report))

    faults = []
    for fault in record.verdict.faults:
        if fault.role != role:
            fault = replace(fault, words=HIDDEN)
        faults.append(fault)

    return replace(
        record,
        match=replace(record.match, seats=tuple(seats)),
        turns=tuple(turns),
        verdict=replace(record.verdict, faults=tuple(faults)),
        seats=tuple(reports),
        machine="",
    )


def _hidden_report(report: SeatReport) -> SeatReport:
    """Return what decides what others read: whether the process was ready, and that it ended."""
    ending = ""
    if report.exit:
        ending = HIDDEN
    return SeatReport(
        role=report.role,
        bot=RIVAL,
        digest="",
        ready=report.ready,
        exit=ending,
    )


def read(
    path: str | Path,
    rules: Callable[[Match], Board] = rulebook.of_record,
) -> tuple[LessonTest, ...]:
    """Return the lessons of a file, which may come from anybody.

    ArenaError, in one line, for a mistake in it. `rules` gives the board of a match, from rules
    that are trusted: those of the workspace in the current folder, then those that come with arena.
    """
    path = Path(path)
    try:
        shared_folders.refuse_pipe(path)
        with path.open("rb") as file:
            content = file.read(notation.MOST_BYTES + 1)
        if len(content) > notation.MOST_BYTES:
            raise ArenaError(
                f"{path}: has more than {notation.MOST_BYTES:,} bytes, which no file of lessons has"
            )
        content_table = toml.loads(content)
        for value in content_table.values():
            if isinstance(value, list | dict) and len(value) > MOST_LESSONS:
                raise ArenaError(
                    f"{path}: has more than {MOST_LESSONS} lessons or matches; leave out most of "
                    "them"
                )
        file_formats.LESSONS.check(content_table.get("format", 1), f"{path}: format:")
        tables = LessonFile.model_validate(content_table)
    except OSError as error:
        hint = ""
        if isinstance(error, FileNotFoundError):
            hint = _how_to_write("one")
        raise ArenaError(f"{path}: cannot be read: {error.strerror}{hint}") from error
    except ValidationError as error:
        mistakes = wrong_keys(error, {"": LessonFile})
        lines = [f"{path}: {mistake}" for mistake in mistakes]
        raise ArenaError("\n".join(lines)) from error
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{path}: is no TOML: {protocol.clean(str(error))}") from error
    if not tables.lesson:
        raise ArenaError(f"{path}: has no [[lesson]]{_how_to_write('some')}")

    records: dict[str, Record] = {}
    lessons = []
    for number, table in enumerate(tables.lesson, 1):
        try:
            if table.match not in tables.matches:
                raise ArenaError(f"match: there is no {protocol.clean(table.match)!r} in [matches]")
            if table.match not in records:
                record = notation.record_of(tables.matches[table.match])
                game = rules(record.match)
                records[table.match] = confirmed(record, game)
            lesson = _test(number, table, records[table.match])
            lessons.append(lesson)
        except ArenaError as error:
            raise ArenaError(f"{path}: [[lesson]] {number}: {error}") from error
    return tuple(lessons)


def _how_to_write(lessons: str) -> str:
    """Return the end of a message: the command that writes such `lessons`, if it is there."""
    if COMMAND not in extensions.commands():
        return ""
    return f"; `arena lessons BOT --tests FILE` writes {lessons}"


def _test(number: int, table: LessonTable, record: Record) -> LessonTest:
    """Return the test of a lesson.

    ArenaError if the match has no such position, or a good move is not legal there.
    """
    game = rulebook.game_of(record.match)
    questions = _questions(game, record, table.role, table.turn)
    if not questions or questions[-1].ask.turn != table.turn:
        role = protocol.clean(table.role)
        raise ArenaError(f"turn: in match {record.match.id} {role!r} has no move {table.turn}")
    legal = questions[-1].ask.legal
    for move in table.good:
        if move not in legal:
            raise ArenaError(f"good: {protocol.clean(move)!r} is not legal in turn {table.turn}")
    return LessonTest(
        number=number,
        record=record,
        turn=table.turn,
        role=table.role,
        good=table.good,
    )
