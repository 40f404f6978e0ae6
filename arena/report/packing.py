"""Values as text that is safe inside HTML, and small. Pure."""

import base64
import json
import zlib


def safe_json(value: object) -> str:
    """JSON that no HTML parser sees a tag, an entity or a comment in; letters outside ASCII are escaped."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed(text: str) -> str:
    """A text as base64 of its zlib stream, which a browser unpacks with DecompressionStream("deflate")."""
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode("ascii")
