"""Tests that need an extra: they are skipped where its folder was taken out, and the core is tried
alone.
"""

from pathlib import Path

import pytest

from arena import extensions

PAGES = Path(__file__).parents[2] / "docs" / "extras"


def of_page(page: Path) -> str:
    """Return the extra of a page: `serve` for serve.md and for serve-seats.md."""
    return page.stem.partition("-")[0]


def needs(*names: str) -> pytest.MarkDecorator:
    """Return a mark for a test that needs these extras; without names, all that have a page."""
    wanted = names or tuple(of_page(page) for page in PAGES.glob("*.md"))
    missing = sorted({*wanted} - {*extensions.extras()})
    return pytest.mark.skipif(
        bool(missing), reason=f"without {', '.join(missing)} in arena/extras/"
    )


def missing_for(*words: str) -> str | None:
    """Return the missing extra whose page names this command of arena most often, with its first
    option.
    """
    option = words[1:2] if words[1:] and words[1].startswith("--") else ()
    beginning = " ".join(("arena", words[0], *option))
    uses: dict[str, int] = {}
    for page in sorted(PAGES.glob("*.md")):
        count = page.read_text("utf-8").count(beginning)
        extra = of_page(page)
        if count and extra not in extensions.extras():
            uses[extra] = uses.get(extra, 0) + count
    return max(uses, key=uses.__getitem__, default=None)
