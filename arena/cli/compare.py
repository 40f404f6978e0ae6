"""`arena compare`: two bots of an event, head to head, and whether the difference between them is real."""

from collections.abc import Iterator
from math import exp, log
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import options, places, results, screen
from arena.cli.ladder import DECIMALS
from arena.errors import ArenaError

if TYPE_CHECKING:
    from rich.table import Table

    from arena.leaderboard import Results
    from arena.ratings import Strength

SCALES = {"logits": 1.0, "Elo": log(10) / 400}
"""What turns a difference of ratings into logits; points have no such scale."""
SURE = 0.999
"""No chance is told as certain: it is a share of a thousand refits."""


def compare(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The one bot.")],
    opponent: Annotated[str, typer.Argument(metavar="BOT", help="The other.")],
    event: results.Words = None,
    rating: results.Rating = None,
    all_versions: results.AllVersions = False,
    json: options.Json = False,
) -> None:
    """Compare two bots: head to head by board and role, and whether one is really better."""
    from arena.tables import rows_of

    if bot == opponent:
        raise ArenaError(f"{screen.shown(bot)} twice: name two bots")
    read = results.read(places.event_folder(event), all_versions=all_versions, rating=rating)
    rows = rows_of(read.head_to_head(bot, opponent))
    found, chance = _difference(read, bot, opponent)
    if json:
        screen.print_json([_told(read, bot, opponent, found, chance) | {"head_to_head": rows}])
        return
    if rows:
        screen.show(_table(rows, bot, opponent))
    print("\n".join(_words(read.ratings.unit, bot, opponent, found, chance, met=_met(read, bot, opponent))))


def _difference(read: "Results", bot: str, opponent: str) -> "tuple[Strength, float]":
    """By how much the one is rated above the other, and the chance that it is better."""
    from arena.ratings.fitting.uncertainty import difference

    ranks = {one.bot: place for place, one in enumerate(read.ratings.ratings)}
    for name in (bot, opponent):
        if name not in ranks:
            raise ArenaError(f"{screen.shown(name)}: has not played yet; `arena run` goes on with the event")
    return difference(read.ratings, bot, opponent), float(read.ratings.better[ranks[bot], ranks[opponent]])


def _met(read: "Results", bot: str, opponent: str) -> bool:
    """Whether matches tie them together, through others perhaps."""
    return any({bot, opponent} <= set(group) for group in read.ratings.groups)


def _real(found: "Strength") -> bool:
    return not found.low <= 0 <= found.high


def _told(read: "Results", bot: str, opponent: str, found: "Strength", chance: float) -> dict[str, object]:
    return {
        "bot": bot,
        "opponent": opponent,
        "unit": read.ratings.unit,
        "difference": round(found.value, 4),
        "low": round(found.low, 4),
        "high": round(found.high, 4),
        "chance": round(chance, 4),
        "real": _real(found) and _met(read, bot, opponent),
    }


def _table(rows: list[dict[str, Any]], bot: str, opponent: str) -> "Table":
    """Head to head: a row a board and role, each bot in it; on boards for one, each by itself."""
    one, other = screen.shown(bot), screen.shown(opponent)
    columns = ["board", "role", one, other, "difference", "matches"]
    return screen.table(
        columns,
        [
            (
                row["board"],
                row["role"],
                row["score"],
                row["opponent_score"],
                f"{row['difference']:+10.1f}",
                f"{row['matches']} + {row['opponent_matches']}",
            )
            for row in rows
        ],
        decimals=1,
    )


def _words(unit: str, bot: str, opponent: str, found: "Strength", chance: float, *, met: bool) -> Iterator[str]:
    """What the ratings of all matches say of the two, in plain sentences."""
    one, other = screen.shown(bot), screen.shown(opponent)
    by = DECIMALS[unit]
    span = f"95 % interval of the difference {found.low:+.{by}f} to {found.high:+.{by}f}"
    way = "above" if found.value >= 0 else "below"
    yield f"{one} is rated {abs(found.value):.{by}f} {unit} {way} {other} ({span})"
    yield f"chance that {one} is the better: {_percent(chance)}"
    if unit in SCALES:
        share = 100 / (1 + exp(-SCALES[unit] * found.value))
        yield f"where roles are even, {one} is expected to score {share:.0f} of 100 against {other}"
    better, worse = (one, other) if found.value > 0 else (other, one)
    if not met:
        yield "They never met, not even through others: nothing can be said of the difference."
    elif _real(found):
        yield f"The difference is real: {better} is better than {worse}."
    else:
        yield "The difference is not proven: these matches leave open which of the two is better."


def _percent(chance: float) -> str:
    if chance > SURE:
        return "over 99.9 %"
    return f"{100 * chance:.1f} %" if chance >= 1 - SURE else "under 0.1 %"
