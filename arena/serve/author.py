"""The pages of an author: sign in, hand in a bot, read the verdict, look at one's own bots, ask for unrated matches.

Every page here is about the account that asks. What belongs to another account is answered as what does not exist.
"""

import asyncio
import io
import logging
import re
import zipfile
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.author.submissions.bot_store import Version
from arena.author.submissions.copy_untrusted import MOST_ENTRIES
from arena.errors import ArenaError
from arena.event import config, discovery
from arena.event.config import Tournament
from arena.games import rulebook
from arena.protocol import clean
from arena.replay import notation
from arena.report import bots as bot_pages
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive, NoResultsError
from arena.results.leaderboard import Results
from arena.serve import join, organising, pages, people, uploads
from arena.serve.accounts import LIMITS, SESSION_DAYS, Account, Accounts
from arena.serve.desk import event_folder, may_see

UPLOAD = "/upload"
PASTED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")
MOST_PAIRINGS = 200
MOST_RECORDS = 1000
"""Of a download; the newest are in it."""
LESSONS = 5
SHOWN = 20
"""Uploads and requests on a page, the newest."""
LOOK_AGAIN_S = 2
"""Seconds until a page asks again whether an upload is checked, or a request played."""


async def show_sign_in(request: Request) -> Response:
    """Show the form for a token."""
    return pages.render(request, "sign_in.html.j2", title="Sign in", mistake="")


async def sign_in(request: Request) -> Response:
    """Begin a session for the token in the form."""
    form = await people.checked_form(request)
    token = form.get("token")
    session = accounts_of(request).sign_in(token.strip()) if isinstance(token, str) else None
    if session is None:
        mistake = "This token is not valid: it may be mistyped, or replaced by a newer one. Ask the organiser."
        return pages.render(request, "sign_in.html.j2", HTTPStatus.FORBIDDEN, title="Sign in", mistake=mistake)
    response = RedirectResponse("/me", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, session, SESSION_DAYS * 24 * 3600)
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    await people.checked_form(request)
    accounts_of(request).sign_out(request.cookies.get(people.COOKIE, ""))
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, "", 0)
    return response


async def show_account(request: Request) -> Response:
    """Show an author's bots, uploads and requests, with the forms for new ones."""
    return await account_page(request)


async def account_page(request: Request, mistake: str = "") -> Response:
    """Return the page of an author, with a mistake of a form if there was one."""
    account, accounts = _signed_in(request)
    values = await asyncio.to_thread(_account_values, accounts, account)
    status = HTTPStatus.BAD_REQUEST if mistake else HTTPStatus.OK
    return pages.render(request, "account.html.j2", status, title=account.name, mistake=mistake, **values)


def _account_values(accounts: Accounts, account: Account) -> dict[str, Any]:
    """Return what the page of an author shows."""
    own = own_bots(accounts, account)
    return {
        "own": own,
        "uploads": accounts.uploads(account)[:SHOWN],
        "requests": accounts.requests(account)[:SHOWN],
        "frozen": accounts.is_on("frozen"),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "versions": versions_of(own),
        "opponents": opponents(accounts),
        "boards": tournament_of(accounts).boards,
        "most_pairings": MOST_PAIRINGS,
    }


async def upload(request: Request) -> Response:
    """Take a bot: a file, an archive, the files of a folder, or a pasted program."""
    account, accounts = _signed_in(request)
    try:
        accounts.may_upload(account)
        form = await people.checked_form(request, files=MOST_ENTRIES + 1)
        files: dict[str, IO[bytes]] = {}
        for field in ("file", "folder"):
            for each in form.getlist(field):
                if isinstance(each, UploadFile) and each.filename:
                    if each.filename in files:
                        raise ArenaError(f"{clean(each.filename, 200)} is there twice; choose the files again")
                    files[each.filename] = each.file
        pasted, name = form.get("program"), form.get("name")
        if not files and isinstance(pasted, str) and pasted.strip():
            if not isinstance(name, str) or not PASTED_NAME.fullmatch(name):
                raise ArenaError("the program needs the name of a file, such as bot.py, which says its language")
            files[name] = io.BytesIO(pasted.replace("\r\n", "\n").encode("utf-8", "surrogatepass"))
        id_ = await asyncio.to_thread(uploads.receive, accounts, account, files)
    except ArenaError as error:
        return await account_page(request, str(error))
    return RedirectResponse(f"/me/uploads/{id_}", HTTPStatus.SEE_OTHER)


async def show_upload(request: Request) -> Response:
    """Show what became of an upload."""
    account, accounts = _signed_in(request)
    found = next((each for each in accounts.uploads(account) if each.id == request.path_params["id"]), None)
    if found is None:
        raise HTTPException(404)
    response = pages.render(request, "upload.html.j2", title=f"Upload of {clean(found.file, 100)}", upload=found)
    if found.status == "waiting":
        response.headers["refresh"] = str(LOOK_AGAIN_S)
    return response


async def show_bot(request: Request) -> Response:
    """Show an author's own bot: versions, faults with the words and stderr, lessons."""
    account, accounts = _signed_in(request)
    name = request.path_params["bot"]
    own = await asyncio.to_thread(own_bots, accounts, account)
    if name not in own:
        raise HTTPException(404)
    private: dict[str, Any] = {"faults": [], "lessons": []}
    folder = event_folder(accounts.workspace)
    if folder is not None and may_see(accounts, folder.name, account):
        private = await request.app.state.worker.run(_private, folder, name)
    return pages.render(
        request, "own_bot.html.j2", title=name, bot=name, versions=own[name], event=folder and folder.name, **private
    )


async def show_records(request: Request) -> Response:
    """Send the matches of an author's bots, as texts, without the private words of others."""
    account, accounts = _signed_in(request)
    folder = event_folder(accounts.workspace)
    if folder is None or not may_see(accounts, folder.name, account):
        raise HTTPException(404)
    own = frozenset(await asyncio.to_thread(own_bots, accounts, account))
    content = await request.app.state.worker.run(_records, folder, own)
    headers = {"content-disposition": 'attachment; filename="matches.zip"'}
    return Response(content, headers=headers, media_type="application/zip")


async def ask(request: Request) -> Response:
    """Take the request of unrated matches."""
    account, accounts = _signed_in(request)
    form = await people.checked_form(request)
    try:
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        id_ = await asyncio.to_thread(_asked, accounts, account, fields)
    except ArenaError as error:
        return await account_page(request, str(error))
    return RedirectResponse(f"/me/requests/{id_}", HTTPStatus.SEE_OTHER)


async def show_request(request: Request) -> Response:
    """Show what became of a request."""
    account, accounts = _signed_in(request)
    found = next((each for each in accounts.requests(account) if each.id == request.path_params["id"]), None)
    if found is None:
        raise HTTPException(404)
    is_stored = (accounts.workspace / "results" / found.event / "event.sqlite").is_file()
    response = pages.render(
        request, "request.html.j2", title=f"{found.first} and {found.second}", asked=found, is_stored=is_stored
    )
    if not found.ended:
        response.headers["refresh"] = str(LOOK_AGAIN_S)
    return response


async def send_client(_request: Request) -> Response:
    """Send the program by which a bot stays on its author's machine."""
    content = Path(join.__file__).read_bytes()
    headers = {"content-disposition": 'attachment; filename="join.py"'}
    return Response(content, headers=headers, media_type="text/x-python")


def accounts_of(request: Request) -> Accounts:
    """Return the accounts of the workspace."""
    accounts: Accounts = request.app.state.accounts
    return accounts


def broken_event(request: Request, error: Exception) -> Response:
    """Return a page for an event that cannot be read; its organiser reads why in the terminal, and nobody else does."""
    logging.warning("a page could not be made: %s", error)
    words = "The organiser is changing the event: try again in a minute."
    return pages.render(request, "error.html.j2", HTTPStatus.SERVICE_UNAVAILABLE, title="Not now", words=words)


def _signed_in(request: Request) -> tuple[Account, Accounts]:
    return people.signed_in(request), accounts_of(request)


def own_bots(accounts: Accounts, account: Account) -> dict[str, list[dict[str, Any]]]:
    """Return an author's bots: of each its versions, the newest first, with the matches that each has played."""
    store = organising.bot_store(accounts)
    played: dict[tuple[str, str], int] = {}
    folder = event_folder(accounts.workspace)
    if folder is not None:
        try:
            with Archive.open(folder) as archive:
                played = {(span.bot, span.digest): span.matches for span in archive.spans()}
        except NoResultsError:
            pass

    def row(name: str, version: Version, playing: set[str]) -> dict[str, Any]:
        return {
            "number": version.number,
            "digest": version.digest[:6],
            "submitted": version.note.submitted,
            "plays": version.digest in playing,
            "remote": version.note.mark == uploads.remote_mark(account),
            "matches": played.get((name, version.digest), 0),
        }

    own = {}
    for name, versions in uploads.own_bots(store, account).items():
        playing = {discovery.from_path(path, name).digest for path in store.playing(name)}
        own[name] = [row(name, version, playing) for version in reversed(versions)]
    return own


def versions_of(own: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the versions of an author's bots that are on this machine, as commands name them."""
    return [f"{name}@{row['number']}" for name, rows in own.items() for row in rows if not row["remote"]]


def opponents(accounts: Accounts) -> list[str]:
    """Return the bots that a request may name: those that are on this machine."""
    entrants = tournament_of(accounts).entrants(accounts.workspace)
    return [bot.name for bot in entrants if not bot.remote]


def as_it_plays(accounts: Accounts, bot: str) -> str:
    """Return a bot of the event with its version, so that no path of this name is meant, and no newer version."""
    submitted = organising.bot_store(accounts).versions(bot)
    if not submitted:
        return bot
    (playing,) = (each for each in tournament_of(accounts).entrants(accounts.workspace) if each.name == bot)
    number = next((each.number for each in submitted if each.digest == playing.digest), None)
    return bot if number is None else f"{bot}@{number}"


def tournament_of(accounts: Accounts) -> Tournament:
    """Return the event as its file has it now; ArenaError while its organiser makes a mistake there."""
    return config.load(accounts.workspace / "tournament.toml")


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
                "board": lesson.label,
                "role": lesson.role,
                "turn": lesson.turn,
                "verdict": lesson.verdict,
                "played": clean(lesson.played),
                "good": ", ".join(map(clean, lesson.good)),
                "then": lesson.refutation_text(bot_pages.REFUTING_TURNS),
            }
            for lesson in lessons
        ],
    }


def _records(folder: Path, own: frozenset[str]) -> bytes:
    """Return the newest matches of these bots as texts in a zip."""
    author = Author(name="", bots=own, file="", hidden_paths=hidden_paths(folder))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        try:
            with Archive.open(folder) as archive:
                event, numbers = archive.event(), archive.numbers()
                names = {bot.name: bot.name for bot in event.bots}
                newest = sorted(author.own(archive.played()), key=lambda match: -numbers.get(match.id, 0))
                for match in newest[:MOST_RECORDS]:
                    record = author.portable(archive.record(match.id), names)
                    packed.writestr(f"{match.id}.txt", notation.text_of(record, event.name))
        except NoResultsError:
            pass
    return content.getvalue()


def _asked(accounts: Accounts, account: Account, fields: Mapping[str, str]) -> str:
    """Note a request, and return its id; ArenaError for what nobody may ask."""
    versions, tournament = versions_of(own_bots(accounts, account)), tournament_of(accounts)
    first, second, board = fields.get("first", ""), fields.get("second", ""), fields.get("board", "")
    if first not in versions:
        raise ArenaError("choose a version of a bot of yours")
    if second not in versions:
        if second not in opponents(accounts):
            raise ArenaError("choose an opponent that plays in this event")
        second = as_it_plays(accounts, second)
    if first == second:
        raise ArenaError("choose two different versions")
    if board not in {"", *tournament.boards}:
        raise ArenaError("choose a board of this event")
    pairings = fields.get("pairings", "1")
    if not (pairings.isascii() and pairings.isdecimal() and len(pairings) < 6 and 0 < int(pairings) <= MOST_PAIRINGS):
        raise ArenaError(f"choose a number of pairings from 1 to {MOST_PAIRINGS}")
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
