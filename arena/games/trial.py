"""Tries a board that rules make of its name: a process of its own loads and plays it once.

The parameters in such a name may come from anybody, also in a record, and a game in C++ may end the
process, take all memory or never answer for some of them. Nothing is known here of any game.
"""

import os
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from arena.errors import ArenaError, named
from arena.game import Game
from arena.limited import LimitedError, limited_value

MEMORY_BYTES = 1_000_000_000
CPU_SECONDS = 10
"""The slowest game of OpenSpiel that arena lets it prepare is loaded in 1 s."""
WALL_SECONDS = 60.0
PLAY_S = 2.0
"""CPU time after which a match is played no further; `go` on 19 lines takes 0.4 s to its end."""


def refuse_deadly(load: Callable[[], Game[Any]]) -> None:
    """Raise ValueError if the game cannot be loaded and played; a process of its own tries it."""
    try:
        attempt = partial(_play_once, load)
        limited_value(
            attempt,
            memory=MEMORY_BYTES,
            cpu=CPU_SECONDS,
            wall=WALL_SECONDS,
        )
    except ArenaError as error:
        raise ValueError(str(error)) from error
    except LimitedError as error:
        raise ValueError(f"cannot be played: it {error}; take other parameters") from error


def _play_once(load: Callable[[], Game[Any]]) -> None:
    """Load a game and play random moves, for some time or to the end.

    ArenaError, in words, for what it raises.
    """
    silent = os.open(os.devnull, os.O_WRONLY)  # OpenSpiel prints what it raises
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    deed = "loaded"
    try:
        game = load()
        deed = "played"
        dice = Random(0)
        state = game.start()
        movers = game.to_move(state)
        until = time.process_time() + PLAY_S
        while movers and time.process_time() < until:
            for role in (None, *game.roles):
                game.view(state, role)
            moves = {}
            for role in movers:
                legal = game.legal_moves(state, role)
                moves[role] = dice.choice(legal)
            state = game.play(state, moves)
            movers = game.to_move(state)
        game.outcome(state)
    except MemoryError:
        raise
    except Exception as error:
        if deed == "loaded" and type(error) is ValueError:  # the rules' own words
            raise ArenaError(str(error)) from error
        raise ArenaError(f"cannot be {deed} with these parameters: {named(error)}") from error
