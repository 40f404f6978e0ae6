"""Swiss: in each round bots of equal score meet, and no two bots meet twice. FIDE's Dutch system, without its colours.

Each game has a Swiss of its own, among the bots that play it. A batch is a round of all of them. It is paired from the
results of all earlier rounds, so it begins when the last match of the round before is over.
"""

# Rules of FIDE's handbook, C.04.1, of 1 July 2025; those of a round are in _dutch.py
# ---------------------------------------------------------------------------------------
# - The number of rounds is fixed beforehand (article 1). FIDE gives no number. Ours is log2 of the bots, rounded up:
#   with fewer rounds two bots could have won all their pairings.
# - Where bots must meet again, they play with new seeds.
# - A bye is worth a win (article 3): a bot that nobody could meet should not lose ground by it, and half a point would
#   push a good bot into a group of weaker ones.
# - A pairing is one game: 1 point for the bot with the higher sum of scores over all its legs, and half a point each
#   where the sums are equal. To sum up the scores themselves would split the bots into as many groups as bots.

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from arena.errors import ArenaError
from arena.event.schedules._dutch import LAST_ROUND, ROUND_BEFORE, Floats, paired
from arena.event.schedules._pairings import Placing, check_generalists, leagues, pairing, seeded, totals
from arena.values import Batch, Event, Match

BEHIND = 0
WIN, DRAW = 2, 1  # half points, so that sums are whole numbers


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a round, the bots of the highest score first; nothing after the last round."""
    for league, own in leagues(event, history):
        if number < rounds(league):
            yield from _round(league, own)


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board, exactly."""
    planned = dict.fromkeys((board.label for board in event.boards), 0)
    for league, _ in leagues(event):
        matches = rounds(league) * (len(league.bots) // 2) * event.repeats * 2
        planned |= {board.label: matches * board.variants for board in league.boards}
    return planned


def rounds(league: Event) -> int:
    """Return the number of rounds; ArenaError for a game that can't be paired, or that is asked for too many rounds."""
    check_generalists(league)
    bots = len(league.bots)
    most = bots - 1 + bots % 2
    if league.rounds is not None and league.rounds > most:
        raise ArenaError(
            f"rounds: {bots} bots of {league.games[0]} play at most {most} rounds of Swiss before somebody must meet "
            f'twice: say rounds = {most} or fewer, or schedule = "round_robin"'
        )
    return league.rounds if league.rounds is not None else (bots - 1).bit_length()


def _round(league: Event, history: Sequence[Batch]) -> Iterator[Match]:
    bots = seeded(league)
    points, _, met, byes, floats = _state(league, history)
    pairs, _ = paired(points, lambda bot, opponent: met[bot, opponent], byes, floats)
    for bot, opponent in pairs:
        first = league.repeats * met[bot, opponent]
        yield from pairing(league, bots[bot], bots[opponent], range(first, first + league.repeats))


def placings(league: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a game's Swiss after these rounds, by points, then by Buchholz (FIDE C.07 article 8.1).

    Byes are visible in a column of their own. Here they count as wins, as in the pairing of the next round. Points of
    the leaderboard and ratings count matches only, and a bye is none. For Buchholz the opponent of a bye is FIDE's
    "dummy", which has the bot's own points (C.07 article 16.4).
    """
    bots = [bot.name for bot in seeded(league)]
    points, results, met, byes, _ = _state(league, history)
    buchholz = [
        sum(met[bot, opponent] * points[opponent] for opponent in range(len(bots))) + byes[bot] * points[bot]
        for bot in range(len(bots))
    ]
    worth = sorted(zip(points, buchholz, strict=True), reverse=True)
    rows = [
        Placing(
            place=1 + worth.index((points[index], buchholz[index])),
            bot=name,
            points=Fraction(points[index], WIN),
            won=results[index][1],
            drawn=results[index][0],
            lost=results[index][-1],
            byes=byes[index],
            buchholz=Fraction(buchholz[index], WIN),
        )
        for index, name in enumerate(bots)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, row.bot)))


def _state(
    league: Event, history: Sequence[Batch]
) -> tuple[list[int], list[Counter[int]], Counter[tuple[int, int]], list[int], Floats]:
    """Return each bot's half points, its pairings won (1), drawn (0) and lost (-1), the meetings, byes and floats.

    A bot is the number of its seed, 0 for the best. The meetings have each pair of bots in both orders.
    """
    index = {bot.name: number for number, bot in enumerate(seeded(league))}
    points, byes, down, up = ([0] * len(index) for _ in range(4))
    results, met = [Counter[int]() for _ in index], Counter[tuple[int, int]]()
    weights = {len(history) - 1: LAST_ROUND, len(history) - 2: ROUND_BEFORE}
    for number, played in enumerate(history):
        weight, before = weights.get(number, 0), tuple(points)
        unpaired = set(range(len(index)))
        for total in totals(played).values():
            scores = [(index[name], score) for name, score in total.items()]
            for (bot, score), (opponent, opponents_score) in (scores, scores[::-1]):
                result = (score > opponents_score) - (score < opponents_score)
                points[bot] += DRAW + result
                results[bot][result] += 1
                met[bot, opponent] += 1
                unpaired.remove(bot)
                if before[bot] != before[opponent]:
                    (down if before[bot] > before[opponent] else up)[bot] += weight
        for bot in unpaired:
            points[bot] += WIN
            byes[bot] += 1
            down[bot] += weight
    return points, results, met, byes, Floats(down, up)
