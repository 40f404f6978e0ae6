"""The sections of the report: what bots asked a language model, and ratings in disguise."""

from markupsafe import Markup

from arena.extras.models import frames
from arena.report import sections
from arena.results.leaderboard import Results


def models(results: Results) -> Markup | None:
    """Return what each bot asked, and what that cost; None in an event without a language model."""
    if not frames.has_model(results):
        return None
    return sections.of_bots(
        results,
        frames.models(results),
        frames.MODELS,
        name="models",
        title="Language model",
        caption="What each bot asked of the language model",
    )


def disguise(results: Results) -> Markup | None:
    """Return the ratings of boards as they are and in disguise; None without such boards."""
    if not frames.is_disguised(results):
        return None
    return sections.of_bots(
        results,
        frames.disguise(results),
        frames.DISGUISE.rated_in(results.unit),
        name="disguise",
        title="In disguise",
        caption="Ratings on boards as they are, and in disguise",
    )
