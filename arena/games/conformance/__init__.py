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
from arena.games.conformance.laws import LONGEST, Playout, Position
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


def examine(
    game: Game[Any],
    playouts: int,
    seed: int = 0,
) -> Iterator[list[Flaw]]:
    """Yield the flaws that are known after each playout, and at the end all flaws.

    Perfect play is tried last.
    """
    flaws: dict[str, Flaw] = {}
    for law in laws.OF_THE_GAME:
        for sentence in _breaches_of(partial(law, game)):
            flaws[sentence] = Flaw(words=sentence)

    for number in range(playouts):
        dice = Random(f"{seed}/{number}")
        steps = playout(game, dice)
        playout_flaws = _flaws_of(game, steps)
        for sentence, flaw in playout_flaws.items():
            flaws.setdefault(sentence, flaw)
        yield list(flaws.values())
        if flaws:  # other playouts would mostly repeat these
            break

    if not flaws:
        assessor = PerfectPlay.of(game)
        if assessor is not None:
            steps = playout(game, Random(seed), assessor)
            flaws = _flaws_of(game, steps)
    yield list(flaws.values())


def doubts(game: Game[Any]) -> list[Flaw]:
    """Return what a game without flaws may have got wrong, and only its author can know."""
    doubts: dict[str, Flaw] = {}
    for number in range(FEW):
        dice = Random(f"0/{number}")
        steps = playout(game, dice)
        for index, step in enumerate(steps):
            law = partial(laws.secrets, game, step)
            for sentence in _breaches_of(law):
                if sentence in doubts:
                    continue
                doubts[sentence] = _flaw(game, steps, index, sentence)
    return list(doubts.values())


def playout(
    game: Game[Any],
    dice: Random,
    assessor: PerfectPlay | None = None,
) -> Playout:
    """Play random legal moves to the end of the match, or until the game breaks.

    Return every position. With an assessor the moves are the best, not random.
    """
    try:
        state = game.start()
    except Exception:  # noqa: BLE001 (the law `lasting` reports it)
        return ()
    positions: list[Position] = []
    try:
        movers = game.to_move(state)
        while movers and len(positions) < LONGEST:
            moves = {}
            for role in movers:
                choices = game.legal_moves(state, role)
                if assessor is not None:
                    choices = assessor.best(state, role) or choices
                if choices:
                    moves[role] = dice.choice(choices)
            positions.append(Position(state, moves))
            if len(moves) < len(movers):  # a law reports the role without a move
                break
            state = game.play(state, moves)
            movers = game.to_move(state)
    except Exception:  # noqa: BLE001, S110 (the laws meet the same error, and report it)
        pass
    positions.append(Position(state, {}))
    return tuple(positions)


def transcript(game: Game[Any]) -> list[list[str]]:
    """Return all that the referee and the bots read in a few playouts.

    It is a list of lines for each state, then the board. If the rules solve the board, the last
    playout is one of best moves, with the value of each state.
    """
    transcript = []
    for number in range(FEW):
        dice = Random(f"0/{number}")
        for state, _ in playout(game, dice):
            transcript.append(_lines(game, state))

    assessor = PerfectPlay.of(game)
    if assessor is not None:
        best_playout = playout(game, Random(0), assessor)
        for state, moves in best_playout:
            lines = _lines(game, state)
            value = assessor.worth(state)
            lines.append(str(value))
            for role in moves:
                best_moves = assessor.best(state, role)
                lines += [f"best: {move}" for move in best_moves]
            transcript.append(lines)

    board = list(game.board())
    board += [f"role {role}" for role in game.roles]
    board += map(str, game.sides)
    transcript.append(board)
    return transcript


def _lines(game: Game[Any], state: Any) -> list[str]:
    """Return the lines about a state: what each role sees, the legal moves, the outcome."""
    lines = list(game.view(state, None))
    for role in game.roles:
        facts = game.view(state, role)
        lines += [f"{role} sees {fact}" for fact in facts]
    for role in game.to_move(state):
        legal = game.legal_moves(state, role)
        lines += [f"{role}: {move}" for move in legal]

    outcome = game.outcome(state)
    if outcome is not None:
        lines += [f"{role} scores {outcome.scores[role]}" for role in game.roles]
        lines.append(f"reason {outcome.reason}")
    return lines


def _flaws_of(game: Game[Any], steps: Playout) -> dict[str, Flaw]:
    """Return a flaw for every law that a playout breaks, with the turns before the first breach."""
    first_breaches: dict[str, int] = {}
    for index, sentence in _breaches(game, steps):
        first_breaches.setdefault(sentence, index)

    flaws = {}
    for sentence, index in first_breaches.items():
        flaws[sentence] = _flaw(game, steps, index, sentence)
    return flaws


def _breaches(game: Game[Any], steps: Playout) -> list[tuple[int, str]]:
    """Return the sentence of every breach in a playout, with the turns before it."""
    breaches: list[tuple[int, str]] = []
    for index, step in enumerate(steps):
        law_of_kinds = partial(laws.kinds, game, step)
        wrong_kinds = _breaches_of(law_of_kinds)
        if wrong_kinds:  # the other laws would only stumble over it
            breaches += [(index, sentence) for sentence in wrong_kinds]
            return breaches
        for law in laws.OF_A_STATE:
            law_of_step = partial(law, game, step)
            sentences = _breaches_of(law_of_step)
            breaches += [(index, sentence) for sentence in sentences]

    if not steps:
        return breaches
    last = len(steps) - 1
    for playout_law in laws.OF_A_PLAYOUT:
        try:
            breaches += playout_law(game, steps)
        except Exception as error:  # noqa: BLE001 (whatever the rules raise)
            sentence = raised(error)
            breaches.append((last, sentence))
    return breaches


def _breaches_of(law: Callable[[], Iterable[str]]) -> list[str]:
    """Return the sentences of a law, or of the exception that the rules raised."""
    try:
        return list(law())
    except Exception as error:  # noqa: BLE001 (whatever the rules raise)
        return [raised(error)]


def raised(error: Exception) -> str:
    """Return a sentence for an exception of the rules, with the method and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    folder_of_laws = Path(__file__).parent
    method = "a law"
    for frame in frames:
        if Path(frame.filename).parent != folder_of_laws:
            method = frame.name
            break
    last_frame = frames[-1]
    file = Path(last_frame.filename).name
    return f"{method} raises {named(error)} ({file}, line {last_frame.lineno})"


def _flaw(
    game: Game[Any],
    steps: Playout,
    index: int,
    sentence: str,
) -> Flaw:
    """Return the flaw of this sentence, with the moves before it and the facts there."""
    moves = []
    for step in steps[:index]:
        role_moves = [f"{role} {move}" for role, move in step.moves.items()]
        moves.append(", ".join(role_moves))

    state = steps[index].state
    try:
        view = game.view(state, None)
        facts = tuple(map(str, view))
    except Exception:  # noqa: BLE001 (the view itself may be broken)
        facts = (repr(state),)
    return Flaw(
        words=sentence,
        turn=index,
        moves=tuple(moves),
        facts=facts,
    )
