"""The application: which address has which page."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

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
    settings = settings or Settings()
    accounts = Accounts(workspace)
    key = scheduler.ProviderKey(workspace)  # before any process is started

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

    routes: list[BaseRoute] = [Route("/static/{digest}/{name}", pages.asset)]
    for module in (readers, task, live, author, organiser, play, remote):
        routes.extend(module.ROUTES)
    app: Starlette = Starlette(
        routes=routes,
        lifespan=lifespan,
        # The limit of the organiser for an upload is lower; uploads.py checks it.
        middleware=[Middleware(Guard, settings, {author.UPLOAD: uploads.MOST_BODY_BYTES})],
        exception_handlers=pages.ERRORS,
    )
    app.state.settings = settings
    app.state.accounts = accounts
    app.state.threads = people.Threads()
    app.state.worker = Worker()
    app.state.hub = remote.Hub()
    app.state.human_matches = HumanMatches(accounts)
    app.state.answers = organiser.Answers()
    app.state.uploads_in_progress = set()  # the accounts whose uploads arrive now
    app.state.is_ending = lambda: False  # a server has its own
    return app
