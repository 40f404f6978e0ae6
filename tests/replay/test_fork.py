"""`arena match --from` and `arena play --from`: another match goes on from any turn of a recorded
one.
"""

import json
import shutil
from dataclasses import replace

import pytest

from arena.event import discovery
from arena.values import Event
from tests.support import reported, workspaces
from tests.support.cup import arena, refused


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with stored matches of random moves between its bots `first` and `last`, by
    board.
    """
    folder = workspaces.make(
        tmp_path_factory.mktemp("fork") / "ws", boards="hunt three_cards classic five"
    )
    bots = tuple(discovery.gather(folder / "bots"))
    boards = reported.boards("hunt", "three_cards", "classic", "five")
    event = Event(name="cup", seed=7, boards=boards, bots=bots)
    records = [reported.played(match) for match in reported.plan(event)]
    reported.store(folder / "results" / "cup", event, records)
    by_board = {}
    for record in records:
        known = by_board.setdefault(record.match.board, record)
        if len(record.turns) > len(known.turns):
            by_board[record.match.board] = record
    return folder, by_board


def forked(folder, *words):
    done = arena(folder, "match", *words, "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    return row


def moves(turns):
    return [(turn["turn"], turn["role"], turn["move"]) for turn in turns]


@pytest.mark.parametrize(
    ("board", "turn"), [("hunt", 5), ("three_cards", 1), ("classic", 4), ("five", 3)]
)
def test_a_fork_begins_with_the_recorded_moves_and_goes_on_by_the_bots(workspace, board, turn):
    """With one role at a time, with cards that were dealt, with several roles at once, and after a
    turn of chance.
    """
    folder, records = workspace
    record = records[board]
    row = forked(folder, "--from", record.match.id, "--turn", str(turn), "first", "last")
    recorded = [
        (played.number, played.role, played.move)
        for played in record.turns
        if played.number <= turn
    ]
    begun = [played for played in row["turns"] if played["by"] == "opening"]
    assert moves(begun) == recorded
    later = [played for played in row["turns"] if played["turn"] > turn]
    assert later
    assert {played["by"] for played in later} <= {"bot", "chance"}
    assert row["faults"] == []


def test_from_turn_0_a_match_begins_at_the_start(workspace):
    folder, records = workspace
    row = forked(folder, "--from", records["hunt"].match.id, "--turn", "0", "last", "first")
    assert {turn["by"] for turn in row["turns"]} == {"bot"}


def test_without_names_the_bots_of_the_match_play_on_in_their_roles(workspace):
    folder, records = workspace
    match = records["hunt"].match
    row = forked(folder, "--from", f"cup/{match.id[:8]}", "--turn", "2")
    assert [row["explorer_bot"], row["mummy_bot"]] == [seat.bot.name for seat in match.seats]


def test_a_person_takes_over_the_role_that_moves_next(workspace):
    folder, records = workspace
    record = records["hunt"]
    other = record.match.seats[1].bot.name
    done = arena(
        folder, "play", "--from", record.match.id, "--turn", "4", typed="move1 nowhere\nquit\n"
    )
    assert done.stderr == "left before its end; nothing is stored\n"
    assert f"explorer you, mummy {other}" in done.stdout
    assert "turn 4  mummy" in done.stdout
    assert "turn 5  explorer (you)  move1 nowhere" in done.stdout


def test_a_person_may_name_a_role_and_sees_no_hidden_card(workspace):
    folder, records = workspace
    record = records["three_cards"]
    done = arena(
        folder,
        "play",
        "--from",
        record.match.id,
        "--turn",
        "1",
        "second",
        "--against",
        "last",
        typed="quit\n",
    )
    assert "first last, second you" in done.stdout
    assert "deal" not in done.stdout
    assert "card first   │░░░│" in done.stdout


def test_a_person_wins_at_once_against_a_bot_that_is_never_ready(tmp_path):
    (tmp_path / "bad.py").write_text("raise SystemExit(3)\n")
    done = arena(tmp_path, "play", "mummy_maze/duel", "explorer", "--against", "bad.py")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert (
        "is at fault before the first turn: crashed: it ended before its answer: exit 3"
        in done.stdout
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "--turn", "3"], "--turn: name the match too, by --from MATCH"),
        (
            ["match", "--from", "{hunt}"],
            "--from {hunt}: name the turn too, by --turn N; 0 is the start",
        ),
        (
            ["match", "--from", "{hunt}", "--turn", "999"],
            "--turn 999: match {hunt} has turns 0 (the start) to {last}",
        ),
        (
            ["match", "--from", "{hunt}", "--turn", "-1"],
            "--turn -1: match {hunt} has turns 0 (the start) to {last}",
        ),
        (
            ["play", "--from", "{hunt}", "--turn", "{last}"],
            "--turn {last}: match {hunt} is over after it",
        ),
        (["match", "--from", "zzz", "--turn", "1"], "no match begins with 'zzz'"),
        (
            ["match", "--from", "{hunt}", "--turn", "1", "--board", "duel"],
            "the board is that of the match, mummy_maze/hunt",
        ),
        (
            ["play", "--from", "{hunt}", "--turn", "1", "pacman"],
            "mummy_maze/hunt has no role 'pacman'",
        ),
        (
            ["match", "first"],
            "name the bots and the board: arena match BOT... --board BOARD; or a match, by --from",
        ),
        (["play"], "name a board and your role: arena play BOARD ROLE; or a match, by --from"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(workspace, words, said):
    folder, records = workspace
    record = records["hunt"]
    values = {"hunt": record.match.id, "last": str(record.turns[-1].number)}
    done = arena(folder, *(word.format(**values) for word in words))
    assert refused(done, said.format(**values)), done


def test_a_match_that_todays_rules_play_otherwise_is_refused(workspace, tmp_path):
    folder, records = workspace
    record = records["hunt"]
    changed = replace(record, turns=tuple(turn._replace(digest="0" * 16) for turn in record.turns))
    event = Event(
        name="cup",
        seed=7,
        boards=reported.boards("hunt"),
        bots=tuple(discovery.gather(folder / "bots")),
    )
    reported.store(tmp_path / "results" / "cup", event, [changed])
    done = arena(tmp_path, "match", "--from", record.match.id, "--turn", "1")
    assert done.returncode == 2
    assert (
        f"match {record.match.id}: turn 1 comes out otherwise than it was recorded" in done.stderr
    )


def test_a_bot_of_a_record_is_looked_up_by_its_name_and_never_run_as_a_path(workspace, tmp_path):
    folder, records = workspace
    record = records["hunt"]
    evil = tmp_path / "evil.py"
    evil.write_text("open('ran', 'w')")
    (folder / "stray.py").write_text("open('ran', 'w')")
    event = Event(
        name="foreign",
        seed=7,
        boards=reported.boards("hunt"),
        bots=tuple(discovery.gather(folder / "bots")),
    )
    for name in (str(evil), "stray.py"):
        explorer, mummy = record.match.seats
        seats = (replace(explorer, bot=replace(explorer.bot, name=name)), mummy)
        shutil.rmtree(folder / "results" / "foreign", ignore_errors=True)
        changed = replace(record, match=replace(record.match, seats=seats))
        reported.store(folder / "results" / "foreign", event, [changed])
        begun = ["--from", f"foreign/{record.match.id}", "--turn", "1"]
        for words in (
            ["match", *begun],
            ["play", *begun, "mummy"],
            ["rerun", f"foreign/{record.match.id}"],
        ):
            done = arena(folder, *words)
            assert done.returncode == 2
            assert f"there is no bot {name!r}" in done.stderr
