"""The manual: what is made from the code is as the code makes it, and every page's commands and words hold."""

import ast
import re
from pathlib import Path

import pages
import pytest
from test_docs import ENDINGS, HERE, PAGES

from arena.values import Ending

PROTOCOL = (HERE / "docs" / "protocol.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in (HERE / "arena").rglob("*.py"))
"""Every word that arena can say."""


def reasons_of(game):
    """The words for how a match ended, in the text of a rules file: those in the last argument of an outcome."""
    tree = ast.parse((HERE / "rules" / f"{game}.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [
        call
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in {"_outcome", "_scored", "Outcome"}
    ]
    words = [node for call in named for node in ast.walk(call.args[-1]) if isinstance(node, ast.Constant)]
    return {word.value for word in words if isinstance(word.value, str)}


@pytest.mark.parametrize("part", pages.parts().items(), ids=lambda part: f"{part[0][0].name} {part[0][1]}")
def test_what_is_made_from_the_code_stands_in_the_page(part):
    (page, name), text = part
    assert pages.standing(page, name) == text, "run `python tests/pages.py`, and look at the difference"


def test_every_game_has_a_dialogue():
    games = {path.stem for path in (HERE / "rules").glob("*.toml")}
    assert games <= set(pages.PLAYED)


def test_every_line_of_the_dialogues_is_explained():
    told = set(re.findall(r"^\| `(\w+\??)", PROTOCOL, re.MULTILINE))
    said = [line for name in pages.PLAYED for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()]
    words = {line.split()[0] for line in said if not line.startswith((">", "...", "```"))}
    assert words == told - {"parameters", "model"}  # on drawn boards, and with a model: no dialogue here has these


def test_every_fact_of_the_games_is_explained():
    explained = set(re.findall(r"^\| `((?:board|state) \w+)", PROTOCOL, re.MULTILINE)) - {"board FACT", "state FACT"}
    said = [line for name in pages.PLAYED for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()]
    assert {" ".join(line.split()[:2]) for line in said if line.startswith(("board ", "state "))} == explained


def test_every_ending_has_a_section_and_there_is_no_other():
    assert re.findall(r"^### `(\w+)`", ENDINGS, re.MULTILINE) == list(Ending)


def test_every_reason_of_the_games_is_explained():
    rows = re.findall(r"^\| `([a-z ]+)` \| ([a-z_, ]+) \|", ENDINGS, re.MULTILINE)
    told = {(game, reason) for reason, games in rows for game in games.split(", ")}
    assert told == {(path.stem, one) for path in (HERE / "rules").glob("*.toml") for one in reasons_of(path.stem)}


def test_what_an_ending_is_said_to_say_is_what_arena_says():
    sections = re.findall(r"^The report says .*?\n\n", ENDINGS, re.MULTILINE | re.DOTALL)
    quoted = [words for section in sections for words in re.findall(r"`([a-z][^`]+)`", section)]
    assert len(sections) == len(Ending) - 1
    assert [words for words in quoted if not re.search(words.replace("no answer", "no {awaited}"), CODE)] == []


def test_every_limit_that_a_bot_may_pass_is_explained():
    told = set(re.findall(r"`(\w+:)`", ENDINGS))
    assert {words for words in told if f'"{words}' not in CODE and f" {words}" not in CODE} == set()
    assert told >= {"memory:", "cpu:", "threads:", "processes:", "scratch:", "files:", "output:", "stderr:"}


def slug(heading: str) -> str:
    """Return the anchor that a browser has for a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def unfenced(path: Path) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", path.read_text("utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_somewhere(name):
    page, lost = HERE / name, []
    for link in re.findall(r"\]\(([^)\s]+)\)", unfenced(page)):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if "://" in link or (target.exists() and not anchor):
            continue
        headings = re.findall(r"^#+ (.*)$", unfenced(target), re.MULTILINE) if target.is_file() else []
        lost += [link] if anchor not in map(slug, headings) else []
    assert lost == []
