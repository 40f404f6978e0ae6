"""Why a run began no more matches, in words."""

from types import SimpleNamespace

from arena.event import run_words, service
from arena.event.director import RunPhase
from arena.event.service import Service


def test_the_service_whose_budget_is_used_up_says_what_to_raise(monkeypatch):
    assert run_words.reason(RunPhase.PLAYING) is None
    paid = SimpleNamespace(when_spent=lambda: "raise chess.budget")
    for services, words in (
        ({}, run_words.SPENT),
        ({"free": Service(), "paid": paid}, "raise chess.budget"),
    ):
        monkeypatch.setattr(service, "known", lambda services=services: services)
        assert run_words.reason(RunPhase.SPENT) == words
