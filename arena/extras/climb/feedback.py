"""Feedback for a program that improves a bot, as files to be read.

It is what the bot's author may know of an event. What that is, is for author.py to say: nothing of
others but their moves, under pseudonyms. No time is in it: events with the same matches give the
same feedback, so that what asks a language model about it asks the same.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from arena.extras.climb.history import Edit
from arena.game import Game
from arena.protocol import clean
from arena.replay import notation
from arena.report import bots
from arena.report.author import Author, hidden_paths, pseudonymous
from arena.results import tables
from arena.results.archive import Archive
from arena.results.columns import LEADERBOARD
from arena.results.leaderboard import Results
from arena.values import Match, Record, SeatReport, Turn

MATCHES = 20
"""The matches that are enclosed: those in which the bot scored least."""
MATCHES_BYTES = 20_000_000
LESSONS = 20
TURNS = 12
"""Of a refutation."""
README = """\
You are to improve a bot. Its files are in the folder in which you run; \
whatever they are when you end is your edit.
You end by yourself, with exit code 0, before your time is over; \
else nothing of your edit is used. The bot is then
checked, and plays a test against the version before. \
It takes its place only if the test proves it good enough.

Here are, and you may only read them:

task.json       the round, your seed, what you may use, and what became of your edits before
standings.csv   the event so far; other bots have pseudonyms
faults.txt      what the bot did wrong, and how to mend it
matches/        the matches in which it scored least, as `arena replay` reads them: \
every move, and the bot's own words
lessons.json    positions in which it threw points away: its move, better ones, and what followed

The rules of the games, and the kit that Python bots import, \
are in the folder that PYTHONPATH names.
"""
"""What every agent reads."""
OVER_LINES = """\
You have no network. To ask the language model of the event, print a line on stdout:

model {"prompt": "...", "tokens": 500}

and read a line from stdin: `model {"text": "...", "left": {...}}`, or `model {"error": "..."}`.
"""
OVER_HTTP = """\
Your network has a single address, and it leads to the language model of the event. \
Its formats are those of OpenAI
(OPENAI_BASE_URL) and of Anthropic (ANTHROPIC_BASE_URL); any key will do. \
Nothing else is reachable: no package can be
installed, and no page can be read.
"""
NO_MODEL = """\
You have no network, and this event has no language model.
"""
"""How an agent asks the model, by its door."""


def write(
    folder: Path,
    target: Path,
    bot: str,
    *,
    rules: Callable[[Match], Game[Any]],
    task: Mapping[str, object],
    edits: Iterable[Edit],
    door: str,
) -> None:
    """Write the feedback for a bot, from the results in `folder`, into the new folder `target`.

    `door` is how the agent asks the model: `lines` or `http`; empty if there is none.
    """
    author = Author(
        name=bot,
        bots=frozenset({bot}),
        file=bot,
        hidden_paths=hidden_paths(folder),
    )
    asking = NO_MODEL
    if door == "lines":
        asking = OVER_LINES
    elif door == "http":
        asking = OVER_HTTP
    edits_so_far = [asdict(edit) for edit in edits]
    files = {
        "README.md": README + asking,
        "task.json": json.dumps({**task, "edits": edits_so_far}, indent=1),
    }
    with Archive.open(folder) as archive:
        renamed, pseudonyms = pseudonymous(archive, author.bots)
        results = Results(renamed, rules=rules)
        columns = LEADERBOARD.rated_in(results.unit)
        standings = tables.as_csv(results.leaderboard(), columns)
        files["standings.csv"] = standings.decode()

        faults_by_bot = bots.faults_of(results, archive, author.bots, author)
        fault_texts = [bots.fault_text(fault) for fault in faults_by_bot[bot]]
        files["faults.txt"] = "\n\n".join(fault_texts) or "none\n"

        lessons = list(_lessons(results, bot))
        files["lessons.json"] = json.dumps(lessons, indent=1)

        free_bytes = MATCHES_BYTES
        for match in _worst(results, author):
            record = author.portable(archive.record(match), pseudonyms)
            text = notation.text_of(_timeless(record))
            free_bytes -= len(text)
            if free_bytes > 0:  # a bot may print megabytes of remarks
                files[f"matches/{match}.txt"] = text
        results.close()
    (target / "matches").mkdir(parents=True)
    for name, text in files.items():
        (target / name).write_text(text, "utf-8")


def _timeless(record: Record) -> Record:
    """Return a record without what differs from one playing of the same match to the next."""
    turns: list[Turn] = []
    for turn in record.turns:
        timeless_turn = turn._replace(
            wall=0.0,
            cpu=0.0,
            waited=0.0,
            late=0.0,
        )
        turns.append(timeless_turn)
    seats: list[SeatReport] = []
    for seat in record.seats:
        timeless_seat = replace(
            seat,
            ready=None,
            memory=0,
            cpu=0.0,
            warm=False,
            before=0,
        )
        seats.append(timeless_seat)
    return replace(
        record,
        turns=tuple(turns),
        seats=tuple(seats),
        started="",
        seconds=0.0,
    )


def _worst(results: Results, author: Author) -> list[str]:
    """Return the ids of matches, those first in which the author's bots had the fewest points."""
    matches: list[tuple[float, str]] = []
    for match in author.own(results.played):
        own_scores: list[int] = []
        for role, score in match.scores.items():
            if match.seats[role] in author.bots:
                own_scores.append(score)
        mean = sum(own_scores) / len(own_scores)
        matches.append((mean, match.id))
    matches.sort()
    worst = matches[:MATCHES]
    return [match for _, match in worst]


def _lessons(results: Results, bot: str) -> Iterator[dict[str, object]]:
    lessons_by_bot = results.lessons({bot}, LESSONS)
    for lesson in lessons_by_bot.get(bot, ()):
        yield {
            "board": lesson.label,
            "role": lesson.role,
            "turn": lesson.turn,
            "state": [clean(str(fact)) for fact in lesson.facts],
            "played": clean(lesson.played),
            "good": [clean(move) for move in lesson.good],
            "points": lesson.points,
            "uncertain": list(lesson.uncertain),
            "then": lesson.refutation_text(TURNS),
        }
