"""Tests that need an extra: they are skipped where its folder was taken out, and the core is tried alone."""

from pathlib import Path

import pytest

from arena import extensions

PAGES = Path(__file__).parents[2] / "docs" / "extras"


def needs(*names: str) -> pytest.MarkDecorator:
    """Return a mark for a test that needs these extras; without names, all that have a page."""
    wanted = names or tuple(page.stem for page in PAGES.glob("*.md"))
    missing = sorted({*wanted} - {*extensions.extras()})
    return pytest.mark.skipif(bool(missing), reason=f"without {', '.join(missing)} in arena/extras/")
