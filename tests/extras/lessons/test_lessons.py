"""Lessons: a planted blunder is found, fails the bot that makes it and passes the mended one; every
lesson replays.
"""

import json
import os
import random
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from arena import lessons
from arena.errors import ArenaError
from arena.event import config
from arena.games import openings, rulebook
from arena.games.quality import PerfectPlay
from arena.match.play import play
from arena.replay.replayer import scenes
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.results.lessons import find
from arena.results.move_estimates import LEAST_MATCHES, Estimates, better_than
from arena.sandbox import choice
from arena.values import Opening, Turn
from tests.support import cup, events, reported, stored, workspaces
from tests.support.cup import arena
from tests.support.programs import python

PAGE = (Path(__file__).parents[3] / "docs" / "bot-authors.md").read_text()
SECTION = PAGE.partition("## What should it have played?\n")[2].partition("\n## ")[0]
KNOWING = python(
    """
    wants = MOVES.get("wants to be told", told)
    say(MOVES.get("|".join(facts), legal[0]) if wants == told else "not so")
    """,
    first="""
    import json, pathlib
    MOVES = json.loads(pathlib.Path(__file__).with_name("moves.json").read_text())
    facts, told = [], False
    """,
    each="""
    if word == "role": role = rest
    elif word == "turn": facts = []
    elif word == "last": told = told or rest.startswith(role)
    elif word == "state": facts.append(rest)
    """,
)
"""Plays from a table of positions. It may ask to be told its own earlier moves, or not to be."""


def planted_moves():
    """Return the moves of a bot that plays perfectly against `first`, with one blunder, and where
    that is.

    `first` always plays the first legal move. The moves are by the facts of the state, as the bot
    reads them.
    """
    game = rulebook.game_of(rulebook.find("duel")[0])
    assessor = PerfectPlay.of(game)
    moves, blunder = {}, None
    for own in game.roles:
        state, number = game.start(), 0
        while game.outcome(state) is None:
            number += 1
            (role,) = game.to_move(state)
            legal = game.legal_moves(state, role)
            move = legal[0]
            if role == own:
                move = assessor.best(state, role)[0]
                worse = [each for each in legal if assessor.quality(state, role, each).points]
                good = [each for each in legal if each not in worse]
                if blunder is None and worse and number > 4:
                    move, blunder = worse[0], (own, number, worse[0], good, game.view(state, own))
                moves["|".join(game.view(state, role))] = move
            state = game.play(state, {role: move})
    return moves, blunder


def give(folder, moves):
    """Give the bot `ada` these moves."""
    (folder / "bots" / "ada").mkdir(exist_ok=True)
    (folder / "bots" / "ada" / "bot.py").write_text(KNOWING)
    (folder / "bots" / "ada" / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    (folder / "bots" / "ada" / "moves.json").write_text(json.dumps(moves))


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A workspace in which `ada`, with one blunder, has met `first`."""
    folder = workspaces.make(
        tmp_path_factory.mktemp("planted") / "ws", {"first": cup.FIRST}, "duel"
    )
    moves, blunder = planted_moves()
    give(folder, moves)
    assert events.run(folder, "results/cup")[0].complete
    return folder, moves, blunder


def documented(language):
    return re.search(rf"^```{language}\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)[1]


def test_a_planted_blunder_is_found_fails_the_bot_and_passes_the_mended_one(planted):
    """By the commands of the page for authors, and by its example for pytest."""
    folder, moves, (role, turn, move, good, facts) = planted
    shown, writes, checks = (
        line.partition("#")[0].split()[2:] for line in documented("console").splitlines()
    )
    assert [shown[0], writes[0], checks[0]] == ["lessons", "lessons", "check"]
    (row,) = json.loads(arena(folder, *shown, "--json").stdout)
    assert (row["role"], row["turn"], row["played"], row["good"]) == (role, turn, move, good)
    assert row["state"] == list(facts)
    assert not row["estimate"]
    text = arena(folder, *writes).stdout
    assert f"mummy_maze/duel as {role}, turn {turn}: threw away {row['points']} points" in text
    assert "best play of all" in text

    failed = arena(folder, *checks)
    assert failed.returncode == 1
    assert f"FAULT  1. mummy_maze/duel as {role}, turn {turn}" in failed.stdout
    assert f"plays {move}; expected {' or '.join(good)}" in failed.stdout
    test = follow_pytest_example(folder)
    with pytest.raises(AssertionError, match=f"plays {move}; expected"):
        test()

    give(folder, moves | {"|".join(facts): good[0]})
    passed = arena(folder, *checks, "--json")
    assert passed.returncode == 0, passed.stderr
    assert [(row["passed"], row["answer"]) for row in json.loads(passed.stdout)] == [
        (True, good[0])
    ]
    test()

    give(folder, moves)


def test_a_bot_is_asked_all_questions_or_told_moves_that_it_would_not_make(planted, tmp_path):
    folder, moves, (_, _, _, good, facts) = planted
    file = str(tmp_path / "lessons.toml")
    assert arena(folder, "lessons", "ada", "--tests", file).returncode == 0
    mended = moves | {"|".join(facts): good[0]}
    others = dict.fromkeys(moves, "move1 nowhere") | {"|".join(facts): good[0]}
    for known, told, code in ((mended, False, 0), (others, True, 0), (others, False, 1)):
        give(folder, known | {"wants to be told": told})
        done = arena(folder, "check", "ada", "--lessons", file)
        assert done.returncode == code, (told, done.stdout)
        assert ("not so, which is not legal" in done.stdout) == bool(code)
    give(folder, moves)


def test_a_file_gives_a_bot_nothing_that_the_workspace_does_not(planted, tmp_path, monkeypatch):
    folder = planted[0]
    file = tmp_path / "lessons.toml"
    assert arena(folder, "lessons", "ada", "--tests", str(file)).returncode == 0
    text = file.read_text()
    claims = {
        '"syscalls": []': '"syscalls": ["socket"]',
        '"preload": []': '"preload": ["x"]',
        '"freeze": true': '"freeze": false',
    }
    claims |= {'"memory": 256000000': '"memory": null', '"processes": 1': '"processes": 1000000'}
    for honest, claimed in claims.items():
        assert honest in text
        text = text.replace(honest, claimed)
    file.write_text(text)
    monkeypatch.chdir(folder)
    (lesson,) = lessons.read(file)
    assert (lesson.record.match.conditions.syscalls, lesson.record.match.conditions.preload) == (
        ("socket",),
        ("x",),
    )
    fed, feed = [], lessons.feed
    monkeypatch.setattr(
        lessons,
        "feed",
        lambda questions, match, *rest: fed.append(match) or feed(questions, match, *rest),
    )
    with pytest.raises(AssertionError, match="plays"):
        lesson.check("bots/ada")
    here = choice.resolved(config.load(Path("tournament.toml")).conditions())
    assert {match.conditions for match in fed} == {here}


def test_openings_to_the_positions_are_played_in_an_event(planted):
    folder, _, (_, turn, *_) = planted
    assert arena(folder, "lessons", "ada", "--openings", "lessons.txt").returncode == 0
    (row,) = json.loads(arena(folder, "lessons", "ada", "cup", "--json").stdout)
    with Archive.open(folder / "results" / "cup") as archive:
        source = archive.record(row["match"])
    moves = [(each.role, each.move) for each in source.turns if each.number < turn]
    event = config.load(folder / "tournament.toml", {"openings.file": "lessons.txt"}).event(folder)
    record = play(event.match(event.boards[0], event.bots, 0))
    assert [(each.role, each.move) for each in record.turns if each.by == "opening"] == moves
    assert len(record.turns) > len(moves)


def follow_pytest_example(folder):
    """Return the test of the page's example, for its only lesson, to be called without
    arguments.
    """
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(documented("python"), names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    (mark,) = test.pytestmark
    (lesson,) = mark.args[1]

    def run():
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            test(lesson)

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An event that nobody played, on solved boards: `perfect` and `dice` against each other and
    themselves.
    """
    boards = (rulebook.find("duel")[0], *rulebook.find("mummy_maze/random:2", seed=3))
    event = reported.event(("dice", "perfect"), boards, repeats=2)
    plan = [
        *reported.plan(event),
        *(event.match(boards[0], (event.bots[0],) * 2, repeat) for repeat in range(2)),
    ]
    assessors = {}

    def record_of(match):
        assessor = assessors.setdefault(match.sampled, PerfectPlay.of(rulebook.game_of(match)))
        names = {seat.role: seat.bot.name for seat in match.seats}
        return reported.refereed(
            match,
            lambda role, state, legal, draw: draw.choice(
                assessor.best(state, role) if names[role] == "perfect" else legal
            ),
        )

    return stored.store(tmp_path_factory.mktemp("assessed"), event, map(record_of, plan), plan)


def lessons_in(folder, bot="dice", most=1000, **options):
    with Archive.open(folder) as archive:
        return find([archive], bot, rulebook.game_of_record, most=most, **options)


def test_every_lesson_of_an_event_replays_and_perfect_play_gives_none(folder, tmp_path):
    found = lessons_in(folder).lessons
    assert len(found) > 5
    points = [lesson.points for lesson in found]
    assert points == sorted(points, reverse=True)
    for lesson in found:
        game = rulebook.game_of_record(lesson.record.match)
        assessor, state = PerfectPlay.of(game), game.start()
        shown = list(scenes(game, lesson.record.turns))
        assert shown[lesson.turn - 1].facts == lesson.facts
        for role, move in lesson.opening:
            state = game.play(state, {role: move})
        assert assessor.quality(state, lesson.role, lesson.played).points == lesson.points > 0
        legal = game.legal_moves(state, lesson.role)
        assert lesson.good == tuple(
            move for move in legal if not assessor.quality(state, lesson.role, move).points
        )
        best = assessor.worth(state).score
        for turn in (Turn(lesson.turn, lesson.role, lesson.played), *lesson.refutation):
            state = game.play(state, {turn.role: turn.move})
        scores = {"explorer": best, "mummy": 100 - best}
        assert game.outcome(state).scores == lesson.scores
        assert scores[lesson.role] - lesson.scores[lesson.role] == lesson.points
    positions = [(lesson.record.match.sampled, lesson.role, lesson.facts) for lesson in found]
    assert len({*positions}) == len(positions)
    file = tmp_path / "lessons.toml"
    file.write_text(lessons.text_of(found, "dice", rulebook.game_of_record))
    assert [(test.turn, test.role, test.good) for test in lessons.read(file)] == [
        (lesson.turn, lesson.role, lesson.good) for lesson in found
    ]
    assert "perfect" not in file.read_text()
    none = lessons_in(folder, "perfect")
    assert none.lessons == ()
    assert none.why_none == "none of its moves threw points away"


def test_a_bot_without_a_lesson_is_sent_to_the_match_that_a_search_regrets(tmp_path):
    """Of a single match of Pacman nobody can compare moves, but the search sees what was thrown
    away.
    """
    of = reported.event(("amber", "birch"), on=reported.boards("classic"))
    records = [reported.played(match) for match in reported.plan(of)]
    folder = reported.store(tmp_path / "few", of, records)
    said = arena(tmp_path, "lessons", "birch", str(folder)).stdout
    assert "in 3 different matches" in said
    assert "nothing shows" not in said
    (words,) = re.findall(r"add up to (\d+) in one match; `arena (replay \S+)`", said)
    assert int(words[0]) > 0
    assert "an estimate" in arena(tmp_path, *words[1].split()).stdout


def test_each_seat_of_a_bot_that_meets_itself_learns(folder):
    found = lessons_in(folder).lessons
    selves = [
        lesson
        for lesson in found
        if {seat.bot.name for seat in lesson.record.match.seats} == {"dice"}
    ]
    assert {lesson.role for lesson in selves} == {"explorer", "mummy"}


def test_a_board_and_a_role_choose_among_the_lessons(folder):
    found = lessons_in(folder, board="duel", role="mummy").lessons
    assert {(lesson.label, lesson.role) for lesson in found} == {("mummy_maze/duel", "mummy")}
    assert len(lessons_in(folder, most=2).lessons) == 2
    for options, words in (
        ({"board": "hall"}, "--board hall"),
        ({"role": "ghost"}, "--role ghost"),
    ):
        with pytest.raises(ArenaError, match=words):
            lessons_in(folder, **options)
    with pytest.raises(
        ArenaError, match="there is no bot 'dic' in these results; did you mean 'dice'"
    ):
        lessons_in(folder, "dic")


def test_openings_of_lessons_on_named_boards_can_be_listed(folder, tmp_path):
    done = arena(
        tmp_path,
        "lessons",
        "dice",
        str(folder),
        "--most",
        "100",
        "--openings",
        "o.txt",
        "--no-draw",
    )
    assert "openings are listed for boards that have a name, not for sampled ones" in done.stderr
    listed = [openings.parse(line) for line in (tmp_path / "o.txt").read_text().splitlines()]
    assert {label for label, _ in listed} == {"mummy_maze/duel"}
    game = rulebook.game_of(rulebook.find("duel")[0])
    assert all(openings.turns_of(game, Opening(moves=moves)) for _, moves in listed)


def test_a_damaged_record_is_named_and_the_others_teach(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    worst = lessons_in(folder, most=1).lessons[0].record.match.id
    for where, left in (
        (f"where match = (select number from matches where id = '{worst}')", True),
        ("", False),
    ):
        store = sqlite3.connect(copy / "event.sqlite", isolation_level=None)
        store.execute(f"update records set record = x'00' {where}")
        store.close()
        done = arena(tmp_path, "lessons", "dice", str(copy), "--json")
        assert done.returncode == 0
        assert "a record cannot be read" in done.stderr
        assert "`arena verify` says more" in done.stderr
        assert (f"1 match left out: match {worst}" in done.stderr) == left
        rows = json.loads(done.stdout)
        assert bool(rows) == left
        assert worst not in {row["match"] for row in rows}


@pytest.fixture(scope="module")
def text(folder):
    """A file of two lessons."""
    return lessons.text_of(lessons_in(folder, most=2).lessons, "dice", rulebook.game_of_record)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text: f"{text}[[", "is no TOML"),
        (
            lambda text: text.replace("format = 1", "format = 2"),
            "format: is 2, and this arena reads 1: upgrade arena",
        ),
        (
            lambda text: text.replace("turn = ", "turm = ", 1),
            "[[lesson]] 1: turm: unknown key; did you mean 'turn'?",
        ),
        (
            lambda text: re.sub("turn = .*", "turn = 999", text, count=1),
            "[[lesson]] 1: turn: in match",
        ),
        (
            lambda text: re.sub(r"good = \[\n.*", 'good = [\n"fly",', text, count=1),
            "good: 'fly' is not legal in turn",
        ),
        (
            lambda text: re.sub('match = ".*', 'match = "x"', text, count=1),
            "match: there is no 'x' in [matches]",
        ),
        (
            lambda text: re.sub(r"\n1\. (\w+) \w+ \w+", r"\n1. \1 fly", text),
            "does not agree with the rules known here",
        ),
        (lambda text: re.sub(r"(?s)\[Format 2\].*?\n\n", "hello\n\n", text), "is no move"),
        (lambda text: re.sub('"move": [0-9.]+', '"move": -5', text), "it has a time below 0"),
        (lambda _: "format = 1\n", "has no [[lesson]]"),
        (lambda _: "[[lesson]]\n" * 1001, "has more than 1000 lessons or matches"),
        (
            lambda text: f"a{' . a' * 50_000} = 1\n{text}",
            "is no TOML: a key has more than 40 parts (at line 1, column 1)",
        ),
    ],
)
def test_a_file_with_a_mistake_is_refused_in_a_line_for_each_mistake(text, tmp_path, edit, words):
    file = tmp_path / "lessons.toml"
    file.write_text(edit(text))
    with pytest.raises(ArenaError) as refused:
        lessons.read(file)
    assert words in str(refused.value)
    assert all(line.startswith(f"{file}: ") for line in str(refused.value).split("\n"))


def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "lessons.toml")
    with pytest.raises(ArenaError, match="it is no plain file"):
        lessons.read(tmp_path / "lessons.toml")


def test_a_file_of_endless_mistakes_is_refused_in_few_lines(tmp_path):
    file = tmp_path / "lessons.toml"
    file.write_text("[[lesson]]\nrole = 3\n" * 300)
    with pytest.raises(ArenaError) as refused:
        lessons.read(file)
    lines = str(refused.value).split("\n")
    assert len(lines) == 101
    assert re.fullmatch(r".*: and \d+ more", lines[-1])


def scores_of(lesson, move, records):
    """Return what all bots scored with a move in the position of a lesson; in a game with chance no
    match repeats.
    """
    game = rulebook.game_of_record(lesson.record.match)
    scores = []
    for record in records:
        state = game.start()
        for turn in record.turns:
            if (turn.role, turn.move) == (lesson.role, move) and tuple(
                game.view(state, turn.role)
            ) == lesson.facts:
                scores.append(record.verdict.scores[turn.role])
            state = game.play(state, {turn.role: turn.move})
    return scores


def test_without_a_solver_other_bots_show_what_was_better_where_cards_are_hidden(tmp_path):
    """At Kuhn poker `shy` folds a king, now and then, and the others call with it."""
    board = rulebook.find("three_cards")[0]
    event = reported.event(("bold", "shy", "steady"), [board], repeats=15)
    plan = reported.plan(event)

    def record_of(match):
        names = {seat.role: seat.bot.name for seat in match.seats}

        def choose(role, state, legal, draw):
            if "fold" not in legal:
                return draw.choice(legal)
            if getattr(state, role) == "K":
                return "fold" if names[role] == "shy" and draw.random() < 0.5 else "call"
            return draw.choice(legal)

        return reported.refereed(match, choose)

    records = list(map(record_of, plan))
    folder = stored.store(tmp_path / "kuhn", event, records, plan)
    found = lessons_in(folder, "shy").lessons
    for lesson in found:
        scores = {move: scores_of(lesson, move, records) for move in lesson.means}
        assert {
            move: (len(each), sum(each) / len(each)) for move, each in scores.items()
        } == lesson.means
    kings = [lesson for lesson in found if f"card {lesson.role} K" in lesson.facts]
    folds = [lesson for lesson in kings if lesson.played == "fold"]
    assert folds
    assert all("fold" not in lesson.good for lesson in kings)
    for lesson in found:
        assert lesson.is_estimate
        assert sum(fact.endswith(" ?") for fact in lesson.facts if fact.startswith("card ")) == 1
        assert "something is hidden here" in lesson.uncertain[0]
        assert min(mean.matches for mean in lesson.means.values()) >= LEAST_MATCHES
    text = arena(tmp_path, "lessons", "shy", str(folder)).stdout
    assert "an estimate: it scored" in text
    assert "as the match went on" in text
    file, (first, last) = (
        tmp_path / "lessons.toml",
        (tmp_path / f"{name}.py" for name in ("first", "last")),
    )
    file.write_text(lessons.text_of(folds[:1], "shy", rulebook.game_of_record))
    (lesson,) = lessons.read(file)
    first.write_text(cup.FIRST)
    last.write_text(cup.LAST)
    lesson.check(last)  # its last legal move is to call
    with pytest.raises(
        AssertionError, match=r"first on kuhn_poker/three_cards as .*: plays fold; expected call"
    ):
        lesson.check(first)
    own = [
        lesson
        for lesson in lessons_in(folder, "steady").lessons
        if f"card {lesson.role} K" in lesson.facts
    ]
    assert all(lesson.played != "fold" for lesson in own)


def test_where_roles_move_at_once_a_lesson_says_that_it_depends_on_the_others(tmp_path):
    """At Goofspiel `steady` bids as high as the prize, and so does `mixed`, or now and then as low
    as it can.
    """
    board = rulebook.find("five")[0]
    event = reported.event(("mixed", "random", "steady"), [board], repeats=60)
    plan = reported.plan(event)

    def record_of(match):
        names = {seat.role: seat.bot.name for seat in match.seats}
        low = match.repeat % 4 == 0

        def choose(role, state, legal, draw):
            cards = sorted(int(move.split()[1]) for move in legal)
            if names[role] == "random":
                return draw.choice(legal)
            high = f"bid {min((card for card in cards if card >= state.prize), default=cards[-1])}"
            return f"bid {cards[0]}" if names[role] == "mixed" and low else high

        return reported.refereed(match, choose)

    folder = stored.store(tmp_path / "goofspiel", event, map(record_of, plan), plan)
    found = lessons_in(folder, "mixed").lessons
    assert found
    assert all("roles move at once here" in lesson.uncertain[0] for lesson in found)


@pytest.mark.parametrize("name", ["nine", "classic"])
def test_random_play_of_many_roles_teaches_nothing_by_chance(tmp_path, name):
    event = reported.event(("amber", "birch"), reported.boards(name))
    folder = reported.store(tmp_path, event, map(reported.played, reported.plan(event)))
    found = lessons_in(folder, "amber")
    assert found.lessons == ()
    assert found.matches == 2
    assert found.problems == ()


def test_at_most_one_position_in_twenty_of_equal_moves_teaches_something_by_chance():
    """The bot plays all of five moves, in twenty matches each; `benchmarks/lessons.py` simulates
    more.
    """
    dice, moves = random.Random(16), [f"m{number}" for number in range(5)]

    def taught(*chances):
        scores = {
            move: [
                (score, score - 50.0)
                for score in dice.choices((0, 100), (1 - chance, chance), k=20)
            ]
            for move, chance in zip(moves, chances, strict=True)
        }
        return better_than(moves, moves, scores)

    positions = 200
    assert sum(bool(taught(*[0.5] * 5)) for _ in range(positions)) <= 0.05 * positions
    assert (
        sum("m4" in taught(0.1, 0.5, 0.5, 0.5, 0.9).get("m0", ()) for _ in range(positions))
        >= 0.8 * positions
    )


class Suits:
    """A game whose moves do not matter: a suit is drawn, the explorer says a word, and luck
    decides.
    """

    def start(self):
        return ()

    def to_move(self, state):
        return ("chance",) if not state else ("explorer",)

    def view(self, state, role):
        return (f"suit {state[0]}",)

    def legal_moves(self, state, role):
        return (
            ("1", "2", "3", "4", "5", "6") if role == "chance" else ("ba", "be", "bi", "bo", "bu")
        )

    def play(self, state, moves):
        return (*state, *moves.values())


def test_legs_that_share_a_seed_teach_as_one_match_where_moves_do_not_matter():
    """Two copies of a bot make the same move with the same seed, in both legs, and have the same
    luck.
    """
    positions = lessons_found = 0
    for number in range(12):
        event = replace(stored.event("ann", "bob", boards=[stored.DUEL], repeats=200), seed=number)
        estimates = Estimates("ann")
        seen = set()
        for match in stored.plan(event):
            dice = random.Random(match.seed)
            suit, word, won = (
                dice.choice("123456"),
                dice.choice(("ba", "be", "bi", "bo", "bu")),
                dice.random() < 0.5,
            )
            seen.add(suit)
            record = stored.played(match, turns=0, explorer=100 * won, mummy=100 * (not won))
            turns = (
                Turn(number=1, role="chance", move=suit, by="chance"),
                Turn(number=2, role="explorer", move=word),
            )
            estimates.add(None, replace(record, turns=turns), Suits())
        positions += len(seen)
        lessons_found += len(estimates.blunders())
    assert positions == 72
    assert lessons_found <= 0.05 * positions


def test_the_report_has_lessons_of_graded_matches_only(folder, tmp_path):
    results = Results.open(
        shutil.copytree(folder, tmp_path / "copy"), rules=rulebook.game_of_record
    )
    given = results.lessons(["dice", "perfect"], 3)
    assert {*given} == {"dice"}
    assert len(given["dice"]) == 3
    assert results.lessons(["perfect"], 3) == {}
    results.close()
