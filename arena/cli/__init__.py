"""The command line `arena`, by typer: a file for each command, of its name; results.py has three that print results.

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
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, NoReturn

if {"_ARENA_COMPLETE", "_BOTARENA_COMPLETE"} & os.environ.keys():
    # A shell asks for completions at each press of a key. typer would import rich, for markup in the help texts, and
    # pydantic, for values that nobody uses here: both together take three times as long as all the rest.
    sys.modules |= {"rich": None, "pydantic": None}  # type: ignore[dict-item]

import typer
from typer.core import TyperGroup

from arena import __version__
from arena.cli import output, streams
from arena.errors import ArenaError, named, refusal
from arena.sandbox import descriptors

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
    "run": "Play the event of a tournament.toml; after an interruption, go on with it.",
    "status": "Show how far an event is: matches played and due, what each lane plays now, and when it will end.",
    "stop": "Ask the run of an event to finish the matches under way, and to end; `arena run` goes on with it.",
    "leaderboard": "Print the leaderboard of an event, also while it is played.",
    "compare": "Compare two bots: head to head by board and role, and whether one is really better.",
    "duel": "Test whether a bot is better than another: play pairings until it is proven, either way.",
    "charts": "Draw the charts of an event, as SVG and PNG, and write its CSV files.",
    "report": "Write report.html: leaderboard, crosstable, charts and every match to replay, in one file without "
    "network.",
    "grade": "Give marks by the thresholds of [grade], and write grades.csv; exit code 1 while matches are missing.",
    "games": "List the boards that can be played; with a name, draw them.",
    "match": "Play one match between named bots, and show it turn by turn. Nothing is stored.",
    "play": "Play a role yourself, by arrow keys or typed moves, against bots. You have no clock; nothing is stored.",
    "replay": "Look at a recorded match by keys, or print it turn by turn in a pipe; steps that a wall stopped are "
    "marked.",
    "init": "Make a new workspace: a tournament.toml, rules and bots to start from; the event gets the folder's name.",
    "new": "Make a bot from a starter kit, in bots/ of the workspace; without a name, list the kits.",
    "check": "Test a bot against the protocol, step by step, at each board that it plays; exit code 1 when it is "
    "not fit.",
    "submit": "Check a bot, and take it into the event as a new version; exit code 1 when it, or one of many, is "
    "refused.",
    "bots": "List the bots of this workspace: name, version, digest, author, language, games, state, display name.",
    "withdraw": "Take a bot out of the event; its versions and its matches are kept.",
    "trace": "Print what was said in a recorded match, seat by seat: every line, and how long each answer took.",
    "rerun": "Play a recorded match again with the same seeds; exit code 1 when it goes differently. Nothing is "
    "stored.",
    "doctor": "Check this machine: confinement, cores, clocks, toolchains; exit code 1 when no event can be played.",
    "lessons": "Show the positions in which a bot threw most away, the worst first, and what would have been better.",
    "verify": "Check every record against the rules: states, legality, scores, tables; exit code 1 when something "
    "is wrong.",
    "merge": "Join archives of one event that were played in several places, as results/NAME; conflicts are named.",
    "export": "Write matches, seats and turns as JSON lines or Parquet, or one match as a text that can be read back.",
    "import": "Take matches that `arena export --match` wrote into an event, once the rules confirm them.",
    "check-rules": "Try the rules of a game, board by board, by random matches; exit code 1 when they break the "
    "contract.",
    "worker": "Play matches on this machine for the runs of a dask cluster, until Ctrl-C.",
    "void": "Void the crashes and time losses of a faulty machine of a cluster; the next run plays them again.",
    "openings": "Draw openings that lead to different states; none of them ends the match.",
    "docs": "Print a page of the manual, or list the pages: the protocol, how matches end, every command and key, ...",
}
"""The first line of the help of every command, which is also the docstring of its function."""
MODULES = {"leaderboard": "results", "charts": "results", "report": "results", "withdraw": "bots"}
"""The modules of commands that do not have one of their own name."""


def command(name: str) -> Any:
    """Import a command and return it as typer's parser: its parameters, its help and its function."""
    function = f"{name}_" if iskeyword(name) else name.replace("-", "_")
    module = import_module(f"arena.cli.{MODULES.get(name, function)}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(getattr(module, function))
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The group of all commands. It knows their names and first lines, and imports only the command that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name and the parser of the command that is called, and its arguments."""
        name, known, arguments = super().resolve_command(ctx, args)
        return name, known and command(str(name)), arguments


app = typer.Typer(
    name="arena",
    cls=Commands,
    help="Bot tournaments: play them, and see how they went.",
    epilog="Exit codes: 0 done; 1 the answer is no, or the event is unfinished; 2 a mistake, named; "
    "130, 143, 129 after SIGINT, SIGTERM, SIGHUP, with all finished matches stored.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich's boxes would take longer to import than everything else together
    pretty_exceptions_enable=False,  # a bug of ours keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for _name, _line in COMMANDS.items():
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
