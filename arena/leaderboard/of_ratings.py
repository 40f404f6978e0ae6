"""How strong the bots are, as frames: the leaderboard, strengths by role, who is better. Pure.

It owns the columns of these. Figures of a rating are in its own unit: logits, Elo or points.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from arena import tiebreaks
from arena.game import Role
from arena.match import Ending
from arena.ratings import Rating, Ratings
from arena.standings import Standing

RATED = ["rating", "rating_low", "rating_high", "rank_low", "rank_high", "tier"]
RESULTS = ["matches", "points", "won", "drawn", "lost", "forfeits"]
ENDINGS = [str(ending) for ending in Ending]
SEATED = ["board", "role", "bot", "matches", "score"]
LEADERBOARD = ["rank", "bot", *RATED, *RESULTS, *tiebreaks.names(), *ENDINGS]
"""Names that no board's column may have."""
WHOLE = ["rank", "rank_low", "rank_high", "tier"]


def leaderboard(
    standings: Sequence[Standing],
    ratings: Ratings,
    tie_breaks: Sequence[str],
    boards: Mapping[str, str],
    places: Mapping[tuple[str, Role], str],
) -> pd.DataFrame:
    """A row a bot, in the order of the standings; boards and places stand under the names that they are given."""
    rated = {one.bot: one for one in ratings.ratings}
    rows = [
        [
            *(one.rank, one.bot),
            *_rated(one, rated.get(one.bot)),
            *(getattr(one, column) for column in RESULTS),
            *(None if (figure := one.tie_breaks.get(name)) is None else float(figure) for name in tie_breaks),
            *(one.endings.get(ending, 0) for ending in Ending),
            *(one.boards.get(label) for label in boards),
            *(one.roles.get(place) for place in places),
        ]
        for one in standings
    ]
    columns = ["rank", "bot", *RATED, *RESULTS, *tie_breaks, *ENDINGS, *boards.values(), *places.values()]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype(dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(["rating", "rating_low", "rating_high"], float))


def _rated(one: Standing, rating: Rating | None) -> list[float | None]:
    """The columns RATED; a tie-break may place a bot where its interval of ranks has to reach."""
    if rating is None or one.rank is None:
        return [None] * len(RATED)
    best, worst = rating.ranks
    return [*rating.strength, min(best, one.rank), max(worst, one.rank), rating.tier]


def strengths(ratings: Ratings) -> pd.DataFrame:
    """A row for each bot, best first, and each (board, role) that it played: its strength there, and the interval."""
    rows = [(one.bot, *place, *strength) for one in ratings.ratings for place, strength in sorted(one.roles.items())]
    return pd.DataFrame(rows, columns=["bot", "board", "role", "strength", "low", "high"])


def advantages(ratings: Ratings) -> pd.DataFrame:
    """A row for each (board, role): what the role is worth between average bots, and the interval."""
    rows = [(*place, *strength) for place, strength in sorted(ratings.advantages.items())]
    return pd.DataFrame(rows, columns=["board", "role", "advantage", "low", "high"])


def chance_better(ratings: Ratings) -> pd.DataFrame:
    """A row for each two bots, each way round, best first: the chance that the bot is stronger than the opponent."""
    names = np.array([one.bot for one in ratings.ratings], dtype=object)
    bot, opponent = np.nonzero(~np.eye(len(names), dtype=np.bool_))
    frame = {"bot": names[bot], "opponent": names[opponent], "chance": ratings.better[bot, opponent]}
    return pd.DataFrame(frame)


def head_to_head(crosstable: pd.DataFrame, alone: pd.DataFrame, bot: str, opponent: str) -> pd.DataFrame:
    """A row for each board and role that both had: the one in it against the other, and the other against the one.

    `alone` has board, role, bot, matches and score of the boards that each plays for itself; there nobody meets.
    """
    pairs = crosstable[crosstable["bot"].isin([bot, opponent]) & crosstable["opponent"].isin([bot, opponent])]
    every = pd.concat([frame[SEATED] for frame in (pairs, alone) if len(frame)] or [pairs[SEATED]])
    one, other = (every[every["bot"] == name].drop(columns="bot") for name in (bot, opponent))
    both = one.merge(other, on=["board", "role"], suffixes=("", "_other"))
    both = both.sort_values(["board", "role"], ignore_index=True)
    frame = both[["board", "role", "matches", "score"]]
    return frame.assign(
        opponent_matches=both["matches_other"],
        opponent_score=both["score_other"],
        difference=both["score"] - both["score_other"],
    )


def board_columns(boards: Mapping[str, Sequence[Role]]) -> dict[str, str]:
    """A board's own name, or `game/board` where the name, or the name with a role, stands for something else too."""
    names = {label: label.partition("/")[2] for label in boards}
    all_of = {label: [name, *(f"{name}_{role}" for role in boards[label])] for label, name in names.items()}
    uses = Counter([*LEADERBOARD, *(column for columns in all_of.values() for column in columns)])
    return {label: name if all(uses[each] == 1 for each in all_of[label]) else label for label, name in names.items()}


def place_columns(boards: Mapping[str, Sequence[Role]]) -> dict[tuple[str, Role], str]:
    """The name of a board and role's column: the board's and the role's."""
    return {
        (label, role): f"{column}{'/' if '/' in column else '_'}{role}"
        for label, column in board_columns(boards).items()
        for role in boards[label]
    }
