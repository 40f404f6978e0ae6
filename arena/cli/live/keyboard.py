"""Bytes from a terminal -> names of keys. Pure: it reads nothing."""

import re

SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])")
"""What a key of no letter sends (ECMA-48 CSI, or SS3)."""
UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;?]*|O)?$")
NAMES = {
    **dict(zip("ABCD", ("up", "down", "right", "left"), strict=True)),
    "H": "home",
    "F": "end",
    "1~": "home",
    "4~": "end",
    "7~": "home",
    "8~": "end",
    "5~": "page up",
    "6~": "page down",
    "3~": "delete",
}
CONTROLS = {
    b"\r": "enter",
    b"\n": "enter",
    b"\t": "tab",
    b"\x1b": "escape",
    b" ": "space",
    b"\x7f": "backspace",
    b"\x08": "backspace",
    b"\x04": "ctrl-d",
    b"\x0c": "ctrl-l",
    b"\x15": "ctrl-u",
}


def decode(data: bytes, *, complete: bool = False) -> tuple[list[str], bytes]:
    """The keys that were pressed, and the bytes of one that is not whole yet.

    A printable character is its own name; a key that has no name here is left out. With `complete` no more bytes are
    on their way, so that a lone escape is the key of that name.
    """
    keys: list[str] = []
    while data:
        if found := SEQUENCE.match(data):
            name = NAMES.get(re.sub(r"^1;\d", "", found[0][2:].decode("ascii")), "")
            data = data[found.end() :]
        elif not complete and UNFINISHED.match(data):
            break
        else:
            size = _size(data[0])
            if len(data) < size and not complete:
                break
            name, data = _name(data[:size]), data[size:]
        keys += [name] if name else []
    return keys, data


def _size(first: int) -> int:
    """How many bytes a character of UTF-8 has, by its first."""
    return 4 if first >= 0xF0 else 3 if first >= 0xE0 else 2 if first >= 0xC0 else 1


def _name(character: bytes) -> str:
    if character in CONTROLS:
        return CONTROLS[character]
    text = character.decode("utf-8", "ignore")
    return text if text.isprintable() else ""
