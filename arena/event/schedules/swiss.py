"""Swiss: in each round bots of equal score meet, and no two bots meet twice. FIDE's Dutch system, without its colours.

Each game has a Swiss of its own, among the bots that play it. A batch is a round of all of them. It
is paired from the results of all earlier rounds, so it begins when the last match of the round
before is over.
"""

# Rules of FIDE's handbook, C.04.1, of 1 July 2025; those of a round are in _dutch.py
# --------------------------------------------------------------------------------------- - The
# number of rounds is fixed beforehand (article 1). FIDE gives no number. Ours is log2 of the bots,
# rounded up: with fewer rounds two bots could have won all their pairings. - Where bots must meet
# again, they play with new seeds. - A bye is worth a win (article 3): a bot that nobody could meet
# should not lose ground by it, and half a point would push a good bot into a group of weaker ones.
# - A bot that did not say `ready` in any match of a pairing was absent from that round. It is
# paired no more, as FIDE withdraws who stays away without notice, and its opponent has the point. A
# bot that never said `ready` has no point for a bye either, which it may have had before its first
# pairing; nor has a bot that sat out all the time. Who is absent stands in the results, so an event
# that goes on pairs the same bots. The first pairing has to show it: no result is on disk before. -
# A pairing is one game: 1 point for the bot with the higher sum of scores over all its legs, and
# half a point each where the sums are equal. To sum up the scores themselves would split the bots
# into as many groups as bots.

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from arena.errors import ArenaError
from arena.event.schedules._dutch import LAST_ROUND, ROUND_BEFORE, Floats, paired
from arena.event.schedules._pairings import (
    Placing,
    check_generalists,
    leagues,
    pairing,
    seeded,
    totals,
)
from arena.results.standings import absentees
from arena.values import Batch, Event, Match

BEHIND = 0
WIN, DRAW = 2, 1  # half points, so that sums are whole numbers


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a round, the bots of the highest score first; nothing after the last round."""
    for league, own in leagues(event, history):
        if number < rounds(league):
            yield from _round(league, own)


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board: exactly, unless bots are absent."""
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
    state = _state(league, history)
    present = [bot for bot in range(len(bots)) if bot not in state.absent]

    def met(first: int, second: int) -> int:
        return state.met[present[first], present[second]]

    pairs, _ = paired(
        [state.points[bot] for bot in present],
        met,
        [state.byes[bot] + state.walkovers[bot] for bot in present],
        Floats([state.down[bot] for bot in present], [state.up[bot] for bot in present]),
    )
    for first, second in pairs:
        repeat = league.repeats * met(first, second)
        both = bots[present[first]], bots[present[second]]
        yield from pairing(league, *both, range(repeat, repeat + league.repeats))


def placings(league: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a game's Swiss after these rounds, by points, then by Buchholz (FIDE C.07 article 8.1).

    Byes are visible in a column of their own. Here they count as wins, as in the pairing of the
    next round. Points of the leaderboard and ratings count matches only, and a bye is none. For
    Buchholz the opponent of a bye is FIDE's "dummy", which has the bot's own points (C.07 article
    16.4); so is an opponent that did not say `ready`. A bot that never did stands behind all that
    played.
    """
    bots = [bot.name for bot in seeded(league)]
    state = _state(league, history)
    buchholz = []
    for bot, points in enumerate(state.points):
        buchholz.append((state.byes[bot] + state.walkovers[bot]) * points)
    for (bot, opponent), games in state.games.items():
        buchholz[bot] += games * state.points[opponent]
    worth = [(bot not in state.never, state.points[bot], buchholz[bot]) for bot in range(len(bots))]
    place: dict[tuple[bool, int, int], int] = {}
    for number, value in enumerate(sorted(worth, reverse=True), 1):
        place.setdefault(value, number)
    rows = [
        Placing(
            place=place[worth[index]],
            bot=name,
            points=Fraction(state.points[index], WIN),
            won=state.results[index][1],
            drawn=state.results[index][0],
            lost=state.results[index][-1],
            byes=state.byes[index],
            buchholz=Fraction(buchholz[index], WIN),
        )
        for index, name in enumerate(bots)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, row.bot)))


class _State:
    """A Swiss after some rounds. A bot is the number of its seed, 0 for the best."""

    def __init__(self, bots: int) -> None:
        self.points = [0] * bots
        """Half points."""
        self.results = [Counter[int]() for _ in range(bots)]
        """The pairings that each bot won (1), drew (0) and lost (-1)."""
        self.met = Counter[tuple[int, int]]()
        """How often two bots were paired, in both orders."""
        self.games = Counter[tuple[int, int]]()
        """The same for the pairings that both came to."""
        self.byes, self.walkovers = [0] * bots, [0] * bots
        """A walkover is a pairing to which only the other bot did not come."""
        self.down, self.up = [0] * bots, [0] * bots
        """The floats."""
        self.absent: set[int] = set()
        """The bots that did not come to a pairing. They are paired no more."""
        self.never: set[int] = set()
        """Those of them that came to none; of a Swiss that is over, all bots that came to none."""


def _state(league: Event, history: Sequence[Batch]) -> _State:
    index = {bot.name: number for number, bot in enumerate(seeded(league))}
    state = _State(len(index))
    weights = {len(history) - 1: LAST_ROUND, len(history) - 2: ROUND_BEFORE}
    came: set[int] = set()
    for number, played in enumerate(history):
        weight, before = weights.get(number, 0), tuple(state.points)
        unpaired = set(index.values()) - state.absent
        missing = {index[name] for name in absentees(played)}
        for total in totals(played).values():
            scores = [(index[name], score) for name, score in total.items()]
            for (bot, score), (opponent, opponents_score) in (scores, scores[::-1]):
                result = (score > opponents_score) - (score < opponents_score)
                if bot in missing:
                    result = -1  # also where both did not come, and so scored alike
                state.points[bot] += DRAW + result
                state.results[bot][result] += 1
                state.met[bot, opponent] += 1
                unpaired.remove(bot)
                if bot not in missing and opponent in missing:
                    # A point without play is like a bye: a float down, and no bye later.
                    state.walkovers[bot] += 1
                    state.down[bot] += weight
                    continue
                state.games[bot, opponent] += bot not in missing
                if before[bot] != before[opponent]:
                    (state.down if before[bot] > before[opponent] else state.up)[bot] += weight
            came |= {bot for bot, _ in scores} - missing
        for bot in unpaired:
            state.points[bot] += WIN
            state.byes[bot] += 1
            state.down[bot] += weight
        state.absent |= missing
    is_over = len(history) >= rounds(league) or len(index) - len(state.absent) < 2
    state.never = (set(index.values()) if is_over else state.absent) - came
    for bot in state.never:
        state.points[bot], state.byes[bot] = 0, 0
    return state
