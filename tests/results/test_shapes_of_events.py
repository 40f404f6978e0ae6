"""Every shape of event, in everything that shows results: who has a rank in which game, and nowhere
another order.
"""

import csv
import functools
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from arena import charts
from arena.charts.style import Nothing
from arena.event.schedules import round_robin
from arena.report.leaderboard import leaderboards
from arena.report.writing import write_report
from arena.results.leaderboard import Results, write_csv
from arena.results.ranked import ranked_bots, who_plays_what
from arena.values import Board, Ending, Event
from tests.support import cup, stored
from tests.support.stored import CLASSIC, DUEL, HUNT

MAZES, PACMAN = HUNT.game, CLASSIC.game
GHOSTS = ("ghost1", "ghost2")


@dataclass(frozen=True)
class Shape:
    """An event, and what is promised of it."""

    boards: tuple[Board, ...]
    bots: dict[str, dict[str, tuple[str, ...]]]
    """Each bot, and its `games` or `roles`; none means all."""
    ranked: dict[str, str] = field(default_factory=dict)
    """The bots with a rank in each game, by name; '' for nobody."""
    overall: str = ""
    """The bots that have a rank over all games."""
    fields: str = ""
    """Who plays what, in an event of several games without a table of all."""
    specialists: dict[str, str] = field(default_factory=dict)
    """The bots that play a part of a game only, by game."""
    absent: str = ""
    """A bot that crashes before its first answer, each time."""
    late: str = ""
    """A bot that has played no match yet."""

    @property
    def event(self) -> Event:
        bots = [replace(stored.bot(name), **part) for name, part in self.bots.items()]
        return Event(name="cup", seed=7, boards=self.boards, bots=tuple(bots), repeats=2)


ALL: dict[str, tuple[str, ...]] = {}
THREE = dict.fromkeys(("ann", "bob", "cat"), ALL)
SHAPES = {
    "one game": Shape((HUNT, DUEL), THREE, {MAZES: "ann bob cat"}),
    "two games, and bots of one of them": Shape(
        (HUNT, CLASSIC, DUEL),
        {"ann": ALL, "bob": ALL, "cat": {"games": (PACMAN,)}, "dan": {"games": (MAZES,)}},
        {MAZES: "ann bob dan", PACMAN: "ann bob cat"},
        fields="all games: ann, bob; mummy_maze only: dan; pacman only: cat",
    ),
    "two games, and most bots play both": Shape(
        (HUNT, CLASSIC, DUEL),
        {**THREE, "dan": {"games": (MAZES,)}, "eve": {"games": (PACMAN,)}},
        {MAZES: "ann bob cat dan", PACMAN: "ann bob cat eve"},
        overall="ann bob cat",
    ),
    "two games, and nobody plays both": Shape(
        (DUEL, CLASSIC),
        {
            name: {"games": (game,)}
            for name, game in zip("abcd", (MAZES, PACMAN, MAZES, PACMAN), strict=True)
        },
        {MAZES: "a c", PACMAN: "b d"},
        fields="mummy_maze only: a, c; pacman only: b, d",
    ),
    "a game of one role": Shape((HUNT,), THREE, {MAZES: "ann bob cat"}),
    "specialists beside others": Shape(
        (CLASSIC,),
        {"ann": ALL, "bob": ALL, "cat": {"roles": GHOSTS}},
        {PACMAN: "ann bob"},
        specialists={PACMAN: "cat"},
    ),
    "specialists only": Shape(
        (CLASSIC,),
        {name: {"roles": GHOSTS if name in "cd" else ("pacman",)} for name in "abcd"},
        {PACMAN: ""},
        specialists={PACMAN: "a b c d"},
    ),
    "one bot that plays all, and specialists": Shape(
        (DUEL, CLASSIC),
        {"ann": ALL, "cat": {"roles": GHOSTS}, "dan": {"roles": ("mummy",)}},
        {MAZES: "", PACMAN: ""},
        specialists={MAZES: "ann dan", PACMAN: "ann cat"},
        fields="all games: ann; mummy_maze only: dan; pacman only: cat",
    ),
    "an absent bot": Shape(
        (DUEL, CLASSIC),
        THREE,
        {MAZES: "ann bob cat", PACMAN: "ann bob cat"},
        overall="ann bob cat",
        absent="cat",
    ),
    "a bot that has met nobody": Shape((DUEL,), THREE, {MAZES: "ann bob"}, late="cat"),
    "one bot": Shape((HUNT,), {"ann": ALL}, {MAZES: "ann"}),
    "one bot in two games": Shape(
        (HUNT, DUEL, CLASSIC),
        {"ann": ALL},
        {MAZES: "ann", PACMAN: ""},
        fields="mummy_maze only: ann",
    ),
}


@dataclass(frozen=True)
class Cup:
    """An event of some shape, played."""

    shape: Shape
    folder: Path
    results: Results

    @property
    def games(self) -> list[tuple[str, list[str], set[str]]]:
        """Each game that was played, its ranked bots by rank, and its specialists."""
        frames = [(league, league.leaderboard()) for league in self.results.leagues if league.count]
        return [
            (league.game or "", list(frame[frame["rank"].notna()]["bot"]), set(league.specialists))
            for league, frame in frames
        ]

    @property
    def overall(self) -> list[str]:
        return list(self.results.overall_leaderboard()["bot"])


@functools.cache
def played(name: str, folder: Path) -> Cup:
    shape = SHAPES[name]
    plan = list(round_robin.batch(shape.event, 0, ()))
    records = [
        stored.played(
            match,
            **{seat.role: Ending.CRASHED for seat in match.seats if seat.bot.name == shape.absent},
        )
        for match in plan
        if shape.late not in {seat.bot.name for seat in match.seats}
    ]
    (folder / "bots").mkdir(parents=True)
    (folder / "tournament.toml").write_text('name = "cup"\nboards = ["duel"]\nbots = "bots"\n')
    return Cup(
        shape,
        folder,
        Results.open(stored.store(folder / "results" / "cup", shape.event, records, plan)),
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("shapes")


@pytest.fixture(params=SHAPES)
def cup_of(request, home) -> Cup:
    return played(request.param, home / request.param)


def test_a_bot_has_a_rank_in_each_game_of_which_it_plays_everything(cup_of):
    shape = cup_of.shape
    for game, ranked, specialists in cup_of.games:
        assert sorted(ranked) == shape.ranked[game].split(), game
        assert sorted(specialists) == shape.specialists.get(game, "").split(), game
    assert sorted(cup_of.overall) == shape.overall.split()
    if shape.absent:
        assert all(ranked[-1] == shape.absent for _, ranked, _ in cup_of.games)


def test_who_has_a_rank_is_known_before_the_event_by_the_same_law(cup_of):
    for game, names in cup_of.shape.ranked.items():
        entered = ranked_bots(cup_of.shape.event.league(game))
        assert entered == set(names.split()) | {*cup_of.shape.late.split()} or not any(
            played == game for played, _, _ in cup_of.games
        )


def test_a_long_field_names_six_bots_and_counts_the_others():
    games_of = {f"bot{number}": {"maze"} for number in range(8)} | {"ann": {"maze", "chess"}}
    line = who_plays_what(games_of, ("maze", "chess"))
    assert line == "all games: ann; maze only: bot0, bot1, bot2, bot3, bot4, bot5 and 2 more"


def test_csv_and_json_have_the_rows_of_the_frame(cup_of, tmp_path):
    write_csv(cup_of.results, tmp_path)
    with (tmp_path / "leaderboard.csv").open(encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    assert len(header) == len({*header})
    in_csv = [dict(zip(header, line, strict=True)) for line in lines]
    in_json = json.loads(cup.arena(cup_of.folder, "leaderboard", "--json").stdout)
    told = [(row["game"] or "", row["bot"], str(row["rank"] or "")) for row in in_json]
    assert [(row["game"], row["bot"], row["rank"]) for row in in_csv] == told
    for game, ranked, specialists in cup_of.games:
        own = [(bot, rank) for name, bot, rank in told if name == game]
        assert [bot for bot, rank in own if rank] == ranked
        assert {bot for bot, rank in own if not rank} == specialists | {*cup_of.shape.late.split()}
    if len(cup_of.results.leagues) > 1:
        assert [bot for name, bot, _ in told if not name] == cup_of.overall


def test_the_terminal_has_a_table_a_game_and_one_for_all(cup_of):
    done = cup.arena(cup_of.folder, "leaderboard")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    several = len(cup_of.results.leagues) > 1
    assert [line for line in lines if line in cup_of.results.games] == (
        list(cup_of.results.games) if several else []
    )
    assert ("all games" in lines) == bool(cup_of.overall)
    said = [line for line in lines if line.startswith("who plays what: ")]
    assert said == ([f"who plays what: {cup_of.shape.fields}"] if cup_of.shape.fields else [])
    shown = [line.split()[1] for line in lines if line.split()[:1] and line.split()[0].isdigit()]
    ranked = [bot for _, bots, _ in cup_of.games for bot in bots]
    assert shown == ranked + cup_of.overall or not ranked
    words = {word.rstrip(",:;") for word in done.stdout.split()}
    assert words >= cup_of.shape.bots.keys()
    assert ("no matches yet" in done.stdout) == any(
        league.count == 0 for league in cup_of.results.leagues
    )
    assert "Traceback" not in done.stderr


def test_the_report_has_the_tables_of_the_frames(cup_of):
    tables = leaderboards(cup_of.results)
    several, ranked = (
        len(cup_of.results.leagues) > 1,
        {game: bots for game, bots, _ in cup_of.games},
    )
    expected = [(game if several else "", ranked.get(game, [])) for game in cup_of.results.games]
    expected += [("all games", cup_of.overall)] if cup_of.overall else []
    assert [
        (table.title, [row["bot"].text for row in table.rows if row["rank"].text])
        for table in tables
    ] == expected
    for table, (_, _, specialists) in zip(tables, cup_of.games, strict=False):
        assert {row["bot"].text for _, rows in table.parts for row in rows} >= specialists


ODD = ["two games, and bots of one of them", "specialists only", "one bot in two games"]
"""The shapes with the most to leave out."""


@pytest.mark.parametrize("shape", ODD)
def test_the_report_is_written_with_all_bots(shape, home):
    results = played(shape, home / shape).results
    text = write_report(results, results.folder).read_text("utf-8")
    assert all(bot in text for bot in SHAPES[shape].bots)
    assert (f"Who plays what: {SHAPES[shape].fields}." in text) == bool(SHAPES[shape].fields)


@pytest.mark.parametrize(
    "shape", [ODD[0], *[pytest.param(shape, marks=pytest.mark.soak) for shape in ODD[1:]]]
)
@pytest.mark.parametrize("name", charts.names())
def test_every_chart_is_drawn_or_says_why_not(name, shape, home):
    made = charts.render(name, played(shape, home / shape).results)
    assert isinstance(made, Figure | Nothing)
    if isinstance(made, Nothing):
        assert made.why
    else:
        assert any(panel.has_data() for panel in made.axes)


@pytest.mark.parametrize("shape", [ODD[0], "specialists beside others", "an absent bot"])
def test_two_bots_of_a_game_can_be_compared(shape, home):
    compared = played(shape, home / shape)
    for _, ranked, _ in compared.games:
        done = cup.arena(compared.folder, "compare", *ranked[:2])
        assert (done.returncode, done.stderr) == (0, "")
        assert all(bot in done.stdout for bot in ranked[:2])
