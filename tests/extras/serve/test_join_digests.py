"""The version of a remote bot: no two different bots have the same digest."""

from pathlib import Path

import pytest

from arena.extras.serve import join
from tests.test_digests import BORDERS, laid_out


@pytest.mark.parametrize("name", BORDERS)
def test_two_sets_of_files_of_a_remote_bot_are_two_versions(name: str, tmp_path: Path):
    one, other = (
        laid_out(tmp_path / f"{number}", layout) for number, layout in enumerate(BORDERS[name])
    )
    assert join.version_of(["run"], one) != join.version_of(["run"], other)


def test_the_words_of_the_command_of_a_remote_bot_have_borders():
    versions = [join.version_of([*words], None) for words in (("a", "b"), ("a\0b",), ("a b",))]
    assert len({*versions}) == len(versions)
