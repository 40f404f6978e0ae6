"""The page of the organiser; every button of it is an action of `arena serve`, and is in the log."""

import asyncio
import contextlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.author import marks, similar
from arena.author.submissions.bot_store import BotStore
from arena.errors import ArenaError
from arena.serve import actions, pages, people
from arena.serve.accounts import IN_MEGABYTES, LIMITS, Accounts
from arena.serve.entrants import Entrants, event_folder
from arena.serve.people import accounts_of

Result = TypeVar("Result")

SHOWN = 50
Sources = list[tuple[str, list[similar.Line]]]


async def show(request: Request, *, answer: actions.Rows | None = None, mistake: str = "") -> Response:
    """Show the page, with what an action answers, or the mistake in its form."""
    people.signed_in(request, organiser=True)
    values = await asyncio.to_thread(_values, accounts_of(request))
    return pages.render(request, "organiser.html.j2", title="Organiser", answer=answer, mistake=mistake, **values)


async def act(request: Request) -> Response:
    """Do the action of a form, and show what there is to say; a token is shown once, in this answer."""
    person, accounts = people.signed_in(request, organiser=True), accounts_of(request)
    form = await people.checked_form(request)
    if form.get("action") == "similar":  # it has a page, and a process of its own
        return RedirectResponse("/organiser/similar", HTTPStatus.SEE_OTHER)
    action, words = str(form.get("action", "")), f"{form.get('words', '')} {form.get('more', '')}".split()
    try:
        if action == "invite" and " ".join(words).endswith(actions.ROSTER) and words != ["people.csv"]:
            raise ArenaError("only people.csv is read here; `arena serve invite FILE` reads another table")
        answer = await asyncio.to_thread(actions.act, accounts, action, words, person.name)
    except ArenaError as error:
        return await show(request, mistake=str(error))
    return await show(request, answer=answer)


async def show_similar(request: Request) -> Response:
    """Show which programs of different authors share long passages."""
    return pages.render(request, "similar.html.j2", title="Similar programs", pairs=await _run(request, _pairs))


async def show_pair(request: Request) -> Response:
    """Show two such programs beside each other, with the passages that both have."""
    names = (request.path_params["first"], request.path_params["second"])
    evidence = await _run(request, _evidence, *names)
    if evidence is None:
        raise HTTPException(404)
    share, sources = evidence
    return pages.render(request, "pair.html.j2", title=" and ".join(names), share=share, sources=sources)


async def send_export(request: Request) -> Response:
    """Send the programs as JPlag reads them."""
    return pages.download(await _run(request, similar.export), "jplag.zip", "application/zip")


async def _run(request: Request, job: Callable[..., Result], *values: str) -> Result:
    """Return what a job makes of the bots of the workspace, for an organiser."""
    account = people.signed_in(request, organiser=True)
    store = await asyncio.to_thread(lambda: Entrants(accounts_of(request).workspace).store)
    return await people.in_worker(request, account, job, store, *values)


def _pairs(store: BotStore) -> list[tuple[str, str, int, int]]:
    """Return the names of similar programs, the share in percent, and the number of passages."""
    pairs = similar.similarities(store)
    return [(pair.first.name, pair.second.name, round(100 * pair.share), pair.shared) for pair in pairs]


def _evidence(store: BotStore, first: str, second: str) -> tuple[int, Sources] | None:
    """Return the share of two programs in percent, and of each its name with its lines; None if they share little."""
    for pair in similar.similarities(store):
        if (pair.first.name, pair.second.name) == (first, second):
            return round(100 * pair.share), list(zip((first, second), pair.evidence(), strict=True))
    return None


def _values(accounts: Accounts) -> dict[str, Any]:
    folder = event_folder(accounts.workspace)
    names = {account.id: account.name for account in accounts.accounts()}
    graded: Any = None
    if folder is not None and (folder / "event.sqlite").is_file():
        with contextlib.suppress(ArenaError):  # such as an event without [grade]
            graded = marks.marks_of(folder)
    return {
        "switches": {switch: accounts.is_on(switch) for switch in ("frozen", "paused", "hidden")},
        "meanings": {action: meaning for action, (_, _, meaning) in actions.SWITCHES.items()},
        "rule": accounts.setting("rounds", ("", ""))[0],
        "running": any(not each.ended for each in accounts.rounds(1)),
        "limits": {name: accounts.limit(name) for name in LIMITS},
        "sizes": IN_MEGABYTES,
        "graded": graded,
        "tables": {
            "rounds": [(str(each.number), each.begun, each.ended, each.words) for each in accounts.rounds(10)],
            "accounts": actions.act(accounts, "accounts", (), ""),
            "uploads": [
                (names[each.account], each.file, each.received, each.status, each.words)
                for each in accounts.uploads(most=SHOWN)
            ],
            "requests": [
                (names[each.account], f"{each.first} {each.second}", each.asked, each.status)
                for each in accounts.requests(most=SHOWN)
            ],
            "marks": [
                (row.student.name, row.bot, f"{row.marks:g}", f"{row.out_of:g}", str(row.student.state), row.note)
                for row in (graded.students if graded is not None else ())
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
