"""The processes that the site starts: checks of uploads, rounds, charts, matches on request.

Each of them is apart from the server, so that no page waits for a match and no match for a page.
This file decides what to start, and reads how it ended. `Accounts` knows what is to be done, and
archives have the matches.
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
from arena.extras.serve.accounts import Accounts, MatchRequest, Round
from arena.extras.serve.entrants import Entrants, event_folder, names_in, text_of
from arena.extras.serve.processes import SiteProcess, round_command
from arena.extras.serve.remote import Hub
from arena.extras.serve.statements import Statement
from arena.extras.serve.table import table_of
from arena.extras.serve.worker import NICE
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive
from arena.results.folders import TOURNAMENT_FILE
from arena.sandbox.exposure import forget

LOOK_S = 0.5
ATTEMPTS = 100
"""A round is given up when its process was ended this often from outside."""
REQUEST_ATTEMPTS = 3
REQUEST_S = 600.0
"""The time that a request may take; after it the request ends undecided."""
REMOTE_PLAYED = "remote played"
"""The setting with the remote bots that have played, each with its version and the round before."""
REMOTE = "-remote"
"""The end of the name of the event in which remote bots play."""
REQUESTS_STORED = 20
"""The requests of an author whose matches are stored; those of older requests are removed."""
END_S = 5.0
RETRY_S = 30.0
"""The time until uploads are checked again, after their check could not begin."""
LOG_BYTES = 4000
MISTAKE = 2
"""The exit code of commands after a user's mistake."""
TRIES = 3
"""How often a round begins that ends with a mistake: mostly another attempt does not mend it."""


class ProviderKey:
    """The keys of the event's language models, for the runs that this process starts.

    They are taken out of the environment. Otherwise every process that the server starts would
    show it, also those that compute pages and play matches.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._keys: dict[str, str] = {}
        self.variables()

    def variables(self) -> dict[str, str]:
        """Return the variables that tournament.toml names now, with their values."""
        tables: list[tuple[str, ...]] = [("model",)]
        for alias in names_in(self._workspace, "models"):
            tables.append(("models", alias))
        variables: dict[str, str] = {}
        for table in tables:
            name = text_of(self._workspace, *table, "key_variable")
            if name in os.environ:
                self._keys[name] = os.environ[name]
                forget(name)
            if name in self._keys:
                variables[name] = self._keys[name]
        return variables


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
        process = self._process
        self._process = None
        if process is None:
            return None
        code = process.poll()
        if code is None or code < 0 or code > 128:
            return None
        return code

    def start(
        self,
        command: Sequence[str],
        *,
        nice: int = 0,
        variables: Mapping[str, str] | None = None,
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
                if nice:  # added to the server's own niceness, of which only root may take back any
                    inherited = os.getpriority(os.PRIO_PROCESS, self._process.pid)
                    os.setpriority(os.PRIO_PROCESS, self._process.pid, inherited + nice)
        finally:
            os.close(lock)

    def words(self) -> str:
        """Return the end of what the last process wrote."""
        try:
            content = self.log.read_bytes()
        except OSError:
            return ""
        return content[-LOG_BYTES:].decode("utf-8", "replace").strip()

    def end(self) -> None:
        """Ask the process of this server to end, and kill it if it does not end in time."""
        if self._process is None:
            return
        # After a second SIGTERM a run does not wait for its matches.
        for signal_number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal_number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
                return


class Scheduler:
    """Starts the processes of the site; `step` is called all the time."""

    def __init__(
        self,
        accounts: Accounts,
        hub: Hub,
        key: ProviderKey | None = None,
    ) -> None:
        self._accounts = accounts
        self._hub = hub
        self._key = key or ProviderKey(accounts.workspace)
        self._check = Job(accounts, "check")
        self._check_from = 0.0
        """Time (monotonic) from which uploads are checked again."""
        self._round = Job(accounts, "round")
        self._began = (0, 0.0)
        """The number of the last round that this server began, and its time (monotonic)."""
        self._remote = Job(accounts, "remote")
        self._charts = Job(accounts, "charts")
        self._undrawn: set[str] = set()
        """The events whose charts are to be drawn, one event after another."""
        self._looked_at = (0, 0)
        """The joins of bots and the last round, at the last look for remote matches."""
        self._playing: dict[str, str] = {}
        """The remote bots that play now, each with its version and the round before."""
        self._request = Job(accounts, "request")
        self._halted_request = ""
        """The request whose matches were asked to end by a pause."""

    def step(self) -> None:
        """Start the processes that are due now."""
        if not self._check.is_running():
            self._step_check()
        if self._undrawn and not self._charts.is_running():
            event = self._undrawn.pop()
            command = SiteProcess.CHARTS.command(event)
            self._charts.start(command, nice=NICE)
        paused = self._accounts.is_on("paused")
        if self._round.is_running():
            if paused:
                self._halt(self._event_folder())
            return  # so that rated matches have the machine for themselves
        if self._remote.is_running():  # for hours, if a bot takes all the time that it may
            if paused or self._is_due(self._last_round()):
                self._halt(self._event_folder(REMOTE))
            self._step_requests()
            return
        self._step_rounds()
        last = self._last_round()
        if last is not None and not last.ended:
            return
        number = 0
        if last is not None:
            number = last.number
        if not self._step_remote(number):
            self._step_requests()

    def end(self) -> None:
        """End the processes that this server has started."""
        jobs = (
            self._check,
            self._charts,
            self._request,
            self._remote,
            self._round,
        )
        for job in jobs:
            job.end()

    def _last_round(self) -> Round | None:
        """Return the round that began last; None if there was none."""
        rounds = self._accounts.rounds(1)
        if not rounds:
            return None
        return rounds[0]

    def _step_check(self) -> None:
        """Check the uploads that wait."""
        if self._check.take_exit_code():
            # There is a mistake, such as in tournament.toml, which the organiser mends.
            reason = self._check.words()
            self._accounts.note("server", "uploads cannot be checked", reason)
            self._check_from = time.monotonic() + RETRY_S
        if time.monotonic() < self._check_from:
            return
        if self._accounts.uploads(status="waiting"):
            self._check.start(SiteProcess.CHECK.command())

    def _step_rounds(self) -> None:
        """Begin a round if it is due, or take note of how the last one ended."""
        code = self._round.take_exit_code()
        paused = self._accounts.is_on("paused")
        last = self._last_round()
        if last is not None and not last.ended:
            self._go_on(last, code, paused=paused)
        elif not paused and self._is_due(last):
            self._begin_round()

    def _go_on(self, last: Round, code: int | None, *, paused: bool) -> None:
        """End the round under way, or begin it again, by the exit code of its process."""
        accounts = self._accounts
        if code == 0:
            accounts.end_round()
            event = text_of(accounts.workspace, "name")
            self._undrawn.add(event)
        elif code == MISTAKE and last.attempts < TRIES:
            # A version may have come in while the run read the bot.
            self._begin_round()
        elif code == MISTAKE or (code is not None and not paused):
            reason = self._round.words()
            accounts.end_round(reason or f"`arena run` ended with code {code}")
        elif last.attempts >= ATTEMPTS:
            accounts.end_round(f"its process was ended {ATTEMPTS} times from outside")
        elif not paused:
            self._begin_round()

    def _begin_round(self) -> None:
        """Start a run of the event, and note it as a round or as another attempt at one."""
        begun = self._accounts.begin_round()
        if begun.attempts == 1:
            self._began = (begun.number, time.monotonic())
        command = round_command()
        variables = self._key.variables()
        self._round.start(command, variables=variables)

    def _is_due(self, last: Round | None) -> bool:
        """Return whether a round is to begin, by the timetable or because the organiser said so.

        `last` is the round before.
        """
        accounts = self._accounts
        if accounts.setting("round now", None) == accounts.last_round:
            return True
        rule, since = accounts.setting("rounds", ("", ""))
        if not rule:
            return False
        now = datetime.now(UTC)
        last_begun = ""
        if last is not None:
            last_begun = last.begun
        elapsed = None
        number, moment = self._began
        # A rule that was set after the last round counts from the time when it was set.
        if number == accounts.last_round and since <= last_begun:
            elapsed = timedelta(seconds=time.monotonic() - moment)
        moments: list[datetime] = []
        for text in (last_begun, since):
            if text:
                moments.append(datetime.fromisoformat(text))
        begun = timetable.last_begun(rule, moments, now)
        return timetable.is_due(rule, begun, now, elapsed=elapsed)

    def _step_remote(self, last: int) -> bool:
        """Play the matches of the remote bots that are connected; return whether they are played.

        These matches have an event of their own. They are due when a bot has joined as a new
        version, and after each round; `last` is the number of the last round.
        """
        accounts = self._accounts
        self._end_remote()
        if accounts.is_on("paused") or not self._hub.bots:
            return False
        if self._looked_at == (self._hub.joins, last):
            return False
        self._looked_at = (self._hub.joins, last)
        tournament = config.load(accounts.workspace / TOURNAMENT_FILE)
        connected: dict[str, str] = {}
        references: list[str] = []
        for bot in tournament.entrants(accounts.workspace):
            if not bot.remote:
                references.append(bot.name)
            elif bot.name in self._hub.bots:
                connected[bot.name] = f"{bot.digest} {last}"
        if table_of(tournament).rated or not references:
            return False
        played = accounts.setting(REMOTE_PLAYED, {})
        if not connected.items() - played.items():
            return False
        self._playing = connected
        bots = ",".join([*references, *connected])
        command = round_command(
            f"--name={tournament.name}{REMOTE}",
            f"--bot={bots}",
            "--set=schedule=gauntlet",
            f"--set=references={json.dumps(references)}",
            "--set=remote.rated=true",
        )
        self._remote.start(command, variables=self._key.variables())
        return True

    def _end_remote(self) -> None:
        """Take note of how the last remote matches ended."""
        code = self._remote.take_exit_code()
        if not self._playing:
            return
        accounts = self._accounts
        if code == 0:
            played = accounts.setting(REMOTE_PLAYED, {})
            accounts.set(REMOTE_PLAYED, played | self._playing)
            event = text_of(accounts.workspace, "name")
            self._undrawn.add(f"{event}{REMOTE}")
        elif code == MISTAKE:
            accounts.note("server", "remote matches are not played", self._remote.words())
        else:  # the run was killed, or paused
            self._looked_at = (0, 0)
        self._playing = {}

    def _event_folder(self, ending: str = "") -> Path | None:
        """Return the folder of the event whose name has this ending; None if it cannot be known."""
        folder = event_folder(self._accounts.workspace)
        if folder is None:
            return None
        return folder.with_name(f"{folder.name}{ending}")

    def _halt(self, folder: Path | None) -> None:
        """Ask the run of the event in this folder to end when the matches under way are played."""
        if folder is None:
            return
        with contextlib.suppress(OSError):
            holder = Archive.holder(folder)
            if holder is not None and holder.token:
                control.request_halt(folder, holder.token)

    def _step_requests(self) -> None:
        """Play the requests of authors, one after another."""
        accounts = self._accounts
        playing = None
        under_way = accounts.requests(status="playing")
        if under_way:
            playing = under_way[0]
        if self._request.is_running():
            if playing is not None:
                self._limit_request(playing)
            return

        code = self._request.take_exit_code()
        halted = self._halted_request
        self._halted_request = ""
        if playing is not None:
            if code is not None:
                if playing.id == halted:
                    # It goes on when matches are played again.
                    accounts.set_request(playing, "waiting")
                else:
                    self._end_request(playing, code)
                return
            if playing.attempts >= REQUEST_ATTEMPTS:
                message = "arena failed to play it; ask the organiser"
                accounts.set_request(playing, "failed", message)
                return
        if accounts.is_on("paused"):
            return

        request = playing
        if request is None:
            waiting = accounts.requests(status="waiting")
            if not waiting:
                return
            request = waiting[-1]  # the oldest
        accounts.set_request(request, "playing")
        command = SiteProcess.REQUEST.command(request.id)
        self._request.start(command, variables=self._key.variables())

    def _limit_request(self, playing: MatchRequest) -> None:
        """Halt the request under way if matches are paused, and end it if it takes too long."""
        accounts = self._accounts
        if accounts.is_on("paused"):
            self._halted_request = playing.id
            self._halt(accounts.workspace / "results" / playing.event)
            return
        job = self._request
        if job.started and time.monotonic() - job.started > REQUEST_S:
            job.end()
            minutes = f"{REQUEST_S / 60:.0f} minutes"
            accounts.set_request(playing, "done", f"stopped after {minutes}, undecided")

    def _end_request(self, playing: MatchRequest, code: int) -> None:
        """Store how a request ended whose process ended with this exit code."""
        accounts = self._accounts
        status = "done"
        request_statements = statements.read(accounts.request_file, playing.id)
        if not request_statements:
            request_statements = (
                Statement(public=statements.UNKNOWN, private=self._request.words()),
            )
            status = "failed"
        elif code == MISTAKE:
            status = "failed"
        for statement in request_statements:
            if statement.is_for_organiser:
                accounts.note("server", statement.public, statement.private)
        message = for_author(accounts, playing, request_statements)
        accounts.set_request(playing, status, message)
        self._remove_old(playing.account)

    def _remove_old(self, account: str) -> None:
        """Remove the matches of an author's older requests."""
        ended: list[MatchRequest] = []
        for request in self._accounts.requests():
            if request.account == account and request.ended:
                ended.append(request)
        results = self._accounts.workspace / "results"
        for request in ended[REQUESTS_STORED:]:
            shutil.rmtree(results / request.event, ignore_errors=True)


def for_author(
    accounts: Accounts,
    request: MatchRequest,
    request_statements: Iterable[Statement],
) -> str:
    """Return the part of the statements that the author of a request may read, without paths."""
    name, _, _ = request.first.partition("@")
    names = {name}
    with contextlib.suppress(ArenaError):  # the organiser edits tournament.toml
        entrants = Entrants(accounts.workspace)
        for account in accounts.accounts():
            if account.id == request.account:
                names.update(entrants.own(account))
    texts = [statement.shown_to(names) for statement in request_statements]
    folder = accounts.workspace / "results" / request.event
    reader = Author(
        name="",
        bots=frozenset(),
        file="",
        hidden_paths=hidden_paths(folder),
    )
    return reader.without_paths("\n".join(texts))


@contextlib.asynccontextmanager
async def at_work(
    accounts: Accounts,
    hub: Hub,
    key: ProviderKey,
) -> AsyncIterator[None]:
    """Call the scheduler until the end of the `async with`, unless another server here does."""

    async def look() -> None:
        while True:
            with (
                contextlib.suppress(BlockingIOError),
                whole_files.locked(accounts.folder / ".desk", waits=False),
            ):
                await asyncio.to_thread(uploads.clear, accounts)
                bots = text_of(accounts.workspace, "bots") or "bots"
                async with hub.listening(accounts.workspace / bots):
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
