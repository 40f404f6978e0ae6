"""Pages of docs/ as Jupyter notebooks: their text as Markdown cells, their blocks as cells that
run.

`python tests/notebook.py` writes the notebooks again; `tests/test_rl.py` and
`tests/house/test_sweep.py` run their cells. So a page and its notebook have one source.
"""

import contextlib
import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support import cup

DOCS = Path(__file__).parent.parent / "docs"
PAGES = tuple(DOCS / f"{name}.md" for name in ("rl", "sweep"))
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
SAVE = re.compile(r"Save this as `([\w.]+)`")
"""What the text before a Python block says if the block is a file."""


def cells(page: str) -> Iterator[tuple[str, str]]:
    """Yield the kind, `markdown` or `code`, and the text of each cell of a page."""
    end = 0
    for block in BLOCK.finditer(page):
        text = page[end : block.start()].strip()
        if text:
            yield "markdown", text
        language, code = block.groups()
        if language == "python":
            name = SAVE.search(text)
            yield "code", (f"%%writefile {name[1]}\n" if name else "") + code.rstrip()
        else:
            yield "code", "\n".join(_magic(line.removeprefix("$ ")) for line in code.splitlines())
        end = block.end()
    yield "markdown", page[end:].strip()


def _magic(command: str) -> str:
    """Return the line of a cell that does what a command does in a terminal."""
    program, _, words = command.partition(" ")
    # The kernel is the Python that runs arena, so it installs and trains; `cd` has to outlive its
    # cell.
    return {"pip": f"%pip {words}", "cd": f"%cd {words}", "python": f"%run {words}"}.get(
        program, f"!{command}"
    )


def notebook(page: str) -> dict[str, Any]:
    """Return the notebook of a page, in the format of Jupyter, version 4.5."""
    rows = [
        {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
        }
        for number, (kind, text) in enumerate(cells(page))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": rows, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def follow(
    path: Path, folder: Path, quick: Mapping[str, Sequence[str]], train: Callable[..., object] = id
) -> tuple[Path, dict[str, Any], list[subprocess.CompletedProcess[str]]]:
    """Run the cells of a notebook without Jupyter, which has forms of its own for what is no
    Python.

    Return the workspace, the names of its Python, and what each command of arena printed. `quick`
    has more words for some commands, `train` is called in place of the programs that were written
    to files.
    """
    names: dict[str, Any] = {}
    printed = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if text.startswith("%%writefile"):
            first, _, content = text.partition("\n")
            (folder / first.split()[1]).write_text(content, "utf-8")
        elif text.startswith(("%", "!")):
            for line in text.splitlines():
                program, *words = shlex.split(line)
                if program == "%cd":
                    folder = folder / words[0]
                elif program == "%run":
                    train(folder, *words)
                elif program == "!arena":
                    printed.append(cup.arena(folder, *words, *quick.get(words[0], [])))
                else:
                    assert program == "%pip"
        else:
            with contextlib.chdir(folder):
                exec(text, names)
    return folder, names, printed


if __name__ == "__main__":
    for page in PAGES:
        content = json.dumps(notebook(page.read_text("utf-8")), indent=1, ensure_ascii=False)
        page.with_suffix(".ipynb").write_text(f"{content}\n", "utf-8")
