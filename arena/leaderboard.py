"""pandas frames of an event: leaderboard, crosstable, matches, seats, turns, timing; and their CSV files.

It owns the columns. Points come from standings.py, everything else from the archive. No clock reading is in any frame
but `seats`, `turns` and `timing`, so that the files of the others are the same bytes each time.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.archive import Archive
from arena.event import Event, Played
from arena.game import Role
from arena.match import Ending
from arena.standings import Standing, standings

DECIMALS = 4
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
        """The matches that count, in the order of the plan: repeat, board, bots."""
        found = self._archive.played(all_versions=self._all_versions)
        return tuple(sorted(found, key=lambda one: (one.label, one.repeat, tuple(one.seats.values()), one.id)))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The place of every bot, best first."""
        names = [bot.name for bot in self.event.bots]
        if self._all_versions:
            names = sorted({*names, *(bot for match in self.played for bot in match.seats.values())})
        return standings(names, self.played)

    @cached_property
    def places(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        boards = {board.label: tuple(board.roles) for board in self.event.boards}
        if self._all_versions:
            boards |= {match.label: tuple(match.seats) for match in self.played if match.label not in boards}
        return {
            (label, role): f"{self._short(label, boards)}_{role}" for label, roles in boards.items() for role in roles
        }

    @staticmethod
    def _short(label: str, boards: Any) -> str:
        """A board's own name, or `game/board` where two games have one of that name."""
        shared = Counter(name.partition("/")[2] for name in boards)
        return label.partition("/")[2] if shared[label.partition("/")[2]] == 1 else label

    @cached_property
    def columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return {label: column.removesuffix(f"_{role}") for (label, role), column in self.places.items()}

    def leaderboard(self) -> pd.DataFrame:
        """A row a bot, best first; `rank` and `points` are missing for a bot that never played."""
        head = ["rank", "bot", "matches", "points", "won", "drawn", "lost", "forfeits", *map(str, Ending)]
        rows = [_leaderboard_row(one, self.columns, self.places) for one in self.standings]
        frame = pd.DataFrame(rows, columns=[*head, *self.columns.values(), *self.places.values()])
        return frame.astype({"rank": "Int64"})

    def matches(self) -> pd.DataFrame:
        """A row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event."""
        roles = list(dict.fromkeys(role for _, role in self.places))
        head = ["match", "game", "board", "repeat", "seed", "reason"]
        parts = [f"{role}_{part}" for role in roles for part in ("bot", "score", "ending")]
        frame = pd.DataFrame((_match_row(match, roles) for match in self.played), columns=[*head, *parts])
        return frame.astype({f"{role}_score": "Int64" for role in roles})

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """A row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board` or a board's name.
        """
        rows: dict[tuple[str, Role, str, str], list[int]] = {}
        for match in self.played:
            for key, score in _meetings(match):
                cell = rows.setdefault(key, [0, 0])
                cell[0] += 1
                cell[1] += score
        table = [(*key, count, total / count) for key, (count, total) in sorted(rows.items())]
        frame = pd.DataFrame(table, columns=CROSSTABLE)
        if board is not None:
            frame = frame[frame["board"].map(lambda label: board in {label, label.partition("/")[2]})]
        return frame if role is None else frame[frame["role"] == role]

    def seats(self) -> pd.DataFrame:
        """A row a match and role: bot, digest, score, ending and its words, seconds to `ready`, exit, CPU, memory."""
        names = [
            "match",
            "role",
            "bot",
            "digest",
            "score",
            "ending",
            "words",
            "ready",
            "exit",
            "cpu",
            "memory",
            "turns",
        ]
        query = f"select {', '.join(names)} from seats {self._counted('match')} order by match, place"
        return pd.DataFrame(list(self._archive.rows(query)), columns=names)

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
    return tuple(_write(frame, folder / f"{name}.csv") for name, frame in frames.items())


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A frame as plain rows for JSON: missing values are None, figures are rounded as in the CSV files."""
    rounded = frame.round(_decimals(frame))
    plain = rounded.astype(object).where(rounded.notna(), None)
    return [
        {str(key): value.item() if isinstance(value, np.generic) else value for key, value in row.items()}
        for row in plain.to_dict("records")
    ]


def _write(frame: pd.DataFrame, path: Path) -> Path:
    text = StringIO()
    frame.map(_harmless).to_csv(
        text, index=False, lineterminator="\n", float_format=f"%.{_decimals(frame)}f", quoting=csv.QUOTE_MINIMAL
    )
    part = path.with_suffix(".part")
    part.write_text(text.getvalue(), "utf-8")
    part.replace(path)
    return path


def _decimals(frame: pd.DataFrame) -> int:
    return 6 if "wall_p50" in frame else DECIMALS


def _harmless(cell: object) -> object:
    """A text that a spreadsheet would run as a formula gets a quote in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _leaderboard_row(one: Standing, columns: dict[str, str], places: dict[tuple[str, Role], str]) -> list[object]:
    head = [one.rank, one.bot, one.matches, one.points, one.won, one.drawn, one.lost, one.forfeits]
    endings = [one.endings.get(ending, 0) for ending in Ending]
    return [*head, *endings, *(one.boards.get(label) for label in columns), *(one.roles.get(place) for place in places)]


def _match_row(match: Played, roles: list[Role]) -> list[object]:
    head = [match.id, match.game, match.board, match.repeat, match.seed, match.reason]
    parts = [(match.seats.get(role), match.scores.get(role), match.endings.get(role)) for role in roles]
    return [*head, *(None if value is None else value for part in parts for value in part)]


def _meetings(match: Played) -> Iterator[tuple[tuple[str, Role, str, str], int]]:
    """Each role's score against each bot of another side, a bot with several roles there counting once."""
    for side in match.sides:
        opponents = sorted({match.seats[role] for role in match.seats if role not in side})
        for role in side:
            for opponent in opponents:
                yield (match.label, role, match.seats[role], opponent), match.scores[role]


def _quantiles(packed: list[tuple[bytes, bytes, bytes]]) -> list[float]:
    """How many answers, and the figures of TIMES; missing when a bot never answered."""
    walls, cpus, waits = (
        np.frombuffer(b"".join(match[clock] for match in packed), dtype=np.float32) for clock in range(3)
    )
    if not len(walls):
        return [0, *[np.nan] * len(TIMES)]
    figures = [figure for clock in (walls, cpus) for figure in (*np.quantile(clock, [0.5, 0.99]), clock.max())]
    return [len(walls), *map(float, figures), float(np.quantile(waits, 0.99))]
