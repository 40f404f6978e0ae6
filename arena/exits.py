"""How a process of arena ends: done, a user's mistake in one line with code 2, or a bug of ours with its traceback.

The commands end so, and the processes that the site starts.
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

from arena import streams
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
    """Do the work of a command or of a process of the site, and exit with the code that says how it went."""
    gc.set_threshold(GC_THRESHOLD)
    descriptors.keep_standard_open()
    # Our owner may use the files and folders that we make: we go on with them.
    os.umask(os.umask(0o077) & 0o077)
    code = 0
    streams.replace()
    threading.excepthook = _report_thread_failure
    try:
        work()
    except ArenaError as error:
        streams.notice(streams.shorten_lines(str(error)))
        code = 2
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
        if (message := _mistake_of_rules(done)) is not None:
            streams.notice(message)
            code = 2
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None and error.errno in FORBIDDEN:
            from arena.protocol import clean

            streams.notice(f"{clean(str(error.filename), 200)}: {FORBIDDEN[error.errno]}")
            sys.exit(2)
        if (message := refusal(error)) is not None:
            streams.notice(message)
            streams.flush()
            # An orderly end would wait for threads that were never started, and for their
            # processes.
            os._exit(2)
        if (message := _mistake_of_rules(error) or _damage()) is None:
            raise  # a bug of ours
        streams.notice(message)
        sys.exit(2)
    if (lost := streams.flush()) is not None:
        streams.notice(
            f"stdout: cannot be written: {lost.strerror}; what was to be printed there is lost"
        )
        code = 2
    if code == 0:  # after an error a cycle may hold an archive, or a file
        # At its end Python would look for cycles among all objects of all modules, for a sixth of a
        # command's time.
        atexit.register(gc.freeze)
    sys.exit(code)


def _report_thread_failure(failure: threading.ExceptHookArgs) -> None:
    """Print the traceback of a thread, unless the system refused it something: the main thread then reports that."""
    if failure.exc_value is None or refusal(failure.exc_value) is None:
        threading.__excepthook__(failure)


def _mistake_of_rules(error: BaseException) -> str | None:
    """Return a line for what a user's rules raised.

    Return None for anything else, also for rules that come with arena.
    """
    from arena import rulefile

    calls = traceback.extract_tb(error.__traceback__)
    modules = [
        str(frame.f_globals.get("__name__", ""))
        for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    last = max(
        (place for place, name in enumerate(modules) if name.startswith(rulefile.PACKAGE)),
        default=None,
    )
    # Such as a search that rules call.
    if last is None or any(name.startswith("arena.") for name in modules[last:]):
        return None
    call = calls[last]
    if Path(call.filename).is_relative_to(rulefile.shipped()):
        return None
    line = streams.shorten_lines(
        f"{call.filename}:{call.lineno}: {call.name} raises {named(error)}"
    )
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
        except ArenaError:
            # Such as a folder that is gone: no damage, and not why the command failed.
            continue
    return None
