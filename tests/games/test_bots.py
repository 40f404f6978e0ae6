"""The house bots, in real matches: legal, the same each time, and as strong as their pages say."""

import runpy
from functools import cache
from itertools import cycle, groupby
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from arena import load_game
from arena.event import discovery
from arena.event.schedules import round_robin
from arena.games import rulebook
from arena.games.pursuit import turns_to_capture
from arena.match.play import play
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Event, Record

HOUSE = {bot.name: bot for bot in discovery.gather(Path(__file__).parents[2] / "bots")}


def played(launcher: Launcher, board: Board, *names: str) -> Record:
    bots = tuple(HOUSE[name] for name in names)
    event = Event(name="t", seed=3, boards=(board,), bots=tuple(HOUSE.values()))
    return play(event.match(board, bots, 0), launcher=launcher)


first_played = cache(played)
"""A match that several tests look at is played once."""


def meeting(launcher: Launcher, label: str, *names: str) -> Record:
    (board,) = rulebook.find(label)
    return first_played(launcher, board, *names)


def moves_of(record: Record) -> list[tuple[int, str, str]]:
    return [(turn.number, turn.role, turn.move) for turn in record.turns]


def pairs() -> list[tuple[str, tuple[str, ...]]]:
    """Return for each game enough pairings that every bot sits in every role that it plays, on its
    boards in turn.

    A pairing that seats only bots that were not in these roles before is taken first.
    """
    chosen = []
    for _, boards in groupby(rulebook.all_boards(), lambda board: board.game):
        first, *_ = turns = [*boards]
        seatings = [
            tuple(bot.name for bot in seating)
            for seating in round_robin.seatings(first, tuple(HOUSE.values()), "sides")
        ]
        missing = {seat for names in seatings for seat in zip(first.roles, names, strict=True)}
        for board in cycle(turns):
            if not missing:
                break
            names = max(
                seatings,
                key=lambda names: len(missing.intersection(zip(first.roles, names, strict=True))),
            )
            missing.difference_update(zip(first.roles, names, strict=True))
            chosen.append((board.label, names))
    return sorted(chosen)


@pytest.mark.slow
@pytest.mark.parametrize(("label", "names"), pairs())
def test_every_house_bot_plays_every_role_to_the_end_without_a_fault(launcher, label, names):
    record = meeting(launcher, label, *names)
    assert record.verdict.faults == ()
    assert all(seat.warnings == () and seat.stderr == "" for seat in record.seats)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("classic", ("dice", "pacmaster", "pacmaster")),
        ("classic", ("careful", "hungry", "hungry")),
        ("classic", ("hungry", "careful", "careful")),
        ("classic", ("pacmaster", "dice", "dice")),
        ("hunt", ("oracle", "planner")),
        ("duel", ("planner", "walker")),
        ("duel", ("walker", "oracle")),
        ("classic", ("sampler", "dice", "dice")),
    ],
)
def test_house_bots_play_the_same_each_time(launcher, label, names):
    (board,) = rulebook.find(label)
    assert moves_of(meeting(launcher, label, *names)) == moves_of(played(launcher, board, *names))


@pytest.mark.slow
@pytest.mark.parametrize("explorer", ["oracle", "planner", "walker"])
def test_the_oracle_as_mummy_eats_within_18_turns_of_duel(launcher, explorer):
    record = meeting(launcher, "duel", explorer, "oracle")
    assert record.verdict.reason == "eaten"
    assert record.turns[-1].number <= 18


@pytest.mark.slow
def test_the_oracle_as_explorer_lasts_as_long_as_can_be_lasted(launcher):
    assert meeting(launcher, "duel", "oracle", "oracle").turns[-1].number == 18
    assert meeting(launcher, "hunt", "oracle", "oracle").turns[-1].number == 8


@pytest.mark.slow
def test_the_best_pacman_eats_everything_before_careful_ghosts(launcher):
    assert (
        meeting(launcher, "classic", "pacmaster", "careful", "careful").verdict.scores["pacman"]
        == 100
    )
    assert (
        meeting(launcher, "classic", "careful", "careful", "careful").verdict.scores["pacman"] < 50
    )


@pytest.mark.slow
def test_the_best_pacman_sees_that_ghosts_wander_and_eats(launcher):
    record = meeting(launcher, "classic", "pacmaster", "dice", "dice")
    assert record.verdict.scores["pacman"] > 50
    assert any("wandering=1" in remark for turn in record.turns for remark in turn.remarks)


@pytest.mark.slow
@pytest.mark.parametrize("pacman", ["pacmaster", "careful", "sampler", "hungry", "dice"])
def test_the_best_ghosts_catch_every_house_pacman_within_16_turns(launcher, pacman):
    record = meeting(launcher, "classic", pacman, "pacmaster", "pacmaster")
    assert record.verdict.reason == "caught"
    assert record.turns[-1].number <= 16


def test_the_best_ghosts_know_when_they_can_force_a_capture(monkeypatch):
    monkeypatch.setattr("arena.kit.run", lambda *_, **__: None)
    bot = runpy.run_path(str(Path(HOUSE["pacmaster"].files or "") / "bot.py"))
    game = load_game("pacman/classic")
    bot["prepare"](SimpleNamespace(board=game.board()))
    cells = sorted(game.cells_in_play)
    ways = [[cells.index(there) for there in game._ways[cell].values()] for cell in cells]
    turns = turns_to_capture(ways, 100)
    dice = Random(3)
    for _ in range(500):
        pacman, blinky, inky = (dice.randrange(len(cells)) for _ in range(3))
        state = game.start()._replace(pacman=cells[pacman], blinky=cells[blinky], inky=cells[inky])
        rounds = bot["rounds"](
            bot["pacman_moves"], state
        )  # each is a turn of Pacman and one of the ghosts
        forced = turns[pacman, blinky, inky]
        assert (
            forced in (2 * rounds, 2 * rounds - 1)
            if rounds < len(bot["pacman_moves"])
            else forced == 101
        )


def test_each_house_bot_plays_every_role_of_its_games():
    assert all(bot.roles == () for bot in HOUSE.values())


def test_dice_plays_any_game_and_needs_nothing_of_arena():
    bot: Bot = HOUSE["dice"]
    assert bot.games == ()
    assert "arena" not in Path(bot.files or "").read_text().replace('"""Plays any', "")


def test_the_sampler_lists_no_more_moves_for_an_answer_on_a_large_board(monkeypatch):
    """On a board such as that of Go its playouts of all moves would take minutes."""
    monkeypatch.setattr("arena.kit.run", lambda *_, **__: None)
    sampler = runpy.run_path(str(Path(HOUSE["sampler"].files or "") / "bot.py"))
    legal, listed = tuple(f"place {cell}" for cell in range(400)), []

    class Large:
        def to_move(self, state):
            return ("black",)

        def legal_moves(self, state, role):
            listed.append(len(legal))
            return legal

        def play(self, state, moves):
            return state + 1

        def outcome(self, state):
            return None

    turn = SimpleNamespace(
        rules=Large(), states=[0], legal=legal, role="black", random=Random(1), remark=str
    )
    assert sampler["choose"](turn) in legal
    assert sum(listed) < 1.5 * sampler["WORK"]


@pytest.mark.slow
def test_the_sampler_plays_any_game_and_better_than_dice(launcher):
    assert (HOUSE["sampler"].games, HOUSE["sampler"].roles) == ((), ())
    for board, seats in (("hunt", 2), ("duel", 2), ("classic", 3)):
        first, last = ["sampler"] + ["dice"] * (seats - 1), ["dice"] + ["sampler"] * (seats - 1)
        leg, other = (
            [*meeting(launcher, board, *names).verdict.scores.values()] for names in (first, last)
        )
        assert leg[0] + other[-1] > leg[-1] + other[0], board
