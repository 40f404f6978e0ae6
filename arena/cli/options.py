"""Options that several commands share, and the keys of tournament.toml that they replace."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ArenaError

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Draw = Annotated[
    bool, typer.Option("--draw/--no-draw", help="Draw the board, or print the moves only.")
]
BoardNames = Annotated[
    list[str] | None,
    typer.Option(
        "--board",
        "-b",
        metavar="BOARD,...",
        help="Only these boards; default: those of the event here.",
    ),
]
MatchId = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help=(
            "The first digits of its id, EVENT/ID for another event's, or a file of `arena export "
            "--match`."
        ),
    ),
]
MatchOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="MATCH",
        help=(
            "As the first digits of its id, EVENT/ID, or a file; none, or EVENT/, lists the "
            "newest matches."
        ),
    ),
]
FromMatch = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="MATCH",
        help="Begin as this recorded match did: ID, or EVENT/ID, or a file.",
    ),
]
FromTurn = Annotated[
    int | None,
    typer.Option(
        "--turn", metavar="N", help="With --from: go on after this turn of it; 0 is the start."
    ),
]
EventName = Annotated[
    str | None,
    typer.Argument(
        metavar="EVENT",
        help="A name under results/, a path, or a tournament.toml; default: the one here.",
    ),
]
People = Annotated[
    Path | None,
    typer.Option(
        "--people",
        metavar="FILE",
        help=(
            "A table of name, e-mail, id, or a learning platform's roster; default: people.csv, "
            "where there is one."
        ),
    ),
]
RoleName = Annotated[
    str | None, typer.Option("--role", metavar="ROLE", help="Only the seat of this role.")
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL", help="How bots are confined: auto, landlock, bubblewrap, rlimits or none."
    ),
]
Seed = Annotated[
    str | None, typer.Option("--seed", help="Fixes all chance: a number, or 32 hex digits.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Any key of tournament.toml, such as time.move=0.5."
    ),
]
Workers = Annotated[
    str | None, typer.Option("--workers", help="Matches at once: a number, or auto.")
]
TournamentFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="The file of the event; default: the tournament.toml here."
    ),
]
Unsafe = Annotated[
    bool,
    typer.Option(
        "--unsafe",
        help=(
            "Allow the levels that do not confine bots; with auto, rlimits where nothing else "
            "works."
        ),
    ),
]


def overrides(settings: Iterable[str] | None = None, **options: object) -> dict[str, object]:
    """Return dotted keys with their values: those of `--set`, then those of named options.

    A named option wins. If it was not given, it is None or False.
    """
    changed: dict[str, object] = {}
    for setting in settings or ():
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ArenaError(f"--set {setting}: expected KEY=VALUE, such as --set time.move=0.5")
        changed[key] = _setting_value(key, text.strip())

    seed = options.get("seed")
    if isinstance(seed, str):
        options["seed"] = seed_of(seed)
    workers = options.pop("workers", None)
    if isinstance(workers, str):
        options["workers__count"] = worker_count(workers)
    for name, value in options.items():
        if value is not None and value is not False:
            changed[name.replace("__", ".")] = value
    return changed


def _setting_value(key: str, text: str) -> object:
    """Read a TOML value; a bare word is a text, so that a shell needs no second pair of quotes."""
    if key == "seed" and len(text) == 32:
        return seed_of(text)  # such as 1e31..., which TOML would read as a number
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except RecursionError as error:
        raise ArenaError(f"--set {key}: has lists in lists without end") from error
    except ValueError as error:  # no TOML, or a number of thousands of digits
        if not isinstance(error, tomllib.TOMLDecodeError):
            raise ArenaError(f"--set {key}: {error}") from error
        if text and text[0] not in "\"'[{" and "\n" not in text:
            return text
        raise ArenaError(f"--set {key}={text}: {error}") from error


def seed_of(text: str) -> int | str:
    """Return a seed: a number, or a text. 32 hex digits are a text, even if all are decimal."""
    is_number = text.isascii() and text.isdecimal()
    if is_number and len(text) < 32:
        return int(text)
    return text


def names_in(lists: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names in `--board a,b`.

    A comma in brackets belongs to a board, as in `game(rows=6,columns=7)`.
    """
    names: list[str] = []
    for text in lists or ():
        names += re.split(r",(?![^(]*\))", text)
    return tuple(name for name in names if name)


def worker_count(text: str | None) -> int | str | None:
    """Return the value of `--workers`."""
    if text is None or text == "auto":
        return text
    is_number = text.isascii() and text.isdecimal() and len(text) < 10
    if not is_number or int(text) < 1:
        raise ArenaError(
            f"--workers {text}: expected auto, or a number of referee processes from 1"
        )
    return int(text)
