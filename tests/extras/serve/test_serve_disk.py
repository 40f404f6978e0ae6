"""How much of the disk authors may take: what counts, which versions make room, and what a refusal
says.
"""

import contextlib
import io
import os
import time
import zipfile
from collections.abc import Callable

import pytest

from arena import whole_files
from arena.author.submissions.bot_store import BotStore
from arena.errors import ArenaError
from arena.extras.serve import actions, author, uploads
from arena.extras.serve.accounts import Account, Accounts, Upload
from arena.extras.serve.disk import Disk, size_of
from tests.support import cup, events, workspaces

PADDING = 300_000


@pytest.fixture
def site(tmp_path) -> tuple[Accounts, Account]:
    """A site on which an author has a megabyte."""
    accounts = Accounts(workspaces.make(tmp_path, boards="duel"))
    accounts.invite("Ada", "test")
    actions.act(accounts, "limit", ["disk", "1"], "test")
    return accounts, accounts.named("Ada")


def program(version: int, size: int = PADDING) -> bytes:
    """Return a bot that differs from each other version, and has about this size."""
    return f"{cup.FIRST}\n# {version}\n#".encode() + b"x" * size


def receive(accounts: Accounts, account: Account, content: bytes, name: str = "bot.py") -> str:
    return uploads.receive(accounts, account, {name: io.BytesIO(content)})


def decide(accounts: Accounts) -> Upload:
    """Decide the uploads that wait without a check; return the newest."""
    store = BotStore(accounts.workspace / "bots")
    uploads.decide_all(accounts, store, lambda bots: (() for _ in bots), [])
    return accounts.uploads()[0]


def hand_in(accounts: Accounts, account: Account, version: int, size: int = PADDING) -> None:
    receive(accounts, account, program(version, size))
    assert decide(accounts).status == "accepted"


def numbers(accounts: Accounts) -> list[int]:
    return [version.number for version in BotStore(accounts.workspace / "bots").versions("Ada")]


def test_versions_that_nothing_needs_make_room_the_oldest_first(site):
    accounts, ada = site
    for version in range(1, 7):
        hand_in(accounts, ada, version)
        assert Disk(accounts, ada).used() <= 1_000_000
    assert numbers(accounts) == [5, 6]
    removed = [
        entry.subject for entry in accounts.log() if entry.action == "version removed for room"
    ]
    assert removed == ["Ada@4", "Ada@3", "Ada@2", "Ada@1"]
    assert (accounts.workspace / "bots/Ada.py").read_bytes() == program(6)


@pytest.mark.slow
def test_no_version_goes_that_plays_or_has_results_or_is_asked_for(site):
    accounts, ada = site
    hand_in(accounts, ada, 1)
    events.run(accounts.workspace, "results/cup")
    actions.act(accounts, "limit", ["disk", "3"], "test")
    hand_in(accounts, ada, 2)
    hand_in(accounts, ada, 3)
    accounts.ask(ada, "Ada@2", "last", "", 1)
    accounts.begin_match(ada, "Ada@3", "any words")
    for version in range(4, 9):
        hand_in(accounts, ada, version)
    found = numbers(accounts)
    assert (found[:3], found[-1], 4 in found) == ([1, 2, 3], 8, False)
    with pytest.raises(ArenaError, match=r"MB of 3\.0 MB, and this takes 2\.\d MB more"):
        receive(accounts, ada, program(9, 2_000_000))
    assert numbers(accounts) == found
    assert cup.arena(accounts.workspace, "verify", "cup").returncode == 0


def test_of_an_archive_that_cannot_be_read_nobody_knows_what_it_needs(site):
    accounts, ada = site
    hand_in(accounts, ada, 1)
    hand_in(accounts, ada, 2)
    (folder := accounts.workspace / "results/old").mkdir(parents=True)
    (folder / "event.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(ArenaError, match="of which nothing old can go"):
        receive(accounts, ada, program(3))
    assert numbers(accounts) == [1, 2]


@pytest.mark.parametrize("step", ["note", "rename", "sync"])
def test_a_kill_while_versions_make_room_leaves_each_whole_or_gone(site, monkeypatch, step):
    accounts, ada = site
    hand_in(accounts, ada, 1)
    hand_in(accounts, ada, 2)
    pid = os.fork()
    if pid == 0:
        dies: Callable[..., None] = lambda *_: os._exit(9)  # noqa: E731
        if step == "note":
            monkeypatch.setattr(BotStore, "remove", dies)
        elif step == "rename":
            monkeypatch.setattr(whole_files, "sync_folder", dies)
        else:
            monkeypatch.setattr(Accounts, "add_upload", dies)
        try:
            receive(accounts, ada, program(3))
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert numbers(accounts) == ([1, 2] if step == "note" else [2])
    uploads.clear(accounts)
    hand_in(accounts, ada, 3)
    assert numbers(accounts) == [2, 3]
    assert Disk(accounts, ada).used() <= 1_000_000
    assert not [*BotStore(accounts.workspace / "bots").incoming.glob("*")]


def test_many_empty_files_take_room_too(site):
    accounts, ada = site
    files = {f"bot/{number}": io.BytesIO(b"") for number in range(300)}
    with pytest.raises(
        ArenaError,
        match=r"take 0\.\d MB of 1\.0 MB, and this takes 1\.2 MB more: ask the organiser",
    ):
        uploads.receive(accounts, ada, files)
    assert not [*uploads.folder(accounts).iterdir()]
    (holey := accounts.workspace / "holey").write_bytes(b"")
    os.truncate(holey, 10**9)
    assert size_of(holey) < 10_000


def test_what_an_archive_becomes_is_refused_with_figures_and_is_not_stored(site):
    accounts, ada = site
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.py", program(1, 3_000_000))
    receive(accounts, ada, content.getvalue(), "bot.zip")
    upload = decide(accounts)
    assert upload.status == "refused"
    assert "of 1.0 MB, and this takes 6.0 MB more" in upload.words
    assert Disk(accounts, ada).used() < 100_000


def test_a_site_that_is_full_takes_nothing_of_anybody_and_a_full_author_no_request(site):
    accounts, ada = site
    hand_in(accounts, ada, 1)
    hand_in(accounts, ada, 2)
    form = {"first": "Ada@1", "second": "Ada@2", "board": "", "pairings": "1"}
    with pytest.raises(ArenaError, match=r"of 1\.0 MB, and this takes 1\.0 MB more"):
        author._asked(accounts, ada, form)
    actions.act(accounts, "limit", ["disk", "1000"], "test")
    actions.act(accounts, "limit", ["site", "1"], "test")
    accounts.invite("Olga", "test", organiser=True)
    with pytest.raises(
        ArenaError, match=r"the site takes 1\.\d MB of 1\.0 MB, and this takes 0\.3 MB more"
    ):
        receive(accounts, accounts.named("Olga"), program(3))


def test_whoever_needs_room_while_others_are_checked_is_told_to_wait(site, monkeypatch):
    monkeypatch.setattr("arena.extras.serve.disk.WAIT_S", 0.2)
    accounts, ada = site
    hand_in(accounts, ada, 1)
    hand_in(accounts, ada, 2)
    with (
        BotStore(accounts.workspace / "bots").changing(),
        pytest.raises(ArenaError, match="try again in a minute"),
    ):
        receive(accounts, ada, program(3))
    receive(accounts, ada, program(3))


def test_nothing_goes_for_an_upload_that_does_not_fit_even_then(site):
    accounts, ada = site
    actions.act(accounts, "limit", ["disk", "2"], "test")
    for version in range(1, 4):
        hand_in(accounts, ada, version)
    with pytest.raises(ArenaError, match=r"take 0\.6 MB of 2\.0 MB, and this takes 1\.8 MB more"):
        receive(accounts, ada, program(4, 1_800_000))
    assert numbers(accounts) == [1, 2, 3]
    assert not [entry for entry in accounts.log() if entry.action == "version removed for room"]


def test_whoever_waits_for_room_delays_nobody_who_needs_none(site, monkeypatch):
    accounts, ada = site
    hand_in(accounts, ada, 1)
    hand_in(accounts, ada, 2)
    received: list[tuple[Upload, ...]] = []
    monkeypatch.setattr("arena.extras.serve.disk.WAIT_S", 0.2)

    def look(
        seconds: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:  # while Ada waits
        sleep(seconds)
        with (
            contextlib.suppress(BlockingIOError),
            whole_files.locked(accounts.folder / ".receiving", waits=False),
        ):
            received.append(accounts.uploads(status="waiting"))

    monkeypatch.setattr("arena.extras.serve.disk.time.sleep", look)
    with (
        BotStore(accounts.workspace / "bots").changing(),
        pytest.raises(ArenaError, match="try again in a minute"),
    ):
        receive(accounts, ada, program(3))
    assert set(received) == {()}
