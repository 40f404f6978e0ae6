"""The event as a whole, for the page: its conditions, boards and crosstable."""

from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote

from arena.charts.style.letters import shortened
from arena.errors import ArenaError
from arena.protocol import clean
from arena.report import boards
from arena.report.author import Author
from arena.report.bots import TIMES
from arena.report.matches import Index
from arena.report.replays import Games
from arena.results.archive import Archive
from arena.results.columns import CROSSTABLE, LEADERBOARD, TIMING
from arena.results.leaderboard import Results
from arena.values import Ending, Played

Values = dict[str, object]


def data(
    results: Results,
    index: Index,
    games: Games,
    archive: Archive,
    listed: Sequence[Played],
    author: Author | None = None,
) -> Values:
    """Return everything but the bots' pages and the matches, for the page's scripts."""
    own = frozenset(index.bots) if author is None else author.bots
    event, conditions = results.event, results.event.conditions
    return {
        "event": {
            "name": clean(event.name),
            "seed": event.shown_seed,
            "schedule": event.schedule.replace("_", " "),
            "repeats": event.repeats,
            "move": conditions.time.move,
            "sandbox": ", ".join((conditions.sandbox, *(f"{call} allowed" for call in conditions.syscalls))),
            "played": len(results.played if author is None else author.own(results.played)),
            "listed": len(listed),
            "unit": results.unit,
            "decimals": LEADERBOARD.rated_in(results.unit)["rating"].decimals,
        },
        "bots": [clean(results.display_name(bot)) for bot in index.bots],
        "names": [clean(bot) for bot in index.bots],
        "boards": [_board(label, results, index, games, archive) for label in index.boards],
        "endings": [ending.value for ending in Ending],
        "home": f"bot={quote(clean(results.display_name(min(own))))}" if author is not None and own else "leaderboard",
        "crosstable": _crosstable(results, index, own),
        "times": [TIMING[name].heading for name in TIMES],
        "labels": shortened([clean(results.display_name(bot)) for bot in index.bots]),
    }


def _board(label: str, results: Results, index: Index, games: Games, archive: Archive) -> Values:
    """Return a board's names, and how it is drawn; without its rules, of which its replays tell, nothing is."""
    drawn: Values = {"grids": [], "drawing": [], "looks": [], "letters": []}
    if (sample := archive.newest_on(label)) is not None:
        with suppress(ArenaError):
            drawn = boards.values(games.game(sample.match))
    return drawn | {
        "label": clean(label),
        "column": clean(results.board_columns[label]),
        "roles": [clean(role) for role in index.roles[label]],
        "sides": [[index.roles[label].index(role) for role in side] for side in index.sides[label]],
    }


def _crosstable(results: Results, index: Index, own: frozenset[str]) -> list[list[object]]:
    """Return rows of board, number of the role, bot, opponent, matches and score, where one is an `own` bot.

    The score has the decimals of the files: rounded twice it might differ from the terminal's.
    """
    return [
        [
            *index.board_role(board, role),
            index.bots[bot],
            index.bots[opponent],
            matches,
            CROSSTABLE["score"].in_file(score),
        ]
        for board, role, bot, opponent, matches, score in results.crosstable().itertuples(index=False)
        if bot in index.bots and opponent in index.bots and not own.isdisjoint({bot, opponent})
    ]
