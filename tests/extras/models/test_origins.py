"""How each move of a bot with a model came about, and what the house bot does where no move is named."""

import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli import match_text
from arena.clock import TimeControl
from arena.event import discovery
from arena.extras.models.origins import origins, rate
from arena.match.play import play
from arena.values import Conditions, Ending, ModelAnswer, ModelTerms, Record
from tests.extras.models.providers import Scripted
from tests.extras.models.test_models import HOUSE
from tests.support import live

CONDITIONS = Conditions(time=TimeControl(start=20.0, move=20.0), model=ModelTerms(name="m"))
GOOD = '{"move": "check"}'
ILLEGAL = '{"move": "fly"}'
PROSE = "I would check, I think."
CUT = ModelAnswer("I think that", "length", 10, 100)
REFUSED = ModelAnswer("I cannot help with that.", "refused", 10, 5)


def prompt(folder: Path, options: str = "") -> Path:
    """Copy the house bot, with these options of its prompt."""
    shutil.copytree(HOUSE, folder / "bot")
    if options:
        path = folder / "bot" / "prompt.md"
        path.write_text(f"---\n{options}\n---\n{path.read_text()}")
    return folder / "bot"


def played(
    launcher, folder: Path, answers: list[object], **terms: object
) -> tuple[Record, Scripted]:
    """Play a match of the house bot against itself; its first seat gets these answers, and then good ones."""
    waiting = list(answers)

    def answer(messages: list[dict[str, str]]) -> str | ModelAnswer:
        if waiting:
            return waiting.pop(0)
        legal = json.loads(
            messages[1]["content"].partition("legal_moves: ")[2].partition("\n")[0] or '["check"]'
        )
        return json.dumps({"move": legal[0]})

    conditions = replace(CONDITIONS, model=replace(CONDITIONS.model, **terms))
    bot = discovery.from_path(folder)
    match = live.match_of(
        "kuhn_poker/three_cards", bot, replace(bot, name="other"), conditions=conditions
    )
    model = Scripted(answer)
    return play(match, launcher=launcher, services={"models": model}), model


@pytest.mark.parametrize(
    ("answers", "kind", "counts"),
    [
        ([GOOD], "at_once", (0, 0, 0, 0)),
        ([ILLEGAL, GOOD], "rethought", (1, 0, 0, 0)),
        ([PROSE, ILLEGAL, GOOD], "rethought", (1, 1, 0, 0)),
        ([CUT, GOOD], "rethought", (0, 0, 1, 0)),
        ([REFUSED, GOOD], "rethought", (0, 0, 0, 1)),
        ([PROSE, PROSE, PROSE], "no_move", (0, 2, 0, 0)),
        ([CUT, CUT, CUT], "no_move", (0, 0, 3, 0)),
        ([REFUSED, REFUSED, REFUSED], "no_move", (0, 0, 0, 3)),
    ],
)
def test_each_move_says_how_it_came_about(tmp_path, launcher, answers, kind, counts):
    record, _ = played(launcher, prompt(tmp_path), answers)
    first = next(iter(origins(record)))
    assert (first.kind, first[2:]) == (kind, counts)
    faults = [fault.ending for fault in record.verdict.faults]
    assert faults == ([Ending.ILLEGAL_MOVE] if kind == "no_move" else [])


@pytest.mark.parametrize("terms", [{"calls": 1}, {"move": 20}])
def test_a_house_bot_that_gets_no_answer_forfeits_and_plays_no_first_move(
    tmp_path, launcher, terms
):
    record, _ = played(launcher, prompt(tmp_path), [ILLEGAL], **terms)
    (fault,) = record.verdict.faults
    assert fault.ending is Ending.ILLEGAL_MOVE
    assert "no answer" in fault.words or "fly" in fault.words
    assert next(iter(origins(record))).kind == "no_move"


def test_a_prompt_that_wants_a_fallback_gets_it_and_the_replay_shows_it(tmp_path, launcher):
    record, _ = played(launcher, prompt(tmp_path, "fallback: first"), [PROSE, PROSE, PROSE])
    assert record.verdict.faults == ()
    first = next(iter(origins(record)))
    assert (first.kind, first.unreadable) == ("fallback", 2)
    assert record.turns[1].remarks == ("fallback 1", "fallback: the first legal move")


def test_a_cut_answer_is_told_to_the_model_with_what_is_left(tmp_path, launcher):
    record, model = played(launcher, prompt(tmp_path), [CUT])
    said = model.requests[1].request["messages"][-1]["content"]
    assert (
        "Your answer was cut by its limit of tokens after which 15890 tokens are left for this turn"
        in said
    )
    assert "cut by its limit of tokens" in next(match_text.call_lines(record.calls[0]))


def test_a_prompt_may_hide_the_legal_moves_and_remember_the_match(tmp_path, launcher):
    bot = prompt(tmp_path, "legal: no\nmemory: match")
    record, model = played(
        launcher, bot, ['{"move": "check"}', '{"move": "bet"}', PROSE, '{"move": "call"}']
    )
    questions = [request.request["messages"] for request in model.requests]
    assert all("legal_moves" not in messages[1]["content"] for messages in questions)
    assert all(
        "Legal are" not in message["content"] for messages in questions for message in messages[2:]
    )
    first, third = questions[0], questions[2]
    assert "earlier_turns: []" in first[1]["content"]
    assert '"your_move": "check"' in third[1]["content"]
    assert record.verdict.faults == ()


@pytest.mark.parametrize("options", ["fallback: last", "colour: red", "fallback"])
def test_a_wrong_option_of_a_prompt_is_one_line(tmp_path, options):
    bot = prompt(tmp_path, options)
    done = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=bot,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"prompt.md: {options!r} is no option")


def test_the_interval_of_a_rate_is_wider_where_moves_of_a_match_are_alike():
    even = [(5, 10)] * 20
    alike = [(10, 10), (0, 10)] * 10
    assert rate(even)[0] == rate(alike)[0] == 50
    assert rate(alike)[2] - rate(alike)[1] > 2 * (rate(even)[2] - rate(even)[1])
    share, low, high = rate([(0, 10)])
    assert (share, round(low, 6)) == (0, 0)
    assert 20 < high < 30  # Wilson's, as a table of it has 27.8
    assert all(map(math.isnan, rate([])))
