"""`arena compare`: two bots of an event, head to head, and whether the difference between them is real."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, log
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths, results, stored_match, workspace
from arena.display_names import bot_shown
from arena.errors import ArenaError
from arena.results.columns import FILE_DECIMALS, HEAD_TO_HEAD, LEADERBOARD, interval_text

if TYPE_CHECKING:
    from arena.results.leaderboard import Results
    from arena.results.ratings import Strength

LOGITS_PER_UNIT = {"logits": 1.0, "Elo": log(10) / 400}
"""Points have no such scale."""
MOST_CERTAIN = 0.999
"""No chance is printed as certain: it is a share of a thousand refits."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the ratings of all matches tell about two bots."""

    difference: "Strength"
    """By how much the first is rated above the second."""
    chance: float
    """The probability that the first is better."""
    tied: bool
    """True if matches tie them together, perhaps through other bots."""
    met: bool
    """True if they played a match against each other."""
    share_board: bool
    """True if there is a board that both played, in whatever role."""

    @property
    def real(self) -> bool:
        """True if the interval of the difference does not hold zero."""
        return not self.difference.low <= 0 <= self.difference.high


def compare(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The first bot; `ada@1` is its version 1.")],
    opponent: Annotated[str, typer.Argument(metavar="BOT", help="The second bot.")],
    event: options.EventName = None,
    rating: results.Rating = None,
    all_versions: results.AllVersions = False,
    json: options.Json = False,
) -> None:
    """Compare two bots: head to head by board and role, and whether one is really better."""
    from arena.results.leaderboard import Results
    from arena.results.tables import rows_of

    folder = paths.event_folder(event)
    read = results.read(folder, all_versions=all_versions, rating=rating)
    bot, opponent = bot_shown(bot, read.event.bots), bot_shown(opponent, read.event.bots)
    if bot == opponent:
        raise ArenaError(f"{output.safe_line(bot)} twice: name two bots")
    names = {standing.bot for standing in read.standings}
    if any("@" in name and name not in names for name in (bot, opponent)):
        numbers = workspace.version_numbers()
        read = Results.side_by_side(folder, numbers, rating=rating, rules=stored_match.game_of)
        bot, opponent = _version_label(read, bot), _version_label(read, opponent)
    rows = rows_of(read.head_to_head(bot, opponent), HEAD_TO_HEAD)
    comparison = _compare(read if json else read.shown, bot, opponent)
    if json:
        difference = comparison.difference
        output.print_json(
            [
                {
                    "bot": bot,
                    "opponent": opponent,
                    "unit": read.ratings.unit,
                    "difference": round(difference.value, FILE_DECIMALS) + 0.0,  # 0.0 for -0.0
                    "low": round(difference.low, FILE_DECIMALS) + 0.0,
                    "high": round(difference.high, FILE_DECIMALS) + 0.0,
                    "chance": round(comparison.chance, FILE_DECIMALS),
                    "real": comparison.real and comparison.tied,
                    "met": comparison.met,
                    "head_to_head": rows,
                }
            ]
        )
        return
    first, second = output.safe_line(read.display_name(bot)), output.safe_line(read.display_name(opponent))
    if rows:  # a row for a board and the role of each bot; on boards for one, each bot by itself
        cells = [
            (
                row["board"],
                row["role"] if row["role"] == row["opponent_role"] else f"{row['role']}, {row['opponent_role']}",
                row["score"],
                row["opponent_score"],
                HEAD_TO_HEAD["difference"].text(row["difference"], "+").rjust(len("difference")),
                f"{row['matches']} + {row['opponent_matches']}",
            )
            for row in rows
        ]
        score, opponent_score = HEAD_TO_HEAD["score"], HEAD_TO_HEAD["opponent_score"]
        scores = replace(score, name=first), replace(opponent_score, name=second)
        output.print_table(output.make_table(("board", "role", *scores, "difference", "matches"), cells))
    never_met = read.head_to_head(bot, opponent).empty
    print("\n".join(_sentences(comparison, read.shown.ratings.unit, first, second, never_met=never_met)))


def _version_label(read: "Results", name: str) -> str:
    """Return the name that a version has in tables: `ada v1` for `ada@1`, `ada 3a9198` for the digest `ada@3a9198`."""
    bot, _, version = name.rpartition("@")
    names = [standing.bot for standing in read.standings]
    for label in (name, f"{bot} v{version}", f"{bot} {version[:6]}"):
        if label in names:
            return label
    known = [f"{bot}@{label.rpartition(' ')[2].removeprefix('v')}" for label in names if label.startswith(f"{bot} ")]
    hint = f"it has {', '.join(known)}" if known else f"one version of {bot} played, or none"
    raise ArenaError(f"{output.safe_line(name)}: no such version played; {output.safe_line(hint)}")


def _compare(read: "Results", bot: str, opponent: str) -> Comparison:
    from arena.results.ratings.fitting.intervals import difference

    ranks = {rating.bot: rank for rank, rating in enumerate(read.ratings.ratings)}
    for name in (bot, opponent):
        if name not in ranks:
            raise ArenaError(f"{output.safe_line(name)}: has not played yet; `arena run` goes on with the event")
    crosstable = read.crosstable()
    first_boards, second_boards = (
        set(standing.boards) for standing in read.standings if standing.bot in {bot, opponent}
    )
    return Comparison(
        difference=difference(read.ratings, bot, opponent),
        chance=float(read.ratings.better[ranks[bot], ranks[opponent]]),
        tied=any({bot, opponent} <= set(group) for group in read.ratings.groups),
        met=bool(((crosstable["bot"] == bot) & (crosstable["opponent"] == opponent)).any()),
        share_board=bool(first_boards & second_boards),
    )


def _sentences(comparison: Comparison, unit: str, first: str, second: str, *, never_met: bool) -> Iterator[str]:
    """Yield what the ratings of all matches tell about the two bots, in plain sentences."""
    difference, chance = comparison.difference, comparison.chance
    column = LEADERBOARD.rated_in(unit)["rating"]
    interval = interval_text(column.text(difference.low, "+"), column.text(difference.high, "+"))
    direction = "above" if round(difference.value, column.decimals) >= 0 else "below"
    yield (
        f"{first} is rated {column.text(abs(difference.value))} {unit} {direction} {second} "
        f"(95 % interval of the difference {interval})"
    )
    percent = f"{100 * chance:.1f} %"
    if not 1 - MOST_CERTAIN <= chance <= MOST_CERTAIN:
        percent = "over 99.9 %" if chance > MOST_CERTAIN else "under 0.1 %"
    yield f"chance that {first} is better: {percent}"
    if unit in LOGITS_PER_UNIT and comparison.share_board:
        share = 100 / (1 + exp(-LOGITS_PER_UNIT[unit] * difference.value))
        yield f"where roles are even, {first} is expected to score {share:.0f} of 100 against {second}"
    if not comparison.tied:
        yield "They never met, not even through others: nothing can be said of the difference."
        return
    if not comparison.share_board:
        yield (
            f"{first} and {second} share no board, so they never meet: this compares how far each stands above "
            "others, through bots that play both."
        )
    elif never_met:
        yield "They never met: this is known through others only."
    if comparison.real:
        better, worse = (first, second) if difference.value > 0 else (second, first)
        yield f"The difference is real: {better} is better than {worse}."
    else:
        yield "The difference is not proven: these matches leave open which of the two is better."
