"""The frame of a match: it fits the terminal, names players, moves and faults, and lets nothing
hostile through.
"""

import re
from dataclasses import replace

import pytest

from arena.cli.live.layout import Story, cut, frame, width
from arena.games import rulebook
from arena.match.human import HUMAN
from arena.replay.player_view import PlayerView
from arena.replay.replayer import scenes
from arena.values import Bot, Ending, Fault, Record, Seat, Turn, Verdict
from tests.support import live
from tests.support.toy import Duet, match_of

SGR = re.compile(r"\x1b\[[0-9;]*m")
BOARDS = rulebook.all_boards()
(HUNT,) = rulebook.find("mummy_maze/hunt")


def story_of(board, turns=12, name="walker", colour=True, **changes):
    """A match in which everybody always plays the first legal move."""
    game = rulebook.game_of(board)
    match = live.match_of(board.label, Bot(name=name, command=(), digest=""))
    state, made = game.start(), []
    for number in range(1, turns + 1):
        moves = {role: game.legal_moves(state, role)[0] for role in game.to_move(state)}
        made += [
            Turn(number=number, role=role, move=move, **changes) for role, move in moves.items()
        ]
        state = game.play(state, moves) if moves else state
    return Story(game, match, dict.fromkeys(game.roles, name), colour, list(scenes(game, made)))


def over(story, *faults):
    verdict = Verdict(
        scores=dict.fromkeys(story.game.roles, 50), reason="step limit", faults=faults
    )
    story.record = Record(
        match=story.match, turns=(), verdict=verdict, sides=(), seats=(), started=""
    )
    return story


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.label)
def test_every_board_has_room_on_80_by_24_beside_who_plays_and_the_moves(board):
    story = story_of(board)
    drawn = frame(story, story.last, (80, 24), ("one", "two"))
    assert len(drawn) == 24
    assert max(map(width, drawn)) <= 80
    text = SGR.sub("", "\n".join(drawn))
    assert "too small" not in text
    assert all(f"{role}" in text for role in board.roles)
    assert f"{story.last} {story.scenes[-1].turns[0].role}" in text
    assert drawn[-2:] == ["one", "two"]


@pytest.mark.parametrize("size", [(80, 24), (60, 40), (44, 24), (30, 12), (200, 60), (10, 5)])
def test_a_frame_never_leaves_the_terminal(size):
    story = over(
        story_of(HUNT, name="名前" * 20),
        Fault(role="mummy", ending=Ending.CRASHED, turn=3, words="word " * 80),
    )
    for place in (0, 5, story.last):
        drawn = frame(story, place, size, ("", ""))
        assert len(drawn) == size[1]
        assert max(map(width, drawn)) <= size[0]


def test_a_board_that_does_not_fit_is_replaced_by_a_message():
    said = "\n".join(frame(story_of(HUNT), 0, (44, 15), ("", "")))
    assert "too small" in said


def test_the_last_frame_names_the_reason_and_the_seat_at_fault():
    fault = Fault(role="mummy", ending=Ending.TIMEOUT, turn=3, words="no answer in 1000 ms")
    story = over(story_of(rulebook.find("duel")[0]), fault)
    last, before = (
        SGR.sub("", "\n".join(frame(story, at, (80, 24), ("", "")))) for at in (story.last, 1)
    )
    assert "step limit after 12 turns" in last
    assert "mummy: timeout: no answer" in last
    assert "step limit" not in before


def test_a_person_sees_the_moves_of_others_only_where_they_may_be_told():
    for hidden in (False, True):
        game = Duet(hidden=hidden)
        planned = match_of(game)
        match = replace(planned, seats=(Seat("fox", HUMAN), *planned.seats[1:]))
        made = [
            Turn(number=1, role="fox", move="wait"),
            *(Turn(number=2, role=one, move="win") for one in game.sides[1]),
        ]
        told = [turn.role for scene in PlayerView(game, match).go_on(made) for turn in scene.turns]
        assert told == (["fox"] if hidden else ["fox", "hen", "chick"])


def test_hostile_names_and_remarks_do_nothing():
    story = story_of(HUNT, name="\x1b[2J\u202ebad", remarks=("\x1b]0;owned\x07",), colour=False)
    said = "".join(frame(story, story.last, (200, 50), ("", "")))
    assert not re.search("[\x00-\x1f\x7f\u202e]", said)
    assert "owned" in said


def test_without_colour_there_is_none():
    assert "\x1b" not in "".join(frame(story_of(HUNT, colour=False), 3, (80, 24), ("", "")))


def test_a_text_is_cut_by_the_columns_it_takes_and_its_colour_ends():
    short = cut("\x1b[1mabcdef\x1b[0m", 4)
    assert (SGR.sub("", short), short[-4:]) == ("abc…", "\x1b[0m")
    assert width(cut("名前名前", 5)) <= 5
    assert cut("abc", 3) == "abc"
