"""Tests by random playouts whether a game keeps the contract that the referee relies on.

`flaws(game)` is empty for a sound game. The laws are in `laws.py`. It prints nothing and reads no
file.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from arena.errors import named
from arena.game import Game
from arena.games.conformance import laws
from arena.games.conformance.laws import LONGEST, Position
from arena.games.quality import PerfectPlay

FEW = 3
"""Playouts of a game that has kept every law already."""


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One law that a game breaks."""

    words: str
    """A sentence that says what is broken."""
    turn: int | None = None
    """The number of turns that were played before; None when the flaw shows without playing."""
    moves: tuple[str, ...] = ()
    """The moves that lead there, a turn each: `role move`, several with a comma."""
    facts: tuple[str, ...] = ()
    """The state in which it happens."""


def flaws(game: Game[Any], playouts: int = 20) -> list[Flaw]:
    """Return the flaws of a game; `[]` when there are none.

    A law that is broken again and again is one flaw.
    """
    *_, all_flaws = examine(game, playouts)
    return all_flaws


def examine(game: Game[Any], playouts: int, seed: int = 0) -> Iterator[list[Flaw]]:
    """Yield the flaws that are known after each playout, and at the end all flaws.

    Perfect play is tried last.
    """
    flaws = {
        words: Flaw(words=words) for law in laws.OF_THE_GAME for words in _tried(partial(law, game))
    }
    for number in range(playouts):
        of_playout = _flaws_of(game, playout(game, Random(f"{seed}/{number}")))
        flaws |= {words: flaw for words, flaw in of_playout.items() if words not in flaws}
        yield list(flaws.values())
        if flaws:  # other playouts would mostly repeat these
            break
    if not flaws and (assessor := PerfectPlay.of(game)) is not None:
        flaws |= _flaws_of(game, playout(game, Random(seed), assessor))
    yield list(flaws.values())


def doubts(game: Game[Any]) -> list[Flaw]:
    """Return what a game without flaws may have got wrong, and only its author can know."""
    doubts: dict[str, Flaw] = {}
    for number in range(FEW):
        steps = playout(game, Random(f"0/{number}"))
        for index, step in enumerate(steps):
            for words in _tried(partial(laws.secrets, game, step)):
                if words not in doubts:
                    doubts[words] = _flaw(game, steps, index, words)
    return list(doubts.values())


def playout(
    game: Game[Any], dice: Random, assessor: PerfectPlay | None = None
) -> tuple[Position, ...]:
    """Play random legal moves to the end of the match, or until the game breaks.

    Return every position.
    With an assessor they are the best moves.
    """
    try:
        state = game.start()
    except Exception:  # noqa: BLE001 (the law `lasting` reports it)
        return ()
    positions: list[Position] = []
    try:
        while (movers := game.to_move(state)) and len(positions) < LONGEST:
            legal = {role: game.legal_moves(state, role) for role in movers}
            if assessor is not None:
                legal = {
                    role: assessor.best(state, role) or legal[role] for role in movers
                }  # none: the laws say so
            moves = {role: dice.choice(choices) for role, choices in legal.items() if choices}
            positions.append(Position(state, moves))
            if len(moves) < len(movers):
                break
            state = game.play(state, moves)
    except Exception:  # noqa: BLE001, S110 (the laws meet the same error, and report it)
        pass
    return (*positions, Position(state, {}))


def transcript(game: Game[Any]) -> list[list[str]]:
    """Return all that the referee and the bots read in a few playouts.

    It is a list of lines for each state, then the board.     If the rules solve the board, the last
    playout is one of best moves, with the value of each state.
    """
    states = []
    for number in range(FEW):
        states += [_lines(game, state) for state, _ in playout(game, Random(f"0/{number}"))]
    if (assessor := PerfectPlay.of(game)) is not None:
        for state, moves in playout(game, Random(0), assessor):
            best = [f"best: {move}" for role in moves for move in assessor.best(state, role)]
            states.append([*_lines(game, state), str(assessor.worth(state)), *best])
    return [
        *states,
        [*game.board(), *(f"role {role}" for role in game.roles), *map(str, game.sides)],
    ]


def _lines(game: Game[Any], state: Any) -> list[str]:
    """Return the lines about a state: what each role sees, the legal moves, the outcome."""
    lines = [*game.view(state, None)]
    for role in game.roles:
        lines += [f"{role} sees {fact}" for fact in game.view(state, role)]
    lines += [
        f"{role}: {move}" for role in game.to_move(state) for move in game.legal_moves(state, role)
    ]
    if (outcome := game.outcome(state)) is not None:
        lines += [
            *(f"{role} scores {outcome.scores[role]}" for role in game.roles),
            f"reason {outcome.reason}",
        ]
    return lines


def _flaws_of(game: Game[Any], steps: tuple[Position, ...]) -> dict[str, Flaw]:
    """Return a flaw for every law that a playout breaks, with the turns before the first breach."""
    breaches: list[tuple[int, str]] = []
    for index, step in enumerate(steps):
        if wrong := _tried(partial(laws.kinds, game, step)):
            breaches += ((index, words) for words in wrong)
            break  # the other laws would only stumble over it
        breaches += (
            (index, words) for law in laws.OF_A_STATE for words in _tried(partial(law, game, step))
        )
    else:
        for playout_law in laws.OF_A_PLAYOUT if steps else ():
            try:
                breaches += playout_law(game, steps)
            except Exception as error:  # noqa: BLE001 (whatever the rules raise)
                breaches.append((len(steps) - 1, raised(error)))
    first: dict[str, int] = {}
    for index, words in breaches:
        first.setdefault(words, index)
    return {words: _flaw(game, steps, index, words) for words, index in first.items()}


def _tried(law: Callable[[], Iterable[str]]) -> list[str]:
    """Return the sentences of a law, or of the exception that the rules raised."""
    try:
        return list(law())
    except Exception as error:  # noqa: BLE001 (whatever the rules raise)
        return [raised(error)]


def raised(error: Exception) -> str:
    """Return a sentence for an exception of the rules, with the method and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    called = next(
        (frame.name for frame in frames if Path(frame.filename).parent != Path(__file__).parent),
        "a law",
    )
    return (
        f"{called} raises {named(error)} ({Path(frames[-1].filename).name}, line "
        f"{frames[-1].lineno})"
    )


def _flaw(game: Game[Any], steps: tuple[Position, ...], index: int, words: str) -> Flaw:
    moves = tuple(
        ", ".join(f"{role} {move}" for role, move in step.moves.items()) for step in steps[:index]
    )
    try:
        facts = tuple(map(str, game.view(steps[index].state, None)))
    except Exception:  # noqa: BLE001 (the view itself may be broken)
        facts = (repr(steps[index].state),)
    return Flaw(words=words, turn=index, moves=moves, facts=facts)
