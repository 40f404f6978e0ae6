"""The jobs of the server's workers: parts of pages, and JSON for scripts, from an event's archive.

Each job opens the archive to read one moment of it, and closes it, so that SQLite can cut its log.
It takes no lock. Of all that bots wrote a reader gets only moves, as in a report for one author.
`bots_of_author` names the bots whose words the reader may read, too; None means all bots.
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
from arena.event.plan import placings
from arena.extras.serve import templates
from arena.extras.serve.worker import SHARE
from arena.game import Game, Role
from arena.games import rulebook
from arena.protocol import clean
from arena.replay.drawing import render_state
from arena.replay.like_positions import LikePositions, learn
from arena.replay.replayer import scenes
from arena.report import bots, data, leaderboard, recorded, replays
from arena.report.author import Author, hidden_paths
from arena.results.archive import Archive
from arena.results.columns import CROSSTABLE, TIMING
from arena.results.folders import TOURNAMENT_FILE
from arena.results.leaderboard import Results
from arena.results.upsets import Upset, upsets
from arena.values import Bot, Match, Played, Seat, Turn

NEWEST = 500
"""The matches in which upsets are looked for."""
UPSETS = 7
"""The upsets on a wall."""
WALL_ROWS = 10
"""The rows of the leaderboard on a wall, which can be read from afar."""
FIGURES = ("rank", "rating", "points", "matches")
"""The columns of the leaderboard that the page of a bot has."""
MOST_TURNS = 1000
"""The most turns of a live match that are sent at once, the last of them."""
MOST_CROSSED = 60
"""The most bots of a crosstable, the best: a page with more would be of no use."""


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


class MatchList(NamedTuple):
    """The newest matches that were asked for, and what a reader may ask for."""

    lines: tuple[ListedMatch, ...]
    total: int
    """The number of all matches of the event."""
    boards: list[str]
    bots: list[str]


CellsOfRole = dict[tuple[str, str], tuple[int, float | None]]
"""The number of matches and the score of a bot against an opponent."""


def rules_of(folder: Path) -> Callable[[Match], Game[Any]]:
    """Return a function that finds the game of a recorded match, by the rules of the workspace."""
    tournament = folder.parent.parent / TOURNAMENT_FILE

    def game_of(match: Match) -> Game[Any]:
        board = config.board_of(match, tournament)
        return rulebook.game_of(board)

    return game_of


def results_of(folder: Path) -> "closing[Results]":
    """Return the results of an event as people are shown them, to be closed.

    While a run plays, all pages share a fit until it is due again.
    """
    patience = 0.0
    if Archive.holder(folder) is not None:
        patience = SHARE
    results = Results.open(folder, rules=rules_of(folder), patience=patience)
    return closing(results)


def fit_note(results: Results) -> str:
    """Return a sentence on matches that the ratings do not know yet; none if they know all."""
    unrated = sum(league.unrated_matches for league in results.leagues)
    if not unrated:
        return ""
    return (
        f"The ratings do not know the newest {unrated:,} matches yet: they follow in a while. "
        "Points are those of now."
    )


def front(folder: Path, bot_path: str) -> Front:
    """Return the leaderboard of an event."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        event = results.event
        tables = leaderboard.leaderboards(results)
        rankings = leaderboard.rankings(results)
        html = templates.render(
            "_leaderboard.html.j2",
            title=clean(event.name),
            bot_path=bot_path,
            leaderboards=tables,
            fit_note=fit_note(results),
            who_plays_what=clean(results.who_plays_what),
            rankings=tuple(rankings),
            ending=results.end_sentences,
            places=leaderboard.placings(event.schedule, placings(archive)),
            rounds=leaderboard.rounds(results, archive),
            then="",
            since=(),
            schedule=event.schedule.replace("_", " "),
            sections=(),  # they are for the organiser
        )
    figures: dict[str, str] = {}
    for table in reversed(tables):  # the first table that has a bot decides
        figures.update(_figures(table))
    return Front(html, figures)


def _figures(table: leaderboard.PageTable) -> dict[str, str]:
    """Return the figures of each bot of a leaderboard, in words."""
    rows = list(table.rows)
    for _, rows_of_part in table.parts:
        rows += rows_of_part
    figures: dict[str, str] = {}
    for row in rows:
        cells: list[str] = []
        for name in FIGURES:
            if name in row:
                cells.append(f"{name} {row[name].text}")
        bot = row["bot"].text
        figures[bot] = ", ".join(cells)
    return figures


def wall(folder: Path) -> str:
    """Return the page for a projector: the best bots of each game, and the newest upsets."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        newest_ids = list(archive.newest(NEWEST))
        newest = archive.played_of(newest_ids)
        all_upsets: list[Upset] = []
        for league in results.leagues:
            of_league = [match for match in newest if match.label in league.boards]
            all_upsets += upsets(league, of_league)
        rows = [_upset_cells(upset, results) for upset in all_upsets[:UPSETS]]
        tables = leaderboard.leaderboards(results)
        title = clean(results.event.name)
    return templates.render(
        "_wall.html.j2",
        title=title,
        tables=tables,
        upsets=rows,
        rows=WALL_ROWS,
    )


def _upset_cells(upset: Upset, results: Results) -> tuple[str, str, int | None, str]:
    """Return the winner, the loser, the difference in Elo and the board of an upset.

    The difference is None if the event has another rating than Elo.
    """
    winner = results.display_name(upset.winner.bot)
    loser = results.display_name(upset.loser.bot)
    board = upset.match.label
    difference = None
    if results.unit == "Elo":
        rating_of_winner = upset.winner.strength.value
        rating_of_loser = upset.loser.strength.value
        difference = round(rating_of_loser - rating_of_winner)
    return (
        clean(winner),
        clean(loser),
        difference,
        clean(board),
    )


def picture(folder: Path, match: str = "") -> bytes:
    """Return the preview of a link as a PNG: the leaderboard, or a match after its last turn."""
    from arena.pictures import card, pixels  # here, since no other job draws
    from arena.pictures.match import Clip

    if not match:
        with results_of(folder) as results:
            return pixels.png([card.card(results)])
    with Archive.open(folder) as archive:
        record = archive.record(match)
        bots_of_event = archive.event().bots
    displays = display_names(bots_of_event)
    names: dict[Role, str] = {}
    for seat in record.match.seats:
        name = seat.bot.name
        names[seat.role] = displays.get(name, name)
    game_of = rules_of(folder)
    game = game_of(record.match)
    states = tuple(scenes(game, record.turns))
    clip = Clip(game, record, names, states)
    last = len(states) - 1
    return pixels.png([clip.film(last, last)])


def crosstable(folder: Path, bot_path: str, matches_path: str) -> str:
    """Return the crosstables of an event: of each board a table for each role."""
    score_in_file = CROSSTABLE["score"].in_file
    cells: dict[str, dict[str, CellsOfRole]] = {}
    most = 0
    with results_of(folder) as results:
        frame = results.crosstable()
        for board, role, bot, opponent, matches, score in frame.itertuples(index=False):
            of_board = cells.setdefault(board, {})
            of_role = of_board.setdefault(role, {})
            of_role[bot, opponent] = (matches, score_in_file(score))
        tables = []
        for board, roles in cells.items():
            standings = results.league_of(board).standings
            if len(standings) > MOST_CROSSED:
                most = MOST_CROSSED
            names: dict[str, str] = {}
            for standing in standings[:MOST_CROSSED]:
                display = results.display_name(standing.bot)
                names[standing.bot] = clean(display)
            tables.append((board, clean(board), roles, names))
        return templates.render(
            "_crosstable.html.j2",
            tables=tables,
            bot_path=bot_path,
            matches_path=matches_path,
            most=most,
        )


def _line(
    match: Played,
    number: int,
    displays: Mapping[str, str],
) -> ListedMatch:
    """Return a match as a list has it."""
    best: dict[tuple[Role, ...], int] = {}
    for side in match.sides:
        best[side] = max(match.scores[role] for role in side)
    scores = list(best.values())
    top = max(scores)
    is_draw = scores.count(top) > 1

    won: dict[str, bool | None] = {}
    for side, score in best.items():
        result: bool | None = score == top
        if result and is_draw:
            result = None
        won.update(dict.fromkeys(side, result))
    won.update(dict.fromkeys(match.absent, False))

    seats = []
    for role, bot in match.seats.items():
        display = displays.get(bot, bot)
        ending = ""
        if role in match.endings:
            ending = match.endings[role].value.replace("_", " ")
        seat = Side(
            bot=bot,
            display=clean(display),
            role=clean(role),
            score=match.scores[role],
            ending=ending,
            won=won[role],
        )
        seats.append(seat)
    return ListedMatch(
        number=number,
        id=match.id,
        board=clean(match.label),
        reason=clean(match.reason),
        turns=match.turns,
        seats=tuple(seats),
    )


def matches(
    folder: Path,
    most: int,
    chosen: tuple[tuple[str, Any], ...],
) -> MatchList:
    """Return the newest matches.

    `chosen` narrows them down: to those before a number, of a bot, of its version, on a board.
    """
    filters = dict(chosen)
    with Archive.open(folder) as archive:
        event = archive.event()
        displays = display_names(event.bots)
        source = archive
        if "digest" in filters:
            source = archive.of_all_versions()
        numbers = source.newest(most, **filters)
        newest = source.played_of(list(numbers))
        lines: list[ListedMatch] = []
        for match in newest:
            number = numbers[match.id]
            lines.append(_line(match, number, displays))
        return MatchList(
            lines=tuple(lines),
            total=archive.count(),
            boards=[board.label for board in event.boards],
            bots=sorted(bot.name for bot in event.bots),
        )


def match_line(folder: Path, match: str) -> ListedMatch | None:
    """Return a match by its whole id; None if the archive does not have it."""
    with Archive.open(folder) as archive:
        event = archive.event()
        played = archive.of_all_versions().played_of([match])
    if not played:
        return None
    displays = display_names(event.bots)
    return _line(played[0], 0, displays)


def captions(_folder: Path, names: tuple[str, ...]) -> list[str]:
    """Return what each chart shows, in a sentence."""
    from arena import charts  # here, since it is slow to import, and few pages need it

    sentences: list[str] = []
    for name in names:
        if name in charts.names():
            sentences.append(charts.caption(name))
        else:
            sentences.append(name)
    return sentences


def overview(folder: Path) -> dict[str, Any]:
    """Return the name of an event, its bots and boards, and how much is played."""
    with Archive.open(folder) as archive:
        event = archive.event()
        finished = archive.count()
    displays = display_names(event.bots)
    names = {clean(display): bot for bot, display in displays.items()}
    return {
        "name": clean(event.name),
        "bots": len(event.bots),
        "names": names,
        "boards": [board.label for board in event.boards],
        "schedule": event.schedule.replace("_", " "),
        "played": finished,
    }


def versions(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the versions of each bot, with their figures as texts."""
    with results_of(folder) as results:
        return bots.versions(results)


def bot_pages(folder: Path, bots_of_author: frozenset[str] | None) -> dict[str, str]:
    """Return the JSON of the page of each bot, by its name."""
    with results_of(folder) as results, Archive.open(folder) as archive:
        index = data.Index.of(results)
        games = replays.Games(rules_of(folder))
        author = _reader(folder, bots_of_author)
        pages = bots.pages(results, index, archive, author)
        # The HTML has the versions, with links, also for readers without scripts.
        pages = [page | {"versions": []} for page in pages]

        event = data.event(results, index, games, archive, (), author)
        event["crosstable"] = []
        event["times"] = [TIMING[name].heading for name in bots.TIMES]
        event["reach"] = bots.reach(pages)

        texts = {}
        for bot, number in index.bots.items():
            page = pages[number]
            linked_ids = set(bots.linked([page]))
            linked = data.listed(results.played, linked_ids)
            columns = data.columns(linked, index)
            columns["replay"] = [0] * len(columns["id"])
            page_values = {
                "pages": {number: page},
                "matches": columns,
            }
            texts[bot] = replays.safe_json(event | page_values)
        return texts


def _reader(folder: Path, bots_of_author: frozenset[str] | None) -> Author | None:
    """Return the author with these bots, who reads; None for an organiser, who reads everything."""
    if bots_of_author is None:
        return None
    versions: set[str] = set()
    with Archive.open(folder) as archive:
        for bot in archive.event().bots:
            name, _, _ = bot.name.partition("@")  # a duel calls versions of a bot NAME@1 and NAME@2
            if name in bots_of_author:
                versions.add(bot.name)
    return Author(
        name="",
        bots=bots_of_author | versions,
        file="",
        hidden_paths=hidden_paths(folder),
        sees_all_matches=True,
    )


def like_positions(folder: Path, label: str) -> LikePositions | None:
    """Return what became of the positions of a board in the matches of an event."""
    with Archive.open(folder) as archive:
        by_board = learn(archive, [label], rules_of(folder))
        return by_board.get(label)


def replay(
    folder: Path,
    match: str,
    bots_of_author: frozenset[str] | None,
    like: LikePositions | None,
) -> str:
    """Return the JSON of one match's page, with its replay."""
    with Archive.open(folder) as archive:
        record = archive.record(match)
        event = archive.event()
        (played,) = archive.of_all_versions().played_of([match])
    author = _reader(folder, bots_of_author)
    if author is not None:
        record = author.cut(record)
    known: dict[str, LikePositions] = {}
    if like is not None:
        known[played.label] = like
    games = replays.Games(rules_of(folder), known)
    displays = display_names(event.bots)
    values = data.match_values(record, played, displays, games, event.name)
    return replays.safe_json(values)


@dataclass(frozen=True)
class PartOfMatch:
    """The turns of a match after those that were asked for before."""

    head: str
    """JSON of the names and the board; empty unless it was asked for from the start."""
    turns: tuple[str, ...]
    """JSON of each turn: its state, and its moves as a replay has them; the first is the start."""
    count: int
    """The turns of the match so far, its start among them."""
    text: str = ""
    """Its last state as lines of text."""
    result: str = ""
    """JSON of scores, endings and reason; empty while it is played."""


def under_way(
    folder: Path,
    lane: str,
    match_id: str,
    since: int,
) -> PartOfMatch | None:
    """Return the turns after the first `since` of a match under way; None if it is hidden."""
    live = broadcast.turns_of(folder, lane)
    if live is None:
        return None
    head, turns = live
    if head.id != match_id:
        return None
    seats: list[Seat] = []
    for role, bot in head.seats:
        bare_bot = Bot(name=bot, command=(), digest="")
        seats.append(Seat(role, bare_bot))
    # It has what a reader of its turns needs; nobody can play it.
    match = Match(
        id=head.id,
        game=head.game,
        board=head.board,
        rules=head.rules,
        seats=tuple(seats),
        repeat=head.repeat,
        seed=0,
        sampled=head.sampled,
    )
    return _part(folder, match, turns, since)


def finished(folder: Path, match_id: str, since: int) -> PartOfMatch | None:
    """Return the turns after the first `since` of a match that is over.

    Return None if the archive does not have the match, or if it cannot be shown.
    """
    with Archive.open(folder) as archive:
        if not archive.stored([match_id]):
            return None
        record = archive.record(match_id)
    verdict = record.verdict
    scores: list[int] = []
    endings: list[str | None] = []
    for seat in record.match.seats:
        scores.append(verdict.scores[seat.role])
        ending = verdict.ending(seat.role)
        if ending is None:
            endings.append(None)
        else:
            endings.append(ending.value)
    result = {
        "scores": scores,
        "endings": endings,
        "reason": clean(verdict.reason),
    }
    result_json = replays.safe_json(result)
    return _part(folder, record.match, record.turns, since, result_json)


def _part(
    folder: Path,
    match: Match,
    turns: Sequence[Turn],
    since: int,
    result: str = "",
) -> PartOfMatch | None:
    """Return the turns of a match after the first `since`; None if its rules cannot replay it."""
    games = replays.Games(rules_of(folder))
    roles = [seat.role for seat in match.seats]
    try:
        game = games.game(match)
        replayed = list(scenes(game, turns))
        facts = games.states(match, game.sides, replayed)
    except ArenaError:  # its rules are not known here, or were edited
        return None
    # What bots wrote is for their authors.
    bare = [turn._replace(remarks=(), rejected_text=None) for turn in turns]
    all_rows = recorded.moves(bare, roles)
    moves: list[list[Any]] = [[]]  # the start of a match has no moves
    for _, rows in groupby(all_rows, key=lambda row: row[0]):
        moves.append(list(rows))

    fates = iter(facts["fates"])
    values = []
    for state, rows_of_turn in zip(facts["states"], moves, strict=True):
        fates_of_turn = list(islice(fates, len(rows_of_turn)))
        turn_values = {
            "state": state,
            "moves": rows_of_turn,
            "fates": fates_of_turn,
        }
        values.append(turn_values)

    head = ""
    if not since:
        grids = facts.get("grids")
        head = _head(folder, match, games, grids, is_over=bool(result))
    unseen = values[since:]
    newest = unseen[-MOST_TURNS:]
    last = replayed[-1]
    return PartOfMatch(
        head=head,
        turns=tuple(map(replays.safe_json, newest)),
        count=len(values),
        text=render_state(game, last.facts),
        result=result,
    )


def _head(
    folder: Path,
    match: Match,
    games: replays.Games,
    grids: object,
    *,
    is_over: bool,
) -> str:
    """Return the JSON of the names and the board of a match."""
    with Archive.open(folder) as archive:
        event = archive.event()
    displays = display_names(event.bots)
    labels: list[str] = []
    for seat in match.seats:
        name = seat.bot.name
        display = displays.get(name, name)
        labels.append(clean(display))
    roles = tuple(seat.role for seat in match.seats)
    game = games.game(match)
    index = data.Index(
        bots={},
        boards={match.label: 0},
        roles={match.label: roles},
        sides={match.label: tuple(game.sides)},
    )
    head = {
        "id": match.id,
        "over": is_over,
        "board": data.board_values(match.label, index, games, match),
        "grids": grids,
        "bots": labels,
    }
    return replays.safe_json(head)
