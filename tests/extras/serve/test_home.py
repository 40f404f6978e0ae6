"""What an author sees after signing in: the last matches, each version's rating, whom to
challenge.
"""

import re

import pytest

from arena.author.submissions.bot_store import BotStore
from arena.event import discovery
from arena.extras.serve import jobs
from arena.values import Ending
from tests.extras.serve import class_site
from tests.extras.serve.served import served
from tests.support.finished import result


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    made = class_site.make(tmp_path_factory.mktemp("home") / "ws")
    store = BotStore(made.workspace / "bots")
    last = store.versions("Ada")[-1]
    with store.changing():  # a version that has not played yet
        copy = store.new_folder() / "Ada.py"
        copy.write_text("print('ready')\n")
        store.keep(discovery.from_path(copy, "Ada"), copy, last.note)
    chart = made.workspace / "results/cup/charts/progress.svg"
    chart.parent.mkdir(exist_ok=True)
    chart.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    return made


@pytest.fixture(scope="module")
def homes(school):
    """The page of each person."""
    with served(school.workspace) as site:
        return {name: school.client(site, name).get("/me").text for name in ("Ada", "Ben", "Olga")}


def part(page: str, heading: str) -> str:
    return re.search(rf"<h2>{heading}</h2>.*?</section>", page, re.DOTALL)[0]


@pytest.mark.soak
def test_an_author_sees_the_last_matches_with_result_reason_and_replay(homes):
    matches = part(homes["Ada"], "Your last matches")
    lines = re.findall(
        r'class="(won|lost|drawn)"><a href="/events/cup/matches/\w{12}">\1, \d+</a>', matches
    )
    assert 2 <= len(lines) <= 10
    assert "crashed" in matches  # her second version


def test_an_author_sees_the_rating_of_each_own_version_and_of_no_other(homes):
    versions = part(homes["Ada"], "Your versions")
    assert re.findall(r'row">Ada (\d)<', versions) == ["3", "2", "1"]
    assert "Ben" not in versions


def test_an_interval_with_an_open_end_is_told_in_words(homes):
    versions = part(homes["Ada"], "Your versions")
    assert re.search(r"<td>below \d+</td>", versions)
    assert "<td> to " not in versions


def test_the_chart_of_the_progress_can_be_scrolled_within_its_panel(homes):
    versions = part(homes["Ada"], "Your versions")
    assert re.search(r'<div class="scroll" [^>]*>\s*<img src=[^>]*progress.svg', versions)


def test_a_version_without_results_is_a_gap_with_its_name(homes):
    versions = part(homes["Ada"], "Your versions")
    assert 'row">Ada 3</th><td>-</td><td>no results</td><td>-</td><td>0</td>' in versions
    assert versions.count("no results") == 1


def test_the_chart_of_the_progress_stands_below_the_ratings_of_the_versions(homes, school):
    found = re.search(r'<img src="([^"]+)"', part(homes["Ada"], "Your versions"))
    assert found is not None
    with served(school.workspace) as site:
        assert school.client(site, "Ada").get(found[1]).status_code == 200


def test_an_author_sees_who_stands_above_the_own_bot(homes):
    rivals = part(homes["Ada"], "Whom to challenge")
    assert re.search(r"is rated \d+ Elo above Ada", rivals)


def test_the_form_of_a_request_asks_at_first_for_enough_pairings_of_many_boards(homes):
    form = part(homes["Ada"], "Unrated matches")
    assert int(re.search(r'name="pairings" [^>]*value="(\d+)"', form)[1]) >= 12


def test_who_has_handed_in_nothing_is_sent_to_the_task(homes):
    assert "Your last matches" not in homes["Olga"]
    assert '<a href="/task">' in part(homes["Olga"], "Your uploads")


def test_a_bot_that_never_started_has_lost_also_where_its_side_won():
    match = result(
        (("pacman",), ("ghost1", "ghost2")),
        "Ada Ben Olga",
        0,
        100,
        0,
        endings={"ghost2": Ending.TIMEOUT},
        absent=["ghost2"],
    )
    assert [seat.won for seat in jobs._line(match, 1, {}).seats] == [False, True, False]
