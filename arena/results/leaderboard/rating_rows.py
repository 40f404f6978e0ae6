"""Rows of the leaderboard and of the rankings, and the names of their columns. Pure, and without pandas.

pandas takes longer to import than a leaderboard of a million matches to compute, so the terminal's tables are made of
these rows. The frames of rating_frames.py have the same ones.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from arena.game import Role
from arena.results import tiebreaks
from arena.results.accuracy import Accuracy, Regret
from arena.results.columns import LEADERBOARD, RANKINGS
from arena.results.ratings import Ratings
from arena.results.ratings.fitting.uncertainty import among
from arena.results.standings import Standing
from arena.values import Ending

Row = dict[str, Any]
"""Cells by the name of their column; a missing cell is None."""
RESULTS = ["matches", "points", "won", "drawn", "lost", "forfeits"]


def leaderboard_columns(
    tie_breaks: Sequence[str],
    boards: Mapping[str, str],
    board_roles: Mapping[tuple[str, Role], str],
    *,
    solved: bool = False,
    estimated: bool = False,
) -> list[str]:
    """Return the names of the columns of a leaderboard; boards and board roles map to the names of their columns.

    `solved`: moves of some solved board were graded; `estimated`: moves of some board were graded by a search.
    """
    of_event = {"TIEBREAK": tie_breaks, "BOARD": boards.values(), "BOARD_ROLE": board_roles.values()}
    if not solved:
        of_event |= {"accuracy": (), "blunders": ()}
    if not estimated:
        of_event |= {"regret_estimate": ()}
    return [each for name in LEADERBOARD.names for each in of_event.get(name, [name])]


def leaderboard(
    standings: Sequence[Standing],
    ratings: Ratings,
    tie_breaks: Sequence[str],
    boards: Mapping[str, str],
    board_roles: Mapping[tuple[str, Role], str],
    accuracy: Mapping[str, Accuracy],
    regrets: Mapping[str, Regret],
    label: Callable[[str], str],
) -> list[Row]:
    """Return a row a bot, in the order of the standings; `label` returns the name to show for a bot."""
    columns = leaderboard_columns(tie_breaks, boards, board_roles, solved=bool(accuracy), estimated=bool(regrets))
    rated = {rating.bot: rating for rating in ratings.ratings}
    among_ranked = among(ratings, {standing.bot for standing in standings if standing.rank is not None})
    rows = []
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
        graded = accuracy.get(standing.bot, Accuracy())
        cells = (
            *(standing.rank, standing.bot, *strength, *ranks),
            *(getattr(standing, column) for column in RESULTS),
            *((graded.percent, graded.blunders_a_match) if accuracy else ()),
            *((regrets.get(standing.bot, Regret()).points_a_match,) if regrets else ()),
            *(None if figure is None else float(figure) for figure in figures),
            *(standing.endings.get(ending, 0) for ending in Ending),
            *(standing.boards.get(board) for board in boards),
            *(standing.roles.get(board_role) for board_role in board_roles),
            label(standing.bot),
        )
        rows.append(dict(zip(columns, cells, strict=True)))
    return rows


def rankings(
    ratings: Ratings,
    standings: Sequence[Standing],
    boards: Mapping[str, Sequence[Role]],
    label: Callable[[str], str],
) -> list[Row]:
    """Return a row for each bot of each ranking, best first; the role is missing in rankings over all roles.

    Boards and their roles stand in the order in which they are given. A bot that scored nothing there stands behind
    all that did: whatever strength it has there is a guess, drawn from other boards.
    """
    every = {(ranking.board, ranking.role): ranking for ranking in ratings.rankings}
    by_bot = {standing.bot: standing for standing in standings}
    rows = []
    for board, roles in boards.items():
        for role in (None, *roles):
            ranking = every[board, role].rows if (board, role) in every else ()
            scores = {
                row.bot: standing.boards[board] if role is None else standing.roles[board, role]
                for row in ranking
                if (standing := by_bot.get(row.bot)) is not None
            }
            order = sorted((scores[row.bot] == 0, row.rank, row) for row in ranking if row.bot in scores)
            ranks: dict[tuple[bool, int], int] = {}
            for number, (without_score, fitted_rank, row) in enumerate(order, 1):
                rank = ranks.setdefault((without_score, fitted_rank), number)  # equals share the rank of the first
                best, worst = min(rank, row.ranks[0]), max(rank, row.ranks[1])
                cells = (board, role, rank, row.bot, *row.strength, best, worst, scores[row.bot], label(row.bot))
                rows.append(dict(zip(RANKINGS.names, cells, strict=True)))
    return rows


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
