"""The output of a bot: the same answer in any pieces, recorded remarks and warnings, counted
floods.
"""

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.failure import Cause, Failure
from arena.match.bot.output import REMARKS_KEPT, WARNINGS_KEPT, BotOutput
from arena.protocol import LINE_LIMIT

TURN_LIMIT = 4_000_000


def output_of(*chunks: bytes) -> BotOutput:
    output = BotOutput(TURN_LIMIT)
    for chunk in chunks:
        output.take(chunk)
    return output


@given(st.lists(st.integers(0, 60), max_size=8))
def test_the_answer_is_the_same_however_the_output_is_cut(cuts):
    said = b"# depth=3\nmove1 north\r\nmove1 south\n# later\nhalf"
    bounds = [0, *sorted(cuts), len(said)]
    output, answers = BotOutput(TURN_LIMIT), []
    for start, end in pairwise(bounds):
        output.take(said[start:end])
        while (line := output.answer_in(b"", ready=False)) is not None:
            answers.append((line, output.remarks()))
    assert answers == [(b"move1 north\r", ("depth=3",)), (b"move1 south", ())]
    assert output.unfinished == b"half"
    assert output.remarks() == ("later",)
    assert output.warnings() == ()


def test_what_stands_behind_an_answer_waits_for_the_next_question():
    output = output_of(b"one\ntwo\n")
    assert output.answer_in(b"", ready=False) == b"one"
    assert output.answer_in(b"", ready=False) == b"two"
    assert output.answer_in(b"", ready=False) is None


def test_before_ready_everything_else_is_thrown_away_with_a_warning():
    output = output_of(b"Hello\n# a remark\nReady\n  ready \t\r\nmove\n")
    assert output.answer_in(b"", ready=True) == b"  ready \t\r"
    assert output.remarks() == ("a remark",)
    assert [warning.rpartition(": ")[2] for warning in output.warnings()] == ['"Hello"', '"Ready"']
    assert output.unfinished == b"move\n"


def test_early_lines_are_thrown_away_but_a_half_line_may_become_the_answer():
    output = output_of(b"early\n# thought\nmove1 no")
    output.throw_away()
    output.take(b"rth\n")
    assert output.answer_in(b"", ready=False) == b"move1 north"
    assert output.remarks() == ("thought",)
    (warning,) = output.warnings()
    assert warning == 'thrown away, printed before it was asked: "early"'


def test_a_flood_is_counted_to_the_last_line_and_kept_to_a_few():
    output = output_of(b"noise\n# remark\n" * 30_000)
    output.throw_away()
    output.take(b"more\n")
    output.throw_away()
    warnings = output.warnings()
    assert len(warnings) <= WARNINGS_KEPT + 1
    assert warnings[-1] == f"and {30_001 - (len(warnings) - 1)} more"
    assert 0 < len(output.remarks()) <= REMARKS_KEPT
    assert output.unfinished == b""


def test_remarks_are_capped_for_each_answer_anew():
    output = output_of(b"#x\n" * 50 + b"go\n" + b"#y\n" * 50 + b"go\n")
    for word in ("x", "y"):
        assert output.answer_in(b"", ready=False) == b"go"
        assert output.remarks() == (word,) * REMARKS_KEPT


def test_a_line_as_long_as_allowed_is_an_answer_and_one_byte_more_is_garbled():
    assert output_of(b"m" * LINE_LIMIT + b"\n").answer_in(b"", ready=False) == b"m" * LINE_LIMIT
    for too_long in (
        b"m" * (LINE_LIMIT + 1),
        b"m" * (LINE_LIMIT + 1) + b"\nmove\n",
        b"#" * (LINE_LIMIT + 1) + b"\n",
    ):
        output = output_of(too_long)
        assert output.answer_in(b"", ready=False) is None
        assert output.excess() == Failure(
            cause=Cause.LINE_TOO_LONG, words="a line of more than 65536 bytes"
        )
        assert output.answer_in(b"", ready=False) is None


def test_too_much_output_is_counted_from_the_last_question():
    output = output_of(*[b"# " + b"x" * 1000 + b"\n"] * (TURN_LIMIT // 1003))
    assert output.answer_in(b"", ready=False) is None
    assert output.excess() is None
    output.take(b"# " + b"x" * 1000 + b"\n")
    assert output.answer_in(b"", ready=False) is None
    assert output.excess() == Failure(
        cause=Cause.OUTPUT, words=f"output: more than {TURN_LIMIT} bytes in one turn"
    )
    output.renew()
    assert output.excess() is None


def test_remarks_of_many_turns_are_not_too_much_output_of_one():
    output = output_of()
    for _ in range(3):
        assert output.answer_in(b"# half a turn's\n" * (TURN_LIMIT // 32), ready=False) is None
        assert output.excess() is None
        assert output.answer_in(b"move\n", ready=False) == b"move"


@given(st.binary(max_size=300), st.booleans())
def test_whatever_comes_is_shown_harmless(noise, ready):
    output = output_of(noise)
    output.answer_in(b"", ready=ready)
    output.throw_away()
    for text in (*output.warnings(), *output.remarks()):
        assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & set(map(unicodedata.category, text))
