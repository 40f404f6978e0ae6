"""Results in PGN and SGF files, as programs and people write them, and as an enemy does."""

from pathlib import Path

import pytest

from arena.extras.imports import pgn, sgf
from arena.extras.imports.outside import DRAW, LOSS, WIN
from arena.results.archive import Archive
from arena.values import Ending
from tests.support.cup import arena, refused

ENGINES = """\
[Event "rapid"]
[Date "2026.03.01"]
[Round "1"]
[White "fish"]
[Black "leela"]
[Result "1-0"]
[Termination "time forfeit"]

1. e4 {book} e5 2. Nf3 $1 (2. f4 exf4) 2... Nc6 1-0

[Event "rapid"]
[White "leela"]
[Black "fish"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2

[Event "rapid"]
[White "leela"]
[Black "fish"]
[Result "*"]

1. d4 *
"""
CLUB = """\
(;FF[4]GM[1]SZ[19]PB[Ann]PW[Bob]RE[B+R]DT[2026-03-01]KM[6.5];B[qd];W[dc](;B[ab])(;B[cd]C[why (?\\]) ;]))
(;GM[1]SZ[9]PB[Bob]PW[Ann]RE[W+0.5];B[ee])
(;PB[Bob]PW[Ann]HA[2]AB[dd][pp]RE[W+T])
(;PB[Bob]PW[Ann]RE[0])
(;PB[Bob]PW[Ann]RE[?])
"""


def read(folder: Path, text: str | bytes, name: str):
    """Return the matches of a file, with None for each game that is left out."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if path.suffix == ".pgn":
        return list(pgn.read(path, pgn.GAME, None))
    return list(sgf.read(path, None, None))


def outline(match):
    """Return the bots and the scores of a match."""
    return match and (*(seat.bot for seat in match.seats), *(seat.score for seat in match.seats))


def test_tags_give_players_results_dates_and_losses_on_time(tmp_path):
    won, drawn, left_out = read(tmp_path, ENGINES, "a.pgn")
    assert left_out is None
    assert (outline(won), outline(drawn)) == (
        ("fish", "leela", WIN, LOSS),
        ("leela", "fish", DRAW, DRAW),
    )
    assert [seat.ending for seat in won.seats] == [None, Ending.TIMEOUT]
    assert (won.started, drawn.started) == ("2026-03-01T00:00:00+00:00", "")
    assert (won.game, won.board, won.seats[0].role) == ("chess", "standard", "white")


SHORT = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n'


@pytest.mark.parametrize(
    ("text", "outlines"),
    [
        (SHORT.replace("\n", "\r\n"), [("a", "b", 100, 0)]),
        (f"\ufeff{SHORT}", [("a", "b", 100, 0)]),
        (SHORT + "\n" + SHORT, [("a", "b", 100, 0)] * 2),
        (SHORT.replace("\n", " "), [("a", "b", 100, 0)]),
        (f"% a line for another program\n{SHORT}", [("a", "b", 100, 0)]),
        (SHORT.replace('"a"', r'"a \"x\" \\y"').replace("\\\\", "|"), [('a "x" |y', "b", 100, 0)]),
        (SHORT.replace('"a"', '"a "x" y"'), [('a "x" y', "b", 100, 0)]),
        (
            SHORT.replace('"a"', '"M\u00fcller, A."').encode("latin-1"),
            [("M\u00fcller, A.", "b", 100, 0)],
        ),
        ('[White "a"]\n[Black "b"]\n\n1. e4 0-1', [("a", "b", 0, 100)]),
        ('[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 1/2-1/2', [("a", "b", 50, 50)]),
        ('[White "a"]\n[Black "b"]\n\n1. e4 e5', [None]),
        (SHORT.replace('"a"', '"?"'), [None]),
        (
            SHORT + '\n1. e4 {[White "x"]\n[Black "y"]\n} e5 ; {no comment\n1-0 {the end}\n',
            [("a", "b", 100, 0)],
        ),
        (SHORT + "\n1. e4 ; 0-1\n1-0\n" + SHORT, [("a", "b", 100, 0)] * 2),
        (SHORT.replace("1-0", "0-0"), [("a", "b", 0, 0)]),
    ],
)
def test_pgn_of_the_real_world_is_read(tmp_path, text, outlines):
    assert [outline(match) for match in read(tmp_path, text, "a.pgn")] == outlines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "line 1: hello: a game begins with tags"),
        ("\0", "line 1, byte 1: is zero"),
        ("", "has no match"),
        (
            SHORT.replace("[Black", '[White "c"]\n[Black'),
            "line 2, tag White: is there twice in this game, first in line 1",
        ),
        (SHORT.replace('"a"', '"a'), "line 1, column 1: [White 'a] is no tag"),
        (SHORT.replace('"a"', '"../../x"'), "line 1, tag White: ../../x: a name is no path"),
        (SHORT.replace('"b"', '"=1+1"'), "line 2, tag Black: =1+1: begins as a formula does"),
        (SHORT.replace('"b"', '"\x1b[31m"'), "line 2, tag Black: "),
        (SHORT.replace("1-0", "2-0"), "line 3, tag Result: '2-0' is none of"),
        (SHORT + "\n1. e4 0-1\n", "line 3, tag Result: is 1-0, and behind the moves stands 0-1"),
        (SHORT + "\n1. e4 {no end\n", "line 5: a comment begins here and has no end"),
        (SHORT + '[UTCDate "2026.13.01"]\n', "line 4, tag UTCDate: "),
        (SHORT + '[Variant "../x"]\n', "line 4, tag Variant: "),
        (
            SHORT + "".join(f'[T{number} "x"]\n' for number in range(600)),
            "this game has more than 500 tags",
        ),
    ],
)
def test_a_bad_pgn_is_refused_in_one_line_that_names_line_and_tag(tmp_path, text, words):
    (tmp_path / "a.pgn").write_text(text)
    done = arena(tmp_path, "import", "a.pgn")
    assert refused(done, words), done.stderr
    assert "\x1b" not in done.stderr


def test_roots_give_players_sizes_handicaps_and_results(tmp_path):
    resigned, counted, late, drawn, unknown = read(tmp_path, CLUB, "club.sgf")
    assert unknown is None
    assert outline(resigned) == ("Ann", "Bob", WIN, LOSS)
    assert (resigned.reason, resigned.started) == ("resign", "2026-03-01T00:00:00+00:00")
    assert (counted.board, counted.reason, outline(counted)) == (
        "9x9",
        "score",
        ("Bob", "Ann", LOSS, WIN),
    )
    assert (late.board, [seat.ending for seat in late.seats]) == (
        "19x19-handicap-2",
        [Ending.TIMEOUT, None],
    )
    assert (outline(drawn), drawn.seats[0].role) == (("Bob", "Ann", DRAW, DRAW), "black")


GAME = "(;PB[a]PW[b]RE[B+R])"


@pytest.mark.parametrize(
    ("text", "outlines"),
    [
        (GAME * 2, [("a", "b", 100, 0)] * 2),
        (f"\ufeff{GAME}\r\n", [("a", "b", 100, 0)]),
        (f"From: me (at home)\n\n{GAME}\n-- \nbye\n", [("a", "b", 100, 0)]),
        (GAME.replace("[a]", "[a \\]x\\:]"), [("a ]x:", "b", 100, 0)]),
        (GAME.replace("[a]", "[a\\\nb]"), [("ab", "b", 100, 0)]),
        (GAME.replace("[a]", "[M\u00fcller]").encode("latin-1"), [("M\u00fcller", "b", 100, 0)]),
        (GAME.replace("PB", "PlayerBlack"), [("a", "b", 100, 0)]),
        (GAME.replace("B+R", "w+2,5"), [("a", "b", 0, 100)]),
        (GAME.replace("B+R", "Jigo"), [("a", "b", 50, 50)]),
        (GAME.replace("RE[B+R]", ""), [None]),
        (GAME.replace("B+R", "Void"), [None]),
        ("(;PB[a]PW[b]RE[B+R]\n;B[aa]PB[c]C[(;PB[d\\]])])", [("a", "b", 100, 0)]),
    ],
)
def test_sgf_of_the_real_world_is_read(tmp_path, text, outlines):
    assert [outline(match) for match in read(tmp_path, text, "a.sgf")] == outlines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello (there) ", "has no match"),
        (GAME[:-1], "line 1: a game begins here and has no end"),
        (GAME.replace("PW", "PB[c]PW"), "line 1, property PB: is there twice"),
        (GAME.replace("B+R", "x"), "line 1, property RE: 'x' is no result"),
        (GAME.replace("[a]", "[../x]"), "line 1, property PB: ../x: a name is no path"),
        (GAME.replace("[a]", "[\x1b[31m]"), "line 1, property PB: "),
        (GAME.replace("RE", "SZ[../x]RE"), "line 1, property SZ: "),
        (GAME.replace("RE", "\n*RE"), "line 2, column 1: '*' is no part of an SGF file"),
        ("(;PB[" + "a\n" * 60_000 + "]PW[b]RE[0])", "property PB: has more than 100,000 letters"),
    ],
)
def test_a_bad_sgf_is_refused_in_one_line_that_names_line_and_property(tmp_path, text, words):
    (tmp_path / "a.sgf").write_text(text)
    done = arena(tmp_path, "import", "a.sgf")
    assert refused(done, words), done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("C[x]N[y]", "C[xNy]"),
        ("C[x]N[y]", "C[x]Ny[]"),
        ("C[x][y]", "C[xy]"),
        ("C[x];N[y]", "C[x]N[y]"),
        ("C[x]", "C[x\\]]"),
        (";B[aa];W[bb]", "(;B[aa])(;W[bb])"),
        ("C[x\ny]", "C[xy]"),
    ],
)
def test_two_games_of_sgf_that_differ_by_a_border_are_two(tmp_path, text, other):
    games = [GAME.replace(")", f"{words})") for words in (text, other)]
    first, second = read(tmp_path, "".join(games), "a.sgf")
    assert first.content != second.content


@pytest.mark.parametrize(("name", "text", "new"), [("a.pgn", ENGINES, 2), ("a.sgf", CLUB, 4)])
def test_games_are_stored_once_and_those_without_a_result_are_counted(tmp_path, name, text, new):
    (tmp_path / name).write_text(text)
    first = arena(tmp_path, "import", name)
    assert first.stdout == f"results/a: {new} matches added; it has {new} matches\n"
    assert "left out, without a result or the name of a player: 1 game\n" in first.stderr
    other = tmp_path / f"more{Path(name).suffix}"
    other.write_bytes(
        (text + text.replace("leela", "lc0").replace("Bob", "Cat")).replace("\n", "\r\n").encode()
    )
    again = arena(tmp_path, "import", other.name, "--name", "a")
    assert again.stdout == (
        f"results/a: {new} matches added, and {new} were there already; it has {2 * new} matches\n"
    )
    with Archive.open(tmp_path / "results" / "a") as archive:
        assert archive.event().imported


def test_equal_games_of_a_file_are_as_many_matches(tmp_path):
    (tmp_path / "a.pgn").write_text((SHORT + "\n") * 3)
    assert "3 matches added" in arena(tmp_path, "import", "a.pgn").stdout
    assert "0 matches added, and 3" in arena(tmp_path, "import", "a.pgn").stdout
