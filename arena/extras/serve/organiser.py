"""The page of the organiser: each of its buttons is an action of `arena serve` (actions.py)."""

import asyncio
import secrets
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena import extensions
from arena.author.submissions.bot_store import BotStore
from arena.errors import ArenaError
from arena.event.discovery import names
from arena.extras.serve import actions, pages, people, similar
from arena.extras.serve.accounts import IN_MEGABYTES, LIMITS, Accounts
from arena.extras.serve.entrants import Entrants, event_folder
from arena.extras.serve.people import accounts_of
from arena.protocol import clean
from arena.results.folders import EVENT_FILE

Result = TypeVar("Result")

MOST_ROWS = 50
"""The rows of each table of the page, the newest."""
REMEMBERED_S = 600.0
"""How long an answer to a form is remembered."""
MOST_REMEMBERED = 20
"""The most answers that are remembered."""
Sources = list[tuple[str, list[similar.Line]]]
"""The name of each program, with its lines."""
PairRow = tuple[str, str, int, int]
"""The names of two similar programs, their share in percent, and the number of passages."""
OmissionRow = tuple[str, str]
"""The versions that were not compared, and the reason."""


class Answers:
    """The last answers to forms: a form that is sent again gets its answer again, and acts once.

    A browser sends a form again when its reader loads the page again, and so does a reader whose
    connection broke: the tokens in the first answer would be lost, or void already. Answers are in
    memory only, and only for a while.
    """

    def __init__(self) -> None:
        self._answers: dict[object, tuple[float, asyncio.Task[actions.Rows]]] = {}

    async def to(self, form: object, work: Callable[[], actions.Rows]) -> actions.Rows:
        """Return the answer of `work()` to this form, which is called once.

        Raise ArenaError for a mistake, which is not remembered.
        """
        now = time.monotonic()
        recent = []
        for key, answer in self._answers.items():
            moment, _ = answer
            if now - moment < REMEMBERED_S:
                recent.append((key, answer))
        self._answers = dict(recent[-MOST_REMEMBERED:])
        if form not in self._answers:
            new_task = asyncio.create_task(asyncio.to_thread(work))
            self._answers[form] = (now, new_task)
        _, task = self._answers[form]
        try:
            return await asyncio.shield(task)  # a client that disconnects does not stop it half-way
        except Exception:
            self._answers.pop(form, None)
            raise


async def show(request: Request) -> Response:
    """Show the page."""
    people.signed_in(request, organiser=True)
    return await _page(request)


async def _page(
    request: Request,
    *,
    answer: actions.Rows | None = None,
    mistake: str = "",
) -> Response:
    """Return the page, with the answer of an action, or the mistake in its form.

    It does not check again who has signed in: an organiser who makes a new token for the own
    account has no session any more.
    """
    values = await asyncio.to_thread(_values, accounts_of(request))
    values["answer"] = answer
    values["mistake"] = mistake
    values["once"] = secrets.token_hex(16)
    return pages.render(request, "organiser.html.j2", title="Organiser", **values)


async def act(request: Request) -> Response:
    """Do the action of a form, and show its answer; only this answer shows a token."""
    person = people.signed_in(request, organiser=True)
    accounts = accounts_of(request)
    form = await people.checked_form(request)
    action = str(form.get("action", ""))
    if action == "similar":  # it has a page, and a process of its own
        return RedirectResponse("/organiser/similar", HTTPStatus.SEE_OTHER)
    text = f"{form.get('words', '')} {form.get('more', '')}"
    words = text.split()
    # A form without this value counts as another form each time.
    once = form.get("once") or secrets.token_hex(16)
    answers: Answers = request.app.state.answers
    try:
        is_roster = " ".join(words).endswith(actions.ROSTER)
        is_other_file = is_roster and words != ["people.csv"]
        if action == "invite" and is_other_file:
            raise ArenaError(
                "this page reads only people.csv; for another file type `arena serve invite FILE`"
            )
        form_id = (person.id, people.csrf(request), once, action, *words)
        answer = await answers.to(
            form_id,
            lambda: actions.act(accounts, action, words, accounts.label(person)),
        )
    except ArenaError as error:
        return await _page(request, mistake=str(error))
    return await _page(request, answer=answer)


async def show_similar(request: Request) -> Response:
    """Show the programs of different authors that share long passages."""
    pairs, omissions = await _run(request, _compared)
    return pages.render(
        request,
        "similar.html.j2",
        title="Similar programs",
        pairs=pairs,
        omissions=omissions,
    )


async def show_pair(request: Request) -> Response:
    """Show two such programs beside each other, with the passages that both have."""
    names = (request.path_params["first"], request.path_params["second"])
    evidence = await _run(request, _evidence, *names)
    if evidence is None:
        raise HTTPException(404)
    share, sources = evidence
    return pages.render(
        request,
        "pair.html.j2",
        title=" and ".join(names),
        share=share,
        sources=sources,
    )


async def send_export(request: Request) -> Response:
    """Send the programs as JPlag reads them."""
    content = await _run(request, similar.export)
    return pages.download(content, "jplag.zip", "application/zip")


async def _run(
    request: Request,
    job: Callable[..., Result],
    *values: str,
) -> Result:
    """Return the result of a job for the bots of the workspace, for an organiser."""
    account = people.signed_in(request, organiser=True)
    workspace = accounts_of(request).workspace
    entrants = await asyncio.to_thread(Entrants, workspace)
    played = await asyncio.to_thread(entrants.played)
    return await people.in_worker(
        request,
        account,
        job,
        entrants.store,
        played,
        *values,
    )


def _compared(store: BotStore, played: frozenset[str]) -> tuple[list[PairRow], list[OmissionRow]]:
    """Return the pairs of similar programs, and the programs that were not compared."""
    report = similar.compare(store, played)
    pairs = []
    for pair in report.pairs:
        first = pair.first.name
        second = pair.second.name
        percent = round(100 * pair.share)
        pairs.append((first, second, percent, pair.shared))
    omissions = []
    for omission in report.omissions:
        omissions.append((omission.programs, omission.words))
    return pairs, omissions


def _evidence(
    store: BotStore,
    played: frozenset[str],
    first: str,
    second: str,
) -> tuple[int, Sources] | None:
    """Return the share of two programs in percent, and their lines; None if they share little."""
    for pair in similar.similarities(store, played):
        if pair.first.name != first or pair.second.name != second:
            continue
        first_lines, second_lines = pair.evidence()
        sources = [(first, first_lines), (second, second_lines)]
        percent = round(100 * pair.share)
        return percent, sources
    return None


def _graded(folder: Path) -> Any:
    """Return the marks of an event; None if there are none, such as without [grade]."""
    if "classroom" not in extensions.extras():
        return None
    from arena.extras.classroom import marks

    try:
        return marks.marks_of(folder)
    except ArenaError:
        return None


def _values(accounts: Accounts) -> dict[str, Any]:
    """Return what the page shows."""
    folder = event_folder(accounts.workspace)
    graded: Any = None
    if folder is not None and (folder / EVENT_FILE).is_file():
        graded = _graded(folder)
    rule, _ = accounts.setting("rounds", ("", ""))
    welcome = accounts.setting("welcome", "")
    last_rounds = accounts.rounds(1)
    return {
        "switches": {name: accounts.is_on(name) for name in ("frozen", "paused", "hidden")},
        "meanings": {action: meaning for action, (_, _, meaning) in actions.SWITCHES.items()},
        "rule": rule,
        "welcome": clean(welcome, actions.MOST_WELCOME),
        "running": any(not last.ended for last in last_rounds),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "sizes": IN_MEGABYTES,
        "graded": graded,
        "tables": _tables(accounts, graded),
    }


def _tables(accounts: Accounts, graded: Any) -> dict[str, list[Any]]:
    """Return the rows of each table of the page; `graded` are the marks of the event, or None."""
    labels = accounts.labels()
    rounds = []
    for played in accounts.rounds(10):
        number = str(played.number)
        rounds.append((number, played.begun, played.ended, played.words))
    uploads = []
    for upload in accounts.uploads(most=MOST_ROWS):
        row = (
            labels[upload.account],
            upload.file,
            upload.received,
            upload.status,
            upload.words,
        )
        uploads.append(row)
    requests = []
    for request in accounts.requests(most=MOST_ROWS):
        author = labels[request.account]
        bots = f"{request.first} {request.second}"
        requests.append((author, bots, request.asked, request.status))
    marks: list[tuple[str, ...]] = []
    if graded is not None:
        marks = _marks(graded)
    log = actions.act(accounts, "log", (), "")
    return {
        "rounds": rounds,
        "accounts": actions.act(accounts, "accounts", (), ""),
        "uploads": uploads,
        "requests": requests,
        "marks": marks,
        "log": log[:MOST_ROWS],
    }


def _marks(graded: Any) -> list[tuple[str, ...]]:
    """Return a row for each student: name, bot, marks, highest marks, state and note."""
    keys = [row.key for row in graded.students]
    students = names.unambiguous(keys)
    rows: list[tuple[str, ...]] = []
    for student, row in zip(students, graded.students, strict=True):
        cells = (
            student,
            row.bot,
            f"{row.marks:g}",
            f"{row.out_of:g}",
            str(row.student.state),
            row.note,
        )
        rows.append(cells)
    return rows


ROUTES = [
    Route("/organiser", show),
    Route("/organiser", act, methods=["POST"]),
    Route("/organiser/similar", show_similar),
    Route("/organiser/similar/{first}/{second}", show_pair),
    Route("/organiser/jplag.zip", send_export),
]
