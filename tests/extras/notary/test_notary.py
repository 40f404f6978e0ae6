"""The notary: whatever is forged, left out, added or reordered after a commitment is named, from
public files alone.
"""

import contextlib
import json
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest

from arena import extensions
from arena.event.plan import Plan
from arena.extras.notary import commitment, public
from arena.games import rulebook
from arena.results.archive import Archive
from arena.results.folders import COMMITMENT_FILE
from arena.values import Event
from tests.replay.test_reconstruct import TAMPERED
from tests.support import cup, extras, stored, workspaces
from tests.support.sprint import DICE, FIRST, LAST

SECRET = "00112233445566778899aabbccddeeff"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A workspace as its organiser publishes it after the event."""
    bots = {"first": FIRST, "last": LAST, "dice": DICE}
    folder = workspaces.make(tmp_path_factory.mktemp("notary") / "ws", bots, "duel", seed=SECRET)
    assert cup.arena(folder, "commit").returncode == 0
    assert cup.run_event(folder).returncode == 0
    return folder


def copied(published: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the workspace, and the folder of the event in it."""
    folder = shutil.copytree(published, tmp_path / "ws")
    return folder, folder / "results" / "cup"


def files_of(folder: Path, event: Event) -> dict[str, Path]:
    """The copy of each bot in the results."""
    return {bot.name: next((folder / "bots" / bot.digest).iterdir()) for bot in event.bots}


def content(folder: Path) -> tuple[Event, list]:
    with Archive.open(folder) as archive:
        return archive.event(), list(archive.records())


def put(folder: Path, event: Event, records: list) -> None:
    """Write the archive anew: a forger writes columns, sums and plan as arena does."""
    (folder / "event.sqlite").unlink()
    stored.store(folder, event, records, planned=(record.match for record in records))


def statements(folder: Path, *words: str) -> list[tuple[str | None, str]]:
    """What does not hold, by match, as the check says it."""
    done = cup.arena(folder, "verify", "--public", "--json", *words)
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    assert done.returncode == bool(said), done.stderr
    return [(each["match"], each["words"]) for each in said]


def test_an_honest_event_holds_and_its_reruns_bound_what_may_be_forged(published):
    file = published / "results" / "cup" / COMMITMENT_FILE
    digest = commitment.Commitment.model_validate_json(file.read_bytes()).digest
    lot = ("--reruns", "3", "--lot", "the numbers of Saturday")
    done = cup.arena(published, "verify", "--public", "--digest", digest, *lot)
    assert (done.returncode, done.stdout) == (0, "6 records: 6 confirmed\n")
    assert "commitment.json is believed" not in done.stderr
    assert "3 of 6 matches were played again, drawn by lot: 3 went as recorded" in done.stderr
    assert "if more than 63.2 % of the matches" in done.stderr  # 1 - 0.05 ** (1 / 3)


def test_the_commands_of_the_page_are_those_that_are_tested_here():
    page = (Path(__file__).parents[3] / "docs" / "extras" / "notary.md").read_text()
    assert {line[2:] for line in page.splitlines() if line.startswith("$ ")} == {
        "arena commit",
        "arena verify --public --digest DIGEST --reruns 50",
    }


def test_every_forged_record_is_named_by_its_match(published, tmp_path):
    folder, results = copied(published, tmp_path)
    event, records = content(results)
    long = [record for record in records if len(record.turns) > 3]
    forgeries = TAMPERED | {
        "another key": lambda record: replace(record, match=replace(record.match, key="0" * 32)),
        "another repeat": lambda record: replace(record, match=replace(record.match, repeat=77)),
        "another bot": lambda record: replace(
            record,
            match=replace(
                record.match,
                seats=tuple(
                    replace(seat, bot=next(bot for bot in event.bots if bot.name != seat.bot.name))
                    for seat in record.match.seats
                ),
            ),
        ),
    }
    del forgeries["a strike called garbled"]  # nobody had a strike in these matches
    while forgeries:
        forged = {}
        for record in long:
            for how in sorted(forgeries.keys() - {how for how, _ in forged.values()}):
                with contextlib.suppress(StopIteration):  # no other move leads elsewhere
                    if (changed := forgeries[how](record)) != record:
                        forged[record.match.id] = (how, changed)
                        break
        put(results, event, [forged.get(record.match.id, ("", record))[1] for record in records])
        found = dict(statements(folder))
        assert {forged[match][0] for match in forged.keys() - found.keys()} == set()
        assert {*found} - {None, *forged} == set()
        assert forged, forgeries
        for how, _ in forged.values():
            del forgeries[how]


def test_matches_left_out_and_added_are_counted(published, tmp_path):
    folder, results = copied(published, tmp_path)
    event, records = content(results)
    added = replace(records[0], match=event.match(event.boards[0], event.bots[:2], 50))
    put(results, event, [*records[1:], added])
    words = " ".join(words for _, words in statements(folder))
    assert "1 of 6 planned matches have no record" in words
    assert f"1 matches count that were never planned: {added.match.id}" in words


EDITS = {
    "a figure": lambda lines: [
        *lines[:-1],
        lines[-1].replace(b",1", b",2", 1).replace(b"0.", b"1.", 1),
    ],
    "a row less": lambda lines: lines[:-1],
    "a row twice": lambda lines: [*lines, lines[-1]],
    "two rows swapped": lambda lines: [*lines[:-2], lines[-1], lines[-2]],
    "another head": lambda lines: [lines[0].upper(), *lines[1:]],
}


def test_a_table_that_the_matches_do_not_say_is_named_with_its_line(published, tmp_path):
    folder, results = copied(published, tmp_path)
    tables = sorted(results.glob("*.csv"))
    assert len(tables) >= 8
    edited = {}
    for table in tables:
        lines = table.read_bytes().splitlines(keepends=True)
        for how in sorted(EDITS, key=[*edited.values()].count):  # each edit of some table
            if (changed := EDITS[how](lines)) != lines:
                table.write_bytes(b"".join(changed))
                edited[table.name] = how
                break
    (results / "winners.csv").write_text("first\n")
    found = [words for _, words in statements(folder)]
    assert {*edited.values()} == EDITS.keys()
    assert (
        {words.partition(": line")[0] for words in found}
        >= edited.keys()
        == {table.name for table in tables}
    )
    assert "winners.csv: is no table of this event" in found


def test_a_table_of_an_extra_that_is_missing_here_is_named_with_the_extra(
    published, tmp_path, monkeypatch
):
    folder, results = copied(published, tmp_path)
    for name in public.OF_EXTRAS:
        (results / name).write_text("bot\n")
    found = {words for _, words in statements(folder)}
    assert found == {f"{name}: is no table of this event" for name in public.OF_EXTRAS}
    left = {name: extra for name, extra in extensions.extras().items() if name != "models"}
    monkeypatch.setattr(extensions, "extras", lambda: left)
    found = {words for _, words in statements(folder)}
    assert found == {
        (
            f"{name}: is a table of the extra models, which is missing here; check it with an "
            "arena "
            "that has this extra"
        )
        for name in public.OF_EXTRAS
    }


@extras.needs()
def test_each_csv_file_of_an_extra_is_known_with_its_extra():
    made = {}
    for name, extension in extensions.extras().items():
        made |= {f"{frame}.csv": name for frame, added in extension.frames.items() if added.file_if}
    assert made == public.OF_EXTRAS


def test_another_event_that_agrees_with_itself_is_not_the_one_committed(published, tmp_path):
    """Seed, a bot and a name were changed, and the event played anew."""
    folder, results = copied(published, tmp_path)
    sealed = (results / COMMITMENT_FILE).read_bytes()
    shutil.rmtree(results)
    toml = folder / "tournament.toml"
    toml.write_text(toml.read_text().replace(SECRET, SECRET[::-1]))
    (folder / "bots" / "last").write_text(f"{LAST}#")
    (folder / "bots" / "first").rename(folder / "bots" / "once")
    assert cup.run_event(folder).returncode == 0
    (results / COMMITMENT_FILE).write_bytes(sealed)
    assert [words for _, words in statements(folder)] == [
        "the seed is not the one that was committed",
        "bot first was committed, and is not in the event",
        "bot last is not as it was committed",
        "bot once is in the event, and was not committed",
    ]


SETTINGS = {
    "name": "final",
    "schedule": "gauntlet",
    "repeats": 5,
    "seating": "distinct",
    "rounds": 2,
    "references": ("first",),
    "seed_order": ("last",),
    "max_matches": 7,
    "stop_after": 9.5,
    "stop_when": "best is certain",
    "confidence": 0.9,
    "rating": "points",
    "prior": "none",
    "tie_breaks": ("buchholz",),
}


def test_every_setting_that_was_changed_is_named(published):
    results = published / "results" / "cup"
    event, _ = content(results)
    files = files_of(results, event)
    honest = commitment.commitment(event, files)
    assert [*commitment.differences(honest, commitment.commitment(event, files))] == []
    assert SETTINGS.keys() == {each.name for each in fields(Event)} - {*commitment.NOT_SETTINGS}
    for name, value in SETTINGS.items():
        (words,) = commitment.differences(
            honest, commitment.commitment(replace(event, **{name: value}), files)
        )
        assert words.startswith(f"{name}: ")
    conditions = event.conditions
    for changed in (
        replace(conditions, time=replace(conditions.time, move=9.0)),
        replace(conditions, limits=replace(conditions.limits, processes=4)),
        replace(conditions, strikes=3),
        replace(conditions, sandbox="none"),
        replace(conditions, freeze=not conditions.freeze),
    ):
        (words,) = commitment.differences(
            honest, commitment.commitment(replace(event, conditions=changed), files)
        )
        assert "was committed, and the event has" in words
    (board,) = event.boards
    other = commitment.commitment(replace(event, boards=(replace(board, name="hunt"),)), files)
    assert (
        len([*commitment.differences(honest, other)]) == 3
    )  # the list of boards, one that is gone, one that is new
    twice = commitment.commitment(replace(event, boards=(board, board)), files)
    assert [words.partition(":")[0] for words in commitment.differences(honest, twice)] == [
        "boards"
    ]
    *others, last = event.bots
    for changed in (
        {"display": "first"},
        {"games": ("pacman",)},
        {"roles": ("mummy",)},
        {"limits": conditions.limits},
        {"threads": 9},
        {"model": True},
        {"remote": "socket"},
    ):
        other = commitment.commitment(
            replace(event, bots=(*others, replace(last, **changed))), files
        )
        assert [*commitment.differences(honest, other)] == ["bot last is not as it was committed"]


def test_two_bots_of_one_name_are_named(published, tmp_path):
    """The commitment has one digest for each name, so the other bot would pass as it."""
    folder, results = copied(published, tmp_path)
    event, records = content(results)
    first, last, *others = event.bots
    put(
        results,
        replace(event, bots=(replace(first, digest=last.digest), first, last, *others)),
        records,
    )
    assert "its bots are not each there once, in order of name" in [
        words for _, words in statements(folder)
    ]


def test_a_table_is_read_no_further_than_it_can_be_true(published, tmp_path):
    folder, results = copied(published, tmp_path)
    with (results / "matches.csv").open("r+b") as file:
        file.truncate(2**36)
    (results / "leaderboard.csv").unlink()
    (results / "leaderboard.csv").symlink_to("/dev/zero")
    found = [words for _, words in statements(folder)]
    assert any(words.startswith("matches.csv: line ") for words in found)
    assert any(words.startswith("leaderboard.csv: cannot be read: ") for words in found)


@pytest.mark.soak
def test_boards_that_the_seed_did_not_draw_are_named(published, tmp_path):
    folder, results = copied(published, tmp_path)
    event, _ = content(results)
    (board,) = rulebook.find("mummy_maze/random:2", seed=event.seed)
    files = files_of(results, event)
    event = replace(event, boards=(replace(board, sampled=board.sampled[::-1]),))
    (results / COMMITMENT_FILE).write_text(commitment.commitment(event, files).model_dump_json())
    put(results, event, [])
    assert "board mummy_maze/random: was not drawn by the seed" in [
        words for _, words in statements(folder)
    ]


def test_a_bot_is_proven_by_the_whole_digest_of_its_files(published, tmp_path):
    folder, results = copied(published, tmp_path)
    event, _ = content(results)
    (first, *_) = event.bots
    (copy,) = (results / "bots" / first.digest).iterdir()
    copy.write_text(copy.read_text() + "#")
    assert any(
        words.startswith(f"bot {first.name}: the results have no whole copy")
        for _, words in statements(folder)
    )


def test_a_match_that_goes_otherwise_when_it_is_played_again_is_named(published, tmp_path):
    """Moves, states and tables of this match are whole: only the bot itself would have moved
    otherwise.
    """
    folder, results = copied(published, tmp_path)
    event, records = content(results)
    others = {record.match.id: record for record in content(results)[1]}
    with Archive.open(results) as archive:
        planned = [each.match for each in Plan(event, archive).known()]
    assert {match.id for match in planned} == others.keys()
    swapped = []
    for record in records:
        bots = {seat.bot.name for seat in record.match.seats}
        twin = next(
            other
            for other in records
            if {seat.bot.name for seat in other.match.seats} != bots and other.turns != record.turns
        )
        reports = tuple(
            replace(report, bot=seat.bot.name, digest=seat.bot.digest)
            for report, seat in zip(twin.seats, record.match.seats, strict=True)
        )
        swapped.append(replace(twin, match=record.match, seats=reports))
    put(results, event, swapped)
    for table in results.glob("*.csv"):
        table.unlink()
    assert statements(folder) == []
    ((_, words),) = statements(folder, "--reruns", "1", "--lot", "7")
    assert "played again, twice alike, it goes otherwise" in words


@pytest.mark.parametrize(
    "text", ["", '{"digest": 5}', "[" * 100_000], ids=["empty", "another", "nested"]
)
def test_a_commitment_that_is_none_is_named_in_a_sentence(published, tmp_path, text):
    folder, results = copied(published, tmp_path)
    (results / COMMITMENT_FILE).write_text(text)
    assert "commitment.json: is not as `arena commit` writes it" in [
        words for _, words in statements(folder)
    ]


def test_a_commitment_from_before_there_were_formats_is_no_forgery(published, tmp_path):
    folder, results = copied(published, tmp_path)
    table = json.loads((results / COMMITMENT_FILE).read_text())
    del table["format"]
    (results / COMMITMENT_FILE).write_text(json.dumps(table))
    reason = "its format is 0, from before arena 0.2.0: only the arena that wrote it reads it"
    done = cup.arena(folder, "verify", "--public")
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, f"commitment.json: {reason}")
    assert "commitment.json is believed" not in done.stderr


def test_an_edited_commitment_has_another_digest_than_was_published(published, tmp_path):
    folder, results = copied(published, tmp_path)
    assert (
        "commitment.json is believed as it is here"
        in cup.arena(folder, "verify", "--public").stderr
    )
    digest = cup.arena(folder, "verify", "--public", "--digest", "0" * 64, "--json").stdout
    assert "another one was published" in digest
    (results / COMMITMENT_FILE).unlink()
    assert cup.refused(cup.arena(folder, "verify", "--public"), "has no commitment.json")


def test_a_commitment_comes_before_the_first_match_and_holds_no_secret(published, tmp_path):
    folder, results = copied(published, tmp_path)
    assert SECRET not in (results / COMMITMENT_FILE).read_text()
    assert cup.refused(cup.arena(folder, "commit"), "matches of cup were played already")
    assert cup.refused(
        cup.arena(folder, "verify", "--reruns", "2"), "--digest and --reruns are for --public"
    )
