"""The table of docs/confinement.md, made from EXPECTED. Run as a script it writes it into the page."""

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # as a script: this folder alone is known, and arena is above it

from table import ATTACKS, EXPECTED, LEVELS, MEANING, WARM, Row

PAGE = Path(__file__).parents[3] / "docs" / "confinement.md"
BEGIN, END = "<!-- made by tests/attacks/harness/page.py: begin -->", "<!-- end -->"


def table() -> str:
    """All attacks by category, a row each."""
    lines = [f"{len(EXPECTED)} attacks. What the words mean:", ""]
    lines += [f"- **{word}**: {meaning}" for word, meaning in MEANING.items()]
    columns = (*LEVELS, WARM)
    for category in dict.fromkeys(row.category for row in EXPECTED.values()):
        lines += ["", f"### {category}", "", f"| a bot | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
        lines += [line(name, row) for name, row in EXPECTED.items() if row.category == category]
    return "\n".join(lines)


def line(name: str, row: Row) -> str:
    """One attack: what it does, and a word a level; two where root's bots fare otherwise."""
    pairs = [*zip(row.user, row.root, strict=True), row.warm]
    words = [user if user == root else f"{user} ({root})" for user, root in pairs]
    return f"| [{sentence(name)}](../tests/attacks/{name}.py) | {' | '.join(words)} |"


def sentence(name: str) -> str:
    """What an attack does, in its own words."""
    told = ast.get_docstring(ast.parse((ATTACKS / f"{name}.py").read_text())) or ""
    return told.partition("\n")[0].removesuffix(".").replace("|", "\\|")


def renewed(page: str) -> str:
    """The page with the table of now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
