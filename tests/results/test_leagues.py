"""Leagues: the results of one game of an event, as frames, files and ratings."""

import contextlib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.results import leaderboard
from arena.results.archive import Archive
from arena.results.leaderboard import Results, write_csv
from tests.support import stored

BOTS = ("ann", "bob", "cat")
EVENT = stored.event(*BOTS)  # two mazes, and Pacman


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    monkeypatch.setattr(leaderboard, "REFITS", 30)


def play(folder, event=EVENT, skill=BOTS):
    """Store an event in which a bot beats those that come after it in `skill`."""
    return Results.open(
        stored.store(folder, event, (stored.likely(match, skill) for match in stored.plan(event)))
    )


@pytest.fixture
def results(tmp_path):
    opened = play(tmp_path)
    yield opened
    opened.close()


def test_every_frame_of_a_league_has_its_game_only(results):
    mazes, pacman = results.leagues
    assert (mazes.game, pacman.game, results.game) == ("mummy_maze", "pacman", None)
    assert [*mazes.boards, *pacman.boards] == [*results.boards]
    assert mazes.count + pacman.count == results.count
    for name in ("matches", "seats", "turns", "crosstable", "rankings", "strengths", "timing"):
        whole, parts = (
            getattr(results, name)(),
            [getattr(league, name)() for league in results.leagues],
        )
        assert len(whole) == sum(map(len, parts)) > 0
    assert set(pacman.matches()["game"]) == {"pacman"}
    assert {label.partition("/")[0] for label in mazes.crosstable()["board"]} == {"mummy_maze"}
    assert not {"classic"} & {*mazes.leaderboard()}


def test_the_leaderboard_has_the_rows_of_each_league_then_those_over_all_games(results, tmp_path):
    table = results.leaderboard()
    games = table.groupby("game", dropna=False, sort=False)
    assert [str(game) for game, _ in games] == ["mummy_maze", "pacman", "nan"]
    for _, rows in games:
        assert sorted(rows["bot"]) == sorted(BOTS)
        assert rows["points"].is_monotonic_decreasing  # of a balanced round robin
    assert table[table["game"].isna()].equals(table.iloc[-3:])
    assert len(results.overall_leaderboard()) == 3
    write_csv(results, tmp_path)
    assert pd.read_csv(tmp_path / "leaderboard.csv")["game"].tolist()[::3][:2] == [
        "mummy_maze",
        "pacman",
    ]


def test_an_event_of_one_game_is_its_own_league(tmp_path):
    results = play(tmp_path, replace(EVENT, boards=(stored.DUEL,)))
    assert results.leagues == (results,)
    assert results.overall_leaderboard().empty
    assert set(results.leaderboard()["game"]) == {"mummy_maze"}
    results.close()


@pytest.mark.parametrize("games", [80, 1000])
def test_an_event_of_very_many_games_needs_few_open_files(tmp_path, games):
    boards = tuple(replace(stored.HUNT, game=f"game{number}") for number in range(games))
    event = replace(EVENT, boards=boards)
    results = Results.open(stored.store(tmp_path, event, ()))
    assert len(results.leagues) == (games if games < 300 else 1)
    assert len(results.matches()) == sum(len(league.matches()) for league in results.leagues) == 0
    assert len(list(Path("/proc/self/fd").iterdir())) < 300
    results.close()


def test_leagues_and_all_games_are_of_one_moment_also_while_a_run_stores_matches(tmp_path):
    *before, last = map(stored.played, stored.plan(EVENT))
    stored.store(tmp_path, EVENT, before)
    with contextlib.closing(Results.open(tmp_path)) as results:
        with Archive.open(tmp_path, writing=True) as run:
            run.append(last)
        assert sum(league.count for league in results.leagues) == results.count == len(before)


@pytest.mark.filterwarnings("error::pandas.errors.PerformanceWarning")
def test_columns_of_very_many_boards_are_no_cause_for_a_warning(tmp_path):
    boards = tuple(
        replace(stored.HUNT, game=f"game{number % 2}", name=f"b{number}") for number in range(120)
    )
    with contextlib.closing(
        Results.open(stored.store(tmp_path, replace(EVENT, boards=boards), ()))
    ) as results:
        for frame in (
            results.leaderboard(),
            results.leagues[0].leaderboard(),
            results.overall_leaderboard(),
        ):
            assert frame.assign(plays=None).shape[1] > 100


def test_a_rating_is_in_elo_points_everywhere_and_logits_stand_beside_it(results, tmp_path):
    """One name has one unit: in frames, in CSV files, and as JSON."""
    assert results.unit == "Elo"
    write_csv(results, tmp_path)
    stored_table = pd.read_csv(tmp_path / "leaderboard.csv")
    for frame in (results.leaderboard(), stored_table):
        for end in ("", "_low", "_high"):
            points, logits = frame[f"rating{end}"].dropna(), frame[f"strength_logit{end}"].dropna()
            assert points.tolist() == pytest.approx((1500 + logits * 173.7178).tolist(), abs=0.01)
    assert stored_table["rating"].between(500, 2500).all()
    for name in ("rankings", "strengths"):
        frame = getattr(results, name)()
        assert frame["strength"].tolist() == pytest.approx(
            (1500 + frame["strength_logit"] * 173.7178).tolist()
        )
        assert "strength_logit_low" in pd.read_csv(tmp_path / f"{name}.csv")


def test_a_rating_that_is_no_elo_has_no_logits_beside_it(results):
    with contextlib.closing(Results.open(results.folder, rating="points")) as scored:
        assert scored.unit == "points"
        for frame in (scored.leaderboard(), scored.rankings(), scored.strengths()):
            assert not [name for name in frame if "logit" in name]


def test_ranks_change_in_each_game_by_itself(tmp_path):
    first = play(tmp_path, replace(EVENT, bots=EVENT.bots[:2]))
    first.store_ranks()
    first.close()
    second = play(tmp_path, skill=("cat", "ann", "bob"))
    for league in second.leagues:
        assert league.rank_changes == {"ann": -1, "bob": -1, "cat": None}
    second.close()


def test_a_warning_of_a_league_names_its_game(tmp_path):
    event = stored.event("ann", "bob", "cat", "dan", boards=[stored.DUEL, stored.CLASSIC])
    pairs = ({"ann", "bob"}, {"cat", "dan"})
    matches = [
        match for match in stored.plan(event) if {seat.bot.name for seat in match.seats} in pairs
    ]
    results = Results.open(stored.store(tmp_path, event, map(stored.played, matches)))
    assert [
        warning.partition(" the bots fall into 2 groups")[0] for warning in results.warnings
    ] == [
        "mummy_maze:",
        "pacman:",
    ]
    results.close()
