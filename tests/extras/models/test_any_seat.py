"""Seats of any kind ask a language model and play in disguise, as bots do."""

from dataclasses import replace

from arena.match.play import play
from arena.values import DISGUISED, ModelTerms
from tests.extras.models.providers import Scripted
from tests.match.test_seats import PATIENT, match_of, stranger

__all__ = ["stranger"]  # a fixture


def test_a_seat_of_a_new_kind_asks_the_language_model_as_a_bot_does(tmp_path, launcher, stranger):
    stranger[1].append(b'model {"prompt": "which?"}')
    terms = replace(PATIENT, model=ModelTerms(name="m"))
    record = play(
        match_of(tmp_path, conditions=terms),
        launcher=launcher,
        services={"models": Scripted(lambda _: "bet")},
    )
    assert [call.answer.text for call in record.calls] == ["bet"]
    assert b'"text": "bet"' in stranger[0][0].asked[2].text
    assert record.verdict.faults == ()


def test_a_seat_of_a_new_kind_plays_in_disguise_as_a_bot_does(tmp_path, launcher, stranger):
    record = play(match_of(tmp_path, f"kuhn_poker/three_cards{DISGUISED}"), launcher=launcher)
    (seat,) = stranger[0]
    assert record.verdict.faults == ()
    assert {turn.move for turn in record.turns if turn.role == "first"} <= {
        "bet",
        "check",
        "call",
        "fold",
    }
    assert not any(
        word in ask.text.split() for ask in seat.asked for word in (b"first", b"bet", b"check")
    )
