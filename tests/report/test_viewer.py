"""A game's own view in the browser: the example of the docs draws, and those of tests/bad_viewers/
harm nobody.
"""

import io
import itertools
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest
from PIL import Image

from arena import rulefile
from arena.games import rulebook
from arena.report import notebook, viewer
from arena.report.writing import write_report
from arena.results.leaderboard import Results
from tests.support import reported

pytestmark = pytest.mark.slow
BAD = {file.stem: file for file in (Path(__file__).parents[1] / "bad_viewers").glob("*.js")}
NAMES = ("auction", "network")
FALLBACK = {  # what the line under the plain board says
    "page": "mount failed: Error: found nothing at null",
    "loop": "it did not answer for 2 seconds",
    "late_block": "it did not answer for 2 seconds",
    "flood": "it sent a message that nobody asked for",
    "markup": "mount failed: Error: <img src=x onerror=document.title='hit'></script>",
    "syntax": "SyntaxError",
    "nothing": "mount failed: ReferenceError: mount is not defined",
    "large": "large.viewer.js has more than 200,000 bytes",
}


@pytest.fixture(scope="module")
def calls():
    """A port that nobody may reach by TCP or UDP, and a list of who did."""
    heard = []
    with (
        socket.create_server(("127.0.0.1", 0)) as stream,
        socket.socket(type=socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.bind(stream.getsockname())

        def listen(hear):
            try:
                while True:
                    heard.append(hear())
            except OSError:
                pass  # closed

        for hear in (lambda: stream.accept()[1], lambda: datagrams.recvfrom(2000)):
            threading.Thread(target=listen, args=(hear,), daemon=True).start()
        yield stream.getsockname()[1], heard


@pytest.fixture(scope="module")
def written(tmp_path_factory, calls):
    """A report, and the match of each viewer: Goofspiel under many names."""
    folder = tmp_path_factory.mktemp("rules")
    for name, file in BAD.items():
        (folder / f"{name}.viewer.js").write_text(file.read_text().replace("PORT", str(calls[0])))
    (folder / "large.viewer.js").write_text("// " + "x" * viewer.LARGEST_BYTES)
    shutil.copy(rulefile.shipped() / "goofspiel.viewer.js", folder)
    for name in (*BAD, "large", "goofspiel", "plain"):
        shutil.copy(rulefile.shipped() / "goofspiel.py", folder / f"{name}.py")
        (folder / f"{name}.toml").write_text("[five]\ncards = 5\n")
    boards = [
        rulebook.find(f"{name}.py", folder)[0] for name in (*BAD, "large", "goofspiel", "plain")
    ]
    of = reported.event(reported.BOTS[:2], on=boards)
    records = {record.match.game: record for record in map(reported.played, reported.plan(of))}
    results = Results.open(reported.store(tmp_path_factory.mktemp("event"), of, records.values()))
    path = write_report(results, results.folder, rules=rulebook.game_of)
    results.close()
    return path, {Path(game).stem: record for game, record in records.items()}


@pytest.fixture(scope="module")
def page(browser):
    """A page for all tests."""
    page = browser.new_page(viewport={"width": 1100, "height": 800})
    # Chromium's headless shell is as it, but for this name.
    page.add_init_script("window.chrome ??= {};" + HEARD + HURRIES)
    return page


NUMBERS = itertools.count()
HEARD = """addEventListener("message", ({ data }) => { document.documentElement.dataset.answered = data.done; });"""
"""Lets the page have the number of the last question that a viewer has answered; that after 0 is to
mount."""
HURRIES = """const later = setTimeout;
setTimeout = (act, ms) => later(act, window.hurries && ms === 2000 ? 200 : ms);"""
"""Lets the page wait a tenth of its time for a viewer, while `hurries` is true: one that spins
keeps a core busy."""
TRIED = "html[data-answered]:not([data-answered='0']), .own-view-bar .note:not(:empty)"


def opened(page, written, name, turn=0):
    path, records = written
    page.goto(f"{path.as_uri()}?{next(NUMBERS)}#match={records[name].match.id}&turn={turn}")
    page.locator(".replay").wait_for()
    return page


def has_tried(page, more=300):
    """Wait until a viewer has done what it does when it is mounted, or was given up, and some
    milliseconds more.
    """
    page.wait_for_selector(TRIED, state="attached")
    page.wait_for_timeout(more)  # what it began may go on


def is_alive(page):
    """Whether the page still runs its scripts, under its own title and address, and nothing was
    opened.
    """
    page.click("button.last")
    assert page.inner_text(".now").startswith("Turn 10 of 10")
    return page.title() != "hit" and page.url.startswith("file:") and len(page.context.pages) == 1


def colours(page):
    """The number of colours that a reader sees in the view."""
    with Image.open(io.BytesIO(page.locator(".own-view").screenshot())) as image:
        return len(image.convert("RGB").getcolors(1 << 24))


def test_the_example_draws_in_a_frame_and_the_plain_board_is_a_button_away(page, written):
    example = (rulefile.shipped() / "goofspiel.viewer.js").read_text()
    assert example in (Path(__file__).parents[2] / "docs" / "viewers.md").read_text()
    opened(page, written, "goofspiel", 10)
    assert page.get_attribute(".own-view", "sandbox") == "allow-scripts"
    until = time.monotonic() + 60
    while colours(page) < 20 and time.monotonic() < until:
        time.sleep(0.1)
    assert colours(page) >= 20
    last = page.locator(".own-view").screenshot()
    page.click("button.first")
    while page.locator(".own-view").screenshot() == last and time.monotonic() < until:
        time.sleep(0.1)
    assert page.locator(".own-view").screenshot() != last
    assert not page.is_visible(".cardrow")
    page.get_by_role("button", name="Show the plain board").click()
    assert page.locator(".cardrow").count() == 4
    page.locator(".own-view").wait_for(state="detached")
    page.get_by_role("button", name="Show the game's own view").click()
    page.locator(".own-view").wait_for()
    assert is_alive(page)


def test_a_broken_or_hostile_viewer_gives_way_to_the_plain_board_with_one_line(page, written):
    _, records = written
    opened(page, written, "plain")
    for name, reason in FALLBACK.items():
        is_silent = "did not answer" in reason
        page.evaluate("(hurries) => { window.hurries = hurries; }", is_silent)
        page.evaluate("(to) => { location.hash = to; }", f"match={records[name].match.id}")
        page.locator(f"#match-view:has-text('{records[name].match.id}')").wait_for()
        if name == "loop":
            page.click("button.next")
        page.locator(".own-view-bar .note", has_text="The game's own view is broken").wait_for(
            timeout=20_000
        )
        assert reason in page.inner_text(".own-view-bar .note")
        assert page.locator(".own-view").count() == 0
        assert page.locator(".cardrow").count() == 4
        assert is_alive(page), name


def test_no_viewer_reaches_a_network(page, written, calls):
    opened(page, written, "network")
    has_tried(page, 2000)
    assert is_alive(page)
    assert calls[1] == []


@pytest.mark.soak
@pytest.mark.parametrize("name", ["memory", "canvas"])
def test_a_viewer_that_takes_a_gigabyte_leaves_the_page_as_it_is(page, written, name):
    opened(page, written, name)
    has_tried(page)
    assert is_alive(page)
    opened(page, written, "plain")
    assert is_alive(page)


def test_a_game_without_a_viewer_has_no_frame_and_only_pages_with_one_allow_it(page, written):
    opened(page, written, "plain")
    assert page.locator(".own-view, .own-view-bar").count() == 0
    assert page.locator(".cardrow").count() == 4
    assert viewer.WORKERS in written[0].read_text().partition("</title>")[0]
    duel = reported.played(
        reported.plan(reported.event(reported.BOTS[:2], on=reported.boards("duel")))[0]
    )
    assert viewer.WORKERS not in notebook.frame(duel)
