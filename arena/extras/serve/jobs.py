"""What the server's processes compute: parts of pages, and JSON for the scripts, out of an event's archive.

Each job opens the archive to read one moment of it, and closes it, so that SQLite can cut its log.
It takes no lock. Of all that bots wrote a reader gets only moves, as in a report for one author.
`own` names the bots whose words the reader may read, too; None means all bots.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from arena.display_names import display_names
from arena.errors import ArenaError
from arena.event import broadcast, config
from arena.event.placings import placings
from arena.extras.serve import templates
from arena.game import Game
from arena.games import rulebook
from arena.protocol import clean
from arena.replay.drawing import render_state
from arena.replay.like_positions import LikePositions, learn
from arena.replay.replayer import scenes
from arena.report import bots, data, leaderboard, replays
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive
from arena.results.columns import CROSSTABLE, TIMING
from arena.results.leaderboard import Results
from arena.results.upsets import upsets
from arena.values import Bot, Match, Played, Seat, Turn

NEWEST = 500  # matches in which upsets are looked for
UPSETS, WALL_ROWS = 7, 10  # that can be read from afar
MOST_TURNS = 1000  # of a live match that are sent at once; of more the last ones
MOST_CROSSED = 60  # bots of a crosstable: the best ones; a page of more would be of no use


@dataclass(frozen=True)
class Side:
    """A seat of a match in a list."""

    bot: str
    display: str
    role: str
    score: int
    ending: str
    won: bool | None
    """None for a draw."""


@dataclass(frozen=True)
class ListedMatch:
    """A match in a list."""

    number: int
    id: str
    board: str
    reason: str
    turns: int
    seats: tuple[Side, ...]


class Front(NamedTuple):
    """The leaderboard's page, and the figures that other pages take from it."""

    html: str
    ranks: Mapping[str, str]
    """The figures of each bot, in words."""


def rules_of(folder: Path) -> Callable[[Match], Game[Any]]:
    """Return what finds the game of a recorded match, by rules that the workspace of an event knows."""
    tournament = folder.parent.parent / "tournament.toml"
    return lambda match: rulebook.game_of(config.board_of(match, tournament))


def results_of(folder: Path) -> "closing[Results]":
    """Return the results of an event as people are shown them, to be closed."""
    return closing(Results.open(folder, rules=rules_of(folder)))


def front(folder: Path, bot_path: str) -> Front:
    """Return the leaderboard of an event."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        tables = leaderboard.leaderboards(results)
        html = templates.render(
            "_leaderboard.html.j2",
            title=clean(results.event.name),
            bot_path=bot_path,
            leaderboards=tables,
            who_plays_what=clean(results.who_plays_what),
            rankings=tuple(leaderboard.rankings(results)),
            ending=results.end_sentences,
            places=leaderboard.placings(results.event.schedule, placings(archive)),
            rounds=leaderboard.rounds(results, archive),
            then="",
            since=(),
            schedule=results.event.schedule.replace("_", " "),
            sections=(),  # they are the organiser's
        )
    figures = {
        row["bot"].text: ", ".join(
            f"{name} {row[name].text}"
            for name in ("rank", "rating", "points", "matches")
            if name in row
        )
        for table in reversed(tables)
        for row in (*table.rows, *(row for _, rows in table.parts for row in rows))
    }
    return Front(html, figures)


def wall(folder: Path) -> str:
    """Return what a projector shows of an event: the best bots of each game, and the newest upsets."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        newest = archive.played_of(list(archive.newest(NEWEST)))
        of_leagues = [
            upset
            for league in results.leagues
            for upset in upsets(league, [match for match in newest if match.label in league.boards])
        ]
        rows = [
            (
                clean(results.display_name(upset.winner.bot)),
                clean(results.display_name(upset.loser.bot)),
                round(upset.loser.strength.value - upset.winner.strength.value)
                if results.unit == "Elo"
                else None,
                clean(upset.match.label),
            )
            for upset in of_leagues[:UPSETS]
        ]
        tables, title = leaderboard.leaderboards(results), clean(results.event.name)
    return templates.render(
        "_wall.html.j2", title=title, tables=tables, upsets=rows, rows=WALL_ROWS
    )


def picture(folder: Path, match: str = "") -> bytes:
    """Return what the preview of a link shows: the leaderboard, or a match after its last turn."""
    from arena.pictures import card, pixels  # here, since no other job draws
    from arena.pictures.match import Clip

    if not match:
        with closing(Results.open(folder, rules=rules_of(folder))) as results:
            return pixels.png([card.card(results)])
    with Archive.open(folder) as archive:
        record = archive.record(match)
        names = display_names(archive.event().bots)
    game = rules_of(folder)(record.match)
    shown = tuple(scenes(game, record.turns))
    seats = {seat.role: names.get(seat.bot.name, seat.bot.name) for seat in record.match.seats}
    return pixels.png([Clip(game, record, seats, shown).film(len(shown) - 1, len(shown) - 1)])


def crosstable(folder: Path, bot_path: str, matches_path: str) -> str:
    """Return the crosstables of an event: of each board a table for each role."""
    score_in_file = CROSSTABLE["score"].in_file
    cells: dict[str, dict[str, dict[tuple[str, str], tuple[int, float | None]]]] = {}
    with results_of(folder) as results:
        for board, role, bot, opponent, matches, score in results.crosstable().itertuples(
            index=False
        ):
            of_role = cells.setdefault(board, {}).setdefault(role, {})
            of_role[bot, opponent] = (matches, score_in_file(score))
        ranked = {board: results.league_of(board).standings for board in cells}
        return templates.render(
            "_crosstable.html.j2",
            tables=[
                (
                    board,
                    clean(board),
                    roles,
                    {
                        each.bot: clean(results.display_name(each.bot))
                        for each in ranked[board][:MOST_CROSSED]
                    },
                )
                for board, roles in cells.items()
            ],
            bot_path=bot_path,
            matches_path=matches_path,
            most=MOST_CROSSED if any(len(every) > MOST_CROSSED for every in ranked.values()) else 0,
        )


def _line(match: Played, number: int, display: Mapping[str, str]) -> ListedMatch:
    best = {side: max(match.scores[role] for role in side) for side in match.sides}
    top = max(best.values())
    many = sum(score == top for score in best.values()) > 1
    won: dict[str, bool | None] = {
        role: False if score < top else None if many else True
        for side, score in best.items()
        for role in side
    }
    seats = tuple(
        Side(
            bot=bot,
            display=clean(display.get(bot, bot)),
            role=clean(role),
            score=match.scores[role],
            ending=ending.value.replace("_", " ") if (ending := match.endings.get(role)) else "",
            won=won[role],
        )
        for role, bot in match.seats.items()
    )
    return ListedMatch(
        number, match.id, clean(match.label), clean(match.reason), match.turns, seats
    )


def matches(
    folder: Path, most: int, chosen: tuple[tuple[str, Any], ...]
) -> tuple[tuple[ListedMatch, ...], int, list[str], list[str]]:
    """Return the newest matches, the number of all, the boards, and the names of the bots.

    `chosen` narrows them down: to those before a number, of a bot, of its version, on a board.
    """
    with Archive.open(folder) as archive:
        event = archive.event()
        display = display_names(event.bots)
        source = archive.of_all_versions() if "digest" in dict(chosen) else archive
        numbered = source.newest(most, **dict(chosen))
        return (
            tuple(
                _line(match, numbered[match.id], display)
                for match in source.played_of(list(numbered))
            ),
            archive.count(),
            [board.label for board in event.boards],
            sorted(bot.name for bot in event.bots),
        )


def match_line(folder: Path, match: str) -> ListedMatch | None:
    """Return a match by its whole id; None when it is not there."""
    with Archive.open(folder) as archive:
        display = display_names(archive.event().bots)
        played = archive.of_all_versions().played_of([match])
    return _line(played[0], 0, display) if played else None


def captions(_folder: Path, names: tuple[str, ...]) -> list[str]:
    """Return what each chart shows, in a sentence."""
    from arena import charts  # here, since it is slow to import, and few pages need it

    return [charts.caption(name) if name in charts.names() else name for name in names]


def overview(folder: Path) -> dict[str, Any]:
    """Return what an event is, in plain words."""
    with Archive.open(folder) as archive:
        event, finished = archive.event(), archive.count()
    return {
        "name": clean(event.name),
        "bots": len(event.bots),
        "names": {clean(shown): bot for bot, shown in display_names(event.bots).items()},
        "boards": [board.label for board in event.boards],
        "schedule": event.schedule.replace("_", " "),
        "played": finished,
    }


def versions(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return of each bot its versions, each with its figures as texts."""
    with results_of(folder) as results:
        return bots.versions(results)


def bot_pages(folder: Path, own: frozenset[str] | None) -> dict[str, str]:
    """Return of each bot the JSON of its page, by its name."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        index, games, author = (
            data.Index.of(results),
            replays.Games(rules_of(folder)),
            _reader(folder, own),
        )
        # The page has the versions itself, with links, also for whoever has no scripts.
        pages = [page | {"versions": []} for page in bots.pages(results, index, archive, author)]
        event = data.event(results, index, games, archive, (), author) | {
            "crosstable": [],
            "times": [TIMING[name].heading for name in bots.TIMES],
            "reach": bots.reach(pages),
        }
        texts = {}
        for bot, number in index.bots.items():
            linked = data.columns(
                data.listed(results.played, set(bots.linked([pages[number]]))), index
            )
            linked |= {"replay": [0] * len(linked["id"])}
            texts[bot] = replays.safe_json(
                event | {"pages": {number: pages[number]}, "matches": linked}
            )
        return texts


def _reader(folder: Path, own: frozenset[str] | None) -> Author | None:
    if own is None:
        return None
    with Archive.open(folder) as archive:  # a duel calls two versions of a bot NAME@1 and NAME@2
        versions = {bot.name for bot in archive.event().bots if bot.name.partition("@")[0] in own}
    return Author(
        name="",
        bots=own | versions,
        file="",
        hidden_paths=hidden_paths(folder),
        sees_all_matches=True,
    )


def like_positions(folder: Path, label: str) -> LikePositions | None:
    """Return what became of the positions of a board in the matches of an event."""
    with Archive.open(folder) as archive:
        return learn(archive, [label], rules_of(folder)).get(label)


def replay(folder: Path, match: str, own: frozenset[str] | None, like: LikePositions | None) -> str:
    """Return the JSON of one match's page, with its replay."""
    with Archive.open(folder) as archive:
        record = archive.record(match)
        event = archive.event()
        (played,) = archive.of_all_versions().played_of([match])
    author = _reader(folder, own)
    record = record if author is None else author.cut(record)
    games = replays.Games(rules_of(folder), {played.label: like} if like is not None else {})
    return replays.safe_json(
        data.match_values(record, played, display_names(event.bots), games, event.name)
    )


@dataclass(frozen=True)
class PartOfMatch:
    """The turns of a match after those that were asked for before."""

    head: str
    """JSON of the names and the board; empty unless it was asked for from the start."""
    turns: tuple[str, ...]
    """JSON of each turn: its state, and its moves as a replay has them. The first of a match is its start."""
    count: int
    """The turns of the match so far, its start among them."""
    text: str = ""
    """Its last state as lines of text."""
    result: str = ""
    """JSON of scores, endings and reason; empty while it is played."""


def under_way(folder: Path, lane: str, wanted: str, since: int) -> PartOfMatch | None:
    """Return what a lane has played of a match beyond `since` turns; None if nobody can see that."""
    live = broadcast.turns_of(folder, lane)
    if live is None or live[0].id != wanted:
        return None
    head, turns = live
    seats = tuple(Seat(role, Bot(name=bot, command=(), digest="")) for role, bot in head.seats)
    # A match for those who know its rules; nobody can play it.
    match = Match(
        id=head.id,
        game=head.game,
        board=head.board,
        rules=head.rules,
        seats=seats,
        repeat=head.repeat,
        seed=0,
        sampled=head.sampled,
    )
    return _part(folder, match, turns, since)


def finished(folder: Path, wanted: str, since: int) -> PartOfMatch | None:
    """Return a match that is over beyond `since` turns; None if it is not stored, or cannot be shown."""
    with Archive.open(folder) as archive:
        if not archive.stored([wanted]):
            return None
        record = archive.record(wanted)
    verdict, roles = record.verdict, [seat.role for seat in record.match.seats]
    endings = [ending and ending.value for ending in map(verdict.ending, roles)]
    result = {
        "scores": [verdict.scores[role] for role in roles],
        "endings": endings,
        "reason": clean(verdict.reason),
    }
    return _part(folder, record.match, record.turns, since, replays.safe_json(result))


def _part(
    folder: Path, match: Match, turns: Sequence[Turn], since: int, result: str = ""
) -> PartOfMatch | None:
    games, roles = replays.Games(rules_of(folder)), [seat.role for seat in match.seats]
    try:
        game = games.game(match)
        replayed = list(scenes(game, turns))
        facts = games.states(match, game.sides, replayed)
    except ArenaError:  # its rules are not known here, or were edited
        return None
    bare = (
        turn._replace(remarks=(), rejected_text=None) for turn in turns
    )  # what bots wrote is for their authors
    fates = iter(facts["fates"])
    moves = [list(rows) for _, rows in groupby(replays.moves(bare, roles), key=lambda row: row[0])]
    values = [
        {"state": state, "moves": rows, "fates": list(islice(fates, len(rows)))}
        for state, rows in zip(facts["states"], [[], *moves], strict=True)
    ]
    return PartOfMatch(
        "" if since else _head(folder, match, games, facts.get("grids"), is_over=bool(result)),
        tuple(map(replays.safe_json, values[since:][-MOST_TURNS:])),
        len(values),
        render_state(game, replayed[-1].facts),
        result,
    )


def _head(folder: Path, match: Match, games: replays.Games, grids: object, *, is_over: bool) -> str:
    with Archive.open(folder) as archive:
        display = display_names(archive.event().bots)
    game = games.game(match)
    index = data.Index(
        bots={},
        boards={match.label: 0},
        roles={match.label: tuple(seat.role for seat in match.seats)},
        sides={match.label: tuple(game.sides)},
    )
    return replays.safe_json(
        {
            "id": match.id,
            "over": is_over,
            "board": data.board_values(match.label, index, games, match),
            "grids": grids,
            "bots": [clean(display.get(seat.bot.name, seat.bot.name)) for seat in match.seats],
        }
    )
