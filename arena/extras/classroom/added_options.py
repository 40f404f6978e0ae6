"""What classroom adds to commands of the core: `report --for`, and `submit --feedback`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.author.submissions import SubmissionDecision
from arena.cli import options, paths, results, stored_match
from arena.cli import submit as submitting
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.extras.classroom import for_authors, letter


def report(
    event: str | None,
    open_: bool,
    since: str | None,
    all_versions: bool,
    json: bool,
    author: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="NAME",
            help="For one author, by bot or as in people.csv: their own matches, and nobody "
            "else's words or names; "
            "or for everybody, each with a letter.",
        ),
    ] = None,
    people: options.People = None,
) -> None:
    """Write report.html, or with `--for` the report for one author, or for each."""
    if author is None:
        results.report(
            event=event,
            open_=open_,
            since=since,
            all_versions=all_versions,
            json=json,
        )
        return
    folder = paths.event_folder(event)
    if since is not None:
        raise ArenaError("--for and --since: a report for one author compares with no other event")
    if all_versions:
        raise ArenaError(
            "--for and --all-versions: a report for one author is of the bots that play now"
        )
    with ProgressLine("report") as progress:
        pages = for_authors.write(folder, author, people, stored_match.game_of, progress)
    results.print_files(pages, json=json)
    if open_:
        to_open = folder / "for"
        if len(pages) == 1:
            to_open = pages[0]
        typer.launch(str(to_open))


def submit(
    path: Path,
    name: str | None,
    replaces: bool,
    keep: str,
    people: Path | None,
    boards: list[str] | None,
    sandbox: str | None,
    unsafe: bool,
    json: bool,
    letters: Annotated[
        Path | None,
        typer.Option(
            "--feedback", metavar="DIR", help="Write a text for each author into this folder."
        ),
    ] = None,
) -> None:
    """Take bots into the event as `arena submit` does, and write a letter for each author."""

    def tell(decisions: Sequence[SubmissionDecision]) -> None:
        if letters is not None:
            letter.write(decisions, letters)

    submitting.take_in(
        path,
        name,
        replaces=replaces,
        keep=keep,
        people=people,
        boards=boards,
        limits=options.overrides(sandbox=sandbox, unsafe=unsafe),
        json=json,
        tell=tell,
    )
