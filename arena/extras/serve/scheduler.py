"""The processes that the site starts: the check of uploads, rounds, remote matches, charts, and matches on request.

Each is apart from the server, so that no page waits for one and no match waits for a page. This
file decides what to start, and reads how it ended. `Accounts` has what is to be done, and archives
have what was played.
"""

# Theory of operation
#
# Every kind of process has a lock file. It is locked before the process starts, and the process
# inherits the lock and keeps it as long as it lives. So a server that was killed finds its
# processes again, and no kind ever runs twice: a pid could belong to a stranger by then.
#
# What was begun is noted before it is started. If nobody holds the lock of something that is noted
# and not ended, its process was killed, and is started again: an event goes on with its archive, a
# duel too, and an upload is checked anew. A process that ends without an answer again and again is
# given up, with the reason.
#
# A server that ends in order asks its processes to end, too; the next server finishes their work.

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena import whole_files
from arena.errors import ArenaError
from arena.event import config, control
from arena.extras.serve import statements, timetable, uploads
from arena.extras.serve.accounts import Accounts, MatchRequest
from arena.extras.serve.entrants import Entrants, event_folder, text_of
from arena.extras.serve.processes import SiteProcess, round_command
from arena.extras.serve.remote import Hub
from arena.extras.serve.statements import Statement
from arena.extras.serve.worker import NICE
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive
from arena.sandbox.exposure import forget

LOOK_S = 0.5
ATTEMPTS = 100  # so often a process may be ended from outside, before what it does is given up
REQUEST_ATTEMPTS = 3
REQUEST_S = 600.0  # a request may take so long, and has then ended undecided
REMOTE = "-remote"  # the end of the name of the event in which remote bots play
REQUESTS_STORED = 20  # requests of an author whose matches are stored; older ones are removed
END_S = 5.0
RETRY_S = 30.0  # the time until uploads are checked again, after their check could not begin
LOG_BYTES = 4000
MISTAKE = 2  # the exit code of commands after a user's mistake
TRIES = (
    3  # so often a round is begun that ends with a mistake: mostly another attempt does not mend it
)


class ProviderKey:
    """The key of the event's language model, in its variable: this process alone keeps it, for the runs that it starts.

    Else every process that the server starts would show it, those that compute pages and play
    matches among them.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._keys: dict[str, str] = {}
        self.variables()

    def variables(self) -> dict[str, str]:
        """Return the variable that tournament.toml names now, as a run needs it; nothing if there is none."""
        name = text_of(self._workspace, "model", "key_variable")
        if name in os.environ:
            self._keys[name] = os.environ[name]
            forget(name)
        return {name: self._keys[name]} if name in self._keys else {}


class Job:
    """One kind of process, of which one runs at a time."""

    def __init__(self, accounts: Accounts, kind: str) -> None:
        self._workspace = accounts.workspace
        self._lock = accounts.folder / f".{kind}"
        self.log = accounts.folder / f"{kind}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        """Time (monotonic) of the last start."""

    def is_running(self) -> bool:
        """Return whether such a process runs, of this server or of an earlier one."""
        if self._process is not None and self._process.poll() is None:
            return True
        try:
            with whole_files.locked(self._lock, waits=False):
                return False
        except BlockingIOError:
            return True

    def take_exit_code(self) -> int | None:
        """Return how the last process ended, once; None if nobody knows, or if it was killed."""
        process, self._process = self._process, None
        code = None if process is None else process.poll()
        return None if code is None or code < 0 or code > 128 else code

    def start(
        self, command: Sequence[str], *, nice: int = 0, variables: Mapping[str, str] | None = None
    ) -> None:
        """Start a command, unless such a process runs; it is `nice` to others.

        It gets these `variables` beside those of the server.
        """
        lock = whole_files.open_lock(self._lock)
        try:
            with contextlib.suppress(BlockingIOError), self.log.open("wb") as log:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.log.chmod(whole_files.PRIVATE)
                self.started = time.monotonic()
                self._process = subprocess.Popen(
                    command,
                    cwd=self._workspace,
                    env=os.environ | (variables or {}),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=[lock],
                )
                if nice:  # on top of the server's own niceness: only root may take any of that back
                    own = os.getpriority(os.PRIO_PROCESS, self._process.pid)
                    os.setpriority(os.PRIO_PROCESS, self._process.pid, own + nice)
        finally:
            os.close(lock)

    def words(self) -> str:
        """Return the end of what the last process wrote."""
        with contextlib.suppress(OSError):
            return self.log.read_bytes()[-LOG_BYTES:].decode("utf-8", "replace").strip()
        return ""

    def end(self) -> None:
        """Ask the process of this server to end, and insist."""
        if self._process is None:
            return
        for number in (
            signal.SIGTERM,
            signal.SIGTERM,
            signal.SIGKILL,
        ):  # a second SIGTERM does not wait for matches
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
                return


class Scheduler:
    """Looks all the time for what is to be started."""

    def __init__(self, accounts: Accounts, hub: Hub, key: ProviderKey | None = None) -> None:
        self._accounts, self._hub = accounts, hub
        self._key = key or ProviderKey(accounts.workspace)
        self._check = Job(accounts, "check")
        self._check_from = 0.0
        """Time (monotonic) from which uploads are checked again."""
        self._round = Job(accounts, "round")
        self._began = (0, 0.0)
        """The number of the last round that this server began, and when (monotonic)."""
        self._remote = Job(accounts, "remote")
        self._charts = Job(accounts, "charts")
        self._undrawn: set[str] = set()
        """The events whose charts are drawn as soon as no others are."""
        self._looked_at = (0, 0)
        """How often bots had joined, and the number of the last round, at the last look for remote matches."""
        self._playing: dict[str, str] = {}
        """The remote bots that play now, as which version and after which round."""
        self._request = Job(accounts, "request")
        self._halted_request = ""
        """The request whose matches were asked to end by a pause."""

    def step(self) -> None:
        """Start what is to be started now."""
        if not self._check.is_running():
            self._step_check()
        if self._undrawn and not self._charts.is_running():
            self._charts.start(SiteProcess.CHARTS.command(self._undrawn.pop()), nice=NICE)
        paused = self._accounts.is_on("paused")
        if self._round.is_running():
            if paused:
                self._halt(self._event_folder())
            return  # so that rated matches have the machine for themselves
        last = next(iter(self._accounts.rounds(1)), None)
        if self._remote.is_running():  # for hours, if a bot takes all the time that it may
            if paused or self._is_due(last.begun if last else ""):
                self._halt(self._event_folder(REMOTE))
            self._step_requests()
            return
        self._step_rounds()
        last = next(iter(self._accounts.rounds(1)), None)
        if (last is None or last.ended) and not self._step_remote(last.number if last else 0):
            self._step_requests()

    def end(self) -> None:
        """End what this server has started."""
        for job in (self._check, self._charts, self._request, self._remote, self._round):
            job.end()

    def _step_check(self) -> None:
        if (
            self._check.take_exit_code()
        ):  # such as a mistake in tournament.toml, which the organiser mends
            self._accounts.note("server", "uploads cannot be checked", self._check.words())
            self._check_from = time.monotonic() + RETRY_S
        if time.monotonic() >= self._check_from and self._accounts.uploads(status="waiting"):
            self._check.start(SiteProcess.CHECK.command())

    def _step_rounds(self) -> None:
        accounts, code = self._accounts, self._round.take_exit_code()
        paused = accounts.is_on("paused")
        last = next(iter(accounts.rounds(1)), None)
        if last is not None and not last.ended:
            if code == 0:
                accounts.end_round()
                self._undrawn.add(text_of(accounts.workspace, "name"))
            elif (
                code == MISTAKE and last.attempts < TRIES
            ):  # a version may have come in while the run read the bot
                self._begin_round()
            elif code == MISTAKE or (code is not None and not paused):
                accounts.end_round(self._round.words() or f"`arena run` ended with code {code}")
            elif last.attempts >= ATTEMPTS:
                accounts.end_round(f"its process was ended {ATTEMPTS} times from outside")
            elif not paused:
                self._begin_round()
        elif not paused and self._is_due(last.begun if last else ""):
            self._begin_round()

    def _begin_round(self) -> None:
        begun = self._accounts.begin_round()
        if begun.attempts == 1:
            self._began = (begun.number, time.monotonic())
        self._round.start(round_command(), variables=self._key.variables())

    def _is_due(self, last: str) -> bool:
        """Return whether a round is to begin: by the timetable, or because the organiser said so since the last one."""
        rule, since = self._accounts.setting("rounds", ("", ""))
        if self._accounts.setting("round now", None) == self._accounts.last_round:
            return True
        if not rule:
            return False
        now, elapsed = datetime.now(UTC), None
        number, at = self._began
        if (
            number == self._accounts.last_round and since <= last
        ):  # a rule that was set later counts from then
            elapsed = timedelta(seconds=time.monotonic() - at)
        moments = [datetime.fromisoformat(moment) for moment in (last, since) if moment]
        return timetable.is_due(
            rule, timetable.last_begun(rule, moments, now), now, elapsed=elapsed
        )

    def _step_remote(self, last: int) -> bool:
        """Play the matches of the remote bots that are there, which have an event of their own; True while it runs.

        They are due when a bot has joined as a new version, and after each round; `last` is the
        number of the last.
        """
        accounts, code, name = self._accounts, self._remote.take_exit_code(), "remote played"
        if self._playing and code == 0:
            accounts.set(name, accounts.setting(name, {}) | self._playing)
            self._undrawn.add(f"{text_of(accounts.workspace, 'name')}{REMOTE}")
        elif self._playing and code != MISTAKE:  # it was killed, or paused
            self._looked_at = (0, 0)
        elif self._playing:
            accounts.note("server", "remote matches are not played", self._remote.words())
        self._playing = {}
        if (
            accounts.is_on("paused")
            or not self._hub.bots
            or self._looked_at == (self._hub.joins, last)
        ):
            return False
        self._looked_at = (self._hub.joins, last)
        tournament = config.load(accounts.workspace / "tournament.toml")
        bots = tournament.entrants(accounts.workspace)
        here = {
            bot.name: f"{bot.digest} {last}"
            for bot in bots
            if bot.remote and bot.name in self._hub.bots
        }
        references = [bot.name for bot in bots if not bot.remote]
        if (
            tournament.remote.rated
            or not references
            or not here.items() - accounts.setting(name, {}).items()
        ):
            return False
        self._playing = here
        changes = ("schedule=gauntlet", f"references={json.dumps(references)}", "remote.rated=true")
        settings = [word for change in changes for word in ("--set", change)]
        names = ("--name", f"{tournament.name}{REMOTE}", "--bot", ",".join([*references, *here]))
        self._remote.start(round_command(*names, *settings), variables=self._key.variables())
        return True

    def _event_folder(self, ending: str = "") -> Path | None:
        """Return the folder of the event, or of that whose name has this ending; None if it cannot be known."""
        folder = event_folder(self._accounts.workspace)
        return folder and folder.with_name(f"{folder.name}{ending}")

    def _halt(self, folder: Path | None) -> None:
        """Ask the run of the event in this folder to end when the matches under way are played."""
        if folder is None:
            return
        with contextlib.suppress(OSError):
            if (holder := Archive.holder(folder)) is not None and holder.token:
                control.request_halt(folder, holder.token)

    def _step_requests(self) -> None:
        accounts, job = self._accounts, self._request
        playing = next(iter(accounts.requests(status="playing")), None)
        if job.is_running():
            if playing is not None and accounts.is_on("paused"):
                self._halted_request = playing.id
                self._halt(accounts.workspace / "results" / playing.event)
            elif playing is not None and job.started and time.monotonic() - job.started > REQUEST_S:
                job.end()
                accounts.set_request(
                    playing, "done", f"stopped after {REQUEST_S / 60:.0f} minutes, undecided"
                )
            return
        code, halted = job.take_exit_code(), self._halted_request
        self._halted_request = ""
        if playing is not None and code is not None and playing.id == halted:
            accounts.set_request(playing, "waiting")  # it goes on when matches are played again
        elif playing is not None and code is not None:
            said = statements.read(accounts.request_file, playing.id)
            is_done = bool(said) and code != MISTAKE
            said = said or (Statement(public=statements.UNKNOWN, private=job.words()),)
            for statement in said:
                if statement.is_for_organiser:
                    accounts.note("server", statement.public, statement.private)
            accounts.set_request(
                playing, "done" if is_done else "failed", for_author(accounts, playing, said)
            )
            self._remove_old(playing.account)
        elif playing is not None and playing.attempts >= REQUEST_ATTEMPTS:
            accounts.set_request(playing, "failed", "arena failed to play it; ask the organiser")
        elif not accounts.is_on("paused") and (
            waiting := [playing] if playing else accounts.requests(status="waiting")
        ):
            request = waiting[-1]
            accounts.set_request(request, "playing")
            job.start(SiteProcess.REQUEST.command(request.id), variables=self._key.variables())

    def _remove_old(self, account: str) -> None:
        """Remove the matches of an author's older requests."""
        ended = [
            request
            for request in self._accounts.requests()
            if request.account == account and request.ended
        ]
        for request in ended[REQUESTS_STORED:]:
            shutil.rmtree(self._accounts.workspace / "results" / request.event, ignore_errors=True)


def for_author(accounts: Accounts, request: MatchRequest, said: Iterable[Statement]) -> str:
    """Return what the author of a request may read of what its process said, without paths."""
    own = {request.first.partition("@")[0]}
    with contextlib.suppress(ArenaError):  # the organiser edits tournament.toml
        entrants = Entrants(accounts.workspace)
        for account in accounts.accounts():
            if account.id == request.account:
                own.update(entrants.own(account))
    text = "\n".join(statement.shown_to(own) for statement in said)
    paths = hidden_paths(accounts.workspace / "results" / request.event)
    return Author(name="", bots=frozenset(), file="", hidden_paths=paths).without_paths(text)


@contextlib.asynccontextmanager
async def at_work(accounts: Accounts, hub: Hub, key: ProviderKey) -> AsyncIterator[None]:
    """Look for work until the end of the `async with`, unless another server of this workspace does."""

    async def look() -> None:
        while True:
            with (
                contextlib.suppress(BlockingIOError),
                whole_files.locked(accounts.folder / ".desk", waits=False),
            ):
                await asyncio.to_thread(uploads.clear, accounts)
                async with hub.listening(
                    accounts.workspace / (text_of(accounts.workspace, "bots") or "bots")
                ):
                    while True:
                        try:
                            await asyncio.to_thread(scheduler.step)
                        except Exception:
                            logging.exception("what authors wait for is not started")
                        await asyncio.sleep(LOOK_S)
            await asyncio.sleep(LOOK_S)

    scheduler = Scheduler(accounts, hub, key)
    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
        await asyncio.to_thread(scheduler.end)
