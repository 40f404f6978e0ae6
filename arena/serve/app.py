"""The application: which address has which page."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.serve import author, desk, organiser, pages, people, remote, uploads
from arena.serve.accounts import Accounts
from arena.serve.guard import Guard, Settings
from arena.serve.worker import Worker


def make_app(workspace: Path, settings: Settings | None = None) -> Starlette:
    """Return the application for a workspace."""
    settings, accounts = settings or Settings(), Accounts(workspace)
    # What an author may upload is for the organiser to say, in uploads.py.
    bodies = {author.UPLOAD: uploads.MOST_BODY_BYTES}
    settings = replace(settings, larger_bodies={**bodies, **settings.larger_bodies})
    app: Starlette = Starlette(
        routes=[
            Route("/", front),
            Route("/static/{digest}/{name}", pages.asset),
            *author.ROUTES,
            *organiser.ROUTES,
            *remote.ROUTES,
        ],
        lifespan=lambda _: desk.at_work(accounts, app.state.worker, app.state.hub),
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={**pages.ERRORS, ArenaError: author.broken_event},
    )
    app.state.workspace, app.state.settings = workspace, settings
    app.state.worker, app.state.hub = Worker(), remote.Hub()
    app.state.accounts, app.state.person_of = accounts, accounts.account_of
    app.state.may_see = partial(desk.may_see, accounts)
    return app


async def front(request: Request) -> Response:
    """Show the events of the workspace."""
    results = request.app.state.workspace / "results"
    events = sorted(file.parent.name for file in results.glob("*/event.sqlite"))
    events = [event for event in events if people.sees(request, event)]
    return pages.render(request, "events.html.j2", title="Events", events=events)
