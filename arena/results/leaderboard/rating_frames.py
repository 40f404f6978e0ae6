"""Frames of strengths: the leaderboard, rankings, strengths by role, chances.

Figures of a rating are in its own unit: logits, Elo or points. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from arena.results.accuracy import Accuracy, Regret
from arena.results.anytext import pd
from arena.results.columns import ACCURACY, ADVANTAGES, CHANCE_BETTER, HEAD_TO_HEAD, RANKINGS, REGRET, STRENGTHS
from arena.results.leaderboard.rating_rows import Row
from arena.results.ratings import Ratings

SEATED = ["board", "role", "bot", "matches", "score"]
WHOLE = ["rank", "rank_low", "rank_high", "tier"]


def leaderboard(columns: Sequence[str], rows: Iterable[Row]) -> pd.DataFrame:
    """Return the frame of the leaderboard with these columns, from its rows."""
    frame = pd.DataFrame(rows, columns=list(columns))
    return frame.astype(dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(_figures(frame), float))


def _figures(frame: pd.DataFrame) -> list[str]:
    """Return the columns of figures that may be missing."""
    figures = ("rating", "rating_low", "rating_high", "accuracy", "blunders", "regret_estimate")
    return [name for name in figures if name in frame]


def rankings(rows: Iterable[Row]) -> pd.DataFrame:
    """Return the frame of rankings, from their rows; the role is missing in rankings over all roles."""
    return pd.DataFrame(rows, columns=RANKINGS.names)


def strengths(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each bot, best first, and each board role that it played: its strength and the interval."""
    rows = [
        (rating.bot, *board_role, *strength)
        for rating in ratings.ratings
        for board_role, strength in sorted(rating.roles.items())
    ]
    return pd.DataFrame(rows, columns=STRENGTHS.names)


def advantages(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each board role: the advantage of the role between average bots, and the interval."""
    rows = [(*board_role, *strength) for board_role, strength in sorted(ratings.advantages.items())]
    return pd.DataFrame(rows, columns=ADVANTAGES.names)


def accuracy(graded: Mapping[tuple[str, str, str], Accuracy]) -> pd.DataFrame:
    """Return a row for each bot, board and role whose moves were graded."""
    rows = [
        (bot, board, role, each.matches, each.moves, each.percent, each.blunders_a_match, each.turns_a_match)
        for (board, role, bot), each in sorted(graded.items(), key=lambda item: (item[0][2], item[0][0], item[0][1]))
    ]
    return pd.DataFrame(rows, columns=ACCURACY.names).astype(
        {"accuracy": float, "blunders": float, "turns_lost": float}
    )


def regret(graded: Mapping[tuple[str, str, str], Regret]) -> pd.DataFrame:
    """Return a row for each bot, board and role whose moves were graded by a search."""
    rows = [
        (bot, board, role, each.matches, each.moves, each.points_a_match, each.turns_a_match)
        for (board, role, bot), each in sorted(graded.items(), key=lambda item: (item[0][2], item[0][0], item[0][1]))
    ]
    return pd.DataFrame(rows, columns=REGRET.names).astype({"regret_estimate": float, "turns_lost": float})


def chance_better(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each two bots, each way round, best first: the chance that the bot is stronger."""
    names = np.array([rating.bot for rating in ratings.ratings], dtype=object)
    bot, opponent = np.nonzero(~np.eye(len(names), dtype=np.bool_))
    figures = names[bot], names[opponent], ratings.better[bot, opponent]
    return pd.DataFrame(dict(zip(CHANCE_BETTER.names, figures, strict=True)))


def head_to_head(crosstable: pd.DataFrame, alone: pd.DataFrame, bot: str, opponent: str) -> pd.DataFrame:
    """Return a row for each board and role that both had: the score of each against the other.

    Where they met, but not each in the other's roles, a row has the role of each. `alone` has board, role, bot, matches
    and score of the boards for one bot; there nobody meets.
    """
    pairs = crosstable[crosstable["bot"].isin([bot, opponent]) & crosstable["opponent"].isin([bot, opponent])]
    scores = pd.concat([frame[SEATED] for frame in (pairs, alone) if len(frame)] or [pairs[SEATED]])
    left, right = (scores[scores["bot"] == name].drop(columns="bot") for name in (bot, opponent))
    both = left.merge(right, on=["board", "role"], suffixes=("", "_other")).assign(role_other=lambda rows: rows["role"])
    unlike = left.merge(right, on="board", suffixes=("", "_other"))
    shared = set(zip(both["board"], both["role"], strict=True))
    roles = zip(unlike["board"], unlike["role"], unlike["role_other"], strict=True)
    unlike = unlike[[(board, mine) not in shared and (board, theirs) not in shared for board, mine, theirs in roles]]
    rows = pd.concat([frame for frame in (both, unlike) if len(frame)] or [both])
    rows = rows.sort_values(["board", "role", "role_other"], ignore_index=True)
    rows = rows.assign(difference=rows["score"] - rows["score_other"]).rename(
        columns={f"{name}_other": f"opponent_{name}" for name in ("matches", "score", "role")}
    )
    return rows[HEAD_TO_HEAD.names]
