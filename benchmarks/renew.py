"""Measures, and writes the tables of the pages: `python benchmarks/renew.py [NAME ...] [--quick]`.

A table of README.md, peers.md, accuracy.md or planning.md stands between `<!-- NAME -->` and
`<!-- end -->`, and is what a script prints. Above it stand the command, the day, the commit, the
machine and its load when the script began. Without a NAME all tables of README.md are measured, in
some 15 minutes; leave the machine alone meanwhile. Those of accuracy.md and planning.md come from
simulations, take longer, and depend on no clock. `--quick` tries scripts in small sizes, and writes
no page.
"""

import argparse
import ast
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import pages

ROOT = Path(__file__).parents[1]
COSTS = ROOT / "benchmarks" / "README.md"
PEERS = ROOT / "benchmarks" / "peers.md"
ACCURACY = ROOT / "benchmarks" / "accuracy.md"
PLANNING = ROOT / "benchmarks" / "planning.md"
LIST = ROOT / "benchmarks" / "scripts.md"
SCRIPTS = "scripts"
"""The part of its page that lists all scripts."""


@dataclass(frozen=True)
class Part:
    """A part of a page, and the commands that make it."""

    page: Path
    command: str
    """The script and its arguments; {fastchess} and {brutaltester} are options of this program."""
    quick: str
    """The arguments in place of those of the command, to try the script."""


PARTS = {
    "turns": Part(COSTS, "turns.py 5", "1"),
    "matches": Part(COSTS, "matches.py 3", "1"),
    "starts": Part(COSTS, "starts.py 40", "3"),
    "leaderboard": Part(COSTS, "leaderboard.py 100000", "1000"),
    "export": Part(COSTS, "export.py 20000", "100"),
    "report": Part(COSTS, "report.py 10000", "100"),
    "site": Part(COSTS, "site.py 200 20 1", "20 2 1"),
    "clusters": Part(COSTS, "clusters.py 600", "100"),
    "fastchess": Part(
        PEERS,
        "peers.py --fastchess {fastchess} --lanes 2 --rounds 3",
        "--fastchess {fastchess} --lanes 2 --rounds 1",
    ),
    "brutaltester": Part(
        PEERS,
        "peers.py --brutaltester {brutaltester} --lanes 2 --rounds 3 --fresh",
        "--brutaltester {brutaltester} --lanes 2 --rounds 1 --fresh",
    ),
    "engines": Part(PEERS, "engines.py {fastchess} --games 24", "{fastchess} --games 2"),
    "crowd": Part(PEERS, "crowd.py 24 8 4", "4 4 1"),
    "coverage": Part(ACCURACY, "ratings.py 60 coverage", "2 coverage"),
    "order": Part(ACCURACY, "order.py 600", "10"),
    "calibration": Part(ACCURACY, "calibration.py 60", "1"),
    "sprt": Part(PLANNING, "sprt.py 1000", "3"),
    "stopping": Part(PLANNING, "stopping.py 500", "5"),
    "formats": Part(PLANNING, "formats.py 16", "1"),
    "openings": Part(PLANNING, "openings.py 10", "1"),
    "lessons": Part(ACCURACY, "lessons.py 300", "3"),
    "demo": Part(ACCURACY, "demo.py 1 2 3 2026", "2026"),
}
NOT_SCRIPTS = {"duel", "picture", "renew", "side_by_side", "tables"}
"""Modules that the scripts share, and this one."""


def scripts() -> str:
    """Return the list of all scripts, each with the first sentence of its text."""
    lines = ["| script | what it measures |", "|---|---|"]
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        if path.stem not in NOT_SCRIPTS:
            text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            paragraph = " ".join(text.partition("\n\n")[0].split())
            sentence = paragraph.partition(": `python")[0].rstrip(".")
            lines.append(f"| `{path.name}` | {sentence} |")
    return "\n".join(lines)


def commit() -> str:
    """Return the commit that is measured, whatever this program has written into pages."""
    changed = _said(
        "git", "status", "--porcelain", "--", "arena", "benchmarks/*.py", "benchmarks/*.c"
    )
    head = _said("git", "rev-parse", "--short=8", "HEAD") or "unknown"
    return f"{head} and changes" if changed else head


def conditions(command: str) -> str:
    """Return the line above a table: what is run, when, on what, and beside what."""
    cores = len(os.sched_getaffinity(0))
    machine = f"{cores} cores, Linux {platform.release()}, Python {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    today = time.strftime("%Y-%m-%d")
    return f"`{command}`, {today}, commit {commit()}, {machine}, {load}"


def _said(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def tables(part: Part, programs: dict[str, str], *, quick: bool) -> str | None:
    """Return the text of a part; None where a program that it needs was not given."""
    script = part.command.partition(" ")[0]
    command = f"{script} {part.quick}" if quick else part.command
    for name, path in programs.items():
        if f"{{{name}}}" in command and not path:
            print(f"left as it is: give --{name} PATH", file=sys.stderr)
            return None
    above = conditions(command.format(**dict.fromkeys(programs, "PATH")))
    words = [word.format(**programs) for word in command.split()]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT / "benchmarks", stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        print(f"left as it is: {script} ended with {done.returncode}", file=sys.stderr)
        return None
    return f"{above}\n\n{done.stdout.strip()}"


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and write; return how many parts were left as they were."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument(
        "--quick", action="store_true", help="small sizes; print, and write nothing"
    )
    parser.add_argument("--fastchess", default="", help="the program fastchess")
    parser.add_argument("--brutaltester", default="", help="the file cg-brutaltester.jar")
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in PARTS]
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    names = options.names or [name for name, part in PARTS.items() if part.page == COSTS]
    programs = {
        name: str(Path(path).resolve()) if path else ""
        for name, path in (
            ("fastchess", options.fastchess),
            ("brutaltester", options.brutaltester),
        )
    }
    left = 0
    for name in names:
        print(f"{name}: {PARTS[name].command}", file=sys.stderr)
        began = time.monotonic()
        text = tables(PARTS[name], programs, quick=options.quick)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        if text is None:
            left += 1
        elif options.quick:
            print(text, flush=True)
        else:
            pages.write(PARTS[name].page, name, text)
    if not options.quick:
        pages.write(LIST, SCRIPTS, scripts())
    return left


if __name__ == "__main__":
    sys.exit(bool(main()))
