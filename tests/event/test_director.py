"""The run as a table of dialogues: what came back from the lanes, and what follows. No process, no
clock, no file.
"""

from collections.abc import Iterable

import pytest

from arena.errors import MachineError
from arena.event import director
from arena.event.director import (
    Commit,
    Director,
    ReportAbort,
    ReportAbsence,
    RollCall,
    RunPhase,
    Warn,
    Work,
)
from arena.event.workers import Done, LostError, NotBegun
from arena.match.bot import InterferenceError, OverloadedError
from arena.values import Bot, Ending, Fault, Match, Record, Seat, Verdict

MUTE = Fault(role="fox", ending=Ending.TIMEOUT, turn=0, words="never said ready")


def match_of(name: str, bots: str = "ab") -> Match:
    seats = tuple(Seat(f"r{bot}", Bot(name=bot, command=("x",), digest=bot)) for bot in bots)
    return Match(id=name, game="g", board="b", rules="", seats=seats, repeat=0, seed=1)


def record_of(match: Match) -> Record:
    return Record(
        match=match,
        turns=(),
        verdict=Verdict(scores={}, reason="x"),
        sides=(),
        seats=(),
        started="2026-01-01T00:00:00",
    )


def shown(work: object) -> str:
    """A short word for work: `m1` for a match, `m1-a` with an absent bot, `a?` for a roll call."""
    match work:
        case Work(called=Seat(bot=bot)):
            return f"{bot.name}?"
        case Work():
            return "-".join([work.match.id, *sorted(work.absent)])
        case Commit():
            return "commit"
    return "nothing"


FAILURES: dict[str, BaseException | None] = {
    "bug": RuntimeError("ours"),
    "killed": None,
    "interfered": InterferenceError("a", "its process was killed"),
    "overloaded": OverloadedError("busy"),
    "lost": LostError("gone"),
}


class Dialogue:
    """A run of matches `m1`, `m2`, ... of two bots, in which a lane does what it is told."""

    def __init__(self, plan: Iterable[Match | None], bots: int = 5) -> None:
        self.director = Director(iter(plan), bots=bots)
        self.works: dict[str, Work] = {}

    def next(self) -> str:
        work = self.director.next_work()
        if isinstance(work, Work):
            self.works[shown(work)] = work
        return shown(work)

    def say(self, work: str, word: str) -> list[object]:
        """Have work end with this word: `ready`, `mute`, `record`, `not begun`, or a failure."""
        item = self.works[work]
        results = {
            "ready": None,
            "mute": MUTE,
            "record": record_of(item.match),
            "not begun": NotBegun(),
        }
        if word in results:
            return list(self.director.heard(Done(item, results[word], lane="referee-1")))
        return list(self.director.heard(Done(item, None, f"{word}!", FAILURES[word])))

    def play(self, *lines: str) -> list[str]:
        """Play lines such as `a? ready`; return what the director gives out before each of them,
        and after the last.
        """
        given = []
        for line in lines:
            given.append(self.next())
            work, _, word = line.partition(" ")
            self.say(work, word)
        return [*given, self.next()]


def called(*plan: Match | None) -> Dialogue:
    """A run of bots `a` and `b` that have said `ready`."""
    dialogue = Dialogue([match_of("m0"), *plan])
    assert [dialogue.next(), dialogue.next()] == ["a?", "b?"]
    dialogue.say("a?", "ready")
    dialogue.say("b?", "ready")
    assert dialogue.next() == "m0"
    return dialogue


M1, M2, M3 = (match_of(f"m{number}") for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        pytest.param(
            ["a? ready", "b? ready"],
            ["a?", "b?", "m1"],
            id="each bot is called before its first match",
        ),
        pytest.param(
            ["a? mute", "b? ready", "a? ready"],
            ["a?", "b?", "a?", "m1"],
            id="a bot is called twice",
        ),
        pytest.param(
            ["a? mute", "b? ready", "a? mute"], ["a?", "b?", "a?", "m1-a"], id="then it is absent"
        ),
        pytest.param(
            ["a? bug", "b? killed"], ["a?", "b?", "m1"], id="a bug of ours makes nobody absent"
        ),
        pytest.param(
            ["a? interfered", "b? ready", "a? interfered", "a? interfered"],
            ["a?", "b?", "a?", "a?", "m1"],
            id="who is killed by others is called again, as often as it is excused",
        ),
        pytest.param(
            ["a? lost", "b? ready", "a? ready"],
            ["a?", "b?", "a?", "m1"],
            id="a lost machine calls again",
        ),
    ],
)
def test_the_roll_call_decides_when_a_match_begins(lines, given):
    assert Dialogue([M1]).play(*lines) == given


def test_a_match_waits_for_its_bots_alone_and_the_order_is_kept():
    dialogue = Dialogue([match_of("m1"), match_of("m2", "ac"), match_of("m3", "cd")])
    assert [dialogue.next() for _ in range(5)] == ["a?", "b?", "c?", "d?", "nothing"]
    for name in "cda":
        dialogue.say(f"{name}?", "ready")
    assert [dialogue.next() for _ in range(3)] == ["m2", "m3", "nothing"]
    dialogue.say("b?", "ready")
    assert dialogue.next() == "m1"


def test_lanes_wait_while_too_many_matches_wait_for_a_roll_call(monkeypatch):
    monkeypatch.setattr(director, "HELD_MOST", 2)
    dialogue = Dialogue([M1, M2, match_of("m3", "cd")])
    assert [dialogue.next() for _ in range(4)] == ["a?", "b?", "nothing", "nothing"]
    dialogue.say("a?", "ready")
    dialogue.say("b?", "ready")
    assert [dialogue.next() for _ in range(3)] == ["m1", "m2", "c?"]


@pytest.mark.parametrize(
    ("failure", "given", "phase"),
    [
        pytest.param(
            "bug",
            ["m0", "m0", "nothing"],
            RunPhase.BROKEN,
            id="a bug: at once, and it ends the run",
        ),
        pytest.param(
            "killed", ["m0", "m0", "nothing"], RunPhase.BROKEN, id="a killed referee is as a bug"
        ),
        pytest.param(
            "interfered",
            ["m1", "m0", "m0", "nothing"],
            RunPhase.PLAYING,
            id="interference: after the others",
        ),
        pytest.param(
            "overloaded",
            ["m1", "m0", "m0", "nothing"],
            RunPhase.PLAYING,
            id="a busy machine: after the others",
        ),
        pytest.param(
            "lost", ["m0", "m0", "m0"], RunPhase.PLAYING, id="lost machines are counted apart"
        ),
    ],
)
def test_a_match_that_arena_fails_is_tried_again_and_given_up(failure, given, phase):
    dialogue, after = called(M1), []
    for _ in range(3):
        dialogue.say("m0", failure)
        after.append(dialogue.next())
        if after[-1] == "m1":  # the other match of the plan, which stays under way
            after.append(dialogue.next())
    assert (after, dialogue.director.phase) == (given, phase)


@pytest.mark.parametrize(
    ("failure", "limit", "given_up"),
    [
        ("bug", "ATTEMPTS", 3),
        ("interfered", "ATTEMPTS", 3),
        ("overloaded", "ATTEMPTS", 3),
        ("lost", "LOSSES", 10),
    ],
)
def test_each_failure_is_reported_and_the_last_gives_up(failure, limit, given_up):
    assert getattr(director, limit) == given_up
    dialogue = called()
    for attempt in range(1, given_up + 1):
        (report,) = dialogue.say("m0", failure)
        assert isinstance(report, ReportAbort)
        assert (report.abort.match, report.abort.attempt, report.known) == (
            "m0",
            attempt,
            failure == "lost",
        )
        assert report.is_last == (attempt == given_up)
        assert dialogue.next() == ("m0" if attempt < given_up else "nothing")


def test_lost_machines_and_failures_of_one_match_are_counted_apart():
    dialogue = called()
    for failure in ("lost", "bug", "lost", "bug"):
        assert not dialogue.say("m0", failure)[0].is_last
        assert dialogue.next() == "m0"
    assert [type(effect) for effect in dialogue.say("m0", "record")] == [Record]


@pytest.mark.parametrize(
    ("hits", "bots", "excused"),
    [(0, 5, True), (1, 5, True), (2, 5, False), (2, 1, True)],
    ids=["never", "once", "twice", "twice, and more than half of the bots were hit"],
)
def test_a_bot_is_excused_twice_unless_the_machine_is_the_cause(hits, bots, excused):
    attempts = director.Attempts(bots)
    for _ in range(hits):
        attempts.match_failed("m", InterferenceError("a", "killed"), "")
    assert attempts.excused(["a", "b"]) == frozenset("ab" if excused else "b")


def test_results_are_committed_before_the_plan_is_asked_again():
    dialogue = called(M1, None, M2)
    dialogue.say("m0", "overloaded")
    assert dialogue.next() == "m1"
    (record,) = dialogue.say("m1", "record")
    assert isinstance(record, Record)
    assert record.match == M1
    assert dialogue.next() == "commit"
    dialogue.director.committed()
    assert [dialogue.next() for _ in range(3)] == ["m2", "m0", "nothing"]


@pytest.mark.parametrize("phase", [phase for phase in RunPhase if phase is not RunPhase.PLAYING])
def test_a_run_that_ends_gives_nothing_out(phase):
    dialogue = called(M1)
    dialogue.director.end(phase)
    assert dialogue.next() == "nothing"
    assert [type(effect) for effect in dialogue.say("m0", "record")] == [
        Record
    ]  # what was under way counts


def test_the_first_reason_to_end_counts_but_for_an_interrupt():
    dialogue = called()
    for phase, counts in [
        (RunPhase.HALTED, RunPhase.HALTED),
        (RunPhase.LATE, RunPhase.HALTED),
        (RunPhase.INTERRUPTED,) * 2,
    ]:
        dialogue.director.end(phase)
        assert dialogue.director.phase is counts


def test_work_that_a_lane_did_not_begin_is_due_and_its_clock_counts():
    dialogue = Dialogue([M1])
    assert dialogue.next() == "a?"
    assert dialogue.say("a?", "not begun") == []
    assert (dialogue.director.phase, dialogue.next()) == (RunPhase.LATE, "nothing")
    dialogue = called(M1)
    dialogue.say("m0", "not begun")
    assert dialogue.director.is_due()


def test_what_the_audience_and_the_log_hear_of_a_roll_call():
    dialogue = Dialogue([M1])
    assert dialogue.next() == "a?"
    assert dialogue.say("a?", "mute") == []
    assert dialogue.say("a?", "mute") == [ReportAbsence("a", MUTE)]
    assert dialogue.say("a?", "interfered") == [Warn("roll call of a: its process was killed")]
    assert dialogue.say("a?", "bug") == [Warn("roll call of a: bug!")]


def test_a_machine_that_gives_no_more_ends_the_run():
    dialogue, error = called(), MachineError("no more memory")
    with pytest.raises(MachineError, match="no more memory"):
        dialogue.director.heard(Done(dialogue.works["m0"], None, "full", error))


def test_a_roll_call_of_a_bot_is_taken_once_however_many_matches_wait():
    roll_call = RollCall()
    assert [roll_call.holds(match) for match in (M1, M2)] == [True, True]
    assert [seat.bot.name for _, seat in roll_call.due] == ["a", "b"]
    assert roll_call.over("a") == []
    assert roll_call.over("b") == [M1, M2]
    assert not roll_call.holds(M3)
