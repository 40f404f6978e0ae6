"""The pictures of README and docs/, and the tables in docs/sample: `python tests/pictures.py` makes
all of them.

It plays the demo as `make run` does, into a folder of its own, takes its charts and tables, and
photographs a replay in the report. The pictures of what a turn and a match cost are drawn by
benchmarks/turns.py and benchmarks/matches.py.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from arena.results.leaderboard import Results

HERE = Path(__file__).parent.parent
DOCS = HERE / "docs"
CHARTS = ("leaderboard", "accuracy", "crosstable")
TABLES = (
    "leaderboard",
    "rankings",
    "strengths",
    "accuracy",
    "chance_better",
    "crosstable",
    "matches",
)
BOARD, PACMAN, TURN = "random", "pacmaster", 23
"""The replay that is shown: the longest match of this Pacman on these boards, at this turn."""
WINDOW = {"width": 1440, "height": 980}
CLIPS = {"duel": "eaten", "classic": "all pellets"}
"""The boards whose matches move on top of the README, and how they end. Both clips together stay
below 600 kB."""


def main() -> None:
    """Play the demo, and write what the pages show of it."""
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch)
        for name in ("tournament.toml", "bots", "rules"):
            copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
            copy(HERE / name, workspace / name)
        subprocess.run([sys.executable, "-m", "arena", "run"], cwd=workspace, check=True)
        demo = workspace / "results" / "demo"
        for name in CHARTS:
            shutil.copy(demo / "charts" / f"{name}.png", DOCS)
        for name in TABLES:
            shutil.copy(demo / f"{name}.csv", DOCS / "sample")
        shutil.copy(workspace / "tournament.toml", DOCS / "sample")
        photograph(demo)
        film(demo)


def photograph(demo: Path) -> None:
    """Photograph a replay in the report of these results."""
    results = Results.open(demo)
    turns = results.turns().merge(results.matches()[["match", "board", "pacman_bot"]], on="match")
    shown = (turns["board"] == BOARD) & (turns["pacman_bot"] == PACMAN)
    match = turns[shown].groupby("match")["turn"].max().idxmax()
    results.close()
    with sync_playwright() as started:
        program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
        browser = started.chromium.launch(executable_path=program)
        page = browser.new_page(viewport=WINDOW, color_scheme="light")
        page.goto(f"{(demo / 'report.html').as_uri()}#match={match}&turn={TURN}")
        page.screenshot(path=DOCS / "report.png")
        browser.close()


def film(demo: Path) -> None:
    """Write a clip of the longest match on each board that ends as it should, and has no bot that
    plays by chance.
    """
    results = Results.open(demo)
    lengths = results.turns().groupby("match")["turn"].max()
    matches = results.matches().set_index("match").join(lengths)
    results.close()
    bots = matches[["explorer_bot", "mummy_bot", "pacman_bot", "blinky_bot"]]
    by_chance = bots.isin(["dice", "sampler"]).any(axis="columns")
    for board, reason in CLIPS.items():
        shown = matches[(matches["board"] == board) & (matches["reason"] == reason) & ~by_chance]
        match = str(shown["turn"].idxmax())
        game = "pacman" if board == "classic" else board
        command = [
            sys.executable,
            "-m",
            "arena",
            "clip",
            match,
            "--output",
            str(DOCS / f"{game}.gif"),
        ]
        subprocess.run(command, cwd=demo.parent.parent, check=True)


if __name__ == "__main__":
    main()
