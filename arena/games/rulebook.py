"""Finds a game by name or path, and builds it on a named board.

It owns where rules are looked for, and turns every mistake in a rules file or a board into one line. rulefile.py makes
a game of a file.
"""

import re
import traceback
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena import rulefile
from arena.errors import ArenaError, did_you_mean, known_are
from arena.game import Game
from arena.values import Board, Match, digest_of

NAME = re.compile(r"[A-Za-z0-9._-]+")
"""The name of a game or a board: one word of the protocol, and a file's name."""


def load(game: str, board: str, workspace: Path = Path()) -> Game[Any]:
    """Return the game on its board; ArenaError when there is no such game or board, or when it is not sound."""
    (only,) = find(f"{game}/{board}", workspace)
    return game_of(only)


def game_of(planned: Board | Match) -> Game[Any]:
    """Return the game that a board or a match was planned with, from the same rules file; loaded once a process."""
    name = planned.name if isinstance(planned, Board) else planned.board
    return _game(Path(planned.rules), name)


def find(query: str, workspace: Path = Path()) -> tuple[Board, ...]:
    """Return the boards that a query means: a game (all of its boards), `game/board`, a board's own name, or a path.

    A path ends in `.py` and is relative to the workspace; `path/board` is one board of it. Only the rules that are
    meant are loaded, so a mistake in another file does no harm. ArenaError when it means nothing, or several games.
    """
    path, board = _path_in(query, workspace)
    if path is not None:
        names = [name for name in _tables(path) if board in {"", name}]
        return _built(path, names) or _unknown(query, [f"{query.removesuffix(board)}{name}" for name in _tables(path)])
    files = {file.stem: file for file in _rules(workspace)}
    game, _, board = query.rpartition("/")
    if query in files or game in files:
        file = files.get(game) or files[query]
        boards = _built(file, [name for name in _tables(file) if not game or name == board])
    else:
        having = [file for file in files.values() if query in _readable_names(file)]
        if len(having) > 1:
            labels = " or ".join(f"{file.stem}/{query}" for file in having)
            raise ArenaError(f"board {query!r} is a board of several games: write {labels}")
        boards = tuple(board for file in having for board in _built(file, [query]))
    return boards or _unknown(
        query, [f"{file.stem}/{name}" for file in files.values() for name in _readable_names(file)]
    )


def all_boards(workspace: Path = Path()) -> tuple[Board, ...]:
    """Return the boards of every sound game, the workspace's first; of two games of one name only the first counts."""
    return tuple(
        board for boards in map(_boards_of, _rules(workspace)) if not isinstance(boards, str) for board in boards
    )


def unsound(workspace: Path = Path()) -> tuple[str, ...]:
    """Return a line for each game that `all_boards` leaves out, with its mistake."""
    return tuple(mistake for mistake in map(_boards_of, _rules(workspace)) if isinstance(mistake, str))


def _boards_of(path: Path) -> tuple[Board, ...] | str:
    """Return the boards of a rules file, or its mistake in one line."""
    try:
        return _built(path, _tables(path))
    except ArenaError as error:
        return str(error)


def _built(path: Path, names: Iterable[str]) -> tuple[Board, ...]:
    return tuple(_board(path, name) for name in names)


def _readable_names(path: Path) -> tuple[str, ...]:
    """Return the names of a file's boards; none when it cannot be read, so that it hides no other file."""
    try:
        return tuple(_tables(path))
    except ArenaError:
        return ()


def _path_in(query: str, workspace: Path) -> tuple[Path | None, str]:
    """Return the rules file that a query names by its path, and the board after it; None when it is no path."""
    path, board = (query, "") if query.endswith(".py") else query.rpartition("/")[::2]
    if not path.endswith(".py"):
        return None, ""
    file = (workspace / path).absolute()
    if not file.is_file():
        raise ArenaError(f"there is no rules file {workspace / path}; a path is relative to tournament.toml")
    return file, board


def _unknown(query: str, labels: list[str]) -> tuple[Board, ...]:
    parts = {part for label in labels for part in label.rsplit("/", 1)}
    raise ArenaError(f"there is no game or board {query!r}; {known_are(query, labels, nearest=sorted(parts))}")


def _rules(workspace: Path) -> tuple[Path, ...]:
    """Return every rules file that can be found by its name; of two of one name the workspace's, then the shipped."""
    by_name: dict[str, Path] = {}
    for path in (*_files(workspace / "rules"), *_files(rulefile.shipped()), *_plugins()):
        by_name.setdefault(path.stem, path)
    return tuple(by_name.values())


def _files(folder: Path) -> Iterator[Path]:
    """Yield the games of a folder: each Python file with its boards beside it, or that defines `game`."""
    for path in sorted(folder.absolute().glob("*.py")):
        if not path.name.startswith(("_", ".")) and (path.with_suffix(".toml").exists() or _defines_game(path)):
            yield path


def _defines_game(path: Path) -> bool:
    lines = path.read_text("utf-8", errors="replace").splitlines()
    return any(line.startswith(("game =", "game:", "class game")) for line in lines)


def _plugins() -> Iterator[Path]:
    """Yield the rules files of installed packages: entry points of the group `arena.rules`, each naming a module."""
    for point in sorted(entry_points(group="arena.rules")):
        try:
            spec = find_spec(point.module)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None:
            raise ArenaError(f"plug-in {point.name}: there is no module {point.module!r}; install its package again")
        yield Path(spec.origin)


@cache
def _board(path: Path, name: str) -> Board:
    game = _game(path, name)
    files = [(source.name, sha256(source.read_bytes()).hexdigest()) for source in rulefile.sources(path)]
    return Board(
        game=path.stem,
        name=name,
        rules=str(path),
        digest=digest_of(_tables(path)[name], files),
        roles=tuple(game.roles),
        sides=tuple(game.sides),
    )


@cache
def _game(path: Path, board: str) -> Game[Any]:
    """Return the game on its board, after every check that can be made without playing it."""
    if board not in _tables(path):
        raise ArenaError(f"{path.with_suffix('.toml')}: there is no board {board!r}; known: {', '.join(_tables(path))}")
    known = _parameters(path)
    where = f"{path.with_suffix('.toml')}: [{board}]"
    for key in _tables(path)[board]:
        if key not in known:
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            raise ArenaError(f"{where} {key}: unknown parameter; {hint}")
    for key, needed in known.items():
        if needed and key not in _tables(path)[board]:
            raise ArenaError(f"{where} {key}: this parameter is missing")
    try:
        return rulefile.load(path, board)
    except ValueError as error:
        raise ArenaError(f"{where} {_line(error)}") from error
    except Exception as error:  # a value of the wrong type goes wrong anywhere
        raise ArenaError(f"{where} {type(error).__name__}: {_line(error)}") from error


@cache
def _tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of each board of a rules file; only its TOML is read."""
    where = path.with_suffix(".toml")
    try:
        tables = rulefile.boards(path)
    except AttributeError as error:  # a key that is no table
        raise ArenaError(f"{where}: every parameter belongs to a board; begin with a line such as [default]") from error
    except (OSError, ValueError, RecursionError) as error:  # no text, no TOML, or nested without end
        raise ArenaError(f"{where}: {_line(error)}") from error
    for name in (path.stem, *tables):
        if not NAME.fullmatch(name):
            raise ArenaError(f"{where}: {name!r} cannot be a name: use letters, digits and . _ -")
    return tables


def _parameters(path: Path) -> dict[str, bool]:
    """Return the parameters of a rules file; ArenaError for any mistake in it, with the number of its line."""
    try:
        rulefile.module(path)
    except SyntaxError as error:
        raise ArenaError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    except Exception as error:  # the file is the user's, and so is whatever it raises
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ArenaError(f"{last.filename}:{last.lineno}: {type(error).__name__}: {_line(error)}") from error
    try:
        return rulefile.parameters(path)
    except (AttributeError, TypeError) as error:
        raise ArenaError(f"{path}: a rules file ends with `game = TheClass`, a frozen dataclass") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
