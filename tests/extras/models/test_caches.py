"""Tokens that a provider has in a cache: read in each form, priced, counted, and kept in budgets."""

import asyncio
import csv
import json
from functools import partial
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from arena.extras.models.asking import Provider
from arena.extras.models.providers import Url
from arena.extras.models.tape import Tape
from arena.match.play import play
from arena.results.archive import Archive
from arena.values import ModelAnswer, ModelTerms
from tests.extras.models import providers
from tests.extras.models.test_models import ask_broker, limited, match_of, run, workspace
from tests.extras.models.test_shapes import chat
from tests.support import cup, events

REQUEST = {"messages": [{"role": "user", "content": "Which move is best for me?"}], "tokens": 100}
PRICES = {"price_in": 10.0, "price_out": 40.0, "price_cached": 1.0, "price_cache_write": 12.5}
OUT = {"completion_tokens": 7}
FORMS = {
    "OpenAI": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}, **OUT},
    "OpenAI's responses": {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens": 7,
        "total_tokens": 107,
    },
    "DeepSeek": {"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, **OUT},
    "Anthropic": {
        "input_tokens": 16,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 20,
        "output_tokens": 7,
    },
    "OpenRouter": {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 20},
        **OUT,
    },
    "LiteLLM": {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_creation_tokens": 20},
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 20,
        **OUT,
    },
}


def told(usage: dict[str, Any]) -> ModelAnswer:
    """Return the answer of a server that tells this usage."""
    behave = partial(providers.says, json.dumps(chat(usage=usage)).encode(), 200)
    with providers.answering(behave) as url:
        return asyncio.run(Url(Provider(kind="url", name="m", url=url)).ask(REQUEST))


@pytest.mark.parametrize("form", FORMS)
def test_cached_tokens_have_a_price_of_their_own_in_each_form(form):
    answer = told(FORMS[form])
    written = 20 if form in {"Anthropic", "OpenRouter", "LiteLLM"} else 0
    assert (answer.tokens_in, answer.cached, answer.cache_written) == (100, 64, written)
    micros = (100 - 64 - written) * 10 + 64 * 1 + written * 12.5 + 7 * 40
    assert isclose(ModelTerms(name="m", **PRICES).cost_of(answer), micros / 1e6)


@pytest.mark.parametrize("form", FORMS)
def test_without_a_price_of_their_own_they_cost_what_others_do(form):
    terms = ModelTerms(name="m", price_in=0.1, price_out=0.7)
    assert terms.cost_of(told(FORMS[form])) == (100 * 0.1 + 7 * 0.7) / 1e6


@pytest.mark.parametrize(
    ("usage", "cache"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 101}}, (0, 0)),
        ({"prompt_tokens_details": {"cached_tokens": -1}}, (0, 0)),
        ({"prompt_tokens_details": {"cached_tokens": "64"}}, (0, 0)),
        ({"prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 64}}, (64, 0)),
        ({"prompt_tokens": 10**9, "prompt_tokens_details": {"cached_tokens": 10**9}}, (0, 0)),
        ({"prompt_tokens": -5, "prompt_tokens_details": {"cached_tokens": 20}}, (0, 0)),
    ],
)
def test_a_lie_about_a_cache_makes_nothing_cheaper(usage, cache):
    answer = told({"prompt_tokens": 100, **OUT, **usage})
    assert (answer.cached, answer.cache_written) == cache
    assert answer.cached + answer.cache_written <= answer.tokens_in


def test_the_providers_own_cost_wins_over_prices_of_a_cache():
    answer = told(FORMS["OpenRouter"] | {"cost": 0.25})
    assert ModelTerms(name="m", **PRICES).cost_of(answer) == 0.25


@pytest.mark.parametrize("dear", ["price_in", "price_cached", "price_cache_write"])
def test_the_budget_is_kept_within_one_call_whichever_price_is_highest(tmp_path, dear):
    prices = {"price_in": 1e3, "price_cached": 1e3, "price_cache_write": 1e3, dear: 1e4}
    kinds = {"price_cached": {"cached": 40}, "price_cache_write": {"cache_written": 40}}

    async def ask(_: object) -> ModelAnswer:
        await asyncio.sleep(0.01)
        return ModelAnswer("x", "stop", 40, 0, **kinds.get(dear, {}))

    _, broker = ask_broker(tmp_path, ask, 9, at_once=9, cost=1.0, **prices)
    assert isclose(broker._tape.paid("default")[1], 3 * 0.4)


def test_a_question_that_may_be_cached_is_not_refused_for_its_full_price(tmp_path, launcher):
    go = """say('model ' + json.dumps({"prompt": "word " * 1000})); sys.stdin.readline(); say(legal[0])"""
    terms = {"cost": 0.004, "price_in": 10.0, "move": None}
    for more, asked in (({}, 0), ({"price_cached": 1.0}, 1)):
        model = providers.Scripted(lambda _: ModelAnswer("x", "stop", 1001, 1, cached=1000))
        match = match_of(tmp_path, go, first="import json", conditions=limited(**terms, **more))
        play(match, launcher=launcher, services={"models": model})
        assert len(model.requests) == asked


@pytest.mark.soak
def test_cached_tokens_are_in_the_tables_the_tape_and_the_replay(tmp_path):
    usage = FORMS["OpenRouter"]

    def plays(handler: Any, request: dict[str, Any]) -> None:
        body = chat(providers.any_move(request), usage=usage)
        providers.respond(handler, json.dumps(body).encode())

    lines = "\n".join(f"{name} = {price}" for name, price in PRICES.items())
    with providers.serving(plays) as server:
        folder = workspace(tmp_path / "w", f'url = "{server.url}"\n{lines}', repeats=1)
        run(folder)
    results = folder / "results/cup"
    cost = (16 * 10 + 64 * 1 + 20 * 12.5 + 7 * 40) / 1e6
    with Archive.open(results) as archive:
        record = next(archive.records())
    tokens, paid = Tape(results / "tape.sqlite", writing=False).paid("default")
    assert isclose(paid, tokens / 107 * cost)
    shown = cup.arena(folder, "replay", record.match.id).stdout
    assert "64 of the question from a cache, 20 of the question were written to a cache" in shown
    events.tables(results)
    with Path(results / "models.csv").open() as file:
        for row in csv.DictReader(file):
            calls = int(row["calls"])
            assert (int(row["cached"]), int(row["cache_written"])) == (64 * calls, 20 * calls)
            assert isclose(float(row["cost"]), calls * cost)


def test_a_price_of_a_cache_makes_only_matches_with_it_new(tmp_path):
    plain = ModelTerms(name="m", price_in=1.0)
    ids = {
        match_of(tmp_path, "say(legal[0])", conditions=limited(**terms)).id
        for terms in ({}, {"price_cached": None}, {"price_cached": 1.0}, {"price_cache_write": 1.0})
    }
    assert plain.prices_in == (1.0,)
    assert len(ids) == 3
