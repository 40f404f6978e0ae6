"""The command line `arena`, by typer: a file for each command, of its name; results.py has three that print results.

It owns the messages to users and the exit codes. Results go to stdout, everything else to stderr. Modules that are slow
to import (pandas, matplotlib, pydantic, rich's live display) are imported inside the commands that need them.
"""

import errno
import os
import sys
import threading
from typing import Annotated, NoReturn

import typer

from arena import __version__
from arena.cli import (
    bots,
    check,
    check_rules,
    compare,
    docs,
    duel,
    games,
    init,
    match,
    new,
    output,
    play,
    replay,
    rerun,
    results,
    run,
    streams,
    submit,
    trace,
    verify,
)
from arena.errors import ArenaError, refusal
from arena.sandbox import descriptors

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # fits are small: more threads only spin, and wait for busy cores

app = typer.Typer(
    name="arena",
    help="Bot tournaments: play them, and see how they went.",
    epilog="Exit codes: 0 done; 1 the answer is no, or the event is unfinished; 2 a mistake, named; "
    "130, 143, 129 after SIGINT, SIGTERM, SIGHUP, with all finished matches stored.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a bug of ours keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run.run)
app.command()(results.leaderboard)
app.command()(compare.compare)
app.command()(duel.duel)
app.command()(results.charts)
app.command()(results.report)
app.command()(games.games)
app.command()(match.match)
app.command()(play.play)
app.command()(replay.replay)
app.command()(init.init)
app.command()(new.new)
app.command()(check.check)
app.command()(submit.submit)
app.command()(bots.bots)
app.command()(bots.withdraw)
app.command()(trace.trace)
app.command()(rerun.rerun)
app.command()(verify.verify)
app.command()(check_rules.check_rules)
app.command()(docs.docs)


def main() -> NoReturn:
    """Run the command line, and exit."""
    descriptors.keep_standard_open()
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
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            output.notice(f"{output.safe_line(error.filename)}: this name is too long")
            sys.exit(2)
        if (message := refusal(error)) is not None:
            output.notice(message)
            streams.flush()
            os._exit(2)  # an orderly end would wait for threads that were never started, and for their processes
        if (message := _damage()) is None:
            raise  # a bug of ours
        output.notice(message)
        sys.exit(2)
    if (lost := streams.flush()) is not None:
        output.notice(f"stdout: cannot be written: {lost.strerror}; what was to be printed there is lost")
        code = 2
    sys.exit(code)


def _report_thread_failure(failure: threading.ExceptHookArgs) -> None:
    """Print the traceback of a thread, unless the system refused it something: the main thread then reports that."""
    if failure.exc_value is None or refusal(failure.exc_value) is None:
        threading.__excepthook__(failure)


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


def _print_version(asked: bool) -> None:
    if asked:
        print(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    del version
