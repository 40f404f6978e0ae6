"""A recorded match, and the rules that it was played by."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.cli import places
from arena.event import Board
from arena.game import Game
from arena.match import Match, Record


def recorded(prefix: str, event: str | None) -> Record:
    """The record of a match in an event."""
    from arena.archive import Archive

    with Archive.open(places.event_folder(event), writing=False) as archive:
        return archive.record(prefix)


def rules_of(match: Match) -> Game[Any]:
    """The game a match was played by, from the rules that are known here."""
    from arena import rulebook

    return rulebook.game_of(board_of(match))


def board_of(match: Match) -> Board:
    """The board a match was played on, from the rules that are known here.

    Rules are trusted code and results may come from anybody, so the path that stands in a record is never run as such.
    """
    from arena import rulebook

    known = {board.rules: board for board in (*rulebook.all_boards(), *_boards_by_path()) if board.name == match.board}
    return known.get(match.rules) or rulebook.find(match.label)[0]


def _boards_by_path() -> Iterator[Board]:
    """The boards of rules files that the tournament.toml here names by their path."""
    from arena import config, rulebook

    here = Path(places.FILE)
    if here.is_file():
        for words in config.load(here).boards:
            if ".py" in words:
                yield from rulebook.find(words)
