"""The referee as a table of dialogues: replies, and the verdicts that follow. No process, no clock,
no file.
"""

import sys

import pytest

from arena import protocol
from arena.clock import TimeControl, TimeUsed
from arena.match.referee import Referee, bot_seed, facts_digest
from arena.protocol import Reply
from arena.values import Ending, Fault, Verdict
from tests.support.toy import Duet, match_of

READY = Reply(line=b"ready")
CRASH = Reply(ending=Ending.CRASHED, words="it ended before its answer: exit 3")
LATE = Reply(ending=Ending.TIMEOUT, words="no answer in 1000 ms")
FAT = Reply(ending=Ending.LIMIT_EXCEEDED, words="cpu: too much")


def say(text: str, wall: float = 0.0) -> Reply:
    return Reply(line=text.encode(), spent=TimeUsed(wall=wall))


def dialogue(
    script: dict[str, list[Reply]], game: Duet | None = None, **conditions: object
) -> Referee:
    """Play a match in which each role answers from its list, then `wait`s."""
    game = game or Duet()
    referee = Referee(game, match_of(game, **conditions))
    answers = {role: iter(script.get(role, [])) for role in game.roles}
    first = True
    while asks := referee.asks():
        default = READY if first else say("wait")
        referee.hear({role: next(answers[role], default) for role in asks})
        first = False
    return referee


def verdict_of(
    script: dict[str, list[Reply]], game: Duet | None = None, **conditions: object
) -> Verdict:
    verdict = dialogue(script, game, **conditions).verdict
    assert verdict is not None
    return verdict


def scores(fox: int, hen: int, chick: int) -> dict[str, int]:
    return {"fox": fox, "hen": hen, "chick": chick}


@pytest.mark.parametrize(
    ("script", "expected", "reason", "faults"),
    [
        pytest.param(
            {"fox": [READY, say("win")]}, scores(100, 0, 0), "time up", [], id="by the rules"
        ),
        pytest.param(
            {"fox": [READY, say("  win\t\r")]},
            scores(100, 0, 0),
            "time up",
            [],
            id="blanks are trimmed",
        ),
        pytest.param(
            {"fox": [READY, say("fly")]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "illegal_move", 1)],
            id="illegal",
        ),
        pytest.param(
            {"fox": [READY, say("Win")]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "illegal_move", 1)],
            id="wrong case",
        ),
        pytest.param(
            {"fox": [READY, Reply(line=b"\xff\xfe")]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "garbled", 1)],
            id="not UTF-8",
        ),
        pytest.param(
            {"fox": [READY, say("win\x00")]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "garbled", 1)],
            id="a NUL",
        ),
        pytest.param(
            {"fox": [READY, say("win\u2028")]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "garbled", 1)],
            id="U+2028",
        ),
        pytest.param(
            {"fox": [READY, LATE]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "timeout", 1)],
            id="late",
        ),
        pytest.param(
            {"fox": [READY, CRASH]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "crashed", 1)],
            id="crash",
        ),
        pytest.param(
            {"fox": [READY, FAT]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "limit_exceeded", 1)],
            id="limit",
        ),
        pytest.param(
            {"fox": [LATE]},
            scores(0, 100, 100),
            "forfeit",
            [("fox", "timeout", 0)],
            id="never ready",
        ),
        pytest.param(
            {"fox": [CRASH], "hen": [CRASH], "chick": [LATE]},
            scores(0, 0, 0),
            "forfeit",
            [("fox", "crashed", 0), ("hen", "crashed", 0), ("chick", "timeout", 0)],
            id="nobody is ready",
        ),
        pytest.param(
            {"hen": [READY, CRASH], "chick": [READY, say("boo")]},
            scores(100, 0, 0),
            "forfeit",
            [("hen", "crashed", 2), ("chick", "illegal_move", 2)],
            id="both of a side at fault in one turn",
        ),
        pytest.param(
            {"hen": [READY, CRASH], "chick": [READY, say("win")]},
            scores(0, 0, 100),
            "time up",
            [("hen", "crashed", 2)],
            id="a partner plays on after the other's crash",
        ),
        pytest.param(
            {"hen": [READY, CRASH], "fox": [READY, say("wait"), LATE]},
            scores(0, 0, 100),
            "forfeit",
            [("hen", "crashed", 2), ("fox", "timeout", 3)],
            id="only who is not at fault wins by forfeit",
        ),
    ],
)
def test_each_ending_gives_its_verdict(script, expected, reason, faults):
    verdict = verdict_of(script)
    assert dict(verdict.scores) == expected
    assert verdict.reason == reason
    assert [(fault.role, fault.ending.value, fault.turn) for fault in verdict.faults] == faults


def test_an_empty_seat_plays_moves_that_depend_on_the_seed_alone():
    moves = [
        [(turn.role, turn.move) for turn in dialogue(script).turns if turn.by == "substitute"]
        for script in ({"hen": [CRASH]}, {"hen": [CRASH], "fox": [READY, say("walk on")]})
    ]
    assert moves[0] == moves[1]
    assert [role for role, _ in moves[0]] == ["hen", "hen"]


def test_a_forgiven_answer_is_replaced_and_told_until_the_strikes_are_used_up():
    game = Duet(turns=6)
    referee = Referee(game, match_of(game, strikes=1))
    referee.asks()
    referee.hear(dict.fromkeys(game.roles, READY))
    referee.asks()
    referee.hear({"fox": say('fl"y\x1b[2J')})
    struck = referee.turns[0]
    assert (struck.by, struck.rejected_text) == ("strike", "fl'y\\x1b[2J")
    assert struck.move in game.legal_moves((), "fox")
    referee.asks()
    referee.hear({"hen": say("wait"), "chick": say("wait")})
    note = referee.asks()["fox"].text.decode().splitlines()[0]
    assert note == f'note garbled "fl\'y\\x1b[2J" played "{struck.move}" strike 1 of 1'
    referee.hear({"fox": say("fly")})
    assert referee.verdict is not None
    assert referee.verdict.ending("fox") is Ending.ILLEGAL_MOVE


def test_strikes_do_not_forgive_time():
    assert verdict_of({"fox": [READY, LATE]}, strikes=9).ending("fox") is Ending.TIMEOUT


def test_the_words_of_an_illegal_move_show_it_with_the_nearest_legal_one():
    fault = verdict_of({"fox": [READY, say("wain")]}).faults[0]
    assert fault.words in {
        'printed "wain", expected one of 3 legal moves; the nearest is "win"',
        'printed "wain", expected one of 3 legal moves; the nearest is "wait"',
    }


def test_a_seat_at_fault_is_told_why_and_the_others_are_told_the_scores():
    game = Duet()
    referee = Referee(game, match_of(game))
    referee.asks()
    words = referee.hear({"fox": LATE, "hen": READY, "chick": READY})
    assert words == {"fox": b"fault timeout no answer in 1000 ms\nend forfeit\n"}
    assert referee.farewell() == b"score fox 0\nscore hen 100\nscore chick 100\nend forfeit\n"


def test_the_bank_pays_for_what_a_turn_takes_beyond_the_move_time():
    game = Duet(turns=6)
    time = TimeControl(start=5.0, move=1.0, bank=2.0, margin=0.05)
    referee = Referee(game, match_of(game, time=time))
    told = []
    for answer in (READY, say("wait", wall=1.5), say("wait", wall=0.2), say("wait", wall=3.0)):
        asks = referee.asks()
        while "fox" not in asks:
            referee.hear({role: say("wait") for role in asks})
            asks = referee.asks()
        told.append((asks["fox"].announced, asks["fox"].deadline))
        referee.hear({role: answer if role == "fox" else READY for role in asks})
    assert told[1:] == [(3.0, 3.05), (2.5, 2.55), (2.5, 2.55)]


def test_no_limit_is_told_by_a_plain_go_and_a_missing_word():
    game = Duet()
    referee = Referee(game, match_of(game, time=TimeControl(start=None, move=None)))
    ask = referee.asks()["fox"]
    assert ask.deadline is None
    assert b"\ntime bank 0\n" in ask.text
    referee.hear(dict.fromkeys(game.roles, READY))
    assert referee.asks()["fox"].text.endswith(b"\ngo\n")


def test_the_handshake_is_the_one_of_the_protocol():
    game = Duet()
    match = match_of(game)
    lines = Referee(game, match).asks()["hen"].text.decode().split("\n")
    assert lines == [
        "arena 1",
        f"match {match.id}",
        "game toy/box",
        "roles fox hen chick",
        "role hen",
        f"seed {bot_seed(match.seed, 'hen')}",
        "time start 5000 move 1000 bank 0",
        "board turns 4",
        "ready?",
        "",
    ]


def test_a_bot_is_told_what_the_others_played_since_it_was_last_asked():
    game = Duet(turns=6)
    referee = Referee(game, match_of(game))
    referee.asks()
    referee.hear(dict.fromkeys(game.roles, READY))
    seen: dict[str, list[str]] = {role: [] for role in game.roles}
    moves = {"fox": "win", "hen": "wait", "chick": "walk on"}
    while asks := referee.asks():
        for role, ask in asks.items():
            seen[role].append(
                " | ".join(
                    line for line in ask.text.decode().splitlines() if line.startswith("last")
                )
            )
        referee.hear({role: say(moves[role]) for role in asks})
    assert seen["fox"] == [
        "",
        "last hen wait | last chick walk on",
        "last hen wait | last chick walk on",
    ]
    assert seen["hen"] == [
        "last fox win",
        "last chick walk on | last fox win",
        "last chick walk on | last fox win",
    ]


def test_in_a_game_with_hidden_moves_nobody_is_told_the_others_moves():
    game = Duet(hidden=True)
    referee = Referee(game, match_of(game))
    text = b""
    while asks := referee.asks():
        text += b"".join(ask.text for ask in asks.values())
        referee.hear({role: READY if ask.ready else say("wait") for role, ask in asks.items()})
    assert b"\nlast " not in text
    assert b"did" not in text


def test_chance_is_played_by_the_referee_and_recorded_but_not_told():
    referee = dialogue({}, Duet(dice=True, turns=3))
    assert (referee.turns[0].role, referee.turns[0].by) == ("chance", "chance")
    assert referee.turns[0].move == dialogue({}, Duet(dice=True, turns=3)).turns[0].move
    assert dialogue({}, Duet(dice=True, turns=3)).verdict == referee.verdict


def test_a_bot_with_an_earlier_fault_forfeits_before_anybody_is_asked():
    game = Duet()
    fault = Fault(role="fox", ending=Ending.TIMEOUT, turn=0, words="no `ready` in 5000 ms")
    referee = Referee(game, match_of(game), {"fox": fault})
    assert referee.asks() == {}
    assert referee.verdict == Verdict(scores=scores(0, 100, 100), reason="forfeit", faults=(fault,))


def test_a_partner_with_an_earlier_fault_is_replaced_and_the_match_is_played():
    game = Duet()
    fault = Fault(role="hen", ending=Ending.TIMEOUT, turn=0, words="")
    referee = Referee(game, match_of(game), {"hen": fault})
    assert list(referee.asks()) == ["fox", "chick"]


def test_each_turn_carries_a_digest_of_the_state_after_it():
    game = Duet()
    referee = dialogue({}, game)
    state = game.start()
    by_number: dict[int, dict[str, str]] = {}
    for turn in referee.turns:
        by_number.setdefault(turn.number, {})[turn.role] = turn.move
    for number, moves in by_number.items():
        state = game.play(state, moves)
        assert {turn.digest for turn in referee.turns if turn.number == number} == {
            facts_digest(game.view(state, None))
        }


def test_a_bots_seed_differs_from_the_matchs_and_from_its_neighbours():
    assert len({7, bot_seed(7, "fox"), bot_seed(7, "hen"), bot_seed(8, "fox")}) == 4


def test_large_sets_of_legal_moves_are_not_kept_in_memory():
    large = tuple(f"move {number}" for number in range(5000))
    kept = sys.getrefcount(large)
    assert protocol.legals(large).count(b"\nlegal ") == 4999
    assert sys.getrefcount(large) == kept
    assert protocol.legals(list(large[:2])) == b"legal move 0\nlegal move 1\n"
