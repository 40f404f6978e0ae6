"""Find a game by name or path, and build it on a named board.

It owns where rules are looked for, and turns every mistake in a rules file or a board into one line. How a file becomes
a game is rulefile.py's business.
"""

import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena import rulefile
from arena.errors import ArenaError
from arena.event import Board
from arena.game import Game
from arena.match import Match, digest_of


def load(game: str, board: str, workspace: Path = Path()) -> Game[Any]:
    """The game on its board; ArenaError when there is no such game or board, or when it is not sound."""
    return game_of(_one(f"{game}/{board}", workspace))


def game_of(planned: Board | Match) -> Game[Any]:
    """The game that a board or a match was planned with, from the same rules file; loaded once a process."""
    name = planned.name if isinstance(planned, Board) else planned.board
    return _game(Path(planned.rules), name)


def find(words: str, workspace: Path = Path()) -> tuple[Board, ...]:
    """The boards that `words` mean: a game (all of its boards), `game/board`, a board's own name, or either of a path.

    A path ends in `.py` before the board and is relative to the workspace.
    """
    game, _, board = words.rpartition("/") if not words.endswith(".py") else (words, "", "")
    if game.endswith(".py"):
        path = workspace / game
        if not path.is_file():
            raise ArenaError(f"{words}: there is no rules file {path}")
        known = list(_boards(path))
    else:
        known = list(all_boards(workspace))
    wanted = [one for one in known if words in {one.label, one.name, one.game} or (game.endswith(".py") and not board)]
    wanted = wanted or [one for one in known if game.endswith(".py") and one.name == board]
    if not wanted:
        names = [one.label for one in known]
        near = get_close_matches(words, [*names, *(one.name for one in known), *(one.game for one in known)], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ArenaError(f"there is no game or board {words!r}{hint} Known: {', '.join(names) or 'none'}")
    if words not in {one.game for one in wanted} and len({one.game for one in wanted}) > 1:
        raise ArenaError(f"board {words!r} is of several games: say {' or '.join(one.label for one in wanted)}")
    return tuple(wanted)


def all_boards(workspace: Path = Path()) -> tuple[Board, ...]:
    """Every board of every game that can be found, nearer places first; a name found twice counts once."""
    found: dict[str, Path] = {}
    for path in (*_files(workspace / "rules"), *_files(rulefile.shipped()), *_plugins()):
        found.setdefault(path.stem, path)
    return tuple(board for path in found.values() for board in _boards(path))


def _one(label: str, workspace: Path) -> Board:
    boards = find(label, workspace)
    if len(boards) != 1:
        raise ArenaError(f"{label!r} means {len(boards)} boards: name one of {', '.join(one.label for one in boards)}")
    return boards[0]


def _files(folder: Path) -> Iterator[Path]:
    """The games of a folder: a Python file with its boards beside it, or one that defines `game`."""
    for path in sorted(folder.glob("*.py")):
        if not path.name.startswith(("_", ".")) and (path.with_suffix(".toml").exists() or _defines_game(path)):
            yield path


def _defines_game(path: Path) -> bool:
    return any(line.startswith(("game =", "game:", "class game")) for line in path.read_text("utf-8").splitlines())


def _plugins() -> Iterator[Path]:
    for point in entry_points(group="arena.rules"):
        spec = find_spec(point.value)
        if spec is None or spec.origin is None:
            raise ArenaError(f"plug-in {point.name}: there is no module {point.value}; install it again")
        yield Path(spec.origin)


@cache
def _boards(path: Path) -> tuple[Board, ...]:
    return tuple(_board(path.resolve(), name) for name in _sound(path, lambda: rulefile.boards(path)))


def _board(path: Path, name: str) -> Board:
    game = _game(path, name)
    files = [(source.name, source.read_text("utf-8")) for source in rulefile.sources(path)]
    return Board(
        game=path.stem,
        name=name,
        rules=str(path),
        digest=digest_of(rulefile.boards(path)[name], files),
        roles=tuple(game.roles),
        sides=tuple(game.sides),
    )


@cache
def _game(path: Path, board: str) -> Game[Any]:
    boards = _sound(path, lambda: rulefile.boards(path))
    if board not in boards:
        raise ArenaError(f"{path.with_suffix('.toml')}: there is no board {board!r}; known: {', '.join(boards)}")
    known = _sound(path, lambda: rulefile.parameters(path))
    where = f"{path.with_suffix('.toml')}: [{board}]"
    for key in boards[board]:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            raise ArenaError(f"{where} {key}: unknown parameter{f'; did you mean {near[0]!r}?' if near else ''}")
    for key, needed in known.items():
        if needed and key not in boards[board]:
            raise ArenaError(f"{where} {key}: this parameter is missing")
    try:
        return rulefile.load(path, board)
    except (ValueError, TypeError) as error:
        raise ArenaError(f"{where} {error}") from error


def _sound(path: Path, read: Any) -> Any:
    """What `read` gives; a mistake in the files in one line."""
    try:
        return read()
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(f"{path.with_suffix('.toml')}: {error}") from error
    except SyntaxError as error:
        raise ArenaError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    except AttributeError as error:
        raise ArenaError(f"{path}: {error}; a rules file ends with `game = TheClass`") from error
