"""The files of a bot, as far as advice needs them: their names, their neighbours, and a text.

They are a stranger's: each text is cut, links are not followed out of the bot, and nothing is run.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from arena.event.discovery.programs import BUILDS, SOURCES
from arena.match.bot import program_file
from arena.sandbox.copying import ELF
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot

PYTHON_LINE = re.compile("#!.*python")
PROGRAM_ENDINGS = {".jar"}.union(SOURCES)
TEXT_BYTES = 100_000
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
LFS = b"version https://git-lfs.github.com/"
ENVIRONMENTS = (".venv", "venv")
_NOTEBOOK = re.compile(r'\s*\{\s*"(cells|metadata|nbformat)"')
_READS_ALL = re.compile(
    r"sys\.stdin\.(read|readlines)\(\)|json\.load\(sys\.stdin\)"
    r"|readFileSync\((0|process\.stdin\.fd|['\"]/dev/stdin['\"])"
)
_HELD_BACK = (
    (
        (".c",),
        r"flush|set(v|line)?buf|\bd?write\s*\(|dprintf",
        "call fflush(stdout) after each line",
    ),
    (
        (".cpp", ".cc", ".cxx"),
        r"flush|endl|unitbuf|set(v|line)?buf|\bcin\b",
        "end each line by std::endl",
    ),
    ((".pl",), r"\$\||flush|syswrite", "write `$| = 1;` at the beginning"),
    ((".rb",), r"sync|flush|syswrite", "write `$stdout.sync = true` at the beginning"),
    ((".py",), r"flush|reconfigure|arena\.kit|os\.write|python3? -u", "print(..., flush=True)"),
)
"""For each language: the endings of its sources, the pattern of a program that flushes, and how to
flush. C++ flushes before it reads `cin`."""
MOST_SOURCES = 20


@dataclass(frozen=True)
class BotFiles:
    """The files of one bot; a bot from a record has no files, so all is empty."""

    bot: Bot | None = None

    @cached_property
    def names(self) -> list[str]:
        """The paths of its files within the bot, those of outer folders first."""
        if self.bot is None:
            return []
        return program_file.file_names(self.bot)

    @cached_property
    def neighbours(self) -> frozenset[str]:
        """The names beside a bare file, which are no part of the bot."""
        if not self.is_bare:
            return frozenset()
        try:
            names = frozenset(path.name for path in self.home.iterdir())
        except OSError:
            return frozenset()
        return names - {self._path.name}

    @property
    def is_bare(self) -> bool:
        """True for a bot that is one file."""
        return self._path.is_file()

    @property
    def home(self) -> Path:
        """The folder with its files."""
        if self._path.is_dir():
            return self._path
        return self._path.parent

    @cached_property
    def program(self) -> str:
        """The path of the file that its command names; empty if it names none that is there."""
        for word in self._command:
            name = word.removeprefix("./")
            if name in self.names:
                return name
        return ""

    @property
    def missing_program(self) -> str:
        """The file that an interpreter's command names and the bot lacks; empty without one."""
        arguments = [word for word in self._command[1:] if not word.startswith("-")]
        if not arguments:
            return ""
        name = arguments[0]
        if name in self.names or PurePosixPath(name).suffix not in PROGRAM_ENDINGS:
            return ""
        return name

    @property
    def flushes_itself(self) -> bool:
        """True where its interpreter writes each line at once."""
        if not self._command:
            return False
        interpreter = Path(self._command[0]).name
        return interpreter in {PYTHON, "node", "bash", "sh"}

    @property
    def stem(self) -> str:
        """The name of its program's module."""
        _, _, file_name = self.program.rpartition("/")
        stem, _, _ = file_name.partition(".")
        return stem

    @property
    def folder(self) -> str:
        """The folder of its program within the bot, ending in a slash; empty = the bot's own."""
        head, slash, _ = self.program.rpartition("/")
        return head + slash

    def read(self, name: str = "") -> str:
        """Return the beginning of a file, or of its program; empty if it cannot be read."""
        return self._bytes(name or self.program).decode("utf-8", "replace")

    @property
    def is_utf_16(self) -> bool:
        """True when its program is saved as UTF-16."""
        return self._bytes(self.program).startswith(UTF_16)

    @property
    def is_notebook(self) -> bool:
        """True when its program is a notebook under another name."""
        text = self.read()
        return _NOTEBOOK.match(text) is not None and '"cells"' in text

    @property
    def pointer_of_lfs(self) -> str:
        """The name of a file that is only a pointer of Git LFS; empty if there is none."""
        for name in self.names:
            if self._bytes(name, len(LFS)).startswith(LFS):
                return name
        return ""

    def with_windows_line_ends(self) -> str:
        """Return its program or its first script that has Windows line ends; empty if none has."""
        names = [self.program]
        names.extend(name for name in self.names if name.endswith((".sh", ".bash")))
        for name in names:
            if name and b"\r\n" in self._bytes(name):
                return name
        return ""

    @cached_property
    def reads_all(self) -> str:
        """Where its program waits for the end of its input, in words; empty if it does not."""
        text = self.read()
        match = _READS_ALL.search(text)
        if match is None:
            return ""
        number = text.count("\n", 0, match.start()) + 1
        return f"line {number} of {program_file.shown(self.program)} has `{match.group()}`"

    @property
    def never_flushes(self) -> str:
        """How to flush each line, if its sources never flush; otherwise empty.

        It is empty also for a language that does not hold lines back.
        """
        if self.flushes_itself:
            return ""
        for endings, flushes, advice in _HELD_BACK:
            texts = [self.read(name) for name in self._sources if name.endswith(endings)]
            if not texts and ".py" in endings and PYTHON_LINE.match(self.read()):
                texts = [self.read()]
            if not texts:
                continue
            source = "\n".join(texts)
            if re.search(flushes, source):
                return ""
            return advice
        return ""

    @property
    def _command(self) -> tuple[str, ...]:
        if self.bot is None:
            return ()
        return self.bot.command

    @property
    def _path(self) -> Path:
        """The file or folder of the bot.

        A bot without files has the current folder, in which nothing is looked up.
        """
        if self.bot is None:
            return Path()
        return Path(self.bot.files or "")

    @property
    def _sources(self) -> list[str]:
        """Its program, or the sources of one that was built; the first MOST_SOURCES of them."""
        if self._bytes(self.program, len(ELF)) != ELF:
            return [self.program]
        sources = [name for name in self.names if PurePosixPath(name).suffix in BUILDS]
        return sources[:MOST_SOURCES]

    def with_package(self, module: str) -> str:
        """Return the virtual environment of the bot that has this module; empty if none has."""
        if not module.isidentifier():
            return ""
        for environment in ENVIRONMENTS:
            if any((self.home / environment).glob(f"lib/*/site-packages/{module}*")):
                return environment
        return ""

    def _bytes(self, name: str, most: int = TEXT_BYTES) -> bytes:
        if not name or self.bot is None:
            return b""
        path = self.home / name
        try:
            if not path.is_file():
                return b""
            if not path.resolve().is_relative_to(self.home.resolve()):
                return b""
            with path.open("rb") as file:
                return file.read(most)
        except OSError:
            return b""


NO_FILES = BotFiles()
