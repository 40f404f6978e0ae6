"""`arena new NAME --bridge BRIDGE --engine COMMAND`: the folder of a bot that exists already."""

import json as json_text
import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from arena import extensions, whole_files
from arena.author import starters
from arena.cli import output, paths
from arena.errors import ArenaError, known_are, writing
from arena.event import config, discovery
from arena.event.discovery import programs
from arena.sandbox.file_policy import public

GAMES = "/usr/games:/usr/local/games"
"""Folders of games that the PATH of root leaves out."""


def new(
    name: str | None = None,
    game: str | None = None,
    author: str = "",
    json: bool = False,
    bridge: Annotated[
        str,
        typer.Option(
            "--bridge",
            metavar="BRIDGE",
            help="Instead of a kit: what the bot speaks, such as uci; with --engine.",
        ),
    ] = "",
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="COMMAND",
            help="With --bridge: the bot itself; its files are copied.",
        ),
    ] = None,
) -> None:
    """Make the folder of a bot that plays behind a bridge."""
    known = extensions.bridges()
    if bridge not in known:
        raise ArenaError(f"--bridge {bridge}: no such bridge; {known_are(bridge, list(known))}")
    if name is None or engine is None:
        raise ArenaError(
            "--bridge: name the bot and its program: arena new NAME --bridge uci --engine "
            "./stockfish"
        )
    command_words, files = _command_and_files(engine)
    file = paths.tournament_file(None)
    tournament = config.load(file) if file.is_file() else None
    target = Path((tournament.bots if tournament else None) or ".") / discovery.checked(
        name, Path("NAME")
    )
    starters.refuse_taken(target)
    settings = {
        "bridge": bridge,
        "command": command_words,
        "author": author,
        "games": [game] if game else list(known[bridge].games),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items()]
    with writing(target), whole_files.staging(target.parent) as folder:
        bot = folder / target.name
        bot.mkdir()
        for path in files:
            whole_files.copy_new(path, bot / path.name)
        (bot / "bot.toml").write_text("\n".join(lines) + "\n", "utf-8")
        whole_files.publish(bot, target)
    if json:
        row = {"bot": name, "path": str(target), "bridge": bridge, "command": command_words}
        output.print_json([row])
        return
    board = f" --board {shlex.quote(settings['games'][0])}" if settings["games"] else ""
    path_word = shlex.quote(str(target))
    print(f"{target} is a bot now: `arena docs bridges` is its page. Next:\n")
    print(f"  arena check {path_word}{board}\n  arena match {path_word} {path_word}{board}")


def _command_and_files(engine: str) -> tuple[list[str], list[Path]]:
    """Return the words of a bot's command in its folder, and the files that it needs there.

    A program of the system stays where it is. A word that names another file names its copy.
    """
    try:
        command_words = shlex.split(engine)
    except ValueError as error:
        raise ArenaError(f"--engine {engine}: {error}") from error
    if not command_words:
        raise ArenaError("--engine: is empty; name the program, such as ./stockfish")
    files: list[Path] = []
    for position, word in enumerate(command_words):
        path = Path(word)
        if not path.is_file() or public(str(path.absolute())):
            continue
        files.append(path)
        is_program = position == 0
        command_words[position] = f"./{path.name}" if is_program else path.name
        if is_program and path.suffix == ".py":
            command_words[position : position + 1] = ["python", path.name]
    program = command_words[0]
    if program != "python" and not program.startswith("./"):
        executable = shutil.which(program) or shutil.which(program, path=GAMES)
        if executable is None:
            raise ArenaError(f"--engine {engine}: there is no program {program!r}; name its file")
        command_words[0] = executable
    elif program.startswith("./") and not Path(program).is_file() and not files:
        raise ArenaError(f"--engine {engine}: there is no file {program!r}")
    try:
        programs.refuse_outside(programs.words_of(command_words))
    except ValueError as error:
        raise ArenaError(f"--engine {engine}: {error}") from error
    return command_words, files


def _toml(value: object) -> str:
    """Return a text, or a list of texts, as TOML writes it."""
    return json_text.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
