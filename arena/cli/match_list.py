"""The list of an event's newest matches, from which a user chooses; it reads no record."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.cli import output, paths
from arena.display_names import bot_shown, display_names
from arena.errors import ArenaError, known_are
from arena.results.archive import Archive
from arena.results.standings import first_faults, results_of
from arena.values import Played

HEADERS = ("match", "board", "bots", "won by", "how it ended")


def show(event: str | None, *, bot: str | None, lost: bool, most: int, json: bool) -> None:
    """Print the newest matches of an event, newest first.

    With `bot` print only its matches; with `lost` those that it lost, or without a bot those that
    any bot lost.
    """
    with Archive.open(paths.event_folder(event)) as archive:
        entered = archive.event().bots
        if bot is not None:
            bot = bot_shown(bot, entered)
            names = [each.name for each in entered]
            if bot not in names:
                raise ArenaError(f"--bot {bot}: no bot of this event; {known_are(bot, names)}")
        newest = archive.newest(most, bot=bot, lost=lost)
        played = archive.played_of(list(newest))
        count = archive.count()
    if json:
        output.print_json(_row(match) for match in played)
        return
    shown = display_names(entered)
    output.print_table(output.make_table(HEADERS, [_cells(match, shown) for match in played]))
    which = f"the newest {len(played)}" if len(played) == most else f"{len(played)}"
    output.notice(
        f"{which} of {output.counted(count, 'match')}; `arena replay` shows one by the first "
        "digits of its id"
    )


def _row(match: Played) -> dict[str, Any]:
    results = results_of(match)
    return {
        "match": match.id,
        "board": match.label,
        "repeat": match.repeat,
        "bots": dict(match.seats),
        "scores": dict(match.scores),
        "results": results,
        "reason": match.reason,
        "endings": {role: ending.value for role, ending in match.endings.items()},
        "turns": match.turns,
    }


def _cells(match: Played, names: Mapping[str, str]) -> Sequence[str]:
    seats = ", ".join(
        f"{names.get(bot, bot)} {match.scores[role]}" for role, bot in match.seats.items()
    )
    won = [names.get(bot, bot) for bot, result in results_of(match).items() if result == "won"]
    return match.id, match.label, seats, ", ".join(won) or "nobody", "; ".join(_end(match, names))


def _end(match: Played, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the rules' word for the end, unless it is a forfeit, and each fault with its bot."""
    if match.reason != "forfeit":
        yield match.reason
    for bot, role in first_faults(match).items():
        yield f"{names.get(bot, bot)}: {match.endings[role].value.replace('_', ' ')}"
