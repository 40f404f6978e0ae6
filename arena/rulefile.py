"""One file of rules and the boards beside it, as Python values.

It owns how NAME.py and NAME.toml become a game on a board. It does not know where rules are looked
for (rulebook.py does). It imports the standard library only, because bots search with the same
rules as the referee plays by.
"""

import importlib.util
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.game import Game

GENERATOR = "generator"
"""The key of a table whose boards are sampled: it names the file, beside the rules file, that
samples them."""
PACKAGE = "arena_rules_"
"""The beginning of the names of the packages in which rules files are loaded."""
Parameters = dict[str, Any]
"""The parameters of a game or a generator, by name."""


def load(path: Path, board: str) -> Game[Any]:
    """Return the game of a rules file on its board of this name.

    Raise KeyError when there is no such board.
    """
    game_class = module(path).game
    parameters = parameters_on(path, board)
    game: Game[Any] = game_class(**parameters)
    return game


def parameters_on(path: Path, board: str) -> Parameters:
    """Return the parameters of a board; raise KeyError when there is no such board.

    They are those of its table. Where no table has the name and the game names its boards itself,
    they are those that the rules file's function `named_board` returns.
    """
    table_of = boards(tables(path))
    if board in table_of or not names_boards(path):
        return table_of[board]
    parameters: Parameters = module(path).named_board(board)
    return parameters


def names_boards(path: Path) -> bool:
    """Return whether a rules file makes boards from their names, by a function `named_board`.

    It is not run.
    """
    return "\ndef named_board(" in path.read_text("utf-8", errors="replace")


def load_sampled(path: Path, sampled: str) -> Game[Any]:
    """Return the game of a rules file on a board that was sampled.

    `sampled` has its parameters as a JSON object.
    """
    game_class = module(path).game
    parameters = parameters_of(sampled)
    game: Game[Any] = game_class(**parameters)
    return game


def parameters_of(sampled: str) -> Parameters:
    """Return the parameters of a board that was sampled.

    Raise ValueError where the text is no JSON object.
    """
    import json  # bots import this module, and most need no json

    table = json.loads(sampled)
    if not isinstance(table, dict):
        raise ValueError("the parameters of a sampled board are a JSON object")  # noqa: TRY004
    return {key: _frozen(value) for key, value in table.items()}


def sample(
    path: Path,
    name: str,
    key: str,
    number: int,
) -> str:
    """Return board 0, 1, ... of a table that has a generator.

    The board is a JSON object of parameters on one line. The same code, parameters, key and number
    give the same board in every process. Raise ValueError for a parameter with which hardly any
    board can be sampled.
    """
    import json
    from random import Random  # bots import this module, and most need no dice

    table_of = generators(tables(path))
    parameters = dict(table_of[name])
    generator_name = parameters.pop(GENERATOR)
    file = generator_file(path, generator_name)
    generator = module(file).generator(**parameters)
    dice = Random(f"{key}/{number}")
    board = generator.sample(dice, number)
    return json.dumps(board, separators=(",", ":"))


def generator_file(path: Path, generator: str) -> Path:
    """Return the file of a generator, which stands beside the rules file.

    It is loaded as a package of its own, so that it is none of the files that the game is made of:
    a match's id does not change with the generator, but with the board that was sampled.
    """
    return path.with_name(f"{generator}.py")


def tables(path: Path) -> dict[str, Parameters]:
    """Return each table of the TOML file beside `path` by its name.

    Lists become tuples, so that a game stays hashable. Without that file there is one empty table
    `default`; a game that names its boards itself has no tables then.
    """
    file = path.with_suffix(".toml")
    if not file.exists():
        if names_boards(path):
            return {}
        return {"default": {}}
    text = file.read_text("utf-8-sig")
    table_of = tomllib.loads(text)
    frozen: dict[str, Parameters] = {}
    for name, table in table_of.items():
        frozen[name] = {key: _frozen(value) for key, value in table.items()}
    return frozen


def boards(tables: Mapping[str, Parameters]) -> dict[str, Parameters]:
    """Return the parameters of each board among these tables: those without a generator."""
    return {name: table for name, table in tables.items() if GENERATOR not in table}


def generators(tables: Mapping[str, Parameters]) -> dict[str, Parameters]:
    """Return the tables that have a generator: its parameters, and the generator's name."""
    return {name: table for name, table in tables.items() if GENERATOR in table}


def parameters(path: Path, kind: str = "game") -> dict[str, bool]:
    """Return each parameter that a board may set; True for those that it must set.

    `kind` is `game` or `generator`.
    """
    described = getattr(module(path), kind)
    required: dict[str, bool] = {}
    for field in fields(described):
        if not field.init:
            continue
        has_default = field.default is not MISSING
        has_factory = field.default_factory is not MISSING
        required[field.name] = not (has_default or has_factory)
    return required


def module(path: Path) -> ModuleType:
    """Return the rules file as a module, loaded once.

    Each game gets a package of its own, so that `from .grid import ...` finds the files beside it
    (or those shipped with arena), and `sources` can tell which files this game is made of.
    """
    path = path.resolve()
    package = _package(path)
    name = f"{package}.{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(path.parent), str(shipped())]
        sys.modules[package] = parent

    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # before it runs: dataclasses look their module up there
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise
    return loaded


def sources(path: Path) -> tuple[Path, ...]:
    """Return the files that the game at `path` is made of, in order of name.

    They are the file itself and its imports from the folder.
    """
    module(path)
    return loaded_sources(path)


def named_sources(path: Path) -> dict[str, Path]:
    """Return the files that the game at `path` is made of, each by its name, in order.

    A name begins below the folder of the rules. A file in a package of rules has the folders of the
    package in its name, because files in two of them may be called alike.
    """
    module(path)
    package = _package(path.resolve())
    prefix = f"{package}."
    names: dict[str, Path] = {}
    for module_name, loaded in list(sys.modules.items()):
        if not module_name.startswith(prefix) or not loaded.__file__:
            continue
        file = Path(loaded.__file__)
        parts = module_name.removeprefix(prefix).split(".")
        is_package = hasattr(loaded, "__path__")
        if not is_package:
            parts.pop()  # the module itself
        parts.append(file.name)
        names["/".join(parts)] = file
    return dict(sorted(names.items()))


def loaded_sources(path: Path) -> tuple[Path, ...]:
    """Return those of `sources` that are loaded in this process."""
    package = _package(path.resolve())
    return _files_of(package)


def sources_of(game: Game[Any]) -> tuple[Path, ...]:
    """Return the files that a game is made of, in order of name.

    `()` when it was not loaded from a rules file.
    """
    package, _, _ = type(game).__module__.partition(".")
    if not package.startswith(PACKAGE):
        return ()
    return _files_of(package)


def _files_of(package: str) -> tuple[Path, ...]:
    """Return the files of the modules that are loaded in a package, in order of name."""
    prefix = f"{package}."
    files: set[Path] = set()
    for name, loaded in sys.modules.items():
        if name.startswith(prefix) and loaded.__file__:
            file = Path(loaded.__file__)
            files.add(file)
    in_order = sorted(files, key=lambda file: (file.name, file))
    return tuple(in_order)


@cache
def shipped() -> Path:
    """Return the folder of the rules that come with arena."""
    here = Path(__file__).resolve().parent
    packed = here / "_shipped" / "rules"
    if packed.is_dir():
        return packed
    return here.parent / "rules"


def _package(path: Path) -> str:
    """Return the name of the package in which a rules file is loaded."""
    # This is no digest: hashlib loads OpenSSL, in half the time of an interpreter's start, and each
    # bot would pay for that.
    digits = bytes(path).hex()
    return f"{PACKAGE}{digits}"


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return value
