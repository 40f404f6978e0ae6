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


def show(
    event: str | None,
    *,
    bot: str | None,
    lost: bool,
    most: int,
    json: bool,
) -> None:
    """Print the newest matches of an event, newest first.

    With `bot` print only its matches; with `lost` those that it lost, or without a bot those that
    any bot lost.
    """
    with Archive.open(paths.event_folder(event)) as archive:
        entered = archive.event().bots
        if bot is not None:
            bot = bot_shown(bot, entered)
            names = [entrant.name for entrant in entered]
            if bot not in names:
                raise ArenaError(f"--bot {bot}: no bot of this event; {known_are(bot, names)}")
        newest = archive.newest(most, bot=bot, lost=lost)
        played = archive.played_of(list(newest))
        count = archive.count()

    if json:
        output.print_json(_row(match) for match in played)
        return

    shown = display_names(entered)
    cells = [_cells(match, shown) for match in played]
    output.print_table(output.make_table(HEADERS, cells))
    listed = str(len(played))
    if len(played) == most:
        listed = f"the newest {listed}"
    name = "ID"
    if event is not None:
        name = f"{event}/ID"
    output.notice(
        f"{listed} of {output.counted(count, 'match')}; `arena replay {name}` shows one, also by "
        "the first digits of its id"
    )


def _row(match: Played) -> dict[str, Any]:
    """Return a match as JSON values."""
    endings = {role: ending.value for role, ending in match.endings.items()}
    return {
        "match": match.id,
        "board": match.label,
        "repeat": match.repeat,
        "bots": dict(match.seats),
        "scores": dict(match.scores),
        "results": results_of(match),
        "reason": match.reason,
        "endings": endings,
        "turns": match.turns,
    }


def _cells(match: Played, names: Mapping[str, str]) -> Sequence[str]:
    """Return the cells of a match, in the order of `HEADERS`."""
    seats: list[str] = []
    for role, bot in match.seats.items():
        seats.append(f"{names.get(bot, bot)} {match.scores[role]}")
    winners: list[str] = []
    for bot, result in results_of(match).items():
        if result == "won":
            winners.append(names.get(bot, bot))
    return (
        match.id,
        match.label,
        ", ".join(seats),
        ", ".join(winners) or "nobody",
        "; ".join(_end(match, names)),
    )


def _end(match: Played, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the rules' word for the end, unless it is a forfeit, and each fault with its bot."""
    if match.reason != "forfeit":
        yield match.reason
    for bot, role in first_faults(match).items():
        name = names.get(bot, bot)
        ending = match.endings[role].value.replace("_", " ")
        yield f"{name}: {ending}"
