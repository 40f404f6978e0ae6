"""Openings: the first turns of a match, which no bot chooses.

It draws openings, reads them, and writes them as lines. It owns what an opening is in any game.
Pure: it knows the rules, no bot, no match and no file.
"""

# What an opening is
#
# Two bots that always play alike play the same match in every repeat. An opening lets each repeat
# begin elsewhere, and all legs of a pairing at the same state, so that none of the bots has the
# better start.
#
# A ply is one turn: a move of each role that is to move. So a turn of several roles at once is one
# ply with a move for each of them. A turn in which only chance moves is no ply. Its draw belongs to
# the opening all the same, because the moves after it may be legal for this draw only, and because
# the legs would begin at different states otherwise. So chance is sampled from the opening's key,
# or is listed in the file, up to the last ply; later turns of chance are sampled for each match
# alone, as always.
#
# Moves are sampled one after another, each legal move of a turn with the same weight. If the match
# is over by then, the whole opening is sampled again. The other choice, to step back and try
# another last move, would favour states that are near the end of a match.
#
# No two repeats of a pairing begin at the same state, as long as the board has enough states: four
# random plies lead to 56 states of mummy_maze/hunt, so that of ten independent draws about two
# would be wasted. So all openings of a pairing are one sequence without doubles, and a repeat is a
# number in it. To draw the sequence again for each match costs some 30 us for each earlier repeat,
# too much for a duel of thousands of pairings, so the last few sequences are remembered.

import itertools
import random
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from arena.errors import ArenaError, PublicError, did_you_mean
from arena.game import CHANCE, Game, Move, Role
from arena.values import Opening, OpeningMoves

Turns: TypeAlias = tuple[Mapping[Role, Move], ...]
"""The moves of each turn of an opening."""

SAMPLE = 1000
"""Draws that are tried before an event."""
LEAST_OPEN = 20
"""Of these draws, the number that must leave the match open."""
MISSES = 2000
"""Draws in a row without a new opening, after which no other draw is tried. If 2 % of all draws
leave the match open, so many draws in a row decide it once in 10^17 openings."""
MOST_PLIES = 200
REMEMBERED = 8
"""Sequences in memory: more pairings than a referee process plays at the same time."""
BETWEEN_MOVES = "; "
MOVES_SHOWN = 12


def turns_of(game: Game[Any], opening: Opening) -> Turns:
    """Return the moves of each turn of an opening.

    Raise ArenaError if the rules do not let it be played.
    """
    if opening.moves:
        return _listed(game, opening.moves)
    sequence = _remembered(game, opening.plies, opening.key)
    sampled = sequence.sampled
    needed = opening.number + 1
    missing = max(0, needed - len(sampled))
    sampled += itertools.islice(sequence.more, missing)
    if not sampled:
        raise ArenaError(
            f"the match was over in all of {MISSES} openings of {opening.plies} plies "
            "that were sampled"
        )
    # A small board has fewer openings than the event has repeats.
    return sampled[opening.number % len(sampled)]


def decided(game: Game[Any], state: Any) -> bool:
    """Return whether the result of a match is certain in this state.

    No opening may lead to such a state. This function checks every draw and every file. Rules
    report a match that is over, and cannot report yet who wins by force; when they can, ask them
    here.
    """
    return game.outcome(state) is not None


def refuse_rare(game: Game[Any], plies: int) -> None:
    """Raise PublicError when random plies hardly ever leave a match open."""
    if plies > MOST_PLIES:
        raise PublicError(f"an opening has at most {MOST_PLIES} plies")
    open_draws = 0
    for number in range(SAMPLE):
        dice = random.Random(f"sample/{number}")
        turns = _draw(game, plies, dice)
        if turns is not None:
            open_draws += 1
        if open_draws == LEAST_OPEN:
            return

    over = f"all of {SAMPLE}"
    if open_draws:
        over = f"{SAMPLE - open_draws} of {SAMPLE}"
    raise PublicError(
        f"the match is over after {plies} random plies in {over} tries; take fewer plies"
    )


def different(game: Game[Any], plies: int, key: str) -> Iterator[Turns]:
    """Yield openings that lead to different states, until MISSES draws in a row repeat states."""
    states: set[Any] = set()
    newest = 0
    for number in itertools.count():
        if number - newest > MISSES:
            return
        dice = random.Random(f"{key}/{number}")
        turns = _draw(game, plies, dice)
        if turns is None:
            continue

        state = game.start()
        for moves in turns:
            state = game.play(state, moves)
        if state not in states:
            states.add(state)
            newest = number
            yield turns


class _Sequence(NamedTuple):
    """The openings of one key, without doubles."""

    game: Game[Any]
    """It is here so that no other game can have its identity."""
    sampled: list[Turns]
    more: Iterator[Turns]
    """It samples the rest."""


_sequences: dict[tuple[int, int, str], _Sequence] = {}
"""The sequences that were used last."""


def _remembered(game: Game[Any], plies: int, key: str) -> _Sequence:
    """Return a sequence of openings, with those that were sampled already."""
    identity = (id(game), plies, key)
    sequence = _sequences.pop(identity, None)
    if sequence is None:
        sequence = _Sequence(
            game=game,
            sampled=[],
            more=different(game, plies, key),
        )
    _sequences[identity] = sequence  # the newest is last
    while len(_sequences) > REMEMBERED:
        oldest = next(iter(_sequences))
        del _sequences[oldest]
    return sequence


def moves_of(turns: Turns) -> OpeningMoves:
    """Return the moves of an opening one after another."""
    items = [moves.items() for moves in turns]
    return tuple(chain.from_iterable(items))


def line(label: str, moves: OpeningMoves) -> str:
    """Return an opening as a line of a file, `game/board: ROLE MOVE; ROLE MOVE`."""
    separator = BETWEEN_MOVES.strip()
    for role, move in moves:
        if separator in move:
            raise ArenaError(
                f"{label}: {role}'s move {move!r} contains {separator!r}, which parts moves"
            )
    listed = BETWEEN_MOVES.join(f"{role} {move}" for role, move in moves)
    return f"{label}: {listed}"


def parse(text: str) -> tuple[str, OpeningMoves]:
    """Return the board's label and the moves of a line; ArenaError for a line of another form."""
    label, _, listed = text.partition(":")
    label = label.strip()
    separator = BETWEEN_MOVES.strip()
    moves = []
    for item in listed.split(separator):
        role, _, move = item.strip().partition(" ")
        moves.append((role, move.strip()))

    is_whole = all(role and move for role, move in moves)
    if not label or not is_whole:
        beginning = text.strip()[:80]
        raise ArenaError(f"expected `game/board: ROLE MOVE; ROLE MOVE`, found {beginning!r}")
    return label, tuple(moves)


def _draw(game: Game[Any], plies: int, dice: random.Random) -> Turns | None:
    """Draw the moves of an opening; None if they decide the match."""
    state = game.start()
    turns: list[Mapping[Role, Move]] = []
    while plies and game.outcome(state) is None:
        moves = {}
        for role in game.to_move(state):
            legal = game.legal_moves(state, role)
            moves[role] = dice.choice(legal)
        state = game.play(state, moves)
        turns.append(moves)
        if any(role != CHANCE for role in moves):
            plies -= 1

    if plies or decided(game, state):
        return None
    return tuple(turns)


def _listed(game: Game[Any], listed: OpeningMoves) -> Turns:
    """Return the turns of moves that are listed one after another.

    Raise ArenaError at the first move that is not legal.
    """
    state = game.start()
    turns: list[Mapping[Role, Move]] = []
    moves: dict[Role, Move] = {}
    for number, (role, move) in enumerate(listed, 1):
        role_move = f"{role} {move}"
        if game.outcome(state) is not None:
            raise ArenaError(
                f"the match is over before move {number}, {role_move!r}: end the line there"
            )
        movers = game.to_move(state)
        legal: list[str] = []
        for mover in movers:
            if mover not in moves:
                choices = game.legal_moves(state, mover)
                legal += [f"{mover} {choice}" for choice in choices]
        if role_move not in legal:
            hint = _legal_hint(role_move, legal)
            raise ArenaError(f"move {number}, {role_move!r}, is not legal; {hint}")
        moves[role] = move
        if len(moves) == len(movers):
            # In the order of a draw, in whatever order they are listed.
            turn = {mover: moves[mover] for mover in movers}
            turns.append(turn)
            state = game.play(state, turn)
            moves = {}
    if moves:
        movers = game.to_move(state)
        missing = " and ".join(role for role in movers if role not in moves)
        raise ArenaError(
            f"it ends in the middle of a turn: add a move of {missing}, who moves at the same time"
        )
    if decided(game, state):
        raise ArenaError("the match is over after these moves: leave out the last")
    return tuple(turns)


def _legal_hint(role_move: str, legal: list[str]) -> str:
    """Return what to write instead of a move that is not legal."""
    hint = "legal are "
    suggestion = did_you_mean(role_move, legal)
    if suggestion:
        hint = f"{suggestion} Legal are "
    hint += ", ".join(legal[:MOVES_SHOWN])
    if len(legal) > MOVES_SHOWN:
        hint += f", and {len(legal) - MOVES_SHOWN} more"
    return hint
