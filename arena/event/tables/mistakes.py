"""Messages about a tournament.toml, bot.toml or file of lessons that is not valid: one line for each wrong key.

pydantic's own messages use Python's terms and repeat an error for each member of a union. Of the
keys it knows only those of `boards` and of lists of tables. A stranger may have written the file,
so what a message repeats of it is cut short and safe to print.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from arena.errors import did_you_mean

SHOWN_LETTERS = 80  # of a key or a wrong value
MOST_LINES = 100  # of a file that a stranger made to have a million mistakes
LISTS_OF_TABLES = (["bot"], ["grade", "threshold"], ["lesson"])
"""The keys that stand in double brackets."""
EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "tuple_type": "a list",
    "model_type": "a table",
    "string_pattern_mismatch": "a word of letters, digits and . _ - that does not begin with . or -",
}
"""What should stand there, by pydantic's kind of error."""


class Mistake(ValueError):  # noqa: N818 (the user's mistake, and no error of the program)
    """A mistake whose message is complete; pydantic passes it on from a validator."""


@dataclass(frozen=True)
class WrongKey:
    """What is wrong with a key; as a text `KEY: what is wrong`."""

    key: str
    """As the user knows it; empty for a line about several keys."""
    words: str

    def __str__(self) -> str:
        return f"{self.key}: {self.words}" if self.key else self.words


def wrong_keys(error: ValidationError, tables: Mapping[str, type[BaseModel]]) -> list[WrongKey]:
    """Return what is wrong with each key; `tables` are the file's by name, with the file itself as ``."""
    errors: dict[str, list[dict[str, Any]]] = {}
    for each in sorted(
        error.errors(), key=lambda each: each["type"] == "missing"
    ):  # last: it is perhaps misspelt
        # An unknown key may be called like a member of a union: its path is the file's own.
        path = list(each["loc"]) if each["type"] == "extra_forbidden" else _path(each["loc"])
        errors.setdefault(_key(path), []).append({**each, "path": path})
    wrong = [
        WrongKey(key, _message(same_key, tables))
        for key, same_key in islice(errors.items(), MOST_LINES)
    ]
    if len(errors) > MOST_LINES:
        wrong.append(WrongKey("", f"and {len(errors) - MOST_LINES} more"))
    return wrong


def _path(loc: tuple[int | str, ...]) -> list[int | str]:
    """Return the path of a key, without the names that pydantic gives to the members of a union."""
    members = {"str", "int", "float", "constrained-int"}
    path = [
        part
        for part in loc
        if part not in members and not str(part).startswith(("tuple[", "literal["))
    ]
    if path[:1] == ["boards"]:
        return path[:2]
    return next(
        (path[: len(names) + 2] for names in LISTS_OF_TABLES if path[: len(names)] == names), path
    )


def _key(path: list[int | str]) -> str:
    """Return a path as the user knows it: `time.move`, `boards 2`, `[[bot]] 2: name`."""
    parts = [part if isinstance(part, str) else str(part + 1) for part in path]
    texts = [
        part[:SHOWN_LETTERS] if part.isprintable() else ascii(part[:SHOWN_LETTERS])
        for part in parts
    ]
    for names in LISTS_OF_TABLES:
        if path[: len(names)] == names and len(path) > len(names):
            return f"[[{'.'.join(names)}]] {': '.join(texts[len(names) :])}"
    return " ".join(texts) if isinstance(path[-1], int) else ".".join(texts)


def _message(same_key: list[dict[str, Any]], tables: Mapping[str, type[BaseModel]]) -> str:
    error = same_key[0]
    if error["type"] == "missing":
        return "this key is missing"
    if error["type"] == "extra_forbidden":
        path = error["path"]
        name = str(path[-1])[:SHOWN_LETTERS]
        known = list(
            tables[".".join(part for part in path[:-1] if isinstance(part, str))].model_fields
        )
        elsewhere = [
            f"{table}.{name}"
            for table, model in tables.items()
            if table and name in model.model_fields
        ]
        hint = f"did you mean {elsewhere[0]!r}?" if elsewhere else did_you_mean(name, known)
        return f"unknown key; {hint or 'known: ' + ', '.join(known)}"
    if (
        error["type"] == "tuple_type"
        and isinstance(error["input"], dict)
        and error["path"] in LISTS_OF_TABLES
    ):
        return f"expected [[{'.'.join(error['path'])}]], with two brackets on each side"
    if isinstance(mistake := error.get("ctx", {}).get("error"), Mistake):
        return str(mistake)
    expected = dict.fromkeys(_expected(each) for each in same_key)
    return f"expected {', or '.join(expected)}, not {shown(error['input'])}"


def _expected(error: dict[str, Any]) -> str:
    bounds = error.get("ctx", {})
    if isinstance(error["loc"][-1], int) and not isinstance(error["path"][-1], int):
        return "a list of texts"
    match error["type"]:
        case "greater_than":
            return f"more than {bounds['gt']:.16g}"
        case "greater_than_equal":
            return f"{bounds['ge']:.16g} or more"
        case "less_than_equal":
            return f"{bounds['le']:.16g} or less"
        case "string_too_long":
            return f"at most {bounds['max_length']} characters"
        case "too_long":
            return f"at most {bounds['max_length']} entries"
        case "literal_error":
            return str(bounds["expected"]).replace("'", '"')
        case "value_error":
            return str(bounds["error"])
        case kind:
            return EXPECTED[kind] if kind in EXPECTED else str(error["msg"])


def shown(value: object) -> str:
    """Return a wrong value about as TOML writes it."""
    if isinstance(value, dict):
        return "a table"
    try:
        text = json.dumps(value) if isinstance(value, str | bool | list | tuple) else repr(value)
    except (
        TypeError,
        ValueError,
    ):  # a date in a list; or a number of more digits than Python prints
        return (
            "such a list" if isinstance(value, list | tuple) else "a number of thousands of digits"
        )
    return text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 3]}..."
