"""Meetings: two bots on different sides of a match meet. Both tables of meetings are counted here.

Teammates do not meet, and a bot with several roles on a side is one opponent. Pure.
"""

from operator import attrgetter

import numpy as np

from arena.results.anytext import pd
from arena.results.arrays import Arrays
from arena.results.columns import CROSSTABLE
from arena.results.tiebreaks import Crosstable


def crosstable(arrays: Arrays) -> pd.DataFrame:
    """Return a row for each board, role, bot and opponent.

    It has the number of matches and the bot's mean score in that role. Here a bot meets itself
    where it plays both sides, and a bot on two of the opposing sides is one opponent.
    """
    bots, seats = _seats(arrays)
    board_roles, board_role = arrays.coded(lambda entry: (entry.label, entry.role))
    seats["board_role"] = board_role[arrays.entry]
    met = _opposed(seats, seats)
    met = met.drop_duplicates(["match", "position", "opponent"])
    cells = met.groupby(["board_role", "bot", "opponent"])["score"].agg(["size", "mean"])
    cells = cells.reset_index()

    labels = np.array([label for label, _ in board_roles], dtype=object)
    roles = np.array([role for _, role in board_roles], dtype=object)
    names = np.array(bots, dtype=object)
    frame = {
        "board": labels[cells["board_role"]],
        "role": roles[cells["board_role"]],
        "bot": names[cells["bot"]],
        "opponent": names[cells["opponent"]],
        "matches": cells["size"],
        "score": cells["mean"],
    }
    return pd.DataFrame(frame, columns=CROSSTABLE.names)


def encounters(arrays: Arrays) -> Crosstable:
    """Return the table for tie-breaks.

    Each two different bots on two sides of a match have one game.
    """
    bots, seats = _seats(arrays)
    seats["score"] = seats.groupby(["match", "side"])["score"].transform("max")
    sides = seats.drop_duplicates(["match", "side", "bot"])
    met = _opposed(sides, sides)
    met = met[met["bot"] != met["opponent"]]
    met = met.assign(result=np.sign(met["score"] - met["opposing"]))
    games = met.groupby(["bot", "opponent", "result"]).size()
    rows = []
    for bot, opponent, result, count in games.reset_index().to_numpy().tolist():
        rows.append((bots[bot], bots[opponent], result, count))
    return Crosstable.count(rows)


def _seats(arrays: Arrays) -> tuple[list[str], pd.DataFrame]:
    """Return the names of the bots, and a row for each seat.

    A row has match, position, side, bot (an index of these names) and score.
    """
    bots, bot = arrays.coded(attrgetter("bot"))
    side = np.array([entry.side for entry in arrays.entries], dtype=np.int64)
    seats = {
        "match": arrays.match,
        "position": arrays.position,
        "side": side[arrays.entry],
        "bot": bot[arrays.entry],
        "score": arrays.score,
    }
    return bots, pd.DataFrame(seats)


def _opposed(seats: pd.DataFrame, opponents: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two seats of a match that are on different sides.

    It has the columns of the first seat, then `opponent` and its score, `opposing`.
    """
    opponents = opponents[["match", "side", "bot", "score"]]
    names = {"side": "opposing_side", "bot": "opponent", "score": "opposing"}
    opponents = opponents.rename(columns=names)
    pairs = seats.merge(opponents, on="match")
    return pairs[pairs["side"] != pairs["opposing_side"]]
