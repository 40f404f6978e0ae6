"""The page docs/rl.md as a Jupyter notebook: its text as Markdown cells, its blocks as cells that run.

`python tests/notebook.py` writes docs/rl.ipynb again; `tests/test_rl.py` compares, and runs the cells. So page and
notebook have one source.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
PAGE, NOTEBOOK = DOCS / "rl.md", DOCS / "rl.ipynb"
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
    # The kernel is the Python that runs arena, so it installs and trains; `cd` has to outlive its cell.
    return {"pip": f"%pip {words}", "cd": f"%cd {words}", "python": f"%run {words}"}.get(program, f"!{command}")


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


if __name__ == "__main__":
    content = json.dumps(notebook(PAGE.read_text("utf-8")), indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{content}\n", "utf-8")
