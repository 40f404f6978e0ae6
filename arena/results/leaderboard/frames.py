"""The frames of `Results`, from standings, ratings, arrays and the archive; columns.py declares their columns.

Figures of a rating are in its own unit, Elo or points; beside Elo points stand logits. What is done for each match or
seat is done to whole arrays at once, because a Python loop over a million matches takes too long.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import fsum
from operator import attrgetter
from typing import Any

import numpy as np

from arena.game import Role
from arena.results import columns, tiebreaks
from arena.results.accuracy import MoveSums, SumKey
from arena.results.anytext import pd
from arena.results.archive import Archive, Span
from arena.results.arrays import Arrays
from arena.results.ratings import Ratings, Strength, elo
from arena.results.ratings.fitting.intervals import among
from arena.results.standings import Standing
from arena.values import Ending

SEATED = ["board", "role", "bot", "matches", "score"]
WHOLE = ["rank", "rank_low", "rank_high", "tier"]
MAY_BE_MISSING = {
    "rating",
    "rating_low",
    "rating_high",
    *columns.LOGITS,
    "points",
    "accuracy",
    "blunders",
    "regret_estimate",
}


def leaderboard(
    game: str | None,
    standings: Sequence[Standing],
    ratings: Ratings | None,
    tie_breaks: Sequence[str],
    boards: Mapping[str, str],
    board_roles: Mapping[tuple[str, Role], str],
    accuracy: Mapping[str, MoveSums],
    regrets: Mapping[str, MoveSums],
    display_name: Callable[[str], str],
) -> pd.DataFrame:
    """Return a row a bot, in the order of the standings; boards and board roles map to the names of their columns.

    `accuracy` and `regrets` are by bot, and empty where no move was assessed. No ratings are needed without standings.
    """
    rated = {} if ratings is None else {rating.bot: rating for rating in ratings.ratings}
    in_rank = {standing.bot for standing in standings if standing.rank is not None}
    among_ranked = {} if ratings is None else among(ratings, in_rank)
    rows = []
    for standing in standings:
        row: dict[str, Any] = {"game": game, "rank": standing.rank, "bot": standing.bot}
        if (rating := rated.get(standing.bot)) is not None and standing.points is not None:
            row |= zip(("rating", "rating_low", "rating_high"), rating.strength, strict=True)
            row |= zip(columns.LOGITS, elo.logits(rating.strength), strict=True)
            if standing.rank is not None:
                (best, worst), tier = among_ranked[standing.bot]
                # A tie-break may rank a bot outside its interval: then the interval is widened.
                row |= {
                    "rank_low": min(best, standing.rank),
                    "rank_high": max(worst, standing.rank),
                    "tier": tier,
                }
        row |= {
            name: getattr(standing, name)
            for name in ("matches", "points", "won", "drawn", "lost", "forfeits")
        }
        assessed = accuracy.get(standing.bot, MoveSums())
        row |= {"accuracy": assessed.accuracy, "blunders": assessed.lost_a_match}
        row["regret_estimate"] = regrets.get(standing.bot, MoveSums()).lost_a_match
        row |= {
            name: float(figure)
            for name, figure in standing.tie_breaks.items()
            if figure is not None
        }
        row |= {ending: standing.endings.get(ending, 0) for ending in Ending}
        row |= {column: standing.boards.get(board) for board, column in boards.items()}
        row |= {
            column: standing.roles.get(board_role) for board_role, column in board_roles.items()
        }
        rows.append(row | {"display": display_name(standing.bot)})
    by_event = {
        "TIEBREAK": tie_breaks,
        "BOARD": boards.values(),
        "BOARD_ROLE": board_roles.values(),
    }
    if ratings is not None and ratings.unit != "Elo":
        by_event |= dict.fromkeys(columns.LOGITS, ())
    if not accuracy:
        by_event |= {"accuracy": (), "blunders": ()}
    if not regrets:
        by_event |= {"regret_estimate": ()}
    names = [each for name in columns.LEADERBOARD.names for each in by_event.get(name, [name])]
    frame = pd.DataFrame(rows, columns=names)
    figures = {*tie_breaks, *boards.values(), *board_roles.values(), *MAY_BE_MISSING}.intersection(
        names
    )
    typed = frame.astype(dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(figures, float))
    return (
        typed.copy()
    )  # as few arrays again: of an array a column pandas warns, where boards make many columns


def rankings(
    ratings: Ratings,
    standings: Sequence[Standing],
    boards: Mapping[str, Sequence[Role]],
    display_name: Callable[[str], str],
    absent: Collection[str] = (),
) -> pd.DataFrame:
    """Return a row for each bot of each ranking, best first; the role is missing in rankings over all roles.

    Boards and their roles stand in the order in which they are given. A bot that scored nothing there stands behind
    all that did: whatever strength it has there is a guess, drawn from other boards. The bots of `absent`, which never
    said `ready`, stand behind all others.
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
            order = []
            for row in ranking:
                if row.bot in absent:
                    order.append(((True, True, 0), row))
                elif row.bot in scores:
                    order.append(((False, scores[row.bot] == 0, row.rank), row))
            ranks: dict[tuple[bool, bool, int], int] = {}
            for number, (level, row) in enumerate(sorted(order), 1):
                rank = ranks.setdefault(level, number)  # equals share the rank of the first
                best, worst = min(rank, row.ranks[0]), max(rank, row.ranks[1])
                strength = _with_logits(row.strength, ratings.unit)
                rows.append(
                    (
                        board,
                        role,
                        rank,
                        row.bot,
                        *strength,
                        best,
                        worst,
                        scores[row.bot],
                        display_name(row.bot),
                    )
                )
    return pd.DataFrame(rows, columns=_names(columns.RANKINGS, ratings.unit))


def _with_logits(strength: Strength, unit: str) -> tuple[float, ...]:
    """Return a strength with its interval, and the same in logits where the unit is Elo."""
    return (*strength, *elo.logits(strength)) if unit == "Elo" else tuple(strength)


def _names(declared: columns.Columns, unit: str) -> list[str]:
    """Return the names of columns for strengths in this unit."""
    return (declared if unit == "Elo" else declared.without_logits()).names


def strengths(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each bot, best first, and each board role that it played: its strength and the interval."""
    rows = [
        (rating.bot, *board_role, *_with_logits(strength, ratings.unit))
        for rating in ratings.ratings
        for board_role, strength in sorted(rating.roles.items())
    ]
    return pd.DataFrame(rows, columns=_names(columns.STRENGTHS, ratings.unit))


def advantages(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each board role: the advantage of the role between average bots, and the interval."""
    rows = [(*board_role, *strength) for board_role, strength in sorted(ratings.advantages.items())]
    return pd.DataFrame(rows, columns=columns.ADVANTAGES.names)


def assessed(sums: Mapping[SumKey, MoveSums], declared: columns.Columns) -> pd.DataFrame:
    """Return a row for each bot, board and role whose moves were assessed: exactly, or by a search."""
    rows = [
        {"bot": bot, "board": board, "role": role, "matches": each.matches, "moves": each.moves}
        | {"accuracy": each.accuracy, "turns_lost": each.turns_a_match}
        | dict.fromkeys(("blunders", "regret_estimate"), each.lost_a_match)
        for (board, role, bot), each in sums.items()
    ]
    frame = pd.DataFrame(rows, columns=declared.names)
    figures = {"accuracy", "blunders", "regret_estimate", "turns_lost"}.intersection(declared.names)
    return frame.astype(dict.fromkeys(figures, float)).sort_values(
        ["bot", "board", "role"], ignore_index=True
    )


def chance_better(game: str | None, ratings: Ratings) -> pd.DataFrame:
    """Return a row for each two bots, each way round, best first: the chance that the bot is stronger."""
    names = np.array([rating.bot for rating in ratings.ratings], dtype=object)
    bot, opponent = np.nonzero(~np.eye(len(names), dtype=np.bool_))
    figures = (
        np.full(len(bot), game, dtype=object),
        names[bot],
        names[opponent],
        ratings.better[bot, opponent],
    )
    return pd.DataFrame(dict(zip(columns.CHANCE_BETTER.names, figures, strict=True)))


def versions(
    spans: Sequence[Span], rated: Mapping[tuple[str, str], Strength], unit: str
) -> pd.DataFrame:
    """Return a row for each version, by bot and in the order of first matches; `rated` is by bot and digest, in `unit`.

    All matches that were ever played are in one fit, in which each version is a bot of its own. So an old version is
    rated on the same scale as a new one, also if the two never met: others met both.

    A version's rank is among the versions that played last before its last match, one of each bot; bots that left
    before its first match do not count.
    """
    numbers: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    for span in spans:
        numbers[span.bot] += 1
        strength = rated[span.bot, span.digest]
        # Spans are in order of their first matches, so the last one of a bot is its latest.
        latest = {
            other.bot: other
            for other in spans
            if other.first <= span.last and other.bot != span.bot
        }
        field = [
            rated[other.bot, other.digest].value
            for other in latest.values()
            if other.last >= span.first
        ]
        rank = 1 + sum(value > strength.value for value in field)
        rows.append(
            (
                span.bot,
                numbers[span.bot],
                span.digest,
                rank,
                *_with_logits(strength, unit),
                span.matches,
            )
        )
    return pd.DataFrame(rows, columns=_names(columns.VERSIONS, unit)).sort_values(
        ["bot", "version"], ignore_index=True
    )


def head_to_head(
    crosstable: pd.DataFrame, alone: pd.DataFrame, bot: str, opponent: str
) -> pd.DataFrame:
    """Return a row for each board and role that both had: the score of each against the other.

    Where they met, but not each in the other's roles, a row has the role of each. `alone` has board, role, bot, matches
    and score of the boards for one bot; there nobody meets.
    """
    pairs = crosstable[
        crosstable["bot"].isin([bot, opponent]) & crosstable["opponent"].isin([bot, opponent])
    ]
    scores = pd.concat([frame[SEATED] for frame in (pairs, alone) if len(frame)] or [pairs[SEATED]])
    left, right = (scores[scores["bot"] == name].drop(columns="bot") for name in (bot, opponent))
    both = left.merge(right, on=["board", "role"], suffixes=("", "_other")).assign(
        role_other=lambda rows: rows["role"]
    )
    unlike = left.merge(right, on="board", suffixes=("", "_other"))
    shared = set(zip(both["board"], both["role"], strict=True))
    roles = zip(unlike["board"], unlike["role"], unlike["role_other"], strict=True)
    unlike = unlike[
        [
            (board, mine) not in shared and (board, theirs) not in shared
            for board, mine, theirs in roles
        ]
    ]
    rows = pd.concat([frame for frame in (both, unlike) if len(frame)] or [both])
    rows = rows.sort_values(["board", "role", "role_other"], ignore_index=True)
    rows = rows.assign(difference=rows["score"] - rows["score_other"]).rename(
        columns={f"{name}_other": f"opponent_{name}" for name in ("matches", "score", "role")}
    )
    return rows[columns.HEAD_TO_HEAD.names]


def matches(
    arrays: Arrays, ids: Sequence[str], reasons: Sequence[str], roles: Iterable[Role]
) -> pd.DataFrame:
    """Return a row a match, by board, repeat, bots and id: its head, then bot, score and ending of each of these roles.

    `ids` and `reasons` are those of the matches of the arrays. In a match without a role its three cells are missing.
    """
    names = attrgetter("game", "board", "role", "bot")
    table = np.empty((len(arrays.entries), 4), dtype=object)
    table[:] = [names(entry) for entry in arrays.entries] or table
    game, board, role, bot = table.T
    entry = arrays.by_match(arrays.entry)
    first, size = entry[:, 0], len(arrays.seed)
    frame: dict[str, object] = {"match": ids, "game": game[first], "board": board[first]}
    frame |= {"repeat": arrays.repeat, "seed": arrays.seed, "reason": reasons}
    ending_names = np.array([*map(str, Ending), None], dtype=object)  # -1 is no ending
    for name in roles:
        seats = (role == name)[arrays.entry]
        match = arrays.match[seats]
        bots, endings = np.full(size, None, dtype=object), np.full(size, None, dtype=object)
        scores, missing = np.zeros(size, dtype=np.int64), np.ones(size, dtype=np.bool_)
        bots[match] = bot[arrays.entry[seats]]
        endings[match] = ending_names[arrays.ending[seats]]
        scores[match], missing[match] = arrays.score[seats], False
        frame |= {
            f"{name}_bot": bots,
            f"{name}_score": pd.arrays.IntegerArray(scores, missing),
            f"{name}_ending": endings,
        }
    _, label_index = arrays.coded(attrgetter("label"))
    _, bot_index = arrays.coded(attrgetter("bot"))
    seated = (np.where(column >= 0, bot_index[column], -1) for column in entry.T[::-1])
    order = np.lexsort((np.array(ids, dtype=np.str_), *seated, arrays.repeat, label_index[first]))
    return pd.DataFrame(frame).iloc[order].reset_index(drop=True)


def turns(archive: Archive) -> pd.DataFrame:
    """Return a row for each move."""

    def rows() -> Iterator[tuple[object, ...]]:
        for record in archive.records():
            bots = {seat.role: seat.bot.name for seat in record.match.seats}
            for turn in record.turns:
                head = (
                    record.match.id,
                    turn.number,
                    turn.role,
                    bots.get(turn.role),
                    turn.move,
                    turn.by,
                )
                yield (
                    *head,
                    turn.rejected_text,
                    turn.wall,
                    turn.cpu,
                    turn.waited,
                    "\n".join(turn.remarks),
                )

    return pd.DataFrame(rows(), columns=columns.TURNS.names)


def timing(archive: Archive) -> pd.DataFrame:
    """Return a row for each bot, board and role: answers, losses on time, quantiles of wall and CPU time in seconds.

    The quantiles of a bot that never answered are missing.
    """
    timeouts = Counter[tuple[str, str, str]]()
    for tally in archive.tallies():
        timeouts[tally.bot, tally.board, tally.role] += tally.seats * (
            tally.ending is Ending.TIMEOUT
        )
    answers: dict[tuple[str, str, str], list[tuple[bytes, bytes, bytes]]] = {}
    for bot, board, role, walls, cpus, waits in archive.clocks():
        answers.setdefault((bot, board, role), []).append((walls, cpus, waits))
    rows = []
    for key, packed in sorted(answers.items()):
        wall, cpu, waited = (
            np.frombuffer(b"".join(clock), dtype=np.float32) for clock in zip(*packed, strict=True)
        )
        figures = [np.nan] * (len(columns.TIMING.names) - 5)
        if len(wall):
            values = [
                figure
                for clock in (wall, cpu)
                for figure in (*np.quantile(clock, [0.5, 0.99]), clock.max())
            ]
            figures = [*map(float, values), float(np.quantile(waited, 0.99))]
        rows.append((*key, len(wall), timeouts[key], *figures))
    return pd.DataFrame(rows, columns=columns.TIMING.names)


def models(
    archive: Archive, seats: Mapping[str, int], strengths: Mapping[str, float]
) -> pd.DataFrame:
    """Return a row for each bot that asks a language model, the dearest last; `strengths` in points, and by name."""
    sums: dict[str, list[int]] = {}
    costs: dict[str, list[float]] = {}
    for record in archive.records():
        bots = {seat.role: seat.bot.name for seat in record.match.seats}
        for call in record.calls:
            bot, answer = bots.get(call.role, call.role), call.answer
            own = sums.setdefault(bot, [0, 0, 0])
            for place, number in enumerate((1, answer.tokens_in, answer.tokens_out)):
                own[place] += number
            terms = record.match.conditions.model
            cost = terms.price(answer.tokens_in, answer.tokens_out) if terms is not None else 0.0
            costs.setdefault(bot, []).append(cost)
    weakest = min((strengths[bot] for bot in sums if bot in strengths), default=0.0)
    rows = []
    for bot in sorted(sums, key=lambda bot: (fsum(costs[bot]), bot)):
        cost, above = fsum(costs[bot]), strengths.get(bot, weakest) - weakest
        matches = seats.get(bot, 0)
        rows.append(
            (
                bot,
                matches,
                *sums[bot],
                cost,
                cost / max(1, matches),
                cost / above if above > 0 else np.nan,
            )
        )
    return pd.DataFrame(rows, columns=columns.MODELS.names)


def part_text(
    roles: Collection[tuple[str, Role]],
    boards: Mapping[str, Sequence[Role]],
    names: Mapping[str, str],
) -> str:
    """Return these (`game/board`, role) as a text: `hunt, blinky and inky of classic only`."""
    if len(roles) == sum(map(len, boards.values())):
        return "every board and role"
    parts = []
    for label, all_roles in boards.items():
        played = [role for role in all_roles if (label, role) in roles]
        if len(played) == len(all_roles):
            parts.append(names.get(label, label))
        elif played:
            parts.append(f"{' and '.join(played)} of {names.get(label, label)}")
    return f"{', '.join(parts)} only"


def board_columns(boards: Mapping[str, Sequence[Role]]) -> dict[str, str]:
    """Return a board's own name, or `game/board` where the name, alone or with a role, is another column's too."""
    names = {label: label.partition("/")[2] for label in boards}
    uses = Counter([*columns.LEADERBOARD.names, *tiebreaks.names()])
    of_board = {
        label: [name, *(f"{name}_{role}" for role in boards[label])]
        for label, name in names.items()
    }
    uses.update(column for of_one in of_board.values() for column in of_one)
    return {
        label: name if all(uses[column] == 1 for column in of_board[label]) else label
        for label, name in names.items()
    }


def board_role_columns(boards: Mapping[str, Sequence[Role]]) -> dict[tuple[str, Role], str]:
    """Return the name of each board role's column: the board's and the role's."""
    return {
        (label, role): f"{column}{'/' if '/' in column else '_'}{role}"
        for label, column in board_columns(boards).items()
        for role in boards[label]
    }
