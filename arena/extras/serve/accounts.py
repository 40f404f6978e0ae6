"""What the site stores: accounts, sessions, uploads, requests, rounds, settings, the log; and who may see an event.

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

from arena import file_formats, whole_files
from arena.author.submissions import people as people_files
from arena.author.submissions.people import People, Person
from arena.errors import ArenaError, known_are, writing
from arena.event.discovery import names

FOLDER, FILE = ".serve", "accounts.sqlite"
DatabaseError = sqlite3.Error
"""What a change may raise that the disk or another process prevents."""
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
"""What an author may do in an hour, and how many megabytes an upload, an author and the site may take on disk, unless
the organiser says otherwise.
"""
IN_MEGABYTES = {"megabytes": "an upload", "disk": "an author on disk", "site": "the site on disk"}
"""What these limits hold for: they are megabytes, and every other limit is a number an hour."""
SIGN_INS = 60  # sessions that an author may begin in an hour: each is stored for a month, and in the log for good
WAITING = 3  # requests of an author that may wait at a time
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
    """That of the person in people.csv, else the name: private, as it may be an e-mail address."""
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
    """Tokens that are made and stored nowhere: they are shown first, and stored then, so that none is lost between."""

    labels: tuple[str, ...]
    """The name to show for each account; with the id where others have that name, too."""
    tokens: tuple[str, ...]
    store: Callable[[], None]
    """Make all of them valid, or raise ArenaError and leave all as it was."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A bot that an author handed in."""

    id: str
    """Nobody can guess it."""
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
    """Nobody can guess it; the matches are in results/request-ID."""
    account: str
    first: str
    second: str
    """Both bots, as `arena duel` names them: `ada@2`."""
    board: str
    """Empty = all boards of the event."""
    pairings: int
    """At most."""
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
"""The setting that has what is limited by the hour: account, action and time. A label may change, an id does not."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One run of the event that the schedule began."""

    number: int
    begun: str
    attempts: int
    """How often its process was started: again when it was killed."""
    ended: str
    """Empty while it is played."""
    words: str
    """What went wrong; empty = nothing."""


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
        """What the process of the last request has said (statements.py)."""
        self._stored_settings: tuple[object, dict[str, Any]] = (None, {})
        """The settings, and the `changes` until which they were read."""
        self._listed: tuple[object, People] = (None, People())
        """The people of people.csv, and the time and size of that file."""
        with writing(self.folder):
            whole_files.make_folder(self.folder)
            self.folder.chmod(0o700)
            if not (
                self.folder / ".gitignore"
            ).exists():  # a workspace may be a repository that others read
                whole_files.write(self.folder / ".gitignore", b"*\n", whole_files.PRIVATE)
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
        """Make an account, and return its token, of which a hash is stored."""
        made = self.invitations([Person(name=name, id=id, email=email)], who, organiser=organiser)
        made.store()
        return made.tokens[0]

    def invitations(
        self, people: Iterable[Person], who: str, *, organiser: bool = False
    ) -> NewTokens:
        """Return the tokens of new accounts for these people; ArenaError if one of them cannot have an account."""
        accounts = tuple(_new_account(person, organiser=organiser) for person in people)
        tokens = tuple(secrets.token_urlsafe(32) for _ in accounts)
        known = self._refuse_taken(accounts)
        labels = names.unambiguous([(account.name, account.id) for account in (*accounts, *known)])[
            : len(accounts)
        ]

        def store() -> None:
            with self._changing() as connection:
                self._refuse_taken(accounts)
                for account, label, token in zip(accounts, labels, tokens, strict=True):
                    connection.execute(
                        "insert into accounts(id, name, email, organiser, token, made) values (?, ?, ?, ?, ?, ?)",
                        (
                            account.id,
                            account.name,
                            account.email,
                            account.is_organiser,
                            _hashed(token),
                            now(),
                        ),
                    )
                    _log(connection, who, "invite", label)

        return NewTokens(labels=tuple(labels), tokens=tokens, store=store)

    def _refuse_taken(self, accounts: Iterable[Account]) -> tuple[Account, ...]:
        """Return the accounts that there are; ArenaError if a new one is there, or would be taken for another one.

        Two people may have one name if each has an id.
        """
        known = self.accounts()
        ids: set[str] = set()
        namesakes: dict[str, list[Account]] = defaultdict(list)
        looks: dict[str, list[str]] = defaultdict(list)

        def add(account: Account) -> None:
            ids.update(account.ids)
            namesakes[account.name.casefold()].append(account)
            looks[names.skeleton(account.name)].append(account.name)

        for account in known:
            add(account)
        for account in accounts:
            name = account.name
            if account.id in ids or any(
                _are_one(account, other) for other in namesakes[name.casefold()]
            ):
                raise ArenaError(
                    f"{name!r} has an account; `arena serve rotate` gives a new token for it"
                )
            for other in looks[names.skeleton(name)]:
                if names.look_alike(name, other) and name.casefold() != other.casefold():
                    raise ArenaError(
                        f"{name!r} ({name!a}) looks like {other!r}, who is somebody else"
                    )
            add(account)
        return known

    def rotate(self, account: Account, who: str) -> str:
        """Give an account a new token, also one that was revoked; the old one and all sessions end."""
        made = self.new_token(account, who)
        made.store()
        return made.tokens[0]

    def new_token(self, account: Account, who: str) -> NewTokens:
        """Return another token for an account; when it is stored, the old one and all sessions end."""
        token, label = secrets.token_urlsafe(32), self.label(account)

        def store() -> None:
            with self._changing() as connection:
                values = (_hashed(token), account.id)
                connection.execute(
                    "update accounts set token = ?, revoked = '' where id = ?", values
                )
                connection.execute("delete from sessions where account = ?", (account.id,))
                _log(connection, who, "rotate", label)

        return NewTokens(labels=(label,), tokens=(token,), store=store)

    def revoke(self, account: Account, who: str) -> None:
        """End the token and the sessions of an account; its bots stay."""
        with self._changing() as connection:
            connection.execute(
                "update accounts set token = null, revoked = ? where id = ?", (now(), account.id)
            )
            connection.execute("delete from sessions where account = ?", (account.id,))
            _log(connection, who, "revoke", self.label(account))

    def accounts(self) -> tuple[Account, ...]:
        """Return all accounts, in order of name."""
        return tuple(sorted(self._accounts(""), key=lambda account: (account.name, account.id)))

    def labels(self) -> dict[str, str]:
        """Return the name to show for each account, by its id: with the id where others have that name, too."""
        every = self.accounts()
        labels = names.unambiguous(
            [(account.name, account.person or account.id) for account in every]
        )
        return {account.id: label for account, label in zip(every, labels, strict=True)}

    def label(self, account: Account) -> str:
        """Return the name to show for an account."""
        return self.labels().get(account.id, account.name)

    def named(self, name: str) -> Account:
        """Return the account with this name, id or e-mail; ArenaError if nobody has it, or if several have."""
        every, labels = self.accounts(), self.labels()
        known = {
            account: {*account.ids, account.name, account.email, labels[account.id]}
            for account in every
        }
        found = [account for account in every if name and name in known[account]]
        by_id = [account for account in found if name in account.ids and name != account.name]
        if len(by_id) == 1:
            found = by_id
        if len(found) > 1:
            ids = " or ".join(account.person or account.id for account in found)
            raise ArenaError(
                f"{name!r} is the name of {len(found)} accounts: name one by its id, {ids}"
            )
        if not found:
            raise ArenaError(
                f"{name!r} has no account; {known_are(name, [account.name for account in every])}"
            )
        return found[0]

    def people(self) -> People:
        """Return the people of people.csv, and those who have an account only."""
        listed = list(people_files.of_workspace(self.workspace))
        others = [
            Person(name=a.name, email=a.email, id=a.id) for a in self.accounts() if not a.person
        ]
        return People([*listed, *others])

    def _people_now(self) -> People:
        """Return the people of people.csv, read again when it has changed; as before while there is a mistake in it."""
        stamps = last_changes(self.workspace / people_files.FILE)
        if stamps != self._listed[0]:
            with contextlib.suppress(ArenaError):
                self._listed = (stamps, people_files.of_workspace(self.workspace))
        return self._listed[1]

    # Sessions

    def sign_in(self, token: str) -> str | None:
        """Return a new session for a token; None if it is nobody's, ArenaError if there were too many in this hour."""
        session, until = secrets.token_urlsafe(32), datetime.now(UTC) + timedelta(days=SESSION_DAYS)
        if (
            self.with_token(token) is None
        ):  # a stranger's guess takes no turn among those who change something
            return None
        with self._changing() as connection:
            account = self.with_token(token)  # again: it may have been rotated or revoked since
            if account is None:
                return None
            self._count(connection, account, "sign-ins", "sign in")
            connection.execute("delete from sessions where until < ?", (now(),))
            values = (_hashed(session), account.id, _text(until))
            connection.execute("insert into sessions values (?, ?, ?)", values)
            _log(connection, self.label(account), "sign in", "")
        return session

    def with_token(self, token: str) -> Account | None:
        """Return whose token this is; None if it is nobody's."""
        return next(iter(self._accounts("where token = ?", _hashed(token))), None)

    def account_of(self, session: str) -> Account | None:
        """Return whose session this is; None if it is nobody's, or has ended."""
        which = "where id = (select account from sessions where token = ? and until > ?)"
        return next(iter(self._accounts(which, _hashed(session), now())), None)

    def sign_out(self, session: str) -> None:
        """End a session."""
        with self._changing() as connection:
            connection.execute("delete from sessions where token = ?", (_hashed(session),))

    # Who may see an event

    def may_see(self, event: str, account: Account | None) -> bool:
        """Return whether somebody may see the results of an event."""
        return bool(self.seen([event], account))

    def seen(self, events: Sequence[str], account: Account | None) -> list[str]:
        """Return the events whose results somebody may see: requests are private, and others may be hidden."""
        if account is not None and account.is_organiser:
            return list(events)
        own: set[str] = set()
        if account is not None and any(event.startswith(REQUESTS) for event in events):
            rows = self._rows("select id from requests where account = ?", account.id)
            own = {f"{REQUESTS}{row['id']}" for row in rows}
        hidden = self.is_on("hidden")
        return [
            event
            for event in events
            if (event in own if event.startswith(REQUESTS) else not hidden)
        ]

    # Uploads

    def add_upload(self, id: str, account: Account, file: str, status: str = "waiting") -> None:  # noqa: A002
        """Note an upload whose files are on disk; ArenaError if its author has had too many in this hour."""
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
        self, account: Account | None = None, *, most: int = -1, **wanted: str
    ) -> tuple[Upload, ...]:
        """Return the uploads of an author, or of all, with this `status` or `id`; the newest first, or so many."""
        return tuple(Upload(**row) for row in self._of("uploads", account, most, **wanted))

    def next_upload(self) -> Upload | None:
        """Return the upload that is checked next, and count the attempt.

        The author of whom fewest were checked in the last hour comes first, so that nobody holds up
        the others' by several slow ones; then the oldest.
        """
        checked = "select count(*) from uploads as other where other.account = uploads.account and other.decided > ?"
        query = (
            f"select * from uploads where status = 'waiting' order by ({checked}), uploads.rowid"
        )
        with self._changing() as connection:
            row = connection.execute(query, (_hour_ago(),)).fetchone()
            if row is not None:
                connection.execute(
                    "update uploads set attempts = attempts + 1 where id = ?", (row["id"],)
                )
        return None if row is None else Upload(**row)

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
                "update uploads set status = ?, words = ?, reasons = ?, bot = ?, version = ?, decided = ? where id = ?",
                (status, words, reasons, bot, version, now(), upload.id),
            )
            _log(
                connection, self.labels()[upload.account], f"upload is {status}", bot or upload.file
            )

    def bytes_of_verdicts(self, account: Account) -> int:
        """Return the bytes of the words that are stored about the uploads and requests of an author."""
        query = (
            "select coalesce(sum(length(words) + length({})), 0) as size from {} where account = ?"
        )
        columns = {"uploads": "reasons", "requests": "board"}
        return sum(
            self._rows(query.format(more, table), account.id)[0]["size"]
            for table, more in columns.items()
        )

    # Requests

    def ask(self, account: Account, first: str, second: str, board: str, pairings: int) -> str:
        """Note a request of unrated matches, and return its id; ArenaError if its author has had too many."""
        id_ = secrets.token_hex(16)
        with self._changing() as connection:
            self._count(connection, account, "requests", "request")
            query = "select count(*) from requests where account = ? and status in ('waiting', 'playing')"
            if (
                connection.execute(query, (account.id,)).fetchone()[0] >= WAITING
                and not account.is_organiser
            ):
                raise ArenaError(
                    f"{WAITING} of your requests wait already; ask again when they are played"
                )
            connection.execute(
                "insert into requests(id, account, first, second, board, pairings, asked) values (?, ?, ?, ?, ?, ?, ?)",
                (id_, account.id, first, second, board, pairings, now()),
            )
            _log(connection, self.label(account), "request", f"{first} {second} {board}".strip())
        return id_

    def requests(
        self, account: Account | None = None, *, most: int = -1, **wanted: str
    ) -> tuple[MatchRequest, ...]:
        """Return the requests of an author, or of all, with this `status` or `id`; the newest first, or so many."""
        return tuple(MatchRequest(**row) for row in self._of("requests", account, most, **wanted))

    def set_request(self, request: MatchRequest, status: str, words: str = "") -> None:
        """Store how far a request is."""
        with self._changing() as connection:
            connection.execute(
                "update requests set status = ?, words = ?, attempts = attempts + ?, ended = ? where id = ?",
                (
                    status,
                    words,
                    status == "playing",
                    now() if status in {"done", "failed"} else "",
                    request.id,
                ),
            )

    # Matches of people, of which the log and two settings know

    def begin_match(self, account: Account, bot: str, wish: str) -> None:
        """Note that somebody begins a match against a bot in the browser, which the log has in the words of `wish`.

        ArenaError if they have had too many in this hour.
        """
        with self._changing() as connection:
            self._count(connection, account, "matches", "play")
            _log(connection, self.label(account), "play", wish)
            # As it is in this transaction: two people may begin at once.
            row = connection.execute(
                "select value from settings where name = ?", (OPPONENTS,)
            ).fetchone()
            opponents = _within_an_hour(json.loads(row[0]) if row is not None else {})
            opponents[bot] = now()
            values = (OPPONENTS, json.dumps(opponents))
            connection.execute("insert or replace into settings values (?, ?)", values)

    def played_lately(self) -> set[str]:
        """Return the bots against which somebody began a match within an hour."""
        return set(_within_an_hour(self.setting(OPPONENTS, {})))

    # Rounds

    @property
    def last_round(self) -> int:
        """The number of the last round; 0 if there was none."""
        return max((each.number for each in self.rounds(1)), default=0)

    def begin_round(self) -> Round:
        """Note that a round begins, unless one is under way; return it, with one attempt more."""
        with self._changing() as connection:
            if connection.execute("select 1 from rounds where ended = ''").fetchone() is None:
                connection.execute("insert into rounds(begun) values (?)", (now(),))
            connection.execute("update rounds set attempts = attempts + 1 where ended = ''")
        return self.rounds()[0]

    def end_round(self, words: str = "") -> None:
        """Note that the round has ended, with what went wrong."""
        with self._changing() as connection:
            connection.execute(
                "update rounds set ended = ?, words = ? where ended = ''", (now(), words)
            )

    def rounds(self, most: int = 50) -> tuple[Round, ...]:
        """Return the last rounds, the newest first."""
        return tuple(
            Round(**row)
            for row in self._rows("select * from rounds order by number desc limit ?", most)
        )

    # Settings

    def is_on(self, switch: str) -> bool:
        """Return whether a switch is on: frozen, paused or hidden."""
        return bool(self.setting(switch, default=False))

    def setting(self, name: str, default: Any) -> Any:
        """Return a setting, or the default where the organiser has not chosen."""
        return self._settings().get(name, default)

    def _settings(self) -> dict[str, Any]:
        """Return all settings: each request of a reader asks for one, so they are read again when the file changed."""
        changes = self.changes()
        stored, settings = self._stored_settings
        if changes is None or changes != stored:
            settings = {
                row["name"]: json.loads(row["value"])
                for row in self._rows("select * from settings")
            }
            self._stored_settings = (changes, settings)
        return settings

    def changes(self) -> object:
        """Return a value that changes with all that is stored; None while it may yet change unseen.

        A look costs far less than a query.
        """
        stamps = last_changes(self._path)
        # Of two changes in one tick of the clock a file shows the first only.
        is_settled = time.time_ns() - max(changed for changed, _ in stamps) > SETTLED_NS
        return stamps if is_settled else None

    def limit(self, name: str) -> int:
        """Return a limit of `LIMITS`."""
        return int(self.setting(f"limit.{name}", LIMITS[name]))

    def set(
        self, name: str, value: Any, who: str = "", action: str = "", subject: str = ""
    ) -> None:
        """Store a setting; an action of somebody goes into the log, with its subject."""
        with self._changing() as connection:
            connection.execute(
                "insert or replace into settings values (?, ?)", (name, json.dumps(value))
            )
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
        self, connection: sqlite3.Connection, account: Account, limit: str, action: str
    ) -> None:
        """Raise ArenaError if this author has had as many actions in the last hour as the limit allows.

        Or if the account was revoked, since its request was let in.
        """
        if (
            connection.execute(
                "select 1 from accounts where id = ? and revoked = ''", (account.id,)
            ).fetchone()
            is None
        ):
            raise ArenaError("this account was revoked: ask the organiser")
        count = 0
        for id_, done, at in _recent_actions(connection):
            if (id_, done) == (
                account.id,
                action,
            ) and at <= now():  # later ones: the clock was set back since
                count += 1
        most = SIGN_INS if limit == "sign-ins" else self.limit(limit)
        if count >= most and not account.is_organiser:
            raise ArenaError(f"you have had {most} {limit} in this hour; try again later")

    def _count(
        self, connection: sqlite3.Connection, account: Account, limit: str, action: str
    ) -> None:
        """Count an action of this author for the limit; ArenaError, and nothing changes, if it is one too many."""
        self._refuse_over_limit(connection, account, limit, action)
        recent = [*_recent_actions(connection), (account.id, action, now())]
        connection.execute(
            "insert or replace into settings values (?, ?)", (RECENT, json.dumps(recent))
        )

    def _of(
        self,
        table: str,
        account: Account | None,
        most: int,
        status: str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> list[sqlite3.Row]:
        which = "account = coalesce(?, account) and status = coalesce(?, status) and id = coalesce(?, id)"
        query = f"select * from {table} where {which} order by rowid desc limit ?"
        return self._rows(query, account and account.id, status, id, most)

    def _accounts(self, which: str, *values: object) -> tuple[Account, ...]:
        columns = "id, name, email, organiser as is_organiser, revoked <> '' as revoked"
        people = self._people_now()
        accounts = []
        for row in self._rows(f"select {columns} from accounts {which}", *values):
            account = Account(**row)
            person = people.recorded(account.id, account.name, account.email)
            if person is not None and not self._belongs_to_another(person, account):
                account = _as_listed(account, person)
            accounts.append(account)
        return tuple(accounts)

    def _belongs_to_another(self, person: Person, account: Account) -> bool:
        """Return whether another account has a person's id, where this one has only the name or another spelling.

        Somebody whose name is changed into that of another account does not share bots with it.
        """
        if account.id == person.id:
            return False
        others = {
            row["id"] for row in self._rows("select id from accounts where id <> ?", account.id)
        }
        wanted = people_files.spelling(person.id)
        if people_files.spelling(account.id) == wanted:
            return person.id in others
        return wanted in map(people_files.spelling, others)

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        # One for each use: it is quick (0.1 ms), and no connection may be open when a process is
        # forked.
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
    """Return account, action and time of what is limited by the hour, and not more than an hour ago."""
    row = connection.execute("select value from settings where name = ?", (RECENT,)).fetchone()
    since = _hour_ago()
    recent: list[tuple[str, str, str]] = []
    for id_, action, at in json.loads(row["value"]) if row is not None else []:
        if at > since:
            recent.append((id_, action, at))
    return recent


def _within_an_hour(times: Mapping[str, str]) -> dict[str, str]:
    """Return the names whose times are not more than an hour ago."""
    since = _hour_ago()
    return {name: at for name, at in times.items() if at > since}


def _new_account(person: Person, *, organiser: bool) -> Account:
    """Return the account of a person who has none; ArenaError if nobody could read the name."""
    shown = names.display(person.name)
    if not shown or not shown.strip(".-_ "):
        raise ArenaError(f"{person.name!a}: expected a name that somebody can read")
    return Account(id=person.id or shown, name=shown, email=person.email, is_organiser=organiser)


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
    """Return the times and sizes of a database and its log: they change with it, and cost a look at the files only."""
    stamps = []
    for file in (database, database.with_name(f"{database.name}-wal")):
        with contextlib.suppress(OSError):
            status = file.stat()
            if (
                status.st_size
            ):  # a log that was cut, or its file that a reader made and removed, is no change
                stamps.append((status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _log(connection: sqlite3.Connection, who: str, action: str, subject: str) -> None:
    connection.execute("insert into log values (?, ?, ?, ?)", (now(), who, action, subject))
