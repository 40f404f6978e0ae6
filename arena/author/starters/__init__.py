"""Starter kits: a folder each, with a whole bot that is copied under a new name.

A folder beside this file is a kit when it has a bot.toml, so a new language is a new folder.
Extensions bring others. The author, the games and what all pages say are added to the copy. This
module knows no workspace, and runs nothing.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena import extensions, whole_files
from arena.errors import ArenaError, known_are, writing
from arena.event.discovery import README, is_source

HERE = Path(__file__).parent
README_END = "README_END.md"
"""The end of the README.md of every new bot."""
GUIDE = "AGENTS.md"
"""The page for coding agents, which every new bot gets."""
LESSONS = (
    "`arena lessons BOT` shows the positions in which the bot threw most away, with what was\n"
    "  better; "
)
"""What the guide says where there is this command."""


@dataclass(frozen=True)
class Starter:
    """One starter kit."""

    name: str
    """The folder's name, as `--language` takes it."""
    folder: Path
    language: str
    command: str
    build: str | None
    """The command that makes it runnable; None when it needs none."""


def starters() -> tuple[Starter, ...]:
    """Return every kit, in order of name."""
    folders = [path.parent for path in HERE.glob("*/bot.toml")]
    folders += map(extensions.file_beside, extensions.starters())
    kits: list[Starter] = []
    for folder in sorted(folders, key=lambda folder: folder.name):
        table = tomllib.loads((folder / "bot.toml").read_text("utf-8"))
        kit = Starter(
            name=folder.name,
            folder=folder,
            language=table["language"],
            command=table["command"],
            build=table.get("build"),
        )
        kits.append(kit)
    return tuple(kits)


def find(language: str) -> Starter:
    """Return the first kit with this name, or in a language of this name or file ending.

    ArenaError if there is none.
    """
    known = starters()
    name = language.lower().removeprefix(".")
    for kit in known:
        if name in {kit.name, kit.language}:
            return kit
        sources = [path for path in kit.folder.iterdir() if is_source(path.name)]
        endings = {path.suffix[1:] for path in sources}
        if name in endings:
            return kit

    kit_names = [kit.name for kit in known]
    suggestion = known_are(language.lower(), kit_names)
    raise ArenaError(f"--language {language}: no starter kit in it; {suggestion}")


def copy(
    kit: Starter,
    target: Path,
    *,
    author: str,
    games: Iterable[str],
    replacements: Mapping[str, str],
) -> None:
    """Make a new bot in the folder `target`, and fill in each `@key@` of its pages.

    ArenaError if there is a bot of this name already; case and file endings make no difference.
    """
    refuse_taken(target)
    listed = ", ".join(_quoted(game) for game in games)
    settings = (
        f"author = {_quoted(author)}\n"
        f"games = [{listed}]  # the games or boards that it plays; [] = all\n"
    )
    # A power cut leaves no half of a bot, which would stop a run.
    with writing(target), whole_files.staging(target.parent) as folder:
        bot = folder / target.name
        whole_files.copy_new(kit.folder, bot)
        with (bot / "bot.toml").open("a", encoding="utf-8") as file:
            file.write(settings)

        readme = (bot / README).read_text("utf-8")
        readme += (HERE / README_END).read_text("utf-8")
        (bot / README).write_text(_filled(readme, replacements), "utf-8")

        lessons = ""
        if "lessons" in extensions.commands():
            lessons = LESSONS
        guide = (HERE / GUIDE).read_text("utf-8")
        guide = _filled(guide, {**replacements, "lessons": lessons})
        (bot / GUIDE).write_text(guide, "utf-8")
        whole_files.publish(bot, target)


def _filled(text: str, replacements: Mapping[str, str]) -> str:
    for key, value in replacements.items():
        text = text.replace(f"@{key}@", value)
    return text


def refuse_taken(target: Path) -> None:
    """Raise ArenaError if there is a bot of this name already, or no folder for it."""
    if not target.parent.is_dir():
        raise ArenaError(
            f"{target.parent}: there is no such folder; make it, or run this where "
            "tournament.toml is"
        )
    name = target.name.lower()
    for path in sorted(target.parent.iterdir()):
        is_program = path.is_file() and path.stem.lower() == name
        if is_program or path.name.lower() == name:
            raise ArenaError(f"{path}: is there already; choose another name than {target.name!r}")


def _quoted(text: str) -> str:
    """Return a text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
