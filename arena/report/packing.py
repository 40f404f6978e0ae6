"""Values as text that is safe inside HTML, and small. Pure."""

import base64
import json
import zlib


def safe_json(value: object) -> str:
    """Return JSON in which no HTML parser sees a tag, an entity or a comment; letters outside ASCII are escaped."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed(text: str) -> str:
    """Return a text as base64 of its zlib stream; a browser unpacks it with DecompressionStream("deflate")."""
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode("ascii")
