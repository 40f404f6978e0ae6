"""`arena games`: list the boards that can be played, and draw them."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, output
from arena.values import Board

HEADERS = ("board", "roles", "sides", "start", "exit", "steps")


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game, a game/board, or a board's name: draw its boards.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the boards that can be played; with a name, draw them."""
    from arena.games import rulebook
    from arena.replay.drawing import render_state

    boards = rulebook.find(name, Path()) if name else rulebook.all_boards(Path())
    for problem in () if name else rulebook.unsound(Path()):
        output.notice(f"not listed: {problem}")
    if json:
        output.print_json(_row(board) | {"facts": rulebook.game_of(board).board()} for board in boards)
        return
    rows = [
        [", ".join(value) if isinstance(value, list) else value for value in _row(board).values()] for board in boards
    ]
    output.print_table(output.make_table(HEADERS, rows))
    for more in () if name else rulebook.games_with_named_boards(Path()):
        print(f"\n{more}/...: boards that are made from their names; `arena games {more}` lists them")
    if not name and (sampled := rulebook.sampled_names(Path())):
        examples = ", ".join(output.safe_line(f"{label}:20") for label in sampled)
        print(f"boards that are sampled for an event, as many as you write: {examples}")
    for board in boards if name else ():
        game = rulebook.game_of(board)
        print(f"\n{output.safe_line(board.label)}\n")
        print(render_state(game, game.view(game.start(), None), colour=output.wants_colour()))
        facts = [fact for fact in game.board() if fact.split(" ")[0] not in {"wall", "size"}]
        print("\n".join(f"  {output.safe_line(fact)}" for fact in facts))


def _row(board: Board) -> dict[str, object]:
    from arena.games import rulebook

    def values(word: str, facts: tuple[str, ...]) -> list[str]:
        """Return the text after this word, for each fact that begins with it."""
        return [text for first, _, text in (fact.partition(" ") for fact in facts) if first == word]

    game = rulebook.game_of(board)
    facts = tuple(game.board())
    steps = values("steps", facts)
    return {
        "board": board.label,
        "roles": list(board.roles),
        "sides": ["+".join(side) for side in board.sides],
        "start": values("at", tuple(game.view(game.start(), None))),
        "exit": " ".join(values("exit", facts)) or None,
        "steps": int(steps[0]) if steps and steps[0].isdigit() else None,
    }
