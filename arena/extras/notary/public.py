"""`arena verify --public`: compare an event with its commitment, and tables with matches."""

import os
import random
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import extensions, shared_folders, workspace
from arena.author.submissions.copy_untrusted import Allowance, copy_entry
from arena.cli import paths, results, stored_match
from arena.cli import verify as records
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.event import result_files
from arena.results.folders import COMMITMENT_FILE
from arena.sandbox import folder as scratch

if TYPE_CHECKING:
    from arena.cli.verify import Problem
    from arena.results.archive import Archive

OF_EXTRAS = {"disguise.csv": "models", "models.csv": "models"}
"""The CSV files that an extra alone makes, with its name: its folder may be missing here."""

LEVEL = 0.95
"""The certainty of the bound on matches that were forged together with their bots' dice."""


def verify(
    event: str | None,
    all_versions: bool,
    again: bool,
    json: bool,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Compare with what `arena commit` wrote; check draws and CSV files too.",
        ),
    ] = False,
    digest: Annotated[
        str | None,
        typer.Option(
            metavar="HEX", help="With --public: the digest that was published before the event."
        ),
    ] = None,
    reruns: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            help="With --public, where all else holds: play K matches again, drawn by lot.",
        ),
    ] = 0,
    lot: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="With --reruns: a public text that decides the lot."),
    ] = None,
) -> None:
    """Check the records as without the options; then compare the event with its commitment."""
    from arena.extras.notary import commitment
    from arena.results.archive import Archive

    if not public:
        if digest or reruns:
            raise ArenaError("--digest and --reruns are for --public")
        records.verify(
            event,
            all_versions=all_versions,
            again=again,
            json=json,
        )
        return
    folder = paths.event_folder(event)
    notes: list[str] = []
    published = None
    with Archive.open(folder, writing=False) as archive:
        checked = records.checked(archive, all_versions=all_versions, again=again)
        problems = checked.problems
        if checked.event:
            try:
                published = commitment.read(folder)
            except commitment.UnreadableError as error:
                problems.append(("", str(error)))
            else:
                digests = [bot.digest for bot in checked.event.bots]
                with scratch.temporary() as bots_folder:
                    bots = stored_match.copy_bots(folder, digests, bots_folder)
                    unlike = commitment.problems(published, checked.event, digest, *bots)
                    problems += (("", problem) for problem in unlike)
            if not any(match for match, _ in problems):  # of forged records no tables can be made
                problems += (("", problem) for problem in _table_problems(folder))
            if reruns and not problems:
                differing, notes = _rerun_problems(archive, str(folder), reruns, lot)
                problems += differing
        if digest is None and published is not None:
            notes.append(
                f"{COMMITMENT_FILE} is believed as it is here: "
                "--digest compares it with what was published"
            )
    records.print_checked(checked, notes, json=json)


def _table_problems(folder: Path) -> Iterator[str]:
    """Yield a problem for each CSV file of the results that is not made of these matches."""
    from arena.results import tables

    with scratch.temporary() as copy:
        # A cache that stands beside the event may be part of the forgery, so the tables are made
        # beside a copy.
        with shared_folders.opened(folder) as files:
            allowance = Allowance(size=10**12, entries=2, left_out=())
            stored = os.listdir(files)  # noqa: PTH208
            for name in {paths.EVENT_FILE, f"{paths.EVENT_FILE}-wal"}.intersection(stored):
                copy_entry(files, name, copy / name, allowance)
        result_files.write_tables(results.read(copy))
        for file in sorted(folder.glob("*.csv")):
            expected = copy / file.name
            if not expected.exists():
                yield f"{file.name}: {_why_not_made(file.name)}"
                continue
            expected_text = expected.read_bytes()
            most_bytes = len(expected_text) + 1  # the stored file may have any size
            try:
                stored_text = shared_folders.read(file, most_bytes)
            except OSError as error:
                yield f"{file.name}: cannot be read: {error.strerror or error}"
                continue
            lines = stored_text.splitlines()
            expected_lines = tables.narrowed(expected_text, stored_text).splitlines()
            pairs = zip_longest(lines, expected_lines)
            for number, (line, expected_line) in enumerate(pairs, 1):
                if line != expected_line:
                    yield f"{file.name}: line {number} is not what the matches say"
                    break


def _why_not_made(name: str) -> str:
    """Say why no CSV file of this name is made of the matches."""
    extra = OF_EXTRAS.get(name)
    if extra is None or extra in extensions.extras():
        return "is no table of this event"
    return (
        f"is a table of the extra {extra}, which is missing here; "
        "check it with an arena that has this extra"
    )


def _rerun_problems(
    archive: "Archive",
    event: str,
    count: int,
    lot: str | None,
) -> "tuple[list[Problem], list[str]]":
    """Play matches again that are drawn by lot.

    Return the problems, of matches that did not go as recorded, and notes on what the others prove.
    """
    from arena.cli import rerun
    from arena.replay.rerun import differences

    ids = sorted(played.id for played in archive.played())
    dice: random.Random
    if lot is None:
        dice = random.SystemRandom()
    else:
        dice = random.Random(lot)
    count = min(count, len(ids))
    sample = dice.sample(ids, count)

    problems: list[Problem] = []
    same = 0
    tournament = workspace.tournament()
    with ProgressLine("verify: matches again") as progress:
        for number, match in enumerate(sample, 1):
            record = rerun.as_here(archive.record(match), tournament)
            if number == 1:
                workspace.warn_about_confinement(record.match.conditions)
            again = rerun.played_again(record, event, tournament)
            differing = list(differences(record, again))
            if not differing:
                same += 1
            else:
                twice = rerun.played_again(record, event, tournament)
                if not list(differences(again, twice)):
                    problem = f"played again, twice alike, it goes otherwise: {differing[0]}"
                    problems.append((match, problem))
            progress(number, len(sample))

    played_again = f"{len(sample)} of {len(ids)} matches were played again, drawn by lot"
    notes = [f"{played_again}: {same} went as recorded"]
    unlike = len(sample) - same - len(problems)
    if unlike:
        notes.append(
            f"{unlike} go otherwise each time, so they prove nothing: "
            "their bots use dice of their own, or clocks"
        )
    if same and not problems:
        share = 100 * (1 - (1 - LEVEL) ** (1 / same))
        notes.append(
            f"if more than {share:.1f} % of the matches whose bots repeat themselves were forged, "
            f"one of these would have shown it, at {LEVEL:.0%}"
        )
    return problems, notes
