"""Services: who serves bots from outside of their matches, such as a language model. Extensions bring them.

It knows none of them: each is a `Service`, by the hook `services` of arena/extensions.py. What
stands between a seat and the referee is another hook, `wrappers` (arena/match/seat.py).
"""

# Who needs a service, and when ----------------------------- Whoever plays matches of a tournament
# asks for what its services are opened by (`openers`), before it plays anything: a mistake in
# tournament.toml is found at once. A run opens them with its folder, so that what they keep lies
# beside the archive, and closes them at its end. What an opened service is (any value that can be
# pickled) goes to all lanes, and to the wrappers of each match by the name of the service. Single
# matches have `asking`, which keeps nothing, and a match that is played again has `recorded`: what
# was served then.

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
"""What serves the seats of a match, by the name of the service."""
Opener: TypeAlias = Callable[[Path | None], AbstractContextManager[object]]
"""Opens a service: it keeps its files in the folder of an event; None = it keeps nothing."""


class Service:
    """A service. A subclass says what differs from one that no event needs."""

    def opener(self, tournament: "Tournament", home: Path) -> Opener | None:
        """Return what opens it for this tournament.toml of a workspace; None where it is not used."""
        del tournament, home
        return None

    def asking(self, tournament: "Tournament", home: Path) -> AbstractContextManager[object] | None:
        """Return what opens it for single matches; ArenaError if it could not serve one of them."""
        del tournament, home
        return None

    def recorded(self, record: Record) -> object | None:
        """Return what serves a match that is played again as it was served then; None = nothing."""
        del record
        return None

    def refuse(self, event: Event, *, is_served: bool, elsewhere: bool) -> None:
        """Raise ArenaError for an event that cannot be played; with lanes `elsewhere`, or without it."""
        del event, is_served, elsewhere

    def serves(self, bot: Bot) -> bool:
        """Return whether this bot plays with it."""
        del bot
        return False

    def who(self, tournament: "Tournament") -> str:
        """Return who serves a bot here, in a line for its author."""
        del tournament
        return ""

    def sentences(self, event: Event, folder: Path, tournament: "Tournament") -> Iterator[str]:
        """Yield what the matches to come will take, for whoever runs the event."""
        del event, folder, tournament
        yield from ()

    def matches_at_once(self, tournament: "Tournament") -> int:
        """Return how many matches at once it can serve, if they wait for it most of the time; 0 = not so."""
        del tournament
        return 0

    def secret_files(self, tournament: "Tournament") -> tuple[Path, ...]:
        """Return files that nobody else may read."""
        del tournament
        return ()

    def forget_secrets(self, tournament: "Tournament") -> None:
        """Remove its secrets from this process, which plays matches and serves nobody."""
        del tournament


@cache
def known() -> Mapping[str, Service]:
    """Return all services by name."""
    return {name: extensions.load(path) for name, path in extensions.services().items()}


def openers(tournament: "Tournament", home: Path) -> dict[str, Opener]:
    """Return by name what opens the services of a tournament.toml; `home` is its workspace."""
    found: dict[str, Opener] = {}
    for name, service in known().items():
        opener = service.opener(tournament, home)
        if opener is not None:
            found[name] = opener
    return found


def already_open(opened: object) -> Opener:
    """Return an opener for a service that is open, and stays so."""

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
            found = service.asking(tournament, home)
            if found is not None:
                opened[name] = closing.enter_context(found)
        yield opened


def recorded(record: Record) -> Opened:
    """Return what serves a match that is played again."""
    opened: dict[str, object] = {}
    for name, service in known().items():
        found = service.recorded(record)
        if found is not None:
            opened[name] = found
    return opened


def sentences(event: Event, folder: Path, tournament: "Tournament") -> Iterator[str]:
    """Yield what the matches to come will take of all services."""
    for service in known().values():
        yield from service.sentences(event, folder, tournament)
