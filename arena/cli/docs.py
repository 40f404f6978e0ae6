"""`arena docs`: print the pages of the manual, which come with arena."""

from pathlib import Path
from typing import Annotated

import typer

from arena import extensions, rulefile
from arena.cli import options, output
from arena.errors import ArenaError, did_you_mean

README_PAGES = {
    "bots": "bots/README.md",
    "rules": "rules/README.md",
    "results": "results/README.md",
}
"""Pages that stand in the folder that they describe; all others are in docs/."""


def docs(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="A page; default: list them.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Print a page of the manual, or list the pages: the protocol, commands, keys and others."""
    home = rulefile.shipped().parent
    folder = home / "docs"
    pages: dict[str, Path] = {}
    for path in sorted(folder.glob("*.md")):
        pages[path.stem] = path
    extras_folder = folder / "extras"
    for extra in extensions.extras():
        paths = list(extras_folder.glob(f"{extra}.md"))
        paths += sorted(extras_folder.glob(f"{extra}-*.md"))
        for path in paths:
            pages[path.stem] = path
    for name, readme in README_PAGES.items():
        pages[name] = home / readme

    if page is None:
        rows: list[dict[str, object]] = []
        for name, path in pages.items():
            first_line, _, _ = path.read_text("utf-8").partition("\n")
            rows.append({"page": name, "title": first_line.lstrip("# ")})
        output.print_records(rows, json=json)
        return

    name = page.removesuffix(".md").removeprefix("docs/").removeprefix("extras/")
    if name not in pages:
        hint = did_you_mean(name, pages) or f"there are {', '.join(pages)}"
        raise ArenaError(f"there is no page {page!r}; {hint}")
    text = pages[name].read_text("utf-8")
    row = {"page": name, "text": text}
    output.print_result([row], text.removesuffix("\n"), json=json)
