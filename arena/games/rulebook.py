"""Finds a game by name or path, and builds it on a named board.

It owns where rules are looked for, and turns every mistake in a rules file or a board into one line. rulefile.py makes
a game of a file.
"""

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arena import parallel, rulefile
from arena.errors import ArenaError, did_you_mean, known_are
from arena.game import Game
from arena.values import Board, Match, boards_key, digest_of

NAME = re.compile(r"[A-Za-z0-9._,=()-]+")
"""The name of a game or a board: one word of the protocol, and a file's name."""
MOST_DRAWN = 1000
PARALLEL_DRAWS = 8
"""So many boards of a name are worth the start of other processes."""
REMEMBERED_BOARDS = 2 * MOST_DRAWN


def load(game: str, board: str, workspace: Path = Path()) -> Game[Any]:
    """Return the game on its board; ArenaError when there is no such game or board, or when it is not sound."""
    (only,) = find(f"{game}/{board}", workspace)
    return game_of(only)


def game_of(planned: Board | Match) -> Game[Any]:
    """Return the game that a board or a match was planned with, from the same rules file; loaded once a process.

    Of a board with several variants it is the first.
    """
    path = Path(planned.rules)
    if isinstance(planned, Board):
        return _drawn_game(path, planned.drawn[0]) if planned.drawn else _game(path, planned.name)
    return _drawn_game(path, planned.drawn) if planned.drawn else _game(path, planned.board)


def games_of(board: Board) -> tuple[Game[Any], ...]:
    """Return the game on each variant of a board."""
    return tuple(_drawn_game(Path(board.rules), drawn) for drawn in board.drawn) or (game_of(board),)


def find(query: str, workspace: Path = Path(), seed: int | str = 0, most: int = MOST_DRAWN) -> tuple[Board, ...]:
    """Return the boards that a query means: a game (all of its boards), `game/board`, a board's own name, or a path.

    A path ends in `.py` and is relative to the workspace; `path/board` is one board of it. `game/board:20` is a board
    whose table has a generator: 20 boards under one name, or `most` if that is less, drawn from the seed; without a
    number it is one. A game means its boards without these. Only the rules that are meant are loaded, so a mistake in
    another file does no harm. ArenaError when it means nothing, or several games.
    """
    name, count = _counted(query)
    file, board = _path_in(name, workspace)
    if file is not None:
        known = [f"{name.removesuffix(board)}{each}" for each in _all_tables(file)]
    else:
        files = {file.stem: file for file in _rules(workspace)}
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
    if board in _generators(file):
        return (_drawn_board(file, board, min(count or 1, most), seed),)
    names = _names(file, board)
    if not names:
        return _unknown(query, known)
    if count is not None:
        drawn = [f"{file.stem}/{each}:{count}" for each in _generators(file)]
        hint = f"; write {' or '.join(drawn)}" if drawn else ""
        raise ArenaError(f"{query}: only a table with a generator has as many boards as you like{hint}")
    return _built(file, names)


def of_record(match: Match, files: Mapping[str, Path] | None = None) -> Board:
    """Return the board of a recorded match, from rules that are found by their name, never by the record's path.

    `files` are further rules files by their paths, of which the record's path may choose. A board that was drawn is in
    the record, so no generator is asked. ArenaError when there are no such rules.
    """
    trusted = {str(file): file for file in _rules(Path())} | dict(files or {})
    file = trusted.get(match.rules)
    if not match.drawn:
        named = file is not None and match.board in _readable_names(file)
        return _board(file, match.board) if file is not None and named else find(match.label)[0]
    file = file or next((each for each in trusted.values() if each.stem == match.game), None)
    if file is None:
        raise ArenaError(f"there are no rules of {match.game!r} here, by which match {match.id} was played")
    return _with_variants(file, match.board, (match.drawn,))


def path_of(query: str, workspace: Path = Path()) -> Path | None:
    """Return the rules file that a query names by its path; None when it names none in this way."""
    return _path_in(_counted(query)[0], workspace)[0]


def all_boards(workspace: Path = Path()) -> tuple[Board, ...]:
    """Return the boards of every sound game, the workspace's first; of two games of one name only the first counts."""
    return tuple(
        board for boards in map(_boards_of, _rules(workspace)) if not isinstance(boards, str) for board in boards
    )


def drawn_names(workspace: Path = Path()) -> tuple[str, ...]:
    """Return `game/board` of each table with a generator, whose boards are drawn for an event."""
    return tuple(
        f"{file.stem}/{name}"
        for file in _rules(workspace)
        for name in _readable_names(file)
        if name in _generators(file)
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


def games_with_named_boards(workspace: Path = Path()) -> tuple[str, ...]:
    """Return the games with more boards than `all_boards` returns: those that rules files make of a board's name."""
    return tuple(path.stem for path in _rules(workspace) if rulefile.names_boards(path))


def _names(path: Path, board: str) -> tuple[str, ...]:
    """Return the names of a rules file's boards: only this one, or all for an empty text; `()` for an unknown name."""
    tables = _tables(path)
    if board in tables:
        return (board,)
    if not rulefile.names_boards(path):
        return () if board else tuple(tables)
    _parameters(path)  # raises for any mistake in the file, so that it can be imported
    if not board:
        try:
            return (*tables, *rulefile.module(path).board_names())
        except ValueError as error:
            raise ArenaError(f"{path.stem}: {_line(error)}") from error
    if not NAME.fullmatch(board):
        raise ArenaError(f"{path.stem}/{board}: a board's name has only letters, digits and . _ - , = ( )")
    return (board,)


def _built(path: Path, names: Iterable[str]) -> tuple[Board, ...]:
    return tuple(_board(path, name) for name in names)


def _readable_names(path: Path) -> tuple[str, ...]:
    """Return the names of a file's tables; none when it cannot be read, so that it hides no other file."""
    try:
        return tuple(_all_tables(path))
    except ArenaError:
        return ()


def _counted(query: str) -> tuple[str, int | None]:
    """Return a query without its number of boards, and this number."""
    name, _, number = query.partition(":")
    if name == query:
        return query, None
    if not (number.isdecimal() and number.isascii() and 1 <= int(number) <= MOST_DRAWN):
        raise ArenaError(f"{query}: after the colon stands a number of boards to draw, 1 to {MOST_DRAWN}")
    return name, int(number)


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
    return Board(
        game=path.stem,
        name=name,
        rules=str(path),
        digest=_rules_digest(path, _table(path, name), getattr(game, "version", "")),
        roles=tuple(game.roles),
        sides=tuple(game.sides),
    )


def _rules_digest(path: Path, table: Mapping[str, Any], version: str = "") -> str:
    """Return the hash of a board's parameters and of every file that its rules are made of.

    `version` is that of a library that has a part of the rules.
    """
    files = [(source.name, sha256(source.read_bytes()).hexdigest()) for source in rulefile.sources(path)]
    if version:
        files.append((version, ""))
    return digest_of(table, files)


@cache
def _drawn_board(path: Path, name: str, count: int, seed: int | str) -> Board:
    """Return the board of this name with so many variants, drawn from the seed; each variant is checked."""
    _check_generator(path, name)
    draw = partial(_draw, path, name, boards_key(seed, f"{path.stem}/{name}"))
    cores = None if count >= PARALLEL_DRAWS else 1
    drawn = tuple(parallel.parallel_map(draw, range(count), cores=cores))
    for text in drawn:
        _drawn_game(path, text)
    return _with_variants(path, name, drawn)


def _with_variants(path: Path, name: str, drawn: tuple[str, ...]) -> Board:
    """Return a board of several variants. Its digest is that of the rules alone; each variant adds its own to an id."""
    game = _drawn_game(path, drawn[0])
    return Board(
        game=path.stem,
        name=name,
        rules=str(path),
        digest=_rules_digest(path, {}),
        roles=tuple(game.roles),
        sides=tuple(game.sides),
        drawn=drawn,
    )


def _draw(path: Path, name: str, key: str, number: int) -> str:
    where = f"{path.with_suffix('.toml')}: [{name}]"
    try:
        return rulefile.draw(path, name, key, number)
    except ValueError as error:
        raise ArenaError(f"{where} {_line(error)}") from error
    except Exception as error:  # a value of the wrong type goes wrong anywhere
        raise ArenaError(f"{where} {type(error).__name__}: {_line(error)}") from error


def _check_generator(path: Path, name: str) -> None:
    """Raise ArenaError for a table whose generator does not exist, or does not take its parameters."""
    table = _generators(path)[name]
    where = f"{path.with_suffix('.toml')}: [{name}]"
    generator = table[rulefile.GENERATOR]
    if not (isinstance(generator, str) and NAME.fullmatch(generator)):
        raise ArenaError(f"{where} generator: expected the name of a file beside {path.name}, without .py")
    file = rulefile.generator_file(path, generator)
    if not file.is_file():
        raise ArenaError(f"{where} generator: there is no file {file}")
    given = {key: value for key, value in table.items() if key != rulefile.GENERATOR}
    _check_parameters(where, given, _parameters(file, "generator"))


@lru_cache(REMEMBERED_BOARDS)
def _drawn_game(path: Path, drawn: str) -> Game[Any]:
    """Return the game on a board that was drawn, after the checks that a board of a table gets."""
    where = f"a drawn board of {path.stem}:"
    known = _parameters(path)
    try:
        _check_parameters(where, rulefile.parameters_of(drawn), known)
        return rulefile.load_drawn(path, drawn)
    except (ValueError, RecursionError) as error:  # a record may come from anybody
        raise ArenaError(f"{where} {_line(error)}") from error
    except ArenaError:
        raise
    except Exception as error:
        raise ArenaError(f"{where} {type(error).__name__}: {_line(error)}") from error


@cache
def _game(path: Path, board: str) -> Game[Any]:
    """Return the game on its board, after every check that can be made without playing it."""
    known = _parameters(path)
    table = _table(path, board)
    where = f"{path.with_suffix('.toml')}: [{board}]" if board in _tables(path) else f"{path.stem}/{board}:"
    _check_parameters(where, table, known)
    try:
        return rulefile.load(path, board)
    except ValueError as error:
        raise ArenaError(f"{where} {_line(error)}") from error
    except Exception as error:  # a value of the wrong type goes wrong anywhere
        raise ArenaError(f"{where} {type(error).__name__}: {_line(error)}") from error


def _check_parameters(where: str, table: Mapping[str, Any], known: Mapping[str, bool]) -> None:
    """Raise ArenaError for a parameter that is unknown or missing; `where` names the table."""
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            raise ArenaError(f"{where} {key}: unknown parameter; {hint}")
    for key, needed in known.items():
        if needed and key not in table:
            raise ArenaError(f"{where} {key}: this parameter is missing")


def _table(path: Path, board: str) -> dict[str, Any]:
    """Return the parameters of a board of a rules file, which was imported before; ArenaError when there is none."""
    try:
        return rulefile.parameters_on(path, board)
    except KeyError:
        known = ", ".join(_tables(path))
        raise ArenaError(f"{path.with_suffix('.toml')}: there is no board {board!r}; known: {known}") from None
    except ValueError as error:
        raise ArenaError(f"{path.stem}/{board}: {_line(error)}") from error


def _tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of each board of a rules file."""
    return {name: table for name, table in _all_tables(path).items() if rulefile.GENERATOR not in table}


def _generators(path: Path) -> dict[str, dict[str, Any]]:
    """Return each table of a rules file that has a generator."""
    return {name: table for name, table in _all_tables(path).items() if rulefile.GENERATOR in table}


@cache
def _all_tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return every table of a rules file by its name; only its TOML is read."""
    where = path.with_suffix(".toml")
    try:
        tables = rulefile.boards(path) | rulefile.generators(path)
    except AttributeError as error:  # a key that is no table
        raise ArenaError(f"{where}: every parameter belongs to a board; begin with a line such as [default]") from error
    except (OSError, ValueError, RecursionError) as error:  # no text, no TOML, or nested without end
        raise ArenaError(f"{where}: {_line(error)}") from error
    for name in (path.stem, *tables):
        if not NAME.fullmatch(name):
            raise ArenaError(f"{where}: {name!r} cannot be a name: use letters, digits and . _ -")
    return tables


def _parameters(path: Path, kind: str = "game") -> dict[str, bool]:
    """Return the parameters of a rules file, or of a generator; ArenaError for any mistake in it, with its line."""
    try:
        rulefile.module(path)
    except SyntaxError as error:
        raise ArenaError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    except Exception as error:  # the file is the user's, and so is whatever it raises
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ArenaError(f"{last.filename}:{last.lineno}: {type(error).__name__}: {_line(error)}") from error
    try:
        return rulefile.parameters(path, kind)
    except (AttributeError, TypeError) as error:
        name = "rules file" if kind == "game" else "generator"
        raise ArenaError(f"{path}: a {name} ends with `{kind} = TheClass`, a frozen dataclass") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
