"""The pages of an event: leaderboard, crosstable, charts, matches, bots, versions and progress.

An event that its reader may not see (people.py) is answered as one that does not exist.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena import shared_folders
from arena.errors import ArenaError
from arena.extras.serve import jobs, pages, people
from arena.extras.serve.accounts import Account
from arena.extras.serve.actions import MOST_WELCOME
from arena.extras.serve.entrants import Entrants
from arena.extras.serve.frames import Frames
from arena.extras.serve.worker import JobError
from arena.protocol import clean
from arena.results.folders import EVENT_FILE

PAGE = 50
"""The matches of a page."""
MOST_EVENTS = 100
"""The events on the front page, the newest."""
CHART_BYTES = 5_000_000
POLL_S = 3
"""The time between two questions of an open page while an event is played."""
IDLE_POLL_S = 20
"""The time between two questions of an open page otherwise."""
CHART_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
PRIVATE_CHARTS = {"metrics"}
"""Charts that show what bots wrote in their remarks."""


def frames(request: Request) -> Frames:
    """Return the tables and pages of all events."""
    frames: Frames = request.app.state.frames
    return frames


def events(request: Request, account: Account | None) -> list[str]:
    """Return the events that somebody may see, the newest first.

    Each request of an author is an event, too.
    """
    results = frames(request).results
    if not results.is_dir():
        return []
    names = os.listdir(results)  # noqa: PTH208 (names alone)
    accounts = people.accounts_of(request)
    files: list[Path] = []
    for name in accounts.seen(names, account):
        file = results / name / EVENT_FILE
        if file.is_file():
            files.append(file)
    files.sort(key=lambda file: -file.stat().st_mtime)
    return [file.parent.name for file in files]


def event_of(request: Request) -> str:
    """Return the event in the address; raise 404 if it does not exist for this reader."""
    name: str = request.path_params["event"]
    if name in {".", ".."}:  # a name from an address has no slash
        raise HTTPException(404)
    file = frames(request).results / name / EVENT_FILE
    if not os.path.isfile(file):  # noqa: PTH113 (of any name)
        raise HTTPException(404)
    if not people.sees(request, name):
        raise HTTPException(404)
    return name


async def _own_bots(request: Request) -> frozenset[str] | None:
    """Return the bots whose words the reader may read; None means all bots."""
    account = people.person(request)
    if account is None:
        return frozenset()
    if account.is_organiser:
        return None
    workspace = people.accounts_of(request).workspace
    try:
        return await people.in_thread(request, account, _bots_of, workspace, account)
    except ArenaError:  # the organiser edits tournament.toml
        return frozenset()


def _bots_of(workspace: Path, account: Account) -> frozenset[str]:
    """Return the names of an author's bots."""
    return frozenset(Entrants(workspace).own(account))


async def event_page(
    request: Request,
    template: str,
    *,
    tab: str,
    **values: Any,
) -> Response:
    """Return a page of an event with its head."""
    event = event_of(request)
    overview = await frames(request).match(event, jobs.overview)
    running = frames(request).state(event) is not None
    title: object = values.pop("title", overview["name"])
    card = values.pop("card", "/card.png")
    site = f"{request.url.scheme}://{request.url.netloc}"
    poll = IDLE_POLL_S
    if running:
        poll = POLL_S
    return pages.render(
        request,
        template,
        200,
        event=event,
        tab=tab,
        overview=overview,
        running=running,
        poll=poll,
        title=title,
        picture=f"{site}{_path(event)}{card}",
        **values,
    )


def _path(event: str, *parts: str) -> str:
    """Return the address of a page of an event."""
    return pages.quoted("events", event, *parts)


def _bot_path(event: str) -> str:
    """Return the address of the page of a bot, up to its name."""
    return _path(event, "bot") + "?name="


async def _front(request: Request) -> jobs.Front:
    """Return the leaderboard of the event in the address."""
    event = event_of(request)
    return await frames(request).table(event, jobs.front, _bot_path(event))


async def leaderboard(request: Request) -> Response:
    """Show the leaderboard."""
    tables = await _front(request)
    return await event_page(
        request,
        "leaderboard.html.j2",
        tab="leaderboard",
        html=tables.html,
    )


async def leaderboard_part(request: Request) -> Response:
    """Return the tables of the leaderboard alone, for a page that is open."""
    tables = await _front(request)
    return pages.fresh(request, tables.html.encode())


async def picture(request: Request) -> Response:
    """Return the picture of an event, or of a match, that the preview of a link to it shows."""
    match = ""
    if "match" in request.path_params:
        line = await _line(request)
        match = line.id
    event = event_of(request)
    content = await frames(request).picture(event, jobs.picture, match)
    return pages.fresh(request, content, "image/png")


async def crosstable(request: Request) -> Response:
    """Show the crosstables."""
    event = event_of(request)
    bot_path = _bot_path(event)
    matches_path = _path(event, "matches")
    html = await frames(request).table(event, jobs.crosstable, bot_path, matches_path)
    return await event_page(
        request,
        "crosstable.html.j2",
        tab="crosstable",
        html=html,
    )


def _charts(request: Request, event: str) -> list[Path]:
    """Return the files of the charts that the reader may see."""
    account = people.person(request)
    is_organiser = account is not None and account.is_organiser
    folder = frames(request).results / event / "charts"
    visible: list[Path] = []
    for file in folder.glob("*"):
        if file.suffix not in CHART_TYPES:
            continue
        if is_organiser or file.stem not in PRIVATE_CHARTS:
            visible.append(file)
    return visible


async def charts(request: Request) -> Response:
    """Show the charts that were drawn last."""
    event = event_of(request)
    names: list[str] = []
    for file in _charts(request, event):
        if file.suffix == ".svg":
            names.append(file.stem)
    names.sort(key=lambda name: (name != "leaderboard", name))
    captions = await frames(request).match(event, jobs.captions, tuple(names))
    pictures = zip(names, captions, strict=True)
    return await event_page(
        request,
        "charts.html.j2",
        tab="charts",
        pictures=list(pictures),
    )


async def chart(request: Request) -> Response:
    """Return the drawing of a chart."""
    event = event_of(request)
    name = request.path_params["name"]
    for file in _charts(request, event):
        if file.name != name:
            continue
        try:
            content = await asyncio.to_thread(shared_folders.read, file, CHART_BYTES)
        except OSError as error:
            raise HTTPException(404) from error
        content_type = CHART_TYPES[file.suffix]
        return pages.fresh(request, content, content_type)
    raise HTTPException(404)


def _filters(request: Request) -> dict[str, Any]:
    """Return what a list of matches is narrowed down to; raise 400 for an invalid number."""
    query = request.query_params
    filters: dict[str, Any] = {}
    for name in ("bot", "opponent", "board"):
        if query.get(name):
            filters[name] = query[name]
    # The scripts of the report write `result=fault`.
    if query.get("fault") or query.get("result") == "fault":
        filters["fault"] = True
    before = query.get("before")
    if before:
        is_number = before.isascii() and before.isdigit()
        if not is_number or len(before) >= 16:
            raise HTTPException(400, "before: expected a number")
        filters["before"] = int(before)
    return filters


async def matches(request: Request) -> Response:
    """Show a page of matches, newest first."""
    event = event_of(request)
    filters = _filters(request)
    chosen = sorted(filters.items())
    listed = await frames(request).match(event, jobs.matches, PAGE + 1, tuple(chosen))
    more = None
    if len(listed.lines) > PAGE:
        last = listed.lines[PAGE - 1]
        more = pages.query(filters | {"before": last.number})
    return await event_page(
        request,
        "matches.html.j2",
        tab="matches",
        lines=listed.lines[:PAGE],
        count=listed.total,
        boards=listed.boards,
        bots=listed.bots,
        chosen=filters,
        more=more,
    )


async def _line(request: Request) -> jobs.ListedMatch:
    """Return the match in the address; raise 404 if it does not exist."""
    event = event_of(request)
    match_id = request.path_params["match"]
    line = await frames(request).match(event, jobs.match_line, match_id)
    if line is None:
        raise HTTPException(404)
    return line


async def match(request: Request) -> Response:
    """Show a match, to be replayed."""
    line = await _line(request)
    card = f"/matches/{line.id}/card.png"
    page = await event_page(
        request,
        "match.html.j2",
        tab="matches",
        line=line,
        card=card,
    )
    return pages.with_view(page)


async def match_json(request: Request) -> Response:
    """Return a match for the replay viewer."""
    event = event_of(request)
    line = await _line(request)
    tables = frames(request)
    like = await tables.match(event, jobs.like_positions, line.board)
    bots = await _own_bots(request)
    text = await tables.match(
        event,
        jobs.replay,
        line.id,
        bots,
        also=(like,),
    )
    return pages.fresh(request, text.encode(), "application/json")


async def _bot(request: Request) -> tuple[str, str, str]:
    """Return the event in the address, the name of its bot there, and the bot's display name.

    The address may have either name. Raise 404 if the event has no such bot.
    """
    event = event_of(request)
    overview = await frames(request).match(event, jobs.overview)
    names: dict[str, str] = overview["names"]
    displays = {bot: display for display, bot in names.items()}
    name = request.query_params.get("name", "")
    bot = names.get(name, name)
    if bot not in displays:
        raise HTTPException(404)
    return event, bot, displays[bot]


async def bot(request: Request) -> Response:
    """Show a bot: its figures, versions and newest matches."""
    event, name, display = await _bot(request)
    versions = await frames(request).table(event, jobs.versions)
    chosen = (("bot", name),)
    listed = await frames(request).match(event, jobs.matches, 10, chosen)
    tables = await _front(request)
    return await event_page(
        request,
        "bot.html.j2",
        tab="leaderboard",
        title=display,
        bot=name,
        figures=tables.ranks.get(display, ""),
        versions=versions.get(name, []),
        lines=listed.lines,
    )


async def bot_json(request: Request) -> Response:
    """Return a bot's page for the scripts."""
    event, name, _ = await _bot(request)
    bots = await _own_bots(request)
    texts = await frames(request).table(event, jobs.bot_pages, bots)
    if name not in texts:  # it entered just now
        raise HTTPException(404)
    content = texts[name].encode()
    return pages.fresh(request, content, "application/json")


async def version(request: Request) -> Response:
    """Show a version of a bot, and its matches."""
    event, name, display = await _bot(request)
    digest = request.path_params["digest"]
    versions = await frames(request).table(event, jobs.versions)
    for row in versions.get(name, []):
        if row["digest"] != digest:
            continue
        chosen = (("bot", name), ("digest", digest))
        listed = await frames(request).match(event, jobs.matches, PAGE, chosen)
        return await event_page(
            request,
            "version.html.j2",
            tab="leaderboard",
            title=f"{display}, version {row['version']}",
            bot=name,
            version=row,
            lines=listed.lines,
        )
    raise HTTPException(404)


async def progress(request: Request) -> Response:
    """Return how far an event is, and which matches are under way, for a page that is open."""
    event = event_of(request)
    state = frames(request).state(event)
    return pages.render(request, "_progress.html.j2", event=event, state=state)


async def front(request: Request) -> Response:
    """Show the events of the workspace, the newest first."""
    rows = []
    visible = events(request, people.person(request))
    for event in visible[:MOST_EVENTS]:
        try:
            overview = await frames(request).match(event, jobs.overview)
        except JobError:
            # The event is damaged, or written by another arena. The log has the reason.
            continue
        state = frames(request).state(event)
        rows.append((event, overview, state))
    accounts = people.accounts_of(request)
    welcome = accounts.setting("welcome", "")
    return pages.render(
        request,
        "events.html.j2",
        title="Events",
        events=rows,
        welcome=clean(welcome, MOST_WELCOME),
    )


def _route(path: str, page: Callable[[Request], Awaitable[Response]]) -> Route:
    """Return the route of a page of an event."""

    async def seen_page(request: Request) -> Response:
        response = await page(request)
        event_of(request)  # again: the event may have been hidden while the page was made
        return response

    return Route(f"/events/{{event}}{path}", seen_page)


ROUTES = [
    Route("/", front),
    _route("", leaderboard),
    _route("/leaderboard", leaderboard_part),
    _route("/card.png", picture),
    _route("/progress", progress),
    _route("/crosstable", crosstable),
    _route("/charts", charts),
    _route("/charts/{name}", chart),
    _route("/matches", matches),
    _route("/matches/{match}", match),
    _route("/matches/{match}/data.json", match_json),
    _route("/matches/{match}/card.png", picture),
    _route("/bot", bot),
    _route("/bot.json", bot_json),
    _route("/versions/{digest}", version),
]
