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
pytestmark = pytest.mark.slow


@pytest.mark.soak
def test_on_the_site_only_a_match_allows_the_frame_and_that_asks_nobody(page, calls, tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    rules = workspace / "rules"
    rules.mkdir(exist_ok=True)
    for name, file in (
        ("auction", rulefile.shipped() / "goofspiel.viewer.js"),
        ("network", BAD["network"]),
    ):
        (rules / f"{name}.viewer.js").write_text(file.read_text().replace("PORT", str(calls[0])))
        shutil.copy(rulefile.shipped() / "goofspiel.py", rules / f"{name}.py")
        (rules / f"{name}.toml").write_text("[five]\ncards = 5\n")
    of = reported.event(
        reported.BOTS[:2], on=[rulebook.find(f"{name}/five", workspace)[0] for name in NAMES]
    )
    records = {record.match.game: record for record in map(reported.played, reported.plan(of))}
    (workspace / "results/shown").mkdir(parents=True)
    reported.store(workspace / "results/shown", of, records.values())
    answered = []
    page.on(
        "response", lambda response: answered.append(response.url)
    )  # a request that the policy stops has none
    with contextlib.chdir(workspace), served(workspace) as client:  # as `arena serve` does
        for name in NAMES:
            address = f"/events/shown/matches/{records[name].match.id}"
            assert viewer.WORKERS in client.get(address).headers["content-security-policy"]
            page.goto(f"{client.base_url}{address}")
            page.locator(".own-view").wait_for()
            page.locator(".keys").wait_for()
            has_tried(page, 2000)
            assert page.locator(".own-view").count() == 1
            assert name == "network" or colours(page) > 20
        assert (
            viewer.WORKERS
            not in client.get("/events/shown/matches").headers["content-security-policy"]
        )
    assert calls[1] == []
    assert {url.split("/")[3] for url in answered if url.startswith("http")} <= {"events", "static"}
