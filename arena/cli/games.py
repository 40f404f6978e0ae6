"""`arena games`, `arena check-rules`, `arena openings`: list boards, try rules, draw openings."""

import secrets
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from arena.cli import options, output
from arena.errors import ArenaError
from arena.game import Fact
from arena.games import rulebook
from arena.games.conformance import Flaw
from arena.games.conformance.examination import boards_of, examined
from arena.replay.drawing import render_state
from arena.values import Board


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game or a board: draw its boards.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the boards that can be played; with a name, draw them."""

    def print_mistake(mistake: str) -> None:
        output.notice(f"not listed: {mistake}")

    if name:
        boards = rulebook.find(name, Path())
    else:
        boards = rulebook.all_boards(Path(), print_mistake)
    if json:
        output.print_json(_board_row(board) for board in boards)
        return

    cells: list[tuple[str, ...]] = []
    for board in boards:
        roles = ", ".join(board.roles)
        sides = ", ".join(map("+".join, board.sides))
        cells.append((board.label, roles, sides))
    output.print_table(output.make_table(("board", "roles", "sides"), cells))
    if name:
        for board in boards:
            _draw(board)
        return

    for game in rulebook.games_with_named_boards(Path()):
        print(
            f"\n{game}/...: boards that are made from their names; `arena games {game}` lists them"
        )
    sampled = rulebook.sampled_names(Path())
    if sampled:
        examples = ", ".join(output.safe_line(f"{label}:20") for label in sampled)
        print(f"boards that are sampled for an event, as many as you write: {examples}")


def _board_row(board: Board) -> dict[str, object]:
    """Return a board as JSON values."""
    return {
        "board": board.label,
        "roles": board.roles,
        "sides": ["+".join(side) for side in board.sides],
        "facts": rulebook.game_of(board).board(),
    }


def _draw(board: Board) -> None:
    """Print the start of a board as a drawing, and the facts that the drawing does not show."""
    game = rulebook.game_of(board)
    print(f"\n{output.safe_line(board.label)}\n")
    start = game.view(game.start(), None)
    drawing = render_state(game, start, colour=output.wants_colour())
    print(drawing)
    lines = _fact_lines(game.board())
    print("\n".join(lines))


DRAWN = ("wall", "size")
"""First words of facts that the drawing of a board shows."""
LISTED = 3
"""Facts with the same first word that have a line each; more of them share lines."""
FACTS_WIDTH = 78


def _fact_lines(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the facts of a board, a line each; a long table such as `score` is wrapped."""

    def first_word(fact: Fact) -> str:
        word, _, _ = fact.partition(" ")
        return word

    for word, group in groupby(facts, key=first_word):
        if word in DRAWN:
            continue
        lines = [output.safe_line(fact) for fact in group]
        if len(lines) <= LISTED:
            for line in lines:
                yield f"  {line}"
            continue
        name = output.safe_line(word)
        entries = [line.removeprefix(name).strip() for line in lines]
        table = ", ".join(entries)
        yield from wrap(
            table,
            FACTS_WIDTH,
            initial_indent=f"  {name} ",
            subsequent_indent=" " * (len(name) + 3),
            break_long_words=False,
            break_on_hyphens=False,
        )


MOVES_SHOWN = 12
"""The number of moves that are shown of those that lead to a flaw: the last ones."""


def check_rules(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A rules file, or the name of a game or board.")
    ],
    playouts: Annotated[
        int, typer.Option(min=1, help="Matches of random moves that are tried on each board.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Fixes the random moves.")] = 0,
    json: options.Json = False,
) -> None:
    """Try the rules of a game, board by board, by random matches.

    The exit code is 1 when they break the contract.
    """
    results: list[tuple[str, list[Flaw], list[Flaw]]] = []
    """The label of each board, its flaws, and the warnings."""

    try:
        for board in boards_of(file):
            flaws, warnings = examined(board, playouts, seed)
            results.append((board.label, flaws, warnings))
    except ArenaError as error:
        if not Path(file).is_file():
            raise
        results = [(file, [Flaw(words=str(error))], [])]

    if json:
        rows: list[dict[str, object]] = []
        for label, flaws, warnings in results:
            row: dict[str, object] = {"board": label, "sound": not flaws}
            row["flaws"] = list(map(_flaw_row, flaws))
            row["warnings"] = list(map(_flaw_row, warnings))
            rows.append(row)
        output.print_json(rows)
    else:
        for label, flaws, warnings in results:
            name = output.safe_line(label)
            if not flaws:
                print(
                    f"ok     {name}: keeps the contract in {playouts} random matches, and in "
                    "other processes"
                )
            for flaw in flaws:
                _print_flaw("FAULT", name, flaw)
            for flaw in warnings:
                _print_flaw("WARN ", name, flaw)
    if any(flaws for _, flaws, _ in results):
        raise typer.Exit(1)


def _flaw_row(flaw: Flaw) -> dict[str, object]:
    return {
        "words": flaw.words,
        "turn": flaw.turn,
        "moves": flaw.moves,
        "state": flaw.facts,
    }


def _print_flaw(mark: str, board: str, flaw: Flaw) -> None:
    """Print a flaw, the state in which it shows, and the moves that lead there."""
    print(f"{mark}  {board}: {output.safe_lines(flaw.words)}")
    if flaw.turn is None:
        return
    print(f"       in the state after {output.counted(flaw.turn, 'turn')}:")
    for fact in flaw.facts:
        print(f"         {output.safe_line(fact)}")
    if flaw.moves:
        omitted = ""
        if len(flaw.moves) > MOVES_SHOWN:
            omitted = "... "
        last_moves = "; ".join(flaw.moves[-MOVES_SHOWN:])
        print(f"       reached by: {omitted}{output.safe_line(last_moves, 1000)}")


MOST_OPENINGS = 1_000_000


def openings(
    board: Annotated[
        str, typer.Argument(metavar="BOARD", help="A board, or a game for all of its boards.")
    ],
    plies: Annotated[int, typer.Option(min=1, help="Turns of each opening.")] = 4,
    count: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_OPENINGS,
            help="Openings of each board.",
        ),
    ] = 50,
    seed: Annotated[
        str | None, typer.Option(help="Any text that fixes the openings; default: a new one.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Draw openings that lead to different states; none of them ends the match."""
    from arena.games import openings

    if seed is None:
        seed = secrets.token_hex(16)
    rows: list[dict[str, object]] = []
    for chosen in rulebook.find(board, Path()):
        game = rulebook.game_of(chosen)
        try:
            openings.refuse_rare(game, plies)
        except ArenaError as error:
            raise ArenaError(f"--plies {plies}: {chosen.label}: {error}") from error

        sequence = openings.different(game, plies, f"{seed}/{chosen.label}")
        sequences = [openings.moves_of(turns) for turns in islice(sequence, count)]
        if len(sequences) < count:
            output.notice(
                f"{chosen.label}: {len(sequences)} of {count}: no more states were found with "
                f"--plies {plies}"
            )
        for moves in sequences:
            rows.append({"board": chosen.label, "moves": moves})
        if not json:
            lines = [openings.line(chosen.label, moves) for moves in sequences]
            print("\n".join(lines))
    if json:
        output.print_json(rows)
