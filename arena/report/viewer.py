"""A game's own view in the browser: the file NAME.viewer.js beside its rules, and its frame.

The frame confines it. This module owns where a viewer may come from, and what a page must allow for
its frame. The page's side is html/viewer.js, the frame's html/_frame.js.
"""

# How a viewer is confined
#
# Rules and their viewer come from a workspace or an installed package, never from an archive. Yet a
# viewer gets less trust than rules, because it runs in the browser of every reader. It is a worker
# inside of a sandboxed frame.
#
# - The frame has an origin of its own, may not leave its page, open a window or show a dialogue,
#   and has no script but ours. Its policy and that of the page around it hold for the worker, too:
#   no address can be asked for. A policy does not stop a frame's WebRTC and `preconnect`, both of
#   which reached a socket in Chromium 156; a worker has neither.
# - A worker is a thread, so an endless loop stops nobody: the page waits for an answer, and then
#   removes the frame with it. In Chromium such a frame also has a process of its own, whose memory
#   is nobody else's.
# - The worker talks to the frame only. The frame tells the page which question was answered, and
#   ends the worker at any other message, so that it cannot flood the page.
#
# The code reaches the worker as data. No page has to allow a script but that of the frame, which is
# ours.

import base64
import hashlib
import html
from pathlib import Path
from typing import Any

from arena import rulefile
from arena.errors import named
from arena.game import Game

SUFFIX = ".viewer.js"
LARGEST_BYTES = 200_000
SCRIPT = (Path(__file__).parent / "html" / "_frame.js").read_text("utf-8")
_DIGEST = hashlib.sha256(SCRIPT.encode()).digest()
ALLOWED = f"'sha256-{base64.b64encode(_DIGEST).decode('ascii')}'"
"""What `script-src` of a page with a viewer must have, too."""
WORKERS = "worker-src blob:"
"""What else its policy must have."""
POLICY = html.escape(f"default-src 'none'; script-src {ALLOWED}; {WORKERS}")
FRAME = (
    '<!DOCTYPE html><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><body><script>{SCRIPT}</script>'
)


def values(game: Game[Any]) -> dict[str, str]:
    """Return the frame and the code of a game's viewer, or why it cannot be read.

    There are no values for a game without a viewer.
    """
    module = type(game).__module__
    stem = module.rpartition(".")[2]
    path = None
    for source in rulefile.sources_of(game):
        if source.stem == stem:
            path = source.with_name(f"{stem}{SUFFIX}")
            break
    if path is None or not path.is_file():
        return {}

    try:
        if path.stat().st_size > LARGEST_BYTES:
            return {"broken": f"{path.name} has more than {LARGEST_BYTES:,} bytes"}
        return {"frame": FRAME, "code": path.read_text("utf-8")}
    except (OSError, UnicodeError) as error:
        return {"broken": f"{path.name} cannot be read: {named(error)}"}
