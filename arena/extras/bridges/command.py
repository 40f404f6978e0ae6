"""`arena new NAME --bridge BRIDGE`: the folder of a bot that exists already, or of a first one.

With `--engine COMMAND` the bot is that program. Otherwise it is the skeleton of the bridge: a small
bot that speaks in this way, and passes its check.
"""

import json as json_text
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Mapping
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
WHOLE_FOLDER = ["openspiel"]
"""Games of which a bot plays some: no line names a board for it."""


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
            help="Instead of a kit: what the bot speaks, such as uci.",
        ),
    ] = "",
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="COMMAND",
            help="With --bridge: the bot itself, whose files are copied; default: a small one.",
        ),
    ] = None,
) -> None:
    """Make the folder of a bot that plays behind a bridge."""
    known = extensions.bridges()
    if bridge not in known:
        choices = known_are(bridge, list(known))
        raise ArenaError(f"--bridge {bridge}: no such bridge; {choices}")
    skeleton = known[bridge].skeleton
    if name is None:
        raise ArenaError(f"--bridge: name the bot: arena new NAME --bridge {bridge}")
    if engine is None and not skeleton:
        raise ArenaError(
            f"--bridge {bridge}: name the program of the bot: --engine COMMAND, because this "
            "bridge has no small bot to begin with"
        )

    bots = None
    file = paths.tournament_file(None)
    if file.is_file():
        bots = config.load(file).bots
    target = Path(bots or ".") / discovery.checked(name, Path("NAME"))

    if engine is None:
        folder_of_skeleton = extensions.file_beside(skeleton)
        files = [path for path in folder_of_skeleton.iterdir() if path.is_file()]
        files.sort()
        settings = _settings_of_skeleton(bridge, files, game, author)
    else:
        command_words, files = _command_and_files(engine)
        games = list(known[bridge].games)
        if game:
            games = [game]
        keys = {
            "bridge": bridge,
            "command": command_words,
            "author": author,
            "games": games,
        }
        settings = _settings(keys)

    starters.refuse_taken(target)
    with writing(target), whole_files.staging(target.parent) as folder:
        bot = folder / target.name
        bot.mkdir()
        for path in files:
            whole_files.copy_new(path, bot / path.name)
        (bot / "bot.toml").write_text(settings, "utf-8")
        whole_files.publish(bot, target)

    table = tomllib.loads(settings)
    if json:
        row = {
            "bot": name,
            "path": str(target),
            "bridge": bridge,
            "command": table["command"],
        }
        output.print_json([row])
        return
    board = "BOARD"
    if table["games"] and table["games"] != WHOLE_FOLDER:
        board = shlex.quote(table["games"][0])
    path_word = shlex.quote(str(target))
    print(f"{target} is a bot now: `arena docs bridges` is its page. Next:\n")
    print(f"  arena check {path_word} --board {board}")
    print(f"  arena match {path_word} {path_word} --board {board}")
    if board == "BOARD":
        print("\nBOARD is a board that your bot plays; `arena games` lists them.")


def _settings(keys: Mapping[str, object]) -> str:
    """Return the text of a bot.toml with these keys."""
    lines = [f"{key} = {_toml(value)}\n" for key, value in keys.items()]
    return "".join(lines)


def _settings_of_skeleton(
    bridge: str,
    files: Iterable[Path],
    game: str | None,
    author: str,
) -> str:
    """Return the text of the bot.toml of a skeleton, with its author.

    ArenaError if the skeleton does not play the game that the user wants.
    """
    (file,) = (path for path in files if path.name == "bot.toml")
    settings = file.read_text("utf-8")
    (board,) = tomllib.loads(settings)["games"]
    if game not in {None, board}:
        raise ArenaError(
            f"--game {game}: without --engine, the bot with the bridge {bridge} plays {board}; "
            "leave --game out, and change the bot afterwards"
        )
    return _settings({"author": author}) + settings


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
    words_here: list[str] = []
    files: list[Path] = []
    taken = {"bot.toml"}  # arena writes that
    for position, word in enumerate(command_words):
        path = Path(word)
        absolute_path = str(path.absolute())
        if not path.is_file() or public(absolute_path):
            words_here.append(word)
            continue
        if path not in files:
            if path.name in taken:
                raise ArenaError(
                    f"--engine {engine}: {path} would lie beside another file of its name in the "
                    "bot's folder; rename it"
                )
            taken.add(path.name)
            files.append(path)
        if position > 0:
            words_here.append(path.name)
        elif path.suffix == ".py":
            words_here += ["python", path.name]
        else:
            words_here.append(f"./{path.name}")
    program = words_here[0]
    if program != "python" and not program.startswith("./"):
        executable = shutil.which(program) or shutil.which(program, path=GAMES)
        if executable is None:
            raise ArenaError(f"--engine {engine}: there is no program {program!r}; name its file")
        words_here[0] = executable
    elif program.startswith("./") and not Path(program).is_file() and not files:
        raise ArenaError(f"--engine {engine}: there is no file {program!r}")
    try:
        programs.refuse_outside(programs.words_of(words_here))
    except ValueError as error:
        raise ArenaError(f"--engine {engine}: {error}") from error
    return words_here, files


def _toml(value: object) -> str:
    """Return a text, or a list of texts, as TOML writes it."""
    return json_text.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
