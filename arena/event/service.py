"""Services for bots from outside of their matches, such as a language model.

Extensions bring them, and this module knows none of them: each is a `Service`, by the hook
`services` of arena/extensions.py. What stands between a seat and the referee is another hook,
`wrappers` (arena/match/seat.py).
"""

# Who needs a service, and when
# -----------------------------
# A caller that plays matches of a tournament asks for the openers of its services (`openers`)
# before it plays anything, so that a mistake in tournament.toml is found at once. A run opens the
# services with its folder, so that their files lie beside the archive, and closes them at its end.
# An opened service is any value that can be pickled. It goes to all lanes, and to the wrappers of
# each match by the name of the service. Single matches have `asking`, which keeps no files, and a
# match that is played again has `recorded`, which serves what was served then.

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from arena import extensions
from arena.values import Bot, Event, Record

if TYPE_CHECKING:
    from arena.event.config import Tournament

Opened: TypeAlias = Mapping[str, object]
"""The opened services of a match, by name."""
Opener: TypeAlias = Callable[[Path | None], AbstractContextManager[object]]
"""Opens a service, which keeps its files in the folder of an event; None = it keeps no files."""


class Service:
    """A service. A subclass overrides what differs from a service that no event needs."""

    def opener(self, tournament: "Tournament", home: Path) -> Opener | None:
        """Return its opener for this tournament.toml of a workspace; None where it is not used."""
        del tournament, home
        return None

    def asking(self, tournament: "Tournament", home: Path) -> AbstractContextManager[object] | None:
        """Return a context that opens it for single matches; None where it is not used.

        ArenaError if it could not serve one of them.
        """
        del tournament, home
        return None

    def recorded(self, record: Record) -> object | None:
        """Return a service for a match that is played again, which serves what was served then.

        None where the match was not served.
        """
        del record
        return None

    def refuse(
        self,
        event: Event,
        *,
        is_served: bool,
        elsewhere: bool,
    ) -> None:
        """Raise ArenaError for an event that cannot be played.

        `is_served` says whether the run opens this service, `elsewhere` whether it is played by
        lanes elsewhere.
        """
        del event, is_served, elsewhere

    def serves(self, bot: Bot) -> bool:
        """Return whether this bot plays with it."""
        del bot
        return False

    def who(self, tournament: "Tournament", bot: Bot) -> str:
        """Return who serves a bot here, in a line for its author."""
        del tournament, bot
        return ""

    def unasked(self, tournament: "Tournament") -> str:
        """Return why nobody can be asked here, such as a missing key; empty if somebody can."""
        del tournament
        return ""

    def trial(self, opened: object, tournament: "Tournament", bot: Bot) -> str:
        """Ask once for a bot, for real, and return what came, in a line for its author.

        `opened` is the opened service. ArenaError if nothing came.
        """
        del opened, tournament, bot
        return ""

    def sentences(
        self,
        event: Event,
        folder: Path,
        tournament: "Tournament",
    ) -> Iterator[str]:
        """Yield sentences for the organiser about what the remaining matches will cost."""
        del event, folder, tournament
        yield from ()

    def waits(self, opened: object) -> tuple[str, ...]:
        """Return for whom matches wait now, a sentence each; `opened` is the opened service."""
        del opened
        return ()

    def when_spent(self) -> str:
        """Return why a run begins no more matches when a budget of the service is used up."""
        return ""

    def matches_at_once(self, tournament: "Tournament") -> int:
        """Return how many matches at once it can serve, if they mostly wait for it; otherwise 0."""
        del tournament
        return 0

    def secret_files(self, tournament: "Tournament") -> tuple[Path, ...]:
        """Return files that nobody else may read."""
        del tournament
        return ()

    def forget_secrets(self, tournament: "Tournament") -> None:
        """Remove its secrets from this process, which plays matches and does not serve them."""
        del tournament


@cache
def known() -> Mapping[str, Service]:
    """Return all services by name."""
    return {name: extensions.load(path) for name, path in extensions.services().items()}


def openers(tournament: "Tournament", home: Path) -> dict[str, Opener]:
    """Return the openers of the services of a tournament.toml; `home` is its workspace."""
    by_name: dict[str, Opener] = {}
    for name, service in known().items():
        opener = service.opener(tournament, home)
        if opener is not None:
            by_name[name] = opener
    return by_name


def refuse(
    event: Event,
    openers: Mapping[str, Opener],
    *,
    elsewhere: bool,
) -> None:
    """Raise ArenaError for an event that cannot be played with these openers of services."""
    for name, service in known().items():
        service.refuse(event, is_served=name in openers, elsewhere=elsewhere)


def already_open(opened: object) -> Opener:
    """Return an opener for a service that is open already, and stays open."""

    def opener(folder: Path | None) -> AbstractContextManager[object]:
        del folder
        return nullcontext(opened)

    return opener


@contextmanager
def asking(tournament: "Tournament", home: Path) -> Iterator[Opened]:
    """Open the services of a tournament.toml for single matches, and close them."""
    opened: dict[str, object] = {}
    with ExitStack() as closing:
        for name, service in known().items():
            context = service.asking(tournament, home)
            if context is not None:
                opened[name] = closing.enter_context(context)
        yield opened


def recorded(record: Record) -> Opened:
    """Return the services of a match that is played again."""
    opened: dict[str, object] = {}
    for name, service in known().items():
        recorded_service = service.recorded(record)
        if recorded_service is not None:
            opened[name] = recorded_service
    return opened


def waits(opened: Opened) -> tuple[str, ...]:
    """Return for whom matches wait now, a sentence each, of all opened services."""
    sentences: list[str] = []
    for name, service in known().items():
        if name in opened:
            sentences += service.waits(opened[name])
    return tuple(sentences)


def sentences(
    event: Event,
    folder: Path,
    tournament: "Tournament",
) -> Iterator[str]:
    """Yield sentences about what the remaining matches will cost, of all services."""
    for service in known().values():
        yield from service.sentences(event, folder, tournament)
