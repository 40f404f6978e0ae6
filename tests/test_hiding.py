"""A Python bot whose file has the name of a module of Python's is refused, with the file."""

import pytest

from arena.errors import ArenaError
from arena.event import discovery


def test_a_bare_file_may_not_be_called_as_a_module_of_pythons(tmp_path):
    (tmp_path / "random.py").write_text("")
    with pytest.raises(ArenaError, match=r"random\.py: hides Python's own module 'random' from the bot"):
        discovery.from_path(tmp_path / "random.py")


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("python bot.py", "queue.py"),
        ("python3 -u bot.py", "json/__init__.py"),
        ("python src/bot.py", "src/copy.py"),
        ("python bot.py", "arena.py"),
    ],
)
def test_nor_may_a_file_beside_the_program(tmp_path, command, file):
    (tmp_path / "bot.toml").write_text(f"command = '{command}'")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("")
    with pytest.raises(ArenaError, match="hides"):
        discovery.from_path(tmp_path)


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("python src/bot.py", "copy.py"),
        ("python bot.py", "tools/copy.py"),
        ("python bot.py", "random.txt"),
        ("node bot.js", "random.py"),
    ],
)
def test_what_hides_nothing_is_free(tmp_path, command, file):
    (tmp_path / "bot.toml").write_text(f"command = '{command}'")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("")
    assert discovery.from_path(tmp_path).name == tmp_path.name


def test_the_same_name_in_another_language_is_free(tmp_path):
    (tmp_path / "random.js").write_text("")
    assert discovery.from_path(tmp_path / "random.js").name == "random"
