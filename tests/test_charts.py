"""Every chart draws every event: two bots or forty, none, hostile names; legible, and the same bytes each time."""

import functools
import subprocess
import sys
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import stored
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena import charts
from arena.charts import style
from arena.leaderboard import Results
from arena.match import Ending

NAMES = ("crosstable", "endings", "leaderboard", "length", "roles", "time")
HOSTILE = ("$x^2_y$", r"$\frac{", "<script>", "a & b", "\x1b[31mred", "‮gnp", "日本", "_hidden", "x" * 60)


def opened(folder: Path, *names: str, boards=stored.BOARDS) -> Results:
    """Results of an event that bots of these names played, the first being best; a large event has short matches."""
    event, turns = stored.event(*names, boards=boards), 42.0 if len(names) < 20 else 6.0
    return Results.open(
        stored.store(folder, event, (stored.likely(match, names, turns) for match in stored.plan(event)))
    )


def few(count: int) -> list[str]:
    return [f"bot_{number:02d}_of_the_many" for number in range(count)]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def row_names(figure: Figure, panel: int = 0) -> list[str]:
    return [label.get_text() for label in figure.axes[panel].get_yticklabels()]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """The results of so many bots, played once."""
    return functools.cache(lambda count: opened(tmp_path_factory.mktemp("crowd"), *few(count)))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("hostile"), *HOSTILE, boards=[stored.HUNT, stored.DUEL])


@pytest.fixture
def eight(crowd):
    return crowd(8)


@pytest.fixture(scope="module")
def written(crowd, tmp_path_factory):
    """A folder with the charts of an event of two, and what `write` said of it."""
    folder = tmp_path_factory.mktemp("written")
    return folder, charts.write(crowd(2), folder)


@pytest.fixture
def as_svg(monkeypatch):
    """Draw a chart and read its SVG, without the time that a PNG takes."""
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda made, to, **more: to.suffix == ".svg" and save(made, to, **more))
    return lambda name, results, to: style.save(charts.draw(name, results), to)[0].read_bytes()


def test_every_file_of_the_folder_is_a_chart():
    assert charts.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_same_matches_give_the_same_bytes(written, tmp_path, name):
    folder, _ = written
    again = style.save(charts.draw(name, opened(tmp_path / "again", *few(2))), tmp_path / name)
    assert [path.read_bytes() for path in again] == [(folder / "charts" / path.name).read_bytes() for path in again]


def test_the_last_digits_of_the_layout_do_not_show(crowd, tmp_path, as_svg):
    made = {as_svg("crosstable", crowd(2), tmp_path / "made") for _ in range(12)}
    assert len(made) == 1  # the solver's own differ in one layout of four


@pytest.mark.parametrize("name", sorted({*NAMES} - {"time"}))
def test_no_clock_reading_is_in_any_chart_but_that_of_times(tmp_path, name, as_svg):
    made = []
    for wall in (0.5, 0.001):
        event = stored.event("ann", "bob")
        records = (stored.played(match) for match in stored.plan(event))
        timed = (replace(one, seconds=wall, turns=tuple(replace(t, wall=wall) for t in one.turns)) for one in records)
        results = Results.open(stored.store(tmp_path / str(wall), event, timed))
        made.append(as_svg(name, results, tmp_path / "made"))
    assert made[0] == made[1]


@pytest.mark.parametrize("count", [1, 2, 40])
@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_inside_the_picture_and_no_two_rows_overlap(crowd, name, count):
    figure = charts.draw(name, crowd(count))
    figure.draw_without_rendering()
    page = figure.bbox
    for text in figure.findobj(Text):
        if text.get_text() and text.get_visible() and text.axes is not None:
            box = text.get_window_extent()
            if box.width:
                assert page.x0 - 1 <= box.x0
                assert box.x1 <= page.x1 + 1, text.get_text()
                assert page.y0 - 1 <= box.y0, text.get_text()
    for panel in figure.axes:
        boxes = [label.get_window_extent() for label in panel.get_yticklabels() if label.get_text()]
        downwards = sorted(boxes, key=lambda box: -box.y1)
        assert all(upper.y0 >= lower.y1 - 2 for upper, lower in pairwise(downwards))


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_shown_literally_and_the_svg_is_well_formed(hostile, tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a missing letter is a box in the picture and no noise on a terminal
        vector, pixels = style.save(charts.draw(name, hostile), tmp_path / name)
    ElementTree.parse(vector)
    assert b"<script" not in vector.read_bytes()
    assert b"\x1b" not in vector.read_bytes()
    assert pixels.read_bytes().startswith(b"\x89PNG")


def test_names_have_no_control_characters_and_are_cut():
    told = style.shown(HOSTILE)
    assert told[0] == "$x^2_y$"
    assert told[4].startswith("\\x1b[31m")
    assert "‮" not in told[5]
    assert len(told[-1]) == style.NAME
    assert told[-1].endswith("…")


@pytest.mark.parametrize("name", NAMES)
def test_an_event_without_matches_can_be_drawn(tmp_path, name):
    event = stored.event("ann", "bob")
    figure = charts.draw(name, Results.open(stored.store(tmp_path / "cup", event, [])))
    assert style.save(figure, tmp_path / "made")[1].stat().st_size > 1000


def test_the_leaderboard_names_ranks_points_and_who_never_played(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=[stored.HUNT])
    hunts = {match.seats[0].bot.name: match for match in stored.plan(event)}
    records = [stored.played(hunts["ann"], explorer=40), stored.played(hunts["bob"], explorer=73)]
    figure = charts.draw("leaderboard", Results.open(stored.store(tmp_path, event, records)))
    assert row_names(figure) == ["1.  bob", "2.  ann", "cat"]
    assert {"73.0", "40.0", "never played"} <= set(texts(figure))


def test_the_crosstable_has_a_panel_only_where_bots_met(eight):
    titles = [panel.get_title(loc="left") for panel in charts.draw("crosstable", eight).axes]
    assert [title for title in titles if title] == [
        "duel · explorer",
        "duel · mummy",
        "classic · pacman",
        "classic · ghost1",
        "classic · ghost2",
    ]


def test_a_crosstable_of_boards_for_one_says_so(tmp_path):
    figure = charts.draw("crosstable", opened(tmp_path, "ann", "bob", boards=[stored.HUNT]))
    assert any("No two bots met" in text for text in texts(figure))


def test_the_crosstable_has_the_rows_score_in_its_cell(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = stored.plan(event)
    records = [stored.played(first, explorer=90, mummy=10), stored.played(second, explorer=30, mummy=60)]
    figure = charts.draw("crosstable", Results.open(stored.store(tmp_path, event, records)))
    explorer = figure.axes[0]
    assert row_names(figure) == ["ann", "bob"]
    assert {text.get_position(): text.get_text() for text in explorer.texts} == {(1, 0): "90", (0, 1): "30"}


def test_endings_are_shares_of_seats(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = stored.plan(event)
    records = [stored.played(first, mummy=Ending.TIMEOUT), stored.played(second)]
    figure = charts.draw("endings", Results.open(stored.store(tmp_path, event, records)))
    assert "1 of 2" in texts(figure)
    bob = row_names(figure).index("bob")
    timeout = next(bars for bars in figure.axes[0].containers if bars.get_label() == "timeout")
    assert timeout[bob].get_width() == 50


def test_boards_whose_names_begin_alike_keep_their_roles(tmp_path):
    big = replace(stored.DUEL, name="duel_big", digest="9")
    event = stored.event("ann", "bob", boards=[stored.DUEL, big])
    figure = charts.draw("roles", Results.open(stored.store(tmp_path, event, [])))
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert titles == ["duel\nexplorer", "duel\nmummy", "duel_big\nexplorer", "duel_big\nmummy"]


def test_write_puts_every_chart_into_the_folder_in_both_forms(written):
    folder, told = written
    assert {path.name for path in (folder / "charts").iterdir()} == {path.name for path in told}
    assert {path.name for path in told} == {f"{name}.{form}" for name in NAMES for form in ("svg", "png")}


def test_no_chart_needs_pyplot():
    load = "; ".join(f"import arena.charts.{name}" for name in NAMES)
    code = f"import sys; {load}; print('matplotlib.pyplot' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


def test_import_arena_loads_neither_pandas_nor_matplotlib():
    code = "import sys, arena; print({'pandas', 'matplotlib'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
