"""Mistakes of users as values: which files they name, and how whoever has sent these files knows
them.
"""

import pickle
from pathlib import Path

import pytest

from arena.errors import ArenaError, FileError, FilesError

FOLDER = Path("/somewhere/new")
HINT = "begin its name with _"


@pytest.mark.parametrize(
    ("error", "text", "seen"),
    [
        (ArenaError("any words"), "any words", "any words"),
        (
            FileError(FOLDER / "a/b.py", "is wrong", HINT),
            f"{FOLDER}/a/b.py: is wrong; {HINT}",
            "a/b.py: is wrong",
        ),
        (
            FileError(Path("/other/b.py"), f"has; {HINT}"),
            f"/other/b.py: has; {HINT}",
            f"/other/b.py: has; {HINT}",
        ),
        (FileError(FOLDER / "b\n.py", f"{FOLDER}/ it says"), None, rf"'b\n.py': {FOLDER}/ it says"),
        (
            FilesError("two: ", FOLDER / "a.py", " and ", Path("/other/a.py"), f", {FOLDER}/c"),
            f"two: {FOLDER}/a.py and /other/a.py, {FOLDER}/c",
            f"two: a.py and /other/a.py, {FOLDER}/c",
        ),
    ],
)
def test_a_mistake_names_files_as_its_reader_knows_them_and_leaves_quoted_text(error, text, seen):
    assert text in {str(error), None}
    assert error.seen_from(Path("/nowhere"), FOLDER) == seen
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.seen_from(FOLDER)) == (type(error), str(error), seen)
