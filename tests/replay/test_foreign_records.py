"""A record from a stranger decides nothing about this machine: not how bots are confined, and no
path.
"""

import json
import os
from dataclasses import replace

import pytest

from arena.event import discovery
from arena.replay import notation
from arena.results.archive import Archive
from arena.values import Conditions, Event, Limits
from tests.games.test_rulebook import DEADLY
from tests.replay.test_reconstruct import dice, scripted
from tests.support import cup, workspaces

READY_IF_CONFINED = """\
import os, socket, sys
powers = []
try:
    socket.socket().close()
    powers.append("a socket")
except OSError:
    pass
try:
    room = bytearray(600_000_000)
    powers.append("memory")
except MemoryError:
    pass
try:
    if os.fork() == 0:
        os._exit(0)
    powers.append("a process")
except OSError:
    pass
try:
    os.listdir({workspace!r})
    powers.append("the workspace")
except OSError:
    pass
if "this" in sys.modules:
    powers.append("a module")
sys.stdin.readline()
print(f"has {{powers}}" if powers else "ready", flush=True)
"""
CLAIMED = Conditions(
    limits=Limits(**dict.fromkeys(Limits.__dataclass_fields__)),
    sandbox="none",
    syscalls=("clone", "fork", "socket"),
    freeze=False,
    preload=("this",),
    keep=True,
)
"""What a text would like a bot to have."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with a match text of a stranger, and a bot that says `ready` only if it is
    confined.
    """
    folder = workspaces.make(tmp_path_factory.mktemp("foreign") / "ws", boards="duel")
    (folder / "bots" / "first.py").write_text(READY_IF_CONFINED.format(workspace=str(folder)))
    record, _ = scripted("mummy_maze/duel", dice())
    record = replace(record, match=replace(record.match, conditions=CLAIMED))
    (folder / "match.txt").write_text(notation.text_of(record))
    return folder


@pytest.mark.parametrize("words", [(), ("--unsafe",)])
def test_a_text_of_a_match_gives_a_bot_nothing_that_the_workspace_does_not(workspace, words):
    fed = cup.arena(
        workspace, "rerun", "match.txt", "--bot", "first", "--role", "mummy", "--json", *words
    )
    assert json.loads(fed.stdout)[0]["now"] == "ready", fed.stdout
    assert "limits.memory" in fed.stderr
    assert "syscalls" in fed.stderr


def test_a_digest_in_a_record_leads_to_no_other_folder(workspace, tmp_path):
    """The digests of texts are checked when they are read; an archive of a stranger holds
    anything.
    """
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "diary.xyz").write_text("dear diary")
    record, _ = scripted("mummy_maze/duel", dice())
    away = os.path.relpath(tmp_path / "secrets", workspace / "results" / "cup" / "bots")
    seats = tuple(
        replace(seat, bot=replace(seat.bot, name="last", digest=away))
        for seat in record.match.seats
    )
    reports = tuple(replace(report, bot="last", digest=away) for report in record.seats)
    record = replace(record, match=replace(record.match, seats=seats), seats=reports)
    with Archive.open(workspace / "results" / "cup", writing=True) as archive:
        archive.begin(Event(name="cup", seed=1, boards=(), bots=()), "key", tuple)
        archive.append(record)
    (workspace / "results" / "cup" / "bots").mkdir()
    done = cup.arena(workspace, "rerun", record.match.id, "--bot", "last", "--role", "mummy")
    assert "diary" not in done.stderr
    assert done.returncode in {0, 1}, done.stderr


def test_a_copy_of_a_bot_to_which_a_link_leads_is_not_played_again(workspace, tmp_path):
    bot = discovery.from_path(workspace / "bots" / "last.py")
    record, _ = scripted("mummy_maze/duel", dice())
    seats = tuple(
        replace(seat, bot=replace(seat.bot, name="last", digest=bot.digest))
        for seat in record.match.seats
    )
    reports = tuple(replace(report, bot="last", digest=bot.digest) for report in record.seats)
    record = replace(record, match=replace(record.match, seats=seats), seats=reports)
    shared = workspace / "results" / "shared"
    with Archive.open(shared, writing=True) as archive:
        archive.begin(Event(name="shared", seed=1, boards=(), bots=()), "key", tuple)
        archive.append(record)
    (tmp_path / bot.digest).mkdir()
    (workspace / "bots" / "last.py").rename(tmp_path / bot.digest / "last.py")
    rerun = ("rerun", f"shared/{record.match.id}", "--bot", "last", "--role", "mummy")
    try:
        (shared / "bots").symlink_to(tmp_path)
        done = cup.arena(workspace, *rerun)
        assert (done.returncode, "there is no bot 'last'" in done.stderr) == (2, True), done.stderr

        (shared / "bots").unlink()
        (tmp_path / bot.digest).rename(shared / "moved")
        (shared / "bots").mkdir()
        (shared / "moved").rename(shared / "bots" / bot.digest)
        done = cup.arena(workspace, *rerun)
        assert done.returncode in {0, 1}, done.stderr
    finally:
        (shared / "bots" / bot.digest / "last.py").rename(workspace / "bots" / "last.py")


def test_a_board_that_a_record_names_or_describes_does_not_end_the_process(workspace):
    """In a process of its own, because nobody would be left to say that this test failed."""
    (workspace / "rules" / "deadly.py").write_text(DEADLY)
    text = (workspace / "match.txt").read_text()
    named = text.replace("mummy_maze/duel", "deadly/loads(deed=kills)")
    killed, eaten = "it ends the process, by SIGKILL", "it takes more than 1000 MB of memory"
    claims = [(named, killed)]
    for drawn, words in (
        ('{"when": "loads", "deed": "eats", "megabytes": 9000}', eaten),
        (
            '{"when": "loads(inner=1)", "deed": "kills"}',
            killed,
        ),  # as a game of OpenSpiel is described
    ):
        sampled = f"[Sampled {json.dumps(drawn)}]\n[Conditions"
        claims.append(
            (text.replace("mummy_maze/duel", "deadly/all").replace("[Conditions", sampled), words)
        )
    for claim, words in claims:
        (workspace / "deadly.txt").write_text(claim)
        done = cup.Command(workspace, "replay", "deadly.txt").end()
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert words in done.stderr
