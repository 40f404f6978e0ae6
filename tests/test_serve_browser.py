"""The pages of authors and of the organiser in a browser: what they do there, by mouse and by keyboard."""

import shutil

import cup
import pytest
from served import served

from arena.serve.accounts import Accounts

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]
WIDTHS = (390, 800, 1280)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright, of the extra dev")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM)
        yield running
        running.close()


def visitor(browser, url: str, problems: list[str]):
    """Return a page of somebody with cookies of their own; what the browser complains of goes into `problems`."""
    page = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800}).new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_default_timeout(60_000)
    return page


def sign_in(page, token: str) -> None:
    """Sign in by the keyboard alone."""
    page.goto("/")
    page.get_by_role("link", name="Sign in").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Your token").focus()
    page.keyboard.insert_text(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/me")


def test_an_author_hands_in_bots_and_the_organiser_freezes_hides_and_publishes(browser, tmp_path):
    workspace, problems = cup.make(tmp_path / "site"), []
    accounts = Accounts(workspace)
    tokens = accounts.invite("Ada", "test"), accounts.invite("Olga", "test", organiser=True)
    (tmp_path / "folder/data").mkdir(parents=True)
    (tmp_path / "folder/bot.py").write_text(cup.FIRST)
    (tmp_path / "folder/data/book.txt").write_text("e4")
    with served(workspace) as client:
        ada, olga = (visitor(browser, str(client.base_url), problems) for _ in tokens)
        sign_in(ada, tokens[0])
        ada.get_by_label("Or the text of a program").fill('print "ready"\n')
        ada.get_by_role("button", name="Hand in").click()
        ada.get_by_text("Refused.").wait_for()
        assert "SyntaxError" in ada.locator(".reasons").inner_text()
        ada.goto("/me")
        ada.get_by_label("Or a folder").set_input_files(tmp_path / "folder")
        ada.get_by_role("button", name="Hand in").click()
        ada.get_by_text("Accepted.").wait_for()
        assert (workspace / "bots/Ada/data/book.txt").read_text() == "e4"
        sign_in(olga, tokens[1])
        olga.get_by_role("link", name="Organiser").click()
        olga.get_by_role("button", name="Begin a round now").click()
        assert cup.soon(lambda: any(each.ended for each in accounts.rounds()), 60)
        ada.goto("/me")
        assert ada.get_by_role("row", name="plays").get_by_role("cell").nth(2).inner_text() != "0"
        olga.get_by_role("button", name="Freeze submissions").click()
        ada.reload()
        assert ada.get_by_text("Submissions are frozen").is_visible()
        olga.get_by_role("button", name="Hide results").click()
        ada.goto("/")
        assert ada.get_by_role("link", name="cup").count() == 0
        olga.get_by_role("button", name="Publish results").click()
        ada.reload()
        assert ada.get_by_role("link", name="cup").count() > 0
        for page, paths in ((ada, ("/me", "/me/bots/Ada")), (olga, ("/organiser", "/organiser/similar"))):
            for path in paths:
                page.goto(path)
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 800})
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, f"{path} is {wide} px wide at {width}"
                unnamed = page.evaluate(
                    "[...document.querySelectorAll('input:not([type=hidden]),select,textarea,button,a')].filter("
                    "each => !(each.labels?.length || each.textContent.trim())).map(each => each.outerHTML)"
                )
                assert not unnamed
        ada.goto("/me")
        ada.get_by_role("button", name="Sign out").click()
        ada.get_by_role("link", name="Sign in").wait_for()
    assert not problems
