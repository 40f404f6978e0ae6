"""Every chart draws every event: two bots or many, none, hostile names; legible, and the same bytes
each time.
"""

import functools
import shutil
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena import charts, extensions
from arena.charts import convergence, style
from arena.charts.style import About, Nothing, letters, sheet
from arena.results.accuracy import MoveSums
from arena.results.leaderboard import Results
from arena.values import Ending
from tests.support import stored

pytestmark = pytest.mark.together
NAMES = (
    "leaderboard",
    "accuracy",
    "better",
    "convergence",
    "crosstable",
    "endings",
    "length",
    "metrics",
    "progress",
    "roles",
    "scores",
    "time",
)
MANY = sheet.MANY + 2
"""Bots: enough of them that the rows of charts are close and small, and that grids have no numbers
and no rules."""
HOSTILE = (
    "$x^2_y$",
    r"$\frac{",
    "<script>",
    "a & b",
    "\x1b[31mred",
    "‮gnp",
    "日本",
    "_hidden",
    "x" * 60,
)
PAIR = ("_<script>$x^2$日", "\x1b$\\frac{$&\u202e")
"""All that is hostile in two names, which are shown whole even where a letter is told by its
number."""


def opened(folder: Path, *names: str, boards=stored.BOARDS, repeats: int = 1) -> Results:
    """Results of an event that bots of these names played, the first being best; a large event has
    short matches.

    Before it an earlier version of each bot played on one board.
    """
    event, turns = (
        stored.event(*names, boards=boards, repeats=repeats),
        42.0 if len(names) < 20 else 4.0,
    )
    older = tuple(replace(bot, digest=f"older {bot.digest}") for bot in event.bots)
    earlier = replace(event, boards=(stored.HUNT,), bots=older, repeats=1)
    stored.store(folder, earlier, map(stored.played, stored.plan(earlier)))
    matches = [*stored.plan(event)]
    records = (
        measured(stored.likely(match, names, turns))
        for match in matches[:: 1 if len(names) < 20 else 3]
    )
    results = Results.open(stored.store(folder, event, records))
    # Nobody played these matches by the rules of a solved board, so the grades are made up, too.
    for each in {results, *results.leagues}:
        sums = {
            label: {(label, role, bot): MoveSums(9, 50, number) for number, bot in enumerate(names)}
            for label, role in (("mummy_maze/duel", "mummy"), ("pacman/classic", "pacman"))
            if label in each.boards
        }
        each.accuracy_sums, each.regret_sums = (
            sums.get("mummy_maze/duel", {}),
            sums.get("pacman/classic", {}),
        )
    return results


def measured(record):
    """The same record, with metrics in the remarks of its first turns."""
    spoken = (
        turn._replace(remarks=(f"depth {turn.number} nodes=9e{turn.number}",))
        for turn in record.turns[:4]
    )
    return replace(record, turns=(*spoken, *record.turns[4:]))


def few(count: int) -> list[str]:
    return [f"bot_{number:02d}_of_the_many" for number in range(count)]


def texts(figure: Figure) -> list[str]:
    return [
        text.get_text() for text in figure.findobj(Text) if text.get_text() and text.get_visible()
    ]


def row_names(figure: Figure, panel: int = 0) -> list[str]:
    return [label.get_text() for label in figure.axes[panel].get_yticklabels()]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """The results of a number of bots, played once; two have hostile names."""
    return functools.cache(
        lambda count: opened(
            tmp_path_factory.mktemp("crowd"),
            *(PAIR if count == 2 else few(count)),
            boards=stored.BOARDS if count == 2 else stored.BOARDS[:2],
            repeats=4 if count == 2 else 1,
        )
    )


@pytest.fixture(scope="module")
def saved(crowd, tmp_path_factory):
    """A chart of two bots, drawn and saved once, and its files."""
    folder = tmp_path_factory.mktemp("saved")

    @functools.cache
    def draw_and_save(name):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a letter that no font here has, say
            figure = charts.render(name, crowd(2))
            return figure, style.save(figure, folder / name)

    return draw_and_save


@pytest.fixture(scope="module")
def drawn(crowd, saved):
    """A chart of a number of bots, drawn once."""
    return functools.cache(
        lambda name, count: saved(name)[0] if count == 2 else charts.render(name, crowd(count))
    )


@pytest.fixture(scope="module")
def written(crowd, tmp_path_factory):
    """A folder with the charts of an event of two, and what `write` said of it."""
    folder = tmp_path_factory.mktemp("written")
    return folder, charts.write(crowd(2), folder)


def test_every_file_of_the_folder_is_a_chart_with_a_caption():
    of_extras = {name for extension in extensions.extras().values() for name in extension.charts}
    assert {*charts.names()} == {*NAMES, *of_extras}  # those of extras are drawn of few events
    assert charts.names()[0] == NAMES[0]
    assert all(charts.caption(name).endswith(".") for name in NAMES)


def test_every_chart_is_documented():
    page = (Path(__file__).parents[2] / "results" / "README.md").read_text()
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_same_matches_give_the_same_bytes_and_hostile_names_are_shown_literally(
    saved, written, name
):
    _, files = saved(name)
    assert [path.read_bytes() for path in files] == [
        (written[0] / "charts" / path.name).read_bytes() for path in files
    ]
    vector, _ = files
    ElementTree.parse(vector)
    assert b"<script" not in vector.read_bytes()
    assert b"\x1b" not in vector.read_bytes()


def test_no_frame_but_that_of_times_hangs_on_a_clock_or_on_which_match_ended_first(tmp_path):
    made = []
    for wall, way in ((0.5, 1), (0.001, -1)):
        event = stored.event("ann", "bob", repeats=2)
        records = [measured(stored.played(match)) for match in stored.plan(event)][::way]
        timed = (
            replace(one, seconds=wall, turns=tuple(t._replace(wall=wall) for t in one.turns))
            for one in records
        )
        results = Results.open(stored.store(tmp_path / str(wall), event, timed))
        made.append([charts._chart(name).frame(results) for name in sorted({*NAMES} - {"time"})])
    for one, other in zip(*made, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def seen(figure: Figure) -> list[Text]:
    """The texts that are drawn: those of ticks beyond the ends of an axis are not."""
    found, plain = [], Text.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Text, "draw", lambda text, renderer: (found.append(text), plain(text, renderer))
        )
        figure.draw_without_rendering()
    return [text for text in found if text.get_text() and text.get_visible()]


@pytest.mark.parametrize("count", [2, MANY])
@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_inside_the_picture_and_no_two_rows_overlap(drawn, name, count):
    figure = drawn(name, count)
    page = figure.bbox.padded(1)
    for text in seen(figure):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text.get_text()
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text.get_text()
    for panel in figure.axes:
        boxes = [label.get_window_extent() for label in panel.get_yticklabels() if label.get_text()]
        downwards = sorted(boxes, key=lambda box: -box.y1)
        assert all(upper.y0 >= lower.y1 - 2 for upper, lower in pairwise(downwards))


def test_a_chart_that_was_cut_short_leaves_the_one_before(tmp_path, monkeypatch):
    drawn = Figure()
    before = [path.read_bytes() for path in style.save(drawn, tmp_path / "leaderboard")]
    plain = Figure.savefig

    def fails(made, to, **more):
        to.write(b"half a pic")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fails)
    with pytest.raises(OSError, match="No space left"):
        style.save(drawn, tmp_path / "leaderboard")
    monkeypatch.setattr(Figure, "savefig", plain)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "leaderboard.png",
        "leaderboard.svg",
    ]
    assert [(tmp_path / f"leaderboard{form}").read_bytes() for form in (".svg", ".png")] == before


def test_names_have_no_control_characters_and_are_cut():
    told = letters.shown([*HOSTILE, "x" * 30 + "y" * 30])
    assert told[0] == "$x^2_y$"
    assert told[4].startswith("\\x1b[31m")
    assert "‮" not in told[5]
    assert told[-2:] == ["xxxxxxxxxx…xxxxxxxxx", "xxxxxxxxxx…yyyyyyyyy"]
    assert len(told[-1]) == letters.NAME


CLASS = {
    "their ends differ": [
        f"assignsubmission_file_{number:02d}_{name}" for number, name in enumerate(HOSTILE)
    ],
    "both ends are the same": [
        f"assignsubmission_file_{number:03d}_assignsubmission_file_bot" for number in range(99)
    ],
    "one letter differs": ["x" * place + "y" + "x" * (60 - place) for place in range(61)],
    "one begins another": ["x" * length for length in range(1, 70)],
    "cut as they are called": ["xxxxxxxxxx…xxxxxxxxx", "x" * 60, "x" * 20],
}


@pytest.mark.parametrize("names", CLASS.values(), ids=CLASS)
def test_no_two_names_get_one_label(names):
    assert len({*letters.shown(names)}) == len(names)
    assert About(bots=tuple(names)).labels(names[:2]) == letters.shown(names)[:2]


def test_a_label_keeps_the_word_in_which_names_differ():
    names = [
        f"assignsubmission_file_group{number:03d}_assignsubmission_file_bot" for number in range(12)
    ]
    assert letters.shown(names)[7] == "assi…group007…ile_bot"


def ratings(*values: float, reach: float = 0.2) -> pd.DataFrame:
    """A leaderboard of bots with these ratings, none of which is surely apart from its
    neighbours.
    """
    count = len(values)
    own = pd.Series(sorted(values, reverse=True))
    ranks = pd.Series(range(1, count + 1))
    return pd.DataFrame(
        {
            "bot": [f"bot{place}" for place in range(count)],
            "rating": own,
            "rating_low": own - reach,
            "rating_high": own + reach,
            "rank_low": (ranks - 1).clip(lower=1),
            "rank_high": (ranks + 1).clip(upper=count),
            "tier": (ranks + 1) // 2,
            "points": 50 + own,
        }
    )


def shares(figure: Figure, values) -> list[float]:
    """Where on the width of the first panel these values stand, 0 to 1."""
    panel = figure.axes[0]
    return [
        float(panel.transAxes.inverted().transform(panel.transData.transform((value, 0)))[0])
        for value in values
    ]


def test_a_bot_far_away_is_an_arrow_and_does_not_squeeze_the_others():
    others = [1.0, 0.6, 0.3, -0.2, -1.0]
    for far in (-9.0, 9.0):
        figure = charts._chart("leaderboard").render(ratings(far, *others))
        best, *_, worst = shares(figure, others)
        assert best - worst > 0.5
        assert any("an arrow leads beyond the axis" in text for text in texts(figure))
        assert f"{far:.2f}".replace("-", "\u2212") in texts(figure)
    even = charts._chart("leaderboard").render(ratings(*others))
    assert not any("arrow" in text for text in texts(even))


def test_an_open_interval_is_an_arrow_at_the_end_of_the_axis():
    figure = charts._chart("leaderboard").render(
        ratings(1.0, 0.5, 0.0).replace({"rating_high": {1.2: np.inf}})
    )
    dots, *arrows = [
        each.get_offsets() for each in figure.axes[0].collections if len(each.get_offsets())
    ][1:]
    assert len(dots) == 3
    assert [len(points) for points in arrows] == [1]


@pytest.mark.parametrize("name", ["better", "crosstable"])
def test_a_grid_of_many_bots_has_the_first_of_them_and_says_so(name, monkeypatch):
    assert sheet.GRID == 100
    monkeypatch.setattr(charts._chart(name), "GRID", 10)  # a hundred take a second to draw
    names = [f"bot{number:03d}" for number in range(13)]
    rows = [(one, other, 0.5) for one in names for other in names if one != other]
    if name == "better":
        frame = pd.DataFrame(rows, columns=["bot", "opponent", "chance"])
    else:
        frame = pd.DataFrame(rows, columns=["bot", "opponent", "score"]).assign(
            board="maze", role="mummy"
        )
    figure = charts._chart(name).render(frame, About(bots=tuple(names)))
    assert row_names(figure) == names[: 9 if name == "better" else 10]
    assert any("the first 10 of 13 bots" in text for text in texts(figure))


def test_a_name_in_letters_without_a_font_is_written_in_unique_latin_ones(monkeypatch):
    monkeypatch.setattr(
        letters, "_family", lambda letter: "DejaVu Sans" if letter < "\u3000" else None
    )
    assert letters.shown(["李雷", "Zürich", "a\U000f0000"]) == ["LiLei", "Zürich", "a\\U000f0000"]
    assert letters.shown(["李雷", "李蕾", "LiLei"]) == ["\\u674e\\u96f7", "\\u674e\\u857e", "LiLei"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (
            "\u0e44\u0e17\u0e22\u0e41\u0e25\u0e19\u0e14\u0e4c",
            "aithyaelnd",
        ),  # Thai, with a silent mark at the end
        ("\u0939\u093f\u0928\u094d\u0926\u0940 bot", "hindi bot"),
        ("\u0ba4\u0bae\u0bbf\u0bb4\u0bcd", "tmil"),
        ("Zu\u0308rich", "Zürich"),
        ("\U0001f525", "fire"),
        ("\U0001f525bot", "fire bot"),
        ("a\U0001f525\U0001f525 b", "a fire fire b"),
        ("\U0001f44d\U0001f3fd", "thumbsup"),  # in a colour of skin
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "man woman girl"),  # one picture of three
        ("\U0001f1e9\U0001f1ea", "DE"),
        ("a\u200db", "a\\u200db"),  # invisible, and joins nothing
        (":fire:", ":fire:"),
        ("\U000f0000", "\\U000f0000"),
    ],
)
def test_a_word_of_another_script_is_transliterated_and_an_emoji_named(monkeypatch, name, label):
    monkeypatch.setattr(
        letters, "_family", lambda letter: "DejaVu Sans" if letter < "\u0900" else None
    )
    assert letters.drawable(name) == label


def test_names_that_differ_in_a_silent_mark_keep_apart(monkeypatch):
    monkeypatch.setattr(
        letters, "_family", lambda letter: "DejaVu Sans" if letter < "\u0900" else None
    )
    shown = letters.shown(["\u0e14\u0e4c", "\u0e14", "\U0001f525", "fire"])
    assert len({*shown}) == 4
    assert "fire" in shown


def test_a_letter_that_dejavu_lacks_is_lent_by_another_font_or_told_by_its_number():
    assert letters.drawable("Zürich") == "Zürich"
    assert letters.families("Zürich") == ("DejaVu Sans",)
    lent = next(
        chr(code) for code in range(0x2100, 0x2C00) if letters._family(chr(code)) == "STIXGeneral"
    )
    assert letters.drawable(lent) == lent
    assert letters.families(f"a{lent}") == ("DejaVu Sans", "STIXGeneral")
    assert letters.drawable("a\U000f0000b") in {"a\\U000f0000b", "a\U000f0000b"}


def test_an_event_without_matches_has_no_chart_and_the_reason_in_a_word(tmp_path):
    results = Results.open(stored.store(tmp_path, stored.event("ann", "bob"), []))
    for name in NAMES:
        made = charts.render(name, results)
        assert isinstance(made, Nothing), name
        assert 0 < len(made.why.split()) < 8, name


def test_a_chart_with_nothing_to_say_is_not_written_and_an_older_one_goes(tmp_path, monkeypatch):
    event = stored.event("ann", "bob", boards=[stored.HUNT])
    results = Results.open(stored.store(tmp_path, event, map(stored.played, stored.plan(event))))
    monkeypatch.setattr(charts, "names", lambda: ("crosstable", "endings", "metrics", "length"))
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "metrics.svg").write_text("of an earlier run")
    told = charts.write(results, tmp_path)
    assert told.silent == {
        "crosstable": "no two bots met",
        "endings": "nobody was at fault",
        "metrics": "no bot reported any",
    }
    assert sorted(path.name for path in (tmp_path / "charts").iterdir()) == [
        "length.png",
        "length.svg",
    ]


def test_write_puts_every_chart_into_the_folder_in_both_forms(written):
    folder, told = written
    assert {path.name for path in (folder / "charts").iterdir()} == {
        path.name for path in told.files
    }
    assert {path.name for path in told.files} == {
        f"{name}.{form}" for name in NAMES for form in ("svg", "png")
    }


class DrawnAgainError(Exception):
    """Somebody draws."""


@pytest.fixture
def no_drawing(monkeypatch):
    """From here on drawing raises."""

    def parallel_map(work, items):
        raise DrawnAgainError

    monkeypatch.setattr(charts.parallel, "parallel_map", parallel_map)


def test_charts_of_the_same_results_are_drawn_once(written, crowd, no_drawing):
    folder, told = written
    again = charts.write(crowd(2), folder)
    assert {*again.files} == {*told.files}
    assert again.silent == told.silent


CHANGES = {
    "removed": lambda folder: (folder / "charts" / "scores.svg").unlink(),
    "forgotten": lambda folder: (folder / ".charts.json").unlink(),
    "cut short": lambda folder: (folder / ".charts.json").write_text("{"),
    "of another event": lambda folder: (folder / ".charts.json").write_text('["", {}]'),
    "no reasons": lambda folder: (folder / ".charts.json").write_text(
        (folder / ".charts.json").read_text().partition(",")[0] + ", 1]"
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_charts_are_drawn_again_where_a_file_is_missing(
    change, written, crowd, tmp_path, no_drawing
):
    shutil.copytree(written[0], tmp_path, dirs_exist_ok=True)
    change(tmp_path)
    with pytest.raises(DrawnAgainError):
        charts.write(crowd(2), tmp_path)


def test_charts_are_drawn_again_when_there_are_more_matches(tmp_path, monkeypatch):
    monkeypatch.setattr(charts, "names", lambda: ("length",))
    event = stored.event("ann", "bob", boards=[stored.HUNT], repeats=2)
    records = [stored.played(match) for match in stored.plan(event)]
    pictures = []
    for count in (1, 1, 2):
        results = Results.open(stored.store(tmp_path, event, records[:count]))
        (path, _) = charts.write(results, tmp_path).files
        pictures.append((path.stat().st_ino, path.read_bytes()))
    assert pictures[0] == pictures[1]
    assert pictures[1][1] != pictures[2][1]


BOARD = pd.DataFrame(
    {
        "bot": ["ann", "bob", "cat", "dan"],
        "rating": [1.5, 0.25, -0.5, None],
        "rating_low": [1.0, -0.25, -1.0, None],
        "rating_high": [2.0, 0.5, 0.25, None],
        "rank_low": [1, 2, 2, None],
        "rank_high": [1, 3, 3, None],
        "tier": [1, 2, 2, None],
        "points": [80.0, 55.0, 45.0, None],
    }
)


def test_the_leaderboard_shows_intervals_ranks_points_and_who_never_played():
    figure = charts._chart("leaderboard").render(BOARD)
    assert row_names(figure) == ["ann", "bob", "cat", "dan"]
    assert {"1.50", "0.25", "\u22120.50", "1", "2\u20133", "80.0", "never played"} <= set(
        texts(figure)
    )
    lines = figure.axes[0].collections[0].get_segments()
    assert [tuple(line[:, 0]) for line in lines[:3]] == [(1.0, 2.0), (-0.25, 0.5), (-1.0, 0.25)]


def test_a_game_without_matches_has_no_axis():
    unplayed = BOARD.assign(rating=np.nan, rating_low=np.nan, rating_high=np.nan, points=np.nan)
    games = [BOARD.assign(game="maze"), unplayed.assign(game="pacman")]
    figure = charts._chart("leaderboard").render(pd.concat(games, ignore_index=True))
    assert [panel.xaxis.get_visible() for panel in figure.axes] == [True, False]


def test_bots_of_one_tier_stand_on_one_ground():
    figure = charts._chart("leaderboard").render(BOARD)
    grounds = [
        (patch.get_y(), patch.get_y() + patch.get_height()) for patch in figure.axes[0].patches
    ]
    assert grounds[0] == (-0.5, 0.5)  # ann; bob and cat are on white; then dan, who has no tier
    assert grounds[1:] == [(2.5, 3.5)]


def test_a_leaderboard_without_ratings_shows_points():
    figure = charts._chart("leaderboard").render(BOARD[["bot", "points"]])
    assert [bar.get_width() for bar in figure.axes[0].patches] == [80, 55, 45, 0]


def test_the_crosstable_has_a_panel_only_where_bots_met(drawn):
    figure = drawn("crosstable", 2)
    headings = [
        [text.get_text() for text in panel.texts if not text.get_text().isdigit()]
        for panel in figure.axes
    ]
    assert [" ".join(reversed(lines)) for lines in headings] == [
        "mummy_maze/duel as explorer",
        "mummy_maze/duel as mummy",
        "pacman/classic as pacman",
        "pacman/classic as ghost1",
        "pacman/classic as ghost2",
    ]


def test_each_panel_of_a_board_names_its_game(drawn):
    boards = {"mummy_maze/hunt", "mummy_maze/duel", "pacman/classic"}
    for name in ("roles", "length", "scores"):
        headings = {
            text for text in texts(drawn(name, 2)) if text.endswith(("hunt", "duel", "classic"))
        }
        assert headings == boards, name


def test_roles_that_always_score_alike_share_a_panel():
    rows = [
        ("b", role, bot, other, 50.0)
        for role in ("x", "y")
        for bot, other in (("one", "two"), ("two", "one"))
    ]
    table = pd.DataFrame(rows, columns=["board", "role", "bot", "opponent", "score"])
    figure = charts._chart("crosstable").render(table)
    assert "as x, y" in texts(figure)
    assert len(figure.axes) == 1


def test_the_crosstable_has_the_rows_score_in_its_cell(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = stored.plan(event)
    records = [
        stored.played(first, explorer=90, mummy=10),
        stored.played(second, explorer=30, mummy=60),
    ]
    figure = charts.render("crosstable", Results.open(stored.store(tmp_path, event, records)))
    names, explorer = row_names(figure), figure.axes[0]
    ann, bob = names.index("ann"), names.index("bob")
    cells = {
        text.get_position(): text.get_text() for text in explorer.texts if text.get_text().isdigit()
    }
    assert cells == {(bob, ann): "90", (ann, bob): "30"}


def test_a_score_of_0_and_bots_that_never_met_look_unlike():
    def drawn(*pairs):
        rows = [(one, other, 0.0) for pair in pairs for one, other in (pair, pair[::-1])]
        frame = pd.DataFrame(rows, columns=["bot", "opponent", "score"]).assign(
            board="maze", role="mummy"
        )
        figure = charts._chart("crosstable").render(frame)
        return figure.axes[0].patch.get_hatch(), any(
            "hatched: never met" in text for text in texts(figure)
        )

    assert drawn("ab", "bc", "ac") == (None, False)
    assert drawn("ab", "bc") == ("////", True)


def test_cells_have_one_size_beside_a_panel_of_more_bots():
    rows = [
        (board, "mummy", bot, other, 0.0)
        for board, bots in (("few", "ab"), ("many", "abcde"))
        for bot in bots
        for other in bots
        if bot != other
    ]
    frame = pd.DataFrame(rows, columns=["board", "role", "bot", "opponent", "score"])
    panels = charts._chart("crosstable").render(frame).axes
    cells = [np.ptp(panel.transData.transform([(0, 0), (1, 1)]), axis=0) for panel in panels]
    assert [len(row_names(panel.figure, number)) for number, panel in enumerate(panels)] == [2, 5]
    assert cells[0] == pytest.approx(cells[1])
    assert cells[0][0] == pytest.approx(cells[0][1])


@pytest.mark.parametrize("name", ["crosstable", "better"])
def test_the_scale_of_colours_stands_between_the_subtitle_and_the_headings(drawn, name):
    figure = drawn(name, MANY)
    figure.draw_without_rendering()
    *panels, scale = figure.axes
    _, subtitle = figure.texts
    drawn_scale = scale.get_tightbbox()
    assert drawn_scale.y1 < subtitle.get_window_extent().y0
    for panel in panels:
        assert panel.get_tightbbox().y1 < drawn_scale.y0


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (1.0, ">99"),
        (0.999, ">99"),
        (0.995, ">99"),
        (0.994, "99"),
        (0.5, "50"),
        (0.005, "1"),
        (0.004, "<1"),
        (0.0, "<1"),
    ],
)
def test_a_chance_is_never_shown_as_certain(chance, text):
    rows = [("ann", "bob", chance), ("bob", "ann", 1 - chance)]
    figure = charts._chart("better").render(
        pd.DataFrame(rows, columns=["bot", "opponent", "chance"])
    )
    assert text in texts(figure)


def test_halves_are_rounded_alike_in_charts_and_in_the_terminal():
    rows = [("maze", "mummy", *pair, 62.5) for pair in ("ab", "ba")]
    frame = pd.DataFrame(rows, columns=["board", "role", "bot", "opponent", "score"])
    assert "63" in texts(charts._chart("crosstable").render(frame))


def test_endings_are_shares_of_the_matches_of_those_at_fault(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = stored.plan(event)
    records = [stored.played(first, mummy=Ending.TIMEOUT), stored.played(second)]
    figure = charts.render("endings", Results.open(stored.store(tmp_path, event, records)))
    assert row_names(figure) == ["bob"]
    assert "1 of 2" in texts(figure)
    (timeout,) = figure.axes[0].containers
    assert timeout.get_label() == "timeout"
    assert timeout[0].get_width() == 50


def test_a_bot_that_lost_on_time_is_marked_at_the_limit_or_beyond(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = stored.plan(event)
    limit = event.conditions.time.move
    records = [stored.played(first, mummy=Ending.TIMEOUT, turns=0), stored.played(second)]
    figure = charts.render("time", Results.open(stored.store(tmp_path, event, records)))
    (late,) = [each for each in figure.axes[0].collections if each.get_label() == "lost on time"]
    assert row_names(figure)[0] == "bob"
    assert late.get_offsets().tolist() == [[limit, 0], [None, None]]


def test_the_rankings_say_how_many_bots_they_leave_out(monkeypatch):
    monkeypatch.setattr(charts._chart("roles"), "MOST", 2)
    rows = [
        ("maze", role, rank, name, 1.0, 0.0, 2.0, 50.0 + ord(role))
        for role in "xy"
        for rank, name in enumerate("abc", 1)
    ]
    frame = pd.DataFrame(
        rows, columns=["board", "role", "rank", "bot", "strength", "low", "high", "score"]
    )
    figure = charts._chart("roles").render(frame)
    assert any("the first 2 of 3 bots" in text for text in texts(figure))


def test_rankings_of_one_game_share_an_axis_and_those_of_two_games_do_not():
    rows = [
        (f"{game}/board", role, rank, name, value + rank, value, value + 9, 50.0 + rank)
        for game, value in (("maze", 0.0), ("pond", 900.0))
        for role in "xy"
        for rank, name in enumerate("ab", 1)
    ]
    frame = pd.DataFrame(
        rows, columns=["board", "role", "rank", "bot", "strength", "low", "high", "score"]
    )
    frame.loc[frame["role"] == "y", "score"] += 1.0  # roles that score alike share a panel
    first, second, third, fourth = (
        panel.get_xlim() for panel in charts._chart("roles").render(frame).axes
    )
    assert first == second
    assert third == fourth
    assert first[1] < third[0]


def test_a_panel_names_all_its_roles_however_many_there_are():
    roles = ["all roles", "navigator", "explorer", "mummy"]
    rows = [("maze/hall", role, "ann", 1, 0.5, 0.0, 1.0, 50.0) for role in roles]
    rows.append(("maze/hall", "the scribe", "bob", 1, 0.5, 0.0, 1.0, 70.0))
    columns = ["board", "role", "bot", "rank", "strength", "low", "high", "score"]
    figure = charts._chart("roles").render(pd.DataFrame(rows, columns=columns))
    lines = [text for text in figure.axes[0].texts if "r," in text.get_text()]
    lines.sort(key=lambda line: line.xyann[1], reverse=True)
    assert [line.get_text() for line in lines] == ["all roles, navigator,", "explorer, mummy"]


def test_the_limit_is_drawn_where_it_is(crowd, drawn):
    figure = drawn("time", 2)
    (limit,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert set(limit.get_xdata()) == {crowd(2).event.conditions.time.move}
    assert "limit" in texts(figure)


def test_the_last_part_of_the_matches_has_the_ratings_of_the_leaderboard(crowd):
    for league in crowd(2).leagues:
        frame, board = convergence.frame(league), league.leaderboard()
        last = frame[frame["matches"] == frame["matches"].max()]
        assert frame["matches"].max() == league.count
        assert frame["matches"].is_monotonic_increasing
        assert dict(zip(last["bot"], last["rating"], strict=True)) == dict(
            zip(board["bot"], board["rating"], strict=True)
        )


def test_charts_of_several_games_have_a_panel_a_game_and_no_empty_row(drawn):
    figure = drawn("leaderboard", 2)
    headings = [text for panel in figure.axes for text in (each.get_text() for each in panel.texts)]
    assert [text for text in headings if text in {"mummy_maze", "pacman", "all games"}] == [
        "mummy_maze",
        "pacman",
    ]
    assert [len(row_names(figure, panel)) for panel in range(2)] == [2, 2]

    assert len(drawn("better", 2).axes) == 2
    assert len(drawn("convergence", 2).axes) == 4


@pytest.mark.soak
def test_a_panel_of_ratings_has_the_line_of_every_other_bot(drawn):
    for panel in drawn("convergence", MANY).axes:
        assert len(panel.collections[0].get_segments()) == MANY - 1


def test_a_bots_scores_are_counted_by_role(crowd):
    frame = charts._chart("scores").frame(crowd(2))
    held = frame.groupby(["board", "role"])["matches"].sum()
    assert held.to_dict() == {
        ("mummy_maze/hunt", "explorer"): 8,
        **dict.fromkeys([("mummy_maze/duel", "explorer"), ("mummy_maze/duel", "mummy")], 8),
        **dict.fromkeys([("pacman/classic", role) for role in ("pacman", "ghost1", "ghost2")], 8),
    }
    means = frame.assign(total=frame["score"] * frame["matches"]).groupby(["board", "role", "bot"])[
        ["total", "matches"]
    ]
    standing = crowd(2).standings[0]
    for (board, role, bot), row in means.sum().iterrows():
        if bot == standing.bot:
            assert row["total"] / row["matches"] == pytest.approx(standing.roles[board, role])


def test_each_version_has_the_rank_that_it_had_in_its_time(tmp_path):
    """ann is first beaten by everybody; her next version beats them, and then bob's next version
    beats her.
    """
    event = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=3)
    bots = {bot.name: bot for bot in event.bots}
    for field, order in (
        ({}, "bob cat ann"),
        ({"ann": "new"}, "ann bob cat"),
        ({"ann": "new", "bob": "next"}, "bob ann cat"),
    ):
        entered = tuple(
            replace(bot, digest=field.get(name, bot.digest)) for name, bot in bots.items()
        )
        best = order.split()
        now = replace(event, bots=entered)

        def scored(match, best=best):
            explorer, mummy = (best.index(seat.bot.name) for seat in match.seats)
            return stored.played(
                match, explorer=70 if explorer < mummy else 30, mummy=30 if explorer < mummy else 70
            )

        results = Results.open(stored.store(tmp_path, now, map(scored, stored.plan(now))))
    frame = results.versions()
    ranks = {(row.bot, row.version): row.rank for row in frame.itertuples()}
    assert ranks == {("ann", 1): 3, ("ann", 2): 2, ("bob", 1): 2, ("bob", 2): 1, ("cat", 1): 3}
    assert frame.set_index(["bot", "version"])["digest"]["ann", 2] == "new"
    ratings = frame.set_index(["bot", "version"])["rating"]
    assert (
        ratings["bob", 2]
        > ratings["ann", 2]
        > ratings["bob", 1]
        > ratings["cat", 1]
        > ratings["ann", 1]
    )
    drawn = charts.render("progress", results)
    assert [panel.texts[0].get_text() for panel in drawn.axes] == ["bob", "ann"]


def test_bots_without_a_second_version_have_no_progress(tmp_path):
    event = stored.event("ann", "bob")
    results = Results.open(stored.store(tmp_path, event, map(stored.played, stored.plan(event))))
    assert results.versions().empty
    assert charts.render("progress", results).why == "no bot has played in two versions"


def test_a_chart_is_drawn_from_a_frame_of_ones_own():
    frame = pd.DataFrame({"board": ["maze"] * 3, "turns": [3, 4, 9], "matches": [1, 2, 1]})
    figure = charts._chart("length").render(frame, About(event="mine"))
    assert {"mine: how long matches are", "maze", "median 4 turns"} <= set(texts(figure))
