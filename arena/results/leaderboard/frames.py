"""The frames of `Results`, from standings, ratings, arrays and the archive.

columns.py declares their columns. Figures of a rating are in its own unit, Elo or points; logits
stand beside Elo points. What is done for each match or seat is done to whole arrays at once,
because a Python loop over a million matches takes too long.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.game import Role
from arena.results import columns, tiebreaks
from arena.results.accuracy import MoveSums, SumKey, by_bot
from arena.results.anytext import pd
from arena.results.archive import Archive, Span
from arena.results.arrays import Arrays, Mask
from arena.results.ratings import Ranked, Ratings, Strength, elo
from arena.results.ratings.fitting.intervals import among
from arena.results.standings import Standing
from arena.values import Ending

if TYPE_CHECKING:
    from arena.results.leaderboard import Results

BOARD_SEATS = ["board", "role", "bot", "matches", "score"]
"""The columns in which a bot's matches in a role on a board are counted."""
INTEGERS = ["rank", "rank_low", "rank_high", "tier"]
"""The columns of whole numbers in the leaderboard that some bots lack."""
FLOATS = (
    "rating",
    "rating_low",
    "rating_high",
    *columns.LOGITS,
    "points",
    "accuracy",
    "blunders",
    "regret_estimate",
    "cost_a_match",
)
"""The columns of figures in the leaderboard that some bots lack."""
STANDING_COLUMNS = ("matches", "points", "won", "drawn", "lost", "forfeits")
"""The columns that are fields of `Standing`."""


def leaderboard(results: "Results", standings: Sequence[Standing]) -> pd.DataFrame:
    """Return a row for each bot, in the order of these standings.

    Nothing is fitted where there are no standings.
    """
    ratings = None
    rating_cells = {}
    if standings:
        ratings = results.ratings
        rating_cells = _rating_cells(ratings, standings)
    accuracy = by_bot(results.accuracy_sums)
    regret = by_bot(results.regret_sums)

    rows = []
    for standing in standings:
        bot = standing.bot
        row: dict[str, Any] = {
            "game": results.game,
            "rank": standing.rank,
            "bot": bot,
        }
        row |= rating_cells.get(bot, {})
        for name in STANDING_COLUMNS:
            row[name] = getattr(standing, name)
        exact = accuracy.get(bot, MoveSums())
        estimated = regret.get(bot, MoveSums())
        row["accuracy"] = exact.accuracy
        row["blunders"] = exact.lost_a_match
        row["regret_estimate"] = estimated.lost_a_match
        for name, added in results.added_cells.items():
            row[name] = added.get(bot)
        for name, figure in standing.tie_breaks.items():
            if figure is not None:
                row[name] = float(figure)
        for ending in Ending:
            row[ending] = standing.endings.get(ending, 0)
        for board, column in results.board_columns.items():
            row[column] = standing.boards.get(board)
        for board_role, column in results.board_role_columns.items():
            row[column] = standing.roles.get(board_role)
        row["display"] = results.display_name(bot)
        rows.append(row)

    # The general names of columns stand for names of this event, or for no column.
    tie_breaks = results.event.tie_breaks
    boards = results.board_columns.values()
    board_roles = results.board_role_columns.values()
    named: dict[str, Iterable[str]] = {
        "TIEBREAK": tie_breaks,
        "BOARD": boards,
        "BOARD_ROLE": board_roles,
    }
    if ratings is not None and ratings.unit != "Elo":
        named |= dict.fromkeys(columns.LOGITS, ())
    if not accuracy:
        named["accuracy"] = ()
        named["blunders"] = ()
    if not regret:
        named["regret_estimate"] = ()
    for name in columns.ADDED:
        if name not in results.added_cells:
            named[name] = ()
    names: list[str] = []
    for name in columns.LEADERBOARD.names:
        names.extend(named.get(name, [name]))

    frame = pd.DataFrame(rows, columns=names)
    types: dict[str, str | type] = dict.fromkeys(INTEGERS, "Int64")
    floats = set(FLOATS)
    floats.update(tie_breaks, boards, board_roles)
    for name in floats.intersection(names):
        types[name] = float
    # pandas warns of a frame with an array for each of many columns. A copy has few arrays again.
    return frame.astype(types).copy()


def _rating_cells(
    ratings: Ratings, standings: Sequence[Standing]
) -> dict[str, dict[str, float | int]]:
    """Return the cells about its rating of each bot that has points, and of the ranks left open."""
    strengths = {rating.bot: rating.strength for rating in ratings.ratings}
    ranked = set()
    for standing in standings:
        if standing.rank is not None:
            ranked.add(standing.bot)
    among_ranked = among(ratings, ranked)  # by bot: the interval of its rank, and its tier

    cells: dict[str, dict[str, float | int]] = {}
    for standing in standings:
        strength = strengths.get(standing.bot)
        if strength is None or standing.points is None:
            continue
        row: dict[str, float | int] = {
            "rating": strength.value,
            "rating_low": strength.low,
            "rating_high": strength.high,
        }
        logits = elo.logits(strength)
        row |= zip(columns.LOGITS, logits, strict=True)
        if standing.rank is not None:
            (best, worst), tier = among_ranked[standing.bot]
            # A tie-break may rank a bot outside its interval: then the interval is widened.
            row["rank_low"] = min(best, standing.rank)
            row["rank_high"] = max(worst, standing.rank)
            row["tier"] = tier
        cells[standing.bot] = row
    return cells


def rankings(league: "Results") -> pd.DataFrame:
    """Return a row for each bot of each ranking of a game, best first.

    The role is missing in rankings over all roles. Boards and their roles stand in the order of the
    event. A bot that scored nothing there stands behind all that did: its strength there is a
    guess, derived from its results on other boards. Bots that never said `ready` stand last.
    """
    ratings = league.ratings
    by_board_role = {}
    for ranking in ratings.rankings:
        by_board_role[ranking.board, ranking.role] = ranking.rows
    standings = {standing.bot: standing for standing in league.standings}
    rows = []
    for board, roles in league.boards.items():
        all_and_each: list[Role | None] = [None]
        all_and_each.extend(roles)
        for role in all_and_each:
            ranked = by_board_role.get((board, role), ())
            scores = _scores_there(ranked, standings, board, role)
            for rank, row in _ranked_rows(ranked, scores, league.absentees):
                best, worst = row.ranks
                rank_low = min(rank, best)
                rank_high = max(rank, worst)
                display_name = league.display_name(row.bot)
                cells: list[object] = [board, role, rank, row.bot]
                cells += _with_logits(row.strength, ratings.unit)
                cells += [rank_low, rank_high, scores[row.bot], display_name]
                rows.append(cells)
    names = _names(columns.RANKINGS, ratings.unit)
    return pd.DataFrame(rows, columns=names)


def _scores_there(
    ranking: Iterable[Ranked],
    standings: Mapping[str, Standing],
    board: str,
    role: Role | None,
) -> dict[str, float]:
    """Return the mean score on a board of each bot of a ranking: in one role, or over all roles."""
    scores = {}
    for row in ranking:
        standing = standings.get(row.bot)
        if standing is None:
            continue
        if role is None:
            scores[row.bot] = standing.boards[board]
        else:
            scores[row.bot] = standing.roles[board, role]
    return scores


def _ranked_rows(
    ranking: Iterable[Ranked],
    scores: Mapping[str, float],
    absentees: Collection[str],
) -> Iterator[tuple[int, Ranked]]:
    """Yield the rows of a ranking in order with their ranks; `scores` are by bot.

    Bots that scored stand first, then bots without points, then the absentees.
    """
    order = []
    for row in ranking:
        if row.bot in absentees:
            level = (True, True, 0)
        elif row.bot in scores:
            pointless = scores[row.bot] == 0
            level = (False, pointless, row.rank)
        else:
            continue
        order.append((level, row))

    ranks: dict[tuple[bool, bool, int], int] = {}
    for number, (level, row) in enumerate(sorted(order), 1):
        rank = ranks.setdefault(level, number)  # equals share the rank of the first
        yield rank, row


def _with_logits(strength: Strength, unit: str) -> tuple[float, ...]:
    """Return a strength with its interval, and the same in logits where the unit is Elo."""
    figures = tuple(strength)
    if unit == "Elo":
        logits = elo.logits(strength)
        figures += tuple(logits)
    return figures


def _names(declared: columns.Columns, unit: str) -> list[str]:
    """Return the names of columns for strengths in this unit."""
    if unit != "Elo":
        declared = declared.without_logits()
    return declared.names


def strengths(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each bot, best first, and each board role that it played.

    It has the bot's strength there and the interval.
    """
    unit = ratings.unit
    rows = []
    for rating in ratings.ratings:
        for (board, role), strength in sorted(rating.roles.items()):
            cells: list[object] = [rating.bot, board, role]
            cells += _with_logits(strength, unit)
            rows.append(cells)
    names = _names(columns.STRENGTHS, unit)
    return pd.DataFrame(rows, columns=names)


def advantages(ratings: Ratings) -> pd.DataFrame:
    """Return a row for each board role.

    It has the advantage of the role between average bots, and the interval.
    """
    rows = []
    by_board_role = sorted(ratings.advantages.items())
    for (board, role), advantage in by_board_role:
        cells = (
            board,
            role,
            advantage.value,
            advantage.low,
            advantage.high,
        )
        rows.append(cells)
    return pd.DataFrame(rows, columns=columns.ADVANTAGES.names)


def assessed(sums: Mapping[SumKey, MoveSums], declared: columns.Columns) -> pd.DataFrame:
    """Return a row for each bot, board and role whose moves were assessed.

    `declared` are the columns: those of exact moves, or those of the estimates of a search.
    """
    rows = []
    for (board, role, bot), figures in sums.items():
        row = {
            "bot": bot,
            "board": board,
            "role": role,
            "matches": figures.matches,
            "moves": figures.moves,
            "accuracy": figures.accuracy,
            "blunders": figures.lost_a_match,
            "regret_estimate": figures.lost_a_match,
            "turns_lost": figures.turns_a_match,
        }
        rows.append(row)
    names = declared.names
    frame = pd.DataFrame(rows, columns=names)
    types = {}
    for name in ("accuracy", "blunders", "regret_estimate", "turns_lost"):
        if name in names:
            types[name] = float
    frame = frame.astype(types)
    return frame.sort_values(["bot", "board", "role"], ignore_index=True)


def chance_better(game: str | None, ratings: Ratings) -> pd.DataFrame:
    """Return a row for each two bots, each way round, best first.

    It has the chance that the bot is stronger than the opponent.
    """
    names = [rating.bot for rating in ratings.ratings]
    bots = np.array(names, dtype=object)
    same = np.eye(len(bots), dtype=np.bool_)  # (bots, bots)
    bot, opponent = np.nonzero(~same)  # an index for each pair
    games = np.full(len(bot), game, dtype=object)
    cells = {
        "game": games,
        "bot": bots[bot],
        "opponent": bots[opponent],
        "chance": ratings.better[bot, opponent],
    }
    return pd.DataFrame(cells, columns=columns.CHANCE_BETTER.names)


def versions(
    spans: Sequence[Span],
    rated: Mapping[tuple[str, str], Strength],
    unit: str,
) -> pd.DataFrame:
    """Return a row for each version, by bot and in the order of first matches.

    `rated` are the strengths by bot and digest, in `unit`. All matches that were ever played are in
    one fit, in which each version is a bot of its own. So an old version is rated on the same scale
    as a new one even if the two never met: other bots met both.

    A version's rank is among the versions that played last before its last match, one of each bot;
    bots that left before its first match do not count.
    """
    numbers: Counter[str] = Counter()
    rows = []
    for span in spans:
        numbers[span.bot] += 1
        strength = rated[span.bot, span.digest]

        rank = 1
        for rival in _rivals(span, spans):
            strength_of_rival = rated[rival.bot, rival.digest]
            if strength_of_rival.value > strength.value:
                rank += 1

        cells: list[object] = [
            span.bot,
            numbers[span.bot],
            span.digest,
            rank,
        ]
        cells += _with_logits(strength, unit)
        cells.append(span.matches)
        rows.append(cells)
    names = _names(columns.VERSIONS, unit)
    frame = pd.DataFrame(rows, columns=names)
    return frame.sort_values(["bot", "version"], ignore_index=True)


def _rivals(span: Span, spans: Iterable[Span]) -> list[Span]:
    """Return the version of each rival that played last before the end of a version's span."""
    latest = {}
    for version in spans:
        if version.bot == span.bot:
            continue
        if version.first > span.last:
            continue
        # Spans are in order of their first matches, so the last one of a bot is its latest.
        latest[version.bot] = version
    return [rival for rival in latest.values() if rival.last >= span.first]


def head_to_head(
    crosstable: pd.DataFrame,
    alone: pd.DataFrame,
    bot: str,
    opponent: str,
) -> pd.DataFrame:
    """Return a row for each board and role that both bots had: the score of each.

    Where they met, but not each in the roles of the other, a row has the role of each. `alone` has
    the columns BOARD_SEATS of the boards for one bot; there nobody meets.
    """
    pair = [bot, opponent]
    is_bot = crosstable["bot"].isin(pair)
    is_opponent = crosstable["opponent"].isin(pair)
    met = crosstable[is_bot & is_opponent]
    scores = joined([met[BOARD_SEATS], alone[BOARD_SEATS]])
    of_bot = scores[scores["bot"] == bot]
    of_bot = of_bot.drop(columns="bot")
    of_opponent = scores[scores["bot"] == opponent]
    of_opponent = of_opponent.drop(columns="bot")

    # Rows of equal roles: board, role, matches, score, matches_other, score_other.
    alike = of_bot.merge(of_opponent, on=["board", "role"], suffixes=("", "_other"))
    alike = alike.assign(role_other=alike["role"])

    # Rows of a board on which they had different roles, unless either role is above.
    unlike = of_bot.merge(of_opponent, on="board", suffixes=("", "_other"))
    shared = set(zip(alike["board"], alike["role"], strict=True))
    is_new = []
    for row in unlike.itertuples():
        roles = {
            (row.board, row.role),
            (row.board, row.role_other),
        }
        is_new.append(roles.isdisjoint(shared))
    unlike = unlike[is_new]

    rows = joined([alike, unlike])
    rows = rows.sort_values(["board", "role", "role_other"], ignore_index=True)
    difference = rows["score"] - rows["score_other"]
    rows = rows.assign(difference=difference)
    names = {
        "matches_other": "opponent_matches",
        "score_other": "opponent_score",
        "role_other": "opponent_role",
    }
    rows = rows.rename(columns=names)
    return rows[columns.HEAD_TO_HEAD.names]


def joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all frames; an empty frame, whose columns have no types, is left out."""
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        filled = frames[:1]
    return pd.concat(filled, ignore_index=True)


def matches(
    arrays: Arrays,
    ids: Sequence[str],
    reasons: Sequence[str],
    roles: Iterable[Role],
) -> pd.DataFrame:
    """Return a row for each match, by board, repeat, bots and id.

    A row has the head of the match, then bot, score and ending of each of these roles; the three
    cells of a role that the match does not have are missing. `ids` and `reasons` are those of the
    matches of the arrays.
    """
    # Names by entry.
    entries = arrays.entries
    game = np.array([entry.game for entry in entries], dtype=object)
    board = np.array([entry.board for entry in entries], dtype=object)
    role = np.array([entry.role for entry in entries], dtype=object)
    bot = np.array([entry.bot for entry in entries], dtype=object)

    entry = arrays.by_match(arrays.entry)  # matches x positions
    first = entry[:, 0]
    cells: dict[str, object] = {
        "match": ids,
        "game": game[first],
        "board": board[first],
        "repeat": arrays.repeat,
        "seed": arrays.seed,
        "reason": reasons,
    }
    for name in roles:
        has_role = role == name  # by entry
        seats = has_role[arrays.entry]  # by seat
        cells_of_role = _cells_of_seats(arrays, seats, bot)
        for column, values in cells_of_role.items():
            cells[f"{name}_{column}"] = values

    # `lexsort` sorts by its last key first: board, repeat, the bots by position, and the id.
    _, label_index = arrays.coded(attrgetter("label"))
    _, bot_index = arrays.coded(attrgetter("bot"))
    keys: list[Any] = [np.array(ids, dtype=np.str_)]
    from_last_position = entry.T[::-1]  # positions x matches
    for entry_there in from_last_position:
        bot_there = np.where(entry_there >= 0, bot_index[entry_there], -1)
        keys.append(bot_there)
    keys.append(arrays.repeat)
    keys.append(label_index[first])
    order = np.lexsort(keys)
    frame = pd.DataFrame(cells)
    rows = frame.iloc[order]
    return rows.reset_index(drop=True)


def _cells_of_seats(
    arrays: Arrays,
    seats: Mask,
    bot: Any,
) -> dict[str, object]:
    """Return bot, score and ending of the chosen seats, one in a match, with a row for each match.

    `bot` has the names by entry.
    """
    size = len(arrays.seed)
    match = arrays.match[seats]

    bots = np.full(size, None, dtype=object)
    entry = arrays.entry[seats]
    bots[match] = bot[entry]

    ending_names = np.full(len(Ending) + 1, None, dtype=object)  # -1 is no ending
    ending_names[:-1] = list(map(str, Ending))
    endings = np.full(size, None, dtype=object)
    ending = arrays.ending[seats]
    endings[match] = ending_names[ending]

    scores = np.zeros(size, dtype=np.int64)
    scores[match] = arrays.score[seats]
    missing = np.ones(size, dtype=np.bool_)
    missing[match] = False

    return {
        "bot": bots,
        "score": pd.arrays.IntegerArray(scores, missing),
        "ending": endings,
    }


def turns(archive: Archive) -> pd.DataFrame:
    """Return a row for each move."""
    rows = _turn_rows(archive)
    return pd.DataFrame(rows, columns=columns.TURNS.names)


def _turn_rows(archive: Archive) -> Iterator[tuple[object, ...]]:
    """Yield the cells of each move."""
    for record in archive.records():
        match = record.match.id
        bots = {seat.role: seat.bot.name for seat in record.match.seats}
        for turn in record.turns:
            yield (
                match,
                turn.number,
                turn.role,
                bots.get(turn.role),
                turn.move,
                turn.by,
                turn.rejected_text,
                turn.wall,
                turn.cpu,
                turn.waited,
                "\n".join(turn.remarks),
            )


def timing(archive: Archive) -> pd.DataFrame:
    """Return a row for each bot, board and role: answers, losses on time, quantiles of times.

    Wall and CPU times are in seconds. The quantiles of a bot that never answered are missing.
    """
    timeouts: Counter[tuple[str, str, str]] = Counter()
    for tally in archive.tallies():
        if tally.ending is Ending.TIMEOUT:
            timeouts[tally.bot, tally.board, tally.role] += tally.seats

    # The times of all matches are large, so no more than one column of them is in memory.
    walls = _quantiles(archive, "walls", [0.5, 0.99, 1.0])
    cpus = _quantiles(archive, "cpus", [0.5, 0.99, 1.0])
    waits = _quantiles(archive, "waits", [0.99])

    rows = []
    for key in sorted(walls):
        answers, wall_times = walls[key]
        _, cpu_times = cpus[key]
        _, waiting_times = waits[key]
        cells: list[object] = list(key)
        cells.append(answers)
        cells.append(timeouts[key])
        cells += wall_times
        cells += cpu_times
        cells += waiting_times
        rows.append(cells)
    return pd.DataFrame(rows, columns=columns.TIMING.names)


def _quantiles(
    archive: Archive,
    column: str,
    levels: list[float],
) -> dict[tuple[str, str, str], tuple[int, list[float]]]:
    """Return the number of answers and the quantiles of their times, by bot, board and role.

    The column has float32, packed, a number for each answer. Without answers there is no quantile.
    """
    key_by_entry = {}
    for number, entry in archive.entries().items():
        key = (entry.bot, entry.label, entry.role)
        key_by_entry[number] = key
    packed: defaultdict[tuple[str, str, str], bytearray] = defaultdict(bytearray)
    for number, times in archive.clocks(column):
        key = key_by_entry[number]
        packed[key] += times

    quantiles = {}
    for key, all_times in packed.items():
        values = np.frombuffer(all_times, dtype=np.float32)
        figures = [np.nan] * len(levels)
        if len(values):
            times_at_levels = np.quantile(values, levels)
            figures = list(map(float, times_at_levels))
        quantiles[key] = (len(values), figures)
    return quantiles


def part_text(
    roles: Collection[tuple[str, Role]],
    boards: Mapping[str, Sequence[Role]],
    names: Mapping[str, str],
) -> str:
    """Return these (`game/board`, role) as a text: `hunt, blinky and inky of classic only`."""
    count = sum(map(len, boards.values()))  # of all roles
    if len(roles) == count:
        return "every board and role"
    parts = []
    for label, all_roles in boards.items():
        name = names.get(label, label)
        played = [role for role in all_roles if (label, role) in roles]
        if len(played) == len(all_roles):
            parts.append(name)
        elif played:
            role_names = " and ".join(played)
            parts.append(f"{role_names} of {name}")
    return f"{', '.join(parts)} only"


def board_columns(boards: Mapping[str, Sequence[Role]]) -> dict[str, str]:
    """Return the name of each board's column: the board's own name, or `game/board`.

    It is `game/board` where the name, alone or with a role, is also that of another column.
    """
    columns_of = {}  # by `game/board`: the names of its columns, if the board's own name serves
    for label, roles in boards.items():
        _, _, name = label.partition("/")
        names = [name]
        for role in roles:
            names.append(f"{name}_{role}")
        columns_of[label] = names

    uses = Counter(columns.LEADERBOARD.names)
    uses.update(tiebreaks.names())
    for names in columns_of.values():
        uses.update(names)

    chosen = {}
    for label, names in columns_of.items():
        is_free = all(uses[name] == 1 for name in names)
        if is_free:
            chosen[label] = names[0]
        else:
            chosen[label] = label
    return chosen


def board_role_columns(boards: Mapping[str, Sequence[Role]]) -> dict[tuple[str, Role], str]:
    """Return the name of each board role's column: the board's and the role's."""
    names = {}
    for label, column in board_columns(boards).items():
        separator = "_"
        if "/" in column:
            separator = "/"
        for role in boards[label]:
            names[label, role] = f"{column}{separator}{role}"
    return names
