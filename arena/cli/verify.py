"""`arena verify`: whether the records of an event hold by the rules."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths, stored_match
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.games import rulebook
from arena.values import Board, Event

if TYPE_CHECKING:
    from arena.replay.verified import Verified
    from arena.results.archive import Archive

Again = Annotated[bool, typer.Option("--again", help="Check the records that held before, too.")]
Problem = tuple[str, str]
"""The id of a match, empty for the event, and a statement that does not hold."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check of all records has found."""

    event: Event | None
    """None if the archive has none that can be read."""
    records: int
    """The number of records that were checked."""
    problems: list[Problem]
    edited: tuple[str, ...]
    """The boards, as `game/board`, whose rules here are not those of the event."""


def verify(
    event: options.EventName = None,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Records of earlier plans too.")
    ] = False,
    again: Again = False,
    json: options.Json = False,
) -> None:
    """Check every record against the rules: states, legality, scores, tables.

    Records that held before, under the same rules, are not checked again. The exit code is 1 when
    something is wrong.
    """
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    with Archive.open(folder, writing=False) as archive:
        result = checked(archive, all_versions=all_versions, again=again)
    print_checked(result, (), json=json)


def checked(archive: "Archive", *, all_versions: bool, again: bool) -> Checked:
    """Check the records of an archive, and show how far that is.

    Those that held before are checked `again` only if that is true.
    """
    from arena.replay import verify

    played = verify.event_in(archive)
    boards: tuple[Board, ...] = ()
    if played is not None:
        boards = played.boards
    edited: list[str] = []
    for board in boards:
        with contextlib.suppress(ArenaError):
            board_here = rulebook.of_record(board)
            if board_here.digest != board.digest:
                edited.append(board.label)

    with ProgressLine("verify: records") as progress:
        count, problems = verify.checked(
            archive,
            stored_match.game_of,
            progress,
            all_versions=all_versions,
            verified=verified_in(archive, again=again),
        )
    return Checked(
        event=played,
        records=count,
        problems=problems,
        edited=tuple(edited),
    )


def verified_in(
    archive: "Archive",
    sources: Iterable[Path] = (),
    *,
    again: bool = False,
) -> "Verified":
    """Return the records of an archive that held before, there or in the folders `sources`.

    With `again` there are none; those that hold are stored all the same.
    """
    from arena.replay.verified import FILE, Verified, rules_of

    rules = rules_of(archive, stored_match.game_of, stored_match.rules_paths())
    path = archive.folder / FILE
    if again:
        return Verified(path, rules)
    files = [path]
    files += [folder / FILE for folder in sources]
    return Verified(path, rules, files)


def print_checked(
    result: Checked,
    notes: Iterable[str],
    *,
    json: bool,
) -> None:
    """Print what does not hold, and notes on stderr; exit code 1 where something does not hold."""
    if json:
        rows: list[dict[str, object]] = []
        for match, words in result.problems:
            rows.append({"match": match or None, "words": words})
        output.print_json(rows)
    else:
        _print_problems(result)
    if result.event is not None and result.event.imported:
        output.notice(
            "these matches were imported: nobody has their moves, so no rules were asked; what was "
            "checked is that the tables agree with the records"
        )
    if result.problems:
        for label in result.edited:
            output.notice(
                f"{label}: its rules or its board were edited since it was played; verify it in "
                "the workspace where it was played, if its rules are still there"
            )
    for note in notes:
        output.notice(note)
    if result.problems:
        raise typer.Exit(1)


def _print_problems(result: Checked) -> None:
    """Print each statement that does not hold, and how many records are confirmed."""
    bad_matches: set[str] = set()
    for match, words in result.problems:
        statement = output.safe_line(words, 1000)
        if match:
            bad_matches.add(match)
            statement = f"match {match}: {statement}"
        print(statement)
    bad = len(bad_matches)
    summary = f"{result.records} records: {result.records - bad} confirmed"
    if bad:
        summary += f", {bad} not"
    print(summary)
