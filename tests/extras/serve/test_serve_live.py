"""A live match: what a lane writes while somebody watches, and what those who watch get of it."""

import asyncio
import html
import json
import re
import shutil
import signal
from contextlib import closing, contextmanager
from itertools import islice, pairwise
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException

from arena.event import broadcast
from arena.extras.serve import live as serve_live
from arena.extras.serve import people
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.guard import Settings
from arena.extras.serve.streams import EventStream
from arena.extras.serve.worker import NETWORK, BusyError
from arena.match.play import play
from arena.results.leaderboard import Results
from arena.results.upsets import upsets
from arena.values import Ending
from tests.extras.serve.served import served
from tests.support import cup, live, stored, workspaces
from tests.support.processes import until
from tests.support.programs import python

SLOW = python('say("# hush")\ntime.sleep({pause})\nsay(legal[0])')


def events_of(answer):
    """Yield the events of a stream, each a name and its values."""
    name = ""
    for line in answer.iter_lines():
        key, _, text = line.partition(": ")
        if key == "event":
            name = text
        elif key == "data":
            yield name, json.loads(text)


@contextmanager
def ended(run):
    """End a run that a failed test would leave behind."""
    try:
        yield
    finally:
        run.signal(signal.SIGTERM)
        run.end()


def written(folder, label: str, pause: float) -> list[bytes]:
    """Play a match in a lane called `lane`; return what its file has after each turn."""
    bot, found = live.bot_of(folder / "bot.py", SLOW.format(pause=pause)), []
    with broadcast.broadcast(folder, "lane") as observer:

        def look(referee) -> None:
            observer(referee)
            file = broadcast.live_file(folder, "lane")
            found.append(file.read_bytes() if file.exists() else b"")

        match = live.match_of(label, bot, seed="5e" * 16)
        record = play(match, observer=look, observer_is_quick=True)
    assert not broadcast.live_file(folder, "lane").exists()
    assert match.key.encode() not in b"".join(found)
    assert b"hush" not in b"".join(found)
    assert record.verdict.reason != "forfeit"
    return found


def test_a_lane_writes_the_turns_of_an_open_match_while_somebody_watches(tmp_path):
    assert not any(written(tmp_path, "goofspiel/five", broadcast.LOOK_S))
    broadcast.watch(tmp_path)
    assert not any(written(tmp_path, "kuhn_poker/three_cards", broadcast.LOOK_S))
    texts = written(tmp_path, "goofspiel/five", broadcast.LOOK_S * 1.2)
    assert all(later.startswith(text) for text, later in pairwise(texts))
    broadcast.live_file(tmp_path, "lane").write_bytes(texts[-1] + b'[[6, "left"')
    head, turns = broadcast.turns_of(tmp_path, "lane")
    assert [bot for _, bot in head.seats] == ["bot", "bot"]
    assert {turn.number for turn in turns} >= {1, 2, 3, 4}
    for hostile in (b"", b"{}\n", b"[" * 100_000, b"\xff\n"):
        broadcast.live_file(tmp_path, "lane").write_bytes(hostile)
        assert broadcast.turns_of(tmp_path, "lane") is None
    assert broadcast.turns_of(tmp_path, "../lane") is None


def watched(client, event: str) -> list:
    """Return the events of a stream to its end."""
    with client.stream("GET", f"/events/{event}/live/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events_of(answer))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with an event that is over, and bots for another one."""
    bots = {
        "first": cup.FIRST,
        "last": cup.LAST,
        "ann": SLOW.format(pause=2.5),
        "bob": SLOW.format(pause=0),
    }
    folder = workspaces.make(tmp_path_factory.mktemp("live"), bots, "duel goofspiel/five")
    cup.run_event(folder, "--bot", "first,last", "--board", "mummy_maze/duel")
    return folder


@pytest.mark.soak
def test_a_match_is_watched_while_it_is_played_and_the_stream_ends_with_the_event(workspace):
    words = (
        "--name",
        "slow",
        "--board",
        "goofspiel/five",
        "--bot",
        "ann,bob",
        "--set",
        "max_matches=1",
    )
    with served(workspace) as client:
        assert (
            client.get("/events/cup/matches").status_code == 200
        )  # what computes pages has started
        with ended(cup.start(workspace, *words)):
            assert until(lambda: "progress" in client.get("/events/slow/progress").text, 60)
            found = watched(client, "slow")
        assert [name for name, _ in found if name != "turns"] == ["match", "result", "over"]
        assert not found[0][1]["over"]
        turns = [turn for name, values in found if name == "turns" for turn in values]
        assert [turn["moves"][0][0] for turn in turns if turn["moves"]] == list(range(1, 11))
        assert sorted(found[0][1]["bots"]) == ["ann", "bob"]
        assert "hush" not in str(found)
        # A reader without scripts sees the last state of the match.
        assert until(lambda: "points left" in client.get("/events/slow/live").text, 60)


def test_a_match_that_is_over_is_shown_slowly_and_hiding_the_results_ends_that(workspace):
    with served(workspace, Settings(watchers=1)) as client:
        with client.stream("GET", "/events/cup/live/events") as answer:
            events = events_of(answer)
            assert next(events)[0] == "match"
            assert [len(turns) for _, turns in (next(events), next(events))] == [1, 1]
            assert client.get("/events/cup/live/events").status_code == 429
            Accounts(workspace).set("hidden", True)
            try:
                assert "result" not in [name for name, _ in events]
                assert client.get("/events/cup/live/events").status_code == 404
                assert client.get("/events/cup/live").status_code == 404
            finally:
                Accounts(workspace).set("hidden", False)
        with client.stream("GET", "/events/cup/live/events") as answer:
            assert next(events_of(answer))[0] == "match"


@pytest.mark.slow
def test_nobody_looks_again_and_again_who_it_is_that_watches_what_everybody_sees(workspace):
    app, looks = make_app(workspace), []
    app.state.accounts.account_of = looks.append
    with served(workspace, app=app) as client:
        cookie = {"cookie": f"{people.COOKIE}=a stranger's"}
        with client.stream("GET", "/events/cup/live/events", headers=cookie) as answer:
            assert [name for name, _ in islice(events_of(answer), 4)] == [
                "match",
                "turns",
                "turns",
                "turns",
            ]
    assert not looks


def test_the_wall_shows_what_everybody_may_see_whoever_has_signed_in(workspace):
    accounts = Accounts(workspace)
    session = {
        "cookie": f"{people.COOKIE}={accounts.sign_in(accounts.invite('Olga', 'test', organiser=True))}"
    }
    with served(workspace) as client:
        page = client.get("/wall?event=cup", headers=session)
        assert "first" in page.text
        assert 'data-name="cup"' in page.text
        assert client.get("/wall?event=nothing").status_code == 404
        address = html.unescape(re.search('data-stream="([^"]+)"', page.text)[1])
        assert client.head(address, headers=session).status_code == 200
        accounts.set("hidden", True)
        try:
            assert client.head(address, headers=session).status_code == 404
            assert client.get("/events/cup", headers=session).status_code == 200
            assert client.get("/wall?event=cup", headers=session).status_code == 404
            assert "No results are shown yet" in client.get("/wall", headers=session).text
        finally:
            accounts.set("hidden", False)


def test_the_wall_shows_a_page_that_goes_on_while_a_run_begins_its_event(workspace):
    begun = workspace / "results/begun/event.sqlite"
    begun.parent.mkdir()
    begun.touch()  # what a run makes first, and leaves if it is killed there
    try:
        with served(workspace) as client:
            assert 'data-name="cup"' in client.get("/wall").text
            page = client.get("/wall?event=begun")
            assert page.status_code == 200
            assert "No results are shown yet" in page.text
            assert "/events/begun" not in client.get("/").text
    finally:
        shutil.rmtree(begun.parent)


def test_what_all_watch_is_computed_for_nobodys_address():
    addresses = []

    async def refused(*_):
        addresses.append(NETWORK.get())
        raise BusyError

    async def watch() -> None:
        NETWORK.set("192.0.2.7")
        view = serve_live.LiveView(SimpleNamespace(state=lambda _: None, match=refused), "cup")
        await view.glance()

    asyncio.run(watch())
    assert addresses == [""]


def test_a_page_that_comes_late_hears_of_the_last_states_and_then_of_each_once():
    events = EventStream(2)
    events.head = "{}"
    events.add(["8", "9"], 10)  # those before were too many to be sent
    assert events.since(0) == "event: match\ndata: {}\n\nevent: turns\ndata: [8,9]\n\n"
    events.add(["10"], 11)
    assert [events.since(count).partition("data: ")[2].strip() for count in (9, 10, 11)] == [
        "[9,10]",
        "[10]",
        "",
    ]


def test_an_event_that_is_played_is_watched_however_many_old_ones_are(monkeypatch):
    monkeypatch.setattr(serve_live, "MOST_VIEWS", 1)
    views = serve_live.LiveViews(
        SimpleNamespace(state=lambda event: event == "new" or None), Settings()
    )
    views.of("old").watchers = 1
    with pytest.raises(HTTPException):
        views.of("older")
    assert views.of("new")


def test_a_board_for_one_bot_has_no_upsets(tmp_path):
    of = stored.event("high", "low", boards=(stored.HUNT,), repeats=2)
    stored.store(tmp_path, of, map(stored.played, stored.plan(of)))
    with closing(Results.open(tmp_path)) as results:
        assert list(upsets(results, results.played)) == []


def test_an_upset_is_a_win_against_a_bot_of_a_better_tier_without_a_fault(tmp_path):
    of = stored.event("high", "low", boards=(stored.DUEL,), repeats=15)
    roles = {
        match.id: {seat.bot.name: seat.role for seat in match.seats} for match in stored.plan(of)
    }
    records = [
        stored.played(match, **{roles[match.id]["high"]: 100, roles[match.id]["low"]: 0})
        for match in stored.plan(of)
    ]
    upset, forfeit = records[3].match, records[8].match
    records[3] = stored.played(upset, **{roles[upset.id]["low"]: 60, roles[upset.id]["high"]: 40})
    records[8] = stored.played(
        forfeit, **{roles[forfeit.id]["low"]: 100, roles[forfeit.id]["high"]: Ending.CRASHED}
    )
    with closing(Results.open(stored.store(tmp_path, of, records))) as results:
        found = list(upsets(results, results.played))
    assert [(each.match.id, each.winner.bot, each.loser.bot) for each in found] == [
        (upset.id, "low", "high")
    ]
