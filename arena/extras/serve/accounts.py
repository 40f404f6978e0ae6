"""The database of the site: accounts, sessions, uploads, requests, rounds, settings and the log.

It knows who may see an event, too.

All this is in one SQLite file, which only its owner can read. Results of matches are in the
archives instead. Every change is one transaction, which is on disk when its method returns. This
file knows neither the web nor processes.
"""

# Tokens are 256 random bits, so nobody guesses one, and a plain hash at rest is as good as a slow
# one. A row is found by the hash of what a stranger sent, so the time of that search tells nothing
# about a token.

import contextlib
import hashlib
import json
import secrets
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arena import file_formats, look_alikes, whole_files
from arena.author.submissions import people as people_files
from arena.author.submissions.people import People, Person
from arena.errors import ArenaError, known_are, writing
from arena.event.discovery import names

FOLDER = ".serve"
FILE = "accounts.sqlite"
DatabaseError = sqlite3.Error
"""The error of a change that the disk or another process prevents."""
SESSION_DAYS = 30
SETTLED_NS = 100_000_000
LIMITS = {
    "uploads": 10,
    "requests": 10,
    "matches": 20,
    "megabytes": 50,
    "disk": 1000,
    "site": 50_000,
}
"""The limits, unless the organiser sets others: actions of an author in an hour, and megabytes."""
IN_MEGABYTES = {"megabytes": "an upload", "disk": "an author on disk", "site": "the site on disk"}
"""The limits in megabytes, with what each limits; every other limit is a number an hour."""
SIGN_INS = 60
"""The most sessions that an author may begin in an hour: each is stored, and in the log."""
WAITING = 3
"""The most requests of an author that wait at a time."""
SCHEMA = """
create table accounts(
    id text primary key, name text not null, email text not null, organiser integer not null,
    token blob, made text not null, revoked text not null default '') strict;
create table sessions(
    token blob primary key, account text not null references accounts on delete cascade, until text not null) strict;
create table uploads(
    id text primary key, account text not null references accounts, file text not null, received text not null,
    attempts integer not null default 0, status text not null default 'waiting', words text not null default '',
    reasons text not null default '', bot text not null default '', version integer, decided text not null default ''
) strict;
create table requests(
    id text primary key, account text not null references accounts, first text not null, second text not null,
    board text not null, pairings integer not null, asked text not null, attempts integer not null default 0,
    status text not null default 'waiting', words text not null default '', ended text not null default '') strict;
create table rounds(
    number integer primary key, begun text not null, attempts integer not null default 0,
    ended text not null default '', words text not null default '') strict;
create table settings(name text primary key, value text not null) strict;
create table log(at text not null, who text not null, action text not null, subject text not null) strict;
"""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Somebody who may sign in."""

    id: str
    """The id of the person in people.csv, or the name: private, as it may be an e-mail address."""
    name: str
    email: str = ""
    is_organiser: bool = False
    revoked: bool = False
    person: str = ""
    """The id of the person in people.csv as it is now; empty = nobody there."""

    @property
    def ids(self) -> frozenset[str]:
        """The ids under which the author's bots are stored."""
        return frozenset({self.id, self.person} - {""})


@dataclass(frozen=True, kw_only=True)
class NewTokens:
    """Tokens that are not stored yet: they are shown before, so that none is lost."""

    labels: tuple[str, ...]
    """The name to show for each account, with the id if others have that name, too."""
    tokens: tuple[str, ...]
    store: Callable[[], None]
    """Make all of them valid, or raise ArenaError and leave all as it was."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A bot that an author handed in."""

    id: str
    """Random, so that nobody can guess it."""
    account: str
    file: str
    """The name that its author gave it."""
    received: str
    """Time in UTC, as all times here."""
    attempts: int
    status: str
    """waiting, accepted, known or refused."""
    words: str
    reasons: str
    bot: str
    version: int | None
    decided: str


@dataclass(frozen=True, kw_only=True)
class MatchRequest:
    """Unrated matches that an author asked for: a few, or a duel."""

    id: str
    """Random, so that nobody can guess it; the matches are in results/request-ID."""
    account: str
    first: str
    second: str
    """Both bots, as `arena duel` names them: `ada@2`."""
    board: str
    """Empty = all boards of the event."""
    pairings: int
    """The most pairings that are played."""
    asked: str
    attempts: int
    status: str
    """waiting, playing, done or failed."""
    words: str
    ended: str

    @property
    def event(self) -> str:
        """The name of its event below results/."""
        return f"{REQUESTS}{self.id}"


REQUESTS = "request-"
OPPONENTS = "opponents of people"
"""The setting that has the bots against which people began matches."""
RECENT = "actions within an hour"
"""The setting that has the limited actions of the last hour: the account's id, action and time."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One run of the event that the schedule began."""

    number: int
    begun: str
    attempts: int
    """How often its process was started; it is started again when it was killed."""
    ended: str
    """Empty while it is played."""
    words: str
    """The failure; empty = none."""


@dataclass(frozen=True)
class LogEntry:
    """Something that somebody did."""

    at: str
    who: str
    action: str
    subject: str


class Accounts:
    """The accounts of one workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.folder = workspace / FOLDER
        self._path = self.folder / FILE
        self.request_file = self.folder / "request.json"
        """The statements of the process of the last request (statements.py)."""
        self._stored_settings: tuple[object, dict[str, Any]] = (None, {})
        """The `changes` until which the settings were read, and the settings."""
        self._listed: tuple[object, People] = (None, People())
        """The time and size of people.csv, and its people."""
        with writing(self.folder):
            whole_files.make_folder(self.folder)
            self.folder.chmod(0o700)
            ignoring = self.folder / ".gitignore"
            if not ignoring.exists():  # a workspace may be a repository that others read
                whole_files.write(ignoring, b"*\n", whole_files.PRIVATE)
            whole_files.make_empty(self._path, whole_files.PRIVATE)
        with self._connection() as connection:
            connection.execute("pragma journal_mode = wal")
            connection.execute("begin immediate")  # two processes may be the first
            (version,) = connection.execute("pragma user_version").fetchone()
            if version == 0:
                for statement in SCHEMA.split(";\n")[:-1]:
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {file_formats.ACCOUNTS.number}")
            connection.execute("commit")
        if version:
            file_formats.ACCOUNTS.check(version, f"{self._path}: its format", ", or move it away")

    # Accounts

    def invite(
        self,
        name: str,
        who: str,
        *,
        id: str = "",  # noqa: A002
        email: str = "",
        organiser: bool = False,
    ) -> str:
        """Make an account, and return its token; only the hash of the token is stored."""
        person = Person(name=name, id=id, email=email)
        invitations = self.invitations([person], who, organiser=organiser)
        invitations.store()
        return invitations.tokens[0]

    def invitations(
        self,
        people: Iterable[Person],
        who: str,
        *,
        organiser: bool = False,
    ) -> NewTokens:
        """Return tokens for new accounts of these people.

        Raise ArenaError if one of them cannot have an account.
        """
        accounts = tuple(_new_account(person, organiser=organiser) for person in people)
        tokens = tuple(secrets.token_urlsafe(32) for _ in accounts)
        known = self._refuse_taken(accounts)
        keys = [(account.name, account.id) for account in accounts + known]
        all_labels = names.unambiguous(keys)
        labels = all_labels[: len(accounts)]

        def store() -> None:
            columns = "id, name, email, organiser, token, made"
            with self._changing() as connection:
                self._refuse_taken(accounts)
                for account, label, token in zip(accounts, labels, tokens, strict=True):
                    values = (
                        account.id,
                        account.name,
                        account.email,
                        account.is_organiser,
                        _hashed(token),
                        now(),
                    )
                    connection.execute(
                        f"insert into accounts({columns}) values (?, ?, ?, ?, ?, ?)", values
                    )
                    _log(connection, who, "invite", label)

        return NewTokens(labels=tuple(labels), tokens=tokens, store=store)

    def _refuse_taken(self, accounts: Iterable[Account]) -> tuple[Account, ...]:
        """Return the accounts that exist.

        Raise ArenaError if a new account exists already, or would be taken for another. Two people
        may have the same name if each has an id.
        """
        known = self.accounts()
        ids: set[str] = set()
        namesakes: dict[str, list[Account]] = defaultdict(list)
        looks: dict[str, list[str]] = defaultdict(list)

        def add(account: Account) -> None:
            ids.update(account.ids)
            namesakes[account.name.casefold()].append(account)
            looks[look_alikes.skeleton(account.name)].append(account.name)

        for account in known:
            add(account)
        for account in accounts:
            name = account.name
            others = namesakes[name.casefold()]
            if account.id in ids or any(_are_one(account, other) for other in others):
                raise ArenaError(
                    f"{name!r} has an account; `arena serve rotate` gives a new token for it"
                )
            for alike in looks[look_alikes.skeleton(name)]:
                is_same_name = name.casefold() == alike.casefold()
                if not is_same_name and look_alikes.look_alike(name, alike):
                    raise ArenaError(
                        f"{name!r} ({name!a}) looks like {alike!r}, who is somebody else"
                    )
            add(account)
        return known

    def rotate(self, account: Account, who: str) -> str:
        """Give an account a new token, even a revoked one; the old token and all sessions end."""
        token = self.new_token(account, who)
        token.store()
        return token.tokens[0]

    def new_token(self, account: Account, who: str) -> NewTokens:
        """Return a token for an account; when it is stored, the old token and all sessions end."""
        token = secrets.token_urlsafe(32)
        label = self.label(account)

        def store() -> None:
            with self._changing() as connection:
                connection.execute(
                    "update accounts set token = ?, revoked = '' where id = ?",
                    (_hashed(token), account.id),
                )
                connection.execute("delete from sessions where account = ?", (account.id,))
                _log(connection, who, "rotate", label)

        return NewTokens(labels=(label,), tokens=(token,), store=store)

    def revoke(self, account: Account, who: str) -> None:
        """End the token and the sessions of an account; its bots stay."""
        ending = "update accounts set token = null, revoked = ? where id = ?"
        with self._changing() as connection:
            connection.execute(ending, (now(), account.id))
            connection.execute("delete from sessions where account = ?", (account.id,))
            label = self.label(account)
            _log(connection, who, "revoke", label)

    def accounts(self) -> tuple[Account, ...]:
        """Return all accounts, in order of name."""
        accounts = self._accounts("")
        in_order = sorted(accounts, key=lambda account: (account.name, account.id))
        return tuple(in_order)

    def labels(self) -> dict[str, str]:
        """Return the name to show for each account, with the id if others have that name, too.

        The keys are the ids of the accounts.
        """
        accounts = self.accounts()
        keys = [(account.name, account.person or account.id) for account in accounts]
        ids = [account.id for account in accounts]
        labels = names.unambiguous(keys)
        return dict(zip(ids, labels, strict=True))

    def label(self, account: Account) -> str:
        """Return the name to show for an account."""
        return self.labels().get(account.id, account.name)

    def named(self, name: str) -> Account:
        """Return the account with this name, id or e-mail.

        Raise ArenaError if no account has it, or if several accounts have it.
        """
        accounts = self.accounts()
        labels = self.labels()
        namesakes: list[Account] = []
        by_id: list[Account] = []
        for account in accounts:
            label = labels[account.id]
            known = account.ids | {account.name, account.email, label}
            if name and name in known:
                namesakes.append(account)
                if name in account.ids and name != account.name:
                    by_id.append(account)
        if len(by_id) == 1:
            return by_id[0]
        if len(namesakes) > 1:
            ids = [account.person or account.id for account in namesakes]
            choice = " or ".join(ids)
            raise ArenaError(
                f"{name!r} is the name of {len(namesakes)} accounts: name one by its id, {choice}"
            )
        if not namesakes:
            all_names = [account.name for account in accounts]
            known_names = known_are(name, labels.values(), nearest=all_names)
            raise ArenaError(f"{name!r} has no account; {known_names}")
        return namesakes[0]

    def people(self) -> People:
        """Return the people of people.csv, and people who have an account only."""
        people = list(people_files.of_workspace(self.workspace))
        for account in self.accounts():
            if account.person:
                continue  # it is in people.csv
            person = Person(
                name=account.name,
                email=account.email,
                id=account.id,
            )
            people.append(person)
        return People(people)

    def _people_now(self) -> People:
        """Return the people of people.csv, which is read again when it has changed.

        While it has a mistake, the people are those of before.
        """
        stamps = last_changes(self.workspace / people_files.FILE)
        read_stamps, people = self._listed
        if stamps == read_stamps:
            return people
        try:
            people = people_files.of_workspace(self.workspace)
        except ArenaError:
            return people
        self._listed = (stamps, people)
        return people

    # Sessions

    def sign_in(self, token: str) -> str | None:
        """Return a new session for a token; None if no account has the token.

        Raise ArenaError if the account has begun too many sessions in this hour.
        """
        if self.with_token(token) is None:
            # A stranger's guess does not lock the database, for which others would wait.
            return None
        session = secrets.token_urlsafe(32)
        until = datetime.now(UTC) + timedelta(days=SESSION_DAYS)
        with self._changing() as connection:
            account = self.with_token(token)  # again: it may have been rotated or revoked since
            if account is None:
                return None
            self._count(connection, account, "sign-ins", "sign in")
            connection.execute("delete from sessions where until < ?", (now(),))
            values = (_hashed(session), account.id, _text(until))
            connection.execute("insert into sessions values (?, ?, ?)", values)
            label = self.label(account)
            _log(connection, label, "sign in", "")
        return session

    def with_token(self, token: str) -> Account | None:
        """Return the account with this token; None if there is none."""
        for account in self._accounts("where token = ?", _hashed(token)):
            return account
        return None

    def account_of(self, session: str) -> Account | None:
        """Return the account with this session; None if there is none, or if it has ended."""
        which = "where id = (select account from sessions where token = ? and until > ?)"
        for account in self._accounts(which, _hashed(session), now()):
            return account
        return None

    def sign_out(self, session: str) -> None:
        """End a session."""
        with self._changing() as connection:
            connection.execute("delete from sessions where token = ?", (_hashed(session),))

    # Who may see an event

    def may_see(self, event: str, account: Account | None) -> bool:
        """Return whether somebody may see the results of an event."""
        return bool(self.seen([event], account))

    def seen(self, events: Sequence[str], account: Account | None) -> list[str]:
        """Return those of these events whose results somebody may see.

        An organiser may see all events. An event that an author requested is for this author only.
        Everybody may see the other events, unless results are hidden.
        """
        if account is not None and account.is_organiser:
            return list(events)
        requests: set[str] = set()
        has_requests = any(event.startswith(REQUESTS) for event in events)
        if account is not None and has_requests:
            for row in self._rows("select id from requests where account = ?", account.id):
                requests.add(f"{REQUESTS}{row['id']}")
        hidden = self.is_on("hidden")
        visible: list[str] = []
        for event in events:
            if event.startswith(REQUESTS):
                may_see = event in requests
            else:
                may_see = not hidden
            if may_see:
                visible.append(event)
        return visible

    # Uploads

    def add_upload(
        self,
        id: str,  # noqa: A002
        account: Account,
        file: str,
        status: str = "waiting",
    ) -> None:
        """Note an upload whose files are on disk.

        Raise ArenaError if its author has had too many uploads in this hour.
        """
        with self._changing() as connection:
            self._count(connection, account, "uploads", "upload")
            connection.execute(
                "insert into uploads(id, account, file, received, status) values (?, ?, ?, ?, ?)",
                (id, account.id, file, now(), status),
            )
            _log(connection, self.label(account), "upload", file)

    def may_upload(self, account: Account) -> None:
        """Raise ArenaError if an upload of this author would be refused before it is looked at."""
        if self.is_on("frozen") and not account.is_organiser:
            raise ArenaError("submissions are frozen: the organiser takes no bots now")
        with self._connection() as connection:
            self._refuse_over_limit(connection, account, "uploads", "upload")

    def uploads(
        self,
        account: Account | None = None,
        *,
        most: int = -1,
        **wanted: str,
    ) -> tuple[Upload, ...]:
        """Return the uploads of an author, or of all authors, the newest first.

        `most` limits their number. `wanted` is the `status` or the `id` of the uploads.
        """
        rows = self._of("uploads", account, most, **wanted)
        return tuple(Upload(**row) for row in rows)

    def next_upload(self) -> Upload | None:
        """Return the upload that is checked next, and count the attempt.

        The author of whom fewest were checked in the last hour comes first, so that nobody holds up
        the others' by several slow ones; then the oldest.
        """
        checked = (
            "select count(*) from uploads as other"
            " where other.account = uploads.account and other.decided > ?"
        )
        query = (
            f"select * from uploads where status = 'waiting' order by ({checked}), uploads.rowid"
        )
        counting = "update uploads set attempts = attempts + 1 where id = ?"
        with self._changing() as connection:
            row = connection.execute(query, (_hour_ago(),)).fetchone()
            if row is not None:
                connection.execute(counting, (row["id"],))
        if row is None:
            return None
        return Upload(**row)

    def decide_upload(
        self,
        upload: Upload,
        status: str,
        words: str,
        *,
        reasons: str = "",
        bot: str = "",
        version: int | None = None,
    ) -> None:
        """Store the verdict on an upload."""
        with self._changing() as connection:
            connection.execute(
                "update uploads"
                " set status = ?, words = ?, reasons = ?, bot = ?, version = ?, decided = ?"
                " where id = ?",
                (status, words, reasons, bot, version, now(), upload.id),
            )
            author = self.labels()[upload.account]
            _log(connection, author, f"upload is {status}", bot or upload.file)

    def bytes_of_verdicts(self, account: Account) -> int:
        """Return the bytes of the stored words about the uploads and requests of an author."""
        total = 0
        for table, column in (("uploads", "reasons"), ("requests", "board")):
            size = f"coalesce(sum(length(words) + length({column})), 0)"
            query = f"select {size} as size from {table} where account = ?"
            (row,) = self._rows(query, account.id)
            total += row["size"]
        return total

    # Requests

    def ask(
        self,
        account: Account,
        first: str,
        second: str,
        board: str,
        pairings: int,
    ) -> str:
        """Note a request of unrated matches, and return its id.

        Raise ArenaError if its author has made too many requests, or if too many of them wait.
        """
        id_ = secrets.token_hex(16)
        open_requests = "account = ? and status in ('waiting', 'playing')"
        counting = f"select count(*) from requests where {open_requests}"
        columns = "id, account, first, second, board, pairings, asked"
        inserting = f"insert into requests({columns}) values (?, ?, ?, ?, ?, ?, ?)"
        with self._changing() as connection:
            self._count(connection, account, "requests", "request")
            (waiting,) = connection.execute(counting, (account.id,)).fetchone()
            if waiting >= WAITING and not account.is_organiser:
                raise ArenaError(
                    f"{WAITING} of your requests wait already; ask again when they are played"
                )
            values = (id_, account.id, first, second, board, pairings, now())
            connection.execute(inserting, values)
            label = self.label(account)
            subject = f"{first} {second} {board}".strip()
            _log(connection, label, "request", subject)
        return id_

    def requests(
        self,
        account: Account | None = None,
        *,
        most: int = -1,
        **wanted: str,
    ) -> tuple[MatchRequest, ...]:
        """Return the requests of an author, or of all authors, the newest first.

        `most` limits their number. `wanted` is the `status` or the `id` of the requests.
        """
        rows = self._of("requests", account, most, **wanted)
        return tuple(MatchRequest(**row) for row in rows)

    def set_request(
        self,
        request: MatchRequest,
        status: str,
        words: str = "",
    ) -> None:
        """Store how far a request is."""
        attempts = 0
        if status == "playing":
            attempts = 1
        ended = ""
        if status in {"done", "failed"}:
            ended = now()
        with self._changing() as connection:
            connection.execute(
                "update requests"
                " set status = ?, words = ?, attempts = attempts + ?, ended = ?"
                " where id = ?",
                (status, words, attempts, ended, request.id),
            )

    # Matches of people, which are in the log and in two settings

    def begin_match(self, account: Account, bot: str, wish: str) -> None:
        """Note that somebody begins a match against a bot in the browser; the log has the `wish`.

        Raise ArenaError if they have begun too many matches in this hour.
        """
        with self._changing() as connection:
            self._count(connection, account, "matches", "play")
            label = self.label(account)
            _log(connection, label, "play", wish)
            # The setting is read in this transaction, because two people may begin at once.
            stored = _stored(connection, OPPONENTS, {})
            opponents = _within_an_hour(stored)
            opponents[bot] = now()
            _store(connection, OPPONENTS, opponents)

    def played_lately(self) -> set[str]:
        """Return the bots against which somebody began a match within an hour."""
        stored = self.setting(OPPONENTS, {})
        return set(_within_an_hour(stored))

    # Rounds

    @property
    def last_round(self) -> int:
        """The number of the last round; 0 if there was none."""
        for last in self.rounds(1):
            return last.number
        return 0

    def begin_round(self) -> Round:
        """Note that a round begins, or another attempt at the round under way; return the round."""
        with self._changing() as connection:
            under_way = connection.execute("select 1 from rounds where ended = ''").fetchone()
            if under_way is None:
                connection.execute("insert into rounds(begun) values (?)", (now(),))
            connection.execute("update rounds set attempts = attempts + 1 where ended = ''")
        newest_first = self.rounds()
        return newest_first[0]

    def end_round(self, words: str = "") -> None:
        """Note that the round has ended, with the failure if there was one."""
        with self._changing() as connection:
            connection.execute(
                "update rounds set ended = ?, words = ? where ended = ''", (now(), words)
            )

    def rounds(self, most: int = 50) -> tuple[Round, ...]:
        """Return the last rounds, the newest first."""
        rows = self._rows("select * from rounds order by number desc limit ?", most)
        return tuple(Round(**row) for row in rows)

    # Settings

    def is_on(self, switch: str) -> bool:
        """Return whether a switch is on: frozen, paused or hidden."""
        return bool(self.setting(switch, default=False))

    def setting(self, name: str, default: Any) -> Any:
        """Return a setting, or the default where the organiser has not chosen."""
        return self._settings().get(name, default)

    def _settings(self) -> dict[str, Any]:
        """Return all settings.

        Each request of a reader needs a setting, so they are read again only if the file changed.
        """
        changes = self.changes()
        read_changes, settings = self._stored_settings
        if changes is not None and changes == read_changes:
            return settings
        settings = {}
        for row in self._rows("select * from settings"):
            settings[row["name"]] = json.loads(row["value"])
        self._stored_settings = (changes, settings)
        return settings

    def changes(self) -> object:
        """Return a value that changes with the file; None while the file may change unseen.

        A look costs far less than a query.
        """
        stamps = last_changes(self._path)
        newest = max(changed for changed, _ in stamps)
        # If the clock does not tick between two changes, the file shows the first only.
        age = time.time_ns() - newest
        if age <= SETTLED_NS:
            return None
        return stamps

    def limit(self, name: str) -> int:
        """Return a limit of `LIMITS`."""
        return int(self.setting(f"limit.{name}", LIMITS[name]))

    def set(
        self,
        name: str,
        value: Any,
        who: str = "",
        action: str = "",
        subject: str = "",
    ) -> None:
        """Store a setting; an action of somebody goes into the log, with its subject."""
        with self._changing() as connection:
            _store(connection, name, value)
            if action:
                _log(connection, who, action, subject)

    # The log

    def note(self, who: str, action: str, subject: str = "") -> None:
        """Note what somebody did in the log."""
        with self._changing() as connection:
            _log(connection, who, action, subject)

    def log(self, most: int = 200) -> tuple[LogEntry, ...]:
        """Return the last entries of the log, the newest first."""
        rows = self._rows("select * from log order by rowid desc limit ?", most)
        return tuple(LogEntry(**row) for row in rows)

    def _refuse_over_limit(
        self,
        connection: sqlite3.Connection,
        account: Account,
        limit: str,
        action: str,
    ) -> None:
        """Raise ArenaError if an author has had all actions that the limit allows in an hour.

        Raise it, too, if the account was revoked while its request was read.
        """
        valid = "select 1 from accounts where id = ? and revoked = ''"
        if connection.execute(valid, (account.id,)).fetchone() is None:
            raise ArenaError("this account was revoked: ask the organiser")
        count = 0
        for id_, done, at in _recent_actions(connection):
            if id_ != account.id or done != action:
                continue
            # A time later than now was noted before the clock was set back.
            if at <= now():
                count += 1
        if limit == "sign-ins":
            most = SIGN_INS
        else:
            most = self.limit(limit)
        if count >= most and not account.is_organiser:
            raise ArenaError(f"you have had {most} {limit} in this hour; try again later")

    def _count(
        self,
        connection: sqlite3.Connection,
        account: Account,
        limit: str,
        action: str,
    ) -> None:
        """Count an action of an author; raise ArenaError, and change nothing, if it is too many."""
        self._refuse_over_limit(connection, account, limit, action)
        recent = _recent_actions(connection)
        recent.append((account.id, action, now()))
        _store(connection, RECENT, recent)

    def _of(
        self,
        table: str,
        account: Account | None,
        most: int,
        status: str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> list[sqlite3.Row]:
        """Return the newest rows of a table; None does not narrow them down."""
        account_id = None
        if account is not None:
            account_id = account.id
        query = (
            f"select * from {table} where account = coalesce(?, account)"
            " and status = coalesce(?, status) and id = coalesce(?, id)"
            " order by rowid desc limit ?"
        )
        return self._rows(query, account_id, status, id, most)

    def _accounts(self, which: str, *values: object) -> tuple[Account, ...]:
        """Return the accounts that a condition in SQL selects, under their names of today."""
        columns = "id, name, email, organiser as is_organiser, revoked <> '' as revoked"
        query = f"select {columns} from accounts {which}"
        people = self._people_now()
        accounts = []
        for row in self._rows(query, *values):
            account = Account(**row)
            person = people.recorded(account.id, account.name, account.email)
            if person is not None and not self._belongs_to_another(person, account):
                account = _as_listed(account, person)
            accounts.append(account)
        return tuple(accounts)

    def _belongs_to_another(self, person: Person, account: Account) -> bool:
        """Return whether another account has a person's id better than this account.

        This account may have only the name, or another spelling of the id. So somebody whose name
        is changed into that of another account does not share bots with it.
        """
        if account.id == person.id:
            return False
        rows = self._rows("select id from accounts where id <> ?", account.id)
        other_ids = {row["id"] for row in rows}
        spelling = people_files.spelling(person.id)
        if people_files.spelling(account.id) == spelling:
            return person.id in other_ids
        other_spellings = map(people_files.spelling, other_ids)
        return spelling in other_spellings

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        # Each use opens a connection: that is quick (0.1 ms), and no connection may be open when a
        # process is forked.
        connection = sqlite3.connect(self._path, timeout=10, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            yield connection
        finally:
            connection.close()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute("pragma synchronous = full")
            connection.execute("pragma foreign_keys = on")
            connection.execute("begin immediate")
            yield connection  # after an exception the connection is closed, which undoes all
            connection.execute("commit")

    def _rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._connection() as connection:
            return connection.execute(query, values).fetchall()


def _recent_actions(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return account, action and time of the limited actions of the last hour."""
    since = _hour_ago()
    stored = _stored(connection, RECENT, [])
    recent: list[tuple[str, str, str]] = []
    for id_, action, at in stored:
        if at > since:
            recent.append((id_, action, at))
    return recent


def _stored(connection: sqlite3.Connection, name: str, default: Any) -> Any:
    """Return a setting as it is in this transaction."""
    row = connection.execute("select value from settings where name = ?", (name,)).fetchone()
    if row is None:
        return default
    return json.loads(row["value"])


def _store(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Store a setting."""
    values = (name, json.dumps(value))
    connection.execute("insert or replace into settings values (?, ?)", values)


def _within_an_hour(times: Mapping[str, str]) -> dict[str, str]:
    """Return the names whose times are not more than an hour ago."""
    since = _hour_ago()
    return {name: at for name, at in times.items() if at > since}


def _new_account(person: Person, *, organiser: bool) -> Account:
    """Return an account for a person who has none; raise ArenaError if nobody can read the name."""
    name = names.display(person.name)
    if not name.strip(".-_ "):
        raise ArenaError(f"{person.name!a}: expected a name that somebody can read")
    return Account(
        id=person.id or name,
        name=name,
        email=person.email,
        is_organiser=organiser,
    )


def _are_one(account: Account, other: Account) -> bool:
    """Return whether two accounts of one name are of one person, as far as their ids say it."""
    if people_files.spelling(account.id) == people_files.spelling(other.id):
        return True
    return account.id == account.name or other.id == other.name


def _as_listed(account: Account, person: Person) -> Account:
    """Return an account under the name that its person has in people.csv now."""
    return replace(
        account,
        name=names.display(person.name),
        email=person.email or account.email,
        person=person.id,
    )


def now() -> str:
    """Return the time in UTC, as it is stored: in order of time and of text."""
    return _text(datetime.now(UTC))


def _hour_ago() -> str:
    return _text(datetime.now(UTC) - timedelta(hours=1))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def last_changes(database: Path) -> tuple[tuple[int, int], ...]:
    """Return the times and sizes of the files of a database, which change with it.

    To look at the files costs far less than a query.
    """
    stamps = []
    log = database.with_name(f"{database.name}-wal")
    for file in (database, log):
        with contextlib.suppress(OSError):
            status = file.stat()
            # The log is empty when it was cut, or when a reader has just made it: no change.
            if status.st_size:
                stamps.append((status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _log(
    connection: sqlite3.Connection,
    who: str,
    action: str,
    subject: str,
) -> None:
    connection.execute("insert into log values (?, ?, ?, ?)", (now(), who, action, subject))
