"""What a user is told of a tournament.toml that is not sound: one line for each key that is wrong.

It owns the words, because pydantic's speak of Python and say a union's mistake once for each of its kinds. It knows no
key by itself.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from arena.errors import did_you_mean

WANTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "tuple_type": "a list",
    "model_type": "a table",
    "string_pattern_mismatch": "a word of letters, digits and . _ - that does not begin with . or -",
}
"""What each kind of mistake should have been, in words; pydantic's speak of Python."""


def sentences(error: ValidationError, tables: Mapping[str, type[BaseModel]]) -> list[str]:
    """A line for each key, `KEY: what is wrong`; `tables` are the file's, by name, with the file itself as ``."""
    mistakes: dict[str, list[dict[str, Any]]] = {}
    for one in error.errors():
        place = _place(one["loc"])
        mistakes.setdefault(_key(place), []).append({**one, "place": place})
    return [f"{key}: {_sentence(found, tables)}" for key, found in mistakes.items()]


def _place(loc: tuple[int | str, ...]) -> list[int | str]:
    """Where a mistake is, without the names that pydantic gives to the kinds of a union."""
    kinds = {"str", "int", "float", "constrained-int"}
    kept = [part for part in loc if part not in kinds and not str(part).startswith(("tuple[", "literal["))]
    return kept[:2] if kept[:1] == ["boards"] else kept[:3] if kept[:1] == ["bot"] else kept


def _key(place: list[int | str]) -> str:
    """A place as the file has it: `time.move`, `boards`, `[[bot]] 2: name`."""
    words = [part if isinstance(part, str) else str(part + 1) for part in place]
    shown = [word if word.isprintable() else ascii(word) for word in words]
    if place[0] == "bot" and len(place) > 1:
        return f"[[bot]] {': '.join(shown[1:])}"
    return " ".join(shown) if isinstance(place[-1], int) else ".".join(shown)


def _sentence(found: list[dict[str, Any]], tables: Mapping[str, type[BaseModel]]) -> str:
    """What is wrong with one key."""
    error = found[0]
    if error["type"] == "missing":
        return "this key is missing"
    if error["type"] == "extra_forbidden":
        known = list(tables[_table(error["place"])].model_fields)
        meant = did_you_mean(str(error["place"][-1]), known)
        return f"unknown key; {meant or 'known: ' + ', '.join(known)}"
    if error["type"] == "tuple_type" and isinstance(error["input"], dict):
        return f"expected [[{error['place'][-1]}]], with two brackets on each side"
    wanted = dict.fromkeys(_wanted(one) for one in found)
    return f"expected {', or '.join(wanted)}, not {_shown(error['input'])}"


def _table(place: list[int | str]) -> str:
    """The name of the table that a key stands in."""
    return str(place[0]) if len(place) > 1 else ""


def _wanted(error: dict[str, Any]) -> str:
    """What should have been there."""
    limits = error.get("ctx", {})
    if isinstance(error["loc"][-1], int) and not isinstance(error["place"][-1], int):
        return "a list of texts"
    match error["type"]:
        case "greater_than":
            return f"more than {limits['gt']:g}"
        case "greater_than_equal":
            return f"{limits['ge']:g} or more"
        case "string_too_long":
            return f"at most {limits['max_length']} characters"
        case "literal_error":
            return str(limits["expected"]).replace("'", '"')
        case "value_error":
            return str(limits["error"])
        case kind:
            return WANTED[kind] if kind in WANTED else str(error["msg"])


def _shown(value: object) -> str:
    """A value about as TOML writes it, safe to print."""
    if isinstance(value, dict):
        return "a table"
    return json.dumps(value) if isinstance(value, str | bool | list | tuple) else repr(value)
