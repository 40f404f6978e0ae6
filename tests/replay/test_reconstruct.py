"""`arena verify`, `trace` and `rerun`: a record gives its dialogue again, holds or is named, and
goes so once more.
"""

import json
import random
import shutil
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import protocol
from arena.games import rulebook
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.replay import verify
from arena.replay.reconstruct import disagreements, retrace
from arena.results.archive import Archive, records
from arena.values import Bot, Conditions, Ending, Fault, SeatReport
from tests.support import cup, letters, live, toy, workspaces
from tests.support.sprint import FIRST, LAST

ILLEGAL = Reply(line=b"north by northwest")
GONE = Reply(ending=Ending.CRASHED, words="it ended before its answer: exit 3")


def match_at(label, strikes=0, seed=1):
    (board,) = rulebook.find(label)
    bots = tuple(
        Bot(name=f"bot{place}", command=("x",), digest=f"d{place}")
        for place in range(len(board.roles))
    )
    return live.match_of(label, *bots, seed=seed, conditions=Conditions(strikes=strikes))


def scripted(label, say, *, strikes=0, absent=(), seed=1):
    """A record by the referee itself, of bots that answer `say(role, turn, legal)`; and all that
    each was told.
    """
    match = match_at(label, strikes, seed)
    missing = {
        role: Fault(role=role, ending=Ending.TIMEOUT, turn=0, words="no `ready`") for role in absent
    }
    referee = Referee(rulebook.game_of(match), match, missing)
    told = {seat.role: b"" for seat in match.seats}
    while asks := referee.asks():
        heard = {}
        for role, ask in asks.items():
            told[role] += ask.text
            legal = [line[6:] for line in ask.text.splitlines() if line.startswith(b"legal ")]
            number = int(ask.text.partition(b"turn ")[2].split(b"\n")[0]) if not ask.ready else 0
            assert (ask.turn, [move.encode() for move in ask.legal]) == (number, legal)
            heard[role] = say(role, number, legal)
        for role, words in referee.hear(heard).items():
            told[role] += words
    out = {fault.role for fault in referee.verdict.faults}
    for role in told.keys() - out:
        told[role] += referee.farewell()
    return recorded(referee, absent), told


def recorded(referee, absent=()):
    """The record of a match that is over."""
    seats = tuple(
        SeatReport(
            role=seat.role,
            bot=seat.bot.name,
            digest=seat.bot.digest,
            ready=None if seat.role in absent else 0.1,
            exit="" if seat.role in absent else "exit 0",
        )
        for seat in referee.match.seats
    )
    return referee.record(seats, "2020-01-01T00:00:00.000+00:00", 0.0)


class Quoted(toy.Duet):
    """Everybody moves at once, and a move has a quotation mark in it."""

    def to_move(self, state):
        return self.roles if self._turns(state) < self.turns else ()

    def legal_moves(self, state, role):
        return ("say 'x'", 'say "y"', "wait")


def dice(seed=1):
    rolled = random.Random(seed)
    return lambda _, turn, legal: Reply(line=rolled.choice(legal) if turn else b"ready")


def sometimes(answer, role, turns, seed=1):
    """Dice, but for this role's answer in these turns."""
    fair = dice(seed)
    return lambda who, turn, legal: (
        answer if who == role and turn in turns else fair(who, turn, legal)
    )


SCRIPTS = {
    "to the end": ("mummy_maze/duel", dice(), {}),
    "simultaneous, for three": ("pacman/classic", dice(2), {}),
    "chance": ("pacman/published", dice(3), {}),
    "strikes": ("mummy_maze/duel", sometimes(ILLEGAL, "mummy", {2, 4}), {"strikes": 3}),
    "illegal": ("mummy_maze/duel", sometimes(ILLEGAL, "explorer", {3}), {}),
    "garbled": ("mummy_maze/duel", sometimes(Reply(line=b"\xff"), "mummy", {4}), {}),
    "never ready": ("mummy_maze/duel", sometimes(GONE, "mummy", {0}), {}),
    "absent": ("mummy_maze/duel", dice(), {"absent": ("explorer",)}),
    "all absent": ("mummy_maze/duel", dice(), {"absent": ("explorer", "mummy")}),
    "a ghost is gone, its partner plays on": (
        "pacman/classic",
        sometimes(GONE, "inky", {2}, 2),
        {},
    ),
    "a ghost is absent": ("pacman/classic", dice(5), {"absent": ("blinky",)}),
}


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_a_record_gives_every_line_of_its_dialogue_again_and_holds(script):
    label, say, how = SCRIPTS[script]
    record, told = scripted(label, say, **how)
    game = rulebook.game_of(record.match)
    assert list(disagreements(game, record)) == []
    again = retrace(game, record)
    for role, text in told.items():
        lines = b"".join(one.ask.text for one in again.of(role)) + again.last_words(role)
        assert lines == (text if again.of(role) else b"")  # a bot that never ran was told nothing
    assert again.verdict == record.verdict


ODD = st.one_of(
    st.sampled_from(
        [b"", b"move1 \xff\xfe", b"\x00" * 150, b'say "x"', b"\\x00", b"ready", b"\xc2\xa0"]
    ),
    st.binary(max_size=300),
    st.text(letters.ANY, max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers(150, 1000).map(lambda length: b"x" * length),
    st.integers(1, 300).map(lambda length: b"\x1b[2J\xff" * length),
).map(lambda line: line.replace(b"\n", b""))
"""Lines that a bot can say and that are no move: long, odd, with control characters, not UTF-8."""


@settings(max_examples=12)
@given(
    answers=st.lists(ODD, max_size=8),
    strikes=st.integers(0, 4),
    label=st.sampled_from(["mummy_maze/duel", "pacman/classic"]),
)
def test_whatever_was_refused_the_record_holds_and_gives_its_dialogue_again(
    answers, strikes, label
):
    left = iter(answers)
    fair = dice()

    def say(role, turn, legal):
        answer = next(left, None) if turn and role in {"mummy", "blinky"} else None
        return fair(role, turn, legal) if answer is None else Reply(line=answer)

    record, told = scripted(label, say, strikes=strikes)
    game = rulebook.game_of(record.match)
    assert list(disagreements(game, record)) == []
    stored = records.unpacked(records.packed(record))
    assert stored == record
    again = retrace(game, stored)
    for role, text in told.items():
        assert b"".join(one.ask.text for one in again.of(role)) + again.last_words(role) == text


@settings(max_examples=30)
@given(st.text(letters.ANY, max_size=120), st.sampled_from([20, 60]))
def test_a_text_that_is_clean_stays_as_it_is(text, length):
    once = protocol.clean(text, length)
    assert len(once) <= length
    assert not protocol.garbled(once)
    assert protocol.clean(once, length) == once


def test_a_forgiven_answer_that_is_a_move_once_it_is_clean_was_no_move():
    game = Quoted()
    referee = Referee(game, toy.match_of(game, strikes=4))
    while asks := referee.asks():
        line = b"ready" if any(ask.ready for ask in asks.values()) else b'say "x"'
        referee.hear(dict.fromkeys(asks, Reply(line=line)))
    record = recorded(referee)
    assert {turn.by for turn in record.turns} == {"strike"}
    assert list(disagreements(game, record)) == []


def test_an_answer_to_a_turn_that_another_seat_forfeits_is_not_missed():
    """Both sides move at once, one of them answers and the other is at fault: the answer is never
    played.
    """
    game = Quoted()
    referee = Referee(game, toy.match_of(game))
    referee.hear(dict.fromkeys(referee.asks(), Reply(line=b"ready")))
    referee.hear(dict.fromkeys(referee.asks(), Reply(line=b"wait")) | {"fox": GONE})
    record = recorded(referee)
    assert record.verdict.reason == "forfeit"
    assert list(disagreements(game, record)) == []
    assert [
        [one.ask.turn for one in retrace(game, record).of(role)] for role in ("fox", "hen")
    ] == [[0, 1], [0, 1]]


@pytest.fixture(scope="module")
def honest():
    record, _ = scripted("mummy_maze/duel", sometimes(ILLEGAL, "mummy", {2}), strikes=2)
    assert len(record.turns) > 4
    return record


def with_turn(record, place, **changes):
    turns = list(record.turns)
    turns[place] = turns[place]._replace(**changes)
    return replace(record, turns=tuple(turns))


def other_move(record, place):
    game = rulebook.game_of(record.match)
    state = game.start()
    for turn in record.turns[:place]:
        state = game.play(state, {turn.role: turn.move})
    turn = record.turns[place]
    return next(
        move
        for move in game.legal_moves(state, turn.role)
        if game.play(state, {turn.role: move}) != game.play(state, {turn.role: turn.move})
    )


TAMPERED = {
    "another legal move": lambda one: with_turn(one, 2, move=other_move(one, 2)),
    "an illegal move": lambda one: with_turn(one, 2, move="move9 away"),
    "another state": lambda one: with_turn(one, 0, digest="0" * 16),
    "another draw": lambda one: with_turn(one, 1, move=other_move(one, 1)),
    "a turn less": lambda one: replace(one, turns=one.turns[:-1]),
    "a turn more": lambda one: replace(one, turns=(*one.turns, one.turns[-1]._replace(number=99))),
    "turns swapped": lambda one: replace(one, turns=(one.turns[1], one.turns[0], *one.turns[2:])),
    "other scores": lambda one: replace(
        one, verdict=replace(one.verdict, scores={"explorer": 99, "mummy": 1})
    ),
    "another reason": lambda one: replace(one, verdict=replace(one.verdict, reason="forfeit")),
    "a fault made up": lambda one: replace(
        one,
        verdict=replace(
            one.verdict,
            faults=(
                Fault(role="mummy", ending=Ending.TIMEOUT, turn=4, words="no answer in 1000 ms"),
            ),
        ),
    ),
    "a move called a strike": lambda one: with_turn(
        one, 2, by="strike", rejected_text=one.turns[2].move, refused=Ending.ILLEGAL_MOVE
    ),
    "a strike called garbled": lambda one: with_turn(one, 1, refused=Ending.GARBLED),
    "other sides": lambda one: replace(one, sides=(("explorer", "mummy"),)),
    "another seed": lambda one: replace(one, match=replace(one.match, seed=one.match.seed + 1)),
    "seats swapped": lambda one: replace(
        one, match=replace(one.match, seats=one.match.seats[::-1])
    ),
}


@pytest.mark.parametrize("how", sorted(TAMPERED))
def test_a_tampered_record_does_not_hold(how, honest):
    tampered = TAMPERED[how](honest)
    assert tampered != honest
    assert list(disagreements(rulebook.game_of(honest.match), tampered)) != []


def test_what_differs_is_said_in_words(honest):
    tampered = with_turn(honest, 0, digest="0" * 16)
    (words,) = disagreements(rulebook.game_of(honest.match), tampered)
    assert words == (
        f"turn 1, explorer: {honest.turns[0].move!r} does not lead to the state that was recorded"
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A workspace whose event was played, with a bot that fails, and one that is never ready."""
    first = FIRST.replace("go) ", "go) echo '# [red]seen[/red]'; ")
    fails = first.replace("turn) ", "turn) [ $rest = 4 ] && echo 'it had no idea' >&2 && exit 1; ")
    bots = {"first": first, "last": LAST, "fails": fails, "broken": "#!/bin/sh\nexit 1\n"}
    folder = workspaces.make(tmp_path_factory.mktemp("verify") / "ws", bots, "duel")
    run = cup.run_event(folder)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def played(original, tmp_path):
    shutil.copytree(original, tmp_path / "ws")
    return tmp_path / "ws"


def match_of(folder, explorer, mummy):
    with Archive.open(folder / "results" / "cup") as archive:
        return next(
            one.id
            for one in archive.played()
            if (one.seats["explorer"], one.seats["mummy"]) == (explorer, mummy)
        )


def tamper(folder, *statement):
    with sqlite3.connect(folder / "results" / "cup" / "event.sqlite") as connection:
        done = connection.execute(*statement)
        assert done.rowcount > 0


def rewrite(folder, match, change):
    """Store another record in the place of a match's, and leave its columns."""
    with Archive.open(folder / "results" / "cup") as archive:
        record = archive.record(match)
    query = "update records set record = ? where match = (select number from matches where id = ?)"
    tamper(folder, query, (records.packed(change(record)), match))


def test_an_honest_event_verifies(original):
    done = cup.arena(original, "verify")
    assert done.returncode == 0, done.stderr
    progress = ("verify: records: ",)  # after a second, on a busy machine
    assert all(line.startswith(progress) for line in done.stderr.splitlines()), done.stderr
    assert done.stdout == "12 records: 12 confirmed\n"
    assert json.loads(cup.arena(original, "verify", "results/cup", "--json").stdout) == []


ODD_ANSWERS = (r"\0" * 200, "x" * 900, r"\377\033[2J" * 90, "", '"quoted"')
CASES = "".join(rf"{number}) printf '{text}\n' ;; " for number, text in enumerate(ODD_ANSWERS, 1))
MUTTERS = FIRST.replace(
    'echo "$legal"', f'case $((count += 1)) in {CASES} *) echo "$legal" ;; esac'
)
"""A bot whose first five answers are garbled or no moves, and which then plays on."""


def test_an_honest_event_with_strikes_verifies_and_can_be_traced_and_rerun(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": FIRST, "mutters": MUTTERS}, "duel")
    run = cup.run_event(folder, "--set", "faults.strikes=4")
    assert run.returncode == 0, run.stderr
    done = cup.arena(folder, "verify")
    assert (done.returncode, done.stdout) == (0, "2 records: 2 confirmed\n")
    with Archive.open(folder / "results" / "cup") as archive:
        match = next(one.id for one in archive.played())
        strikes = [
            turn for record in archive.records() for turn in record.turns if turn.by == "strike"
        ]
    assert {turn.refused for turn in strikes} == {Ending.GARBLED, Ending.ILLEGAL_MOVE}
    traced = cup.arena(folder, "replay", "--lines", match)
    assert traced.returncode == 0, traced.stderr
    assert 'note garbled "\\x00' in traced.stdout
    for words in ((), ("--bot", "mutters")):
        again = cup.arena(folder, "rerun", match, *words)
        assert again.returncode == 0, again.stdout


def test_a_tampered_record_is_named(played):
    match = match_of(played, "first", "last")
    rewrite(played, match, lambda one: with_turn(one, 1, digest="0" * 16))
    done = cup.arena(played, "verify")
    assert done.returncode == 1
    assert f"match {match}: turn" in done.stdout
    assert "12 records: 11 confirmed, 1 not" in done.stdout
    assert [one["match"] for one in json.loads(cup.arena(played, "verify", "--json").stdout)] == [
        match
    ]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("update seats set score = 100 - score", "differ from its record: seats.score"),
        (
            "update matches set reason = 'escaped' where reason = 'forfeit'",
            "differ from its record: reason",
        ),
        (
            "update entries set bot = 'first' where bot = 'last'",
            "differ from its record: entries.bot",
        ),
        (
            "update matches set figures = zeroblob(length(figures)) where number = 1",
            "differ from its record: figures",
        ),
        (
            "update clocks set walls = x'00' where length(walls) > 0",
            "differ from its record: walls",
        ),
        ("update tallies set score = score + 1", "the sums behind the leaderboard"),
        ("update records set record = x'00'", "its record cannot be read"),
        ("delete from records", "its record cannot be read"),
        ("delete from seats where position = 1", "1 seats are counted, its record has 2"),
        ("delete from matches where number = 1", "1 of 12 planned matches have no record"),
        ("update matches set planned = 0 where number < 3", "2 planned matches do not count"),
    ],
)
def test_a_table_that_does_not_say_what_the_records_say_is_found(played, statement, words):
    tamper(played, statement)
    with Archive.open(played / "results" / "cup") as archive:
        _, problems = verify.checked(archive, rulebook.game_of)
    assert any(words in problem for _, problem in problems), problems


def test_a_record_of_a_match_that_was_never_planned_is_found(played):
    match = match_of(played, "first", "last")
    stranger = replace(Bot(name="stranger", command=("x",), digest="d"))
    rewrite(
        played,
        match,
        lambda one: replace(
            one,
            match=replace(
                one.match, seats=(replace(one.match.seats[0], bot=stranger), *one.match.seats[1:])
            ),
        ),
    )
    done = cup.arena(played, "verify")
    assert done.returncode == 1
    assert f"match {match}: its record is of another match than was planned" in done.stdout


def test_rules_that_were_edited_since_are_pointed_out(played):
    for name in ("mummy_maze.py", "mummy_maze.toml", "grid.py"):
        shutil.copy(rulebook.find("duel")[0].rules.replace("mummy_maze.py", name), played / "rules")
    text = (played / "rules" / "mummy_maze.py").read_text()
    (played / "rules" / "mummy_maze.py").write_text(
        text.replace('"at ', '"stands ').replace('f"at ', 'f"stands ')
    )
    assert text != (played / "rules" / "mummy_maze.py").read_text()
    done = cup.arena(played, "verify")
    assert done.returncode == 1
    assert "mummy_maze/duel: its rules or its board were edited since it was played" in done.stderr


def test_a_trace_has_every_line_with_the_time_of_each_answer(original):
    match = match_of(original, "first", "fails")
    done = cup.arena(original, "replay", "--lines", match)
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines.count("arena 1") == lines.count("ready?") == 2
    assert "ms > move1 north" in done.stdout
    assert "> # [red]seen[/red]" in done.stdout
    assert any(line.startswith("fault crashed it ended before its answer") for line in lines)
    assert "it had no idea" in done.stdout


def test_a_trace_of_one_seat_as_json(original):
    match = match_of(original, "first", "last")
    rows = json.loads(
        cup.arena(original, "replay", f"cup/{match}", "--lines", "--role", "mummy", "--json").stdout
    )
    assert {row["role"] for row in rows} == {"mummy"}
    assert (rows[0]["answer"], rows[0]["question"][-1]) == ("ready", "ready?")
    assert all(f"legal {row['answer']}" in row["question"] for row in rows[1:])
    assert all(row["wall"] >= 0 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("explorer", "mummy"), [("first", "last"), ("last", "fails"), ("broken", "first")]
)
def test_a_rerun_goes_the_same(original, explorer, mummy):
    done = cup.arena(original, "rerun", match_of(original, explorer, mummy))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "it went the same: " in done.stdout


@pytest.mark.slow
def test_a_rerun_says_where_a_match_went_otherwise(played):
    match = match_of(played, "first", "last")
    rewrite(played, match, lambda one: with_turn(one, 2, move="move1 elsewhere"))
    done = cup.arena(played, "rerun", match)
    assert done.returncode == 1
    assert "then turn 3: explorer move1 elsewhere; now turn 3: explorer move1 north" in done.stdout


@pytest.mark.slow
def test_a_rerun_plays_the_bots_as_they_were(played):
    match = match_of(played, "first", "last")
    (played / "bots" / "first").write_text(LAST)
    assert cup.arena(played, "rerun", match).returncode == 0
    shutil.rmtree(played / "results" / "cup" / "bots")
    done = cup.arena(played, "rerun", match)
    assert done.returncode == 1
    assert "first: was edited since" in done.stderr


@pytest.mark.slow
def test_one_bot_is_fed_what_its_seat_read_and_its_answers_are_compared(played):
    match = match_of(played, "first", "fails")
    same = cup.arena(played, "rerun", match, "--bot", "fails", "--print")
    assert same.returncode == 0, same.stdout
    assert "board exit 8 8" in same.stdout
    assert "every answer is the same" in same.stdout
    (played / "mended.sh").write_text(FIRST)
    mended = cup.arena(played, "rerun", match, "--bot", "mended.sh", "--role", "mummy")
    assert mended.returncode == 1
    assert "then (crashed), now move2 north north" in mended.stdout
    rows = json.loads(
        cup.arena(played, "rerun", match, "--bot", "mended.sh", "--role", "mummy", "--json").stdout
    )
    assert rows[-1]["then"] == "(crashed)"
    assert not rows[-1]["same"]


def test_a_replay_of_a_forfeit_names_the_command_that_reruns_it(original):
    match = match_of(original, "last", "fails")
    assert (
        f"to see it again: arena rerun {match}\n"
        in cup.arena(original, "replay", match, "--no-draw").stdout
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bot", "nobody"), "there is no bot 'nobody'"),
        (("--bot", "broken"), "say --role: explorer (first), mummy (last)"),
        (("--bot", "first", "--role", "ghost"), "has the roles explorer, mummy"),
        (("--role", "mummy"), "name it with --bot"),
    ],
)
def test_a_mistake_at_a_rerun_is_one_line(original, words, said):
    done = cup.arena(original, "rerun", match_of(original, "first", "last"), *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_record_that_does_not_hold_is_not_traced(played):
    match = match_of(played, "first", "last")
    rewrite(played, match, lambda one: with_turn(one, 1, digest="0" * 16))
    done = cup.arena(played, "replay", "--lines", match)
    assert done.returncode == 2
    assert "`arena verify` tells more" in done.stderr
