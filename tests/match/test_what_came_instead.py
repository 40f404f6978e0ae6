"""The words of a verdict quote what a bot printed in place of its answer, escaped and cut, wherever
they are shown.
"""

import csv

import pytest

from arena import protocol
from arena.match.bot import LiveBot
from arena.match.play import play
from arena.protocol import Ask
from arena.values import Conditions, Limits, TimeControl
from tests.support import cup, live, sprint, workspaces

SOON_S = 0.3
OPEN = Conditions(sandbox="rlimits", limits=Limits(output=200_000))
READY = Ask(text=b"ready?\n", announced=SOON_S, deadline=SOON_S, ready=True)
GO = Ask(text=b"turn 1\nlegal a\ngo 300\n", announced=SOON_S, deadline=SOON_S, legal=("a",))
WAITS = "\nimport sys, time\ntime.sleep(60)\n"


def printing(line: bytes, then: str = WAITS) -> str:
    """Return a bot that prints these bytes at once, and then does something else."""
    return f"import os\nos.write(1, {line!r})\n{then}"


def words_of(tmp_path, launcher, text: str, *asks: Ask) -> str:
    """Return the words of the failure to answer the last of these questions."""
    bot = LiveBot(launcher, "r", live.bot_of(tmp_path / "bot.py", text), OPEN, None)
    try:
        replies = [live.ask(bot, each) for each in asks]
    finally:
        bot.end()
    assert [reply.ending is None for reply in replies] == [True] * (len(asks) - 1) + [False]
    return replies[-1].words


BEFORE_READY = {
    "a byte order mark": (b"\xef\xbb\xbfready\n", r'it printed "\ufeffready" instead'),
    "capitals": (b"READY\n", 'it printed "READY" instead'),
    "a full stop": (b"ready.\n", 'it printed "ready." instead'),
    "colours": (b"\x1b[32mready\x1b[0m\n", r'it printed "\x1b[32mready\x1b[0m" instead'),
    "an unusual blank": (b"ready\xc2\xa0\n", r'it printed "ready\xa0" instead'),
    "UTF-16": (
        "ready\n".encode("utf-16"),
        r'it printed "\xff\xfer\x00e\x00a\x00d\x00y\x00" instead; this is UTF-16, and arena',
    ),
    "UTF-16 without a mark": ("ready\n".encode("utf-16-le"), "; this is UTF-16, and arena reads"),
    "quotation marks": (b'"ready"\n', "it printed \"'ready'\" instead"),
    "a banner": (
        b"Bot 3000\n\nby Ada\nREADY\n",
        'it printed "Bot 3000", "by Ada" and 2 more lines, at last "READY", inst',
    ),
    "a move": (b"a\nb\n", 'it printed "a", "b" instead'),
    "empty lines": (b"\n\n", "it printed 2 empty lines instead"),
    "remarks": (b"# loading\n# done\n", 'it printed only remarks, such as "# loading"'),
    "a remark without a blank": (b"#ready\n", 'it printed only remarks, such as "#ready"'),
    "half a line": (
        b"ready",
        '5 bytes without a newline were there: does it end its line and flush? They are "ready"',
    ),
    "a long line": (b"x" * 500 + b"\n", f'it printed "{"x" * 77}..." instead'),
    "a flood": (b"no\n" * 20_000, 'it printed "no", "no" and 19998 more lines instead'),
}


@pytest.mark.parametrize("kind", BEFORE_READY)
def test_what_came_instead_of_ready_is_quoted(tmp_path, launcher, kind):
    line, quoted = BEFORE_READY[kind]
    words = words_of(tmp_path, launcher, printing(line), READY)
    assert words.startswith("no `ready` in 300 ms; ")
    assert quoted in words
    assert words.isprintable()
    assert len(words) < 500


def test_what_a_program_printed_that_ends_before_ready_is_quoted(tmp_path, launcher):
    text = printing(b"usage: bot FILE\n", "raise SystemExit(2)")
    words = words_of(tmp_path, launcher, text, READY)
    assert words == 'it ended before its answer: exit 2; it printed "usage: bot FILE" instead'


HALF = '8 bytes without a newline were there: does it end its line and flush? They are "move1 no"'
AT_GO = {
    "half a move": ('os.write(1, b"move1 no")', HALF),
    "remarks": ('print("# thinking", flush=True)', 'it printed only remarks, such as "# thinking"'),
    "nothing": ("pass", "no answer in 300 ms; "),
}


@pytest.mark.parametrize("kind", AT_GO)
def test_what_came_instead_of_a_move_is_quoted(tmp_path, launcher, kind):
    answer, quoted = AT_GO[kind]
    text = (
        f"import os\nprint('ready', flush=True)\nwhile input()[:2] != 'go': pass\n{answer}\n{WAITS}"
    )
    assert quoted in words_of(tmp_path, launcher, text, READY._replace(deadline=9.0), GO)


def test_an_answer_that_came_before_its_question_is_quoted(tmp_path, launcher):
    text = (
        "import os\nprint('ready', flush=True)\nwhile input()[:2] != 'go': pass\n"
        f"os.write(1, b'a\\nb\\n'){WAITS}"
    )
    questions = (READY._replace(deadline=9.0), GO._replace(deadline=9.0), GO)
    words = words_of(tmp_path, launcher, text, *questions)
    assert 'it had printed "b" before it was asked' in words


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (b"y" * 70_000, f'a line of more than 65536 bytes; it begins "{"y" * 77}..."'),
        (
            b"why\n" * 60_000,
            'output: more than 200000 bytes in one turn; it printed "why", "why" and ',
        ),
    ],
)
def test_a_flood_is_quoted_by_its_beginning(tmp_path, launcher, output, words):
    assert words_of(tmp_path, launcher, printing(output), READY._replace(deadline=9.0)).startswith(
        words
    )


def test_what_an_author_cannot_see_in_a_move_is_shown_in_the_verdict(tmp_path, launcher):
    text = (
        "while input() != 'ready?': pass\nprint('ready', flush=True)\n"
        "while input()[:2] != 'go': pass\n"
    )
    bot = live.bot_of(tmp_path / "bot.py", f"{text}print('1\\u00a0', flush=True){WAITS}")
    conditions = Conditions(sandbox="rlimits", time=TimeControl(start=9.0, move=9.0))
    record = play(live.match_of("goofspiel/five", bot, conditions=conditions), launcher=launcher)
    assert r'printed "1\xa0", expected one of 5 legal moves' in record.verdict.faults[0].words


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\x1b[31mnorth\x1b[0m", "which has control characters, or others that nobody sees"),
        (b"\xef\xbb\xbfnorth", "which begins with a byte order mark"),
        (b"nor\0th", "which has a zero byte"),
        (b"\x005", "which has a zero byte"),
        (b"5\0", "which has a zero byte"),
        (b"\x0010", "which has a zero byte"),
        (b"\x0010\0", "which has a zero byte"),
        (b"north \xff\xfd", "which is not clean UTF-8 text"),
        ("north".encode("utf-16"), "which is UTF-16, and arena reads UTF-8"),
        ("north".encode("utf-16-be"), "which is UTF-16, and arena reads UTF-8"),
    ],
)
def test_a_garbled_answer_is_called_what_it_is(line, reason):
    assert protocol.uncleanness(line) == reason


@pytest.mark.slow
def test_a_run_its_tables_its_report_and_a_duel_quote_it(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws",
        {"first": sprint.FIRST, "loud": "#!/bin/sh\necho READY\nexec sleep 60\n"},
        time={"start": 0.8},
    )
    quoted = (
        "loud is absent, its matches are forfeited: timeout: no `ready` in 800 ms; it printed "
        '"READY" instead'
    )
    played = cup.run_event(folder, "--json")
    assert quoted.replace('"', "'") in played.stderr.replace('"', "'")
    (match, *_) = csv.DictReader((folder / "results/cup/matches.csv").read_text().splitlines())
    shown = cup.arena(folder, "replay", match["match"], "--no-draw").stdout
    assert "it printed 'READY' instead" in shown
    duel = cup.arena(folder, "duel", "first", "loud", "--max-pairings", "2")
    assert "it printed 'READY' instead" in duel.stderr.replace('"', "'")
