"""Language models at the table: what bots ask, what they get, what it costs, and who never learns
the key.
"""

import asyncio
import contextlib
import csv
import io
import json
import os
import runpy
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.cli.live.layout import Story, frame
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.event import config, discovery, run_words
from arena.event.director import RunPhase
from arena.event.service import Opener
from arena.extras.models import asking as event_model
from arena.extras.models import service
from arena.extras.models.asking import Provider
from arena.extras.models.broker import Broker
from arena.extras.models.calls import Door, ModelRequest, Recorded, read_request
from arena.extras.models.faults import AgainError
from arena.extras.models.providers import Command, Url, json_of, without_key
from arena.extras.models.tape import Tape
from arena.extras.serve import scheduler
from arena.extras.serve.accounts import Accounts
from arena.games import rulebook
from arena.match.model_line import MOST_REFUSED
from arena.match.play import play
from arena.match.seat import SingleSeat
from arena.protocol import Ask, Reply
from arena.replay.replayer import scenes
from arena.report import replays
from arena.report.author import Author
from arena.results.archive import Archive
from arena.values import Conditions, Ending, ModelAnswer, ModelTerms, SeatReport
from tests.extras.models import kills_of_runs, providers
from tests.extras.models.providers import Scripted
from tests.support import cup, events, live, workspaces
from tests.support.processes import descendants, gone_soon, until
from tests.support.programs import python

HOUSE = Path(__file__).parents[3] / "bots" / "llm"
TERMS = ModelTerms(name="m")
CONDITIONS = Conditions(time=TimeControl(start=20.0, move=20.0), model=TERMS)
KEY = "sk-planted-0123456789"
ASKS = """\
say('model {"prompt": "which?"}')
said = sys.stdin.readline().strip()
say('#', said[:150])
say(legal[0])
"""


def match_of(
    tmp_path: Path,
    go: str,
    other: str = "say(legal[0])",
    conditions: Conditions = CONDITIONS,
    **more: str,
):
    bots = [
        live.bot_of(tmp_path / f"{name}.py", python(text, **more))
        for name, text in (("a", go), ("b", other))
    ]
    return live.match_of("kuhn_poker/three_cards", *bots, conditions=conditions)


def limited(**terms: object) -> Conditions:
    return replace(CONDITIONS, model=replace(TERMS, **terms))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"prompt": "x"', "Invalid JSON"),
        ("[" * 50_000, "Invalid JSON"),
        ('{"prompt": "\\ud800"}', "Invalid JSON"),
        ("7", "should be"),
        ("{}", "give a `prompt`"),
        ('{"prompt": "x", "messages": [{"role": "user", "content": "x"}]}', "either"),
        ('{"messages": []}', "at least 1"),
        ('{"messages": [{"role": "tool", "content": "x"}]}', "messages.0.role"),
        ('{"prompt": "x", "tokens": 0}', "tokens"),
        ('{"prompt": "x", "tokens": true}', "tokens"),
        ('{"prompt": "x", "tokens": 1e300}', "tokens"),
        ('{"prompt": "x", "temperature": NaN}', "temperature"),
        ('{"prompt": "x", "url": "http://evil"}', "url"),
    ],
)
def test_a_request_with_a_mistake_is_refused_in_words(line, words):
    said = read_request(b"model " + line.encode())
    assert isinstance(said, str)
    assert words in said
    assert len(said) <= 500


def test_a_bot_asks_and_gets_the_answer_while_its_clock_stands_still(tmp_path, launcher):
    def slow(_: object) -> str:
        time.sleep(0.4)
        return "the first"

    conditions = replace(CONDITIONS, time=TimeControl(start=20.0, move=0.3))
    model = Scripted(slow)
    record = play(
        match_of(tmp_path, ASKS, conditions=conditions),
        launcher=launcher,
        services={"models": model},
    )
    assert record.verdict.faults == ()
    asking = next(turn for turn in record.turns if turn.role == "first")
    said = json.loads(asking.remarks[0].partition(" ")[2].replace("'", '"'))
    assert (said["text"], said["in"], said["out"]) == ("the first", 10, 5)
    assert said["left"] == {"calls": 99, "tokens": 15985}
    assert asking.wall < 0.4
    assert [call.answer.text for call in record.calls] == ["the first"] * len(model.requests)


def test_a_bot_is_told_at_the_start_what_it_may_ask(tmp_path, launcher):
    go = "say('#', told); say(legal[0])"
    first = {"first": "told = ''", "each": "if word == 'model': told = rest"}
    record = play(
        match_of(tmp_path, go, **first), launcher=launcher, services={"models": Scripted(str)}
    )
    assert "'calls': 100, 'move': 16000, 'bank': 0" in record.turns[1].remarks[0]


def test_in_an_event_without_a_model_the_answer_says_so(tmp_path, launcher):
    record = play(
        match_of(tmp_path, ASKS, conditions=replace(CONDITIONS, model=None)), launcher=launcher
    )
    assert record.verdict.faults == ()
    assert "the event has no [model]" in record.turns[1].remarks[0]
    assert record.calls == ()


def test_calls_tokens_and_cost_of_a_match_end(tmp_path, launcher):
    ask = """say('model {"prompt": "x"}'); say('#', sys.stdin.readline().strip()[:99])"""
    go = f"{ask}\n{ask}\n{ask}\nsay(legal[0])"
    for terms, words in [
        ({"calls": 2}, "its 2 calls of this match are used up"),
        ({"move": 20, "calls": 9}, "tokens of this turn are used up"),
        ({"move": 10, "bank": 15, "calls": 9}, "its tokens are used up"),
        ({"cost": 2.0, "price_in": 1e5, "price_out": 1e5}, "may cost is used up"),
    ]:
        model = Scripted(lambda _: "x")
        record = play(
            match_of(tmp_path, go, conditions=limited(**terms)),
            launcher=launcher,
            services={"models": model},
        )
        turn = record.turns[1]
        assert [words in remark for remark in turn.remarks] == [False, False, True]
        assert model.requests[0].request["tokens"] == min(
            32_000, terms.get("move", 16_000) + terms.get("bank", 0)
        )


LONG = "word " * 7500
"""A question of 7501 tokens, as a provider counts it."""


def test_a_question_that_surely_does_not_fit_is_not_sent_and_the_bot_reads_why(tmp_path, launcher):
    go = f"""say('model ' + json.dumps({{"prompt": {LONG!r}}})); say('#', sys.stdin.readline().strip()); say(legal[0])"""
    model = Scripted(lambda _: ModelAnswer("x", "stop", 7501, 1))
    for terms, words in [
        ({"move": 1000}, "its question has 5000 tokens or more (30000 letters), and 1000 are left"),
        ({"move": 1000, "bank": 4000}, "and 5000 are left"),
        (
            {"cost": 0.004, "price_in": 1.0, "move": None},
            "which cost more than the 0.004 that is left",
        ),
    ]:
        match = match_of(tmp_path, go, first="import json", conditions=limited(**terms))
        record = play(match, launcher=launcher, services={"models": model})
        assert record.verdict.faults == ()
        assert words in record.turns[1].remarks[0]
    assert model.requests == []


@pytest.mark.parametrize("asks_each_turn", [True, False])
def test_what_a_call_takes_beyond_its_turn_is_owed_and_the_next_turns_pay_it(
    tmp_path, launcher, asks_each_turn
):
    """In five turns of 1000 tokens a seat used 37,505, because each turn forgave what was beyond
    it.
    """
    signs = (
        "#" * 7501
    )  # of which nobody knows how many tokens they are before the provider has counted them
    go = f"""if {asks_each_turn} or turns in (1, 5):
    say('model ' + json.dumps({{"prompt": {signs!r}}})); say('#', sys.stdin.readline().strip())
say(legal[0])"""
    counted = iter((2600, 1000, 1000, 1000, 1000))
    model = Scripted(lambda _: ModelAnswer("x", "stop", next(counted) - 1, 1))
    bots = [
        live.bot_of(tmp_path / "a.py", python(go, first="import json")),
        live.bot_of(tmp_path / "b.py", python("say(legal[0])")),
    ]
    match = live.match_of("goofspiel/five", *bots, conditions=limited(move=1000))
    record = play(match, launcher=launcher, services={"models": model})
    said = [turn.remarks[0] for turn in record.turns if turn.remarks]
    assert "'left': {'calls': 99, 'tokens': 0, 'owed': 1600}" in said[0]
    if asks_each_turn:
        assert (
            "its tokens of this turn are used up, and 600 more, which its next turns pay" in said[1]
        )
        assert [request.request["tokens"] for request in model.requests] == [1000, 400, 400, 400]
    else:
        assert [request.request["tokens"] for request in model.requests] == [1000, 1000]
    used = sum(call.answer.tokens_in + call.answer.tokens_out for call in record.calls)
    assert used < 5 * 1000 + 2600
    again = play(match, launcher=launcher, services={"models": Recorded(record)})
    assert again.calls == record.calls
    assert [turn.remarks for turn in again.turns] == [turn.remarks for turn in record.turns]


def test_a_bot_that_floods_the_door_is_out_and_every_other_line_is_thrown_away(tmp_path, launcher):
    flood = "while True: say('model x')"
    record = play(match_of(tmp_path, flood), launcher=launcher, services={"models": Scripted(str)})
    (fault,) = record.verdict.faults
    assert fault.ending is Ending.LIMIT_EXCEEDED
    assert f"more than {MOST_REFUSED} requests" in fault.words
    two = 'os.write(1, b\'model {"prompt": "x"}\\nbet\\n\'); sys.stdin.readline(); say(legal[0])'
    record = play(match_of(tmp_path, two), launcher=launcher, services={"models": Scripted(str)})
    assert record.verdict.faults == ()
    assert record.turns[1].move == "check"


def test_a_bot_that_dies_or_sleeps_after_an_answer_is_at_fault(tmp_path, launcher):
    ask = 'say(\'model {"prompt": "x"}\'); sys.stdin.readline(); '
    conditions = replace(CONDITIONS, time=TimeControl(start=20.0, move=0.2))
    for go, ending in [("os._exit(3)", Ending.CRASHED), ("time.sleep(9)", Ending.TIMEOUT)]:
        record = play(
            match_of(tmp_path, ask + go, conditions=conditions),
            launcher=launcher,
            services={"models": Scripted(str)},
        )
        (fault,) = record.verdict.faults
        assert (fault.ending, fault.words.startswith("after a call of its model: ")) == (
            ending,
            True,
        )


def test_the_time_of_all_parts_of_a_turn_counts(tmp_path, launcher):
    go = (
        'for _ in range(9): time.sleep(0.1); say(\'model {"prompt": "x"}\'); '
        "sys.stdin.readline()\nsay(legal[0])"
    )
    conditions = replace(CONDITIONS, time=TimeControl(start=20.0, move=0.35))
    record = play(
        match_of(tmp_path, go, conditions=conditions),
        launcher=launcher,
        services={"models": Scripted(str)},
    )
    assert record.verdict.faults[0].ending is Ending.TIMEOUT


def test_a_bot_is_frozen_while_the_model_answers(tmp_path, launcher):
    def slow(_: object) -> str:
        time.sleep(0.6)
        return "x"

    first = """
        import threading
        def spin():
            while True: pass
        threading.Thread(target=spin, daemon=True).start()
    """
    go = """
        begun = time.process_time()
        say('model {"prompt": "x"}')
        sys.stdin.readline()
        say("# cpu", time.process_time() - begun)
        say(legal[0])
    """
    record = play(
        match_of(tmp_path, go, first=first), launcher=launcher, services={"models": Scripted(slow)}
    )
    assert float(record.turns[1].remarks[0].split()[1]) < 0.3


def test_a_match_records_no_more_calls_than_a_record_has_room_for(tmp_path, launcher, monkeypatch):
    monkeypatch.setattr("arena.extras.models.calls.TAPE_BYTES", 200)
    ask = """say('model {"prompt": "x"}'); say('#', sys.stdin.readline().strip()[:99])"""
    model = Scripted(lambda _: "long" * 50)
    record = play(
        match_of(tmp_path, f"{ask}\n{ask}\nsay(legal[0])"),
        launcher=launcher,
        services={"models": model},
    )
    assert ["fill what a record has room for" in remark for remark in record.turns[1].remarks] == [
        False,
        True,
    ]


def test_roles_that_move_at_once_ask_at_once(tmp_path, launcher):
    begun: list[float] = []

    def slow(_: object) -> str:
        begun.append(time.monotonic())
        time.sleep(0.2)
        return "x"

    bots = [live.bot_of(tmp_path / f"{name}.py", python(ASKS)) for name in "ab"]
    record = play(
        live.match_of("goofspiel/five", *bots, conditions=CONDITIONS),
        launcher=launcher,
        services={"models": Scripted(slow)},
    )
    assert record.verdict.faults == ()
    assert len(begun) == 10
    assert all(
        abs(second - first) < 0.15 for first, second in zip(begun[::2], begun[1::2], strict=True)
    )
    keys = [call.key for call in record.calls]
    assert len(set(keys)) == 10  # the same words in each turn, and no answer twice


def test_a_bot_that_is_no_program_here_asks_through_the_same_door(tmp_path, launcher):
    class Elsewhere:
        """A seat whose bot asks once a turn, and plays what the model says."""

        def ask(self, ask: Ask) -> Reply:
            if ask.ready:
                return Reply(b"ready")
            if not ask.resumes:
                return Reply(b'model {"prompt": "x"}')
            return Reply(json.loads(ask.text[6:])["text"].encode())

        def end(self, _: bytes) -> None:
            pass

        def close(self) -> None:
            pass

        def report(self) -> SeatReport:
            return SeatReport(role="first", bot="a", digest="")

    def first(seats, resources):
        return [SingleSeat(seat.role, Elsewhere()) for seat in seats if seat.role == "first"]

    match = match_of(tmp_path, "say(legal[0])")
    record = play(
        match, launcher=launcher, services={"models": Scripted(lambda _: "bet")}, kinds=[first]
    )
    assert [turn.move for turn in record.turns if turn.role == "first"] == ["bet"]
    assert len(record.calls) == 1


def test_a_record_plays_again_from_its_own_tape_and_pays_nothing(tmp_path, launcher):
    match = match_of(tmp_path, ASKS)
    record = play(
        match, launcher=launcher, services={"models": Scripted(lambda _: os.urandom(4).hex())}
    )
    again = play(match, launcher=launcher, services={"models": Recorded(record)})
    assert again.calls == record.calls
    assert [turn.remarks for turn in again.turns] == [turn.remarks for turn in record.turns]


def test_what_a_provider_says_is_bounded_and_the_key_is_taken_out_of_it():
    with pytest.raises(AgainError, match="no JSON"):
        json_of(b"[" * 100_000, "")
    assert json_of(b'{"text": "the key is sk-1"}', "sk-1") == {"text": "the key is [key]"}
    escaped = rb'{"a/b": ["sk-a\/b", {"\u0073k-a\u002fb": 1}, 2.5]}'
    assert json_of(escaped, "sk-a/b") == {"a/b": ["[key]", {"[key]": 1}, 2.5]}
    assert without_key("x", "") == "x"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_key_for_a_server_on_this_machine_passes_by_no_proxy(monkeypatch, variable):
    for name in ("HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    said_by = [
        providers.serving(partial(providers.says, providers.chat(who), 200))
        for who in ("model", "proxy")
    ]
    with said_by[0] as server, said_by[1] as proxy:
        monkeypatch.setenv(variable, proxy.url)
        provider = Provider(kind="url", name="m", url=server.url, key=KEY)
        answer = asyncio.run(
            Url(provider).ask({"messages": [{"role": "user", "content": "x"}], "tokens": 10})
        )
    assert answer.text == "model"


def ask_broker(tmp_path: Path, ask, count: int = 1, letter: str = "x", **settings: object):
    """Have a broker in this process answer this number of requests at once, by the function `ask`
    if there is one.
    """

    async def main():
        provider = Provider(**{"kind": "tape", "name": "m"} | settings)
        broker = Broker(provider, Tape(tmp_path / "tape.sqlite"))
        if ask is not None:
            broker._asked = SimpleNamespace(ask=ask)
        message = {"messages": [{"role": "user", "content": letter * 40}], "tokens": 100}
        requests = [
            {"key": str(n), "bot": "a", "match": "b", "request": message} for n in range(count)
        ]
        return await asyncio.gather(*(broker.answer(request) for request in requests)), broker

    return asyncio.run(main())


def test_the_budget_of_an_event_is_kept_within_one_call(tmp_path):
    under_way, most = 0, 0

    async def ask(_: object) -> ModelAnswer:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return ModelAnswer("x", "stop", 60, 60)

    results, broker = ask_broker(tmp_path, ask, 20, at_once=3, tokens=1000)
    kinds = [kind for kind, _ in results]
    assert (kinds.count("answer"), kinds.count("budget")) == (9, 11)
    assert broker._tape.paid("default")[0] == 1080
    assert most == 3
    results, _ = ask_broker(tmp_path, ask, 9, at_once=3, tokens=1000)
    assert {kind for kind, _ in results} == {"answer"}  # all of them from the tape


def test_a_letter_of_several_bytes_may_be_several_tokens_of_a_budget(tmp_path):
    """Held as one token a letter, calls under way went beyond the budget by more than one call."""

    async def ask(_: object) -> ModelAnswer:
        await asyncio.sleep(0.01)
        return ModelAnswer("x", "stop", 120, 100)

    _, broker = ask_broker(tmp_path, ask, 9, letter="\u0e01", at_once=9, tokens=500)
    assert broker._tape.paid("default")[0] == 3 * 220


def test_all_lanes_together_ask_no_more_often_than_the_rate(tmp_path):
    async def ask(_: object) -> ModelAnswer:
        return ModelAnswer("x")

    begun = time.monotonic()
    ask_broker(tmp_path, ask, 4, rate=1200.0)
    assert time.monotonic() - begun >= 3 * 0.05


def test_an_unreadable_answer_is_asked_for_again_and_three_in_a_row_end_the_run(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("arena.extras.models.gate.BACKOFF_S", 0.001)
    calls = 0

    async def fails_twice(_: object) -> ModelAnswer:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise AgainError(f"\x1b[31m{KEY}")
        return ModelAnswer("x")

    assert ask_broker(tmp_path, fails_twice, retries=2)[0] == [
        ("answer", ModelAnswer("x")._replace(seconds=0.0)._asdict())
    ]
    calls = -1000
    (tmp_path / "tape.sqlite").unlink()
    results, _ = ask_broker(tmp_path, fails_twice, 3, retries=1, key=KEY, at_once=1)
    assert [kind for kind, _ in results] == ["again", "again", "end"]
    assert results[0][1] == r"model: the model gave no answer: \x1b[31m[key]"


def workspace(folder: Path, model: str, bots: str = "ab", **keys: object) -> Path:
    """Make a workspace of the house bot with as many prompts as letters."""
    workspaces.make(folder, {}, **keys)
    for name in bots:
        shutil.copytree(HOUSE, folder / "bots" / name)
        with (folder / "bots" / name / "prompt.md").open("a") as prompt:
            prompt.write(f"You are {name}.\n")
    with (folder / "tournament.toml").open("a") as file:
        file.write(f'[model]\nname = "m"\n{model}\n')
    return folder


def provider_of(folder: Path, **changes: object) -> Provider:
    (found,) = service.providers_of(config.load(folder / "tournament.toml"), folder)
    return replace(found, **changes)


def served(folder: Path, **changes: object) -> dict[str, Opener]:
    """Return what opens the model of a workspace for a run."""
    return {service.NAME: partial(event_model.opened, [provider_of(folder, **changes)])}


def run(folder: Path, results: str = "results/cup", workers: int = 1, **changes: object):
    return events.run(folder, results, workers=workers, services=served(folder, **changes))


def paid(folder: Path) -> int:
    return len((folder / "paid.log").read_text()) if (folder / "paid.log").exists() else 0


def calls_in(folder: Path) -> set[str]:
    """The keys of all calls of the matches that count."""
    with Archive.open(folder) as archive:
        return {call.key for record in archive.records() for call in record.calls}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "repeats", "kills"),
    [("ab", 2, 1), pytest.param("abcd", 5, 20, marks=pytest.mark.soak)],
)
def test_a_killed_event_pays_nothing_twice_and_plays_again_from_its_tape(
    tmp_path, bots, repeats, kills
):
    with providers.serving(providers.plays) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"', bots, repeats=repeats)
        event, results, paid = events.event_of(folder), folder / "results" / "cup", server.calls
        Archive.make(results)
        kills_of_runs.play(event, results, paid, served(folder), kills)
        assert run(folder)[0].complete
        keys = calls_in(results)
        assert (
            len(keys) <= paid.value <= len(keys) + 4 * kills
        )  # what was under way in a broker that was killed
        before, tables = paid.value, events.tables(results)
        assert run(folder, "results/again", kind="tape", tapes=(str(results),))[0].complete
        assert events.tables(folder / "results" / "again") == tables
        (results / "tape.sqlite").unlink()  # the records have all of it
        provider = Provider(kind="tape", name="m", tapes=(str(results),))
        other = Broker(provider, Tape(tmp_path / "tape.sqlite"))
        assert all(map(other._tape.find, keys))
        assert paid.value == before
        with (folder / "bots" / "a" / "prompt.md").open("a") as prompt:
            prompt.write("Be bold.\n")
        assert run(folder)[0].complete
        new = calls_in(results) - keys
        assert paid.value - before == len(new) > 0
        assert len(new) < len(calls_in(results))


def test_a_tape_without_an_answer_ends_the_run_in_one_line(tmp_path):
    folder = workspace(tmp_path / "w", 'provider = "tape"')
    with pytest.raises(ArenaError, match="the tape has no answer to a request of"):
        run(folder)


@pytest.mark.soak
def test_a_refused_request_ends_the_run_and_is_on_no_tape(tmp_path):
    refusal = b'{"error": {"message": "unsupported parameter: max_tokens"}}'
    with providers.serving(partial(providers.says, refusal, 400)) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"', repeats=1)
        with pytest.raises(ArenaError, match=r"HTTP 400: .*unsupported parameter: max_tokens"):
            run(folder)
        assert server.calls.value == 1
    with contextlib.closing(sqlite3.connect(folder / "results/cup/tape.sqlite")) as tape:
        assert tape.execute("select count(*) from calls").fetchone() == (0,)
    assert calls_in(folder / "results/cup") == set()
    with providers.serving(providers.plays) as server:
        assert run(folder, url=server.url)[0].complete


@pytest.mark.soak
def test_an_event_ends_resumably_when_its_budget_is_used_up(tmp_path):
    folder = workspace(
        tmp_path / "w", f"command = {providers.command_in(tmp_path)}\nevent_tokens = 400", repeats=1
    )
    (tmp_path / "model.py").rename(folder / "model.py")
    outcome, audience = run(folder)
    assert (outcome.phase, outcome.complete, audience.aborts) == (RunPhase.SPENT, False, [])
    assert "raise model.event_tokens or model.event_cost" in run_words.reason(outcome.phase)
    assert paid(folder) == 4
    outcome, _ = run(folder, tokens=None)
    assert outcome.complete
    assert paid(folder) == len(calls_in(folder / "results/cup"))
    done = cup.arena(folder, "run", "--plan")
    assert "the matches to come take about 0 tokens" in done.stdout
    assert "model: 0 of the budget of 400 tokens are left" in done.stdout


USAGES: list[tuple[dict[str, float], tuple[int, int]]] = [
    ({}, (40 + 16, 500 + 16)),
    ({"prompt_tokens": -5, "completion_tokens": 1e9}, (40 + 16, 500 + 16)),
    ({"prompt_tokens": 20, "completion_tokens": 9}, (20, 9)),
]
"""What a provider says of the tokens of an answer, and the numbers that count."""
MISBEHAVIOURS = {
    "hangs": (providers.hangs, "it took more than 0.3 seconds"),
    "drips": (providers.drips, "it took more than 0.3 seconds"),
    "floods": (providers.floods, "it sent more than 2 MB"),
    "cuts": (providers.cuts, "RemoteProtocolError"),
    "fails": (partial(providers.says, b"no", 503), "HTTP 503"),
    "says no time": (providers.says_no_time, "HTTP 429"),
    "chats not": (partial(providers.says, b"{}", 200), "no answer in the OpenAI chat format"),
    "refuses": (partial(providers.says, b"no", 401), "HTTP 401: it refuses the key"),
}
"""What a model of each name does, and the words that the user reads of it."""


@pytest.fixture(scope="module")
def models():
    """Yield the address of a server whose models are those of the tables above."""
    behave = {name: behaviour for name, (behaviour, _) in MISBEHAVIOURS.items()}
    for number, (usage, _) in enumerate(USAGES):
        behave[str(number)] = partial(providers.says, providers.chat("x" * 500, usage=usage), 200)
    with providers.serving(
        lambda handler, request: behave[request["model"]](handler, request)
    ) as server:
        yield server.url


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_provider_that_misbehaves_is_a_failure_in_words(tmp_path, models, name):
    words = MISBEHAVIOURS[name][1]
    wait = 0.3 if "seconds" in words else 20
    ((kind, said),), _ = ask_broker(
        tmp_path, None, kind="url", url=models, name=name, wait=wait, retries=0, patience=0
    )
    assert kind in {"again", "end"}
    assert words in said


def test_an_end_that_is_no_word_does_not_end_a_run():
    command = Command(
        Provider(kind="command", name="m", command=("echo", '{"text": "yes", "end": ["stop"]}'))
    )
    answer = asyncio.run(command.ask({"messages": [{"role": "user", "content": "x"}], "tokens": 1}))
    assert (answer.text, answer.end) == ("yes", "stop")


@pytest.mark.parametrize("number", range(len(USAGES)))
def test_tokens_that_are_not_credible_are_counted_as_many_as_there_can_be(tmp_path, models, number):
    ((_, answer),), _ = ask_broker(tmp_path, None, kind="url", url=models, name=str(number))
    assert (answer["tokens_in"], answer["tokens_out"]) == USAGES[number][1]


@pytest.mark.slow
def test_nothing_that_a_command_started_outlives_the_broker(tmp_path):
    who = Provider(kind="command", name="m", command=("sh", "-c", "sleep 60 & wait"))
    request = {"messages": [{"role": "user", "content": "x"}], "tokens": 1}

    def ask(door: Door) -> None:
        with contextlib.suppress(ArenaError):
            door.answer(ModelRequest("key", "default", "a", "b", request))

    before = descendants(os.getpid())  # of other tests
    with event_model.opened([who], None) as door:
        asking = threading.Thread(target=ask, args=(door,))
        asking.start()
        assert until(
            lambda: len(descendants(os.getpid()) - before) >= 3
        )  # the broker, the command, what that started
        below = descendants(os.getpid()) - before
    assert gone_soon(below)
    asking.join(60)
    assert not asking.is_alive()


def test_an_interrupted_broker_ends_in_order_and_says_nothing(tmp_path, capfd):
    before = descendants(os.getpid())
    with event_model.opened([Provider(kind="tape", name="m")], tmp_path):
        brokers = descendants(os.getpid()) - before
        for broker in brokers:
            os.kill(broker, signal.SIGINT)
        assert gone_soon(brokers)
    assert capfd.readouterr().err == ""


def test_a_model_answers_also_where_the_folder_for_temporary_files_has_a_long_name(
    tmp_path, monkeypatch
):
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    who = Provider(kind="command", name="m", command=("echo", '{"text": "yes"}'))
    with event_model.opened([who], None) as door:
        request = {"messages": [{"role": "user", "content": "x"}], "tokens": 1}
        assert door.answer(ModelRequest("key", "default", "a", "b", request)).text == "yes"


def test_a_command_ends_with_what_it_started_also_if_it_has_only_just_begun():
    asked = Command(Provider(kind="command", name="m", command=("sh", "-c", "sleep 60 & wait")))

    async def end_at_once() -> set[int]:
        asking = asyncio.ensure_future(asked.ask({"messages": []}))
        await asyncio.sleep(0)
        below: set[int] = set()
        assert until(
            lambda: below.update(descendants(os.getpid()) - before) or len(below) == 2
        )  # asyncio waits, too
        await asked.end()
        with pytest.raises(AgainError):
            await asking
        return below

    before = descendants(os.getpid())
    assert gone_soon(asyncio.run(end_at_once()))


def test_a_key_in_a_variable_is_gone_from_this_process_and_its_forks(tmp_path):
    program = (
        "import os, sys; from arena.sandbox.exposure import forget\n"
        "forget('MY_KEY')\n"
        "assert 'MY_KEY' not in os.environ and 'PATH' in os.environ\n"
        "sys.exit(b'sk-' in open('/proc/self/environ', 'rb').read())"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], env=os.environ | {"MY_KEY": KEY}).returncode
        == 0
    )


@pytest.mark.slow
def test_no_bot_file_or_process_learns_a_key_that_was_exported(tmp_path):
    key = f"sk-{uuid.uuid4().hex}"  # no test beside this one has it

    def looks(handler, request):
        """Repeat the key, and say how many processes of this machine show it."""
        shown = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                files = [
                    Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline")
                ]
                shown += any(key.encode() in content for content in files)
        came = handler.headers["Authorization"]
        providers.respond(
            handler, providers.chat(f"shown {shown}, came {came}\n{providers.any_move(request)}")
        )

    spy = (
        "say('#', [value for value in os.environ.values() if 'sk-' in value])\n"
        "try: say('#', b'sk-' in open('/proc/self/environ', 'rb').read())\n"
        "except OSError: say('# False')\n"
    )
    with providers.serving(looks) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"\nkey_variable = "MY_KEY"', "a")
        (folder / "bots" / "spy.py").write_text(python(f"{spy}{ASKS}"))
        command, variables = (
            [sys.executable, "-m", "arena", "run", "--no-charts"],
            os.environ | {"MY_KEY": key},
        )
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    with Archive.open(folder / "results/cup") as archive:
        records = list(archive.records())
    answers = {call.answer.text.partition("\n")[0] for record in records for call in record.calls}
    assert answers == {"shown 0, came Bearer [key]"}
    remarks = {remark for record in records for turn in record.turns for remark in turn.remarks}
    assert {"[]", "False"} <= remarks
    assert not [
        path for path in folder.rglob("*") if path.is_file() and key.encode() in path.read_bytes()
    ]
    with contextlib.closing(sqlite3.connect(folder / "results/cup/tape.sqlite")) as database:
        tape = Tape(folder / "results/cup/tape.sqlite")
        asked = [row[0] for row in database.execute("select key from calls")]
    assert asked
    assert not any(key in str(tape.find(call)) for call in asked)


def shows_key(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return KEY.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    return False


@pytest.mark.slow
def test_a_site_keeps_the_key_from_all_its_processes_and_gives_it_to_runs(tmp_path, monkeypatch):
    folder = workspace(tmp_path / "w", 'command = "true"\nkey_variable = "MY_KEY"', "a")
    words, variables = ("-m", "arena", "serve", "--port", "0"), os.environ | {"MY_KEY": KEY}
    with subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=variables, stderr=subprocess.PIPE
    ) as site:
        assert b"serving" in site.stderr.readline()
        pids = [site.pid, *cup.processes_in(folder)]
        shown = list(filter(shows_key, pids))
        site.terminate()
    assert len(pids) >= 3  # what makes the processes for pages, too
    assert shown == []
    monkeypatch.setenv("MY_KEY", KEY)
    key = scheduler.ProviderKey(folder)
    assert "MY_KEY" not in os.environ
    assert key.variables() == {"MY_KEY": KEY}
    job = scheduler.Job(Accounts(folder), "round")
    command = (sys.executable, "-c", "import os; print(os.environ.get('MY_KEY'))")
    job.start(command, variables=key.variables())
    assert until(lambda: job.words() == KEY)
    assert until(lambda: not job.is_running())
    job.start(command)
    assert until(lambda: job.words() == "None")


def test_a_key_is_read_once_and_what_is_none_is_refused_in_one_line(tmp_path, monkeypatch):
    def refusal(**changes: str) -> str:
        with pytest.raises(ArenaError) as raised:
            event_model.key_of(replace(who, **changes))
        return str(raised.value)

    who, file = Provider(kind="command", name="m", command=("true",)), tmp_path / "key"
    with pytest.raises(ArenaError, match="NO_SUCH_KEY: there is no such variable"):
        event_model.opened([replace(who, key_variable="NO_SUCH_KEY")], None).__enter__()
    with pytest.raises(ArenaError, match="cannot be read: No such file"):
        event_model.opened([replace(who, key_file=str(file))], None).__enter__()
    file.write_text("two words")
    assert "others may read it: `chmod 600" in refusal(key_file=str(file))
    file.chmod(0o600)
    assert "holds no key" in refusal(key_file=str(file))
    monkeypatch.setenv("MY_KEY", "two words")
    assert "holds no key" in refusal(key_variable="MY_KEY")
    file.write_text(f"{KEY}\n")
    assert event_model.key_of(replace(who, key_file=str(file))) == KEY
    folder = workspace(tmp_path / "w", f'command = "true"\nkey_file = "{tmp_path / "w" / "key"}"')
    with pytest.raises(ArenaError, match="lies in the workspace"):
        provider_of(folder)


def test_replays_and_tables_show_what_was_asked_and_a_report_for_others_does_not(tmp_path):
    with providers.serving(providers.plays) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"\nprice_in = 100.0')
        results, evil = folder / "results" / "cup", "</pre><script>alert(1)</script>\x1b[31m"
        with (folder / "bots" / "b" / "prompt.md").open("a") as prompt:
            prompt.write(f"I know that {evil}\n")
        run(folder)
    with Archive.open(results) as archive:
        record = next(
            record for record in archive.records() if record.match.seats[0].bot.name == "b"
        )
    shown = cup.arena(folder, "replay", record.match.id)
    assert "asks the model: 100 tokens, and 20 of its answer" in shown.stdout
    assert "I know that" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert '> model {"messages"' in cup.arena(
        folder, "replay", record.match.id, "--lines"
    ).stdout.replace("'", '"')
    assert cup.arena(folder, "rerun", record.match.id).stdout.count("it went the same") == 1
    replayed = replays.replay(record, replays.Games(rulebook.game_of))["calls"]
    assert [row[:4] for row in replayed][:1] == [[1, 0, 100, 20]]
    assert "\x1b" not in str(replayed)
    assert cup.arena(folder, "leaderboard").stdout.count("language model") == 1
    events.tables(results)
    table = list(csv.DictReader(io.StringIO((results / "models.csv").read_text())))
    assert {row["bot"] for row in table} == {"a", "b"}
    assert all(float(row["cost"]) == int(row["calls"]) * 0.01 for row in table)
    author = Author(name="a", bots=frozenset({"a"}), file="a")
    assert {call.role for call in record.calls} == {"hare", "tortoise"}
    assert "I know that" not in str(author.cut(record).calls)


def test_mistakes_in_the_table_are_one_line_each(tmp_path):
    for number, (model, words) in enumerate(
        [
            ("", "model: url: missing"),
            ('url = "http://h"\ncommand = "x"', "model: command: there is a `url` as well"),
            ('url = "http://1.2.3.4/v1"\nkey_variable = "K"', "a key travels by https only"),
            ('url = "http://me:pw@h/v1"', "model.url: expected an address"),
            ('command = "x"\nmove = 0', "model.move: expected 1 or more"),
            ('command = "x"\ncost = -1', "model.cost: expected a number from 0"),
        ]
    ):
        folder = workspace(tmp_path / str(number), model)
        assert cup.refused(cup.arena(folder, "run"), words)
    folder = workspace(tmp_path / "none", 'command = "x"', "abc")
    text = (folder / "tournament.toml").read_text()
    (folder / "tournament.toml").write_text(text.partition("[model]")[0])
    assert cup.refused(
        cup.arena(folder, "run"), "'a' plays with a language model only: add a table [model]"
    )


def test_check_says_who_answers_and_a_provider_that_fails_is_one_line(tmp_path):
    folder = workspace(tmp_path, 'command = ["false"]\nretries = 0', "ab")
    assert cup.refused(cup.arena(folder, "check", "a"), "model: ")
    (folder / "tournament.toml").write_text(
        (folder / "tournament.toml").read_text().partition("[model]")[0]
    )
    done = cup.arena(folder, "check", "a")
    assert done.returncode == 1
    assert "no language model answers here" in done.stdout
    assert "is fit to play" not in done.stdout
    assert "the event leaves it out: it plays with a language model only: add a table [model]" in (
        done.stdout
    )


def test_check_asks_the_model_once_and_says_what_came_and_what_it_cost(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    keys = 'url = "{url}"\nprice_out = 1000.0'
    with providers.serving(providers.plays) as server:
        folder = workspace(tmp_path, keys.format(url=server.url), "a")
        checked = cup.arena(folder, "check", "a").stdout
        assert "m was asked once, and said 'Let me think." in checked
        assert "100 tokens in and 20 out, which cost 0.02; --no-ask asks nobody" in checked
        asked = server.calls.value
        assert asked > 1
        for words, more in (
            (["--no-ask"], "by --no-ask nobody answers it"),
            ([], "model.key_variable: NO_SUCH_KEY: there is no such variable, so no language"),
        ):
            if not words:
                with (folder / "tournament.toml").open("a") as file:
                    file.write('key_variable = "NO_SUCH_KEY"\n')
            done = cup.arena(folder, "check", "a", *words)
            assert more in done.stdout
        assert server.calls.value == asked


def test_check_repeats_the_providers_words_where_it_refuses(tmp_path):
    refusal = b'{"error": {"message": "unsupported parameter: max_tokens"}}'
    with providers.serving(partial(providers.says, refusal, 400)) as server:
        folder = workspace(tmp_path, f'url = "{server.url}"', "a")
        assert cup.refused(cup.arena(folder, "check", "a"), "unsupported parameter: max_tokens")
        assert server.calls.value == 1


def test_the_viewer_shows_what_the_model_said_in_the_shown_turn(tmp_path, launcher):
    match = match_of(tmp_path, ASKS)
    record = play(
        match, launcher=launcher, services={"models": Scripted(lambda _: "the first\x1b[31m")}
    )
    game = rulebook.game_of(match)
    story = Story(
        game, match, {"first": "a", "second": "b"}, False, list(scenes(game, record.turns)), record
    )
    asking = next(
        index
        for index, scene in enumerate(story.scenes)
        if scene.turns and scene.turns[0].role == "first"
    )
    shown = "\n".join(frame(story, asking, (120, 40), ("", "")))
    assert "model, 10 + 5 tokens: the first" in shown
    assert "\x1b[31m" not in shown


def test_the_house_bot_takes_json_or_a_last_line_and_never_prose(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    move_in = runpy.run_path(str(HOUSE / "bot.py"))["move_in"]
    legal = ["run", "walk 2"]
    assert move_in('I take {"move": "walk 2"} at last.', legal) == "walk 2"
    assert move_in('{"move": "run"} no: {"move": "walk 2"}', legal) == "walk 2"
    assert move_in("Well.\n walk 2 \n", legal) == "walk 2"
    for text in (
        "I would run",
        '{"move": "fly"}',
        '{"move": "run"} {"move": 7}',
        "",
        "{" * 5000,
        "run!",
    ):
        assert move_in(text, legal) is None


def test_the_house_bot_asks_again_and_quotes_what_others_wrote(tmp_path, launcher):
    def answer(messages: list[dict[str, str]]) -> str:
        return "I run, I think" if len(messages) < 4 else '{"move": "check"}'

    match = live.match_of(
        "kuhn_poker/three_cards", discovery.from_path(HOUSE), conditions=CONDITIONS
    )
    model = Scripted(answer)
    record = play(match, launcher=launcher, services={"models": model})
    assert record.verdict.faults == ()
    assert "That names no legal move." in model.requests[1].request["messages"][3]["content"]
    assert model.requests[1].request["again"] == "unreadable"
    assert model.requests[0].request["messages"][1]["content"].count("<data>") == 2
