"""The rounds of a Swiss, and the bracket of a knockout: who met whom in which round, and who won."""

from collections import defaultdict
from itertools import pairwise

from arena.event.plan import Plan
from arena.protocol import clean
from arena.results.archive import Archive
from arena.results.columns import rounded_text
from arena.results.leaderboard import Results
from arena.values import Batch

Entry = tuple[tuple[str, str, bool], ...]
"""A pairing, the better bot first: its name, cleaned, its mean score, whether it won. A bye is a bot alone."""


def rounds(results: Results, archive: Archive) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    """Return the title and the pairings of each round that is over, of a Swiss or a knockout; deciders are included."""
    event = results.event
    if event.schedule not in {"swiss", "knockout"}:
        return ()
    plan = Plan(event, archive)
    plan.walk_on()
    played: list[dict[frozenset[str], dict[str, list[int]]]] = []
    for batch in plan.complete_batches():
        met = _scores(batch)
        if played and met.keys() <= played[-1].keys():  # deciders
            for pair, scores in met.items():
                for bot, own in scores.items():
                    played[-1][pair][bot] += own
        else:
            played.append(met)
    knockout, still_in = event.schedule == "knockout", {bot.name for bot in event.bots}
    entries: list[list[list[tuple[float, str]]]] = []
    for met in played:
        pairs = [
            sorted(((sum(own) / len(own), bot) for bot, own in scores.items()), reverse=True) for scores in met.values()
        ]
        byes = still_in - {bot for pair in pairs for _, bot in pair}
        entries.append([*pairs, *([(-1.0, bot)] for bot in sorted(byes))])
        if knockout:
            still_in -= {lost for (most, _), (least, lost) in pairs if least < most}
    if knockout:  # as a bracket, each pairing stands before the one that its winner goes to
        for earlier, later in reversed(list(pairwise(entries))):
            order = {bot: number for number, (_, bot) in enumerate(bot for entry in later for bot in entry)}
            earlier.sort(key=lambda entry: min(order.get(bot, len(order)) for _, bot in entry))
    return tuple(
        (
            "Final" if knockout and len(still_in) < 2 and number == len(entries) else f"Round {number}",
            tuple(
                tuple(
                    (
                        clean(results.display_name(bot)),
                        rounded_text(mean, 1) if len(entry) > 1 else "bye",
                        mean > entry[-1][0],
                    )
                    for mean, bot in entry
                )
                for entry in met
            ),
        )
        for number, met in enumerate(entries, 1)
    )


def _scores(batch: Batch) -> dict[frozenset[str], dict[str, list[int]]]:
    """Return the scores of each bot of each pairing."""
    scores: dict[frozenset[str], dict[str, list[int]]] = {}
    for match in batch:
        own = scores.setdefault(frozenset(match.seats.values()), defaultdict(list))
        for role, bot in match.seats.items():
            own[bot].append(match.scores[role])
    return scores
