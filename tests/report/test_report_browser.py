"""report.html in a browser: what it draws is what was recorded, by mouse and by keyboard, on a
phone and on a wall.
"""

import contextlib
import io
import re
import shutil
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PIL import Image

from arena import charts
from arena.drawing import Mark, Piece
from arena.games import rulebook
from arena.games.quality import PerfectPlay
from arena.protocol import clean
from arena.replay.chances import chances_of
from arena.replay.drawing.scene import read_fact, read_grids
from arena.replay.replayer import scenes
from arena.report import notebook
from arena.report.writing import write_report
from arena.results.leaderboard import Results
from arena.values import Record
from tests.support import cup, reported
from tests.support.browsed import opened, page_of

pytestmark = pytest.mark.slow
WIDE, PHONE = {"width": 1600, "height": 900}, {"width": 400, "height": 800}


@pytest.fixture(scope="module")
def tab(browser):
    """A page for all tests: each has processes of its own, which take a second to start."""
    return browser.new_page()


def written(folder: Path, of, records, **options) -> tuple[Path, list[Record]]:
    results = Results.open(reported.store(folder, of, records))
    path = write_report(results, folder, **options)
    results.close()
    return path, records


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Where the page of a small event is, and its records; in the first a bot crashed."""
    folder = tmp_path_factory.mktemp("small")
    picture = folder / "leaderboard.svg"
    picture.write_text(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 4'><rect width='8' "
        "height='4'/></svg>"
    )
    return written(folder, *reported.small(), charts=[picture])


@pytest.fixture(scope="module")
def declared(tmp_path_factory):
    """The page of an event of games that declare pieces and marks, discs, cards, and riders with
    trails.
    """
    of = reported.event(
        reported.BOTS[:2], on=reported.boards("classic", "standard", "three_cards", "nine")
    )
    return written(
        tmp_path_factory.mktemp("declared"),
        of,
        [reported.played(match) for match in reported.plan(of)],
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Where the page of an event is in which every text is hostile, and its records."""
    folder = tmp_path_factory.mktemp("hostile")
    return written(folder, *reported.hostile(folder), rules=rulebook.game_of)


def record_on(records: list[Record], board: str) -> Record:
    """A short match on a board that ended by its rules."""
    fit = [
        record for record in records if record.match.board == board and not record.verdict.faults
    ]
    return min(fit, key=lambda record: len(record.turns))


def test_a_shade_says_that_a_table_goes_on_beyond_the_edge(small, tab):
    """At 800 px the last columns of the leaderboard are cut."""

    def darkness(page):
        """How much darker the table's ground is at its left and its right edge than the page."""
        picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
        box = page.locator(".scroll").first.bounding_box()
        row = int(box["y"]) + 3
        ends = (int(box["x"]) + 1, int(box["x"] + box["width"]) - 2)
        return [255 - picture.getpixel((column, row)) for column in ends]

    with opened(tab, small[0], viewport={"width": 800, "height": 700}) as page:
        left, right = darkness(page)
        assert left < 8
        assert right > 30
        page.evaluate("document.querySelector('.scroll').scrollLeft = 5000")
        left, right = darkness(page)
        assert left > 30
        assert right < 8
    with opened(tab, small[0], viewport=WIDE) as page:
        assert max(darkness(page)) < 8


DRAWN = """(turns) => {
  const boxes = [...document.querySelectorAll(".board .cell, .board .rock")]
    .map((cell) => [cell.dataset.cell, cell.getBoundingClientRect()]);
  const cellOf = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return boxes.find(([, box]) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom)[0];
  };
  const drawn = () => {
    for (const each of document.getAnimations()) each.finish();
    const pieces = [...document.querySelectorAll(".piece:not([hidden])")];
    const marks = [...document.querySelectorAll(".marks .mark:not(.taken)")];
    return [Object.fromEntries(pieces.map((piece) => [piece.dataset.role, cellOf(piece)])), marks.map(cellOf).sort()];
  };
  const back = () => { document.querySelector("button.back").click(); return drawn(); };
  return [drawn(), ...Array.from({ length: turns }, back)].reverse();
}"""
"""Where pieces and marks are seen, now and in the turns before, going back."""


def drawn(page) -> list[object]:
    return page.evaluate(DRAWN, 0)[0]


def recorded(record: Record) -> list[list[object]]:
    """Where the rules have pieces and marks at the start and after every turn, as the page tells
    it.
    """
    game = rulebook.game_of(record.match)
    grids = read_grids(game.board(), game.drawing)
    told = []
    for scene in scenes(game, record.turns):
        drawn = [
            each for each in (read_fact(grids, game.drawing, fact) for fact in scene.facts) if each
        ]
        pieces = {
            each.name: "{} {}".format(*each.cell) for each in drawn if isinstance(each.item, Piece)
        }
        told.append(
            [
                pieces,
                sorted("{} {}".format(*each.cell) for each in drawn if isinstance(each.item, Mark)),
            ]
        )
    return told


def go_to(page, address: str) -> None:
    """Follow a link inside the report, to another view than that which is shown."""
    follow = """(to) => new Promise((done) => {
      addEventListener("hashchange", done, { once: true });
      location.hash = to;
    }).then(() => null)"""
    page.evaluate(follow, address)


def now(page) -> str:
    return page.inner_text(".now")


def names(page) -> list[str]:
    return page.locator("#leaderboard-table tbody tr:not([hidden]) th").all_inner_texts()


def test_the_leaderboard_is_sorted_and_searched_and_has_one_bold_column(tab, small):
    weight = "cell => Number(getComputedStyle(cell).fontWeight)"
    with opened(tab, small[0]) as page:
        cells = {
            name: page.locator(f"#leaderboard-table td.{name}").first
            for name in ("rating", "points", "range")
        }
        weights = {name: cell.evaluate(weight) for name, cell in cells.items()}
        assert weights["rating"] >= 600
        assert max(weights["points"], weights["range"]) == 400
        ranked = names(page)
        assert len(ranked) == 3
        cell = page.locator("#leaderboard-table td.plain:visible").first
        assert cell.evaluate("cell => getComputedStyle(cell).display") == "table-cell"
        page.click("#leaderboard-table th[data-name=bot] button")
        assert names(page) == sorted(ranked)
        page.click("#leaderboard-table th[data-name=bot] button")
        assert names(page) == sorted(ranked, reverse=True)
        assert page.get_attribute("th[data-name=bot]", "aria-sort") == "descending"
        page.click("#leaderboard-table th[data-name=points] button")
        assert names(page) == ranked
        page.fill("#leaderboard-search", "IRC")
        assert names(page) == ["birch"]
        assert page.inner_text("#leaderboard-count") == "1 of 3 bots"
        assert not page.is_visible("th[data-name=duel_explorer]")
        page.check("#leaderboard-all")
        assert page.is_visible("th[data-name=duel_explorer]")
        leagues = page.locator(".league:visible")
        games = leagues.count()
        page.locator("#leaderboard-table tbody tr:visible").evaluate("row => row.remove()")
        page.fill("#leaderboard-search", "birch")  # which the first game does not have any more
        assert leagues.count() == games - 1
        page.fill("#leaderboard-search", "nobody")
        assert (leagues.count(), page.inner_text("#leaderboard-count")) == (0, "0 of 3 bots")


def test_a_cell_of_the_crosstable_opens_the_matches_behind_it(tab, small):
    path, records = small
    with opened(tab, path, "#crosstable&board=pacman/classic") as page:
        ranked = page.locator("#leaderboard-table2 tbody th").all_text_contents()
        assert page.locator(".cross").first.locator("tbody th").all_inner_texts() == ranked
        page.get_by_role("link", name="cedar as blinky against amber").click()
        page.wait_for_selector("#matches-view:not([hidden])")
        fit = [
            r
            for r in records
            if r.match.board == "classic"
            and [s.bot.name for s in r.match.seats[:2]] == ["amber", "cedar"]
        ]
        assert page.locator(".list tbody code").all_inner_texts() == [
            record.match.id for record in fit
        ]
        assert page.inner_text("#matches-view .count") == "1 of 12 matches"
        page.select_option("select[name=bot]", "")
        page.select_option("select[name=result]", "fault")
        page.select_option("select[name=board]", "mummy_maze/duel")
        assert page.locator(".list tbody code").all_inner_texts() == [records[0].match.id]


def test_a_replay_is_animated_and_played_to_its_end_as_it_was_recorded(tab, small):
    path, records = small
    record = record_on(records, "duel")
    turns, last = recorded(record), record.turns[-1].number
    with opened(tab, path, f"#match={record.match.id}", reduced_motion="no-preference") as page:
        page.wait_for_selector(".piece")
        page.click("button.next")
        assert page.evaluate("document.getAnimations().length") > 0
        assert drawn(page) == turns[1]
        page.locator(".scrub").fill(str(last - 4))  # so that nobody waits for all turns
        page.select_option(".controls select", "8")
        page.click("button.play")
        page.wait_for_selector("button.play[aria-label=Pause]")
        page.wait_for_selector("button.play[aria-label=Play]")
        assert now(page).startswith(f"Turn {last} of {last}")
        assert now(page).endswith(record.verdict.reason)
        assert page.evaluate(DRAWN, last) == turns
        assert now(page) == "Start"
        page.emulate_media(reduced_motion="reduce")
        page.click("button.next")
        assert page.evaluate("document.getAnimations().length") == 0
        assert drawn(page) == turns[1]
        page.click("button.play")
        go_to(page, "#leaderboard")
        page.wait_for_timeout(300)  # the turn that was shown does not come back into the address
        assert page.url.endswith("#leaderboard")


def test_what_a_game_declares_is_drawn_in_every_turn_as_it_was_recorded(tab, declared):
    path, records = declared
    with opened(tab, path) as page:
        for board, colour in (("classic", "#d55e00"), ("standard", "#e8a800"), ("nine", "#009e73")):
            record = record_on(records, board)
            last = record.turns[-1].number
            go_to(page, f"#match={record.match.id}&turn={last}")
            page.locator(f"#match-view:has-text('{record.match.id}') .marks .mark").first.wait_for()
            assert page.evaluate(DRAWN, last) == recorded(record)
            second = page.locator(".players li:nth-child(2) svg > *").first
            assert second.get_attribute("fill") == colour
        record = record_on(records, "three_cards")
        _, first, second = record.turns[0].move.split()
        go_to(page, f"#match={record.match.id}&turn=1")
        page.locator(".cardrow").first.wait_for()
        assert page.locator(".cardrow").all_inner_texts() == [
            f"card first\n{first}",
            f"card second\n{second}",
        ]
        assert page.inner_text(".state").split("\n")[-1] == "moves"
        page.click("button.back")
        assert page.locator(".card.down").count() == 2


def test_the_chance_to_win_is_drawn_and_its_breaks_lead_to_their_turns(tab, small):
    path, records = small
    record = record_on(records, "duel")
    game = rulebook.game_of(record.match)
    found = chances_of(game, record, list(scenes(game, record.turns)))
    (first, *_, last), shown = found.breaks, ".chances .figures > span"
    with opened(tab, path, f"#match={record.match.id}") as page:
        for index, key in ((first.scene, "n"), (last.scene, None), (found.breaks[-2].scene, "p")):
            if key is None:
                page.get_by_role("button", name=last.sentence, exact=True).last.click()
            else:
                page.locator(".replay").press(key)
            assert now(page).startswith(f"Turn {index} of ")
            assert page.locator(".breaks [aria-current]").inner_text().startswith(f"turn {index}: ")
            figures = [f"{chance:.0f} %" for chance in found.of_scenes[index]]
            assert [
                text.split("\n")[-1].strip() for text in page.locator(shown).all_inner_texts()
            ] == figures
        box = page.locator(".plot svg").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 1, box["y"] + 5)
        assert now(page).startswith(f"Turn {record.turns[-1].number} of ")


@pytest.fixture(scope="module")
def mazes(tmp_path_factory):
    """Where the page of an event on drawn mazes is, and its records."""
    of = replace(
        reported.event(reported.BOTS[:2], rulebook.find("mummy_maze/random:2", seed=4)), repeats=2
    )
    return written(
        tmp_path_factory.mktemp("mazes"),
        of,
        [reported.played(match) for match in reported.plan(of)],
    )


def test_lessons_show_the_board_before_the_move_and_replays_their_own_walls(tab, mazes):
    path, records = mazes
    with opened(tab, path, f"#bot={reported.BOTS[0]}") as page:
        page.wait_for_selector(".lesson .piece")
        assert 1 <= page.locator(".lesson").count() <= 3
        card = page.locator(".lesson").first
        assert card.locator(".ending").inner_text().startswith("threw away")
        match, turn = re.findall(
            r"--from (\w+) --turn (\d+)", card.locator(".fork code").first.inner_text()
        )[0]
        record = next(each for each in records if each.match.id == match)
        move = next(each for each in record.turns if each.number == int(turn) + 1)
        assert card.locator("dd").first.inner_text() == move.move
        facts = list(scenes(rulebook.game_of(record.match), record.turns))[int(turn)].facts
        cells = [
            " ".join(["at", *(piece.get_attribute(f"data-{name}") for name in ("role", "x", "y"))])
            for piece in card.locator(".piece").all()
        ]
        assert {*cells} == {fact for fact in facts if fact.startswith("at ")}
        card.locator("a").click()
        page.wait_for_selector(".replay .piece")
        assert f"Turn {int(turn) + 1} of" in page.locator(".now").inner_text()
        assert page.locator(".now .blunder").count() == 1
        walls = {}
        for record in records:
            qualities = PerfectPlay.of(rulebook.game_of(record.match)).of_turns(record.turns)
            go_to(page, f"#match={record.match.id}")
            page.locator(f"#match-view:has-text('{record.match.id}') .piece").first.wait_for()
            assert drawn(page) == recorded(record)[0]
            shown = [f" ({quality})" for quality in qualities if str(quality)]
            assert page.locator(".moves .quality").all_inner_texts() == shown
            assert page.locator(".moves .blunder").count() == sum(
                quality.points > 0 for quality in qualities
            )
            walls.setdefault(record.match.sampled, set()).add(
                page.locator("#match-view .wall").get_attribute("d")
            )
    (first,), (second,) = walls.values()
    assert first != second


def test_an_address_opens_any_turn_and_follows_as_do_the_commands_to_go_on(tab, small):
    path, records = small
    record = record_on(records, "classic")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    with opened(tab, path, f"#match={record.match.id}&turn=5") as page:
        page.wait_for_selector(".piece")
        turns = recorded(record)
        assert drawn(page) == turns[5]
        assert page.locator(".moves [aria-current]").count() == 1
        page.locator(".moves button").nth(7).click()
        assert drawn(page) == turns[7]
        page.wait_for_url(lambda url: url.endswith(f"#match={record.match.id}&turn=7"))
        page.locator(".remarks p").first.wait_for()
        assert "depth=3" in page.inner_text(".remarks")
        page.locator(".scrub").fill("2")
        assert drawn(page) == turns[2]
        assert page.get_attribute(".scrub", "aria-valuetext").startswith("Turn 2 of")
        turn = f"--from {record.match.id} --turn 2"
        assert page.locator(".fork code").all_inner_texts() == [
            f"arena play {turn}",
            f"arena match {turn}",
        ]
        page.locator(".fork .copy").first.click()
        page.wait_for_selector(".copy:has-text('Copied')")
        assert page.evaluate("navigator.clipboard.readText()") == f"arena play {turn}"
        page.click("button.last")
        assert page.locator(".fork").is_hidden()
        go_to(page, "#match=nope")
        assert page.inner_text("#match-title") == "There is no such match here"
        go_to(page, "#bot=nobody")
        assert page.inner_text("#bot-title") == "There is no such bot"
        go_to(page, "#elsewhere")
        assert page.is_visible("#leaderboard-view")


def test_an_address_that_is_followed_just_after_a_turn_is_not_taken_back(tab, small):
    path, records = small
    before, after = records[:2]
    with opened(tab, path, f"#match={before.match.id}") as page:
        page.wait_for_selector(".replay")
        # Browsers tell a page of its new address later, and what was due may come before.
        page.evaluate(
            """(to) => {
            const due = [];
            const later = setTimeout;
            window.setTimeout = (act) => due.push(act);
            document.querySelector("button.next").click();
            window.setTimeout = later;
            location.hash = to;
            for (const act of due) act();
            }""",
            f"match={after.match.id}",
        )
        page.locator(f"#match-view:has-text('{after.match.id}')").wait_for()


def test_the_link_that_skips_to_the_content_stays_in_the_view(tab, small):
    path, records = small
    with opened(tab, path, f"#match={records[0].match.id}") as page:
        page.wait_for_selector(".replay")
        page.focus(".skip")
        page.keyboard.press("Enter")
        page.wait_for_selector("#main:focus")
        assert page.is_visible("#match-view")


def test_who_does_something_else_while_a_replay_is_loaded_keeps_the_focus_there(tab, small):
    path, records = small
    with opened(tab, path, "#matches") as page:
        page.evaluate(
            """() => {
            const load = data.replay;
            data.replay = async (row) => {
                await new Promise((done) => setTimeout(done, 50));
                document.querySelector(".tabs a").focus();
                return load(row);
            };
            }"""
        )
        go_to(page, f"#match={records[0].match.id}")
        page.wait_for_selector(".replay")
        assert page.evaluate("document.activeElement === document.querySelector('.tabs a')")


def test_a_fault_is_told_in_words_with_the_last_lines_of_stderr(tab, small):
    path, records = small
    with opened(tab, path, "#bot=amber") as page:
        card = page.locator(".cards li", has_text="the program ended")
        assert "ValueError: no" in card.locator("pre").inner_text()
        match = records[0].match.id
        assert card.locator("code").all_inner_texts() == [
            f"arena rerun {match}",
            f"arena rerun {match} --bot amber --print",
        ]
        assert page.locator(".strengths .interval svg").count() == 5
        card.get_by_role("link").click()
        page.wait_for_selector(".replay")
        assert now(page).startswith(f"Turn {records[0].turns[-1].number} of")
        assert page.locator("#match-view pre").inner_text() == "Traceback\nValueError: no"


def test_who_rose_and_the_versions_of_a_bot_are_shown(tab, tmp_path):
    of = reported.event(("amber", "birch"), on=reported.boards("duel"))
    older = replace(of, bots=(replace(of.bots[0], digest="f00f00f00"), of.bots[1]))
    for event, best in ((older, "birch"), (of, "amber")):
        records = [reported.played(match) for match in reported.plan(event)]
        for number, record in enumerate(records):
            scores = {seat.role: 100 if seat.bot.name == best else 0 for seat in record.match.seats}
            records[number] = replace(record, verdict=replace(record.verdict, scores=scores))
        results = Results.open(reported.store(tmp_path, event, records))
        results.store_ranks()
    with opened(tab, write_report(results, tmp_path), "#bot=amber") as page:
        table = page.locator("table.versions")
        assert [row.split()[:3] for row in table.locator("tbody tr").all_inner_texts()] == [
            ["1", "f00f00", "2"],
            ["2", of.bots[0].digest[:6], "1"],
        ]
        go_to(page, "#leaderboard")
        rows = page.locator("#leaderboard-table tbody tr").all_inner_texts()
        assert [row.split()[:3] for row in rows] == [
            ["1", "amber", "\u25b21"],
            ["2", "birch", "\u25bc1"],
        ]
        go_to(page, "#bot=birch")
        assert page.is_visible(".strengths")
        assert page.locator("table.versions").count() == 0


def focused(page) -> str:
    return page.evaluate(
        "document.activeElement.innerText || document.activeElement.getAttribute('aria-label') || "
        "''"
    )


def tab_to(page, label: str) -> None:
    """Press the tabulator until what has this label is focused."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if focused(page).strip() == label:
            return
    raise AssertionError(label)


def test_a_match_is_found_and_watched_without_a_mouse(tab, small):
    path, _ = small
    with opened(tab, path) as page:
        tab_to(page, "Matches")
        page.keyboard.press("Enter")
        page.wait_for_selector(".list tbody tr")
        tab_to(page, "Replay")
        page.keyboard.press("Enter")
        page.wait_for_selector(".piece")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert now(page).startswith("Turn 2 of")
        assert (
            page.inner_text("[aria-live]").split() == now(page).split()
        )  # lines may be laid out in two ways
        for _ in range(3):
            page.keyboard.press("+")
        page.keyboard.press(" ")
        page.locator(".now", has_text=re.compile(r"Turn ([4-9]|\d\d)")).wait_for()
        page.keyboard.press(" ")
        page.wait_for_selector("button.play[aria-label=Play]")
        page.keyboard.press("End")
        assert page.is_disabled("button.next")
        page.keyboard.press("Home")
        assert now(page) == "Start"


VIEWS = (
    "leaderboard",
    "crosstable",
    "matches",
    "matches&bot={bot}&role=pacman",
    "bot={bot}",
    "charts",
    "match={id}&turn=3",
)
FITS = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => done(document.documentElement.scrollWidth <= innerWidth))))"""
"""Whether the page is no wider than the window, once it is laid out."""
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".words")].filter((each) => each.checkVisibility())
    .map((each) => parseFloat(getComputedStyle(each).fontSize)))"""
"""The size of the smallest words in sentences."""


@pytest.fixture(scope="module")
def charted(tmp_path_factory):
    """The page of an event whose bots have long names with one beginning, with a chart and a strip,
    and its records.
    """
    folder = tmp_path_factory.mktemp("charted")
    of = reported.event(
        [f"assignsubmission_file_{name}_bot" for name in ("Müller", "García", "O'Neil")]
    )
    records = [reported.crashed(reported.played(match)) for match in reported.plan(of)]
    results = Results.open(reported.store(folder, of, records))
    with cup.first_chart_only():
        files = charts.write(results, folder).files
    strip = folder / "strip.svg"
    strip.write_text(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9000 90' width='9000' height='90'/>"
    )
    return write_report(results, folder, charts=[*files, strip]), records


def test_every_view_fits_a_phone_and_a_wide_screen_and_a_chart_can_be_enlarged(tab, charted):
    path, records = charted
    too_wide = """() => [...document.querySelectorAll("main > section:not([hidden]) :is(.scroll, figure)")]
      .filter((each) => each.scrollWidth > each.clientWidth).length"""
    record = next(record for record in records if record.match.board == "classic")
    bot = record.match.seats[0].bot
    with opened(tab, path) as page:
        for size in (WIDE, PHONE):
            page.set_viewport_size(size)
            for view in VIEWS:
                go_to(page, f"#{view}".format(bot=bot.display or bot.name, id=record.match.id))
                page.wait_for_selector(
                    "#match-view .piece" if "match=" in view else "main > section:not([hidden]) h2"
                )
                assert page.evaluate(FITS), (view, size)
                assert size is WIDE or page.evaluate(too_wide) == 0, view
                assert page.evaluate(SMALLEST) >= 11, view
                assert "bot=" not in view or page.locator(".words:visible").count()
                assert page.locator("main > section:not([hidden])").count() == 1
        go_to(page, "#crosstable")
        heads = page.locator(".cross").first.locator("tbody th").all_inner_texts()
        assert len(heads) == len({*heads}) == 3
        assert max(map(len, heads)) == 20
        go_to(page, "#charts")
        page.locator(".charts figure").first.click()
        assert page.evaluate(too_wide) == 1
        page.keyboard.press("Tab")
        page.locator(".charts figure").first.press("Enter")
        assert page.evaluate(too_wide) == 0
        go_to(page, "#leaderboard")
        assert not page.is_visible("th[data-name=won]")
        page.check("#leaderboard-all")
        assert page.is_visible("th[data-name=won]")


@pytest.mark.soak
def test_light_and_dark_can_be_chosen_and_the_ground_of_a_chart_is_that_of_the_page(tab, charted):
    def paper() -> list[int]:
        return [
            *map(
                int,
                page.evaluate("getComputedStyle(document.body).backgroundColor")
                .strip("rgb()")
                .split(","),
            )
        ]

    def ground() -> tuple[int, ...]:
        """Return the most frequent colour of the first chart."""
        picture = Image.open(io.BytesIO(page.locator(".charts img").first.screenshot())).convert(
            "RGB"
        )
        return max(picture.getcolors(picture.width * picture.height))[1]

    with opened(tab, charted[0], "#charts", viewport={"width": 700, "height": 700}) as page:
        page.wait_for_selector("#charts-view:not([hidden])")
        light = paper()
        assert ground() == pytest.approx(light, abs=2)
        page.emulate_media(color_scheme="dark")
        dark = paper()
        assert ground() == pytest.approx(dark, abs=2)
        page.emulate_media(color_scheme="light")
        assert paper() == light
        page.click("#theme")
        assert paper() == dark
        assert sum(dark) < 200 < sum(light)
        page.click("#theme")
        assert paper() == light
        assert "light" in page.get_attribute("#theme", "aria-label")


def test_hostile_texts_do_nothing_wherever_they_are_shown(tab, hostile):
    path, records = hostile
    with opened(tab, path) as page:
        bots = page.evaluate("report.bots")
        addresses = [
            "#matches",
            "#crosstable&board=talk/hall",
            *(f"#match={r.match.id}" for r in records[::3]),
        ]
        for address in [*addresses, *page.evaluate("report.bots.map(route.bot)")]:
            go_to(page, address)
            if address.startswith("#match="):
                page.locator(f"#match-view:has-text('{address[7:]}') .moves button").last.click()
            page.evaluate(FITS)
        assert page.inner_text("#bot-title") == bots[-1]
        assert page.title() != "hit"


def test_a_game_without_a_grid_shows_its_facts_and_what_a_model_said_beside_them(tab, hostile):
    path, records = hostile
    record = next(record for record in records if record.match.board == "hall")
    with opened(tab, path, f"#match={record.match.id}&turn=1") as page:
        panel = page.locator(".calls")
        panel.locator("summary").click()
        answer = record.calls[0].answer.text
        assert panel.locator("h4").all_inner_texts() == ["Question", "Reasoning", "Answer"]
        assert panel.locator("pre").last.text_content() == clean(answer, 500)
        page.click("button.next")
        assert panel.inner_text() == "Nobody asked the model in this turn."
        assert page.locator(".factlist li").first.inner_text() == "said 2"
        before, after = (
            list(scene.facts)
            for scene in [*scenes(rulebook.game_of(record.match), record.turns)][1:3]
        )
        fresh = [clean(fact) for fact in after if fact not in before]
        assert page.locator(".factlist .new").all_inner_texts() == fresh
        assert page.locator(".board").count() == 0


def test_the_policy_holds_even_against_markup_that_got_in(tab, small):
    asked: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = page_of(tab, small[0])
    page.evaluate(
        """(to) => document.body.insertAdjacentHTML("beforeend", `<b onclick='window.hit=1' id='b'>b</b>
           <img src='${to}/image' onerror='window.hit=1'>
           <link rel='stylesheet' href='${to}/style'><video src='${to}/film'></video>`)""",
        f"http://127.0.0.1:{server.server_port}",
    )
    page.click("#b")
    page.wait_for_timeout(200)
    server.shutdown()
    server.server_close()
    assert page.evaluate("window.hit === undefined")
    assert asked == []


def test_what_was_left_out_is_said(tab, small, tmp_path):
    shutil.copytree(small[0].parent, tmp_path, dirs_exist_ok=True)
    with contextlib.closing(Results.open(tmp_path)) as results:
        path = write_report(results, tmp_path, replayed=2, listed=4)
    with opened(tab, path, "#matches") as page:
        assert "Of 12 matches 4 are listed. 2 matches can be replayed here" in page.inner_text(
            "#missing"
        )
        page.get_by_role("link", name="Details").first.click()
        page.get_by_text("This file has no replay of this match").wait_for()


def in_notebook(folder: Path, *records: Record) -> Path:
    """Write a page that holds what a notebook shows of matches."""
    path = folder / "notebook.html"
    cells = "".join(notebook.frame(record) for record in records)
    path.write_text(f"<!doctype html><title>notebook</title>{cells}", "utf-8")
    return path


def test_a_match_shows_itself_in_a_notebook_as_the_report_shows_it(tab, small, tmp_path):
    record = record_on(small[1], "duel")
    with opened(tab, in_notebook(tmp_path, record)) as page:
        (frame,) = page.frames[1:]
        assert (
            page.evaluate("document.activeElement.tagName") == "BODY"
        )  # it takes no focus from the notebook
        frame.click("button.last")
        assert frame.evaluate(DRAWN, record.turns[-1].number) == recorded(record)
        assert frame.locator("a[href]").count() == 0
        assert frame.evaluate("self.origin") == "null"


def test_hostile_texts_of_a_match_stay_texts_in_a_notebook(tab, hostile, tmp_path):
    _, records = hostile
    records = [
        *records[: len(reported.EVIL)],
        records[-1],
    ]  # each text, and the board that is hostile, too
    with opened(tab, in_notebook(tmp_path, *records)) as page:
        assert page.title() == "notebook"
        assert page.locator("body > :not(iframe)").count() == 0
        for frame, record in zip(page.frames[1:], records, strict=True):
            assert frame.title() != "hit"
            assert frame.locator("img, i, b:not(.points)").count() == 0
            assert frame.locator(".words").text_content() == clean(
                record.verdict.faults[0].words, 1000
            )
            assert frame.locator(".players .name").all_inner_texts()
