"""Every game from a real match to its replay: played by bots, verified, drawn, and played again the
same.
"""

import pytest

from arena.games import rulebook
from arena.match.play import play
from arena.replay.drawing import render_state
from arena.replay.reconstruct import disagreements
from arena.replay.replayer import scenes
from arena.replay.rerun import differences
from tests.support import cup, live

BOARDS = ["connect_four/standard", "goofspiel/five", "kuhn_poker/three_cards", "surround/nine"]
DRAWN = {
    "connect_four/standard": " R ",
    "goofspiel/five": "│ 5 │",
    "kuhn_poker/three_cards": "┌───┐",
    "surround/nine": " G ",
}


@pytest.mark.parametrize("label", BOARDS)
def test_a_match_is_played_verified_drawn_and_played_again_the_same(launcher, tmp_path, label):
    bots = [
        live.bot_of(tmp_path / "first.py", cup.FIRST),
        live.bot_of(tmp_path / "last.py", cup.LAST),
    ]
    (board,) = rulebook.find(label)
    match = live.match_of(label, *(bots * 2)[: len(board.roles)])
    record = play(match, launcher=launcher)
    assert record.verdict.faults == ()
    game = rulebook.game_of(match)
    assert list(disagreements(game, record)) == []
    first_turn = list(scenes(game, record.turns))[1]
    assert DRAWN[label] in render_state(game, first_turn.facts)
    assert list(differences(record, play(match, launcher=launcher))) == []
