"""`arena verify`: check the results of an event against the rules."""

import contextlib
from typing import Annotated

import typer

from arena.cli import options, output, paths, stored_match
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.games import rulebook


def verify(
    event: options.EventName = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Records of earlier plans too.")] = False,
    json: options.Json = False,
) -> None:
    """Check every record against the rules: states, legality, scores, tables; exit code 1 when something is wrong."""
    from arena.replay import verify
    from arena.results.archive import Archive

    with Archive.open(paths.event_folder(event), writing=False) as archive:
        played = verify.event_in(archive)
        edited = []
        for board in played.boards if played else ():
            with contextlib.suppress(ArenaError):
                if rulebook.of_record(board).digest != board.digest:
                    edited.append(board.label)
        with ProgressLine("verify: records") as progress:
            count, problems = verify.checked(archive, stored_match.game_of, progress, all_versions=all_versions)
    if json:
        output.print_json({"match": match or None, "words": words} for match, words in problems)
    else:
        for match, words in problems:
            print(f"{f'match {match}: ' if match else ''}{output.safe_line(words, 1000)}")
        bad = len({match for match, _ in problems if match})
        print(f"{count} records: {count - bad} hold" + (f", {bad} do not" if bad else ""))
    for label in edited if problems else ():
        output.notice(f"{label}: its rules or its board were edited since it was played")
    if problems:
        raise typer.Exit(1)
