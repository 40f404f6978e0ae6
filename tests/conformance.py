"""What the referee relies on in any game, tried by random playouts: one generator a law, which says what is broken.

It knows the contract of `arena.game` and no game. `flaws(game)` is empty for a sound one; a game of your own is tried
with the same line: `assert not flaws(rulebook.load("my_game", "my_board"))`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from arena.game import CHANCE, Game, Move, Role

LONGEST = 10_000
"""Turns after which a playout is taken to be without end."""
ROLE = re.compile(r"[a-z][a-z0-9_]*")


class Step(NamedTuple):
    """One state of a playout, and the moves made in it; no moves in its last."""

    state: Any
    moves: Mapping[Role, Move]


def flaws(game: Game[Any], playouts: int = 20, seed: int = 0) -> list[str]:
    """What is wrong with a game, a sentence each; `[]` when nothing was found."""
    found = [*_lasting(game), *_roles(game), *_text("board", game.board())]
    for number in range(playouts):
        played = playout(game, Random(f"{seed}/{number}"))
        for law in (_ends, _turns, _moves, _outcomes, _views, _tells, _states, _repeats):
            found += law(game, played)
        if found:
            break  # the first broken playout says it all
    return list(dict.fromkeys(found))


def playout(game: Game[Any], dice: Random) -> tuple[Step, ...]:
    """A match of random legal moves, to its end or to where the game breaks."""
    state, steps = game.start(), []
    while (roles := game.to_move(state)) and len(steps) < LONGEST:
        moves = {role: dice.choice(legal) for role in roles if (legal := game.legal_moves(state, role))}
        steps.append(Step(state, moves))
        if len(moves) < len(roles):
            break
        state = game.play(state, moves)
    return (*steps, Step(state, {}))


def _lasting(game: Game[Any]) -> Iterator[str]:
    """The game itself is a value."""
    if not _hashable(game):
        yield "the game is not hashable: make it a frozen dataclass, with tuples for lists"
    if game.start() != game.start():
        yield "start() differs from call to call"


def _roles(game: Game[Any]) -> Iterator[str]:
    """Roles are words, and the sides share them out."""
    roles = tuple(game.roles)
    if not roles or len(set(roles)) < len(roles):
        yield f"roles {roles} are none, or repeat"
    for role in roles:
        if not ROLE.fullmatch(role) or role == CHANCE:
            yield f"role {role!r} is not a word of a-z, 0-9 and _, or is {CHANCE!r}, which the referee plays"
    if sorted(role for side in game.sides for role in side) != sorted(roles) or not all(game.sides):
        yield f"sides {tuple(game.sides)} do not have every role once"


def _ends(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    if len(steps) > LONGEST:
        yield f"a random playout has no end within {LONGEST} turns: add a step limit"


def _turns(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """Somebody is to move exactly until there is an outcome."""
    for state, _ in steps:
        roles = game.to_move(state)
        if bool(roles) == (game.outcome(state) is not None):
            yield f"to_move is {roles} where the outcome is {game.outcome(state)}"
        if len(set(roles)) < len(roles) or not set(roles) <= {*game.roles, CHANCE}:
            yield f"to_move {roles} repeats a role, or names one that there is not"


def _moves(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """Whoever is to move has moves, in a fixed order, once each, as text."""
    for state, _ in steps:
        for role in game.to_move(state):
            legal = game.legal_moves(state, role)
            if not legal:
                yield f"{role} is to move and has no legal move"
            if len(set(legal)) < len(legal):
                yield f"legal moves of {role} repeat"
            if tuple(legal) != tuple(game.legal_moves(state, role)):
                yield f"legal moves of {role} are in another order the second time"
            yield from _text(f"legal moves of {role}", legal)


def _outcomes(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """Every role has a whole score from 0 to 100, for a reason."""
    outcome = game.outcome(steps[-1].state)
    if outcome is None:
        return
    if set(outcome.scores) != set(game.roles):
        yield f"the outcome scores {tuple(outcome.scores)}, and the roles are {tuple(game.roles)}"
    for role, score in outcome.scores.items():
        if type(score) is not int or not 0 <= score <= 100:
            yield f"{role} scores {score!r}, which is no whole number from 0 to 100"
    if outcome.reason == "forfeit":
        yield "the reason 'forfeit' is the referee's word"
    yield from _text("reason", [outcome.reason])


def _views(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    for state, _ in steps:
        for role in (None, *game.roles):
            yield from _text(f"view of {role or 'everything'}", game.view(state, role))


def _tells(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """The view of everything is the state in words: records, replays and their digests have nothing else."""
    seen: dict[tuple[str, ...], Any] = {}
    for state, _ in steps:
        facts = game.view(state, None)
        if facts != game.view(state, None):
            yield "view(state, None) differs from call to call"
        elif seen.setdefault(facts, state) != state:
            yield "view(state, None) is the same for different states: it must tell everything"
            return


def _states(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """A state is a value: hashable, and not changed by being played on."""
    for state, moves in steps:
        if not _hashable(state):
            yield "states are not hashable: use tuples, frozensets, NamedTuples or frozen dataclasses"
            return
        before = (hash(state), game.view(state, None))
        if moves and len(moves) == len(game.to_move(state)):
            game.play(state, moves)
        if before != (hash(state), game.view(state, None)):
            yield "play changes the state that it is given"


def _repeats(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[str]:
    """The same moves lead to the same states, or no match could be played again."""
    state = game.start()
    for (known, moves), (then, _) in pairwise(steps):
        if state != known or len(moves) < len(game.to_move(known)):
            break
        state = game.play(state, moves)
        if state != then or game.view(state, None) != game.view(then, None):
            yield "the same moves lead to another state the second time"
            return


def _text(what: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines of words, as the protocol sends them."""
    for line in lines:
        if not isinstance(line, str) or not line or not line.isprintable() or line != " ".join(line.split()):
            yield f"{what}: {line!r} is not one line of words with single spaces"
        elif line.startswith("#"):
            yield f"{what}: {line!r} begins with #, which marks a bot's remark"


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
