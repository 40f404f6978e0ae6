"""A game's own view in the browser, on the page of a match of the site."""

import contextlib
import shutil

import pytest

from arena import rulefile
from arena.games import rulebook
from arena.report import viewer
from tests.extras.serve.served import served
from tests.report.test_viewer import BAD, NAMES, calls, colours, has_tried, page
from tests.support import reported, workspaces

__all__ = ["calls", "page"]  # the fixtures


@contextlib.contextmanager
def site(workspace, port):
    """Serve an event with a match of each viewer; yield a client and the matches' addresses."""
    rules = workspace / "rules"
    rules.mkdir(exist_ok=True)
    for name, file in (
        ("auction", rulefile.shipped() / "goofspiel.viewer.js"),
        ("network", BAD["network"]),
    ):
        (rules / f"{name}.viewer.js").write_text(file.read_text().replace("PORT", str(port)))
        shutil.copy(rulefile.shipped() / "goofspiel.py", rules / f"{name}.py")
        (rules / f"{name}.toml").write_text("[five]\ncards = 5\n")
    of = reported.event(
        reported.BOTS[:2], on=[rulebook.find(f"{name}/five", workspace)[0] for name in NAMES]
    )
    records = {record.match.game: record for record in map(reported.played, reported.plan(of))}
    (workspace / "results/shown").mkdir(parents=True)
    reported.store(workspace / "results/shown", of, records.values())
    addresses = {name: f"/events/shown/matches/{records[name].match.id}" for name in NAMES}
    with contextlib.chdir(workspace), served(workspace) as client:  # as `arena serve` does
        yield client, addresses


def test_on_the_site_only_a_match_allows_the_frame(tmp_path):
    with site(workspaces.make(tmp_path, boards="duel"), 1) as (client, addresses):
        for address in addresses.values():
            assert viewer.WORKERS in client.get(address).headers["content-security-policy"]
        others = client.get("/events/shown/matches").headers["content-security-policy"]
        assert viewer.WORKERS not in others


@pytest.mark.soak
def test_on_the_site_a_viewer_draws_and_asks_nobody(page, calls, tmp_path):
    answered = []
    page.on(
        "response", lambda response: answered.append(response.url)
    )  # a request that the policy stops has none
    with site(workspaces.make(tmp_path, boards="duel"), calls[0]) as (client, addresses):
        for name, address in addresses.items():
            page.goto(f"{client.base_url}{address}")
            page.locator(".own-view").wait_for()
            page.locator(".keys").wait_for()
            has_tried(page, 2000)
            assert page.locator(".own-view").count() == 1
            assert name == "network" or colours(page) > 20
    assert calls[1] == []
    assert {url.split("/")[3] for url in answered if url.startswith("http")} <= {"events", "static"}
