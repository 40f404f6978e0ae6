"""The pages on which a person plays against a bot: choose bot, board and role, move, look back.

Every page works without scripts: a form with a button for each legal move, and a page for each
turn. The script (html/play.js) draws the board in its place. For everybody but the person who plays
it, a match does not exist (404).
"""

from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.extras.serve import pages, people, templates
from arena.extras.serve.accounts import Account
from arena.extras.serve.entrants import Entrants
from arena.extras.serve.human_matches import CLOSED_S, IDLE_S, HumanMatch, HumanMatches, Wish
from arena.extras.serve.human_process import FILE
from arena.extras.serve.streams import WAIT_S, EventStreamResponse, event
from arena.games import rulebook
from arena.report import replays
from arena.results.folders import SAMPLED_BOARDS

FORM_S = 2.5
"""How long a page without scripts waits for the bots.

When the server ends, it waits longer than that for its pages.
"""
MOST_BUTTONS = 200
"""The legal moves that have a button; a person types the others."""
MOST_LETTERS = 500
"""The most letters of a move that was sent."""
MOST_PAGES = 20
"""The pages of a match with scripts: each gets all legal moves, which may be hundreds."""

Seats = dict[str, tuple[str, tuple[str, ...]]]
"""A board with the role or the side that a person plays, by the value in the form."""


async def show_choice(request: Request, *, mistake: str = "") -> Response:
    """Show the form for a new match, with the mistake in it, if any, and the match under way."""
    account = people.signed_in(request)
    accounts = people.accounts_of(request)
    under_way = _matches(request).under_way(account)

    def bots_to_meet() -> list[str]:
        entrants = Entrants(accounts.workspace)
        return _bots(entrants, account)

    bots = await people.in_thread(request, account, bots_to_meet)
    seats = await people.in_worker(request, account, _seats, accounts.workspace)
    return pages.render(
        request,
        "play.html.j2",
        title="Play against a bot",
        mistake=mistake,
        under_way=under_way,
        bots=bots,
        chosen=request.query_params.get("bot", ""),
        seats=seats,
        limit=accounts.limit("matches"),
    )


async def begin(request: Request) -> Response:
    """Begin a match."""
    account = people.signed_in(request)
    accounts = people.accounts_of(request)
    form = await people.checked_form(request)
    seats = await people.in_worker(request, account, _seats, accounts.workspace)
    try:
        if accounts.is_on("paused") and not account.is_organiser:
            raise ArenaError("the organiser has paused all matches; try again later")
        wish = await people.in_thread(
            request,
            account,
            _wish,
            accounts.workspace,
            account,
            form,
            seats,
        )
        match = await _matches(request).begin(account, wish)
    except ArenaError as error:
        return await show_choice(request, mistake=str(error))
    await match.changed(FORM_S, 0, 0)
    return _to(match)


async def show_match(request: Request, *, mistake: str = "") -> Response:
    """Show a match: the board, the legal moves and the mistake in a move, or its end and replay."""
    match = _match(request)
    wish = match.wish
    roles = " and ".join(wish.roles)
    page = pages.render(
        request,
        "human_match.html.j2",
        title=f"{wish.board} as {roles}, against {wish.bot}",
        mistake=mistake,
        **_values(match),
    )
    return pages.with_view(page)  # for the replay


async def stream(request: Request) -> Response:
    """Send the turns, the legal moves and the end of a match to a page with scripts."""
    match = _match(request)
    account = people.person(request)
    if match.pages is not None and match.pages >= MOST_PAGES:
        raise HTTPException(429, "this match is open on too many pages: close some of them")
    return EventStreamResponse(
        request,
        _parts(request, match),
        match.open_page(),
        lambda: people.person(request) == account,
    )


async def _parts(request: Request, match: HumanMatch) -> AsyncIterator[str]:
    """Yield the news of a match, with the legal moves whenever the question is another one."""
    count = 0  # states that the page has
    question = -1  # number of the question that the page has; 0 if no question was open
    while True:
        part = match.events.since(count)
        count = match.events.count
        if match.ended:
            yield part + event("over", "{}")
            return
        open_question = 0
        if match.choices:
            open_question = match.number
        if open_question != question:
            question = open_question
            csrf = people.csrf(request)
            html = templates.render("_human_moves.html.j2", csrf=csrf, **_values(match))
            part += event("moves", replays.safe_json(html))
        yield part
        await match.events.news(WAIT_S)


async def move(request: Request) -> Response:
    """Take a move."""
    match = _match(request)
    form = await people.checked_form(request)
    text = form.get("typed") or form.get("move")
    number = form.get("number")
    before = match.events.count
    try:
        if not isinstance(text, str) or not isinstance(number, str):
            raise ArenaError("choose a move")
        if len(text) > MOST_LETTERS:
            raise ArenaError("choose a move")
        match.move(number, text)
    except ArenaError as error:
        return await show_match(request, mistake=str(error))
    if request.headers.get("x-follows"):  # it is a script, which gets the answer by its stream
        return Response(status_code=HTTPStatus.NO_CONTENT)
    count = max(before, match.events.count)
    await match.changed(FORM_S, count, int(number))
    return _to(match)


async def leave(request: Request) -> Response:
    """End a match."""
    match = _match(request)
    await people.checked_form(request)
    _matches(request).leave(match, "you left it")
    return _to(match)


async def send_replay(request: Request) -> Response:
    """Send a match that is over to the replay viewer."""
    match = _match(request)
    if not match.replay:
        raise HTTPException(404)
    return pages.fresh(request, match.replay.encode(), "application/json")


async def send_record(request: Request) -> Response:
    """Send a match that is over as a text."""
    match = _match(request)
    if not match.record:
        raise HTTPException(404)
    return pages.download(match.record, FILE, "text/plain; charset=utf-8")


def _seats(workspace: Path) -> Seats:
    """Return the roles that a person may play on the boards of the event."""
    tournament = Entrants(workspace).tournament
    seats: Seats = {}
    for name in tournament.boards:
        # One variant of a board is enough to know its roles. Variants of an event that was begun
        # are stored.
        stored = workspace / "results" / SAMPLED_BOARDS
        for board in rulebook.find(name, workspace, tournament.seed, 1, stored):
            choices: list[tuple[str, ...]] = [(role,) for role in board.roles]
            choices += [side for side in board.sides if len(side) > 1]
            for roles in choices:
                if len(roles) >= len(board.roles):
                    continue  # no role is left for a bot
                roles_in_words = " ".join(roles)
                value = f"{board.label} {roles_in_words}"
                seats[value] = (board.label, roles)
    return seats


def _wish(
    workspace: Path,
    account: Account,
    form: FormData,
    seats: Seats,
) -> Wish:
    """Return the match that a form asks for; raise ArenaError if the account may not play it."""
    entrants = Entrants(workspace)
    bot = form.get("bot")
    seat = form.get("seat")
    if not isinstance(bot, str) or bot not in _bots(entrants, account):
        raise ArenaError("choose a bot that plays in this event")
    if not isinstance(seat, str) or seat not in seats:
        raise ArenaError("choose a board of this event, and a role")
    board, roles = seats[seat]
    version = bot
    if "@" not in bot:
        version = entrants.as_it_plays(bot)
    name, _, _ = bot.partition("@")
    own_bot = account.is_organiser or name in entrants.own(account)
    return Wish(
        board=board,
        roles=roles,
        bot=version,
        own_bot=own_bot,
    )


def _bots(entrants: Entrants, account: Account) -> list[str]:
    """Return the bots that a person may play against: bots of the event, and their own versions."""
    programs = [bot.name for bot in entrants.bots if not bot.remote and not bot.model]
    return programs + entrants.own_here(account)


def _matches(request: Request) -> HumanMatches:
    """Return the matches of all people."""
    matches: HumanMatches = request.app.state.human_matches
    return matches


def _match(request: Request) -> HumanMatch:
    """Return the match in the address; raise 404 for everybody but the person who plays it."""
    id_ = request.path_params["id"]
    account = people.signed_in(request)
    match = _matches(request).find(id_, account)
    if match is None:
        raise HTTPException(404)
    return match


def _to(match: HumanMatch) -> Response:
    return RedirectResponse(f"/play/{match.id}", HTTPStatus.SEE_OTHER)


def _values(match: HumanMatch) -> dict[str, Any]:
    """Return the values for the template of the moves of a match."""
    return {
        "match": match,
        "choices": match.choices[:MOST_BUTTONS],
        "more": len(match.choices) - MOST_BUTTONS,
        "idle": round(IDLE_S / 60),
        "closed": round(CLOSED_S / 60),
    }


ROUTES = [
    Route("/play", show_choice),
    Route("/play", begin, methods=["POST"]),
    Route("/play/{id}", show_match),
    Route("/play/{id}/events", stream),
    Route("/play/{id}/move", move, methods=["POST"]),
    Route("/play/{id}/leave", leave, methods=["POST"]),
    Route("/play/{id}/replay.json", send_replay),
    Route(f"/play/{{id}}/{FILE}", send_record),
]
