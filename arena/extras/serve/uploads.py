"""Bots that authors hand in on the site: from the bytes of a form to the verdict of the check.

The server receives an upload, and another process decides it by the path of `arena submit`, so that
no check delays a page. An upload is confirmed when it is on disk and in the list of uploads;
whoever is killed later, the next process finds it there and decides it. It knows neither the web
nor the command line.
"""

import contextlib
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

import tomli_w

from arena import whole_files
from arena.author.submissions import Examine, Submissions, SubmissionStatus
from arena.author.submissions.bot_store import BotStore, first_line
from arena.author.submissions.copy_untrusted import (
    CHUNK_BYTES,
    MOST_BYTES,
    MOST_ENTRIES,
    check_path,
)
from arena.author.submissions.downloads import Label
from arena.author.submissions.requests import Request
from arena.errors import ArenaError
from arena.event import discovery
from arena.extras.serve.accounts import Account, Accounts, Upload
from arena.extras.serve.disk import Disk, size_of, when_bots_are_free
from arena.extras.serve.entrants import Entrants, remote_mark
from arena.values import Bot

MOST_BODY_BYTES = MOST_BYTES + 1_000_000
"""The most bytes of the form of an upload."""
OLD_S = 3600
ATTEMPTS = 10
"""An upload is refused when its check was killed this often, since it may be what kills the check.

A bad hour of the machine kills the check three times.
"""


def receive(
    accounts: Accounts,
    account: Account,
    files: Mapping[str, IO[bytes]],
) -> str:
    """Store an upload, and return its id when it is confirmed.

    It is a file, or the files of a folder by their paths in it. Raise ArenaError, with the reason,
    if it is refused at once.
    """
    accounts.may_upload(account)
    if not files:
        raise ArenaError(
            "no file came with the form: choose a file or a folder, or paste a program"
        )
    if len(files) > MOST_ENTRIES:
        raise ArenaError(
            f"it has more than {MOST_ENTRIES} files: leave out what the bot does not need"
        )
    id_ = secrets.token_hex(16)
    with whole_files.staging(folder(accounts)) as making:
        top = making / "upload"
        top.mkdir()
        _write(top, files, accounts.limit("megabytes"))
        first_path = PurePosixPath(next(iter(files)))
        name = first_path.name
        if len(files) > 1:
            name = first_path.parts[0]  # the folder
        when_bots_are_free(partial(_take_in, accounts, account, top, id_, name))
    return id_


def _write(top: Path, files: Mapping[str, IO[bytes]], megabytes: int) -> None:
    """Write the files of an upload into a folder; raise ArenaError if they have more megabytes."""
    bytes_left = megabytes * 1_000_000
    for path, content in files.items():
        with _opened(top, path) as file:
            data = content.read(CHUNK_BYTES)
            while data:
                bytes_left -= len(data)
                if bytes_left < 0:
                    raise ArenaError(
                        f"it is larger than {megabytes} MB: leave out what the bot does not need"
                    )
                file.write(data)
                data = content.read(CHUNK_BYTES)


def _take_in(
    accounts: Accounts,
    account: Account,
    top: Path,
    id_: str,
    name: str,
) -> None:
    """Make room for a received upload, and store it.

    Raise BlockingIOError while the bots are locked and a version must go, and ArenaError if there
    is no room, or if its author has had too many uploads in this hour.
    """
    with whole_files.locked(accounts.folder / ".receiving"):  # two at once would get the same room
        disk = Disk(accounts, account)
        disk.make_room_now(size_of(top))
        received = folder(accounts) / id_
        whole_files.publish(top, received)
        try:
            accounts.add_upload(id_, account, name)
        except BaseException:  # such as a limit, or a disk that is full
            shutil.rmtree(received)
            raise


def _opened(top: Path, path: str) -> IO[bytes]:
    """Make the file of an upload at this path, and its folders."""
    inner = PurePosixPath(path)
    if not inner.parts or inner.is_absolute() or ".." in inner.parts:
        raise ArenaError(f"{path[:200]!a} is no path in a bot's folder")
    check_path(inner)
    for above in inner.parents[:-1]:
        check_path(above)
    file = top / inner
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.open("xb")
    except (FileExistsError, NotADirectoryError) as error:
        raise ArenaError(f"{path[:200]!a} is there twice; choose the files again") from error


def folder(accounts: Accounts) -> Path:
    """Return the folder of the uploads that wait."""
    return whole_files.make_folder(accounts.folder / "uploads")


def clear(accounts: Accounts) -> None:
    """Remove what killed processes left: uploads that were never confirmed, or are decided."""
    waiting = {upload.id for upload in accounts.uploads(status="waiting")}
    for path in folder(accounts).iterdir():
        age = time.time() - path.stat().st_mtime
        is_old = age > OLD_S  # a younger upload may still arrive
        if is_old and path.name not in waiting:
            shutil.rmtree(path, ignore_errors=True)


def decide_all(
    accounts: Accounts,
    store: BotStore,
    examine: Examine,
    reserved: Collection[str],
) -> None:
    """Decide all uploads that wait, one after another, unless another process does it.

    `reserved` has the names that no upload may take.
    """
    with (
        contextlib.suppress(BlockingIOError),
        whole_files.locked(accounts.folder / ".deciding", waits=False),
    ):
        while True:
            upload = accounts.next_upload()
            if upload is None:
                return
            if upload.attempts >= ATTEMPTS:
                message = f"arena failed {ATTEMPTS} times to check it; ask the organiser"
                accounts.decide_upload(upload, SubmissionStatus.REFUSED, message, reasons=message)
            else:
                _decide(accounts, upload, store, examine, reserved)
            shutil.rmtree(folder(accounts) / upload.id, ignore_errors=True)


def _decide(
    accounts: Accounts,
    upload: Upload,
    store: BotStore,
    examine: Examine,
    reserved: Collection[str],
) -> None:
    """Submit an upload, and store the verdict."""
    author = next(account for account in accounts.accounts() if account.id == upload.account)
    path = folder(accounts) / upload.id
    disk = Disk(accounts, author)
    entries = list(path.iterdir())
    bot_path = path
    if len(entries) == 1:
        bot_path = entries[0]

    people = accounts.people()
    request = Request(
        path=bot_path,
        label=Label(name=author.name, file=upload.file),
        # By the id alone: the id of one person may be the login of another.
        person=people.with_id(author.person or author.id),
        source=f"account {author.id}",
        replaces=True,
    )

    waiting = size_of(path)
    examine_in_room = partial(_if_room, disk, waiting, examine)
    submissions = Submissions(store, examine_in_room, reserved, people)
    (decision,) = submissions.submit_all([request])

    if decision.where is not None and disk.lack(0, leaving=waiting):
        store.forget_refused(decision.where.parent.name)
    workspace = str(accounts.workspace.resolve())
    reasons = decision.reasons.replace(workspace, "")
    bot = ""
    if decision.bot is not None:
        bot = decision.name
    accounts.decide_upload(
        upload,
        decision.status,
        first_line(reasons) or decision.words,
        reasons=reasons,
        bot=bot,
        version=decision.version,
    )


def _if_room(
    disk: Disk,
    waiting: int,
    examine: Examine,
    bots: Iterable[Bot],
) -> Iterator[tuple[str, ...]]:
    """Yield the faults of bots as `examine` does, or the lack of room as the only fault.

    `waiting` are the bytes of the upload, which is removed when it is decided.
    """
    for bot in bots:
        size = size_of(Path(bot.files or ""))
        playing_copies = disk.store.playing(bot.name)
        playing = sum(map(size_of, playing_copies))
        try:
            # A version, and its copy that plays.
            disk.remove_versions(2 * size, leaving=waiting + playing)
        except ArenaError as error:
            yield (str(error),)
        else:
            yield from examine([bot])


def remote_bot(
    accounts: Accounts,
    entrants: Entrants,
    account: Account,
    version: str,
    games: list[str],
    roles: list[str],
) -> str:
    """Take in the bot that stays on its author's machine, and return its name.

    It is a bot of its own beside the author's other bot. It is not checked, because it plays only
    while its author is connected.
    """
    table = {
        "remote": version,
        "author": account.name,
        "games": games,
        "roles": roles,
    }
    mark = remote_mark(account)
    with whole_files.staging(folder(accounts)) as making:
        bot_folder = making / "remote"
        bot_folder.mkdir()
        (bot_folder / "bot.toml").write_text(tomli_w.dumps(table), "utf-8")
        try:
            digest = discovery.from_path(bot_folder, "remote").digest
        except ArenaError as error:  # its author knows no such path
            raise ArenaError(error.seen_from(bot_folder)) from error
        playing_digests = {bot.digest for bot in entrants.bots}
        if digest not in playing_digests:
            # It is a new version, or an older version that plays again.
            accounts.may_upload(account)
            disk = Disk(accounts, account)
            disk.make_room(2 * size_of(making))
            _refuse_withdrawn(entrants, account, digest)

        request = Request(
            path=bot_folder,
            label=Label(
                name=f"{account.name} (remote)",
                who=mark,
                file="bot.toml",
            ),
            source=mark,
            replaces=True,
        )
        reserved = entrants.tournament.table_bots
        submissions = Submissions(entrants.store, _no_faults, reserved, accounts.people())
        (decision,) = submissions.submit_all([request])

    if decision.bot is None:
        raise ArenaError(first_line(decision.reasons))
    if decision.status is SubmissionStatus.ACCEPTED:
        accounts.add_upload(
            secrets.token_hex(16),
            account,
            f"{decision.name} {version}",
            SubmissionStatus.ACCEPTED,
        )
    return decision.name


def _refuse_withdrawn(
    entrants: Entrants,
    account: Account,
    digest: str,
) -> None:
    """Raise ArenaError if the organiser has withdrawn this version.

    It would join again by itself whenever its connection was lost.
    """
    for name, versions in entrants.own(account).items():
        if entrants.store.playing(name):
            continue
        digests = {version.digest for version in versions}
        if digest in digests:
            raise ArenaError(f"the organiser has withdrawn {name}; a new version of it may join")


def _no_faults(bots: Iterable[Bot]) -> Iterator[tuple[str, ...]]:
    """Yield no fault for each bot: nobody examines a bot that stays on its author's machine."""
    for _ in bots:
        yield ()
