"""How a process of arena ends: done, with a user's mistake in one line, or with a traceback.

A user's mistake gives exit code 2; a traceback shows a bug of ours. The commands end so, and the
processes that the site starts.
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
from pathlib import Path
from typing import NoReturn

from arena import signals, streams
from arena.errors import ArenaError, named, refusal
from arena.sandbox import descriptors

# Fits are small: more threads only spin, and wait for busy cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The search for them takes longer than most tables do.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")

FORBIDDEN = {
    errno.ENAMETOOLONG: "this name is too long",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.EACCES: "the system forbids that; look at its permissions and its owner",
    errno.EPERM: "the system forbids that; look at its permissions and its owner",
    errno.EROFS: "its file system cannot be written",
}
"""What a path is, when any use of it failed by one of these errors: a user's mistake in every
command."""
GC_THRESHOLD = 10_000
"""New objects before the garbage collector looks for cycles. At Python's 700 a command spends a
tenth of its start on that: the modules that it imports make hundreds of thousands of objects, which
all stay."""


def run(work: Callable[[], object]) -> NoReturn:
    """Do the work of a command or of a process of the site; exit with the code that tells how."""
    gc.set_threshold(GC_THRESHOLD)
    descriptors.keep_standard_open()
    # Our owner may use the files and folders that we make: we go on with them.
    os.umask(os.umask(0o077) & 0o077)
    code = 0
    streams.replace()
    threading.excepthook = _report_thread_failure
    try:
        with signals.terminating():
            work()
    except ArenaError as error:
        streams.notice(streams.shorten_lines(str(error)))
        code = 2
    except SystemExit as done:
        code = 0
        if isinstance(done.code, int):
            code = done.code
        message = _mistake_of_rules(done)
        if message is not None and not isinstance(done, signals.Terminated):
            streams.notice(message)
            code = 2
    except Exception as error:
        if not _report(error):
            raise  # a bug of ours
        sys.exit(2)
    lost = streams.flush()
    if lost is not None:
        streams.notice(
            f"stdout: cannot be written: {lost.strerror}; what was to be printed there is lost"
        )
        code = 2
    if code == 0:  # after an error a cycle may hold an archive, or a file
        # At its end Python would look for cycles among all objects of all modules, for a sixth of a
        # command's time.
        atexit.register(gc.freeze)
    sys.exit(code)


def _report(error: Exception) -> bool:
    """Print the line of a user's mistake, or of a refusal of the system; return whether it is one.

    After a refusal the process ends at once: an orderly end would wait for threads that were never
    started, and for their processes.
    """
    if isinstance(error, OSError) and error.filename is not None and error.errno in FORBIDDEN:
        from arena.protocol import clean

        name = clean(str(error.filename), 200)
        streams.notice(f"{name}: {FORBIDDEN[error.errno]}")
        return True
    message = refusal(error)
    if message is not None:
        streams.notice(message)
        streams.flush()
        os._exit(2)
    message = _mistake_of_rules(error) or _damage()
    if message is None:
        return False
    streams.notice(message)
    return True


def _report_thread_failure(failure: threading.ExceptHookArgs) -> None:
    """Print the traceback of a thread, unless the system refused it something.

    The main thread then reports the refusal.
    """
    if failure.exc_value is None or refusal(failure.exc_value) is None:
        threading.__excepthook__(failure)


def _mistake_of_rules(error: BaseException) -> str | None:
    """Return a line for what a user's rules raised.

    Return None for anything else, also for rules that come with arena.
    """
    from arena import rulefile

    modules: list[str] = []
    last = None
    calls = traceback.walk_tb(error.__traceback__)
    for number, (frame, _) in enumerate(calls):
        name = str(frame.f_globals.get("__name__", ""))
        modules.append(name)
        if name.startswith(rulefile.PACKAGE):
            last = number
    if last is None:
        return None
    inner_modules = modules[last:]
    if any(name.startswith("arena.") for name in inner_modules):  # as a search that rules call
        return None
    call = traceback.extract_tb(error.__traceback__)[last]
    if Path(call.filename).is_relative_to(rulefile.shipped()):
        return None
    line = f"{call.filename}:{call.lineno}: {call.name} raises {named(error)}"
    check = f"`arena check-rules {shlex.quote(call.filename)}`"
    return f"{streams.shorten_lines(line)}; {check} finds more mistakes of rules"


def _damage() -> str | None:
    """Return what is wrong with results that this command read; None if no file is damaged."""
    if "arena.results.archive" not in sys.modules:
        return None
    from arena.replay import verify
    from arena.results.archive import Archive, DamagedError

    for folder in Archive.opened:
        try:
            with Archive.open(folder) as archive:
                damage = verify.damage(archive)
                if damage is not None:
                    return str(archive.damaged(damage))
        except DamagedError as error:
            return str(error)
        except ArenaError:
            # Such as a folder that is gone: it is no damage, and not why the command failed.
            continue
    return None
