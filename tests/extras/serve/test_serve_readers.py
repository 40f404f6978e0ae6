"""The readers' pages of `arena serve`: what an event has, hostile texts, and what is hidden."""

import re
from dataclasses import replace

import pytest

from arena.extras.serve import jobs, people
from arena.extras.serve.accounts import Accounts
from tests.extras.serve.class_site import add_hostile_event
from tests.extras.serve.served import served
from tests.support import events, reported, stored, workspaces

PAGES = (
    "",
    "/leaderboard",
    "/card.png",
    "/progress",
    "/crosstable",
    "/charts",
    "/matches",
    "/bot?name=first",
    "/bot.json?name=first",
)
NONE = (
    "/matches/0123",
    "/matches/0123/data.json",
    "/matches/0123/card.png",
    "/bot?name=x",
    "/bot.json?name=x",
    "/versions/0?name=first",
    "/charts/x",
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with an event that was played, and another in which every text is hostile."""
    folder = workspaces.make(tmp_path_factory.mktemp("readers"), boards="duel")
    events.run(folder, "results/cup")
    program = next((folder / "bots").rglob("first*.py"))
    program.write_text(program.read_text() + "# another version\n")
    events.run(folder, "results/cup")
    add_hostile_event(folder / "results")
    charts = folder / "results/cup/charts"
    charts.mkdir()
    for name in ("leaderboard.svg", "metrics.svg", "metrics.png"):
        (charts / name).write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    words = folder / "results/words"
    words.mkdir()
    of = replace(reported.event(), name="words")
    records = [reported.played(match) for match in reported.plan(of)]
    reported.store(
        words, of, [reported.crashed(records[0], "private words", "private stderr"), *records[1:]]
    )
    return folder


@pytest.fixture(scope="module")
def client(workspace):
    with served(workspace) as running:
        yield running


def matches_of(client, event: str) -> list[str]:
    return re.findall(r"/matches/([0-9a-f]+)\"", client.get(f"/events/{event}/matches").text)


def test_an_event_has_its_pages_and_each_is_sent_once(client):
    match = matches_of(client, "cup")[0]
    versions = set(
        re.findall(r"(/versions/[^\"]+)\"", client.get("/events/cup/bot?name=first").text)
    )
    assert len(versions) == 2
    assert sum(match in client.get(f"/events/cup{version}").text for version in versions) == 1
    for page in (
        *PAGES,
        "/charts/leaderboard.svg",
        f"/matches/{match}",
        f"/matches/{match}/data.json",
        f"/matches/{match}/card.png",
    ):
        answer = client.get(f"/events/cup{page}")
        assert answer.status_code == 200, page
        again = client.get(f"/events/cup{page}", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), page


def test_a_link_to_an_event_or_a_match_has_a_picture_for_its_preview(client):
    for path in (
        "/events/cup",
        f"/events/cup/matches/{matches_of(client, 'cup')[0]}",
        "/events/evil",
    ):
        picture = re.search(r'property="og:image" content="([^"]+)"', client.get(path).text)[1]
        assert picture == f"{str(client.base_url).rstrip('/')}{path}/card.png"
        answer = client.get(picture)
        assert (answer.headers["content-type"], answer.content[:4]) == ("image/png", b"\x89PNG")


def test_matches_are_narrowed_down_and_come_in_pages(client, monkeypatch):
    assert len(matches_of(client, "cup")) == 2
    assert "There is no such match" in client.get("/events/cup/matches?fault=1").text
    assert "There is no such match" in client.get("/events/cup/matches?bot=nobody").text
    assert client.get("/events/cup/matches?before=x").status_code == 400
    monkeypatch.setattr("arena.extras.serve.readers.PAGE", 1)
    first = client.get("/events/cup/matches?bot=first").text
    older = client.get(
        "/events/cup/matches"
        + re.search(r"href=\"(\?bot=first[^\"]*)\"", first)[1].replace("&amp;", "&")
    )
    ids = [re.findall(r"/matches/([0-9a-f]+)\"", text) for text in (first, older.text)]
    assert sorted(map(len, ids)) == [1, 1]
    assert ids[0] != ids[1]


def test_what_is_not_there_is_no_page(client):
    for page in NONE:
        assert client.get(f"/events/cup{page}").status_code == 404, page
    for event in ("nothing", "..", "%2e%2e", "cup%2f..%2fcup", "%00"):
        assert client.get(f"/events/{event}/matches").status_code == 404, event


def test_a_hidden_event_has_pages_for_the_organiser_only(client, workspace):
    accounts, match = Accounts(workspace), matches_of(client, "cup")[0]
    accounts.set("hidden", True)
    try:
        for page in (
            *PAGES,
            "/charts/leaderboard.svg",
            f"/matches/{match}",
            f"/matches/{match}/data.json",
        ):
            assert client.get(f"/events/cup{page}").status_code == 404, page
        assert "/events/cup" not in client.get("/").text
    finally:
        accounts.set("hidden", False)


def test_what_bots_wrote_is_escaped_and_not_for_readers(client):
    match = matches_of(client, "evil")[0]
    pages = ["", "/leaderboard", "/crosstable", "/matches", f"/matches/{match}"]
    for page in pages:
        text = client.get(f"/events/evil{page}").text
        assert "<script>" not in text
        assert "<img" not in text
        assert "<!--<" not in text
        assert "\x1b" not in text


def test_only_the_organiser_sees_the_chart_of_what_bots_wrote_in_remarks(client, workspace):
    accounts = Accounts(workspace)
    pages = [
        "/events/cup/charts",
        "/events/cup/charts/metrics.svg",
        "/events/cup/charts/metrics.png",
    ]
    author, organiser = (
        accounts.sign_in(accounts.invite(f"Q{n}", "test", organiser=n == 1)) for n in range(2)
    )
    for cookie, seen in (("", False), (author, False), (organiser, True)):
        answers = [
            client.get(page, headers={"cookie": f"{people.COOKIE}={cookie}"}) for page in pages
        ]
        assert [answer.status_code for answer in answers] == [200, *([200] if seen else [404]) * 2]
        assert ("metrics.svg" in answers[0].text) is seen
        assert "leaderboard.svg" in answers[0].text


def test_only_the_organiser_reads_what_bots_wrote(client, workspace):
    accounts, match = Accounts(workspace), matches_of(client, "cup")[0]
    address = f"/events/cup/matches/{match}/data.json"
    assert "seen" not in client.get(address).text
    cookie = accounts.sign_in(accounts.invite("Olga", "test", organiser=True))
    session = {"cookie": f"{people.COOKIE}={cookie}"}
    assert "seen" in client.get(address, headers=session).text
    pages = [f"/events/words/bot.json?name={name}" for name in reported.BOTS]
    pages += [f"/events/words/matches/{each}/data.json" for each in matches_of(client, "words")]
    assert "private words" not in "".join(client.get(page).text for page in pages)
    assert "private stderr" not in "".join(client.get(page).text for page in pages)
    assert "private words" in "".join(client.get(page, headers=session).text for page in pages)


def test_a_crosstable_has_the_order_of_its_game_on_the_site(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL, stored.CLASSIC])
    records = []
    for match in stored.plan(event):
        best = "bob" if match.game == "pacman" else "ann"
        scores = {seat.role: 10 if seat.bot.name == best else 90 for seat in match.seats}
        records.append(stored.played(match, **scores))
    reported.store(tmp_path, event, records)
    heads = re.findall(r'<th scope="row"><a[^>]*>(\w+)<', jobs.crosstable(tmp_path, "", ""))
    assert heads == 2 * ["bob", "ann"] + 3 * ["ann", "bob"]  # a table for each role
