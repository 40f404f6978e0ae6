"""A golden playthrough of every board: one random match told turn by turn, so that no rule changes
unseen.

`python tests/playthroughs/make.py` writes them all again: look at the difference before you commit
it. `tests/games/test_rules.py` plays them and compares.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from arena import load_game
from arena.game import Game, Move, Role
from arena.games import rulebook

HERE = Path(__file__).parent
FEW = 5
"""Up to this number of legal moves are named, more by number."""


def told(label: str) -> str:
    """The playthrough of a board as text."""
    return "\n".join(_lines(label, load_game(label))) + "\n"


def path_of(label: str) -> Path:
    """Where the golden playthrough of a board stands."""
    return HERE / f"{label.replace('/', '.')}.txt"


def _lines(label: str, game: Game[Any]) -> Iterator[str]:
    yield (
        f"{label}: {' against '.join(' and '.join(side) for side in game.sides)}: random legal "
        "moves"
    )
    yield from ("", *(f"board {fact}" for fact in game.board()))
    state, dice, number = game.start(), Random(label), 0
    yield from ("", f"start   {_seen(game, state)}")
    while roles := game.to_move(state):
        number += 1
        legal = {role: game.legal_moves(state, role) for role in roles}
        moves = {role: dice.choice(choices) for role, choices in legal.items()}
        state = game.play(state, moves)
        yield from _turn(number, moves, legal)
        yield f"        {_seen(game, state)}"
    outcome = game.outcome(state)
    assert outcome is not None, "a match in which nobody moves is over"
    yield from (
        "",
        f"end {outcome.reason}",
        *(f"score {role} {score}" for role, score in outcome.scores.items()),
    )


def _turn(
    number: int, moves: Mapping[Role, Move], legal: Mapping[Role, tuple[Move, ...]]
) -> Iterator[str]:
    yield ""
    for role, move in moves.items():
        choices = (
            " | ".join(legal[role]) if len(legal[role]) <= FEW else f"{len(legal[role])} moves"
        )
        yield f"turn {number}: {role} plays `{move}` of: {choices}"


def _seen(game: Game[Any], state: Any) -> str:
    """All the facts in one line, with the pellets that are left counted."""
    facts = game.view(state, None)
    pellets = sum(fact.startswith("pellet ") for fact in facts)
    named = [fact for fact in facts if not fact.startswith("pellet ")]
    return ", ".join([*named, f"{pellets} pellets left"] if pellets else named)


if __name__ == "__main__":
    for board in rulebook.all_boards():
        path_of(board.label).write_text(told(board.label), "utf-8")
        print(path_of(board.label).name)
