"""The command `arena`: typer, a file a command, of its name; what reads results shares results.py.

It owns what is said to a user and the exit codes. Results go to stdout, all else to stderr. Whatever is slow to import
(pandas, matplotlib, pydantic, rich's live display) is imported inside the commands that need it.
"""

import contextlib
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Literal, NoReturn, TextIO

import typer

from arena import __version__
from arena.cli import (
    bots,
    check,
    check_rules,
    compare,
    games,
    init,
    match,
    new,
    play,
    replay,
    rerun,
    results,
    run,
    screen,
    submit,
    trace,
    verify,
)
from arena.errors import ArenaError

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # fits are small: more threads spin, and wait for busy cores

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


def main() -> NoReturn:
    """Run the command line, and exit."""
    code = 0
    sys.stdin = sys.stdin or _nowhere("r")  # each may have been closed by whoever started us
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except ArenaError as error:
        screen.notice(str(error))
        code = 2
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
    sys.exit(_flushed(code))


def _nowhere(mode: Literal["r", "w"] = "w") -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    del version


def _flushed(code: int) -> int:
    """Write out what is left; whoever read our output may have enough (`arena leaderboard | head`)."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code
