"""One match with real bots in real processes: its record, and the seats that play on when another
is out.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import arena
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.games import rulebook
from arena.match.play import play, roll_call
from arena.match.referee import Referee, facts_digest
from arena.sandbox import levels
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions, Ending, Fault, Record, Seat, Turn
from tests.support import live
from tests.support.processes import descendants, descriptors, gone_soon
from tests.support.programs import python

READY = "say('ready')"
FIRST = "say(legal[0])"
DICE = "say('# I have', len(legal), 'moves'); say(dice.choice(legal))"
CRASH = "os._exit(5) if turns == 3 else say(legal[0])"
SEEDED = {
    "first": "import random\ndice = random.Random()",
    "each": "if word == 'seed': dice.seed(rest)",
}
PATIENT = Conditions(time=TimeControl(start=20.0, move=20.0))


@pytest.fixture
def bot(tmp_path):
    def write(name: str, go: str = FIRST, ready: str = READY) -> Bot:
        return live.bot_of(tmp_path / f"{name}.py", python(go, ready=ready, **SEEDED))

    return write


match_of = partial(live.match_of, conditions=PATIENT)


def timeless(record: Record) -> Record:
    """The record without what a clock or the kernel read."""
    return replace(
        record,
        started="",
        seconds=0.0,
        turns=tuple(
            turn._replace(wall=0.0, cpu=0.0, waited=0.0, late=0.0) for turn in record.turns
        ),
        seats=tuple(replace(seat, ready=None, memory=0, cpu=0.0) for seat in record.seats),
    )


def by_whom(record: Record, role: str) -> list[str]:
    return [turn.by for turn in record.turns if turn.role == role]


@pytest.mark.usefixtures("time_to_leave")
def test_a_match_is_recorded_whole_and_its_moves_replay_to_the_same_states(bot, launcher):
    match = match_of("mummy_maze/duel", bot("a", DICE), bot("b", DICE))
    record = play(match, launcher=launcher)
    assert record.match == match
    assert record.verdict.faults == ()
    game = rulebook.game_of(match)
    state = game.start()
    for number, turn in enumerate(record.turns, 1):
        assert turn.number == number
        assert turn.remarks == (f"I have {len(game.legal_moves(state, turn.role))} moves",)
        state = game.play(state, {turn.role: turn.move})
        assert turn.digest == facts_digest(game.view(state, None))
    outcome = game.outcome(state)
    assert (dict(record.verdict.scores), record.verdict.reason) == (
        dict(outcome.scores),
        outcome.reason,
    )
    assert [(seat.bot, seat.exit, seat.killed) for seat in record.seats] == [
        ("a", "exit 0", False),
        ("b", "exit 0", False),
    ]
    assert all(seat.ready and seat.memory and seat.cpu for seat in record.seats)
    assert record.seconds >= sum(turn.wall for turn in record.turns)


def test_the_same_seed_gives_the_same_record_and_another_repeat_another(bot, launcher):
    bots = bot("a", DICE), bot("b", DICE)
    one, same = (play(match_of("mummy_maze/duel", *bots), launcher=launcher) for _ in range(2))
    other = play(match_of("mummy_maze/duel", *bots, repeat=1), launcher=launcher)
    assert timeless(one) == timeless(same)
    assert [turn.move for turn in one.turns] != [turn.move for turn in other.turns]


def test_an_observer_is_called_after_each_turn_and_once_before_the_first(bot, launcher):
    calls: list[tuple[int, bool]] = []

    def observe(referee: Referee) -> None:
        calls.append((len(referee.turns), referee.verdict is not None))

    record = play(
        match_of("mummy_maze/duel", bot("a"), bot("b", DICE)), launcher=launcher, observer=observe
    )
    last = len(record.turns)
    assert calls == [(turn, turn == last) for turn in range(last + 1)]


def test_a_match_that_is_broken_off_leaves_nothing_behind(bot, launcher):
    match = match_of("pacman/classic", bot("a"), bot("b"), bot("c"))
    play(match, launcher=launcher)
    before = descriptors()

    def interrupt(referee: Referee) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(match, launcher=launcher, observer=interrupt)
    assert descriptors() == before
    assert descendants(launcher._spawner.pid) == set()
    assert list(launcher.folder.path.glob("room*")) == []


def test_a_match_without_a_launcher_opens_one_and_closes_it(bot, monkeypatch):
    opened: list[Launcher] = []
    monkeypatch.setattr("arena.match.play.Launcher", lambda: opened.append(Launcher()) or opened[0])
    before = descriptors()
    assert play(match_of("mummy_maze/duel", bot("a"), bot("b"))).verdict.faults == ()
    assert descriptors() == before
    assert len(opened) == 1
    assert gone_soon([opened[0]._spawner.pid])


def test_a_bot_that_failed_the_roll_call_forfeits_unstarted(bot, launcher, monkeypatch):
    monkeypatch.setattr(launcher, "start", None)
    known = Fault(role="explorer", ending=Ending.CRASHED, turn=0, words="exit 1 at the roll call")
    record = play(
        match_of("mummy_maze/duel", bot("b"), bot("a")),
        launcher=launcher,
        earlier_faults={"a": known},
    )
    assert record.verdict.scores == {"explorer": 100, "mummy": 0}
    assert record.verdict.faults == (replace(known, role="mummy"),)
    assert record.turns == ()
    assert [(seat.ready, seat.exit) for seat in record.seats] == [(None, ""), (None, "")]


def test_two_bots_that_failed_the_roll_call_lose_both(bot, launcher):
    faults = {
        name: Fault(role="mummy", ending=Ending.TIMEOUT, turn=0, words="no `ready`")
        for name in "ab"
    }
    record = play(
        match_of("mummy_maze/duel", bot("a"), bot("b")), launcher=launcher, earlier_faults=faults
    )
    assert record.verdict.scores == {"explorer": 0, "mummy": 0}
    assert [fault.role for fault in record.verdict.faults] == ["explorer", "mummy"]


@pytest.mark.usefixtures("time_to_leave")
def test_a_ghost_whose_partner_failed_the_roll_call_plays_with_a_substitute(bot, launcher):
    known = Fault(role="inky", ending=Ending.TIMEOUT, turn=0, words="no `ready`")
    match = match_of("pacman/classic", bot("a"), bot("b"), bot("c"))
    record = play(match, launcher=launcher, earlier_faults={"c": known})
    assert record.verdict.reason != "forfeit"
    assert set(by_whom(record, "inky")) == {"substitute"}
    assert set(by_whom(record, "blinky")) == {"bot"}
    assert (record.seats[1].exit, record.seats[2].exit) == ("exit 0", "")


@pytest.mark.usefixtures("time_to_leave")
def test_a_ghost_plays_on_after_its_partners_crash(bot, launcher):
    record = play(
        match_of("pacman/classic", bot("a"), bot("b"), bot("c", CRASH)), launcher=launcher
    )
    (fault,) = record.verdict.faults
    assert (fault.role, fault.ending, fault.turn) == ("inky", Ending.CRASHED, 6)
    assert "exit 5" in fault.words
    assert by_whom(record, "inky")[:4] == ["bot", "bot", "substitute", "substitute"]
    assert set(by_whom(record, "blinky")) == {"bot"}
    assert record.verdict.reason != "forfeit"
    assert record.verdict.scores["inky"] == 0
    assert [seat.exit for seat in record.seats] == ["exit 0", "exit 0", "exit 5"]


def test_pacman_wins_when_both_ghosts_are_out(bot, launcher):
    record = play(
        match_of("pacman/classic", bot("a"), bot("b", CRASH), bot("c", CRASH)), launcher=launcher
    )
    assert record.verdict.reason == "forfeit"
    assert record.verdict.scores == {"pacman": 100, "blinky": 0, "inky": 0}
    assert [fault.role for fault in record.verdict.faults] == ["blinky", "inky"]


def test_a_forgiven_answer_is_noted_to_the_bot_which_plays_on(bot, launcher):
    wrong = "print('no move' if turns == 2 else legal[0], flush=True)"
    conditions = replace(PATIENT, strikes=1)
    record = play(
        match_of("mummy_maze/duel", bot("a", wrong), bot("b", DICE), conditions=conditions),
        launcher=launcher,
    )
    struck = [turn for turn in record.turns if turn.by == "strike"]
    assert [(turn.role, turn.number, turn.rejected_text) for turn in struck] == [
        ("explorer", 3, "no move")
    ]
    assert record.verdict.faults == ()


@pytest.mark.slow
def test_the_bank_pays_for_slow_answers_until_it_is_empty(bot, launcher):
    conditions = Conditions(time=TimeControl(start=20.0, move=0.3, bank=0.5, margin=0.0))
    match = match_of(
        "mummy_maze/duel", bot("a", f"time.sleep(0.5); {FIRST}"), bot("b"), conditions=conditions
    )
    record = play(match, launcher=launcher)
    (fault,) = record.verdict.faults
    slow: list[Turn] = [turn for turn in record.turns if turn.role == "explorer"]
    assert slow
    assert all(turn.wall > 0.3 for turn in slow)
    assert (fault.role, fault.ending) == ("explorer", Ending.TIMEOUT)
    assert "no answer in 800 ms" not in fault.words


@pytest.mark.parametrize(
    ("ready", "ending"),
    [
        (READY, None),
        ("sys.exit('no')", Ending.CRASHED),
        ("print('Ready', flush=True)", Ending.TIMEOUT),
    ],
)
def test_a_roll_call_finds_the_bots_that_are_not_ready(bot, launcher, ready, ending):
    conditions = Conditions(time=TimeControl(start=20.0 if ending is None else 0.5))
    match = match_of("mummy_maze/duel", bot("a"), bot("b", ready=ready), conditions=conditions)
    seat: Seat = match.seats[1]
    before = descriptors()
    fault = roll_call(match, seat, launcher)
    assert (fault.ending if fault else None) == ending
    assert descriptors() <= before  # those that another test left open may be closed meanwhile
    assert descendants(launcher._spawner.pid) == set()


def test_play_needs_no_file_of_ours_in_the_working_folder(bot, launcher, tmp_path, monkeypatch):
    match = match_of("mummy_maze/duel", bot("a"), bot("b"))
    monkeypatch.chdir(tmp_path)
    before = set(Path.cwd().iterdir())
    assert play(match, launcher=launcher).verdict.faults == ()
    assert set(Path.cwd().iterdir()) == before


def test_a_match_is_played_by_paths_of_bots_from_python(bot):
    first, dice = bot("a"), bot("b", DICE)
    record = arena.play_match("mummy_maze/duel", {"explorer": first.files, "mummy": dice}, seed=3)
    assert [(seat.role, seat.bot.name) for seat in record.match.seats] == [
        ("explorer", "a"),
        ("mummy", "b"),
    ]
    assert record.match.conditions.sandbox in levels.CONFINING
    assert not record.verdict.faults
    assert arena.load_game("mummy_maze/duel").roles == ("explorer", "mummy")


def test_a_match_from_python_wants_a_single_board_and_a_bot_for_each_role(bot):
    with pytest.raises(ArenaError, match="with a bot for each of its roles"):
        arena.play_match("mummy_maze/duel", {"explorer": bot("a")})
    with pytest.raises(ArenaError, match="single board"):
        arena.play_match("mummy_maze", {"explorer": bot("a"), "mummy": bot("b")})
    with pytest.raises(ArenaError, match="means 4 boards"):
        arena.load_game("mummy_maze")
