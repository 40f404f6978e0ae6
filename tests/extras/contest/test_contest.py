"""A contest that is a git repository: pull requests are judged, played, published, and none of two
publishers loses.
"""

import contextlib
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.extras.contest import git as repository
from arena.extras.contest import site
from arena.report.writing import write_report
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Abort
from tests.support import cup, reported
from tests.support.browsed import opened

BASE, HEAD = "main", "pull"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def commit(folder: Path, text: str = "change") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", text)


def clone(origin: Path, folder: Path) -> Path:
    git(origin, "clone", "-q", str(origin), str(folder))
    return folder


def new_contest(folder: Path) -> Path:
    """Make the workspace of a contest, with one small board."""
    assert cup.arena(folder, "init", "--contest", "cup").returncode == 0
    file = folder / "cup/tournament.toml"
    text = re.sub("(?m)^boards = .*$", 'boards = ["mummy_maze/duel"]', file.read_text())
    text = re.sub("(?m)^seed = .*$", "seed = 7", text)
    file.write_text(
        text.replace("start = 5.0", "start = 20.0").replace('count = "auto"', "count = 1")
    )
    return folder / "cup"


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """The bare repository of a contest with one small board and a bot of its organiser."""
    folder = new_contest(tmp_path_factory.mktemp("contest"))
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


@pytest.mark.soak
def test_the_steps_of_its_readme_make_a_bot_that_may_be_merged(pull):
    enter = (pull / "README.md").read_text().partition("## Enter")[2].partition("##")[0]
    commands = re.findall("`arena (.*?)`", enter)
    assert [words.split()[0] for words in commands] == ["new", "check", "match"]
    for words in commands:
        done = cup.arena(pull, *words.replace("YOUR-NAME", "ada").split())
        assert done.returncode == 0, (words, done.stderr)
    done = judged(pull)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("## This pull request may be merged: the bot is fit to play\n")


def test_no_file_of_a_pull_request_decides_what_its_check_does():
    files = Path(repository.__file__).parent / "repository/github/workflows"
    yaml = pytest.importorskip(
        "yaml", reason="needs the package pyyaml, which mkdocs of the extra dev brings"
    )
    check, play = (
        yaml.safe_load((files / f"{name}.yml").read_text()) for name in ("check", "play")
    )
    assert check[True] == "pull_request_target"  # YAML reads `on` as True
    assert check["permissions"] == play["permissions"] == {"contents": "read"}
    for name, job in {**check["jobs"], **play["jobs"]}.items():
        runs = " ".join(step.get("run", "") for step in job["steps"])
        assert "${{" not in runs  # an expression becomes a part of the script
        assert "arena doctor" in runs
        if name in {"check", "play"}:  # bots run here
            assert "permissions" not in job
            assert job["steps"][0]["with"]["persist-credentials"] is False


def test_a_broken_bot_is_refused_in_words_and_what_it_printed_is_no_markdown(pull):
    bot(
        pull,
        "ada",
        'raise SystemExit("`![x](http://x.invalid/) [bold]no[/bold] @everyone\\n# title")',
    )
    done = judged(pull)
    assert done.returncode == 1
    assert "may not be merged as it is" in done.stdout
    assert "**fault**" in done.stdout
    assert "`'![x](http://x.invalid/) [bold]no[/bold] @everyone`" in done.stdout
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
    assert "the contest has 1 bot then; `arena run` refuses until it has two" in done.stdout


def test_each_change_that_its_author_may_not_make_is_named(pull):
    home = bot(pull, "ada")
    bot(pull, "bob")
    (pull / "bots/dice.py").write_text(cup.FIRST)
    (pull / ".github/workflows/play.yml").write_text("on: push")
    (home / "data").symlink_to("/etc/passwd")
    (home / "inner").symlink_to("bot.py")
    (home / ".gitattributes").write_text("* filter=x")
    (home / "a\x1b[31mred\nline.txt").write_text("x")
    (home / "sub").mkdir()
    git(home / "sub", "init", "-q")
    git(home / "sub", "commit", "-q", "--allow-empty", "-m", "inner")
    git(pull, "config", "diff.ignoreSubmodules", "all")  # a setting hides no change
    done = judged(pull)
    head, _, *reasons = done.stdout.splitlines()
    assert (done.returncode, head) == (
        1,
        "## This pull request may not be merged: it changes what is not its author's",
    )
    outside = "is not in bots/ada/, and only what is there is yours to change`"
    for words in (
        f"`bots/bob/bot.py: {outside}",
        f"`.github/workflows/play.yml: {outside}",
        f"`bots/dice.py: {outside}",
        "`bots/ada/data: is a symbolic link",
        "`bots/ada/inner: is a symbolic link",
        "`bots/ada/.gitattributes: is a file for git",
        "is no name for a file",
        "`bots/ada/sub: is another repository",
    ):
        assert [words in reason for reason in reasons].count(True) == 1, words
    assert len(reasons) == 8
    assert "\x1b" not in done.stdout


def test_a_pull_request_that_hides_a_change_in_its_merges_is_refused(origin, tmp_path, monkeypatch):
    folder = clone(origin, tmp_path / "ws")
    for name, date in (("ada", "2030-01-01T00:00:00"), ("bob", "2020-01-01T00:00:00")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        git(folder, "checkout", "-q", "-b", name, f"origin/{BASE}")
        bot(folder, name)
        commit(folder)
    git(folder, "checkout", "-q", BASE)
    git(folder, "merge", "-q", "--no-ff", "ada", "-m", "ada")
    git(folder, "merge", "-q", "--no-ff", "bob", "-m", "bob")
    git(folder, "checkout", "-q", "-b", HEAD, "ada")
    git(folder, "merge", "-q", "-s", "ours", "bob", "-m", "without bob")
    (folder / "bots/ada/notes.md").write_text("new")
    done = judged(folder)
    assert "may not be merged" in done.stdout
    assert "rebase it onto the base" in done.stdout
    git(folder, "merge", "-q", "--no-edit", HEAD)
    assert not (folder / "bots/bob").exists()  # which is what the merge would do


def test_a_pull_request_without_a_common_commit_is_refused(pull):
    git(pull, "checkout", "-q", "--orphan", "alone")
    git(pull, "commit", "-q", "-m", "first")
    git(pull, "branch", "-q", "-f", HEAD)
    git(pull, "checkout", "-q", HEAD)
    bot(pull, "ada")
    done = judged(pull)
    assert done.returncode == 1
    assert "`it has no commit in common with the base" in done.stdout


def test_a_pull_request_with_thousands_of_mistakes_gets_a_short_answer(pull):
    (pull / "other").mkdir()
    for number in range(300):
        (pull / f"other/{number}").touch()
    lines = judged(pull).stdout.splitlines()
    assert len(lines) < 60
    assert lines[-1] == "- `and more`"


def test_a_bot_that_is_small_in_git_and_large_on_disk_is_not_unpacked(pull, tmp_path, monkeypatch):
    with (bot(pull, "ada") / "zeros").open("wb") as file:
        file.truncate(60_000_000)
    git(pull, "config", "core.compression", "1")
    commit(pull)
    monkeypatch.chdir(pull)
    (tmp_path / "copies").mkdir()
    with pytest.raises(ArenaError, match="it is larger than 50 MB"):
        repository.check_out(HEAD, "ada", tmp_path / "copies")
    assert not any((tmp_path / "copies").iterdir())


def tree_of(folder: Path, rows: list[str]) -> str:
    """Write a tree and return its id."""
    given = "".join(f"{row}\n" for row in rows)
    done = subprocess.run(
        ["git", "mktree"], cwd=folder, input=given, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.soak
def test_folders_without_number_in_a_few_bytes_are_refused_in_a_line(pull, monkeypatch):
    monkeypatch.setattr(repository, "MOST_CPU_S", 0)
    tree = tree_of(pull, [])
    for _ in range(7):  # 10 ** 14 folders
        tree = tree_of(pull, [f"040000 tree {tree}\t{number:02}" for number in range(100)])
    bots = tree_of(
        pull, [*git(pull, "ls-tree", f"{BASE}:bots").splitlines(), f"040000 tree {tree}\tada"]
    )
    top = [row for row in git(pull, "ls-tree", BASE).splitlines() if not row.endswith("\tbots")]
    head = git(
        pull,
        "commit-tree",
        "-p",
        BASE,
        "-m",
        "x",
        tree_of(pull, [*top, f"040000 tree {bots}\tbots"]),
    ).strip()
    git(pull, "checkout", "-q", BASE)
    done = cup.arena(pull, "contest", "check", BASE, head, "--author", "ada")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "## This pull request may not be merged as it is",
        "",
        f"- `{repository.TOO_MUCH}`",
    ]


def test_more_files_than_a_bot_may_have_are_not_unpacked(pull, tmp_path, monkeypatch):
    for number in range(2001):
        (bot(pull, "ada") if not number else pull / "bots/ada").joinpath(str(number)).touch()
    commit(pull)
    monkeypatch.chdir(pull)
    (tmp_path / "copies").mkdir()
    with pytest.raises(ArenaError, match="it has more than 2000 files"):
        repository.check_out(HEAD, "ada", tmp_path / "copies")
    assert not any((tmp_path / "copies").iterdir())


def test_an_author_whose_name_no_bot_may_have_is_refused(pull):
    bot(pull, "ada")
    assert "is not in bots/dice/" in judged(pull, "dice").stdout
    for author in ("..", "a/b", "-x", "", "a" * 60):
        done = cup.arena(pull, "contest", "check", BASE, HEAD, "--author", author)
        assert (done.returncode, "cannot be a bot's name" in done.stdout) == (1, True), author


def test_a_bot_that_is_called_as_another_one_is_refused(pull):
    bot(pull, "Dice")
    done = judged(pull, "Dice")
    assert done.returncode == 1
    assert "two bots are called" in done.stdout


def test_an_author_called_like_a_bot_of_the_organiser_is_refused_before_the_merge(origin, tmp_path):
    ways = {
        "a file": ("dice", None),
        "a table": ("walker", '\n[[bot]]\nname = "walker"\npath = "bots/dice.py"\n'),
        "another case": ("WALKER", '\n[[bot]]\nname = "walker"\ncommand = "python bots/dice.py"\n'),
    }
    for number, (author, table) in enumerate(ways.values()):
        folder = clone(origin, tmp_path / str(number))
        if table is not None:
            with (folder / "tournament.toml").open("a") as file:
                file.write(table)
            commit(folder)
        git(folder, "checkout", "-q", "-b", HEAD)
        bot(folder, author)
        done = judged(folder, author)
        assert done.returncode == 1, author
        assert "two bots are called" in done.stdout
        assert str(tmp_path) not in done.stdout
        assert "/clone" not in done.stdout
        git(folder, "merge", "-q", "--no-edit", HEAD)
        run = cup.arena(folder, "run")  # which is what the check has prevented
        assert (run.returncode, "two bots are called" in run.stderr) == (2, True)


def test_a_name_that_a_run_would_skip_is_refused(pull):
    bot(pull, "_ada")
    done = judged(pull, "_ada")
    assert done.returncode == 1
    assert "_ada cannot be a bot's name: 'arena run' skips what is called so" in done.stdout


@pytest.mark.slow
def test_of_two_pull_requests_that_clash_with_each_other_the_second_is_refused(origin, tmp_path):
    folder = clone(origin, tmp_path / "ws")
    for author in ("ada", "Ada"):
        git(folder, "checkout", "-q", "-b", f"pull-{author}", f"origin/{BASE}")
        bot(folder, author)
        commit(folder)
    git(folder, "checkout", "-q", BASE)
    before = git(folder, "rev-parse", BASE).strip()
    check = ("contest", "check", before, "pull-Ada", "--author", "Ada")
    assert cup.arena(folder, *check).returncode == 0
    git(folder, "merge", "-q", "--no-edit", "pull-ada")
    done = cup.arena(
        folder, *check
    )  # the host still names the commit that was the base when it was opened
    assert done.returncode == 1
    assert (
        "two bots are called 'ada' and 'Ada'" in done.stdout
        or "two bots are called 'Ada' and 'ada'" in done.stdout
    )


def test_what_is_checked_is_the_bot_as_the_merge_leaves_it(origin, tmp_path):
    folder = clone(origin, tmp_path / "ws")
    (bot(folder, "ada", "from inner import main\n\nmain()\n") / "inner.py").write_text(
        "def main():\n    pass\n"
    )
    commit(folder)
    git(folder, "checkout", "-q", "-b", HEAD)
    (folder / "bots/ada/bot.py").write_text(cup.FIRST)
    (folder / "bots/ada/notes.txt").write_text("mine")
    commit(folder)
    git(folder, "checkout", "-q", BASE)
    (folder / "bots/ada/bot.py").write_text("raise SystemExit('theirs')\n")
    commit(folder)
    done = cup.arena(folder, "contest", "check", BASE, HEAD, "--author", "ada")
    assert done.returncode == 1
    assert "it does not merge with the base as that is now; rebase it onto the base" in done.stdout
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    (folder / "bots/ada/bot.toml").write_text('command = "python missing.py"\n')
    commit(folder)
    done = cup.arena(folder, "contest", "check", BASE, HEAD, "--author", "ada")
    assert done.returncode == 1
    assert "missing.py" in done.stdout


def test_an_author_whom_the_settings_name_cannot_leave(origin, tmp_path):
    folder = clone(origin, tmp_path / "ws")
    bot(folder, "ada")
    bot(folder, "bob", cup.LAST)
    file = folder / "tournament.toml"
    file.write_text(file.read_text().replace("seed = 7\n", 'seed = 7\nseed_order = ["ada"]\n', 1))
    commit(folder)
    git(folder, "checkout", "-q", "-b", HEAD)
    git(folder, "rm", "-q", "-r", "bots/ada")
    done = judged(folder)
    assert done.returncode == 1
    assert "seed_order: no bot 'ada' plays" in done.stdout


def test_a_bot_that_is_shown_under_a_name_like_anothers_is_refused(pull):
    path = bot(pull, "ada")
    (path / "bot.toml").write_text(
        'command = "python bot.py"\ndisplay = "d\u0456ce"\n'
    )  # a Cyrillic letter
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
        bot(folder, name, cup.LAST if name == "bob" else cup.FIRST)
        commit(folder)
    git(folder, "push", "-q", "origin", BASE)
    return folder


def step(folder: Path, *words: str) -> str:
    done = cup.arena(folder, "contest", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def begun(origin, tmp_path_factory):
    """A folder with the repository of a contest, and a checkout in which the first matches of `ada`
    were played.
    """
    folder = tmp_path_factory.mktemp("begun")
    git(origin, "clone", "-q", "--bare", str(origin), str(folder / "online.git"))
    step(merged(folder / "online.git", folder / "first", "ada"), "play")
    return folder


@pytest.fixture
def online(begun, tmp_path):
    """A copy of that repository, for one test."""
    return Path(shutil.copytree(begun / "online.git", tmp_path / "online.git"))


@pytest.fixture
def first(begun, online, tmp_path):
    """A copy of that checkout."""
    folder = Path(shutil.copytree(begun / "first", tmp_path / "first", symlinks=True))
    git(folder, "remote", "set-url", "origin", str(online))
    return folder


def published(folder: Path, name: str) -> bytes:
    """Return a file of the archive's branch, as a checkout sees it."""
    with contextlib.chdir(folder):
        stored = repository.ArchiveBranch("origin", "archive").read()
        assert stored is not None
        return stored.file(name)


@pytest.mark.soak
def test_two_racing_publishers_lose_nothing_and_the_first_record_of_a_match_stays(
    first, online, tmp_path, monkeypatch
):
    second = merged(online, tmp_path / "second", "bob")
    step(second, "play")  # it has not seen the first one's matches, and plays everything
    with Archive.open(first / "results/cup", writing=True) as archive:
        archive.append_abort(Abort(match="0123456789ab", attempt=1, cause="no memory"))
    push, pushes = repository.ArchiveBranch.push, []

    def push_late(branch, files, expected):
        pushes.append(expected)
        if len(pushes) == 1:  # the other publishes between our look at the branch and our push
            step(first, "publish")
        return push(branch, files, expected)

    monkeypatch.setattr(repository.ArchiveBranch, "push", push_late)
    step(second, "publish")
    assert len(pushes) == 3
    third = clone(online, tmp_path / "third")
    step(third, "play")
    step(third, "publish")  # nothing new
    assert git(online, "rev-list", "--count", "archive").strip() == "1"
    (tmp_path / "event.sqlite").write_bytes(published(third, "event.sqlite"))
    with (
        Archive.open(first / "results/cup") as early,
        Archive.open(second / "results/cup") as late,
        Archive.open(tmp_path) as archive,
    ):
        assert early.ids() < late.ids() == archive.ids()
        for match in archive.ids():
            played = early if match in early.ids() else late
            assert archive.record(match).started == played.record(match).started
        assert len(archive.aborts()) == 1
    tables = [(folder / "results/cup/leaderboard.csv").read_bytes() for folder in (second, third)]
    assert tables[0] == tables[1]


@pytest.mark.soak
def test_only_what_is_new_is_played(first, online, tmp_path):
    step(first, "publish")
    second = merged(online, tmp_path / "second", "bob")
    step(second, "play")
    with (
        Archive.open(first / "results/cup") as before,
        Archive.open(second / "results/cup") as after,
    ):
        known = before.count()
        assert 0 < known < after.count()
        for match in (
            record.match.id for record, _ in before.records_numbered(before.numbers_in_order())
        ):
            assert after.record(match) == before.record(
                match
            )  # with all its clocks: it was not played again
    step(second, "publish")
    history = published(second, "history.csv")
    assert [row["bot"] for row in site.read_history(history)][-3:] == ["ada", "bob", "dice"]
    step(second, "publish")  # nothing new: no second row for the same ranks
    assert published(second, "history.csv") == history


def test_ranks_that_were_published_in_the_same_second_stand_in_the_history_once():
    now, later = "2026-01-01 00:00:00", "2026-01-01 00:00:01"
    cells = (now, "a1", "maze", "ada", "d1", "1", "1500", "2")
    row = dict(zip(site.HISTORY, cells, strict=True))
    grown = row | {"matches": "4"}
    assert site.continued([], [row]) == site.continued([row], [row | {"date": later}]) == [row]
    assert site.continued([row], [grown]) == [grown]
    assert site.continued([row], [grown | {"date": later}]) == [row, grown | {"date": later}]


@pytest.mark.soak
def test_a_history_of_main_that_was_rewritten_does_not_hold_the_contest_up(first, online, tmp_path):
    step(first, "publish")
    git(first, "reset", "-q", "--hard", "HEAD~1")
    bot(first, "bob")
    commit(first)
    git(first, "push", "-q", "-f", "origin", BASE)
    git(online, "reflog", "expire", "--expire=now", "--all")
    git(online, "gc", "-q", "--prune=now")
    again = clone(online, tmp_path / "again")
    step(again, "play")
    step(again, "publish")
    with Archive.open(again / "results/cup") as archive:
        assert {bot.name for bot in archive.event().bots} == {"bob", "dice"}


@pytest.mark.slow
def test_a_push_that_the_server_does_not_take_is_a_mistake_in_its_words(first, online):
    hook = online / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this file is above 100 MB >&2\nexit 1\n")
    hook.chmod(0o755)
    done = cup.arena(first, "contest", "publish")
    assert done.returncode == 2
    assert "this file is above 100 MB" in done.stderr


HISTORY = b"date,commit,game,bot,version,rank,rating,matches\n"
NONSENSE = (
    (b"a\0b", b'\xff"\0'),
    (b"--help", HISTORY + b"a" * 200_000 + b"\n"),
    (
        b"",
        HISTORY
        + b"2026-01-01 00:00:00,a,mummy_maze,ada,a,first,1,1\n"
        + b"2026-01-01 00:00:00,a,mummy_maze,=1+1,a,1,1,1\n"
        + b"2026-01-01 00:00:00,a,=1+1,ada,a,1,1,1,1,1\n",
    ),
)
"""What the files `commit` and `history.csv` of the branch may hold, as somebody else has written
them."""


@pytest.mark.soak
def test_nonsense_in_the_branch_or_in_its_archive_is_no_crash_and_reaches_no_page(first, tmp_path):
    step(first, "publish")
    for played, history in NONSENSE:
        with contextlib.chdir(first):
            branch = repository.ArchiveBranch("origin", "archive")
            stored = branch.read()
            files = {
                "event.sqlite": stored.file("event.sqlite"),
                "history.csv": history,
                "commit": played,
            }
            assert branch.push(files, stored)
        step(first, "publish")
        rows = site.read_history(published(first, "history.csv"))
        assert [row["bot"] for row in rows] == ["ada", "dice"]
    with sqlite3.connect(first / "results/cup/event.sqlite") as connection:
        (event,) = connection.execute("select value from meta where key = 'event'").fetchone()
        connection.execute(
            "update meta set value = ? where key = 'event'", (event.replace('"ada"', '"<img>"'),)
        )
    connection.close()
    step(first, "publish")  # nobody has a rank now
    with cup.first_chart_only():
        written = step(first, "site", "--to", "public").split()
    assert written == [
        f"public/{name}" for name in ("report.html", "history.csv", "index.html", "bots/dice.html")
    ]
    page = (first / "public/index.html").read_text()
    assert ("ada" in page, "=1+1" in page, "<img>" in page) == (True, False, False)
    assert "=1+1" not in (first / "public/history.csv").read_text()
    (tmp_path / "event.sqlite").write_bytes(published(first, "event.sqlite"))
    results = Results.open(tmp_path)
    assert site.ranks_now(results, "", "") == []
    site.write(results, [], first / "public/report.html", tmp_path / "new")
    results.close()


@pytest.mark.soak
def test_the_site_of_a_contest_leads_to_a_page_for_each_bot_and_into_the_report(browser, tmp_path):
    results = Results.open(reported.store(tmp_path, *reported.small()))
    path = write_report(results, tmp_path)
    site.write(results, site.ranks_now(results, "2026-01-01 00:00:00", "a1"), path, tmp_path)
    results.close()
    with opened(browser.new_page(), tmp_path / "index.html") as page:
        page.click("text=birch")
        assert page.url.endswith("/bots/birch.html")
        page.click("text=Matches to replay")
        page.wait_for_selector("h2:visible")
        assert page.url.endswith("/report.html#bot=birch")
