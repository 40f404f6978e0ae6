"""The tables of docs/attacks.md: attacks, from EXPECTED, and calls, from the policy. As a script it
writes them.
"""

import ast
import sys
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[3])
)  # as a script: this folder alone is known, and arena is above it

from table import ATTACKS, EXPECTED, LEVELS, MEANING, WARM, Row

from arena.sandbox import call_policy as policy

PAGE = Path(__file__).parents[3] / "docs" / "attacks.md"
BEGIN, END = "<!-- made by tests/attacks/harness/page.py: begin -->", "<!-- end -->"
CALLS_BEGIN, CALLS_END = "<!-- calls: begin -->", "<!-- calls: end -->"


def table() -> str:
    """Return all attacks by category, a row each."""
    lines = [f"{len(EXPECTED)} attacks. What the words mean:", ""]
    lines += [f"- **{word}**: {meaning}" for word, meaning in MEANING.items()]
    columns = (*LEVELS, WARM)
    for category in dict.fromkeys(row.category for row in EXPECTED.values()):
        lines += [
            "",
            f"## {category}",
            "",
            f"| a bot | {' | '.join(columns)} |",
            "|---|" + "---|" * len(columns),
        ]
        lines += [line(name, row) for name, row in EXPECTED.items() if row.category == category]
    return "\n".join(lines)


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


def renewed(page: str) -> str:
    """Return the page with the tables of now."""
    for begin, text, end in ((BEGIN, table(), END), (CALLS_BEGIN, calls(), CALLS_END)):
        before, _, after = page.partition(begin)
        page = f"{before}{begin}\n\n{text}\n\n{end}{after.partition(end)[2]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
