"""The data of the page's scripts: the event with its boards, and the matches as columns.

Columns of numbers are small in the file and quick to filter. It owns which matches are listed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from arena import extensions
from arena.display_names import shortened
from arena.errors import ArenaError
from arena.game import Role
from arena.protocol import clean
from arena.report import boards, viewer
from arena.report.author import Author, matches_of
from arena.report.replays import Games, replay
from arena.results.archive import Archive
from arena.results.columns import CROSSTABLE
from arena.values import Ending, Match, Played, Record

if TYPE_CHECKING:  # a match in a browser is drawn without pandas
    from arena.results.leaderboard import Results

ENDINGS = tuple(Ending)


@dataclass(frozen=True)
class Index:
    """Numbers for the names that the page repeats.

    Bots stand in the order of the leaderboard, boards in that of the event.
    """

    bots: Mapping[str, int]
    boards: Mapping[str, int]
    """By `game/board`."""
    roles: Mapping[str, tuple[Role, ...]]
    """Of each `game/board`, in order of play."""
    sides: Mapping[str, tuple[tuple[Role, ...], ...]]

    @classmethod
    def of(cls, results: "Results") -> "Index":
        """Number the names of an event's results."""
        sides = {}
        for match in results.played:
            sides[match.label] = match.sides
        for board in results.event.boards:
            sides[board.label] = board.sides
        names = [standing.bot for standing in results.standings]
        return cls(
            bots=_numbers(names),
            boards=_numbers(results.boards),
            roles=dict(results.boards),
            sides=sides,
        )

    def board_role(self, board: str, role: Role) -> tuple[int, int]:
        """Return the number of a board, and that of a role among its roles."""
        board_number = self.boards[board]
        role_number = self.roles[board].index(role)
        return board_number, role_number

    def opponents(self, match: Played, bot: str) -> tuple[str, ...]:
        """Return the bots on the opposing sides; the bot itself when it met itself."""
        sides = list(match.sides)
        for side in sides:
            if any(match.seats[role] == bot for role in side):
                sides.remove(side)
                break
        opponents: set[str] = set()
        for side in sides:
            for role in side:
                opponents.add(match.seats[role])
        return tuple(sorted(opponents))


def event(
    results: "Results",
    index: Index,
    games: Games,
    archive: Archive,
    listed: Sequence[Played],
    author: Author | None = None,
) -> dict[str, object]:
    """Return everything but the bots' pages and the matches, for the page's scripts."""
    bots = frozenset(index.bots)
    home = "leaderboard"
    if author is not None:
        bots = author.bots
        if bots:
            name = clean(results.display_name(min(bots)))
            home = f"bot={quote(name)}"
    names = []
    display_names = []
    for bot in index.bots:
        names.append(clean(bot))
        display_names.append(clean(results.display_name(bot)))

    board_list = []
    orders = []  # by board: the bots as the leaderboard of its game has them
    for label in index.boards:
        newest = archive.newest_on(label)
        sample = None
        if newest is not None:
            sample = newest.match
        board_list.append(board_values(label, index, games, sample))
        standings = results.league_of(label).standings
        order = [index.bots[standing.bot] for standing in standings]
        orders.append(order)
    return {
        "event": _event_values(results, listed, author),
        "bots": display_names,
        "names": names,
        "boards": board_list,
        "endings": list(ENDINGS),
        "commands": sorted(extensions.commands()),
        "home": home,
        "crosstable": _crosstable(results, index, bots),
        "orders": orders,
        "labels": shortened(display_names),
    }


def _event_values(
    results: "Results",
    listed: Sequence[Played],
    author: Author | None,
) -> dict[str, object]:
    """Return the head of the page."""
    event = results.event
    conditions = event.conditions
    confinement = [conditions.sandbox]
    for call in conditions.syscalls:
        confinement.append(f"{call} allowed")
    seed: int | str = "kept secret"
    if isinstance(event.seed, int):
        seed = event.seed
    played = matches_of(results.played, author)
    return {
        "name": clean(event.name),
        "seed": seed,
        "schedule": event.schedule.replace("_", " "),
        "imported": event.imported,
        "repeats": event.repeats,
        "move": conditions.time.move,
        "sandbox": ", ".join(confinement),
        "played": len(played),
        "listed": len(listed),
    }


def _crosstable(
    results: "Results",
    index: Index,
    bots: Collection[str],
) -> list[list[object]]:
    """Return the cells of the crosstable in which one of these bots is."""
    # The score has the decimals of the files: rounded twice it might differ from the terminal's.
    in_file = CROSSTABLE["score"].in_file
    cells = []
    rows = results.crosstable().itertuples(index=False)
    for board, role, bot, opponent, matches, score in rows:
        if bot not in index.bots or opponent not in index.bots:
            continue
        if bot not in bots and opponent not in bots:
            continue
        board_number, role_number = index.board_role(board, role)
        cell: list[object] = [
            board_number,
            role_number,
            index.bots[bot],
            index.bots[opponent],
            matches,
            in_file(score),
        ]
        cells.append(cell)
    return cells


def board_values(
    label: str,
    index: Index,
    games: Games,
    sample: Match | None,
) -> dict[str, object]:
    """Return a board's name and how it is drawn; without its rules it is not drawn.

    `sample` is a match on it.
    """
    game = None
    if sample is not None:
        with suppress(ArenaError):
            game = games.game(sample)
    roles = index.roles[label]
    sides = index.sides[label]
    values = boards.values(game, roles, sides)
    if game is not None:
        view = viewer.values(game)
        if view:
            values["viewer"] = view
    values["label"] = clean(label)
    values["roles"] = [clean(role) for role in roles]
    side_numbers = []
    for side in sides:
        side_numbers.append([roles.index(role) for role in side])
    values["sides"] = side_numbers
    return values


def by_importance(
    played: Iterable[Played],
    newest: Mapping[str, int],
    linked_ids: Iterable[str],
) -> tuple[str, ...]:
    """Return the ids of the matches, the most informative first, for a file of limited size.

    The first are those that the bots' pages link to (`linked_ids`), then the newest of every
    seating, so that every cell of a crosstable has a match, then the others, newest first. `newest`
    are numbers by id, higher for newer matches.
    """

    def number(match: Played) -> int:
        return newest.get(match.id, 0)

    ids = []
    seatings: dict[object, str] = {}
    for match in sorted(played, key=number, reverse=True):
        ids.append(match.id)
        bots = tuple(match.seats.values())
        seating = (match.label, bots)
        seatings.setdefault(seating, match.id)

    known = set(ids)
    order = [match for match in linked_ids if match in known]
    order.extend(seatings.values())
    order.extend(ids)
    return tuple(dict.fromkeys(order))


def listed(played: Iterable[Played], ids: Collection[str]) -> tuple[Played, ...]:
    """Return these matches in the order of a list: by board, repeat and bots, as in matches.csv."""

    def board_and_bots(match: Played) -> tuple[object, ...]:
        bots = tuple(match.seats.values())
        return match.label, match.repeat, bots, match.id

    known_ids = set(ids)
    matches = []
    for match in played:
        if match.id in known_ids:
            matches.append(match)
    matches.sort(key=board_and_bots)
    return tuple(matches)


def columns(matches: Sequence[Played], index: Index) -> dict[str, list[object]]:
    """Return columns of equal length; bots, boards and reasons are numbers.

    `bots`, `scores` and `endings` have a list a row, in the board's order of roles. The words of
    the reasons stand in `reasons`. An ending is 0 for none, otherwise its place in Ending, counted
    from 1, and below 0 where the bot did not start; a row is 0 where every seat finished by the
    rules, as nearly all do.
    """
    reasons = sorted({match.reason for match in matches})
    reason_numbers = _numbers(reasons)
    columns: dict[str, list[object]] = {
        "id": [],
        "board": [],
        "repeat": [],
        "seed": [],
        "turns": [],
        "reason": [],
        "bots": [],
        "scores": [],
        "endings": [],
    }
    for match in matches:
        roles = index.roles[match.label]
        bots = []
        scores = []
        for role in roles:
            bot = match.seats[role]
            bots.append(index.bots[bot])
            scores.append(match.scores[role])
        columns["id"].append(match.id)
        columns["board"].append(index.boards[match.label])
        columns["repeat"].append(match.repeat)
        columns["seed"].append(match.seed)
        columns["turns"].append(match.turns)
        columns["reason"].append(reason_numbers[match.reason])
        columns["bots"].append(bots)
        columns["scores"].append(scores)
        columns["endings"].append(_endings(match, roles))
    columns["reasons"] = [clean(reason) for reason in reasons]
    return columns


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Return the number of each name, counted from 0."""
    return {name: number for number, name in enumerate(names)}


def _endings(match: Played, roles: Iterable[Role]) -> list[int] | int:
    """Return the number of each role's ending; 0 where every seat finished by the rules."""
    if not any(match.endings.values()):
        return 0
    numbers = []
    for role in roles:
        ending = match.endings.get(role)
        number = 0
        if ending is not None:
            number = ENDINGS.index(ending) + 1
            if role in match.absent:
                number = -number
        numbers.append(number)
    return numbers


def match_values(
    record: Record,
    played: Played,
    display: Mapping[str, str],
    games: Games,
    event: str,
) -> dict[str, Any]:
    """Return one match's page with its replay, for the scripts.

    `display` has display names, by bot.
    """
    label = played.label
    bots = list(dict.fromkeys(played.seats.values()))
    names = []
    display_names = []
    for bot in bots:
        names.append(clean(bot))
        display_names.append(clean(display.get(bot, bot)))
    index = Index(
        bots=_numbers(bots),
        boards={label: 0},
        roles={label: tuple(played.seats)},
        sides={label: played.sides},
    )
    matches = columns([played], index)
    matches["replay"] = [0]
    event_values = {
        "name": clean(event),
        "played": 1,
        "listed": 1,
    }
    return {
        "event": event_values,
        "bots": display_names,
        "names": names,
        "boards": [board_values(label, index, games, record.match)],
        "endings": list(ENDINGS),
        "pages": {},
        "matches": matches,
        "replay": replay(record, games),
    }
