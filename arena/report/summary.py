"""What the page knows of the event as a whole: its conditions, boards and crosstable."""

from collections.abc import Sequence

from arena.drawing.scene import Grid, read_grid, read_scene
from arena.errors import ArenaError
from arena.event import Event, Played
from arena.leaderboard import Results
from arena.match import Ending
from arena.protocol import clean
from arena.report.index import Index
from arena.report.replays import Games
from arena.report.store import Store

Values = dict[str, object]


def data(results: Results, index: Index, games: Games, store: Store, listed: Sequence[Played]) -> Values:
    """Everything but the bots' pages and the matches, for the page's scripts."""
    return {
        "event": _event(results.event)
        | {"played": len(results.played), "listed": len(listed), "unit": results.ratings.unit},
        "bots": [clean(bot) for bot in index.bots],
        "boards": [_board(label, results, index, games, store) for label in index.boards],
        "endings": [ending.value for ending in Ending],
        "crosstable": _crosstable(results, index),
    }


def _event(event: Event) -> Values:
    time = event.conditions.time
    return {
        "name": clean(event.name),
        "seed": event.seed,
        "schedule": event.schedule.replace("_", " "),
        "repeats": event.repeats,
        "move": time.move,
        "sandbox": event.conditions.sandbox,
    }


def _board(label: str, results: Results, index: Index, games: Games, store: Store) -> Values:
    """A board's names, and what of it never changes."""
    facts: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    if (sample := store.sample(label)) is not None:
        try:
            game = games.game(sample.match)
            facts, start = tuple(game.board()), tuple(game.view(game.start(), None))
        except ArenaError:  # its replays say so
            facts = ()
    grid = read_grid(facts)
    return {
        "label": clean(label),
        "column": clean(results.columns[label]),
        "roles": [clean(role) for role in index.roles[label]],
        "sides": [[index.roles[label].index(role) for role in side] for side in index.sides[label]],
        "facts": [clean(fact) for fact in facts],
        "grid": None if grid is None else _grid(grid, start),
    }


def _grid(grid: Grid, start: tuple[str, ...]) -> Values:
    """A grid by its cells: `walls` are pairs of neighbours, `reach` is where steps lead to from the start."""
    return {
        "low": grid.low,
        "high": grid.high,
        "walls": sorted(sorted(wall) for wall in grid.walls if len(wall) == 2),
        "exits": list(grid.exits),
        "reach": sorted(cell for cell in read_scene(grid, start).in_play if grid.on_board(cell)),
    }


def _crosstable(results: Results, index: Index) -> list[list[object]]:
    """Board, place of the role, bot, opponent, matches, score: numbers only."""
    return [
        [
            index.boards[board],
            index.roles[board].index(role),
            index.bots[bot],
            index.bots[opponent],
            matches,
            round(score, 2),
        ]
        for board, role, bot, opponent, matches, score in results.crosstable().itertuples(index=False)
        if bot in index.bots and opponent in index.bots
    ]
