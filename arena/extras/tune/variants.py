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
    file = Path(bot.files or "") / TOML
    if not file.is_file():
        raise ArenaError(f"{bot.name}: has no bot.toml; [parameters] there says what may be tuned")
    settings = bot_toml.read(file)
    if not settings.parameters:
        raise ArenaError(
            f"{file}: parameters: none are declared; for example\n"
            "  [parameters]\n  depth = {low = 1, high = 8, start = 3}"
        )
    command = " ".join(settings.command)
    for name in settings.parameters:
        if f"{{{name}}}" not in command:
            raise ArenaError(
                f"{file}: parameters.{name}: the command has no {{{name}}}; for example "
                f'command = "python bot.py {{{name}}}"'
            )
    return dict(settings.parameters)


def make(bot: Bot, values: Mapping[str, float], folder: Path) -> Bot:
    """Return the bot with these values, whose files are in a folder of its own below `folder`.

    A folder that is there already is taken as it is: its name has the digest of the bot and of the
    values.
    """
    digest = digest_of("variant", bot.digest, dict(values), length=8)
    target = folder / f"{bot.name}-{digest}" / bot.name
    if not target.exists():
        source = Path(bot.files or "")
        settings = (source / TOML).read_text("utf-8")
        table = tomllib.loads(settings)
        for parameter, value in values.items():
            table["parameters"][parameter]["start"] = value

        with writing(folder), bot_folder.making(target.parent) as making:
            making.mkdir()
            copy = making / bot.name
            bot_folder.copy(source, copy)
            copy_of_settings = copy / TOML
            copy_of_settings.write_text(tomli_w.dumps(table), "utf-8")
    return discovery.from_path(target, bot.name)
