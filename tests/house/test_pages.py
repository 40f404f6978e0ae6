"""The manual: what is made from the code is as the code makes it, and every page's commands and
words hold.
"""

import ast
import re
from pathlib import Path

from arena.values import Ending
from tests import pages
from tests.house.test_docs import ENDINGS, HERE, PAGES
from tests.support import extras

PROTOCOL = (HERE / "docs" / "protocol.md").read_text("utf-8")
CODE = "\n".join(path.read_text("utf-8") for path in (HERE / "arena").rglob("*.py"))
"""Every word that arena can say."""


def reasons_of(game):
    """The words for how a match ended, in the text of a rules file: those in the last argument of
    an outcome.
    """
    tree = ast.parse((HERE / "rules" / f"{game}.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [
        call
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", ""))
        in {"_outcome", "_scored", "Outcome"}
    ]
    words = [
        node for call in named for node in ast.walk(call.args[-1]) if isinstance(node, ast.Constant)
    ]
    return {word.value for word in words if isinstance(word.value, str)}


@extras.needs()
def test_what_is_made_from_the_code_stands_in_the_pages():
    for (page, name), text in pages.parts().items():
        assert pages.standing(page, name) == text, (
            f"{page.name}, {name}: run `python tests/pages.py`"
        )


def test_every_game_has_a_dialogue():
    games = {path.stem for path in (HERE / "rules").glob("*.toml")}
    assert games <= set(pages.PLAYED)


def test_every_line_of_the_dialogues_is_explained():
    told = set(re.findall(r"^\| `(\w+\??)", PROTOCOL, re.MULTILINE))
    said = [
        line
        for name in pages.PLAYED
        for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()
    ]
    words = {line.split()[0] for line in said if not line.startswith((">", "...", "```"))}
    assert words == told - {
        "parameters",
        "model",
    }  # on drawn boards, and with a model: no dialogue here has these


def test_every_fact_of_the_games_is_explained():
    explained = set(re.findall(r"^\| `((?:board|state) \w+)", PROTOCOL, re.MULTILINE)) - {
        "board FACT",
        "state FACT",
    }
    said = [
        line
        for name in pages.PLAYED
        for line in pages.standing(pages.DOCS / "protocol.md", name).splitlines()
    ]
    assert {
        " ".join(line.split()[:2]) for line in said if line.startswith(("board ", "state "))
    } == explained


def test_every_ending_has_a_section_and_there_is_no_other():
    assert re.findall(r"^### `(\w+)`", ENDINGS, re.MULTILINE) == list(Ending)


def test_every_reason_of_the_games_is_explained():
    rows = re.findall(r"^\| `([a-z ]+)` \| ([a-z_, ]+) \|", ENDINGS, re.MULTILINE)
    told = {(game, reason) for reason, games in rows for game in games.split(", ")}
    assert told == {
        (path.stem, one)
        for path in (HERE / "rules").glob("*.toml")
        for one in reasons_of(path.stem)
    }


def test_what_an_ending_is_said_to_say_is_what_arena_says():
    sections = re.findall(r"^The report says .*?\n\n", ENDINGS, re.MULTILINE | re.DOTALL)
    quoted = [words for section in sections for words in re.findall(r"`([a-z][^`]+)`", section)]
    assert len(sections) == len(Ending) - 1
    assert [
        words for words in quoted if not re.search(words.replace("no answer", "no {awaited}"), CODE)
    ] == []


def test_every_limit_that_a_bot_may_pass_is_explained():
    told = set(re.findall(r"`(\w+:)`", ENDINGS))
    assert {words for words in told if f'"{words}' not in CODE and f" {words}" not in CODE} == set()
    assert told >= {
        "memory:",
        "cpu:",
        "threads:",
        "processes:",
        "scratch:",
        "files:",
        "output:",
        "stderr:",
    }


def slug(heading: str) -> str:
    """Return the anchor that a browser has for a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def unfenced(path: Path) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", path.read_text("utf-8"))


@extras.needs()
def test_every_link_of_a_page_leads_somewhere_also_in_a_checkout():
    headings = {
        HERE / name: [*map(slug, re.findall(r"^#+ (.*)$", unfenced(HERE / name), re.MULTILINE))]
        for name in PAGES
    }
    links = [
        (page, link) for page in headings for link in re.findall(r"\]\(([^)\s]+)\)", unfenced(page))
    ]
    assert len(links) > 300
    lost = []
    for page, link in links:
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if "://" not in link and not (
            anchor in headings.get(target, ()) if anchor else target.exists()
        ):
            lost.append((page.name, link))
    assert lost == []


def test_a_page_that_installs_an_extra_says_from_a_checkout_or_wheel():
    pages = [HERE / "README.md", *(HERE / "docs").rglob("*.md")]
    unsaid = []
    for page in pages:
        text = " ".join(page.read_text("utf-8").split())
        if "pip install 'botarena" in text and "from a checkout or wheel" not in text:
            unsaid.append(page.name)
    assert unsaid == []


def test_no_page_but_the_protocol_has_over_3000_words():
    pages = [*HERE.glob("*.md"), HERE / "results" / "README.md"]
    for folder in ("arena", "benchmarks", "bots", "docs", "rules", "tests"):
        pages += (HERE / folder).rglob("*.md")
    longer = set()
    for page in pages:
        if len(page.read_text("utf-8").split()) > 3000:
            longer.add(page.name)
    # The changelog is free: it is a list that nobody reads through, and it may lose no line.
    assert longer == {"protocol.md", "CHANGELOG.md"}
