"""What an author sees after signing in: the last matches, each version's rating, whom to
challenge.
"""

import re

import pytest

from tests.extras.serve import class_site
from tests.extras.serve.served import served


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    return class_site.make(tmp_path_factory.mktemp("home") / "ws")


@pytest.fixture(scope="module")
def homes(school):
    """The page of each person."""
    with served(school.workspace) as site:
        return {name: school.client(site, name).get("/me").text for name in ("Ada", "Ben", "Olga")}


def part(page: str, heading: str) -> str:
    return re.search(rf"<h2>{heading}</h2>.*?</section>", page, re.DOTALL)[0]


def test_an_author_sees_the_last_matches_with_result_reason_and_replay(homes):
    matches = part(homes["Ada"], "Your last matches")
    lines = re.findall(
        r'class="(won|lost|drawn)"><a href="/events/cup/matches/\w{12}">\1, \d+</a>', matches
    )
    assert 2 <= len(lines) <= 10
    assert "crashed" in matches  # her second version


def test_an_author_sees_the_rating_of_each_own_version_and_of_no_other(homes):
    versions = part(homes["Ada"], "Your versions")
    assert re.findall(r'row">Ada (\d)<', versions) == ["2", "1"]
    assert "Ben" not in versions


def test_an_author_sees_who_stands_above_the_own_bot(homes):
    rivals = part(homes["Ada"], "Whom to challenge")
    assert re.search(r"stands above Ada, by \d+ Elo", rivals)


def test_who_has_handed_in_nothing_is_sent_to_the_task(homes):
    assert "Your last matches" not in homes["Olga"]
    assert '<a href="/task">' in part(homes["Olga"], "Your uploads")
