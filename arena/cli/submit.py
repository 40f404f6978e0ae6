"""`arena submit`: check a bot, or a whole class of them, and take it into the event."""

import os
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import bots, feedback, options, output, workspace
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.author.submissions import Answer, People, Request


def submit(
    path: Annotated[
        Path, typer.Argument(metavar="BOT", help="A bot: a file, a folder, a zip or tar; or a folder full of bots.")
    ],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="The bot's name here; its author's name is allowed.")
    ] = None,
    replaces: Annotated[
        bool, typer.Option("--replace", help="Take it as the next version of a bot that came from another file.")
    ] = False,
    people: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of name, e-mail, id; default: people.csv, where there is one."),
    ] = None,
    letters: Annotated[
        Path | None, typer.Option("--feedback", metavar="DIR", help="Write a text for each author into this folder.")
    ] = None,
    boards: Annotated[
        list[str] | None,
        typer.Option("--board", "-b", help="Checked only at these games or boards; default: the event's."),
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Check a bot, and take it into the event as a new version; exit code 1 when it, or one of many, is refused."""
    from arena.author.submissions import Result, Submissions, is_class
    from arena.cli.examiner import Examiner

    tournament = workspace.own_tournament(options.overrides((), sandbox=sandbox, unsafe=unsafe or None))
    store = workspace.bot_store(tournament)
    several = is_class(path)
    if several and name is not None:
        raise ArenaError(
            f"{path}: has no bot.toml, and no program called bot or main, so it is a folder of bots, and --as names "
            "only one bot: give the path of that bot"
        )
    requests = _requests(path, name, several=several, replaces=replaces)
    class_list = _people(people)
    conditions = tournament.conditions()
    workspace.refuse_exposed((), conditions.sandbox)  # the organiser's mistake, and no fault of a submission
    output.warn_about_confinement(conditions)
    answers: list[Answer] = []
    with Examiner(tournament, tuple(boards or ())) as examiner:
        submissions = Submissions(store, examiner, [entry.name for entry in tournament.bot], class_list)
        with closing(submissions.submit_all(requests, examiner.all if several else None)) as decided:
            for answer in decided:
                answers.append(answer)
                if not json:
                    _print(answer, reasons=not several)
    if letters is not None:
        feedback.write(answers, letters)
    if json:
        output.print_json(map(_row, answers))
    if several:
        results = Counter(str(answer.result) for answer in answers)
        output.notice(", ".join(f"{count} {result}" for result, count in sorted(results.items())))
        present = {answer.origin.person for answer in answers}
        missing = [output.safe_line(person.name) for person in class_list if person.id not in present]
        if missing:
            output.notice(f"nothing from {len(missing)} of people.csv: {', '.join(missing)}")
    if any(answer.result is Result.REFUSED for answer in answers):
        raise typer.Exit(1)


def _requests(path: Path, name: str | None, *, several: bool, replaces: bool) -> "list[Request]":
    from arena.author.submissions import Request, class_of

    if not several:
        if not os.path.lexists(path):  # does not raise when the name is too long for a file
            raise ArenaError(f"{path}: there is no such bot; name a file, or a folder with a bot.toml")
        return [Request(path=path, name=name, replaces=replaces)]
    try:
        requests = class_of(path, replaces=replaces)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    if not requests:
        raise ArenaError(f"{path}: holds no bot: no file, and no folder, whose name begins with a letter")
    return requests


def _people(path: Path | None) -> "People":
    """Read the people of the file, or of the one in this workspace."""
    from arena.author.submissions import People
    from arena.author.submissions.people import FILE, read

    if path is None and not Path(FILE).is_file():
        return People()
    return read(path or Path(FILE))


def _print(answer: "Answer", *, reasons: bool) -> None:
    """Print a line about a submission; with `reasons` all the reasons of a refusal too."""
    digest = f"  {answer.bot.digest}" if answer.bot else ""
    real = f" ({output.safe_line(answer.origin.display)})" if answer.origin.display != answer.name else ""
    reason = output.safe_line(answer.words, bots.REASON_LENGTH)
    print(f"{answer.result:8}  {output.safe_line(answer.name)}{real}{digest}  {reason}")
    if reasons and answer.reasons:
        print(f"\n{output.safe_lines(answer.reasons)}\n\nIt is kept beside {answer.where}")
    sys.stdout.flush()


def _row(answer: "Answer") -> dict[str, object]:
    return {
        "path": str(answer.path),
        "name": answer.name,
        "display": answer.origin.display,
        "email": answer.origin.email,
        "result": answer.result,
        "version": answer.version,
        "digest": answer.bot.digest if answer.bot else None,
        "words": answer.words,
        "reasons": answer.reasons,
        "where": str(answer.where) if answer.where else None,
    }
