"""Warm starts: a forked child of the spawner becomes a Python bot without an exec.

Theory of operation
-------------------

Purpose. A start of the interpreter costs some 10 ms, and an import of numpy 100 ms; a fork of a
process that has done both costs 2 to 3 ms (benchmarks/starts.py). So the spawner is started with
the flags (FLAGS) and the environment of every Python bot, imports what the organiser wants
preloaded, the kit, and the rules. A child that is forked from it and confined calls `run`.

Imitation. `run` does what `python bot.py` does between its start and its end: the environment,
`sys.argv` and `sys.path`, new standard streams, a new `__main__`, the signals of an interpreter,
and at the end the threads, the exit functions, the flush and the exit status. A bot can tell a warm
start only by the clock, by the modules that are loaded already, and by the frames below its own.
`arena` itself is removed from `sys.modules`. The kit is another package of this name; its modules,
and those of the rules, take that place.

Process lists read the arguments and the environment from the memory in which the kernel put them at
exec. `_show` overwrites that memory. It cannot grow, so `room_for` reserves space in the spawner's
environment with a long variable.

Memory. The memory of a fork is the spawner's until somebody writes to it; the kernel copies a page
at the first write. `gc.freeze` keeps the collector from writing to every object. `inherited` is
what a fork begins with: it does not count against a bot's limits. What the spawner learned last
must be settled before the next fork (`prepare_to_fork`).

Differences. Random numbers: `random` reseeds itself after a fork, numpy does not, so `run` reseeds
it. A module that starts a thread when it is imported is refused, because no fork has that thread.
Rules that do so, or fail, are left to the bots that want them: a fork has tried them first.
"""

# The module signal makes enums of all, which costs time.
import _signal  # type: ignore[import-not-found]
import atexit
import ctypes
import gc
import importlib
import io
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from arena.sandbox.file_policy import PROGRAMS

FLAGS = ("-s", "-B", "-u")
"""How the spawner itself is started: only bots that are started so can be warm."""
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
RESERVE = "ARENA"
"""The name of the variable that reserves space."""
LONGER_BYTES = 512
"""A bot's environment may be so much longer than one with the spawner's folder as HOME and
TMPDIR."""
CANNOT_FLUSH = 120  # the exit status of an interpreter that cannot flush its output
base_path = sys.path[1:]
"""Where modules are found, after a script's own folder and PYTHONPATH."""


class Footprint(NamedTuple):
    """Bytes that a fork of this process starts with."""

    resident: int
    """Of its own, not of files."""
    data: int
    """As RLIMIT_DATA counts it."""


inherited = Footprint(0, 0)
addresses = [0, 0, 0, 0]
"""Where the arguments of this process begin and end, and its environment, as process lists read
them."""
arena_modules: list[str] = []
"""The loaded modules of arena, which no bot may find."""
kits: dict[str, dict[str, ModuleType]] = {}
"""The modules of each kit and of its rules, by the folder of the kit."""


def fits(argv: tuple[str, ...]) -> bool:
    """Return whether a command is a script for arena's own interpreter, with our flags."""
    interpreter = (sys.executable, *FLAGS)
    if argv[: len(FLAGS) + 1] != interpreter:
        return False
    arguments = argv[len(FLAGS) + 1 :]
    return bool(arguments) and not arguments[0].startswith("-")


def room_for(env: dict[str, str]) -> dict[str, str]:
    """Return a variable for the spawner that reserves space for the environment of a bot."""
    length = 0
    for name, value in env.items():
        length += len(name) + len(value) + 2
    return {RESERVE: "-" * (length + LONGER_BYTES)}


def preload(modules: tuple[str, ...]) -> str:
    """Import in the spawner modules that bots would import.

    Return why that fails, empty when it does not.
    """
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 (an import can raise anything)
            return f"{name}: {error!r}"[:1000]
        if len(os.listdir("/proc/self/task")) > 1:
            return f"{name}: it starts threads when it is imported, which no fork has"
    return ""


def import_kit(kit: str, rules: str = "") -> None:
    """Import the kit from this folder, and a file of rules by it, as a bot does.

    Keep its modules apart from arena itself.
    """
    arenas = {name: sys.modules.pop(name) for name in _modules_of_arena()}
    sys.modules.update(kits.get(kit, {}))
    sys.path.insert(0, kit)
    try:
        for name in ("arena.kit", "random"):  # most bots throw dice, and so may the kit
            importlib.import_module(name)
        if rules:
            rulefile: Any = sys.modules["arena.rulefile"]
            rulefile.module(rulefile.shipped() / rules)
            rulefile.tables(rulefile.shipped() / rules)
    finally:
        # The modules of rules have names that begin with arena, too.
        loaded = []
        for name in sys.modules:
            package, _, _ = name.partition(".")
            if package.startswith("arena"):
                loaded.append(name)
        kits[kit] = {name: sys.modules.pop(name) for name in loaded}
        sys.path.remove(kit)
        sys.modules.update(arenas)


def _modules_of_arena() -> list[str]:
    modules = []
    for name in sys.modules:
        package, _, _ = name.partition(".")
        if package == "arena":
            modules.append(name)
    return modules


def prepare_to_fork(readable: tuple[str, ...]) -> None:
    """Make a fork of the spawner cheap, when it has learned something.

    Note what a fork begins with.

    The import system caches the listing of folders; those of folders that bots may not read are
    removed.
    """
    global inherited, addresses, arena_modules
    public = PROGRAMS + readable
    for path in list(sys.path_importer_cache):
        if not path.startswith(public):
            del sys.path_importer_cache[path]
    arena_modules = _modules_of_arena()
    os.environ.pop(RESERVE, None)
    compile("", "", "exec")  # the compiler makes its types when it is first used
    gc.collect()
    gc.freeze()
    gc.enable()
    with open("/proc/self/stat") as file:
        _, _, fields = file.read().rpartition(")")
    from_arg_start = fields.split()[45:49]  # proc_pid_stat(5)
    addresses = list(map(int, from_arg_start))
    with open("/proc/self/statm") as file:
        pages = map(int, file.read().split())
    _, resident, shared, _, _, data, _ = pages
    inherited = Footprint((resident - shared) * PAGE_BYTES, data * PAGE_BYTES)


def run(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Be the bot until it ends."""
    status = 1
    try:
        script = argv[len(FLAGS) + 1]
        main = _become(argv, script, env)
        file_name = main.__file__ or script
        try:
            with open(script, "rb", 0) as file:
                source = file.read()
        except OSError as error:
            text = f"can't open file {file_name!r}: [Errno {error.errno}] {error.strerror}"
            print(f"{argv[0]}: {text}", file=sys.stderr)
            raise SystemExit(2) from error
        fault = _encoding_fault(source, file_name)
        if fault is not None:
            raise fault
        code = compile(source, file_name, "exec", dont_inherit=True)
        exec(code, main.__dict__)  # noqa: S102 (it is confined)
        status = 0
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            status = leaving.code or 0
        else:
            print(leaving.code, file=sys.stderr)
    except BaseException as error:  # noqa: BLE001 (an interpreter prints every exception)
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without this frame
        sys.excepthook(type(error), error, error.__traceback__)
    _leave(status)


def _encoding_fault(source: bytes, file: str) -> SyntaxError | None:
    """Return the error of `python FILE` for a file that is no UTF-8 and names no encoding.

    `compile` may take such a file.
    """
    first_lines = b"".join(source.splitlines()[:2])
    if source.isascii() or b"coding" in first_lines:
        return None
    try:
        source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return SyntaxError(
            f"Non-UTF-8 code starting with '\\x{source[error.start]:x}' in file {file} on line "
            f"{line}, but no encoding declared; see https://peps.python.org/pep-0263/ for details"
        )
    return None


def _become(argv: list[str], script: str, env: dict[str, str]) -> ModuleType:
    """Return a new `__main__`, and set everything by which a program learns how it was started."""
    for name, value in env.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    argv_begin, argv_end, environment_begin, environment_end = addresses
    _show(argv_begin, argv_end, argv)
    variables = [f"{name}={value}" for name, value in env.items()]
    _show(environment_begin, environment_end, variables)
    for name in arena_modules:
        del sys.modules[name]
    file = os.path.join(os.getcwd(), script)
    program = file
    if "/" in script or os.path.islink(file):
        program = os.path.realpath(file)
    kit = [path for path in env.get("PYTHONPATH", "").split(":") if path]
    for path in kit:
        sys.modules.update(kits.get(path, {}))
    sys.path[:] = [os.path.dirname(program), *kit, *base_path]
    _open_streams()
    sys.argv[:] = argv[len(FLAGS) + 1 :]
    sys.orig_argv[:] = argv
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_IGN)  # as the interpreter does
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()  # otherwise every bot would draw the same numbers
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


def _open_streams() -> None:
    """Make the standard streams anew, as the interpreter makes them.

    Those of the spawner remember that /dev/null can seek, so `reconfigure` would fail on the bot's
    pipes.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        spawners = getattr(sys, name)
        mode = "r"
        if number:
            mode = "w"
        raw: Any = io.FileIO(number, mode, closefd=False)
        raw.name = spawners.name
        buffer: Any = raw
        if not number:
            buffer = io.BufferedReader(raw)
        stream: Any = io.TextIOWrapper(
            buffer,
            encoding=spawners.encoding,
            errors=spawners.errors,
            newline="\n",
            line_buffering=spawners.line_buffering,
            write_through=spawners.write_through,
        )
        stream.mode = spawners.mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _show(begin: int, end: int, strings: list[str]) -> None:
    """Have process lists show these strings, as far as there is space, instead of the spawner's."""
    terminated = [os.fsencode(string) + b"\0" for string in strings]
    text = b"".join(terminated)[: end - begin - 1]
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, text, len(text))


def _leave(status: int) -> NoReturn:
    """End as an interpreter does: wait for threads, call the exit functions, flush."""
    try:
        threading: Any = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        status = status or CANNOT_FLUSH
    finally:
        os._exit(status & 0xFF)
