"""The events of docs/formats.md, tiny and with real bots: cut and gone on with, they end like
events that were not.
"""

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest

from arena.event import config
from tests.support import cup, workspaces
from tests.support.events import event_of, killed_often
from tests.support.sprint import FIRST, LAST

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
EXAMPLES = {
    tomllib.loads(text)["schedule"]: text
    for text in re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    if "schedule" in tomllib.loads(text)
}
BOTS = {"ada": FIRST, "bob": LAST, "walker": "#!/bin/sh\nexit 1\n"}


def event(folder: Path, schedule: str, **keys: object) -> Path:
    """A workspace with three bots: two that are level, since the role decides, and one that loses
    every match.
    """
    return workspaces.make(folder, BOTS, "duel", schedule=schedule, **keys)


def two_games(folder: Path, schedule: str) -> Path:
    """A workspace with two games, a bot that plays both, and bots of one of them."""
    made = workspaces.make(folder, {}, "duel sprint", schedule=schedule, repeats=2)
    for name, games, text in (
        ("ada", ["mummy_maze", "sprint"], FIRST),
        ("bob", ["mummy_maze"], LAST),
        ("cat", ["mummy_maze"], "exit 1"),
        ("eva", ["sprint"], LAST),
    ):
        bot = made / "bots" / name
        bot.mkdir()
        (bot / "bot.sh").write_text(text)
        (bot / "bot.toml").write_text(f'command = "sh bot.sh"\ngames = {json.dumps(games)}\n')
    return made


def placings(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "results/cup/placings.csv").read_text().splitlines()))


def test_the_examples_of_the_page_are_valid(tmp_path):
    assert set(EXAMPLES) >= {"swiss", "knockout", "ladder"}
    for text in EXAMPLES.values():
        file = tmp_path / "tournament.toml"
        file.write_text(f'name = "cup"\nboards = ["duel"]\n{text}')
        config.load(file)


@pytest.mark.parametrize(
    ("schedule", "keys", "most"),
    [
        ("swiss", {"seed_order": ["bob"]}, 8),
        pytest.param("knockout", {"seed_order": ["ada"]}, 16, marks=pytest.mark.soak),
        pytest.param("ladder", {"rounds": 1}, 16, marks=pytest.mark.soak),
    ],
)
def test_an_event_that_was_cut_ends_like_one_that_was_not(tmp_path, schedule, keys, most):
    whole, cut = (event(tmp_path / name, schedule, **keys) for name in ("whole", "cut"))
    assert cup.run_event(whole).returncode == 0
    assert cup.run_event(cut, "--set", "max_matches=3").returncode == 0
    assert cup.stored(cut) == 3
    done = cup.run_event(cut, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert cup.stored(cut) == cup.stored(whole) <= most
    assert cup.tables(cut) == cup.tables(whole)
    places = json.loads(cup.arena(cut, "leaderboard", "--placings", "--json").stdout)
    if schedule == "ladder":
        assert places == []
        assert not (cut / "results/cup/placings.csv").exists()
        return
    assert done.stdout.startswith(
        f'places by the rules of schedule = "{schedule}", where a bye counts as a win:\n'
    )
    assert "\nby rating, which knows matches only:\n" in done.stdout
    at_most = "at most " * (schedule == "knockout")  # deciders are played where pairings are level
    assert re.search(
        rf"^cup: {at_most}\d+ matches, 3 of them played before, 2 at a time$",
        done.stderr,
        re.MULTILINE,
    )
    planned = cup.run_event(whole, "--plan").stdout
    assert f"{at_most}matches" in planned
    assert placings(cut) == placings(whole)
    assert [(row["bot"], str(row["byes"])) for row in places] == [
        (row["bot"], row["byes"]) for row in placings(cut)
    ]
    assert places[-1]["bot"] == "walker"
    if (
        schedule == "swiss"
    ):  # two rounds of a pairing; in the second nobody sits out but `walker`, which never started
        assert {row["bot"]: row["byes"] for row in places} == {"ada": 1, "bob": 0, "walker": 0}
        assert {row["bot"]: row["points"] for row in places} == {
            "ada": 1.5,
            "bob": 1.5,
            "walker": 0,
        }


@pytest.mark.soak
@pytest.mark.parametrize("schedule", ["swiss", "knockout"])
def test_each_game_has_places_of_its_own_also_after_kills(tmp_path, schedule):
    whole, killed = (two_games(tmp_path / name, schedule) for name in ("whole", "killed"))
    (killed / "results").mkdir()
    killed_often(event_of(killed), killed / "results/cup", planned=100, kills=2)
    for folder in (whole, killed):
        done = cup.run_event(folder)
        assert done.returncode == 0, done.stderr
    assert cup.tables(killed) == cup.tables(whole)
    assert placings(killed) == placings(whole)
    rows = [(row["game"], row["bot"]) for row in placings(killed)]
    assert [bot for game, bot in rows if game == "mummy_maze"][-1] == "cat"
    assert sorted(bot for game, bot in rows if game == "sprint") == ["ada", "eva"]
    assert len({game for game, _ in rows[:3]}) == 1 < len({game for game, _ in rows})
    shown = done.stdout.partition("by rating")[0]
    assert re.findall("^(?:mummy_maze|sprint)$", shown, re.MULTILINE) == ["mummy_maze", "sprint"]
    read = json.loads(cup.arena(killed, "leaderboard", "--placings", "--json").stdout)
    assert [(row["game"], row["bot"]) for row in read] == rows
    planned = json.loads(cup.arena(whole, "run", "--plan", "--json").stdout)
    assert {row["board"]: row["played"] <= row["matches"] for row in planned} == {
        "mummy_maze/duel": True,
        "sprint/default": True,
    }
    with cup.first_chart_only():
        report = Path(cup.arena(killed, "report").stdout.strip())
    headings = re.findall("<h3>(Places.*?)</h3>", (killed / report).read_text())
    assert headings == [
        f"Places by the rules of the {schedule}, {game}" for game in ("mummy_maze", "sprint")
    ]


def test_a_seed_that_is_no_bot_is_refused(tmp_path):
    folder = event(tmp_path, "knockout", seed_order=["eva"])
    done = cup.run_event(folder)
    assert done.returncode == 2
    assert "seed_order: no bot 'eva' plays; known: ada, bob, walker" in done.stderr
