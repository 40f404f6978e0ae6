"""Bot tournaments: a referee, a line protocol, schedules, standings and charts."""

import sys
from typing import TYPE_CHECKING, Any

from arena.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from arena.game import Game
    from arena.results.leaderboard import Results
    from arena.values import Bot, Conditions, Record

__all__ = ["load_game", "open_results", "play_match"]

# Each function imports the modules that it needs: pandas takes half a second, which only
# `open_results` should cost. The spawner of bots imports this file too, so even `pathlib` waits: it
# costs a tenth of the spawner's start.


def open_results(
    path: "str | Path",
    *,
    all_versions: bool = False,
    rating: str | None = None,
) -> "Results":
    """Return the results of an event, such as `results/demo`.

    See `arena.results.leaderboard.Results` for its frames.

    `all_versions` counts matches of edited bots, boards and rules too; `rating` is another rating
    than the event's. ArenaError where there are no results.
    """
    from arena.results.leaderboard import Results

    return Results.open(path, all_versions=all_versions, rating=rating)


def load_game(board: str, workspace: "str | Path" = ".") -> "Game[Any]":
    """Return the rules of a board such as `mummy_maze/duel`; see `arena.game.Game`.

    The rules are looked for in the folder `rules` of the workspace, then among those that come with
    arena. ArenaError when there is no such board, or several.
    """
    from pathlib import Path

    from arena.errors import ArenaError
    from arena.games import rulebook

    boards = rulebook.find(board, Path(workspace))
    if len(boards) > 1:
        labels = ", ".join(playable.label for playable in boards)
        raise ArenaError(f"{board!r} means {len(boards)} boards: {labels}; name one")
    return rulebook.game_of(boards[0])


def play_match(
    board: str,
    bots: "Mapping[str, str | Path | Bot]",
    *,
    seed: int = 0,
    conditions: "Conditions | None" = None,
    workspace: "str | Path" = ".",
) -> "Record":
    """Play a match of confined bots and return its record; see `arena.values.Record`.

    `board` is as in `load_game`. `bots` has the bot of each role: a path, or a Bot. `conditions`
    are the time control, the limits and the level of confinement; the default is that of an empty
    tournament.toml. ArenaError for a mistake.

    Example:
        >>> bots = {"explorer": "bots/walker.py", "mummy": "bots/dice.py"}
        >>> record = play_match("mummy_maze/duel", bots)
        >>> record.verdict.scores
        {'explorer': 100, 'mummy': 0}
    """
    from dataclasses import replace
    from pathlib import Path

    from arena.errors import ArenaError
    from arena.event import builds, discovery
    from arena.games import rulebook
    from arena.match.play import play
    from arena.sandbox import choice, exposure, levels
    from arena.sandbox import folder as scratch
    from arena.values import Bot, Conditions, Event

    boards = rulebook.find(board, Path(workspace))
    if len(boards) != 1 or set(bots) != set(boards[0].roles):
        roles_of_boards = []
        for playable in boards:
            roles = ", ".join(playable.roles)
            roles_of_boards.append(f"{playable.label}: {roles}")
        raise ArenaError(
            "a match is played on a single board, with a bot for each of its roles "
            f"({'; '.join(roles_of_boards)})"
        )
    conditions = conditions or Conditions()
    is_unsafe = conditions.sandbox in levels.UNSAFE
    level = choice.choose(conditions.sandbox, unsafe=is_unsafe, by_hand=True)
    seated = []
    for role in boards[0].roles:
        bot = bots[role]
        if not isinstance(bot, Bot):
            bot = discovery.from_path(Path(bot))
        seated.append(bot)
    exposure.refuse_exposed((), seated, level)
    with scratch.temporary() as folder:
        ready = builds.built(seated, folder, level)
        event = Event(
            name="match",
            seed=seed,
            boards=boards,
            bots=ready,
            conditions=replace(conditions, sandbox=level),
        )
        match = event.match(boards[0], ready, 0)
        return play(match)


def _replay(record: "Record") -> str:
    from arena.report import notebook

    return notebook.frame(record)


# In a notebook a record shows itself as its replay. A method `_repr_html_` of Record would import
# upwards.
if (_ipython := getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()) is not None:
    _ipython.display_formatter.formatters["text/html"].for_type_by_name(
        "arena.values", "Record", _replay
    )
