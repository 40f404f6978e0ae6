"""What the server's processes compute of a match that is watched turn by turn: while it is played, or afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

from arena.display_names import display_names
from arena.errors import ArenaError
from arena.event import broadcast
from arena.protocol import clean
from arena.replay.drawing import render_state
from arena.replay.replayer import scenes
from arena.report import data, replays
from arena.results.archive import Archive
from arena.serve.jobs import rules_of
from arena.values import Bot, Match, Seat, Turn

MOST_TURNS = 1000  # turns that are sent at once; of more the last ones


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
    return _part(folder, _match(live[0]), live[1], since)


def finished(folder: Path, wanted: str, since: int) -> PartOfMatch | None:
    """Return a match that is over beyond `since` turns; None if it is not stored, or cannot be shown."""
    with Archive.open(folder) as archive:
        if not archive.stored([wanted]):
            return None
        record = archive.record(wanted)
    verdict, roles = record.verdict, [seat.role for seat in record.match.seats]
    endings = [ending and ending.value for ending in map(verdict.ending, roles)]
    result = {"scores": [verdict.scores[role] for role in roles], "endings": endings, "reason": clean(verdict.reason)}
    return _part(folder, record.match, record.turns, since, replays.safe_json(result))


def _match(head: broadcast.MatchHead) -> Match:
    """Return a match for those who know its rules; nobody can play it."""
    return Match(
        id=head.id,
        game=head.game,
        board=head.board,
        rules=head.rules,
        seats=tuple(Seat(role, Bot(name=bot, command=(), digest="")) for role, bot in head.seats),
        repeat=head.repeat,
        seed=0,
        sampled=head.sampled,
    )


def _part(folder: Path, match: Match, turns: Sequence[Turn], since: int, result: str = "") -> PartOfMatch | None:
    games, roles = replays.Games(rules_of(folder)), [seat.role for seat in match.seats]
    try:
        game = games.game(match)
        replayed = list(scenes(game, turns))
        facts = games.states(match, game.sides, replayed)
    except ArenaError:  # its rules are not known here, or were edited
        return None
    bare = (turn._replace(remarks=(), rejected_text=None) for turn in turns)  # what bots wrote is for their authors
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
            "board": data.board_values(match.label, match.label, index, games, match),
            "grids": grids,
            "bots": [clean(display.get(seat.bot.name, seat.bot.name)) for seat in match.seats],
        }
    )
