"""The table of mistakes that authors make with files, languages and systems: what is handed in, and
what they read.

Each row is a hand-in as it would lie on an author's disk. `says` are words that its author must
read as the cause or as the advice, `never` words that would name a cause that is not the cause.
"""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.programs import python

PLAYS = python()
BASH = """\
while read -r word rest; do
  case $word in
    "ready?") echo ready ;;
    turn) move= ;;
    legal) [ -n "$move" ] || move=$rest ;;
    go) echo "$move" ;;
  esac
done
"""
LOOP = """\
while read -r word rest; do
  if [ "$word" = "ready?" ]; then
    echo ready
  fi
done
"""
NODE = """\
let move = '';
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  if (line === 'ready?') console.log('ready');
  if (line.startsWith('turn')) move = '';
  if (line.startsWith('legal ') && !move) move = line.slice(6);
  if (line.startsWith('go')) console.log(move);
});
"""
JAVA = """\
import java.util.Scanner;
public class %s {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) { if (in.nextLine().equals("ready?")) System.out.println("ready"); }
    }
}
"""
NOTEBOOK = """\
{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["print(1)"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"""
NETWORK = "network"
MISSING_FILE = "opens a file that is not there"
LOOK_AT_COMMAND = "look at `command`"
FILES_THERE = "put its files there"
NOT_PYTHON = "not valid Python"
NO_MODULE = "module that is missing"
MEMORY = "less memory"
ASKS_FOR_PROCESSES = "processes = 2"


@dataclass(frozen=True)
class Case:
    """A hand-in, and what its author reads."""

    files: Mapping[str, str | bytes]
    """One bare file, or the files of a folder by their paths; a value that begins with `-> ` is a
    link."""
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    executable: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Programs without which the case says nothing."""
    folder: bool | None = None
    """True = a folder even with one file."""
    neighbours: Mapping[str, str] = field(default_factory=dict)
    """Files beside it, which are no part of it."""
    sound: bool = False
    """True when it is fit to play all the same, and `says` is a note."""
    no_programs: bool = False
    """True when the machine has no compilers and interpreters."""
    answers_in: float = 20.0
    """Seconds that it may wait."""
    processes: int = 1
    """Processes that it may be."""


def write(case: Case, home: Path) -> Path:
    """Write the files of a case below a new folder; return the path that is handed in."""
    home.mkdir()
    for name, text in case.neighbours.items():
        (home / name).write_text(text)
    alone = len(case.files) == 1 and not case.folder and "/" not in next(iter(case.files))
    root = home if alone else home / "mine"
    for name, content in case.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str) and content.startswith("-> "):
            path.symlink_to(content.removeprefix("-> "))
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8", newline="")
        if name in case.executable:
            path.chmod(0o755)
    return root / next(iter(case.files)) if alone else root


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


CASES: dict[str, Case] = {
    # First lines, line ends, byte order marks, modes.
    "windows line ends after #! of a path": Case(
        {"mine": crlf(f"#!{sys.executable}\n" + PLAYS)},
        says=("mine", "CR LF"),
        never=(MISSING_FILE, LOOK_AT_COMMAND, "chmod"),
        executable=("mine",),
    ),
    "windows line ends after #! of env": Case(
        {"mine": crlf("#!/usr/bin/env python3\n" + PLAYS)},
        says=("mine", "CR LF"),
        never=(MISSING_FILE, LOOK_AT_COMMAND, "use -[v]S"),
        executable=("mine",),
    ),
    "windows line ends in a program that a bot.toml starts": Case(
        {"bot.toml": "command = './run'\n", "run": crlf("#!/bin/bash\n" + BASH)},
        says=("run", "CR LF"),
        never=(LOOK_AT_COMMAND,),
        executable=("run",),
    ),
    "windows line ends in bash": Case(
        {"mine.sh": crlf("#!/bin/bash\n" + BASH)},
        says=("mine.sh", "CR LF"),
        never=("stderr say where",),
        needs=("bash",),
    ),
    "windows line ends in python are no mistake": Case(
        {"mine.py": crlf("#!/usr/bin/env python3\n" + PLAYS)}, sound=True
    ),
    "a byte order mark before #!": Case(
        {"mine": b"\xef\xbb\xbf#!/usr/bin/env python3\n" + PLAYS.encode()},
        says=("byte order mark", "mine"),
        never=("another machine", "begin a script with #!"),
        executable=("mine",),
    ),
    "a byte order mark before python is no mistake": Case(
        {"mine.py": b"\xef\xbb\xbf" + PLAYS.encode()}, sound=True
    ),
    "a byte order mark before #! of bash": Case(
        {
            "bot.toml": "command = 'bash bot.sh'\n",
            "bot.sh": b"\xef\xbb\xbf#!/bin/bash\n" + BASH.encode(),
        },
        says=("a byte order mark stands before the #! of bot.sh",),
        never=(ASKS_FOR_PROCESSES, "$(...)"),
        needs=("bash",),
    ),
    "a byte order mark before #! of sh": Case(
        {
            "bot.toml": "command = 'sh run'\n",
            "run": b"\xef\xbb\xbf#!/bin/sh\n" + BASH.encode(),
        },
        says=("a byte order mark stands before the #! of run",),
        never=(ASKS_FOR_PROCESSES, "$(...)"),
    ),
    "a byte order mark before #! of node": Case(
        {"mine.js": b"\xef\xbb\xbf#!/usr/bin/env node\n" + NODE.encode()},
        says=("a byte order mark stands before the #! of mine.js",),
        never=("no valid JavaScript",),
        needs=("node",),
    ),
    "windows line ends in a loop of bash": Case(
        {"mine.sh": crlf(LOOP)},
        says=("the lines of mine.sh end with CR LF",),
        never=("stderr say where",),
        needs=("bash",),
    ),
    "windows line ends and an empty line of bash": Case(
        {"mine.sh": crlf("#!/bin/bash\n\n" + BASH)},
        says=("the lines of mine.sh end with CR LF",),
        never=(ASKS_FOR_PROCESSES, "$(...)"),
        needs=("bash",),
    ),
    "line ends of an old mac": Case(
        {"mine.sh": ("#!/bin/bash\n" + BASH).replace("\n", "\r")},
        says=("the lines of mine.sh end with CR alone",),
        never=("endless loop",),
        needs=("bash",),
    ),
    "line ends of an old mac in python are no mistake": Case(
        {"mine.py": PLAYS.replace("\n", "\r")}, sound=True
    ),
    "line ends of an old mac behind #!": Case(
        {"mine": ("#!/usr/bin/env python3\nx = 1\n" + PLAYS).replace("\n", "\r")},
        says=("the lines of mine end with CR alone",),
        never=("endless loop", "not on this machine"),
        executable=("mine",),
        answers_in=0.3,
    ),
    "windows line ends in a program of sh": Case(
        {"bot.toml": "command = 'sh run'\n", "run": crlf(LOOP)},
        says=("the lines of run end with CR LF",),
        never=("stderr say where",),
    ),
    "saved as UTF-16": Case(
        {"mine.py": PLAYS.encode("utf-16")},
        says=("mine.py", "UTF-16", "UTF-8"),
        never=(NOT_PYTHON,),
    ),
    "a program that may not be executed, in a folder": Case(
        {"bot": "#!/usr/bin/env python3\n" + PLAYS},
        says=("bot may not be executed", "chmod +x bot"),
        never=("it has no bot.toml",),
        folder=True,
    ),
    "a program that may not be executed, alone": Case(
        {"mine": "#!/usr/bin/env python3\n" + PLAYS},
        says=("may not be executed", "chmod +x mine", "mine.py"),
    ),
    "a program that may not be executed, of a bot.toml": Case(
        {"bot.toml": "command = './run'\n", "run": "#!/bin/bash\n" + BASH}, says=("chmod +x run",)
    ),
    "a script that may be executed and has no #!": Case(
        {"mine": PLAYS}, says=("mine", "#!"), never=("another machine",), executable=("mine",)
    ),
    "an interpreter that is missing": Case(
        {"mine": "#!/usr/local/bin/no-such-python3.19\n" + PLAYS},
        says=("/usr/local/bin/no-such-python3.19", "not on this machine"),
        never=(MISSING_FILE, LOOK_AT_COMMAND),
        executable=("mine",),
    ),
    "an interpreter that env does not find": Case(
        {"mine": "#!/usr/bin/env no-such-python2\n" + PLAYS},
        says=("no-such-python2", "not on this machine"),
        never=(MISSING_FILE, LOOK_AT_COMMAND),
        executable=("mine",),
    ),
    "an interpreter without its folder": Case(
        {"mine": "#!python3\n" + PLAYS},
        says=("first line of mine names python3 without its folder", "#!/usr/bin/env python3"),
        never=(LOOK_AT_COMMAND, "not on this machine"),
        executable=("mine",),
    ),
    "an interpreter with an option behind env": Case(
        {"mine": "#!/usr/bin/env python3 -u\n" + PLAYS},
        says=("#!/usr/bin/env -S python3 -u", "mine"),
        never=(LOOK_AT_COMMAND, "not on this machine"),
        executable=("mine",),
    ),
    "an option behind env -S is no mistake": Case(
        {"mine": "#!/usr/bin/env -S python3 -u\n" + PLAYS}, executable=("mine",), sound=True
    ),
    "an interpreter in the author's home": Case(
        {"mine": "#!/home/ada/venv/bin/python\n" + PLAYS},
        says=("/home/ada/venv/bin/python",),
        never=(MISSING_FILE, LOOK_AT_COMMAND),
        executable=("mine",),
    ),
    "a program for windows": Case(
        {"mine": b"MZ\x90\x00" + b"\0" * 200},
        says=("Windows",),
        never=("begin a script",),
        executable=("mine",),
    ),
    "a program for a mac": Case(
        {"mine": b"\xcf\xfa\xed\xfe" + b"\0" * 200},
        says=("Mac",),
        never=("begin a script",),
        executable=("mine",),
    ),
    "a program for another processor": Case(
        {"mine": b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xf3\xff" + b"\0" * 200},
        says=("another kind of processor",),
        never=("begin a script",),
        executable=("mine",),
    ),
    # Commands.
    "a path with a backslash": Case(
        {"bot.toml": "command = 'python src\\bot.py'\n", "src/bot.py": PLAYS},
        says=("src/bot.py", "\\"),
        never=(MISSING_FILE,),
    ),
    "a path with a backslash in double quotes": Case(
        {"bot.toml": 'command = "python src\\main.py"\n', "src/main.py": PLAYS}, says=("/", "\\")
    ),
    "a path with a backslash that is a backspace": Case(
        {"bot.toml": 'command = "python src\\bot.py"\n', "src/bot.py": PLAYS}, says=("/", "\\")
    ),
    "a file of a command that is elsewhere in the folder": Case(
        {"bot.toml": "command = 'python bot.py'\n", "src/bot.py": PLAYS},
        says=("bot.py", "src/bot.py"),
        never=(MISSING_FILE,),
    ),
    "a file of a command that differs in case": Case(
        {"bot.toml": "command = 'python Bot.py'\n", "bot.py": PLAYS},
        says=("Bot.py", "bot.py"),
        never=(MISSING_FILE,),
    ),
    "a file of a command that is nowhere": Case(
        {"bot.toml": "command = 'python run.py'\n", "bot.py": PLAYS},
        says=("run.py", "bot.py"),
        never=(MISSING_FILE,),
    ),
    "a command for a shell": Case(
        {"bot.toml": "command = 'cd src && python bot.py'\n", "src/bot.py": PLAYS},
        says=("&&", "shell"),
    ),
    "a variable before a command": Case(
        {"bot.toml": "command = 'OMP_NUM_THREADS=1 python bot.py'\n", "bot.py": PLAYS},
        says=("env", "OMP_NUM_THREADS=1"),
    ),
    "python as windows calls it": Case(
        {"bot.toml": "command = 'py bot.py'\n", "bot.py": PLAYS},
        says=("`python`",),
        never=("in the bot's folder",),
    ),
    "python by its path on windows": Case(
        {"bot.toml": "command = 'C:\\Python312\\python.exe bot.py'\n", "bot.py": PLAYS},
        says=("write 'python'",),
        never=("Python312/python.exe",),
    ),
    "python of an environment of windows": Case(
        {
            "bot.toml": "command = '.venv\\Scripts\\python.exe bot.py'\n",
            "bot.py": PLAYS,
        },
        says=("write 'python'",),
        never=("Scripts/python.exe",),
    ),
    "an engine by its path on windows": Case(
        {"bot.toml": "command = 'engines\\fish.exe'\n", "engines/fish.exe": b"MZ"},
        says=("write 'engines/fish.exe', with /",),
    ),
    "a language that is not on the machine": Case(
        {"bot.toml": "command = 'no-such-language bot.xyz'\n", "bot.xyz": "x"},
        says=("no-such-language", "not on this machine"),
    ),
    "the python of a virtual environment": Case(
        {
            "bot.toml": "command = '.venv/bin/python bot.py'\n",
            "bot.py": PLAYS,
            ".venv/pyvenv.cfg": "home = /usr/bin\n",
            ".venv/bin/python": "-> /usr/bin/python3",
        },
        says=(".venv", "left out", "write `python` in `command`"),
        never=(LOOK_AT_COMMAND, "hand in"),
    ),
    "the python of a virtual environment without a dot": Case(
        {
            "bot.toml": "command = './venv/bin/python3 bot.py'\n",
            "bot.py": PLAYS,
            "venv/pyvenv.cfg": "home = /usr/bin\n",
            "venv/bin/python3": "-> /usr/bin/python3",
        },
        says=("venv", "left out", "write `python` in `command`"),
        never=(LOOK_AT_COMMAND, "hand in"),
    ),
    # Bash.
    "bash with $(...)": Case(
        {
            "mine.sh": "#!/bin/bash\n"
            + BASH.replace("move=$rest", "move=$(echo $rest | cut -c 1-99)")
        },
        says=("process", "$(...)"),
        never=(NETWORK, "memory"),
        needs=("bash",),
    ),
    "bash with a pipe": Case(
        {"mine.sh": "grep -m1 legal | cut -d' ' -f2-\n" + BASH},
        says=("process", "pipe"),
        never=(NETWORK, "memory"),
        needs=("bash",),
    ),
    "bash that starts a program": Case(
        {"bot.toml": "command = 'bash run.sh'\n", "run.sh": "python3 bot.py\n", "bot.py": PLAYS},
        says=("exec python3 bot.py",),
        never=(NETWORK,),
        needs=("bash",),
    ),
    "bash with a here-document": Case(
        {"mine.sh": "cat <<END\nready\nEND\n" + BASH},
        says=("process",),
        never=(NETWORK, MISSING_FILE),
        needs=("bash",),
    ),
    "bash that calls a command that is missing": Case(
        {"mine.sh": "exec no-such-command\n"},
        says=("no-such-command",),
        never=(MISSING_FILE,),
        needs=("bash",),
    ),
    # Java.
    "java without Main.java": Case(
        {"Rover.java": JAVA % "Rover", "Helper.java": "class Helper {}\n"},
        says=("Rover.java", "Main.java"),
        never=("main.py", "bot.py"),
    ),
    "java in a package": Case(
        {
            "Main.java": "package com.ada;\n" + JAVA % "Main",
            "Helper.java": "package com.ada;\nclass Helper {}\n",
        },
        says=("package com.ada",),
        never=(MISSING_FILE,),
        needs=("java", "javac"),
    ),
    "java of which the trace is long": Case(
        {
            "Main.java": "public class Main { static void f(int n) { if (n == 0) throw new "
            "IllegalStateException("
            '"no book"); f(n - 1); } public static void main(String[] a) { f(30); } }\n'
        },
        says=("IllegalStateException: no book",),
        needs=("java",),
    ),
    # C and C++.
    "c++ that does not compile": Case(
        {"mine.cpp": "int main() { retrun 0; }\n"}, says=("retrun",), needs=("c++",)
    ),
    "c with a header that is missing": Case(
        {"mine.c": '#include "board.h"\nint main(void) { return 0; }\n'},
        says=("board.h", "hand in one folder"),
        needs=("cc",),
    ),
    "c that never flushes": Case(
        {"mine.c": '#include <stdio.h>\nint main(void) { puts("ready"); for (;;) getchar(); }\n'},
        says=("flush",),
        needs=("cc",),
        answers_in=0.2,
    ),
    "rust without its compiler": Case(
        {"mine.rs": "fn main() {}\n"},
        says=("rustc", "not on this machine"),
        never=("command",),
        no_programs=True,
    ),
    "c sharp": Case(
        {"mine.cs": "class P { static void Main() {} }\n"},
        says=(".cs", "bot.toml"),
        never=("neither executable",),
    ),
    # Node.
    "node with a module that is missing": Case(
        {"mine.js": "const chess = require('chess.js');\n" + NODE},
        says=("Cannot find module 'chess.js'", "node_modules"),
        never=("arena.kit",),
        needs=("node",),
    ),
    "node with a file that is missing": Case(
        {"main.js": "require('./lib/search');\n" + NODE, "package.json": "{}\n"},
        says=("'./lib/search'",),
        never=("arena.kit", "node_modules"),
        needs=("node",),
    ),
    "node with import in a script": Case(
        {"main.js": "import readline from 'readline';\n", "package.json": '{"type": "commonjs"}\n'},
        says=("main.mjs", "import"),
        never=(NOT_PYTHON,),
        needs=("node",),
    ),
    "node with require in a module": Case(
        {"main.js": NODE, "package.json": '{"type": "module"}\n'},
        says=("require", "package.json"),
        never=(NOT_PYTHON,),
        needs=("node",),
    ),
    "node that is no program": Case(
        {"mine.js": "let x = ;\n"}, says=("mine.js:1",), never=(NOT_PYTHON,), needs=("node",)
    ),
    "node with a process of its own": Case(
        {"mine.js": "console.error(require('child_process').execSync('ls').toString());\n" + NODE},
        says=("process",),
        never=(NETWORK, FILES_THERE),
        needs=("node",),
    ),
    # Notebooks and Python's files.
    "a notebook": Case({"mine.ipynb": NOTEBOOK}, says=("a notebook is no program",)),
    "a notebook that is called a program": Case(
        {"mine.py": NOTEBOOK}, says=("mine.py", "notebook"), never=("stderr say where",)
    ),
    "a notebook that was saved as a program": Case(
        {"mine.py": "get_ipython().system('pip install chess')\n" + PLAYS},
        says=("get_ipython", "notebook"),
    ),
    "a magic of a notebook": Case(
        {"mine.py": "!pip install chess\n" + PLAYS}, says=("notebook",), never=(NOT_PYTHON,)
    ),
    "a relative import in a lone file": Case(
        {"mine.py": "from .helper import x\n" + PLAYS},
        says=("from helper import", "folder"),
        never=(NO_MODULE,),
        neighbours={"helper.py": "x = 1\n"},
    ),
    "a relative import in a folder": Case(
        {"bot.py": "from .helper import x\n" + PLAYS, "helper.py": "x = 1\n"},
        says=("from helper import",),
        never=(NO_MODULE,),
    ),
    "a module that stands beside the bot": Case(
        {"mine.py": "import helper\n" + PLAYS},
        says=("helper.py", "beside", "folder"),
        neighbours={"helper.py": ""},
    ),
    "a module that is elsewhere in the folder": Case(
        {"bot.py": "import helper\n" + PLAYS, "lib/helper.py": "x = 1\n"}, says=("lib/helper.py",)
    ),
    "a module that differs in case": Case(
        {"bot.py": "import Helper\n" + PLAYS, "helper.py": "x = 1\n"},
        says=("helper.py", "Helper", "capital"),
    ),
    "a module of somebody's": Case(
        {"mine.py": "import no_such_package.deep\n" + PLAYS},
        says=("`no_such_package`", "not on this machine"),
        never=(MISSING_FILE,),
    ),
    "a part that a module of the machine does not have": Case(
        {"mine.py": "import xml.nothere\n" + PLAYS},
        says=("`xml.nothere`", "`xml` is there"),
        never=("`xml` is not on this machine", "pip install"),
    ),
    "a part that a module of the bot does not have": Case(
        {"bot.py": "from mybot.nothere import x\n" + PLAYS, "mybot/__init__.py": ""},
        says=("`mybot.nothere`", "mybot/nothere.py", "or the package that brings it"),
        never=("`mybot` is not on this machine", "pip install"),
    ),
    "a part of a package of the bot that differs in case": Case(
        {"bot.py": "import lib.Helper\n" + PLAYS, "lib/helper.py": ""},
        says=("`lib.Helper`", "lib/helper.py"),
        never=("not on this machine", "pip install"),
    ),
    "a module that pip knows under another name": Case(
        {"mine.py": "raise ModuleNotFoundError(\"No module named 'sklearn'\")\n"},
        says=("pip install --target . scikit-learn",),
    ),
    "a module of python that the machine does not have": Case(
        {"mine.py": "raise ModuleNotFoundError(\"No module named 'tkinter'\")\n"},
        says=("`tkinter` is a part of Python", "do without it"),
        never=("pip install",),
    ),
    "a module that may be a file of the author's": Case(
        {"mine.py": "import no_such_helper\n" + PLAYS},
        says=("no_such_helper.py of your own", "pip install --target . no_such_helper"),
    ),
    "a name that a module does not have": Case(
        {"bot.py": "from helper import y\n" + PLAYS, "helper.py": "x = 1\n"},
        says=("cannot import name 'y' from 'helper'",),
        never=(NO_MODULE, "not on this machine"),
    ),
    "modules that import each other": Case(
        {
            "bot.py": "import one\n" + PLAYS,
            "one.py": "from two import y\n",
            "two.py": "from one import x\ny = 1\n",
        },
        says=("import each other",),
        never=(NO_MODULE, "not on this machine"),
    ),
    "a part of arena that bots do not have": Case(
        {"mine.py": "from arena.match import referee\n" + PLAYS},
        says=("arena.kit",),
        never=("pip",),
    ),
    "a module called like the library's": Case(
        {"bot.py": PLAYS, "random.py": "x = 1\n"}, says=("random", "another name")
    ),
    # Data files.
    "a data file by the working folder": Case(
        {
            "bot.toml": "command = 'python src/bot.py'\n",
            "src/bot.py": "open('book.txt')\n" + PLAYS,
            "src/book.txt": "",
        },
        says=("book.txt", "src/book.txt"),
        never=("hand it in",),
    ),
    "a data file of windows": Case(
        {"mine.py": "open(r'C:\\Users\\ada\\book.txt')\n" + PLAYS}, says=("C:", "another computer")
    ),
    "a data file of windows with a bad escape": Case(
        {"mine.py": "open('C:\\Users\\ada\\book.txt')\n" + PLAYS},
        says=("backslash",),
        never=(NOT_PYTHON,),
    ),
    "a data file that was not handed in": Case(
        {"mine.py": "open('book.txt')\n" + PLAYS},
        says=("book.txt", "folder"),
        neighbours={"book.txt": ""},
    ),
    "a data file that differs in case": Case(
        {"bot.py": "open('book.txt')\n" + PLAYS, "Book.txt": ""},
        says=("Book.txt", "book.txt"),
        never=("hand it in",),
    ),
    "a data file with a backslash": Case(
        {"bot.py": "open('data\\\\book.txt')\n" + PLAYS, "data/book.txt": ""},
        says=("data/book.txt",),
    ),
    "an empty pickle": Case(
        {"bot.py": "import pickle\npickle.load(open('book', 'rb'))\n" + PLAYS, "book": ""},
        says=("ends too early",),
        never=("exit when the input ends",),
    ),
    # Processes and system.
    "multiprocessing.Pool": Case(
        {"mine.py": "import multiprocessing\nmultiprocessing.Pool(2)\n" + PLAYS},
        says=("process", "threads"),
        never=(FILES_THERE, NETWORK),
    ),
    "a pool of futures": Case(
        {
            "mine.py": "from concurrent.futures import ProcessPoolExecutor\n"
            "ProcessPoolExecutor(2).submit(print).result()\n" + PLAYS
        },
        says=("process", "threads"),
        never=(FILES_THERE, NETWORK),
    ),
    "a wrapper of an engine": Case(
        {"mine.py": "import subprocess\nsubprocess.Popen(['/bin/cat'])\n" + PLAYS},
        says=("process",),
        never=(FILES_THERE, NETWORK, MISSING_FILE),
    ),
    "a wrapper of an engine that may not be executed": Case(
        {
            "bot.py": "import subprocess\nsubprocess.Popen(['./engine'])\n" + PLAYS,
            "engine": "#!/bin/sh\n",
        },
        says=("engine may not be executed", "chmod +x engine"),
        never=("$TMPDIR",),
        processes=2,
    ),
    "a wrapper of an engine in a folder that may not be executed": Case(
        {
            "bot.py": "import os, subprocess\n"
            "subprocess.Popen([os.path.abspath('bin/engine')])\n" + PLAYS,
            "bin/engine": b"\x7fELF",
        },
        says=("bin/engine may not be executed", "chmod +x bin/engine"),
        never=("$TMPDIR", FILES_THERE),
        processes=2,
    ),
    "a wrapper of an engine in bash that may not be executed": Case(
        {"bot.toml": "command = 'bash run.sh'\n", "run.sh": "./engine\nexit 3\n", "engine": ""},
        says=("engine may not be executed", "chmod +x"),
        never=("$TMPDIR",),
        needs=("bash",),
        processes=2,
    ),
    "a wrapper of an engine that is not on the machine": Case(
        {"mine.py": "import subprocess\nsubprocess.Popen(['no-such-fish'])\n" + PLAYS},
        says=("it starts a program", "no-such-fish", "is not there"),
        never=(MISSING_FILE,),
        processes=2,
    ),
    "a wrapper of an engine that was not handed in": Case(
        {"mine.py": "import subprocess\nsubprocess.Popen(['./engine'])\n" + PLAYS},
        says=("it starts a program", "hand ./engine in"),
        never=(MISSING_FILE,),
        processes=2,
    ),
    "a wrapper in node of an engine that is not on the machine": Case(
        {"mine.js": "require('child_process').spawn('no-such-fish');\n" + NODE},
        says=("it starts a program", "no-such-fish", "is not there"),
        never=(MISSING_FILE,),
        needs=("node",),
        processes=2,
    ),
    "multiprocessing.Value": Case(
        {"mine.py": "import multiprocessing\nmultiprocessing.Value('i')\n" + PLAYS},
        says=("no shared memory",),
        never=(FILES_THERE, "$TMPDIR"),
    ),
    "multiprocessing.SharedMemory": Case(
        {
            "mine.py": "from multiprocessing.shared_memory import SharedMemory\n"
            "SharedMemory(create=True, size=9)\n" + PLAYS
        },
        says=("no shared memory",),
        never=(FILES_THERE, "$TMPDIR"),
    ),
    "multiprocessing.Pool where processes are allowed": Case(
        {"mine.py": "import multiprocessing\nmultiprocessing.Pool(2)\n" + PLAYS},
        says=("no shared memory", "subprocess"),
        never=(FILES_THERE, "no other process"),
        processes=3,
    ),
    "multiprocessing.Lock where processes are allowed": Case(
        {"mine.py": "import multiprocessing\nmultiprocessing.Lock()\n" + PLAYS},
        says=("no shared memory",),
        never=(FILES_THERE, "no other process"),
        processes=2,
    ),
    "os.fork": Case(
        {"mine.py": "import os\nos.fork()\n" + PLAYS}, says=("process",), never=(NETWORK,)
    ),
    "perl with backticks": Case(
        {"mine.pl": 'my $x = `ls`; die "no list: $!" unless defined $x;\n'},
        says=("process",),
        never=(NETWORK,),
        needs=("perl",),
    ),
    "a word fork of the bot's own": Case(
        {"mine.py": "def fork(): return {}['knight']\nfork()\n"},
        says=("KeyError: 'knight'",),
        never=("process", NETWORK),
    ),
    "a socket": Case(
        {"mine.py": "import socket\nsocket.create_connection(('127.0.0.1', 9))\n" + PLAYS},
        says=(NETWORK,),
    ),
    "urllib": Case(
        {
            "mine.py": "import urllib.request\nurllib.request.urlopen('http://example.org')\n"
            + PLAYS
        },
        says=(NETWORK,),
    ),
    "a note in its own folder": Case(
        {"mine.py": "open('note.txt', 'w')\n" + PLAYS},
        says=("note.txt", "$TMPDIR"),
        never=(FILES_THERE,),
    ),
    "a file in /tmp": Case(
        {"mine.py": "open('/tmp/note.txt', 'w')\n" + PLAYS},
        says=("/tmp/note.txt", "$TMPDIR"),
        never=(FILES_THERE,),
    ),
    "a file in /tmp by a shell": Case(
        {"mine.sh": "echo x > /tmp/note.txt || exit 1\n" + BASH},
        says=("$TMPDIR",),
        never=(FILES_THERE, NETWORK),
    ),
    "a file outside": Case(
        {"mine.py": "open('/etc/passwd')\n" + PLAYS},
        says=("/etc/passwd",),
        never=("$TMPDIR", MISSING_FILE),
    ),
    "a variable of the author's": Case(
        {"mine.py": "import os\nos.environ['USER']\n" + PLAYS}, says=("USER", "variable")
    ),
    "a locale": Case(
        {"mine.py": "import locale\nlocale.setlocale(locale.LC_ALL, 'xx_YY.UTF-8')\n" + PLAYS},
        says=("locale",),
    ),
    "a heap of one's own": Case(
        {"mine.py": "import heapq\nheapq.heappop([])\n" + PLAYS},
        says=("IndexError",),
        never=(MEMORY, "memory peaked"),
    ),
    "a recursion": Case(
        {"mine.py": "def f(): f()\nf()\n" + PLAYS}, says=("RecursionError", "setrecursionlimit")
    ),
    "words of an earlier mistake that was caught": Case(
        {
            "mine.py": "import sys\nprint('No such file or directory: book, playing without', "
            "file=sys.stderr)\n"
            "[][1]\n" + PLAYS
        },
        says=("IndexError",),
        never=(MISSING_FILE,),
    ),
    # Texts.
    "an encoding that is declared wrong": Case(
        {"mine.py": "# -*- coding: utf-8mb4 -*-\n" + PLAYS},
        says=("utf-8mb4", "UTF-8"),
        never=(NOT_PYTHON,),
    ),
    "python 2": Case({"mine.py": 'print "ready"\n'}, says=("Python 2",)),
    "an f-string of a later python": Case(
        {"mine.py": "type Move = str\nx = f'{'a'}'\n" + PLAYS},
        says=(f"Python {sys.version_info[0]}.{sys.version_info[1]}",),
    ),
    "tabs and spaces": Case({"mine.py": "if 1:\n\tx = 1\n        y = 2\n"}, says=("tabs",)),
    # Streams.
    "answers on stderr": Case(
        {
            "mine.py": "import sys\n"
            "for line in sys.stdin:\n    if line == 'ready?\\n': print('ready', file=sys.stderr)\n"
        },
        says=("stderr", "stdout"),
        never=("does not read its input",),
        answers_in=0.3,
    ),
    "a bot that reads to the end": Case(
        {"mine.py": "import sys\nsys.stdin.read()\nprint('ready')\n"},
        says=("sys.stdin.read()", "line 2"),
        answers_in=0.3,
    ),
    # Leftovers of tools.
    "a virtual environment": Case(
        {
            "bot.py": PLAYS,
            ".venv/pyvenv.cfg": "home = /usr/bin\n",
            ".venv/bin/python": "-> /usr/bin/python3",
            ".venv/lib/random.py": "",
        },
        says=(".venv",),
        sound=True,
    ),
    "a virtual environment without a dot": Case(
        {
            "bot.py": PLAYS,
            "venv/pyvenv.cfg": "home = /usr/bin\n",
            "venv/bin/python": "-> /usr/bin/python3",
        },
        says=("venv",),
        sound=True,
    ),
    "a virtual environment of another name": Case(
        {
            "bot.py": PLAYS,
            "env/pyvenv.cfg": "home = /usr/bin\n",
            "env/bin/python": "-> /usr/bin/python3",
        },
        says=("env", "virtual environment"),
        never=("copy the file instead",),
    ),
    "links of node_modules": Case(
        {
            "main.js": NODE,
            "node_modules/x/cli.js": "",
            "node_modules/.bin/x": "-> ../x/cli.js",
            "node_modules/.bin/y": "-> /usr/lib/node_modules/y/cli.js",
        },
        says=("node_modules/.bin",),
        sound=True,
        needs=("node",),
    ),
    "what a mac leaves": Case(
        {"snake.py": PLAYS, "._snake.py": b"\0\5\x16\7", ".DS_Store": b"\0"}, sound=True
    ),
    "an archive that is not unpacked": Case(
        {"mine.zip": b"PK\3\4"}, says=("arena submit mine.zip",), never=("neither executable",)
    ),
}


@dataclass(frozen=True)
class Recorded:
    """The end of a stderr, as an interpreter printed it."""

    stderr: str
    line: str
    """Words of the line that names the error."""
    advice: str
    """Words of the advice; empty = that the program failed, and no cause."""


TRACE = 'Traceback (most recent call last):\n  File "bot.py", line 3, in <module>\n'
JAVA_THREAD = 'Exception in thread "main" '
RECORDED: dict[str, Recorded] = {
    "go": Recorded(
        "panic: open book.txt: no such file or directory\n\n"
        "goroutine 1 [running]:\nmain.main()\n\t/x/a.go:5\nexit status 2\n",
        "panic: open book.txt",
        "hand book.txt in",
    ),
    "c sharp": Recorded(
        "Unhandled exception. System.IO.FileNotFoundException: Could not find file '/x/book.txt'.\n"
        "File name: '/x/book.txt'\n   at Interop.ThrowExceptionForIoErrno()\n"
        "   at Program.Main()\n",
        "FileNotFoundException",
        "hand /x/book.txt in",
    ),
    "ruby": Recorded(
        (
            "bot.rb:1:in `require': cannot load such file -- chess (LoadError)\n"
            "\tfrom bot.rb:1:in `<main>'\n"
        ),
        "cannot load such file -- chess",
        "hand chess in",
    ),
    "rust": Recorded(
        "\nthread 'main' panicked at src/main.rs:2:5:\nno move is left\n"
        "note: run with `RUST_BACKTRACE=1` environment "
        "variable to display a backtrace\n",
        "no move is left",
        "",
    ),
    "perl": Recorded(
        "Can't locate Foo/Bar.pm in @INC (you may need it) at bot.pl line 1.\n"
        "BEGIN failed--compilation aborted at bot.pl line 1.\n",
        "Can't locate Foo/Bar.pm",
        "the Perl module Foo/Bar.pm",
    ),
    "lua": Recorded(
        "lua: bot.lua:3: no move\nstack traceback:\n\tbot.lua:3: in main chunk\n\t[C]: in ?\n",
        "no move",
        "",
    ),
    "node without memory": Recorded(
        "\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"
        " 1: 0xb8 node::OOMError\n",
        "FATAL ERROR: Reached heap limit",
        MEMORY,
    ),
    "node without a network": Recorded(
        "node:internal/deps/undici:1\n\nTypeError: fetch failed\n"
        "    at node:internal/deps/undici:1\n\n"
        "Node.js v20.20.2\n",
        "TypeError: fetch failed",
        NETWORK,
    ),
    "node that throws a text": Recorded(
        "bot.js:1\nthrow 'no move'\n^\nno move\n(Use `node --trace-uncaught ...` to show where it "
        "was thrown)\n\n"
        "Node.js v20.20.2\n",
        "no move",
        "",
    ),
    "java without a file": Recorded(
        f"{JAVA_THREAD}java.io.FileNotFoundException: book.txt (No such file or directory)\n"
        "\tat Main.main(Main.java:3)\n",
        "FileNotFoundException: book.txt",
        "hand book.txt in",
    ),
    "java outside its folder": Recorded(
        (
            f"{JAVA_THREAD}java.io.FileNotFoundException: /etc/x (Permission denied)\n"
            "\tat Main.main(Main.java:3)\n"
        ),
        "/etc/x (Permission denied)",
        "/etc/x is no file of the bot",
    ),
    "java that starts a program": Recorded(
        f'{JAVA_THREAD}java.io.IOException: Cannot run program "x": error=1, Operation not '
        "permitted\n"
        "\tat java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1143)\n"
        "Caused by: java.io.IOException: error=1, Operation not permitted\n"
        "\tat java.base/java.lang.ProcessImpl.forkAndExec(Native Method)\n\t... 3 more\n",
        "error=1, Operation not permitted",
        "starts no other process unless the organiser allows it",
    ),
    "java without main": Recorded(
        "error: can't find main(String[]) method in class: B\n",
        "in class: B",
        "the class B has no method `main`",
    ),
    "java without memory": Recorded(
        f"{JAVA_THREAD}java.lang.OutOfMemoryError: Java heap space\n", "OutOfMemoryError", MEMORY
    ),
    "java of a later version": Recorded(
        "Error: LinkageError occurred while loading main class Main\n"
        "\tjava.lang.UnsupportedClassVersionError: Main has been "
        "compiled by a more recent version of the Java Runtime (class file version 65.0)\n",
        "UnsupportedClassVersionError",
        "newer Java",
    ),
    "a newer system": Recorded(
        (
            "./bot: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by "
            "./bot)\n"
        ),
        "GLIBC_2.38",
        "built on a newer system",
    ),
    "a library that is missing": Recorded(
        "./bot: error while loading shared libraries: libSDL2.so.0: cannot open shared object "
        "file: No such file or "
        "directory\n",
        "libSDL2.so.0",
        "the library libSDL2.so.0 is not on this machine",
    ),
    "a library for windows": Recorded(
        f"{TRACE}OSError: engine.dll: cannot open shared object file: No such file or directory\n",
        "engine.dll",
        "a library for Windows",
    ),
    "a second error while python ends": Recorded(
        f"{TRACE}IndexError: list index out of range\n"
        "Exception ignored in: <function Pool.__del__ at 0x7f>\n"
        'Traceback (most recent call last):\n  File "/usr/lib/python3/multiprocessing/pool.py", '
        "line 271, in __del__\n"
        "AttributeError: no _state\n",
        "IndexError",
        "",
    ),
    "an error of two lines": Recorded(
        f"{TRACE}ValueError: no book\nof openings\n", "ValueError: no book", ""
    ),
    "a folder of a program that python starts": Recorded(
        f"{TRACE}    subprocess.Popen(\n"
        '  File "/usr/lib/python3.11/subprocess.py", line 1950, in _execute_child\n'
        "FileNotFoundError: [Errno 2] No such file or directory: 'data'\n",
        "'data'",
        "it starts a program, and data, or the folder that `cwd` names, is not there",
    ),
    "a package for pip that shares its first name with another": Recorded(
        f"{TRACE}ModuleNotFoundError: No module named 'google.protobuf'\n",
        "google.protobuf",
        "correct the name, or copy the package that brings this part beside the program",
    ),
    "a part that a module of Python does not have": Recorded(
        f"{TRACE}ModuleNotFoundError: No module named 'xml.nothere'\n",
        "xml.nothere",
        "`xml` is there, and has no part `xml.nothere`: correct the name, or is it a part of "
        "another version?",
    ),
    "a bash that finds no program": Recorded(
        "bot.sh: line 3: shuf: command not found\n",
        "shuf",
        "the program shuf is not on this machine",
    ),
    "a bash that may not run a program": Recorded(
        "run.sh: line 1: ./engine: Permission denied\n", "./engine", "chmod +x ./engine"
    ),
    "windows line ends, from a record": Recorded(
        (
            "/usr/bin/env: \u2018python3\\r\u2019: No such file or directory\n"
            "/usr/bin/env: use -[v]S to pass options\n"
        ),
        "python3\\r",
        "end with CR LF (Windows)",
    ),
    "windows line ends in bash, from a record": Recorded(
        "bot.sh: line 2: $'\\r': command not found\n",
        "command not found",
        "end with CR LF (Windows)",
    ),
    "an interpreter that is missing, from a record": Recorded(
        "/usr/bin/env: \u2018python2\u2019: No such file or directory\n",
        "python2",
        "names python2, which is not on this machine",
    ),
    "an interpreter with an option, from a record": Recorded(
        "/usr/bin/env: \u2018python3 -u\u2019: No such file or directory\n",
        "python3 -u",
        "#!/usr/bin/env -S python3 -u",
    ),
    "a script that another starts": Recorded(
        "run.sh: ./x: /bin/bash^M: bad interpreter: No such file or directory\n",
        "^M",
        "end with CR LF (Windows)",
    ),
    "a program of a script": Recorded(
        "run.sh: line 1: ./engine: No such file or directory\n",
        "./engine",
        "hand ./engine in with the bot",
    ),
    "a folder in place of a program": Recorded(
        "/usr/bin/python3: can't find '__main__' module in '/x/src'\n",
        "__main__",
        "names the folder src",
    ),
    "requests": Recorded(
        (
            f"{TRACE}requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x.org', "
            "port=443)\n"
        ),
        "ConnectionError",
        NETWORK,
    ),
    "a time zone": Recorded(
        (
            f"{TRACE}zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key "
            "Europe/Berlin'\n"
        ),
        "Europe/Berlin",
        "no time zone Europe/Berlin:",
    ),
    "too many threads": Recorded(
        f"{TRACE}RuntimeError: can't start new thread\n", "new thread", "fewer threads"
    ),
    "data of another encoding": Recorded(
        f"{TRACE}UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3\n",
        "utf-8",
        "no text in utf-8",
    ),
    "/proc": Recorded(
        f"{TRACE}PermissionError: [Errno 13] Permission denied: '/proc/cpuinfo'\n",
        "/proc/cpuinfo",
        "/proc/cpuinfo is no file",
    ),
    "a word of the bot's own": Recorded(
        "SIGSEGV, MemoryError, socket\nI give up\n", "I give up", ""
    ),
}


def missing(case: Case) -> list[str]:
    """Return the programs that a case needs and this machine does not have."""
    return [program for program in case.needs if shutil.which(program) is None]
