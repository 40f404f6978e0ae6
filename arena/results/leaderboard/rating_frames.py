"""Frames of strengths: the leaderboard, rankings, strengths by role, chances.

Figures of a rating are in its own unit: logits, Elo or points. Pure.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from arena.game import Role
from arena.results import tiebreaks
from arena.results.columns import ADVANTAGES, CHANCE_BETTER, HEAD_TO_HEAD, LEADERBOARD, RANKINGS, STRENGTHS
from arena.results.ratings import Ratings
from arena.results.ratings.fitting.uncertainty import among
from arena.results.standings import Standing
from arena.values import Ending

RESULTS = ["matches", "points", "won", "drawn", "lost", "forfeits"]
SEATED = ["board", "role", "bot", "matches", "score"]
WHOLE = ["rank", "rank_low", "rank_high", "tier"]


def leaderboard(
    standings: Sequence[Standing],
    ratings: Ratings,
    tie_breaks: Sequence[str],
    boards: Mapping[str, str],
    board_roles: Mapping[tuple[str, Role], str],
) -> pd.DataFrame:
    """Return a row a bot, in the order of the standings; boards and board roles map to the names of their columns."""
    rated = {rating.bot: rating for rating in ratings.ratings}
    among_ranked = among(ratings, {standing.bot for standing in standings if standing.rank is not None})
    rows: list[list[object]] = []
    for standing in standings:
        strength: Sequence[float | None] = [None] * 3
        ranks: Sequence[int | None] = [None] * 3
        if (rating := rated.get(standing.bot)) is not None and standing.points is not None:
            strength = rating.strength
            if standing.rank is not None:
                (best, worst), tier = among_ranked[standing.bot]
                # A tie-break may rank a bot outside its interval: then the interval is widened.
                ranks = [min(best, standing.rank), max(worst, standing.rank), tier]
        figures = (standing.tie_breaks.get(name) for name in tie_breaks)
        rows.append(
            [
                *(standing.rank, standing.bot, *strength, *ranks),
                *(getattr(standing, column) for column in RESULTS),
                *(None if figure is None else float(figure) for figure in figures),
                *(standing.endings.get(ending, 0) for ending in Ending),
                *(standing.boards.get(label) for label in boards),
                *(standing.roles.get(board_role) for board_role in board_roles),
            ]
        )
    of_event = {"TIEBREAK": tie_breaks, "BOARD": boards.values(), "BOARD_ROLE": board_roles.values()}
    columns = [each for name in LEADERBOARD.names[:-1] for each in of_event.get(name, [name])]  # without `display`
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype(dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(["rating", "rating_low", "rating_high"], float))


def rankings(ratings: Ratings, standings: Sequence[Standing], boards: Mapping[str, Sequence[Role]]) -> pd.DataFrame:
    """Return a row for each bot of each ranking, best first; the role is missing in rankings over all roles.

    Boards and their roles stand in the order in which they are given.
    """
    every = {(ranking.board, ranking.role): ranking for ranking in ratings.rankings}
    by_bot = {standing.bot: standing for standing in standings}
    rows = []
    for board, roles in boards.items():
        for role in (None, *roles):
            for row in every[board, role].rows if (board, role) in every else ():
                if (standing := by_bot.get(row.bot)) is not None:
                    score = standing.boards[board] if role is None else standing.roles[board, role]
                    rows.append((board, role, row.rank, row.bot, *row.strength, *row.ranks, score))
    return pd.DataFrame(rows, columns=RANKINGS.names[:-1])  # `Results` adds the names to show


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


def part(roles: Collection[tuple[str, Role]], boards: Mapping[str, Sequence[Role]], columns: Mapping[str, str]) -> str:
    """Return these (`game/board`, role) as a text: `hunt, blinky and inky of classic only`."""
    if len(roles) == sum(map(len, boards.values())):
        return "every board and role"
    parts = []
    for label, all_roles in boards.items():
        played = [role for role in all_roles if (label, role) in roles]
        if len(played) == len(all_roles):
            parts.append(columns.get(label, label))
        elif played:
            parts.append(f"{' and '.join(played)} of {columns.get(label, label)}")
    return f"{', '.join(parts)} only"


def board_columns(boards: Mapping[str, Sequence[Role]]) -> dict[str, str]:
    """Return a board's own name, or `game/board` where the name, alone or with a role, is another column's too."""
    names = {label: label.partition("/")[2] for label in boards}
    columns = {label: [name, *(f"{name}_{role}" for role in boards[label])] for label, name in names.items()}
    uses = Counter(
        [*LEADERBOARD.names, *tiebreaks.names(), *(column for of_board in columns.values() for column in of_board)]
    )
    return {
        label: name if all(uses[column] == 1 for column in columns[label]) else label for label, name in names.items()
    }


def board_role_columns(boards: Mapping[str, Sequence[Role]]) -> dict[tuple[str, Role], str]:
    """Return the name of each board role's column: the board's and the role's."""
    return {
        (label, role): f"{column}{'/' if '/' in column else '_'}{role}"
        for label, column in board_columns(boards).items()
        for role in boards[label]
    }
