"""The letter for one author: what went wrong, the match to look at as a text, and what else is enclosed.

It is plain text without control characters, ready to be sent, and may quote anything that the author's bot wrote. What
an author may know is for author.py to say.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from arena import whole_files
from arena.author.letter import letter
from arena.event.discovery.names import safe
from arena.replay import notation
from arena.report import bots
from arena.report.author import Author
from arena.results.archive import Archive
from arena.results.leaderboard import Results

NOTHING_WRONG = "None of your bots was at fault."


def write(results: Results, folder: Path, author: Author, pseudonyms: Mapping[str, str]) -> tuple[Path, ...]:
    """Write `folder/for/NAME.txt`, and `NAME-MATCH.txt` for the match to look at; return their paths.

    These are the results of an archive that is `author.pseudonymous`.
    """
    home = whole_files.make_folder(folder, "for")
    written: list[Path] = []
    with Archive.open(folder) as archive:
        faults = bots.faults_of(results, archive, author.bots, author)
        match, role = _to_look_at(results, author, faults)
        if match:
            text = notation.text_of(author.portable(archive.record(match), pseudonyms), results.event.name)
            written.append(
                whole_files.write(home / _enclosed(author, match), text.encode("ascii"), whole_files.PRIVATE)
            )
    content = _text(results, author, faults, match, role)
    return whole_files.write(home / f"{author.file}.txt", content, whole_files.PRIVATE), *written


def _to_look_at(results: Results, author: Author, faults: Mapping[str, list[bots.Page]]) -> tuple[str, str]:
    """Return the match of the commonest fault, else that of the lowest score, and the bot's role; else empty texts."""
    commonest = max(
        (fault for cards in faults.values() for fault in cards), key=lambda card: card["count"], default=None
    )
    if commonest is not None:
        return commonest["match"], commonest["role"]
    scores = [
        (score, match.id, role)
        for match in author.own(results.played)
        for role, score in match.scores.items()
        if match.seats[role] in author.bots
    ]
    return min(scores)[1:] if scores else ("", "")


def _text(results: Results, author: Author, faults: Mapping[str, list[bots.Page]], match: str, role: str) -> bytes:
    event, names = results.event.name, " and ".join(sorted(author.bots)) or "no bot"
    wrong = sum(card["count"] for cards in faults.values() for card in cards)
    faulty = f"at fault {'once' if wrong == 1 else f'{wrong} times'}" if wrong else "without a fault"
    subject = f"{event}: {names}, {faulty}" if author.bots else event
    paragraphs = [author.without_paths(author.notice).strip()]
    for bot in sorted(faults):
        for card in faults[bot]:
            count = f"{card['count']} times " if card["count"] > 1 else ""
            stderr = "".join(f"\n  stderr: {line}" for line in card["stderr"])
            words = f"{bot}: {count}{card['ending'].replace('_', ' ')}: {card['words']}"
            paragraphs.append(
                f"{words}\n  -> {card['advice']}{stderr}\n  in match {card['match']}, turn {card['turn']}"
            )
    if author.bots and not wrong:
        paragraphs.append(NOTHING_WRONG)
    enclosed = f"Enclosed is {author.file}.html"
    if match:
        file = shlex.quote(_enclosed(author, match))
        paragraphs.append(
            f"{enclosed}, which shows all of your matches, and {file}, the match to look at first:\n\n"
            f"  arena replay {file}\n  arena rerun {file} --bot YOUR_BOT --role {role} --print"
        )
    else:
        paragraphs.append(f"{enclosed}.")
    return letter(author.name, author.email, subject, "\n\n".join(filter(None, paragraphs)))


def _enclosed(author: Author, match: str) -> str:
    """Return the name of the file of a match; a stranger's archive may have any text as its id."""
    return f"{author.file}-{safe(match)}.txt"
