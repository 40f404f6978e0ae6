"""The pages of an author: sign in, hand in a bot, read the verdict, look at one's own bots, ask for unrated matches.

Every page here is about the account that asks. What belongs to another account does not exist for
it (404).
"""

import asyncio
import contextlib
import io
import re
import zipfile
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.author.submissions.copy_untrusted import MOST_ENTRIES
from arena.errors import ArenaError
from arena.event import discovery
from arena.extras.serve import home, join, pages, people, uploads
from arena.extras.serve.accounts import LIMITS, SESSION_DAYS, Account, Accounts
from arena.extras.serve.disk import Disk
from arena.extras.serve.entrants import Entrants, event_folder
from arena.games import rulebook
from arena.protocol import clean
from arena.replay import notation
from arena.report import bots as bot_pages
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive, NoResultsError
from arena.results.leaderboard import Results

UPLOAD = "/upload"
PASTED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")
MOST_PAIRINGS = 200
REQUEST_BYTES = 1_000_000  # that the matches of a request may well take on disk
MOST_RECORDS = 1000  # of a download; the newest are in it
LESSONS = 5
SHOWN = 20  # uploads and requests on a page, the newest


async def show_sign_in(request: Request) -> Response:
    """Show the form for a token."""
    return pages.render(request, "sign_in.html.j2", title="Sign in")


async def sign_in(request: Request) -> Response:
    """Begin a session for the token in the form."""
    form = await people.checked_form(request)
    token = form.get("token")
    mistake = "This token is not valid: it may be mistyped, or replaced by a newer one. Ask the organiser."
    try:
        accounts = people.accounts_of(request)
        session = (
            await asyncio.to_thread(accounts.sign_in, token.strip())
            if isinstance(token, str)
            else None
        )
    except ArenaError as error:
        session, mistake = None, str(error)
    if session is None:
        return pages.render(
            request, "sign_in.html.j2", HTTPStatus.FORBIDDEN, title="Sign in", mistake=mistake
        )
    response = RedirectResponse("/me", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, session, SESSION_DAYS * 24 * 3600)
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    await people.checked_form(request)
    people.accounts_of(request).sign_out(people.cookie_of(request))
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, "", 0)
    return response


async def show_account(request: Request, *, mistake: str = "") -> Response:
    """Show an author's bots, uploads and requests, with the forms for new ones, or the mistake in one of them."""
    account, accounts = _signed_in(request)
    values = await people.in_thread(request, account, _account_values, accounts, account)
    folder = event_folder(accounts.workspace)
    shown = home.Home()
    if folder is not None and values["own"] and accounts.may_see(folder.name, account):
        shown = await people.in_worker(
            request, account, home.home, folder, frozenset(values["own"])
        )
    numbers = {row["digest"]: row["number"] for rows in values["own"].values() for row in rows}
    return pages.render(
        request,
        "account.html.j2",
        title=account.name,
        mistake=mistake,
        home=shown,
        event=folder and folder.name,
        numbers=numbers,
        **values,
    )


def _account_values(accounts: Accounts, account: Account) -> dict[str, Any]:
    """Return what the page of an author shows."""
    entrants = Entrants(accounts.workspace)
    own = _own_versions(entrants, account, event_folder(accounts.workspace))
    return {
        "own": own,
        "uploads": accounts.uploads(account, most=SHOWN),
        "requests": accounts.requests(account, most=SHOWN),
        "frozen": accounts.is_on("frozen"),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "versions": entrants.own_here(account),
        "opponents": [bot.name for bot in entrants.bots if not bot.remote and bot.name not in own],
        "boards": entrants.tournament.boards,
        "most_pairings": MOST_PAIRINGS,
    }


async def upload(request: Request) -> Response:
    """Take a bot: a file, an archive, the files of a folder, or a pasted program."""
    account, accounts = _signed_in(request)
    in_progress: set[str] = request.app.state.uploads_in_progress
    if account.id in in_progress:  # many at once would fill the disk before any of them is counted
        return await show_account(
            request, mistake="another upload of yours is coming in; wait until it is here"
        )
    in_progress.add(account.id)
    try:
        accounts.may_upload(account)
        form = await people.checked_form(request, files=MOST_ENTRIES + 1)
        files: dict[str, IO[bytes]] = {}
        for field in ("file", "folder"):
            for each in form.getlist(field):
                if isinstance(each, UploadFile) and each.filename:
                    if each.filename in files:
                        raise ArenaError(
                            f"{clean(each.filename, 200)} is there twice; choose the files again"
                        )
                    files[each.filename] = each.file
        pasted, name = form.get("program"), form.get("name")
        if not files and isinstance(pasted, str) and pasted.strip():
            if not isinstance(name, str) or not PASTED_NAME.fullmatch(name):
                raise ArenaError(
                    "the program needs the name of a file, such as bot.py, which says its language"
                )
            files[name] = io.BytesIO(pasted.replace("\r\n", "\n").encode("utf-8", "surrogatepass"))
        id_ = await asyncio.to_thread(uploads.receive, accounts, account, files)
    except ArenaError as error:
        return await show_account(request, mistake=str(error))
    finally:
        in_progress.discard(account.id)
    return RedirectResponse(f"/me/uploads/{id_}", HTTPStatus.SEE_OTHER)


async def show_upload(request: Request) -> Response:
    """Show what became of an upload."""
    account, accounts = _signed_in(request)
    for upload in accounts.uploads(account, id=request.path_params["id"]):
        return pages.render(
            request, "upload.html.j2", title=f"Upload of {clean(upload.file, 100)}", upload=upload
        )
    raise HTTPException(404)


async def show_bot(request: Request) -> Response:
    """Show an author's own bot: versions, faults with the words and stderr, lessons."""
    account, accounts = _signed_in(request)
    name, folder = request.path_params["bot"], event_folder(accounts.workspace)
    every = await people.in_thread(
        request, account, lambda: _own_versions(Entrants(accounts.workspace), account, folder)
    )
    versions = every.get(name)
    if versions is None:
        raise HTTPException(404)
    private: dict[str, Any] = {"faults": [], "lessons": []}
    if folder is not None and accounts.may_see(folder.name, account):
        private = await people.in_worker(request, account, _private, folder, name)
    return pages.render(
        request,
        "own_bot.html.j2",
        title=name,
        bot=name,
        versions=versions,
        event=folder and folder.name,
        **private,
    )


async def show_records(request: Request) -> Response:
    """Send the matches of an author's bots, as texts, without the private words of others."""
    account, accounts = _signed_in(request)
    folder = event_folder(accounts.workspace)
    if folder is None or not accounts.may_see(folder.name, account):
        raise HTTPException(404)
    own = await people.in_thread(
        request, account, lambda: frozenset(Entrants(accounts.workspace).own(account))
    )
    content = await people.in_worker(request, account, _records, folder, own)
    return pages.download(content, "matches.zip", "application/zip")


async def ask(request: Request) -> Response:
    """Take the request of unrated matches."""
    account, accounts = _signed_in(request)
    form = await people.checked_form(request)
    try:
        id_ = await people.in_thread(request, account, _asked, accounts, account, form)
    except ArenaError as error:
        return await show_account(request, mistake=str(error))
    return RedirectResponse(f"/me/requests/{id_}", HTTPStatus.SEE_OTHER)


async def show_request(request: Request) -> Response:
    """Show what became of a request."""
    account, accounts = _signed_in(request)
    for asked in accounts.requests(account, id=request.path_params["id"]):
        is_stored = (accounts.workspace / "results" / asked.event / "event.sqlite").is_file()
        title = f"{asked.first} and {asked.second}"
        return pages.render(
            request, "request.html.j2", title=title, asked=asked, is_stored=is_stored
        )
    raise HTTPException(404)


async def send_client(_request: Request) -> Response:
    """Send the program by which a bot stays on its author's machine."""
    return pages.download(Path(join.__file__).read_bytes(), "join.py", "text/x-python")


def _signed_in(request: Request) -> tuple[Account, Accounts]:
    return people.signed_in(request), people.accounts_of(request)


def _own_versions(
    entrants: Entrants, account: Account, folder: Path | None
) -> dict[str, list[dict[str, Any]]]:
    """Return an author's bots: of each its versions, the newest first, with the matches that each has played."""
    played: dict[tuple[str, str], int] = {}
    with contextlib.suppress(NoResultsError):
        if folder is not None:
            with Archive.open(folder) as archive:
                played = {(span.bot, span.digest): span.matches for span in archive.spans()}
    return {
        name: [
            {
                "number": version.number,
                "digest": version.digest[:6],
                "submitted": version.note.submitted,
                "plays": version.digest in playing,
                "matches": played.get((name, version.digest), 0),
            }
            for version in reversed(versions)
        ]
        for name, versions in entrants.own(account).items()
        for playing in (
            {discovery.from_path(path, name).digest for path in entrants.store.playing(name)},
        )
    }


def _private(folder: Path, bot: str) -> dict[str, Any]:
    """Return the faults and the lessons of a bot, which are for its author only."""
    author = Author(name=bot, bots=frozenset({bot}), file=bot, hidden_paths=hidden_paths(folder))
    try:
        with Archive.open(folder) as archive:
            results = Results(archive, rules=rulebook.game_of)
            faults = bot_pages.faults_of(results, archive, {bot}, author)[bot]
            lessons = results.lessons({bot}, LESSONS).get(bot, ())
    except NoResultsError:
        return {"faults": [], "lessons": []}
    return {
        "faults": faults,
        "lessons": [
            {
                "match": lesson.record.match.id,
                "then": lesson.refutation_text(bot_pages.REFUTING_TURNS),
            }
            | {
                name: getattr(lesson, name)
                for name in ("label", "role", "turn", "verdict", "played", "good")
            }
            for lesson in lessons
        ],
    }


def _records(folder: Path, own: frozenset[str]) -> bytes:
    """Return the newest matches of these bots as texts in a zip."""
    author = Author(name="", bots=own, file="", hidden_paths=hidden_paths(folder))
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed,
        contextlib.suppress(NoResultsError),
        Archive.open(folder) as archive,
    ):
        event, numbers = archive.event(), archive.numbers()
        names = {bot.name: bot.name for bot in event.bots}
        newest = sorted(author.own(archive.played()), key=lambda match: -numbers.get(match.id, 0))
        for match in newest[:MOST_RECORDS]:
            record = author.portable(archive.record(match.id), names)
            packed.writestr(f"{match.id}.txt", notation.text_of(record, event.name))
    return content.getvalue()


def _asked(accounts: Accounts, account: Account, form: FormData) -> str:
    """Note a request, and return its id; ArenaError for what nobody may ask."""
    entrants = Entrants(accounts.workspace)
    versions = entrants.own_here(account)
    first, second, board, pairings = (
        str(form.get(name, "")) for name in ("first", "second", "board", "pairings")
    )
    if first not in versions:
        raise ArenaError("choose a version of a bot of yours")
    if second not in versions:
        if not any(bot.name == second and not bot.remote for bot in entrants.bots):
            raise ArenaError("choose an opponent that plays in this event")
        second = entrants.as_it_plays(second)
    if first == second:
        raise ArenaError("choose two different versions")
    if board not in {"", *entrants.tournament.boards}:
        raise ArenaError("choose a board of this event")
    if not (
        pairings.isascii()
        and pairings.isdecimal()
        and len(pairings) < 6
        and 0 < int(pairings) <= MOST_PAIRINGS
    ):
        raise ArenaError(f"choose a number of pairings from 1 to {MOST_PAIRINGS}")
    Disk(accounts, account).make_room(REQUEST_BYTES)
    return accounts.ask(account, first, second, board, int(pairings))


ROUTES = [
    Route("/sign-in", show_sign_in),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route("/me", show_account),
    Route("/me/matches.zip", show_records),
    Route("/me/bots/{bot}", show_bot),
    Route("/me/uploads/{id}", show_upload),
    Route("/me/requests", ask, methods=["POST"]),
    Route("/me/requests/{id}", show_request),
    Route("/join.py", send_client),
    Route(UPLOAD, upload, methods=["POST"]),
]
