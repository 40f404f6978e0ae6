"""The application: which address has which page."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.serve import pages, people
from arena.serve.guard import Guard, Settings


def make_app(
    workspace: Path,
    settings: Settings | None = None,
    person_of: people.PersonOf = people.nobody,
    may_see: people.MaySee = people.all_see,
) -> Starlette:
    """Return the application for a workspace; `person_of` knows the sessions, `may_see` who sees which event."""
    settings = settings or Settings()
    app = Starlette(
        routes=[
            Route("/", front),
            Route("/static/{digest}/{name}", pages.asset),
        ],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers=pages.ERRORS,
    )
    app.state.workspace, app.state.settings = workspace, settings
    app.state.person_of, app.state.may_see = person_of, may_see
    return app


async def front(request: Request) -> Response:
    """Show the events of the workspace."""
    results = request.app.state.workspace / "results"
    events = sorted(file.parent.name for file in results.glob("*/event.sqlite"))
    events = [event for event in events if people.sees(request, event)]
    return pages.render(request, "events.html.j2", title="Events", events=events)
