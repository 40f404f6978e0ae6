"""Digests of a commitment: no two different things have the same one."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.extras.notary import commitment
from arena.games import boards
from tests.support import stored
from tests.test_digests import SEEN_BY_A_BOT, Layout, laid_out, rules_in


def of_a_bot(folder: Path) -> str:
    (folder / "bot.toml").write_text('command = "./a"\n')
    event = stored.event("ann")
    return commitment.commitment(replace(event, boards=()), {"ann": folder}).bots["ann"]


@pytest.mark.parametrize("pair", SEEN_BY_A_BOT.values(), ids=SEEN_BY_A_BOT)
def test_two_bots_that_see_other_things_in_their_folders_have_two_digests(
    pair: tuple[Layout, Layout], tmp_path: Path
):
    one, other = (laid_out(tmp_path / f"{number}", layout) for number, layout in enumerate(pair))
    assert of_a_bot(one) != of_a_bot(other)


def test_rules_whose_files_of_one_name_are_exchanged_are_another_board(tmp_path: Path):
    texts = ("HERE = 1\n", "HERE = 2\n")
    event = stored.event()
    found = []
    for name, order in (("one", texts), ("other", texts[::-1])):
        board = boards.board_of(rules_in(tmp_path / name, *order), "default")
        found.append(commitment.commitment(replace(event, boards=(board,), bots=()), {}).boards)
    assert found[0] != found[1]
