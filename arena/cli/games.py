"""`arena games`: the boards that can be played, and how they look."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import options, screen
from arena.event import Board
from arena.game import Fact

HEADERS = ("board", "roles", "sides", "start", "exit", "steps")


def games(
    words: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game, game/board or a board's name: draw it.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the boards that can be played; with a name, draw them."""
    from arena import rulebook

    boards = rulebook.find(words, Path()) if words else rulebook.all_boards(Path())
    if json:
        screen.print_json(_row(board) | {"facts": _game(board).board()} for board in boards)
        return
    rows = [_row(board) for board in boards]
    screen.show(screen.table(HEADERS, [[_words(row[header]) for header in HEADERS] for row in rows]))
    if words:
        for board in boards:
            _draw(board)


def fact(facts: Iterable[Fact], name: str) -> tuple[str, ...]:
    """What follows this word in each fact that begins with it."""
    return tuple(rest for word, _, rest in (one.partition(" ") for one in facts) if word == name)


def _row(board: Board) -> dict[str, object]:
    game = _game(board)
    facts = game.board()
    return {
        "board": board.label,
        "roles": list(board.roles),
        "sides": ["+".join(side) for side in board.sides],
        "start": list(fact(game.view(game.start(), None), "at")),
        "exit": " ".join(fact(facts, "exit")) or None,
        "steps": _number(fact(facts, "steps")),
    }


def _draw(board: Board) -> None:
    from arena.drawing import draw

    game = _game(board)
    print(f"\n{screen.shown(board.label)}\n")
    print(draw(game.board(), game.view(game.start(), None), colour=screen.colourful()))
    others = [one for one in game.board() if one.split(" ")[0] not in {"wall", "size"}]
    print("\n".join(f"  {screen.shown(one)}" for one in others))


def _game(board: Board) -> Any:
    from arena import rulebook

    return rulebook.game_of(board)


def _number(found: tuple[str, ...]) -> int | None:
    return int(found[0]) if found and found[0].isdigit() else None


def _words(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
