"""The progress of a long task, on stderr."""

import contextlib

from arena.cli import progress
from arena.cli.progress import ProgressLine


def test_a_quick_task_prints_nothing(capfd):
    with ProgressLine("report") as count:
        count(1, 2)
    assert capfd.readouterr() == ("", "")


def test_a_long_task_prints_its_progress(capfd, monkeypatch):
    monkeypatch.setattr(progress, "QUICK_S", -1.0)
    with ProgressLine("report: replays") as count:
        count(500, 2000)
        count(1000, 2000)
        assert capfd.readouterr() == (
            "",
            "report: replays: 500 of 2000 (25 %)\n",
        )  # the next is due later
        count(2000, 2000)
    assert capfd.readouterr() == ("", "report: replays: done, 2000 of 2000\n")


def test_a_failure_is_not_called_done(capfd, monkeypatch):
    monkeypatch.setattr(progress, "QUICK_S", -1.0)
    with contextlib.suppress(OSError), ProgressLine("report") as count:
        count(1, 2)
        raise OSError("full")
    assert capfd.readouterr().err == "report: 1 of 2 (50 %)\n"


def test_the_line_on_a_terminal_is_overwritten_and_cleared(capfd, monkeypatch):
    monkeypatch.setattr(progress, "QUICK_S", -1.0)
    monkeypatch.setattr(progress, "TERMINAL_INTERVAL_S", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with ProgressLine("report") as count:
        count(1, 2)
        count(2, 2)
    assert (
        capfd.readouterr().err
        == "\r\x1b[Kreport: 1 of 2 (50 %)\r\x1b[Kreport: 2 of 2 (100 %)\r\x1b[K"
    )
