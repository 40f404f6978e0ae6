"""report.html: one file without network, with the tables, the charts and a replay of every match.

It owns what the file holds, and what is left out where there is too much; `html/` owns how it looks and moves. Bots and
games may have written any text in it: Python cleans it (`protocol.clean`), the template escapes it, the scripts make
text nodes of it, and the page's policy lets nothing run or load that is not in the file itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena import durable
from arena.game import Game
from arena.games import rulebook
from arena.report import bots, choice, chunks, leaderboard, listing, page, replays, summary
from arena.report.author import Author
from arena.report.index import Index
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Match

SIZE_BYTES = 19_000_000
"""The file stays under 20 MB."""
LISTED = 50_000
"""Matches that the page lists; a row takes some 70 bytes."""
REPLAYED = 10_000
"""Matches that can be replayed; each takes some 3 ms to prepare and some 700 bytes."""

CHUNK_NUMBER_BYTES = 5
"""At most, for the number that says where a match's replay is, and its comma."""


def write(
    results: Results,
    folder: Path,
    *,
    rules: Callable[[Match], Game[Any]] = rulebook.game_of_record,
    charts: Iterable[Path] = (),
    placings: Sequence[Mapping[str, Any]] = (),
    size: int = SIZE_BYTES,
    listed: int = LISTED,
    replayed: int = REPLAYED,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
    author: Author | None = None,
) -> Path:
    """Write `folder/report.html`, whole or not at all; the archive of these results is in `folder` too.

    For one `author` it is `folder/for/NAME.html` with their matches only; then these are the results of an archive that
    is `author.pseudonymous`.

    `rules` gives the game that a match is replayed by, `charts` are the files that `arena.charts.write` wrote,
    `placings` the rows of `arena.event.placings`, with the names of all bots. Columns
    `rating`, `rating_low`, `rating_high`, `rank_low`, `rank_high` and `tier` of the leaderboard are shown where it has
    them. Matches past `listed`, and replays past `replayed` or past `size` bytes, are left out: the most
    informative and the newest stay, and the page says so.
    """
    index = Index.of(results)
    title = results.event.name if author is None else f"{results.event.name}: {author.name}"
    frame = page.Page(
        title,
        leaderboard.table(results),
        tuple(charts),
        leaderboard.placings(results.event.schedule, placings),
        results.machines() if author is None else None,
        author.without_paths(author.notice) if author is not None else "",
    )
    played = results.played if author is None else author.own(results.played)
    games = replays.Games(rules)
    with Archive.open(folder) as archive:
        pages = bots.pages(results, index, archive, author)
        order = choice.order(played, archive.numbers(), bots.linked(pages))[:listed]
        shown = choice.kept(played, order)
        data = summary.data(results, index, games, archive, shown, author) | {"pages": pages}
    rows = listing.columns(shown, index)
    free_characters = size - len(frame.text(data | {"matches": rows}, ())) - CHUNK_NUMBER_BYTES * len(shown)
    by_id = {match.id: match for match in shown}
    with_replay = [by_id[match] for match in order[:replayed]]
    results.close()  # no connection is open in a process that forks
    cut = author.cut if author is not None else (lambda record: record)
    packed = chunks.prepared(
        games, folder, with_replay, free_characters, lambda done: tell(done, len(with_replay)), cut
    )
    chunk_of = {match: number for number, chunk in enumerate(packed) for match in chunk.matches}
    rows |= {"replay": [chunk_of.get(match.id, -1) for match in shown]}
    text = frame.text(data | {"matches": rows}, [chunk.text for chunk in packed])
    if author is None:
        return durable.write(folder / "report.html", text.encode("utf-8"))
    path = durable.make_folder(folder, "for") / f"{author.file}.html"
    return durable.write(path, text.encode("utf-8"), durable.PRIVATE)
