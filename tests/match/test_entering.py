"""Typed text and pressed keys mean a legal move, in any game, or the answer says why not."""

import pytest

from arena import load_game
from arena.cli.live.terminal import decode
from arena.cli.live.viewer import SPEEDS_S, Playback
from arena.match.entering import (
    by_directions,
    by_text,
    directions_of,
    in_columns,
    listing,
    misunderstood,
    shared_words,
)

EXPLORER = tuple(f"move1 {way}" for way in ("north", "south", "east", "west", "nowhere"))
DUEL = load_game("mummy_maze/duel")
MUMMY = DUEL.legal_moves(DUEL.play(DUEL.start(), {"explorer": "move1 north"}), "mummy")
STICKS = ("take 3", "take 2", "take 1")


@pytest.mark.parametrize(
    ("text", "legal", "meant"),
    [
        ("move1 north", EXPLORER, ["move1 north"]),
        ("  MOVE1   North ", EXPLORER, ["move1 north"]),
        ("north", EXPLORER, ["move1 north"]),
        ("4", EXPLORER, ["move1 west"]),
        ("w", EXPLORER, ["move1 west"]),
        ("m w", EXPLORER, ["move1 west"]),
        ("n", EXPLORER, ["move1 north", "move1 nowhere"]),
        ("no w", MUMMY, ["move2 north west", "move2 nowhere west"]),
        ("nor w", MUMMY, ["move2 north west"]),
        ("2", STICKS, ["take 2"]),
        ("6", EXPLORER, []),
        ("٤", EXPLORER, []),
        ("", EXPLORER, []),
        ("move1 north please", EXPLORER, []),
    ],
)
def test_a_move_may_be_typed_whole_by_its_last_words_its_number_or_its_beginnings(
    text, legal, meant
):
    assert list(by_text(text, legal)) == meant


def test_arrows_enter_the_directions_of_a_move_one_after_another():
    assert by_directions(["up"], EXPLORER) == ("move1 north",)
    assert by_directions(["stay"], EXPLORER) == ("move1 nowhere",)
    assert len(by_directions(["up"], MUMMY)) == 5
    assert by_directions(["up", "left"], MUMMY) == ("move2 north west",)
    assert by_directions(["right"], STICKS) == ()


@pytest.mark.parametrize(
    ("move", "ways"),
    [
        ("go n", ("up",)),
        ("s", ("down",)),
        ("turn left", ("left",)),
        ("mark e 4", ()),
        ("pass", ("stay",)),
        ("e4", ()),
    ],
)
def test_the_words_of_any_game_may_be_directions(move, ways):
    assert directions_of(move) == ways


def test_numbers_are_listed_only_where_no_move_ends_in_one():
    assert listing(EXPLORER)[3] == "4 move1 west"
    assert listing(STICKS) == list(STICKS)


def test_a_list_may_leave_out_shared_words_and_moves_that_are_not_meant():
    assert shared_words(EXPLORER) == shared_words(MUMMY) == 1
    assert shared_words(["pass"]) == 0
    assert listing(MUMMY, by_directions(["up", "left"], MUMMY), shared=1) == [" 4 north west"]


def test_a_list_reads_downwards_in_as_many_columns_as_fit():
    assert in_columns(["a", "b", "c", "d", "e"], 4) == ["a  d", "b  e", "c"]
    assert in_columns([], 40) == []


def test_a_text_that_is_not_understood_is_answered_with_likely_moves():
    assert "move1 north, move1 nowhere" in misunderstood("n", EXPLORER, by_text("n", EXPLORER))
    assert "did you mean 'move1 west'" in misunderstood("move1 wst", EXPLORER, ())


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"\x1b[A\x1b[B\x1bOC\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1b[1;5C", ["right"]),
        (b"\x1b[H\x1b[4~\x1b[5~", ["home", "end", "page up"]),
        (b"q\r \x7f\x04", ["q", "enter", "space", "backspace", "ctrl-d"]),
        ("é✓".encode(), ["é", "✓"]),
        (b"\x1b[200~x\x00\xff", ["x"]),
    ],
)
def test_bytes_become_keys_however_they_are_cut(data, keys):
    assert decode(data, complete=True) == (keys, b"")
    found, rest = [], b""
    for byte in data:
        more, rest = decode(rest + bytes([byte]))
        found += more
    assert found + decode(rest, complete=True)[0] == keys


def test_escape_alone_is_a_key_once_nothing_follows_it():
    assert decode(b"\x1b") == ([], b"\x1b")
    assert decode(b"\x1b", complete=True) == (["escape"], b"")


def pressed(*keys, **changes):
    playback = Playback(last=20, **changes)
    for key in keys:
        playback.press(key)
    return playback


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (["right", "right", "left"], 1),
        (["left"], 0),
        (["1", "2", "enter"], 12),
        (["9", "9", "enter"], 20),
        (["1", "2", "escape", "enter"], 1),
        (["end", "right"], 20),
        (["end", "page up"], 10),
        (["end", "home"], 0),
        (["x", "delete"], 0),
    ],
)
def test_keys_lead_to_a_turn(keys, place):
    assert pressed(*keys).turn == place


def test_play_at_the_end_begins_again_and_stops_there():
    playback = pressed("end", "space")
    assert (playback.turn, playback.playing) == (0, True)
    for _ in range(21):
        playback.forward()
    assert (playback.turn, playback.playing) == (20, False)


def test_forward_at_the_end_of_a_match_that_is_played_asks_for_the_next_turn():
    assert pressed("end", "right", over=False).next_requested
    assert not pressed("end", "right").next_requested


def test_the_speed_has_bounds():
    assert pressed(*["+"] * 20).speed == len(SPEEDS_S) - 1
    assert pressed(*["-"] * 20).speed == 0


def test_q_and_escape_leave_and_escape_first_forgets_a_number():
    assert pressed("q").left
    assert pressed("escape").left
    assert not pressed("4", "escape").left
