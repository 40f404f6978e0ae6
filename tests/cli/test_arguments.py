"""Arguments and settings without measure: one line, no traceback, no wait."""

import pytest

from tests.support import workspaces
from tests.support.cup import arena

LONG = "a" * 300
DIGITS = "9" * 400
MANY = "9" * 5000
BRACKETS = "[" * 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return workspaces.make(tmp_path_factory.mktemp("arguments") / "ws", boards="duel")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("leaderboard", LONG), "this name is too long"),
        (("verify", LONG), "this name is too long"),
        (("check", LONG), "this name is too long"),
        (("submit", LONG), "this name is too long"),
        (("init", LONG), "this name is too long"),
        (("run", LONG), "this name is too long"),
        (("run", "--plan", "--name", LONG), "name: expected at most 64 characters"),
        (("run", "--plan", "--repeats", str(2**63)), "repeats: this number is too large"),
        (
            ("run", "--plan", "--repeats", str(2**63 - 1)),
            f"{2 * (2**63 - 1)} matches would be played, and an event has",
        ),
        (("run", "--plan", "--workers", MANY), "expected auto, or a number of referee processes"),
        (
            ("run", "--plan", "--set", f"boards={BRACKETS}"),
            "--set boards: has lists in lists without end",
        ),
        (("run", "--plan", "--bot", MANY), "there is no bot"),
        *(
            (("run", "--plan", "--set", f"{key}={DIGITS}"), f"{key}: this number is too large")
            for key in (
                "seed",
                "time.move",
                "limits.memory",
                "limits.files",
                "faults.strikes",
                "workers.count",
            )
        ),
        (("run", "--plan", "--set", f"seed={MANY}"), "--set seed: "),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, tuple) else "",
)
def test_an_argument_without_measure_is_told_in_one_line_that_ends(folder, words, said):
    done = arena(folder, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 1000


@pytest.mark.parametrize("line", [f"x = {BRACKETS}", f"x = {MANY}"], ids=["brackets", "digits"])
def test_a_tournament_toml_without_measure_is_told_in_one_line(tmp_path, line):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    with (folder / "tournament.toml").open("a") as file:
        file.write(f"{line}\n")
    for words in (["run", "--plan"], ["leaderboard"]):
        done = arena(folder, *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert done.stderr.startswith("tournament.toml: ")


def test_a_bot_toml_without_measure_is_told_in_one_line(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    for name, line in {"deep": BRACKETS, "large": MANY}.items():
        bot = folder / "bots" / name
        bot.mkdir()
        (bot / "bot.toml").write_text(f"command = 'x'\nx = {line}\n")
        done = arena(folder, "check", f"bots/{name}")
        assert done.returncode in {1, 2}
        assert "bot.toml: " in done.stdout + done.stderr


def test_a_plan_of_millions_of_matches_is_counted_and_not_made(folder, monkeypatch):
    from arena.values import Event

    monkeypatch.setattr(Event, "match", None)  # whoever makes a match fails
    done = arena(folder, "run", "--plan", "--repeats", "4000000", "--json")
    assert done.returncode == 0
    assert '"matches": 8000000' in done.stdout
