"""Ratings as an event has them: kept between readings, deciding the rank, shown in a terminal, two bots compared."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import stored
from cup import arena
from rich.console import Console

from arena import tiebreaks
from arena.archive import Archive
from arena.cli import ladder, screen
from arena.errors import ArenaError
from arena.leaderboard import Results, ranking, rated
from arena.standings import standings_of

NAMES = ("oracle", "hunter", "walker", "dice")
EVENT = stored.event(*NAMES, repeats=2)
HOSTILE = "\x1b[31mred\u202e"


def likely(of=EVENT, skill=NAMES):
    return (stored.likely(match, skill) for match in stored.plan(of))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An event that its first bot wins, by a little each; tests only look at it."""
    return stored.store(tmp_path_factory.mktemp("results") / "cup", EVENT, likely())


def unread():
    raise AssertionError("the matches were read again")


def of(folder, read=unread, rating="bradley_terry"):
    archive = Archive.open(folder)
    try:
        return rated.of(archive, archive.event(), archive.tallies(), read, rating=rating, all_versions=False)
    finally:
        archive.close()


def plain(found):
    arrays = found.better.tolist(), found.draws.tolist()
    return found.unit, found.ratings, found.advantages, found.groups, found.repeated, arrays


def fitted(folder, **options):
    with_arrays = Results.open(folder)
    found = of(folder, lambda: with_arrays.arrays, **options)
    with_arrays.close()
    return found


def test_what_was_kept_is_what_was_fitted_to_the_last_digit(tmp_path):
    stored.store(tmp_path, EVENT, likely())
    assert plain(fitted(tmp_path)) == plain(of(tmp_path))
    assert plain(fitted(tmp_path, rating="points")) == plain(of(tmp_path, rating="points"))


def test_what_was_kept_is_right_only_for_the_same_matches(tmp_path):
    records = list(likely())
    stored.store(tmp_path, EVENT, records[:-1])
    before = fitted(tmp_path)
    stored.store(tmp_path, EVENT, records[-1:])
    with pytest.raises(AssertionError, match="read again"):
        of(tmp_path)
    assert fitted(tmp_path).ratings != before.ratings


def test_another_event_of_the_same_size_in_the_same_place_is_fitted_anew(tmp_path):
    stored.store(tmp_path, EVENT, likely())
    fitted(tmp_path)
    (tmp_path / "event.sqlite").unlink()
    stored.store(tmp_path, EVENT, likely(skill=NAMES[::-1]))
    assert fitted(tmp_path).ratings[0].bot == "dice"


@pytest.mark.parametrize("rubbish", [b"", b"rubbish", b"PK\x03\x04 and no more"])
def test_a_kept_fit_that_cannot_be_read_is_fitted_anew(tmp_path, rubbish):
    stored.store(tmp_path, EVENT, likely())
    right = plain(fitted(tmp_path))
    (kept,) = tmp_path.glob(".ratings-*.npz")
    kept.write_bytes(rubbish)
    assert plain(fitted(tmp_path)) == right
    assert plain(of(tmp_path)) == right


def test_a_fit_that_cannot_be_kept_is_told_all_the_same(tmp_path):
    stored.store(tmp_path, EVENT, likely())
    (tmp_path / ".ratings-elo.npz").mkdir()
    assert fitted(tmp_path, rating="elo").unit == "Elo"
    assert not list(tmp_path.glob("*.part"))


def test_no_matches_have_no_ratings_and_no_warnings(tmp_path):
    results = Results.open(stored.store(tmp_path, EVENT, []))
    assert (results.ratings.ratings, results.warnings, len(results.strengths())) == ((), (), 0)
    assert len(results.chance_better()) == 0


def test_a_rating_that_there_is_not_is_named_and_leaves_nothing(folder):
    with pytest.raises(ArenaError, match=r"rating: there is no '\.\./x'; known: bradley_terry, elo, points"):
        Results.open(folder, rating="../x").leaderboard()


def level(results, **values):
    """The ratings of an event, with these values instead of their own."""
    ratings = tuple(
        replace(one, strength=one.strength._replace(value=values[one.bot])) for one in results.ratings.ratings
    )
    return replace(results.ratings, ratings=ratings)


def test_the_rating_decides_then_points_then_tie_breaks_in_their_order(folder):
    results = Results.open(folder)
    by_points = standings_of(NAMES, results.tallies)
    equal = tuple(replace(one, points=50.0) for one in by_points)
    unlike = {"oracle": 1.0, "hunter": 2.0, "walker": 3.0, "dice": 4.0}
    same = dict.fromkeys(NAMES, 0.5)

    def placed(standings, values, *tie_breaks):
        ranked = ranking.ranked(standings, level(results, **values), lambda: ranking.met(results.arrays), tie_breaks)
        return [(one.rank, one.bot) for one in ranked]

    assert placed(by_points, unlike) == [(1, "dice"), (2, "walker"), (3, "hunter"), (4, "oracle")]
    assert [bot for _, bot in placed(by_points, same)] == [one.bot for one in by_points]
    assert placed(equal, same) == [(1, bot) for bot in sorted(NAMES)]
    wins = {bot: sum(met.won for met in ranking.met(results.arrays).against(bot).values()) for bot in NAMES}
    assert [bot for _, bot in placed(equal, same, "wins")] == sorted(NAMES, key=lambda bot: (-wins[bot], bot))


def test_figures_that_differ_beyond_nine_decimals_are_equal(folder):
    results = Results.open(folder)
    equal = tuple(replace(one, points=50.0) for one in results.standings)
    almost = {bot: 0.5 + place * 1e-12 for place, bot in enumerate(NAMES)}
    assert {one.rank for one in ranking.ranked(equal, level(results, **almost), unread, ())} == {1}


def test_who_is_placed_by_a_tie_break_has_that_rank_in_its_interval(tmp_path):
    event = replace(stored.event("ann", "bob", boards=[stored.DUEL]), tie_breaks=("wins", "direct_encounter"))
    records = [stored.played(match, explorer=100, mummy=0) for match in stored.plan(event)]
    table = Results.open(stored.store(tmp_path, event, records)).leaderboard()
    assert table["rank"].tolist() == [1, 1]
    assert table["wins"].tolist() == [1, 1]
    assert (table["rank_low"] <= table["rank"]).all()
    assert (table["rank_high"] >= table["rank"]).all()


def test_the_strengths_by_role_and_chances_are_those_of_the_ratings(folder):
    results = Results.open(folder)
    strengths, chances = results.strengths(), results.chance_better()
    assert len(strengths) == 4 * 6
    first = results.ratings.ratings[0]
    row = strengths[(strengths["bot"] == first.bot) & (strengths["role"] == "mummy")].iloc[0]
    assert (row["strength"], row["low"], row["high"]) == first.roles["mummy_maze/duel", "mummy"]
    assert len(chances) == 4 * 3
    by_pair = chances.set_index(["bot", "opponent"])["chance"]
    assert all(by_pair[one, other] == pytest.approx(1 - by_pair[other, one]) for one, other in by_pair.index)
    assert by_pair["oracle", "dice"] > 0.975


def drawn(results, width):
    """The leaderboard's lines on a terminal of this width, without colours."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(screen.fitted(ladder.table(results, width), console))
    return console.file.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_leaderboard_fits_the_terminal_in_a_line_a_bot(folder, width):
    lines = drawn(Results.open(folder), width)
    assert len(lines) == 2 + len(NAMES)
    assert max(map(len, lines)) <= width
    assert lines[0].split()[:6] == ["rank", "bot", "rating", "95", "%", "ranks"]
    assert ("points" in lines[0], "lost" in lines[0], "duel" in lines[0]) == (width >= 80, width >= 80, width >= 120)


def test_intervals_are_drawn_on_one_scale(folder):
    results = Results.open(folder)
    bars = [re.search("\u2500*\u25cf\u2500*", line) for line in drawn(results, 80)[2:]]
    table = results.leaderboard()
    low, high = table["rating_low"].min(), table["rating_high"].max()
    start = min(bar.start() for bar in bars)
    for bar, rating in zip(bars, table["rating"], strict=True):
        at = start + (ladder.BAR - 1) * (rating - low) / (high - low)
        assert bar[0].index("\u25cf") + bar.start() == pytest.approx(at, abs=0.51)


def test_a_bot_that_never_played_has_a_row_without_figures(tmp_path):
    match = next(match for match in stored.plan(EVENT) if match.board == "duel")
    lines = drawn(Results.open(stored.store(tmp_path, EVENT, [stored.played(match)])), 80)
    assert lines[4].split() == ["oracle", "0", "0", "0"]


def test_a_hostile_name_is_harmless_wherever_ratings_are_shown(tmp_path):
    event = stored.event(HOSTILE, "=cmd()", boards=[stored.DUEL])
    folder = stored.store(tmp_path / "cup", event, map(stored.played, stored.plan(event)))
    for words in (
        ["leaderboard"],
        ["leaderboard", "--wide"],
        ["compare", HOSTILE, "=cmd()"],
        ["compare", HOSTILE, "x"],
    ):
        said = arena(tmp_path, *words, *(str(folder),))
        assert "\x1b" not in said.stdout + said.stderr
        assert "\u202e" not in said.stdout + said.stderr
        assert "red" in said.stdout + said.stderr


def test_a_pipe_has_no_colour_and_a_warning_goes_to_stderr(tmp_path):
    event = stored.event("ann", "bob", "cat", "dan", boards=[stored.DUEL])
    apart = [match for match in stored.plan(event) if {seat.bot.name for seat in match.seats} <= {"ann", "bob"}]
    apart += [match for match in stored.plan(event) if {seat.bot.name for seat in match.seats} <= {"cat", "dan"}]
    folder = str(stored.store(tmp_path / "cup", event, map(stored.played, apart)))
    said = arena(tmp_path, "leaderboard", folder)
    assert said.returncode == 0
    assert "\x1b" not in said.stdout
    assert said.stderr == (
        "note: the bots fall into 2 groups that never met: ranks across them are guesses; play the missing pairs\n"
    )
    told = arena(tmp_path, "compare", "ann", "cat", folder)
    assert "They never met, not even through others: nothing can be said of the difference.\n" in told.stdout
    assert json.loads(arena(tmp_path, "compare", "ann", "cat", folder, "--json").stdout)[0]["real"] is False


def test_two_bots_are_compared_head_to_head_and_told_apart(folder):
    said = arena(folder, "compare", "oracle", "dice", str(folder)).stdout
    assert said.split("\n")[0].split() == ["board", "role", "oracle", "dice", "difference", "matches"]
    assert "oracle is rated" in said
    assert "The difference is real: oracle is better than dice.\n" in said
    (told,) = json.loads(arena(folder, "compare", "dice", "oracle", str(folder), "--json").stdout)
    assert (told["real"], told["unit"]) == (True, "logits")
    assert told["low"] < told["difference"] < told["high"] < 0
    results = Results.open(folder)
    meetings = results.crosstable().set_index(["board", "role", "bot", "opponent"])["score"]
    alone = results.leaderboard().set_index("bot")["hunt"]
    wanted = {
        (board, role): (meetings[board, role, "dice", "oracle"], meetings[board, role, "oracle", "dice"])
        for board, role in results.places
        if board != "mummy_maze/hunt"
    } | {("mummy_maze/hunt", "explorer"): (alone["dice"], alone["oracle"])}
    shown = {(row["board"], row["role"]): (row["score"], row["opponent_score"]) for row in told["head_to_head"]}
    assert shown == wanted


def test_bots_that_are_alike_are_not_told_apart(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL], repeats=3)
    records = [stored.played(match, explorer=60, mummy=40, turns=match.repeat) for match in stored.plan(event)]
    folder = str(stored.store(tmp_path / "cup", event, records))
    for rating, unit in (("bradley_terry", "logits"), ("elo", "Elo"), ("points", "points")):
        said = arena(tmp_path, "compare", "ann", "bob", folder, "--rating", rating).stdout
        assert "The difference is not proven" in said
        assert f" {unit} above bob (95 % interval of the difference -" in said
        assert ("expected to score 50 of 100" in said) == (unit != "points")


def test_on_a_board_for_one_each_is_compared_by_itself(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.HUNT])
    matches = [event.match(stored.HUNT, (bot,), 0) for bot in event.bots]
    records = [stored.played(match, explorer=score) for match, score in zip(matches, (70, 30), strict=True)]
    with Archive.open(tmp_path, writing=True) as archive:
        archive.begin(event, (match.id for match in matches))
        archive.append(*records)
    rows = Results.open(tmp_path).head_to_head("ann", "bob").to_dict("records")
    assert [(row["score"], row["opponent_score"], row["difference"], row["matches"]) for row in rows] == [
        (70, 30, 40, 1)
    ]


def test_what_cannot_be_compared_is_said_in_a_line(folder, tmp_path):
    assert arena(folder, "compare", "dice", "dice", str(folder)).stderr == "dice twice: name two bots\n"
    unknown = arena(folder, "compare", "dice", "dyce", str(folder))
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "'dyce' is no bot of this event; it has dice, hunter, oracle, walker\n",
    )
    empty = str(stored.store(tmp_path, EVENT, []))
    assert "dice: has not played yet" in arena(folder, "compare", "dice", "oracle", empty).stderr


@pytest.mark.parametrize("tie_breaks", [(), tiebreaks.names()])
def test_the_tables_are_the_same_whatever_the_order_of_the_records(tmp_path, tie_breaks):
    event, random = replace(EVENT, tie_breaks=tie_breaks), np.random.default_rng(1)
    records = [
        stored.played(match, **dict.fromkeys((seat.role for seat in match.seats), 50)) for match in stored.plan(event)
    ]
    tables = []
    for name in ("one", "two"):
        results = Results.open(stored.store(tmp_path / name, event, records))
        tables.append(
            [frame.to_csv() for frame in (results.leaderboard(), results.strengths(), results.chance_better())]
        )
        random.shuffle(records)
    assert tables[0] == tables[1]
