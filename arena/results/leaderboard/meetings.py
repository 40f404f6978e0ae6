"""Meetings: two bots on different sides of a match meet. Both tables of meetings are counted here.

Teammates do not meet, and a bot with several roles on a side is one opponent. Pure.
"""

from collections.abc import Iterator
from operator import attrgetter

import numpy as np

from arena.results.anytext import pd
from arena.results.arrays import Arrays, Entry
from arena.results.columns import CROSSTABLE
from arena.results.tiebreaks import Crosstable

PART = 10_000
"""Matches whose meetings are in memory at once; each takes up to 2 kB."""
MEETING = ["board_role", "bot", "opponent"]
ENCOUNTER = ["bot", "opponent", "result"]


def crosstable(arrays: Arrays) -> pd.DataFrame:
    """Return a row for each board, role, bot and opponent.

    It has the number of matches and the bot's mean score in that role. Here a bot meets itself
    where it plays both sides, and a bot on two of the opposing sides is one opponent.
    """
    bots, parts = _seats(arrays)
    board_roles, _ = arrays.coded(_board_role)
    sums = []
    for seats in parts:
        met = _opposed(seats, seats)
        met = met.drop_duplicates(["match", "position", "opponent"])
        sums.append(met.groupby(MEETING)["score"].agg(["size", "sum"]))
    cells = pd.concat(sums).groupby(level=MEETING).sum().reset_index()

    labels = np.array([label for label, _ in board_roles], dtype=object)
    roles = np.array([role for _, role in board_roles], dtype=object)
    names = np.array(bots, dtype=object)
    frame = {
        "board": labels[cells["board_role"]],
        "role": roles[cells["board_role"]],
        "bot": names[cells["bot"]],
        "opponent": names[cells["opponent"]],
        "matches": cells["size"],
        "score": cells["sum"] / cells["size"],
    }
    return pd.DataFrame(frame, columns=CROSSTABLE.names)


def encounters(arrays: Arrays) -> Crosstable:
    """Return the table for tie-breaks.

    Each two different bots on two sides of a match have one game.
    """
    bots, parts = _seats(arrays)
    counts = []
    for seats in parts:
        seats["score"] = seats.groupby(["match", "side"])["score"].transform("max")
        sides = seats.drop_duplicates(["match", "side", "bot"])
        met = _opposed(sides, sides)
        met = met[met["bot"] != met["opponent"]]
        met = met.assign(result=np.sign(met["score"] - met["opposing"]))
        counts.append(met.groupby(ENCOUNTER).size())
    games = pd.concat(counts).groupby(level=ENCOUNTER).sum()
    rows = []
    for bot, opponent, result, count in games.reset_index().to_numpy().tolist():
        rows.append((bots[bot], bots[opponent], result, count))
    return Crosstable.count(rows)


def _board_role(entry: Entry) -> tuple[str, str]:
    return entry.label, entry.role


def _seats(arrays: Arrays) -> tuple[list[str], Iterator[pd.DataFrame]]:
    """Return the names of the bots, and parts of the matches, with a row for each seat.

    A row has match, position, side, board_role, bot (an index of these names) and score.
    """
    bots, bot = arrays.coded(attrgetter("bot"))
    _, board_role = arrays.coded(_board_role)
    side = np.array([entry.side for entry in arrays.entries], dtype=np.int64)

    def parts() -> Iterator[pd.DataFrame]:
        for first in range(0, max(1, len(arrays.seed)), PART):
            begin, end = np.searchsorted(arrays.match, [first, first + PART])
            entry = arrays.entry[begin:end]
            seats = {
                "match": arrays.match[begin:end],
                "position": arrays.position[begin:end],
                "side": side[entry],
                "board_role": board_role[entry],
                "bot": bot[entry],
                "score": arrays.score[begin:end],
            }
            yield pd.DataFrame(seats)

    return bots, parts()


def _opposed(seats: pd.DataFrame, opponents: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two seats of a match that are on different sides.

    It has the columns of the first seat, then `opponent` and its score, `opposing`.
    """
    opponents = opponents[["match", "side", "bot", "score"]]
    names = {"side": "opposing_side", "bot": "opponent", "score": "opposing"}
    opponents = opponents.rename(columns=names)
    pairs = seats.merge(opponents, on="match")
    return pairs[pairs["side"] != pairs["opposing_side"]]
