"""What came out of a bot: the same answer however it is cut, remarks and warnings kept, floods counted."""

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.bot.inbox import REMARKS_KEPT, WARNINGS_KEPT, Inbox
from arena.match import Ending
from arena.protocol import LINE_LIMIT

TURN_LIMIT = 4_000_000


def of(*chunks: bytes) -> Inbox:
    inbox = Inbox(TURN_LIMIT)
    for chunk in chunks:
        inbox.take(chunk)
    return inbox


@given(st.lists(st.integers(0, 60), max_size=8))
def test_the_answer_is_the_same_however_the_output_is_cut(cuts):
    said = b"# depth=3\nmove1 north\r\nmove1 south\n# later\nhalf"
    bounds = [0, *sorted(cuts), len(said)]
    inbox, answers = Inbox(TURN_LIMIT), []
    for start, end in pairwise(bounds):
        inbox.take(said[start:end])
        while (line := inbox.answer(ready=False)) is not None:
            answers.append((line, inbox.remarks()))
    assert answers == [(b"move1 north\r", ("depth=3",)), (b"move1 south", ())]
    assert inbox.rest == b"half"
    assert inbox.remarks() == ("later",)
    assert inbox.warnings() == ()


def test_what_stands_behind_an_answer_waits_for_the_next_question():
    inbox = of(b"one\ntwo\n")
    assert inbox.answer(ready=False) == b"one"
    assert inbox.answer(ready=False) == b"two"
    assert inbox.answer(ready=False) is None


def test_before_ready_everything_else_is_thrown_away_with_a_warning():
    inbox = of(b"Hello\n# a remark\nReady\n  ready \t\r\nmove\n")
    assert inbox.answer(ready=True) == b"  ready \t\r"
    assert inbox.remarks() == ("a remark",)
    assert [warning.rpartition(": ")[2] for warning in inbox.warnings()] == ['"Hello"', '"Ready"']
    assert inbox.rest == b"move\n"


def test_early_lines_are_thrown_away_but_a_half_line_may_become_the_answer():
    inbox = of(b"early\n# thought\nmove1 no")
    inbox.throw_away()
    inbox.take(b"rth\n")
    assert inbox.answer(ready=False) == b"move1 north"
    assert inbox.remarks() == ("thought",)
    (warning,) = inbox.warnings()
    assert warning == 'thrown away, printed before it was asked: "early"'


def test_a_flood_is_counted_to_the_last_line_and_kept_to_a_few():
    inbox = of(b"noise\n# remark\n" * 30_000)
    inbox.throw_away()
    inbox.take(b"more\n")
    inbox.throw_away()
    warnings = inbox.warnings()
    assert len(warnings) <= WARNINGS_KEPT + 1
    assert warnings[-1] == f"and {30_001 - (len(warnings) - 1)} more"
    assert 0 < len(inbox.remarks()) <= REMARKS_KEPT
    assert inbox.rest == b""


def test_remarks_are_capped_for_each_answer_anew():
    inbox = of(b"#x\n" * 50 + b"go\n" + b"#y\n" * 50 + b"go\n")
    for word in ("x", "y"):
        assert inbox.answer(ready=False) == b"go"
        assert inbox.remarks() == (word,) * REMARKS_KEPT


def test_a_line_as_long_as_allowed_is_an_answer_and_one_byte_more_is_garbled():
    assert of(b"m" * LINE_LIMIT + b"\n").answer(ready=False) == b"m" * LINE_LIMIT
    for too_long in (b"m" * (LINE_LIMIT + 1), b"m" * (LINE_LIMIT + 1) + b"\nmove\n", b"#" * (LINE_LIMIT + 1) + b"\n"):
        inbox = of(too_long)
        assert inbox.answer(ready=False) is None
        assert inbox.excess() == (Ending.GARBLED, "a line of more than 65536 bytes")
        assert inbox.answer(ready=False) is None


def test_too_much_output_is_counted_from_the_last_question():
    inbox = of(*[b"# " + b"x" * 1000 + b"\n"] * (TURN_LIMIT // 1003))
    assert inbox.answer(ready=False) is None
    assert inbox.excess() is None
    inbox.take(b"# " + b"x" * 1000 + b"\n")
    assert inbox.answer(ready=False) is None
    assert inbox.excess() == (Ending.LIMIT_EXCEEDED, f"output: more than {TURN_LIMIT} bytes in one turn")
    inbox.renew()
    assert inbox.excess() is None


@given(st.binary(max_size=300), st.booleans())
def test_whatever_comes_is_shown_harmless(noise, ready):
    inbox = of(noise)
    inbox.answer(ready=ready)
    inbox.throw_away()
    for text in (*inbox.warnings(), *inbox.remarks()):
        assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & set(map(unicodedata.category, text))
