"""Pages that are opened in a browser: nothing of them may fail, or ask for anything."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

USUAL = {
    "width": 1200,
    "height": 700,
}  # the smaller a window, the less there is to paint in every frame
NUMBERS = itertools.count()


def page_of(page, path: Path, address: str = "", viewport=USUAL, **media):
    """Open a file in the page of all tests, with nothing of what an earlier test stored, chose or
    pointed at.
    """
    page.mouse.move(0, 0)
    page.set_viewport_size(viewport)
    page.emulate_media(**{"color_scheme": "light", "reduced_motion": "reduce"} | media)
    page.goto(
        f"{path.as_uri()}?{next(NUMBERS)}{address}"
    )  # with a number, as it would not load what is open
    return page


@contextlib.contextmanager
def opened(page, path: Path, address: str = "", **options) -> Iterator:
    """Yield the page; when it is left, nothing of it may have failed, asked for anything, or shown
    a dialogue.
    """
    wrong: list[str] = []
    listeners = {
        "console": lambda message: (
            wrong.append(message.text) if message.type in {"error", "warning"} else None
        ),
        "pageerror": lambda error: wrong.append(str(error)),
        "dialog": lambda dialog: wrong.append(dialog.message),
        "request": lambda asked: (
            wrong.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None
        ),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        yield page_of(page, path, address, **options)
    finally:
        page.evaluate("localStorage.clear()")
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    assert wrong == []
