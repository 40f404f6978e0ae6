"""The tables of docs/attacks.md and docs/attacks-machine.md: attacks, from EXPECTED, and calls, from
the policy. As a script it writes them.
"""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[3])
)  # as a script: this folder alone is known, and arena is above it

from table import ATTACKS, EXPECTED, LEVELS, MEANING, WARM, Row

from arena.sandbox import call_policy as policy

DOCS = Path(__file__).parents[3] / "docs"
ON_OTHERS = DOCS / "attacks.md"
ON_THE_MACHINE = DOCS / "attacks-machine.md"
OF_OTHERS = ("Files", "Other processes", "Network and terminal")
"""The categories of the first page; all other categories are on the second."""
BEGIN, END = "<!-- made by tests/attacks/harness/page.py: begin -->", "<!-- end -->"
CALLS_BEGIN, CALLS_END = "<!-- calls: begin -->", "<!-- calls: end -->"


def legend() -> str:
    """Return the number of attacks, and what the words of their tables mean."""
    lines = [f"{len(EXPECTED)} attacks, on both pages. What the words mean:", ""]
    lines += [f"- **{word}**: {meaning}" for word, meaning in MEANING.items()]
    return "\n".join(lines)


def table(categories: Iterable[str]) -> str:
    """Return the attacks by category, a row each."""
    lines = []
    columns = (*LEVELS, WARM)
    for category in categories:
        lines += [
            f"## {category}",
            "",
            f"| a bot | {' | '.join(columns)} |",
            "|---|" + "---|" * len(columns),
        ]
        lines += [line(name, row) for name, row in EXPECTED.items() if row.category == category]
        lines.append("")
    return "\n".join(lines).rstrip()


def line(name: str, row: Row) -> str:
    """Return the row of an attack: what it does, and a word a level; two where root's bots fare
    otherwise.
    """
    pairs = [*zip(row.user, row.root, strict=True), row.warm]
    cells = [user if user == root else f"{user} ({root})" for user, root in pairs]
    return f"| [{sentence(name)}](../tests/attacks/{name}.py) | {' | '.join(cells)} |"


def sentence(name: str) -> str:
    """Return what an attack does, in its own words."""
    docstring = ast.get_docstring(ast.parse((ATTACKS / f"{name}.py").read_text())) or ""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    return paragraph.removesuffix(".").replace("|", "\\|")


def calls() -> str:
    """Return the table of the calls that the filter allows. A star marks those whose arguments are
    judged.
    """
    judged = {*policy.CHECKS, *policy.OF_ONE_PROCESS, *policy.TO_ITSELF, *policy.PROCESSES.split()}
    lines = [
        "| what for | the calls; of those with a star only some arguments are allowed |",
        "|---|---|",
    ]
    for reason, names in policy.ALLOWED.items():
        marked = (f"`{name}`" + "\\*" * (name in judged) for name in names.split())
        lines.append(f"| {reason} | {' '.join(marked)} |")
    return "\n".join(lines)


def renewed(page: Path) -> str:
    """Return the page with the tables of now."""
    text = page.read_text("utf-8")
    if page == ON_OTHERS:
        return replaced(text, BEGIN, f"{legend()}\n\n{table(OF_OTHERS)}", END)
    categories = dict.fromkeys(row.category for row in EXPECTED.values())
    machine = [category for category in categories if category not in OF_OTHERS]
    text = replaced(text, BEGIN, table(machine), END)
    return replaced(text, CALLS_BEGIN, calls(), CALLS_END)


def replaced(page: str, begin: str, part: str, end: str) -> str:
    """Return the text of a page with another part between two of its lines."""
    before, _, after = page.partition(begin)
    return f"{before}{begin}\n\n{part}\n\n{end}{after.partition(end)[2]}"


if __name__ == "__main__":
    for path in (ON_OTHERS, ON_THE_MACHINE):
        path.write_text(renewed(path), "utf-8")
