"""The data of the page's scripts: the event, its boards and crosstable; and its matches, as columns of numbers.

Numbers in columns are small in the file and quick to filter. It owns which matches are listed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from arena.display_names import shortened
from arena.errors import ArenaError
from arena.game import Role
from arena.protocol import clean
from arena.report import boards, viewer
from arena.report.author import Author
from arena.report.replays import Games, replay
from arena.results.archive import Archive
from arena.results.columns import CROSSTABLE
from arena.results.leaderboard import Results
from arena.values import Ending, Match, Played, Record

ENDINGS = tuple(Ending)


@dataclass(frozen=True)
class Index:
    """Numbers for the names that the page repeats: bots as the leaderboard has them, boards as the event has them."""

    bots: Mapping[str, int]
    boards: Mapping[str, int]
    """By `game/board`."""
    roles: Mapping[str, tuple[Role, ...]]
    """Of each `game/board`, in order of play."""
    sides: Mapping[str, tuple[tuple[Role, ...], ...]]

    @classmethod
    def of(cls, results: Results) -> "Index":
        """Number the names of an event's results."""
        sides = {match.label: match.sides for match in results.played}
        sides |= {board.label: board.sides for board in results.event.boards}
        return cls(
            bots={standing.bot: number for number, standing in enumerate(results.standings)},
            boards={label: number for number, label in enumerate(results.boards)},
            roles=dict(results.boards),
            sides=sides,
        )

    def board_role(self, board: str, role: Role) -> tuple[int, int]:
        """Return the number of a board, and that of a role among its roles."""
        return self.boards[board], self.roles[board].index(role)

    def opponents(self, match: Played, bot: str) -> tuple[str, ...]:
        """Return the bots on the other sides; the bot itself when it met itself."""
        own = [side for side in match.sides if any(match.seats[role] == bot for role in side)]
        others = {match.seats[role] for side in match.sides if side not in own[:1] for role in side}
        return tuple(sorted(others))


def event(
    results: Results,
    index: Index,
    games: Games,
    archive: Archive,
    listed: Sequence[Played],
    author: Author | None = None,
) -> dict[str, object]:
    """Return everything but the bots' pages and the matches, for the page's scripts."""
    own = frozenset(index.bots) if author is None else author.bots
    planned, conditions, score_in_file = (
        results.event,
        results.event.conditions,
        CROSSTABLE["score"].in_file,
    )
    return {
        "event": {
            "name": clean(planned.name),
            "seed": planned.seed if isinstance(planned.seed, int) else "kept secret",
            "schedule": planned.schedule.replace("_", " "),
            "repeats": planned.repeats,
            "move": conditions.time.move,
            "sandbox": ", ".join(
                (conditions.sandbox, *(f"{call} allowed" for call in conditions.syscalls))
            ),
            "played": len(results.played if author is None else author.own(results.played)),
            "listed": len(listed),
        },
        "bots": [clean(results.display_name(bot)) for bot in index.bots],
        "names": [clean(bot) for bot in index.bots],
        "boards": [
            board_values(label, index, games, newest.match if newest else None)
            for label in index.boards
            for newest in (archive.newest_on(label),)
        ],
        "endings": list(ENDINGS),
        "home": f"bot={quote(clean(results.display_name(min(own))))}"
        if author is not None and own
        else "leaderboard",
        # The score has the decimals of the files: rounded twice it might differ from the terminal's.
        "crosstable": [
            [
                *index.board_role(board, role),
                index.bots[bot],
                index.bots[opponent],
                matches,
                score_in_file(score),
            ]
            for board, role, bot, opponent, matches, score in results.crosstable().itertuples(
                index=False
            )
            if bot in index.bots and opponent in index.bots and not own.isdisjoint({bot, opponent})
        ],
        "orders": [  # of each board the bots as the leaderboard of its game has them
            [index.bots[each.bot] for each in results.league_of(label).standings]
            for label in index.boards
        ],
        "labels": shortened([clean(results.display_name(bot)) for bot in index.bots]),
    }


def board_values(label: str, index: Index, games: Games, sample: Match | None) -> dict[str, object]:
    """Return a board's name and how it is drawn; without its rules it is not drawn. `sample` is a match on it."""
    game = None
    if sample is not None:
        with suppress(ArenaError):
            game = games.game(sample)
    own = {} if game is None else viewer.values(game)
    return (
        boards.values(game, index.roles[label], index.sides[label])
        | ({"viewer": own} if own else {})
        | {
            "label": clean(label),
            "roles": [clean(role) for role in index.roles[label]],
            "sides": [
                [index.roles[label].index(role) for role in side] for side in index.sides[label]
            ],
        }
    )


def by_importance(
    played: Iterable[Played], newest: Mapping[str, int], linked_ids: Iterable[str]
) -> tuple[str, ...]:
    """Return the ids of the matches, the most informative first, for a file that has no room for all.

    The first are those that the bots' pages link to (`linked_ids`), then the newest of every seating, so that every
    cell of a crosstable has a match, then the others, newest first.
    """
    late_first = sorted(played, key=lambda match: newest.get(match.id, 0), reverse=True)
    seatings: dict[object, str] = {}
    for match in late_first:
        seatings.setdefault((match.label, tuple(match.seats.values())), match.id)
    ids = dict.fromkeys(match.id for match in late_first)
    return tuple(
        dict.fromkeys((*(each for each in linked_ids if each in ids), *seatings.values(), *ids))
    )


def listed(played: Iterable[Played], ids: Collection[str]) -> tuple[Played, ...]:
    """Return these matches in the order of a list: by board, repeat and bots, as in matches.csv."""
    wanted = {*ids}
    chosen = [match for match in played if match.id in wanted]
    return tuple(
        sorted(
            chosen,
            key=lambda match: (match.label, match.repeat, tuple(match.seats.values()), match.id),
        )
    )


def columns(matches: Sequence[Played], index: Index) -> dict[str, list[object]]:
    """Return columns of equal length; `bots`, `scores` and `endings` have a list a row, in the board's order of roles.

    Bots, boards and reasons are numbers; the words of the reasons stand in `reasons`. An ending is 0 for none, else its
    place in Ending, counted from 1; a row is 0 where every seat finished by the rules, as nearly all do.
    """
    reasons = {
        reason: number for number, reason in enumerate(sorted({match.reason for match in matches}))
    }
    roles = [index.roles[match.label] for match in matches]
    rows = list(zip(matches, roles, strict=True))
    return {
        "id": [match.id for match in matches],
        "board": [index.boards[match.label] for match in matches],
        "repeat": [match.repeat for match in matches],
        "seed": [match.seed for match in matches],
        "turns": [match.turns for match in matches],
        "reason": [reasons[match.reason] for match in matches],
        "bots": [[index.bots[match.seats[role]] for role in own] for match, own in rows],
        "scores": [[match.scores[role] for role in own] for match, own in rows],
        "endings": [
            [
                ENDINGS.index(match.endings[role]) + 1 if match.endings.get(role) else 0
                for role in own
            ]
            if any(match.endings.values())
            else 0
            for match, own in rows
        ],
        "reasons": [clean(reason) for reason in reasons],
    }


def match_values(
    record: Record, played: Played, display: Mapping[str, str], games: Games, event: str
) -> dict[str, Any]:
    """Return one match's page with its replay, for the scripts; `display` has display names, by bot."""
    names = list(dict.fromkeys(played.seats.values()))
    index = Index(
        bots={bot: number for number, bot in enumerate(names)},
        boards={played.label: 0},
        roles={played.label: tuple(played.seats)},
        sides={played.label: played.sides},
    )
    return {
        "event": {"name": clean(event), "played": 1, "listed": 1},
        "bots": [clean(display.get(bot, bot)) for bot in names],
        "names": [clean(bot) for bot in names],
        "boards": [board_values(played.label, index, games, record.match)],
        "endings": list(ENDINGS),
        "pages": {},
        "matches": columns([played], index) | {"replay": [0]},
        "replay": replay(record, games),
    }
