"""`arena duel`: what it decides, that only the order of the pairings matters, and that it goes on
where it stopped.
"""

import contextlib
import json
import random
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author.submissions.bot_store import BotStore
from arena.event import discovery
from arena.event.discovery.notes import Note
from arena.event.duel import POINTS, Duel
from arena.event.schedules import round_robin
from arena.results.archive import Archive
from arena.results.sequential import Decision, Question, SequentialTest
from arena.values import Board, Bot, Ending, Event
from tests.support import paired, workspaces
from tests.support.cup import Command, arena
from tests.support.finished import result_of
from tests.support.processes import until
from tests.support.sprint import FIRST, LAST, slow

NONSENSE = FIRST.replace('echo "$legal"', "echo nonsense")
WIDE = ("--points", "0", "60")
"""Bounds that five pairings decide."""
ERRORS = " (at most 5 % of duels give this answer wrongly)"


def duel(folder, *words):
    """Run a duel, in one lane unless the words say otherwise."""
    return arena(folder, "duel", *(() if "--workers" in words else ("--workers", "1")), *words)


def outcome(folder, *words):
    (row,) = json.loads(duel(folder, *words, "--json").stdout)
    return row


def matches_stored(folder):
    with Archive.open(folder, writing=False) as archive:
        return len(archive.ids())


def version(workspace: Path, name: str, text: str) -> None:
    """Store the next version of a bot, as `arena submit` does after its examination."""
    store = BotStore(workspace / "bots")
    with store.changing():
        copy = store.new_folder() / f"{name}.sh"
        copy.write_text(text)
        store.play(name, store.keep(discovery.from_path(copy, name), copy, Note()))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    bots = {"good": slow(FIRST), "bad": slow(NONSENSE)}
    return workspaces.make(tmp_path_factory.mktemp("duel") / "ws", bots, "hunt")


@pytest.fixture(scope="module")
def decided(workspace):
    """The output of a duel of good against bad, with bounds that five pairings decide."""
    return duel(workspace, "good", "bad", *WIDE, "--workers", "2")


def test_a_bot_that_is_better_by_faults_alone_has_its_own_exit_code_if_asked(workspace, decided):
    """`bad` answers nonsense each time, so that `good` has won no match by its moves."""
    assert "where bad was not at fault, good was not ahead" in decided.stdout
    assert decided.returncode == 0
    assert duel(workspace, "good", "bad", *WIDE, "--no-faults").returncode == 4
    assert outcome(workspace, "good", "bad", *WIDE)["by_faults_alone"] is True
    assert (
        duel(workspace, "bad", "good", *WIDE, "--no-faults").returncode == 1
    )  # its own faults are no excuse


@pytest.mark.parametrize(
    ("differences", "alone"), [((0, 0, 100), True), ((20, 30, 100), False), ((-5, 5), True)]
)
def test_only_rounds_in_which_the_opponent_was_never_at_fault_show_who_plays_better(
    differences, alone
):
    """The last difference is of a round in which the opponent crashed, beside forty more of that
    kind.
    """
    event = paired.event("round_robin", 2, repeats=200)
    names = ("bot000", "bot001")
    state = Duel(
        event, names, SequentialTest(Question(low=0, high=60, alpha=0.05, beta=0.05)), POINTS
    )
    for number, lead in enumerate([*differences, *[100] * 40]):
        board = event.boards[0]
        for seating in (event.bots, event.bots[::-1]):
            match = event.match(board, seating, number)
            first, second = match.seats
            score = 50 + lead / 2 if first.bot.name == names[0] else 50 - lead / 2
            faulty = {
                seat.role: Ending.CRASHED
                for seat in match.seats
                if seat.bot.name == names[1] and lead == 100
            }
            scores = {first.role: score, second.role: 100 - score}
            state.add(replace(result_of(match, board.sides, scores), endings=faulty))
    assert state.test.decision is Decision.BETTER
    assert state.won_by_faults_alone is alone


def test_a_better_bot_is_proven_to_be_better_and_the_exit_code_says_so(decided):
    done = decided
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first == "good against bad on mummy_maze/hunt: 5 pairings, 10 matches"
    assert "difference +100.0 points, with 90 % confidence between " in done.stdout
    assert (
        "evidence that good is better: 100 % of what is needed; that it is not: 0 %"
    ) in done.stdout
    assert "LLR" not in done.stdout
    assert "bad failed: 10 x illegal_move" in done.stdout
    assert last == f"yes: good is better than bad{ERRORS}"


@pytest.mark.slow
def test_a_decided_duel_is_decided_again_without_a_match(workspace, decided):
    folder = workspace / "results/duel-good-bad"
    before = matches_stored(folder)
    again = duel(workspace, "good", "bad", *WIDE)
    assert (again.returncode, again.stdout, matches_stored(folder)) == (0, decided.stdout, before)
    assert "matches at a time" not in again.stderr


def test_a_bot_not_better_is_code_1_and_its_matches_serve_another_question(workspace, decided):
    assert decided.returncode == 0
    before = matches_stored(workspace / "results/duel-good-bad")
    words = (
        "bad",
        "good",
        "--name",
        "duel-good-bad",
        "--elo",
        "-50",
        "600",
        "--alpha",
        "0.1",
        "--beta",
        "0.1",
    )
    done = duel(workspace, *words)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        f"no: bad is not better than good by 600 Elo or more{ERRORS.replace('5', '10')}",
    )
    row = outcome(workspace, *words)
    assert (row["verdict"], row["unit"], row["bound_high"]) == ("not better", "Elo", 600)
    assert row["difference"] is None  # a bot that always loses is infinitely far away in Elo
    assert matches_stored(workspace / "results/duel-good-bad") == before


@pytest.mark.soak
def test_a_limit_leaves_it_undecided_and_a_higher_limit_goes_on(workspace):
    words = ("good", "bad", *WIDE, "--name", "limited", "--max-pairings")
    done = duel(workspace, *words, "2")
    assert done.returncode == 3
    assert (
        "undecided after 2 pairings, the limit: so far good is better, but that is not proven; "
        "a higher limit of pairings may decide it" in done.stdout
    )
    assert matches_stored(workspace / "results/limited") == 4
    more = duel(workspace, *words, "9")
    assert (more.returncode, more.stdout.splitlines()[-1]) == (
        0,
        f"yes: good is better than bad{ERRORS}",
    )
    assert "4 matches played before" in more.stderr


@pytest.mark.soak
def test_pairings_begin_with_openings_unless_the_event_says_otherwise(workspace):
    def openings(name, *words, pairings=1):
        """Return the opening of each match, by its repeat."""
        words += ("--max-pairings", str(pairings), "--name", name)
        assert duel(workspace, "good", "bad", *words).returncode == 3
        by_repeat = {}
        with Archive.open(workspace / "results" / name, writing=False) as archive:
            for record in archive.records():
                moves = tuple(
                    (turn.role, turn.move) for turn in record.turns if turn.by == "opening"
                )
                by_repeat.setdefault(record.match.repeat, set()).add(moves)
        return by_repeat

    drawn = openings("opened", pairings=2)
    assert [len(legs) for legs in drawn.values()] == [1, 1]  # both legs of a pairing begin alike
    assert drawn[0] != drawn[1]
    assert all(len(moves) == 6 for legs in drawn.values() for moves in legs)
    assert openings("plain", "--set", "openings.plies=0") == {0: {()}}


def test_two_versions_of_a_bot_meet_under_the_names_that_compare_takes(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"other": FIRST}, "hunt")
    version(folder, "ada", NONSENSE)
    version(folder, "ada", FIRST)
    done = duel(folder, "ada@2", "ada@1", "--max-pairings", "1")
    assert (done.returncode, done.stdout.partition(" on ")[0]) == (3, "ada@2 against ada@1"), (
        done.stderr
    )
    compared = arena(folder, "compare", "ada@2", "ada@1", "duel-ada@2-ada@1")
    assert compared.returncode == 0, compared.stderr
    assert "chance that ada@2 is better" in compared.stdout

    assert "are the same bot, file by file" in duel(folder, "ada@2", "ada").stderr
    unknown = duel(folder, "ada@3", "ada@1")
    assert (unknown.returncode, "it has ada@1, ada@2" in unknown.stderr) == (2, True)
    assert "no version of 'eve' was submitted" in duel(folder, "eve@1", "ada").stderr
    (edited,) = (folder / "bots/_versions/ada/1").glob("*.sh")
    edited.write_text(LAST)
    assert "was edited or damaged since it was submitted" in duel(folder, "ada@1", "ada").stderr


def test_a_bot_that_never_starts_ends_the_duel_with_the_reason(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws", {"good": FIRST, "mute": "#!/bin/sh\nexit 1\n"}, "hunt"
    )
    done = duel(folder, "good", "mute")
    assert done.returncode == 2
    assert "mute is absent: crashed" in done.stderr
    assert matches_stored(folder / "results/duel-good-mute") == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good", "good"], "are the same bot"),
        (["good", "ghost"], "there is no bot 'ghost'"),
        (["good", "bad", "--points", "5", "5"], "--points 5 5: the first bound must be lower"),
        (["good", "bad", "--points", "0", "100"], "both bounds must be between -100 and 100"),
        (["good", "bad", "--points", "0", "5", "--elo", "0", "5"], "choose one"),
        (["good", "bad", "--alpha", "0.7"], "both must be above 0 and below 0.5"),
        (["good", "bad", "--board", "chess"], "chess"),
        (["good", "bad", "--set", "rating=best"], "best"),
    ],
)
def test_a_mistake_is_named_in_a_line(workspace, words, message):
    done = duel(workspace, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_boards_on_which_a_bot_misses_a_role_are_left_out_or_refused(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"good": FIRST}, "hunt duel")
    (folder / "bots/shy").mkdir()
    (folder / "bots/shy/bot.sh").write_text(NONSENSE)
    (folder / "bots/shy/bot.toml").write_text(
        'command = "sh bot.sh"\ngames = ["mummy_maze/hunt"]\n'
    )
    done = duel(folder, "good", "shy", "--max-pairings", "1")
    assert (
        done.returncode,
        "left out: mummy_maze/duel: shy does not play explorer" in done.stderr,
    ) == (3, True)
    assert "on mummy_maze/hunt:" in done.stdout
    (folder / "bots/shy/bot.toml").write_text('command = "sh bot.sh"\nroles = ["mummy"]\n')
    refused = duel(folder, "good", "shy")
    assert (
        refused.returncode,
        "choose boards on which both play every role" in refused.stderr,
    ) == (2, True)


DUET = Board(
    game="park",
    name="duet",
    rules="x",
    digest="d",
    roles=("fox", "hen"),
    sides=(("fox",), ("hen",)),
)
SCORES = {
    "ann": [100, 80, 100, 90, 30, 100, 100, 100, 100, 100],
    "bob": [0, 20, 50, 10, 70, 0, 0, 0, 0, 0],
}


def simulated(order: random.Random | None) -> Duel:
    """Return a duel after ten rounds whose matches arrived in this order."""
    bots = tuple(Bot(name=name, command=("x",), digest=name) for name in SCORES)
    event = Event(name="x", seed=1, boards=(DUET,), bots=bots, repeats=10)
    matches = []
    for match in round_robin.batch(event, 0, ()):
        scores = {seat.role: SCORES[seat.bot.name][match.repeat] for seat in match.seats}
        matches.append(result_of(match, DUET.sides, scores))
    if order is not None:
        order.shuffle(matches)
    duel = Duel(event, ("ann", "bob"), SequentialTest(Question(high=40)), POINTS)
    for match in matches:
        duel.add(match)
    return duel


def test_rounds_count_in_their_order_whichever_is_finished_first():
    expected = simulated(None).test
    assert expected.decision is Decision.BETTER
    assert len(expected.differences) < 10
    for seed in range(20):
        test = simulated(random.Random(seed)).test
        assert (test.differences, test.decision) == (expected.differences, expected.decision)


@pytest.mark.slow
def test_a_killed_duel_goes_on_and_decides_as_if_nothing_had_happened(workspace, decided):
    """The match that a kill interrupts is played again: the outcome is that of a duel in two lanes
    without a kill.
    """
    assert decided.returncode == 0
    words = ["good", "bad", *WIDE, "--workers", "1", "--name"]
    run = Command(workspace, "duel", *words, "killed")
    stored = workspace / "results/killed"

    def some_are_stored() -> bool:
        with contextlib.suppress(Exception):
            return matches_stored(stored) >= 2
        return False

    assert until(some_are_stored)
    run.signal(signal.SIGKILL)
    run.wait()
    before = matches_stored(stored)
    again = outcome(workspace, *words, "killed")
    assert 2 <= before <= again["matches"]
    assert again | {"results": ""} == outcome(workspace, *words, "duel-good-bad") | {"results": ""}
