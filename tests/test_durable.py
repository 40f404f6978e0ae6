"""Files and folders are whole under their final name, whatever happens while they are written."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena import durable

ENDED = 4_194_999
"""No process has this id: it is above the highest that Linux gives."""


def test_a_file_is_replaced_as_a_whole(tmp_path: Path):
    path = tmp_path / "leaderboard.csv"
    path.write_text("old")

    durable.write(path, b"new")

    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["leaderboard.csv"]


def test_an_error_while_a_file_is_written_leaves_the_old_one_and_no_part(tmp_path: Path):
    path = tmp_path / "[odd]*.csv"
    path.write_text("old")

    with pytest.raises(TypeError), durable.replacing(path) as file:
        file.writelines([b"ne", None])

    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_part_of_a_killed_writer_goes_with_the_next_write_and_that_of_a_living_one_stays(tmp_path: Path):
    path = tmp_path / "[odd]*.csv"
    killed = tmp_path / f".[odd]*.csv.{ENDED}.part"
    living = tmp_path / f".[odd]*.csv.{os.getppid()}.part"
    other = tmp_path / f".another.csv.{ENDED}.part"
    for part in (killed, living, other):
        part.write_text("half")

    durable.write(path, b"new")

    assert {file.name for file in tmp_path.iterdir()} == {path.name, living.name, other.name}


def test_a_folder_is_published_under_a_free_name_only(tmp_path: Path):
    for name in ("making", "taken"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "bot.py").write_text(name)
    (tmp_path / "making" / "link").symlink_to("nowhere")

    with pytest.raises(OSError, match="not empty"):
        durable.publish(tmp_path / "making", tmp_path / "taken")
    durable.publish(tmp_path / "making", tmp_path / "free")

    assert (tmp_path / "free" / "deep" / "bot.py").read_text() == "making"
    assert (tmp_path / "free" / "link").is_symlink()
    assert not (tmp_path / "making").exists()


def test_what_is_published_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch):
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(
        os, "fsync", lambda fd: (done.append(f"sync {Path(f'/proc/self/fd/{fd}').readlink().name}"), fsync(fd))
    )
    monkeypatch.setattr(Path, "replace", lambda path, to: (done.append("rename"), replace(path, to))[1])
    making = durable.make_folder(tmp_path / "making")
    (making / "bot.py").write_text("x")
    done.clear()

    durable.publish(making, tmp_path / "final")
    durable.write(tmp_path / "a.csv", b"x")

    assert done[:4] == ["sync bot.py", "sync making", "rename", f"sync {tmp_path.name}"]
    assert done[4:] == [f"sync .a.csv.{os.getpid()}.part", "rename", f"sync {tmp_path.name}"]


def test_many_folders_are_put_on_disk_together_before_any_of_them_has_its_name(tmp_path: Path, monkeypatch):
    done: list[str] = []
    fsync, replace, sync_all = os.fsync, Path.replace, durable._sync_file_system
    monkeypatch.setattr(os, "fsync", lambda fd: (done.append("sync"), fsync(fd))[1])
    monkeypatch.setattr(Path, "replace", lambda path, to: (done.append("rename"), replace(path, to))[1])
    monkeypatch.setattr(durable, "_sync_file_system", lambda path: (done.append("sync all"), sync_all(path))[1])
    targets = {tmp_path / f"part{number}": tmp_path / f"bot{number}" for number in range(durable.MANY)}
    for making in targets:
        making.mkdir()
        (making / "bot.py").write_text("x")

    durable.publish_all(targets)

    assert done == ["sync all", *["rename"] * durable.MANY, "sync"]
    assert all((target / "bot.py").read_text() == "x" for target in targets.values())


def test_many_folders_are_put_on_disk_one_by_one_where_the_c_library_cannot_do_it_together(tmp_path, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    synced: list[Path] = []
    monkeypatch.setattr(durable, "sync_tree", synced.append)
    targets = {tmp_path / f"part{number}": tmp_path / f"bot{number}" for number in range(durable.MANY)}
    for making in targets:
        making.mkdir()

    durable.publish_all(targets)

    assert synced == [*targets]


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "report.html"
    path.write_text("old")
    program = (
        "import os, signal, sys; from pathlib import Path; from arena import durable\n"
        "with durable.replacing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )

    done = subprocess.run([sys.executable, "-c", program, path], timeout=60)

    assert done.returncode == -9
    assert path.read_text() == "old"
    durable.write(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
