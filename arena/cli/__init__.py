"""The command line `arena`, by typer: a file for a command, of its name, or for a few that are one idea.

It owns the messages to users and the exit codes. Results go to stdout, everything else to stderr. A command's module is
imported when it is called, so that the help and the completion of a shell import none; modules that are slow to import
(pandas, matplotlib, pydantic, rich) are imported inside the commands that need them.
"""

import atexit
import errno
import gc
import os
import shlex
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

if {"_ARENA_COMPLETE", "_BOTARENA_COMPLETE"} & os.environ.keys():
    # A shell asks for completions at each press of a key. typer would import rich, for markup in the help texts, and
    # pydantic, for values that nobody uses here: both together take three times as long as all the rest.
    sys.modules |= {"rich": None, "pydantic": None}  # type: ignore[dict-item]

import typer
from typer.core import TyperGroup

from arena import extensions, streams
from arena.cli import output
from arena.errors import ArenaError, named, refusal
from arena.sandbox import descriptors
from arena.version import __version__

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # fits are small: more threads only spin, and wait for busy cores
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # the search for them takes longer than most tables do

FORBIDDEN = {
    errno.ENAMETOOLONG: "this name is too long",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.EACCES: "the system forbids that; look at its permissions and its owner",
    errno.EPERM: "the system forbids that; look at its permissions and its owner",
    errno.EROFS: "its file system cannot be written",
}
"""What a path is, when any use of it failed by one of these errors: a user's mistake in every command."""
GC_THRESHOLD = 10_000
"""New objects before the garbage collector looks for cycles. At Python's 700 a command spends a tenth of its start on
that: the modules that it imports make hundreds of thousands of objects, which all stay."""

COMMANDS = {
    "Play": {
        "run": "Play the event of a tournament.toml, or go on with it.",
        "status": "Show how far an event is; void the matches of a faulty machine.",
        "stop": "Ask a run to finish the matches under way, and to end.",
        "match": "Play one match between named bots, and show it.",
        "play": "Play a role yourself against bots.",
        "duel": "Test whether a bot is better than another, until it is proven.",
    },
    "Look": {
        "leaderboard": "Print the leaderboard of an event, also while it is played.",
        "compare": "Compare two bots of an event.",
        "charts": "Draw the charts of an event, and write its CSV files.",
        "report": "Write report.html: tables, charts and matches to replay.",
        "replay": "Look at a recorded match, turn by turn or line by line; list them.",
        "clip": "Write a recorded match as a GIF, SVG, film or picture.",
        "rerun": "Play a recorded match again, with the same seeds.",
        "lessons": "Show the positions in which a bot threw most away.",
    },
    "Bots": {
        "new": "Make a bot from a starter kit.",
        "check": "Test whether a bot is fit to play.",
        "submit": "Check a bot, or a class of them, and take it into the event.",
        "withdraw": "Take a bot out of the event.",
        "bots": "List the bots of this workspace.",
    },
    "Games": {
        "games": "List the boards that can be played, or draw them.",
        "check-rules": "Try the rules of a game by random matches.",
        "openings": "Draw openings of a board.",
    },
    "Events": {
        "init": "Make a new workspace.",
        "contest": "Take a step of a contest that is a git repository.",
        "serve": "Serve results as web pages, also while they are played.",
        "grade": "Give marks by the thresholds of [grade].",
        "commit": "Publish digests of an event before it, for `verify --public`.",
        "verify": "Check every record of an event against the rules.",
        "merge": "Join archives of one event, or take matches into an event.",
        "export": "Write an event as tables, or a match as a text.",
        "docs": "Print a page of the manual.",
    },
    "Machines": {
        "doctor": "Check this machine.",
        "join": "Let a bot on this machine play at a site on another.",
        "worker": "Play matches on this machine for the runs of a cluster.",
    },
}
"""Each section of `arena --help`: its commands, with a line for each. Their own help says more."""
EXTRAS = {command.name: command for extension in extensions.extras().values() for command in extension.commands}
"""The commands of extras, which have a section of their own."""
EXTRAS_SECTION = "Extras"
if EXTRAS:
    COMMANDS[EXTRAS_SECTION] = {name: extra.line for name, extra in EXTRAS.items()}
MODULES = {
    **dict.fromkeys(("leaderboard", "charts", "report"), "results"),
    **dict.fromkeys(("new", "withdraw"), "bots"),
    **dict.fromkeys(("check-rules", "openings"), "games"),
    **dict.fromkeys(("doctor", "join", "worker"), "machines"),
    "commit": "verify",
    "stop": "status",
}
"""The modules of commands that do not have one of their own name."""


def command(name: str) -> Any:
    """Import a command and return it as typer's parser: its parameters, its help and its function."""
    if name in EXTRAS:
        return _parser(name, extensions.load(EXTRAS[name].path))
    if not any(name in lines for lines in COMMANDS.values()):
        return _parser(name, extensions.load(_installed_commands()[name].path))
    function = name.replace("-", "_")
    module = import_module(f"arena.cli.{MODULES.get(name, function)}")
    return _parser(name, getattr(module, function))


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


def _parser(name: str, function: Callable[..., Any]) -> Any:
    """Return a command as typer's parser."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(function)
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The group of all commands. It knows their names and first lines, and imports only the command that is called."""

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return what typer knows of a command; None if there is no such command."""
        known = super().get_command(ctx, name)
        if known is None and name in _installed_commands():
            return command(name)
        return known

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before a command; print the help of one here."""
        asks_for_help = not {*ctx.help_option_names}.isdisjoint(args[1:])
        if asks_for_help and args[0] in self.commands and not ctx.resilient_parsing:
            # typer would import pydantic to parse `--help`, which takes as long as the command's own module.
            parser = command(args[0])
            print(parser.get_help(parser.context_class(parser, parent=ctx, info_name=args[0])))
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name and the parser of the command that is called, and its arguments."""
        name, known, arguments = super().resolve_command(ctx, args)
        parser = known and command(str(name))
        if parser and ctx.resilient_parsing:  # a shell asks for completions
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
            sections["From installed packages"] = {name: declared.line for name, declared in added.items()}
        width = max(len(name) for lines in sections.values() for name in lines)
        for section, lines in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])


app = typer.Typer(
    name="arena",
    cls=Commands,
    help="Bot tournaments: play them, and see how they went.",
    epilog="Exit codes: 0 done; 1 the answer is no, or the event is unfinished; 2 a mistake, named; "
    "3 a duel is undecided; 4 it was won by faults alone (--no-faults); "
    "130, 143, 129 after SIGINT, SIGTERM, SIGHUP, with all finished matches stored.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich's boxes would take longer to import than everything else together
    pretty_exceptions_enable=False,  # a bug of ours keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for _lines in COMMANDS.values():
    for _name, _line in _lines.items():
        app.command(_name, short_help=_line)(lambda: None)


def main() -> NoReturn:
    """Run the command line, and exit."""
    gc.set_threshold(GC_THRESHOLD)
    descriptors.keep_standard_open()
    os.umask(os.umask(0o077) & 0o077)  # our owner may use the files and folders that we make: we go on with them
    code = 0
    streams.replace()
    threading.excepthook = _report_thread_failure
    try:
        app()
    except ArenaError as error:
        output.notice(output.shorten_lines(str(error)))
        code = 2
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
        if (message := _mistake_of_rules(done)) is not None:
            output.notice(message)
            code = 2
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None and error.errno in FORBIDDEN:
            output.notice(f"{output.safe_line(error.filename)}: {FORBIDDEN[error.errno]}")
            sys.exit(2)
        if (message := refusal(error)) is not None:
            output.notice(message)
            streams.flush()
            os._exit(2)  # an orderly end would wait for threads that were never started, and for their processes
        if (message := _mistake_of_rules(error) or _damage()) is None:
            raise  # a bug of ours
        output.notice(message)
        sys.exit(2)
    if (lost := streams.flush()) is not None:
        output.notice(f"stdout: cannot be written: {lost.strerror}; what was to be printed there is lost")
        code = 2
    if code == 0:  # after an error a cycle may hold an archive, or a file
        # At its end Python would look for cycles among all objects of all modules, for a sixth of a command's time.
        atexit.register(gc.freeze)
    sys.exit(code)


def _report_thread_failure(failure: threading.ExceptHookArgs) -> None:
    """Print the traceback of a thread, unless the system refused it something: the main thread then reports that."""
    if failure.exc_value is None or refusal(failure.exc_value) is None:
        threading.__excepthook__(failure)


def _mistake_of_rules(error: BaseException) -> str | None:
    """Return a line for what a user's rules raised; None for anything else, also for rules that come with arena."""
    from arena import rulefile

    calls = traceback.extract_tb(error.__traceback__)
    modules = [str(frame.f_globals.get("__name__", "")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    last = max((place for place, name in enumerate(modules) if name.startswith(rulefile.PACKAGE)), default=None)
    if last is None or any(name.startswith("arena.") for name in modules[last:]):  # such as a search that rules call
        return None
    call = calls[last]
    if Path(call.filename).is_relative_to(rulefile.shipped()):
        return None
    line = output.shorten_lines(f"{call.filename}:{call.lineno}: {call.name} raises {named(error)}")
    return f"{line}; `arena check-rules {shlex.quote(call.filename)}` finds more mistakes of rules"


def _damage() -> str | None:
    """Return what is wrong with results that this command read, if a damaged file may be why it failed."""
    if "arena.results.archive" not in sys.modules:
        return None
    from arena.replay import verify
    from arena.results.archive import Archive, DamagedError

    for folder in Archive.opened:
        try:
            with Archive.open(folder) as archive:
                if (damage := verify.damage(archive)) is not None:
                    return str(archive.damaged(damage))
        except DamagedError as error:
            return str(error)
        except ArenaError:  # such as a folder that is gone: no damage, and not why the command failed
            continue
    return None


def _print_version(value: bool) -> None:
    if value:
        print(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    del version
