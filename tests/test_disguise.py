"""Boards in disguise: the same game in other words, for bots that need a language model, and for nobody else."""

import random
import re
from dataclasses import replace

import live
import pytest

from arena import protocol
from arena.game import CHANCE
from arena.games import manual, rulebook
from arena.match.disguise import Disguise, Reflection, reflection
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.values import DISGUISED, Bot, Conditions, Ending, Event

BOARDS = (
    *("mummy_maze/hunt", "mummy_maze/duel", "mummy_maze/duel_published", "mummy_maze/court"),
    *("pacman/classic", "pacman/published", "connect_four/standard", "goofspiel/five", "kuhn_poker/three_cards"),
    "surround/nine",
)
ASKER = Bot(name="asker", command=("a",), digest="0", model=True)
WIRE = set("arena match game roles role seed secret time start move bank board ready turn last state legal go rules score end".split())


def match_on(label: str, seed: int = 1, **conditions: object):
    (board,) = rulebook.find(label + DISGUISED)
    event = Event(name="e", seed=seed, boards=(board,), bots=(ASKER,), conditions=Conditions(**conditions))
    return event.match(board, (ASKER,) * len(board.roles), 0)


def disguised(label: str, seed: int = 1):
    match = match_on(label, seed)
    game = rulebook.game_of(match)
    return game, Disguise(game, match, game.roles[0])


@pytest.mark.parametrize("label", BOARDS)
def test_a_bot_in_disguise_reads_no_word_of_the_game(label):
    match = match_on(label)
    game = rulebook.game_of(match)
    referee, dice, read = Referee(game, match), random.Random(1), ""
    seats = {role: Disguise(game, match, role) for role in game.roles}
    while asks := referee.asks():
        replies = {}
        for role, plain in asks.items():
            ask = seats[role].ask(plain)
            read += ask.text.decode()
            line = b"ready" if ask.ready else dice.choice(ask.legal).encode()
            replies[role] = seats[role].reply(Reply(line=line))
        referee.hear(replies)
    read += seats[game.roles[0]].last_words(referee.farewell()).decode()
    own = {*game.roles, *manual.words(game.manual), *match.game.split("_"), match.board.removesuffix(DISGUISED)}
    assert own & (set(re.findall("[A-Za-z_0-9]+", read)) - WIRE) == set()
    assert "disguise" not in read
    assert {turn.by for turn in referee.turns} <= {"bot", "chance"}


def reflected_game(game, way: Reflection):
    """Return the game on the board that the reflected facts describe."""
    names = [name for name in (*game.roles, "exit") if hasattr(game, name)]
    values = {name: way.cell(getattr(game, name)) for name in names}
    if hasattr(game, "walls"):
        facts = [way.wall("wall X Y WAY", fact) for fact in game.board() if fact.startswith("wall")]
        values["walls"] = tuple((int(x), int(y), side) for _, x, y, side in (fact.split() for fact in facts if fact))
    values |= {"enclosing": ()} if hasattr(game, "enclosing") else {}
    values |= {"pellets": tuple(map(way.cell, game.pellets))} if hasattr(game, "pellets") else {}
    return replace(game, **values)


def reflections(game) -> list[Reflection]:
    """Return every way in which a disguise may reflect the board, each once."""
    ways = {reflection(game, random.Random(seed)) for seed in range(200)}
    assert len(ways) == 2 ** len(game.symmetry.mirrors)
    return sorted(ways, key=str)


@pytest.mark.parametrize("label", ["mummy_maze/hunt", "mummy_maze/duel", "mummy_maze/duel_published", "mummy_maze/court"])
def test_each_state_of_a_solved_board_is_worth_the_same_when_reflected(label):
    game = rulebook.game_of(rulebook.find(label)[0])
    solution, cells = game.solve(), list(game._next)
    for way in reflections(game):
        other = reflected_game(game, way)
        values, order = other.solve(), [list(other._next).index(way.cell(cell)) for cell in cells]
        pairs = [first * len(cells) + second for first in order for second in order]
        assert (values.worth[:, pairs] == solution.worth).all()


@pytest.mark.parametrize("label", ["mummy_maze/hunt", "pacman/classic", "connect_four/standard", "surround/nine"])
def test_a_reflected_board_is_played_by_the_same_rules(label):
    game = rulebook.game_of(rulebook.find(label)[0])
    for way in reflections(game):
        match = match_on(label)
        disguise = Disguise(game, match, game.roles[0])
        disguise._reflection, disguise._vocabulary.swapped = way, str
        other, dice = reflected_game(game, way), random.Random(str(way))
        state, there = game.start(), other.start()
        if label == "surround/nine":  # its riders begin in other corners there, which no parameter says
            there = there._replace(trails=tuple(tuple(map(way.cell, trail)) for trail in there.trails))
        assert {disguise.fact(fact) for fact in game.board()} - {None} == set(other.board())
        while movers := game.to_move(state):
            assert other.to_move(there) == movers
            assert {disguise.fact(fact) for fact in game.view(state, None)} == set(other.view(there, None))
            moves = {role: dice.choice(game.legal_moves(state, role)) for role in movers}
            for role in movers:
                seen = {disguise.move(move) for move in game.legal_moves(state, role)}
                assert seen == set(other.legal_moves(there, role))
            state = game.play(state, moves)
            there = other.play(there, {role: disguise.move(move) for role, move in moves.items()})
        assert game.outcome(state) == other.outcome(there)
