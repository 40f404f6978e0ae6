"""Finds games and boards by a name or a path.

It owns where rules are looked for, and what a query means. boards.py builds what is found.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena import plugins, rulefile
from arena.errors import ArenaError, known_are
from arena.game import Game
from arena.games import boards
from arena.protocol import clean
from arena.values import DISGUISED, Board, Match

DEFINES_GAME = ("\ngame =", "\ngame:", "\nclass game")


def game_of(planned: Board | Match) -> Game[Any]:
    """Return the game that a board or a match was planned with, from the same rules file.

    Loaded once a process.
    Of a board with several variants it is the first.
    """
    path, (name, sampled) = Path(planned.rules), _variant(planned)
    return boards.sampled_game(path, sampled) if sampled else boards.game_on(path, name)


def _variant(planned: Board | Match) -> tuple[str, str]:
    """Return the name of a board without its disguise, and the parameters of its first variant.

    Without variants the parameters are an empty text.
    """
    if isinstance(planned, Match):
        return planned.board.removesuffix(DISGUISED), planned.sampled
    return planned.name.removesuffix(DISGUISED), next(iter(planned.sampled), "")


def games_of(board: Board) -> tuple[Game[Any], ...]:
    """Return the game on each variant of a board."""
    return tuple(boards.sampled_game(Path(board.rules), sampled) for sampled in board.sampled) or (
        game_of(board),
    )


def find(
    query: str,
    workspace: Path = Path(),
    seed: int | str = 0,
    most: int = boards.MOST_DRAWN,
    stored: Path | None = None,
) -> tuple[Board, ...]:
    """Return the boards that a query means.

    A query is a game (all of its boards), `game/board`, a board's own name, or a path. A path ends
    in `.py` and is relative to the workspace; `path/board` is one board of it. `game/board:20` is a
    board whose table has a generator: 20 boards under one name, or `most` if that is less, sampled
    from the seed; without a number it is one. Boards in the folder `stored` are not sampled again.
    A game means its boards without these. `game/board~disguised` is that board in disguise. Only
    the rules that are meant are loaded, so a mistake in another file does no harm. ArenaError when
    it means nothing, or several games.
    """
    name, count = _counted(query)
    if name.endswith(DISGUISED):
        plain = query.replace(DISGUISED, "")
        return tuple(map(in_disguise, find(plain, workspace, seed, most, stored)))
    file, board = _path_in(name, workspace)
    if file is not None:
        known = [f"{name.removesuffix(f'/{board}')}/{each}" for each in boards.all_tables(file)]
    else:
        files = {file.stem: file for file in rules_files(workspace)}
        known = [f"{file.stem}/{each}" for file in files.values() for each in _readable_names(file)]
        game, _, board = name.rpartition("/")
        if game in files:
            file = files[game]
        elif name in files:
            file, board = files[name], ""
        else:
            board = name
            having = [file for file in files.values() if name in _readable_names(file)]
            if len(having) > 1:
                labels = " or ".join(f"{file.stem}/{query}" for file in having)
                raise ArenaError(f"board {query!r} is a board of several games: write {labels}")
            file = having[0] if having else None
    if file is None:
        return _unknown(query, known)
    if board in boards.generators(file):
        return (boards.sampled_board(file, board, min(count or 1, most), seed, stored),)
    names = boards.names_of(file, board)
    if not names:
        return _unknown(query, known)
    if count is not None:
        sampled = [f"{file.stem}/{each}:{count}" for each in boards.generators(file)]
        hint = f"; write {' or '.join(sampled)}" if sampled else ""
        raise ArenaError(
            f"{query}: only a table with a generator has as many boards as you like{hint}"
        )
    return tuple(boards.board_of(file, each) for each in names)


def in_disguise(board: Board) -> Board:
    """Return a board in disguise.

    ArenaError if its game has no manual, without which nobody could play it.
    """
    if not game_of(board).manual:
        raise ArenaError(
            f"{board.label}: cannot be played in disguise, because its rules have no `manual` to "
            f"explain the game by: "
            f"write one in {Path(board.rules).name} (`arena docs models`)"
        )
    return board.disguised


def of_record(played: Match | Board, files: Mapping[str, Path] | None = None) -> Board:
    """Return the board of a recorded match or event.

    Its rules are found by their name, never by its path.     `files` are further rules files by
    their paths, of which the record's path may choose. A sampled board is in the record, so no
    generator is asked; of several variants it is the first. ArenaError when there are no such
    rules.
    """
    name, sampled = _variant(played)
    if played.label.endswith(DISGUISED):
        plain = (
            replace(played, board=name) if isinstance(played, Match) else replace(played, name=name)
        )
        return of_record(plain, files).disguised
    # Results may come from anybody, and `find` takes a text that ends in `.py` for the path of a
    # file to run.
    if any(not boards.NAME.fullmatch(text) or text.endswith(".py") for text in (played.game, name)):
        raise ArenaError(
            f"{clean(played.label)} is no game and board: a record may name no file of rules"
        )
    trusted = {str(file): file for file in rules_files(Path())} | dict(files or {})
    file = trusted.get(played.rules)
    if not sampled:
        named = file is not None and (name in _readable_names(file) or rulefile.names_boards(file))
        return boards.board_of(file, name) if file is not None and named else find(played.label)[0]
    file = file or next((each for each in trusted.values() if each.stem == played.game), None)
    if file is None:
        raise ArenaError(
            f"there are no rules of {played.game!r} here, by which {played.label} was played"
        )
    return boards.board_of(file, name, (sampled,))


def game_of_record(match: Match, files: Mapping[str, Path] | None = None) -> Game[Any]:
    """Return the game of a recorded match, from rules that are found as in `of_record`.

    ArenaError as there.
    """
    return game_of(of_record(match, files))


def path_of(query: str) -> Path | None:
    """Return the rules file that a query names by its path; None when it names none in this way."""
    return _path_in(_counted(query)[0], Path())[0]


def all_boards(workspace: Path = Path(), tell: Callable[[str], object] = id) -> tuple[Board, ...]:
    """Return the boards of every sound game, the workspace's first.

    Of two games of one name only the first counts.
    `tell` hears the mistake of each game that is left out.
    """
    found: list[Board] = []
    for path in rules_files(workspace):
        try:
            found += [boards.board_of(path, name) for name in boards.tables(path)]
        except ArenaError as error:
            tell(str(error))
    return tuple(found)


def sampled_names(workspace: Path = Path()) -> tuple[str, ...]:
    """Return `game/board` of each table with a generator, whose boards are sampled for an event."""
    return tuple(
        f"{file.stem}/{name}"
        for file in rules_files(workspace)
        for name in _readable_names(file)
        if name in boards.generators(file)
    )


def rules_files(workspace: Path = Path()) -> tuple[Path, ...]:
    """Return every rules file that can be found by its name.

    Of two of one name the workspace's, then the shipped.
    """
    by_name: dict[str, Path] = {}
    for path in (*_files(workspace / "rules"), *_files(rulefile.shipped()), *_plugins()):
        by_name.setdefault(path.stem, path)
    return tuple(by_name.values())


def games_with_named_boards(workspace: Path = Path()) -> tuple[str, ...]:
    """Return the games whose rules make a board of any name, which `all_boards` leaves out."""
    return tuple(path.stem for path in rules_files(workspace) if rulefile.names_boards(path))


def _readable_names(path: Path) -> tuple[str, ...]:
    """Return the names of a file's tables.

    None when it cannot be read, so that it hides no other file.
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
    if not (number.isdecimal() and number.isascii() and 1 <= int(number) <= boards.MOST_DRAWN):
        raise ArenaError(
            f"{query}: after the colon stands a number of boards to draw, 1 to {boards.MOST_DRAWN}"
        )
    return name, int(number)


def _path_in(query: str, workspace: Path) -> tuple[Path | None, str]:
    """Return the rules file that a query names by its path, and the board after it.

    None when it is no path.
    """
    path, board = (query, "") if query.endswith(".py") else query.rpartition("/")[::2]
    if not path.endswith(".py"):
        return None, ""
    file = (workspace / path).absolute()
    if not file.is_file():
        raise ArenaError(
            f"there is no rules file {workspace / path}; a path is relative to tournament.toml"
        )
    return file, board


def _unknown(query: str, labels: list[str]) -> tuple[Board, ...]:
    parts = {part for label in labels for part in label.rsplit("/", 1)}
    raise ArenaError(
        f"there is no game or board {query!r}; {known_are(query, labels, nearest=sorted(parts))}"
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield each Python file of a folder that has its boards beside it, or that defines `game`."""
    folder, names = folder.absolute(), set[str]()
    with suppress(OSError):  # most workspaces have no such folder
        names.update(os.listdir(folder))  # noqa: PTH208  # pathlib takes three times as long
    for name in sorted(names):
        path = folder / name
        if (
            name.startswith(("_", ".")) or path.suffix != ".py" or not path.is_file()
        ):  # a pipe would be waited for
            continue
        has_boards = f"{path.stem}.toml" in names
        text = "" if has_boards else "\n" + path.read_text("utf-8", errors="replace")
        if has_boards or any(line in text for line in DEFINES_GAME):
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
                f"plug-in {point.name}: there is no module {point.module!r}; install its "
                f"package again"
            )
        yield Path(spec.origin)
