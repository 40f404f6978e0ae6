"""`arena import`: an archive of results from elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths
from arena.cli.making import making_archive
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError, FileError, writing
from arena.event.discovery import may_be_called
from arena.extras.imports import pgn, sgf, table
from arena.extras.imports.outside import FilePosition, OutsideMatch, board_name
from arena.extras.imports.storing import Importer, before_in
from arena.results.archive import Archive
from arena.values import Record

TABLE_ENDINGS = (".csv", ".tsv")
ENDINGS = (*TABLE_ENDINGS, ".pgn", ".sgf")
MAKING = ".importing"
GAME = "imported"
BOARD = "standard"


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Files of results: CSV, or tags and games as PGN or SGF."
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(help="The archive is results/NAME; default: the name of the first file."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game of these matches, unless a column names it."),
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(
            "--board",
            "-b",
            metavar="BOARD",
            help="The board of these matches, unless a column names it.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Make an archive of results from elsewhere, for leaderboards, ratings, charts and the report.

    An archive that is there gets the new matches. It has no moves, so there is nothing to replay. A
    match that is there already is not added again.
    """
    if name is None:
        name = files[0].stem
    chosen = _checked(name)
    command_line = FilePosition(Path("command line"), 1)
    if game:
        game = board_name(game, command_line, "--game")
    if board:
        board = board_name(board, command_line, "--board")
    reading = _Reading(game or None, board or None)
    for path in files:
        reading.reader_of(path)
    folder = paths.results_folder(Path(), chosen)
    with writing(folder):
        if (folder / paths.EVENT_FILE).exists():
            read, new, stored = _add(folder, chosen, files, reading)
        else:
            if folder.exists() and any(folder.iterdir()):
                raise ArenaError(
                    f"{folder}: is there already, without an archive; choose another --name"
                )
            with making_archive(folder, MAKING) as making:
                read, new, stored = _add(making, chosen, files, reading)
                whole_files.publish(making, folder)
    for note in reading.notes():
        output.notice(note)

    row = {
        "folder": str(folder),
        "read": read,
        "new": new,
        "matches": stored,
        "left_out": reading.left_out,
    }
    added = f"{output.counted(new, 'match')} added"
    if read > new:
        added += f", and {read - new} were there already"
    sentence = f"{paths.displayed(folder)}: {added}; it has {output.counted(stored, 'match')}"
    output.print_result([row], sentence, json=json)
    if not json:
        output.notice(f"next: arena report {chosen}, arena leaderboard {chosen}")


class _Reading:
    """Reads files by their kind, and counts what they have that no archive needs."""

    def __init__(self, game: str | None, board: str | None) -> None:
        self._game = game
        self._board = board
        self._unread: list[str] = []
        self.left_out = 0
        """The number of games without a result or a player."""

    def reader_of(self, path: Path) -> Callable[[], Iterator[OutsideMatch]]:
        """Return what reads a file; ArenaError for a kind of file that nobody reads."""
        ending = path.suffix.lower()
        if ending in TABLE_ENDINGS:
            return partial(self._table, path)
        if ending == ".pgn":
            return partial(self._pgn, path)
        if ending == ".sgf":
            return partial(self._sgf, path)
        raise FileError(path, f"its name must end in {', '.join(ENDINGS)}")

    def _table(self, path: Path) -> Iterator[OutsideMatch]:
        return table.read(path, self._game or GAME, self._board or BOARD, self._unread)

    def _pgn(self, path: Path) -> Iterator[OutsideMatch]:
        games = pgn.read(path, self._game or pgn.GAME, self._board)
        return self._finished(games)

    def _sgf(self, path: Path) -> Iterator[OutsideMatch]:
        games = sgf.read(path, self._game, self._board)
        return self._finished(games)

    def _finished(self, games: Iterator[OutsideMatch | None]) -> Iterator[OutsideMatch]:
        """Yield the games that have a result and players, and count the others."""
        for game in games:
            if game is None:
                self.left_out += 1
            else:
                yield game

    def notes(self) -> Iterator[str]:
        """Yield what the user should know of what was left out."""
        if self._unread:
            columns = dict.fromkeys(self._unread)
            names = [output.safe_line(column, 40) for column in columns]
            yield f"columns that are not read: {', '.join(names)}"
        if self.left_out:
            games = output.counted(self.left_out, "game")
            yield f"left out, without a result or the name of a player: {games}"


def _add(
    folder: Path,
    name: str,
    files: Sequence[Path],
    reading: _Reading,
) -> tuple[int, int, int]:
    """Add the matches of files to the archive in a folder, all or none.

    Return how many were read, how many of them are new, and how many the archive has.
    """
    with Archive.open(folder, writing=True) as archive:
        importer = Importer(archive, before_in(archive), name)

        def records() -> Iterator[Record]:
            with ProgressLine("import: reading", begins=True):
                for path in files:
                    before = importer.matches
                    reader = reading.reader_of(path)
                    yield from importer.records(reader())
                    if importer.matches == before and not reading.left_out:
                        raise FileError(path, "has no match")

        new = archive.add_imported(records(), importer.event)
        stored = archive.of_all_versions().count()
        return importer.matches, new, stored


def _checked(name: str) -> str:
    """Return the name of an archive; ArenaError for one that is no name of a folder."""
    if not may_be_called(name):
        raise ArenaError(
            f"--name {output.safe_line(name)}: choose a name for the folder under results/, of "
            "letters, digits, "
            "or any of ._-"
        )
    return name
