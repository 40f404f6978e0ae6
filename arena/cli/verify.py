"""`arena verify`: do the results of an event hold?"""

from collections.abc import Iterator
from typing import Annotated

import typer

from arena.cli import archived, options, places, screen
from arena.event import Board


def verify(
    event: Annotated[
        str | None,
        typer.Argument(metavar="EVENT", help="A name under results/, a path, or a tournament.toml; default: here."),
    ] = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Records of earlier plans too.")] = False,
    json: options.Json = False,
) -> None:
    """Play the rules over every record: states, legality, scores, tables; exit code 1 when something does not hold."""
    from arena import proof
    from arena.archive import Archive

    troubles, count = [], 0
    with Archive.open(places.event_folder(event), writing=False) as archive:
        edited = list(_edited(archive.event().boards))
        for _, found in proof.checked(archive, archived.rules_of, all_versions=all_versions):
            count += 1
            troubles += found
        troubles += proof.of_event(archive)
    if json:
        screen.print_json({"match": one.match or None, "words": one.words} for one in troubles)
    else:
        for one in troubles:
            print(f"{f'match {one.match}: ' if one.match else ''}{screen.shown(one.words, 1000)}")
        bad = len({one.match for one in troubles if one.match})
        print(f"{count} records: {count - bad} hold" + (f", {bad} do not" if bad else ""))
    for label in edited if troubles else ():
        screen.notice(f"{label}: its rules or its board were edited since it was played")
    if troubles:
        raise typer.Exit(1)


def _edited(boards: tuple[Board, ...]) -> Iterator[str]:
    """The boards whose rules are others now than when they were played."""
    from arena import rulebook

    now = {board.label: board.digest for board in rulebook.all_boards()}
    for board in boards:
        if now.get(board.label, board.digest) != board.digest:
            yield board.label
