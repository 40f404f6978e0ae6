"""The command line `arena`, by typer: a file for each command, or for a few that are one idea.

A file has the name of its command. This folder owns the messages to users; how a command ends, and
its exit code, is in exits.py. Results go to stdout, everything else to stderr. A command's module
is imported when it is called, so that the help and the completion of a shell import none; modules
that are slow to import (pandas, matplotlib, pydantic, rich) are imported inside the commands that
need them.

Where to change what (paths begin below arena/):

- a command: one file in `cli/`, a line in `cli/__init__.py`, then `python tests/pages.py`
- the columns of the live table of `arena run`: `cli/run/watcher.py` `COLUMNS`
- what `--json` prints: `cli/output.py` `print_json`; the rows and their keys are made in the
  command's own file
- from where `--from MATCH --turn N` goes on: `replay/fork.py`; the commands in the report:
  `report/html/commands.js`
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, NoReturn

if {"_ARENA_COMPLETE", "_BOTARENA_COMPLETE"} & os.environ.keys():
    # A shell asks for completions at each press of a key. typer would import rich, for markup in
    # the help texts, and pydantic, for values that nobody uses here: both together take three times
    # as long as all the rest.
    sys.modules |= {"rich": None, "pydantic": None}  # type: ignore[dict-item]

import typer
from typer.core import TyperGroup

from arena import exits, extensions
from arena.cli import output
from arena.errors import ArenaError
from arena.version import __version__

COMMANDS = {
    "The first hour": {
        "init": "Make a new workspace: a folder for an event and its bots.",
        "new": "Make a bot from a starter kit.",
        "check": "Test whether a bot is fit to play.",
        "match": "Play one match between named bots, and show it.",
        "run": "Play the event of a tournament.toml, or go on with it.",
        "replay": "Look at a recorded match, turn by turn or line by line; list them.",
        "report": "Write report.html: tables, charts and matches to replay.",
        "submit": "Check a bot, or a folder of students' bots, and enter it in the event.",
    },
    "Follow a run": {
        "status": "Show how far an event is; void the matches of a faulty machine.",
        "stop": "Ask a run to finish the matches under way, and to end.",
        "leaderboard": "Print the leaderboard of an event, also while it is played.",
    },
    "Improve a bot": {
        "play": "Play a role yourself against bots.",
        "rerun": "Play a recorded match again, with the same seeds.",
        "compare": "Compare two bots of an event.",
        "duel": "Test whether a bot is better than another, until it is proven.",
    },
    "Keep the bots of an event": {
        "bots": "List the bots of this workspace.",
        "withdraw": "Take a bot out of the event.",
    },
    "Keep the results of an event": {
        "charts": "Draw the charts of an event, and write its CSV files, without a report.",
        "export": "Write an event as tables, or a match as a text.",
        "verify": "Check every record of an event against the rules.",
        "merge": "Join archives of one event, or take matches into an event.",
    },
    "Make a game": {
        "games": "List the boards that can be played, or draw them.",
        "check-rules": "Try the rules of a game by random matches.",
        "openings": "Draw openings of a board.",
    },
    "Find help": {
        "docs": "Print a page of the manual.",
        "doctor": "Check this machine.",
    },
}
# `charts` stays beside `report`, which draws the same: in an event of many matches the page is what
# takes the time. `rerun` is no option of `replay`: `rerun` plays, in a sandbox, and `replay` shows
# what was played.
"""Each section of `arena --help`: its commands, with a line for each. Their own help says more."""
EXTRAS: dict[str, extensions.AddedCommand] = {}
for _extension in extensions.extras().values():
    for _declared in _extension.commands:
        EXTRAS[_declared.name] = _declared
"""The commands of extras, which have a section of their own."""
EXTRAS_SECTION = "Extras"
if EXTRAS:
    COMMANDS[EXTRAS_SECTION] = {name: extra.line for name, extra in EXTRAS.items()}
MODULES = {
    **dict.fromkeys(("leaderboard", "charts", "report"), "results"),
    **dict.fromkeys(("new", "withdraw"), "bots"),
    **dict.fromkeys(("check-rules", "openings"), "games"),
    "stop": "status",
}
"""The modules of commands that do not have one of their own name."""


def command(name: str, *, all_packages: bool = False) -> Any:
    """Import a command and return it as typer's parser: its parameters, its help and its function.

    The options that installed packages add to it are there only with `all_packages`: to look for
    packages takes longer than most commands need to start.
    """
    return extended(name, *extensions.options(name, all_packages=all_packages))


def extended(name: str, *added: tuple[str, extensions.AddedOptions]) -> Any:
    """Import a command and return it as typer's parser, with these options of extensions.

    Each option comes with the name of its extension.
    """
    function = _function(name)
    if not added:
        return _parser(name, function)
    from arena.cli import added_options

    joined = added_options.joined(name, function, added)
    parser = _parser(name, joined.run)
    added_options.refuse_doubles(name, parser, joined.owners)
    return parser


def _function(name: str) -> Any:
    """Import the function of a command."""
    if name in EXTRAS:
        return extensions.load(EXTRAS[name].path)
    if not any(name in lines for lines in COMMANDS.values()):
        installed = _installed_commands()[name]
        return extensions.load(installed.path)
    function = name.replace("-", "_")
    module_name = MODULES.get(name, function)
    module = import_module(f"arena.cli.{module_name}")
    return getattr(module, function)


def _installed_commands() -> dict[str, extensions.AddedCommand]:
    """Return the commands of installed packages by name; none replaces a command of arena."""
    known = {name for lines in COMMANDS.values() for name in lines}
    added: dict[str, extensions.AddedCommand] = {}
    for package, extension in extensions.installed():
        for declared in extension.commands:
            if declared.name in known:
                raise ArenaError(
                    f"extension {package}: there is a command {declared.name!r} already; "
                    "uninstall its package, or have it renamed"
                )
            known.add(declared.name)
            added[declared.name] = declared
    return added


def _with_all_options(name: str) -> Any:
    """Return a command with the options of installed packages, for its help.

    If a package is damaged, return it without them.
    """
    try:
        return command(name, all_packages=True)
    except ArenaError as error:
        output.notice(str(error))
        return command(name)


def _has_unknown_option(parser: Any, words: list[str]) -> bool:
    """Return whether a command line has an option that its command does not have."""
    known: set[str] = set()
    for parameter in parser.params:
        known.update(parameter.opts)
        known.update(parameter.secondary_opts)
    for word in words:
        option = word.partition("=")[0]
        if word.startswith("-") and option not in known:
            return True
    return False


def _parser(name: str, function: Callable[..., Any]) -> Any:
    """Return a command as typer's parser."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(function)
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The group of all commands.

    It knows their names and first lines, and imports only the command that is called.
    """

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return what typer knows of a command; None if there is no such command."""
        known = super().get_command(ctx, name)
        if known is None and name in _installed_commands():
            return command(name)
        return known

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before a command; print the help of one here."""
        name = ""
        if args:
            name = args[0]
        asks_for_help = any(word in ctx.help_option_names for word in args[1:])
        if asks_for_help and name in self.commands and not ctx.resilient_parsing:
            # typer would import pydantic to parse `--help`, which takes as long as the command's
            # own module.
            parser = _with_all_options(name)
            context = parser.context_class(parser, parent=ctx, info_name=name)
            print(parser.get_help(context))
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name and the parser of the command that is called, and its arguments."""
        name, known, arguments = super().resolve_command(ctx, args)
        if known is None:
            return name, known, arguments
        parser = command(str(name))
        if _has_unknown_option(parser, arguments) and not ctx.resilient_parsing:
            parser = command(str(name), all_packages=True)
        if ctx.resilient_parsing:  # a shell asks for completions
            from arena.cli import completion

            for parameter in parser.params:
                completion.complete(parameter)
        return name, parser, arguments

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings of their sections."""
        del ctx
        sections = dict(COMMANDS)
        try:
            added = _installed_commands()
        except ArenaError as error:  # the help of all other commands is there all the same
            output.notice(str(error))
            added = {}
        if added:
            lines = {name: declared.line for name, declared in added.items()}
            sections["From installed packages"] = lines

        width = 0
        for lines in sections.values():
            width = max(width, *map(len, lines))
        for section, lines in sections.items():
            rows: list[tuple[str, str]] = []
            for name, line in lines.items():
                rows.append((name.ljust(width), line))
            with formatter.section(section):
                formatter.write_dl(rows)


app = typer.Typer(
    name="arena",
    cls=Commands,
    help="Bot tournaments: play them, and see how they went. An event is one tournament: its "
    "tournament.toml and its results.",
    epilog="Exit codes: 0 done; 1 the command has found a fault or has not proven its question, or "
    "the event is unfinished; 2 you made a mistake, and one line names it; 3 a duel is undecided; "
    "4 a duel was won by faults alone (--no-faults); "
    "130, 143, 129 after SIGINT, SIGTERM, SIGHUP, with all finished matches stored.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich's boxes would take longer to import than all the rest
    pretty_exceptions_enable=False,  # a bug of ours keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for _lines in COMMANDS.values():
    for _name, _line in _lines.items():
        app.command(_name, short_help=_line)(lambda: None)


def main() -> NoReturn:
    """Run the command line, and exit."""
    exits.run(app)


def _print_version(value: bool) -> None:
    if value:
        print(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    del version
