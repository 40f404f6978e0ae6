"""The nemesis of a bot: compared with exact best responses, found in traps, honest about dice."""

import json
from functools import cache
from pathlib import Path

import pytest

from arena.event import config
from arena.games import rulebook
from tests.support import cup, workspaces
from tests.support.programs import python

BY_TABLE = """
from arena.kit import Turn, run

TABLE = {table!r}


def choose(turn: Turn) -> str:
    return TABLE[tuple(turn.state)]


run(choose)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    dice = python(
        "say(random.choice(legal))",
        first="import random",
        each='if word == "seed": random.seed(rest)',
    )
    bots = {"first": cup.FIRST, "dice": dice}
    return workspaces.make(tmp_path_factory.mktemp("nemesis") / "ws", bots, "mummy_maze/random:5")


def nemesis(folder: Path, *words: str) -> dict:
    """What the command says of a bot."""
    done = cup.arena(folder, "nemesis", *words, "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    return row


def best_response(game, bot_role: str, answer) -> int:
    """The most points that can be had against a bot whose answer to each position is known, by
    trying all play.
    """
    (other,) = {*game.roles} - {bot_role}

    @cache
    def worth(state) -> int:
        if (outcome := game.outcome(state)) is not None:
            return outcome.scores[other]
        (role,) = game.to_move(state)
        legal = game.legal_moves(state, role)
        moves = [answer(state, legal)] if role == bot_role else legal
        return max(worth(game.play(state, {role: move})) for move in moves)

    return worth(game.start())


def boards(folder: Path):
    """The duel, and the five mazes that were drawn for this workspace."""
    (drawn,) = config.load(folder / "tournament.toml").event(folder).boards
    return [rulebook.game_of(rulebook.find("mummy_maze/duel")[0]), *rulebook.games_of(drawn)]


@pytest.mark.parametrize(("number", "role"), [(0, "explorer"), (1, "mummy")])
def test_what_it_takes_is_the_exact_best_response_on_solved_boards(folder, number, role):
    board = (
        ("--board", "mummy_maze/random:5", "--seed", str(number - 1))
        if number
        else ("--board", "mummy_maze/duel")
    )
    found = nemesis(folder, "first", *board, "--role", role)
    exact = best_response(boards(folder)[number], role, lambda _, legal: legal[0])
    assert (found["score"], found["exact"]) == (exact, True)
    assert found["low"] == found["high"] == exact
    assert found["matches"] <= 400


def perfect_mummy(game) -> tuple[dict[tuple, str], list[tuple[tuple, str]]]:
    """A perfect move for each position that a perfect mummy can be led to, and those moves that
    throw the win away.
    """
    value = game.solve()
    table, blunders = {}, []
    seen, todo = set(), [game.start()]
    while todo:
        state = todo.pop(0)
        if state in seen or game.outcome(state) is not None:
            continue
        seen.add(state)
        (role,) = game.to_move(state)
        after = {move: game.play(state, {role: move}) for move in game.legal_moves(state, role)}
        if role == "mummy":
            blunders += [
                (tuple(state), move) for move, child in after.items() if value(child).score == 100
            ][:1]
            best = table[tuple(state)] = min(after, key=lambda move: value(after[move]))
            after = {best: after[best]}
        todo += after.values()
    return table, blunders


@pytest.mark.soak
def test_a_planted_trap_is_found_within_a_hundred_matches(folder, tmp_path):
    """A mummy that never errs, but in a single position, is beaten through it."""
    table, blunders = perfect_mummy(boards(folder)[0])
    trap, blunder = blunders[-4]
    bot, replay, lessons = (
        tmp_path / name for name in ("trapped.py", "replay.txt", "lessons.toml")
    )
    bot.write_text(BY_TABLE.format(table=table | {trap: blunder}))
    words = ("--role", "mummy", "--matches", "100", "--to", str(replay), "--tests", str(lessons))
    found = nemesis(folder, str(bot), "--board", "mummy_maze/duel", *words)
    assert blunder in [each["move"] for each in found["moves"]]
    assert (found["score"], found["value"], found["exact"]) == (100, 0, True)
    assert "explorer (nemesis) 100" in cup.arena(folder, "replay", str(replay)).stdout
    assert f'good = ["{blunder}"' not in lessons.read_text()
    assert f'played = "{blunder}"' in lessons.read_text()
    assert cup.arena(folder, "check", str(bot), "--lessons", str(lessons)).returncode == 1


def test_a_bot_that_throws_dice_is_judged_by_matches_with_new_dice(folder):
    found = nemesis(
        folder, "dice", "--board", "mummy_maze/duel", "--role", "mummy", "--matches", "24"
    )
    assert (found["matches"], found["exact"]) == (24, False)
    assert 0 < found["low"] < found["score"] <= found["high"] <= 100


def test_two_matches_are_enough_for_a_figure_and_too_few_for_a_proof(folder):
    found = nemesis(
        folder, "dice", "--board", "mummy_maze/duel", "--role", "mummy", "--matches", "2"
    )
    assert (found["matches"], found["exact"]) == (2, False)
    assert found["low"] < found["high"]
    found = nemesis(
        folder, "first", "--board", "mummy_maze/duel", "--role", "mummy", "--matches", "1"
    )
    assert (found["matches"], found["exact"]) == (1, False)


def test_in_a_game_of_one_turn_each_match_tries_another_move(folder):
    found = nemesis(
        folder, "first", "--board", "openspiel/matrix_rps", "--role", "player0", "--matches", "9"
    )
    assert (found["score"], found["exact"], found["moves"][0]["move"]) == (100, True, "Paper")


def test_where_not_all_moves_were_compared_nothing_is_proven(folder, monkeypatch):
    monkeypatch.setattr("arena.extras.nemesis.search.MOST_JOINT", 2)
    found = nemesis(
        folder, "first", "--board", "openspiel/matrix_rps", "--role", "player0", "--matches", "20"
    )
    assert (found["score"], found["exact"]) == (100, False)


def test_a_mistake_on_the_command_line_is_one_line(folder):
    for words, mistake in {
        (
            "first",
            "--board",
            "mummy_maze/duel",
        ): "say which role the bot plays: --role explorer or --role mummy",
        (
            "first",
            "--board",
            "mummy_maze/duel",
            "--role",
            "fox",
        ): "--role fox: mummy_maze/duel has explorer, mummy",
        ("nobody", "--board", "mummy_maze/duel", "--role", "mummy"): "there is no bot 'nobody'",
    }.items():
        assert cup.refused(cup.arena(folder, "nemesis", *words), mistake)
