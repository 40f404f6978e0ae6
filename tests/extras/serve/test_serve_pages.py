"""All pages of a site on which a class has worked: for whom they are, in a browser, and under
attack.
"""

import contextlib
import io
import random
import re
import socket
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from arena.extras.serve import people, server
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.guard import Settings
from arena.extras.serve.human_matches import HumanMatch, Wish
from tests.extras.serve import class_site
from tests.extras.serve.served import WIDTHS, fits, fitting, pids_of, served, visitor, without
from tests.support import cup, reported, workspaces
from tests.support.processes import until

THEMES = ("dark", "light")
FOCUSABLE = (
    ":is(a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0'])"
)
EVERYBODY = ("", *class_site.AUTHORS, class_site.ORGANISER)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the class, its application and where it is served."""
    made = class_site.make(tmp_path_factory.mktemp("class") / "workspace")
    for name in ("uploads", "requests"):
        made.accounts.set(f"limit.{name}", 4)  # those that its makers have had are counted
    app = make_app(made.workspace, Settings(writes_per_s=1e6, reads_per_s=1e6, body_s=0.5))
    add_human_matches(made, app)
    with served(made.workspace, app=app) as client:
        yield made, app, client


def add_human_matches(made: class_site.ClassSite, app: Starlette) -> None:
    """Let each author have a match in the browser under way, and one that is over; neither has a
    process.
    """
    wish = Wish(board="mummy_maze/duel", roles=("explorer",), bot="Ada@1", own_bot=False)
    for name in class_site.AUTHORS:
        own = [f"{what}-of-{name}" for what in ("board", "turn", "move", "record", "replay")]
        board, turn, move, record, replay = own
        seen = {"account": made.accounts.named(name).id, "wish": wish}
        choice = {"move": move, "directions": "", "cells": (), "card": ""}
        played = HumanMatch(**seen, number=1, role="explorer", choices=(choice,))
        over = HumanMatch(**seen, ended="over", record=record, replay=f'{{"replay": "{replay}"}}')
        for match in (played, over):
            match.events.head, match.events.text = '{"board": {}}', board
            match.events.add([f'"{turn}"'], 1)
            app.state.human_matches._matches[match.id] = match
            made.pages[name][match.id] = "/play"
        made.private[name] |= {*own, played.id, over.id}


def text_of(answer: httpx.Response) -> str:
    """Return all that an answer says, also in its headers and in the files of a zip."""
    said = "".join(f"{name}: {value}\n" for name, value in answer.headers.items()) + answer.text
    if answer.headers.get("content-type") == "application/zip":
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            said += "".join(packed.read(name).decode() for name in packed.namelist())
    return said


def paths_of_the_machine(made: class_site.ClassSite) -> tuple[str, ...]:
    return (
        str(made.workspace),
        str(made.workspace.parent),
        str(Path(__file__).parents[3]),
        str(Path.home()),
    )


def get(client: httpx.Client, address: str) -> tuple[int, str]:
    """Return the status and the text of a page; of one that never ends its first events."""
    with client.stream("GET", address) as answer:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            said = ""
            for text in answer.iter_text():
                said += text
                if "data:" in text or ": still here" in text:
                    break
            return answer.status_code, said
        answer.read()
    return answer.status_code, text_of(answer)


@pytest.mark.slow
def test_each_page_of_each_author_is_for_nobody_else(site):
    made, app, client = site
    addresses = [address for _, address in made.addresses(app.routes)]
    read: dict[str, str] = {}
    for name in EVERYBODY:
        with made.client(client, name) as visitor:
            answers = {address: get(visitor, address) for address in addresses}
        read[name] = "".join(text for _, text in answers.values())
        for address, (status, text) in answers.items():
            assert status < 500, (name, address, status)
            assert not [path for path in paths_of_the_machine(made) if path in text], (
                name,
                address,
            )
            for owner in {*class_site.AUTHORS} - {name}:
                is_private = any(id_ in address for id_ in made.pages[owner])
                if name != class_site.ORGANISER:
                    assert not [words for words in made.private[owner] if words in text], (
                        name,
                        address,
                    )
                    assert not is_private or status in {403, 404}, (name, address, status)
                elif "/me/" in address:
                    assert not is_private or status == 404, address
    for name in class_site.AUTHORS:
        for what in ("board", "turn", "move", "record", "replay"):
            assert f"{what}-of-{name}" in read[name], what
        for what in ("remark", "stderr", "words", "reason", "answer"):
            assert re.search(f"{what}-(of|to)-{name}", read[name]), (
                f"{name} cannot read the own {what}"
            )


@pytest.mark.slow
def test_no_form_lets_an_author_change_what_is_anothers(site):
    made, app, client = site
    before = state_of(made)
    posts = [
        route.path for route in app.routes if isinstance(route, Route) and "POST" in route.methods
    ]
    fields = {
        "first": "Ada@1",
        "second": "Ada@2",
        "bot": "Ada",
        "name": "Ada.py",
        "action": "freeze",
        "pairings": "1",
    }
    for name, path in (
        (name, path) for path in posts for name in ("", "Ben") if path != "/sign-out"
    ):
        values = made.values(path, "cup")
        for id_ in (
            [id_ for id_ in values["id"] if id_ in made.pages["Ada"]] if "{" in path else [""]
        ):
            with made.client(client, name) as visitor:
                own = people.csrf_of(made.sessions[name]) if name else re.search(
                    r'name="csrf" value="(\w+)"', visitor.get("/sign-in").text)[1]  # fmt: skip
                address = re.sub(r"{(\w+)[^}]*}", lambda _, id_=id_: id_, path)
                for secret in (own, "0" * 64):
                    status = visitor.post(
                        address, data=fields | {"id": id_, "csrf": secret}
                    ).status_code
                    assert status in {400, 403, 404}, (name, path, status)
    assert state_of(made) == before


def state_of(made: class_site.ClassSite) -> object:
    """Return what a stranger must not change."""
    accounts = made.accounts
    files = {
        str(path): path.read_bytes()
        for path in made.workspace.joinpath("bots").rglob("*")
        if path.is_file()
    }
    switches = [accounts.is_on(name) for name in ("frozen", "paused", "hidden")]
    return (
        accounts.accounts(),
        accounts.uploads(),
        accounts.requests(),
        accounts.rounds(),
        switches,
        files,
    )


def whole_pages(made: class_site.ClassSite, app: Starlette, client: httpx.Client) -> dict[str, str]:
    """Return an address of each kind of page, and whose session gets it."""
    found: dict[tuple[str, bool], tuple[str, str]] = {}
    routes = [
        route
        for route in app.routes
        if "." not in route.path and not route.path.startswith("/play/")
    ]
    for name in ("", "Ada", class_site.ORGANISER):
        with made.client(client, name) as visitor:
            for route, address in made.addresses(routes):
                if (route, False) not in found or "{id}" in route:
                    with visitor.stream("GET", address) as answer:  # some never end
                        text = next(answer.iter_text(), "") if answer.status_code == 200 else ""
                        if text.lstrip().lower().startswith("<!doctype html"):
                            found.setdefault((route, "Refused" in text), (address, name))
    return dict(found.values())


def look_at_pages(browser, site, step: int, themes_of: Callable[[int, int], Iterable[str]]) -> None:
    """Look whether each page, or each `step`th, fits every width, at these themes of each page and
    width by axe, and by the keyboard.
    """
    axe = pytest.importorskip(
        "axe_playwright_python", reason="needs the package axe-playwright-python, of the extra dev"
    )
    script = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    (made, app, client), problems, layouts = site, [], set()
    url, addresses = str(client.base_url), whole_pages(made, app, client)
    assert {
        "/",
        "/me",
        "/organiser/similar/Ada@2/Ben@2",
        "/events/cup",
        "/sign-in",
    } <= addresses.keys()
    page = visitor(browser, url, problems)
    for number, (address, name) in enumerate(sorted(addresses.items())[::step]):
        page.context.clear_cookies()
        if name:
            page.context.add_cookies(
                [{"name": people.COOKIE, "value": made.sessions[name], "url": url}]
            )
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.evaluate(script)
        for width in fitting(page):
            for theme in themes_of(number, width):
                page.emulate_media(color_scheme=theme)
                found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
                serious = [each for each in found if each["impact"] in {"serious", "critical"}]
                assert not serious, (
                    address,
                    width,
                    theme,
                    serious[0]["id"],
                    serious[0]["nodes"][0]["html"],
                )
        layout = page.evaluate("document.querySelector('header')?.innerText")
        assert (address, unreached(page, "" if layout not in layouts else "main ")) == (address, [])
        layouts.add(layout)
    page.context.close()
    assert not problems


@pytest.mark.slow
def test_axe_finds_nothing_serious_on_pages_and_the_keyboard_reaches_all_of_them(browser, site):
    """Each eighth page is looked at in one width and theme, the next of them in another."""

    def themes_of(number: int, width: int) -> list[str]:
        return [THEMES[number // 3 % 2]] if WIDTHS[number % 3] == width else []

    look_at_pages(browser, site, 8, themes_of)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_axe_finds_nothing_serious_on_any_page_of_any_width_in_dark_and_light(browser, site):
    look_at_pages(browser, site, 1, lambda *_: THEMES)


def unreached(page, part: str) -> list[str]:
    """Return what somebody without a mouse does not come to in a part of a page, or does not see
    the focus of.
    """
    script = """selector => {
        window.wanted = new Set([...document.querySelectorAll(selector)].filter(
            each => each.checkVisibility({ visibilityProperty: true }) && !each.disabled
            && !each.closest("[aria-hidden=true]") // of a list that arrow keys walk through the tabulator has one entry
            && (each.tabIndex >= 0 || !each.closest("ol")?.querySelector("[tabindex='0']"))));
        document.addEventListener("focusin", ({ target }) => { const style = getComputedStyle(target);
            if (style.outlineStyle !== "none" || style.boxShadow !== "none") window.wanted.delete(target); });
        return window.wanted.size; }"""
    if part:
        page.focus("#main")
    for number in range(
        2 * page.evaluate(script, part + FOCUSABLE) + 10
    ):  # a field may have several steps, such as a time
        page.keyboard.press("Tab")
        if number % 8 == 7 and not page.evaluate("window.wanted.size"):
            break
    # a page may draw itself anew meanwhile
    left = "[...window.wanted].filter(each => each.isConnected)"
    return page.evaluate(f"{left}.map(each => each.outerHTML.slice(0, 200))")


@pytest.mark.slow
def test_the_address_of_a_match_has_the_turn_that_is_looked_at(browser, site):
    wrong = []
    page = visitor(browser, str(site[2].base_url), wrong)
    page.goto("/events/cup/matches?bot=first")
    page.locator("table.list").get_by_role("link", name="Replay").first.click()
    page.click("button.next")
    page.wait_for_url("**?turn=1")
    page.context.close()
    assert not wrong


@pytest.mark.soak
def test_a_reader_goes_from_the_leaderboard_to_a_bot_a_replay_and_a_live_match(browser, site):
    made, _, client = site
    evil, wrong = class_site.add_hostile_event(made.workspace / "results"), []
    page = visitor(browser, str(client.base_url), wrong)
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto("/events/cup")
    page.locator("table.leaderboard").get_by_role("link", name="first").click()
    page.get_by_text("Strength by role").wait_for()
    page.get_by_role("link", name="Matches", exact=True).click()
    page.locator("table.list").get_by_role("link", name="Replay").first.click()
    page.locator(".board .piece").first.wait_for()
    page.goto(f"/events/evil/matches/{evil}")
    page.locator(".board .piece").first.wait_for()
    page.get_by_role("link", name="Live", exact=True).click()
    for turn in (3, 5):
        page.get_by_text(f"Turn {turn}", exact=True).wait_for()
    assert page.locator(".board .piece").count() == 2
    assert page.locator("#live-content h3").inner_text().startswith("mummy_maze/duel: ")
    assert page.title() != "hit"
    for path in ("", "/crosstable", "/matches", f"/bot?name={quote(reported.EVIL[0])}"):
        page.goto(f"/events/evil{path}")
        fits(page)
    page.clock.install()
    page.goto("/wall?event=cup")
    page.get_by_role("heading", name="cup").wait_for()
    page.clock.run_for(13_000)
    page.locator("#wall-live .board .piece").first.wait_for()
    assert not page.get_by_role("heading", name="cup", exact=True).is_visible()
    page.context.close()
    assert not wrong


def sign_in(page, token: str) -> None:
    """Sign in by the keyboard alone."""
    page.goto("/")
    page.get_by_role("link", name="Sign in").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Your token").focus()
    page.keyboard.insert_text(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/me")


@pytest.mark.soak
def test_an_author_hands_in_bots_and_the_organiser_plays_freezes_and_hides(browser, tmp_path):
    workspace, problems = workspaces.make(tmp_path / "site", boards="duel"), []
    accounts = Accounts(workspace)
    tokens = accounts.invite("Ada", "test"), accounts.invite("Olga", "test", organiser=True)
    (tmp_path / "folder/data").mkdir(parents=True)
    (tmp_path / "folder/bot.py").write_text(cup.FIRST)
    (tmp_path / "folder/data/book.txt").write_text("e4")
    with served(workspace) as client, contextlib.ExitStack() as waiting:
        waiting.enter_context(without(accounts, "charts"))
        page = visitor(browser, str(client.base_url), problems)
        sign_in(page, tokens[0])
        page.get_by_label("Or the text of a program").fill('print "ready"\n')
        page.get_by_role("button", name="Hand in").click()
        page.wait_for_url("**/me/uploads/*")
        refused = page.url
        page.goto("/me")
        page.get_by_label("Or a folder").set_input_files(tmp_path / "folder")
        page.get_by_role("button", name="Hand in").click()
        page.get_by_text("Accepted.").wait_for()
        assert (workspace / "bots/Ada/data/book.txt").read_text() == "e4"
        page.goto(refused)
        assert page.get_by_text("Refused.").is_visible()
        assert "SyntaxError" in page.locator(".reasons").inner_text()
        page.goto("/me")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("link", name="Sign in").wait_for()
        assert not problems
        page.go_back()  # nobody who comes later reads the page of who was here
        page.get_by_text("sign in first").wait_for()
        problems.clear()  # that this was refused
        sign_in(page, tokens[1])
        page.get_by_role("link", name="Organiser").click()
        page.get_by_role("button", name="Begin a round now").click()
        assert until(lambda: any(each.ended for each in accounts.rounds()), 60)
        assert {row["bot"] for row in cup.leaderboard(workspace)} == {"Ada", "first", "last"}
        page.get_by_role("button", name="Freeze submissions").click()
        page.get_by_text("Submissions are frozen").wait_for()
        page.get_by_role("button", name="Hide results").click()
        page.get_by_text("results are hidden").wait_for()
        assert accounts.is_on("frozen")
        assert accounts.is_on("hidden")
        page.get_by_role("button", name="Publish results").click()
        page.locator("p").get_by_text("Everybody sees the results").wait_for()
        page.context.close()
        waiting.close()
        assert until(
            lambda: pids_of(workspace, "arena.extras.serve.charts_process", "cup")
        )  # of the round
    assert not problems


@pytest.mark.soak
def test_a_browser_plays_whole_matches_by_clicks_on_the_board_and_by_keys(browser, tmp_path):
    workspace, problems = workspaces.make(tmp_path / "site", boards="duel goofspiel/five"), []
    token = Accounts(workspace).invite("Ada", "test")
    with served(workspace, Settings(writes_per_s=1e6)) as client:  # no person is so quick
        ada = visitor(browser, str(client.base_url), problems)
        ada.emulate_media(reduced_motion="reduce")
        sign_in(ada, token)
        for seat, move in (
            ("mummy_maze/duel explorer", go_to_a_cell),
            ("goofspiel/five right", play_a_card),
        ):
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
            assert ada.get_by_text("The match is over:").is_visible(), seat
            fits(ada)
        ada.context.close()
    assert not problems


def go_to_a_cell(page, number: int) -> None:
    """Go to the next cell of the way out of the maze: by a click on it, or by the key of an
    arrow.
    """
    way = ("8 2", "8 3", "8 4", "8 5", "8 6", "8 7", "7 7", "7 8", "8 8")
    page.locator(f"rect.aim[data-cell='{way[number]}']").wait_for(state="attached")
    if number % 2:
        direction = page.locator(f"button[data-cells='{way[number]}']").get_attribute(
            "data-directions"
        )
        page.keyboard.press(f"Arrow{direction.capitalize()}")
    else:
        box = page.locator(f"rect[data-cell='{way[number]}']").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def play_a_card(page, number: int) -> None:
    """Play one of the cards that are left: by a click in the hand, or by the button of the move."""
    hand = page.locator(".cardrow", has_text="hand right").locator(".card")
    cards = page.locator("button[name=move]") if number % 2 else hand
    cards.nth(number % cards.count()).click()


TEXTS = (
    "", ".", "..", "%2e%2e", "..%2f..%2f..%2fetc%2fpasswd", "....//....//etc/passwd",
    "%2fetc%2fpasswd", "%00",
    "cup%00", "x" * 300, "x" * 1900, "%ff%fe", "%c0%ae%c0%ae", "%u002e", "'--", "' or 1=1 --",
    "%3Cscript%3Ealert(1)%3C/script%3E", "{{7*7}}", "${7*7}", "a%2Fb", "a%5Cb", "-1", "0", "1e999",
    "9" * 400,
    "%E2%80%AE", "%D0%90da", "%EF%BC%A1da", "Ada%E2%80%8B", "ada", "Ada@1", "Ada@0", "Ada@-1",
    "Ada@@", "con", "nul",
    "%0d%0aX-Injected:1", "*", "cup*", "request-", "request-*", ".serve", "..;/", "cup;x=1",
    "event.sqlite",
    "%25%32%65", "~root", "%7e", "\u0410da", "cup/../../.serve/accounts.sqlite", "?", "#",
    "__init__", "%F0%9F%92%A9",
    "[]", "NaN", "null", "True", "cup.", "cup ", " cup", "%20", "+",
)  # fmt: skip
METHODS = (
    "GET",
    "POST",
    "HEAD",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PATCH",
    "get",
    "X" * 300,
)
KINDS = (
    "multipart/form-data; boundary=x", "multipart/form-data",
    "multipart/form-data; boundary=" + "x" * 3000,
    "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-7",
    "application/json", "x",
    "", "multipart/mixed; boundary=x", "text/html; charset=\xff",
)  # fmt: skip
PART = b"--x\r\ncontent-disposition: form-data; name="
BODIES = (
    b"", b"--x\r\n", b"--x--", PART + b'"file"; filename="../../x.py"\r\n\r\nprint(1)\r\n--x--',
    PART + b'"csrf"; filename="x"\r\n\r\n0\r\n--x--', PART + b'"\xff\xfe"\r\n\r\n\x00\r\n--x--',
    b"--x\r\n\r\n\r\n--x--", b"--x\r\n" + b"a: b\r\n" * 3000,
    PART + b'"csrf"\r\n\r\n' + b"0" * 60_000 + b"\r\n--x--",
    (PART + b'"a"\r\n\r\n1\r\n') * 100 + b"--x--",
    (PART + b'"file"; filename="a"\r\n\r\n1\r\n') * 200 + b"--x--",
    PART + b'"file"; filename*=UTF-8\'\'%2e%2e%2fx\r\n\r\n1\r\n--x--', b"csrf=" + b"%" * 1000,
    b"=&" * 2000,
    b"a=1&" * 1000, b"\x1f\x8b\x08\x00" + bytes(range(256)), b"[" * 50_000, b'{"csrf": {}}',
    b"token=%00&csrf=%00",
    b"\xff" * 500,
)  # fmt: skip
HEADERS = (
    "Origin: http://evil.example", "Origin: null", "Origin: http://localhost",
    "Sec-Fetch-Site: cross-site",
    "Range: bytes=0-1", "If-None-Match: *", "If-None-Match: " + '"x", ' * 500,
    "If-Modified-Since: never",
    "X-Forwarded-For: 1.2.3.4, \xff", "X-Forwarded-Proto: javascript",
    "X-Forwarded-Host: evil.example",
    "Forwarded: for=evil", "X-Original-URL: /organiser", "X-HTTP-Method-Override: DELETE",
    "Accept-Encoding: gzip, br, \xff", "Accept: ../../etc/passwd", "Expect: 100-continue",
    "Authorization: Bearer \xff", "Authorization: Bearer " + "x" * 5000, "Content-Encoding: gzip",
    "Cookie: a=b; c",
    "Cookie: arena_session=\xff\xfe", "Cookie: arena_session=" + "x" * 4000,
    'Cookie: arena_session="\\000"',
    "Cookie: =;=;;", "Cookie: arena_session='; drop table sessions; --", "Upgrade: websocket",
    "Upgrade: h2c\r\nHTTP2-Settings: AAAA", "Connection: upgrade, keep-alive",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked", "Content-Length: -1",
    "Content-Length: 99999999999999999999",
    "Content-Length: 1, 1", "Host: evil.example", "Host: ", "Host: [::1", "Host: a@localhost",
    "X" * 2000 + ": 1",
    "a b: c", ": c", "X-Null: \x00", "Referer: file:///etc/passwd", "Accept-Language: ../..",
    "\tfolded",
    ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
"Sec-WebSocket-Key: ") + "A" * 22 + "==",
)  # fmt: skip


def fuzzed(
    made: class_site.ClassSite, routes: list[tuple[str, str]], dice: random.Random
) -> tuple[str, bytes]:
    """Return who sends a request that is mostly like one of a browser, and its bytes."""
    method, template = dice.choice(routes)
    values = made.values(template, dice.choice(list(made.events)))
    name = dice.choice(EVERYBODY)
    cookie = f"Cookie: {people.COOKIE}={made.sessions[name]}" if name else "Accept: */*"
    path = re.sub(
        r"{(\w+)[^}]*}",
        lambda found: dice.choice((*values[found[1]], *dice.sample(TEXTS, 2))),
        template,
    )
    if dice.random() < 0.1:
        at = dice.choice([found.start() for found in re.finditer("/", path)])
        path = dice.choice((path[:at], path[: at + 1])) + dice.choice(TEXTS) + path[at:]
    if dice.random() < 0.05:
        path = dice.choice(
            (
                "*",
                "",
                "http://evil.example/",
                "//evil.example",
                "/\\evil.example",
                "x",
                "http://[::1",
                "/" * 1999,
            )
        )
    if dice.random() < 0.5:
        names = (
            "name",
            "bot",
            "opponent",
            "board",
            "before",
            "fault",
            "result",
            "turn",
            "match",
            "x" * 50,
        )
        path += "?" + "&".join(
            f"{dice.choice(names)}={dice.choice(TEXTS)}" for _ in range(dice.randrange(1, 5))
        )
    method = dice.choice(METHODS) if dice.random() < 0.1 else method
    body = dice.choice(BODIES) if method == "POST" or dice.random() < 0.1 else b""
    if (
        dice.random() < 0.3
    ):  # with the secret of a form, but not the organiser's, who may do what a form says
        secret = people.csrf_of(made.sessions[name if name in class_site.AUTHORS else "Ada"])
        field = dice.choice(("token", "first", "second", "program", "name"))
        body = f"csrf={secret}&{field}={dice.choice(TEXTS)}".encode()
    lines = [
        f"{method} {path} HTTP/{dice.choice(('1.1',) * 20 + ('1.0', '0.9', '2.0', '9' * 50))}",
        "Host: localhost",
        cookie,
    ]
    lines += [f"Content-Type: {dice.choice(KINDS)}"] if body else []
    lines += [f"Content-Length: {len(body)}"] if body or dice.random() < 0.2 else []
    lines += dice.sample(HEADERS, dice.choice((0, 0, 0, 0, 1, 1, 2)))
    if dice.random() < 0.02:
        dice.shuffle(lines)
    head = "\r\n".join([*lines, "Connection: close", "", ""])
    sent = bytearray(head.encode("utf-8" if dice.random() < 0.5 else "latin-1", "replace") + body)
    for _ in range(dice.choice((0,) * 30 + (1, 5))):
        sent[dice.randrange(len(sent))] = dice.randrange(256)
    return name, bytes(sent)


def answers_to(client: httpx.Client, sent: bytes) -> bytes:
    """Return what the server says until it closes the connection, which it does soon for a request
    that is complete.
    """
    parts = []
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", client.base_url.port)) as connection,
    ):
        connection.settimeout(20)
        connection.sendall(sent)
        while part := connection.recv(65536):
            parts.append(part)
            if b"text/event-stream" in parts[0]:  # it has no end
                break
    return b"".join(parts)


def attack(site, number: int, seed: int, caplog, capfd) -> dict[int, int]:
    """Send so many requests; return how many got which status."""
    made, app, client = site
    before, dice, counts = state_of(made), random.Random(seed), {}
    routes = [
        (method, route.path)
        for route in app.routes
        for method in getattr(route, "methods", None) or ["GET"]
    ]
    secrets = {
        name: [words.encode() for words in made.private[name]] for name in class_site.AUTHORS
    }
    paths = [path.encode() for path in paths_of_the_machine(made)] + [
        b"root:x:0:",
        b"Traceback",
        b"site-packages",
        b"SQLite",
    ]

    def send(request: tuple[str, bytes]) -> tuple[str, bytes, bytes]:
        return *request, answers_to(client, request[1])

    with patch.object(server, "HEAD_S", 1.0), ThreadPoolExecutor(8) as pool:
        for name, sent, said in pool.map(send, [fuzzed(made, routes, dice) for _ in range(number)]):
            status = int(said[9:12]) if said else 0
            assert not said or said.startswith(b"HTTP/1.1 "), (sent, said[:300])
            counts[status] = counts.get(status, 0) + 1
            assert status < 500, (sent, said[:300])
            assert b"\nx-injected" not in said.partition(b"\r\n\r\n")[0].lower(), (sent, said[:300])
            assert not [path for path in paths if path in said and path not in sent], (sent, said)
            for owner in {*class_site.AUTHORS} - {name} if name != class_site.ORGANISER else ():
                assert not [
                    words for words in secrets[owner] if words in said and words not in sent
                ], (
                    name,
                    sent,
                    said,
                )
    assert not [
        (record.getMessage(), record.exc_text) for record in caplog.records if record.exc_info
    ]
    assert "Traceback" not in capfd.readouterr().err
    assert client.get("/").status_code == 200
    assert state_of(made) == before
    return counts


@pytest.mark.soak
def test_hundreds_of_fuzzed_requests_get_pages_or_refusals(site, caplog, capfd):
    counts = attack(site, 250, 1, caplog, capfd)
    assert counts[200] > 20
    assert counts[404] > 20


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_ten_thousand_fuzzed_requests_get_pages_or_refusals(site, caplog, capfd):
    attack(site, 10_000, random.randrange(1 << 30), caplog, capfd)
