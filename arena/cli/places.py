"""Where things are: the workspace, and the folder of an event that a command is asked about."""

import tomllib
from pathlib import Path

from arena.errors import ArenaError

FILE = "tournament.toml"
STORE = "event.sqlite"


def results_folder(workspace: Path, name: str) -> Path:
    """Where an event of this name keeps its results."""
    return workspace / "results" / name


def builds_folder(workspace: Path) -> Path:
    """Where a workspace keeps the bots that were built, by digest."""
    return workspace / "results" / ".builds"


def file_of(words: Path | None) -> Path:
    """The tournament.toml that is meant: a file, a folder that has one, or the one here."""
    path = words or Path(FILE)
    return path / FILE if path.is_dir() else path


def event_folder(words: str | None) -> Path:
    """The results that are meant: a name under results/, a path, a tournament.toml; None = the event here."""
    if words is None:
        return _here()
    path = Path(words)
    if path.suffix == ".toml" or ((path / FILE).is_file() and not (path / STORE).is_file()):
        file = file_of(path)
        return _played(results_folder(file.parent, _name_in(file)))
    for folder in (path, path.parent if path.name == STORE else path, results_folder(Path(), words)):
        if (folder / STORE).is_file():
            return folder
    raise ArenaError(f"{words}: no results there{_known(Path())}")


def shortest(path: Path) -> str:
    """The path as a user would type it here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _here() -> Path:
    if Path(FILE).is_file():
        folder = results_folder(Path(), _name_in(Path(FILE)))
        if (folder / STORE).is_file():
            return folder
    events = _events(Path())
    if len(events) == 1:
        return events[0]
    if events:
        raise ArenaError(f"which event?{_known(Path())}")
    raise ArenaError("results: nothing was played here yet; `arena run` plays tournament.toml")


def _played(folder: Path) -> Path:
    if (folder / STORE).is_file():
        return folder
    raise ArenaError(f"{folder}: nothing was played yet; `arena run` does")


def _events(workspace: Path) -> list[Path]:
    return sorted(store.parent for store in (workspace / "results").glob(f"*/{STORE}"))


def _known(workspace: Path) -> str:
    names = [folder.name for folder in _events(workspace)]
    return f"; there are {', '.join(names)}" if names else "; `arena run` plays an event"


def _name_in(file: Path) -> str:
    """The event's name; nothing else of the file is looked at, so that results stay readable while it is edited."""
    try:
        name = tomllib.loads(file.read_text("utf-8")).get("name")
    except FileNotFoundError as error:
        raise ArenaError(f"{file}: no such file; `arena init DIR` makes a workspace with one") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ArenaError(f"{file}: {error}") from error
    if not isinstance(name, str) or not name or "/" in name:
        raise ArenaError(f"{file}: name: missing; it is the folder under results/")
    return name
