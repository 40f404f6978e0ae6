"""The nemesis of a bot: play that is found by matches with it, and takes as many points as it can.

It owns the search. The matches are real ones: the bot is confined, has its clock, and does not know
who asks.
"""

# Which search, and why
# ---------------------
# A match is a path through the positions of the game. Whoever plays against the bot knows the rules
# and sees all, but not what the bot will answer. Each position has a bound, the most points that
# can still be had: 100 until something is known. The moves of the nemesis lead where the bound is
# highest. After each match the bounds of its positions are made again, from the last one to the
# first, by what the bot answered there. So where a way turns out worse than it looked, the next
# match takes another one (real-time dynamic programming with an optimistic bound: Korf, 1990;
# Barto, Bradtke and Singh, 1995).
#
# If the bot answers each position always alike, a bound never falls below what is possible. So as
# soon as a match brings as many points as the bound of the start, no play takes more, and the
# search ends with a proof. If the bot throws dice, or the game does, a bound is a mean over what
# was seen, which proves nothing. Then the last part of the matches is no search: the best play
# found meets the bot with new dice, and these matches alone say what it is worth.
#
# Rejected: UCT, which needs many matches to forget a line that was good once, and never knows that
# it has finished.

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from typing import Any

from arena.game import CHANCE, Game, Move, Role
from arena.games.quality import assessor_of, positions
from arena.match.referee import Referee
from arena.values import Record

State = Any
Joint = tuple[tuple[Role, Move], ...]
"""The moves of several roles in one turn."""
MOST_JOINT = 400
"""The most joint moves of the nemesis that are compared in a position.

Where there are more, this number is drawn.
"""
EVALUATION = 0.25
"""The part of the matches that only evaluate, where the bot or the game throws dice."""
CONFIRMATIONS = 5
"""Matches with other dice that must go alike before a bot is taken to answer always alike."""
TRUST = 0.5
"""How often, among moves that look equal, one is taken that the rules' own search thinks best."""


@dataclass
class Nemesis:
    """Plays the other side against a bot, and learns from each match."""

    game: Game[Any]
    roles: Collection[Role]
    random: Random
    exact: bool = False
    """True once it is proven that no play takes more from a bot that answers each position always
    alike."""
    varies: bool = False
    """True once the bot answered one position in two ways, or chance had a turn."""
    exploits: bool = False
    """True while it plays what was best so far, and explores no more."""
    _bounds: dict[State, float] = field(default_factory=dict)
    _answers: defaultdict[State, Counter[Joint]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """What the bot, and chance, did in each position."""
    _scores: defaultdict[tuple[State, Joint], list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The scores of the matches in which it made these moves in this position."""
    _joint: tuple[Referee, int, Mapping[Role, Move]] | None = None
    """The match, the turns before, and its moves then."""
    _sampled: bool = False
    """True once a position had too many moves to compare all, so that its bound may be too low."""

    def choose(self, referee: Referee, role: Role) -> Move:
        """Return its move, as a human's seat is asked for it."""
        turns = len(referee.turns)
        if self._joint is not None:
            referee_before, turns_before, moves = self._joint
            if (referee_before, turns_before) == (referee, turns):
                return moves[role]
        # Its roles that move at once choose together.
        moves = dict(self._best(referee.state))
        self._joint = (referee, turns, moves)
        return moves[role]

    def learn(self, record: Record) -> float:
        """Take note of a match, and return its mean score in the roles of the nemesis."""
        score = _score(record, self.roles)
        path: list[State] = []
        state = self.game.start()
        for before, turns in positions(self.game, record.turns):
            moves = {turn.role: turn.move for turn in turns}
            self._note_turn(before, moves, score)
            path.append(before)
            state = self.game.play(before, moves)

        self._bounds[state] = score  # also where the bot was at fault, and the rules would go on
        for before in reversed(path):
            hopes = [self._hope(before, joint) for joint in self._joints(before)]
            self._bounds[before] = max(hopes)
        never_sure = self.varies or self._sampled
        start = self.game.start()
        bound = self._bounds[start]
        self.exact = not never_sure and score >= bound
        return score

    def _note_turn(
        self,
        state: State,
        moves: Mapping[Role, Move],
        score: float,
    ) -> None:
        """Take note of a turn in this position, of a match with this score."""
        ours: list[tuple[Role, Move]] = []
        answer: list[tuple[Role, Move]] = []
        for role, move in moves.items():
            if role in self.roles:
                ours.append((role, move))
            else:
                answer.append((role, move))
        if answer:
            answers = self._answers[state]
            answers[tuple(answer)] += 1
            if CHANCE in moves or len(answers) > 1:
                self.varies = True
        if ours:
            self._scores[state, tuple(ours)].append(score)

    def _hope(self, state: State, joint: Joint) -> float:
        """Return the most points that can be had after these moves.

        It is the mean over what the bot and chance did there.
        """
        our_roles = {role for role, _ in joint}
        if set(self.game.to_move(state)) == our_roles:  # nobody else moves
            after = self.game.play(state, dict(joint))
            return self._bound(after)
        answers = self._answers.get(state)
        if not answers:
            return 100.0
        total = 0.0
        for answer, count in answers.items():
            moves = dict(joint + answer)
            after = self.game.play(state, moves)
            total += self._bound(after) * count
        return total / answers.total()

    def _bound(self, state: State) -> float:
        known = self._bounds.get(state)
        if known is not None:
            return known
        outcome = self.game.outcome(state)
        if outcome is None:
            return 100.0
        return _mean(outcome.scores, self.roles)

    def _best(self, state: State) -> Joint:
        """Return the moves with the highest value; of equal ones the rules' own search chooses."""
        joints = list(self._joints(state))
        self.random.shuffle(joints)
        values = []
        for joint in joints:
            if self.exploits:  # the highest mean, where a move that was seen once counts little
                scores = self._scores.get((state, joint), [])
                value = sum(scores) / (len(scores) + 1)
            else:
                value = self._hope(state, joint)
            values.append(value)

        most = max(values)
        equal: list[Joint] = []
        for joint, value in zip(joints, values, strict=True):
            if value == most:
                equal.append(joint)
        if len(equal) == 1:
            return equal[0]
        trusts_rules = self.exploits or self.random.random() < TRUST
        if not trusts_rules:
            return equal[0]
        assessor = assessor_of(self.game)
        if assessor is None:
            return equal[0]
        for joint in equal:
            if all(move in assessor.best(state, role) for role, move in joint):
                return joint
        return equal[0]

    def _joints(self, state: State) -> Iterator[Joint]:
        """Yield the moves of its roles that are to move, all together.

        Where none of them is to move, yield one empty tuple.
        """
        legal = {}
        for role in self.game.to_move(state):
            if role in self.roles:
                legal[role] = self.game.legal_moves(state, role)
        counts = [len(moves) for moves in legal.values()]
        if prod(counts) <= MOST_JOINT:
            for combination in product(*legal.values()):
                yield tuple(zip(legal, combination, strict=True))
            return
        self._sampled = True
        for _ in range(MOST_JOINT):
            joint: list[tuple[Role, Move]] = []
            for role, moves in legal.items():
                move = self.random.choice(moves)
                joint.append((role, move))
            yield tuple(joint)


@dataclass(frozen=True, kw_only=True)
class Exploitation:
    """What the best play found takes from a bot."""

    score: float
    """The mean score of the nemesis, 0 to 100."""
    low: float
    high: float
    """The 95 % interval of `score`; both ends equal it where it is exact."""
    exact: bool
    """True when no play takes more, if the bot answers each position always alike."""
    value: int | None
    """What the nemesis would have against perfect play; None where the board is not solved."""
    records: tuple[Record, ...]
    """All matches, those that only evaluate last."""
    shortest: Record
    """Of the matches in which it scored most, the one with the fewest turns."""


def exploit(
    game: Game[Any],
    roles: Collection[Role],
    play: Callable[[int, Nemesis], Record],
    matches: int,
    *,
    seed: int = 0,
) -> Exploitation:
    """Search for play in these roles that beats the bot in the others.

    At most `matches` are played. `play` plays the match of a number, each with dice of its own, in
    which the nemesis chooses for its roles.
    """
    nemesis = Nemesis(game, roles, Random(seed))
    records: list[Record] = []
    scores: list[float] = []
    evaluated: list[float] = []
    first_evaluated = round((1 - EVALUATION) * matches)
    confirmed = 0
    while len(records) < matches and confirmed < CONFIRMATIONS:
        evaluates = nemesis.varies and len(records) >= first_evaluated
        nemesis.exploits = evaluates or nemesis.exact
        record = play(len(records), nemesis)
        records.append(record)
        if evaluates:
            score = _score(record, roles)
            evaluated.append(score)
        else:
            score = nemesis.learn(record)
        scores.append(score)
        if nemesis.exact:
            confirmed += 1
        else:
            confirmed = 0

    best = max(scores)
    best_records: list[Record] = []
    for record, score in zip(records, scores, strict=True):
        if score == best:
            best_records.append(record)
    mean = best
    low = best
    high = best
    if nemesis.varies:
        mean, low, high = _interval(evaluated or scores)
    return Exploitation(
        score=mean,
        low=low,
        high=high,
        exact=confirmed >= CONFIRMATIONS,
        value=_value(game, roles),
        records=tuple(records),
        shortest=min(best_records, key=lambda record: len(record.turns)),
    )


def _value(game: Game[Any], roles: Collection[Role]) -> int | None:
    """Return what these roles score when all play perfectly; None where the board is not solved."""
    solution = game.solve()
    if solution is None:
        return None
    first_side = game.sides[0]
    score_of_first = solution(game.start()).score
    if set(first_side) == set(roles):
        return score_of_first
    return 100 - score_of_first


def _score(record: Record, roles: Collection[Role]) -> float:
    return _mean(record.verdict.scores, roles)


def _mean(scores: Mapping[Role, int], roles: Collection[Role]) -> float:
    """Return the mean score of these roles."""
    return sum(scores[role] for role in roles) / len(roles)


def _interval(scores: list[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval.

    One match won and one lost are added (Agresti and Coull, 1998).
    """
    mean = sum(scores) / len(scores)
    added = [*scores, 0.0, 100.0]
    count = len(added)
    middle = sum(added) / count
    squares = [(score - middle) ** 2 for score in added]
    variance = sum(squares) / count
    half = 1.96 * variance**0.5 / count**0.5
    low = max(0.0, middle - half)
    high = min(100.0, middle + half)
    return mean, low, high
