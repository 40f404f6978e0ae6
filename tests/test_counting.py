"""How far something long is, on stderr."""

from arena.cli import counting
from arena.cli.counting import Counting


def test_what_is_quick_says_nothing(capfd):
    with Counting("report") as count:
        count(1, 2)
    assert capfd.readouterr() == ("", "")


def test_what_is_long_says_how_far_it_is(capfd, monkeypatch):
    monkeypatch.setattr(counting, "QUICK", -1.0)
    with Counting("report: replays") as count:
        count(500, 2000)
        count(1000, 2000)
    assert capfd.readouterr() == ("", "report: replays: 500 of 2000 (25 %)\n")  # the next is due later


def test_a_terminals_line_is_written_over_and_cleared(capfd, monkeypatch):
    monkeypatch.setattr(counting, "QUICK", -1.0)
    monkeypatch.setattr(counting, "TERMINAL", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with Counting("report") as count:
        count(1, 2)
        count(2, 2)
    assert capfd.readouterr().err == "\r\x1b[Kreport: 1 of 2 (50 %)\r\x1b[Kreport: 2 of 2 (100 %)\r\x1b[K"
