"""Builds the boards of a rules file, and the game on each of them.

It makes every check that needs no play. It turns every mistake in a rules file or a board into one
line. rulebook.py knows where rules files are looked for; rulefile.py makes a game of a file.
"""

import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from itertools import chain
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
NEEDED = (
    "roles",
    "board",
    "start",
    "to_move",
    "legal_moves",
    "play",
    "outcome",
    "view",
)
"""What every game defines."""
DEFAULTS = ("sides", "hidden", "open", "drawing", "manual", "symmetry")
"""What a game has of `Game`, if it does not define it."""
PARAMETER = re.compile("[=(]")
"""Matches the name of a board that has parameters, from which the rules make the board."""
UNLIKELY = re.compile(rf"\d{{4}}|\d[eE]|Infinity|{PARAMETER.pattern}")
"""Matches a number or a text that no sampled board needs, but a stranger's record may have it.
A letter that JSON writes as a number, such as a bracket, is such a number, too."""
MOST_DRAWN = 1000
"""The most boards that are sampled under one name."""
PARALLEL_DRAWS = 8
"""The number of boards of a name that is worth the start of other processes."""
REMEMBERED_BOARDS = 2 * MOST_DRAWN


def names_of(path: Path, board: str) -> tuple[str, ...]:
    """Return the names of a rules file's boards: only `board`, or all for an empty text.

    Return `()` for an unknown name. Raise ArenaError for a mistake in the file.
    """
    named = tables(path)
    if board in named:
        return (board,)
    if not rulefile.names_boards(path):
        if board:
            return ()
        return tuple(named)
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

    The digest is that of the parameters and of every file that the rules are made of. With variants
    it is that of the rules alone, and each variant adds its own digest to the id of a match.
    Raise ArenaError when there is no such board, or when it is not sound.
    """
    if sampled:
        game = sampled_game(path, sampled[0])
        parameters = {}
        version = ""
    else:
        game = game_on(path, name)
        parameters = _table(path, name)
        version = getattr(game, "version", "")  # of a library that has a part of the rules

    files = []
    for file, source in rulefile.named_sources(path).items():
        source_digest = file_digest(source)
        files.append((file, source_digest))
    if version:
        files.append((version, ""))
    try:
        digest = digest_of(parameters, files)
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
    path: Path,
    name: str,
    count: int,
    seed: int | str,
    stored: Path | None = None,
) -> Board:
    """Return the board of this name with this number of variants, by the seed.

    Variants in the folder `stored` are not sampled again, and new variants are stored there.
    Raise ArenaError if a variant is not sound.
    """
    table = _check_generator(path, name)
    key = boards_key(seed, f"{path.stem}/{name}")

    entry = None
    known: tuple[str, ...] = ()
    if stored is not None:
        generator = rulefile.generator_file(path, table[rulefile.GENERATOR])
        entry = board_cache.file_of(stored, generator, table, key)
        known = board_cache.load(entry)

    variants = known[:count]
    missing = range(len(known), count)
    if missing:
        cores: int | None = None  # all
        if len(missing) < PARALLEL_DRAWS:
            cores = 1
        sample = partial(_sample, path, name, key)
        variants += tuple(parallel.parallel_map(sample, missing, cores=cores))
        if entry is not None:
            board_cache.store(entry, variants)

    for variant in variants:
        sampled_game(path, variant)  # raises for a board that is not sound
    return board_of(path, name, variants)


def _sample(
    path: Path,
    name: str,
    key: str,
    number: int,
) -> str:
    where = f"{path.with_suffix('.toml')}: [{name}]"
    with _one_line(where):
        return rulefile.sample(path, name, key, number)


def _check_generator(path: Path, name: str) -> dict[str, Any]:
    """Return a table.

    Raise ArenaError if its generator does not exist, or does not take its parameters.
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
    parameters = {key: value for key, value in table.items() if key != rulefile.GENERATOR}
    known = _parameters(file, "generator")
    _check_parameters(where, parameters, known)
    return table


@lru_cache(REMEMBERED_BOARDS)
def sampled_game(path: Path, sampled: str) -> Game[Any]:
    """Return the game on a sampled board, a JSON object.

    Raise ArenaError for a mistake, as in a board of a table.
    """
    where = f"a sampled board of {path.stem}:"
    _parameters(path)  # a mistake in the file comes first
    try:
        table = rulefile.parameters_of(sampled)
    # A record may come from anybody, and be nested without end.
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{where} {_line(error)}") from error
    unlikely = UNLIKELY.search(sampled) is not None
    return _game(path, where, table, tried=unlikely)


@cache
def game_on(path: Path, board: str) -> Game[Any]:
    """Return the game on its board.

    Raise ArenaError for any mistake that can be found without playing it.
    """
    _parameters(path)  # a mistake in the file comes first
    table = _table(path, board)
    if board in tables(path):
        where = f"{path.with_suffix('.toml')}: [{board}]"
        return _game(path, where, table, tried=False)
    where = f"{path.stem}/{board}:"
    has_parameters = PARAMETER.search(board) is not None
    return _game(path, where, table, tried=has_parameters)


def _game(
    path: Path,
    where: str,
    table: Mapping[str, Any],
    *,
    tried: bool,
) -> Game[Any]:
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
        is_inherited = getattr(type(game), name, None) is getattr(Game, name)
        if is_inherited or not hasattr(game, name):
            raise ValueError(
                f"the game has no `{name}`; `arena docs game-authors` says what a game has"
            )
    if not _are_words(game.roles):
        raise ValueError(
            f"roles: expected a tuple of words, such as ('red', 'blue'), not {game.roles!r}"
        )
    for name in DEFAULTS:
        if not hasattr(game, name):
            first_line = f"class {type(game).__name__}(Game[State])"
            raise ValueError(f"the game has no `{name}`; begin its class with `{first_line}`")
    if not isinstance(game.sides, tuple | list) or not all(map(_are_words, game.sides)):
        raise ValueError(
            "sides: expected a tuple of tuples of roles, such as (('red',), ('blue',)), "
            f"not {game.sides!r}"
        )
    return game


def _are_words(value: object) -> bool:
    if not isinstance(value, tuple | list):
        return False
    return all(isinstance(word, str) for word in value)


def _check_parameters(
    where: str,
    table: Mapping[str, Any],
    known: Mapping[str, bool],
) -> None:
    """Raise ArenaError for a parameter that is unknown or missing; `where` names the table."""
    for key in table:
        if key not in known:
            names = ", ".join(known)
            hint = did_you_mean(key, known) or f"known: {names}"
            raise ArenaError(f"{where} {key}: unknown parameter; {hint}")
    for key, needed in known.items():
        if needed and key not in table:
            raise ArenaError(f"{where} {key}: this parameter is missing")


def _table(path: Path, board: str) -> dict[str, Any]:
    """Return the parameters of a board of a rules file, which was imported before.

    Raise ArenaError when there is no such board.
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

    Raise ArenaError as `all_tables` does.
    """
    return rulefile.boards(all_tables(path))


def generators(path: Path) -> dict[str, dict[str, Any]]:
    """Return each table of a rules file that has a generator by its name.

    Raise ArenaError as `all_tables` does.
    """
    return rulefile.generators(all_tables(path))


@cache
def all_tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return every table of a rules file by its name; only its TOML is read.

    Raise ArenaError for a mistake in the TOML.
    """
    where = path.with_suffix(".toml")
    try:
        tables = rulefile.tables(path)
    except AttributeError as error:  # a key that is no table
        raise ArenaError(
            f"{where}: every parameter belongs to a board; begin with a line such as [default]"
        ) from error
    # The file may be no text, no TOML, or nested without end.
    except (OSError, ValueError, RecursionError) as error:
        raise ArenaError(f"{where}: {_line(error)}") from error
    for name in chain([path.stem], tables):
        if not NAME.fullmatch(name):
            raise ArenaError(f"{where}: {name!r} cannot be a name: use letters, digits and . _ -")
    if not tables and not rulefile.names_boards(path):
        raise ArenaError(f"{where}: has no board; write a line such as [default]")
    return tables


def _parameters(path: Path, kind: str = "game") -> dict[str, bool]:
    """Return whether a rules file, or a generator, needs each of its parameters.

    Raise ArenaError for any mistake in the file, with its line.
    """
    try:
        rulefile.module(path)
    except SyntaxError as error:
        raise ArenaError(f"{error.filename or path}:{error.lineno or 1}: {error.msg}") from error
    except Exception as error:  # the file is the user's, and so is whatever it raises
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise ArenaError(f"{last.filename}:{last.lineno}: {named(error)}") from error
    try:
        definition = getattr(rulefile.module(path), kind)
        if not isinstance(definition, type):
            raise TypeError(kind)
        return rulefile.parameters(path, kind)
    except (AttributeError, TypeError) as error:
        name = "generator"
        if kind == "game":
            name = "rules file"
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
