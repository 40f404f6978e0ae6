"""A bot with other values of its parameters.

It is a copy of the bot's folder, whose bot.toml has them as start values.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from arena.errors import ArenaError, writing
from arena.event import bot_folder, discovery
from arena.event.discovery import bot_toml
from arena.identity import digest_of
from arena.values import Bot

TOML = "bot.toml"


def parameters_of(bot: Bot) -> dict[str, bot_toml.Parameter]:
    """Return the parameters of a bot.

    Raise ArenaError where it declares none that its command has.
    """
    path = Path(bot.files or "")
    if not (path / TOML).is_file():
        raise ArenaError(f"{bot.name}: has no bot.toml; [parameters] there says what may be tuned")
    settings = bot_toml.read(path / TOML)
    if not settings.parameters:
        raise ArenaError(
            f"{path / TOML}: parameters: none are declared; for example\n"
            "  [parameters]\n  depth = {low = 1, high = 8, start = 3}"
        )
    unused = [
        name for name in settings.parameters if f"{{{name}}}" not in " ".join(settings.command)
    ]
    if unused:
        raise ArenaError(
            f"{path / TOML}: parameters.{unused[0]}: the command has no {{{unused[0]}}}; for "
            "example "
            f'command = "python bot.py {{{unused[0]}}}"'
        )
    return dict(settings.parameters)


def make(bot: Bot, values: Mapping[str, float], folder: Path) -> Bot:
    """Return the bot with these values, whose files are in a folder of its own below `folder`.

    A folder that is there already is taken as it is: its name has the digest of the bot and of the
    values.
    """
    name = f"{bot.name}-{digest_of('variant', bot.digest, dict(values), length=8)}"
    target = folder / name / bot.name
    if not target.exists():
        source = Path(bot.files or "")
        table = tomllib.loads((source / TOML).read_text("utf-8"))
        for parameter, value in values.items():
            table["parameters"][parameter]["start"] = value
        with writing(folder), bot_folder.making(target.parent) as making:
            making.mkdir()
            bot_folder.copy(source, making / bot.name)
            (making / bot.name / TOML).write_text(tomli_w.dumps(table), "utf-8")
    return discovery.from_path(target, bot.name)
