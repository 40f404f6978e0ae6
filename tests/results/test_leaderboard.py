"""Frames and CSV files of an event: their content, and the same bytes for the same matches."""

import contextlib
import csv
import json
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.errors import ArenaError
from arena.results import leaderboard
from arena.results.archive import Archive
from arena.results.columns import (
    ADDED,
    CROSSTABLE,
    FILE_DECIMALS,
    FRAMES,
    LEADERBOARD,
    interval_text,
)
from arena.results.leaderboard import Results, meetings, write_csv
from arena.results.standings import standings
from arena.results.tables import as_csv, rows_of, write
from arena.values import Abort, Board, Ending, Fault, Record, Turn, Verdict
from tests.support import slow_tables, stored

EVENT = stored.event("ann", "bob", "cat", repeats=2)
MATCHES = tuple(stored.plan(EVENT))
HEADERS = {  # the promise of docs/columns.md
    "leaderboard": (
        "game,rank,bot,rating,rating_low,rating_high,strength_logit,strength_logit_low,strength_logit_high,"
        "rank_low,rank_high,tier,matches,points,won,drawn,lost,forfeits,"
        "illegal_move,garbled,timeout,crashed,limit_exceeded,hunt,duel,classic,hunt_explorer,duel_explorer,duel_mummy,classic_pacman,classic_ghost1,classic_ghost2,"
        "display"
    ),
    "rankings": (
        "board,role,rank,bot,strength,low,high,strength_logit,strength_logit_low,strength_logit_high,rank_low,rank_high,"
        "score,display"
    ),
    "strengths": "bot,board,role,strength,low,high,strength_logit,strength_logit_low,strength_logit_high",
    "chance_better": "game,bot,opponent,chance",
    "crosstable": "board,role,bot,opponent,matches,score",
    "matches": "match,game,board,repeat,seed,reason,"
    + ",".join(
        f"{role}_bot,{role}_score,{role}_ending"
        for role in ("explorer", "mummy", "pacman", "ghost1", "ghost2")
    ),
    "timing": "bot,board,role,turns,timeout,wall_p50,wall_p99,wall_max,cpu_p50,cpu_p99,cpu_max,waited_p99",
}


@pytest.fixture(autouse=True, scope="module")
def few_refits():
    """Fit in half the time: how wide an interval is is no question here."""
    with patch.object(leaderboard, "REFITS", 30):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return stored.store(tmp_path_factory.mktemp("cup"), EVENT, map(stored.played, MATCHES))


@pytest.fixture(scope="module")
def results(folder):
    opened = Results.open(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def written(results, tmp_path_factory):
    """The folder of the tables of all matches."""
    target = tmp_path_factory.mktemp("written")
    (target / "matches.csv").write_text("old")
    write_csv(results, target)
    return target


def find(event, board: str, *bots: str):
    """The first match on this board with these bots in its seats."""
    names = [
        (match.board, tuple(seat.bot.name for seat in match.seats)) for match in stored.plan(event)
    ]
    return tuple(stored.plan(event))[names.index((board, bots))]


def make(folder: Path, *records, event=EVENT) -> Results:
    return Results.open(stored.store(folder, event, records))


def cells(results: Results, name: str) -> list[list[str]]:
    """The cells of a table, as its file has them."""
    return list(csv.reader(as_csv(getattr(results, name)(), FRAMES[name]).decode().splitlines()))


def test_every_file_has_the_promised_header_and_replaces_an_old_one(written):
    assert {path.stem: path.read_text().partition("\n")[0] for path in written.iterdir()} == HEADERS
    assert b"\r" not in (written / "matches.csv").read_bytes()


@pytest.mark.parametrize("name", list(FRAMES))
def test_every_frame_has_the_columns_that_are_declared(results, name):
    frame = getattr(results, name)(*(("ann", "bob") if name == "head_to_head" else ()))
    columns = FRAMES[name]
    graded = ("accuracy", "blunders", "regret_estimate") if name == "leaderboard" else ()
    added = ADDED if name == "leaderboard" else ()
    elsewhere = {"TIEBREAK", "BOARD_ROLE", *graded, *added}
    assert list(dict.fromkeys(columns[column].meaning for column in frame)) == list(
        dict.fromkeys(column.meaning for column in columns.columns if column.name not in elsewhere)
    )
    assert {column for column in frame if column not in columns.names} == {
        "leaderboard": {*results.board_columns.values(), *results.board_role_columns.values()},
        "matches": {
            f"{role}_{cell}"
            for _, role in results.board_role_columns
            for cell in ("bot", "score", "ending")
        },
    }.get(name, set())


def test_a_board_with_the_name_of_a_clock_is_rounded_as_a_score():
    frame = pd.DataFrame({"bot": ["ann"], "wall": [1 / 3], "rating": [-0.00001]})
    assert rows_of(frame, LEADERBOARD) == [{"bot": "ann", "wall": 0.3333, "rating": 0.0}]


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (6.25, "6.3"),
        (-6.25, "-6.3"),
        (6.24996, "6.3"),
        (6.2499, "6.2"),
        (-0.04, "0.0"),
        (62.0, "62.0"),
        (None, ""),
    ],
)
def test_a_figure_is_shown_as_who_rounds_that_of_the_file_would(figure, text):
    assert CROSSTABLE["score"].text(figure) == text


def test_a_file_has_rounded_figures_harmless_texts_and_nothing_for_missing_values(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("arena.results.tables.ROWS", 2)
    frame = pd.DataFrame(
        {
            "rank": pd.array([1, 2, None], dtype="Int64"),
            "bot": ["=ann", 'b"o,b', "c\rat"],
            "rating": [-0.00001, float("inf"), float("nan")],
            "display": [None, float("nan"), "\ud800"],
        }
    )
    expected = 'rank,bot,rating,display\n1,\'=ann,0.0000,\n2,"b""o,b",inf,\n,c\\rat,,\\ud800\n'
    assert write(frame, LEADERBOARD, tmp_path / "t.csv").read_text() == expected


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=200))
@settings(max_examples=10)
def test_a_row_has_its_figures_as_the_csv_files_have_them(figures):
    columns = pd.DataFrame({"points": figures}).round(FILE_DECIMALS)["points"] + 0.0
    assert [
        row["points"] for row in LEADERBOARD.in_file({"points": figure} for figure in figures)
    ] == columns.to_list()


@pytest.mark.parametrize(("unit", "text"), [("logits", "-1.25"), ("Elo", "-1"), ("points", "-1.3")])
def test_a_rating_has_the_decimals_of_its_unit(unit, text):
    rating = LEADERBOARD.rated_in(unit)["rating"]
    assert (rating.text(-1.25), rating.text(None), rating.text(float("inf"))) == (text, "", "")


def test_an_interval_with_an_open_end_has_words_for_it():
    ends = [("1", "2"), ("1", ""), ("", "2"), ("", "")]
    assert [interval_text(*each) for each in ends] == ["1 to 2", "above 1", "below 2", "anything"]


def unlike(written, results, target):
    """The files of results that differ from those of the same matches."""
    write_csv(results, target)
    return [
        name
        for name in HEADERS
        if (written / f"{name}.csv").read_bytes() != (target / f"{name}.csv").read_bytes()
    ]


def test_the_same_matches_in_any_order_give_the_same_bytes(written, tmp_path):
    other = make(tmp_path, *map(stored.played, reversed(MATCHES)))
    assert unlike(written, other, tmp_path) == []


TRIO = Board(
    game="toy",
    name="trio",
    rules="t.py",
    digest="4",
    roles=("a", "b", "c"),
    sides=(("a",), ("b",), ("c",)),
)
PAIRS = Board(
    game="toy",
    name="pairs",
    rules="t.py",
    digest="5",
    roles=("a", "b", "c", "d"),
    sides=(("a", "d"), ("b", "c")),
)
LAIR = Board(
    game="lair", name="duel", rules="t.py", digest="6", roles=("a", "b"), sides=(("a",), ("b",))
)
MANY = replace(
    stored.event("=ann", "bob", "cat", "\u00e9va", boards=[*stored.BOARDS, TRIO, PAIRS, LAIR]),
    tie_breaks=("direct_encounter", "buchholz", "sonneborn_berger", "wins"),
)
HELD = (0, 35, 50, 100)


@st.composite
def any_record(draw: st.DrawFn) -> Record:
    """A match of any of these bots in any seats, that went anyhow: with forfeits, ties and
    self-play.
    """
    of = draw(st.sampled_from(MANY.boards))
    seating = draw(st.tuples(*(st.sampled_from(MANY.bots) for _ in of.roles)))
    if draw(st.booleans()):
        seating = tuple(replace(bot, digest="edited") for bot in seating)
    match = MANY.match(of, seating, draw(st.integers(0, 2)))
    scores = {role: draw(st.sampled_from(HELD)) for role in of.roles}
    out = draw(st.sets(st.sampled_from(of.roles), max_size=2))
    faults = tuple(
        Fault(
            role=role,
            ending=draw(st.sampled_from(Ending)),
            turn=draw(st.integers(0, 2)),
            words="=late",
        )
        for role in sorted(out)
    )
    made = stored.played(
        replace(match, game="mummy_maze", board="hunt"), turns=draw(st.integers(0, 2))
    )
    reason = "forfeit" if faults else draw(st.sampled_from(["caught", "@limit"]))
    return replace(
        made,
        match=match,
        sides=of.sides,
        verdict=Verdict(scores=scores, reason=reason, faults=faults),
    )


@given(st.lists(any_record(), min_size=15, max_size=30), st.data())
@settings(max_examples=3)
def test_the_tables_are_to_the_byte_those_of_their_definitions_match_by_match(records, data):
    ids = sorted({record.match.id for record in records})
    plan = data.draw(st.sets(st.sampled_from(ids))) if ids else set()
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        with Archive.open(folder, writing=True) as archive:
            archive.append(*records)
            stored.begin(archive, MANY, plan)
        for all_versions in (False, True):
            results = Results.open(folder, all_versions=all_versions)
            # Nobody played these matches by rules, so no move was assessed.
            results.accuracy_sums = results.regret_sums = {}
            bots, played = [bot.name for bot in MANY.bots], results.played
            for columns, quick, slow in (
                (
                    LEADERBOARD,
                    results.leaderboard(by_game=False),
                    slow_tables.leaderboard(results, bots, played),
                ),
                (CROSSTABLE, results.crosstable(), slow_tables.crosstable(played)),
                (FRAMES["matches"], results.matches(), slow_tables.matches(results, played)),
            ):
                assert as_csv(quick, columns) == as_csv(slow, columns)
            by_points = {standing.bot: standing for standing in standings(bots, played)}
            assert {
                standing.bot: replace(standing, rank=by_points[standing.bot].rank, tie_breaks={})
                for standing in results.standings
            } == by_points
            assert meetings.encounters(results.arrays).met == slow_tables.met(played).met
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(meetings, "PART", 4)
                assert meetings.crosstable(results.arrays).equals(results.crosstable())
                assert meetings.encounters(results.arrays).met == slow_tables.met(played).met
            assert results.count == len(played)
            for label in results.boards:
                lengths = Counter(match.turns for match in played if match.label == label)
                assert Counter(results.lengths(label).tolist()) == lengths
            results.close()


def test_matches_that_were_dropped_are_read_again(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    matches = map(stored.played, stored.plan(event))
    with contextlib.closing(Results.open(stored.store(tmp_path, event, matches))) as results:
        before = results.played
        results.drop_matches()
        assert results.played == before
        assert results.played is not before


def test_results_are_of_one_moment_while_a_run_goes_on(tmp_path):
    results = make(
        tmp_path, stored.played(find(EVENT, "duel", "ann", "bob"), explorer=90, mummy=10)
    )
    assert {rating.bot for rating in results.ratings.ratings} == {"ann", "bob"}
    with Archive.open(tmp_path, writing=True) as archive:
        archive.append(stored.played(find(EVENT, "duel", "ann", "cat"), explorer=90, mummy=10))
        archive.append(stored.played(find(EVENT, "hunt", "ann"), explorer=90))
    ranks = results.leagues[0].leaderboard().set_index("bot")["rank"]
    assert (ranks["ann"], ranks["bob"]) == (1, 2)
    assert ranks.isna()["cat"]
    assert set(results.rankings()["bot"]) == {"ann", "bob"}
    assert (results.count, len(results.matches()), len(results.seats()), len(results.played)) == (
        1,
        1,
        2,
        1,
    )
    results.close()
    assert Results.open(tmp_path).count == 3


@pytest.mark.parametrize(
    "first", ["event", "tallies", "standings", "ratings", "arrays", "boards", "count"]
)
def test_the_first_reading_fixes_the_moment_of_all_others(tmp_path, first):
    results = make(
        tmp_path, stored.played(find(EVENT, "duel", "ann", "bob"), explorer=90, mummy=10)
    )
    getattr(results, first)
    with Archive.open(tmp_path, writing=True) as archive:
        archive.append(stored.played(find(EVENT, "hunt", "cat"), explorer=90))
    frames = (
        results.rankings(),
        results.strengths(),
        results.crosstable(),
        results.seats(),
        results.timing(),
    )
    assert [set(frame["bot"]) for frame in frames] == [{"ann", "bob"}] * 5
    assert (results.count, len(results.matches()), len(results.played)) == (1, 1, 1)


def test_arrays_have_the_scores_entries_and_endings_of_all_seats(tmp_path):
    match = find(EVENT, "classic", "ann", "bob", "bob")
    forfeit = stored.played(match, pacman=80, ghost1=Ending.GARBLED, ghost2=20)
    arrays = make(tmp_path, stored.played(find(EVENT, "hunt", "ann"), explorer=90), forfeit).arrays
    assert arrays.seed.tolist() == [find(EVENT, "hunt", "ann").seed, match.seed]
    assert arrays.match.tolist() == [0, 1, 1, 1]
    assert arrays.score.tolist() == [90, 80, 0, 20]
    assert [arrays.entries[entry][2:5] for entry in arrays.entry] == [
        (0, "explorer", "ann"),
        (0, "pacman", "ann"),
        (1, "ghost1", "bob"),
        (1, "ghost2", "bob"),
    ]
    assert [tuple(Ending)[ending] if ending >= 0 else None for ending in arrays.ending] == [
        *(None, None),
        *(Ending.GARBLED, None),
    ]
    assert arrays.by_match(arrays.score).tolist() == [[90, -1, -1], [80, 0, 20]]
    assert (arrays.transcript >= 0).all()


def test_no_clock_reading_is_in_any_file_but_timing(written, tmp_path):
    records = (replace(one, seconds=9.0, started="slow") for one in map(stored.played, MATCHES))
    timed = (
        replace(one, turns=tuple(turn._replace(wall=0.5, cpu=0.5) for turn in one.turns))
        for one in records
    )
    assert unlike(written, make(tmp_path, *timed), tmp_path) == ["timing"]


def test_the_leaderboard_stands_boards_and_roles_side_by_side(tmp_path):
    results = make(
        tmp_path,
        stored.played(find(EVENT, "hunt", "ann"), explorer=90),
        stored.played(find(EVENT, "duel", "ann", "bob"), explorer=50, mummy=10),
        stored.played(find(EVENT, "duel", "bob", "ann"), explorer=20, mummy=Ending.CRASHED),
    )
    ann, bob, cat = results.leaderboard(by_game=False).to_dict("records")
    assert (ann["rank"], ann["bot"], ann["matches"], round(ann["points"], 2)) == (
        1,
        "ann",
        3,
        46.67,
    )
    assert (ann["hunt"], ann["duel"], ann["duel_explorer"], ann["duel_mummy"]) == (90, 25, 50, 0)
    assert (ann["won"], ann["drawn"], ann["lost"], ann["forfeits"], ann["crashed"]) == (
        2,
        0,
        1,
        1,
        1,
    )
    assert pd.isna(bob["hunt"])
    assert cat["bot"] == "cat"
    assert pd.isna(cat["rank"])
    assert pd.isna(cat["points"])


def never_started(record: Record) -> Record:
    """Return the record with all its faults before the first turn."""
    faults = tuple(replace(fault, turn=0) for fault in record.verdict.faults)
    return replace(record, verdict=replace(record.verdict, faults=faults))


def test_a_bot_that_never_started_has_no_credit_for_the_wins_of_its_side(tmp_path):
    board = next(board for board in EVENT.boards if board.name == "classic")
    event = replace(EVENT, boards=(board,))
    ann, bob, cat = event.bots
    records = []
    for number, seats in enumerate([(ann, bob, cat), (bob, ann, cat), (cat, ann, bob)]):
        match = event.match(board, seats, number)
        role = match.seats[seats.index(cat)].role
        scores = {"pacman": 30, "ghost1": 100, "ghost2": 100, role: Ending.TIMEOUT}
        records.append(never_started(stored.played(match, **scores)))
    planned = [record.match for record in records]
    folder = stored.store(tmp_path / "cup", event, records, planned)
    results = Results.open(folder)
    row = next(row for row in results.leaderboard().to_dict("records") if row["bot"] == "cat")
    assert (row["won"], row["drawn"], row["lost"], row["matches"]) == (0, 0, 3, 3)
    assert row["rank"] == 3
    assert results.best_on_boards
    assert "cat" not in results.best_on_boards
    (standing,) = standings(["cat"], results.played)
    assert standing.lost == 3
    with Archive.open(folder) as archive:
        assert len(archive.newest(9, bot="cat", lost=True)) == 3


def test_where_no_bot_started_none_is_the_best(tmp_path):
    match = find(EVENT, "duel", "ann", "bob")
    record = stored.played(match, explorer=Ending.CRASHED, mummy=Ending.CRASHED)
    folder = stored.store(tmp_path / "cup", EVENT, [never_started(record)])
    results = Results.open(folder)
    assert results.absentees == {"ann", "bob"}
    assert results.best_on_boards == ""


def test_bots_that_never_played_have_empty_cells_and_no_rank(tmp_path):
    rows = cells(
        make(tmp_path, stored.played(find(EVENT, "hunt", "ann"), explorer=90)), "leaderboard"
    )
    assert rows[1][:3] == ["mummy_maze", "1", "ann"]
    assert rows[1][12:18] == ["1", "90.0000", "1", "0", "0", "0"]
    assert rows[3] == ["mummy_maze", "", "cat", *[""] * 9, "0", "", *["0"] * 9, *[""] * 9, "cat"]


def test_an_event_without_matches_has_tables_without_matches(tmp_path):
    results = make(tmp_path)
    assert {name: len(cells(results, name)) for name in HEADERS} == {
        "leaderboard": 7,
        "rankings": 1,
        "strengths": 1,
        "chance_better": 1,
        "crosstable": 1,
        "matches": 1,
        "timing": 1,
    }
    assert results.turns().empty
    assert results.seats().empty


def test_a_match_has_a_row_with_the_roles_of_its_board(tmp_path):
    match = find(EVENT, "classic", "ann", "bob", "bob")
    results = make(tmp_path, stored.played(match, pacman=80, ghost1=Ending.GARBLED, ghost2=20))
    head, row = cells(results, "matches")
    assert {name: cell for name, cell in zip(head, row, strict=True) if cell} == {
        "match": match.id,
        "game": "pacman",
        "board": "classic",
        "repeat": "0",
        "seed": str(match.seed),
        "reason": "forfeit",
        "pacman_bot": "ann",
        "pacman_score": "80",
        "ghost1_bot": "bob",
        "ghost1_score": "0",
        "ghost1_ending": "garbled",
        "ghost2_bot": "bob",
        "ghost2_score": "20",
    }


def test_matches_stand_by_board_repeat_and_bots(results):
    frame = results.matches()
    keys = list(zip(frame["game"], frame["board"], frame["repeat"], strict=True))
    assert keys == sorted(keys)
    assert len(frame) == len(MATCHES)


def test_matches_of_the_same_bots_edited_meanwhile_are_sorted_by_id(tmp_path):
    match = find(EVENT, "duel", "ann", "bob")
    for order in ("fa0", "0fa"):
        records = (stored.played(replace(match, id=first + match.id[1:])) for first in order)
        folder = stored.store(tmp_path / order, EVENT, records)
        ids = list(Results.open(folder, all_versions=True).matches()["match"])
        assert [each[0] for each in ids] == ["0", "a", "f"]


def test_boards_that_are_no_longer_played_come_after_those_that_are(tmp_path):
    hunt, duel = find(EVENT, "hunt", "ann"), find(EVENT, "duel", "ann", "bob")
    records = [
        stored.played(replace(match, id=first + match.id[1:]))
        for match, first in (
            (duel, "b"),
            (hunt, "a"),
            (hunt, "c"),
            (find(EVENT, "classic", "ann", "bob", "bob"), "d"),
        )
    ]
    results = make(tmp_path, *records, event=stored.event("ann", "bob", boards=[stored.CLASSIC]))
    assert list(results.boards) == ["pacman/classic"]
    ever = Results.open(tmp_path, all_versions=True)
    assert list(ever.boards) == ["pacman/classic", "mummy_maze/hunt", "mummy_maze/duel"]
    assert ever.boards["mummy_maze/duel"] == ("explorer", "mummy")


def test_the_crosstable_has_no_teammates_and_counts_a_hand_of_ghosts_once(tmp_path):
    results = make(
        tmp_path,
        stored.played(find(EVENT, "classic", "ann", "bob", "bob"), pacman=80, ghost1=10, ghost2=20),
    )
    assert results.crosstable().to_dict("split")["data"] == [
        ["pacman/classic", "ghost1", "bob", "ann", 1, 10.0],
        ["pacman/classic", "ghost2", "bob", "ann", 1, 20.0],
        ["pacman/classic", "pacman", "ann", "bob", 1, 80.0],
    ]


def test_the_crosstable_is_asked_by_board_and_role(results):
    whole = results.crosstable()
    assert set(whole["board"]) == {
        "mummy_maze/duel",
        "pacman/classic",
    }  # alone on hunt, nobody meets
    assert results.crosstable("duel").equals(results.crosstable("mummy_maze/duel"))
    assert set(results.crosstable("duel")["role"]) == {"explorer", "mummy"}
    assert len(results.crosstable("classic", "ghost1")) == 6
    assert results.crosstable("hunt").empty
    assert (whole["matches"] == 2).all()


def test_a_board_or_role_that_the_event_has_not_is_named_with_those_it_has(results):
    with pytest.raises(
        ArenaError, match="'dual' is no board of this event; it has classic, duel, hunt"
    ):
        results.crosstable("dual")
    with pytest.raises(
        ArenaError, match="'ghost' is no role of this event; it has explorer, ghost1"
    ):
        results.crosstable(role="ghost")


def board(game: str, name: str, *roles: str) -> Board:
    sides = tuple((role,) for role in roles)
    return Board(game=game, name=name, rules="r.py", digest="0", roles=roles, sides=sides)


@pytest.mark.parametrize(
    ("boards", "columns"),
    [
        ([board("a", "one", "x"), board("b", "two", "x")], ["one", "two"]),
        ([board("a", "one", "x"), board("b", "one", "x")], ["a/one", "b/one"]),
        ([board("a", "points", "x"), board("a", "two", "x")], ["a/points", "two"]),
        ([board("a", "one", "x_y", "z"), board("a", "one_x", "y")], ["a/one", "a/one_x"]),
    ],
)
def test_columns_are_boards_own_names_unless_they_would_clash(tmp_path, boards, columns):
    results = make(tmp_path, event=stored.event("ann", boards=boards))
    assert list(results.board_columns.values()) == columns
    assert results.leaderboard().columns.is_unique


def test_timing_is_quantiles_in_seconds_by_bot_board_and_role(tmp_path):
    match = find(EVENT, "hunt", "ann")
    walls = np.arange(1, 101) / 1000
    turns = tuple(
        Turn(number=1 + number, role="explorer", move="wait", wall=wall, cpu=wall / 2, waited=0.5)
        for number, wall in enumerate(walls)
    )
    results = make(tmp_path, replace(stored.played(match), turns=turns))
    (row,) = results.timing().to_dict("records")
    assert (row["bot"], row["board"], row["role"], row["turns"]) == (
        "ann",
        "mummy_maze/hunt",
        "explorer",
        100,
    )
    assert row["wall_p50"] == pytest.approx(np.quantile(walls, 0.5), abs=1e-6)
    assert row["wall_p99"] == pytest.approx(np.quantile(walls, 0.99), abs=1e-6)
    assert row["wall_max"] == pytest.approx(0.1, abs=1e-6)
    assert row["cpu_max"] == pytest.approx(0.05, abs=1e-6)
    assert row["waited_p99"] == 0.5


def test_a_bot_that_never_answered_has_no_times(tmp_path):
    results = make(
        tmp_path, stored.played(find(EVENT, "hunt", "ann"), turns=0, explorer=Ending.TIMEOUT)
    )
    assert cells(results, "timing")[1] == [
        "ann",
        "mummy_maze/hunt",
        "explorer",
        "0",
        "1",
        *[""] * 7,
    ]


def test_turns_and_seats_are_a_row_each(tmp_path):
    match = find(EVENT, "duel", "ann", "bob")
    output = (
        Turn(
            number=1,
            role="mummy",
            move="north",
            by="strike",
            rejected_text="=1+1",
            remarks=("a", "b"),
            wall=0.25,
        ),
    )
    results = make(tmp_path, replace(stored.played(match, explorer=7), turns=output))
    (turn,) = results.turns().to_dict("records")
    assert (turn["bot"], turn["move"], turn["by"], turn["said"]) == (
        "bob",
        "north",
        "strike",
        "=1+1",
    )
    assert (turn["wall"], turn["remarks"]) == (0.25, "a\nb")
    seats = results.seats()
    assert list(seats["bot"]) == ["ann", "bob"]
    assert seats["score"].iloc[0] == 7


def test_aborts_have_a_row_each(tmp_path):
    stored.store(tmp_path, EVENT, [])
    with Archive.open(tmp_path, writing=True) as archive:
        archive.append_abort(Abort(match="abc", cause="a worker was killed", attempt=2))
    assert Results.open(tmp_path).aborts().to_dict("records") == [
        {"match": "abc", "attempt": 2, "cause": "a worker was killed"}
    ]


def test_only_the_current_plan_counts_unless_all_versions_are_asked_for(tmp_path):
    stored.store(tmp_path, EVENT, map(stored.played, MATCHES))
    smaller = stored.event("ann", "bob", boards=[stored.DUEL])
    with Archive.open(tmp_path, writing=True) as archive:
        stored.begin(archive, smaller, (match.id for match in stored.plan(smaller)))
    now, ever = Results.open(tmp_path), Results.open(tmp_path, all_versions=True)
    assert (len(now.matches()), len(ever.matches())) == (2, len(MATCHES))
    assert (len(now.leaderboard()), len(ever.leaderboard(by_game=False))) == (2, 3)
    assert list(now.board_columns) == ["mummy_maze/duel"]
    assert "classic_ghost1" in ever.leaderboard()
    assert (len(now.seats()), now.timing()["turns"].sum()) == (4, 80)
    assert len(now.turns()) == 80


HOSTILE = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-1": "'-1",
    "@sum": "'@sum",
    "\tx": "'\tx",
    "\r=1": "\\r=1",
}


def test_no_cell_is_a_formula(tmp_path):
    write(
        pd.DataFrame(
            {"bot": [*HOSTILE, "plain", 'with, "both"', "line\nbreak"], "score": range(-3, 6)}
        ),
        CROSSTABLE,
        tmp_path / "t.csv",
    )
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert [bot for bot, _ in rows] == [*HOSTILE.values(), "plain", 'with, "both"', "line\nbreak"]
    assert [score for _, score in rows] == [str(score) for score in range(-3, 6)]


def test_a_hostile_name_goes_harmlessly_through_every_table(tmp_path):
    event = stored.event("=cmd()", "ann", "\ud800\x1b[31m", boards=[stored.DUEL])
    write_csv(make(tmp_path, *map(stored.played, stored.plan(event)), event=event), tmp_path)
    for name in HEADERS:
        text = (tmp_path / f"{name}.csv").read_text()
        assert ",=cmd" not in text
        assert "'=cmd()" in text


def test_rows_for_json_have_no_missing_number_that_json_cannot_say(tmp_path):
    rows = rows_of(
        make(tmp_path, stored.played(find(EVENT, "hunt", "ann"), explorer=90)).leaderboard(),
        LEADERBOARD,
    )
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert (rows[0]["rank"], rows[0]["points"], rows[1]["rank"], rows[1]["points"]) == (
        1,
        90.0,
        None,
        None,
    )


def test_results_are_opened_by_name_and_absent_ones_refused(folder, tmp_path):
    assert len(arena.open_results(str(folder)).matches()) == len(MATCHES)
    with pytest.raises(ArenaError, match="there are no results here"):
        arena.open_results(str(tmp_path / "nowhere"))


def test_results_show_themselves_in_a_notebook_a_table_for_each_game(tmp_path):
    event = stored.event("ann", "<b>bob")
    folder = stored.store(
        tmp_path / "cup", event, [stored.played(match) for match in stored.plan(event)]
    )
    results = Results.open(folder)
    text = results._repr_html_()
    results.close()
    assert text.count("<table") == len(results.games)
    assert "&lt;b&gt;bob" in text
    assert "<b>" not in text
