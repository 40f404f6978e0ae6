"""One word has one meaning: no two public classes of arena share a name, and a test's name is one sentence."""

import ast
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parents[1]
OF_BOTS = HERE / "arena" / "kit.py"
"""What a bot imports: it sees nothing of the referee, so that the words of both may be the plainest."""


def names(pattern: str, kind: type) -> dict[str, list[str]]:
    """Return the names of all classes, or functions, outside of others in these files, with those files."""
    found = defaultdict(list)
    for path in sorted({*HERE.glob(pattern)} - {OF_BOTS}):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, kind):
                found[node.name].append(str(path.relative_to(HERE)))
    return found


def test_no_two_public_classes_share_a_name():
    classes = names("arena/**/*.py", ast.ClassDef)
    assert "Results" in classes
    assert {name: files for name, files in classes.items() if len(files) > 1 and not name.startswith("_")} == {}


def test_the_name_of_a_test_is_below_80_letters():
    tests = [name for name in names("tests/*.py", ast.FunctionDef) if name.startswith("test_")]
    assert len(tests) > 1000
    assert [name for name in tests if len(name) >= 80] == []
