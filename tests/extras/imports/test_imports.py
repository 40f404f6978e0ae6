"""Results of others: what `arena import` reads, what it refuses, and what the commands make of the
archive.
"""

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from arena.extras.imports import source, storing
from arena.extras.imports.outside import DRAW, LOSS, WIN
from arena.results.archive import Archive
from tests.support import cup, stored, tutorial
from tests.support.cup import arena, refused

WIDE = """\
white_bot,black_bot,white_result,black_result,date
ada,bob,1,0,2026-01-05
bob,ada,0.5,1/2,2026-01-06
ada,cat,win,loss,2026-01-07
cat,bob,0,1,2026-01-08
"""
LONG = """\
match,game,board,role,bot,score,seconds,date,ending
1,pig,short,first,ada,80,1.5,2026-01-05,
1,pig,short,second,bob,20,2.5,2026-01-05,
2,pig,short,first,bob,0,1,2026-01-06T18:30,timeout
2,pig,short,second,ada,100,1,2026-01-06T18:30,
"""


def write(folder: Path, text: str | bytes, name: str = "league.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def imported(folder: Path, text: str | bytes, name: str = "league.csv", *words: str):
    """Import a file, and return what the archive has of its matches."""
    write(folder, text, name)
    done = arena(folder, "import", name, *words)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(arena(folder, "import", name, *words, "--json").stdout)
    with Archive.open(folder / row["folder"]) as archive:
        return archive.played()


def scores(played):
    """Return the bots and scores of matches."""
    return sorted((*match.seats.values(), *match.scores.values()) for match in played)


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """A folder with archives of two leagues."""
    folder = tmp_path_factory.mktemp("league")
    write(folder, WIDE)
    write(folder, LONG, "pig.csv")
    for name in ("league.csv", "pig.csv"):
        assert arena(folder, "import", name).returncode == 0
    return folder


@pytest.fixture(scope="module")
def match(league):
    with Archive.open(league / "results" / "pig") as archive:
        return f"pig/{archive.played()[0].id}"


def test_a_row_for_each_match_gives_wins_draws_and_losses(tmp_path):
    assert scores(imported(tmp_path, WIDE)) == [
        ("ada", "bob", WIN, LOSS),
        ("ada", "cat", WIN, LOSS),
        ("bob", "ada", DRAW, DRAW),
        ("cat", "bob", LOSS, WIN),
    ]


def test_a_row_for_each_seat_gives_scores_endings_times_and_dates(league):
    with Archive.open(league / "results" / "pig") as archive:
        records = {match.scores["first"]: archive.record(match.id) for match in archive.played()}
    won, lost = records[80], records[0]
    assert (won.match.label, won.started, won.seconds) == (
        "pig/short",
        "2026-01-05T00:00:00+00:00",
        4.0,
    )
    assert [(seat.bot, seat.cpu) for seat in won.seats] == [("ada", 1.5), ("bob", 2.5)]
    assert (lost.verdict.reason, lost.verdict.ending("first"), lost.started) == (
        "forfeit",
        "timeout",
        "2026-01-06T18:30:00+00:00",
    )


@pytest.mark.parametrize(
    "text",
    [
        WIDE.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + WIDE.encode(),
        WIDE.replace(",", ";").encode(),
        WIDE.replace(",", "\t").encode(),
        WIDE.rstrip("\n").encode() + b"\n\n,,,,\n",
        WIDE.replace("ada", '" ada "').encode(),
        WIDE.replace("white_bot", "White_Bot").encode(),
    ],
    ids=["crlf", "byte order mark", "semicolons", "tabs", "empty rows", "quotes", "capitals"],
)
def test_what_a_spreadsheet_saves_is_read_as_the_plain_file_is(tmp_path, text):
    write(tmp_path, text)
    assert arena(tmp_path, "import", "league.csv").returncode == 0
    (row,) = json.loads(arena(tmp_path, "import", "league.csv", "--json").stdout)
    assert (row["read"], row["new"], row["matches"]) == (4, 0, 4)
    with Archive.open(tmp_path / "results" / "league") as archive:
        assert [bot.name for bot in archive.event().bots] == ["ada", "bob", "cat"]


def test_a_file_that_has_grown_adds_its_new_matches_only(tmp_path):
    imported(tmp_path, WIDE)
    write(tmp_path, f"{WIDE}ada,bob,1,0,2026-01-05\ndan,ada,0,1,2026-01-09\n")
    (row,) = json.loads(arena(tmp_path, "import", "league.csv", "--json").stdout)
    assert (row["read"], row["new"], row["matches"]) == (6, 2, 6)  # an equal row is another match
    assert len(imported(tmp_path, WIDE)) == 6
    assert arena(tmp_path, "verify", "league").returncode == 0


def test_a_named_match_with_another_result_is_refused_and_the_archive_stays(tmp_path):
    before = scores(imported(tmp_path, LONG))
    write(tmp_path, LONG.replace("100", "90") + "3,pig,short,first,eve,1,1,2026-01-07,\n")
    done = arena(tmp_path, "import", "league.csv")
    assert refused(done, "league.csv: line 4, column match: ")
    assert "has another result of match '2'" in done.stderr
    with Archive.open(tmp_path / "results" / "league") as archive:
        assert scores(archive.played()) == before
        assert [bot.name for bot in archive.event().bots] == ["ada", "bob"]


@pytest.mark.soak
def test_arenas_own_table_of_matches_is_a_file_of_results(league, tmp_path):
    assert arena(league, "charts", "pig").returncode == 0
    table = (league / "results" / "pig" / "matches.csv").read_text()
    with Archive.open(league / "results" / "pig") as archive:
        assert scores(imported(tmp_path, table, "matches.csv")) == scores(archive.played())


def test_a_role_that_is_at_home_has_its_advantage_in_the_ratings(tmp_path):
    rows = [f"{home},{away},1,0" for home in "abcd" for away in "abcd" if home != away]
    header = "home_bot,away_bot,home_result,away_result"
    imported(tmp_path, "\n".join([header, *rows, "a,b,1,0", "a,b,1,0"]))
    table = json.loads(arena(tmp_path, "leaderboard", "league", "--json").stdout)
    ratings = {row["bot"]: row["rating"] for row in table}
    assert ratings["a"] == pytest.approx(ratings["c"], abs=60)  # its wins at home say little


def test_equal_results_are_matches_of_their_own_and_no_copies(tmp_path):
    text = "white_bot,black_bot,white_result,black_result\n" + "ada,bob,1,0\n" * 12
    matches = imported(tmp_path, text)
    with Archive.open(tmp_path / "results" / "league") as archive:
        assert len(set(archive.transcripts([match.id for match in matches]).values())) == 12
    assert len({match.seed for match in matches}) == 12


@pytest.mark.parametrize(
    "words",
    [("replay",), ("rerun",), ("match", "ada", "bob", "--turn", "0", "--from"), ("clip",)],
    ids=["replay", "rerun", "match", "clip"],
)
def test_a_command_that_needs_moves_says_that_there_is_nothing_to_replay(league, match, words):
    assert refused(
        arena(league, *words, match),
        "was imported without its moves, so there is nothing to replay",
    )


def test_no_text_is_written_of_a_match_without_moves(league, match):
    event, _, name = match.partition("/")
    assert refused(arena(league, "export", event, "--match", name), "nothing to write")


def test_there_are_no_lessons_and_the_reason_is_said(league):
    done = arena(league, "lessons", "ada", "pig")
    assert done.returncode == 0
    assert "2 matches left out" in done.stderr
    assert "imported without its moves" in done.stderr


def test_a_check_of_the_records_says_that_no_rules_were_asked(league):
    done = arena(league, "verify", "pig")
    assert (done.returncode, done.stdout) == (0, "2 records: 2 confirmed\n")
    assert "no rules were asked" in done.stderr


def test_a_match_with_moves_is_checked_by_the_rules_also_among_imported_ones(tmp_path):
    imported(tmp_path, WIDE)
    event = stored.event("ada", "bob", boards=(stored.DUEL,))
    with Archive.open(tmp_path / "results" / "league", writing=True) as archive:
        archive.append(stored.played(next(iter(stored.plan(event)))))
    done = arena(tmp_path, "verify", "league")
    assert done.returncode == 1
    assert "5 records: 4 confirmed, 1 not" in done.stdout


def test_the_status_of_imported_matches_is_complete(league):
    (row,) = json.loads(arena(league, "status", "pig", "--json").stdout)
    assert (row["planned"], row["played"], row["due"], row["complete"]) == (2, 2, 0, True)


def test_the_report_lists_the_matches_and_offers_no_replay(league):
    with cup.first_chart_only():
        assert arena(league, "report", "league").returncode == 0
    page = (league / "results" / "league" / "report.html").read_text()
    assert '"replay":[-1,-1,-1,-1]' in page
    assert '"imported":true' in page


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "ada", "bob", "league"),
        ("leaderboard", "league", "--crosstable"),
        ("export", "league"),
    ],
)
def test_commands_that_need_no_moves_work_as_always(league, words):
    assert arena(league, *words).returncode == 0


def test_charts_of_turns_and_times_say_why_they_are_not_drawn(league):
    with cup.few_charts("length", "time"):
        done = arena(league, "charts", "pig")
    assert "length (no match has a turn)" in done.stderr
    assert "time (nobody answered)" in done.stderr


def test_archives_of_imported_matches_can_be_merged(league):
    assert arena(league, "merge", "league", "pig", "--name", "both").returncode == 0
    (row,) = json.loads(arena(league, "status", "both", "--json").stdout)
    assert row["played"] == 6


def test_nothing_is_played_beside_imported_matches(league):
    (league / "bots").mkdir(exist_ok=True)
    for name in ("ada", "bob"):
        (league / "bots" / f"{name}.py").write_text(cup.FIRST)
    (league / "tournament.toml").write_text(
        'name = "pig"\nseed = 1\nboards = ["kuhn_poker/three_cards"]\nbots = "bots"\n'
    )
    try:
        done = arena(league, "run", "--unsafe", "--sandbox", "none")
    finally:
        (league / "tournament.toml").unlink()
    assert done.returncode == 2
    assert "has imported matches, beside which nothing is played" in done.stderr


def test_nothing_is_imported_beside_matches_that_were_played(tmp_path):
    event = stored.event("ada", "bob", boards=(stored.DUEL,))
    stored.store(tmp_path / "results" / "league", event, map(stored.played, stored.plan(event)))
    write(tmp_path, WIDE)
    assert refused(arena(tmp_path, "import", "league.csv"), "has matches that arena played")


HEAD = "white_bot,black_bot,white_score,black_score"
SEATS = "match,bot,score"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no header"),
        ("a,b\n1,2\n", "line 1: has no column bot"),
        (f"{HEAD},white_bot\n", "line 1, column 5: 'white_bot' is there twice"),
        ("white_bot,black_bot\na,b\n", "line 1: has no column white_score or white_result"),
        ("bot,score\na,1\n", "line 1: has no column match"),
        (f"{HEAD}\n", "has no match"),
        (f"{HEAD}\na,b,1\n", "line 2: has 3 cells, and the header has 4"),
        (f"{HEAD}\n\na,,b,0,0\n", "line 3: has 5 cells"),
        (f"{HEAD}\na,b,101,0\n", "line 2, column white_score: '101' is no score"),
        (f"{HEAD}\na,b,100,-1\n", "line 2, column black_score: '-1' is no score"),
        (f"{HEAD}\na,b,nan,0\n", "line 2, column white_score: 'nan' is no score"),
        (f"{HEAD}\na,b,inf,0\n", "line 2, column white_score: 'inf' is no score"),
        (f"{HEAD}\na,b,1e1,0\n", "line 2, column white_score: '1e1' is no score"),
        (f"{HEAD}\na,b,,0\n", "line 2, column white_score: '' is no score"),
        (f"{HEAD}\na,b,0.5,0.5\n", "call the column result where a win is 1"),
        (f"{HEAD}\na,b,1,0\nb,a,0,1\n", "column white_score: no score is above 1"),
        (
            "white_bot,black_bot,white_result,black_result\na,b,2,0\n",
            "column white_result: '2' is no result",
        ),
        (
            f"{HEAD}\n../../etc/passwd,b,100,0\n",
            "line 2, column white_bot: ../../etc/passwd: a name is no path",
        ),
        (f"{HEAD}\n=cmd(),b,100,0\n", "line 2, column white_bot: =cmd(): begins as a formula does"),
        (f"{HEAD}\na\x1b[2Jb,b,100,0\n", "a name has printable letters only"),
        (f"{HEAD}\na\u202eb,b,100,0\n", "a name has printable letters only"),
        (f"{HEAD}\n{'a' * 81},b,100,0\n", "a name has at most 80 letters"),
        (f"{HEAD}\n{'a' * 200_000},b,100,0\n", "line 2: is no row of a CSV file"),
        (f'{HEAD}\n"a,b,100,0\n', "is no row of a CSV file"),
        (f"{HEAD}\na,b,100,0".encode() + b"\xff\n", "line 2, byte 10: is no UTF-8"),
        (f"{HEAD}\na,\0b,100,0\n", "line 2, byte 3: is zero"),
        (HEAD.encode("utf-16"), "line 1: the file is in UTF-16"),
        (f"{HEAD},date\na,b,100,0,31.5.2026\n", "line 2, column date: '31.5.2026' is no date"),
        (f"{HEAD},game\na,b,100,0,../x\n", "line 2, column game: '../x' is no name of a game"),
        (
            f"{HEAD},white_ending\na,b,0,100,bored\n",
            "line 2, column white_ending: 'bored' is none of",
        ),
        (f"{HEAD},white_seconds\na,b,0,100,-1\n", "line 2, column white_seconds: '-1' is no time"),
        ("wh ite_bot,wh ite_score\na,1\n", "line 1, column wh ite_bot: 'wh ite' is no role"),
        (f"{SEATS}\n1,a,100\n2,a,100\n1,b,0\n", "line 4, column match: match '1' is there twice"),
        (f"{SEATS}\n,a,100\n", "line 2, column match: is empty"),
        (f"{SEATS},role\n1,a,100,x\n1,b,0,x\n", "line 3, column role: 'x' is there twice"),
        (f"{SEATS},board\n1,a,100,x\n1,b,0,y\n", "line 3, column board: is another one"),
        (
            f"{SEATS}\n1,a,100\n1,b,0\n2,a,100\n2,b,0\n2,c,0\n",
            "line 4: imported/standard has the roles",
        ),
    ],
)
def test_a_bad_file_is_refused_in_one_line_that_names_line_and_column(tmp_path, text, words):
    write(tmp_path, text)
    done = arena(tmp_path, "import", "league.csv")
    assert refused(done, words), done.stderr
    assert "league.csv" in done.stderr
    assert "\x1b" not in done.stderr
    assert not (tmp_path / "results" / "league").exists()


def test_a_file_of_too_many_bots_matches_or_bytes_is_refused(tmp_path, monkeypatch):
    write(tmp_path, WIDE)
    for module, limit, words in (
        (storing, "MOST_BOTS", "line 4: is of one bot more than the 2"),
        (storing, "MOST_MATCHES", "line 4: is beyond the 2 matches"),
        (source, "MOST_BYTES", "has more than 2 bytes"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, limit, 2)
            assert refused(arena(tmp_path, "import", "league.csv"), words)


def test_a_line_without_an_end_is_refused_before_memory_is_full(tmp_path):
    write(tmp_path, b"a" * (source.LONGEST_LINE + 2))
    assert refused(arena(tmp_path, "import", "league.csv"), "line 1: has more than 1,000,000 bytes")


def test_a_pipe_a_folder_and_a_missing_file_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv"):
        assert refused(arena(tmp_path, "import", name), f"{name}: is no file of results")
    assert refused(arena(tmp_path, "import", "none.csv"), "none.csv: cannot be read: No such file")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["league.csv", "--name", "../x"], "--name ../x"),
        (["league.csv", "--game", "a/b"], "--game: 'a/b' is no name of a game"),
        (["league.exe"], "league.exe: its name must end in .csv"),
    ],
)
def test_a_wrong_word_on_the_command_line_is_refused(tmp_path, words, said):
    write(tmp_path, WIDE)
    assert refused(arena(tmp_path, "import", *words), said)


def test_roles_of_a_side_win_together(tmp_path):
    text = "match,role,side,bot,score\n1,pacman,p,ada,30\n1,ghost1,g,bob,70\n1,ghost2,g,bob,70\n"
    (played,) = imported(tmp_path, text)
    assert played.sides == (("pacman",), ("ghost1", "ghost2"))


def test_columns_that_are_not_read_are_named(tmp_path):
    write(tmp_path, WIDE.replace("date", "day"))
    assert "columns that are not read: day\n" in arena(tmp_path, "import", "league.csv").stderr


def largest(folder: Path) -> int:
    """Return the bytes of the largest file of a database in the results."""
    found = 0
    for path in folder.glob("results/**/event.sqlite*"):
        with contextlib.suppress(FileNotFoundError):  # it ended between the listing and the look
            found = max(found, path.stat().st_size)
    return found


@pytest.mark.soak
@pytest.mark.parametrize("is_new", [True, False], ids=["new archive", "old archive"])
def test_a_kill_in_the_middle_leaves_the_old_archive_or_the_new_one(tmp_path, is_new):
    before = 0 if is_new else len(imported(tmp_path, WIDE))
    write(tmp_path, WIDE + "ada,bob,1,0,2026-01-05\n" * 20_000)
    command = cup.Command(tmp_path, "import", "league.csv")
    deadline = time.monotonic() + 60
    while largest(tmp_path) < 1_000_000:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(command.pid, signal.SIGKILL)
    command.wait()
    if is_new:
        assert not (tmp_path / "results" / "league").exists()
    else:
        with Archive.open(tmp_path / "results" / "league") as archive:
            assert archive.count() == before
    assert len(imported(tmp_path, WIDE, "league.csv")) == 4


def test_what_a_killed_import_left_is_removed_by_the_next_one(tmp_path):
    (tmp_path / "results/.importing/league").mkdir(parents=True)
    imported(tmp_path, WIDE)
    assert [path.name for path in (tmp_path / "results/.importing").iterdir()] == [".lock"]


@pytest.mark.soak
def test_the_page_can_be_followed(tmp_path):
    page = (tutorial.DOCS / "extras" / "imports.md").read_text("utf-8")
    with cup.first_chart_only():
        folder, done = tutorial.follow(page, tmp_path, {})
    assert [command.returncode for command in done] == [0] * len(done), [
        command.stderr for command in done
    ]
    assert len(done) == 8
    assert (folder / "results" / "league" / "report.html").is_file()
    for name, count in (("league", 6), ("engines", 2), ("club", 4)):
        with Archive.open(folder / "results" / name) as archive:
            assert archive.count() == count
    seats = next(block for block in tutorial.blocks(page, "csv") if block.startswith("match,role"))
    assert scores(imported(tmp_path, seats, "seats.csv")) == [
        ("Ajax", "Brugge", 80, 20),
        ("Brugge", "Ajax", 100, 0),
    ]
