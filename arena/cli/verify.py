"""`arena verify`: check the results of an event against the rules."""

import contextlib
from typing import Annotated

import typer

from arena.cli import options, output, paths, stored_match
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError


def verify(
    event: options.EventName = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Records of earlier plans too.")] = False,
    json: options.Json = False,
) -> None:
    """Check every record against the rules: states, legality, scores, tables; exit code 1 when something is wrong."""
    from arena.games import rulebook
    from arena.replay import verify
    from arena.results.archive import Archive

    problems, count = [], 0
    with Archive.open(paths.event_folder(event), writing=False) as archive:
        played, total = verify.event_in(archive), verify.count(archive, all_versions=all_versions)
        now = {board.label: board.digest for board in rulebook.all_boards()}
        boards = played.boards if played else ()
        for board in boards:
            if board.label not in now:  # a board that was drawn, or that is made from its name
                with contextlib.suppress(ArenaError):
                    now[board.label] = rulebook.digest_now(board) or board.digest
        edited = [board.label for board in boards if now.get(board.label, board.digest) != board.digest]
        with ProgressLine("verify: records") as progress:
            for _, of_record in verify.checked(archive, stored_match.game_of, all_versions=all_versions):
                count += 1
                problems += of_record
                progress(count, total)
        problems += verify.of_event(archive)
    if json:
        output.print_json({"match": problem.match or None, "words": problem.words} for problem in problems)
    else:
        for problem in problems:
            match = f"match {problem.match}: " if problem.match else ""
            print(f"{match}{output.safe_line(problem.words, 1000)}")
        bad = len({problem.match for problem in problems if problem.match})
        print(f"{count} records: {count - bad} hold" + (f", {bad} do not" if bad else ""))
    for label in edited if problems else ():
        output.notice(f"{label}: its rules or its board were edited since it was played")
    if problems:
        raise typer.Exit(1)
