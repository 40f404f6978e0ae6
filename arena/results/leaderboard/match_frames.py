"""Frames of matches and of answer times, from arrays and clock readings. Pure.

Everything is done to whole arrays at once, because a Python loop over a million matches takes too long.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

import numpy as np

from arena.game import Role
from arena.results.anytext import pd
from arena.results.arrays import Arrays
from arena.results.columns import TIMING
from arena.values import Ending


def matches(arrays: Arrays, ids: Sequence[str], reasons: Sequence[str], roles: Iterable[Role]) -> pd.DataFrame:
    """Return a row a match, by board, repeat, bots and id: its head, then bot, score and ending of each of these roles.

    `ids` and `reasons` are those of the matches of the arrays. In a match without a role its three cells are missing.
    """
    names = attrgetter("game", "board", "role", "bot")
    table = np.empty((len(arrays.entries), 4), dtype=object)
    table[:] = [names(entry) for entry in arrays.entries] or table
    game, board, role, bot = table.T
    entry = arrays.by_match(arrays.entry)
    first, size = entry[:, 0], len(arrays.seed)
    columns: dict[str, object] = {"match": ids, "game": game[first], "board": board[first]}
    columns |= {"repeat": arrays.repeat, "seed": arrays.seed, "reason": reasons}
    ending_names = np.array([*map(str, Ending), None], dtype=object)  # -1 is no ending
    for name in roles:
        seats = (role == name)[arrays.entry]
        match = arrays.match[seats]
        bots, endings = np.full(size, None, dtype=object), np.full(size, None, dtype=object)
        scores, missing = np.zeros(size, dtype=np.int64), np.ones(size, dtype=np.bool_)
        bots[match] = bot[arrays.entry[seats]]
        endings[match] = ending_names[arrays.ending[seats]]
        scores[match], missing[match] = arrays.score[seats], False
        columns |= {
            f"{name}_bot": bots,
            f"{name}_score": pd.arrays.IntegerArray(scores, missing),
            f"{name}_ending": endings,
        }
    _, label_index = arrays.coded(attrgetter("label"))
    _, bot_index = arrays.coded(attrgetter("bot"))
    seated = (np.where(column >= 0, bot_index[column], -1) for column in entry.T[::-1])
    order = np.lexsort((np.array(ids, dtype=np.str_), *seated, arrays.repeat, label_index[first]))
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def timing(
    answers: Mapping[tuple[str, str, Role], Sequence[tuple[bytes, bytes, bytes]]],
    timeouts: Mapping[tuple[str, str, Role], int],
) -> pd.DataFrame:
    """Return a row for each bot, board and role: answers, losses on time, quantiles of wall and CPU time in seconds.

    The answers of a match are three arrays of float32: wall time, CPU time, time without a core. The quantiles of a bot
    that never answered are missing.
    """
    rows = []
    for key, packed in sorted(answers.items()):
        walls, cpus, waits = (np.frombuffer(b"".join(clock), dtype=np.float32) for clock in zip(*packed, strict=True))
        figures = [np.nan] * (len(TIMING.names) - 5)
        if len(walls):
            values = [figure for clock in (walls, cpus) for figure in (*np.quantile(clock, [0.5, 0.99]), clock.max())]
            figures = [*map(float, values), float(np.quantile(waits, 0.99))]
        rows.append((*key, len(walls), timeouts.get(key, 0), *figures))
    return pd.DataFrame(rows, columns=TIMING.names)
