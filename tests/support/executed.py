"""`arena` in a program that a test starts, which imports no more than the command itself does."""

import faulthandler
import os
import signal
import sys
import termios
from fcntl import ioctl

from arena import __main__ as arena_main
from arena import parallel
from arena.cli import main


def begin(parent: int) -> None:
    """Be `arena`; end with the test's process."""
    as_from_a_shell()
    parallel.tie_to(parent)
    if os.isatty(0):
        ioctl(0, termios.TIOCSCTTY, 0)
    faulthandler.register(signal.SIGRTMAX, sys.stderr)
    sys.path.remove("")
    sys.argv[0] = arena_main.__file__
    main()


def as_from_a_shell() -> None:
    """Let Ctrl-C and a closed terminal end a new process, also when the tests run under nohup or as
    a job.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
