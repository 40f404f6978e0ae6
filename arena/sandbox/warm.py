"""Warm starts: be a Python bot in this very process, which is an interpreter already started.

Runs in a child of the spawner, forked and confined: what follows is what `python bot.py` does between its start and its
end, so that the bot can't tell, except by the clock and by modules that are loaded already. The spawner was started
with the flags and the environment of every such bot, which is where the rest of the likeness comes from.
"""

import atexit
import gc
import importlib
import os
import signal
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any, NoReturn

FLAGS = ["-s", "-B", "-u"]
"""How the spawner itself is started: only bots that are started so can be warm."""
PAGE = os.sysconf("SC_PAGE_SIZE")
base_path = sys.path[1:]
"""Where modules are found, after a script's own folder and PYTHONPATH."""


def fits(argv: list[str]) -> bool:
    """Whether a command is a script for the interpreter that runs arena, started with our flags."""
    script = argv[len(FLAGS) + 1 : len(FLAGS) + 2]
    return argv[:1] == [sys.executable] and argv[1 : len(FLAGS) + 1] == FLAGS and bool(script) and script[0][:1] != "-"


def preload(modules: list[str]) -> None:
    """In the spawner: import what bots would import, once; what is there is not copied while nobody writes to it."""
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def footprint() -> tuple[int, int]:
    """Bytes that a fork of this process starts with: resident of its own, and data as RLIMIT_DATA counts it."""
    with open("/proc/self/statm") as statm:
        _, resident, shared, _, _, data, _ = map(int, statm.read().split())
    return (resident - shared) * PAGE, data * PAGE


def run(argv: list[str], env: dict[str, str], readable: tuple[str, ...]) -> NoReturn:
    """Be the bot, to its end; `readable` are the places whose modules it may find."""
    status = 1
    try:
        script = argv[len(FLAGS) + 1]
        main = _become(argv, script, env, readable)
        try:
            with open(script, "rb") as file:
                source = file.read()
        except OSError as error:
            print(
                f"{argv[0]}: can't open file {main.__file__!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr
            )
            raise SystemExit(2) from error
        exec(compile(source, main.__file__ or script, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 (it is confined)
        status = 0
    except SystemExit as leaving:
        status = _status(leaving)
    except BaseException as error:  # noqa: BLE001 (the interpreter tells of every kind)
        error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None  # without this frame
        sys.excepthook(type(error), error, error.__traceback__)
    _leave(status)


def _become(argv: list[str], script: str, env: dict[str, str], readable: tuple[str, ...]) -> ModuleType:
    """A fresh `__main__`, and everything that tells where it comes from."""
    os.environ.clear()
    os.environ.update(env)
    for name in [name for name in sys.modules if name == "arena" or name.startswith("arena.")]:
        del sys.modules[name]
    file = os.path.abspath(script)
    folder = os.path.dirname(file)
    kit = [path for path in env.get("PYTHONPATH", "").split(":") if path]
    sys.path[:] = [folder, *kit, *base_path]
    for path in [path for path in sys.path_importer_cache if not path.startswith(readable)]:
        del sys.path_importer_cache[path]  # a listing of what it may not see
    sys.argv[:] = argv[len(FLAGS) + 1 :]
    sys.orig_argv[:] = argv
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)  # as the interpreter does
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()  # the library random sees to itself; this one would throw the same dice in every bot
    gc.unfreeze()
    main = ModuleType("__main__")
    main.__dict__.update(
        __annotations__={},
        __builtins__=sys.modules["builtins"],
        __file__=file,
        __cached__=None,
        __loader__=SourceFileLoader("__main__", file),
    )
    sys.modules["__main__"] = main
    return main


def _status(leaving: SystemExit) -> int:
    """The exit status of a SystemExit."""
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or 0
    print(leaving.code, file=sys.stderr)
    return 1


def _leave(status: int) -> NoReturn:
    """End as an interpreter does: wait for threads, call what is registered, flush."""
    try:
        threading: Any = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        status = status or 120  # what a cold start says when it can't flush
    finally:
        os._exit(status & 0xFF)
