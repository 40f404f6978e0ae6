"""One word has one meaning: no two public classes of arena share a name, and a test's name is one
sentence.
"""

import re
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parents[2]
OF_BOTS = HERE / "arena" / "kit.py"
"""What a bot imports: it sees nothing of the referee, so that the words of both may be the
plainest."""


def names(pattern: str, keyword: str) -> dict[str, list[str]]:
    """Return the names of all classes (`class`), or functions (`def`), outside of others, with
    their files.
    """
    found = defaultdict(list)
    for path in sorted({*HERE.glob(pattern)} - {OF_BOTS}):
        for name in re.findall(rf"^{keyword} (\w+)", path.read_text("utf-8"), re.MULTILINE):
            found[name].append(str(path.relative_to(HERE)))
    return found


def test_no_two_public_classes_share_a_name():
    classes = names("arena/**/*.py", "class")
    assert "Results" in classes
    assert {
        name: files
        for name, files in classes.items()
        if len(files) > 1 and not name.startswith("_")
    } == {}


def test_the_name_of_a_test_is_below_80_letters():
    tests = [name for name in names("tests/**/test_*.py", "def") if name.startswith("test_")]
    assert len(tests) > 1000
    assert [name for name in tests if len(name) >= 80] == []
