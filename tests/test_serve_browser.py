"""The site in a browser: what authors, the organiser and people who play do there, by mouse and by keyboard."""

import cup
import pytest
from served import fits, pids_of, served, visitor

from arena.serve.accounts import Accounts
from arena.serve.guard import Settings

pytestmark = pytest.mark.slow


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
        ada.wait_for_url("**/me/uploads/*")
        refused = ada.url
        ada.goto("/me")
        ada.get_by_label("Or a folder").set_input_files(tmp_path / "folder")
        ada.get_by_role("button", name="Hand in").click()
        ada.get_by_text("Accepted.").wait_for()
        assert (workspace / "bots/Ada/data/book.txt").read_text() == "e4"
        ada.goto(refused)
        assert ada.get_by_text("Refused.").is_visible()
        assert "SyntaxError" in ada.locator(".reasons").inner_text()
        sign_in(olga, tokens[1])
        olga.get_by_role("link", name="Organiser").click()
        olga.get_by_role("button", name="Begin a round now").click()
        assert cup.soon(lambda: any(each.ended for each in accounts.rounds()), 60)
        assert cup.soon(lambda: pids_of(workspace, "charts", "cup"))
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
        ada.goto("/me")
        ada.get_by_role("button", name="Sign out").click()
        ada.get_by_role("link", name="Sign in").wait_for()
        assert not problems
        ada.go_back()  # nobody who comes later reads the page of who was here
        ada.get_by_text("sign in first").wait_for()


def test_a_browser_plays_whole_matches_by_clicks_on_the_board_and_by_keys(browser, tmp_path):
    workspace, problems = cup.make(tmp_path / "site", "duel goofspiel/five"), []
    token = Accounts(workspace).invite("Ada", "test")
    with served(workspace, Settings(writes_per_s=1e6)) as client:  # no person is so quick
        ada = visitor(browser, str(client.base_url), problems)
        ada.emulate_media(reduced_motion="reduce")
        sign_in(ada, token)
        for seat, move in (("mummy_maze/duel explorer", go_to_a_cell), ("goofspiel/five right", play_a_card)):
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


def go_to_a_cell(page, number: int) -> None:
    """Go to the next cell of the way out of the maze: by a click on it, or by the key of an arrow."""
    way = ("8 2", "8 3", "8 4", "8 5", "8 6", "8 7", "7 7", "7 8", "8 8")
    page.locator(f"rect.aim[data-cell='{way[number]}']").wait_for(state="attached")
    if number % 2:
        direction = page.locator(f"button[data-cells='{way[number]}']").get_attribute("data-directions")
        page.keyboard.press(f"Arrow{direction.capitalize()}")
    else:
        box = page.locator(f"rect[data-cell='{way[number]}']").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def play_a_card(page, number: int) -> None:
    """Play one of the cards that are left: by a click in the hand, or by the button of the move."""
    hand = page.locator(".cardrow", has_text="hand right").locator(".card")
    cards = page.locator("button[name=move]") if number % 2 else hand
    cards.nth(number % cards.count()).click()
