"""The facts and moves of a board as numbers, for bots that learn.

It imports the standard library only, because bots import it.

An encoding is learned from random matches of the board, so it needs no knowledge of the game.
`arena.pettingzoo` uses it in training, and the trained bot uses the same encoding in its matches.
"""

# How facts become features
#
# All facts with the same first word and the same number of words are a group. The words after the
# first are split into an index and values: the index is the fewest leading words that tell the
# facts of a group apart in every view.
#
#   step 7                 index: none      value: 7
#   at explorer 6 3        index: explorer  values: 6, 3
#   pellet 1 3             index: 1 3       no value: the fact stands there or not
#   row 2 x . o            index: 2         values: x, ., o
#   observation ..xo...    index: none: such lines repeat, their line in the view parts them
#
# A value is one feature for each word that it may be, 0 or 1 (one-hot), because a network learns
# "at column 3" from that more easily than from the number 3. Whole numbers of a wide range, such as
# counters, are one feature: their position in the range, from 0 to 1. Of many words of the same
# length, such as the rows of a drawing, each letter is a value. A fact without values, and one that
# may be missing, has a feature that is 1 where the fact stands.
#
# The features of a view begin with one for each role: who looks. What the random matches did not
# show has no feature: a word that was never seen is encoded as zeros, and a number outside of the
# range as the nearest one in it. Matches from the start alone would show little: on
# mummy_maze/court two random players hardly ever leave their corner. So most of them begin at a
# state that showed a new fact or move.

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from arena.game import CHANCE, Fact, Game, Move, Role

STATES = 5000
"""The number of states of random matches that are examined."""
RESTART = 0.05
"""The chance that a random match is left after a turn for another one."""
WIDEST_ONE_HOT = 40
"""A range of more whole numbers is one feature; more words of the same length are taken letter by
letter."""
MOST_KNOWN = 100_000
"""Facts whose features are remembered; they take about 20 MB."""
REPEATED = -1
"""The depth of a group whose facts are told apart by their line in the view only."""

View: TypeAlias = tuple[Fact, ...]
"""The facts that a role sees of a state."""
Group: TypeAlias = tuple[str, int]
"""The first word of a fact, and the number of its words."""
Slot: TypeAlias = tuple[str, int, int]
"""The first word of a fact, the number of words behind it, and the index of a value there."""


@dataclass(frozen=True)
class Encoding:
    """Which feature stands for what, and which number for which move."""

    names: tuple[str, ...]
    """Each feature, such as `role mummy`, `pellet 1 3`, `at mummy value 1 = 8`, `step value 1`."""
    moves: Mapping[Role, tuple[Move, ...]]
    """The moves of each role; the number of a move is its index here."""
    depths: Mapping[Group, int]
    """How many words are the index of each group of facts."""
    ranges: Mapping[str, tuple[int, int]]
    """The lowest and highest value of each feature that is a number."""
    lettered: frozenset[str]
    """The values that are taken letter by letter."""

    @cached_property
    def _numbers(self) -> dict[Role, dict[Move, int]]:
        numbers: dict[Role, dict[Move, int]] = {}
        for role, moves in self.moves.items():
            numbers[role] = {move: number for number, move in enumerate(moves)}
        return numbers

    @cached_property
    def _features(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _known(self) -> dict[tuple[int, Fact], tuple[tuple[int, float], ...]]:
        """The features of each fact that was met; a match repeats most of them."""
        return {}

    def observe(self, facts: Iterable[Fact], role: Role) -> list[float]:
        """Return the features of what a role sees, each from 0 to 1."""
        vector = [0.0] * len(self.names)
        vector[self._features[f"role {role}"]] = 1.0
        for numbered_fact in enumerate(facts):
            if numbered_fact not in self._known:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                line, fact = numbered_fact
                features = self._encode(line, fact)
                self._known[numbered_fact] = tuple(features)
            for number, value in self._known[numbered_fact]:
                vector[number] = value
        return vector

    def actions(self, legal: Iterable[Move], role: Role) -> dict[int, Move]:
        """Return the legal moves of a role by their numbers.

        A move that the random matches did not show takes a number that no other legal move has
        here, from the last on; when there are no more numbers, it is left out.
        """
        numbers = self._numbers[role]
        actions: dict[int, Move] = {}
        unknown: list[Move] = []
        for move in legal:
            if move in numbers:
                actions[numbers[move]] = move
            else:
                unknown.append(move)
        if unknown:
            from_the_last = reversed(range(len(numbers)))
            free = [number for number in from_the_last if number not in actions]
            actions.update(zip(free, unknown, strict=False))
        return actions

    def to_json(self) -> str:
        """Return the encoding as a text that `from_json` reads."""
        depths = []
        for (word, count), depth in self.depths.items():
            depths.append([word, count, depth])
        parts = [
            self.names,
            self.moves,
            depths,
            self.ranges,
            sorted(self.lettered),
        ]
        return json.dumps(parts)

    @classmethod
    def from_json(cls, text: str) -> "Encoding":
        """Return the encoding that `to_json` wrote."""
        names, moves_by_role, depth_rows, ranges_by_name, lettered = json.loads(text)
        moves = {role: tuple(listed) for role, listed in moves_by_role.items()}
        depths = {(word, count): depth for word, count, depth in depth_rows}
        ranges = {name: (low, high) for name, (low, high) in ranges_by_name.items()}
        return cls(
            names=tuple(names),
            moves=moves,
            depths=depths,
            ranges=ranges,
            lettered=frozenset(lettered),
        )

    @classmethod
    def of(cls, game: Game[Any], states: int = STATES) -> "Encoding":
        """Return the encoding of a board; the same board has the same encoding each time."""
        explored = _explored(game, states)
        views = explored.views
        depths = _depths(views)
        vocabulary = _vocabulary(views, depths)

        names = [f"role {role}" for role in game.roles]
        valued: set[str] = set()  # the labels that have a value
        for value in vocabulary.slots:
            label, _, _ = value.rpartition(" value ")
            valued.add(label)
        for label, count in vocabulary.counts.items():
            may_be_missing = count < len(views)
            if may_be_missing or label not in valued:
                names.append(label)

        ranges: dict[str, tuple[int, int]] = {}
        lettered: set[str] = set()
        for value, slot in vocabulary.slots.items():
            words = vocabulary.words[slot]
            lengths = set(map(len, words))
            span = _range_of(words)
            if span is not None:
                low, high = span
                if high - low < WIDEST_ONE_HOT:
                    numbers = range(low, high + 1)
                    names += [f"{value} = {number}" for number in numbers]
                else:
                    names.append(value)
                    ranges[value] = span
            elif len(words) > WIDEST_ONE_HOT and len(lengths) == 1:
                letters: set[str] = set()
                for word in words:
                    letters.update(_letters(value, word))
                names += letters
                lettered.add(value)
            else:
                names += [f"{value} = {word}" for word in words]
        names.sort(key=_natural)
        return cls(
            names=tuple(names),
            moves=explored.moves,
            depths=depths,
            ranges=ranges,
            lettered=frozenset(lettered),
        )

    def _encode(self, line: int, fact: Fact) -> Iterator[tuple[int, float]]:
        """Yield each feature of a fact with its value."""
        first_word, _, _ = fact.partition(" ")
        group = (first_word, fact.count(" ") + 1)
        if group not in self.depths:
            return

        label, values = _parsed(line, fact, self.depths)
        names = [label]
        for value, word in values:
            if value in self.lettered:
                names += _letters(value, word)
            elif value not in self.ranges:
                names.append(f"{value} = {word}")
            elif _is_number(word):
                low, high = self.ranges[value]
                nearest = min(max(int(word), low), high)
                position = (nearest - low) / (high - low)
                yield self._features[value], position

        for name in names:
            if name in self._features:
                yield self._features[name], 1.0


def starts(game: Game[Any], states: int = STATES) -> tuple[Any, ...]:
    """Return states from which training may begin.

    They are the first state, and those of random matches that showed something new. A bot that
    always begins at the start may never meet an end that lies far away.
    """
    return _explored(game, states).new_states


@dataclass(frozen=True)
class _Exploration:
    """What random matches show."""

    views: list[View]
    """What each role sees of each state."""
    moves: dict[Role, tuple[Move, ...]]
    """The moves of each role, in order."""
    new_states: tuple[Any, ...]
    """The first state, and those that showed a new fact or move."""


def _explored(game: Game[Any], states: int) -> _Exploration:
    """Return what random matches of this many states show."""
    dice = random.Random(0)
    known: set[str] = set()
    views: list[View] = []
    moves: dict[Role, set[Move]] = {role: set() for role in game.roles}
    lookers = game.roles
    if game.open:  # all see the same
        lookers = game.roles[:1]

    state = game.start()
    new_states = [state]
    for _ in range(states):
        movers = game.to_move(state)
        legal = {role: game.legal_moves(state, role) for role in movers}
        players = legal.keys() - {CHANCE}

        texts: set[str] = set()
        for role in lookers:
            view = tuple(game.view(state, role))
            views.append(view)
            texts.update(view)
        for role in legal:
            texts.update(legal[role])
        for role in players:
            moves[role].update(legal[role])

        is_new = not texts <= known
        known |= texts
        if is_new and players:
            new_states.append(state)

        if legal and dice.random() > RESTART:
            choices = {}
            for role, legal_moves in legal.items():
                choices[role] = dice.choice(legal_moves)
            state = game.play(state, choices)
        else:
            state = dice.choice(new_states)

    ordered: dict[Role, tuple[Move, ...]] = {}
    for role, moves_of_role in moves.items():
        ordered[role] = tuple(sorted(moves_of_role, key=_natural))
    return _Exploration(
        views=views,
        moves=ordered,
        new_states=tuple(new_states),
    )


def _depths(views: Iterable[View]) -> dict[Group, int]:
    """Return for each group of facts how many words tell its facts apart in every view."""
    depths: dict[Group, int] = {}
    for view in views:
        groups: dict[Group, list[list[str]]] = {}
        for fact in view:
            first, *words = fact.split(" ")
            group = (first, len(words) + 1)
            groups.setdefault(group, []).append(words)

        for group, facts in groups.items():
            _, word_count = group
            depth = depths.setdefault(group, 0)
            while depth != REPEATED:
                indices = {tuple(words[:depth]) for words in facts}
                if len(indices) == len(facts):
                    break
                if depth < word_count - 1:
                    depth += 1
                else:
                    depth = REPEATED
            depths[group] = depth
    return depths


@dataclass(frozen=True)
class _Vocabulary:
    """What the facts of views consist of."""

    counts: dict[str, int]
    """The number of views in which each fact stands, by its first word and index."""
    slots: dict[str, Slot]
    """The slot of each value."""
    words: dict[Slot, set[str]]
    """The words of each slot: where one role appeared another one may appear, too."""


def _vocabulary(views: Iterable[View], depths: Mapping[Group, int]) -> _Vocabulary:
    """Return what the facts of these views consist of."""
    counts: dict[str, int] = {}
    slots: dict[str, Slot] = {}
    words: dict[Slot, set[str]] = {}
    for view in views:
        for line, fact in enumerate(view):
            label, values = _parsed(line, fact, depths)
            counts[label] = counts.get(label, 0) + 1
            first_word, _, _ = label.partition(" ")
            later_word_count = fact.count(" ")
            for number, (value, word) in enumerate(values):
                slot = (first_word, later_word_count, number)
                slots[value] = slot
                words.setdefault(slot, set()).add(word)
    return _Vocabulary(counts=counts, slots=slots, words=words)


def _parsed(
    line: int,
    fact: Fact,
    depths: Mapping[Group, int],
) -> tuple[str, list[tuple[str, str]]]:
    """Return the first word of a fact with its index, and each of its values with its name."""
    first, *words = fact.split(" ")
    depth = depths[first, len(words) + 1]
    if depth == REPEATED:
        index = [f"line {line}"]
        values = words
    else:
        index = words[:depth]
        values = words[depth:]
    label = " ".join([first, *index])
    named_values = []
    for number, word in enumerate(values, 1):
        name = f"{label} value {number}"
        named_values.append((name, word))
    return label, named_values


def _letters(value: str, word: str) -> list[str]:
    """Return the features of a value that is taken letter by letter."""
    return [f"{value} letter {number} = {letter}" for number, letter in enumerate(word, 1)]


def _is_number(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _range_of(words: Iterable[str]) -> tuple[int, int] | None:
    """Return the lowest and the highest of these whole numbers; None if a word is no number."""
    if not all(map(_is_number, words)):
        return None
    numbers = list(map(int, words))
    return min(numbers), max(numbers)


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]], str]:
    """Return a key by which numbers in names are ordered as numbers.

    Roles come first, and no two names are equal.
    """
    words = name.split(" ")
    key = []
    for word in words:
        if _is_number(word):
            key.append((False, int(word), ""))
        else:
            key.append((True, 0, word))
    is_no_role = words[0] != "role"
    return is_no_role, key, name
