"""`arena report --for`: a page for one author, or a page and a letter for everybody.

A letter is plain text without control characters, ready to be sent, and may quote anything that the
author's bot wrote: what went wrong, the match to look at as a text, and what else is enclosed. What
an author may know is for author.py to say.
"""

import contextlib
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arena import whole_files
from arena.author.submissions.students import (
    Student,
    StudentState,
    author_of_note,
    namesakes_notice,
    students,
)
from arena.errors import writing
from arena.event.discovery import names
from arena.extras.classroom.classroom import Classroom, classroom_of
from arena.extras.classroom.letter import letter
from arena.game import Game
from arena.replay import like_positions, notation
from arena.report import bots
from arena.report.author import Author, hidden_paths, pseudonymous
from arena.report.writing import write_report
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.streams import notice
from arena.values import Event, Match

EVERYBODY = "everybody"
NOTHING_WRONG = "None of your bots was at fault."
REFUSED = "Your last bot was refused, and does not play. Mend what follows, then hand it in again."


def write(
    folder: Path,
    name: str,
    people: Path | None,
    rules: Callable[[Match], Game[Any]],
    tell: Callable[[int, int], None],
) -> tuple[Path, ...]:
    """Write the report for one author, or report and letter for `everybody`; return the paths.

    `rules` returns the game that replays a match; `tell` hears how many authors, or matches of one,
    are done.
    """
    classroom = classroom_of(folder, people)
    with Archive.open(folder) as archive:
        event = archive.event()
        boards = sorted(archive.boards())
        like = like_positions.learn(archive, boards, rules)
    # A bot may be called `everybody`, and then this is its report.
    everybody = name == EVERYBODY and name not in {bot.name for bot in event.bots}
    if everybody:
        readers = list(readers_of(classroom, event))
    else:
        author_name, author_bots = classroom.bots_of(name, event)
        readers = [
            Author(
                name=author_name,
                bots=author_bots,
                file=min(author_bots),
            )
        ]

    references = classroom.references(event)
    references -= classroom.strangers(references, event)
    written: list[Path] = []
    with writing(folder):
        for done, reader in enumerate(readers, 1):
            author = replace(reader, hidden_paths=hidden_paths(folder))
            archive = Archive.open(folder)
            named_bots = author.bots | references
            renamed, pseudonyms = pseudonymous(archive, named_bots)
            write_one = partial(
                write_report,
                rules=rules,
                author=author,
                like=like,
            )
            with contextlib.closing(Results(renamed, rules=rules)) as results:
                if everybody:
                    written += write_letter(results, folder, author, pseudonyms)
                    written.append(write_one(results, folder))
                    tell(done, len(readers))
                else:
                    written.append(write_one(results, folder, tell=tell))
    return tuple(written)


def readers_of(classroom: Classroom, event: Event) -> Iterator[Author]:
    """Yield each person who should read a report.

    They have a bot in the event that is no reference, are in the table of people, or were refused.
    A bot of nobody whose name is, or looks like, a person's has no reader.
    """
    references = classroom.references(event)
    challengers = [bot for bot in event.bots if bot.name not in references]
    measures = [bot for bot in event.bots if bot.name in references]
    refused = []
    if classroom.store is not None:
        for refusal in classroom.store.refused():
            author = author_of_note(refusal.note, classroom.people)
            refused.append((author, refusal))

    # The files of authors have the names of bots, also in `--for NAME`.
    used = {bot.name.lower() for bot in event.bots}
    everybody = students(challengers, classroom.people, classroom.store, measures)
    namesakes = namesakes_notice(everybody)
    if namesakes:
        notice(namesakes)

    for student in everybody:
        if student.namesake:
            continue  # somebody would send its letter, or its files, to that person
        reasons = []
        for author, refusal in refused:
            if author is not None and author.id == student.id:
                reasons.append(refusal.reason)
        file = min(student.bots, default="")
        if not file:
            file = names.distinct(names.safe(student.name), used)
        yield Author(
            name=student.name,
            bots=frozenset(student.bots),
            file=file,
            email=student.email,
            notice=_notice(student, reasons),
        )

    for author, refusal in refused:
        if author is not None:
            continue
        name = refusal.note.display or refusal.name
        safe_name = names.safe(name)
        yield Author(
            name=name,
            bots=frozenset(),
            file=names.distinct(safe_name, used),
            email=refusal.note.email,
            notice=_refused([refusal.reason]),
        )


def _notice(student: Student, reasons: list[str]) -> str:
    """Return what a student should know first: what was refused, and why there is no bot."""
    if reasons:
        return _refused(reasons)
    if student.state is StudentState.PLAYED and not student.newer:
        return ""
    return f"{student.note[:1].upper()}{student.note[1:]}."


def _refused(reasons: list[str]) -> str:
    paragraphs = [REFUSED]
    paragraphs.extend(reasons)
    return "\n\n".join(paragraphs)


def write_letter(
    results: Results,
    folder: Path,
    author: Author,
    pseudonyms: Mapping[str, str],
) -> tuple[Path, ...]:
    """Write `folder/for/NAME.txt`, and `NAME-MATCH.txt` for the match to look at.

    Return their paths. These are the results of an archive that is `author.pseudonymous`.
    """
    home = whole_files.make_folder(folder, "for")
    written: list[Path] = []
    with Archive.open(folder) as archive:
        faults = bots.faults_of(results, archive, author.bots, author)
        match, role = _to_look_at(results, author, faults)
        if match:
            record = archive.record(match)
            portable = author.portable(record, pseudonyms)
            text = notation.text_of(portable, results.event.name)
            path = home / _enclosed(author, match)
            whole_files.write(path, text.encode("ascii"), whole_files.PRIVATE)
            written.append(path)
    content = _text(results, author, faults, match, role)
    path = home / f"{author.file}.txt"
    whole_files.write(path, content, whole_files.PRIVATE)
    written.insert(0, path)
    return tuple(written)


def _to_look_at(
    results: Results,
    author: Author,
    faults: Mapping[str, list[bots.Page]],
) -> tuple[str, str]:
    """Return the match of the commonest fault and the bot's role.

    Without a fault it is the match of the lowest score; without a match the texts are empty.
    """
    cards: list[bots.Page] = []
    for of_bot in faults.values():
        cards += of_bot
    if cards:
        commonest = max(cards, key=lambda card: card["count"])
        return commonest["match"], commonest["role"]
    scores = []
    for match in author.own(results.played):
        for role, score in match.scores.items():
            if match.seats[role] in author.bots:
                scores.append((score, match.id, role))
    if not scores:
        return "", ""
    _, lowest, role = min(scores)
    return lowest, role


def _text(
    results: Results,
    author: Author,
    faults: Mapping[str, list[bots.Page]],
    match: str,
    role: str,
) -> bytes:
    """Return the letter; `match` is the match to look at, if there is one."""
    paragraphs = [author.without_paths(author.notice).strip()]
    wrong = 0
    for bot in sorted(faults):
        for card in faults[bot]:
            wrong += card["count"]
            paragraphs.append(f"{bot}: {bots.fault_text(card)}")
    if author.bots and not wrong:
        paragraphs.append(NOTHING_WRONG)
    enclosed = f"Enclosed is {author.file}.html"
    if match:
        file = shlex.quote(_enclosed(author, match))
        paragraphs.append(
            f"{enclosed}, which shows all of your matches, and {file}, the match to look at "
            f"first:\n\n"
            f"  arena replay {file}\n  arena rerun {file} --bot YOUR_BOT --role {role} --print"
        )
    else:
        paragraphs.append(f"{enclosed}.")
    subject = results.event.name
    if author.bots:
        bot_names = " and ".join(sorted(author.bots))
        subject += f": {bot_names}, {_faulty(wrong)}"
    text = "\n\n".join(filter(None, paragraphs))
    return letter(author.name, author.email, subject, text)


def _faulty(count: int) -> str:
    """Return how often bots were at fault, in words."""
    if count == 0:
        return "without a fault"
    if count == 1:
        return "at fault once"
    return f"at fault {count} times"


def _enclosed(author: Author, match: str) -> str:
    """Return the name of the file of a match; a stranger's archive may have any text as its id."""
    return f"{author.file}-{names.safe(match)}.txt"
