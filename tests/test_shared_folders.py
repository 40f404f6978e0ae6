"""A folder of results that a stranger shares: what is planted there leads no command of the
organiser elsewhere.
"""

import os
import shutil
import sqlite3

import pytest

from tests.support import cup, extras, stored, workspaces

EVENT = stored.event("first", "last", boards=(stored.DUEL,))


def shared(tmp_path):
    """Return a workspace with results, and a private folder elsewhere."""
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    stored.store(folder / "results/cup", EVENT, map(stored.played, stored.plan(EVENT)))
    (tmp_path / "private").mkdir()
    return folder, tmp_path / "private"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("charts", ("charts",)),
        ("export", ("export",)),
        pytest.param("for", ("report", "--for", "first"), marks=extras.needs("classroom")),
    ],
)
def test_a_planted_folder_that_is_a_link_is_refused_in_one_line(tmp_path, name, command):
    folder, private = shared(tmp_path)
    (folder / "results/cup" / name).symlink_to(private)

    done = cup.arena(folder, *command)

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"results/cup/{name}: cannot be written: it is a symbolic link; remove it, or name what it "
        "leads to"
    )
    assert "Traceback" not in done.stderr
    assert not list(private.iterdir())


def test_a_table_and_a_log_that_are_links_are_not_written_through(tmp_path):
    folder, private = shared(tmp_path)
    letter = private / "letter"
    letter.write_text("dear")
    (folder / "results/cup/matches.csv").symlink_to(letter)
    (folder / "results/cup/logs").mkdir()
    (folder / "results/cup/logs/arena.log").symlink_to(letter)

    drawn = cup.arena(folder, "charts")
    played = cup.arena(folder, "run", "--no-charts")

    assert (drawn.returncode, played.returncode) == (2, 2)
    assert "results/cup/matches.csv: cannot be written: it is a symbolic link" in drawn.stderr
    assert "Traceback" not in drawn.stderr + played.stderr
    assert letter.read_text() == "dear"


def test_a_picture_that_becomes_a_link_meanwhile_is_not_in_the_report(tmp_path, monkeypatch):
    from arena import charts

    folder, private = shared(tmp_path)
    (private / "letter").write_text("dear")
    drawn = charts.write

    def exchange(results, into):
        written = drawn(results, into)
        written.files[0].unlink()
        written.files[0].symlink_to(private / "letter")
        return written

    monkeypatch.setattr(charts, "write", exchange)
    with cup.first_chart_only():
        done = cup.arena(folder, "report")

    assert done.returncode == 2
    assert "leaderboard.svg" in done.stderr
    assert not (folder / "results/cup/report.html").exists()


def test_an_output_that_is_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path):
    folder, _ = shared(tmp_path)
    with sqlite3.connect(folder / "results/cup/event.sqlite") as archive:
        (match,) = archive.execute("select id from matches limit 1").fetchone()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    done = cup.arena(folder, "export", "--match", match, "--to", str(pipe))
    text = os.read(reader, 100_000)
    os.close(reader)

    assert done.returncode == 0, done.stderr
    assert pipe.is_fifo()
    assert match.encode() in text


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A workspace whose event was played here, with all the files that a run and a leaderboard
    leave.
    """
    folder = workspaces.make(tmp_path_factory.mktemp("played") / "ws", boards="duel")
    for command in (("run", "--no-charts"), ("leaderboard",)):
        assert cup.arena(folder, *command).returncode == 0
    return folder


@pytest.mark.timeout(60)
def test_no_command_waits_at_a_pipe_that_is_where_a_small_file_of_an_event_was(played, tmp_path):
    folder = shutil.copytree(played, tmp_path / "ws")
    results = folder / "results/cup"
    small = {".halt", *(path.name for path in results.glob(".*"))} - {".lock"}
    assert len(small) >= 4  # with the caches
    for name in small:
        (results / name).unlink(missing_ok=True)
        os.mkfifo(results / name)

    for command in (("leaderboard",), ("status",), ("run", "--no-charts")):
        done = cup.arena(folder, *command)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "name", [".lock", "event.sqlite", "event.sqlite-journal", "event.sqlite-shm"]
)
def test_a_pipe_that_an_event_cannot_do_without_is_named_in_one_line(tmp_path, name):
    folder, _ = shared(tmp_path)
    path = folder / "results/cup" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    done = cup.arena(folder, "run", "--no-charts")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        f"{name}: cannot be written: it is no plain file; move it away"
    )
    assert cup.arena(folder, "leaderboard").returncode == (0 if name == ".lock" else 2)


@pytest.mark.timeout(60)
def test_a_tournament_toml_that_is_a_pipe_is_named_in_one_line(tmp_path):
    folder, _ = shared(tmp_path)
    (folder / "tournament.toml").unlink()
    os.mkfifo(folder / "tournament.toml")

    done = cup.arena(folder, "run")

    assert (done.returncode, done.stderr) == (
        2,
        "tournament.toml: cannot be read: it is no plain file\n",
    )
    assert cup.arena(folder, "leaderboard").returncode == 0


def test_a_lock_is_for_its_owner_alone(played):
    assert {path.stat().st_mode & 0o777 for path in played.rglob(".lock")} == {0o600}
