"""Boards that are sampled for an event: which they are, who plays them, and what a record keeps of
them.
"""

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from arena import load_game, parallel, rulefile, seals
from arena.errors import ArenaError
from arena.event import config, schedules
from arena.games import board_cache, boards, openings, rulebook
from arena.games.conformance import flaws
from arena.kit import Turn
from arena.report import replays
from arena.results.archive import Archive
from arena.values import Event, Openings
from rules.grid import reachable, steps
from tests.support import cup, workspaces
from tests.support.paired import bot
from tests.support.search import forces
from tests.support.sprint import FIRST, LAST

SEED, SECRET = 2026, "5eed" * 8
MAZES = "mummy_maze/random"


def copied_rules(folder, change=lambda text: text):
    """The folder rules/ of a workspace, with those of the mazes."""
    rules = folder / "rules"
    rules.mkdir(exist_ok=True)
    for file in (
        "mummy_maze.py",
        "mummy_maze.toml",
        "mummy_maze_random.py",
        "random_walls.py",
        "grid.py",
    ):
        (rules / file).write_text(change((rulefile.shipped() / file).read_text()))
    return rules


def sampled(query, seed=SEED):
    (board,) = rulebook.find(query, seed=seed)
    return board


def games(board):
    return [rulefile.load_sampled(Path(board.rules), text) for text in board.sampled]


def event_of(*boards, **changes):
    bots = tuple(bot(name) for name in ("ada", "bob", "cyd"))
    return Event(name="sampled", seed=SEED, boards=boards, bots=bots, **changes)


def check_maze(parameters):
    """Check that a maze can be walked and is decided late enough; return the explorer's score with
    perfect play.
    """
    maze = rulefile.load_sampled(rulefile.shipped() / "mummy_maze.py", parameters)
    everywhere = steps(maze.size, maze.walls)
    assert reachable(everywhere, maze.explorer) == set(everywhere)
    assert len({maze.explorer, maze.mummy, maze.exit}) >= 2
    assert maze.explorer not in (maze.mummy, maze.exit)
    value = maze.solve()(maze.start())
    assert value.turns >= 10
    return value.score


# The boards


def test_sampled_mazes_can_be_walked_and_each_role_wins_half_of_them():
    board = sampled(f"{MAZES}:8")
    assert [check_maze(text) for text in board.sampled] == [0, 100] * 4


@pytest.mark.soak
def test_a_thousand_sampled_mazes_can_be_walked_and_last_and_each_role_wins_half():
    board = sampled(f"{MAZES}:1000")
    assert Counter(parallel.parallel_map(check_maze, board.sampled)) == {0: 500, 100: 500}


def check_pacman(parameters):
    """Check that everybody can go everywhere, that no pellet is free, and when ghosts can force a
    capture.
    """
    game = rulefile.load_sampled(rulefile.shipped() / "pacman.py", parameters)
    everywhere = steps(game.size, game.walls)
    assert game.cells_in_play == set(everywhere)
    assert min(map(len, everywhere.values())) >= 2
    assert game.pacman not in game.pellets
    assert len(set(game.pellets)) == 35
    cells = list(everywhere)
    turns = pacman_random().turns_to_capture(game.size, game.walls, 60)
    return turns[tuple(cells.index(cell) for cell in (game.pacman, game.blinky, game.inky))]


def pacman_random():
    return rulefile.module(rulefile.shipped() / "pacman_random.py")


def test_on_sampled_boards_of_pacman_ghosts_need_some_turns_for_a_capture():
    for text in sampled("pacman/random:4").sampled:
        assert 20 <= check_pacman(text) <= 60


@pytest.mark.soak
def test_a_thousand_sampled_boards_of_pacman_are_worth_playing():
    turns = list(parallel.parallel_map(check_pacman, sampled("pacman/random:1000").sampled))
    assert 20 <= min(turns) <= max(turns) <= 60


def test_the_turns_to_a_capture_are_those_of_a_slow_search():
    published = load_game("pacman/published")
    cells = list(steps(published.size, ()))
    start = tuple(
        cells.index(cell) for cell in (published.pacman, published.blinky, published.inky)
    )
    assert pacman_random().turns_to_capture(published.size, published.walls, 40)[start] == 16
    (game,) = games(sampled("pacman/random"))
    turns = pacman_random().turns_to_capture(game.size, game.walls, 6)
    cells, seen = list(steps(game.size, ())), set()
    for number in range(40):
        at = Random(f"capture {number}").sample(cells, 3)
        placed = replace(game, **dict(zip(game.roles, at, strict=True)))
        exact = turns[tuple(map(cells.index, at))]
        seen.add(int(exact))
        for most in (exact - 1, min(exact, 6)):
            forced = forces(
                placed, ("blinky", "inky"), lambda state: state.pacman in state[1:3], most
            )
            assert forced == (exact <= most)
    assert len(seen) >= 3


@pytest.fixture
def draws(monkeypatch):
    """The numbers of the boards that are sampled in this process, in order; nothing is remembered
    from other tests.
    """
    numbers, draw = [], rulefile.sample
    monkeypatch.setattr(
        rulefile, "sample", lambda *board: numbers.append(board[-1]) or draw(*board)
    )
    monkeypatch.setattr(boards, "sampled_board", cache(boards.sampled_board.__wrapped__))
    return numbers


def sampled_anew(count, folder):
    """Return boards as another process would have them: from the folder, or sampled."""
    boards.sampled_board.cache_clear()
    (board,) = rulebook.find(f"{MAZES}:{count}", seed=SEED, stored=folder)
    return board.sampled


def test_boards_that_were_sampled_for_an_event_are_not_sampled_again(draws, tmp_path):
    first = sampled_anew(3, tmp_path / "boards")
    assert draws == [0, 1, 2]
    assert sampled_anew(3, tmp_path / "boards") == first
    assert sampled_anew(2, tmp_path / "boards") == first[:2]
    assert draws == [0, 1, 2]
    assert sampled_anew(5, tmp_path / "boards")[:3] == first
    assert draws == [0, 1, 2, 3, 4]
    (entry,) = (tmp_path / "boards").iterdir()
    assert entry.stat().st_mode & 0o777 == 0o600


def test_a_damaged_entry_is_sampled_again(draws, tmp_path):
    first = sampled_anew(2, tmp_path)
    (entry,) = tmp_path.iterdir()
    text = entry.read_text()
    edited = text.replace('\\"steps\\":50', '\\"steps\\":49', 1)
    for damaged in ("", text[:-20], "[" * 100_000, "[1, 2]", edited):
        assert damaged != text
        entry.write_text(damaged)
        draws.clear()
        assert sampled_anew(2, tmp_path) == first
        assert draws == [0, 1]
        assert entry.read_text() == text


def test_an_entry_of_another_user_is_sampled_again(draws, tmp_path, monkeypatch):
    first = sampled_anew(2, tmp_path)
    (entry,) = tmp_path.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(seals, "_secret", lambda: b"of somebody else")
        board_cache.store(entry, tuple(reversed(first)))
    draws.clear()
    assert sampled_anew(2, tmp_path) == first
    assert draws == [0, 1]


def test_another_seed_parameter_or_generator_has_an_entry_of_its_own(tmp_path):
    path = copied_rules(tmp_path) / "mummy_maze.py"
    generator, table = path.with_name("mummy_maze_random.py"), {"density": 0.3}
    entries = [
        board_cache.file_of(tmp_path, generator, each, key)
        for each in (table, {})
        for key in ("a", "b")
    ]
    with path.with_name("grid.py").open("a") as file:  # which the generator imports
        file.write("# edited\n")
    entries.append(board_cache.file_of(tmp_path, generator, table, "a"))
    assert len(set(entries)) == 5


def test_boards_are_sampled_where_they_cannot_be_stored(draws, tmp_path):
    (tmp_path / "file").touch()
    assert len(sampled_anew(2, tmp_path / "file")) == 2
    assert draws == [0, 1]


def loops(size, walls):
    """Return how many openings a maze has beyond a tree that reaches every cell."""
    everywhere = steps(size, walls)
    assert reachable(everywhere, next(iter(everywhere))) == set(everywhere)
    return sum(map(len, everywhere.values())) // 2 - (len(everywhere) - 1)


@pytest.mark.parametrize("least", [0, 1, 9, 30, 49])
def test_a_maze_has_its_loops_and_with_all_possible_walls_no_more(least):
    draw_walls = rulefile.module(rulefile.shipped() / "mummy_maze_random.py").draw_walls
    for seed in range(6):
        assert loops((1, 8), draw_walls((1, 8), 1.0, Random(f"loops {seed}"), loops=least)) == least
        symmetric = draw_walls(
            (1, 8), 0.3, Random(f"loops {seed}"), symmetric=True, ways_out=2, loops=least
        )
        assert loops((1, 8), symmetric) >= max(least, 14)


@pytest.mark.parametrize("name", ["mummy_maze", "pacman"])
def test_the_key_loops_of_a_table_is_kept_by_the_boards_that_are_sampled(name):
    path = rulefile.shipped() / f"{name}.py"
    table = dict(rulefile.generators(rulefile.tables(path))["random"]) | {"loops": 20}
    generator = rulefile.module(
        rulefile.generator_file(path, table.pop(rulefile.GENERATOR))
    ).generator(**table)
    for seed in range(2):
        board = generator.sample(Random(f"table {seed}"), seed)
        assert loops(board["size"], board["walls"]) >= 20


def test_sampled_boards_keep_the_contract_of_games():
    assert [
        flaws(game, playouts=2)
        for query in (MAZES, "pacman/random")
        for game in games(sampled(query))
    ] == [[], []]


def test_a_symmetric_maze_is_mirrored_and_another_density_has_other_walls():
    generator = pacman_random()
    dice = Random("walls")
    walls = set(generator.draw_walls((1, 8), 0.25, dice, symmetric=True))
    assert 28 <= len(walls) <= 29
    assert walls == {(9 - x - (way == "east"), y, way) for x, y, way in walls}
    assert len(generator.draw_walls((1, 6), 0.4, dice)) == 24


def test_the_same_seed_samples_the_same_boards_in_another_process():
    code = (
        "import sys; from arena.games import rulebook; "
        f"print(*rulebook.find('{MAZES}:2', seed=sys.argv[1])[0].sampled, sep='\\n')"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code, SECRET],
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": str(Path(rulefile.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")[:2]
    assert elsewhere == [*sampled(f"{MAZES}:2", SECRET).sampled]
    assert not {*elsewhere} & {*sampled(f"{MAZES}:3").sampled}


def test_more_boards_begin_with_the_same_ones():
    assert sampled(f"{MAZES}:3").sampled == sampled(f"{MAZES}:8").sampled[:3]


# What is planned


def test_every_pairing_plays_each_sampled_board_in_both_roles():
    board = sampled(f"{MAZES}:3")
    event = event_of(board, repeats=2)
    matches = list(schedules.find("round_robin").batch(event, 0, ()))
    assert (
        len(matches)
        == len({match.id for match in matches})
        == 3 * 2 * 3 * 2
        == schedules.total(event)
    )
    legs = Counter(
        (frozenset(seat.bot.name for seat in match.seats), match.seed) for match in matches
    )
    assert set(legs.values()) == {2}
    boards = {
        (frozenset(seat.bot.name for seat in match.seats), match.seed): match.sampled
        for match in matches
    }
    assert Counter(boards.values()) == dict.fromkeys(board.sampled, 3 * 2)
    assert [event.repeat_of(match) for match in matches] == [0] * 18 + [1] * 18


@pytest.mark.parametrize("schedule", ["gauntlet", "swiss", "knockout", "ladder"])
def test_every_schedule_plays_each_sampled_board_of_a_pairing(schedule):
    references = ("ada",) if schedule == "gauntlet" else ()
    event = event_of(sampled(f"{MAZES}:3"), schedule=schedule, references=references)
    matches = list(schedules.find(schedule).batch(event, 0, ()))
    pairings = {frozenset(seat.bot.name for seat in match.seats) for match in matches}
    assert matches
    assert len(matches) == len(pairings) * 2 * 3
    assert schedules.total(event) % 6 == 0


def test_more_sampled_boards_keep_the_matches_that_were_played():
    few, many = (event_of(sampled(f"{MAZES}:{number}")) for number in (2, 3))
    ids = [
        {match.id for match in schedules.find("round_robin").batch(event, 0, ())}
        for event in (few, many)
    ]
    assert ids[0] < ids[1]


# Mistakes


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            "mummy_maze/duel:3",
            (
                "only a table with a generator has as many boards as you like; write "
                "mummy_maze/random:3"
            ),
        ),
        ("mummy_maze/random:0", "after the colon stands a number of boards to draw, 1 to 1000"),
        ("mummy_maze/random:many", "after the colon stands a number of boards to draw, 1 to 1000"),
        ("mummy_maze/rando:3", "'mummy_maze/random'"),
    ],
)
def test_a_query_for_boards_that_cannot_be_sampled_is_a_mistake_in_one_line(query, words):
    with pytest.raises(ArenaError) as caught:
        rulebook.find(query)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('generator = "nobody"', "generator: there is no file"),
        ('generator = "../x"', "generator: expected the name of a file beside mummy_maze.py"),
        ('generator = "mummy_maze_random"\nwidth = 3', "width: unknown parameter"),
        ('generator = "mummy_maze_random"\ndensity = 0.9', "density: expected 0 to 0.44"),
        (
            'generator = "mummy_maze_random"\nloops = 50',
            "loops: expected 0 to 49, the loops of a board without walls",
        ),
        (
            'generator = "mummy_maze_random"\nsize = [1, 2]\nshortest = 40',
            "shortest: none of 9 mazes",
        ),
        (
            'generator = "mummy_maze_random"\nsize = [1, 5]',
            "size: only a maze of at most 16 cells can be solved",
        ),
        ('generator = "mummy_maze_random"\nmoves = "fast"', "moves: expected 'free' or 'toward'"),
    ],
)
def test_a_mistake_in_a_generators_table_names_file_table_and_key(tmp_path, table, words):
    # As it is, a mistake in it may take a second to find.
    copied_rules(
        tmp_path,
        lambda text: text.replace("    1000  # are drawn", "    9  #").replace(
            "= 400  #", "= 16  #"
        ),
    )
    (tmp_path / "rules/mummy_maze.toml").write_text(f"[odd]\n{table}\n")
    with pytest.raises(ArenaError) as caught:
        rulebook.find("mummy_maze/odd:2", tmp_path)
    assert f"mummy_maze.toml: [odd] {words}" in str(caught.value)


# A match, its record, and its bots


def test_a_bot_of_the_kit_searches_with_the_rules_of_its_sampled_board():
    turn = Turn()
    text = sampled(f"{MAZES}:2").sampled[1]
    turn._hear("game", MAZES)
    turn._hear("parameters", text)
    assert (
        turn.rules.start()
        == rulefile.load_sampled(rulefile.shipped() / "mummy_maze.py", text).start()
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    bots = {"first": FIRST, "last": LAST}
    folder = workspaces.make(tmp_path_factory.mktemp("sampled") / "ws", bots, f"duel {MAZES}:2")
    copied_rules(folder)
    run = cup.run_event(folder)
    assert run.returncode == 0, run.stderr
    return folder


def test_sampled_boards_have_one_column_in_the_leaderboard_and_one_for_each_role(played):
    (first, _) = cup.leaderboard(played)
    assert [name for name in first if name.startswith(("duel", "random"))] == [
        *("duel", "random", "duel_explorer", "duel_mummy", "random_explorer", "random_mummy")
    ]
    assert first["matches"] == "6"


@pytest.mark.soak
def test_a_run_that_goes_on_and_verify_leaderboard_and_report_draw_no_board_again(played, draws):
    (entry,) = (played / "results/.boards").iterdir()
    with entry.open() as file:
        assert len(json.load(file)["boards"]) == 2
    for command in ("run --no-charts --workers 1", "verify", "leaderboard", "report"):
        boards.sampled_board.cache_clear()
        with cup.first_chart_only():
            done = cup.arena(played, *command.split())
        assert done.returncode == 0, done.stderr
    assert draws == []


def test_an_event_is_verified_and_replayed_and_sampled_without_its_generator(played, tmp_path):
    folder = shutil.copytree(played, tmp_path / "sampled")
    (folder / "rules/mummy_maze_random.py").write_text("generator = None\n")
    verified = cup.arena(folder, "verify")
    assert (verified.returncode, verified.stdout) == (0, "6 records: 6 confirmed\n")
    with Archive.open(folder / "results/cup", writing=False) as archive:
        records = [archive.record(each.id) for each in archive.played() if each.board == "random"]
    assert len({record.match.sampled for record in records}) == 2
    record = records[0]
    parameters = json.loads(record.match.sampled)
    shown = cup.arena(folder, "replay", record.match.id, "--turn", "0")
    assert "E explorer {} {}".format(*parameters["explorer"]) in shown.stdout
    in_report = {
        each.match.sampled: replays.replay(each, replays.Games(rulebook.game_of_record))["grids"][
            0
        ]["walls"]
        for each in records
    }
    assert len({*in_report.values()}) == 2  # each match has the walls of its own board
    rerun = cup.arena(folder, "rerun", record.match.id)
    assert rerun.returncode == 0, rerun.stdout + rerun.stderr


@pytest.mark.parametrize(
    ("boards", "more", "words"),
    [
        (f"{MAZES}:2 {MAZES}:3", "", f"boards: {MAZES} is named 2 times: name it once"),
        (
            f"{MAZES}:2",
            '[openings]\nfile = "moves.txt"',
            f"openings.file: the boards {MAZES} are sampled",
        ),
        (
            f"{MAZES}:2",
            "[openings]\nplies = 50",
            f"openings.plies: {MAZES}: the match is over after 50 random plies",
        ),
    ],
)
def test_an_event_refuses_sampled_boards_that_it_cannot_play(tmp_path, boards, more, words):
    folder = workspaces.make(tmp_path, boards=boards)
    (folder / "moves.txt").write_text("")
    file = folder / "tournament.toml"
    file.write_text(file.read_text() + more)
    with pytest.raises(ArenaError) as caught:
        config.load(file).event(folder)
    assert words in str(caught.value)


def test_sampled_openings_begin_every_sampled_board_elsewhere():
    board = sampled(f"{MAZES}:2")
    event = event_of(board, openings=Openings(plies=2), repeats=2)
    for match in schedules.find("round_robin").batch(event, 0, ()):
        game = rulebook.game_of(match)
        assert game in games(board)
        assert len(openings.turns_of(game, match.opening)) == 2


def test_a_file_of_rules_may_have_only_boards_that_are_sampled(tmp_path):
    copied_rules(tmp_path)
    table = '[tiny]\ngenerator = "mummy_maze_random"\nsize = [1, 4]\nshortest = 4\n'
    (tmp_path / "rules/mummy_maze.toml").write_text(table)
    assert "tiny" in rulebook.find("mummy_maze/tiny:2", tmp_path)[0].label
    with pytest.raises(ArenaError, match="mummy_maze/tiny"):
        rulebook.find("mummy_maze", tmp_path)


TOO_LARGE = {
    "mummy_maze": {
        "size": [1, 101],
        "explorer": [1, 1],
        "mummy": [2, 2],
        "exit": [3, 3],
        "walls": [],
    },
    "surround": {"size": 101},
    "connect_four": {"columns": 101},
    "goofspiel": {"cards": 1001},
    "pacman": {"size": [0, 10**9], "walls": [], "pellets": [], "score": [0]}
    | dict.fromkeys(("pacman", "blinky", "inky"), (1, 1)),
}


@pytest.mark.parametrize(
    ("game", "parameters"),
    [
        *TOO_LARGE.items(),
        ("mummy_maze", TOO_LARGE["mummy_maze"] | {"size": [1, 8], "explorer": [1.5, 1.5]}),
        ("mummy_maze", TOO_LARGE["mummy_maze"] | {"size": [1, 8], "steps": 50.5}),
        ("mummy_maze", TOO_LARGE["mummy_maze"] | {"size": [1.5, 8]}),
        ("surround", {"size": 9.5}),
        ("connect_four", {"rows": 3.5}),
        ("goofspiel", {"cards": 3.5}),
    ],
)
def test_a_record_with_a_sampled_board_that_is_no_board_is_refused(game, parameters):
    match, *_ = schedules.find("round_robin").batch(event_of(rulebook.find("duel")[0]), 0, ())
    match = replace(match, game=game, board="sampled", rules="", sampled=json.dumps(parameters))
    with pytest.raises(ArenaError, match=f"a sampled board of {game}: "):
        rulebook.of_record(match)


def test_the_first_repeat_of_a_sampled_board_has_the_first_opening():
    event = event_of(sampled(f"{MAZES}:3"), openings=Openings(plies=2), repeats=2)
    matches = schedules.find("round_robin").batch(event, 0, ())
    assert {(match.repeat, match.opening.number) for match in matches} == {
        (n, n // 3) for n in range(6)
    }
    pairings = {
        (match.repeat, frozenset(seat.bot.name for seat in match.seats)) for match in matches
    }
    assert len({(match.repeat, match.opening) for match in matches}) == len(
        pairings
    )  # legs share theirs
