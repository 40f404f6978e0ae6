"""Write report.html: the page of an event, or of one author, if what it is made of has changed.

The package above holds no code: the process of a match in a browser takes its boards from there,
and must not wait for pandas.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from arena import seals, whole_files
from arena.errors import ArenaError
from arena.game import Game
from arena.games import rulebook
from arena.identity import digest_of, file_digest
from arena.protocol import clean
from arena.replay import like_positions
from arena.replay.like_positions import LikePositions
from arena.report import bots, data, leaderboard, page, replays, sections
from arena.report.author import Author, matches_of
from arena.results.archive import Archive
from arena.results.columns import TIMING
from arena.results.leaderboard import Results
from arena.values import Match, Record

SIZE_BYTES = 19_000_000
"""The file stays under 20 MB."""
LISTED = 50_000
"""Matches that the page lists; a row takes some 70 bytes."""
REPLAYED = 10_000
"""Matches that can be replayed; each takes some 3 ms to prepare and some 900 bytes."""

PURPOSE = "report"
CARD = "card.png"

CHUNK_NUMBER_BYTES = 5
"""The most bytes of the number that says where a match's replay is, and its comma."""


def write_report(
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
    since: Results | None = None,
    like: Mapping[str, LikePositions] | None = None,
) -> Path:
    """Write `folder/report.html`, whole or not at all, and beside it card.png.

    The archive of these results is in `folder`, too. Previews of links to the report show card.png.
    For one `author` the report is `folder/for/NAME.html` with their matches only; then these are
    the results of an archive that is `author.pseudonymous`.

    `rules` gives the game that a match is replayed by, `charts` are the files that
    `arena.charts.write` wrote, `placings` the rows of `arena.event.placings`, with the names of all
    bots. The columns `rating`, `rating_low`, `rating_high`, `rank_low`, `rank_high` and `tier` of
    the leaderboard are shown where it has them. Matches past `listed`, and replays past `replayed`
    or past `size` bytes, are left out: the most informative and the newest stay, and the page says
    so. `since` are the results of an event to compare with, `like` is what `like_positions.learn`
    returned, for a caller who writes many reports of an event.

    A report that is there already and was made of the same is left as it is, because the replays
    take most of the time.
    """
    card_path: Path | None = None
    if author is None:
        path = folder / "report.html"
        mode = whole_files.SHARED
        card_path = folder / CARD
    else:
        path = whole_files.make_folder(folder, "for") / f"{author.file}.html"
        mode = whole_files.PRIVATE
    games = replays.Games(rules)
    charts = tuple(charts)
    inputs = _inputs(results, games, charts, placings, since, author)
    made_of = digest_of(inputs, (size, listed, replayed))
    if _is_current(path, made_of, card_path):
        return path

    rounds: Mapping[str, leaderboard.Rounds] = {}
    with Archive.open(folder) as archive:  # it has the names that one author does not see
        shown = _shown(results, games, archive, author, listed)
        if author is None:
            rounds = leaderboard.rounds(results, archive)
    tables = _tables(results, placings, since)
    tables |= _words(results, author)
    tables["rounds"] = rounds
    tables["has_viewer"] = shown.has_viewer
    tables["pictures"] = page.pictures_of(charts)
    texts = [*shown.texts, "}}"]
    without_replays = page.pieces(texts, (), **tables)
    characters = sum(map(len, without_replays))
    free_characters = size - characters - CHUNK_NUMBER_BYTES * len(shown.ids)
    to_replay = shown.by_importance[:replayed]
    if results.event.imported:
        to_replay = ()
    picture = b""
    if card_path is not None:
        picture = _write_card(results, card_path)

    # No connection is open in a process that forks, and the page is large enough by itself.
    results.drop_matches()
    results.close()
    if since is not None:
        since.drop_matches()
        since.close()
    if like is None:
        with Archive.open(folder) as archive:
            like = like_positions.learn(archive, list(results.boards), rules)
    games.like = like

    def cut(record: Record) -> Record:
        if author is None:
            return record
        return author.cut(record)

    packed = replays.prepared(
        games,
        folder,
        to_replay,
        free_characters,
        tell=lambda done: tell(done, len(to_replay)),
        cut=cut,
    )
    chunk_of: dict[object, int] = {}
    for number, (ids, _) in enumerate(packed):
        for match in ids:
            chunk_of[match] = number
    numbers = [chunk_of.get(match, -1) for match in shown.ids]
    texts = [
        *shown.texts,
        ',"replay":',
        replays.safe_json(numbers),
        "}}",
    ]
    chunks = [chunk for _, chunk in packed]

    digest = sha256()
    with whole_files.replacing(path, mode) as file:
        for piece in page.pieces(texts, chunks, **tables):
            content = piece.encode("utf-8")
            digest.update(content)
            file.write(content)
        last_line = _last_line(made_of, digest.hexdigest(), picture)
        file.write(last_line)
    return path


class _Shown(NamedTuple):
    """What the page's scripts read, as text: as lists and dicts it takes many times the memory."""

    texts: tuple[str, ...]
    """The JSON without its end: the columns of the matches come last."""
    has_viewer: bool
    ids: tuple[str, ...]
    """Of the matches, in the order of the columns."""
    by_importance: tuple[tuple[str, int], ...]
    """The same matches with their turns, the most informative first."""


def _shown(
    results: Results,
    games: replays.Games,
    archive: Archive,
    author: Author | None,
    listed: int,
) -> _Shown:
    """Return what the page's scripts read of an event, but for the replays."""
    index = data.Index.of(results)
    pages = bots.pages(results, index, archive, author)
    newest = archive.numbers()
    linked = bots.linked(pages)
    played = matches_of(results.played, author)
    order = data.by_importance(played, newest, linked)
    order = order[:listed]
    matches = data.listed(played, order)

    values = data.event(results, index, games, archive, matches, author)
    values["pages"] = pages
    values["times"] = [TIMING[name].heading for name in bots.TIMES]
    values["reach"] = bots.reach(pages)
    columns = data.columns(matches, index)
    texts = (
        replays.safe_json(values).removesuffix("}"),
        ',"matches":',
        replays.safe_json(columns).removesuffix("}"),
    )
    turns = {match.id: match.turns for match in matches}
    return _Shown(
        texts=texts,
        has_viewer=page.shows_viewer(values),
        ids=tuple(match.id for match in matches),
        by_importance=tuple((match, turns[match]) for match in order),
    )


def _inputs(
    results: Results,
    games: replays.Games,
    charts: Iterable[Path],
    placings: Sequence[Mapping[str, Any]],
    since: Results | None,
    author: Author | None,
) -> str:
    """Return a digest of what a page is made of; it is quick also where the page is not.

    What a section of an extension shows depends on the results alone.
    """
    for label in results.boards:
        newest = results.archive.newest_on(label)
        if newest is not None:
            with contextlib.suppress(ArenaError):  # `games` remembers it
                games.game(newest.match)
    chart_digests = [(file.name, file_digest(file)) for file in charts]
    compared = None
    if since is not None:
        compared = since.made_of
    reader = None
    if author is not None:
        reader = asdict(author)
        reader["bots"] = sorted(author.bots)
    return digest_of(
        results.made_of,
        games.digest(),
        chart_digests,
        placings,
        compared,
        reader,
    )


def _tables(
    results: Results,
    placings: Sequence[Mapping[str, Any]],
    since: Results | None,
) -> dict[str, Any]:
    """Return the tables of the page, by their names in the template."""
    schedule = results.event.schedule
    tables = {
        "leaderboards": leaderboard.leaderboards(results),
        "who_plays_what": clean(results.who_plays_what),
        "rankings": tuple(leaderboard.rankings(results)),
        "ending": results.end_sentences,
        "places": leaderboard.placings(schedule, placings),
        "then": "",
        "since": (),
        "schedule": schedule.replace("_", " "),
    }
    if since is not None:
        tables["then"] = clean(since.event.name)
        tables["since"] = leaderboard.since(results, since)
    return tables


def _words(results: Results, author: Author | None) -> dict[str, Any]:
    """Return what depends on the reader: title, notice, preview, and sections of extensions."""
    name = results.event.name
    if author is not None:
        notice = author.without_paths(author.notice)
        return {
            "title": f"{name}: {author.name}",
            "notice": notice,
            "preview": "",
            "sections": (),
        }
    from arena.pictures import card

    return {
        "title": name,
        "notice": "",
        "preview": card.description(results),
        # What extensions add is nobody's business but the organiser's.
        "sections": sections.of(results),
    }


def _write_card(results: Results, path: Path) -> bytes:
    """Write the picture that previews of links to the report show; return it."""
    from arena.pictures import card, pixels

    picture = pixels.png([card.card(results)])
    whole_files.write(path, picture)
    return picture


def _last_line(made_of: str, content: str, picture: bytes) -> bytes:
    """Return a line that says what a report was made of, with a seal of its content and its card.

    `content` is the SHA-256 of the content.

    So a report that somebody changed or forged is made again.
    """
    digests = digest_of(made_of, content, sha256(picture).hexdigest())
    seal = seals.seal(PURPOSE, digests.encode())
    return f"<!-- {made_of} {seal.hex()} -->\n".encode()


def _is_current(path: Path, made_of: str, card_path: Path | None) -> bool:
    """Say whether a report of this is there, as this user's arena wrote it."""
    picture = b""
    try:
        if card_path is not None:
            picture = whole_files.read_cache(card_path)
        report = whole_files.read_cache(path)
    except OSError:
        return False
    content, mark, last_line = report.rpartition(b"<!-- ")
    digest = sha256(content).hexdigest()
    return mark + last_line == _last_line(made_of, digest, picture)
