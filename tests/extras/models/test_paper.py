"""The table of a paper in docs/extras/models-research.md is made as the page says, by a scripted provider."""

import csv
import re
import shutil
from pathlib import Path

import pytest

from tests.extras.models import providers
from tests.support import cup

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/extras/models-research.md").read_text()
BOTS = {"list-gpt", "list-qwen", "recall-gpt", "recall-qwen"}


def paper(folder: Path, url: str) -> Path:
    """Make the workspace of the page, with a small board, few repeats, and one server for both models."""
    section = PAGE.partition("## A table for a paper")[2]
    toml = section.partition("```toml\n")[2].partition("```")[0]
    for before, after in (
        ("connect_four/standard", "kuhn_poker/three_cards"),
        ("repeats = 50", "repeats = 1"),
        ('key_variable = "OPENAI_API_KEY"\n', ""),
    ):
        assert before in toml
        toml = toml.replace(before, after)
    toml = re.sub(r'url = ".*"', f'url = "{url}"', toml)
    folder.mkdir()
    (folder / "tournament.toml").write_text(toml)
    for name in ("list", "recall"):
        shutil.copytree(ROOT / "bots/llm", folder / "prompts" / name)
    (folder / "bots").mkdir()
    shutil.copy(ROOT / "bots/dice.py", folder / "bots")
    prompt = folder / "prompts/recall/prompt.md"
    prompt.write_text(f"---\nmemory: match\nlegal: no\n---\n{prompt.read_text()}")
    return folder


def rows(path: Path) -> dict[str, dict[str, str]]:
    return {row["bot"]: row for row in csv.DictReader(path.read_text().splitlines())}


@pytest.mark.soak
def test_the_papers_table_is_made_as_the_page_says_and_again_from_its_tape(tmp_path):
    with providers.serving(providers.plays) as server:
        folder = paper(tmp_path / "w", server.url)
        done = cup.arena(folder, "run", "--no-charts")
        assert done.returncode == 0, done.stderr
        asked = server.calls.value
    results = folder / "results/paper"
    models = rows(results / "models.csv")
    assert models.keys() == BOTS
    assert {float(models[bot]["at_once"]) for bot in ("list-gpt", "list-qwen")} == {100.0}
    assert {float(models[bot]["at_once"]) for bot in ("recall-gpt", "recall-qwen")} == {0.0}
    assert rows(results / "disguise.csv").keys() >= BOTS
    assert {row["model"] for row in rows(results / "leaderboard.csv").values()} == {
        "gpt",
        "qwen",
        "",
    }
    text = (folder / "tournament.toml").read_text()
    text = re.sub(r'url = ".*"', 'provider = "tape"\ntapes = ["paper"]', text)
    (folder / "tournament.toml").write_text(text.replace('name = "paper"', 'name = "again"'))
    done = cup.arena(folder, "run", "--no-charts")
    assert done.returncode == 0, done.stderr
    assert server.calls.value == asked
    for table in results.glob("*.csv"):
        if table.name != "timing.csv":
            assert (folder / "results/again" / table.name).read_bytes() == table.read_bytes(), (
                table.name
            )
