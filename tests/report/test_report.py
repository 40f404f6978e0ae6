"""report.html as a file: what it holds, that nothing in it does harm, and what is left out where
there is too much.
"""

import base64
import contextlib
import hashlib
import html
import importlib
import json
import re
import shutil
import tracemalloc
import zlib
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import arena
from arena import charts, parallel, rulefile
from arena.drawing import Cards, Grid, Mark, Piece
from arena.event.plan import Plan, placings
from arena.games import rulebook
from arena.protocol import clean
from arena.replay.drawing.scene import read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.replayer import scenes
from arena.report import notebook
from arena.report import page as report_page
from arena.report.boards import items
from arena.report.data import Index, by_importance, columns
from arena.report.leaderboard import leaderboard, rankings
from arena.report.recorded import last_lines
from arena.report.replays import safe_json
from arena.report.writing import write_report
from arena.results import memo
from arena.results.archive import Archive
from arena.results.columns import GRADES, LEADERBOARD, LOGITS
from arena.results.leaderboard import Results
from arena.values import Ending, Event, Match, Played
from tests.support import cup, reported, stored, workspaces
from tests.support.finished import result


class Parsed(HTMLParser):
    """A page as a browser would read it: its elements in order, with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), []))

    def handle_endtag(self, tag):
        self.elements.append(("", {}, []))  # what follows is no text of it

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [
            (attributes, "".join(texts))
            for found, attributes, texts in self.elements
            if found == tag
        ]

    @property
    def data(self) -> dict:
        return json.loads(
            next(text for attributes, text in self.all("script") if attributes.get("id") == "data")
        )

    @property
    def replays(self) -> dict[str, dict]:
        chunks = [
            text for attributes, text in self.all("script") if attributes.get("class") == "chunk"
        ]
        return {
            match: replay
            for chunk in chunks
            for match, replay in json.loads(zlib.decompress(base64.b64decode(chunk))).items()
        }


def written(folder: Path, of: Event, records, **options) -> Parsed:
    """The page of an event with these records."""
    reported.store(folder, of, records)
    with_results = Results.open(folder)
    path = write_report(with_results, folder, **options)
    with_results.close()
    return Parsed(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the small event."""
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def small(folder):
    of, records = reported.small()
    return of, records, written(folder, of, records)


@pytest.fixture(scope="module")
def results(folder, small):
    """The results of the small event."""
    with contextlib.closing(Results.open(folder)) as opened:
        yield opened


@pytest.fixture
def copied(folder, small, tmp_path):
    """The results of the small event in `tmp_path`, without its report."""
    shutil.copytree(
        folder, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("report.html")
    )
    with contextlib.closing(Results.open(tmp_path)) as opened:
        yield opened


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    return written(folder, *reported.hostile(folder), rules=rulebook.game_of)


def test_every_script_and_style_is_in_the_policy_and_nothing_else_is_let_in(small):
    *_, page = small
    policy = next(
        a["content"]
        for a, _ in page.all("meta")
        if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        texts = [text for attributes, text in page.all(tag) if "type" not in attributes]
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'"
            for each in texts
        ]
        assert hashes
        assert rules[rule].split() == hashes


@pytest.mark.parametrize("name", ["small", "hostile"])
def test_the_file_names_no_address_but_its_own(name, request):
    page = request.getfixturevalue(name)
    page = page[-1] if isinstance(page, tuple) else page
    for tag, attributes, _ in page.elements:
        assert not [
            key
            for key in attributes
            if key.startswith("on") or key in {"style", "srcdoc", "srcset"}
        ], tag
        for key in ("href", "src"):
            assert (attributes.get(key) or "#").startswith(("#", "data:")), (tag, attributes)


def test_hostile_texts_are_no_markup(small, hostile):
    tags = {tag for tag, _, _ in small[-1].elements}
    assert {tag for tag, _, _ in hostile.elements} <= tags
    scripts = [attributes for attributes, _ in hostile.all("script")]
    assert len([each for each in scripts if not each]) == len(
        [each for each, _ in small[-1].all("script") if not each]
    )


def test_hostile_texts_are_kept_as_they_are_shown(hostile):
    assert set(hostile.data["bots"]) == {clean(text) for text in reported.EVIL[:4]}
    told = list(hostile.replays.values())
    assert {fault[3] for replay in told for fault in replay["faults"]} == {
        clean(text, 1000) for text in reported.EVIL
    }
    assert {remark for replay in told for move in replay["moves"] for remark in move[4]} >= set(
        map(clean, reported.EVIL[:6])
    )
    assert {
        line for replay in told for seat in replay["seats"] for line in seat["warnings"]
    } == set(map(clean, reported.EVIL))


def test_no_control_character_gets_into_the_file(hostile):
    values = json.dumps([hostile.data, hostile.replays], ensure_ascii=False)
    assert [char for char in values if not char.isprintable()] == []


LETTERS = st.text("<>&/\u2028\u2029'\"\\a\0é\ud800\U0001f600")


@settings(max_examples=40)
@given(
    st.recursive(
        LETTERS, lambda inner: st.lists(inner) | st.dictionaries(LETTERS, inner), max_leaves=4
    )
)
@example({"<": ["</script>", "&amp;", "\u2028\u2029"]})
def test_json_inside_html_is_whole_and_has_no_tag(value):
    text = safe_json(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")
    assert text.isascii()


def test_a_fact_is_read_for_the_page_as_for_the_terminal():
    drawing = (
        Grid("sea GRID COLUMNS ROWS"),
        Mark("shot GRID X Y", colour="red"),
        Mark("ships GRID X Y TEXT", "TEXT"),
    )
    drawing += (Piece("at ROLE X Y"), Cards("hand ROLE CARDS"))
    styles = Styles.of(drawing, ("fox", "hen"), (("fox",), ("hen",)))
    item = items(read_grids(["sea left 3 3", "sea right 3 3"], drawing), styles)
    assert [
        item(fact)
        for fact in ("shot left 1 2", "shot right 1 2", "shot up 1 2", "ships right 3 3 12")
    ] == [
        (0, 1, 2),
        (0, 1, 2, 1),
        "shot up 1 2",
        (1, 3, 3, 1, "12"),
    ]
    assert [
        item(fact) for fact in ("at hen 1 1", "at cow 1 1", "at hen 9 9", "hand fox A K", "turn 3")
    ] == [
        (3, 1, 1),
        "at cow 1 1",
        "at hen 9 9",
        (4, "hand fox", "A", "K"),
        "turn 3",
    ]
    assert [(style.kind, style.fact, style.role) for style in styles.table[2:]] == [
        ("piece", "at fox X Y", 0),
        ("piece", "at hen X Y", 1),
        ("cards", "hand ROLE CARDS", None),
    ]


def test_a_replay_holds_the_facts_of_every_turn(small):
    _, records, page = small
    assert set(page.replays) == {record.match.id for record in records}
    for record in records:
        replay = page.replays[record.match.id]
        game = rulebook.game_of(record.match)
        item = items(
            read_grids(game.board(), game.drawing), Styles.of(game.drawing, game.roles, game.sides)
        )
        assert replay["states"] == [
            json.loads(json.dumps([*map(item, scene.facts)]))
            for scene in scenes(game, record.turns)
        ]
        assert [move[2] for move in replay["moves"]] == [turn.move for turn in record.turns]
        assert replay["moves"][0][4] == ["depth=3"]


def test_steps_that_a_wall_stopped_are_marked(small):
    _, records, page = small
    for record in records:
        told = [
            steps
            for scene in scenes(rulebook.game_of(record.match), record.turns)
            for steps in scene.steps
        ]
        fates = page.replays[record.match.id]["fates"]
        assert ["b" in fate for fate in fates] == [
            any(step.fate == "blocked" for step in steps) for steps in told
        ]


def test_the_board_is_told_by_its_cells(small):
    of, _, page = small
    duel, classic = page.data["boards"]
    assert [duel["label"], classic["label"]] == [board.label for board in of.boards]
    assert (duel["grids"][0]["columns"], duel["grids"][0]["rows"], duel["grids"][0]["rock"]) == (
        [1, 8],
        [1, 8],
        [],
    )
    assert len(classic["grids"][0]["rock"]) == 64 - 36
    assert "M 70 10 L 80 10" in duel["grids"][0]["walls"]
    assert classic["sides"] == [[0], [1, 2]]


def test_the_rows_are_those_of_matches_csv(small, results):
    *_, page = small
    matches = results.matches()
    rows = page.data["matches"]
    assert sorted(rows["id"]) == sorted(matches["match"])
    for place, match in enumerate(rows["id"]):
        row = matches[matches["match"] == match].iloc[0]
        board = page.data["boards"][rows["board"][place]]
        assert board["label"] == f"{row['game']}/{row['board']}"
        assert [page.data["bots"][bot] for bot in rows["bots"][place]] == [
            row[f"{role}_bot"] for role in board["roles"]
        ]
        assert rows["scores"][place] == [row[f"{role}_score"] for role in board["roles"]]
        assert rows["reasons"][rows["reason"][place]] == row["reason"]
        assert (rows["repeat"][place], rows["seed"][place]) == (row["repeat"], row["seed"])


def test_a_seat_at_fault_is_told_with_its_ending(small):
    _, records, page = small
    rows = page.data["matches"]
    at_fault = {
        match: endings
        for match, endings in zip(rows["id"], rows["endings"], strict=True)
        if endings
    }
    assert at_fault == {records[0].match.id: [list(Ending).index(Ending.CRASHED) + 1, 0]}


def test_a_seat_whose_bot_never_started_is_told_apart():
    match = result(
        (("pacman",), ("ghost1", "ghost2")),
        "ann bob cat",
        0,
        100,
        0,
        label="pacman/classic",
        endings={"ghost2": Ending.TIMEOUT},
        absent=["ghost2"],
    )
    numbers = {"ann": 0, "bob": 1, "cat": 2}
    roles = {"pacman/classic": tuple(match.seats)}
    index = Index(numbers, {"pacman/classic": 0}, roles, {"pacman/classic": match.sides})
    number = list(Ending).index(Ending.TIMEOUT) + 1
    assert columns([match], index)["endings"] == [[0, 0, -number]]


def test_the_crosstable_is_that_of_the_results(small, results):
    *_, page = small
    names, boards = page.data["bots"], page.data["boards"]
    told = {
        (
            boards[board]["label"],
            boards[board]["roles"][role],
            names[bot],
            names[other],
            count,
            score,
        )
        for board, role, bot, other, count, score in page.data["crosstable"]
    }
    frame = results.crosstable().round(2)
    assert told == set(frame.itertuples(index=False, name=None))


def test_a_crosstable_has_the_order_of_its_game_in_the_report(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL, stored.CLASSIC])
    records = [
        stored.played(
            match,
            **{
                seat.role: 90 if (seat.bot.name == "ann") == (match.game == "pacman") else 10
                for seat in match.seats
            },
        )
        for match in stored.plan(event)
    ]
    page = written(tmp_path, event, records)
    assert [[page.data["bots"][bot] for bot in order] for order in page.data["orders"]] == [
        ["bob", "ann"],
        ["ann", "bob"],
    ]


def leaderboards(page: Parsed) -> list[list[dict[str, str]]]:
    """The rows of each leaderboard as texts by column; the bars in the cells have none."""
    tables: list[list[list[str]]] = []
    inside = False
    for tag, attributes, texts in page.elements:
        if tag == "table":
            inside = str(attributes.get("id")).startswith("leaderboard-table")
            tables += [[]] if inside else []
        elif not inside:
            continue
        elif tag == "tr":
            tables[-1].append([])
        elif tag in {"td", "th"}:
            tables[-1][-1].append(
                str(attributes.get("data-name") or (texts[0].strip() if texts else ""))
            )
        elif tag == "a":
            tables[-1][-1][-1] = texts[0]
    return [
        [dict(zip(heads, row, strict=True)) for row in rows if len(row) > 1]
        for heads, *rows in tables
    ]


def test_each_game_has_a_leaderboard_that_stands_in_the_page_without_any_script(small, results):
    *_, page = small
    frames = [*(league.leaderboard() for league in results.leagues), results.overall_leaderboard()]
    assert [title for attributes, title in page.all("h3")][:3] == [
        "mummy_maze",
        "pacman",
        "all games",
    ]
    for frame, rows in zip(frames, leaderboards(page), strict=True):
        assert [row["bot"] for row in rows] == list(frame["bot"])
        assert [row["points"] for row in rows] == [f"{points:.1f}" for points in frame["points"]]
    bounds = {"rating_low", "rating_high", "rank_low", "rank_high", *LOGITS}
    never = {"illegal_move", "garbled", "timeout", "limit_exceeded"}
    duels = leaderboards(page)[0]
    assert [row["crashed"] for row in duels] == [str(count) for count in frames[0]["crashed"]]
    assert {*duels[0]} == {*frames[0], "range", "ranks"} - bounds - never - {"display", "game"}


def test_below_a_leaderboard_stands_what_its_grades_mean(small, results):
    *_, page = small
    league = results.leagues[0]
    frame = league.leaderboard()
    accuracy = GRADES["accuracy"]
    blunders = GRADES["blunders"]
    regret = GRADES["regret_estimate"]
    exact = leaderboard(league, frame=frame.assign(accuracy=90.0, blunders=0.5))
    assert exact.grades == f"accuracy: {accuracy}; blunders: {blunders}"
    estimated = leaderboard(league, frame=frame.assign(regret_estimate=2.0))
    assert estimated.grades.endswith(f"regret (estimate): {regret}")
    notes = [text for attributes, text in page.all("p") if attributes.get("class") == "note"]
    assert f"Accuracy: {accuracy}; blunders: {blunders}." in notes


def test_every_board_and_role_has_a_ranking_in_the_page(small, results):
    *_, page = small
    frame = results.rankings()
    keys = dict.fromkeys(zip(frame["board"], frame["role"].fillna("all roles"), strict=True))
    captions = [text for _, text in page.all("caption")][3:]
    assert captions == [f"{board}, {role}" for board, role in keys]


@pytest.mark.parametrize(
    "scores", ["random", pytest.param("level", marks=pytest.mark.soak), "of the best role"]
)
@pytest.mark.parametrize("schedule", ["swiss", "knockout"])
def test_the_places_of_a_swiss_and_a_knockout_stand_in_the_page(tmp_path, schedule, scores):
    names = ["ann", "bob", "cat", "dan", "<eve>"]
    board = stored.CLASSIC if scores == "of the best role" else stored.DUEL
    of = replace(stored.event(*names, boards=[board]), schedule=schedule)
    with Archive.open(tmp_path, writing=True) as archive:
        walked, records = Plan(of, archive), []
        for match in walked.due():
            assert match is not None
            by_role = {seat.role: seat.bot.name for seat in match.seats}
            role_scores = dict.fromkeys(by_role, 50)  # then the better seed advances
            if scores == "random":
                role_scores = {}
            elif scores == "of the best role" and by_role["pacman"] < by_role["ghost1"]:
                role_scores = {
                    "pacman": 60,
                    "ghost1": 80,
                    "ghost2": 20,
                }  # by the mean of the ghosts the other bot would win
            records.append(stored.played(match, **role_scores))
            archive.append(records[-1])
            walked.done(match.id)
        stored.begin(archive, of, [record.match.id for record in records])
        rows = placings(archive)
    results = Results.open(tmp_path)
    text = write_report(results, tmp_path, placings=rows).read_text("utf-8")
    body = re.search(r'id="places">.*?<tbody>(.*?)</tbody>', text, re.DOTALL).group(1)
    cells = [
        re.findall(r"<t[hd][^>]*>(?:<a[^>]*>)?(.*?)</", row) for row in body.split("</tr>")[:-1]
    ]
    assert text.index('id="places"') < text.index('id="leaderboard-table"')
    last = "buchholz" if schedule == "swiss" else "out"
    assert [row[1] for row in cells] == [row["bot"].replace("<eve>", "&lt;eve&gt;") for row in rows]
    assert [row[0] for row in cells] == [str(row["place"]) for row in rows]
    figures = [row[last] for row in rows]
    assert [row[-1] for row in cells] == [
        "" if figure is None else f"{figure:{'.2f' if last == 'buchholz' else ''}}"
        for figure in figures
    ]
    assert "<eve>" not in text
    bracket = text[text.index('class="rounds"') : text.index("By rating")]
    headings = re.findall("<h4>(.*?)</h4>", bracket)
    assert headings == ["Round 1", "Round 2", "Round 3" if schedule == "swiss" else "Final"]
    assert bracket.count("<b>bye</b>") == 3
    won = Counter(
        html.unescape(bot) for bot in re.findall('class="won"><span>(.*?)</span>', bracket)
    )
    assert won == Counter({row["bot"]: row["won"] for row in rows if row["won"]})


@pytest.mark.soak
def test_the_page_shows_what_changed_since_another_event(tmp_path):
    frames = []
    for name, bots in (("last-week", ("ann", "bob", "<eve>")), ("now", ("dan", "ann", "bob"))):
        event = stored.event(*bots, name=name, boards=[stored.DUEL, stored.CLASSIC])
        records = (stored.likely(match, bots) for match in stored.plan(event))
        with contextlib.closing(
            Results.open(stored.store(tmp_path / "results" / name, event, records))
        ) as read:
            frames.append(read.leaderboard().set_index(["game", "bot"]))
    then, now = frames
    with cup.first_chart_only():
        done = cup.arena(tmp_path, "report", "now", "--since", "last-week")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / done.stdout.strip()).read_text("utf-8")
    section = re.search("<h3>Since last-week</h3>(.*?)<h3>", text, re.DOTALL).group(1)

    def figures(frame, game, bot):
        row, columns = frame.loc[game, bot], LEADERBOARD.rated_in("Elo")
        return [
            f"{row['rank']:.0f}",
            *(columns[name].text(row[name]) for name in ("rating", "points")),
        ]

    for game, table in zip(("mummy_maze", "pacman"), section.split("<table")[1:], strict=True):
        assert f"<caption>{game}</caption>" in table
        rows = [
            re.findall(r"<t[hd][^>]*>(?:<a[^>]*>)?(.*?)</", row) for row in table.split("<tr>")[2:]
        ]
        assert [bot for bot, *_ in rows] == now.loc[game].index.to_list()
        for bot, *cells in rows:
            assert cells[::2] == figures(now, game, bot)
            assert cells[1::2] == (["", "", ""] if bot == "dan" else figures(then, game, bot))
        assert "No longer there: &lt;eve&gt;." in table


def test_other_schedules_have_no_places_in_the_page(small):
    assert "places" not in {attributes.get("id") for attributes, _ in small[2].all("table")}


def test_ratings_intervals_and_tiers_are_shown_where_there_are_some(results):
    league = results.leagues[0]
    figures = {
        "rating": [1.0, 0.0, -0.5],
        "rating_low": [0.5, -np.inf, -1.5],
        "rating_high": [1.5, 1.0, 0.5],
    }
    ranks = {
        "rank_low": [1, 1, 3],
        "rank_high": [1, 3, 3],
        "tier": [1, 1, 2],
        "surprise": [1, 2, 3],
    }
    table = leaderboard(league, frame=league.leaderboard().assign(**figures, **ranks))
    told = {
        heading.name: [row[heading.name].text for row in table.rows] for heading in table.columns
    }
    assert told["range"] == [shown("0.5 to 1.5"), shown("below 1"), shown("-1.5 to 0.5")]
    assert told["ranks"] == ["1", "1\u20133", "3"]
    assert told["tier"] == ["1", "1", "2"]
    assert told["surprise"] == ["1", "2", "3"]
    begin, end = table.rows[1]["range"].span
    assert (begin, 0 < table.rows[1]["range"].marker < end < 100) == (0, True)
    assert table.rows[2]["range"].span[0] > 0  # the open end of another bot leads further


def test_a_bot_without_a_strength_has_no_interval_in_a_ranking(results, monkeypatch):
    frame = results.rankings()
    frame.loc[0, ["strength", "low", "high"]] = np.nan
    monkeypatch.setattr(Results, "rankings", lambda _: frame)
    first, second, *_ = next(rankings(results)).rows
    assert (first["strength"].text, first["low"].text) == ("", "")
    assert " to " in second["low"].text


def shown(text: str) -> str:
    """An interval of ratings as a person reads it."""
    column = LEADERBOARD.rated_in("Elo")["rating"]
    return re.sub(
        r"-?[\d.]+", lambda match: column.text(float(match[0])).replace("-", "\u2212"), text
    )


def test_a_bots_page_tells_its_strength_beside_that_of_all(small, results):
    _, records, page = small
    standing = results.standings[0]
    told = page.data["pages"][page.data["bots"].index(standing.bot)]["strengths"]
    boards = page.data["boards"]
    assert {(boards[b]["label"], boards[b]["roles"][r]): mean for b, r, mean, *_ in told} == {
        place: round(mean, 4) for place, mean in standing.roles.items()
    }
    explorers = [
        record.verdict.scores["explorer"] for record in records if record.match.board == "duel"
    ]
    field = next(all_bots for b, r, _, all_bots, *_ in told if (b, r) == (0, 0))
    assert field == round(sum(explorers) / len(explorers), 4)
    best = results.leagues[1].ratings.ratings[0]
    told = page.data["pages"][page.data["bots"].index(best.bot)]["strengths"]
    rows = {(boards[b]["label"], boards[b]["roles"][r]): row for b, r, *row in told if b == 1}
    assert {place: row[2:5] for place, row in rows.items()} == {
        place: [round(figure, 4) for figure in strength] for place, strength in best.roles.items()
    }
    assert [row[5:] for row in rows.values()] == [
        [f"{strength:.0f}", f"{low:.0f} to {high:.0f}"]
        for strength, low, high in (row[2:5] for row in rows.values())
    ]


def test_the_best_matches_are_above_what_their_seats_bring_and_the_worst_below(small):
    _, records, page = small
    scores: dict[object, list[int]] = {}
    for record in records:
        for role, score in record.verdict.scores.items():
            scores.setdefault((record.match.label, role), []).append(score)
    margins = {
        (record.match.id, seat.bot.name): record.verdict.scores[seat.role]
        - sum(found := scores[record.match.label, seat.role]) / len(found)
        for record in records
        for seat in record.match.seats[:2]  # the ghosts of one bot score alike
    }
    for bot, told in zip(page.data["bots"], page.data["pages"], strict=True):
        assert [margins[match, bot] for match in told["best"]] == sorted(
            (margins[match, bot] for match in told["best"]), reverse=True
        )
        assert all(margins[match, bot] >= 0 for match in told["best"])
        assert all(margins[match, bot] < 0 for match in told["worst"])
        assert told["best"]
        assert told["worst"]


def test_equal_faults_stand_once_with_their_places_and_the_end_of_stderr(tmp_path):
    of = reported.event(reported.BOTS[:2], repeats=2)
    records = [
        reported.crashed(reported.played(match), stderr="\n".join(map(str, range(40))))
        for match in reported.plan(of)
    ]
    page = written(tmp_path, of, records)
    for told in page.data["pages"]:
        (fault,) = told["faults"]
        assert (fault["count"], fault["places"]) == (4, [[0, 0, 2], [1, 0, 2]])
        assert (fault["ending"], fault["words"]) == ("crashed", "the program ended")
        assert fault["stderr"] == [str(number) for number in range(32, 40)]


def test_a_record_that_the_rules_do_not_lead_through_keeps_its_moves_and_says_why(tmp_path):
    of = stored.event("one", "two", boards=[stored.DUEL])
    records = [stored.played(match, turns=3) for match in stored.plan(of)]
    page = written(tmp_path, of, records)
    for replay in page.replays.values():
        assert "the rules or the board were edited" in replay["broken"]
        assert [move[2] for move in replay["moves"]] == ["step north"] * 6
        assert "states" not in replay


def test_a_game_that_is_not_known_here_is_a_reason_too_and_its_board_is_not_drawn(tmp_path):
    of = reported.event(on=[reported.talk(tmp_path)])
    page = written(tmp_path, of, map(reported.played, reported.plan(of)))
    assert page.data["boards"][0]["grids"] == []
    assert all(
        "there is no game or board 'talk/hall'" in replay["broken"]
        for replay in page.replays.values()
    )


def test_linked_matches_come_first_then_one_of_every_seating_then_the_newest():
    of = reported.event(on=reported.boards("duel"), repeats=3)
    matches = reported.plan(of)
    newest = {match.id: number for number, match in enumerate(matches)}
    played = [Played.of(reported.played(match)) for match in matches]
    telling = matches[2].id
    order = by_importance(reversed(played), newest, [telling, "of another event"])
    late = [match.id for match in reversed(matches)]
    assert order == (telling, *late[:6], *(match for match in late[6:] if match != telling))


def kept(page: Parsed) -> set[str]:
    rows = page.data["matches"]
    return {match for match, chunk in zip(rows["id"], rows["replay"], strict=True) if chunk >= 0}


def linked(page: Parsed) -> set[str]:
    told = page.data["pages"]
    cards = {card["match"] for each in told for card in (*each["faults"], *each["lessons"])}
    return cards | {match for each in told for match in (*each["best"], *each["worst"])}


def test_too_many_matches_are_left_out_of_list_and_replays(copied, tmp_path):
    page = Parsed(write_report(copied, tmp_path, listed=9, replayed=8).read_text("utf-8"))
    assert (page.data["event"]["played"], page.data["event"]["listed"]) == (12, 9)
    assert len(page.data["matches"]["id"]) == 9
    assert kept(page) == set(page.replays)
    assert len(kept(page)) == 8
    assert kept(page) <= linked(page) or linked(page) <= kept(page)


def test_a_link_to_the_report_has_a_preview_with_who_leads(copied, tmp_path):
    text = write_report(copied, tmp_path, replayed=0).read_text("utf-8")
    assert '<meta property="og:image" content="card.png">' in text
    assert re.search(r'<meta property="og:description" content="[^"]*1\. (amber|birch|cedar)', text)
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")


def test_the_file_is_never_larger_than_wanted(copied, tmp_path, monkeypatch):
    monkeypatch.setattr("arena.report.replays.TURNS", 60)
    whole = Parsed(write_report(copied, tmp_path).read_text("utf-8")).replays
    wanted = size(tmp_path) - 4_000
    page = Parsed(write_report(copied, tmp_path, size=wanted).read_text("utf-8"))
    assert size(tmp_path) <= wanted
    assert 0 < len(page.replays) < len(whole)
    assert kept(page) == set(page.replays)


@pytest.mark.soak
def test_a_large_page_is_written_in_pieces(copied, tmp_path):
    write_report(copied, tmp_path, replayed=0)  # what it imports is not what it holds
    drawing = "<svg>" + "x" * 390_000
    drawings = [tmp_path / f"drawing{number:02}.svg" for number in range(20)]
    for path in drawings:
        path.write_text(drawing)
    tracemalloc.start()
    try:
        write_report(copied, tmp_path, replayed=0, charts=drawings)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.8 * size(tmp_path)  # the drawings, and no second time as a page


def test_many_replays_are_prepared_side_by_side_the_same_as_few(
    small, copied, tmp_path, monkeypatch
):
    _, records, page = small
    monkeypatch.setattr("arena.report.replays.TURNS", 60)
    monkeypatch.setattr("arena.report.replays.FEW", 0)
    heard: list[tuple[int, int]] = []
    path = write_report(copied, tmp_path, tell=lambda done, total: heard.append((done, total)))
    assert Parsed(path.read_text("utf-8")).replays == page.replays
    assert heard == sorted(heard)
    assert heard[-1] == (len(records), len(records))
    assert len(heard) > 3


def test_a_match_takes_little_room(small, folder, copied, tmp_path):
    write_report(copied, tmp_path, replayed=0)
    each = (size(folder) - size(tmp_path)) / len(small[1])
    assert each * 10_000 < 15_000_000


def size(folder: Path) -> int:
    return (folder / "report.html").stat().st_size


def test_a_report_of_an_event_with_a_drawn_seed_does_not_tell_it(tmp_path):
    of = replace(reported.event(reported.BOTS[:2], on=reported.boards("duel")), seed="3f" * 16)
    records = [reported.played(match) for match in reported.plan(of)]
    page = written(tmp_path, of, records)
    assert page.data["event"]["seed"] == "kept secret"
    values = json.dumps([page.data, page.replays])
    assert not any(
        secret in values for secret in (of.seed, *(record.match.key for record in records))
    )


def test_an_event_that_nobody_played_has_a_report_too(tmp_path):
    page = written(tmp_path, reported.event(), [])
    assert [[row["points"] for row in rows] for rows in leaderboards(page)] == [["", "", ""]] * 2
    assert page.data["matches"]["id"] == []


def test_a_report_that_cannot_be_written_leaves_the_old_one(copied, tmp_path):
    def breaks(match: Match):
        raise RuntimeError(match.id)

    (tmp_path / "report.html").write_text("of an earlier run")
    with pytest.raises(RuntimeError):
        write_report(copied, tmp_path, rules=breaks)
    assert (tmp_path / "report.html").read_text() == "of an earlier run"


def test_a_report_is_made_again_only_if_it_or_what_it_was_made_of_changed(tmp_path, monkeypatch):
    shutil.copytree(rulefile.shipped(), tmp_path / "rules")
    rules = tmp_path / "rules/mummy_maze.py"
    of = reported.event(reported.BOTS[:2], on=reported.boards("duel"))
    records = [reported.played(match) for match in reported.plan(of)]
    path = tmp_path / "report.html"

    def is_made_again(**options: object) -> bool:
        before = path.stat().st_ino
        with contextlib.closing(Results.open(tmp_path)) as results:
            write_report(
                results, tmp_path, rules=lambda match: rulefile.load(rules, match.board), **options
            )
        return path.stat().st_ino != before

    reported.store(tmp_path, of, records[:-1])
    path.write_text("of an earlier run")
    assert is_made_again()
    first = path.read_bytes()
    assert not is_made_again()
    path.write_bytes(first.replace(b"<h1>", b"<h1>not "))
    assert is_made_again()
    assert path.read_bytes() == first
    content, mark, last = first.rpartition(b"<!-- ")
    forged = content.replace(b"<h1>", b"<h1>not ")  # with the seal of nobody who has the secret
    line = last.split()[0] + b" " + hashlib.sha256(forged).hexdigest().encode() + b" -->\n"
    path.write_bytes(forged + mark + line)
    assert is_made_again()
    (tmp_path / "card.png").unlink()
    assert is_made_again()
    assert (tmp_path / "card.png").is_file()
    assert is_made_again(replayed=0)
    assert is_made_again()
    rules.with_name("mummy_maze.viewer.js").write_text("// a view of its own")
    assert is_made_again()
    with monkeypatch.context() as patch:
        patch.setattr(memo, "program_digest", lambda: "of another arena")
        assert is_made_again()
    assert is_made_again()
    with rules.open("a") as file:
        file.write("# edited\n")
    assert is_made_again()
    reported.store(tmp_path, of, records)
    assert is_made_again()
    assert not is_made_again()


def test_the_charts_are_inside_the_file_the_leaderboard_first(copied, tmp_path):
    for name in ("ends", "leaderboard"):
        (tmp_path / f"{name}.svg").write_text(
            f"<svg xmlns='http://www.w3.org/2000/svg'><title>{name}</title></svg>"
        )
        (tmp_path / f"{name}.png").write_bytes(b"pixels")
    path = write_report(copied, tmp_path, charts=sorted(tmp_path.glob("*.*g")), replayed=0)
    page = Parsed(path.read_text("utf-8"))
    images = [attributes for attributes, _ in page.all("img")]
    assert [each["alt"] for each in images] == [charts.caption("leaderboard"), "ends"]
    first = base64.b64decode(str(images[0]["src"]).removeprefix("data:image/svg+xml;base64,"))
    assert first == (tmp_path / "leaderboard.svg").read_bytes()


def test_a_drawing_of_very_many_lines_is_taken_as_pixels(copied, tmp_path, monkeypatch):
    monkeypatch.setattr("arena.report.page.LARGEST_SVG_BYTES", 5)
    (tmp_path / "ends.svg").write_text("<svg/> ")
    (tmp_path / "ends.png").write_bytes(b"pixels")
    path = write_report(
        copied, tmp_path, charts=[tmp_path / "ends.svg", tmp_path / "ends.png"], replayed=0
    )
    page = Parsed(path.read_text("utf-8"))
    assert [attributes["src"] for attributes, _ in page.all("img")] == [
        "data:image/png;base64,cGl4ZWxz"
    ]


@pytest.mark.slow
def test_a_run_leaves_a_report_and_the_command_writes_it_again(tmp_path):
    folder = workspaces.make(tmp_path / "cup", boards="duel")
    with cup.first_chart_only():
        done = cup.arena(folder, "run")
    assert done.returncode == 0, done.stderr
    path = folder / "results" / "cup" / "report.html"
    assert "results/cup/report.html" in done.stderr
    assert len(Parsed(path.read_text()).replays) == 2
    path.unlink()
    with cup.first_chart_only():
        again = cup.arena(folder, "report")
    assert (again.returncode, again.stdout) == (0, "results/cup/report.html\n")
    assert len(Parsed(path.read_text()).replays) == 2


@pytest.mark.parametrize("path", sorted(report_page.PARTS.glob("*.js")), ids=lambda path: path.stem)
def test_a_script_never_makes_markup_of_a_text(path):
    assert (
        re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function",
            path.read_text(),
        )
        == []
    )


def test_a_record_shows_itself_in_a_notebook_as_its_replay(results, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with Archive.open(results.folder) as archive:
        record = next(archive.records())
    results.close()

    def shown(record):
        """In a process that runs IPython, and imports arena then."""
        from IPython.core import interactiveshell

        shell = interactiveshell.InteractiveShell.instance()
        importlib.reload(arena)
        return shell.display_formatter.format(record)[0]["text/html"]

    assert [*parallel.parallel_map(shown, [record], cores=2)] == [notebook.frame(record)]
    assert notebook.frame(record).startswith('<iframe sandbox="allow-scripts" ')


def test_long_lines_of_stderr_do_not_stay_in_memory():
    lines = "\n".join(f"{number} {'x' * 16_000}" for number in range(200))
    last_lines(lines, 200)  # what is imported and cached once
    tracemalloc.start()
    last_lines(lines.replace("x", "y"), 200)
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 500_000
