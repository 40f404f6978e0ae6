"""The process of a match that a person plays on the site: the referee with its bots here, the person behind a pipe.

It writes a line of JSON for each turn, each question and the end to its stdout, and reads moves
from its stdin. It sends what the person's roles may see and nothing else until the match is over.
It ends when its server does.
"""

import json
import os
import secrets
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena import exits, signals, workspace
from arena.drawing import Mark, Piece
from arena.errors import ArenaError
from arena.extras.serve import statements
from arena.extras.serve.worker import NICE
from arena.game import Fact, Game, Move, Role
from arena.games import rulebook
from arena.match import entering
from arena.match.human import HUMAN
from arena.match.play import play
from arena.match.referee import Referee
from arena.protocol import clean
from arena.replay import notation
from arena.replay.drawing import render_state
from arena.replay.drawing.scene import Cell, DrawnFact, read_fact, read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.player_view import PlayerView
from arena.replay.replayer import Scene
from arena.report import boards, data, replays
from arena.report.author import Author, hidden_paths
from arena.sandbox.child_setup import PR_SET_PDEATHSIG
from arena.sandbox.level import prctl
from arena.values import Match, Played

UNRATED = "unrated, played by a person"  # the name of the event in the text of such a match
FILE = "match.txt"  # the file as which the text is downloaded: the commands that the replay shows name it
MOST_BYTES = 16_000_000  # of a line
MOST_TRIED = 300  # legal moves whose cells are looked for


@dataclass(frozen=True)
class Choice:
    """A legal move, and how else it can be chosen than by its button."""

    move: Move
    directions: str = ""
    """The keys that enter it, one after another, such as `up up`."""
    cells: tuple[str, ...] = ()
    """The cells that it is about, such as `3 1`."""
    card: str = ""


class PipeSeat:
    """The person's seats: tells what they may see, and reads their moves."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._game, self._roles = game, [seat.role for seat in match.seats]
        self._grids = read_grids(game.board(), game.drawing)
        self._item = boards.items(self._grids, Styles.of(game.drawing, self._roles, game.sides))
        self._view = PlayerView(game, match)
        self._every_cell = {
            f"{x} {y}" for grid in self._grids for x in grid.columns for y in grid.rows
        }
        self._number = 0
        drawn = boards.values(game, self._roles, game.sides, self._view.own[0]) | {
            "label": clean(match.label),
            "roles": [clean(role) for role in self._roles],
            "sides": [[self._roles.index(role) for role in side] for side in game.sides],
        }
        send(head={"board": drawn})
        self._scene = self._view.opening()
        self._show(self._scene)

    def watch(self, referee: Referee) -> None:
        """Tell the new turns."""
        for scene in self._view.go_on(referee.turns):
            self._scene = scene
            self._show(scene)

    def choose(self, referee: Referee, role: Role) -> Move:
        """Ask for a legal move of the role; SystemExit when nobody answers any more."""
        now = self._view.of(role, self._scene, referee)
        if now.facts != self._scene.facts:  # chance and hidden turns of others have no scene
            self._scene = Scene(now.number, (), (), now.facts)
            self._show(self._scene)
        legal = tuple(self._game.legal_moves(referee.state, role))
        self._number += 1
        send(
            ask={
                "number": self._number,
                "role": role,
                "choices": [*map(asdict, self._choices(referee, role, legal))],
            }
        )
        while (line := sys.stdin.readline(MOST_BYTES)).endswith(
            "\n"
        ):  # half of one is the server's end
            answer = json.loads(line)
            if answer["number"] == self._number and answer["move"] in legal:
                move: Move = answer["move"]
                return move
        raise SystemExit(0)

    def _show(self, scene: Scene) -> None:
        values = {
            "state": [*map(self._item, scene.facts)],
            "moves": [*replays.moves(scene.turns, self._roles)],
            "fates": [*map(replays.fate, scene.steps)],
        }
        send(turn=values, text=render_state(self._game, scene.facts))

    def _choices(self, referee: Referee, role: Role, legal: tuple[Move, ...]) -> Iterator[Choice]:
        """Yield the legal moves, each with what the board has for it."""
        drawn = [each for fact in self._scene.facts if (each := self._read(fact))]
        cards = {card for each in drawn if role in each.name.split() for card in each.cards}
        tried = self._tried(referee, role, legal[:MOST_TRIED])
        for move in legal:
            words = move.split()
            named = " ".join(words[-2:])
            cells = tried.get(move, ()) or tuple({named} & self._every_cell)
            card = words[-1] if words[-1] in cards else ""
            yield Choice(move, " ".join(entering.directions_of(move)), cells, card)

    def _tried(
        self, referee: Referee, role: Role, legal: tuple[Move, ...]
    ) -> dict[Move, tuple[str, ...]]:
        """Return the cells of each move, by trying it; none where that could tell the person a secret."""
        game, state = self._game, referee.state
        if not game.open or not self._grids:
            return {}
        others = {
            other: game.legal_moves(state, other)[0]
            for other in game.to_move(state)
            if other != role
        }
        before = set(game.view(state, role))
        after = {
            move: set(game.view(game.play(state, others | {role: move}), role)) for move in legal
        }
        always = set.intersection(*after.values())
        cells = {}
        for move, facts in after.items():
            drawn = [each for fact in facts if (each := self._read(fact))]
            own = {
                each.cell for each in drawn if isinstance(each.item, Piece) and each.name == role
            }
            if not own:
                came, gone = self._marked(facts - before - always), self._marked(before - facts)
                # A move that turns the discs of others is about the cell that was empty.
                own = (came - self._marked(before) or came) | gone
            cells[move] = tuple(sorted(f"{x} {y}" for x, y in own))
        return cells

    def _marked(self, facts: Iterable[Fact]) -> set[Cell]:
        return {
            each.cell
            for fact in facts
            if (each := self._read(fact)) and isinstance(each.item, Mark)
        }

    def _read(self, fact: Fact) -> DrawnFact | None:
        return read_fact(self._grids, self._game.drawing, fact)


def take_seat(planned: Match, *, own_bot: bool, home: Path) -> None:
    """Play a match with the person at the other end of stdin and stdout.

    The person reads what the bot wrote only if it is their `own_bot`; `home` is the workspace.
    """
    prctl(
        PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0
    )  # stdin tells of the server's end only when a person is asked
    os.nice(NICE)  # what a bot waits for a core is excused
    game = rulebook.game_of(planned)
    seat = PipeSeat(game, planned)
    record = play(planned, choose=seat.choose, observer=seat.watch)
    bots = {each.bot.name for each in planned.seats}
    author = Author(
        name="",
        bots=frozenset(bots if own_bot else ()),
        file="",
        hidden_paths=hidden_paths(home / "results" / "none"),
        sees_all_matches=True,
    )
    text = notation.text_of(author.portable(record, {bot: bot for bot in bots}), UNRATED)
    cut = author.cut(record)
    values = data.match_values(cut, Played.of(cut), {}, replays.Games(lambda _: game), UNRATED)
    replay = replays.safe_json(values | {"matches": {**values["matches"], "id": [FILE]}})
    scores = ", ".join(f"{clean(role)} {score}" for role, score in record.verdict.scores.items())
    words = f"{clean(record.verdict.reason)}: {scores}"
    send(over=replay if len(replay) < MOST_BYTES // 2 else "", text=text, words=words)


def send(**values: object) -> None:
    """Write a message to the server."""
    print(json.dumps(values, separators=(",", ":")), flush=True)


def serve_person() -> None:
    """Play the match that the server names on stdin; nothing if it has ended before it named one."""
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        return
    wanted = json.loads(line)
    try:
        tournament = workspace.own_tournament()
        conditions = workspace.conditions_here(tournament)
        seed = secrets.token_hex(16)
        (board,) = rulebook.find(wanted["board"], Path(), seed)
        bot = tournament.as_entered(workspace.entrant_named(wanted["bot"]))
        others = [role for role in board.roles if role not in wanted["roles"]]
        players = dict.fromkeys(wanted["roles"], HUMAN)
        players |= workspace.assign_roles(board, others, [bot] * len(others))
        planned = workspace.make_match(board, players, seed, conditions)
        with signals.listening() as interrupt, interrupt.aborting():
            take_seat(planned, own_bot=wanted["own_bot"], home=Path.cwd())
    except ArenaError as error:
        said = statements.of_error(error)
        name, _, _ = wanted["bot"].partition("@")
        send(refused=said.shown_to([name] if wanted["own_bot"] else []))
        if said.is_for_organiser:  # who reads the terminal of the server
            raise


if __name__ == "__main__":
    exits.run(serve_person)
