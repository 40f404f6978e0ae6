"""The page of the organiser; every button of it is an action of `arena serve`, and is in the log."""

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

Result = TypeVar("Result")

SHOWN = 50
REMEMBERED_S, MOST_REMEMBERED = 600.0, 20  # answers to forms
Sources = list[tuple[str, list[similar.Line]]]


class Answers:
    """The last answers to forms, so that a form that is sent again shows what it did, and does nothing twice.

    A browser sends a form again when its reader loads the page again, and so does a reader whose
    connection broke: the tokens in the first answer would be lost, or void already. Answers are in
    memory only, and only for a while.
    """

    def __init__(self) -> None:
        self._answers: dict[object, tuple[float, asyncio.Task[actions.Rows]]] = {}

    async def to(self, form: object, work: Callable[[], actions.Rows]) -> actions.Rows:
        """Return what `work()` has returned for this form, or returns now; ArenaError for a mistake, each time anew."""
        now = time.monotonic()
        recent = [
            (key, kept) for key, kept in self._answers.items() if now - kept[0] < REMEMBERED_S
        ]
        self._answers = dict(recent[-MOST_REMEMBERED:])
        if form not in self._answers:
            self._answers[form] = (now, asyncio.create_task(asyncio.to_thread(work)))
        _, task = self._answers[form]
        try:
            return await asyncio.shield(task)  # whoever goes away does not stop it half-way
        except Exception:
            self._answers.pop(form, None)
            raise


async def show(request: Request) -> Response:
    """Show the page."""
    people.signed_in(request, organiser=True)
    return await _page(request)


async def _page(
    request: Request, *, answer: actions.Rows | None = None, mistake: str = ""
) -> Response:
    """Return the page, with what an action answers, or the mistake in its form.

    It asks no more who signed in: an organiser who makes a new token for the own account has no
    session any more.
    """
    values = await asyncio.to_thread(_values, accounts_of(request))
    values |= {"answer": answer, "mistake": mistake, "once": secrets.token_hex(16)}
    return pages.render(request, "organiser.html.j2", title="Organiser", **values)


async def act(request: Request) -> Response:
    """Do the action of a form, and show what there is to say; a token is shown in this answer only."""
    person, accounts = people.signed_in(request, organiser=True), accounts_of(request)
    form = await people.checked_form(request)
    if form.get("action") == "similar":  # it has a page, and a process of its own
        return RedirectResponse("/organiser/similar", HTTPStatus.SEE_OTHER)
    action, words = (
        str(form.get("action", "")),
        f"{form.get('words', '')} {form.get('more', '')}".split(),
    )
    try:
        if (
            action == "invite"
            and " ".join(words).endswith(actions.ROSTER)
            and words != ["people.csv"]
        ):
            raise ArenaError(
                "only people.csv is read here; `arena serve invite FILE` reads another table"
            )
        once = form.get("once") or secrets.token_hex(
            16
        )  # a form without it is another one each time
        answers: Answers = request.app.state.answers
        answer = await answers.to(
            (person.id, people.csrf(request), once, action, *words),
            lambda: actions.act(accounts, action, words, accounts.label(person)),
        )
    except ArenaError as error:
        return await _page(request, mistake=str(error))
    return await _page(request, answer=answer)


async def show_similar(request: Request) -> Response:
    """Show which programs of different authors share long passages."""
    pairs, omissions = await _run(request, _compared)
    return pages.render(
        request, "similar.html.j2", title="Similar programs", pairs=pairs, omissions=omissions
    )


async def show_pair(request: Request) -> Response:
    """Show two such programs beside each other, with the passages that both have."""
    names = (request.path_params["first"], request.path_params["second"])
    evidence = await _run(request, _evidence, *names)
    if evidence is None:
        raise HTTPException(404)
    share, sources = evidence
    return pages.render(
        request, "pair.html.j2", title=" and ".join(names), share=share, sources=sources
    )


async def send_export(request: Request) -> Response:
    """Send the programs as JPlag reads them."""
    return pages.download(await _run(request, similar.export), "jplag.zip", "application/zip")


async def _run(request: Request, job: Callable[..., Result], *values: str) -> Result:
    """Return what a job makes of the bots of the workspace, for an organiser."""
    account = people.signed_in(request, organiser=True)
    entrants = await asyncio.to_thread(lambda: Entrants(accounts_of(request).workspace))
    played = await asyncio.to_thread(entrants.played)
    return await people.in_worker(request, account, job, entrants.store, played, *values)


def _compared(
    store: BotStore, played: frozenset[str]
) -> tuple[list[tuple[str, str, int, int]], list[tuple[str, str]]]:
    """Return similar programs, and what was not compared.

    Of a pair: the names, the share in percent, the number of passages. Of the others: the versions,
    and why.
    """
    found = similar.compare(store, played)
    pairs = [
        (pair.first.name, pair.second.name, round(100 * pair.share), pair.shared)
        for pair in found.pairs
    ]
    return pairs, [(each.programs, each.words) for each in found.omissions]


def _evidence(
    store: BotStore, played: frozenset[str], first: str, second: str
) -> tuple[int, Sources] | None:
    """Return the share of two programs in percent, and of each its name with its lines; None if they share little."""
    for pair in similar.similarities(store, played):
        if (pair.first.name, pair.second.name) == (first, second):
            return round(100 * pair.share), list(zip((first, second), pair.evidence(), strict=True))
    return None


def _graded(folder: Path) -> Any:
    """Return the marks of an event; None without any, such as without [grade] or without the extra classroom."""
    if "classroom" not in extensions.extras():
        return None
    from arena.extras.classroom import marks

    try:
        return marks.marks_of(folder)
    except ArenaError:
        return None


def _values(accounts: Accounts) -> dict[str, Any]:
    folder = event_folder(accounts.workspace)
    labels = accounts.labels()
    graded: Any = None
    if folder is not None and (folder / "event.sqlite").is_file():
        graded = _graded(folder)
    students = names.unambiguous([row.key for row in graded.students]) if graded is not None else []
    return {
        "switches": {switch: accounts.is_on(switch) for switch in ("frozen", "paused", "hidden")},
        "meanings": {action: meaning for action, (_, _, meaning) in actions.SWITCHES.items()},
        "rule": accounts.setting("rounds", ("", ""))[0],
        "welcome": clean(accounts.setting("welcome", ""), actions.MOST_WELCOME),
        "running": any(not each.ended for each in accounts.rounds(1)),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "sizes": IN_MEGABYTES,
        "graded": graded,
        "tables": {
            "rounds": [
                (str(each.number), each.begun, each.ended, each.words)
                for each in accounts.rounds(10)
            ],
            "accounts": actions.act(accounts, "accounts", (), ""),
            "uploads": [
                (labels[each.account], each.file, each.received, each.status, each.words)
                for each in accounts.uploads(most=SHOWN)
            ],
            "requests": [
                (labels[each.account], f"{each.first} {each.second}", each.asked, each.status)
                for each in accounts.requests(most=SHOWN)
            ],
            "marks": [
                (
                    student,
                    row.bot,
                    f"{row.marks:g}",
                    f"{row.out_of:g}",
                    str(row.student.state),
                    row.note,
                )
                for student, row in zip(
                    students, graded.students if graded is not None else (), strict=True
                )
            ],
            "log": actions.act(accounts, "log", (), "")[:SHOWN],
        },
    }


ROUTES = [
    Route("/organiser", show),
    Route("/organiser", act, methods=["POST"]),
    Route("/organiser/similar", show_similar),
    Route("/organiser/similar/{first}/{second}", show_pair),
    Route("/organiser/jplag.zip", send_export),
]
