"""`arena submit`: check a bot, or a whole class of them, and take it into the event."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer

from arena import workspace
from arena.author.submissions import SubmissionDecision, Submissions, SubmissionStatus
from arena.author.submissions import people as people_files
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People
from arena.author.submissions.requests import class_in, class_of, is_class, packed_as, request
from arena.author.submissions.students import StudentState, bots_that_play, students
from arena.cli import bots, options, output
from arena.cli.progress import ProgressLine
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import names

KEEP = ("newest", "best")


def submit(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="BOT",
            help="A bot: a file, a folder, a zip or tar; or a folder full of bots, or its zip.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="The bot's name here; its author's name is allowed."
        ),
    ] = None,
    replaces: Annotated[
        bool,
        typer.Option(
            "--replace", help="Take it as the next version of a bot that came from another file."
        ),
    ] = False,
    keep: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help=(
                "Which bot of a person plays: newest; or best: each of them, and `arena grade` "
                "counts the best."
            ),
        ),
    ] = "newest",
    people: options.People = None,
    boards: options.BoardNames = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Check a bot, and take it into the event as a new version.

    The exit code is 1 when it, or one of many, is refused.
    """
    take_in(
        path,
        name,
        replaces=replaces,
        keep=keep,
        people=people,
        boards=boards,
        limits=options.overrides(sandbox=sandbox, unsafe=unsafe),
        json=json,
    )


def take_in(
    path: Path,
    name: str | None,
    *,
    replaces: bool,
    keep: str,
    people: Path | None,
    boards: Sequence[str] | None,
    limits: dict[str, object],
    json: bool,
    tell: Callable[[Sequence[SubmissionDecision]], None] | None = None,
) -> None:
    """Check what was handed in and decide it, as `arena submit` does; `tell` hears all decisions.

    `limits` replace keys of the tournament.toml.
    """
    if keep not in KEEP:
        raise ArenaError(f"--keep {keep}: expected {' or '.join(KEEP)}")
    tournament = workspace.own_tournament(limits)
    workspace.forget_secrets(tournament)
    store = workspace.bot_store(tournament)
    class_list = people_files.of_workspace(Path(), people)
    folder = path if is_class(path) else None
    if packed_as(path) is not None and path.is_file():
        folder = class_in(
            path, class_list, Path(mkdtemp(dir=workspace.temporary_folder())) / "class"
        )
    if folder is None:
        if not os.path.lexists(path):  # does not raise when the name is too long for a file
            raise ArenaError(
                f"{path}: there is no such bot; name a file, or a folder with a bot.toml"
            )
        requests = [request(path, name, replaces=replaces)]
    elif name is not None:
        raise ArenaError(
            f"{path}: has no bot.toml, and no program called bot or main, so it is a folder of "
            "bots, and --as names only one bot: give the path of that bot"
        )
    else:
        try:
            requests = class_of(
                folder, class_list, every=keep == "best", replaces=replaces, source=path
            )
        except OSError as error:
            raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
        if not requests:
            raise ArenaError(
                f"{path}: holds no bot: no file, and no folder, whose name begins with a letter"
            )
    screening = workspace.screening(tournament, options.names_in(boards))
    decisions: list[SubmissionDecision] = []
    submissions = Submissions(store, screening.faults, tournament.table_bots, class_list)
    with closing(submissions.submit_all(requests)) as decided, ExitStack() as waiting:
        if folder is None:  # of many bots each line shows how far the check is
            waiting.enter_context(
                ProgressLine(f"{output.safe_line(path.name)} is checked", begins=True)
            )
        for decision in decided:
            waiting.close()
            decisions.append(decision)
            if not json:
                _print(decision, reasons=folder is None)
    if tell is not None:
        tell(decisions)
    if json:
        output.print_json(
            {
                "path": str(decision.request.path),
                "name": decision.name,
                **output.fields(decision.note, "display", "email"),
                "result": decision.status,
                **output.fields(decision, "version", "words", "reasons"),
                "digest": decision.bot.digest if decision.bot else None,
                "where": str(decision.where) if decision.where else None,
            }
            for decision in decisions
        )
    if folder is not None:
        results = Counter(str(decision.status) for decision in decisions)
        output.notice(", ".join(f"{count} {result}" for result, count in sorted(results.items())))
    for name in [decision.name for decision in decisions if decision.bot is not None]:
        for playing in store.playing(name):
            for sentence in tournament.unmet_requests(discovery.from_path(playing, name)):
                output.notice(sentence)
    _tell_people(decisions, class_list, store, several=keep == "best")
    if any(decision.status is SubmissionStatus.REFUSED for decision in decisions):
        raise typer.Exit(1)


def _tell_people(
    decisions: Sequence[SubmissionDecision], people: People, store: BotStore, *, several: bool
) -> None:
    """Print which files did not count, whose bots belong to nobody, and who submitted nothing.

    Also which of these people have several bots that play, unless `several` are wanted.
    """
    older = [
        output.safe_line(path.name) for decision in decisions for path in decision.request.older
    ]
    if older:
        output.notice(
            f"the newest of each person counts, and not: {', '.join(older)}; `--keep best` lets "
            "all of them play"
        )
    if not list(people):
        return
    strangers = []
    for decision in decisions:
        if not decision.note.person:
            fitting = sorted(person.id for person in people.candidates(decision.request.label))
            strangers.append(
                f"{decision.name} ({' or '.join(fitting)}?)" if fitting else decision.name
            )
    if strangers:
        output.notice(
            "not of anybody in the table of people: "
            f"{', '.join(map(output.safe_line, strangers))}; to say whose a bot is, call its file "
            "after the id"
        )
    playing = {} if several else bots_that_play(people, store)
    for person in dict.fromkeys(people.with_id(decision.note.person) for decision in decisions):
        if person is not None and len(playing.get(person, ())) > 1:
            both = " and ".join(playing[person])
            output.notice(
                f"{output.safe_line(person.name)}: {both} play, and one is enough: `arena "
                "withdraw NAME`"
            )
    everybody = students((), people, store)
    labels = names.unambiguous([(student.name, student.id) for student in everybody])
    missing = [
        output.safe_line(label)
        for student, label in zip(everybody, labels, strict=True)
        if student.state is StudentState.NOTHING
    ]
    if missing:
        output.notice(f"nothing from {len(missing)} of the table of people: {', '.join(missing)}")


def _print(decision: SubmissionDecision, *, reasons: bool) -> None:
    """Print a line about a submission; with `reasons` all the reasons of a refusal too."""
    digest = f"  {decision.bot.digest}" if decision.bot else ""
    real = (
        f" ({output.safe_line(decision.note.display)})"
        if decision.note.display != decision.name
        else ""
    )
    reason = output.safe_line(decision.words, bots.REASON_LENGTH)
    print(f"{decision.status:8}  {output.safe_line(decision.name)}{real}{digest}  {reason}")
    if reasons and decision.reasons:
        print(f"\n{output.safe_lines(decision.reasons)}\n\nIt is kept beside {decision.where}")
    sys.stdout.flush()
