"""The manual as a book: it builds strictly, so every link and anchor between its pages leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_book_builds_and_every_link_and_anchor_resolves(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the package mkdocs, of the extra dev")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "docs/mkdocs.yml", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "which is excluded from the built site" not in done.stderr  # a link that works in a checkout only
    assert (tmp_path / "search/search_index.json").is_file()


def test_the_book_has_every_page_of_the_manual():
    nav = set(re.findall(r": (\S+\.md)$", (ROOT / "docs/mkdocs.yml").read_text(), re.MULTILINE))
    pages = [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/README.md"), *(ROOT / "docs").glob("*.md")]
    assert {str(page.relative_to(ROOT)) for page in pages} - nav <= {"AGENTS.md"}
    assert all((ROOT / page).is_file() for page in nav)


def test_messages_name_pages_that_the_installed_package_has():
    packed = (ROOT / "pyproject.toml").read_text()
    for path in (ROOT / "arena").rglob("*.py"):
        for page in re.findall(r"`arena docs ([a-z-]+)`", path.read_text()):
            assert f'"docs/{page}.md" = "arena/_shipped/docs/{page}.md"' in packed, (path, page)
