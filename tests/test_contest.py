"""A contest that is a git repository: pull requests are judged, played, published, and none of two publishers loses."""

import shutil
import subprocess
from pathlib import Path

import cup
import pytest

from arena.author import contest
from arena.report import site
from arena.results.archive import Archive

BASE, HEAD = "main", "pull"
CHROMIUM = shutil.which("chromium")


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def commit(folder: Path, text: str = "change") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", text)


def clone(origin: Path, folder: Path) -> Path:
    git(origin, "clone", "-q", str(origin), str(folder))
    return folder


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """The bare repository of a contest with one small board and a bot of its organiser."""
    folder = tmp_path_factory.mktemp("contest") / "cup"
    done = cup.arena(folder.parent, "init", "--contest", "cup")
    assert done.returncode == 0
    file = folder / "tournament.toml"
    text = file.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("boards =")]
    file.write_text(text.replace(line, 'boards = ["mummy_maze/duel"]').replace("start = 5.0", "start = 20.0"))
    git(folder, "init", "-q", "-b", BASE)
    commit(folder, "contest")
    git(folder, "clone", "-q", "--bare", str(folder), "../origin.git")
    return folder.parent / "origin.git"


@pytest.fixture
def pull(origin, tmp_path):
    """A clone in which the author `ada` makes a pull request."""
    folder = clone(origin, tmp_path / "pull")
    git(folder, "checkout", "-q", "-b", HEAD)
    return folder


def bot(folder: Path, name: str, text: str = cup.FIRST) -> Path:
    path = folder / "bots" / name
    path.mkdir()
    (path / "bot.py").write_text(text)
    return path


def judged(folder: Path, author: str = "ada") -> subprocess.CompletedProcess[str]:
    """Return the verdict on the branch, from a checkout of the base, as the workflow has it."""
    commit(folder)
    git(folder, "checkout", "-q", BASE)
    return cup.arena(folder, "contest", "check", BASE, HEAD, "--author", author)


def test_a_pull_request_with_a_fit_bot_may_be_merged(pull):
    bot(pull, "ada")
    done = judged(pull)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("## This pull request may be merged: the bot is fit to play\n")


def test_a_broken_bot_is_refused_with_the_reason_in_words(pull):
    bot(pull, "ada", cup.CRASHES)
    done = judged(pull)
    assert done.returncode == 1
    assert "may not be merged as it is" in done.stdout
    assert "**fault**" in done.stdout
    assert "[bold]no[/bold]" in done.stdout


def test_what_a_bot_printed_is_no_markdown(pull):
    bot(pull, "ada", 'raise SystemExit("`![x](http://x.invalid/) @everyone\\n# title")')
    done = judged(pull)
    assert "`'![x](http://x.invalid/) @everyone`" in done.stdout
    assert not any(line.startswith("# ") for line in done.stdout.splitlines())


def test_a_folder_without_a_program_is_refused(pull):
    (pull / "bots/ada").mkdir()
    (pull / "bots/ada/notes.md").write_text("soon")
    done = judged(pull)
    assert done.returncode == 1
    assert "not a bot" in done.stdout


def test_an_author_may_leave(origin, tmp_path):
    folder = clone(origin, tmp_path / "ws")
    bot(folder, "ada")
    commit(folder)
    git(folder, "checkout", "-q", "-b", HEAD)
    git(folder, "rm", "-q", "-r", "bots/ada")
    done = judged(folder)
    assert done.returncode == 0
    assert "ada leaves the contest" in done.stdout


def _another(pull: Path) -> None:
    bot(pull, "bob")


def _workflow(pull: Path) -> None:
    (pull / ".github/workflows/play.yml").write_text("on: push")


def _link(pull: Path) -> None:
    (pull / "bots/ada/data").symlink_to("/etc/passwd")


def _inner_link(pull: Path) -> None:
    (pull / "bots/ada/data").symlink_to("bot.py")


def _attributes(pull: Path) -> None:
    (pull / "bots/ada/.gitattributes").write_text("* filter=x")


def _name(pull: Path) -> None:
    (pull / "bots/ada/a\x1b[31mred\nline.txt").write_text("x")


def _house_bot(pull: Path) -> None:
    (pull / "bots/dice.py").write_text(cup.FIRST)


def _repository(pull: Path) -> None:
    (pull / "bots/ada/sub").mkdir()
    git(pull / "bots/ada/sub", "init", "-q")
    git(pull / "bots/ada/sub", "commit", "-q", "--allow-empty", "-m", "inner")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_another, "`bots/bob/bot.py: is not in bots/ada/, and only what is there is yours to change`"),
        (_workflow, "`.github/workflows/play.yml: is not in bots/ada/"),
        (_house_bot, "`bots/dice.py: is not in bots/ada/"),
        (_link, "`bots/ada/data: is a symbolic link"),
        (_inner_link, "`bots/ada/data: is a symbolic link"),
        (_attributes, "`bots/ada/.gitattributes: is a file for git"),
        (_name, "is no name for a file"),
        (_repository, "`bots/ada/sub: is another repository"),
    ],
)
def test_a_pull_request_that_changes_what_it_may_not_is_refused(pull, change, words):
    bot(pull, "ada")
    change(pull)
    done = judged(pull)
    assert done.returncode == 1
    assert done.stdout.startswith("## This pull request may not be merged")
    assert words in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("author", ["..", "a/b", "-x", "", "dice", "a" * 60])
def test_an_author_whose_name_no_bot_may_have_is_refused(pull, author):
    bot(pull, "ada")
    done = judged(pull, author)
    assert done.returncode == 1
    assert "may not be merged" in done.stdout


def test_a_bot_that_is_called_as_another_one_is_refused(pull):
    bot(pull, "Dice")
    done = judged(pull, "Dice")
    assert done.returncode == 1
    assert "two bots are called" in done.stdout


def test_a_bot_that_is_shown_under_a_name_like_anothers_is_refused(pull):
    path = bot(pull, "ada")
    (path / "bot.toml").write_text('command = "python bot.py"\ndisplay = "d\u0456ce"\n')  # a Cyrillic letter
    done = judged(pull)
    assert done.returncode == 1
    assert "looks like 'dice'" in done.stdout


def test_commits_that_are_not_here_are_named_in_a_line(origin, tmp_path):
    folder = clone(origin, tmp_path / "ws")
    for words in (("main", "nowhere"), ("--output=x", "main")):
        done = cup.arena(folder, "contest", "check", "--author", "ada", "--", *words)
        assert done.returncode == 2
        assert done.stderr.endswith("is no commit of this repository; fetch it first\n")


def merged(origin: Path, folder: Path, *names: str) -> Path:
    """Return a checkout of the contest after pull requests of these authors were merged."""
    clone(origin, folder)
    for name in names:
        bot(folder, name, cup.LAST if name == "eve" else cup.FIRST)
        commit(folder)
    git(folder, "push", "-q", "origin", BASE)
    return folder


@pytest.fixture
def online(origin, tmp_path):
    """A copy of the contest's repository, for one test."""
    git(origin, "clone", "-q", "--bare", str(origin), str(tmp_path / "online.git"))
    return tmp_path / "online.git"


def step(folder: Path, *words: str) -> str:
    done = cup.arena(folder, "contest", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_two_racing_publishers_lose_nothing(online, tmp_path, monkeypatch):
    first = merged(online, tmp_path / "first", "ada")
    step(first, "play")
    second = merged(online, tmp_path / "second", "bob", "eve")
    step(second, "play")  # neither has seen the other's matches
    push, pushes = contest.ArchiveBranch.push, []

    def push_late(branch, files, expected):
        if not pushes:
            pushes.append("late")  # the other publishes between our look at the branch and our push
            step(second, "publish")
        return push(branch, files, expected)

    monkeypatch.setattr(contest.ArchiveBranch, "push", push_late)
    step(first, "publish")
    third = merged(online, tmp_path / "third")
    step(third, "play")
    step(third, "publish")
    whole = merged(online, tmp_path / "whole")
    assert cup.arena(whole, "run", "--no-charts").returncode == 0
    tables = [(folder / "results/cup/leaderboard.csv").read_text() for folder in (third, whole)]
    assert tables[0] == tables[1]
    assert git(online, "rev-list", "--count", "archive").strip() == "1"
    branch = contest.ArchiveBranch("origin", "archive")
    monkeypatch.chdir(third)
    rows = site.read_history(branch.read().file("history.csv"))
    assert {row["bot"] for row in rows} == {"ada", "bob", "dice", "eve"}


@pytest.mark.slow
def test_only_what_is_new_is_played(online, tmp_path, monkeypatch):
    first = merged(online, tmp_path / "first", "ada")
    step(first, "play")
    step(first, "publish")
    second = merged(online, tmp_path / "second", "bob")
    step(second, "play")
    with Archive.open(first / "results/cup") as before, Archive.open(second / "results/cup") as after:
        known = before.count()
        assert 0 < known < after.count()
        for match in (record.match.id for record, _ in before.records_numbered(before.numbers_in_order())):
            assert after.record(match) == before.record(match)  # with all its clocks: it was not played again
    step(second, "publish")
    step(second, "publish")  # nothing new: no second row for the same ranks
    branch = contest.ArchiveBranch("origin", "archive")
    monkeypatch.chdir(second)
    rows = site.read_history(branch.read().file("history.csv"))
    assert [row["bot"] for row in rows] == ["ada", "dice", "ada", "bob", "dice"]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium")
def test_the_site_has_a_page_for_each_bot_and_no_error_in_a_browser(online, tmp_path):
    folder = merged(online, tmp_path / "ws", "ada")
    step(folder, "play")
    step(folder, "publish")
    written = step(folder, "site", "--to", "public").split()
    assert {"public/index.html", "public/report.html", "public/history.csv", "public/bots/ada.html"} <= set(written)
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright, of the extra dev")
    with playwright.sync_playwright() as started:
        page = started.chromium.launch(executable_path=CHROMIUM).new_page()
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto((folder / "public/index.html").as_uri())
        page.click("text=ada")
        assert page.url.endswith("/bots/ada.html")
        page.click("text=Matches to replay")
        page.wait_for_selector("h2:visible")
        assert page.url.endswith("/report.html#bot=ada")
        assert errors == []
