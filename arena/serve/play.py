"""The pages on which a person plays against a bot: choose a bot, a board and a role; move; look back.

Every page works without scripts: a form with a button for each legal move, and a page for each turn. The script
(html/play.js) draws the board in its place. A match is answered as what does not exist to everybody but its person.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.games import rulebook
from arena.report import replays
from arena.serve import author, organising, pages, people, templates, uploads
from arena.serve.accounts import Account, Accounts
from arena.serve.human_matches import CLOSED_S, IDLE_S, HumanMatch, HumanMatches, Wish
from arena.serve.human_process import FILE

WAIT_S = 2.5
"""A page waits so long for the bots, and asks again then; less than the server waits for pages when it ends."""
LOOK_AGAIN_S = 2
"""Seconds until a page without scripts asks again."""
MOST_BUTTONS = 200
"""Of more legal moves the others are typed."""
MOST_LETTERS = 500
"""Of a move that was sent."""


@dataclass(frozen=True)
class Seats:
    """The roles that a person may take on a board."""

    board: str
    roles: tuple[tuple[str, ...], ...]
    """One role each, or all roles of a side."""


async def show_choice(request: Request) -> Response:
    """Show the form for a new match, and the match that is under way."""
    return await choice_page(request)


async def choice_page(request: Request, mistake: str = "") -> Response:
    """Return the page for a new match, with a mistake of its form if there was one."""
    account, accounts = people.signed_in(request), author.accounts_of(request)
    return pages.render(
        request,
        "play.html.j2",
        HTTPStatus.BAD_REQUEST if mistake else HTTPStatus.OK,
        title="Play against a bot",
        mistake=mistake,
        under_way=_matches(request).under_way(account),
        bots=await asyncio.to_thread(_bots, accounts, account),
        chosen=request.query_params.get("bot", ""),
        boards=await asyncio.to_thread(_seats, accounts),
        limit=accounts.limit("matches"),
    )


async def begin(request: Request) -> Response:
    """Begin a match."""
    account, accounts = people.signed_in(request), author.accounts_of(request)
    form = await people.checked_form(request)
    seats = {
        f"{each.board} {' '.join(roles)}": (each.board, roles)
        for each in await asyncio.to_thread(_seats, accounts)
        for roles in each.roles
    }
    bot, seat = form.get("bot"), form.get("seat")
    try:
        if accounts.is_on("paused") and not account.is_organiser:
            raise ArenaError("the organiser has paused all matches; try again later")
        if not isinstance(bot, str) or bot not in await asyncio.to_thread(_bots, accounts, account):
            raise ArenaError("choose a bot that plays in this event")
        if not isinstance(seat, str) or seat not in seats:
            raise ArenaError("choose a board of this event, and a role")
        wish = await asyncio.to_thread(_wish, accounts, account, bot, *seats[seat])
        match = await _matches(request).begin(account, wish)
    except ArenaError as error:
        return await choice_page(request, str(error))
    await match.changed(WAIT_S, 0, 0)
    return _to(match)


async def show_match(request: Request) -> Response:
    """Show a match: the board and the legal moves, or how it ended with its replay."""
    return match_page(request, _match(request))


def match_page(request: Request, match: HumanMatch, mistake: str = "") -> Response:
    """Return the page of a match, with what was wrong with a move."""
    status = HTTPStatus.BAD_REQUEST if mistake else HTTPStatus.OK
    page = pages.render(
        request,
        "human_match.html.j2",
        status,
        title=f"{match.wish.board} as {' and '.join(match.wish.roles)}, against {match.wish.bot}",
        again=LOOK_AGAIN_S,
        **_values(match, mistake),
    )
    return pages.with_view(page)  # of its replay


async def follow(request: Request) -> Response:
    """Return what a page with scripts does not have yet, as soon as there is something: turns, the moves, the end."""
    match = _match(request)
    match.followed = True
    count, number = _number(request, "count"), _number(request, "number")
    if not await match.changed(WAIT_S, count, number):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    values = {"csrf": people.csrf(request), **_values(match)}
    new = max(0, match.count - count) if count <= match.count else match.count
    text = ",".join(
        (
            f'"head":{match.head if match.head and not count else "null"}',
            f'"turns":[{",".join(list(match.turns)[-new:] if new else ())}]',
            f'"count":{match.count}',
            f'"number":{match.number if match.choices else 0}',
            f'"over":{"true" if match.ended else "false"}',
            f'"html":{replays.safe_json(templates.render("_human_moves.html.j2", **values))}',
        )
    )
    return Response(f"{{{text}}}", media_type="application/json")


async def move(request: Request) -> Response:
    """Take a move."""
    match = _match(request)
    form = await people.checked_form(request)
    text, number = form.get("typed") or form.get("move"), form.get("number")
    before = match.count
    try:
        if (
            not isinstance(text, str)
            or not isinstance(number, str)
            or len(text) > MOST_LETTERS
            or not _is_number(number)
        ):
            raise ArenaError("choose a move")
        match.move(int(number), text)
    except ArenaError as error:
        return match_page(request, match, str(error))
    if request.headers.get("x-follows"):  # a script, which hears the answer by `follow`
        return Response(status_code=HTTPStatus.NO_CONTENT)
    await match.changed(WAIT_S, max(before, match.count), int(number))
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
    headers = {"content-disposition": f'attachment; filename="{FILE}"'}
    return Response(match.record, headers=headers, media_type="text/plain; charset=utf-8")


def _seats(accounts: Accounts) -> list[Seats]:
    """Return what a person may play on the boards of the event."""
    tournament, found = author.tournament_of(accounts), []
    for name in tournament.boards:
        # One variant of a board is enough to know its roles, and those of a run that was begun are stored.
        stored = accounts.workspace / "results" / ".boards"
        for board in rulebook.find(name, accounts.workspace, tournament.seed, 1, stored):
            alone = [(role,) for role in board.roles]
            sides = [side for side in board.sides if len(side) > 1]
            found.append(Seats(board.label, tuple(each for each in (*alone, *sides) if len(each) < len(board.roles))))
    return found


def _bots(accounts: Accounts, account: Account) -> list[str]:
    """Return the bots that a person may play against: those of the event, and versions of their own."""
    tournament = author.tournament_of(accounts)
    here = [bot.name for bot in tournament.entrants(accounts.workspace) if not bot.remote and not bot.model]
    return here + author.versions_of(author.own_bots(accounts, account))


def _wish(accounts: Accounts, account: Account, bot: str, board: str, roles: tuple[str, ...]) -> Wish:
    own = uploads.own_bots(organising.bot_store(accounts), account)
    version = bot if "@" in bot else author.as_it_plays(accounts, bot)
    own_bot = account.is_organiser or bot.partition("@")[0] in own
    return Wish(board=board, roles=roles, bot=version, own_bot=own_bot)


def _matches(request: Request) -> HumanMatches:
    matches: HumanMatches = request.app.state.human_matches
    return matches


def _match(request: Request) -> HumanMatch:
    match = _matches(request).find(request.path_params["id"], people.signed_in(request))
    if match is None:
        raise HTTPException(404)
    return match


def _to(match: HumanMatch) -> Response:
    return RedirectResponse(f"/play/{match.id}", HTTPStatus.SEE_OTHER)


def _values(match: HumanMatch, mistake: str = "") -> dict[str, Any]:
    """Return what the moves of a match are rendered from."""
    return {
        "match": match,
        "mistake": mistake,
        "choices": match.choices[:MOST_BUTTONS],
        "more": len(match.choices) - MOST_BUTTONS,
        "idle": round(IDLE_S / 60),
        "closed": round(CLOSED_S / 60),
    }


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "0")
    if not _is_number(text):
        raise HTTPException(400, f"{name}: expected a number")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


ROUTES = [
    Route("/play", show_choice),
    Route("/play", begin, methods=["POST"]),
    Route("/play/{id}", show_match),
    Route("/play/{id}/data.json", follow),
    Route("/play/{id}/move", move, methods=["POST"]),
    Route("/play/{id}/leave", leave, methods=["POST"]),
    Route("/play/{id}/replay.json", send_replay),
    Route(f"/play/{{id}}/{FILE}", send_record),
]
