"""The command line: its output on stdout and stderr, and every mistake in one line."""

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli import COMMANDS, command, output
from arena.results.archive import Archive
from tests.support import classroom, workspaces
from tests.support.cup import (
    BOT,
    CRASHES,
    FIRST,
    LAST,
    Command,
    arena,
    environment,
    first_chart_only,
    run_event,
)
from tests.support.programs import python


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A workspace whose event was played; tests only look at it."""
    folder = workspaces.make(
        tmp_path_factory.mktemp("played") / "ws",
        {"first": FIRST, "last": LAST, "broken": CRASHES},
        "duel hunt",
    )
    run = run_event(folder)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture(scope="module")
def board(played):
    """The leaderboard of that event."""
    return arena(played, "leaderboard")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A workspace where nothing was played; tests only look at it."""
    return workspaces.make(tmp_path_factory.mktemp("fresh") / "ws", boards="duel")


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_leaderboard_is_a_table_on_stdout(board):
    assert board.stderr.startswith(
        "broken: crashed, 8 times, such as: "
    )  # beside the table, not in it
    header, _, *lines, best, meanings = board.stdout.strip("\n").split("\n")
    assert header.split()[:7] == ["rank", "bot", "rating", "95", "%", "ranks", "points"]
    assert header.split()[-3:] == ["duel", "hunt", "crashed"]
    assert (len(lines), lines[-1].split()[1]) == (3, "broken")
    sentence = r"the best on duel is \w+( or \w+)*; on hunt \w+( or \w+)* \(95 % confidence; .*\)"
    assert re.fullmatch(sentence, best)
    assert meanings.startswith("accuracy: how often, in percent, a bot made no mistake")


def test_the_help_begins_with_the_first_hour_and_each_command_has_its_own(fresh):
    listed = arena(fresh, "--help").stdout
    assert [line[:-1] for line in listed.splitlines() if re.fullmatch(r"[\w ]+:", line)][
        1:
    ] == list(COMMANDS)
    first, *_ = COMMANDS.values()
    assert list(first) == ["init", "new", "check", "match", "run", "replay", "report", "submit"]
    names = [name for lines in COMMANDS.values() for name in lines]
    assert re.findall(r"^  ([a-z][a-z-]+) +[A-Z]", listed, re.MULTILINE) == names
    assert all(command(name).help for name in names)


def test_a_mistyped_command_is_suggested(fresh):
    done = arena(fresh, "leaderbord")
    assert done.returncode == 2
    assert "No such command 'leaderbord'. Did you mean 'leaderboard'?" in done.stderr


@pytest.mark.parametrize(
    ("typed", "wanted", "others"),
    [
        ("run --pl", '"--plan":"Only print how many matches, and how long."', "--seed"),
        ("check fi", '"first"', "broken"),
        ("run --bot broken,fi", '"broken,first"', "broken,broken"),
        ("games mummy_maze/du", '"mummy_maze/duel"', "hunt"),
        ("match first last -b mummy_maze/du", '"mummy_maze/duel"', "hunt"),
        ("leaderboard c", '"cup"', "first"),
        ("replay ", "MATCH", "first"),
    ],
)
def test_a_shell_completes_options_bots_boards_events_and_matches(played, typed, wanted, others):
    done = arena(played, _TYPER_COMPLETE_ARGS=f"arena {typed}", _ARENA_COMPLETE="complete_zsh")
    assert done.returncode == 0
    if wanted == "MATCH":
        with Archive.open(played / "results/cup") as archive:
            wanted = f'"{min(archive.ids())}"'
    assert wanted in done.stdout
    assert others not in done.stdout


@pytest.mark.parametrize("typed", ["check ", "games mummy_maze/d", "leaderboard ", "replay "])
def test_a_shell_completes_no_name_that_a_shell_could_run_and_waits_for_no_pipe(tmp_path, typed):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    for name in ("bots/a'$(x)'.py", "bots/a\nb.py", "bots/a\x1b.py", "results/a`x`/event.sqlite"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "results/p").mkdir()
    (folder / "rules/folder.py").mkdir()
    for name in ("rules/pipe.py", "results/p/event.sqlite"):
        os.mkfifo(folder / name)
    (folder / "rules/bad.py").write_text("raise SystemExit(3)")
    done = arena(folder, _TYPER_COMPLETE_ARGS=f"arena {typed}", _ARENA_COMPLETE="complete_zsh")
    assert done.returncode == 0
    assert done.stderr == ""
    assert not set("$`\x1b") & set(done.stdout)
    assert '"a\n' not in done.stdout
    assert ("mummy_maze/duel" in done.stdout) == typed.startswith("games")


def test_completion_for_a_shell_can_be_shown(fresh):
    done = arena(
        fresh, "--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert "complete -o default -F" in done.stdout


def test_the_version_is_told(fresh):
    assert re.fullmatch(r"arena \d+\.\d+\.\d+\n", arena(fresh, "--version").stdout)


def test_leaderboard_as_json_has_the_columns_of_the_csv_and_the_change_of_rank(played):
    header = (played / "results/cup/leaderboard.csv").read_text().splitlines()[0].split(",")
    assert [list(row) for row in rows(arena(played, "leaderboard", "--json"))] == [
        [*header, "change"]
    ] * 3


def test_the_wide_leaderboard_has_every_column(played):
    header = (played / "results/cup/leaderboard.csv").read_text().splitlines()[0].split(",")
    assert arena(played, "leaderboard", "--wide").stdout.split("\n")[0].split() == header


def test_crosstable_and_timing_are_tables_too(played):
    cells = rows(
        arena(played, "leaderboard", "--crosstable", "--board", "duel", "--role", "mummy", "--json")
    )
    scores = {(cell["bot"], cell["opponent"]): cell["score"] for cell in cells}
    assert len(scores) == 6
    assert (scores["broken", "first"], scores["first", "broken"]) == (0.0, 100.0)
    timed = {row["bot"] for row in rows(arena(played, "leaderboard", "--timing", "--json"))}
    assert timed == {"first", "last", "broken"}


@pytest.mark.parametrize(
    "words", ["cup", "results/cup", "results/cup/event.sqlite", "tournament.toml", "."]
)
def test_an_event_may_be_named_in_many_ways(played, board, words):
    assert arena(played, "leaderboard", words).stdout == board.stdout


def test_a_workspace_elsewhere_may_be_named(played, board, tmp_path):
    assert arena(tmp_path, "leaderboard", str(played)).stdout == board.stdout


def test_the_only_event_there_is_needs_no_name(played, board, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/other").symlink_to(played / "results/cup")
    assert arena(tmp_path, "leaderboard").stdout == board.stdout


def test_charts_draws_again_what_is_there(played):
    with first_chart_only():
        files = [row["file"] for row in rows(arena(played, "charts", "--json"))]
    assert "results/cup/leaderboard.csv" in files
    assert all((played / file).stat().st_size for file in files)
    assert {file.rpartition(".")[2] for file in files} == {"csv", "svg", "png"}


def test_games_lists_each_board_with_its_roles_sides_and_facts(fresh):
    found = {row["board"]: row for row in rows(arena(fresh, "games", "--json"))}
    duel = found["mummy_maze/duel"]
    assert duel["roles"] == ["explorer", "mummy"]
    assert {"exit 8 8", "steps 50"} < {*duel["facts"]}
    assert found["pacman/classic"]["sides"] == ["pacman", "blinky+inky"]
    assert "mummy_maze/duel" in arena(fresh, "games").stdout


@pytest.mark.parametrize("words", ["hunt", "mummy_maze/hunt"])
def test_games_draws_the_board_that_is_named(fresh, words):
    done = arena(fresh, "games", words)
    assert done.returncode == 0
    assert "pacman" not in done.stdout
    assert "E" in done.stdout.partition("\n\n")[2]
    assert len(done.stdout.splitlines()) > 9


def test_a_long_table_of_a_board_shares_lines(fresh):
    """Pacman's scale of scores has 36 steps."""
    shown = arena(fresh, "games", "pacman/classic").stdout
    text = " ".join(shown.split())
    assert "score 0 0, 1 2, 2 4," in text
    assert "34 95, 35 100 ghosts team" in text
    assert "steps 100 pellets 35" in text
    facts = shown.partition("steps 100")[2].splitlines()
    assert len(facts) < 8
    assert all(len(line) <= 80 for line in facts)


def test_a_match_is_shown_turn_by_turn_with_its_verdict(fresh):
    drawn = arena(fresh, "match", "first", "last", "--board", "duel").stdout
    assert "turn 1  explorer (first)  move1 north" in drawn
    assert "# [red]seen[/red]" in drawn
    assert "┏" in drawn
    assert re.search(
        r"^\w[\w ]* after \d+ turns: explorer \(first\) \d+, mummy \(last\) \d+$",
        drawn,
        re.MULTILINE,
    )


def test_two_bots_at_pacman_leave_both_ghosts_to_the_second(fresh):
    (row,) = rows(arena(fresh, "match", "first", "last", "--board", "classic", "--json"))
    assert (row["pacman_bot"], row["blinky_bot"], row["inky_bot"]) == ("first", "last", "last")
    assert [turn["role"] for turn in row["turns"][:3]] == ["pacman", "blinky", "inky"]


def test_hostile_remarks_and_logs_of_a_match_do_nothing_to_the_terminal(tmp_path):
    hostile = BOT.format(place=0, pause=0).replace(
        "[red]seen[/red]", "\\x1b[2J\\u202e" + "x" * 5000
    )
    dying = python('sys.exit("\\x1b]0;owned\\x07")')
    bots = workspaces.make(tmp_path / "ws", {"hostile": hostile, "dying": dying}, "duel") / "bots"
    done = arena(
        tmp_path,
        "match",
        str(bots / "hostile.py"),
        str(bots / "dying.py"),
        "--board",
        "duel",
        "--no-draw",
    )
    assert done.returncode == 0
    assert "┏" not in done.stdout
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", done.stdout)
    assert "# \\x1b[2J" in done.stdout
    assert "stderr: \\x1b]0;owned" in done.stdout


def a_match(folder, bot: str) -> str:
    """Return the id of a match of `first`, as the explorer of duel, against this bot."""
    with Archive.open(folder / "results/cup") as archive:
        return next(
            record.match.id
            for record in archive.records()
            if [seat.bot.name for seat in record.match.seats] == ["first", bot]
        )


def test_a_fault_is_told_in_words_that_are_no_markup(played):
    said = arena(played, "replay", a_match(played, "broken")).stdout
    assert "mummy (broken) is at fault before the first turn: crashed" in said
    assert "its last stderr line: [bold]no[/bold]" in said


def test_a_replay_shows_every_turn_and_marks_the_steps_that_a_wall_stopped(played):
    match = a_match(played, "last")
    said = arena(played, "replay", match[:6]).stdout
    turns = rows(arena(played, "replay", f"cup/{match}", "--json"))
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    assert any(turn["blocked"] for turn in turns)
    assert said.count("(blocked)") == sum(turn["blocked"] for turn in turns)
    assert said.splitlines()[0].startswith(f"match {match}")


def test_replay_without_a_match_lists_the_newest_with_digits_that_replay_each(played):
    done = arena(played, "replay", "--most", "3")
    head, _, *lines = done.stdout.splitlines()
    assert head.split()[:3] == ["match", "board", "bots"]
    assert len(lines) == 3
    assert done.stderr.startswith("the newest 3 of ")
    assert "`arena replay ID` shows one" in done.stderr
    with Archive.open(played / "results/cup") as archive:
        assert [line.split()[0] for line in lines] == list(archive.newest(3))
    assert arena(played, "replay", lines[0][:6]).stdout.startswith(f"match {lines[0].split()[0]}")


def test_a_comparison_says_how_often_a_bot_was_at_fault(played):
    """A bot that crashes each time is worse by its crashes alone."""
    said = arena(played, "compare", "first", "broken").stdout
    assert said.count("broken was at fault in 8 of its 8 matches, which count, too.") == 1
    assert "first was at fault" not in said
    (found,) = rows(arena(played, "compare", "first", "broken", "--json"))
    assert (found["forfeits"], found["opponent_forfeits"]) == (0, 8)


def test_the_matches_of_a_bot_and_those_that_it_lost_are_listed(played):
    own = rows(arena(played, "replay", "--bot", "broken", "--json"))
    assert len(own) == 8
    assert all("broken" in match["bots"].values() for match in own)
    lost = rows(arena(played, "replay", "cup/", "--bot", "first", "--lost", "--json"))
    every = rows(arena(played, "replay", "--bot", "first", "--json"))
    assert lost == [match for match in every if match["results"]["first"] == "lost"]
    assert len(lost) < len(every)
    assert "broken: crashed" in arena(played, "replay", "--lost", "--bot", "broken").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bot", "brken"], "did you mean 'broken'?"),
        (["--turn", "3"], "MATCH: missing; `arena replay` alone lists"),
        (["abc", "--lost"], "--bot and --lost list matches"),
        (["zz"], "`arena replay` lists the newest"),
        (["cup"], "`arena replay cup/` lists its matches"),
    ],
)
def test_a_mistake_in_listing_matches_is_named(played, words, said):
    done = arena(played, "replay", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_on_a_narrow_terminal_names_stay_whole_and_other_columns_are_folded():
    name = "a-rather-long-name-of-a-bot"
    cells = [
        [
            name,
            "3",
            "b1095e99d7c3a974",
            "Maria Magdalena Somebody",
            "python",
            "mummy_maze pacman",
            "by hand",
        ]
    ]
    table = output.make_table(
        ["name", "version", "digest", "author", "language", "games", "state"], cells
    )
    to = Console(width=80, file=io.StringIO(), force_terminal=True)
    to.print(output.tightened(table, to))
    printed = to.file.getvalue()
    assert name in printed
    assert all(cell_len(Text.from_ansi(line).plain) <= 80 for line in printed.splitlines())
    longer = output.make_table(
        ["name", "author"], [["x" * 90, "Maria"]]
    )  # no terminal has it in one line
    to.print(output.tightened(longer, to))
    assert to.file.getvalue().count("x") == 90


def test_a_narrow_terminal_breaks_a_table_at_blanks_and_no_name_or_word():
    cells = [["labyrinth_runner_of_the_/north_1", "explorer, scorpion, mummy", "explorer, mummy"]]
    table = output.make_table(["board", "roles", "sides"], cells)
    to = Console(width=60, file=io.StringIO(), force_terminal=True, color_system=None)
    to.print(output.tightened(table, to))
    printed = to.file.getvalue()
    words = printed.split()
    assert set(" ".join(cells[0]).split()) <= set(words)
    assert max(map(cell_len, printed.splitlines())) <= 60


def test_bots_on_a_narrow_terminal_are_whole_names_and_digests(tmp_path):
    name = "Maximiliane_Musterfrau-Lilienthal"
    folder = workspaces.make(tmp_path / "ws", {name: FIRST, "last": FIRST})
    classroom.submitted(folder / "bots", last="")
    listing = Command(folder, "bots", on_terminal=True, TERM="xterm", COLUMNS="60")
    assert listing.wait() == 0
    printed = os.read(listing.terminal, 65536).decode()
    os.close(listing.terminal)
    assert re.search(rf"^{name} +[0-9a-f]{{16}} ", printed, re.MULTILINE)
    assert "the terminal is too narrow for: " in printed


def test_a_replay_of_one_turn_shows_that_turn_only(played):
    said = arena(played, "replay", a_match(played, "last"), "--turn", "2", "--no-draw").stdout
    assert re.findall(r"^turn \d+", said, re.MULTILINE) == ["turn 2"]


def test_a_replay_waits_for_nobody_when_there_is_no_terminal(played):
    done = arena(played, "replay", a_match(played, "last"), "--step", "--no-draw")
    assert done.returncode == 0
    assert "Enter" not in done.stdout


def test_init_makes_a_workspace_and_says_what_comes_next(tmp_path):
    done = arena(tmp_path, "init", "cup")
    assert done.returncode == 0
    assert "cd cup" in done.stdout
    assert (tmp_path / "cup/tournament.toml").is_file()
    assert list((tmp_path / "cup/rules").glob("*.toml"))
    assert not list((tmp_path / "cup").rglob("__pycache__"))


def test_init_calls_the_event_after_its_folder_and_may_leave_out_the_house_bots(tmp_path):
    assert arena(tmp_path, "init", "Übung 1", "--empty").returncode == 0
    text = (tmp_path / "Übung 1/tournament.toml").read_text()
    assert tomllib.loads(text)["name"] == "Ubung_1"
    assert "demo" not in text
    assert [path.name for path in (tmp_path / "Übung 1/bots").iterdir()] == ["README.md"]
    assert "needs two" in arena(tmp_path / "Übung 1", "run", "--set", 'boards=["hunt"]').stderr


def test_a_bot_that_plays_none_of_the_boards_is_no_empty_row(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    (folder / "bots/hungry").mkdir()
    (folder / "bots/hungry/bot.toml").write_text('command = "python bot.py"\ngames = ["pacman"]\n')
    (folder / "bots/hungry/bot.py").write_text(FIRST)
    done = arena(folder, "run", "--plan")
    assert "left out, since they play none of the boards: hungry" in done.stderr
    assert "\n2 bots; time left" in done.stdout


def test_init_leaves_what_is_there_alone(tmp_path):
    (tmp_path / "cup/bots").mkdir(parents=True)
    done = arena(tmp_path, "init", "cup")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bots" in done.stderr
    assert not (tmp_path / "cup/tournament.toml").exists()


def a_newer_store(folder):
    (folder / "results/cup").mkdir(parents=True)
    store = sqlite3.connect(folder / "results/cup/event.sqlite")
    store.execute("pragma user_version = 999")
    store.close()


def a_broken_store(folder):
    (folder / "results/cup").mkdir(parents=True)
    (folder / "results/cup/event.sqlite").write_bytes(
        b"not a database at all, but long enough to look at" * 9
    )


def results_as_a_file(folder):
    (folder / "results").mkdir()
    (folder / "results/cup").write_text("")


def in_toml(old, new):
    def edit(folder):
        file = folder / "tournament.toml"
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))

    return edit


def gone(folder):
    (folder / "tournament.toml").unlink()


def nothing(_folder):
    pass


def no_bots(folder):
    for file in (folder / "bots").iterdir():
        file.unlink()


MISTAKES = {
    "no tournament.toml": (gone, ["run"], ["tournament.toml", "arena init"]),
    "another file": (nothing, ["run", "nosuch.toml"], ["nosuch.toml", "arena init"]),
    "an unknown key": (
        in_toml("move = 10.0", "mvoe = 1.0"),
        ["run"],
        ["tournament.toml", "time.mvoe", "'move'"],
    ),
    "a wrong value": (in_toml("seed = 5", "repeats = 0"), ["run"], ["tournament.toml", "repeats"]),
    "bad TOML": (in_toml("seed = 5", "seed = = 5"), ["run"], ["tournament.toml", "line 2"]),
    "an unknown board": (
        in_toml('"duel"', '"duell"'),
        ["run"],
        ["tournament.toml", "duell", "duel"],
    ),
    "no bots": (no_bots, ["run"], ["tournament.toml", "bots"]),
    "a missing folder of bots": (
        in_toml('"bots"', '"robots"'),
        ["run"],
        ["tournament.toml", "robots"],
    ),
    "an unknown bot": (nothing, ["run", "--bot", "first,lsat"], ["lsat", "'last'"]),
    "a board that is not played": (nothing, ["run", "--board", "hunt"], ["hunt"]),
    "a bad setting": (nothing, ["run", "--set", "time.move"], ["--set time.move", "KEY=VALUE"]),
    "an unknown setting": (nothing, ["run", "--set", "time.mvoe=1"], ["time.mvoe", "'move'"]),
    "no workers": (nothing, ["run", "--workers", "0"], ["--workers 0"]),
    "an unsafe name": (nothing, ["run", "--name", "../up"], ["name"]),
    "a newer store": (a_newer_store, ["run"], ["results/cup/event.sqlite", "upgrade arena"]),
    "a newer store to read": (
        a_newer_store,
        ["leaderboard"],
        ["results/cup/event.sqlite", "upgrade arena"],
    ),
    "a broken store": (a_broken_store, ["run"], ["results/cup/event.sqlite"]),
    "a broken store to read": (a_broken_store, ["leaderboard"], ["results/cup/event.sqlite"]),
    "results that are no folder": (results_as_a_file, ["run"], ["results/cup"]),
    "nothing played": (nothing, ["leaderboard"], ["results", "arena run"]),
    "no workspace to read": (gone, ["leaderboard"], ["no workspace", "arena init DIR"]),
    "no workspace to look at": (gone, ["status"], ["no workspace", "arena init DIR"]),
    "an event outside a workspace": (gone, ["verify", "nosuch"], ["nosuch", "arena init DIR"]),
    "nothing played to draw": (nothing, ["charts"], ["results", "arena run"]),
    "an unknown event": (nothing, ["leaderboard", "nosuch"], ["nosuch"]),
    "an unknown event to replay": (nothing, ["replay", "nosuch/abc"], ["nosuch"]),
    "an unknown game": (nothing, ["games", "huntt"], ["huntt", "hunt"]),
    "an unknown bot in a match": (
        nothing,
        ["match", "first", "lsat", "--board", "duel"],
        ["lsat", "'last'"],
    ),
    "an unknown board of a match": (nothing, ["match", "first", "last", "--board", "x"], ["'x'"]),
    "too few bots for a match": (
        nothing,
        ["match", "first", "--board", "duel"],
        ["explorer mummy"],
    ),
    "a game for a board": (
        nothing,
        ["match", "first", "last", "--board", "mummy_maze"],
        ["mummy_maze/duel"],
    ),
    "a role of times": (
        nothing,
        ["leaderboard", "--timing", "--role", "mummy"],
        ["leave out --timing"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(mistake, tmp_path):
    spoil, words, named = MISTAKES[mistake]
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    spoil(folder)
    done = arena(folder, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for word in named:
        assert word in done.stderr


@pytest.mark.parametrize(
    "words", [["nosuch"], ["run", "--nosuch"], ["match"], ["run", "--seed", "x"]]
)
def test_a_wrong_command_line_is_exit_code_2(words, fresh):
    done = arena(fresh, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_file_name_that_is_hostile_does_nothing_to_the_terminal(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    (folder / "bots/\x1b[2Jx.py").write_text("")
    done = arena(folder, "run")
    assert done.returncode == 2
    assert "\\x1b[2Jx" in done.stderr
    assert "\x1b" not in done.stderr


def test_every_mistake_in_a_file_is_told_at_once(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    in_toml("seed = 5", "repeats = 0\nseeed = 3")(folder)
    done = arena(folder, "run")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2


def test_a_reader_that_has_enough_is_no_error_message(tmp_path):
    command = [sys.executable, "-m", "arena", "--help"]
    run = subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    run.stdout.close()
    _, said = run.communicate(timeout=60)
    assert (run.returncode, said) == (0, b"")


def test_a_bug_of_ours_keeps_its_plain_traceback(tmp_path):
    code = "import arena.cli; arena.cli.command = lambda name: 1 / 0; arena.cli.main()"
    words = [sys.executable, "-c", code, "games"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "ZeroDivisionError" in done.stderr
    assert "\u256d" not in done.stderr  # no box with locals
