"""The page on writing a game, followed to the letter in an empty folder."""

import pytest

from arena import load_game
from arena.games.conformance import flaws
from arena.results.leaderboard import Results
from tests.support import tutorial

PAGE = (tutorial.DOCS / "game-authors.md").read_text("utf-8")
PAGE = PAGE.partition("## What rules must know")[0]
QUICK = {
    "check-rules": ["--playouts", "1"],  # the last test tries the game longer
    "run": ["--no-charts", "--bot", "ada,dice", "--workers", "1"],
    "play": ["--help"],
}


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The workspace of whoever did as the page says, and what each command printed."""
    folder, done = tutorial.follow(PAGE, tmp_path_factory.mktemp("page"), QUICK)
    return folder, {step.args[0]: step for step in done}


@pytest.mark.soak
def test_every_command_of_the_page_does_what_it_says(followed):
    _, said = followed
    assert list(said) == [
        "init",
        "check-rules",
        "games",
        "new",
        "run",
        "leaderboard",
        "match",
        "play",
    ]
    assert {name: done.stderr for name, done in said.items() if done.returncode} == {}
    assert said["check-rules"].stdout.count("ok     tic_tac_toe/") == 2
    assert "4 matches" in said["run"].stderr


@pytest.mark.soak
def test_the_game_of_the_page_is_played_from_a_workspace_of_ones_own(followed):
    folder, said = followed
    results = Results.open(folder / "results" / "rows")
    matches = results.matches()
    results.close()
    assert set(matches["board"]) == {"classic", "large"}
    assert set(matches["reason"]) <= {"line", "full board"}
    assert "row 1 " in said["match"].stdout
    assert {"ada", "dice"} <= set(said["leaderboard"].stdout.split())


def test_the_game_of_the_page_keeps_the_contract_and_ends_as_tic_tac_toe_does(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/tic_tac_toe.py").write_text(tutorial.blocks(PAGE, "python")[0])
    (tmp_path / "rules/tic_tac_toe.toml").write_text(tutorial.blocks(PAGE, "toml")[0])
    game = load_game("tic_tac_toe/classic", tmp_path)
    assert flaws(game) == []
    state = game.start()
    for number, cell in enumerate(("1 1", "1 2", "2 2", "1 3", "3 3")):
        role = game.roles[number % 2]
        assert game.to_move(state) == (role,)
        state = game.play(state, {role: f"mark {cell}"})
    assert game.outcome(state).scores == {"cross": 100, "nought": 0}
