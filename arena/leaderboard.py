"""pandas frames of an event: leaderboard, crosstable, matches, seats, turns, timing; and their CSV files.

It owns the columns. Points come from standings.py, everything else from the archive. No clock reading is in any frame
but `seats`, `turns` and `timing`, so that the files of the others are the same bytes each time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from arena import tables
from arena.archive import Archive
from arena.errors import ArenaError
from arena.event import Event, Played
from arena.game import Role
from arena.match import Ending
from arena.standings import Standing, meetings, standings

LEADERBOARD = ["rank", "bot", "matches", "points", "won", "drawn", "lost", "forfeits", *map(str, Ending)]
SEATS = ["match", "role", "bot", "digest", "score", "ending", "words", "ready", "exit", "cpu", "memory", "turns"]
CROSSTABLE = ["board", "role", "bot", "opponent", "matches", "score"]
TIMES = [*(f"{clock}_{what}" for clock in ("wall", "cpu") for what in ("p50", "p99", "max")), "waited_p99"]
TURNS = ["match", "turn", "role", "bot", "move", "by", "said", "wall", "cpu", "waited", "remarks"]


class Results:
    """The results of an event, read once; `all_versions` counts matches of edited bots, boards and rules too."""

    def __init__(self, archive: Archive, *, all_versions: bool = False) -> None:
        self._archive = archive
        self._all_versions = all_versions

    @classmethod
    def open(cls, path: str | Path, *, all_versions: bool = False) -> "Results":
        """The results in a folder such as `results/demo`; ArenaError when there are none."""
        return cls(Archive.open(Path(path)), all_versions=all_versions)

    @cached_property
    def event(self) -> Event:
        """The event as it was played."""
        return self._archive.event()

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """The matches that count, by id."""
        return self._archive.played(all_versions=self._all_versions)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The place of every bot, best first."""
        names = [bot.name for bot in self.event.bots]
        if self._all_versions:
            names = sorted({*names, *(bot for match in self.played for bot in match.seats.values())})
        return standings(names, self.played)

    @cached_property
    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` of the event."""
        boards = {board.label: tuple(board.roles) for board in self.event.boards}
        if self._all_versions:
            boards |= {match.label: tuple(match.seats) for match in self.played if match.label not in boards}
        return boards

    @cached_property
    def columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return _columns(self.boards)

    @cached_property
    def places(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        return {
            (label, role): f"{column}{'/' if '/' in column else '_'}{role}"
            for label, column in self.columns.items()
            for role in self.boards[label]
        }

    def leaderboard(self) -> pd.DataFrame:
        """A row a bot, best first; `rank` and `points` are missing for a bot that never played."""
        rows = [_leaderboard_row(one, self.columns, self.places) for one in self.standings]
        frame = pd.DataFrame(rows, columns=[*LEADERBOARD, *self.columns.values(), *self.places.values()])
        return frame.astype({"rank": "Int64"})

    def matches(self) -> pd.DataFrame:
        """A row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event.

        They stand by board, repeat and bots.
        """
        roles = list(dict.fromkeys(role for _, role in self.places))
        head = ["match", "game", "board", "repeat", "seed", "reason"]
        parts = [f"{role}_{part}" for role in roles for part in ("bot", "score", "ending")]
        frame = pd.DataFrame(
            (_match_row(match, roles) for match in sorted(self.played, key=_order)), columns=[*head, *parts]
        )
        return frame.astype({f"{role}_score": "Int64" for role in roles})

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """A row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board` or a board's name; ArenaError for one, or for a role, that
        the event has not.
        """
        frame = self._meetings
        if board is not None:
            labels = [label for label in self.boards if board in {label, label.partition("/")[2]}]
            _known("board", board, bool(labels), self.columns.values())
            frame = frame[frame["board"].isin(labels)]
        if role is not None:
            roles = {role for _, role in self.places}
            _known("role", role, role in roles, roles)
            frame = frame[frame["role"] == role]
        return frame.reset_index(drop=True)

    @cached_property
    def _meetings(self) -> pd.DataFrame:
        cells: dict[tuple[str, Role, str, str], list[int]] = {}
        for match in self.played:
            for key, score in meetings(match):
                cell = cells.setdefault(key, [0, 0])
                cell[0] += 1
                cell[1] += score
        rows = [(*key, count, total / count) for key, (count, total) in sorted(cells.items())]
        return pd.DataFrame(rows, columns=CROSSTABLE)

    def seats(self) -> pd.DataFrame:
        """A row a match and role: bot, digest, score, ending and its words, seconds to `ready`, exit, CPU, memory."""
        query = f"select {', '.join(SEATS)} from seats {self._counted('match')} order by match, place"
        return pd.DataFrame(list(self._archive.rows(query)), columns=SEATS)

    def turns(self) -> pd.DataFrame:
        """A row a move: match, turn, role, bot, move, by whom, the refused text, three times in seconds, remarks."""
        return pd.DataFrame(self._turns(), columns=TURNS)

    def timing(self) -> pd.DataFrame:
        """A row for each bot, board and role: answers, and quantiles of their wall and CPU time, in seconds."""
        times: dict[tuple[str, str, str], list[tuple[bytes, bytes, bytes]]] = {}
        query = (
            "select bot, game || '/' || board, role, walls, cpus, waits from seats join matches on match = id "
            f"{self._counted('id')} order by id, place"
        )
        for bot, board, role, *packed in self._archive.rows(query):
            times.setdefault((bot, board, role), []).append((packed[0], packed[1], packed[2]))
        rows = [(*key, *_quantiles(packed)) for key, packed in sorted(times.items())]
        return pd.DataFrame(rows, columns=["bot", "board", "role", "turns", *TIMES])

    def seats_held(self) -> Counter[str]:
        """How many seats each bot had in the matches that count."""
        return Counter(bot for match in self.played for bot in match.seats.values())

    def aborts(self) -> pd.DataFrame:
        """A row for each time that arena itself failed a match: match, attempt, cause."""
        rows = [(abort.match, abort.attempt, abort.cause) for abort in self._archive.aborts()]
        return pd.DataFrame(rows, columns=["match", "attempt", "cause"])

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def _counted(self, column: str) -> str:
        return "" if self._all_versions else f"where {column} in (select match from plan)"

    def _turns(self) -> Iterator[tuple[object, ...]]:
        counted = {match.id for match in self.played}
        for record in self._archive.records():
            if record.match.id in counted:
                bots = {seat.role: seat.bot.name for seat in record.match.seats}
                for turn in record.turns:
                    who = (record.match.id, turn.number, turn.role, bots.get(turn.role))
                    times = (turn.wall, turn.cpu, turn.waited)
                    yield (*who, turn.move, turn.by, turn.said, *times, "\n".join(turn.remarks))


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write leaderboard, crosstable, matches and timing as CSV files; each is whole or not there."""
    frames = {
        "leaderboard": results.leaderboard(),
        "crosstable": results.crosstable(),
        "matches": results.matches(),
        "timing": results.timing(),
    }
    return tuple(tables.write(frame, folder / f"{name}.csv") for name, frame in frames.items())


def _columns(boards: Mapping[str, tuple[Role, ...]]) -> dict[str, str]:
    """A board's own name, or `game/board` where the name, or the name with a role, stands for something else too."""
    names = {label: label.partition("/")[2] for label in boards}
    all_of = {label: [name, *(f"{name}_{role}" for role in boards[label])] for label, name in names.items()}
    uses = Counter([*LEADERBOARD, *(column for columns in all_of.values() for column in columns)])
    return {label: name if all(uses[each] == 1 for each in all_of[label]) else label for label, name in names.items()}


def _known(kind: str, name: str, known: bool, names: Iterable[str]) -> None:
    if not known:
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {', '.join(sorted(names))}")


def _order(match: Played) -> tuple[object, ...]:
    return match.label, match.repeat, tuple(match.seats.values()), match.id


def _leaderboard_row(one: Standing, columns: dict[str, str], places: dict[tuple[str, Role], str]) -> list[object]:
    head = [one.rank, one.bot, one.matches, one.points, one.won, one.drawn, one.lost, one.forfeits]
    endings = [one.endings.get(ending, 0) for ending in Ending]
    return [*head, *endings, *(one.boards.get(label) for label in columns), *(one.roles.get(place) for place in places)]


def _match_row(match: Played, roles: list[Role]) -> list[object]:
    head = [match.id, match.game, match.board, match.repeat, match.seed, match.reason]
    parts = [(match.seats.get(role), match.scores.get(role), match.endings.get(role)) for role in roles]
    return [*head, *(None if value is None else value for part in parts for value in part)]


def _quantiles(packed: list[tuple[bytes, bytes, bytes]]) -> list[float]:
    """How many answers, and the figures of TIMES; missing when a bot never answered."""
    walls, cpus, waits = (
        np.frombuffer(b"".join(match[clock] for match in packed), dtype=np.float32) for clock in range(3)
    )
    if not len(walls):
        return [0, *[np.nan] * len(TIMES)]
    figures = [figure for clock in (walls, cpus) for figure in (*np.quantile(clock, [0.5, 0.99]), clock.max())]
    return [len(walls), *map(float, figures), float(np.quantile(waits, 0.99))]
