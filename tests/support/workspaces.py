"""Make workspaces for tests: bots, rules and tournament.toml in a folder, as an organiser would
have them.

A test that needs results without a workspace takes `stored.py`: it makes archives of matches that
nobody played.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from tests.support import cup, sprint

GAMES = {name: Path(__file__).with_name(f"{name}.py") for name in ("sprint", "words")}
"""The games of the tests that a workspace may have, beside those that arena ships."""
DEFAULTS = {"name": "cup", "seed": 5, "bots": "bots", "time": {"start": 10.0, "move": 10.0}}
"""The keys of each tournament.toml; a busy machine reaches none of these limits."""


def make(
    folder: Path, bots: Mapping[str, str] | None = None, boards: str = "sprint", **keys: object
) -> Path:
    """Make a workspace in a new folder, or in an empty one; return the folder.

    Args:
        folder: its path.
        bots: the text of each bot by its name: Python, or any script that begins with `#!`. None
            stands for `first` and `last`, which play the first and the last legal move of any game.
        boards: labels, separated by blanks. `sprint` is over at once, and needs no thought.
        keys: more keys of tournament.toml, or others than `DEFAULTS`; a dict is a table.
    """
    for place in ("bots", "rules"):
        (folder / place).mkdir(parents=True)
    if bots is None:
        bots = {"first": cup.FIRST, "last": cup.LAST}
    for name, text in bots.items():
        is_script = text.startswith("#!")
        bot = folder / "bots" / (name if is_script else f"{name}.py")
        bot.write_text(text)
        bot.chmod(0o755 if is_script else 0o644)
    labels = boards.split()
    games = {label.partition("/")[0] for label in labels}
    for name in games & GAMES.keys():
        shutil.copy(GAMES[name], folder / "rules")
    (folder / "tournament.toml").write_text(tomli_w.dumps(DEFAULTS | {"boards": labels} | keys))
    return folder


def make_slow(folder: Path, repeats: int = 20) -> Path:
    """Make a workspace with an event of six matches a repeat, each of which waits for 0.1 s and
    computes little.
    """
    bots = {"first": sprint.FIRST, "last": sprint.LAST, "more": f"{sprint.FIRST}# more\n"}
    return make(folder, {name: sprint.slow(text) for name, text in bots.items()}, repeats=repeats)
