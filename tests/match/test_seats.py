"""Seats of any kind: the referee's shell plays a kind that it has never heard of, beside bots."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from arena.clock import TimeControl
from arena.match.play import play, roll_call
from arena.match.seat import Resources, SingleSeat
from arena.match.seating import KINDS, AllSeats
from arena.protocol import Ask, Reply
from arena.sandbox import choice, procfs
from arena.values import Bot, Conditions, Ending, Match, Seat, SeatReport
from tests.support import live
from tests.support.processes import descendants, until
from tests.support.programs import python

STRANGER = Bot(name="stranger", command=(), digest="s", model=True)
PATIENT = Conditions(time=TimeControl(start=20.0, move=20.0))


Lines = list[bytes | Ending | Exception | Callable[[], None]]


class StrangersSeat:
    """Plays the last legal move, and notes what happens to it; `lines` are printed before it.

    An ending is a fault, an exception a failure of arena, and a function is called while it thinks.
    """

    def __init__(self, seat: Seat, lines: Lines) -> None:
        self.seat = seat
        self.happened: list[str] = []
        self.asked: list[Ask] = []
        self._lines = lines

    def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        self.happened.append("greeted" if ask.ready else "asked")
        if ask.ready:
            return Reply(line=b"ready")
        line = self._lines.pop(0) if self._lines else ask.legal[-1].encode()
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Ending):
            return Reply(ending=line, words="it fell over")
        if callable(line):
            line()
            line = ask.legal[-1].encode()
        return Reply(line=line)

    def end(self, text: bytes) -> None:
        self.happened.append(text.decode().splitlines()[-1])

    def close(self) -> None:
        self.happened.append("closed")

    def report(self) -> SeatReport:
        return SeatReport(
            role=self.seat.role, bot=self.seat.bot.name, digest="s", confined="by a stranger"
        )


@pytest.fixture
def stranger(monkeypatch):
    """Teach the seating a new kind; return the seats of it, and what they print."""
    seats: list[StrangersSeat] = []
    lines: Lines = []

    def kind(free: Sequence[Seat], resources: Resources) -> list[SingleSeat]:
        assert resources.match.seats
        found = [StrangersSeat(seat, lines) for seat in free if seat.bot == STRANGER]
        seats.extend(found)
        return [SingleSeat(each.seat.role, each) for each in found]

    monkeypatch.setattr("arena.match.play.AllSeats", partial(AllSeats, last=(kind, *KINDS)))
    return seats, lines


def match_of(
    tmp_path, label: str = "kuhn_poker/three_cards", conditions: Conditions = PATIENT
) -> Match:
    bot = live.bot_of(tmp_path / "bot.py", python("say(legal[0])"))
    return live.match_of(label, STRANGER, bot, conditions=conditions)


def test_a_seat_of_a_new_kind_is_greeted_asked_told_the_end_and_reported(
    tmp_path, launcher, stranger
):
    record = play(match_of(tmp_path), launcher=launcher)
    (seat,) = stranger[0]
    assert record.verdict.faults == ()
    assert seat.happened[:2] == ["greeted", "asked"]
    assert seat.happened[-2:] == [f"end {record.verdict.reason}", "closed"]
    assert record.seats[0].confined == "by a stranger"
    assert {turn.by for turn in record.turns if turn.role == "first"} == {"bot"}


def test_a_seat_that_is_out_hears_why_once_and_no_farewell(tmp_path, launcher, stranger):
    stranger[1].append(Ending.CRASHED)
    record = play(match_of(tmp_path), launcher=launcher)
    (seat,) = stranger[0]
    assert [fault.words for fault in record.verdict.faults] == ["it fell over"]
    assert seat.happened == ["greeted", "asked", "end forfeit", "closed"]


def test_a_seat_is_closed_when_arena_fails_in_the_middle_of_a_match(tmp_path, launcher, stranger):
    stranger[1].append(RuntimeError("the arena failed"))
    with pytest.raises(RuntimeError, match="the arena failed"):
        play(match_of(tmp_path), launcher=launcher)
    assert stranger[0][0].happened == ["greeted", "asked", "closed"]


@pytest.mark.skipif(
    choice.failure("landlock") is not None, reason="elsewhere a bot is frozen at once anyway"
)
def test_no_program_is_awake_while_another_kind_of_seat_thinks(
    tmp_path, launcher, stranger, monkeypatch
):
    # An answer is short that took up to half a second, so that it needs no luck on a busy machine.
    monkeypatch.setattr("arena.match.bot.SHORT_ANSWER_MS", 500)
    for module in ("bot", "bot.stopwatch", "live_bots"):
        monkeypatch.setattr(f"arena.match.{module}.SHORT_ANSWER_S", 0.5)
    awake: list[bool] = []

    def look() -> None:
        pids = descendants(launcher._spawner.pid)
        awake.append(not until(lambda: all(set(procfs.states(pid)) == {b"T"} for pid in pids), 2.0))

    confined = replace(PATIENT, sandbox="landlock")
    match = match_of(tmp_path, "mummy_maze/duel", confined)
    stranger[1].extend(
        [lambda: None] * 5 + [look] * 3
    )  # the first questions do not go the fast path
    play(match, launcher=launcher)
    assert awake == [False] * 3


def test_a_roll_call_greets_a_seat_of_any_kind_and_ends_it(tmp_path, launcher, stranger):
    match = match_of(tmp_path)
    assert roll_call(match, match.seats[0], launcher) is None
    assert stranger[0][0].happened == ["greeted", "end roll_call", "closed"]
