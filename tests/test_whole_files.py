"""Files and folders are whole under their final name, whatever happens while they are written."""

import fcntl
import os
import socket
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from arena import extensions, shared_folders, whole_files
from tests.support import cup, sprint, workspaces

ENDED = 4_194_999
"""No process has this id: it is above the highest that Linux gives."""
STRANGER = 54_321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another user")


def test_a_file_is_replaced_as_a_whole(tmp_path: Path):
    path = tmp_path / "leaderboard.csv"
    path.write_text("old")

    whole_files.write(path, b"new")

    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["leaderboard.csv"]


def test_an_error_while_a_file_is_written_leaves_the_old_one_and_no_part(tmp_path: Path):
    path = tmp_path / "[odd]*.csv"
    path.write_text("old")

    with pytest.raises(TypeError), whole_files.replacing(path) as file:
        file.writelines([b"ne", None])

    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_next_write_removes_what_a_killed_writer_left_and_nothing_else(tmp_path: Path):
    path = tmp_path / "[odd]*.csv"
    killed = tmp_path / f".[odd]*.csv.{ENDED}.{'a' * 16}.part"
    living = tmp_path / f".[odd]*.csv.{os.getppid()}.{'a' * 16}.part"
    other = tmp_path / f".another.csv.{ENDED}.{'a' * 16}.part"
    elsewhere = tmp_path / f".[odd]*.csv.{ENDED}.{'b' * 16}.part"  # in another container
    long_ago = time.time() - 2 * whole_files.LEFT_S
    for part in (killed, living, other):
        part.write_text("half")
        os.utime(part, (long_ago, long_ago))
    elsewhere.write_text("half")

    whole_files.write(path, b"new")

    names = {file.name for file in tmp_path.iterdir()}
    assert names == {path.name, living.name, other.name, elsewhere.name}


def test_the_next_stage_removes_those_that_killed_processes_left_and_no_other(tmp_path: Path):
    left, locked, new = (tmp_path / f"{whole_files.STAGE}{number}" for number in range(3))
    for folder in (left, locked, new):
        (folder / "deep").mkdir(parents=True)
    long_ago = time.time() - 2 * whole_files.LEFT_S
    for folder in (left, locked):
        os.utime(folder, (long_ago, long_ago))
    lock = os.open(locked, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)

    with whole_files.staging(tmp_path) as making:
        os.utime(making, (long_ago, long_ago))
        with whole_files.staging(tmp_path) as second:
            assert {*tmp_path.iterdir()} == {making, second, locked, new}

    os.close(lock)
    assert {*tmp_path.iterdir()} == {locked, new}


def test_a_folder_is_published_under_a_free_name_only(tmp_path: Path):
    for name in ("making", "taken"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "bot.py").write_text(name)
    (tmp_path / "making" / "link").symlink_to("nowhere")

    with pytest.raises(OSError, match="not empty"):
        whole_files.publish(tmp_path / "making", tmp_path / "taken")
    whole_files.publish(tmp_path / "making", tmp_path / "free")

    assert (tmp_path / "free" / "deep" / "bot.py").read_text() == "making"
    assert (tmp_path / "free" / "link").is_symlink()
    assert not (tmp_path / "making").exists()


def test_what_is_published_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch):
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: (done.append(f"sync {Path(f'/proc/self/fd/{fd}').readlink().name}"), fsync(fd)),
    )
    monkeypatch.setattr(
        os, "replace", lambda *names, **folders: (done.append("rename"), replace(*names, **folders))
    )
    making = whole_files.make_folder(tmp_path / "making")
    (making / "bot.py").write_text("x")
    done.clear()

    whole_files.publish(making, tmp_path / "final")
    whole_files.write(tmp_path / "a.csv", b"x")

    assert done[:4] == ["sync bot.py", "sync making", "rename", f"sync {tmp_path.name}"]
    assert done[4].startswith("sync .a.csv.")
    assert done[5:] == ["rename", f"sync {tmp_path.name}"]


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "report.html"
    path.write_text("old")
    program = (
        "import os, signal, sys; from pathlib import Path; from arena import whole_files\n"
        "with whole_files.replacing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )

    done = subprocess.run([sys.executable, "-c", program, path], timeout=60)

    assert done.returncode == -9
    assert path.read_text() == "old"
    (part,) = tmp_path.glob(".*.part")
    long_ago = time.time() - 2 * whole_files.LEFT_S
    os.utime(part, (long_ago, long_ago))
    whole_files.write(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_link_under_a_name_that_a_stranger_could_foresee_is_not_written_through(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / f".a.csv.{os.getpid()}.part").symlink_to(victim)

    parts = []
    for _ in range(2):
        with whole_files.replacing(tmp_path / "a.csv") as file:
            parts += [Path(f"/proc/self/fd/{file.fileno()}").readlink().name]

    assert victim.read_text() == "mine"
    assert len(set(parts)) == 2


@pytest.mark.parametrize("leads_to", ["victim", "nothing", "/dev/null", "."])
def test_a_link_is_neither_replaced_nor_followed(tmp_path: Path, leads_to: str):
    (tmp_path / "victim").write_text("mine")
    link = tmp_path / "a.csv"
    link.symlink_to(leads_to)

    with pytest.raises(OSError, match="it is a symbolic link") as refused:
        whole_files.write(link, b"new")
    with pytest.raises(OSError, match="Too many levels"):
        whole_files.open_to_append(link)

    assert refused.value.filename == str(link)
    assert os.readlink(link) == leads_to
    assert (tmp_path / "victim").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "victim"]


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nobody reads it"):
        whole_files.write(pipe, b"new")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    whole_files.write(pipe, b"new")

    assert os.read(reader, 9) == b"new"
    os.close(reader)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_socket_and_a_folder_are_refused_and_stay(tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match="neither a plain file nor a pipe"):
        whole_files.write(tmp_path / "socket", b"new")
    with pytest.raises(OSError, match="it is a folder"):
        whole_files.write(tmp_path / "folder", b"new")

    assert (tmp_path / "socket").is_socket()
    assert (tmp_path / "folder").is_dir()


def test_a_linked_folder_of_results_is_refused_unless_it_is_the_users_own(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "charts").symlink_to("elsewhere")

    with pytest.raises(OSError, match="it is a symbolic link"):
        whole_files.make_folder(tmp_path, "charts")
    whole_files.write(whole_files.make_folder(tmp_path / "charts", "own") / "a.csv", b"new")

    assert (tmp_path / "elsewhere" / "own" / "a.csv").read_bytes() == b"new"


@needs_root
def test_nothing_is_written_or_read_through_a_link_of_a_stranger(tmp_path: Path):
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "letter").write_text("dear")
    (tmp_path / "shared").symlink_to(tmp_path / "private")
    os.lchown(tmp_path / "shared", STRANGER, STRANGER)

    for use in (
        lambda path: whole_files.write(path / "a.csv", b"new"),
        lambda path: whole_files.make_folder(path, "charts"),
        lambda path: whole_files.make_folder(path / "deep"),
        lambda path: whole_files.remove(path / "letter"),
        lambda path: whole_files.open_to_append(path / "letter"),
        lambda path: shared_folders.read(path / "letter"),
        lambda path: whole_files.publish(tmp_path / "private" / "letter", path / "free"),
    ):
        with pytest.raises(OSError, match="a link of another user leads there"):
            use(tmp_path / "shared")

    assert os.listdir(tmp_path / "private") == ["letter"]


@needs_root
def test_a_cache_is_neither_stored_nor_believed_in_a_strangers_folder(tmp_path: Path):
    cache = tmp_path / ".cache"
    whole_files.write_cache(cache, b"ours")
    assert whole_files.read_cache(cache) == b"ours"
    os.chown(cache, STRANGER, STRANGER)
    with pytest.raises(PermissionError, match="belongs to another user"):
        whole_files.read_cache(cache)

    os.chown(cache, 0, 0)
    os.chown(tmp_path, STRANGER, STRANGER)
    with pytest.raises(PermissionError, match="belongs to another user"):
        whole_files.read_cache(cache)
    whole_files.write_cache(cache, b"new")
    whole_files.write_cache(tmp_path / ".another", b"new")

    assert cache.read_bytes() == b"ours"
    assert os.listdir(tmp_path) == [".cache"]


def test_a_cache_that_is_a_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / ".cache")

    with pytest.raises(OSError, match="no plain file"):
        whole_files.read_cache(tmp_path / ".cache")
    whole_files.write_cache(tmp_path / ".cache", b"new")


def test_init_and_new_give_names_only_to_what_is_on_disk(tmp_path: Path, monkeypatch):
    synced: set[int] = set()
    fsync, replace = os.fsync, os.replace

    def watched(source, target, *, src_dir_fd, dst_dir_fd):
        top = Path(f"/proc/self/fd/{src_dir_fd}").resolve() / source
        assert {
            path.stat().st_ino for path in (top, *top.rglob("*")) if not path.is_symlink()
        } <= synced
        published.append(target)
        replace(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    published: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.add(os.fstat(fd).st_ino), fsync(fd))[1])
    monkeypatch.setattr(os, "replace", watched)
    assert cup.arena(tmp_path, "init", "ws").returncode == 0
    assert cup.arena(tmp_path / "ws", "new", "mine").returncode == 0

    assert published[-2:] == ["tournament.toml", "mine"]
    assert {"rules", "bots", "results"} <= set(published)
    assert not list(tmp_path.glob("**/.new*"))


def test_files_and_folders_can_be_used_by_their_owner_whatever_the_umask(tmp_path: Path):
    done = cup.Command(tmp_path, "init", "ws", before=lambda: os.umask(0o777)).end()

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ws").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "ws/tournament.toml").stat().st_mode & 0o777 == 0o600


def open_wider(umask: int, folder: Path) -> list[str]:
    """The files and folders below a folder, with their modes, whose modes give a right that the
    umask forbids.
    """
    modes = {
        path: stat.S_IMODE(path.lstat().st_mode)
        for path in folder.rglob("*")
        if not path.is_symlink()
    }
    return [f"{path.relative_to(folder)} {mode:o}" for path, mode in modes.items() if mode & umask]


@pytest.mark.slow
@pytest.mark.parametrize("umask", [pytest.param(0o022, marks=pytest.mark.soak), 0o077])
def test_nothing_that_a_command_makes_gives_a_right_that_the_umask_forbids(
    umask: int, tmp_path: Path
):
    def arena(folder: Path, *words: str) -> str:
        before = os.umask(umask)
        try:
            done = cup.arena(folder, *words)
        finally:
            os.umask(before)
        assert done.returncode == 0, done.stderr
        return done.stderr

    handed_in = tmp_path / "in"
    (handed_in / "folder/parts").mkdir(parents=True)
    (handed_in / "folder/main.py").write_text(cup.FIRST)
    (handed_in / "folder/parts/part.py").write_text("")
    (handed_in / "lone.py").write_text(cup.LAST)
    with zipfile.ZipFile(handed_in / "packed.zip", "w") as packed:
        packed.writestr("packed/main.py", cup.FIRST + "#")
    for path in handed_in.rglob("*"):
        path.chmod(0o777)  # their author does not care
    (tmp_path / "made").mkdir()
    arena(tmp_path / "made", "init", "ws")
    if "contest" in extensions.extras():
        arena(tmp_path / "made", "init", "--contest", "contest")
    arena(tmp_path / "made/ws", "new", "mine", "--language", "bash")
    folder = workspaces.make(tmp_path / "made/cup", {"first": sprint.FIRST})
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    for name in ("folder", "lone.py", "packed.zip"):
        arena(folder, "submit", str(handed_in / name))
    assert "warning: " not in arena(folder, "run", "--no-charts")

    assert open_wider(umask, tmp_path / "made") == []
    assert list((folder / "results/cup/bots").rglob("part.py"))
    assert not open_wider(0o022, folder / "bots")


def test_a_copy_of_what_comes_with_arena_is_as_open_as_the_umask_says(tmp_path: Path):
    source = tmp_path / "source"
    (source / "inner/__pycache__").mkdir(parents=True)
    (source / "inner/program").write_text("x")
    (source / "readable").write_text("y")
    (source / ".hidden").write_text("")
    for path, mode in {
        "inner/program": 0o777,
        "inner": 0o777,
        "readable": 0o444,
        "": 0o555,
    }.items():
        (source / path).chmod(mode)
    before = os.umask(0o027)
    try:
        whole_files.copy_new(source, tmp_path / "copy")
    finally:
        os.umask(before)
        source.chmod(0o755)
    found = {
        path.relative_to(tmp_path): stat.S_IMODE(path.stat().st_mode)
        for path in tmp_path.glob("copy/**/*")
    }
    names = {"copy/inner": 0o750, "copy/inner/program": 0o750, "copy/readable": 0o640}
    assert found == {Path(name): mode for name, mode in names.items()}
    assert (tmp_path / "copy/inner/program").read_text() == "x"


def test_a_run_warns_of_a_file_that_everybody_may_write_and_that_says_what_runs(tmp_path: Path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST, "dice": sprint.DICE})
    rules = next((folder / "rules").glob("*.py"))
    for file in (folder / "tournament.toml", rules):
        file.chmod(0o666)
    (folder / "rules").chmod(0o777)
    done = cup.run_event(folder)
    assert done.returncode == 0, done.stderr
    assert "warning: rules: everybody on this machine may write into it" in done.stderr
    (folder / "rules").chmod(0o1777)  # sticky: nobody else exchanges a file there
    for name in ("tournament.toml", f"rules/{rules.name}"):
        assert f"warning: {name}: everybody on this machine may write into it" in done.stderr
        assert f"`chmod o-w {name}`" in done.stderr
        (folder / name).chmod(0o664)  # organisers of a course share their folder
    assert "may write" not in cup.run_event(folder).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check", "first"),
        ("match", "first", "dice", "--board", "duel"),
        ("duel", "first", "dice", "--board", "duel", "--max-pairings", "1"),
    ],
    ids=lambda words: words[0],
)
def test_each_command_that_starts_bots_warns_of_a_file_that_everybody_may_write(tmp_path, words):
    folder = workspaces.make(
        tmp_path / "ws", {"first": sprint.FIRST, "dice": sprint.DICE}, boards="duel"
    )
    (folder / "tournament.toml").chmod(0o666)
    said = cup.arena(folder, *words).stderr
    assert said.count("warning: tournament.toml: everybody on this machine may write") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_results_that_the_user_may_not_read_are_one_line(tmp_path: Path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    (folder / "results/cup").mkdir(parents=True)
    (folder / "results/cup").chmod(0)

    done = cup.arena(folder, "leaderboard", "cup")

    (folder / "results/cup").chmod(0o700)
    assert (done.returncode, done.stderr) == (
        2,
        (
            "results/cup/event.sqlite: the system forbids that; look at its permissions and its "
            "owner\n"
        ),
    )
