"""Openings: the first turns of a match, sampled or listed, the same for all legs of a pairing; what
bots hear.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena import kit
from arena.errors import ArenaError
from arena.event import config, discovery
from arena.event.schedules import round_robin
from arena.game import CHANCE, Game, Move, Role
from arena.games import openings, rulebook
from arena.match.play import play
from arena.match.referee import Referee
from arena.protocol import Ask, Reply
from arena.replay.reconstruct import disagreements
from arena.results.archive import Archive, records
from arena.results.leaderboard import Results
from arena.values import Board, Bot, Conditions, Ending, Event, Match, Opening, Openings, Record
from tests.support import cup, live, sprint, toy, workspaces
from tests.support.programs import python

READY = Reply(line=b"ready")
SECRET, OTHER = "3f" * 16, "40" * 16
BOARDS = [board.label for board in rulebook.all_boards()]
STARTERS = Path(__file__).parents[2] / "arena" / "author" / "starters"
BOTS = Path(__file__).parents[2] / "bots"
SAMPLED = Opening(plies=3, key="ab" * 16)


def toy_match(game: toy.Duet, opening: Opening) -> Match:
    return replace(toy.match_of(game, seed=SECRET), opening=opening)


def referee_at_play(game: toy.Duet, opening: Opening) -> tuple[Referee, dict[Role, Ask]]:
    """A referee whose bots have all said `ready`, and its next questions."""
    referee = Referee(game, toy_match(game, opening))
    referee.hear(dict.fromkeys(referee.asks(), READY))
    return referee, referee.asks()


def finished(game: toy.Duet, opening: Opening) -> Record:
    referee, asks = referee_at_play(game, opening)
    while asks:
        referee.hear({role: Reply(line=ask.legal[-1].encode()) for role, ask in asks.items()})
        asks = referee.asks()
    return referee.record(toy.reports(referee.match), "", 0.0)


def lasts(ask: Ask) -> list[str]:
    return [
        line.removeprefix("last ")
        for line in ask.text.decode().splitlines()
        if line.startswith("last ")
    ]


def event_of(label: str, seed: int | str, **more: Any) -> Event:
    bots = tuple(
        Bot(name=name, command=("x",), digest=f"digest of {name}") for name in ("ann", "bob", "cyd")
    )
    return Event(name="t", seed=seed, boards=rulebook.find(label), bots=bots, **more)


def by_pairing(plan: tuple[Match, ...]) -> dict[tuple[frozenset[str], int], set[Opening | None]]:
    """The openings of each pairing and repeat."""
    found: dict[tuple[frozenset[str], int], set[Opening | None]] = {}
    for match in plan:
        found.setdefault(
            (frozenset(seat.bot.name for seat in match.seats), match.repeat), set()
        ).add(match.opening)
    return found


def state_after(game: Game[Any], turns: tuple[Mapping[Role, Move], ...]) -> Any:
    state = game.start()
    for moves in turns:
        state = game.play(state, moves)
    return state


# What an opening is in a match


def test_an_opening_is_played_and_recorded_before_anybody_is_asked_for_a_move():
    referee, asks = referee_at_play(toy.Duet(turns=6), SAMPLED)
    assert [(turn.number, turn.role, turn.by) for turn in referee.turns] == [
        (1, "fox", "opening"),
        (2, "hen", "opening"),
        (2, "chick", "opening"),
        (3, "fox", "opening"),
    ]
    assert {role: ask.turn for role, ask in asks.items()} == {"hen": 4, "chick": 4}


def test_bots_hear_every_move_of_an_opening_their_own_too_and_only_once():
    referee, asks = referee_at_play(toy.Duet(turns=8), SAMPLED)
    played = [f"{turn.role} {turn.move}" for turn in referee.turns]
    assert [lasts(ask) for ask in asks.values()] == [played, played]
    referee.hear({role: Reply(line=b"wait") for role in asks})
    assert lasts(referee.asks()["fox"]) == [*played, "hen wait", "chick wait"]
    referee.hear({"fox": Reply(line=b"win")})
    assert lasts(referee.asks()["hen"]) == ["chick wait", "fox win"]


def test_where_moves_are_hidden_a_bot_hears_only_its_own_of_an_opening():
    referee, asks = referee_at_play(toy.Duet(turns=8, hidden=True), SAMPLED)
    own = {turn.role: f"{turn.role} {turn.move}" for turn in referee.turns}
    assert {role: lasts(ask) for role, ask in asks.items()} == {
        role: [own[role]] for role in ("hen", "chick")
    }
    assert {ask.text.partition(b"\n")[0] for ask in asks.values()} == {
        b"turn 2"
    }  # its own second move, not turn 3


def test_chance_in_an_opening_is_sampled_with_it_and_is_no_ply_nor_told():
    game = toy.Duet(turns=6, dice=True)
    one, other = (finished(game, replace(SAMPLED, plies=2, key=key * 16)) for key in ("ab", "cd"))
    for record in (one, other):
        assert [(turn.role, turn.by) for turn in record.turns[:4]] == [
            (CHANCE, "opening"),
            ("hen", "opening"),
            ("chick", "opening"),
            ("fox", "opening"),
        ]
    _, asks = referee_at_play(game, replace(SAMPLED, plies=2))
    assert not any(line.startswith(CHANCE) for ask in asks.values() for line in lasts(ask))


def test_a_record_with_an_opening_holds_and_comes_back_from_the_archive():
    game = toy.Duet(turns=6)
    for opening in (SAMPLED, Opening(moves=(("fox", "wait"), ("chick", "win"), ("hen", "wait")))):
        record = finished(game, opening)
        assert records.unpacked(records.packed(record)) == record
        assert list(disagreements(game, record)) == []


def test_a_record_whose_opening_was_changed_does_not_hold():
    game = toy.Duet(turns=6)
    record = finished(game, SAMPLED)
    first = record.turns[0]
    other = next(move for move in game.legal_moves((), "fox") if move != first.move)
    forged = replace(record, turns=(first._replace(move=other), *record.turns[1:]))
    assert "turn 1, fox: move" in next(disagreements(game, forged))
    (problem,) = disagreements(
        game, replace(record, match=toy_match(game, Opening(moves=(("hen", "wait"),))))
    )
    assert problem.startswith(
        "its opening cannot be played: move 1, 'hen wait', is not legal; did you mean 'fox wait'? "
        "Legal are"
    )


@pytest.mark.parametrize("plies", [1, 4])
@pytest.mark.parametrize("label", BOARDS)
def test_the_kits_states_contain_the_referees_after_openings_and_strikes(label, plies):
    if label in {"kuhn_poker/three_cards", "goofspiel/thirteen"}:
        plies = min(
            plies, 2
        )  # the one is over after three, the other could then be in more than kit.MOST_STATES
    match = live.match_of(label, conditions=Conditions(strikes=200))
    referee = Referee(
        rulebook.game_of(match), replace(match, opening=Opening(plies=plies, key="ab" * 16))
    )
    turns: dict[Role, kit.Turn] = {role: kit.Turn() for role in referee.game.roles}
    dice = random.Random(plies)
    while asks := referee.asks():
        replies = {}
        for role, ask in asks.items():
            turn = turns[role]
            for line in ask.text.decode().splitlines():
                turn._hear(*line.partition(" ")[::2])
            if ask.ready:
                replies[role] = READY
                continue
            assert referee.state in turn.states
            assert turn.state == (referee.state if referee.game.open else None)
            assert role not in {other for other, _ in turn.last}
            move = dice.choice([turn.legal[0], turn.legal[-1], "an illegal move"])
            turn._answer(move)
            replies[role] = Reply(line=move.encode())
        referee.hear(replies)
    assert (
        len({turn.number for turn in referee.turns if turn.by == "opening" and turn.role != CHANCE})
        == plies
    )


def test_an_opening_is_played_for_a_seat_that_was_never_ready_too():
    game = toy.Duet(turns=6)
    referee = Referee(game, toy_match(game, SAMPLED))
    referee.hear(
        dict.fromkeys(referee.asks(), READY) | {"hen": Reply(ending=Ending.CRASHED, words="exit 1")}
    )
    assert list(referee.asks()) == ["chick"]
    assert {turn.by for turn in referee.turns} == {"opening"}


def test_house_bots_and_starters_play_on_from_an_opening_without_a_fault(launcher):
    """Each of them on the first board that it plays."""
    starters = [
        replace(discovery.from_path(STARTERS / name, name), games=())
        for name in ("python", "python_kit")
    ]
    left = {bot.name: bot for bot in (*discovery.gather(BOTS), *starters)}
    for label in ("pacman/classic", "mummy_maze/duel"):
        (board,) = rulebook.find(label)
        for bot in [
            bot
            for bot in left.values()
            if all(bot.plays(board.game, board.name, role) for role in board.roles)
        ]:
            match = replace(
                live.match_of(label, left.pop(bot.name)), opening=Opening(plies=20, key="ab" * 16)
            )
            record = play(match, launcher=launcher)
            assert record.verdict.faults == ()
            assert [turn.by for turn in record.turns if turn.number <= 20][-1] == "opening"
            assert list(disagreements(rulebook.game_of(match), record)) == []
    assert left == {}


# Which opening a match gets


def planned(event):
    return tuple(round_robin.batch(event, 0, ()))


@pytest.mark.parametrize("seed", [7, SECRET])
def test_all_legs_of_a_pairing_have_one_opening(seed):
    event = event_of("duel", seed, repeats=12, openings=Openings(plies=4))
    found = by_pairing(planned(event))
    assert all(len(each) == 1 for each in found.values())
    game = rulebook.game_of(event.boards[0])
    starts = {pairing: openings.turns_of(game, opening) for pairing, (opening,) in found.items()}
    for pair in {pair for pair, _ in starts}:
        states = {state_after(game, turns) for (bots, _), turns in starts.items() if bots == pair}
        assert len(states) == 12
    assert (
        len({openings.moves_of(turns) for (_, repeat), turns in starts.items() if repeat == 0}) == 3
    )


def test_more_repeats_than_a_board_has_openings_go_round():
    game = toy.Duet(turns=4)
    starts = [
        openings.turns_of(game, Opening(plies=1, key="ab" * 16, number=number))
        for number in range(7)
    ]
    assert len({turns[0]["fox"] for turns in starts[:3]}) == 3
    assert starts[3:6] == starts[:3]


def test_an_opening_cannot_be_foretold_without_the_secret():
    plans = {
        seed: planned(event_of("duel", seed, openings=Openings(plies=4)))
        for seed in (SECRET, OTHER)
    }
    keys = {
        seed: {match.opening.key for match in plan if match.opening} for seed, plan in plans.items()
    }
    assert len(keys[SECRET]) == 3  # pairs
    assert not keys[SECRET] & keys[OTHER]
    assert not keys[SECRET] & {match.key for match in plans[SECRET]}
    shown = [text for match in plans[SECRET] for text in (match.id, str(match.seed), match.key)]
    for match in plans[SECRET]:
        assert match.opening is not None
        assert match.opening.key not in shown
        assert SECRET not in str(match)


def test_an_edited_bot_meets_other_openings():
    event = event_of("duel", SECRET, openings=Openings(plies=4))
    ann, bob, _ = event.bots
    old, new = (
        event.match(event.boards[0], (bot, bob), 0).opening
        for bot in (ann, replace(ann, digest="edited"))
    )
    assert old != new


def test_openings_change_the_ids_of_matches_and_their_absence_does_not():
    openings_of = [
        Openings(),
        Openings(plies=4),
        Openings(plies=5),
        Openings(listed=(("mummy_maze/duel", (MOVES,)),)),
    ]
    plans = [planned(event_of("duel", 7, openings=each)) for each in openings_of]
    assert len({match.id for plan in plans for match in plan}) == sum(map(len, plans))
    assert toy.match_of(toy.Duet()).id == "0907bd7343f4"


MOVES = (("explorer", "move1 west"), ("mummy", "move2 north north"))


def test_listed_openings_are_used_alike_and_shared_by_legs():
    listed = tuple(
        (("explorer", "move1 west"), ("mummy", f"move2 north {way}"))
        for way in ("north", "south", "east")
    )
    event = event_of("duel", 7, repeats=3, openings=Openings(listed=(("mummy_maze/duel", listed),)))
    found = by_pairing(planned(event))
    assert all(len(each) == 1 for each in found.values())
    for pair in {pair for pair, _ in found}:
        assert {opening.moves for (bots, _), (opening,) in found.items() if bots == pair} == set(
            listed
        )


# What is sampled


@dataclass(frozen=True)
class Cliff(toy.Duet):
    """A match that is over at once, unless fox waits."""

    def outcome(self, state: toy.State) -> Any:
        return super().outcome(
            state if "fox:w" not in "".join(state).replace("fox:wait", "") else ("",) * self.turns
        )


def test_no_opening_ends_a_match_and_a_board_without_any_is_refused():
    game = Cliff(turns=8)
    openings.refuse_rare(game, 3)
    for number in range(20):
        turns = openings.turns_of(game, Opening(plies=3, key="ab" * 16, number=number))
        assert [moves["fox"] for moves in turns if "fox" in moves] == ["wait", "wait"]
    with pytest.raises(
        ArenaError, match=r"the match is over after 8 random plies in all of 1000 tries"
    ):
        openings.refuse_rare(game, 8)
    with pytest.raises(ArenaError, match="the match was over in all of 2000 openings"):
        openings.turns_of(game, Opening(plies=8, key="ab" * 16))


def test_a_line_gives_the_moves_that_it_was_made_of():
    game = rulebook.game_of(rulebook.find("pacman/classic")[0])
    for number in range(5):
        turns = openings.turns_of(game, Opening(plies=4, key="ab" * 16, number=number))
        label, moves = openings.parse(openings.line("pacman/classic", openings.moves_of(turns)))
        assert label == "pacman/classic"
        assert openings.turns_of(game, Opening(moves=moves)) == turns
        shuffled = list(moves)
        random.Random(number).shuffle(shuffled[1:3])
        assert openings.turns_of(game, Opening(moves=tuple(shuffled))) == turns


# The file, the command, and an event


QUICK = {"first": sprint.FIRST, "last": sprint.LAST}


def workspace(folder: Path, *lines: str, boards: str = "duel") -> Path:
    made = workspaces.make(folder, boards=boards)
    (made / "openings.txt").write_text("\n".join(lines))
    return made


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "explorer move1 up",
            r"move 1, 'explorer move1 up', is not legal; did you mean '.*'\? Legal are explorer",
        ),
        (
            "explorer move1 west; explorer move1 west",
            "move 2, .* is not legal; legal are .* and 13 more",
        ),
        ("mummy move2 north north", "move 1, 'mummy move2 north north', is not legal"),
        (
            "explorer",
            "expected `game/board: ROLE MOVE; ROLE MOVE`, found 'mummy_maze/duel: explorer'",
        ),
        ("", "expected `game/board: ROLE MOVE; ROLE MOVE`"),
        ("explorer move1 west;", "expected `game/board: ROLE MOVE; ROLE MOVE`"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_names_the_line_and_the_move(
    tmp_path, line, message
):
    folder = workspace(tmp_path / "ws", "# openings", "", f"mummy_maze/duel: {line}")
    done = cup.arena(folder, "run", "--plan", "--set", "openings.file=openings.txt")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    with pytest.raises(ArenaError, match=rf"^openings\.file: {folder}/openings\.txt:3: {message}"):
        config.load(folder / "tournament.toml", {"openings.file": "openings.txt"}).event(folder)


def refused(folder: Path, **settings: object) -> str:
    overrides = {f"openings.{key}": value for key, value in settings.items()}
    with pytest.raises(ArenaError) as raised:
        config.load(folder / "tournament.toml", overrides).event(folder)
    return str(raised.value)


def test_a_turn_of_several_roles_must_be_whole_and_a_match_must_go_on(tmp_path):
    half = "pacman move west; blinky move west"
    folder = workspace(tmp_path / "half", f"pacman/classic: {half}", boards="classic")
    assert "it ends in the middle of a turn: add a move of inky" in refused(
        folder, file="openings.txt"
    )
    over = (
        "explorer move1 nowhere; mummy move2 north west"
        + "; explorer move1 east; mummy move2 west west" * 30
    )
    folder = workspace(tmp_path / "over", f"mummy_maze/hunt: {over}", boards="hunt")
    assert "openings.txt:1: " in refused(folder, file="openings.txt")


def test_what_else_is_wrong_with_openings_is_said_in_one_line(tmp_path):
    folder = workspace(tmp_path / "ws", "mummy_maze/hunt: explorer move1 west")
    assert "has no opening of mummy_maze/duel: `arena openings mummy_maze/duel`" in refused(
        folder, file="openings.txt"
    )
    assert "cannot be read: No such file" in refused(folder, file="no.txt")
    assert "leave one of them out" in refused(folder, file="openings.txt", plies=4)
    assert "openings.plies: mummy_maze/duel: the match is over after 60 random plies" in refused(
        folder, plies=60
    )
    (folder / "openings.txt").write_text("mummy_maze/dual: explorer move1 west")
    assert "openings.txt:1: there is no game or board 'mummy_maze/dual'; did you mean" in refused(
        folder, file="openings.txt"
    )
    (folder / "openings.txt").write_bytes(b"\xff")
    assert "this is not UTF-8 text" in refused(folder, file="openings.txt")


def test_the_command_prints_a_file_of_different_openings(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    done = cup.arena(folder, "openings", "duel", "--plies", "3", "--count", "20", "--seed", "x")
    assert done.returncode == 0
    assert (
        cup.arena(folder, "openings", "duel", "--plies", "3", "--count", "20", "--seed", "x").stdout
        == done.stdout
    )
    assert (
        cup.arena(folder, "openings", "duel", "--plies", "3", "--count", "20").stdout != done.stdout
    )
    (folder / "openings.txt").write_text(done.stdout)
    event = config.load(folder / "tournament.toml", {"openings.file": "openings.txt"}).event(folder)
    game = rulebook.game_of(event.boards[0])
    listed = event.openings.on("mummy_maze/duel")
    assert (
        len({state_after(game, openings.turns_of(game, Opening(moves=moves))) for moves in listed})
        == 20
    )
    few = cup.arena(folder, "openings", "duel", "--plies", "1")
    assert len(few.stdout.splitlines()) == 3
    assert few.stderr == "mummy_maze/duel: 3 of 50: no more states were found with --plies 1\n"
    none = cup.arena(folder, "openings", "duel", "--plies", "60")
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)


@pytest.mark.soak
def test_an_event_with_openings_resumes_verifies_replays_and_reruns(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK, "duel")
    settings = ["--set", "openings.plies=4", "--set", f"seed={SECRET}"]
    for repeats in ("1", "2"):
        assert cup.run_event(folder, *settings, "--repeats", repeats).returncode == 0
    with Archive.open(folder / "results" / "cup") as archive:
        played = list(archive.records())
    assert len(played) == 4
    assert (
        len({records.transcript(record) for record in played}) == 4
    )  # bots without chance, and no two matches alike
    heads = {
        (record.match.repeat, tuple(turn.move for turn in record.turns[:4])) for record in played
    }
    assert len(heads) == 2
    assert cup.arena(folder, "verify").stdout == "4 records: 4 confirmed\n"
    match = played[0].match.id
    assert cup.arena(folder, "rerun", match).returncode == 0
    assert cup.arena(folder, "replay", match).stdout.count("(opening)") == 4
    assert "last mummy" in cup.arena(folder, "replay", match, "--lines", "--role", "mummy").stdout
    turns = Results.open(folder / "results" / "cup").turns()
    assert (turns["by"] == "opening").sum() == 16
    assert config.load(folder / "results" / "cup" / "tournament.toml").openings.plies == 4


FROM_THE_START = python(
    each='if word == "turn": assert int(rest) <= 2 * (turns + 1), "a turn is missing"'
)


def test_check_finds_a_bot_that_cannot_begin_after_an_opening(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws", {"mine": FROM_THE_START, "other": cup.LAST}, "duel", openings={"plies": 4}
    )
    done = cup.arena(folder, "check", "mine")
    assert done.returncode == 1
    assert re.search(r"ok +\d+ of \d+  mummy_maze/duel as explorer: ", done.stdout)
    assert "mummy_maze/duel as explorer, turn 1, after an opening" in done.stdout
    assert "a turn is missing" in done.stdout


def test_an_event_with_a_file_of_openings_is_played_and_verified(tmp_path):
    folder = workspaces.make(tmp_path / "ws", QUICK, "duel")
    (folder / "openings.txt").write_text(
        cup.arena(folder, "openings", "duel", "--seed", "1", "--plies", "3").stdout
    )
    assert cup.run_event(folder, "--set", "openings.file=openings.txt").returncode == 0
    (folder / "openings.txt").unlink()  # what was played needs it no more
    with Archive.open(folder / "results" / "cup") as archive:
        assert {
            turn.by for record in archive.records() for turn in record.turns if turn.number <= 3
        } == {"opening"}
        assert len(archive.event().openings.on("mummy_maze/duel")) > 10
    assert cup.arena(folder, "verify").stdout == "2 records: 2 confirmed\n"


def test_the_file_in_the_manual_can_be_played():
    page = (BOTS.parent / "docs" / "organisers.md").read_text()
    (block,) = (
        text for text in page.split("```")[1::2] if text.startswith("\n# A line for each opening")
    )
    lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
    for label, moves in map(openings.parse, lines):
        openings.turns_of(rulebook.game_of(rulebook.find(label)[0]), Opening(moves=moves))
    assert len(lines) == 2


def test_a_board_of_an_event_gets_its_own_lines(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel hunt")
    text = "".join(
        cup.arena(folder, "openings", board, "--count", "3").stdout
        for board in ("duel", "hunt", "court")
    )
    (folder / "openings.txt").write_text(text)
    event = config.load(folder / "tournament.toml", {"openings.file": "openings.txt"}).event(folder)
    boards: dict[str, Board] = {board.label: board for board in event.boards}
    assert {label: len(event.openings.on(label)) for label in boards} == {
        "mummy_maze/duel": 3,
        "mummy_maze/hunt": 3,
    }
    for match in planned(event):
        assert match.opening is not None
        openings.turns_of(rulebook.game_of(boards[match.label]), match.opening)
