"""The pages of an author: sign in, hand in bots, read verdicts, look at own bots, request matches.

Every page here is about the account that asks. What belongs to another account does not exist for
it (404).
"""

import asyncio
import contextlib
import io
import re
import zipfile
from dataclasses import replace
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
from arena.results.accuracy import MoveSums, by_bot
from arena.results.archive import Archive, NoResultsError
from arena.results.folders import EVENT_FILE, results_folder
from arena.results.leaderboard import Results
from arena.results.lessons import most_regretted

UPLOAD = "/upload"
PASTED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")
MOST_PAIRINGS = 200
USUAL_PAIRINGS = 20
"""What the form has at first: a round of all boards needs a pairing for each of them."""
REQUEST_BYTES = 1_000_000
"""The bytes that the matches of a request may well take on disk."""
MOST_RECORDS = 1000
"""The most matches of a download, the newest."""
MOST_LESSONS = 5
NOTHING_PRIVATE: dict[str, Any] = {
    "faults": [],
    "lessons": [],
    "is_flawless": False,
    "regret": None,
}
"""What the page of a bot has whose matches nobody looked at."""
MOST_ROWS = 20
"""The uploads and requests on a page, the newest."""
NOT_SIGNED_IN = (
    "This token is not valid. Perhaps it is mistyped, or a newer token has replaced it. Ask the "
    "organiser."
)


async def show_sign_in(request: Request) -> Response:
    """Show the form for a token."""
    return pages.render(request, "sign_in.html.j2", title="Sign in")


async def sign_in(request: Request) -> Response:
    """Begin a session for the token in the form."""
    form = await people.checked_form(request)
    token = form.get("token")
    accounts = people.accounts_of(request)
    session = None
    mistake = NOT_SIGNED_IN
    if isinstance(token, str):
        try:
            session = await asyncio.to_thread(accounts.sign_in, token.strip())
        except ArenaError as error:
            mistake = str(error)
    if session is None:
        return pages.render(
            request,
            "sign_in.html.j2",
            HTTPStatus.FORBIDDEN,
            title="Sign in",
            mistake=mistake,
        )
    response = RedirectResponse("/me", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, session, SESSION_DAYS * 24 * 3600)
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    await people.checked_form(request)
    accounts = people.accounts_of(request)
    accounts.sign_out(people.cookie_of(request))
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    people.set_session(response, request, "", 0)
    return response


async def show_account(request: Request, *, mistake: str = "") -> Response:
    """Show an author's bots, uploads and requests, and the forms, with a mistake, if any."""
    account, accounts = _signed_in(request)
    values = await people.in_thread(request, account, _account_values, accounts, account)
    versions: dict[str, list[dict[str, Any]]] = values["own"]
    folder = event_folder(accounts.workspace)
    page_data = home.Home()
    if folder is not None and versions and accounts.may_see(folder.name, account):
        names = frozenset(versions)
        page_data = await people.in_worker(request, account, home.home, folder, names)
        rated = home.with_gaps(page_data.versions, versions)
        page_data = replace(page_data, versions=rated)
    numbers: dict[str, int] = {}
    for rows in versions.values():
        for row in rows:
            numbers[row["digest"]] = row["number"]
    return pages.render(
        request,
        "account.html.j2",
        title=account.name,
        mistake=mistake,
        home=page_data,
        event=folder and folder.name,
        numbers=numbers,
        **values,
    )


def _account_values(accounts: Accounts, account: Account) -> dict[str, Any]:
    """Return what the page of an author shows."""
    entrants = Entrants(accounts.workspace)
    folder = event_folder(accounts.workspace)
    versions = _own_versions(entrants, account, folder)
    opponents: list[str] = []
    for bot in entrants.bots:
        if not bot.remote and bot.name not in versions:
            opponents.append(bot.name)
    return {
        "own": versions,
        "uploads": accounts.uploads(account, most=MOST_ROWS),
        "requests": accounts.requests(account, most=MOST_ROWS),
        "frozen": accounts.is_on("frozen"),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "versions": entrants.own_here(account),
        "opponents": opponents,
        "boards": entrants.tournament.boards,
        "most_pairings": MOST_PAIRINGS,
        "usual_pairings": USUAL_PAIRINGS,
    }


async def upload(request: Request) -> Response:
    """Take a bot: a file, an archive, the files of a folder, or a pasted program."""
    account, accounts = _signed_in(request)
    in_progress: set[str] = request.app.state.uploads_in_progress
    if account.id in in_progress:
        # Many uploads at once would fill the disk before any of them is counted.
        mistake = "another upload of yours is coming in; wait until it is here"
        return await show_account(request, mistake=mistake)
    in_progress.add(account.id)
    try:
        accounts.may_upload(account)
        form = await people.checked_form(request, files=MOST_ENTRIES + 1)
        files = _files(form)
        if not files:
            files = _pasted(form)
        id_ = await asyncio.to_thread(uploads.receive, accounts, account, files)
    except ArenaError as error:
        return await show_account(request, mistake=str(error))
    finally:
        in_progress.discard(account.id)
    return RedirectResponse(f"/me/uploads/{id_}", HTTPStatus.SEE_OTHER)


def _files(form: FormData) -> dict[str, IO[bytes]]:
    """Return the files of a form by their paths; raise ArenaError if two have the same path."""
    files: dict[str, IO[bytes]] = {}
    fields = form.getlist("file") + form.getlist("folder")
    for file in fields:
        if not isinstance(file, UploadFile) or not file.filename:
            continue
        if file.filename in files:
            name = clean(file.filename, 200)
            raise ArenaError(f"{name} is there twice; choose the files again")
        files[file.filename] = file.file
    return files


def _pasted(form: FormData) -> dict[str, IO[bytes]]:
    """Return the program that was pasted into a form, by its name; {} if there is none."""
    program = form.get("program")
    name = form.get("name")
    if not isinstance(program, str) or not program.strip():
        return {}
    if not isinstance(name, str) or not PASTED_NAME.fullmatch(name):
        raise ArenaError(
            "the program needs the name of a file, such as bot.py, which says its language"
        )
    text = program.replace("\r\n", "\n")  # a browser sends line ends so
    content = text.encode("utf-8", "surrogatepass")
    return {name: io.BytesIO(content)}


async def show_upload(request: Request) -> Response:
    """Show an upload, with the verdict if there is one."""
    account, accounts = _signed_in(request)
    id_ = request.path_params["id"]
    for upload in accounts.uploads(account, id=id_):
        return pages.render(
            request,
            "upload.html.j2",
            title=f"Upload of {clean(upload.file, 100)}",
            upload=upload,
        )
    raise HTTPException(404)


async def show_bot(request: Request) -> Response:
    """Show an author's own bot: versions, faults with the words and stderr, lessons."""
    account, accounts = _signed_in(request)
    name = request.path_params["bot"]
    folder = event_folder(accounts.workspace)

    def bots_of_account() -> dict[str, list[dict[str, Any]]]:
        entrants = Entrants(accounts.workspace)
        return _own_versions(entrants, account, folder)

    bots = await people.in_thread(request, account, bots_of_account)
    versions = bots.get(name)
    if versions is None:
        raise HTTPException(404)
    private = NOTHING_PRIVATE
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

    def names_of_account() -> frozenset[str]:
        entrants = Entrants(accounts.workspace)
        return frozenset(entrants.own(account))

    names = await people.in_thread(request, account, names_of_account)
    content = await people.in_worker(request, account, _records, folder, names)
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
    """Show a request, with how it ended if it has ended."""
    account, accounts = _signed_in(request)
    id_ = request.path_params["id"]
    for match_request in accounts.requests(account, id=id_):
        folder = results_folder(accounts.workspace, match_request.event)
        archive = folder / EVENT_FILE
        title = f"{match_request.first} and {match_request.second}"
        return pages.render(
            request,
            "request.html.j2",
            title=title,
            asked=match_request,
            is_stored=archive.is_file(),
        )
    raise HTTPException(404)


async def send_client(_request: Request) -> Response:
    """Send the program by which a bot stays on its author's machine."""
    program = Path(join.__file__).read_bytes()
    return pages.download(program, "join.py", "text/x-python")


def _signed_in(request: Request) -> tuple[Account, Accounts]:
    return people.signed_in(request), people.accounts_of(request)


def _own_versions(
    entrants: Entrants,
    account: Account,
    folder: Path | None,
) -> dict[str, list[dict[str, Any]]]:
    """Return the versions of each of an author's bots, the newest first, with their matches."""
    matches: dict[tuple[str, str], int] = {}
    if folder is not None:
        with contextlib.suppress(NoResultsError), Archive.open(folder) as archive:
            for span in archive.spans():
                matches[span.bot, span.digest] = span.matches
    bots: dict[str, list[dict[str, Any]]] = {}
    for name, versions in entrants.own(account).items():
        playing: set[str] = set()
        for path in entrants.store.playing(name):
            bot = discovery.from_path(path, name)
            playing.add(bot.digest)
        rows: list[dict[str, Any]] = []
        for version in reversed(versions):
            row = {
                "number": version.number,
                "digest": version.digest[:6],
                "submitted": version.note.submitted,
                "plays": version.digest in playing,
                "matches": matches.get((name, version.digest), 0),
            }
            rows.append(row)
        bots[name] = rows
    return bots


def _private(folder: Path, bot: str) -> dict[str, Any]:
    """Return the faults and the lessons of a bot, which are for its author only.

    Without a lesson there is the match that a search regrets most.
    """
    author = Author(
        name=bot,
        bots=frozenset({bot}),
        file=bot,
        hidden_paths=hidden_paths(folder),
    )
    try:
        with Archive.open(folder) as archive:
            results = Results(archive, rules=rulebook.game_of)
            faults_by_bot = bot_pages.faults_of(results, archive, {bot}, author)
            faults = faults_by_bot[bot]
            lessons_by_bot = results.lessons({bot}, MOST_LESSONS)
            lessons = lessons_by_bot.get(bot, ())
            sums_by_bot = by_bot(results.accuracy_sums)
            sums = sums_by_bot.get(bot, MoveSums())
            is_flawless = sums.moves > 0 and sums.lost == 0
            regret = None
            if not lessons:
                regret = most_regretted([archive], bot, rulebook.game_of)
    except NoResultsError:
        return NOTHING_PRIVATE

    rows = []
    for lesson in lessons:
        row = {
            "match": lesson.record.match.id,
            "label": lesson.label,
            "role": lesson.role,
            "turn": lesson.turn,
            "verdict": lesson.verdict,
            "played": lesson.played,
            "good": lesson.good,
            "then": lesson.refutation_text(bot_pages.REFUTING_TURNS),
        }
        rows.append(row)
    return {
        "faults": faults,
        "lessons": rows,
        "is_flawless": is_flawless,
        "regret": regret,
    }


def _records(folder: Path, bots: frozenset[str]) -> bytes:
    """Return the newest matches of these bots as texts in a zip."""
    author = Author(
        name="",
        bots=bots,
        file="",
        hidden_paths=hidden_paths(folder),
    )
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed,
        contextlib.suppress(NoResultsError),
        Archive.open(folder) as archive,
    ):
        event = archive.event()
        numbers = archive.numbers()
        names = {bot.name: bot.name for bot in event.bots}
        played = archive.played()
        matches = list(author.own(played))
        matches.sort(key=lambda match: -numbers.get(match.id, 0))
        for match in matches[:MOST_RECORDS]:
            record = archive.record(match.id)
            portable = author.portable(record, names)
            text = notation.text_of(portable, event.name)
            packed.writestr(f"{match.id}.txt", text)
    return content.getvalue()


def _asked(accounts: Accounts, account: Account, form: FormData) -> str:
    """Note a request, and return its id; raise ArenaError if the account may not request that."""
    entrants = Entrants(accounts.workspace)
    versions = entrants.own_here(account)
    first = str(form.get("first", ""))
    second = str(form.get("second", ""))
    board = str(form.get("board", ""))
    pairings = str(form.get("pairings", ""))
    if first not in versions:
        raise ArenaError("choose a version of a bot of yours")
    if second not in versions:
        opponents = {bot.name for bot in entrants.bots if not bot.remote}
        if second not in opponents:
            raise ArenaError("choose an opponent that plays in this event")
        second = entrants.as_it_plays(second)
    if first == second:
        raise ArenaError("choose two different versions")
    if board and board not in entrants.tournament.boards:
        raise ArenaError("choose a board of this event")
    is_number = pairings.isascii() and pairings.isdecimal() and len(pairings) < 6
    if not is_number or not 0 < int(pairings) <= MOST_PAIRINGS:
        raise ArenaError(f"choose a number of pairings from 1 to {MOST_PAIRINGS}")
    disk = Disk(accounts, account)
    disk.make_room(REQUEST_BYTES)
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
