"""The columns of every frame of results: name, meaning, unit and label.

From its unit follows how many decimals a figure has. Only the cells of a column stand elsewhere, in
results/leaderboard/. Frames use these names; CSV files, the terminal and the report use these
decimals; the report uses these labels. `python tests/pages.py` makes the tables of
docs/columns.md from them. Pure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from math import isfinite
from typing import Any

from arena.results import tiebreaks
from arena.values import Ending

DECIMALS = {
    "%": 1,
    "logits": 2,
    "Elo": 0,
    "points": 1,
    "score": 1,
    "points a match": 1,
    "seconds": 4,
    "cost": 4,
}
"""Decimals that a person is shown, by unit.

Figures of other units have 2, unless they are whole numbers.
"""
FILE_DECIMALS = 4
SECONDS_FILE_DECIMALS = 6  # clock readings show microseconds, and costs what a few tokens cost


@dataclass(frozen=True)
class Column:
    """A column of a frame."""

    name: str
    """Capitals stand for names of the event: `BOARD_ROLE` for a column for each board and role."""
    meaning: str
    """For a reader of docs/columns.md, in Markdown."""
    unit: str = ""
    """`rating` is that of the event's rating; empty for texts, and for figures without a unit."""
    label: str = ""
    """The heading on a page; two columns with one label, such as the ends of an interval, are shown
    as one."""

    @property
    def heading(self) -> str:
        """The label, or the name as words if there is none."""
        return self.label or self.name.replace("_", " ")

    @property
    def decimals(self) -> int:
        """The number of decimals that a person is shown."""
        return DECIMALS.get(self.unit, 2)

    @property
    def file_decimals(self) -> int:
        """The number of decimals in CSV and JSON."""
        if self.unit in {"seconds", "cost"}:
            return SECONDS_FILE_DECIMALS
        return FILE_DECIMALS

    def in_file(self, figure: float) -> float | None:
        """Return a figure with the decimals of CSV and JSON, 0.0 for -0.0.

        It is None for a figure that is missing or infinite.
        """
        if not isfinite(figure):
            return None
        # numpy rounds the columns of CSV files in this way, which is not always Python's
        # `round(figure, decimals)`.
        power: int = 10**self.file_decimals
        return round(figure * power) / power

    def text(self, figure: float | None, sign: str = "-") -> str:
        """Return a figure as a person is shown it.

        A missing figure and an open end of an interval are empty. `sign` is Python's: "+" gives
        figures above zero a sign, too.
        """
        if figure is None:
            return ""
        in_file = self.in_file(figure)
        if in_file is None:
            return ""
        if not isinstance(figure, float):
            return str(figure)
        return rounded_text(in_file, self.decimals, sign)

    def printed(self, figure: float | None, sign: str = "-") -> str:
        """Return the same with the minus sign of print, for pages and pictures."""
        return self.text(figure, sign).replace("-", "\u2212")


def rounded_text(figure: float, decimals: int, sign: str = "-") -> str:
    """Return a figure with some decimals; `sign` is Python's.

    Halves go away from zero, as people round, and JavaScript's `toFixed`. Every figure of results
    that a person is shown is rounded here: the terminal, the charts and the report must not differ
    by a last digit.
    """
    unit = Decimal(1).scaleb(-decimals)
    exact = Decimal(figure).quantize(unit, ROUND_HALF_UP, Context(prec=400))
    return f"{exact:{sign}z.{decimals}f}"


def chance_text(chance: float) -> str:
    """Return a chance, 0 to 1, in whole per cent: `>99` above 99.5 %, and `<1` below 0.5 %.

    Matches prove neither 0 nor 100 %.
    """
    text = rounded_text(100 * chance, 0)
    if text == "100":
        return ">99"
    if text == "0":
        return "<1"
    return text


def interval_text(low: str, high: str) -> str:
    """Return an interval in words, from the texts of its ends; the text of an open end is empty."""
    if low and high:
        return f"{low} to {high}"
    if low:
        return f"above {low}"
    if high:
        return f"below {high}"
    return "anything"


def ranks_text(
    best: float | None,
    worst: float | None,
    dash: str = "\u2013",
) -> str:
    """Return the ranks that the matches leave open: `2`, or `2` to `4` with a dash.

    It is empty without ranks.
    """
    if best is None:
        return ""
    if best == worst:
        return f"{best:g}"
    return f"{best:g}{dash}{worst:g}"


def interval_bars(rows: Iterable[Mapping[str, Any]]) -> list[tuple[float, float, float] | None]:
    """Return for each row the begin of its interval, its rating and the end of its interval.

    All are on one scale from 0 to 1. An open end is at the edge, beyond every figure. A row without
    a rating has no bar.
    """
    bars = [(row.get("rating_low"), row.get("rating"), row.get("rating_high")) for row in rows]
    figures: list[float] = []
    beyond_low = False
    beyond_high = False
    for low, rating, high in bars:
        if rating is None:
            continue
        figures.append(rating)
        if low is None:
            beyond_low = True
        else:
            figures.append(low)
        if high is None:
            beyond_high = True
        else:
            figures.append(high)
    least = min(figures, default=0.0)
    most = max(figures, default=0.0)
    margin = 0.1 * (most - least or 1)
    if beyond_low:
        least -= margin
    if beyond_high:
        most += margin
    scale = most - least or 1
    shares: list[tuple[float, float, float] | None] = []
    for low, rating, high in bars:
        if rating is None:
            shares.append(None)
            continue
        begin: float = 0
        if low is not None:
            begin = (low - least) / scale
        end: float = 1
        if high is not None:
            end = (high - least) / scale
        shares.append((begin, (rating - least) / scale, end))
    return shares


class Columns:
    """The columns of a frame, in their order."""

    def __init__(self, *columns: Column | Iterable[Column]) -> None:
        """Take columns, and groups of columns such as the ends of an interval."""
        all_columns: list[Column] = []
        for column in columns:
            if isinstance(column, Column):
                all_columns.append(column)
            else:
                all_columns.extend(column)
        self.columns = tuple(all_columns)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> Column:
        """Return the column of that name.

        A column may be declared under a general name, which stands for the names of tie-breaks,
        roles, boards or numbers.
        """
        by_name = {column.name: column for column in self.columns}
        stem, _, last = name.rpartition("_")
        general = f"ROLE_{last}"
        if name in tiebreaks.names():
            general = "TIEBREAK"
        for declared in (name, general, f"{stem}_NUMBER", "BOARD"):
            if declared in by_name:
                return replace(by_name[declared], name=name)
        raise KeyError(name)

    def in_file(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows with their figures as in CSV and JSON.

        Infinite figures, which JSON does not have, are None.
        """
        column = cache(self.__getitem__)
        in_file = []
        for row in rows:
            cells = dict(row)
            for name, cell in row.items():
                if isinstance(cell, float):
                    cells[name] = column(name).in_file(cell)
            in_file.append(cells)
        return in_file

    def rated_in(self, unit: str) -> "Columns":
        """Return the columns with the unit of an event's rating."""
        columns = []
        for column in self.columns:
            if column.unit == "rating":
                column = replace(column, unit=unit)
            columns.append(column)
        return Columns(columns)

    def without_logits(self) -> "Columns":
        """Return the columns that a person is shown: those of ratings that are not in Elo."""
        columns = [column for column in self.columns if column.name not in LOGITS]
        return Columns(columns)


_BOT = Column("bot", "Its name", label="Bot")
_DISPLAY = Column(
    "display", "The name to show, such as its author's; the bot's own name if it has no other"
)
_BOARD = Column("board", "`game/board`")
_ROLE = Column("role", "The role")
_MATCH = Column("match", "The match's id")
BOT_AND_OPPONENT = (
    Column("bot", "The bot's name", label="Bot"),
    Column("opponent", "The opponent's name"),
)
RANKS = "The best and the worst rank that the matches leave open, at 95 %"
_RANKS = (
    Column("rank_low", RANKS, label="Ranks"),
    Column("rank_high", RANKS, label="Ranks"),
)


def interval_columns(
    low: str,
    high: str,
    meaning: str,
) -> tuple[Column, Column]:
    """Return the two ends of a 95 % interval of a rating, which a page shows as one column."""
    return Column(low, meaning, "rating", "95 %"), Column(high, meaning, "rating", "95 %")


LOGITS = ("strength_logit", "strength_logit_low", "strength_logit_high")
"""The columns that stand beside a strength in Elo points, for formulas.

A person sees them by `--wide` only.
"""
_LOGITS = (
    Column(
        LOGITS[0],
        "Only where ratings are in Elo: the same strength in logits, the average bot at 0; 1 logit "
        "is 173.7 Elo",
        "logits",
    ),
    Column(LOGITS[1], "Its 95 % interval; infinite where it is open", "logits"),
    Column(LOGITS[2], "Its 95 % interval; infinite where it is open", "logits"),
)
_LOW_AND_HIGH = interval_columns("low", "high", "The 95 % interval; infinite where it is open")

ACCURATE = (
    "Only with solved boards: of its moves there that could have thrown points away, the "
    "percentage that did not; missing without such a move"
)
BLUNDERS = "Only with solved boards: moves a match there that threw points away"
REGRETS = (
    "Only with boards whose moves a search grades: points a match there that its moves threw away, "
    "by estimate"
)
GRADES = {
    "accuracy": "how often, in percent, a bot made no mistake where one was possible",
    "blunders": "mistakes per match that cost points",
    "regret_estimate": "points lost by bad moves, per match (estimated)",
}
"""What the leaderboard's columns of grades mean, for a line below a table that has them."""
_GAME = Column(
    "game", "The game; missing in the rows of bots that play all of several games", label="Game"
)
_ENDINGS = tuple(
    Column(str(ending), "Those of them in which its first fault was of this kind", "matches")
    for ending in Ending
)
LEADERBOARD = Columns(
    _GAME,
    Column(
        "rank",
        "By rating, points, tie-breaks: 1 is best; missing for a bot that plays only a part of the "
        "game",
        label="#",
    ),
    _BOT,
    Column(
        "rating",
        "How strong it is, by the fit of all matches; each (board, role) counts alike",
        "rating",
        "Rating",
    ),
    interval_columns(
        "rating_low", "rating_high", "The 95 % interval of `rating`; infinite where it is open"
    ),
    _LOGITS,
    _RANKS,
    Column(
        "tier", "From 1; bots of one tier cannot be told apart from the best of them", label="Tier"
    ),
    Column("matches", "How many it played in", "matches", "Matches"),
    Column(
        "points",
        "The mean of its mean scores in each (board, role) that it played, 0 to 100",
        "points",
        "Points",
    ),
    Column(
        "won",
        "Matches in which its side scored strictly most, without those that it did not start in",
        "matches",
        "Won",
    ),
    Column("drawn", "Matches in which its side tied for most, likewise", "matches", "Drawn"),
    Column(
        "lost",
        "Matches in which another side scored more, and those that it did not start in",
        "matches",
        "Lost",
    ),
    Column(
        "forfeits",
        "Matches in which it was at fault, with one of its seats or several: the sum of the five "
        "endings",
        "matches",
        "Forfeits",
    ),
    Column("accuracy", ACCURATE, "%", "Accuracy"),
    Column("blunders", BLUNDERS, "a match", "Blunders"),
    Column("regret_estimate", REGRETS, "points a match", "Regret (estimate)"),
    Column("model", "The language model that it asks, in an event with models", label="Model"),
    Column("cost_a_match", "What its calls of this model cost a match", "cost", "Cost a match"),
    Column(
        "TIEBREAK",
        "The tie-break's figure, where it was needed because ratings and points were equal",
    ),
    _ENDINGS,
    Column(
        "BOARD", "Its mean score on the board, 0 to 100; the board's roles count alike", "score"
    ),
    Column("BOARD_ROLE", "Its mean score in the role on the board, 0 to 100", "score"),
    _DISPLAY,
)
ADDED = ("model", "cost_a_match")
"""The columns of the leaderboard that a frame of an extension fills."""
CHANGE = Column(
    "change",
    "Ranks gained or lost since the last run with other bots or versions; in no file. In JSON a "
    "number, `new`, or null "
    "where no earlier run compares",
    label="Change",
)
RANKINGS = Columns(
    _BOARD,
    Column("role", "The role; missing for all roles"),
    Column("rank", "1 is best there", label="#"),
    _BOT,
    Column(
        "strength",
        "How strong it is there, on a scale where the average bot has the same figure as overall",
        "rating",
        "Strength",
    ),
    _LOW_AND_HIGH,
    _LOGITS,
    _RANKS,
    Column("score", "Its mean score there", "score", "Score"),
    _DISPLAY,
)
SINCE = Columns(
    _BOT,
    LEADERBOARD["rank"],
    Column("rank_then", "Its rank in the other event; missing for a new bot", label="# then"),
    LEADERBOARD["rating"],
    Column("rating_then", "Its rating in the other event", "rating", "Rating then"),
    LEADERBOARD["points"],
    Column("points_then", "Its points in the other event", "points", "Points then"),
    _DISPLAY,
)
"""Of `arena/results/comparison.py`, in the report alone."""
STRENGTHS = Columns(
    _BOT,
    _BOARD,
    _ROLE,
    Column(
        "strength",
        "How strong it is there, on a scale where the average bot of the role has the same figure "
        "as overall",
        "rating",
    ),
    _LOW_AND_HIGH,
    _LOGITS,
)
ADVANTAGES = Columns(
    _BOARD,
    Column(
        "role",
        "The role; roles of a side that always score alike have one row, under the first of them",
    ),
    Column(
        "advantage",
        "What the role is worth when average bots meet; 0 if the roles are even",
        "rating",
    ),
    interval_columns("low", "high", "The 95 % interval"),
)
ACCURACY = Columns(
    _BOT,
    _BOARD,
    _ROLE,
    Column(
        "matches",
        "Matches that were graded: a fair sample if the event has more than 5,000",
        "matches",
    ),
    Column(
        "moves",
        "Its moves that could have thrown points away, with perfect play from then on",
        "moves",
    ),
    Column(
        "accuracy", "The percentage of these moves that did not; missing without such a move", "%"
    ),
    Column("blunders", "Moves a match that threw points away", "a match"),
    Column("turns_lost", "Turns a match that it lost while it kept the score", "a match"),
)
REGRET = Columns(
    _BOT,
    _BOARD,
    _ROLE,
    Column(
        "matches",
        "Matches that were graded: a fair sample if the event has more than 200",
        "matches",
    ),
    Column(
        "moves", "Its moves that could have thrown points away, as far as the search sees", "moves"
    ),
    Column(
        "regret_estimate", "Points a match that its moves threw away, by estimate", "points a match"
    ),
    Column(
        "turns_lost", "Turns a match that it lost while it kept the score, by estimate", "a match"
    ),
)
CHANCE_BETTER = Columns(
    Column("game", "The game"),
    BOT_AND_OPPONENT,
    Column(
        "chance",
        "The chance that `bot` is stronger: the share of the refits in which it is; a tie counts "
        "as half",
        "0 to 1",
    ),
)
CROSSTABLE = Columns(
    _BOARD,
    Column("role", "The role of `bot`"),
    BOT_AND_OPPONENT,
    Column("matches", "How often they met in this way", "matches"),
    Column("score", "The mean score of `bot` in these matches", "score"),
)
HEAD_TO_HEAD = Columns(
    _BOARD,
    _ROLE,
    Column("matches", "Matches in which `bot` had the role", "matches"),
    Column("score", "Its mean score in these matches", "score"),
    Column("opponent_matches", "Matches in which `opponent` had the role", "matches"),
    Column("opponent_score", "The opponent's mean score in these", "score"),
    Column("difference", "`score` minus `opponent_score`", "score"),
    Column(
        "opponent_role",
        "The role that `opponent` had: the same as `role`, except if they met only in different "
        "roles",
    ),
)
MATCHES = Columns(
    Column("match", "Its id: `arena replay ID` shows the match"),
    Column("game", "The game"),
    Column("board", "The board's name"),
    Column("repeat", "0, 1, ...: which playing of this seating it is"),
    Column(
        "seed",
        "The same for all matches of the same bots on one board and repeat; fixes all chance in "
        "them if the "
        "event's seed is a number (otherwise each record has a key: [seeds](seeds.md))",
    ),
    Column("reason", "The rules' word for the end, or `forfeit`"),
    Column("ROLE_bot", "For each role: the bot that had it"),
    Column("ROLE_score", "For each role: its score", "score"),
    Column("ROLE_ending", "For each role: how its bot failed; empty if it did not"),
)
SEATS = Columns(
    _MATCH,
    _ROLE,
    Column("bot", "The bot that had the role"),
    Column("digest", "Hash of the bot's files"),
    Column("score", "Its score", "score"),
    Column("ending", "How it failed; empty if it did not"),
    Column("words", "What was expected and what came; empty if it did not fail"),
    Column("ready", "From its start to `ready`", "seconds"),
    Column("exit", "How its process ended"),
    Column("cpu", "CPU time that its processes used in the match", "seconds"),
    Column("memory", "The most memory that its processes held at once", "bytes"),
    Column("turns", "How many answers it gave", "answers"),
)
TURNS = Columns(
    _MATCH,
    Column("turn", "The turn's number from 1"),
    Column("role", "Whose move it was"),
    Column("bot", "The bot that had the role; missing if chance moved"),
    Column("move", "The move, as the rules write it"),
    Column("by", "Who chose it: `bot`, `strike`, `substitute`, `chance`, `opening`"),
    Column("said", "The text that was refused, if any"),
    Column("wall", "From `go` to the answer", "seconds"),
    Column("cpu", "CPU time that the bot's process used since its last answer", "seconds"),
    Column("waited", "Time in which the bot was ready to run, but had no core", "seconds"),
    Column("remarks", "The bot's remarks, a line each"),
)
METRICS = Columns(
    Column("match", "As in `turns()`"),
    Column("turn", "As in `turns()`"),
    Column("role", "As in `turns()`"),
    Column("bot", "As in `turns()`"),
    Column("metric", "The bot's name for it"),
    Column("value", "A number", "the bot's"),
)
VERSIONS = Columns(
    _BOT,
    Column(
        "version",
        "1 for the version that played first, and so on; a version that never played has no number",
    ),
    Column("digest", "Hash of the version's files"),
    Column(
        "rank", "Its rank by rating among the bots of its time, each in its version of that time"
    ),
    Column(
        "rating",
        "How strong it is, by one fit of all matches ever, in which each version is a bot",
        "rating",
    ),
    interval_columns(
        "rating_low", "rating_high", "The 95 % interval of `rating`; infinite where it is open"
    ),
    _LOGITS,
    Column("matches", "How many it played in", "matches"),
)
WALL = "From `go` to the answer: median, 99 % quantile, longest"
CPU = "CPU time that the bot's process used since its last answer: median, 99 % quantile, longest"
TIMING = Columns(
    Column("bot", "The bot's name"),
    _BOARD,
    _ROLE,
    Column("turns", "How many answers it gave there", "answers", "answers"),
    Column(
        "timeout",
        "How often it lost on time there: the answer that it owed is in no other figure",
        "seats",
    ),
    Column("wall_p50", WALL, "seconds", "median"),
    Column("wall_p99", WALL, "seconds", "99 %"),
    Column("wall_max", WALL, "seconds", "longest"),
    Column("cpu_p50", CPU, "seconds", "CPU median"),
    Column("cpu_p99", CPU, "seconds", "CPU 99 %"),
    Column("cpu_max", CPU, "seconds", "CPU most"),
    Column(
        "waited_p99",
        "Time in which the bot was ready to run, but had no core: 99 % quantile",
        "seconds",
    ),
)
ABORTS = Columns(
    Column("match", "Its id"),
    Column("attempt", "The number of the attempt, from 1"),
    Column("cause", "What went wrong"),
)
PLACINGS = Columns(
    Column("game", "The game"),
    Column("place", "Bots that the rules do not separate share a place"),
    _BOT,
    Column("points", "1 for each pairing won and each bye, 0.5 for each pairing drawn"),
    Column("won", "Pairings won, deciders included"),
    Column("drawn", "Pairings drawn"),
    Column("lost", "Pairings lost"),
    Column("byes", "Rounds in which it had no opponent; each counts as a win"),
    Column("buchholz", "Swiss: the sum of its opponents' points", label="Buchholz"),
    Column("out", "Knockout: the round in which it lost", label="out in round"),
    _DISPLAY,
)
"""Of `arena/event/placings.py`: no frame of `Results`, which does not know schedules."""

FRAMES: Mapping[str, Columns] = {
    "leaderboard": LEADERBOARD,
    "rankings": RANKINGS,
    "strengths": STRENGTHS,
    "advantages": ADVANTAGES,
    "accuracy": ACCURACY,
    "regret": REGRET,
    "chance_better": CHANCE_BETTER,
    "versions": VERSIONS,
    "crosstable": CROSSTABLE,
    "head_to_head": HEAD_TO_HEAD,
    "matches": MATCHES,
    "seats": SEATS,
    "turns": TURNS,
    "metrics": METRICS,
    "timing": TIMING,
    "aborts": ABORTS,
}
"""By the method of `Results` that returns the frame."""
