"""Warm starts: be a Python bot in this very process, which is an interpreter already started.

Runs in a child of the spawner, forked and confined: what follows is what `python bot.py` does between its start and its
end, so that the bot can't tell, except by the clock, by what is loaded already and by the frames below its own. The
spawner was started with the flags and the environment of every such bot, which is where the rest of the likeness comes
from.
"""

import _signal  # type: ignore[import-not-found]  # the module signal makes enums of all, which costs
import atexit
import ctypes
import gc
import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from arena.sandbox.landlock import PROGRAMS

FLAGS = ("-s", "-B", "-u")
"""How the spawner itself is started: only bots that are started so can be warm."""
PAGE = os.sysconf("SC_PAGE_SIZE")
PLACE, LONGER = "ARENA", 512  # bytes that a bot's environment may be longer than that of the spawner's folder
base_path = sys.path[1:]
"""Where modules are found, after a script's own folder and PYTHONPATH."""


class Footprint(NamedTuple):
    """Bytes that a fork of this process starts with."""

    resident: int
    """Of its own, not of files."""
    data: int
    """As RLIMIT_DATA counts it."""


class Shown(NamedTuple):
    """Where the kernel reads what a process was started with, for process lists: addresses."""

    words: int
    words_end: int
    environment: int
    environment_end: int


inherited = Footprint(0, 0)
shown = Shown(0, 0, 0, 0)
readable: tuple[str, ...] = ()
ours: list[str] = []
"""What is loaded of arena, which no bot may find."""


def fits(argv: tuple[str, ...]) -> bool:
    """Whether a command is a script for the interpreter that runs arena, started with our flags."""
    script = argv[len(FLAGS) + 1 : len(FLAGS) + 2]
    return argv[:1] == (sys.executable,) and argv[1 : len(FLAGS) + 1] == FLAGS and bool(script) and script[0][:1] != "-"


def room_for(env: dict[str, str]) -> dict[str, str]:
    """For the spawner's environment: a variable as long as what a bot's environment needs, to be overwritten by it."""
    return {PLACE: "-" * (sum(len(name) + len(value) + 2 for name, value in env.items()) + LONGER)}


def preload(modules: tuple[str, ...]) -> str:
    """In the spawner: import what bots would import, once; why that cannot be, if it cannot."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 (whatever somebody's module does when it is imported)
            return f"{name}: {error!r}"[:1000]
        if len(os.listdir("/proc/self/task")) > 1:
            return f"{name}: it starts threads when it is imported, which no fork has"
    settle(readable)
    return ""


def settle(places: tuple[str, ...] = ()) -> None:
    """In the spawner, when it has learned something: make a fork cheap, and know what it begins with.

    `places` are those that bots may read; of what is elsewhere no listing is kept, which modules are looked up in.
    """
    global inherited, shown, ours, readable
    readable = places
    for path in [path for path in sys.path_importer_cache if not path.startswith((*PROGRAMS, *places))]:
        del sys.path_importer_cache[path]
    ours = [name for name in sys.modules if name.partition(".")[0] == "arena"]
    os.environ.pop(PLACE, None)
    compile("", "", "exec")  # the compiler makes its types when it is first used
    gc.collect()
    gc.freeze()  # what is there is not copied while nobody writes to it, and the collector would
    with open("/proc/self/stat") as told:
        shown = Shown(*map(int, told.read().rpartition(")")[2].split()[45:49]))  # proc_pid_stat(5), arg_start
    with open("/proc/self/statm") as told:
        _, resident, shared, _, _, data, _ = map(int, told.read().split())
    inherited = Footprint((resident - shared) * PAGE, data * PAGE)


def run(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Be the bot, to its end."""
    status = 1
    try:
        script = argv[len(FLAGS) + 1]
        main = _become(argv, script, env)
        try:
            with open(script, "rb", 0) as file:
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


def _become(argv: list[str], script: str, env: dict[str, str]) -> ModuleType:
    """A fresh `__main__`, and everything that tells where it comes from."""
    for name, value in env.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    _show(shown.words, shown.words_end, argv)
    _show(shown.environment, shown.environment_end, [f"{name}={value}" for name, value in env.items()])
    for name in ours:
        del sys.modules[name]
    file = os.path.join(os.getcwd(), script)
    folder = os.path.dirname(os.path.realpath(file) if "/" in script or os.path.islink(file) else file)
    kit = [path for path in env.get("PYTHONPATH", "").split(":") if path]
    sys.path[:] = [folder, *kit, *base_path]
    sys.argv[:] = argv[len(FLAGS) + 1 :]
    sys.orig_argv[:] = argv
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_IGN)  # as the interpreter does
    if (dice := sys.modules.get("numpy.random")) is not None:
        dice.seed()  # the library random sees to itself; this one would throw the same dice in every bot
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


def _show(begin: int, end: int, words: list[str]) -> None:
    """Have process lists show these words, as far as there is room, instead of the spawner's."""
    text = b"".join(os.fsencode(word) + b"\0" for word in words)[: end - begin - 1]
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, text, len(text))


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
