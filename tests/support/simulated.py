"""Leagues of bots whose true strengths are known, played by dice, and single matches: what ratings
are tested on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from arena.results.arrays import Arrays, BoardRole, Entry
from arena.values import Played
from tests.support.finished import result

DUEL = (BoardRole("maze/duel", 0, "explorer"), BoardRole("maze/duel", 1, "mummy"))
TRIO = (
    BoardRole("pac/classic", 0, "pacman"),
    BoardRole("pac/classic", 1, "blinky"),
    BoardRole("pac/classic", 1, "inky"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class League:
    """Bots with a strength for each board role, and the advantage of each board role; all in
    logits.
    """

    board_roles: tuple[BoardRole, ...]
    strength: np.ndarray
    """bots x board roles."""
    advantage: np.ndarray
    pairs: np.ndarray | float = 0.0
    """bots x bots: what a bot is stronger by against this opponent than against others; 0 for
    nothing of the kind."""
    luck: float = 0.0
    """The standard deviation of what a seed does for the role of the first side, in logits; legs
    share it."""

    @property
    def truth(self) -> np.ndarray:
        """Each bot's mean strength, the average bot at 0."""
        means = self.strength.mean(axis=1)
        return means - means.mean()

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(f"bot{number:02}" for number in range(len(self.strength)))


def league(
    random,
    bots=12,
    boards=(DUEL,),
    spread=1.0,
    special=0.5,
    advantage=0.7,
    tails=None,
    extreme=(),
    pairs=0.0,
    luck=0.0,
) -> League:
    """Strengths drawn from normal distributions: `spread` for a bot's mean, `special` for what is
    its own in a role.

    With `tails` the means are Student's t of this number of degrees of freedom. The last bots have
    the `extreme` means. `pairs` is the standard deviation of what is special to a pair of bots.
    """
    board_roles = tuple(board_role for board in boards for board_role in board)
    mean = spread * (
        random.standard_normal((bots, 1)) if tails is None else random.standard_t(tails, (bots, 1))
    )
    mean[bots - len(extreme) :, 0] = extreme
    strength = mean + special * random.standard_normal((bots, len(board_roles)))
    sides = np.array([1 if each.side == 0 else -1 for each in board_roles])
    drawn = np.triu(pairs * random.standard_normal((bots, bots)), 1) if pairs else 0.0
    return League(
        board_roles=board_roles,
        strength=strength,
        advantage=advantage * sides * random.choice([-1, 1]),
        pairs=drawn - np.transpose(drawn),
        luck=luck,
    )


def seatings(board_roles: tuple[BoardRole, ...], bots: int, kind="sides") -> np.ndarray:
    """Every seating, a row each: one bot a side, or with `distinct` one a role."""
    count = len({each.side for each in board_roles}) if kind == "sides" else len(board_roles)
    rows = np.array(list(permutations(range(bots), count)))
    return rows[:, [each.side for each in board_roles]] if kind == "sides" else rows


def expected(
    league: League, at: list[int], rows: np.ndarray, shift: np.ndarray | float = 0.0
) -> np.ndarray:
    """The chance, or mean score, of each role of each seating; `at` are the board's roles, as
    indices.

    `shift` is what the luck of each seating's seed does for the first side.
    """
    side = np.array([league.board_roles[index].side for index in at])
    own = np.stack([league.strength[rows[:, k], index] for k, index in enumerate(at)], axis=1)
    means = np.stack([own[:, side == one].mean(axis=1) for one in (0, 1)], axis=1)
    ahead = means[:, 0] - means[:, 1] + shift
    if np.ndim(league.pairs):
        ahead = ahead + league.pairs[rows[:, 0], rows[:, -1]]
    logit = league.advantage[at] + np.where(side == 0, 1, -1) * ahead[:, None]
    return 1 / (1 + np.exp(-logit))


def limit(league: League, kind="sides") -> np.ndarray:
    """The rating of each bot after a round robin without end, the mean of all at 0.

    It is the strength at which a bot that is as strong in every role is expected to have the same
    points. The mean strength is another figure where roles, pairs or seeds are special.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    bots, roles = len(league.strength), len(league.board_roles)
    designs, credited, scores = [], [], []
    for label in dict.fromkeys(each.label for each in league.board_roles):
        at = [index for index, each in enumerate(league.board_roles) if each.label == label]
        rows = seatings(tuple(league.board_roles[index] for index in at), bots, kind)
        mean = np.average(
            [expected(league, at, rows, league.luck * node) for node in nodes],
            axis=0,
            weights=weights,
        )
        side = np.array([league.board_roles[index].side for index in at])
        for column, index in enumerate(at):
            design, credit = np.zeros((2, len(rows), roles + bots))
            design[:, index] = credit[:, index] = 1 / len(rows)
            for other in range(len(at)):
                sign = 1 if side[other] == side[column] else -1
                share = sign / (side == side[other]).sum() / len(rows)
                np.add.at(design, (np.arange(len(rows)), roles + rows[:, other]), share)
            credit[np.arange(len(rows)), roles + rows[:, column]] = 1 / len(rows)
            designs.append(design)
            credited.append(credit * len(rows))
            scores.append(mean[:, column])
    sizes = [np.full(len(each), len(each)) for each in scores]
    design = np.vstack(designs) * np.concatenate(sizes)[:, None]
    credit = np.vstack(credited) / np.concatenate(sizes)[:, None]
    score, values = np.concatenate(scores), np.zeros(roles + bots)
    ridge = 1e-9 * np.eye(len(values))
    for _ in range(60):
        chance = 1 / (1 + np.exp(-design @ values))
        slope = credit.T @ (score - chance) - 1e-9 * values
        values += np.linalg.solve(
            credit.T @ (design * (chance * (1 - chance))[:, None]) + ridge, slope
        ).clip(-2, 2)
    return values[roles:] - values[roles:].mean()


def scored(random, chances: np.ndarray, kind: str) -> np.ndarray:
    """Scores of 0 to 100 with these means: `won` or lost, with `drawn` ones between, or
    `graded`.
    """
    if kind == "won":
        return 100 * (random.random(chances.shape) < chances)
    if kind == "drawn":
        half = np.minimum(chances, 1 - chances)
        dice = random.random(chances.shape)
        return 50 * ((dice < chances - half / 2).astype(int) + (dice < chances + half / 2))
    return np.rint(100 * random.beta(4 * chances, 4 * (1 - chances))).astype(int)


def play(
    random,
    league: League,
    *,
    repeats=1,
    kind="won",
    chosen=None,
    seating="sides",
    fixed=False,
    without_chance=0,
    shared=False,
) -> Arrays:
    """Play every seating `repeats` times; `chosen(rows)` picks seatings, `fixed` bots play each the
    same every time.

    So do the first `without_chance` bots among each other. With `shared` all pairs have the same
    seeds, and so the same luck.
    """
    parts, transcripts, seeds, start = [], [], [], 0
    labels = list(dict.fromkeys(each.label for each in league.board_roles))
    for number, label in enumerate(labels):
        at = [k for k, each in enumerate(league.board_roles) if each.label == label]
        rows = seatings(tuple(league.board_roles[k] for k in at), len(league.strength), seating)
        rows = rows if chosen is None else rows[chosen(rows)]
        times = 1 if fixed else repeats
        sets = [
            hash((number, *([] if shared else sorted(set(row))))) % 2**40 for row in rows.tolist()
        ]
        each = np.repeat(np.array(sets), times) + np.tile(np.arange(times), len(rows))
        seeded, of_seed = np.unique(each, return_inverse=True)
        shift = league.luck * random.standard_normal(len(seeded))[of_seed] if league.luck else 0.0
        chances = expected(league, at, np.repeat(rows, times, axis=0), shift)
        first = scored(random, chances[:, :1], kind)
        last = 100 - first if len(at) == 2 else scored(random, chances[:, 1:2], "won")
        scores = np.repeat(
            np.hstack((first, *[last] * (len(at) - 1))), repeats if fixed else 1, axis=0
        )
        # By seating: whether all of its matches are copies of the first.
        copied = fixed | (rows < without_chance).all(axis=1) & np.ones(len(rows), dtype=bool)
        if without_chance:
            first_match = np.repeat(np.arange(len(rows)) * repeats, repeats)
            scores = np.where(np.repeat(copied, repeats)[:, None], scores[first_match], scores)
        seats = np.repeat(rows, repeats, axis=0)
        count, repeat = len(seats), np.tile(np.arange(repeats), len(rows))
        seeds.append(np.repeat(np.array(sets), repeats) + repeat)
        # Matches that began alike have the same upper bits; in all others each began like no other.
        by_seating = np.repeat(np.arange(len(rows)), repeats)
        transcripts.append(
            np.where(np.repeat(copied, repeats), by_seating, len(rows) + np.arange(count))
        )
        match = start + np.repeat(np.arange(count), len(at))
        parts.append((match, seats.ravel(), np.tile(at, count), scores.ravel()))
        start += count
    match, bot, board_role, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    return arrays_of(
        league.bots,
        league.board_roles,
        seed=np.concatenate(seeds),
        transcript=np.concatenate(transcripts),
        match=match,
        bot=bot,
        board_role=board_role,
        score=score,
    )


def arrays_of(
    bots: Sequence[str],
    board_roles: Sequence[BoardRole],
    *,
    seed: np.ndarray,
    transcript: np.ndarray,
    match: np.ndarray,
    bot: np.ndarray,
    board_role: np.ndarray,
    score: np.ndarray,
) -> Arrays:
    """The arrays of matches whose bots and board roles are indices in these; `match` rises."""
    codes, entry = np.unique(bot * len(board_roles) + board_role, return_inverse=True)
    entries = []
    for code in codes.tolist():
        each = board_roles[code % len(board_roles)]
        game, _, board = each.label.partition("/")
        name = bots[code // len(board_roles)]
        entries.append(
            Entry(game=game, board=board, side=each.side, role=each.role, bot=name, digest="")
        )
    starts = np.searchsorted(match, np.arange(len(seed)))
    return Arrays(
        entries=tuple(entries),
        repeat=np.zeros_like(seed),
        seed=seed,
        turns=np.ones_like(seed),
        transcript=transcript,
        match=match,
        position=np.arange(len(match)) - starts[match],
        entry=entry,
        score=score,
        ending=np.full_like(score, -1),
    )


def met(row: list[int]) -> Iterable[tuple[int, int]]:
    """The pairs of bots in a seating."""
    members = sorted(set(row), reverse=True)
    return [(one, other) for k, one in enumerate(members) for other in members[k + 1 :]]


SIDES = {
    "solo": (("explorer",),),
    "duel": (("explorer",), ("mummy",)),
    "classic": (("pacman",), ("blinky", "inky")),
    "melee": (("north",), ("east",), ("south",)),
}


def match(board: str, bots: str, *scores: int, seed: int = 1) -> Played:
    """A finished match: `match("duel", "ann bob", 100, 0)`, bots and scores in the board's order of
    roles.
    """
    return result(SIDES[board], bots, *scores, label=f"maze/{board}", seed=seed)


@st.composite
def small_events(draw) -> list[Played]:
    boards = st.sampled_from(["solo", "duel", "classic", "melee"])
    matches = []
    for number in range(draw(st.integers(1, 12))):
        board = draw(boards)
        seats = sum(len(side) for side in SIDES[board])
        bots = " ".join(draw(st.lists(st.sampled_from("abcde"), min_size=seats, max_size=seats)))
        scores = draw(st.lists(st.integers(0, 100), min_size=seats, max_size=seats))
        matches.append(
            replace(match(board, bots, *scores, seed=draw(st.integers(1, 3))), id=str(number))
        )
    return matches


def circle(random, *, lead: float, repeats: int, others: int = 0):
    """Bots 0, 1 and 2 beat each other in turn, by this lead in logits; the others are far weaker,
    and alike.
    """
    field = league(
        random, bots=3 + others, spread=0, special=0, advantage=0.5, extreme=(-6.0,) * others
    )
    pairs = np.zeros((3 + others, 3 + others))
    pairs[[0, 1, 2], [1, 2, 0]], pairs[[1, 2, 0], [0, 1, 2]] = lead, -lead
    return play(random, replace(field, pairs=pairs), repeats=repeats)
