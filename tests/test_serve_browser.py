"""The pages of authors and of the organiser in a browser: what they do there, by mouse and by keyboard."""

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path

import class_site
import cup
import httpx
import pytest
from served import WIDTHS, fits, served, visitor
from starlette.applications import Starlette

from arena import rulefile
from arena.serve import people
from arena.serve.accounts import Accounts
from arena.serve.app import make_app
from arena.serve.guard import Settings

pytestmark = pytest.mark.slow
VIEWS = tuple(itertools.product(WIDTHS, ("dark", "light")))
FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"


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
        assert cup.soon((workspace / "results/cup/charts/leaderboard.svg").exists, 100)
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
                fits(page)
                unnamed = page.evaluate(
                    "[...document.querySelectorAll('input:not([type=hidden]),select,textarea,button,a')].filter("
                    "each => !(each.labels?.length || each.textContent.trim())).map(each => each.outerHTML)"
                )
                assert not unnamed
        ada.goto("/me")
        ada.get_by_role("button", name="Sign out").click()
        ada.get_by_role("link", name="Sign in").wait_for()
        assert not problems
        ada.go_back()  # nobody who comes later reads the page of who was here
        ada.get_by_text("sign in first").wait_for()


def test_a_browser_plays_whole_matches_by_clicks_on_the_board_and_by_keys(browser, tmp_path):
    workspace, problems = cup.make(tmp_path / "site", "duel pacman/classic kuhn_poker goofspiel/five"), []
    for name in ("pacman.py", "pacman.toml"):  # with fewer steps
        text = (rulefile.shipped() / name).read_text()
        (workspace / "rules" / name).write_text(text.replace("steps = 100", "steps = 9"))
    token = Accounts(workspace).invite("Ada", "test")
    with served(workspace, Settings(writes_per_s=1e6)) as client:  # no person is so quick
        ada = visitor(browser, str(client.base_url), problems)
        ada.emulate_media(reduced_motion="reduce")
        sign_in(ada, token)
        moves = {
            "mummy_maze/duel explorer": click_a_cell,
            "pacman/classic pacman": press_a_key,
            "kuhn_poker/three_cards first": click_a_button,
            "goofspiel/five right": click_a_card,
        }
        for seat, move in moves.items():
            ada.goto("/play")
            ada.get_by_label("On the board, as").select_option(seat)
            ada.get_by_role("button", name="Play", exact=True).click()
            for number in range(200):
                asked = ada.locator("input[name=number]").or_(ada.locator(".replay")).first
                asked.wait_for(state="attached")
                if ada.locator(".replay").count():
                    break
                question = asked.get_attribute("value")
                if number == 1:
                    ada.reload()  # goes on where it was
                ada.locator(".stage").wait_for()
                move(ada, number)
                next_question = ada.locator(f"input[name=number]:not([value='{question}'])")
                next_question.or_(ada.locator("#human-replay")).first.wait_for(state="attached")
            assert ada.get_by_text("It is over.").is_visible(), seat
            fits(ada)
    assert not problems


def click_a_cell(page, number: int) -> None:
    """Go to the next cell of the way out of the maze."""
    way = ("8 2", "8 3", "8 4", "8 5", "8 6", "8 7", "7 7", "7 8", "8 8")
    page.locator(f"rect.aim[data-cell='{way[number]}']").wait_for(state="attached")
    box = page.locator(f"rect[data-cell='{way[number]}']").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def click_a_button(page, number: int) -> None:
    page.locator("button[name=move]").nth(number % 2).click()


def click_a_card(page, number: int) -> None:
    """Play one of the cards that are left in the hand."""
    hand = page.locator(".cardrow", has_text="hand right").locator(".card")
    hand.nth(number % hand.count()).click()


def press_a_key(page, number: int) -> None:
    """Make a move by an arrow key."""
    moves = page.locator("button[name=move]")
    way = moves.nth(number % moves.count()).get_attribute("data-directions")
    page.keyboard.press("." if way == "stay" else f"Arrow{way.capitalize()}")


def whole_pages(made: class_site.ClassSite, app: Starlette, client: httpx.Client) -> dict[str, str]:
    """Return an address of each route that answers with a page, and whose session gets it; of uploads all."""
    found: dict[str, str] = {}
    answered = set()
    for name in ("", "Ada", class_site.ORGANISER):
        with made.client(client, name) as visitor:
            for route, address in made.addresses(app.routes):
                if route not in answered or "{id}" in route:  # an upload may be accepted or refused
                    with visitor.stream("GET", address) as answer:  # some never end
                        if answer.status_code == 200:
                            answered.add(route)
                            if next(answer.iter_text(), "").lstrip().lower().startswith("<!doctype html"):
                                found[address] = name
    return found


def looked_at(browser, folder: Path, views_of: Callable[[int], Iterable[tuple[int, str]]]) -> None:
    """Look at all pages: at each in these widths and themes by axe, in all widths for its own, and by the keyboard."""
    axe = pytest.importorskip(
        "axe_playwright_python", reason="needs the package axe-playwright-python, of the extra dev"
    )
    script = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    made, problems = class_site.make(folder / "site"), []
    app = make_app(made.workspace, Settings(reads_per_s=1e6))
    with served(made.workspace, app=app) as client:
        url, addresses = str(client.base_url), whole_pages(made, app, client)
        assert {"/", "/me", "/organiser/similar/Ada@2/Ben@2", "/events/cup", "/sign-in"} <= addresses.keys()
        page = visitor(browser, url, problems)
        for number, (address, name) in enumerate(sorted(addresses.items())):
            page.context.clear_cookies()
            if name:
                page.context.add_cookies([{"name": people.COOKIE, "value": made.sessions[name], "url": url}])
            page.goto(address)
            page.wait_for_load_state("networkidle")
            fits(page)
            page.evaluate(script)
            for width, colours in views_of(number):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=colours)
                found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
                serious = [each for each in found if each["impact"] in {"serious", "critical"}]
                assert not serious, (address, width, colours, serious[0]["id"], serious[0]["nodes"][0]["html"])
            page.set_viewport_size({"width": WIDTHS[-1], "height": 800})
            assert (address, unreached(page)) == (address, [])
    assert not problems


def test_axe_finds_nothing_serious_on_any_page_and_the_keyboard_reaches_all_of_it(browser, tmp_path):
    looked_at(browser, tmp_path, lambda number: [VIEWS[number % len(VIEWS)]])


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_axe_finds_nothing_serious_on_any_page_of_any_width_in_dark_and_light(browser, tmp_path):
    looked_at(browser, tmp_path, lambda _: VIEWS)


def unreached(page) -> list[str]:
    """Return what somebody without a mouse does not come to, or does not see that they are there."""
    script = """selector => {
        window.wanted = new Set([...document.querySelectorAll(selector)].filter(
            each => each.checkVisibility({ visibilityProperty: true }) && !each.disabled
            && !each.closest("[aria-hidden=true]") // of a list that arrow keys walk through the tabulator has one entry
            && (each.tabIndex >= 0 || !each.closest("ol")?.querySelector("[tabindex='0']"))));
        document.addEventListener("focusin", ({ target }) => { const style = getComputedStyle(target);
            if (style.outlineStyle !== "none" || style.boxShadow !== "none") window.wanted.delete(target); });
        return window.wanted.size; }"""
    for number in range(2 * page.evaluate(script, FOCUSABLE) + 10):  # a field may have several steps, such as a time
        page.keyboard.press("Tab")
        if number % 8 == 7 and not page.evaluate("window.wanted.size"):
            break
    left = "[...window.wanted].filter(each => each.isConnected)"  # a page may draw itself anew meanwhile
    return page.evaluate(f"{left}.map(each => each.outerHTML.slice(0, 200))")
