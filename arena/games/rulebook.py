"""Finds games and boards by a name or a path.

It owns where rules are looked for, and what a query means. boards.py builds what is found.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from arena import plugins, rulefile
from arena.errors import ArenaError, known_are
from arena.game import Game
from arena.games import boards
from arena.protocol import clean
from arena.values import DISGUISED, IMPORTED, Board, Match

DEFINES_GAME = ("\ngame =", "\ngame:", "\nclass game")


def game_of(planned: Board | Match) -> Game[Any]:
    """Return the game that a board or a match was planned with, from the same rules file.

    The game is loaded once a process. Of a board with several variants it is that of the first.
    """
    path = Path(planned.rules)
    name, sampled = _variant(planned)
    if sampled:
        return boards.sampled_game(path, sampled)
    return boards.game_on(path, name)


def _variant(planned: Board | Match) -> tuple[str, str]:
    """Return the name of a board without its disguise, and the parameters of its first variant.

    Without variants the parameters are an empty text.
    """
    if isinstance(planned, Match):
        return planned.board.removesuffix(DISGUISED), planned.sampled
    first_variant = next(iter(planned.sampled), "")
    return planned.name.removesuffix(DISGUISED), first_variant


def games_of(board: Board) -> tuple[Game[Any], ...]:
    """Return the game on each variant of a board."""
    if not board.sampled:
        return (game_of(board),)
    path = Path(board.rules)
    return tuple(boards.sampled_game(path, sampled) for sampled in board.sampled)


def find(
    query: str,
    workspace: Path = Path(),
    seed: int | str = 0,
    most: int = boards.MOST_DRAWN,
    stored: Path | None = None,
) -> tuple[Board, ...]:
    """Return the boards that a query means.

    A query is a game (all of its boards), `game/board`, a board's own name, or a path. A path ends
    in `.py` and is relative to the workspace; `path/board` is a board of that file.
    `game/board:20` is a board whose table has a generator: 20 boards under one name, or `most` if
    that is less, sampled from the seed; without a number it is a single board. Boards in the
    folder `stored` are not sampled again. A game means its boards without these.
    `game/board~disguised` is that board in disguise. Only the rules that are meant are loaded, so
    a mistake in another file does no harm. Raise ArenaError for a query without a meaning, or that
    means several games.
    """
    query_name, count = _counted(query)
    if query_name.endswith(DISGUISED):
        plain_query = query.replace(DISGUISED, "")
        plain_boards = find(plain_query, workspace, seed, most, stored)
        return tuple(map(in_disguise, plain_boards))

    file, board = _path_in(query_name, workspace)
    if file is not None:
        prefix = query_name.removesuffix(f"/{board}")
        labels = [f"{prefix}/{table}" for table in boards.all_tables(file)]
    else:
        file, board, labels = _named_in(query, query_name, workspace)

    if file is None:
        return _unknown(query, labels)
    if board in boards.generators(file):
        variants = min(count or 1, most)
        return (boards.sampled_board(file, board, variants, seed, stored),)
    names = boards.names_of(file, board)
    if not names:
        return _unknown(query, labels)
    if count is not None:
        generated = [f"{file.stem}/{table}:{count}" for table in boards.generators(file)]
        hint = ""
        if generated:
            choices = " or ".join(generated)
            hint = f"; write {choices}"
        raise ArenaError(
            f"{query}: only a table with a generator has as many boards as you like{hint}"
        )
    return tuple(boards.board_of(file, name) for name in names)


def _named_in(
    query: str,
    query_name: str,
    workspace: Path,
) -> tuple[Path | None, str, list[str]]:
    """Return the rules file that a query means by a name, the board, and the labels of all boards.

    The file is None when there is no such game or board. The board is empty for a whole game.
    `query_name` is the query without its number of boards.
    """
    files = {file.stem: file for file in rules_files(workspace)}
    labels: list[str] = []
    files_with_board: list[Path] = []
    for file in files.values():
        names = _readable_names(file)
        labels += [f"{file.stem}/{name}" for name in names]
        if query_name in names:
            files_with_board.append(file)

    game, _, board = query_name.rpartition("/")
    if game in files:
        return files[game], board, labels
    if query_name in files:
        return files[query_name], "", labels
    if len(files_with_board) > 1:
        labels_of_board = [f"{file.stem}/{query}" for file in files_with_board]
        choices = " or ".join(labels_of_board)
        raise ArenaError(f"board {query!r} is a board of several games: write {choices}")
    if files_with_board:
        return files_with_board[0], query_name, labels
    return None, query_name, labels


def in_disguise(board: Board) -> Board:
    """Return a board in disguise.

    Raise ArenaError if its game has no manual, without which nobody could play it.
    """
    if not game_of(board).manual:
        raise ArenaError(
            f"{board.label}: cannot be played in disguise, because its rules have no `manual` to "
            f"explain the game by: write one in {Path(board.rules).name} "
            "(`arena docs game-authors`)"
        )
    return board.disguised


def of_record(played: Match | Board, files: Mapping[str, Path] | None = None) -> Board:
    """Return the board of a recorded match or event.

    Its rules are found by their name, never by its path. `files` are further rules files by their
    paths, of which the record's path may choose. A sampled board is in the record, so no generator
    is asked; of several variants it is the first. Raise ArenaError when there are no such rules.
    """
    if played.rules == IMPORTED:
        raise ArenaError(
            f"{clean(played.label)}: the match was imported without its moves, so there is nothing "
            "to replay, and nothing that rules could be asked"
        )
    name, sampled = _variant(played)
    if played.label.endswith(DISGUISED):
        plain: Match | Board
        if isinstance(played, Match):
            plain = replace(played, board=name)
        else:
            plain = replace(played, name=name)
        return of_record(plain, files).disguised
    # Results may come from anybody, and `find` takes a text that ends in `.py` for the path of a
    # file to run.
    for text in (played.game, name):
        if not boards.NAME.fullmatch(text) or text.endswith(".py"):
            raise ArenaError(
                f"{clean(played.label)} is no game and board: a record may name no file of rules"
            )

    trusted = {str(file): file for file in rules_files(Path())}
    if files is not None:
        trusted.update(files)
    file = trusted.get(played.rules)
    if not sampled:
        if file is not None:
            has_board = name in _readable_names(file) or rulefile.names_boards(file)
            if has_board:
                return boards.board_of(file, name)
        return find(played.label)[0]

    if file is None:
        for trusted_file in trusted.values():
            if trusted_file.stem == played.game:
                file = trusted_file
                break
    if file is None:
        raise ArenaError(
            f"there are no rules of {played.game!r} here, by which {played.label} was played"
        )
    return boards.board_of(file, name, (sampled,))


def game_of_record(match: Match, files: Mapping[str, Path] | None = None) -> Game[Any]:
    """Return the game of a recorded match; its rules are found as in `of_record`."""
    return game_of(of_record(match, files))


def path_of(query: str) -> Path | None:
    """Return the rules file that a query names by its path; None when it names none in this way."""
    name, _ = _counted(query)
    file, _ = _path_in(name, Path())
    return file


def all_boards(
    workspace: Path = Path(),
    tell: Callable[[str], object] = id,
) -> tuple[Board, ...]:
    """Return the boards of every sound game, the workspace's first.

    Of two games of the same name only the first counts. `tell` is called with the mistake of each
    game that is left out.
    """
    sound_boards: list[Board] = []
    for path in rules_files(workspace):
        try:
            names = boards.tables(path)
            sound_boards += [boards.board_of(path, name) for name in names]
        except ArenaError as error:
            tell(str(error))
    return tuple(sound_boards)


def sampled_names(workspace: Path = Path()) -> tuple[str, ...]:
    """Return `game/board` of each table with a generator, whose boards are sampled for an event."""
    labels: list[str] = []
    for file in rules_files(workspace):
        for name in _readable_names(file):
            if name in boards.generators(file):
                labels.append(f"{file.stem}/{name}")
    return tuple(labels)


def rules_files(workspace: Path = Path()) -> tuple[Path, ...]:
    """Return every rules file that can be found by its name.

    Of files with the same name the workspace's comes before the shipped one, and that before a
    plug-in's.
    """
    own_files = _files(workspace / "rules")
    shipped_files = _files(rulefile.shipped())
    all_files = chain(own_files, shipped_files, _plugins())

    by_name: dict[str, Path] = {}
    for path in all_files:
        by_name.setdefault(path.stem, path)
    return tuple(by_name.values())


def games_with_named_boards(workspace: Path = Path()) -> tuple[str, ...]:
    """Return the games whose rules make a board of any name, which `all_boards` leaves out."""
    files = rules_files(workspace)
    return tuple(file.stem for file in files if rulefile.names_boards(file))


def _readable_names(path: Path) -> tuple[str, ...]:
    """Return the names of a file's tables.

    Return `()` when the file cannot be read, so that it hides no other file.
    """
    try:
        return tuple(boards.all_tables(path))
    except ArenaError:
        return ()


def _counted(query: str) -> tuple[str, int | None]:
    """Return a query without its number of boards, and this number."""
    name, _, number = query.partition(":")
    if name == query:
        return query, None
    is_number = number.isdecimal() and number.isascii()
    if not is_number or not 1 <= int(number) <= boards.MOST_DRAWN:
        raise ArenaError(
            f"{query}: after the colon stands a number of boards to draw, 1 to {boards.MOST_DRAWN}"
        )
    return name, int(number)


def _path_in(query: str, workspace: Path) -> tuple[Path | None, str]:
    """Return the rules file that a query names by its path, and the board after it.

    The file is None when the query is no path.
    """
    if query.endswith(".py"):
        path = query
        board = ""
    else:
        path, _, board = query.rpartition("/")
    if not path.endswith(".py"):
        return None, ""
    file = (workspace / path).absolute()
    if not file.is_file():
        raise ArenaError(
            f"there is no rules file {workspace / path}; a path is relative to tournament.toml"
        )
    return file, board


def _unknown(query: str, labels: list[str]) -> tuple[Board, ...]:
    """Raise ArenaError, which says what there is, for a query without a meaning."""
    parts: set[str] = set()
    for label in labels:
        parts.update(label.rsplit("/", 1))
    known = known_are(query, labels, nearest=sorted(parts))
    raise ArenaError(f"there is no game or board {query!r}; {known}")


def _files(folder: Path) -> Iterator[Path]:
    """Yield each Python file of a folder that has its boards beside it, or that defines `game`."""
    folder = folder.absolute()
    names: set[str] = set()
    with suppress(OSError):  # most workspaces have no such folder
        names.update(os.listdir(folder))  # noqa: PTH208  # pathlib takes three times as long
    for name in sorted(names):
        path = folder / name
        if name.startswith(("_", ".")) or path.suffix != ".py":
            continue
        if not path.is_file():  # to read a pipe would wait for its writer
            continue
        if f"{path.stem}.toml" in names:
            yield path
            continue
        text = "\n" + path.read_text("utf-8", errors="replace")
        if any(line in text for line in DEFINES_GAME):
            yield path


def _plugins() -> Iterator[Path]:
    """Yield the rules files of installed packages: the modules of entry points `arena.rules`."""
    for point in plugins.points("arena.rules"):
        try:
            spec = find_spec(point.module)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None:
            raise ArenaError(
                f"plug-in {point.name}: there is no module {point.module!r}; "
                "install its package again"
            )
        yield Path(spec.origin)
