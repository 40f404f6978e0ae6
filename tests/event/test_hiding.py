"""A Python bot whose file has the name of a module of Python's is refused, with the file."""

import contextlib

import pytest

from arena.errors import ArenaError
from arena.event import discovery


def test_a_bare_file_may_not_be_called_as_a_module_of_pythons(tmp_path):
    (tmp_path / "random.py").write_text("")
    with pytest.raises(
        ArenaError, match=r"random\.py: hides Python's own module 'random' from the bot"
    ):
        discovery.from_path(tmp_path / "random.py")


@pytest.mark.parametrize(
    ("command", "file", "hides"),
    [
        ("python bot.py", "queue.py", True),
        ("python3 -u bot.py", "json/__init__.py", True),
        ("python src/bot.py", "src/copy.py", True),
        ("python bot.py", "arena.py", True),
        ("python src/bot.py", "copy.py", False),
        ("python bot.py", "tools/copy.py", False),
        ("python bot.py", "random.txt", False),
        ("node bot.js", "random.py", False),
    ],
)
def test_nor_may_a_file_beside_the_program_that_it_would_import(tmp_path, command, file, hides):
    (tmp_path / "bot.toml").write_text(f"command = '{command}'")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("")
    with pytest.raises(ArenaError, match="hides") if hides else contextlib.nullcontext():
        assert discovery.from_path(tmp_path).name == tmp_path.name


def test_the_same_name_in_another_language_is_free(tmp_path):
    (tmp_path / "random.js").write_text("")
    assert discovery.from_path(tmp_path / "random.js").name == "random"
