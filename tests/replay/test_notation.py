"""One match as a text: it comes back equal for every game, a replay and an event read it, hostile
text is refused.
"""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import load_game, rulefile
from arena.cli import stored_match
from arena.cli.verify import verify
from arena.errors import ArenaError
from arena.event import merging
from arena.games import rulebook
from arena.match.referee import Referee
from arena.replay import notation
from arena.replay.reconstruct import disagreements
from arena.results.archive import Archive
from arena.values import Event, Limits, Opening
from tests.replay.test_reconstruct import ILLEGAL, SCRIPTS, Quoted, dice, recorded, scripted
from tests.support import cup, letters, reported, toy, workspaces
from tests.support.events import run
from tests.support.sprint import FIRST, LAST

HOSTILE = "\x1b[31m{[\"'\\ \u202e\ud800 é\n"


def at_toy(game, say, seed=1, **conditions):
    """A record of a toy game by the referee itself."""
    match = toy.match_of(game, seed, **conditions)
    seats = tuple(
        replace(seat, bot=replace(seat.bot, digest=seat.bot.name.encode().hex()))
        for seat in match.seats
    )
    referee = Referee(game, replace(match, seats=seats))
    while asks := referee.asks():
        referee.hear(
            {
                role: say(role, ask.turn, [move.encode() for move in ask.legal])
                for role, ask in asks.items()
            }
        )
    return recorded(referee)


def refused(role, turn, legal):
    if turn and role == "fox":
        return (
            ILLEGAL
            if turn == 1
            else dice()(role, turn, legal)._replace(remarks=(HOSTILE, "depth=3"))
        )
    return dice()(role, turn, legal)


TOYS = {
    "two roles at once, with secrets and chance": (
        toy.Duet(hidden=True, dice=True),
        {"strikes": 2},
    ),
    "a secret seed": (toy.Duet(hidden=True, dice=True), {"strikes": 2, "seed": "3f" * 16}),
    "quotes in moves": (Quoted(), {"strikes": 2}),
    "a fault": (toy.Duet(), {}),
}


def same_again(record):
    text = notation.text_of(record, HOSTILE)
    assert text.isascii()
    assert all(line.isprintable() for line in text.split("\n"))
    again = notation.record_of(text)
    assert again == notation.portable(record)
    assert notation.text_of(again, HOSTILE) == text
    assert notation.record_of("; a note\r\n" + text.replace("\n", "\r\n")) == again
    return again


@pytest.mark.parametrize(
    "label", [board.label for board in rulebook.all_boards(Path(rulefile.shipped()).parent)]
)
def test_a_match_at_every_board_comes_back_equal_and_holds(label):
    record, _ = scripted(label, dice(4))
    assert list(disagreements(rulebook.game_of(record.match), same_again(record))) == []


@pytest.mark.parametrize(
    "label",
    [
        "mummy_maze/random:2",
        "pacman/random",
        "openspiel/goofspiel(num_cards=5)",
        "openspiel/connect_four",
    ],
)
def test_a_match_at_a_sampled_board_or_one_of_openspiel_comes_back_equal(label):
    if label.startswith("openspiel"):
        pytest.importorskip("pyspiel", reason="pip install 'botarena[openspiel]'")
    record, _ = scripted(label, dice(4))
    again = same_again(record)
    assert bool(again.match.sampled) == ("random" in label)
    rules = stored_match.board_of(again.match).rules
    known = replace(again, match=replace(again.match, rules=rules))
    assert list(disagreements(stored_match.game_of(known.match), known)) == []


def test_the_machine_of_a_cluster_and_its_scale_come_back_equal():
    record, _ = scripted("mummy_maze/duel", dice())
    again = same_again(replace(record, machine="lab 3 é", scale=1.25))
    assert (again.machine, again.scale) == ("lab 3 é", 1.25)


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_strikes_faults_and_absent_bots_come_back_equal(script):
    label, say, how = SCRIPTS[script]
    record, _ = scripted(label, say, **how)
    same_again(record)


@pytest.mark.parametrize("name", TOYS)
def test_secrets_chance_simultaneous_moves_and_hostile_remarks_come_back_equal(name):
    game, conditions = TOYS[name]
    record = at_toy(game, refused, **conditions)
    assert list(disagreements(game, same_again(record))) == []


def test_an_opening_and_what_a_bot_is_but_for_its_paths_come_back_equal():
    record, _ = scripted("mummy_maze/duel", dice())
    seats = tuple(
        replace(
            seat,
            bot=replace(
                seat.bot,
                limits=Limits(memory=None),
                threads=2,
                display="Ünal",
                files="/secret/path",
            ),
        )
        for seat in record.match.seats
    )
    opening = Opening(plies=2, key="ab" * 16, number=3)
    record = replace(record, match=replace(record.match, seats=seats, opening=opening))
    again = same_again(record)
    assert (again.match.opening, again.match.seats[0].bot.display) == (opening, "Ünal")
    assert "/secret" not in notation.text_of(record)


def test_replay_and_trace_show_a_text_as_they_show_the_stored_match(tmp_path):
    cup_folder = workspaces.make(tmp_path / "ws", boards="duel")
    records = [
        scripted(*SCRIPTS[name][:2], **SCRIPTS[name][2])[0]
        for name in ("simultaneous, for three", "strikes")
    ]
    with Archive.open(cup_folder / "results/cup", writing=True) as archive:
        boards = tuple(board for record in records for board in rulebook.find(record.match.label))
        archive.begin(Event(name="cup", seed=1, boards=boards, bots=()), "key", tuple)
        archive.append(*records)
    for match in (record.match.id for record in records):
        done = cup.arena(cup_folder, "export", "--match", match[:8], "--to", "match.txt")
        assert (done.returncode, done.stdout) == (0, "match.txt\n")
        assert (
            cup.arena(cup_folder, "export", "--match", match).stdout
            == (cup_folder / "match.txt").read_text()
        )
        for command in (["replay", "--lines"], ["replay", "--json"]):
            stored = cup.arena(cup_folder, *command, match)
            shown = cup.arena(cup_folder, *command, "match.txt")
            assert (shown.returncode, shown.stdout, shown.stderr) == (
                0,
                stored.stdout,
                stored.stderr,
            )
    elsewhere = cup.arena(tmp_path, "replay", "ws/match.txt", "--no-draw")
    assert elsewhere.returncode == 0


def test_an_event_takes_its_own_matches_from_texts_and_no_others(tmp_path):
    whole, other = (
        workspaces.make(tmp_path / name, {"a": FIRST, "b": LAST}) for name in ("whole", "other")
    )
    (other / "tournament.toml").write_text(
        (other / "tournament.toml").read_text().replace("seed = 5", "seed = 6")
    )
    for folder in (whole, other):
        run(folder, "results/cup")
    with Archive.open(whole / "results/cup") as archive:
        records = list(archive.records())
        event, key = (
            archive.event(),
            next(archive._rows("select value from meta where key = 'plan'"))[0],
        )
    with Archive.open(whole / "results/half", writing=True) as archive:
        archive.begin(event, key, tuple)
        archive.append(records[0])
    for record in records:
        seats = tuple(
            replace(seat, bot=replace(seat.bot, threads=9, display="Z"))
            for seat in record.match.seats
        )
        boasting = replace(
            record, match=replace(record.match, seats=seats)
        )  # the event knows its bots better
        (whole / f"{record.match.id}.txt").write_text(notation.text_of(boasting))
    files = [f"{record.match.id}.txt" for record in records]
    done = cup.arena(whole, "merge", "half", *files, "--json")
    assert [(row["match"], row["new"]) for row in json.loads(done.stdout)] == [
        (records[0].match.id, False),
        (records[1].match.id, True),
    ]
    assert cup.arena(whole, "verify", "half").returncode == 0
    with Archive.open(whole / "results/half") as archive:
        taken = [notation.portable(record) for record in archive.records()]
        assert archive.count() == 2
    assert taken == [
        replace(each, match=replace(each.match, rules=""))
        for each in map(notation.portable, records)
    ]
    again = cup.arena(whole, "merge", "half", *files)
    assert again.stdout.count("was there already") == 2

    foreign = cup.arena(other, "merge", str(whole / files[0]))
    assert (foreign.returncode, foreign.stderr.count("\n")) == (2, 1)
    assert f"plans no match {records[0].match.id} of these bots" in foreign.stderr
    # These are other matches, with the id of a planned one.
    match = records[0].match
    (sampled,) = rulebook.find("mummy_maze/random:1")[0].sampled
    assert merging.essence(match) != merging.essence(replace(match, sampled=sampled))
    forged = replace(records[0], match=replace(match, seed=1))
    (whole / "forged.txt").write_text(notation.text_of(forged))
    done = cup.arena(whole, "merge", "forged.txt")
    assert done.returncode == 2
    assert f"plans no match {records[0].match.id} of these bots" in done.stderr


RECORD, _ = scripted("mummy_maze/duel", dice())
TEXT = notation.text_of(RECORD)
FIRST_MOVE = next(line for line in TEXT.split("\n") if line.startswith("1. "))
HOSTILE_TEXTS = {
    "nothing": ("", "it has no tag Format"),
    "other text": ("hello\n" * 3, "line 1: 'hello' is no move"),
    "a pgn of chess": (
        '[Event "x"]\n[White "y"]\n\n1. e4 e5 *\n',
        "line 2: '[White 'y']' is no tag of a match",
    ),
    "a newer version": ("[Format 3]\n", "its format is 3, and this arena reads 2: upgrade arena"),
    "a version whose digests mean another thing": (
        TEXT.replace("[Format 2]", "[Format 1]"),
        "its format is 1, from before arena 0.2.0: only the arena that wrote it reads it",
    ),
    "no seed": (TEXT.replace("[Seed", "[Event"), "it has no tag Seed"),
    "a tag twice": (f"[Seed 1]\n{TEXT}", "the tag Seed is there twice"),
    "a tag without an end": (TEXT.replace('"]\n[Board', '"\n[Board'), "is no tag of a match"),
    "no json": (TEXT.replace("[Seed ", "[Seed x"), "is no JSON"),
    "endless lists": (f"[Format 2]\n[Sides {'[' * 100_000}]", "lists in lists without end"),
    "infinity": (TEXT.replace("[Seconds 0.0]", "[Seconds Infinity]"), "is no number"),
    "a huge exponent": (TEXT.replace("[Seconds 0.0]", "[Seconds 1e999]"), "is no number"),
    "a huge number": (
        TEXT.replace("[Repeat 0]", f"[Repeat {'9' * 5000}]"),
        "is too large a number",
    ),
    "a number that is no seed": (
        TEXT.replace("[Repeat 0]", "[Repeat 9223372036854775808]"),
        "is too large a number",
    ),
    "a list for a number": (TEXT.replace("[Repeat 0]", "[Repeat []]"), "match.repeat"),
    "a board that is a path": (
        TEXT.replace("mummy_maze/duel", "/tmp/evil.py/duel"),
        "is no name of a game",
    ),
    "a board that is a file of rules": (
        TEXT.replace("mummy_maze/duel", "evil.py/duel"),
        "may name no file of rules",
    ),
    "a board that nobody knows": (
        TEXT.replace("mummy_maze/duel", "nowhere/duel"),
        "there is no game or board",
    ),
    "a bot that is a path": (
        TEXT.replace('"bot0"', '"../../bot0"'),
        "is no name of a game, a board or a bot",
    ),
    "an id that is a path": (TEXT.replace(RECORD.match.id, "../../../etc"), "is not 12 hex digits"),
    "the report of another bot": (
        TEXT.replace('"bot": "bot0"', '"bot": "bot1"'),
        "is that of another bot",
    ),
    "a time that is none": (TEXT.replace("2020-01-01T", "yesterday "), "is not as it must be"),
    "a time without a zone": (TEXT.replace("+00:00", ""), "is not as it must be"),
    "roles that are missing": (
        TEXT.replace('{"explorer": ', '{"thief": '),
        "do not have the same roles",
    ),
    "endless openings": (
        TEXT.replace(
            "[Conditions", '[Opening {"plies": 3, "key": "ab", "number": 1000000000}]\n[Conditions'
        ),
        "an opening has 0 to 200 plies",
    ),
    "an opening that takes hours to draw": (
        TEXT.replace(
            "[Conditions", '[Opening {"plies": 100, "key": "ab", "number": 90000}]\n[Conditions'
        ),
        "times its number they are no more than",
    ),
    "a digest that is a path": (
        TEXT.replace('"d0"', '"../../etc"'),
        "the digest '../../etc' is not hexadecimal",
    ),
    "a bot without threads": (
        TEXT.replace('"digest": "d0"', '"digest": "d0", "threads": 0', 1),
        "bot0 has 0 threads",
    ),
    "times whose sum is no number": (
        TEXT.replace('"move": 1.0, "bank": 0.0', '"move": 1e308, "bank": 1e308'),
        "is too large a number",
    ),
    "a sampled board of several lines": (
        TEXT.replace("[Conditions", '[Sampled "{\\n}"]\n[Conditions'),
        "are not one line",
    ),
    "a scale that gives no time": (
        TEXT.replace("[Conditions", "[Scale 0]\n[Conditions"),
        "its scale 0 is not above 0",
    ),
    "a sampled board that is none": (
        TEXT.replace("[Conditions", '[Sampled "[[[]"]\n[Conditions'),
        "a sampled board of mummy_maze",
    ),
    "a sampled board that is no text": (
        TEXT.replace("[Conditions", "[Sampled {}]\n[Conditions"),
        "match.sampled",
    ),
    "a move without details": (
        TEXT.replace(FIRST_MOVE, FIRST_MOVE.partition(" {")[0]),
        "is no JSON",
    ),
    "other details": (
        TEXT.replace(FIRST_MOVE, '1. explorer move1 west {"eval": 1}'),
        "have other keys",
    ),
    "details that are none": (
        TEXT.replace(FIRST_MOVE, '1. explorer "move1 west" 5'),
        "not in braces",
    ),
    "an open quote": (
        TEXT.replace(FIRST_MOVE, '1. explorer "move1 west'),
        "its move is no text in quotes",
    ),
    "an illegal move": (
        TEXT.replace(FIRST_MOVE, "1. explorer fly {}"),
        "does not agree with the rules known here",
    ),
    "another winner": (
        TEXT.replace('[Reason "', '[Reason "won '),
        "does not agree with the rules known here",
    ),
    "moves that are missing": (
        TEXT.replace(FIRST_MOVE, ""),
        "does not agree with the rules known here",
    ),
    "control characters": (TEXT.replace(FIRST_MOVE, "\x1b[2J1. x"), "is no move"),
}


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_a_hostile_text_is_refused_in_one_line(name, tmp_path):
    text, words = HOSTILE_TEXTS[name]
    assert text != TEXT, "this row changes nothing"
    (tmp_path / "match.txt").write_text(text)
    done = cup.arena(tmp_path, "replay", "match.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("match.txt: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.rstrip("\n").isprintable()


def test_data_that_is_no_text_and_files_without_end_are_refused_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "match.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ArenaError, match=r"is no text of a match, but other data$"):
        stored_match.read_record(tmp_path / "match.txt")
    monkeypatch.setattr(notation, "MOST_BYTES", 1000)
    with pytest.raises(
        ArenaError, match=r"zero: has more than 1,000 bytes, and no match is so long$"
    ):
        stored_match.read_record(Path("/dev/zero"))


@given(st.data())
@settings(max_examples=30)
def test_whatever_is_changed_in_a_text_it_is_read_or_refused_in_words(data):
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, min(len(TEXT), start + 30)))
    text = TEXT[:start] + data.draw(st.text(letters.ANY, max_size=20)) + TEXT[end:]
    with contextlib.suppress(ArenaError):
        record = notation.record_of(text)
        list(disagreements(load_game("mummy_maze/duel"), record))


def test_a_record_that_names_a_file_as_its_game_runs_no_code(tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')\n")
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "evil.py")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "evil.py").write_text("raise SystemExit('it ran')\n")
    names = (
        ("evil.py", "x"),
        (path, "x"),
        ("./evil.py", "x"),
        ("", path[1:]),
        ("x", "../evil.py"),
        ("x", "evil.py"),
    )
    for game, board in names:
        with pytest.raises(ArenaError, match="a record may name no file of rules"):
            stored_match.board_of(replace(RECORD.match, game=game, board=board, rules=path))


@pytest.mark.parametrize("name", ["evil.py", "random:1000"])
def test_verifying_a_strangers_event_runs_no_file_and_samples_no_board(tmp_path, name, monkeypatch):
    """`arena verify` looks up the boards of the event by their names."""
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')\n")
    (tmp_path / "evil.toml").write_text("[default]\n")
    game = str(tmp_path) if name == "evil.py" else "mummy_maze"
    board = replace(rulebook.find("duel")[0], game=game, name=name)
    folder = reported.store(tmp_path / "results", reported.event(("dice",), [board]), ())
    monkeypatch.setattr(rulefile, "sample", lambda *_: pytest.fail("a board was sampled"))
    monkeypatch.chdir(tmp_path)
    verify(str(folder))
