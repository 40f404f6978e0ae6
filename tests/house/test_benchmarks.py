"""The benchmarks, which take minutes and are run by hand: what they import is there."""

import ast
import importlib
from pathlib import Path

import pytest

from tests.support import extras

FOLDER = Path(__file__).parents[2] / "benchmarks"
OF_EXTRAS = {"clusters": "cluster", "regressions": "versions", "tune": "tune"}
"""The extra that a benchmark measures."""
BENCHMARKS = [
    pytest.param(path, marks=extras.needs(OF_EXTRAS[path.stem]), id=path.stem)
    if path.stem in OF_EXTRAS
    else pytest.param(path, id=path.stem)
    for path in sorted(FOLDER.glob("*.py"))
]


@pytest.mark.parametrize("path", BENCHMARKS)
def test_whatever_a_benchmark_takes_from_arena_and_its_tests_is_there(path):
    missing = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in {
            "arena",
            "tests",
        }:
            package = importlib.import_module(node.module)
            for name in [alias.name for alias in node.names if not hasattr(package, alias.name)]:
                try:
                    importlib.import_module(f"{node.module}.{name}")
                except ModuleNotFoundError:
                    missing.append(f"{node.module}.{name}")
    assert missing == []
