"""Messages about a file of tables that is not valid: one line for each wrong key.

The file is a tournament.toml, a bot.toml or a file of lessons. pydantic's own messages use Python's
terms and repeat an error for each member of a union. The only key that this module knows is
`boards`. A stranger may have written the file, so the parts of it that a message repeats are cut
short and safe to print.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from arena.errors import did_you_mean

SHOWN_LETTERS = 80
"""The letters of a key or of a wrong value that a message shows."""
MOST_LINES = 100
"""The most lines of messages: a stranger may have made a file with a million mistakes."""
UNION_MEMBERS = {"str", "int", "float", "constrained-int"}
"""Names that pydantic gives to members of a union."""
EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "tuple_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
    "string_pattern_mismatch": (
        "a word of letters, digits and . _ - that does not begin with . or -"
    ),
}
"""The expected value, by pydantic's kind of error."""


class Mistake(ValueError):  # noqa: N818 (it is the user's mistake, not an error of the program)
    """A mistake whose message is complete; pydantic passes it on from a validator."""


@dataclass(frozen=True)
class WrongKey:
    """A wrong key and its mistake; as a text `KEY: MISTAKE`."""

    key: str
    """The name by which the user knows it; empty for a line about several keys."""
    words: str

    def __str__(self) -> str:
        if not self.key:
            return self.words
        return f"{self.key}: {self.words}"


def wrong_keys(error: ValidationError, tables: Mapping[str, type[BaseModel]]) -> list[WrongKey]:
    """Return the wrong keys.

    `tables` are the tables of the file by name, with the file itself as ``; those in their lists of
    tables need not be among them.
    """
    lists = _lists_of_tables(tables)
    known = dict(tables)
    for names, table in lists.items():
        dotted_name = ".".join(names)
        known[dotted_name] = table

    # A key that is missing comes last, because it is perhaps there, but misspelt.
    in_order = sorted(error.errors(), key=lambda detail: detail["type"] == "missing")
    errors: dict[str, list[dict[str, Any]]] = {}
    for detail in in_order:
        # An unknown key may have the name of a member of a union, so its path is not shortened.
        path = list(detail["loc"])
        if detail["type"] != "extra_forbidden":
            path = _path(path, lists)
        key = _key(path, lists)
        detail_with_path = {**detail, "path": path}
        errors.setdefault(key, []).append(detail_with_path)

    wrong = []
    for key, same_key in islice(errors.items(), MOST_LINES):
        message = _message(same_key, known, lists)
        wrong.append(WrongKey(key, message))
    more = len(errors) - MOST_LINES
    if more > 0:
        wrong.append(WrongKey("", f"and {more} more"))
    return wrong


def _lists_of_tables(
    tables: Mapping[str, type[BaseModel]],
) -> dict[tuple[str, ...], type[BaseModel]]:
    """Return the keys that stand in double brackets, each with the table of its entries."""
    lists: dict[tuple[str, ...], type[BaseModel]] = {}
    for name, table in tables.items():
        for key, field in table.model_fields.items():
            if get_origin(field.annotation) is not tuple:
                continue
            entry = get_args(field.annotation)[0]
            if not isinstance(entry, type) or not issubclass(entry, BaseModel):
                continue
            if name:
                lists[name, key] = entry
            else:
                lists[(key,)] = entry
    return lists


def _path(
    parts: Sequence[int | str],
    lists: Collection[tuple[str, ...]],
) -> list[int | str]:
    """Return the path of a key, without the names that pydantic gives to the members of a union."""
    path: list[int | str] = []
    for part in parts:
        is_member = part in UNION_MEMBERS or str(part).startswith(("tuple[", "literal["))
        if not is_member:
            path.append(part)
    if path[:1] == ["boards"]:
        return path[:2]
    for names in lists:
        depth = len(names)
        if tuple(path[:depth]) == names:
            return path[: depth + 2]
    return path


def _key(path: list[int | str], lists: Collection[tuple[str, ...]]) -> str:
    """Return a path as the user knows it: `time.move`, `boards 2`, `[[bot]] 2: name`."""
    texts = list(map(_text, path))
    for names in lists:
        depth = len(names)
        is_in_list = tuple(path[:depth]) == names
        if is_in_list and len(path) > depth:
            table = ".".join(names)
            key = ": ".join(texts[depth:])
            return f"[[{table}]] {key}"
    if isinstance(path[-1], int):
        return " ".join(texts)
    return ".".join(texts)


def _text(part: int | str) -> str:
    """Return a part of a path, safe to print; the user counts the tables of a list from 1."""
    if isinstance(part, int):
        return str(part + 1)
    text = part[:SHOWN_LETTERS]
    if part.isprintable():
        return text
    return ascii(text)


def _message(
    same_key: list[dict[str, Any]],
    tables: Mapping[str, type[BaseModel]],
    lists: Collection[tuple[str, ...]],
) -> str:
    """Return the mistake of a key in words; pydantic has an error for each member of a union."""
    error = same_key[0]
    path = error["path"]
    if error["type"] == "missing":
        return "this key is missing"
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, tables)
    is_table = error["type"] == "tuple_type" and isinstance(error["input"], dict)
    if is_table and tuple(path) in lists:
        table = ".".join(path)
        return f"expected [[{table}]], with two brackets on each side"
    context = error.get("ctx", {})
    mistake = context.get("error")
    if isinstance(mistake, Mistake):
        return str(mistake)
    distinct = dict.fromkeys(map(_expected, same_key))
    expected = ", or ".join(distinct)
    value = shown(error["input"])
    return f"expected {expected}, not {value}"


def _unknown_key(path: list[int | str], tables: Mapping[str, type[BaseModel]]) -> str:
    """Return the message about an unknown key, with the key that the user perhaps meant."""
    name = str(path[-1])[:SHOWN_LETTERS]
    names_of_tables = [part for part in path[:-1] if isinstance(part, str)]
    table_name = ".".join(names_of_tables)
    known = list(tables[table_name].model_fields)
    hint = did_you_mean(name, known)
    for table, model in tables.items():
        if table and name in model.model_fields:
            hint = f"did you mean '{table}.{name}'?"
            break
    if not hint:
        names = ", ".join(known)
        hint = f"known: {names}"
    return f"unknown key; {hint}"


def _expected(error: dict[str, Any]) -> str:
    """Return the value that one error of pydantic expects, in words."""
    bounds = error.get("ctx", {})
    last = error["loc"][-1]
    last_of_key = error["path"][-1]
    if isinstance(last, int) and not isinstance(last_of_key, int):
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
            if kind in EXPECTED:
                return EXPECTED[kind]
            return str(error["msg"])


def shown(value: object) -> str:
    """Return a wrong value about as TOML writes it."""
    if isinstance(value, dict):
        return "a table"
    try:
        if isinstance(value, str | bool | list | tuple):
            text = json.dumps(value)
        else:
            text = repr(value)
    except (TypeError, ValueError):
        if isinstance(value, list | tuple):  # it has a date, or such a number
            return "such a list"
        return "a number of thousands of digits"  # Python refuses to print it
    if len(text) <= SHOWN_LETTERS:
        return text
    return f"{text[: SHOWN_LETTERS - 3]}..."
