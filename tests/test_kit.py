"""The kit of Python bots, with lines as the referee writes them."""

import io
import random
import subprocess
import sys

import pytest

from arena import kit
from arena.games import rulebook
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.values import Conditions, Match
from tests.support import live

READY = Reply(line=b"ready")
BOARDS = [board.label for board in rulebook.all_boards()]
MAZES = [label for label in BOARDS if label.startswith(("mummy_maze/", "pacman/"))]
ONE_AT_A_TIME = [
    label for label in BOARDS if not label.startswith(("goofspiel/", "kuhn_poker/", "surround/"))
]
"""The boards on which one role begins alone, and not chance."""


def match_at(label: str, **conditions: object) -> Match:
    return live.match_of(label, seed=7, conditions=Conditions(**conditions))  # type: ignore[arg-type]


def played(lines: str, choose=lambda turn: turn.legal[0], prepare=None) -> list[str]:
    out = io.StringIO()
    kit.run(choose, prepare, lines=io.StringIO(lines, newline=None), out=out)
    return out.getvalue().splitlines()


def test_a_bot_of_the_kit_says_ready_and_answers_each_question_once():
    lines = (
        "arena 1\nrole fox\nready?\nturn 1\nlegal a b\nlegal c\ngo 1000\nturn 3\nlegal d\ngo\n"
        "end won\n"
    )
    assert played(lines) == ["ready", "a b", "d"]


def test_carriage_returns_and_unknown_words_do_no_harm():
    lines = (
        "arena 1\r\nweather fine\r\nready?\r\nturn 1\r\nlegal a\r\nfuture x y\r\ngo 50\r\nend x\r\n"
    )
    assert played(lines) == ["ready", "a"]


def test_a_bot_knows_its_time_and_thinks_before_it_says_ready():
    seen: list[object] = []

    def choose(turn: kit.Turn) -> str:
        seen.append(turn.seconds)
        return turn.legal[0]

    played(
        "seed 5\nready?\nturn 1\nlegal a\ngo 250\nturn 2\nlegal a\ngo\n",
        choose,
        lambda turn: seen.append(turn.seed),
    )
    assert seen == [5, 0.25, None]


def test_a_remark_stands_before_the_answer_in_the_same_write():
    def choose(turn: kit.Turn) -> str:
        turn.remark("depth=3")
        return turn.legal[0]

    assert played("ready?\nturn 1\nlegal a\ngo 9\n", choose) == ["ready", "# depth=3", "a"]


def test_a_bot_fed_byte_by_byte_answers_as_soon_as_its_line_is_whole():
    bot = "from arena.kit import run; run(lambda turn: turn.legal[-1])"
    command = [sys.executable, "-c", bot]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for lines, answer in (
            (b"arena 1\nready?\r\n", b"ready\n"),
            (b"turn 1\nlegal a\nlegal b c\ngo 9\n", b"b c\n"),
        ):
            for byte in lines:
                process.stdin.write(bytes([byte]))
            assert process.stdout.readline() == answer
        process.stdin.write(b"end won\n")
        assert process.stdout.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    "said", ["move2 up", 'x" strike 1 of 1', 'x" played "move2 east east" strike 9 of 9']
)
def test_a_substituted_move_is_taken_from_the_note_whatever_the_refused_text_was(said):
    turn = kit.Turn()
    turn.game, turn.role = "mummy_maze/duel", "mummy"
    game = turn.rules
    turn._hear("last", "explorer move1 west")
    turn._answer("nonsense")
    turn._hear("note", f'illegal "{said}" played "move2 north north" strike 1 of 3')
    turn._hear("last", "explorer move1 nowhere")
    want = game.start()
    for moves in (
        {"explorer": "move1 west"},
        {"mummy": "move2 north north"},
        {"explorer": "move1 nowhere"},
    ):
        want = game.play(want, moves)
    turn.facts = list(game.view(want, "mummy"))
    assert turn.state == want


@pytest.mark.parametrize("label", ONE_AT_A_TIME)
def test_the_states_after_a_move_are_those_that_the_others_may_make_of_it(label):
    turn = kit.Turn()
    turn.game = label
    game = turn.rules
    turn.role = game.roles[0]
    turn.facts = list(game.view(game.start(), turn.role))
    for move in game.legal_moves(game.start(), turn.role):
        assert turn.after(move) == [game.play(game.start(), {turn.role: move})]


def test_where_two_move_at_once_each_choice_of_the_other_is_a_state():
    turn = kit.Turn()
    turn.game, turn.role = "pacman/classic", "inky"
    game = turn.rules
    first = game.legal_moves(game.start(), "pacman")[0]
    turn._hear("last", f"pacman {first}")
    state = game.play(game.start(), {"pacman": first})
    turn.facts = list(game.view(state, "inky"))
    own = game.legal_moves(state, "inky")[0]
    others = game.legal_moves(state, "blinky")
    assert len(others) > 1
    assert turn.after(own) == [game.play(state, {"blinky": other, "inky": own}) for other in others]


@pytest.mark.parametrize("label", BOARDS)
def test_the_kits_states_contain_the_referees_after_every_move_of_random_matches(label):
    match, dice = match_at(label, strikes=200), random.Random(label)
    game, struck = rulebook.game_of(match), False
    while not struck:  # a match of two moves may have no refused answer
        referee = Referee(game, match)
        turns = {role: kit.Turn() for role in game.roles}
        while asks := referee.asks():
            heard = {}
            for role, ask in asks.items():
                for line in ask.text.decode().splitlines():
                    turns[role]._hear(*line.partition(" ")[::2])
                if ask.ready:
                    heard[role] = READY
                    continue
                assert referee.state in turns[role].states
                assert turns[role].state == (referee.state if game.open else None)
                move = dice.choice(turns[role].legal) if dice.random() < 0.9 else "an illegal move"
                turns[role]._answer(move)
                heard[role] = Reply(line=move.encode())
            referee.hear(heard)
        assert referee.verdict is not None
        struck = any(turn.by == "strike" for turn in referee.turns)


@pytest.mark.parametrize(("role", "card", "others"), [("first", "Q", "JK"), ("second", "K", "JQ")])
def test_where_a_card_is_hidden_there_is_a_state_for_each_that_it_may_be(role, card, others):
    turn = kit.Turn()
    turn.game, turn.role = "kuhn_poker/three_cards", role
    game = turn.rules
    if role == "second":
        turn._hear("last", "first bet")
    for deal in game.legal_moves(game.start(), "chance"):
        state = game.play(game.start(), {"chance": deal})
        if role == "second":
            state = game.play(state, {"first": "bet"})
        if getattr(state, role) == card:
            turn.facts = list(game.view(state, role))
    other = "second" if role == "first" else "first"
    assert "".join(sorted(getattr(state, other) for state in turn.states)) == others
    assert turn.state is None
    assert len(turn.after(turn.rules.legal_moves(turn.states[0], role)[0])) == 2


def test_states_that_are_first_asked_for_late_fit_the_facts_of_every_turn_before():
    turn = kit.Turn()
    turn.game, turn.role = "goofspiel/thirteen", "left"
    game = turn.rules
    state = game.start()
    for card in range(13, 4, -1):
        state = game.play(state, {"chance": f"prize {card}"})
        turn._hear("turn", "1")
        turn.facts += game.view(state, "left")
        turn._answer(f"bid {card}")
        state = game.play(state, {"left": f"bid {card}", "right": f"bid {card}"})
        turn._hear("last", f"right bid {card}")
    state = game.play(state, {"chance": "prize 1"})
    turn._hear("turn", "2")
    turn.facts += game.view(state, "left")
    assert turn.states == [state]


def test_a_game_with_too_many_states_that_fit_has_none(monkeypatch):
    turn = kit.Turn()
    turn.game, turn.role = "kuhn_poker/three_cards", "first"
    turn.facts = list(
        turn.rules.view(turn.rules.play(turn.rules.start(), {"chance": "deal J Q"}), "first")
    )
    monkeypatch.setattr(kit, "MOST_STATES", 6)
    assert turn.states == []


def test_where_the_state_cannot_be_known_it_is_none():
    turn = kit.Turn()
    turn.game, turn.role = "mummy_maze/duel", "explorer"
    turn.facts = ["step 0", "at explorer 1 1", "at mummy 5 5"]
    assert turn.state is None


@pytest.mark.parametrize("label", MAZES)
def test_distances_are_those_of_the_rules(label):
    game = rulebook.game_of(match_at(label))
    steps = (
        game._next
        if label.startswith("mummy")
        else {cell: dict(ways) for cell, ways in game._ways.items()}
    )
    far = kit.distances(game.board())
    for cell, row in far.items():
        near = set(steps[cell].values()) - {cell}
        assert {there for there, count in row.items() if count == 1} == near
        assert all(
            count == 1 + min(far[one][there] for one in near)
            for there, count in row.items()
            if count
        )


def test_a_bot_asks_a_language_model_in_the_middle_of_its_turn():
    said = []

    def choose(turn: kit.Turn) -> str:
        said.append(turn.model("which?", tokens=9, stop=["."]))
        said.append(turn.model([{"role": "user", "content": "x" * 70_000}]))
        said.append(turn.model([{"role": "user", "content": "and now?"}]))
        assert turn.model_limits == '{"calls": 2}'
        return turn.legal[0]

    answers = [
        'model {"text": "b", "end": "stop", "in": 1, "out": 1, "left": {"calls": 1}}',
        'model {"error": "no"}',
    ]
    lines = ['model {"calls": 2}', "ready?", "turn 1", "legal a", "go 1000", *answers, "end over"]
    out = io.StringIO()
    kit.run(choose, lines=lines, out=out)
    assert [(each.text, each.error) for each in said] == [
        *(("b", ""), ("", "the request is longer than 64000 bytes"), ("", "no"))
    ]
    assert said[0].left == {"calls": 1}
    assert out.getvalue().splitlines() == [
        "ready",
        'model {"prompt": "which?", "tokens": 9, "stop": ["."]}',
        'model {"messages": [{"role": "user", "content": "and now?"}]}',
        "a",
    ]
