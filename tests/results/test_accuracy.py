"""Accuracy on solved boards: which moves count, that perfect play has 100 %, and that each match is
assessed once.
"""

import json
import shutil
import sqlite3
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from arena import charts, rulefile
from arena.cli import results as commands
from arena.games import rulebook
from arena.games.quality import PerfectPlay, assessor_of, qualities_of
from arena.replay.replayer import scenes
from arena.report import replays
from arena.results import accuracy, memo
from arena.results.accuracy import MoveSums
from arena.results.leaderboard import Results, write_csv
from tests.support import cup, reported, stored, workspaces

BOTS = ("dice", "perfect", "slow")


def play(match):
    """Play a match: `perfect` loses neither points nor turns, `slow` no points, and `dice` throws
    dice.
    """
    bots, assessor = (
        {seat.role: seat.bot.name for seat in match.seats},
        assessor_of(rulebook.game_of(match)),
    )

    def choose(role, state, legal, draw):
        if bots[role] == "perfect":
            legal = assessor.best(state, role)
        elif bots[role] == "slow":
            legal = [move for move in legal if not assessor.quality(state, role, move).points]
        return draw.choice(legal)

    return reported.refereed(match, choose)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    boards = (rulebook.find("duel")[0], *rulebook.find("mummy_maze/random:4", seed=3))
    event = reported.event(BOTS, boards, repeats=4)
    plan = reported.plan(event)
    return stored.store(tmp_path_factory.mktemp("assessed"), event, map(play, plan), plan)


def test_perfect_play_is_accurate_on_every_board_and_dice_are_not(folder):
    rows = {
        row["bot"]: row
        for row in Results.open(folder).leaderboard(by_game=False).to_dict("records")
    }
    assert [(rows[bot]["accuracy"], rows[bot]["blunders"]) for bot in ("perfect", "slow")] == [
        (100, 0)
    ] * 2
    assert rows["dice"]["accuracy"] < 60
    assert rows["dice"]["blunders"] > 0.3
    frame = Results.open(folder).accuracy()
    assert {*frame["board"]} == {"mummy_maze/duel", "mummy_maze/random"}
    turns = frame.groupby("bot")["turns_lost"].sum()
    assert turns["perfect"] == 0
    assert turns["slow"] > 1


def test_only_moves_that_could_throw_points_away_count():
    board = rulebook.find("duel")[0]
    matches, assessor = (
        reported.plan(reported.event(BOTS, [board], repeats=4)),
        PerfectPlay.of(rulebook.game_of(board)),
    )
    assessed = ((record, assessor.of_turns(record.turns)) for record in map(play, matches))
    record, qualities = next(
        (record, qualities)
        for record, qualities in assessed
        if any(quality.critical for quality in qualities)
    )
    seen = [quality.critical for quality in qualities]
    figures = accuracy.figures_of(record, assessor)
    assert 0 < sum(seen) < len(seen)
    assert sum(moves for moves, _, _ in figures.values()) == sum(seen)
    struck = replace(record, turns=tuple(turn._replace(by="strike") for turn in record.turns))
    assert accuracy.figures_of(struck, assessor) == {}


def test_a_record_that_the_rules_do_not_allow_is_graded_up_to_there():
    board = rulebook.find("duel")[0]
    (one, *_), assessor = (
        reported.plan(reported.event(BOTS, [board])),
        PerfectPlay.of(rulebook.game_of(board)),
    )
    record = play(one)
    forged = [*record.turns[:3], record.turns[3]._replace(move="move2 up up"), *record.turns[4:]]
    assert len(assessor.of_turns(forged)) == 3


def test_a_match_is_graded_once_and_a_damaged_cache_is_made_again(folder, monkeypatch):
    assessed = Results.open(folder).accuracy_sums
    memory = folder / ".accuracy.json"
    code, _ = json.loads(memory.read_text().split("\n")[0])
    qualities = []
    monkeypatch.setattr(accuracy, "figures_of", lambda record, _: qualities.append(record) or {})
    assert Results.open(folder).accuracy_sums == assessed
    assert qualities == []
    monkeypatch.undo()
    for damage in ("", "[]", json.dumps({"matches": {}}), json.dumps([code, {"x": 3}])):
        memory.write_text(damage)
        assert Results.open(folder).accuracy_sums == assessed


def test_matches_that_were_played_again_are_assessed_again(tmp_path):
    event = reported.event(BOTS, [rulebook.find("duel")[0]])
    plan = reported.plan(event)
    records = [*map(play, plan)], [*map(reported.played, plan)]
    for record in records:
        folder = reported.store(tmp_path / "cup", event, record)
        sums = Results.open(folder).accuracy_sums
        (folder / "event.sqlite").unlink()  # the memo stays
    fresh = reported.store(tmp_path / "fresh", event, records[1])
    assert sums == Results.open(fresh).accuracy_sums


def test_a_cache_of_a_stranger_is_not_believed(folder, tmp_path):
    folder = shutil.copytree(folder, tmp_path / "copy")
    memory = folder / ".accuracy.json"
    assessed = Results.open(folder).accuracy_sums
    text, mark = memory.read_text().split("\n")
    code, matches = json.loads(text)
    match = next(iter(matches))
    for forged in ({match: {"explorer": [1, 1, 0]}}, {match: 5}, []):
        memory.write_text(f"{json.dumps([code, forged])}\n{mark}")
        assert Results.open(folder).accuracy_sums == assessed


def test_a_cache_with_a_bug_of_ours_breaks_no_command(folder, tmp_path):
    folder = shutil.copytree(folder, tmp_path / "copy")
    memory = folder / ".accuracy.json"
    assessed = Results.open(folder).accuracy_sums
    code, matches = json.loads(memory.read_text().split("\n")[0])
    match = next(iter(matches))
    for wrong in ({match: {"explorer": ["1", "1", "0"]}}, {match: 5}, [], {match: {5: [1, 1]}}):
        memo.store(memory, code, wrong, TypeAdapter(object))
        assert Results.open(folder).accuracy_sums == assessed


@pytest.mark.soak
def test_an_event_without_a_solved_board_has_no_such_columns_and_no_such_file(tmp_path, folder):
    event = reported.event(on=reported.boards("classic"))
    results = Results.open(
        reported.store(tmp_path, event, map(reported.played, reported.plan(event)))
    )
    assert results.accuracy_sums == {}
    assert not {"accuracy", "blunders"} & {*results.leaderboard()}
    (tmp_path / "accuracy.csv").write_text("of an earlier run")
    assert "accuracy.csv" not in {path.name for path in write_csv(results, tmp_path)}
    assert not (tmp_path / "accuracy.csv").exists()
    assert [panel.texts[1].get_text() for panel in charts.render("accuracy", results).axes] == [
        "regret"
    ]
    assert "accuracy.csv" in {path.name for path in write_csv(Results.open(folder), tmp_path)}


def test_a_replay_and_the_report_show_what_a_move_lost():
    board = rulebook.find("duel")[0]
    record = play(reported.plan(reported.event(BOTS, [board]))[0])
    game = rulebook.game_of(record.match)
    shown = [
        str(quality)
        for scene in scenes(game, record.turns, qualities_of(game, record.turns))
        for quality in scene.qualities
    ]
    assert len(shown) == len(record.turns)
    assert any(shown)
    assert replays.replay(record, replays.Games(rulebook.game_of))["qualities"] == shown


def test_accuracies_add_up_and_without_a_critical_move_there_is_none():
    total = MoveSums(1, 4, 1, 7).plus(MoveSums(1, 0, 0, 2))
    assert (total.accuracy, total.lost_a_match, total.turns_a_match) == (75, 0.5, 4.5)
    assert MoveSums(3, 0, 0, 0).accuracy is None
    assert MoveSums().lost_a_match is None


def test_to_look_at_strangers_results_runs_no_file_that_they_name(tmp_path, monkeypatch):
    workspaces.make(tmp_path, boards="duel")
    for name in ("evil.py", "x/evil.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('it ran')\n")
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "evil.py")
    duel = rulebook.find("duel")[0]
    boards = [
        replace(duel, game=game, name=name, rules=path)
        for game, name in ((path, "duel"), ("x", "evil.py"))
    ]
    event = reported.event(("first", "last"), boards)
    records = [
        replace(
            reported.played(replace(match, game=duel.game, board=duel.name, rules=duel.rules)),
            match=match,
        )
        for match in reported.plan(event)
    ]
    folder = stored.store(tmp_path / "results" / "cup", event, records, reported.plan(event))
    assert set(Results.open(folder).leaderboard(by_game=False)["bot"]) == {"first", "last"}
    assert len(Results.side_by_side(folder).leaderboard())
    commands.leaderboard("cup", versions=True)
    with cup.first_chart_only():
        commands.report("cup")
    results = Results.open(folder)
    charts.render("accuracy", results)  # no other chart asks for rules
    results.close()


@pytest.mark.parametrize(
    "damaged", ["where match = (select max(number) from matches)", ""], ids=["newest", "all"]
)
def test_a_damaged_record_takes_only_its_own_figures_away(folder, tmp_path, damaged):
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / ".accuracy.json").unlink(missing_ok=True)
    store = sqlite3.connect(copy / "event.sqlite", isolation_level=None)
    store.execute(f"update records set record = x'00' {damaged}")
    store.close()
    results = Results.open(copy)
    assert {row["bot"] for row in results.leaderboard(by_game=False).to_dict("records")} == {*BOTS}
    moves = sum(figures.moves for figures in results.accuracy_sums.values())
    assert (moves > 0) == bool(damaged)
    assert moves < sum(figures.moves for figures in Results.open(folder).accuracy_sums.values())


def test_edited_rules_grade_matches_again(tmp_path):
    for name in ("mummy_maze.py", "mummy_maze.toml", "grid.py"):
        shutil.copy(rulefile.shipped() / name, tmp_path)
    game = rulebook.game_of(rulebook.find(f"{tmp_path / 'mummy_maze.py'}/duel")[0])
    before = accuracy._code_digest([game])
    assert accuracy._code_digest([game]) == before
    with (tmp_path / "grid.py").open("a") as file:
        file.write("# another step\n")
    assert accuracy._code_digest([game]) != before
