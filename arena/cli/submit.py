"""`arena submit`: check a bot, or a folder of students' bots, and enter it in the event."""

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
            help="Which bot of a person plays: newest; or best: each of them, to count the best.",
        ),
    ] = "newest",
    people: options.People = None,
    boards: options.BoardNames = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Check a bot, or each bot of a folder, and enter it in the event as a new version.

    The exit code is 1 when a bot is refused.
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

    folder = _class_folder(path, class_list)
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
    submissions = Submissions(store, screening.faults, tournament.table_bots, class_list)
    decisions: list[SubmissionDecision] = []
    with closing(submissions.submit_all(requests)) as decided, ExitStack() as waiting:
        if folder is None:  # of many bots each line shows how far the check is
            line = ProgressLine(f"{output.safe_line(path.name)} is checked", begins=True)
            waiting.enter_context(line)
        for decision in decided:
            waiting.close()
            decisions.append(decision)
            if not json:
                _print(decision, reasons=folder is None)

    if tell is not None:
        tell(decisions)
    if json:
        output.print_json(_row(decision) for decision in decisions)
    if folder is not None:
        results = Counter(str(decision.status) for decision in decisions)
        counts = [f"{count} {result}" for result, count in sorted(results.items())]
        output.notice(", ".join(counts))

    for decision in decisions:
        if decision.bot is None:
            continue
        for playing in store.playing(decision.name):
            program = discovery.from_path(playing, decision.name)
            for sentence in tournament.unmet_requests(program):
                output.notice(sentence)

    _tell_people(decisions, class_list, store, several=keep == "best")
    is_single = folder is None
    if is_single and not json and decisions[0].status is SubmissionStatus.ACCEPTED:
        output.notice("next: `arena run` plays it against the other bots")
    if any(decision.status is SubmissionStatus.REFUSED for decision in decisions):
        raise typer.Exit(1)


def _class_folder(path: Path, class_list: People) -> Path | None:
    """Return the folder with the bots of a class, unpacked if need be; None if it is one bot."""
    if packed_as(path) is not None and path.is_file():
        folder = Path(mkdtemp(dir=workspace.temporary_folder()))
        return class_in(path, class_list, folder / "class")
    if is_class(path):
        return path
    return None


def _row(decision: SubmissionDecision) -> dict[str, object]:
    """Return a decision as JSON values."""
    digest = None
    if decision.bot:
        digest = decision.bot.digest
    where = None
    if decision.where:
        where = str(decision.where)
    return {
        "path": str(decision.request.path),
        "name": decision.name,
        **output.fields(decision.note, "display", "email"),
        "result": decision.status,
        **output.fields(decision, "version", "words", "reasons"),
        "digest": digest,
        "where": where,
    }


def _tell_people(
    decisions: Sequence[SubmissionDecision],
    people: People,
    store: BotStore,
    *,
    several: bool,
) -> None:
    """Print which files did not count, whose bots belong to nobody, and who submitted nothing.

    Also which of these people have several bots that play, unless `several` are wanted.
    """
    older: list[str] = []
    for decision in decisions:
        for path in decision.request.older:
            older.append(output.safe_line(path.name))
    if older:
        output.notice(
            f"the newest of each person counts, and not: {', '.join(older)}; `--keep best` lets "
            "all of them play"
        )
    if not list(people):
        return
    _tell_strangers(decisions, people)
    if not several:
        _tell_several(decisions, people, store)

    everybody = students((), people, store)
    labels = names.unambiguous([(student.name, student.id) for student in everybody])
    missing: list[str] = []
    for student, label in zip(everybody, labels, strict=True):
        if student.state is StudentState.NOTHING:
            missing.append(output.safe_line(label))
    if missing:
        output.notice(f"nothing from {len(missing)} of the table of people: {', '.join(missing)}")


def _tell_strangers(decisions: Sequence[SubmissionDecision], people: People) -> None:
    """Print which bots belong to nobody in the table of people, and to whom they may belong."""
    strangers: list[str] = []
    for decision in decisions:
        if decision.note.person:
            continue
        stranger = decision.name
        candidates = people.candidates(decision.request.label)
        ids = sorted(person.id for person in candidates)
        if ids:
            stranger += f" ({' or '.join(ids)}?)"
        strangers.append(output.safe_line(stranger))
    if strangers:
        output.notice(
            f"not of anybody in the table of people: {', '.join(strangers)}; to say whose a bot "
            "is, call its file after the id"
        )


def _tell_several(
    decisions: Sequence[SubmissionDecision],
    people: People,
    store: BotStore,
) -> None:
    """Print which people of these decisions have several bots that play."""
    playing = bots_that_play(people, store)
    persons = [people.with_id(decision.note.person) for decision in decisions]
    for person in dict.fromkeys(persons):
        if person is None:
            continue
        bots_of_person = playing.get(person, ())
        if len(bots_of_person) > 1:
            output.notice(
                f"{output.safe_line(person.name)}: {' and '.join(bots_of_person)} play, and one "
                "is enough: `arena withdraw NAME`"
            )


def _print(decision: SubmissionDecision, *, reasons: bool) -> None:
    """Print a line about a submission; with `reasons` all the reasons of a refusal too."""
    name = output.safe_line(decision.name)
    if decision.note.display != decision.name:
        name += f" ({output.safe_line(decision.note.display)})"
    if decision.bot:
        name += f"  {decision.bot.digest}"
    reason = output.safe_line(decision.words, bots.REASON_LENGTH)
    if not reasons and decision.where and len(decision.words) > bots.REASON_LENGTH:
        reason += f" (all of it: {decision.where})"
    print(f"{decision.status:8}  {name}  {reason}")
    if reasons and decision.reasons:
        if decision.reasons.strip() != decision.words.strip():
            print(f"\n{output.safe_lines(decision.reasons)}")
        print(f"\nwhat was handed in is stored beside {decision.where}")
    sys.stdout.flush()
