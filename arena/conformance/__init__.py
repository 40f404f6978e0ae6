"""Does a game keep the contract that the referee relies on? Tried by random playouts; what is broken, in words.

`flaws(game)` is empty for a sound game. The laws stand in `laws.py`. It prints nothing and reads no file.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from arena.conformance import laws
from arena.conformance.laws import LONGEST, Step
from arena.game import Game

__all__ = ["LONGEST", "Flaw", "Step", "flaws", "playout", "transcript"]


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One law that a game breaks."""

    words: str
    """What is broken, in a sentence."""
    turn: int | None = None
    """How many turns were played before; None when it shows without playing."""
    moves: tuple[str, ...] = ()
    """The moves that lead there, a turn each: `role move`, several with a comma."""
    facts: tuple[str, ...] = ()
    """The state in which it happens."""

    def __str__(self) -> str:
        return self.words


def flaws(game: Game[Any], playouts: int = 20, seed: int = 0) -> list[Flaw]:
    """What is wrong with a game; `[]` when nothing was found. A law that is broken again and again is told once."""
    found = {words: Flaw(words=words) for law in laws.OF_THE_GAME for words in _tried(partial(law, game))}
    for number in range(playouts):
        steps = playout(game, Random(f"{seed}/{number}"))
        for place, words in _broken(game, steps):
            if words not in found:
                found[words] = _flaw(game, steps, place, words)
        if found:
            break  # the first broken playout says it all
    return list(found.values())


def playout(game: Game[Any], dice: Random) -> tuple[Step, ...]:
    """A match of random legal moves, to its end or to where the game breaks."""
    state = game.start()
    steps: list[Step] = []
    try:
        while (movers := game.to_move(state)) and len(steps) < LONGEST:
            moves = {role: dice.choice(legal) for role in movers if (legal := game.legal_moves(state, role))}
            steps.append(Step(state, moves))
            if len(moves) < len(movers):
                break
            state = game.play(state, moves)
    except Exception:  # noqa: BLE001, S110 (the laws come to the same place, and say what went wrong)
        pass
    return (*steps, Step(state, {}))


def transcript(game: Game[Any], playouts: int = 3, seed: int = 0) -> list[list[str]]:
    """All that a bot could be told in some playouts, a state each: facts, then legal moves."""
    told = []
    for number in range(playouts):
        for state, _ in playout(game, Random(f"{seed}/{number}")):
            legal = [f"{role}: {move}" for role in game.to_move(state) for move in game.legal_moves(state, role)]
            told.append([*game.view(state, None), *legal])
    return told


def _broken(game: Game[Any], steps: tuple[Step, ...]) -> Iterator[tuple[int, str]]:
    """Every law that a playout breaks, with the number of turns before."""
    for place, step in enumerate(steps):
        for law in laws.OF_A_STATE:
            yield from ((place, words) for words in _tried(partial(law, game, step)))
    for whole in laws.OF_A_PLAYOUT:
        try:
            yield from whole(game, steps)
        except Exception as error:  # noqa: BLE001 (whatever the rules raise)
            yield len(steps) - 1, _raised(error)


def _tried(law: Callable[[], Iterable[str]]) -> list[str]:
    """What a law says, or what the rules raised when it was tried."""
    try:
        return list(law())
    except Exception as error:  # noqa: BLE001 (whatever the rules raise)
        return [_raised(error)]


def _raised(error: Exception) -> str:
    """What the rules raised, in which of their methods, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    called = next((frame.name for frame in frames if Path(frame.filename).parent != Path(__file__).parent), "a law")
    said, last = " ".join(str(error).split()), frames[-1]
    return f"{called} raises {type(error).__name__}: {said} ({Path(last.filename).name}, line {last.lineno})"


def _flaw(game: Game[Any], steps: tuple[Step, ...], place: int, words: str) -> Flaw:
    made = tuple(", ".join(f"{role} {move}" for role, move in step.moves.items()) for step in steps[:place])
    try:
        facts = tuple(map(str, game.view(steps[place].state, None)))
    except Exception:  # noqa: BLE001 (the view may be what is broken)
        facts = (repr(steps[place].state),)
    return Flaw(words=words, turn=place, moves=made, facts=facts)
