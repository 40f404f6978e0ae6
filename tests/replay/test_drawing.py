"""Drawings of all games, of grids that are odd, of declarations, and of games without anything to
draw.
"""

import re
import unicodedata
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import load_game
from arena.drawing import CHESSMEN, MAZE, Cards, Grid, LetterRows, Mark, Piece
from arena.games import rulebook
from arena.replay.drawing import render_state
from arena.replay.drawing.scene import read_grids, read_scene
from arena.replay.drawing.styles import Styles
from arena.report import boards
from tests.support import letters

BOARDS = rulebook.all_boards()
SGR = re.compile(r"\x1b\[[0-9;]+m")


def render(board, state, drawing=MAZE, roles=()):
    return render_state(SimpleNamespace(board=lambda: board, drawing=drawing, roles=roles), state)


def drawn(words):
    (board,) = rulebook.find(words)
    game = rulebook.game_of(board)
    return render_state(game, game.view(game.start(), None)).split("\n")


def test_hunt_is_drawn_with_the_ring_that_nobody_can_reach_filled():
    assert drawn("mummy_maze/hunt") == [
        "   ░░░░┏━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━┓",
        " 8 ░░░░┃       ┃                       ┃",
        "   ░░░░┃       ╹       ╻   ╻       ╺━━━┫",
        " 7 ░░░░┃               ┃   ┃           ┃",
        "   ░░░░┃       ┏━━━━━━━┛   ┗━━━╸       ┃",
        " 6 ░░░░┃       ┃                       ┃",
        "   ░░░░┃   ╺━━━┻━━━┓                   ┃",
        " 5 ░░░░┃           ┃                   ┃",
        "   ░░░░┃       ╻   ┃   ╻   ╻   ┏━━━╸   ┃",
        " 4 ░░░░┃       ┃   ┃   ┃   ┃   ┃       ┃",
        "   ░░░░┃   ╻   ╹   ┃   ╹   ╹   ┃   ╻   ┃",
        " 3 ░░░░┃   ┃     E ┃           ┃   ┃   ┃",
        "   ░░░░┣━━━┻━━━╸   ╹       ╺━━━┫   ╹   ┃",
        " 2 ░░░░┃ ⌂                     ┃       ┃",
        "   ░░░░┃           ╺━━━┓   ╺━━━┛       ┃",
        " 1 ░░░░┃               ┃ M             ┃",
        "   ░░░░┗━━━━━━━━━━━━━━━┻━━━━━━━━━━━━━━━┛",
        " 0 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
        "   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
        "     0   1   2   3   4   5   6   7   8",
        "   E explorer 3 3   M mummy 5 1   ⌂ exit 1 2   ░ out of reach",
        "   step 0",
    ]


def test_pacman_is_drawn_with_pellets_under_ghosts_and_filled_walls():
    assert drawn("pacman/classic") == [
        "   ░░░░░░░░┏━━━━━━━━━━━━━━━┓░░░░░░░░",
        " 8 ░░░░░░░░┃ ·   ·   ·   · ┃░░░░░░░░",
        "   ░░░░░░░░┃   ┏━━━━━━━┓   ┃░░░░░░░░",
        " 7 ░░░░░░░░┃ · ┃░░░░░░░┃ · ┃░░░░░░░░",
        "   ┏━━━━━━━┛   ┗━━━━━━━┛   ┗━━━━━━━┓",
        " 6 ┃ ·   ·   ·   B·  I·  ·   ·   · ┃",
        "   ┃   ┏━━━┓   ┏━━━━━━━┓   ┏━━━┓   ┃",
        " 5 ┃ · ┃░░░┃ · ┃░░░░░░░┃ · ┃░░░┃ · ┃",
        "   ┃   ┃░░░┃   ┃░░░░░░░┃   ┃░░░┃   ┃",
        " 4 ┃ · ┃░░░┃ · ┃░░░░░░░┃ · ┃░░░┃ · ┃",
        "   ┃   ┗━━━┛   ┗━━━━━━━┛   ┗━━━┛   ┃",
        " 3 ┃ ·   ·   ·   ·   P   ·   ·   · ┃",
        "   ┗━━━━━━━┓   ┏━━━━━━━┓   ┏━━━━━━━┛",
        " 2 ░░░░░░░░┃ · ┃░░░░░░░┃ · ┃░░░░░░░░",
        "   ░░░░░░░░┃   ┗━━━━━━━┛   ┃░░░░░░░░",
        " 1 ░░░░░░░░┃ ·   ·   ·   · ┃░░░░░░░░",
        "   ░░░░░░░░┗━━━━━━━━━━━━━━━┛░░░░░░░░",
        "     1   2   3   4   5   6   7   8",
        "   P pacman 5 3   B blinky 4 6   I inky 5 6   · 35 pellets   ░ out of reach",
        "   step 0   collected 0",
    ]


def test_the_discs_of_connect_four_stand_in_their_columns():
    game = load_game("connect_four/standard")
    state = game.start()
    for role, column in (("red", 4), ("yellow", 4), ("red", 7)):
        state = game.play(state, {role: f"drop {column}"})
    lines = render_state(game, game.view(state, None)).split("\n")
    assert lines[-6:] == [
        " 2 ┃             Y             ┃",
        "   ┃                           ┃",
        " 1 ┃             R           R ┃",
        "   ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━┛",
        "     1   2   3   4   5   6   7",
        "   R disc red   Y disc yellow",
    ]


def test_a_card_that_a_role_may_not_see_lies_face_down():
    game = load_game("kuhn_poker/three_cards")
    state = game.play(game.start(), {"chance": "deal K J"})
    assert render_state(game, game.view(state, "second")).split("\n") == [
        "              ┌───┐",
        " card first   │░░░│",
        "              └───┘",
        "              ┌───┐",
        " card second  │ J │",
        "              └───┘",
        " chips first 1   chips second 1   moves",
    ]


def test_riders_of_surround_stand_before_their_trails():
    game = load_game("surround/nine")
    moves = {"red": "move east", "green": "move north", "blue": "move west", "yellow": "move south"}
    lines = render_state(game, game.view(game.play(game.start(), moves), None)).split("\n")
    assert lines[1] == " 9 ┃ y                           B   b ┃"
    assert lines[17] == " 1 ┃ r   R                           g ┃"
    assert lines[-3].startswith(
        "   R red 2 1   G green 9 2   B blue 8 9   Y yellow 1 8   r trail red"
    )


def test_cards_that_do_not_fit_are_listed_in_a_row_of_the_same_height():
    few, many = (
        render([], [f"hand {'10 ' * count}"], drawing=(Cards("hand CARDS"),)).split("\n")
        for count in (3, 20)
    )
    assert few == ["       ┌────┬────┬────┐", " hand  │ 10 │ 10 │ 10 │", "       └────┴────┴────┘"]
    assert many == ["", f" hand  {' '.join(['10'] * 20)}", ""]


def test_the_first_declaration_that_fits_a_fact_draws_it():
    grid = Grid("field COLUMNS ROWS", "bar X Y WAY")
    drawing = (grid, Mark("mine X Y", "*"), Mark("ROLE X Y", "role"), Piece("at KIND X Y"))
    board, state = (
        ["field 3 1", "bar 1 1 east"],
        ["mine 1 1", "fox 2 1", "at king 3 1", "mine 9 9", "rest 4"],
    )
    assert render(board, state, drawing=drawing, roles=["fox"]).split("\n") == [
        "   ░░░░┏━━━━━━━┓",
        " 1 ░░*░┃ f   K ┃",
        "   ░░░░┗━━━━━━━┛",
        "     1   2   3",
        "   K king 3 1   * 1 mine   f fox   ░ out of reach",
        "   mine 9 9   rest 4",
    ]


def test_two_grids_stand_side_by_side_and_a_text_in_its_cell():
    drawing = (
        Grid("sea GRID COLUMNS ROWS"),
        Mark("shot GRID X Y", "x"),
        Mark("clue GRID X Y TEXT", "TEXT"),
    )
    board, state = (
        ["sea own 2 1", "sea other 2 1"],
        ["shot own 1 1", "clue other 2 1 12", "shot lost 1 1"],
    )
    assert render(board, state, drawing=drawing).split("\n") == [
        "   own         other",
        "   ┏━━━━━━━┓   ┏━━━━━━━┓",
        " 1 ┃ x     ┃ 1 ┃     12┃",
        "   ┗━━━━━━━┛   ┗━━━━━━━┛",
        "     1   2       1   2",
        "   x 1 shot",
        "   shot lost 1 1",
    ]
    wide = render(["sea own 12 1", "sea other 12 1"], [], drawing=drawing).split("\n")
    assert max(map(len, wide)) <= 80


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.label)
def test_every_state_of_every_board_fits_a_terminal_and_keeps_its_size(board):
    game, random = rulebook.game_of(board), Random(7)
    state, heights = game.start(), set()
    while game.outcome(state) is None:
        lines = render_state(game, game.view(state, None)).split("\n")
        heights.add(len(lines))
        assert max(map(len, lines)) <= 80
        moves = {role: random.choice(game.legal_moves(state, role)) for role in game.to_move(state)}
        state = game.play(state, moves)
    assert len(heights) == 1  # a replay that jumps up and down is hard to watch


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.label)
def test_colour_says_nothing_that_the_plain_drawing_does_not(board):
    game = rulebook.game_of(board)
    facts = game.view(game.start(), None)
    painted = render_state(game, facts, colour=True)
    assert SGR.search(painted)
    assert SGR.sub("", painted) == render_state(game, facts)
    assert painted.count("\x1b[0m") * 2 == painted.count("\x1b")


def test_y_grows_to_the_north_and_x_to_the_east():
    north_west = render(["size 1 2"], ["at a 1 2"]).split("\n")
    assert north_west[:5] == [
        "   ┏━━━━━━━┓",
        " 2 ┃ A     ┃",
        "   ┃       ┃",
        " 1 ┃       ┃",
        "   ┗━━━━━━━┛",
    ]


def test_roles_that_share_a_cell_stand_side_by_side():
    rows = render(["size 1 1"], ["at pacman 1 1", "at inky 1 1"]).split("\n")
    assert rows[1] == " 1 ┃ PI┃"


def test_more_than_a_cell_has_room_for_is_told_by_a_plus_and_the_legend():
    rows = render(["size 1 1", "exit 1 1"], ["at ape 1 1", "at bee 1 1", "at cat 1 1"]).split("\n")
    assert rows[1] == " 1 ┃AB+┃"
    assert rows[-1] == "   A ape 1 1   B bee 1 1   C cat 1 1   ⌂ exit 1 1"


def test_roles_with_the_same_first_letter_get_letters_of_their_own():
    legend = render(["size 1 2"], ["at gold 1 1", "at goat 1 2", "at g 2 1", "at éé 2 2"]).split(
        "\n"
    )[-1]
    assert legend == "   G gold 1 1   O goat 1 2   A g 2 1   B éé 2 2"


def test_an_exit_that_nobody_can_reach_is_still_shown():
    rows = render(
        ["size 1 2", "exit 2 1", "wall 1 1 east", "wall 2 1 north", "wall 1 2 east"], ["at a 1 1"]
    )
    assert " 1 ┃ A ┃░⌂░" in rows


def test_a_board_on_which_nobody_stands_is_all_in_play():
    assert "░" not in render(["size 1 3"], [])


def test_a_large_grid_gets_narrow_cells_and_a_label_to_each_fifth_column():
    rows = render(
        ["size 0 30", "wall 0 0 east"], ["at a 0 0", "at b 30 30", "at c 30 30", "at d 0 1"]
    ).split("\n")
    assert max(map(len, rows)) <= 80
    assert rows[0] == "    " + "┏" + "━" * 61 + "┓"
    assert rows[1].endswith("+┃")
    assert rows[-2].split() == ["0", "5", "10", "15", "20", "25", "30"]
    assert rows[-2].index("5") == rows[1].index("┃") + 1 + 2 * 5


@pytest.mark.parametrize(
    "size", ["size 0 99", "size 5 1", "size wide", "size 1 2 3", "size 0 9" + "9" * 5000]
)
def test_facts_that_make_no_grid_are_listed_as_they_are(size):
    assert render([size, "exit 1 1"], ["at a 1 1"]).split("\n")[1:] == ["exit 1 1", "at a 1 1"]


def test_a_game_without_a_grid_is_its_facts():
    assert render(["heap 3"], ["left 2", "turn of ann"]) == "heap 3\nleft 2\nturn of ann"


def test_facts_off_the_board_are_listed_not_drawn():
    assert (
        render(["size 1 2"], ["at a 9 9", "pellet 0 0"]).split("\n")[-1]
        == "   at a 9 9   pellet 0 0"
    )


texts = st.text(letters.ANY, max_size=12) | st.text("\x1b[2J\u202e\u2028\ud800\n\té", max_size=12)
cells = st.integers(-1, 4)
board_facts = st.one_of(
    texts,
    st.builds("size {} {}".format, cells, cells),
    st.builds("wall {} {} {}".format, cells, cells, st.sampled_from(["north", "east", "up"])),
    st.builds("exit {} {}".format, cells, cells),
)
state_facts = st.one_of(
    texts,
    st.builds("at {} {} {}".format, texts, cells, cells),
    st.builds("pellet {} {}".format, cells, cells),
)


def unsafe(shown):
    """The characters of a drawing that a terminal would obey instead of show."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return [char for char in shown.replace("\n", "") if unicodedata.category(char) in kinds]


@pytest.mark.slow
@settings(max_examples=20)
@given(board=st.lists(board_facts, max_size=12), state=st.lists(state_facts, max_size=8))
def test_no_fact_whatever_breaks_the_drawing_or_moves_the_cursor(board, state):
    shown = render(["size 1 3", *board], state)
    assert not unsafe(shown)
    assert len(shown.split("\n")) >= 8


@pytest.mark.slow
@settings(max_examples=20)
@given(facts=st.lists(texts.filter(lambda text: not text.startswith("size")), max_size=8))
def test_facts_without_a_grid_do_not_move_the_cursor_either(facts):
    shown = render(["nothing"], facts)
    assert not unsafe(shown)
    assert len(shown.split("\n")) == 1 + len(facts)


@pytest.mark.parametrize("size", ["size 1 101", f"size 0 {10**30}", "size 1 1000000000"])
def test_a_grid_of_more_cells_than_anybody_can_look_at_is_listed_as_facts(size):
    assert render([size], ["at red 1 1"]) == f"{size}\nat red 1 1"


ROWS = (
    LetterRows("([.xo1-9/]+)", (("x", "black stone"), ("o", "white stone")), ("row",)),
    Grid("grid COLUMNS ROWS"),
    Mark("black stone X Y", "●"),
    Mark("white stone X Y", "○"),
)


@pytest.mark.parametrize("facts", [["row .x.", "row oo."], ["row .x./oo."], ["row 1x1/oo1"]])
def test_rows_of_letters_are_drawn_as_things_in_cells(facts):
    text = render(["grid 3 2"], [*facts, "moves 3"], ROWS)
    assert text.splitlines()[1:4] == [
        " 2 ┃     ●     ┃",
        "   ┃           ┃",
        " 1 ┃ ○   ○     ┃",
    ]
    assert text.splitlines()[-2:] == ["   ● 1 stone   ○ 2 stones", "   moves 3"]


def test_rows_that_are_no_board_stay_facts():
    text = render(["grid 3 2"], ["row .x.", "row oo", "row black stone 1 1"], ROWS)
    assert "row .x.   row oo   row black stone 1 1" in text
    assert "●" not in text


@pytest.mark.parametrize(
    ("board", "moves", "lines"),
    [
        ("chess", ["e4"], [" 4 ┃                 ♙             ┃", " 1 ┃ ♖   ♘   ♗   ♕   ♔   ♗   ♘   ♖ ┃"]),
        ("go(board_size=5)", ["B c2", "W d2"], [" 2 ┃         ●   ○     ┃"]),
        ("othello", ["f5"], [" 5 ┃             ○   ●             ┃", " 4 ┃             ●   ●   ●         ┃"]),
        ("connect_four", ["x3", "o3"], [" 2 ┃             o             ┃", " 1 ┃             x             ┃"]),
        ("tic_tac_toe", ["x(0,2)"], [" 3 ┃         x ┃"]),
    ],
)  # fmt: skip
def test_boards_of_openspiel_are_drawn_for_everybody(board, moves, lines):
    pytest.importorskip("pyspiel")
    game = load_game(f"openspiel/{board}")
    state = game.start()
    for move in moves:
        state = game.play(state, {game.to_move(state)[0]: move})
    for viewer in (None, *game.roles):
        text = render_state(game, game.view(state, viewer))
        for line in lines:
            assert line in text.splitlines()
        assert ("position" in text or "observation" in text) == (board == "chess")


def test_the_report_has_a_chequered_board_of_chess_whose_first_cell_is_dark():
    pytest.importorskip("pyspiel")
    game = load_game("openspiel/chess")
    values = boards.values(game, game.roles, game.sides)
    assert [grid["chequered"] for grid in values["grids"]] == [True]
    assert [icon["shape"] for icon in values["icons"]] == ["king", "king"]
    (grid,) = read_grids(game.board(), game.drawing)
    assert [grid.is_dark(cell) for cell in ((1, 1), (2, 1), (1, 2), (8, 8))] == [
        True, False, False, True,
    ]  # fmt: skip
    scene = read_scene((grid,), game.drawing, game.view(game.start(), None))
    assert len(scene.marks) == 32
    assert {mark.item.shape for mark in scene.marks} == set(CHESSMEN)


@pytest.mark.parametrize("count", [2, 5, 7, 12])
def test_no_two_of_twelve_sides_have_the_same_colour(count):
    roles = [f"rider{number}" for number in range(count)]
    styles = Styles.of((Piece("at ROLE X Y"),), roles, [(role,) for role in roles])
    colours = {dict(icon.elements[0][1])["fill"] for icon in styles.icons}
    assert len(colours) == count
    assert colours == {dict(style.elements[0][1])["fill"] for style in styles.table}
