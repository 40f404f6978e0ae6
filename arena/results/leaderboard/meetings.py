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
        # Unnamed, since a name would hold the groups while the next part is made.
        sums.append(met.groupby(MEETING)["score"].agg(["size", "sum"]))
    sums_of_parts = pd.concat(sums)
    cells = sums_of_parts.groupby(level=MEETING).sum()
    cells = cells.reset_index()

    # Names by index.
    labels = np.array([label for label, _ in board_roles], dtype=object)
    roles = np.array([role for _, role in board_roles], dtype=object)
    names = np.array(bots, dtype=object)

    board_role = cells["board_role"]
    bot = cells["bot"]
    opponent = cells["opponent"]
    matches = cells["size"]
    frame = {
        "board": labels[board_role],
        "role": roles[board_role],
        "bot": names[bot],
        "opponent": names[opponent],
        "matches": matches,
        "score": cells["sum"] / matches,
    }
    return pd.DataFrame(frame, columns=CROSSTABLE.names)


def encounters(arrays: Arrays) -> Crosstable:
    """Return the table for tie-breaks.

    Each two different bots on two sides of a match have one game.
    """
    bots, parts = _seats(arrays)
    counts = []
    for seats in parts:
        scores_of_side = seats.groupby(["match", "side"])["score"]
        seats["score"] = scores_of_side.transform("max")
        sides = seats.drop_duplicates(["match", "side", "bot"])
        met = _opposed(sides, sides)
        are_different = met["bot"] != met["opponent"]
        met = met[are_different]
        lead = met["score"] - met["opposing"]
        met = met.assign(result=np.sign(lead))
        counts.append(met.groupby(ENCOUNTER).size())
    counts_of_parts = pd.concat(counts)
    games = counts_of_parts.groupby(level=ENCOUNTER).sum()
    rows_of_games = games.reset_index()
    table = rows_of_games.to_numpy()  # a row for each two bots and result

    rows = []
    for bot, opponent, result, count in table.tolist():
        row = (bots[bot], bots[opponent], result, count)
        rows.append(row)
    return Crosstable.count(rows)


def _board_role(entry: Entry) -> tuple[str, str]:
    return entry.label, entry.role


def _seats(arrays: Arrays) -> tuple[list[str], Iterator[pd.DataFrame]]:
    """Return the names of the bots, and parts of the matches, with a row for each seat.

    A row has match, position, side, board_role, bot (an index of these names) and score.
    """
    # Indices and sides by entry.
    bots, bot = arrays.coded(attrgetter("bot"))
    _, board_role = arrays.coded(_board_role)
    side = np.array([entry.side for entry in arrays.entries], dtype=np.int64)
    matches = max(1, len(arrays.seed))  # without any there is an empty part, with its columns

    def parts() -> Iterator[pd.DataFrame]:
        for first in range(0, matches, PART):
            ends = [first, first + PART]
            begin, end = np.searchsorted(arrays.match, ends)
            part = slice(begin, end)
            entry = arrays.entry[part]
            seats = {
                "match": arrays.match[part],
                "position": arrays.position[part],
                "side": side[entry],
                "board_role": board_role[entry],
                "bot": bot[entry],
                "score": arrays.score[part],
            }
            yield pd.DataFrame(seats)

    return bots, parts()


def _opposed(seats: pd.DataFrame, opponents: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two seats of a match that are on different sides.

    It has the columns of the first seat, then `opponent` and its score, `opposing`.
    """
    names = {
        "side": "opposing_side",
        "bot": "opponent",
        "score": "opposing",
    }
    opponents = opponents[["match", "side", "bot", "score"]]
    opponents = opponents.rename(columns=names)
    pairs = seats.merge(opponents, on="match")
    different_sides = pairs["side"] != pairs["opposing_side"]
    return pairs[different_sides]
