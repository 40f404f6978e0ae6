"""Boards in disguise: the same game in other words, for bots that need a language model, and for
nobody else.
"""

import csv
import random
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena import rulefile
from arena.errors import ArenaError
from arena.extras.models.disguise import Disguise, Disguises, Reflection, reflection
from arena.game import Symmetry
from arena.games import manual, rulebook
from arena.games.conformance import flaws
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.replay import notation
from arena.results.archive import Archive
from arena.values import DISGUISED, Bot, Conditions, Ending, Event
from tests.support import cup, sprint, workspaces

BOARDS = (
    *("mummy_maze/hunt", "mummy_maze/duel", "mummy_maze/duel_published", "mummy_maze/court"),
    *(
        "pacman/classic",
        "pacman/published",
        "connect_four/standard",
        "goofspiel/five",
        "kuhn_poker/three_cards",
    ),
    "surround/nine",
)
HOUSE = Path(__file__).parents[3] / "bots" / "llm"
ASKER = Bot(name="asker", command=("a",), digest="0", model=True)
WIRE = {
    *(
        "arena",
        "match",
        "game",
        "roles",
        "role",
        "seed",
        "time",
        "start",
        "move",
        "bank",
        "board",
        "ready",
        "rules",
    )
}
WIRE |= {*("turn", "last", "state", "legal", "go", "score", "end")}


def match_on(label: str, seed: int = 1, **conditions: object):
    (board,) = rulebook.find(label + DISGUISED)
    event = Event(
        name="e", seed=seed, boards=(board,), bots=(ASKER,), conditions=Conditions(**conditions)
    )
    return event.match(board, (ASKER,) * len(board.roles), 0)


@pytest.mark.parametrize("label", BOARDS)
def test_a_bot_in_disguise_reads_no_word_of_the_game(label):
    match = match_on(label)
    game = rulebook.game_of(match)
    referee, dice, read = Referee(game, match), random.Random(1), ""
    seats = {role: Disguise(game, match, role) for role in game.roles}
    assert all(
        Disguise(game, match, role).manual == seat.manual for role, seat in seats.items()
    )  # as in a rerun
    while asks := referee.asks():
        replies = {}
        for role, plain in asks.items():
            ask = seats[role].ask(plain)
            read += ask.text.decode()
            line = b"ready" if ask.ready else dice.choice(ask.legal).encode()
            replies[role] = seats[role].reply(Reply(line=line))
        referee.hear(replies)
    read += seats[game.roles[0]].last_words(referee.farewell()).decode()
    own = {
        *game.roles,
        *manual.words(game.manual),
        *match.game.split("_"),
        match.board.removesuffix(DISGUISED),
    }
    assert own & (set(re.findall("[A-Za-z_0-9]+", read)) - WIRE) == set()
    assert "disguise" not in read
    assert {turn.by for turn in referee.turns} <= {"bot", "chance"}


def reflected_game(game, way: Reflection):
    """Return the game on the board that the reflected facts describe."""
    names = [name for name in (*game.roles, "exit") if hasattr(game, name)]
    values = {name: way.cell(getattr(game, name)) for name in names}
    if hasattr(game, "walls"):
        facts = [way.wall("wall X Y WAY", fact) for fact in game.board() if fact.startswith("wall")]
        values["walls"] = tuple(
            (int(x), int(y), side) for _, x, y, side in (fact.split() for fact in facts if fact)
        )
    values |= {"enclosing": ()} if hasattr(game, "enclosing") else {}
    values |= {"pellets": tuple(map(way.cell, game.pellets))} if hasattr(game, "pellets") else {}
    return replace(game, **values)


def reflections(game) -> list[Reflection]:
    """Return every way in which a disguise may reflect the board, each once."""
    ways = {reflection(game, random.Random(seed)) for seed in range(200)}
    assert len(ways) == 2 ** len(game.symmetry.mirrors)
    return sorted(ways, key=str)


@pytest.mark.parametrize(
    "label", ["mummy_maze/hunt", "mummy_maze/duel", "mummy_maze/duel_published", "mummy_maze/court"]
)
def test_each_state_of_a_solved_board_is_worth_the_same_when_reflected(label):
    game = rulebook.game_of(rulebook.find(label)[0])
    solution, cells = game.solve(), list(game._next)
    for way in reflections(game):
        other = reflected_game(game, way)
        values, order = other.solve(), [list(other._next).index(way.cell(cell)) for cell in cells]
        pairs = [first * len(cells) + second for first in order for second in order]
        assert (values.worth[:, pairs] == solution.worth).all()


@pytest.mark.parametrize(
    "label", ["mummy_maze/hunt", "pacman/classic", "connect_four/standard", "surround/nine"]
)
def test_a_reflected_board_is_played_by_the_same_rules(label):
    game = rulebook.game_of(rulebook.find(label)[0])
    for way in reflections(game):
        match = match_on(label)
        disguise = Disguise(game, match, game.roles[0])
        disguise._reflection, disguise._vocabulary.swapped = way, str
        other, dice = reflected_game(game, way), random.Random(str(way))
        state, there = game.start(), other.start()
        if (
            label == "surround/nine"
        ):  # its riders begin in other corners there, which no parameter says
            there = there._replace(
                trails=tuple(tuple(map(way.cell, trail)) for trail in there.trails)
            )
        assert {disguise.fact(fact) for fact in game.board()} - {None} == set(other.board())
        while movers := game.to_move(state):
            assert other.to_move(there) == movers
            assert {disguise.fact(fact) for fact in game.view(state, None)} == set(
                other.view(there, None)
            )
            moves = {role: dice.choice(game.legal_moves(state, role)) for role in movers}
            for role in movers:
                seen = {disguise.move(move) for move in game.legal_moves(state, role)}
                assert seen == set(other.legal_moves(there, role))
            state = game.play(state, moves)
            there = other.play(there, {role: disguise.move(move) for role, move in moves.items()})
        assert game.outcome(state) == other.outcome(there)


def test_a_plain_answer_is_illegal_in_disguise_and_a_strike_is_told_in_its_words():
    for seed in range(20):  # so that boards are reflected in all ways
        match = match_on("mummy_maze/hunt", seed, strikes=1)
        game = rulebook.game_of(match)
        referee, seats = Referee(game, match), Disguises(game, match)
        ready = {role: Reply(line=b"ready") for role in seats.asks(referee.asks())}
        referee.hear(seats.replies(ready))
        plain = referee.asks()
        seen = seats.asks(plain)["explorer"].legal
        referee.hear(seats.replies({"explorer": Reply(line=plain["explorer"].legal[0].encode())}))
        (turn,) = referee.turns
        assert (turn.by, turn.refused) == ("strike", Ending.ILLEGAL_MOVE)
        assert turn.rejected_text not in plain["explorer"].legal
        mummy = seats.asks(referee.asks())["mummy"]
        referee.hear(seats.replies({"mummy": Reply(line=mummy.legal[0].encode())}))
        text = seats.asks(referee.asks())["explorer"].text.decode()
        said, played = re.findall('"([^"]*)"', text)
        assert said == plain["explorer"].legal[0]
        assert played in seen


@pytest.mark.parametrize("blank", ["\N{NO-BREAK SPACE}", "\N{LINE SEPARATOR}", "\x1f", "  "])
def test_an_answer_with_another_blank_is_refused_in_disguise_too(blank):
    match = match_on("connect_four/standard", strikes=1)
    game = rulebook.game_of(match)
    referee, seats = Referee(game, match), Disguises(game, match)
    referee.hear({role: Reply(line=b"ready") for role in seats.asks(referee.asks())})
    for answer in ("drop 3", seats.asks(referee.asks())["red"].legal[0]):
        reply = Reply(line=answer.replace(" ", blank).encode())
        assert seats.replies({"red": reply})["red"].line.decode() not in referee.asks()["red"].legal
    referee.hear(seats.replies({"red": reply}))
    assert referee.turns[0].by == "strike"


def test_rules_that_a_manual_does_not_explain_are_found_and_not_disguised(tmp_path):
    class Mute(type(rulebook.game_of(rulebook.find("connect_four/standard")[0]))):
        manual = "`red`, `yellow` and `grid`"
        symmetry = Symmetry(("z",))

    words = " ".join(flaw.words for flaw in flaws(Mute()))
    assert "manual: it does not explain `drop`" in words
    assert "there is no mirror 'z'" in words
    (tmp_path / "rules").mkdir()
    rules = (Path(rulefile.shipped()) / "kuhn_poker.py").read_text()
    (tmp_path / "rules" / "kuhn.py").write_text(
        re.sub('manual = """.*?"""', "manual = ''", rules, flags=re.DOTALL)
    )
    with pytest.raises(
        ArenaError, match=r"kuhn/default: cannot be played in disguise, .* write one in kuhn.py"
    ):
        rulebook.find("kuhn/default~disguised", tmp_path)


REMEMBERS = """\
import json, sys
request = json.load(sys.stdin)
text = "".join(message["content"] for message in request["messages"])
legal = json.loads(text.partition("legal_moves: ")[2].partition("\\n")[0])
best = [move for move in ("bet", "call") if move in legal]
print(json.dumps({"text": json.dumps({"move": best[0] if best else legal[0]}), "in": 9, "out": 1}))
"""


@pytest.mark.soak
def test_an_event_in_disguise_tells_memory_from_play_and_goes_the_same_way_again(tmp_path):
    bots = {"low": sprint.FIRST, "high": sprint.LAST}
    model = {"name": "m", "command": [sys.executable, "-S", "model.py"], "disguise": True}
    folder = workspaces.make(tmp_path / "w", bots, "kuhn_poker/three_cards", model=model)
    shutil.copytree(HOUSE, folder / "bots" / "llm")
    (folder / "model.py").write_text(REMEMBERS)
    with cup.first_chart_only():
        ran = cup.arena(folder, "run", "--workers", "1")
    assert ran.returncode == 0
    assert "tokens, an estimate by those played" in ran.stderr
    (results,) = (folder / "results").iterdir()
    (row,) = csv.DictReader((results / "disguise.csv").open())
    assert row["bot"] == "llm"
    assert float(row["difference"]) == pytest.approx(
        float(row["plain"]) - float(row["disguised"]), abs=0.01
    )
    assert float(row["difference"]) > 0
    assert float(row["difference_low"]) < float(row["difference"]) < float(row["difference_high"])
    assert cup.arena(folder, "leaderboard").stdout.count("in disguise") == 2
    assert cup.arena(folder, "verify").stdout.count("12 records: 12 confirmed") == 1
    with Archive.open(results) as archive:
        record = next(
            each
            for each in archive.records()
            if each.match.board == "three_cards~disguised" and each.match.seats[0].bot.name == "llm"
        )
    assert {seat.role for seat in record.match.seats} == {"first", "second"}
    assert record.verdict.faults == ()
    assert {turn.move.split()[0] for turn in record.turns} <= {
        "deal",
        "check",
        "bet",
        "fold",
        "call",
    }
    assert "check" not in record.calls[0].request
    assert "it went the same" in cup.arena(folder, "rerun", record.match.id).stdout
    alone = cup.arena(folder, "rerun", record.match.id, "--bot", "llm")
    assert alone.returncode == 0, alone.stdout
    exported = cup.arena(folder, "export", "--match", record.match.id)
    assert notation.record_of(exported.stdout).turns == record.turns
    assert "in disguise" in (results / "report.html").read_text()
