"""Options that commands share; what they change of a tournament.toml for one run, and the file as it was played."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.errors import ArenaError

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match, or its first digits.")]
EventName = Annotated[str | None, typer.Argument(metavar="EVENT", help="Its event; default: the one here.")]
Sandbox = Annotated[
    str | None,
    typer.Option(metavar="LEVEL", help="How bots are confined: auto, landlock, bubblewrap, rlimits or none."),
]
Unsafe = Annotated[
    bool,
    typer.Option(
        "--unsafe", help="Allow the levels that do not confine bots; with auto, rlimits where nothing else works."
    ),
]


def overrides(settings: Iterable[str], **named: object) -> dict[str, object]:
    """Dotted keys and their values, of `--set KEY=VALUE` and of the options with a name; later ones win."""
    changed = dict(map(_setting, settings))
    return changed | {key.replace("__", "."): value for key, value in named.items() if value is not None}


def _setting(words: str) -> tuple[str, object]:
    key, equals, text = words.partition("=")
    key = key.strip()
    if not equals or not key:
        raise ArenaError(f"--set {words}: expected KEY=VALUE, such as --set time.move=0.5")
    return key, _value(key, text.strip())


def _value(key: str, text: str) -> object:
    """A TOML value; a word that is none is a text, so that a shell needs no second pair of quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError as error:
        if text and text[0] not in "\"'[{" and "\n" not in text:
            return text
        raise ArenaError(f"--set {key}={text}: {error}") from error


def split(words: Iterable[str]) -> tuple[str, ...]:
    """The names of `--bots a,b --bots c`."""
    return tuple(name for word in words for name in word.split(",") if name)


def count_of(wanted: str | None) -> int | str | None:
    """The value of `--workers`."""
    if wanted is None or wanted == "auto":
        return wanted
    if not (wanted.isascii() and wanted.isdecimal()) or int(wanted) < 1:
        raise ArenaError(f"--workers {wanted}: expected auto, or a number of referee processes from 1")
    return int(wanted)


def toml(table: Mapping[str, Any], prefix: str = "") -> str:
    """A table as TOML; None is `"none"`, as in a tournament.toml."""
    plain = {key: value for key, value in table.items() if not _is_table(value)}
    lines = [f"{key} = {_written(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{prefix}{key}]", toml(value, f"{prefix}{key}.").rstrip()]
        elif _is_table(value):
            for item in value:
                given = {name: one for name, one in item.items() if one is not None}
                lines += ["", f"[[{prefix}{key}]]", toml(given, f"{prefix}{key}.").rstrip()]
    return "\n".join(lines) + "\n"


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, (list, tuple)) and any(isinstance(v, Mapping) for v in value)
    )


def _written(value: object) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value).replace("\x7f", "\\u007f")  # bools, whole numbers and texts are written as in JSON


def keep_played(folder: Path, text: str) -> None:
    """Leave the tournament.toml as it was played beside its results; touched only when it differs."""
    path = folder / "tournament.toml"
    try:
        if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
            path.write_text(text, "utf-8")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror}") from error
