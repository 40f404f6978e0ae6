"""The files and folders of a workspace, and the event folder that a command line names."""

from pathlib import Path

from arena import toml, whole_files
from arena.cli import output
from arena.errors import ArenaError, writing

# Commands use these from here, as they do all paths.
from arena.results.folders import BUILDS as BUILDS
from arena.results.folders import EVENT_FILE as EVENT_FILE
from arena.results.folders import SAMPLED_BOARDS as SAMPLED_BOARDS
from arena.results.folders import TOURNAMENT_FILE as TOURNAMENT_FILE
from arena.results.folders import results_folder as results_folder


def tournament_file(path: Path | None) -> Path:
    """Return the tournament.toml that `path` names: a file, or a folder with it; None = here."""
    path = path or Path(TOURNAMENT_FILE)
    if path.is_dir():
        return path / TOURNAMENT_FILE
    return path


def event_folder(event: str | None) -> Path:
    """Return the results folder of an event: a name under results/, a path, a tournament.toml.

    None means the event of the tournament.toml here, or the only event under results/.
    """
    if event is None:
        if Path(TOURNAMENT_FILE).is_file():
            folder = results_folder(Path(), _name_in(Path(TOURNAMENT_FILE)))
            if (folder / EVENT_FILE).is_file():
                return folder
        events = _events()
        if not events:
            raise ArenaError(f"results: nothing was played here yet; {_hint_to_play()}")
        if len(events) > 1:
            names = ", ".join(folder.name for folder in events)
            raise ArenaError(f"which event? Name one: {names}")
        return events[0]

    path = Path(event)
    has_tournament = (path / TOURNAMENT_FILE).is_file()
    is_workspace = has_tournament and not (path / EVENT_FILE).is_file()
    if path.suffix == ".toml" or is_workspace:
        file = tournament_file(path)
        folder = results_folder(file.parent, _name_in(file))
        if (folder / EVENT_FILE).is_file():
            return folder
        raise ArenaError(f"{folder}: nothing was played yet; `arena run` plays the event")

    folders = [path, results_folder(Path(), event)]
    if path.name == EVENT_FILE:
        folders.insert(1, path.parent)
    for folder in folders:
        if (folder / EVENT_FILE).is_file():
            return folder

    names = ", ".join(folder.name for folder in _events())
    hint = _hint_to_play()
    if names:
        hint = f"there are {names}"
    raise ArenaError(f"{event}: no results there; {hint}")


def _hint_to_play() -> str:
    """Return what to do in a folder without results; a folder may be no workspace."""
    if Path(TOURNAMENT_FILE).is_file():
        return f"`arena run` plays {TOURNAMENT_FILE}"
    return f"this folder is no workspace (it has no {TOURNAMENT_FILE}): `arena init DIR` makes one"


def _events() -> list[Path]:
    return sorted(file.parent for file in Path("results").glob(f"*/{EVENT_FILE}"))


def displayed(path: Path) -> str:
    """Return the path as a user would type it here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _name_in(file: Path) -> str:
    """Return the event's name, without any other key, so that a file with mistakes has results."""
    table = toml.read(file, "`arena init DIR` makes a workspace with one")
    name = table.get("name")
    if not isinstance(name, str) or not name or "/" in name:
        raise ArenaError(f"{file}: name: missing; it is the folder under results/")
    return name


def write(path: Path, text: str) -> None:
    """Write a text to a file that the user named, and say so."""
    with writing(path):
        whole_files.write(path, text.encode("utf-8"))
    output.notice(f"written: {displayed(path)}")
