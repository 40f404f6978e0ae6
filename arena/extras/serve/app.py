"""The application: which address has which page."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from arena.extras.serve import (
    author,
    live,
    organiser,
    pages,
    people,
    play,
    readers,
    remote,
    scheduler,
    task,
    uploads,
)
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.frames import Frames
from arena.extras.serve.guard import Guard, Settings
from arena.extras.serve.human_matches import HumanMatches
from arena.extras.serve.worker import Worker


def make_app(workspace: Path, settings: Settings | None = None) -> Starlette:
    """Return the application for a workspace."""
    settings, accounts = settings or Settings(), Accounts(workspace)
    key = scheduler.ProviderKey(workspace)  # now, before any process is started

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.frames = Frames(workspace / "results")
        app.state.live_views = live.LiveViews(app.state.frames, settings)
        try:
            async with (
                scheduler.at_work(accounts, app.state.hub, key),
                app.state.human_matches.looked_after(),
            ):
                yield
        finally:
            app.state.live_views.close()
            app.state.frames.close()
            app.state.worker.close()

    app: Starlette = Starlette(
        routes=[
            *readers.ROUTES,
            *task.ROUTES,
            *live.ROUTES,
            Route("/static/{digest}/{name}", pages.asset),
            *author.ROUTES,
            *organiser.ROUTES,
            *play.ROUTES,
            *remote.ROUTES,
        ],
        lifespan=lifespan,
        # What an author may upload is for the organiser to say, in uploads.py.
        middleware=[Middleware(Guard, settings, {author.UPLOAD: uploads.MOST_BODY_BYTES})],
        exception_handlers=pages.ERRORS,
    )
    app.state.settings, app.state.accounts, app.state.threads = settings, accounts, people.Threads()
    app.state.worker, app.state.hub, app.state.human_matches = (
        Worker(),
        remote.Hub(),
        HumanMatches(accounts),
    )
    app.state.answers = organiser.Answers()
    app.state.uploads_in_progress = set()  # accounts whose uploads arrive now
    app.state.is_ending = lambda: False  # until a server runs it
    return app
