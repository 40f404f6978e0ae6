"""The pages of an event: leaderboard, crosstable, charts, matches, bots and their versions, and what is played now.

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

PAGE = 50  # matches of a page
CHART_BYTES = 5_000_000
POLL_S, IDLE_POLL_S = (
    3,
    20,
)  # between two questions of an open page, while an event is played, and else
CHART_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
PRIVATE_CHARTS = {"metrics"}
"""Those of what bots wrote in their remarks."""


def frames(request: Request) -> Frames:
    """Return what was computed of the events."""
    frames: Frames = request.app.state.frames
    return frames


def events(request: Request, account: Account | None) -> list[str]:
    """Return the events that somebody may see, the newest first; each request of an author is an event, too."""
    results = frames(request).results
    names = os.listdir(results) if results.is_dir() else []  # noqa: PTH208 (names alone)
    seen = people.accounts_of(request).seen(names, account)
    files = [file for name in seen if (file := results / name / "event.sqlite").is_file()]
    return [file.parent.name for file in sorted(files, key=lambda file: -file.stat().st_mtime)]


def event_of(request: Request) -> str:
    """Return the event in the address; 404 for one that is not there, or hidden from whoever asks."""
    name: str = request.path_params["event"]
    file = frames(request).results / name / "event.sqlite"  # a name from an address has no slash
    if name in {".", ".."} or not os.path.isfile(file) or not people.sees(request, name):  # noqa: PTH113 (of any name)
        raise HTTPException(404)
    return name


async def _own_bots(request: Request) -> frozenset[str] | None:
    """Return the bots whose words whoever asks may read; None for those of all."""
    account = people.person(request)
    if account is None or account.is_organiser:
        return frozenset() if account is None else None
    try:
        workspace = people.accounts_of(request).workspace
        return await people.in_thread(
            request, account, lambda: frozenset(Entrants(workspace).own(account))
        )
    except ArenaError:  # the organiser edits tournament.toml
        return frozenset()


async def event_page(request: Request, template: str, *, tab: str, **values: Any) -> Response:
    """Return a page of an event with its head."""
    event = event_of(request)
    overview = await frames(request).match(event, jobs.overview)
    running = frames(request).state(event) is not None
    title: object = values.pop("title", overview["name"])
    card = values.pop("card", "/card.png")
    return pages.render(
        request,
        template,
        200,
        event=event,
        tab=tab,
        overview=overview,
        running=running,
        poll=POLL_S if running else IDLE_POLL_S,
        title=title,
        picture=f"{request.url.scheme}://{request.url.netloc}{_path(event)}{card}",
        **values,
    )


def _path(event: str, *parts: str) -> str:
    return pages.quoted("events", event, *parts)


async def _front(request: Request) -> jobs.Front:
    event = event_of(request)
    return await frames(request).table(event, jobs.front, _path(event, "bot") + "?name=")


async def leaderboard(request: Request) -> Response:
    """Show the leaderboard."""
    html = (await _front(request)).html
    return await event_page(request, "leaderboard.html.j2", tab="leaderboard", html=html)


async def leaderboard_part(request: Request) -> Response:
    """Return the tables of the leaderboard alone, for a page that is open."""
    return pages.fresh(request, (await _front(request)).html.encode())


async def picture(request: Request) -> Response:
    """Return the picture of an event, or of a match, that the preview of a link to it shows."""
    match = (await _line(request)).id if "match" in request.path_params else ""
    content = await frames(request).picture(event_of(request), jobs.picture, match)
    return pages.fresh(request, content, "image/png")


async def crosstable(request: Request) -> Response:
    """Show the crosstables."""
    event = event_of(request)
    paths = (_path(event, "bot") + "?name=", _path(event, "matches"))
    html = await frames(request).table(event, jobs.crosstable, *paths)
    return await event_page(request, "crosstable.html.j2", tab="crosstable", html=html)


def _charts(request: Request, event: str) -> list[Path]:
    """Return the files of the charts that whoever asks may see."""
    account = people.person(request)
    hidden = PRIVATE_CHARTS if account is None or not account.is_organiser else set()
    files = (frames(request).results / event / "charts").glob("*")
    return [file for file in files if file.suffix in CHART_TYPES and file.stem not in hidden]


async def charts(request: Request) -> Response:
    """Show the charts that were drawn last."""
    event = event_of(request)
    names = [file.stem for file in _charts(request, event) if file.suffix == ".svg"]
    names.sort(key=lambda name: (name != "leaderboard", name))
    captions = await frames(request).match(event, jobs.captions, tuple(names))
    pictures = list(zip(names, captions, strict=True))
    return await event_page(request, "charts.html.j2", tab="charts", pictures=pictures)


async def chart(request: Request) -> Response:
    """Return the drawing of a chart."""
    event, name = event_of(request), request.path_params["name"]
    file = next((file for file in _charts(request, event) if file.name == name), None)
    if file is None:
        raise HTTPException(404)
    try:
        content = await asyncio.to_thread(shared_folders.read, file, CHART_BYTES)
    except OSError as error:
        raise HTTPException(404) from error
    return pages.fresh(request, content, CHART_TYPES[file.suffix])


def _chosen(request: Request) -> dict[str, Any]:
    """Return what a list of matches is narrowed down to; 400 for what is no number."""
    asked = request.query_params
    chosen: dict[str, Any] = {
        name: asked[name] for name in ("bot", "opponent", "board") if asked.get(name)
    }
    if asked.get("fault") or asked.get("result") == "fault":  # as the report's scripts link to them
        chosen["fault"] = True
    if before := asked.get("before"):
        if not (before.isascii() and before.isdigit() and len(before) < 16):
            raise HTTPException(400, "before: expected a number")
        chosen["before"] = int(before)
    return chosen


async def matches(request: Request) -> Response:
    """Show a page of matches, newest first."""
    event, chosen = event_of(request), _chosen(request)
    lines, count, boards, bots = await frames(request).match(
        event, jobs.matches, PAGE + 1, tuple(sorted(chosen.items()))
    )
    more = lines[PAGE - 1].number if len(lines) > PAGE else None
    return await event_page(
        request,
        "matches.html.j2",
        tab="matches",
        lines=lines[:PAGE],
        count=count,
        boards=boards,
        bots=bots,
        chosen=chosen,
        more=more and pages.query(chosen | {"before": more}),
    )


async def _line(request: Request) -> jobs.ListedMatch:
    """Return the match in the address; 404 for one that is not there."""
    event, wanted = event_of(request), request.path_params["match"]
    line = await frames(request).match(event, jobs.match_line, wanted)
    if line is None:
        raise HTTPException(404)
    return line


async def match(request: Request) -> Response:
    """Show a match, to be replayed."""
    line = await _line(request)
    page = await event_page(
        request, "match.html.j2", tab="matches", line=line, card=f"/matches/{line.id}/card.png"
    )
    return pages.with_view(page)


async def match_json(request: Request) -> Response:
    """Return a match for the replay viewer."""
    event, line = event_of(request), await _line(request)
    like = await frames(request).match(event, jobs.like_positions, line.board)
    text = await frames(request).match(
        event, jobs.replay, line.id, await _own_bots(request), also=(like,)
    )
    return pages.fresh(request, text.encode(), "application/json")


async def _bot(request: Request) -> tuple[str, str, str]:
    """Return the event, and the bot that the address names by its own name or the shown one: both names."""
    event, asked = event_of(request), request.query_params.get("name", "")
    names: dict[str, str] = (await frames(request).match(event, jobs.overview))["names"]
    shown = {bot: display for display, bot in names.items()}
    bot = names.get(asked, asked)
    if bot not in shown:
        raise HTTPException(404)
    return event, bot, shown[bot]


async def bot(request: Request) -> Response:
    """Show a bot: its figures, versions and newest matches."""
    event, name, shown = await _bot(request)
    versions = await frames(request).table(event, jobs.versions)
    lines, *_ = await frames(request).match(event, jobs.matches, 10, (("bot", name),))
    return await event_page(
        request,
        "bot.html.j2",
        tab="leaderboard",
        title=shown,
        bot=name,
        figures=(await _front(request)).ranks.get(shown, ""),
        versions=versions.get(name, []),
        lines=lines,
    )


async def bot_json(request: Request) -> Response:
    """Return a bot's page for the scripts."""
    event, name, _ = await _bot(request)
    texts = await frames(request).table(event, jobs.bot_pages, await _own_bots(request))
    if name not in texts:  # it entered just now
        raise HTTPException(404)
    return pages.fresh(request, texts[name].encode(), "application/json")


async def version(request: Request) -> Response:
    """Show a version of a bot, and its matches."""
    event, name, shown = await _bot(request)
    digest = request.path_params["digest"]
    versions = (await frames(request).table(event, jobs.versions)).get(name, [])
    row = next((row for row in versions if row["digest"] == digest), None)
    if row is None:
        raise HTTPException(404)
    lines, *_ = await frames(request).match(
        event, jobs.matches, PAGE, (("bot", name), ("digest", digest))
    )
    return await event_page(
        request,
        "version.html.j2",
        tab="leaderboard",
        title=f"{shown}, version {row['version']}",
        bot=name,
        version=row,
        lines=lines,
    )


async def progress(request: Request) -> Response:
    """Return how far an event is, and which matches are under way, for a page that is open."""
    event = event_of(request)
    return pages.render(
        request, "_progress.html.j2", event=event, state=frames(request).state(event)
    )


async def front(request: Request) -> Response:
    """Show the events of the workspace, the newest first."""
    rows = []
    for event in events(request, people.person(request))[:100]:
        try:
            overview = await frames(request).match(event, jobs.overview)
        except JobError:  # it is damaged, or written by another arena; why is in the log
            continue
        rows.append((event, overview, frames(request).state(event)))
    welcome = clean(people.accounts_of(request).setting("welcome", ""), MOST_WELCOME)
    return pages.render(request, "events.html.j2", title="Events", events=rows, welcome=welcome)


def _route(path: str, page: Callable[[Request], Awaitable[Response]]) -> Route:
    """Return the route of a page of an event, which is not sent if the event was hidden while the page was made."""

    async def seen_page(request: Request) -> Response:
        response = await page(request)
        event_of(request)
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
