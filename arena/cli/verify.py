"""`arena commit` and `arena verify`: what is published before an event, and how its results are checked afterwards."""

import contextlib
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from arena import shared_folders, whole_files, workspace
from arena.author.submissions.copy_untrusted import Allowance, copy_entry
from arena.cli import options, output, paths, results, stored_match
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError, writing
from arena.event import result_files
from arena.games import rulebook

if TYPE_CHECKING:
    from arena.results.archive import Archive

    Problem = tuple[str, str]
    """The id of a match, empty for the event, and a statement that does not hold."""

LEVEL = 0.95
"""The certainty of the bound on matches that were forged together with their bots' dice."""


def commit(file: options.TournamentFile = None, json: options.Json = False) -> None:
    """Write the commitment of an event, before its first match: digests of its seed, bots, boards and settings."""
    from arena.event import commitment, config
    from arena.results.archive import Archive, NoResultsError

    path = paths.tournament_file(file)
    tournament = config.load(path)
    event, _ = workspace.event_of(tournament, path)
    handed_in = {bot.name: bot.display for bot in tournament.entrants(path.parent)}
    # A name in people.csv may change before the event is played, and would contradict the commitment.
    event = replace(event, bots=tuple(replace(bot, display=handed_in[bot.name]) for bot in event.bots))
    folder = paths.results_folder(path.parent, event.name)
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        if archive.of_all_versions().count():
            raise ArenaError(f"{folder}: matches of {event.name} were played already; a commitment comes before them")
    made = commitment.commitment(event, {bot.name: Path(bot.files) for bot in event.bots if bot.files is not None})
    with writing(folder):
        whole_files.make_folder(folder)
        written = whole_files.write(folder / commitment.FILE, made.model_dump_json(indent=1).encode())
    if json:
        output.print_json([{"digest": made.digest, "file": paths.displayed(written)}])
        return
    print(made.digest)
    output.notice(
        f"publish this digest, or {paths.displayed(written)}, before the event; after it, publish the workspace: "
        "`arena verify --public` checks it (`arena docs notary`)"
    )


def verify(
    event: options.EventName = None,
    public: Annotated[
        bool, typer.Option("--public", help="Compare with what `arena commit` wrote; check draws and CSV files too.")
    ] = False,
    digest: Annotated[
        str | None, typer.Option(metavar="HEX", help="With --public: the digest that was published before the event.")
    ] = None,
    reruns: Annotated[
        int,
        typer.Option(
            metavar="K", min=0, help="With --public, where all else holds: play K matches again, drawn by lot."
        ),
    ] = 0,
    lot: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --reruns: a public text that decides the lot.")
    ] = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Records of earlier plans too.")] = False,
    json: options.Json = False,
) -> None:
    """Check every record against the rules: states, legality, scores, tables; exit code 1 when something is wrong."""
    from arena.event import commitment
    from arena.replay import verify
    from arena.results.archive import Archive

    if not public and (digest or reruns):
        raise ArenaError("--digest and --reruns are for --public")
    folder, notes = paths.event_folder(event), list[str]()
    with Archive.open(folder, writing=False) as archive:
        played = verify.event_in(archive)
        edited = []
        for board in played.boards if played else ():
            with contextlib.suppress(ArenaError):
                if rulebook.of_record(board).digest != board.digest:
                    edited.append(board.label)
        with ProgressLine("verify: records") as progress:
            count, problems = verify.checked(archive, stored_match.game_of, progress, all_versions=all_versions)
        if public and played:
            with TemporaryDirectory() as made:
                bots = stored_match.copy_bots(folder, [bot.digest for bot in played.bots], Path(made))
                problems += (("", words) for words in commitment.problems(played, folder, digest, *bots))
            if not any(match for match, _ in problems):  # of forged records no tables can be made
                problems += (("", words) for words in _table_problems(folder))
            if reruns and not problems:
                found, notes = _rerun_problems(archive, str(folder), reruns, lot)
                problems += found
        if public and digest is None:
            notes.append(f"{commitment.FILE} is believed as it is here: --digest compares it with what was published")
    if json:
        output.print_json({"match": match or None, "words": words} for match, words in problems)
    else:
        for match, words in problems:
            print(f"{f'match {match}: ' if match else ''}{output.safe_line(words, 1000)}")
        bad = len({match for match, _ in problems if match})
        print(f"{count} records: {count - bad} hold" + (f", {bad} do not" if bad else ""))
    for label in edited if problems else ():
        output.notice(
            f"{label}: its rules or its board were edited since it was played; verify it in the workspace where it was "
            "played, if its rules are still there"
        )
    for note in notes:
        output.notice(note)
    if problems:
        raise typer.Exit(1)


def _table_problems(folder: Path) -> Iterator[str]:
    """Yield each CSV file of the results that is not made of these matches."""
    from arena.results import tables

    with TemporaryDirectory() as copy:
        # A cache that stands beside the event may be part of the forgery, so the tables are made beside a copy.
        with shared_folders.opened(folder) as files:
            allowance = Allowance(size=10**12, entries=2, left_out=())
            for name in {paths.EVENT_FILE, f"{paths.EVENT_FILE}-wal"}.intersection(os.listdir(files)):  # noqa: PTH208
                copy_entry(files, name, Path(copy) / name, allowance)
        result_files.write_tables(results.read(Path(copy)))
        for file in sorted(folder.glob("*.csv")):
            expected = Path(copy) / file.name
            if not expected.exists():
                yield f"{file.name}: is no table of this event"
                continue
            made = expected.read_bytes()
            try:
                found = shared_folders.read(file, len(made) + 1)  # it may have any size
            except OSError as error:
                yield f"{file.name}: cannot be read: {error.strerror or error}"
                continue
            lines = [content.splitlines() for content in (found, tables.narrowed(made, found))]
            if (line := next((n for n, (a, b) in enumerate(zip_longest(*lines), 1) if a != b), None)) is not None:
                yield f"{file.name}: line {line} is not what the matches say"


def _rerun_problems(archive: "Archive", event: str, count: int, lot: str | None) -> "tuple[list[Problem], list[str]]":
    """Play matches again that are drawn by lot; return those that did not go as recorded, and what the rest proves."""
    from arena.cli import rerun
    from arena.replay.rerun import differences

    ids = sorted(played.id for played in archive.played())
    drawn = (random.Random(lot) if lot is not None else random.SystemRandom()).sample(ids, min(count, len(ids)))
    problems, same = [], 0
    tournament = workspace.tournament()
    with ProgressLine("verify: matches again") as progress:
        for number, match in enumerate(drawn, 1):
            record = rerun.as_here(archive.record(match), tournament)
            if number == 1:
                workspace.warn_about_confinement(record.match.conditions)
            again = rerun.played_again(record, event, tournament)
            if not (found := list(differences(record, again))):
                same += 1
            elif not list(differences(again, rerun.played_again(record, event, tournament))):
                problems.append((match, f"played again, twice alike, it goes otherwise: {found[0]}"))
            progress(number, len(drawn))
    notes = [f"{len(drawn)} of {len(ids)} matches were played again, drawn by lot: {same} went as recorded"]
    if others := len(drawn) - same - len(problems):
        notes.append(
            f"{others} go otherwise each time, so they prove nothing: their bots use dice of their own, or clocks"
        )
    if same and not problems:
        share = 100 * (1 - (1 - LEVEL) ** (1 / same))
        notes.append(
            f"if more than {share:.1f} % of the matches whose bots repeat themselves were forged, one of these would "
            f"have shown it, at {LEVEL:.0%}"
        )
    return problems, notes
