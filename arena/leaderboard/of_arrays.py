"""Who met whom, what was played, and how long answers took, as frames; from arrays and clock readings. Pure.

It owns the columns of these three. All is done to whole arrays at once: a row a match is far too many for Python.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from arena.game import Role
from arena.leaderboard.arrays import Arrays, Ints
from arena.match import Ending

CROSSTABLE = ["board", "role", "bot", "opponent", "matches", "score"]
TIMES = [*(f"{clock}_{what}" for clock in ("wall", "cpu") for what in ("p50", "p99", "max")), "waited_p99"]
Marks = np.ndarray[Any, np.dtype[np.bool_]]
Texts = np.ndarray[tuple[int], np.dtype[np.object_]]


def crosstable(arrays: Arrays) -> pd.DataFrame:
    """A row for each board, role, bot and opponent: matches, and the bot's mean score in that role there.

    Teammates are no opponents; a bot with several roles of a side is one opponent.
    """
    bots, bot = arrays.coded(attrgetter("bot"))
    places, place = arrays.coded(lambda entry: (entry.label, entry.role))
    width = max(1, len(bots))
    cells, scores = _meetings(arrays, (place * width + bot) * width, bot)
    keys, inverse = np.unique(cells, return_inverse=True)
    count = np.bincount(inverse, minlength=len(keys))
    rest, opponent = np.divmod(keys, width)
    label, role = (np.array([one[part] for one in places], dtype=object) for part in (0, 1))
    name = np.array(bots, dtype=object)
    columns = [label[rest // width], role[rest // width], name[rest % width], name[opponent], count]
    total = np.bincount(inverse, weights=scores, minlength=len(keys))
    return pd.DataFrame(dict(zip(CROSSTABLE, [*columns, total / count], strict=True)))


def _meetings(arrays: Arrays, row: Ints, bot: Ints) -> tuple[Ints, Ints]:
    """For each seat and each bot of another side: the seat's row (an entry's, to which the bot is added), its score."""
    entry, score = arrays.by_place(arrays.entry), arrays.by_place(arrays.score)
    side = np.array([entry.side for entry in arrays.entries], dtype=np.int64)
    cells, scores = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for one, other in permutations(range(entry.shape[1]), 2):
        met = _apart(entry, side, one, other)
        for before in range(other):  # a bot with several roles there is met in the first of them
            if before != one:
                met &= ~(_apart(entry, side, one, before) & (bot[entry[:, before]] == bot[entry[:, other]]))
        cells.append(row[entry[met, one]] + bot[entry[met, other]])
        scores.append(score[met, one])
    return np.concatenate(cells), np.concatenate(scores)


def _apart(entry: Ints, side: Ints, one: int, other: int) -> Marks:
    """In which matches there are both of these places, on different sides."""
    both = (entry[:, one] >= 0) & (entry[:, other] >= 0)
    apart: Marks = both & (side[entry[:, one]] != side[entry[:, other]])
    return apart


def matches(arrays: Arrays, ids: Sequence[str], reasons: Sequence[str], roles: Iterable[Role]) -> pd.DataFrame:
    """A row a match, by board, repeat and bots: its head, then bot, score and ending of each of these roles.

    `ids` and `reasons` are those of the matches of the arrays.
    """
    entry = arrays.by_place(arrays.entry)
    first = entry[:, 0]
    game, board, _, role, bot, _ = _texts(arrays)
    columns: dict[str, object] = {"match": ids, "game": game[first], "board": board[first]}
    columns |= {"repeat": arrays.repeat, "seed": arrays.seed, "reason": reasons}
    for each in roles:
        columns |= _of_role(arrays, each, (role == each)[arrays.entry], bot)
    return pd.DataFrame(columns).iloc[_order(arrays, entry, ids)].reset_index(drop=True)


def _texts(arrays: Arrays) -> list[Texts]:
    """The members of the entries, as a column each."""
    table = np.empty((len(arrays.entries), 6), dtype=object)
    table[:] = arrays.entries or table
    return list(table.T)


def _of_role(arrays: Arrays, role: Role, held: Marks, bot: Texts) -> dict[str, object]:
    """Bot, score and ending of the seats with this role; missing in matches that have no such seat."""
    match, size = arrays.match[held], len(arrays.number)
    names, endings = np.full(size, None, dtype=object), np.full(size, None, dtype=object)
    scores, missing = np.zeros(size, dtype=np.int64), np.ones(size, dtype=np.bool_)
    names[match] = bot[arrays.entry[held]]
    endings[match] = np.array([*map(str, Ending), None], dtype=object)[arrays.ending[held]]
    scores[match], missing[match] = arrays.score[held], False
    return {
        f"{role}_bot": names,
        f"{role}_score": pd.arrays.IntegerArray(scores, missing),
        f"{role}_ending": endings,
    }


def _order(arrays: Arrays, entry: Ints, ids: Sequence[str]) -> Ints:
    """Matches by board, repeat, bots in order of play, and id."""
    _, label = arrays.coded(attrgetter("label"))
    _, bot = arrays.coded(attrgetter("bot"))
    seated = (np.where(column >= 0, bot[column], -1) for column in entry.T[::-1])
    return np.lexsort((np.array(ids, dtype=np.str_), *seated, arrays.repeat, label[entry[:, 0]]))


def timing(answers: Mapping[tuple[str, str, Role], Sequence[tuple[bytes, bytes, bytes]]]) -> pd.DataFrame:
    """A row for each bot, board and role: answers, and quantiles of their wall and CPU time, in seconds.

    A match's answers are three rows of float32: wall time, CPU time, time without a core.
    """
    rows = [(*key, *_quantiles(packed)) for key, packed in sorted(answers.items())]
    return pd.DataFrame(rows, columns=["bot", "board", "role", "turns", *TIMES])


def _quantiles(packed: Sequence[tuple[bytes, bytes, bytes]]) -> list[float]:
    """How many answers, and the figures of TIMES; missing when a bot never answered."""
    walls, cpus, waits = (np.frombuffer(b"".join(clock), dtype=np.float32) for clock in zip(*packed, strict=True))
    if not len(walls):
        return [0, *[np.nan] * len(TIMES)]
    figures = [figure for clock in (walls, cpus) for figure in (*np.quantile(clock, [0.5, 0.99]), clock.max())]
    return [len(walls), *map(float, figures), float(np.quantile(waits, 0.99))]
