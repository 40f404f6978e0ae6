"""Pages as their reader follows them: their blocks and commands, and a page that leads through
something.
"""

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support import cup

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAVE = re.compile(
    r"(Save this as|Change these lines of|Replace the function `(\w+)` in)\s+`([^`]+)`"
)
MATCH = {"ID", "MATCH"}
"""Words of a command that stand for an id of a match, which a test can give."""


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language, `""` for those that name none."""
    return [text for named, text in FENCE.findall(page) if named == language]


def typed(page: str) -> list[list[str]]:
    """Return every `arena ...` of a page's consoles, indented blocks and code spans, as words."""
    shown = [
        re.split("[#>]", line.removeprefix("$ "))[0]
        for block in blocks(page, "console")
        for line in block.splitlines()
    ]
    shown += re.findall(r"^ {4}(arena .*)$", page, re.MULTILINE)
    spans = re.findall(r"`(arena [^`]+)`", page)
    return [shlex.split(text) for text in [*shown, *spans] if re.match(r"arena [a-z]", text)]


def commands(page: str) -> list[list[str]]:
    """Return those commands of a page in which no word such as FOLDER stands for something of the
    reader's own.
    """
    return [
        words
        for words in typed(page)
        if not any(word.isupper() and word not in MATCH for word in words)
    ]


def follow(
    page: str,
    folder: Path,
    extra: Mapping[str, Sequence[str]],
    elsewhere: Mapping[str, str] | None = None,
) -> tuple[Path, list[subprocess.CompletedProcess[str]]]:
    """Do what the page says, from an empty folder on; return the folder where it ends, and what its
    commands gave.

    `extra` has words to add to a command, such as those that make it quick. `elsewhere` has the
    files that the page takes from other pages: each is written where the page names it.
    """
    done, end = [], 0
    for fence in FENCE.finditer(page):
        before, (language, text), end = page[end : fence.start()], fence.groups(), fence.end()
        for name in elsewhere or {}:
            if f"`{name}`" in before:
                (folder / name).write_text((elsewhere or {})[name], "utf-8")
        if language == "console":
            for line in text.splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if words[0] == "cd":
                    folder = folder / words[1]
                elif words[0] == "arena":
                    done.append(cup.arena(folder, *words[1:], *extra.get(words[1], [])))
                else:
                    subprocess.run(line.removeprefix("$ "), shell=True, check=True, cwd=folder)
        elif saved := SAVE.search(before):
            file = folder / saved[3]
            if saved[2]:
                old = re.compile(rf"^def {saved[2]}\(.*?\n+(?=\S)", re.DOTALL | re.MULTILINE)
                text = old.sub(lambda _, text=text: f"{text}\n\n", file.read_text("utf-8"))
            elif saved[1].startswith("Change"):
                text = changed(file.read_text("utf-8"), text)
            file.write_text(text, "utf-8")
    return folder, done


def changed(text: str, lines: str) -> str:
    """Return a TOML file with these lines in place of those with the same keys, lists over several
    lines too.
    """
    for line in lines.splitlines():
        key = line.partition(" =")[0]
        text, times = re.subn(
            rf"^{key} = (\[[^\]]*\])?.*$", lambda _, line=line: line, text, flags=re.MULTILINE
        )
        assert times == 1, key
    return text
