"""The commands `arena` and `botarena`: start `arena.cli`, or print in a line why it is impossible.

This module stands outside of the package: another distribution may have put a package of that name
in the way, or its files over ours (`arena-py` does), and then nothing inside `arena` can be relied
on.
"""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line, and exit."""
    try:
        from arena import open_results  # noqa: F401 (is it ours? the other modules may be)
        from arena.cli import main as command
    except ImportError as error:
        from importlib.metadata import (
            packages_distributions,
        )  # slow to import, and only a collision needs it
        from importlib.util import find_spec
        from pathlib import Path

        spec = find_spec("arena")  # the package is looked at, not run
        package = None if spec is None or spec.origin is None else Path(spec.origin).parent
        ours = package is not None and "def open_results" in (package / "__init__.py").read_text(
            "utf-8", "replace"
        )
        if (error.name or "").partition(".")[0] != "arena" or ours:
            raise
        if package is None:
            print(
                (
                    "arena: its files are gone; `pip install --force-reinstall botarena` brings "
                    "them "
                    "back"
                ),
                file=sys.stderr,
            )
            sys.exit(2)
        others = sorted({*packages_distributions().get("arena", ())} - {"botarena"})
        owner = f" of {', '.join(others)}" if others else ""
        print(
            f"{package}: another package called arena{owner} is in the way of botarena's; "
            "install botarena into an environment of its own",
            file=sys.stderr,
        )
        sys.exit(2)
    except MemoryError:
        print(
            (
                "arena: this process may not have the memory that arena needs; see `ulimit -d` and "
                "`-v`"
            ),
            file=sys.stderr,
        )
        sys.exit(2)
    command()
