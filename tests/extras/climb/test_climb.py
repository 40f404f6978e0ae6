"""`arena climb`: agents edit bots, what is proven is promoted, and neither a hostile agent nor a
kill gets anything.
"""

import json
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError
from arena.extras.climb import history as history_file
from arena.extras.climb.agent import AgentWork
from arena.extras.climb.climbing import Climb, Proof, begun
from arena.extras.climb.history import History
from arena.results.archive import Archive
from arena.results.sequential import Decision
from arena.values import Bot
from tests.extras.models import providers
from tests.results.test_kept import newer_json
from tests.support import classroom, tutorial, workspaces
from tests.support.cup import Command, arena, processes_in, refused, stored
from tests.support.processes import until
from tests.support.sprint import DICE

AGENTS = Path(__file__).parent / "agents"
BOT = """\
#!/bin/sh
SKILL=0
while read -r word rest; do
  case $word in
    'ready?') echo ready ;;
    go)
      case $SKILL in
        -*) echo sit ;;
        0) echo rest ;;
        *) echo run; SKILL=$((SKILL - 2)) ;;
      esac
      ;;
  esac
done
"""
"""A bot that runs in as many turns as half of its SKILL; below 0 it makes illegal moves."""
BEGINNER = BOT.replace("SKILL=0", "SKILL=-4")
SECRET = "secret-of-bob"
RIVAL = f"{DICE}# {SECRET}\necho {SECRET} >&2\n"
KEY = "sk-planted-0123456789abcdef"
QUICK = ("--no-charts", "--workers", "1", "--set", "climb.points=20")
FEW = ("--set", "climb.pairings=2", "--set", "repeats=1")


def workspace(folder: Path, more: str = "", **bots: str) -> Path:
    workspaces.make(folder, {"ada": BOT, "bob": RIVAL} | bots)
    with (folder / "tournament.toml").open("a") as file:
        file.write(more)
    return folder


def agent(name: str, *words: object) -> str:
    return shlex.join(["python3", "-S", str(AGENTS / f"{name}.py"), *map(str, words)])


def climb(folder: Path, *words: str):
    return arena(folder, "climb", *words, *QUICK)


def history(folder: Path, name: str = "climb-ada") -> bytes:
    return (folder / "results" / name / "climb.json").read_bytes()


def edits(folder: Path, name: str = "climb-ada") -> list[dict]:
    return json.loads(history(folder, name))["edits"]


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    """A workspace in which an agent that asks a model has climbed for two rounds."""
    folder = tmp_path_factory.mktemp("climb") / "w"
    with providers.serving(providers.plays) as server:
        workspace(
            folder, f'[model]\nname = "m"\nurl = "{server.url}"\nprice_out = 1000.0\n', ada=BEGINNER
        )
        done = climb(folder, "ada", "--agent", agent("improver"), "--rounds", "2")
        assert done.returncode == 0, done.stderr
        assert server.calls.value == 2
    return folder, done


@pytest.mark.soak
def test_an_improver_rises_by_proven_steps_and_its_versions_are_those_of_submit(climbed):
    folder, done = climbed
    rows = edits(folder)
    assert [row["outcome"] for row in rows] == ["promoted"] * 2
    assert all(row["low"] > 0 and row["pairings"] for row in rows)
    assert [row["calls"] for row in rows] == [1, 1]
    assert all(row["tokens"] == 120 and row["cost"] == 0.02 for row in rows)
    assert "SKILL=4" in (folder / "bots/ada").read_text()
    assert [version.number for version in BotStore(folder / "bots").versions("ada")] == [1, 2, 3]
    assert "promoted: +" in done.stdout
    leaderboard = arena(folder, "leaderboard", "climb-ada", "--versions").stdout
    assert all(f"ada v{number}" in leaderboard for number in (1, 2, 3))


@pytest.mark.soak
def test_a_climb_goes_on_to_more_rounds_and_another_one_is_refused(climbed, tmp_path):
    folder = shutil.copytree(climbed[0], tmp_path / "w", symlinks=True)
    before = edits(folder)
    # Nobody answers any more: what was asked is on the tape, and nothing is asked again.
    assert climb(folder, "ada", "--agent", agent("improver"), "--rounds", "2").returncode == 0
    assert edits(folder) == before
    other = climb(folder, "ada", "--agent", agent("improver", 1))
    assert refused(other, "was begun with other bots, agents, boards, seed or rules of promotion")
    (folder / "bots/ada").write_text(BOT)
    words = ("ada", "--agent", agent("improver"), "--rounds", "3")
    assert refused(climb(folder, *words), "is not ada@3 any more, which this climb promoted last")


MISBEHAVIOUR = {
    "crashes": ("failed", "it ended with exit 1\n  I give up"),
    "empties_its_folder": ("failed", "ada: cannot be read: No such file or directory"),
    "fills_the_disk": ("failed", "scratch"),
    "makes_many_files": ("failed", "files: more than 20000"),
    "links_to_a_file": ("failed", "this link leaves the bot's folder"),
    "links_to_a_device": ("failed", "this link leaves the bot's folder"),
    "makes_a_pipe": ("failed", "it ended with exit 1"),
    "breaks_its_bot": ("refused", "broken"),
    "is_shown_as_another": ("refused", "its bot.toml changes display"),
    "plays_only_what_it_is_good_at": ("refused", "it must play what the version before plays"),
    "floods_the_model": ("failed", "more than 20 requests in one turn that came to nothing"),
    "prints_without_end": ("failed", "output: a line has more than"),
    "changes_nothing": ("unchanged", ""),
    "never_ends": ("failed", "it took more than 2 seconds"),
}
"""What becomes of the edit of an agent that misbehaves so, and words of the reason."""


@pytest.mark.soak
def test_agents_that_misbehave_are_named_and_change_nothing(tmp_path):
    folder = workspace(tmp_path / "w")
    (folder / "tmp").mkdir()
    climbing = ("climb", "ada", "--agent", agent("misbehaves", *MISBEHAVIOUR), *QUICK)
    for rounds, seconds in ((len(MISBEHAVIOUR) - 1, 600), (len(MISBEHAVIOUR), 2)):
        limits = ("--rounds", str(rounds), "--set", f"climb.time={seconds}")
        done = arena(folder, *climbing, *limits, TMPDIR=str(folder / "tmp"))
        assert done.returncode == 0, done.stderr
    for row, (outcome, words) in zip(edits(folder), MISBEHAVIOUR.values(), strict=True):
        assert (row["outcome"], words in row["words"]) == (outcome, True), row
        assert str(tmp_path) not in row["words"]
    assert (folder / "bots/ada").read_text() == BOT
    assert not list(processes_in(folder))
    assert list((folder / "tmp").iterdir()) == []


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A workspace in which a cheater and an agent that mends a mute bot had a round."""
    home = tmp_path_factory.mktemp("crowd")
    (home / "key").write_text(f"{KEY}\n")
    (home / "key").chmod(0o600)
    with providers.serving(providers.echoes_key) as server:
        folder = workspace(
            home / "w",
            f'[model]\nname = "m"\nurl = "{server.url}"\nkey_file = "{home / "key"}"\n',
            mute="#!/bin/sh\nexit 1\n",
        )
        classroom.submit(
            classroom.untried(folder), folder / "bots/bob"
        )  # a version of it is in the store
        port = server.url.partition("127.0.0.1:")[2].partition("/")[0]
        agents = ("--agent", agent("cheater", folder, port), "--agent", agent("mender"))
        done = climb(folder, "ada", "mute", *agents, "--rounds", "1", "--name", "climb", *FEW)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_a_cheater_gets_nothing_of_rivals_the_network_or_the_key(crowd):
    version = BotStore(crowd / "bots").versions("ada")[-1]
    took = json.loads(version.path.read_text().partition("# {")[2].join(("{", "")))
    assert took["tried"] > 100
    assert took["loot"] == []
    said = json.dumps(took["said"])
    assert "[key]" in said
    assert SECRET not in said
    assert "rival" in said
    assert "bob" not in said
    for path in crowd.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_a_climb_may_begin_with_a_bot_that_does_not_work(crowd):
    row = edits(crowd, "climb")[-1]
    outcome = row["bot"], row["outcome"], row["pairings"]
    assert (outcome, "mute@1 is absent" in row["words"]) == (("mute", "promoted", 0), True)


def test_a_mistake_is_one_line_before_anything_is_played(tmp_path):
    folder = workspace(
        tmp_path / "w", f'[model]\nname = "m"\ncommand = "true"\nkey_file = "{tmp_path / "key"}"\n'
    )
    (tmp_path / "key").write_text(f"{KEY}\n")
    for words, message in (
        (("ada", "--agent", f"cat {tmp_path / 'key'}"), "and not this one"),
        (("ada", "--agent", f"cat {folder}/bots/ada"), "and not this one"),
        (("ada", "--agent", "cat tournament.toml"), "and not this one"),
        (("bots/ada", "--agent", "cat"), "name a bot of this workspace"),
        (("ada", "--agent", "nowhere"), "there is no such program here"),
        (("ada", "--agent", "cat '"), "close the quotation"),
        (("eve", "--agent", "cat"), "eve: is no bot of this event"),
        (("ada", "ada", "--agent", "cat"), "each bot climbs once"),
        (("ada", "--agent", "cat", "--agent", "cat"), "2 for 1 bots"),
        (("ada", "--agent", "cat", "--set", "climb.promote=always"), "climb.promote"),
    ):
        assert refused(climb(folder, *words), message), words
    assert not (folder / "results").exists()


class Killed(BaseException):
    pass


def climbed_with(folder: Path, kill_at: int = 0) -> list[str]:
    """Climb with steps that take no time, up to the killed one; return the steps that were
    begun.
    """
    begins: list[str] = []

    def step(name: str) -> None:
        begins.append(name)
        if len(begins) == kill_at:
            raise Killed

    def work(_: History, bot: Bot, number: int, target: Path) -> AgentWork:
        step(f"{number} {bot.name} works")
        target.write_text(f"{Path(bot.files).read_text()}# {number}\n" if number != 3 else DICE)
        target.chmod(0o755)
        return AgentWork(calls=1, tokens=number)

    def examine(bots):
        step("check")
        return iter([()] * len(bots))

    def proof(bot: str, version: Version, before: Version) -> Proof:
        step(f"{bot} test {before.number} {version.number}")
        decision = Decision.BETTER if (version.number, before.number) != (3, 2) else None
        return Proof(decision=decision, pairings=9, difference=1.0, low=0.0, high=2.0)

    store, results = BotStore(folder / "bots"), folder / "results/climb"
    history = begun(store, results, {"ada": "x", "bob": "x"}, "settings")
    Climb(
        folder=results,
        store=store,
        history=history,
        play=lambda: step("play"),
        work=work,
        examine=examine,
        test=proof,
        tell=lambda _: None,
    ).climb(3)
    return begins


@pytest.mark.slow
def test_killed_at_any_step_a_climb_goes_on_to_the_same_history(tmp_path):
    def fresh(name: str) -> Path:
        return workspaces.make(tmp_path / name, {"ada": DICE, "bob": DICE})

    steps = climbed_with(fresh("whole"))
    assert steps[:4] == ["play", "1 ada works", "check", "ada test 1 2"]
    assert steps.count("play") == 4
    assert (
        steps.count("check") == 4
    )  # what the third round makes of both is the first version again
    for kill_at in range(1, len(steps) + 1):
        folder = fresh(str(kill_at))
        with pytest.raises(Killed):
            climbed_with(folder, kill_at)
        again = climbed_with(folder)
        assert history(folder, "climb") == history(tmp_path / "whole", "climb"), steps[kill_at - 1]
        assert (folder / "bots/ada").read_bytes() == (tmp_path / "whole/bots/ada").read_bytes()
        if (
            " bob " in steps[kill_at - 1]
        ):  # it sees what ada's agent saw: the event is not played in between
            assert again[0] != "play"


def test_a_bot_that_its_author_changes_during_its_test_is_not_overwritten(tmp_path):
    folder = workspaces.make(tmp_path / "w", {"ada": DICE, "bob": DICE})
    with pytest.raises(Killed):
        climbed_with(folder, kill_at=4)  # in the first test of ada
    (folder / "bots/ada").write_text(f"{DICE}# by hand\n")
    with pytest.raises(ArenaError, match="is not ada@1 any more"):
        climbed_with(folder)
    assert (folder / "bots/ada").read_text() == f"{DICE}# by hand\n"
    path = folder / "results/climb/climb.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"first": {}}))
    with pytest.raises(ArenaError, match="was begun with other bots"):
        climbed_with(folder)


@pytest.mark.soak
def test_the_page_can_be_followed(tmp_path):
    page = (tutorial.DOCS / "extras/climb.md").read_text("utf-8")
    folder, done = tutorial.follow(page, tmp_path, {"climb": (*QUICK, *FEW, "--rounds", "1")})
    assert [command.returncode for command in done] == [0, 0, 0], done
    (row,) = edits(folder)
    assert row["outcome"] in {"promoted", "rejected", "unchanged"}


@pytest.mark.soak
def test_a_climb_that_is_killed_again_and_again_has_the_same_history(climbed, tmp_path):
    whole, _ = climbed
    folder = tmp_path / "w"
    steps = (
        lambda: stored(folder, "climb-ada"),
        lambda: stored(folder, "climb-ada/duels/ada@2-ada@1"),
    )
    with providers.serving(providers.plays) as server:
        workspace(
            folder, f'[model]\nname = "m"\nurl = "{server.url}"\nprice_out = 1000.0\n', ada=BEGINNER
        )
        (folder / "tmp").mkdir()
        words = ("climb", "ada", "--agent", agent("improver"), "--rounds", "1", *QUICK)
        for is_done in steps:
            run = Command(folder, *words, TMPDIR=str(folder / "tmp"))
            assert until(is_done, 60), run.said()
            run.signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL
        assert until(lambda: not list(processes_in(folder)))
        run = Command(folder, *words, TMPDIR=str(folder / "tmp")).end(120)
        assert run.returncode == 0, run.stderr
        assert server.calls.value <= 1 + len(
            steps
        )  # only a call that had no answer yet is made again
    assert edits(folder) == edits(whole)[:1]
    with (
        Archive.open(folder / "results/climb-ada") as one,
        Archive.open(whole / "results/climb-ada") as other,
    ):
        assert one.ids() < other.ids()
        assert len(one.ids()) == 4  # two for each version


def test_the_history_of_a_climb_of_a_newer_format_is_refused(tmp_path: Path):
    history_file.store(tmp_path, history_file.History(settings="", agents={}, first={}))
    assert history_file.read(tmp_path) is not None
    newer_json(tmp_path / history_file.FILE)
    with pytest.raises(
        ArenaError, match=r"climb\.json: its format is 99, and this arena reads 1: upgrade arena"
    ):
        history_file.read(tmp_path)
