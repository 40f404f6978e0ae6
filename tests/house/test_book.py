"""The manual as a book: it builds strictly, so every link and anchor between its pages leads
somewhere.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena import extensions
from arena.cli import COMMANDS, docs
from tests.support import cup

ROOT = Path(__file__).parents[2]


@pytest.mark.soak
def test_the_book_builds_and_every_link_and_anchor_resolves(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the package mkdocs, of the extra dev")
    pages, book = tmp_path / "pages", tmp_path / "book"
    pages.mkdir()
    for path in ROOT.glob(
        "[!.]*"
    ):  # mkdocs would look at each file of .venv, which takes longer than all else
        (pages / path.name).symlink_to(path)
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        "docs/mkdocs.yml",
        "-d",
        str(book),
    ]
    done = subprocess.run(command, cwd=pages, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert (
        "which is excluded from the built site" not in done.stderr
    )  # a link that works in a checkout only
    assert (book / "search/search_index.json").is_file()


def test_the_book_has_every_page_of_the_manual():
    nav = set(re.findall(r": (\S+\.md)$", (ROOT / "docs/mkdocs.yml").read_text(), re.MULTILINE))
    pages = [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/README.md"), *(ROOT / "docs").rglob("*.md")]
    assert {str(page.relative_to(ROOT)) for page in pages} - nav <= {"AGENTS.md"}
    assert all((ROOT / page).is_file() for page in nav)


def test_help_and_messages_name_pages_that_the_installed_package_has():
    packed = (ROOT / "pyproject.toml").read_text()
    shipped = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert {
        name
        for name in shipped
        if f'"docs/{name}.md" = "arena/_shipped/docs/{name}.md"' not in packed
    } == set()
    pages = shipped | {*extensions.extras(), *docs.README_PAGES}
    names = [name for section in COMMANDS.values() for name in section]
    texts = {
        name: cup.arena(ROOT, *([name] if name else []), "--help").stdout for name in ("", *names)
    }
    assert min(map(len, texts.values())) > 100
    suffixes = {".py", ".md", ".j2", ".js", ".toml", ".yml", ".txt"}
    for path in (ROOT / "arena").rglob(
        "*"
    ):  # also what is printed or written by parts, such as a starter kit's pages
        if path.suffix in suffixes:
            texts[str(path)] = path.read_text()
    named = {
        page for text in texts.values() for page in re.findall(r"arena docs (?!PAGE)([\w-]+)", text)
    }
    assert "endings" in named
    assert named <= pages
    files = {
        file
        for text in texts.values()
        for file in re.findall(r"\b(?:docs|bots|rules|results)/[\w/-]+\.md", text)
    }
    assert {file for file in files if not (ROOT / file).is_file()} == set()
