"""Find a game by name or path, and build it on a named board.

It owns where rules are looked for, and turns every mistake in a rules file or a board into one line. How a file becomes
a game is rulefile.py's business.
"""

import re
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from arena import rulefile
from arena.errors import ArenaError, did_you_mean, known_are
from arena.event import Board
from arena.game import Game
from arena.match import Match, digest_of

NAME = re.compile(r"[A-Za-z0-9._-]+")
"""What a game or a board may be called: one word of the protocol, and a file's name."""

Read = TypeVar("Read")


def load(game: str, board: str, workspace: Path = Path()) -> Game[Any]:
    """The game on its board; ArenaError when there is no such game or board, or when it is not sound."""
    (only,) = find(f"{game}/{board}", workspace)
    return game_of(only)


def game_of(planned: Board | Match) -> Game[Any]:
    """The game that a board or a match was planned with, from the same rules file; loaded once a process."""
    name = planned.name if isinstance(planned, Board) else planned.board
    return _game(Path(planned.rules), name)


def find(words: str, workspace: Path = Path()) -> tuple[Board, ...]:
    """The boards that `words` mean: a game (all of its boards), `game/board`, a board's own name, or a path.

    A path ends in `.py` and is relative to the workspace; `path/board` is one board of it. Only the rules that are
    meant are loaded, so that a mistake in another file does no harm.
    """
    path, board = _path_in(words, workspace)
    if path is not None:
        wanted = [(path, name) for name in _names(path) if board in {"", name}]
        return _built(wanted) or _unknown(words, [f"{words.removesuffix(board)}{name}" for name in _names(path)])
    files = {file.stem: file for file in _rules(workspace)}
    game, _, board = words.rpartition("/")
    if words in files or game in files:
        file = files.get(game) or files[words]
        wanted = [(file, name) for name in _names(file) if not game or name == board]
    else:
        wanted = [(file, name) for file in files.values() for name in _names(file) if name == words]
        if len(wanted) > 1:
            labels = " or ".join(f"{file.stem}/{name}" for file, name in wanted)
            raise ArenaError(f"board {words!r} is a board of several games: write {labels}")
    return _built(wanted) or _unknown(
        words, [f"{file.stem}/{name}" for file in files.values() for name in _names(file)]
    )


def all_boards(workspace: Path = Path()) -> tuple[Board, ...]:
    """Every board of every game that can be found, nearer places first; a name found twice counts once."""
    return _built((file, name) for file in _rules(workspace) for name in _names(file))


def _path_in(words: str, workspace: Path) -> tuple[Path | None, str]:
    """The rules file that the words name by its path, and the board after it; None when they are no path."""
    path, board = (words, "") if words.endswith(".py") else words.rpartition("/")[::2]
    if not path.endswith(".py"):
        return None, ""
    file = (workspace / path).absolute()
    if not file.is_file():
        raise ArenaError(f"there is no rules file {workspace / path}; a path is relative to tournament.toml")
    return file, board


def _unknown(words: str, labels: list[str]) -> tuple[Board, ...]:
    parts = {part for label in labels for part in label.rsplit("/", 1)}
    raise ArenaError(f"there is no game or board {words!r}; {known_are(words, labels, nearest=sorted(parts))}")


def _rules(workspace: Path) -> tuple[Path, ...]:
    """Every rules file that can be found by its name, nearer places first."""
    found: dict[str, Path] = {}
    for path in (*_files(workspace / "rules"), *_files(rulefile.shipped()), *_plugins()):
        found.setdefault(path.stem, path)
    return tuple(found.values())


def _files(folder: Path) -> Iterator[Path]:
    """The games of a folder: a Python file with its boards beside it, or one that defines `game`."""
    for path in sorted(folder.absolute().glob("*.py")):
        if not path.name.startswith(("_", ".")) and (path.with_suffix(".toml").exists() or _defines_game(path)):
            yield path


def _defines_game(path: Path) -> bool:
    lines = path.read_text("utf-8", errors="replace").splitlines()
    return any(line.startswith(("game =", "game:", "class game")) for line in lines)


def _plugins() -> Iterator[Path]:
    """The rules files of installed packages: entry points of the group `arena.rules`, each naming a module."""
    for point in sorted(entry_points(group="arena.rules")):
        try:
            spec = find_spec(point.module)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None:
            raise ArenaError(f"plug-in {point.name}: there is no module {point.module!r}; install its package again")
        yield Path(spec.origin)


def _built(wanted: Iterable[tuple[Path, str]]) -> tuple[Board, ...]:
    return tuple(_board(file, name) for file, name in wanted)


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
    """The game on its board, after every check that can be made without playing it."""
    if board not in _tables(path):
        raise ArenaError(f"{path.with_suffix('.toml')}: there is no board {board!r}; known: {', '.join(_tables(path))}")
    known = _sound(path, lambda: rulefile.parameters(path))
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


def _names(path: Path) -> tuple[str, ...]:
    """The boards of a rules file; only its TOML is read."""
    return tuple(_tables(path))


@cache
def _tables(path: Path) -> dict[str, dict[str, Any]]:
    """The parameters of each board of a rules file."""
    where = path.with_suffix(".toml")
    try:
        tables = rulefile.boards(path)
    except AttributeError as error:  # a key that is no table
        raise ArenaError(f"{where}: every parameter belongs to a board; begin with a line such as [default]") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ArenaError(f"{where}: {_line(error)}") from error
    for name in (path.stem, *tables):
        if not NAME.fullmatch(name):
            raise ArenaError(f"{where}: {name!r} cannot be a name: use letters, digits and . _ -")
    return tables


def _sound(path: Path, read: Callable[[], Read]) -> Read:
    """What `read` gives; any mistake in the rules file in one line, with the line number where there is one."""
    try:
        rulefile.module(path)
    except SyntaxError as error:
        raise ArenaError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    except Exception as error:  # the file is the user's, and so is whatever it raises
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ArenaError(f"{last.filename}:{last.lineno}: {type(error).__name__}: {_line(error)}") from error
    try:
        return read()
    except (AttributeError, TypeError) as error:
        raise ArenaError(f"{path}: a rules file ends with `game = TheClass`, a frozen dataclass") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
