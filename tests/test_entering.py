"""What is typed or pressed means a legal move, in any game, or it is said why not."""

import pytest

from arena import rulebook
from arena.cli.live.entering import by_text, by_ways, columned, listing, misunderstood, shared, ways_of
from arena.cli.live.keyboard import decode
from arena.cli.live.reel import PACES, Reel

EXPLORER = tuple(f"move1 {way}" for way in ("north", "south", "east", "west", "nowhere"))
DUEL = rulebook.load("mummy_maze", "duel")
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
def test_a_move_may_be_typed_whole_by_its_last_words_its_number_or_its_beginnings(text, legal, meant):
    assert list(by_text(text, legal)) == meant


def test_arrows_enter_the_ways_of_a_move_one_after_another():
    assert by_ways(["up"], EXPLORER) == ("move1 north",)
    assert by_ways(["stay"], EXPLORER) == ("move1 nowhere",)
    assert len(by_ways(["up"], MUMMY)) == 5
    assert by_ways(["up", "left"], MUMMY) == ("move2 north west",)
    assert by_ways(["right"], STICKS) == ()


@pytest.mark.parametrize(
    ("move", "ways"),
    [("go n", ("up",)), ("s", ("down",)), ("turn left", ("left",)), ("mark e 4", ()), ("pass", ("stay",)), ("e4", ())],
)
def test_the_words_of_any_game_are_looked_at_for_ways(move, ways):
    assert ways_of(move) == ways


def test_numbers_are_listed_only_where_no_move_ends_in_one():
    assert listing(EXPLORER)[3] == "4 move1 west"
    assert listing(STICKS) == list(STICKS)


def test_a_list_may_leave_out_what_all_moves_begin_with_and_what_is_not_meant():
    assert shared(EXPLORER) == shared(MUMMY) == 1
    assert shared(["pass"]) == 0
    assert listing(MUMMY, by_ways(["up", "left"], MUMMY), shared=1) == [" 4 north west"]


def test_a_list_reads_downwards_in_as_many_columns_as_fit():
    assert columned(["a", "b", "c", "d", "e"], 4) == ["a  d", "b  e", "c"]
    assert columned([], 40) == []


def test_what_is_not_understood_is_answered_with_what_may_be_meant():
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
    reel = Reel(last=20, **changes)
    for key in keys:
        reel.press(key)
    return reel


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
    assert pressed(*keys).place == place


def test_play_at_the_end_begins_again_and_stops_there():
    reel = pressed("end", "space")
    assert (reel.place, reel.playing) == (0, True)
    for _ in range(21):
        reel.forward()
    assert (reel.place, reel.playing) == (20, False)


def test_forward_at_the_end_of_a_match_that_is_played_asks_for_the_next_turn():
    assert pressed("end", "right", over=False).wanted
    assert not pressed("end", "right").wanted


def test_the_pace_has_bounds():
    assert pressed(*["+"] * 20).pace == len(PACES) - 1
    assert pressed(*["-"] * 20).pace == 0


def test_q_and_escape_leave_and_escape_first_forgets_a_number():
    assert pressed("q").left
    assert pressed("escape").left
    assert not pressed("4", "escape").left
