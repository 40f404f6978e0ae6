"""Games of OpenSpiel are boards like any other: they keep the contract, hide what is hidden, and
are played by bots.
"""

import io
import random
import shlex
import shutil
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import arena
from arena import rulefile
from arena.errors import ArenaError
from arena.game import CHANCE
from arena.games import boards, rulebook
from arena.games.conformance import flaws
from arena.kit import run
from arena.match.human import HUMAN
from arena.match.referee import Referee
from arena.protocol import Reply
from arena.replay.player_view import PlayerView
from arena.report.writing import write_report
from arena.results.leaderboard import Results
from arena.values import Bot
from tests.support import cup, live, packages, workspaces
from tests.support.sprint import FIRST, LAST
from tests.support.tutorial import blocks

pyspiel = pytest.importorskip("pyspiel", reason="pip install 'botarena[openspiel]'")

from tests import openspiel_games  # noqa: E402

HERE = Path(__file__).parents[2]
PAGE = openspiel_games.PAGE.read_text("utf-8")
RULES = rulefile.shipped() / "openspiel.py"
SAMPLE = (
    "connect_four",
    "kuhn_poker",
    "goofspiel(num_cards=4,players=4)",  # four roles, at once
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "pig(horizon=20)",  # chance
    "matrix_pd",
    "turn_based_simultaneous_game(game=matrix_rps())",
    "tiny_hanabi",
    "catch",  # one role
)
MISTAKES = {
    "conect_four": (
        "openspiel/conect_four: OpenSpiel has no game 'conect_four'; did you mean 'connect_four'?"
    ),
    "xyzzy": "openspiel/xyzzy: OpenSpiel has no game 'xyzzy'; `arena games openspiel` lists them",
    "negotiation": (
        "openspiel/negotiation: negotiation draws chance by itself, so no match could "
        "be played again"
    ),
    "mfg_garnet": (
        "openspiel/mfg_garnet: mfg_garnet is a mean field game, which has no single players"
    ),
    "clobber(rows=2000)": (
        "openspiel/clobber(rows=2000): OpenSpiel cannot begin clobber(rows=2000): it takes no such"
    ),
    "connect_four(rows=-1)": (
        "openspiel/connect_four(rows=-1): connect_four(rows=-1): rows is negative; take a number"
    ),
    "misere(game=blotto(fields=-1))": "fields is negative",
    "hanabi(players=9)": "cannot be played: it ends the process, by SIG",
    "bridge(dealer=100)": "cannot be played: it ends the process, by SIG",
    "universal_poker(numPlayers=3)": "cannot be played: it ends the process, by SIG",
    "colored_trails(num_colors=3)": (
        "it takes no such parameters: its check '_colors == num_colors' fails"
    ),
    "misere(game=morpion_solitaire())": "morpion_solitaire may end the process",
    "efg_game(filename=game.efg)": "reads a file, which a board's name may not do",
    "bargaining(instances_file=secret.txt)": "reads a file, which a board's name may not do",
    "hex(board_size=1000000000)": (
        "board_size is too high: 26 is the most that arena lets OpenSpiel prepare"
    ),
    "misere(game=mnk(m=99999,n=3))": "m is too high: 2048 is the most",
    "pig(horizon=1e9)": "horizon is too high: 2048 is the most",
    "blotto(coins=30,fields=10)": (
        "coins: there are more than 100000 distributions of them; take fewer"
    ),
    "crossword": "openspiel/crossword: crossword has no list of its legal actions",
    (
        "goofspiel(num_cards=5, players=3)"
    ): "a board's name has only letters, digits and . _ - , = ( )",
}


def load(name):
    return arena.load_game(f"openspiel/{name}")


def after(game, *moves):
    """The state after moves that are made one after another by whoever is to move."""
    state = game.start()
    for move in moves:
        (role,) = game.to_move(state)
        state = game.play(state, {role: move})
    return state


@pytest.mark.parametrize("name", SAMPLE)
def test_a_game_keeps_the_contract(name):
    assert flaws(load(name), playouts=2) == []


def test_the_decimals_of_a_fraction_are_no_number_of_their_own():
    assert load("deep_sea(unscaled_move_cost=0.123456789)").name


def test_the_page_lists_games_that_can_be_played():
    assert len(openspiel_games.documented()) >= 80
    assert set(openspiel_games.documented()) <= set(pyspiel.registered_names())


@pytest.mark.soak
@pytest.mark.parametrize("name", openspiel_games.documented())
def test_every_game_of_the_page_keeps_the_contract(name):
    assert openspiel_games.sound(name)


def test_a_player_of_poker_sees_its_own_card_and_not_the_other():
    game = load("kuhn_poker")
    deals = {
        (a, b): after(game, f"Deal:{a}", f"Deal:{b}") for a in range(3) for b in range(3) if a != b
    }
    for role, own in (("player0", 0), ("player1", 1)):
        views = {deal: game.view(state, role) for deal, state in deals.items()}
        assert {views[deal] for deal in deals if deal[own] == 2} == {("information 2",)}
    assert len({game.view(state, None) for state in deals.values()}) == len(deals)
    assert game.hidden
    assert not load("connect_four").hidden


def test_the_lowest_utility_is_0_and_the_highest_is_100():
    game = load("kuhn_poker")
    assert game.outcome(after(game, "Deal:2", "Deal:0", "Bet", "Bet")).scores == {
        "player0": 100,
        "player1": 0,
    }
    assert game.outcome(after(game, "Deal:2", "Deal:0", "Pass", "Pass")).scores == {
        "player0": 75,
        "player1": 25,
    }


def test_a_likelier_outcome_of_chance_is_more_moves_of_equal_weight():
    game = load(
        "hanabi(players=2)"
    )  # of each colour three cards of the lowest rank, one of the highest
    deals = game.legal_moves(game.start(), CHANCE)
    assert len(set(deals)) == len(deals) == 50
    assert Counter(Counter(deal.partition(" ticket ")[0] for deal in deals).values()) == {
        3: 5,
        2: 15,
        1: 5,
    }
    third = next(deal for deal in deals if deal.endswith(" ticket 3"))
    state = game.play(game.start(), {CHANCE: third})
    first = game.play(game.start(), {CHANCE: third.replace("ticket 3", "ticket 1")})
    assert game.view(state, None) == game.view(first, None)


@pytest.mark.parametrize(
    ("weights", "shares"),
    [((0.25, 0.75), (1, 3)), ((1 / 3, 1 / 6, 0.5), (2, 1, 3)), ((1e-7, 1 - 1e-7), (1, 10_000))],
)
def test_shares_of_chance_are_exact_where_they_are_fractions(weights, shares):
    assert rulefile.module(RULES)._shares(weights) == shares


def test_actions_of_one_text_get_their_numbers():
    class Spiel:
        def action_to_string(self, player, action):
            return {1: "pass", 2: "pass", 3: "  a \n b", 4: "", 5: "#5"}[action]

    named = rulefile.module(RULES)._named(Spiel(), 0, (1, 2, 3, 4, 5))
    assert named == {"pass action 1": 1, "pass action 2": 2, "a b": 3, "action 4": 4, "no. 5": 5}


def test_a_drawing_keeps_its_spaces():
    facts = rulefile.module(RULES)._facts("position", " x  o\n\n a b \n")
    assert facts == ("position _x__o", "position", "position _a b")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_boards_name_is_one_line(name):
    with pytest.raises(ArenaError) as raised:
        rulebook.find(f"openspiel/{name}")
    assert MISTAKES[name] in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_parameter_is_told(capfd):
    with pytest.raises(
        ArenaError, match=r"OpenSpiel cannot load goofspiel\(cards=3\): Unknown parameter 'cards'"
    ):
        rulebook.find("openspiel/goofspiel(cards=3)")


def test_without_the_package_a_board_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ArenaError, match=r"pip install 'botarena\[openspiel\]'"):
        rulebook.find("openspiel/nim(is_misere=True)")
    with pytest.raises(ArenaError, match=r"pip install 'botarena\[openspiel\]'"):
        rulebook.find("openspiel")
    assert "mummy_maze/duel" in [board.label for board in rulebook.all_boards()]


def test_the_list_of_games_says_where_the_others_are(tmp_path):
    assert "`arena games openspiel` lists them" in cup.arena(tmp_path, "games").stdout
    shown = cup.arena(tmp_path, "games", "openspiel/kuhn_poker")
    assert shown.returncode == 0
    assert "player0, player1" in shown.stdout
    names = openspiel_games.installed()
    assert {"chess", "hearts"} <= {*names}
    assert "negotiation" not in names


def test_another_version_of_openspiel_is_another_board(monkeypatch):
    (before,) = rulebook.find("openspiel/tic_tac_toe")
    boards.board_of.cache_clear()
    monkeypatch.setitem(vars(rulebook.game_of(before)), "version", "open_spiel 99")
    (later,) = rulebook.find("openspiel/tic_tac_toe")
    boards.board_of.cache_clear()
    assert before.digest != later.digest


def test_a_name_with_spaces_is_a_board_of_ones_own(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/poker.py").write_text(blocks(PAGE, "python")[0])
    (tmp_path / "rules/poker.toml").write_text(blocks(PAGE, "toml")[1])
    game = arena.load_game("poker/holdem", tmp_path)
    assert flaws(game, playouts=1) == []


def test_what_a_bot_reads_of_hidden_moves_is_a_function_of_what_it_may_know():
    """Random matches reach many information states by several ways; in some of these the other one
    moved more often.
    """
    game, dice = load("phantom_ttt"), random.Random(14)
    match = live.match_of("openspiel/phantom_ttt")
    read: dict[tuple[str, str], set[bytes]] = defaultdict(set)
    turns: dict[tuple[str, str], set[int]] = defaultdict(set)
    for _ in range(150):
        referee, lines = Referee(game, match), dict.fromkeys(game.roles, b"")
        referee.hear({role: Reply(b"ready") for role in referee.asks()})
        while asks := referee.asks():
            for role, ask in asks.items():
                lines[role] += ask.text
                known = role, referee.state.spiel.information_state_string(game.roles.index(role))
                read[known].add(lines[role])
                turns[known].add(ask.turn)
            referee.hear(
                {role: Reply(dice.choice(ask.legal).encode()) for role, ask in asks.items()}
            )
    assert sum(len(numbers) > 1 for numbers in turns.values()) > 20
    assert all(len(texts) == 1 for texts in read.values())


def test_a_person_is_not_shown_how_often_others_moved_in_hidden_turns_either():
    game = load("phantom_ttt")
    match = live.match_of(
        "openspiel/phantom_ttt", HUMAN, Bot(name="bot", command=("true",), digest="")
    )
    referee, view = Referee(game, match), PlayerView(game, match)
    referee.hear({role: Reply(b"ready") for role in referee.asks()})
    seen = []
    for move in ("x(0,0)", "o(0,0)", "o(2,2)", "x(1,1)"):  # the second meets the first mark
        (role,) = referee.asks()
        referee.hear({role: Reply(move.encode())})
        seen.append(
            [
                (scene.number, [turn.move for turn in scene.turns])
                for scene in view.go_on(referee.turns)
            ]
        )
    assert seen == [[(1, ["x(0,0)"])], [], [], [(2, ["x(1,1)"])]]


def test_a_bot_does_not_take_a_position_before_a_hidden_move_for_the_present_one():
    game = load("phantom_ttt")
    state, lines = (
        game.start(),
        ["game openspiel/phantom_ttt", "roles player0 player1", "role player0", "ready?"],
    )
    for number, cell in enumerate(("x(0,0)", "o(2,2)", "x(1,1)")):
        (role,) = game.to_move(state)
        if role == "player0":
            view = [f"state {fact}" for fact in game.view(state, role)]
            lines += [f"turn {number}", *view, f"legal {cell}", "go"]
        state = game.play(state, {role: cell})
    states = []
    run(lambda turn: states.append(turn.state) or turn.legal[0], lines=lines, out=io.StringIO())
    assert states == [game.start(), None]


@pytest.mark.soak
def test_the_event_of_the_page_is_played_verified_replayed_rerun_and_reported(tmp_path):
    bots = {
        "first": FIRST,
        "last": LAST,
        "more": f"{LAST}#",
        "dice": (HERE / "bots/dice.py").read_text(),
    }
    folder = workspaces.make(tmp_path / "w", bots)
    (folder / "tournament.toml").write_text(blocks(PAGE, "toml")[0])
    quick = ("--no-charts", "--workers", "1", "--set", "rounds=1", "--set", "max_matches=13")
    printed = {}
    for line in blocks(PAGE, "console")[1].splitlines():
        _, command, *words = shlex.split(line.removeprefix("$ "))
        if command == "match":  # the event is quicker without its searches
            shutil.copytree(HERE / "bots/sampler", folder / "bots/sampler")
        done = cup.arena(folder, command, *words, *(quick if command == "run" else ()))
        assert done.returncode == 0, done.stderr
        printed[command] = done.stdout
    assert "13 records: 13 confirmed" in printed["verify"]
    assert "dice" in printed["leaderboard"]
    assert "player1 (sampler)" in printed["match"]
    assert (
        "keeps the contract in 5 random matches, and in other processes" in printed["check-rules"]
    )
    results = Results.open(folder / "results/spiel")
    matches = results.matches()
    with cup.first_chart_only():
        page = write_report(results, folder / "results/spiel").read_text("utf-8")
    results.close()
    boards = tomllib.loads(blocks(PAGE, "toml")[0])["boards"]
    assert set("openspiel/" + matches["board"]) == set(boards)
    assert set(matches["reason"]) == {"finished"}
    assert matches[["player0_ending", "player1_ending"]].isna().all(axis=None)
    assert all(board in page for board in boards)
    four = matches[matches["board"] == "goofspiel(num_cards=4,players=4)"]["match"].iloc[0]
    assert "Bid: " in cup.arena(folder, "replay", four).stdout
    assert "every answer is the same" in cup.arena(folder, "rerun", four, "--bot", "dice").stdout


@packages.OWN
@pytest.mark.slow
def test_bots_of_the_kit_play_games_of_openspiel_with_and_without_search(tmp_path):
    folder = workspaces.make(tmp_path / "w", boards="duel")
    board = "openspiel/kuhn_poker"
    made = cup.arena(folder, "new", "ada", "--language", "python_kit", "--game", board).stdout
    assert f"arena submit bots/ada --board {board}\n" in made
    record = arena.play_match(
        board, dict.fromkeys(("player0", "player1"), folder / "bots/ada"), seed=2
    )
    assert record.verdict.faults == ()
    bots = {"player0": HERE / "bots/sampler", "player1": HERE / "bots/dice.py"}
    record = arena.play_match("openspiel/tic_tac_toe", bots, seed=2)
    assert record.verdict.faults == ()
    assert all(
        turn.remarks[0].startswith("value=") for turn in record.turns if turn.role == "player0"
    )
