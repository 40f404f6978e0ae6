"""`arena report --for`: a page for one author, or a page and a letter for everybody."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena import report
from arena.author.classroom import Classroom, classroom_of
from arena.author.submissions.students import Student, StudentState, students
from arena.errors import writing
from arena.event.discovery import names
from arena.game import Game
from arena.report import letter
from arena.report.author import Author, hidden_paths, pseudonymous, pseudonyms
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Event, Match

EVERYBODY = "everybody"
REFUSED = "Your last bot was refused, and does not play. Mend what follows, then hand it in again."


def write(
    folder: Path,
    name: str,
    people: Path | None,
    rules: Callable[[Match], Game[Any]],
    tell: Callable[[int, int], None],
) -> tuple[Path, ...]:
    """Write the report for one author, or report and letter for `everybody`; return the paths.

    `rules` returns the game that replays a match; `tell` hears how many authors, or matches of one, are done.
    """
    classroom = classroom_of(folder, people)
    with Archive.open(folder) as archive:
        event = archive.event()
    # A bot may be called `everybody`, and then this is its report.
    everybody = name == EVERYBODY and name not in {bot.name for bot in event.bots}
    if everybody:
        readers = list(_everybody(classroom, event))
    else:
        author_name, own_bots = classroom.bots_of(name, event)
        readers = [Author(name=author_name, bots=own_bots, file=min(own_bots))]
    references = classroom.references(event)
    references -= classroom.strangers(references, event)
    written: list[Path] = []
    with writing(folder):
        for done, reader in enumerate(readers, 1):
            author, archive = replace(reader, hidden_paths=hidden_paths(folder)), Archive.open(folder)
            pseudonyms_here = pseudonyms(archive, author.bots | references)
            results = Results(pseudonymous(archive, pseudonyms_here), rules=rules)
            if everybody:
                written += letter.write(results, folder, author, pseudonyms_here)
            tell_matches = (lambda _done, _all: None) if everybody else tell
            written.append(report.write(results, folder, rules=rules, tell=tell_matches, author=author))
            if everybody:
                tell(done, len(readers))
    return tuple(written)


def _everybody(classroom: Classroom, event: Event) -> Iterator[Author]:
    """Yield everybody who has a bot in the event that is no reference, is in the table of people, or was refused."""
    references = classroom.references(event)
    challengers = [bot for bot in event.bots if bot.name not in references]
    measures = [bot for bot in event.bots if bot.name in references]
    refusals = classroom.store.refused() if classroom.store is not None else ()
    listed = {person.id for person in classroom.people}
    used = {bot.name.lower() for bot in event.bots}  # the files of their authors, also in `--for NAME`
    for student in students(challengers, classroom.people, classroom.store, measures):
        reasons = [refusal.reason for refusal in refusals if student.id and refusal.note.person == student.id]
        yield Author(
            name=student.name,
            bots=frozenset(student.bots),
            file=min(student.bots) if student.bots else names.distinct(names.safe(student.name), used),
            email=student.email,
            notice=_notice(student, reasons),
        )
    for refusal in refusals:
        if refusal.note.person not in listed:
            name = refusal.note.display or refusal.name
            yield Author(
                name=name,
                bots=frozenset(),
                file=names.distinct(names.safe(name), used),
                email=refusal.note.email,
                notice=_refused([refusal.reason]),
            )


def _notice(student: Student, reasons: list[str]) -> str:
    """Return what a student should know before all else: what was refused, and why there is no bot."""
    if reasons:
        return _refused(reasons)
    if student.state is StudentState.PLAYED and not student.newer:
        return ""
    return f"{student.note[:1].upper()}{student.note[1:]}."


def _refused(reasons: list[str]) -> str:
    return "\n\n".join([REFUSED, *reasons])
