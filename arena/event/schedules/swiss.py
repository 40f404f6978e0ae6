"""Swiss: bots of equal score meet, and no two bots meet twice. FIDE's Dutch system without colours.

Each game has its own Swiss, among the bots that play it. A batch is a round of all of them. It
is paired from the results of all earlier rounds, so it begins when the last match of the round
before is over.
"""

# Rules of FIDE's handbook, C.04.1, of 1 July 2025; those of a round are in _dutch.py
# ---------------------------------------------------------------------------------------
# - The number of rounds is fixed beforehand (article 1). FIDE gives no number. Ours is log2 of the
#   bots, rounded up: with fewer rounds two bots could have won all their pairings.
# - Where bots must meet again, they play with new seeds.
# - A bye is worth a win (article 3): a bot that no other bot could meet should not fall behind by
#   it, and half a point would push a good bot into a group of weaker bots.
# - A bot that did not say `ready` in any match of a pairing was absent from that round. It is
#   paired no more, as FIDE withdraws a player who stays away without notice, and its opponent gets
#   the point. A bot that never said `ready` gets no point for a bye either, which it may have had
#   before its first pairing; nor does a bot that sat out all rounds. The results show who is
#   absent, so a resumed event pairs the same bots. The first pairing has to show it: no result is
#   on disk before.
# - A pairing is one game: 1 point for the bot with the higher sum of scores over all its legs, and
#   half a point each where the sums are equal. Summing up the scores themselves would split the
#   bots into as many groups as there are bots.

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from arena.errors import ArenaError
from arena.event.schedules._dutch import LAST_ROUND, ROUND_BEFORE, Edge, Floats, paired
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
WIN, DRAW = 2, 1
"""Half points, so that sums are whole numbers."""
Level = tuple[bool, int, int]
"""The order of the bots: whether a bot ever said `ready`, its points, and its Buchholz."""


def batch(
    event: Event,
    number: int,
    history: Sequence[Batch],
) -> Iterator[Match]:
    """Yield the matches of a round, the highest score first; none after the last round."""
    for league, league_history in leagues(event, history):
        if number < rounds(league):
            yield from _round(league, league_history)


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board: exactly, unless bots are absent."""
    planned = {board.label: 0 for board in event.boards}
    for league, _ in leagues(event):
        pairings_a_round = len(league.bots) // 2
        pairings = rounds(league) * pairings_a_round * event.repeats
        for board in league.boards:
            legs = 2 * board.variants
            planned[board.label] = pairings * legs
    return planned


def rounds(league: Event) -> int:
    """Return the number of rounds.

    ArenaError for a game that cannot be paired, or for too many rounds.
    """
    check_generalists(league)
    bots = len(league.bots)
    if league.rounds is None:
        return (bots - 1).bit_length()

    most = bots - 1 + bots % 2
    if league.rounds > most:
        raise ArenaError(
            f"rounds: {bots} bots of {league.games[0]} play at most {most} rounds of Swiss before "
            f"somebody must meet twice: say rounds = {most} or fewer, "
            'or schedule = "round_robin"'
        )
    return league.rounds


def _round(league: Event, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of the next round of a game."""
    all_bots = seeded(league)
    state = _state(league, history)
    numbers = range(len(all_bots))
    present = [bot for bot in numbers if bot not in state.absent]
    points: list[int] = []
    byes: list[int] = []
    floats_down: list[int] = []
    floats_up: list[int] = []
    for bot in present:
        points.append(state.points[bot])
        byes.append(state.byes[bot] + state.walkovers[bot])
        floats_down.append(state.down[bot])
        floats_up.append(state.up[bot])

    index = {bot: number for number, bot in enumerate(present)}
    met: dict[Edge, int] = {}
    for (first, second), times in state.met.items():
        if first in index and second in index:
            edge = (index[first], index[second])
            met[edge] = times

    floats = Floats(down=floats_down, up=floats_up)
    pairs, _ = paired(points, met, byes, floats)
    for first, second in pairs:
        first_bot = all_bots[present[first]]
        second_bot = all_bots[present[second]]
        earlier_meetings = met.get((first, second), 0)
        first_repeat = league.repeats * earlier_meetings
        repeats = range(first_repeat, first_repeat + league.repeats)
        yield from pairing(league, first_bot, second_bot, repeats)


def placings(league: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a game's Swiss after these rounds, by points, then by Buchholz.

    FIDE's C.07 article 8.1 defines Buchholz. Byes have their own column. Here they count as wins,
    as in the pairing of the next round. Points of the leaderboard and ratings count matches only,
    and a bye is none. For Buchholz the opponent of a bye is FIDE's "dummy", which has the bot's own
    points (C.07 article 16.4); so is an opponent that did not say `ready`. A bot that never did
    stands behind all that played.
    """
    bots = [bot.name for bot in seeded(league)]
    state = _state(league, history)
    buchholz: list[int] = []
    for bot, points in enumerate(state.points):
        unplayed = state.byes[bot] + state.walkovers[bot]
        buchholz.append(unplayed * points)
    for (bot, opponent), games in state.games.items():
        buchholz[bot] += games * state.points[opponent]

    standings: list[Level] = []
    for bot, points in enumerate(state.points):
        has_played = bot not in state.never
        standing = (has_played, points, buchholz[bot])
        standings.append(standing)

    place_of: dict[Level, int] = {}
    best_first = sorted(standings, reverse=True)
    for rank, standing in enumerate(best_first, 1):
        place_of.setdefault(standing, rank)  # equal bots share a place

    rows: list[Placing] = []
    for bot, name in enumerate(bots):
        results = state.results[bot]
        rows.append(
            Placing(
                place=place_of[standings[bot]],
                bot=name,
                points=Fraction(state.points[bot], WIN),
                won=results[1],
                drawn=results[0],
                lost=results[-1],
                byes=state.byes[bot],
                buchholz=Fraction(buchholz[bot], WIN),
            )
        )
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
        """The number of pairings to which both bots came, in both orders."""
        self.byes = [0] * bots
        self.walkovers = [0] * bots
        """Pairings to which only the other bot did not come."""
        self.down = [0] * bots
        self.up = [0] * bots
        """The floats, as in `_dutch.Floats`."""
        self.absent: set[int] = set()
        """The bots that did not come to a pairing. They are paired no more."""
        self.never: set[int] = set()
        """The absent bots that came to no pairing; after the last round all that came to none."""


def _state(league: Event, history: Sequence[Batch]) -> _State:
    """Return a game's Swiss after these rounds."""
    index = {bot.name: number for number, bot in enumerate(seeded(league))}
    state = _State(len(index))
    played = len(history)
    weights = {played - 1: LAST_ROUND, played - 2: ROUND_BEFORE}
    came: set[int] = set()
    for number, batch in enumerate(history):
        weight = weights.get(number, 0)
        came |= _add_round(state, batch, index, weight)

    everybody = set(index.values())
    present = everybody - state.absent
    if played >= rounds(league) or len(present) < 2:
        state.never = everybody - came
    else:
        state.never = state.absent - came
    for bot in state.never:
        state.points[bot] = 0
        state.byes[bot] = 0
    return state


def _add_round(
    state: _State,
    batch: Batch,
    index: Mapping[str, int],
    weight: int,
) -> set[int]:
    """Add the results of a round; return the bots that came to their pairing.

    `index` has the number of each bot by name, and `weight` is what a float counts in this round.
    """
    points_before = tuple(state.points)
    unpaired = set(index.values()) - state.absent
    missing = {index[name] for name in absentees(batch)}
    came: set[int] = set()
    for sums in totals(batch).values():
        scores = [(index[name], score) for name, score in sums.items()]
        both_views = (scores, scores[::-1])
        for (bot, score), (opponent, opponents_score) in both_views:
            has_come = bot not in missing
            if has_come:
                came.add(bot)
                result = (score > opponents_score) - (score < opponents_score)
            else:
                result = -1  # also where both did not come, and so have equal scores
            state.points[bot] += DRAW + result
            state.results[bot][result] += 1
            state.met[bot, opponent] += 1
            unpaired.remove(bot)

            if has_come and opponent in missing:
                # A point without play is like a bye: a float down, and no bye later.
                state.walkovers[bot] += 1
                state.down[bot] += weight
                continue
            if has_come:
                state.games[bot, opponent] += 1
            points = points_before[bot]
            opponents_points = points_before[opponent]
            if points > opponents_points:
                state.down[bot] += weight
            elif points < opponents_points:
                state.up[bot] += weight

    for bot in unpaired:
        state.points[bot] += WIN
        state.byes[bot] += 1
        state.down[bot] += weight
    state.absent |= missing
    return came
