"""Sizes as people write them, in bytes.

pydantic.ByteSize is not used: it reads "1 MB more" as 1 MB, and "64 Mbit" as a size, where a mistake should be named.
"""

import re

UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def bytes_of(size: str | int) -> int:
    """Return a size such as `256 MB` or `1 GiB` in bytes; ValueError for any other text."""
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", size)
    if match is None or match[2].lower() not in UNITS:
        raise ValueError(f"expected a size such as '256 MB', not {size[:40]!r}")
    number = float(match[1]) * UNITS[match[2].lower()]
    if number == float("inf"):
        raise ValueError(f"expected a size such as '256 MB', not {size[:20]!r}...")
    return int(number)
