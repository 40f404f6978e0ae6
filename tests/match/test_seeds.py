"""Seeds: a bot can predict neither draws nor its opponent, and a record can be replayed without the
secret.
"""

import os
import random
import re
import shutil
import stat
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from arena import rulefile
from arena.cli import options
from arena.errors import ArenaError
from arena.event import config, discovery
from arena.event.schedules import round_robin
from arena.games import rulebook
from arena.identity import digest_of
from arena.match.play import play
from arena.match.referee import Referee, bot_secret, bot_seed
from arena.protocol import Reply
from arena.replay.reconstruct import Exchange, disagreements, retrace
from arena.results.archive import Archive, records
from arena.values import Bot, Event, Record
from tests.support import cup, sprint, toy, workspaces

HOUSE = {bot.name: bot for bot in discovery.gather(Path(__file__).parents[2] / "bots")}
DRAWN, OTHER = "3f" * 16, "40" * 16


def house_event(seed: int | str) -> Event:
    (board,) = rulebook.find("mummy_maze/duel")
    return Event(name="t", seed=seed, boards=(board,), bots=tuple(HOUSE.values()), repeats=2)


def entropies(label: str, own: str, published: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """What an author can try: event seeds that organisers choose, and all that records of other
    matches reveal.

    Each with the opponent that it would mean.
    """
    seeds = [
        *range(3000),
        *(one.match.seed for one in published),
        *(one.match.key for one in published),
    ]
    for other in HOUSE:
        for repeat in range(2):
            for seed in seeds:
                parts = ("seed", seed, label, sorted({own, other}), repeat)
                yield other, str(int(digest_of(*parts, length=12), 16))
    for record in published:
        for text in (record.match.key, str(record.match.seed), record.match.id):
            yield "anybody", text


def attack(record: Record, role: str, published: Iterable[Record] = ()) -> tuple[str, str] | None:
    """The opponent and the entropy of a match, from the lines that one seat read before it said
    `ready`.
    """
    lines = dict(
        line.split(" ", 1) for line in asked(record, role)[0].ask.text.decode().splitlines()[:7]
    )
    own = next(seat.bot.name for seat in record.match.seats if seat.role == role)
    for other, entropy in entropies(lines["game"], own, list(published)):
        if bot_seed(entropy, role) == int(lines["seed"]):
            return other, entropy
    return None


def asked(record: Record, role: str) -> tuple[Exchange, ...]:
    return retrace(rulebook.game_of(record.match), record).of(role)


def foretold(record: Record, role: str, entropy: str) -> list[str]:
    """The moves of the house bot `dice` in this role, from the entropy of its match."""
    return thrown(
        record, role, bot_secret(record.match.key and entropy, role) or bot_seed(entropy, role)
    )


def thrown(record: Record, role: str, seed: int | str) -> list[str]:
    """The moves of a bot in this role that throws dice by this seed."""
    dice = random.Random(seed)
    questions = [one.ask.text.decode().splitlines() for one in asked(record, role)[1:]]
    return [
        dice.choice([line[6:] for line in lines if line.startswith("legal ")])
        for lines in questions
    ]


def test_who_guesses_a_seed_that_is_a_number_foresees_the_opponents_dice(launcher):
    event = house_event(2026)
    record = play(
        event.match(event.boards[0], (HOUSE["walker"], HOUSE["dice"]), 1), launcher=launcher
    )
    other, entropy = attack(record, "explorer")
    assert other == "dice"
    moves = [turn.move for turn in record.turns if turn.role == "mummy"]
    assert len(moves) > 0
    assert foretold(record, "mummy", entropy) == moves


def test_a_drawn_seed_can_be_foretold_from_nothing_that_a_bot_or_its_author_sees(launcher):
    event = house_event(DRAWN)
    board = event.boards[0]
    record, leg, repeat = (
        play(event.match(board, tuple(HOUSE[name] for name in names), number), launcher=launcher)
        for names, number in (
            (("walker", "dice"), 0),
            (("dice", "walker"), 0),
            (("walker", "dice"), 1),
        )
    )
    assert attack(record, "explorer", [leg, repeat]) is None
    moves = [turn.move for turn in record.turns if turn.role == "mummy"]
    assert (
        foretold(record, "mummy", record.match.key) == moves
    )  # the attack would work, if it had the key
    assert all(foretold(record, "mummy", one.match.key) != moves for one in (leg, repeat))
    assert (
        thrown(record, "mummy", bot_seed(record.match.key, "mummy")) != moves
    )  # 31 bits, which can all be tried


def test_a_secret_is_told_to_one_seat_and_in_events_with_a_secret_seed_only():
    told = []
    for seed in (1, DRAWN):
        game = toy.Duet()
        asks = Referee(game, toy.match_of(game, seed=seed)).asks()
        told.append(
            [
                line
                for ask in asks.values()
                for line in ask.text.decode().splitlines()
                if "secret" in line
            ]
        )
    assert told[0] == []
    assert len(set(told[1])) == len(told[1]) == 3
    assert all(re.fullmatch("secret [0-9a-f]{32}", line) for line in told[1])


def test_the_referees_draws_hang_on_the_key_of_the_match_alone():
    def drawn(seed: int | str) -> list[str]:
        game = toy.Duet(dice=True, turns=60)
        referee = Referee(game, toy.match_of(game, seed=seed, strikes=60))
        referee.hear(dict.fromkeys(referee.asks(), Reply(line=b"ready")))
        while asks := referee.asks():
            referee.hear(dict.fromkeys(asks, Reply(line=b"no move")))
        assert list(disagreements(game, referee.record(toy.reports(referee.match), "", 0.0))) == []
        return [turn.move for turn in referee.turns]

    assert drawn(DRAWN) == drawn(DRAWN)
    assert len({tuple(drawn(seed)) for seed in (DRAWN, OTHER, 1, 2)}) == 4


def test_every_match_of_a_drawn_seed_has_its_own_constant_key():
    plan = list(round_robin.batch(house_event(DRAWN), 0, ()))
    assert len({match.key for match in plan}) == len({match.id for match in plan}) == len(plan)
    assert all(re.fullmatch("[0-9a-f]{32}", match.key) for match in plan)
    assert plan == list(round_robin.batch(house_event(DRAWN), 0, ()))
    assert not {match.key for match in plan} & {
        match.key for match in round_robin.batch(house_event(OTHER), 0, ())
    }


def test_legs_of_a_drawn_seed_are_still_one_pairing():
    event = house_event(DRAWN)
    one, other = (
        event.match(event.boards[0], bots, 0)
        for bots in ((HOUSE["dice"], HOUSE["walker"]), (HOUSE["walker"], HOUSE["dice"]))
    )
    assert (one.seed, one.key != other.key) == (other.seed, True)


def test_an_edited_bot_meets_other_draws_of_a_drawn_seed():
    event = house_event(DRAWN)
    old, new = (Bot(name="ann", command=("x",), digest=digest) for digest in ("old", "new"))
    keys = {event.match(event.boards[0], (bot, HOUSE["dice"]), 0).key for bot in (old, new)}
    assert len(keys) == 2


def test_a_number_gives_the_matches_that_it_always_gave():
    match = toy.match_of(toy.Duet())
    assert (match.id, match.seed, match.key) == ("0907bd7343f4", 139439776788669, "")
    assert bot_seed(match.entropy, "hen") == 530703653


def test_a_record_plays_again_without_the_seed_of_its_event(launcher):
    event = house_event(DRAWN)
    record = play(
        event.match(event.boards[0], (HOUSE["dice"], HOUSE["walker"]), 0), launcher=launcher
    )
    again = records.unpacked(records.packed(record))
    assert again == record
    assert DRAWN.encode() not in records._record.adapter.dump_json(again)
    assert list(disagreements(rulebook.game_of(again.match), again)) == []


def test_intervals_of_a_drawn_seed_are_drawn_from_a_number_that_does_not_tell_it():
    numbers = [house_event(seed).resampling_seed for seed in (5, DRAWN, DRAWN, OTHER)]
    assert numbers[0] == 5
    assert numbers[1] == numbers[2] != numbers[3]
    assert numbers[1].bit_length() <= 48


@pytest.mark.parametrize("text", [DRAWN, DRAWN.upper(), f" {DRAWN}\n", "1" * 32])
def test_a_drawn_seed_is_a_text_of_32_hex_digits(tmp_path, text):
    file = workspaces.make(tmp_path / "ws", boards="duel") / "tournament.toml"
    assert config.load(file, {"seed": text}).seed == text.strip().lower()


@pytest.mark.parametrize(
    "seed", ["2026", "3f" * 15, "3f" * 17, "g" * 32, "", 1.5, True, [1], "\u0661" * 32]
)
def test_any_other_text_is_no_seed(tmp_path, seed):
    file = workspaces.make(tmp_path / "ws", boards="duel") / "tournament.toml"
    with pytest.raises(
        ArenaError, match="seed: expected a whole number from 0, or a text of 32 hex digits"
    ):
        config.load(file, {"seed": seed})


@pytest.mark.parametrize(
    "seed", [DRAWN, "1" * 32, "1" + "0" * 10 + "e" + "1" * 20, "0x" + "1" * 30, "7"]
)
def test_a_seed_can_be_typed_whatever_its_digits_look_like(seed):
    wanted = 7 if seed == "7" else seed
    assert options.overrides([f"seed={seed}"]) == {"seed": wanted}
    assert options.seed_of(seed) == wanted


def seed_in(folder: Path) -> object:
    return tomllib.loads((folder / "tournament.toml").read_text())["seed"]


@pytest.fixture
def usual_umask():
    """Have new files readable for everybody, whoever runs the tests."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(file: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(file.stat().st_mode)


def test_init_draws_a_seed_for_each_workspace_and_says_to_keep_it(tmp_path):
    for name in ("one", "two"):
        done = cup.arena(tmp_path, "init", name)
        assert "seed" in done.stdout
    seeds = [seed_in(tmp_path / name) for name in ("one", "two")]
    assert all(isinstance(seed, str) and re.fullmatch("[0-9a-f]{32}", seed) for seed in seeds)
    assert seeds[0] != seeds[1]
    assert "until the event is over" in (tmp_path / "one" / "tournament.toml").read_text()
    assert (tmp_path / "one" / "tournament.toml").read_text().count("seed =") == 1
    assert mode(tmp_path / "one" / "tournament.toml") == 0o600


@pytest.mark.soak
@pytest.mark.usefixtures("usual_umask")
def test_an_event_with_a_drawn_seed_resumes_verifies_and_gives_the_same_tables(tmp_path):
    bots = {"dice": sprint.DICE, "other": sprint.DICE + "#\n"}
    whole, broken = (workspaces.make(tmp_path / name, bots, repeats=2) for name in "ab")
    run = cup.run_event(whole, "--seed", DRAWN)
    assert run.returncode == 0, run.stderr
    assert "is a number" not in run.stderr
    assert cup.run_event(broken, "--set", f"seed={DRAWN}", "--repeats", "1").returncode == 0
    assert cup.run_event(broken, "--set", f"seed={DRAWN}").returncode == 0
    assert cup.tables(whole) == cup.tables(broken)
    assert cup.arena(whole, "verify").stdout == "4 records: 4 confirmed\n"
    with Archive.open(whole / "results" / "cup") as archive:
        (match, *_) = archive.ids()
        keys = [record.match.key for record in archive.records()]
    assert cup.arena(whole, "rerun", match).returncode == 0
    assert seed_in(whole / "results" / "cup") == DRAWN
    assert {mode(whole / "results/cup" / name) for name in ("event.sqlite", "tournament.toml")} == {
        0o600
    }
    assert mode(whole / "results/cup/leaderboard.csv") != 0o600
    for file in (whole / "results" / "cup").glob("*.csv"):
        assert not any(secret in file.read_text() for secret in (DRAWN, *keys))
    told = [
        cup.arena(whole, *words).stdout
        for words in (["leaderboard", "--json"], ["replay", "--lines", match], ["replay", match])
    ]
    assert not any(secret in text for text in told for secret in (DRAWN, *keys))


@pytest.mark.usefixtures("usual_umask")
def test_a_run_with_a_number_says_what_can_be_foretold(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST}, "duel")
    for name in ("dice.py", "walker"):  # bots that come with arena guess nothing, wherever they lie
        own, there = rulefile.shipped().parent / "bots" / name, folder / "bots" / name
        (shutil.copytree if own.is_dir() else shutil.copy)(own, there)
    for bots, is_said in (("dice,walker", False), ("dice,first", True)):
        done = cup.run_event(folder, "--bot", bots, "--name", bots[5:])
        notice = "seed 5 is a number: a bot that guesses it can foretell all chance"
        assert (done.returncode, notice in done.stderr) == (0, is_said), done.stderr
    assert (
        mode(folder / "results/first/event.sqlite")
        == mode(folder / "results/first/tournament.toml")
        != 0o600
    )
