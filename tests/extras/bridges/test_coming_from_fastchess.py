"""The page for who comes from fastchess: its event has what its command asks for."""

import re
import sys
from pathlib import Path

import pytest

from tests.support import cup
from tests.support.tutorial import blocks

ENGINE = Path(__file__).with_name("scripted_uci.py")
PAGE = (Path(__file__).parents[3] / "docs" / "fastchess.md").read_text()


def test_the_event_of_the_page_has_the_matches_that_its_command_asks_for(tmp_path):
    pytest.importorskip("pyspiel")
    (text,) = blocks(PAGE, "toml")
    for name in ("old", "new"):
        assert f'"/usr/games/{name}"' in text
        command = f'"{sys.executable} {ENGINE} {name}"'
        text = text.replace(f'"/usr/games/{name}"', command)
    (tmp_path / "tournament.toml").write_text(f"format = 1\nseed = 1\n{text}")
    done = cup.arena(tmp_path, "run", "--plan")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^all +100 ", done.stdout, re.MULTILINE), done.stdout
