"""Builds the boards of a rules file, and the game on each of them.

It makes every check that needs no play. It turns every mistake in a rules file or a board into one
line. rulebook.py knows where rules files are looked for; rulefile.py makes a game of a file.
"""

import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from arena import parallel, rulefile
from arena.errors import ArenaError, did_you_mean, named
from arena.game import Game
from arena.games import board_cache, trial
from arena.identity import boards_key, digest_of, file_digest
from arena.values import DISGUISED, Board

NAME = re.compile(r"[A-Za-z0-9._,=()-]+")
"""The name of a game or a board: one word of the protocol, and a file's name."""
BOARD_NAME = re.compile(rf"{NAME.pattern}(?:{DISGUISED})?")
"""The name of a board in a record: it may be one in disguise."""
NEEDED = ("roles", "board", "start", "to_move", "legal_moves", "play", "outcome", "view")
"""What every game defines."""
DEFAULTS = ("sides", "hidden", "open", "drawing", "manual", "symmetry")
"""What a game has of `Game`, if it does not define it."""
PARAMETER = re.compile("[=(]")
"""What a board's name has, from which the rules make a board, if it says more than which game it
is."""
UNLIKELY = re.compile(rf"\d{{4}}|\d[eE]|Infinity|{PARAMETER.pattern}")
"""A number or a text that no board that was sampled needs, but one in a stranger's record may have
it. A letter that JSON writes as a number, such as a bracket, is such a number, too."""
MOST_DRAWN = 1000
"""The most boards that are sampled under one name."""
PARALLEL_DRAWS = 8
"""So many boards of a name are worth the start of other processes."""
REMEMBERED_BOARDS = 2 * MOST_DRAWN


def names_of(path: Path, board: str) -> tuple[str, ...]:
    """Return the names of a rules file's boards: only this one, or all for an empty text.

    `()` for an unknown name.
    ArenaError for a mistake in the file.
    """
    named = tables(path)
    if board in named:
        return (board,)
    if not rulefile.names_boards(path):
        return () if board else tuple(named)
    _parameters(path)  # raises for any mistake in the file, so that it can be imported
    if not board:
        try:
            return (*named, *rulefile.module(path).board_names())
        except ValueError as error:
            raise ArenaError(f"{path.stem}: {_line(error)}") from error
    if not NAME.fullmatch(board):
        raise ArenaError(
            f"{path.stem}/{board}: a board's name has only letters, digits and . _ - , = ( )"
        )
    return (board,)


@lru_cache(REMEMBERED_BOARDS)
def board_of(path: Path, name: str, sampled: tuple[str, ...] = ()) -> Board:
    """Return the board of this name, or a board with these variants, each of them a JSON object.

    The digest is that of the parameters and of every file that the rules are made of; of variants
    it is that of the rules alone, and each variant adds its own to the id of a match. ArenaError
    when there is no such board, or when it is not sound.
    """
    game = sampled_game(path, sampled[0]) if sampled else game_on(path, name)
    files = [(file, file_digest(source)) for file, source in rulefile.named_sources(path).items()]
    if not sampled and (
        version := getattr(game, "version", "")
    ):  # of a library that has a part of the rules
        files.append((version, ""))
    try:
        digest = digest_of({} if sampled else _table(path, name), files)
    except TypeError as error:
        where = f"{path.with_suffix('.toml')}: [{name}]"
        raise ArenaError(f"{where} has a date or a time: write it as a text") from error
    return Board(
        game=path.stem,
        name=name,
        rules=str(path),
        digest=digest,
        roles=tuple(game.roles),
        sides=tuple(game.sides),
        sampled=sampled,
    )


@cache
def sampled_board(
    path: Path, name: str, count: int, seed: int | str, stored: Path | None = None
) -> Board:
    """Return the board of this name with this number of variants, by the seed.

    ArenaError if one is not sound.
    Those in the folder `stored` are not sampled again, and those that are sampled are stored there.
    """
    table = _check_generator(path, name)
    key = boards_key(seed, f"{path.stem}/{name}")
    entry = None
    if stored is not None:
        entry = board_cache.file_of(
            stored, rulefile.generator_file(path, table[rulefile.GENERATOR]), table, key
        )
    known = board_cache.load(entry) if entry is not None else ()
    sampled = known[:count]
    if missing := range(len(known), count):
        cores = None if len(missing) >= PARALLEL_DRAWS else 1
        sampled += tuple(
            parallel.parallel_map(partial(_sample, path, name, key), missing, cores=cores)
        )
        if entry is not None:
            board_cache.store(entry, sampled)
    for text in sampled:
        sampled_game(path, text)  # raises for a board that is not sound
    return board_of(path, name, sampled)


def _sample(path: Path, name: str, key: str, number: int) -> str:
    with _one_line(f"{path.with_suffix('.toml')}: [{name}]"):
        return rulefile.sample(path, name, key, number)


def _check_generator(path: Path, name: str) -> dict[str, Any]:
    """Return a table.

    ArenaError if its generator does not exist, or does not take its parameters.
    """
    table = generators(path)[name]
    where = f"{path.with_suffix('.toml')}: [{name}]"
    generator = table[rulefile.GENERATOR]
    if not (isinstance(generator, str) and NAME.fullmatch(generator)):
        raise ArenaError(
            f"{where} generator: expected the name of a file beside {path.name}, without .py"
        )
    file = rulefile.generator_file(path, generator)
    if not file.is_file():
        raise ArenaError(f"{where} generator: there is no file {file}")
    given = {key: value for key, value in table.items() if key != rulefile.GENERATOR}
    _check_parameters(where, given, _parameters(file, "generator"))
    return table


@lru_cache(REMEMBERED_BOARDS)
def sampled_game(path: Path, sampled: str) -> Game[Any]:
    """Return the game on a sampled board, a JSON object.

    ArenaError for a mistake, as in a board of a table.
    """
    where = f"a sampled board of {path.stem}:"
    _parameters(path)  # a mistake in the file comes first
    try:
        table = rulefile.parameters_of(sampled)
    except (
        ValueError,
        RecursionError,
    ) as error:  # a record may come from anybody, and be nested without end
        raise ArenaError(f"{where} {_line(error)}") from error
    return _game(path, where, table, tried=bool(UNLIKELY.search(sampled)))


@cache
def game_on(path: Path, board: str) -> Game[Any]:
    """Return the game on its board.

    ArenaError for any mistake that can be found without playing it.
    """
    _parameters(path)  # a mistake in the file comes first
    table, named = _table(path, board), board in tables(path)
    where = f"{path.with_suffix('.toml')}: [{board}]" if named else f"{path.stem}/{board}:"
    return _game(path, where, table, tried=not named and bool(PARAMETER.search(board)))


def _game(path: Path, where: str, table: Mapping[str, Any], *, tried: bool) -> Game[Any]:
    """Return the game with these parameters.

    With `tried` a process of its own loads and plays it first.
    """
    _check_parameters(where, table, _parameters(path))
    with _one_line(where):
        load = partial(rulefile.module(path).game, **table)
        if tried:
            trial.refuse_deadly(load)
        return _sound(load())


def _sound(game: Game[Any]) -> Game[Any]:
    """Return a game that was loaded; ValueError unless it has all that the referee asks for."""
    for name in NEEDED:
        if getattr(type(game), name, None) is getattr(Game, name) or not hasattr(game, name):
            raise ValueError(
                f"the game has no `{name}`; `arena docs game-authors` says what a game has"
            )
    if not _are_words(game.roles):
        raise ValueError(
            f"roles: expected a tuple of words, such as ('red', 'blue'), not {game.roles!r}"
        )
    for name in DEFAULTS:
        if not hasattr(game, name):
            raise ValueError(
                f"the game has no `{name}`; begin its class with `class "
                f"{type(game).__name__}(Game[State])`"
            )
    if not isinstance(game.sides, tuple | list) or not all(map(_are_words, game.sides)):
        raise ValueError(
            f"sides: expected a tuple of tuples of roles, such as (('red',), ('blue',)), not "
            f"{game.sides!r}"
        )
    return game


def _are_words(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(word, str) for word in value)


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
    """Return the parameters of a board of a rules file, which was imported before.

    ArenaError when there is none.
    """
    try:
        return rulefile.parameters_on(path, board)
    except KeyError:
        known = ", ".join(tables(path))
        raise ArenaError(
            f"{path.with_suffix('.toml')}: there is no board {board!r}; known: {known}"
        ) from None
    except ValueError as error:
        raise ArenaError(f"{path.stem}/{board}: {_line(error)}") from error


def tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of each board of a rules file by its name.

    ArenaError as `all_tables`.
    """
    return rulefile.boards(all_tables(path))


def generators(path: Path) -> dict[str, dict[str, Any]]:
    """Return each table of a rules file that has a generator by its name.

    ArenaError as `all_tables`.
    """
    return rulefile.generators(all_tables(path))


@cache
def all_tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return every table of a rules file by its name; only its TOML is read.

    ArenaError for a mistake in that.
    """
    where = path.with_suffix(".toml")
    try:
        tables = rulefile.tables(path)
    except AttributeError as error:  # a key that is no table
        raise ArenaError(
            f"{where}: every parameter belongs to a board; begin with a line such as [default]"
        ) from error
    except (
        OSError,
        ValueError,
        RecursionError,
    ) as error:  # no text, no TOML, or nested without end
        raise ArenaError(f"{where}: {_line(error)}") from error
    for name in (path.stem, *tables):
        if not NAME.fullmatch(name):
            raise ArenaError(f"{where}: {name!r} cannot be a name: use letters, digits and . _ -")
    if not tables and not rulefile.names_boards(path):
        raise ArenaError(f"{where}: has no board; write a line such as [default]")
    return tables


def _parameters(path: Path, kind: str = "game") -> dict[str, bool]:
    """Return the parameters of a rules file, or of a generator.

    ArenaError for any mistake in it, with its line.
    """
    try:
        rulefile.module(path)
    except SyntaxError as error:
        raise ArenaError(f"{error.filename or path}:{error.lineno or 1}: {error.msg}") from error
    except Exception as error:  # the file is the user's, and so is whatever it raises
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ArenaError(f"{last.filename}:{last.lineno}: {named(error)}") from error
    try:
        if not isinstance(getattr(rulefile.module(path), kind), type):
            raise TypeError(kind)
        return rulefile.parameters(path, kind)
    except (AttributeError, TypeError) as error:
        name = "rules file" if kind == "game" else "generator"
        raise ArenaError(
            f"{path}: a {name} ends with `{kind} = TheClass`, a frozen dataclass"
        ) from error


@contextmanager
def _one_line(where: str) -> Iterator[None]:
    """Raise ArenaError for any error of the rules: one line, which begins with `where`."""
    try:
        yield
    except ArenaError:
        raise
    except ValueError as error:
        raise ArenaError(f"{where} {_line(error)}") from error
    except Exception as error:  # a value of the wrong type goes wrong anywhere
        raise ArenaError(f"{where} {named(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
