"""Ratings of an event: their cache, the ranks that they decide, the terminal's table, the
comparison of two bots.
"""

import io
import json
import re
import shutil
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter
from rich.console import Console

from arena import charts
from arena.cli import leaderboard_text, output
from arena.cli.run.watcher import RunWatcher
from arena.errors import ArenaError
from arena.report.leaderboard import leaderboards, rankings
from arena.results import leaderboard, memo, ranked
from arena.results.archive import Archive
from arena.results.leaderboard import Results, meetings, write_csv
from arena.results.standings import standings_of
from tests.support import stored
from tests.support.cup import arena

NAMES = ("oracle", "hunter", "walker", "dice")
EVENT = stored.event(*NAMES, repeats=2)
HOSTILE = "\x1b[31mred\u202e"


@pytest.fixture(autouse=True, scope="module")
def few_refits():
    """Fit in half the time: what a rating is worth is no question here."""
    with patch.object(leaderboard, "REFITS", 50):
        yield


def likely(of=EVENT, skill=NAMES):
    return (stored.likely(match, skill) for match in stored.plan(of))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An event that its first bot wins, by a little each; tests only look at it."""
    return stored.store(tmp_path_factory.mktemp("results") / "cup", EVENT, likely())


@pytest.fixture(scope="module")
def results(folder):
    opened = Results.open(folder)
    yield opened
    opened.close()


def unread(*_):
    raise AssertionError("the matches were read again")


def stored_fit(folder, rating="bradley_terry"):
    """The stored ratings: the matches are not read."""
    with patch.object(Results, "arrays", property(unread)):
        return fitted(folder, rating)


def plain(found):
    arrays = found.better.tolist(), found.resamples.tolist()
    return found.unit, found.ratings, found.advantages, found.groups, found.repeated, arrays


def fitted(folder, rating="bradley_terry"):
    results = Results.open(folder, rating=rating)
    found = results.ratings
    results.close()
    return found


def copied(folder, target):
    shutil.copy(folder / "event.sqlite", target)
    return target


def test_cached_ratings_equal_the_fitted_ones_to_the_last_digit(folder, tmp_path):
    copied(folder, tmp_path)
    assert plain(fitted(tmp_path)) == plain(stored_fit(tmp_path))
    assert plain(fitted(tmp_path, rating="points")) == plain(stored_fit(tmp_path, rating="points"))


def test_cached_ratings_are_used_for_the_same_matches_only(tmp_path):
    records = list(likely())
    stored.store(tmp_path, EVENT, records[:-1])
    before = fitted(tmp_path)
    stored.store(tmp_path, EVENT, records[-1:])
    with pytest.raises(AssertionError, match="read again"):
        stored_fit(tmp_path)
    assert fitted(tmp_path).ratings != before.ratings


def test_another_event_of_the_same_size_in_the_same_place_is_fitted_anew(folder, tmp_path):
    fitted(copied(folder, tmp_path))
    (tmp_path / "event.sqlite").unlink()
    stored.store(tmp_path, EVENT, likely(skill=NAMES[::-1]))
    assert fitted(tmp_path).ratings[0].bot == "dice"


def test_ratings_with_a_damaged_cache_are_fitted_anew_and_cached_again(folder, tmp_path):
    right = plain(fitted(copied(folder, tmp_path)))
    (path,) = tmp_path.glob(".ratings-*.json")
    key, _ = json.loads(path.read_text().split("\n")[0])
    for damaged in (b"", b"[" * 100_000, b"[1, 2]"):
        path.write_bytes(damaged)
        assert (damaged[-80:], plain(fitted(tmp_path))) == (damaged[-80:], right)
    for content in (None, {"dtype": "f8,("}, {"unit": "logits"}):
        memo.store(path, key, content, TypeAdapter(object))
        assert (content, plain(fitted(tmp_path))) == (content, right)
    assert plain(stored_fit(tmp_path)) == right


def test_ratings_that_cannot_be_cached_are_returned_all_the_same(folder, tmp_path):
    copied(folder, tmp_path)
    (tmp_path / ".ratings-elo.json").mkdir()
    assert fitted(tmp_path, rating="elo").unit == "Elo"
    assert not list(tmp_path.glob("*.part"))


def test_no_matches_have_no_ratings_and_no_warnings(tmp_path):
    results = Results.open(stored.store(tmp_path, EVENT, []))
    assert (results.ratings.ratings, results.warnings, len(results.strengths())) == ((), (), 0)
    assert len(results.chance_better()) == 0


def test_a_rating_that_there_is_not_is_named_and_leaves_nothing(folder):
    with pytest.raises(
        ArenaError, match=r"rating: there is no '\.\./x'; known: .*bradley_terry, elo, points"
    ):
        Results.open(folder, rating="../x").leaderboard()


def level(results, **values):
    """The ratings of an event, with these values instead of their own."""
    ratings = tuple(
        replace(rating, strength=rating.strength._replace(value=values[rating.bot]))
        for rating in results.ratings.ratings
    )
    return replace(results.ratings, ratings=ratings)


def test_any_score_beats_none_then_rating_points_and_tie_breaks_decide(results):
    by_points = standings_of(NAMES, results.tallies)
    equal = tuple(replace(standing, points=50.0) for standing in by_points)
    scoreless = tuple(
        replace(standing, points=75.0 * (standing.bot != "dice")) for standing in by_points
    )
    unlike = {"oracle": 1.0, "hunter": 2.0, "walker": 3.0, "dice": 4.0}
    same = dict.fromkeys(NAMES, 0.5)

    def placed(standings, values, *tie_breaks):
        order = ranked.in_order(
            standings,
            level(results, **values),
            lambda: meetings.encounters(results.arrays),
            tie_breaks,
            NAMES,
        )
        return [(standing.rank, standing.bot) for standing in order]

    assert placed(by_points, unlike) == [(1, "dice"), (2, "walker"), (3, "hunter"), (4, "oracle")]
    assert placed(scoreless, unlike) == [(1, "walker"), (2, "hunter"), (3, "oracle"), (4, "dice")]
    assert [bot for _, bot in placed(by_points, same)] == [standing.bot for standing in by_points]
    assert placed(equal, same) == [(1, bot) for bot in sorted(NAMES)]
    wins = {
        bot: sum(met.won for met in meetings.encounters(results.arrays).against(bot).values())
        for bot in NAMES
    }
    assert [bot for _, bot in placed(equal, same, "wins")] == sorted(
        NAMES, key=lambda bot: (-wins[bot], bot)
    )


def test_figures_that_differ_beyond_nine_decimals_are_equal(results):
    equal = tuple(replace(standing, points=50.0) for standing in results.standings)
    almost = {bot: 0.5 + place * 1e-12 for place, bot in enumerate(NAMES)}
    assert {
        standing.rank
        for standing in ranked.in_order(equal, level(results, **almost), unread, (), NAMES)
    } == {1}


def test_the_interval_of_ranks_holds_the_rank_that_a_tie_break_decided(tmp_path):
    event = replace(
        stored.event("ann", "bob", boards=[stored.DUEL]), tie_breaks=("wins", "direct_encounter")
    )
    records = [stored.played(match, explorer=100, mummy=0) for match in stored.plan(event)]
    table = Results.open(stored.store(tmp_path, event, records)).leaderboard()
    assert table["rank"].tolist() == [1, 1]
    assert table["wins"].tolist() == [1, 1]
    assert (table["rank_low"] <= table["rank"]).all()
    assert (table["rank_high"] >= table["rank"]).all()


def test_the_strengths_by_role_and_chances_are_those_of_the_ratings(results):
    strengths, chances = results.strengths(), results.chance_better()
    assert len(strengths) == 4 * 6
    first = results.leagues[0].ratings.ratings[0]
    row = strengths[(strengths["bot"] == first.bot) & (strengths["role"] == "mummy")].iloc[0]
    assert (row["strength"], row["low"], row["high"]) == first.roles["mummy_maze/duel", "mummy"]
    assert len(chances) == 2 * 4 * 3
    chances = chances[chances["game"] == "mummy_maze"]
    by_pair = chances.set_index(["bot", "opponent"])["chance"]
    assert all(
        by_pair[one, other] == pytest.approx(1 - by_pair[other, one])
        for one, other in by_pair.index
    )
    assert by_pair["oracle", "dice"] > 0.975


def drawn(results, width):
    """The leaderboard's lines on a terminal of this width, without colours."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(
        output.tightened(
            leaderboard_text.table(results, results.leaderboard(by_game=False), width), console
        )
    )
    return console.file.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_leaderboard_fits_the_terminal_in_a_line_a_bot(results, width):
    lines = drawn(results, width)
    assert len(lines) == 2 + len(NAMES)
    assert max(map(len, lines)) <= width
    assert lines[0].split()[:6] == ["rank", "bot", "rating", "95", "%", "ranks"]
    assert "points" in lines[0]
    assert ("lost" in lines[0], "duel" in lines[0]) == (width >= 80, width >= 120)


def test_intervals_are_drawn_on_one_scale(results):
    bars = [re.search("\u2500*\u25cf\u2500*", line) for line in drawn(results, 80)[2:]]
    table = results.leaderboard(by_game=False)
    low, high = table["rating_low"].min(), table["rating_high"].max()
    start = min(bar.start() for bar in bars)
    for bar, rating in zip(bars, table["rating"], strict=True):
        at = start + (leaderboard_text.BAR_COLUMNS - 1) * (rating - low) / (high - low)
        assert bar[0].index("\u25cf") + bar.start() == pytest.approx(at, abs=0.51)


def test_a_bot_that_never_played_has_a_row_without_figures(tmp_path):
    match = next(match for match in stored.plan(EVENT) if match.board == "duel")
    lines = drawn(Results.open(stored.store(tmp_path, EVENT, [stored.played(match)])), 80)
    assert lines[4].split() == ["oracle", "0", "0", "0"]


def mixed(folder, display=None, /, **plays):
    """An event of the four bots and of specialists: `ghost="ghost1 ghost2"` plays these roles of
    classic only.

    `display` has display names.
    """
    roles = {name: tuple(words.split()) for name, words in plays.items()}
    event = stored.event(*NAMES, *plays, repeats=2)
    own = {name: {"games": ("pacman/classic",), "roles": roles[name]} for name in plays}
    bots = [
        replace(bot, display=(display or {}).get(bot.name, ""), **own.get(bot.name, {}))
        for bot in event.bots
    ]
    matches = [
        match
        for match in stored.plan(event)
        if all(
            seat.bot.name in NAMES
            or (match.board == "classic" and seat.role in roles[seat.bot.name])
            for seat in match.seats
        )
    ]
    records = [stored.likely(match, [*plays, *NAMES]) for match in matches]
    return stored.store(folder / "cup", replace(event, bots=tuple(bots)), records)


@pytest.fixture(scope="module")
def specialists(tmp_path_factory):
    """An event with a bot for the ghosts and one for Pacman; tests only look at it."""
    return mixed(tmp_path_factory.mktemp("mixed"), ghost="ghost1 ghost2", runner="pacman")


def test_an_overall_rank_is_for_bots_that_play_every_board_and_role(specialists):
    results = Results.open(specialists)
    mazes, pacman = results.leagues
    assert set(mazes.leaderboard()["bot"]) == set(NAMES)
    table = pacman.leaderboard().set_index("bot")
    assert list(table.index[:4]) == list(NAMES)
    assert table["rank"].tolist()[:4] == [1, 2, 3, 4]
    assert table.loc[list(NAMES), "rank_high"].max() == 4
    special = table.loc[["ghost", "runner"]]
    assert special[["rank", "rank_low", "rank_high", "tier"]].isna().all(axis=None)
    assert pacman.specialists == {
        "ghost": "ghost1 and ghost2 of classic only",
        "runner": "pacman of classic only",
    }
    assert results.overall_leaderboard()["bot"].tolist() == list(NAMES)
    output = arena(specialists, "leaderboard", str(specialists)).stdout
    first, rest = output.split("\npacman\n")
    assert first.startswith("mummy_maze\nrank  bot")
    own, overall = rest.split("\nall games\n")
    assert re.search(
        r"^without a rank: ghost, plays ghost1 and ghost2 of classic only, rating \S+ \(",
        own,
        re.MULTILINE,
    )
    assert "ghost," not in overall


def test_every_board_and_role_has_a_ranking_of_its_own_in_every_form(specialists):
    results = Results.open(specialists)
    frame = results.rankings()
    heads = list(dict.fromkeys(zip(frame["board"], frame["role"].fillna("all"), strict=True)))
    assert heads == [
        ("mummy_maze/hunt", "explorer"),
        *(("mummy_maze/duel", role) for role in ("all", "explorer", "mummy")),
        *(("pacman/classic", role) for role in ("all", "pacman", "ghost1", "ghost2")),
    ]
    ghosts = results.rankings("classic", "ghost1")
    assert set(ghosts["bot"]) == {*NAMES, "ghost"}
    assert ghosts["rank"].tolist() == [1, 2, 3, 4, 5]
    assert ghosts["strength"].is_monotonic_decreasing
    assert (ghosts["rank_low"] <= ghosts["rank"]).all()
    assert (ghosts["rank"] <= ghosts["rank_high"]).all()
    whole = frame[(frame["board"] == "pacman/classic") & frame["role"].isna()]
    assert set(whole["bot"]) == set(NAMES)
    roles = results.strengths().set_index(["board", "role", "bot"])["strength"]
    assert all(
        row.strength == roles["pacman/classic", "ghost1", row.bot] for row in ghosts.itertuples()
    )
    output = arena(
        specialists,
        "leaderboard",
        str(specialists),
        "--rankings",
        "--board",
        "classic",
        "--role",
        "ghost1",
    ).stdout
    assert output.startswith("pacman/classic, ghost1\nrank  bot")
    assert output.split("\n")[3].split()[:2] == ["1", ghosts["bot"][0]]
    asked = json.loads(
        arena(specialists, "leaderboard", str(specialists), "--rankings", "--json").stdout
    )
    assert [(row["board"], row["role"], row["bot"]) for row in asked] == [
        (row.board, None if pd.isna(row.role) else row.role, row.bot) for row in frame.itertuples()
    ]
    assert len(charts.render("roles", results).axes) >= len(heads)
    parts = {part for table in leaderboards(results) for part, _ in table.parts}
    assert parts == {part for league in results.leagues for part in league.specialists.values()}
    assert [table.title for table in rankings(results)][-1] == "pacman/classic, ghost2"


def test_a_bot_that_scored_nothing_on_a_board_is_ranked_behind_all_that_did(tmp_path):
    """The best bot elsewhere loses its few matches on `duel`: its strength there would be a guess
    from elsewhere.
    """
    event = stored.event(*NAMES, repeats=12)
    plan = [match for match in stored.plan(event) if match.board != "duel" or match.repeat == 0]

    def record(match):
        if match.board != "duel":
            return stored.likely(match, NAMES)
        names = [seat.bot.name for seat in match.seats]
        score = {"oracle": 0}.get(names[0], {"oracle": 100}.get(names[1], 60))
        return stored.played(match, turns=5, explorer=score, mummy=100 - score)

    results = Results.open(stored.store(tmp_path, event, map(record, plan), planned=plan))
    rankings = results.rankings(board="duel")
    for _, board in rankings.groupby("role", dropna=False):
        assert board["bot"].iloc[-1] == "oracle"
        assert board["rank"].is_monotonic_increasing
        assert board["rank"].between(board["rank_low"], board["rank_high"]).all()
    results.close()


@pytest.mark.soak
def test_display_names_stand_in_rankings_among_specialists_and_in_a_comparison(tmp_path):
    displays = {"ghost": "Łukasz", "oracle": "Anna Müller"}
    folder = mixed(tmp_path, displays, ghost="ghost1 ghost2")
    for table_ in ((), ("--rankings",), ("--crosstable",), ("--timing",)):
        output = arena(tmp_path, "leaderboard", str(folder), *table_).stdout
        assert {name: name in re.split(r"\W+", output) for name in displays} == dict.fromkeys(
            displays, False
        )
        assert all(name in output for name in displays.values())
    output = arena(tmp_path, "compare", "ghost", "oracle", str(folder)).stdout
    assert "Łukasz is rated" in output
    assert output.splitlines()[:1] == ["pacman"]  # the game that both play
    assert output.splitlines()[1].split() == [
        "board",
        "role",
        "Łukasz",
        "Anna",
        "Müller",
        "difference",
        "matches",
        "of",
        "each",
    ]
    results = Results.open(folder)
    parts = [
        row["bot"].text
        for table in leaderboards(results)
        for _, rows in table.parts
        for row in rows
    ]
    assert parts == ["Łukasz"]
    assert {row["bot"].text for table in rankings(results) for row in table.rows} == {
        *displays.values(),
        *NAMES[1:],
    }


def test_the_table_of_a_run_ranks_the_bots_of_each_game_before_specialists(tmp_path):
    folder = mixed(tmp_path, {"ghost": "Łukasz"}, ghost="ghost1 ghost2", runner="pacman")
    with Archive.open(folder) as archive:
        event, played = archive.event(), archive.played()
    assert [row[:3] for row in RunWatcher(event, "", ()).rows(18)] == [
        *(("mummy_maze", None, name) for name in sorted(NAMES)),
        *(("pacman", None, name) for name in (*sorted(NAMES), "Łukasz", "runner")),
    ]
    rows = [row for row in RunWatcher(event, "", played).rows(18) if row[0] == "pacman"]
    assert [row[1] for row in rows] == [1, 2, 3, 4, None, None]
    assert {row[2] for row in rows[4:]} == {"Łukasz", "runner"}
    table = RunWatcher(
        event.league("pacman"), "", [match for match in played if match.game == "pacman"]
    )
    assert [row[:3] for row in table.rows(9)] == [
        row[1:4] for row in rows
    ]  # one game: no column for it


def test_each_game_ranks_its_bots_where_fewer_than_two_play_all_games(tmp_path):
    event = stored.event("ann", "bob", "cat", "dan")
    bots = [
        replace(bot, games=("pacman",) if bot.name in "ann bob" else ("mummy_maze",))
        for bot in event.bots[:3]
    ]
    event = replace(event, bots=(*bots, event.bots[3]))
    matches = [
        match
        for match in stored.plan(event)
        if all(seat.bot.plays(match.game, match.board, seat.role) for seat in match.seats)
    ]
    folder = stored.store(tmp_path / "cup", event, map(stored.played, matches))
    results = Results.open(folder)
    table = results.leaderboard()
    assert table["rank"].notna().all()
    assert {game: set(rows["bot"]) for game, rows in table.groupby("game")} == {
        "mummy_maze": {"cat", "dan"},
        "pacman": {"ann", "bob", "dan"},
    }
    assert not results.ranked
    assert results.overall_leaderboard().empty
    output = arena(tmp_path, "leaderboard", str(folder)).stdout
    assert re.findall(r"^(\w+)$", output, re.MULTILINE) == ["mummy_maze", "pacman"]
    assert charts.render("leaderboard", results).axes


def test_a_bot_that_had_no_turn_yet_in_a_role_is_no_specialist(tmp_path):
    first = [match for match in stored.plan(EVENT) if match.board == "duel"][:2]
    results = Results.open(stored.store(tmp_path, EVENT, map(stored.played, first)))
    assert results.specialists == {}
    assert results.leaderboard(by_game=False)["rank"].notna().sum() == len(
        {seat.bot for match in first for seat in match.seats}
    )


def hopeless_event():
    return stored.event("ann", "bob", "cat", "dan", boards=[stored.DUEL], repeats=2)


def hopeless(folder, event=None):
    """An event of three bots that beat each other, and of one that loses everything."""
    event = event or hopeless_event()
    after = {"ann": "bob", "bob": "cat", "cat": "ann"}
    records = []
    for match in stored.plan(event):
        first, second = (seat.bot.name for seat in match.seats)
        won = second == "dan" or after.get(first) == second
        turns = 20 + match.repeat  # no copy of another match
        records.append(stored.played(match, turns=turns, explorer=100 * won, mummy=100 * (not won)))
    return stored.store(folder / "cup", event, records)


def test_without_a_prior_the_leaderboard_has_the_plain_fit_or_says_why_not(tmp_path):
    boards = [stored.DUEL]
    event = replace(stored.event("ann", "bob", boards=boards, repeats=4), prior="none")
    wins = {"ann": (100, 100, 100, 0), "bob": (0, 0, 100, 0)}  # of the explorer, by repeat
    records = []
    for match in stored.plan(event):
        score = wins[match.seats[0].bot.name][match.repeat]
        records.append(
            stored.played(match, turns=20 + match.repeat, explorer=score, mummy=100 - score)
        )
    results = Results.open(stored.store(tmp_path / "cup", event, records))
    table = results.leaderboard().set_index("bot")
    # Each wins 3 of 4 as the stronger one, whatever its role: the odds are 3 to 1.
    assert table.loc["ann", "rating"] - table.loc["bob", "rating"] == pytest.approx(
        400 * np.log10(3), abs=0.01
    )
    assert results.warnings == ()
    results.close()

    always = replace(hopeless_event(), prior="none")
    output = arena(tmp_path, "leaderboard", str(hopeless(tmp_path / "hopeless", always)))
    assert "no finite fit without a prior" in output.stderr


def test_an_open_interval_is_shown_as_one_in_every_form(tmp_path):
    folder = hopeless(tmp_path)
    results = Results.open(folder)
    row = results.leaderboard().set_index("bot").loc["dan"]
    assert row["rating_low"] == -np.inf
    assert np.isfinite(row[["rating", "rating_high"]].astype(float)).all()
    write_csv(results, tmp_path)
    assert pd.read_csv(tmp_path / "leaderboard.csv")["rating_low"].tolist()[-1] == -np.inf
    (*_, last) = json.loads(arena(tmp_path, "leaderboard", str(folder), "--json").stdout)
    assert (last["bot"], last["rating_low"]) == ("dan", None)
    assert last["rating"] < last["rating_high"]
    (*_, line) = drawn(results, 120)
    assert re.search(r"dan +\d+ +below +\d+ .*\u25c0", line)
    (*_, cells) = leaderboards(results)[0].rows
    assert cells["range"].text.startswith("below ")
    (panel,) = charts.render("leaderboard", results).axes
    low, high = panel.get_xlim()
    assert np.isfinite([low, high]).all()
    assert low < results.ratings.ratings[-1].strength.value < high
    assert 3 in panel.collections[2].get_offsets()[:, 1]  # the arrows
    (output,) = json.loads(arena(tmp_path, "compare", "ann", "dan", str(folder), "--json").stdout)
    assert (output["high"], output["real"]) == (None, True)
    assert "difference above +" in arena(tmp_path, "compare", "ann", "dan", str(folder)).stdout


def test_a_hostile_name_is_harmless_wherever_ratings_are_shown(tmp_path):
    event = stored.event(HOSTILE, "=cmd()", boards=[stored.DUEL])
    folder = stored.store(tmp_path / "cup", event, map(stored.played, stored.plan(event)))
    for words in (
        ["leaderboard"],
        ["leaderboard", "--wide"],
        ["compare", HOSTILE, "=cmd()"],
        ["compare", HOSTILE, "x"],
    ):
        output = arena(tmp_path, *words, *(str(folder),))
        assert "\x1b" not in output.stdout + output.stderr
        assert "\u202e" not in output.stdout + output.stderr
        assert "red" in output.stdout + output.stderr


def test_a_pipe_has_no_colour_and_a_warning_goes_to_stderr(tmp_path):
    event = stored.event("ann", "bob", "cat", "dan", boards=[stored.DUEL])
    apart = [
        match
        for match in stored.plan(event)
        if {seat.bot.name for seat in match.seats} <= {"ann", "bob"}
    ]
    apart += [
        match
        for match in stored.plan(event)
        if {seat.bot.name for seat in match.seats} <= {"cat", "dan"}
    ]
    folder = str(stored.store(tmp_path / "cup", event, map(stored.played, apart)))
    said = arena(tmp_path, "leaderboard", folder)
    assert said.returncode == 0
    assert "\x1b" not in said.stdout
    assert said.stderr == (
        "note: the bots fall into 2 groups that never met: ranks across them are guesses; play the "
        "missing pairs\n"
    )
    output = arena(tmp_path, "compare", "ann", "cat", folder)
    assert (
        "They never met, not even through others: nothing can be said of the difference.\n"
        in output.stdout
    )
    assert (
        json.loads(arena(tmp_path, "compare", "ann", "cat", folder, "--json").stdout)[0]["real"]
        is False
    )


def test_two_bots_are_compared_head_to_head_and_the_difference_is_proven(folder, results):
    text = arena(folder, "compare", "oracle", "dice", str(folder)).stdout
    heads = [line.split() for line in text.splitlines() if line.startswith("board ")]
    assert heads == [["board", "role", "oracle", "dice", "difference", "matches", "of", "each"]] * 2
    assert re.findall(r"^\w+$", text, re.MULTILINE) == ["mummy_maze", "pacman"]
    assert text.count("With 95 % confidence, oracle is better than dice.\n") == 2
    games = json.loads(arena(folder, "compare", "dice", "oracle", str(folder), "--json").stdout)
    assert [(row["game"], row["real"], row["unit"]) for row in games] == [
        ("mummy_maze", True, "Elo"),
        ("pacman", True, "Elo"),
    ]
    assert all(row["low"] < row["difference"] < row["high"] < 0 for row in games)
    meetings = results.crosstable().set_index(["board", "role", "bot", "opponent"])["score"]
    alone = results.leaderboard(by_game=False).set_index("bot")["hunt"]
    expected = {
        (board, role): (
            meetings[board, role, "dice", "oracle"],
            meetings[board, role, "oracle", "dice"],
        )
        for board, role in results.board_role_columns
        if board != "mummy_maze/hunt"
    } | {("mummy_maze/hunt", "explorer"): (alone["dice"], alone["oracle"])}
    rows = [row for game in games for row in game["head_to_head"]]
    scores = {(row["board"], row["role"]): (row["score"], row["opponent_score"]) for row in rows}
    assert scores == expected


def test_the_difference_of_equal_bots_is_not_proven(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL], repeats=3)
    records = [
        stored.played(match, explorer=60, mummy=40, turns=match.repeat)
        for match in stored.plan(event)
    ]
    folder = str(stored.store(tmp_path / "cup", event, records))
    for rating, unit in (("bradley_terry", "Elo"), ("elo", "Elo"), ("points", "points")):
        output = arena(tmp_path, "compare", "ann", "bob", folder, "--rating", rating).stdout
        # Not "it would take 95 % confidence", beside a chance of 97 % that the first is better.
        assert "is not proven: the 95 % interval of the difference begins below 0" in output
        assert f" {unit} above bob (95 % interval of the difference -" in output
        assert ("expected to score 50 of 100" in output) == (unit != "points")


def test_of_bots_that_share_no_game_nothing_is_said(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=[stored.DUEL, stored.CLASSIC])
    ann, bob = (
        replace(bot, games=(game,))
        for bot, game in zip(event.bots, ("mummy_maze", "pacman"), strict=False)
    )
    event = replace(event, bots=(ann, bob, event.bots[2]))
    matches = [
        match
        for match in stored.plan(event)
        if all(seat.bot.plays(match.game, match.board, seat.role) for seat in match.seats)
    ]
    folder = str(stored.store(tmp_path / "cup", event, map(stored.played, matches)))
    output = arena(tmp_path, "compare", "ann", "bob", folder).stdout
    assert output == "ann and bob play no game in common, so nothing compares them.\n"
    assert "expected to score" in arena(tmp_path, "compare", "ann", "cat", folder).stdout
    rows = [
        json.loads(arena(tmp_path, "compare", "ann", other, folder, "--json").stdout)
        for other in ("bob", "cat")
    ]
    assert [[row["met"] for row in of_pair] for of_pair in rows] == [[], [True]]


def test_bots_that_met_in_unlike_roles_only_have_a_row_with_both_roles(specialists):
    rows = Results.open(specialists).head_to_head("ghost", "runner")
    assert list(zip(rows["board"], rows["role"], rows["opponent_role"], strict=True)) == [
        ("pacman/classic", "ghost1", "pacman"),
        ("pacman/classic", "ghost2", "pacman"),
    ]
    table = (
        Results.open(specialists)
        .crosstable("classic")
        .set_index(["role", "bot", "opponent"])["score"]
    )
    assert rows["score"].tolist() == [
        table[role, "ghost", "runner"] for role in ("ghost1", "ghost2")
    ]
    assert (rows["opponent_score"] == table["pacman", "runner", "ghost"]).all()
    assert (
        "ghost1, pacman"
        in arena(specialists, "compare", "ghost", "runner", str(specialists)).stdout
    )
    same = Results.open(specialists).head_to_head("oracle", "dice")
    assert (same["role"] == same["opponent_role"]).all()


def test_two_versions_of_a_bot_are_compared_by_number_or_digest(tmp_path):
    first = stored.event("ann", "bob", boards=[stored.DUEL])
    edited = replace(first, bots=(replace(first.bots[0], digest="f00f00f00"), first.bots[1]))
    for event in (first, edited):
        folder = str(stored.store(tmp_path / "cup", event, map(stored.played, stored.plan(event))))
    old = first.bots[0].digest[:6]
    (output,) = json.loads(
        arena(tmp_path, "compare", f"ann@{old}", "ann@f00f00", folder, "--json").stdout
    )
    assert (output["bot"], output["opponent"]) == (f"ann {old}", "ann f00f00")
    unknown = arena(tmp_path, "compare", "ann@f00f00", "ann@9", folder)
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("ann@9: no such version played; it has ann@")


def test_on_a_board_for_one_each_is_compared_by_itself(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.HUNT])
    matches = [event.match(stored.HUNT, (bot,), 0) for bot in event.bots]
    records = [
        stored.played(match, explorer=score) for match, score in zip(matches, (70, 30), strict=True)
    ]
    with Archive.open(tmp_path, writing=True) as archive:
        stored.begin(archive, event, (match.id for match in matches))
        archive.append(*records)
    rows = Results.open(tmp_path).head_to_head("ann", "bob").to_dict("records")
    assert [
        (row["score"], row["opponent_score"], row["difference"], row["matches"]) for row in rows
    ] == [(70, 30, 40, 1)]


def test_a_comparison_that_is_impossible_is_refused_in_one_line(folder, tmp_path):
    assert (
        arena(folder, "compare", "dice", "dice", str(folder)).stderr
        == "dice twice: name two bots\n"
    )
    unknown = arena(folder, "compare", "dice", "dyce", str(folder))
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "'dyce' is no bot of this event; it has dice, hunter, oracle, walker\n",
    )
    empty = str(stored.store(tmp_path, EVENT, []))
    assert "dice: has not played yet" in arena(folder, "compare", "dice", "oracle", empty).stderr
