"""Estimates of Pacman's moves: they agree with a slow search by the rules, a planted blunder stands
out, and each match is assessed once."""

import random
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import pytest

from arena import load_game
from arena.charts import accuracy as accuracy_chart
from arena.cli import leaderboard_text
from arena.cli.match_text import turn_rows
from arena.game import Game, Outcome, Value
from arena.games import pursuit, rulebook
from arena.games.conformance import flaws
from arena.games.quality import Estimator, PerfectPlay, assessor_of
from arena.replay.replayer import scenes
from arena.report import replays
from arena.results import accuracy
from arena.results.archive import Archive
from arena.results.leaderboard import Results, write_csv
from arena.values import Turn
from tests.support import reported, stored

GHOSTS = ("blinky", "inky")


@cache
def classic():
    return load_game("pacman/classic")


@cache
def estimator():
    return Estimator.of(classic())


def at(**places):
    return classic().start()._replace(**places)


def minimax(game, state):
    """Return Pacman's score by the rules themselves when it wants a high score, and the ghosts want
    a low one.
    """
    if (outcome := game.outcome(state)) is not None:
        return outcome.scores["pacman"]
    roles = game.to_move(state)
    choices = product(*(game.legal_moves(state, role) for role in roles))
    best = max if roles == ("pacman",) else min
    return best(
        minimax(game, game.play(state, dict(zip(roles, moves, strict=True)))) for moves in choices
    )


def forced(game, state):
    """Return the least turns in which the ghosts can force a capture by the rules themselves; 99 if
    they cannot.
    """
    if game.outcome(state) is not None:
        return 0 if state.pacman in (state.blinky, state.inky) else 99
    roles = game.to_move(state)
    choices = product(*(game.legal_moves(state, role) for role in roles))
    best = max if roles == ("pacman",) else min
    return 1 + best(
        forced(game, game.play(state, dict(zip(roles, moves, strict=True)))) for moves in choices
    )


def positions(game, count, turns):
    """Return positions of matches by dice, in which only a few turns are left."""
    dice, states = random.Random(5), []
    while len(states) < count:
        state = game.start()
        for _ in range(dice.randrange(40)):
            if not (roles := game.to_move(state)):
                break
            state = game.play(
                state, {role: dice.choice(game.legal_moves(state, role)) for role in roles}
            )
        state = state._replace(step=game.steps - turns)
        if game.to_move(state):
            states.append(state)
    return states


def played(game, state, turns):
    """Return the turns of a match by dice, from a state."""
    dice, rows = random.Random(7), []
    for number in range(1, turns + 1):
        if not (roles := game.to_move(state)):
            break
        moves = {role: dice.choice(game.legal_moves(state, role)) for role in roles}
        rows += [Turn(number=number, role=role, move=move) for role, move in moves.items()]
        state = game.play(state, moves)
    return rows


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5])
def test_the_search_sees_the_end_of_a_match_as_a_slow_search_by_the_rules_does(turns):
    game = classic()
    for state in positions(game, 12, turns):
        if state.pacman_moves:
            after = {
                move: game.play(state, {"pacman": move})
                for move in game.legal_moves(state, "pacman")
            }
            worth = estimator().worth(state, "pacman")
            assert {move: value.score for move, value in worth.items()} == {
                move: minimax(game, then) for move, then in after.items()
            }


@pytest.mark.parametrize("turns", [2, 4])
def test_a_ghost_can_force_a_capture_where_a_slow_search_finds_it(turns):
    game = classic()
    for state in [state for state in positions(game, 12, turns) if not state.pacman_moves]:
        for ghost, partner in (GHOSTS, GHOSTS[::-1]):
            for move, value in estimator().worth(state, ghost).items():
                beside = [
                    {ghost: move, partner: other} for other in game.legal_moves(state, partner)
                ]
                count = 1 + min(forced(game, game.play(state, moves)) for moves in beside)
                assert value == ((100, count) if count <= turns else (0, turns))


def test_a_pacman_that_walks_into_a_ghost_instead_of_eating_regrets_it():
    state = at(pacman=(3, 6), blinky=(4, 6), inky=(8, 3))
    blunder = estimator().quality(state, "pacman", "move east")
    assert blunder.points >= 6
    assert blunder.critical
    assert str(blunder) == f"regret of {blunder.points} points, an estimate"
    assert estimator().best(state, "pacman") == ("move south",)
    assert str(estimator().quality(state, "pacman", "move south")) == ""


def test_ghosts_that_let_pacman_go_regret_the_capture_only_in_the_last_turns():
    state = at(pacman=(1, 6), blinky=(2, 6), inky=(8, 3), step=99, pacman_moves=False)
    assert estimator().quality(state, "blinky", "move east").points == 100
    assert estimator().best(state, "blinky") == ("move west",)
    early = estimator().quality(state._replace(step=9), "blinky", "move east")
    assert (early.points, early.turns > 0) == (0, True)
    assert str(early) == f"lost {early.turns} turns, an estimate"


def test_each_move_of_a_record_has_its_own_quality():
    game, turns = classic(), played(classic(), classic().start(), 12)
    qualities = estimator().of_turns(turns)
    assert len(qualities) == len(turns)
    assert [
        quality for scene in scenes(game, turns, qualities) for quality in scene.qualities
    ] == qualities
    state = at(pacman=(1, 6), blinky=(2, 6), inky=(8, 3), step=99, pacman_moves=False)
    assert {
        estimator().quality(state, "inky", move).points for move in game.legal_moves(state, "inky")
    } == {0}
    beside = state._replace(
        inky=(1, 5)
    )  # Inky may catch Pacman, too, and Blinky does not see whether it will
    assert {
        estimator().quality(beside, "blinky", move).points
        for move in game.legal_moves(beside, "blinky")
    } == {0}


def test_turns_from_the_first_that_the_rules_do_not_allow_have_no_grade():
    turns = played(classic(), classic().start(), 4)
    without_inky = [turn for turn in turns if (turn.number, turn.role) != (4, "inky")]
    assert len(estimator().of_turns(without_inky)) == len(turns) - 2


def test_where_ghosts_score_each_for_itself_a_capture_is_worth_half_to_their_side():
    game = load_game("pacman/published")
    state = game.start()._replace(
        pacman=(1, 6), blinky=(2, 6), inky=(8, 3), step=99, pacman_moves=False
    )
    assert Estimator.of(game).quality(state, "blinky", "move east").points == 50


def test_solved_boards_are_graded_by_their_solution_and_other_games_not_at_all():
    assert isinstance(assessor_of(load_game("mummy_maze/duel")), PerfectPlay)
    assert isinstance(assessor_of(classic()), Estimator)
    assert assessor_of(classic()) is assessor_of(
        load_game("pacman/classic")
    )  # its searches serve all who ask
    assert assessor_of(load_game("goofspiel/five")) is None


def test_the_results_of_a_game_that_is_not_hashable_can_be_graded():
    class Lasting(Weather):
        __hash__ = None

    assert isinstance(assessor_of(Lasting((("go", 100, 0), ("wait", 0, 0)))), Estimator)


def test_a_maze_of_too_many_cells_and_rules_that_fail_have_no_estimate(monkeypatch):
    wide = tuple((x, y) for x in range(1, 12) for y in range(1, 12))[1:]
    large = replace(classic(), size=(1, 11), walls=(), pellets=wide, score=(0,) * 121)
    assert Estimator.of(large) is None
    assert Estimator.of(replace(classic(), steps=10**9)) is None
    monkeypatch.setattr(pursuit, "Pursuit", None)
    assert (
        Estimator.of(replace(classic(), steps=90)) is None
    )  # no other test has made its estimator


@dataclass(frozen=True)
class Gate(Game):
    """A fox goes through a gate and scores 100, or waits and scores 0; what its moves are worth is
    a parameter.
    """

    worth: tuple[tuple[str, int, int], ...]

    roles = ("fox",)

    def board(self):
        return ()

    def start(self):
        return ""

    def to_move(self, state):
        return () if state else ("fox",)

    def legal_moves(self, state, role):
        return ("go", "wait")

    def play(self, state, moves):
        return moves["fox"]

    def outcome(self, state):
        return Outcome({"fox": 100 if state == "go" else 0}, "moved") if state else None

    def view(self, state, role):
        return (f"state {state or 'new'}",)

    def estimate(self):
        return lambda *_: {move: Value(score, turns) for move, score, turns in self.worth}


@pytest.mark.parametrize(
    ("worth", "words"),
    [
        ([("go", 100, 1)], "estimate has values for ['go'], which are not the legal moves of fox"),
        ([("go", 101, 1), ("wait", 0, 1)], "estimate says 101 in 1 turns"),
        ([("go", 100, -1), ("wait", 0, 1)], "estimate says 100 in -1 turns"),
        (
            [("go", 90, 1), ("wait", 0, 1)],
            "estimate says 90 for 'go', which ends the match with 100",
        ),
    ],
)
def test_check_rules_finds_a_search_that_says_nonsense(worth, words):
    assert [words in flaw.words for flaw in flaws(Gate(tuple(worth)))] == [True]
    assert flaws(Gate((("go", 100, 0), ("wait", 0, 0)))) == []


def play(match):
    """Play a match: `wise` makes moves without regret, and `dice` throws dice."""
    bots = {seat.role: seat.bot.name for seat in match.seats}
    return reported.refereed(
        match,
        lambda role, state, legal, draw: draw.choice(
            estimator().best(state, role) if bots[role] == "wise" else legal
        ),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    event = reported.event(("dice", "wise"), rulebook.find("pacman/classic"), repeats=2)
    plan = reported.plan(event)
    return stored.store(tmp_path_factory.mktemp("estimated"), event, map(play, plan), plan)


def test_a_bot_without_regret_has_none_in_the_leaderboard_and_dice_have_much(folder, tmp_path):
    results = Results.open(folder)
    regrets = {
        row["bot"]: row["regret_estimate"]
        for row in results.leaderboard(by_game=False).to_dict("records")
    }
    assert regrets["wise"] == 0
    assert regrets["dice"] > 1
    assert "accuracy" not in results.leaderboard()
    frame = results.regret()
    assert {*frame["role"]} == {"pacman", *GHOSTS}
    assert (frame[frame["bot"] == "dice"]["regret_estimate"] >= 0).all()
    write_csv(results, tmp_path)
    assert (tmp_path / "regret.csv").is_file()
    assert not (tmp_path / "accuracy.csv").exists()
    assert list(accuracy_chart.frame(results)["regret_estimate"]) == [0, regrets["dice"]]


def test_a_line_below_the_table_says_what_the_regret_is(folder, capsys):
    results = Results.open(folder)
    leaderboard_text.show(results, brief=True)
    results.close()
    line = "regret_estimate: points lost by bad moves, per match (estimated)\n"
    assert line in capsys.readouterr().out


def test_an_edited_rules_file_has_its_matches_graded_again(folder, monkeypatch):
    before = Results.open(folder).regret_sums
    assessed = []
    monkeypatch.setattr(accuracy, "figures_of", lambda record, _: assessed.append(record) or {})
    monkeypatch.setattr(accuracy, "_code_digest", lambda games: f"edited {len(list(games))}")
    assert Results.open(folder).regret_sums == {}
    assert len(assessed) == sum(figures.matches for figures in before.values()) // 3


def test_the_report_searches_no_more_matches_than_the_leaderboard(folder, monkeypatch):
    monkeypatch.setattr(replays, "MOST_ESTIMATED", 1)
    games = replays.Games(rulebook.game_of)
    assert [
        ("qualities" in replays.replay(record, games))
        for record in Archive.open(folder).records(most=2)
    ] == [
        True,
        False,
    ]


def test_replay_and_report_say_beside_each_move_that_its_grade_is_an_estimate(folder):
    record = next(
        each for each in Archive.open(folder).records() if each.match.seats[0].bot.name == "dice"
    )
    game = rulebook.game_of(record.match)
    shown = [str(quality) for quality in estimator().of_turns(record.turns)]
    assert any("regret of" in text and text.endswith("an estimate") for text in shown)
    assert replays.replay(record, replays.Games(rulebook.game_of))["qualities"] == shown
    rows = [
        row
        for scene in scenes(game, record.turns, estimator().of_turns(record.turns))
        for row in turn_rows(record.match, scene)
    ]
    assert {row["estimate"] for row in rows} == {True}


class Weather(Gate):
    """Chance decides the weather before the fox moves."""

    def to_move(self, state):
        return {"": ("chance",), "sun": ("fox",), "rain": ("fox",)}.get(state, ())

    def legal_moves(self, state, role):
        return ("sun", "rain") if role == "chance" else ("go", "wait")

    def play(self, state, moves):
        return next(iter(moves.values()))

    def outcome(self, state):
        return None if state in ("", "sun", "rain") else super().outcome(state)


def test_a_turn_of_chance_has_no_fault_and_the_moves_after_it_have_their_grades():
    assessor = assessor_of(Weather((("go", 100, 0), ("wait", 0, 0))))
    turns = [
        Turn(number=1, role="chance", move="rain", by="chance"),
        Turn(number=2, role="fox", move="wait"),
    ]
    assert [quality.points for quality in assessor.of_turns(turns)] == [0, 100]
    assert flaws(Weather((("go", 100, 0), ("wait", 0, 0)))) == []
