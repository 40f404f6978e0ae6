"""The line `model {json}` in a match where nobody answers it, whatever extras there are."""

import pytest

from arena.clock import TimeControl
from arena.match import seating
from arena.match.model_line import MOST_REFUSED, NO_MODEL
from arena.match.play import play
from arena.values import Conditions, Ending
from tests.support import live
from tests.support.programs import python

PATIENT = Conditions(time=TimeControl(start=20.0, move=20.0))


@pytest.fixture(autouse=True, params=["with extras", "without any"])
def wrappers(request, monkeypatch):
    """Play with what extras put around seats, and without."""
    if request.param == "without any":
        monkeypatch.setattr(seating, "wraps", lambda: ())


def record_of(tmp_path, launcher, program: str):
    bot = live.bot_of(tmp_path / "bot.py", python(program))
    quiet = live.bot_of(tmp_path / "quiet.py", python("say(legal[0])"))
    return play(
        live.match_of("kuhn_poker/three_cards", bot, quiet, conditions=PATIENT), launcher=launcher
    )


def test_a_bot_without_a_model_reads_why_and_plays_on(tmp_path, launcher):
    asks = (
        'say(\'model {"prompt": "x"}\'); said = sys.stdin.readline().strip(); say("# " + said); '
        "say(legal[0])"
    )
    record = record_of(tmp_path, launcher, asks)
    assert record.verdict.faults == ()
    (remark, *_) = next(turn.remarks for turn in record.turns if turn.role == "first")
    assert remark.startswith("model {")
    assert NO_MODEL in remark
    assert record.calls == ()


def test_a_bot_that_goes_on_asking_is_out(tmp_path, launcher):
    record = record_of(tmp_path, launcher, "while True: say('model x')")
    (fault,) = record.verdict.faults
    assert fault.ending is Ending.LIMIT_EXCEEDED
    assert f"more than {MOST_REFUSED} requests in one turn that came to nothing" in fault.words
