"""Meetings: two bots on different sides of a match meet. Both tables of meetings are counted here. Pure.

Teammates do not meet, and a bot with several roles on a side is one opponent.
"""

from operator import attrgetter

import numpy as np

from arena.results.anytext import pd
from arena.results.arrays import Arrays
from arena.results.columns import CROSSTABLE
from arena.results.tiebreaks import Crosstable


def crosstable(arrays: Arrays) -> pd.DataFrame:
    """Return a row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

    Here a bot meets itself where it plays both sides, and a bot on two of the other sides is one opponent.
    """
    bots, seats = _seats(arrays)
    board_roles, board_role = arrays.coded(lambda entry: (entry.label, entry.role))
    seats["board_role"] = board_role[arrays.entry]
    met = _opposed(seats, seats).drop_duplicates(["match", "position", "opponent"])
    cells = (
        met.groupby(["board_role", "bot", "opponent"])["score"].agg(["size", "mean"]).reset_index()
    )
    label, role = (np.array([name[part] for name in board_roles], dtype=object) for part in (0, 1))
    name, number = np.array(bots, dtype=object), cells["board_role"]
    columns = [
        label[number],
        role[number],
        name[cells["bot"]],
        name[cells["opponent"]],
        cells["size"],
        cells["mean"],
    ]
    return pd.DataFrame(dict(zip(CROSSTABLE.names, columns, strict=True)))


def encounters(arrays: Arrays) -> Crosstable:
    """Return the table for tie-breaks: each two different bots on two sides of a match have one game."""
    bots, seats = _seats(arrays)
    seats["score"] = seats.groupby(["match", "side"])["score"].transform("max")
    sides = seats.drop_duplicates(["match", "side", "bot"])
    met = _opposed(sides, sides)
    met = met[met["bot"] != met["opponent"]]
    met = met.assign(result=np.sign(met["score"] - met["opposing"]))
    games = met.groupby(["bot", "opponent", "result"]).size().reset_index().to_numpy().tolist()
    return Crosstable.count(
        (bots[bot], bots[opponent], result, count) for bot, opponent, result, count in games
    )


def _seats(arrays: Arrays) -> tuple[list[str], pd.DataFrame]:
    """Return the names of the bots, and a row a seat: match, position, side, bot (an index of these names), score."""
    bots, bot = arrays.coded(attrgetter("bot"))
    side = np.array([entry.side for entry in arrays.entries], dtype=np.int64)
    columns = {"match": arrays.match, "position": arrays.position, "side": side[arrays.entry]}
    return bots, pd.DataFrame(columns | {"bot": bot[arrays.entry], "score": arrays.score})


def _opposed(seats: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two seats of a match that are on different sides: `opponent` and its score, `opposing`."""
    others = others[["match", "side", "bot", "score"]]
    others = others.rename(columns={"side": "other_side", "bot": "opponent", "score": "opposing"})
    pairs = seats.merge(others, on="match")
    return pairs[pairs["side"] != pairs["other_side"]]
