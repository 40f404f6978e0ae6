"""The rules of a recorded match, among those that a workspace knows."""

from contextlib import suppress
from pathlib import Path

from arena.errors import ArenaError
from arena.event import config
from arena.games import rulebook
from arena.values import Board, Match


def board_of(match: Match, file: Path) -> Board:
    """Return the board that a match was played on, from the rules that are known to a tournament.toml.

    Rules are trusted code and results may come from anybody, so the path in a record is never run. Known are the rules
    of the workspace, and rules files that its tournament.toml names by their path.
    """
    boards: tuple[str, ...] = ()
    with suppress(ArenaError):  # somebody edits it while an event runs: what needs none of its rules stays readable
        boards = config.load(file).boards if file.is_file() else ()
    named = [rulebook.path_of(name) for name in boards if ".py" in name]
    return rulebook.of_record(match, {str(path): path for path in named if path is not None})
