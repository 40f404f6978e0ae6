"""The process of a match that a person plays: referee and bots are here, the person behind a pipe.

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
from itertools import product
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
from arena.replay.drawing.scene import Cell, DrawnFact, drawn_facts, read_fact, read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.player_view import PlayerView
from arena.replay.replayer import Scene
from arena.report import boards, data, recorded, replays
from arena.report.author import Author, hidden_paths
from arena.sandbox.child_setup import PR_SET_PDEATHSIG
from arena.sandbox.level import prctl
from arena.values import Match, Played

UNRATED = "unrated, played by a person"
"""The name of the event in the text of such a match."""
FILE = "match.txt"
"""The file as which the text is downloaded: the commands that the replay shows name it."""
MOST_BYTES = 16_000_000
"""The most bytes of a line."""
MOST_TRIED = 300
"""The most legal moves whose cells are looked for."""


@dataclass(frozen=True)
class Choice:
    """A legal move, and the ways to choose it without its button."""

    move: Move
    directions: str = ""
    """The keys that enter the move, in their order, such as `up up`."""
    cells: tuple[str, ...] = ()
    """The cells on which a click means the move, such as `3 1`."""
    card: str = ""


class PipeSeat:
    """The person's seats: sends what the person may see, and reads the moves."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        roles = [seat.role for seat in match.seats]
        self._game = game
        self._roles = roles
        self._grids = read_grids(game.board(), game.drawing)
        styles = Styles.of(game.drawing, roles, game.sides)
        self._item = boards.items(self._grids, styles)
        self._view = PlayerView(game, match)
        self._number = 0
        """The number of the last question."""
        self._every_cell: set[str] = set()
        for grid in self._grids:
            for x, y in product(grid.columns, grid.rows):
                self._every_cell.add(f"{x} {y}")

        own_role = self._view.own[0]
        board = boards.values(game, roles, game.sides, own_role)
        board["label"] = clean(match.label)
        board["roles"] = [clean(role) for role in roles]
        sides: list[list[int]] = []
        for side in game.sides:
            numbers = [roles.index(role) for role in side]
            sides.append(numbers)
        board["sides"] = sides
        send(head={"board": board})
        self._scene = self._view.opening()
        self._show(self._scene)

    def watch(self, referee: Referee) -> None:
        """Send the new turns."""
        for scene in self._view.go_on(referee.turns):
            self._scene = scene
            self._show(scene)

    def choose(self, referee: Referee, role: Role) -> Move:
        """Ask for a legal move of the role; raise SystemExit when the server has ended."""
        now = self._view.of(role, self._scene, referee)
        if now.facts != self._scene.facts:  # chance and hidden turns of others have no scene
            self._scene = Scene(now.number, (), (), now.facts)
            self._show(self._scene)
        legal = tuple(self._game.legal_moves(referee.state, role))
        self._number += 1
        choices = [asdict(choice) for choice in self._choices(referee, role, legal)]
        question = {
            "number": self._number,
            "role": role,
            "choices": choices,
        }
        send(ask=question)
        while True:
            line = sys.stdin.readline(MOST_BYTES)
            if not line.endswith("\n"):  # the server has ended, perhaps in the middle of a line
                raise SystemExit(0)
            answer = json.loads(line)
            if answer["number"] != self._number:
                continue
            if answer["move"] in legal:
                move: Move = answer["move"]
                return move

    def _show(self, scene: Scene) -> None:
        """Send a state of the match, with the turns that led to it."""
        facts = drawn_facts(self._game.drawing, scene.facts)
        moves = recorded.moves(scene.turns, self._roles)
        values = {
            "state": [self._item(fact) for fact in facts],
            "moves": list(moves),
            "fates": [replays.fate(step) for step in scene.steps],
        }
        text = render_state(self._game, scene.facts)
        send(turn=values, text=text)

    def _choices(
        self,
        referee: Referee,
        role: Role,
        legal: tuple[Move, ...],
    ) -> Iterator[Choice]:
        """Yield the legal moves, each with the keys, cells and card that mean it."""
        cards: set[str] = set()
        for fact in self._drawn(self._scene.facts):
            if role in fact.name.split():
                cards.update(fact.cards)
        cells_by_move = self._cells_by_trying(referee, role, legal[:MOST_TRIED])
        for move in legal:
            parts = move.split()
            cells = cells_by_move.get(move, ())
            last_two = " ".join(parts[-2:])
            if not cells and last_two in self._every_cell:
                cells = (last_two,)
            card = ""
            if parts[-1] in cards:
                card = parts[-1]
            directions = " ".join(entering.directions_of(move))
            yield Choice(move, directions, cells, card)

    def _cells_by_trying(
        self,
        referee: Referee,
        role: Role,
        legal: tuple[Move, ...],
    ) -> dict[Move, tuple[str, ...]]:
        """Return the cells of each move, by trying it; {} if that could tell a secret."""
        game = self._game
        state = referee.state
        if not game.open or not self._grids:
            return {}
        moves: dict[Role, Move] = {}
        for other in game.to_move(state):
            legal_moves = game.legal_moves(state, other)
            moves[other] = legal_moves[0]
        before = set(game.view(state, role))
        after: dict[Move, set[Fact]] = {}
        for move in legal:
            moves[role] = move
            next_state = game.play(state, dict(moves))
            after[move] = set(game.view(next_state, role))
        always = set.intersection(*after.values())
        cells: dict[Move, tuple[str, ...]] = {}
        for move, facts in after.items():
            cells[move] = self._cells_of(role, before, facts, always)
        return cells

    def _cells_of(
        self,
        role: Role,
        before: set[Fact],
        after: set[Fact],
        always: set[Fact],
    ) -> tuple[str, ...]:
        """Return the cells of a move, by the facts before it, after it, and after any move."""
        cells: set[Cell] = set()
        for fact in self._drawn(after):
            if isinstance(fact.item, Piece) and fact.name == role:
                cells.add(fact.cell)
        if not cells:
            came = self._marked(after - before - always)
            gone = self._marked(before - after)
            # A move that turns the discs of others is about the cell that was empty.
            was_empty = came - self._marked(before)
            cells = (was_empty or came) | gone
        return tuple(sorted(f"{x} {y}" for x, y in cells))

    def _marked(self, facts: Iterable[Fact]) -> set[Cell]:
        """Return the cells that have a mark by these facts."""
        cells: set[Cell] = set()
        for fact in self._drawn(facts):
            if isinstance(fact.item, Mark):
                cells.add(fact.cell)
        return cells

    def _drawn(self, facts: Iterable[Fact]) -> Iterator[DrawnFact]:
        """Yield those of these facts that the board draws."""
        for fact in drawn_facts(self._game.drawing, facts):
            drawn_fact = read_fact(self._grids, self._game.drawing, fact)
            if drawn_fact is not None:
                yield drawn_fact


def take_seat(planned: Match, *, own_bot: bool, home: Path) -> None:
    """Play a match with the person at the other end of stdin and stdout.

    The person reads what the bot wrote only if it is their `own_bot`; `home` is the workspace.
    """
    # The end of stdin tells of the server's end only while a person is asked.
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    os.nice(NICE)  # a bot is not charged for the time that it waits for a core
    game = rulebook.game_of(planned)
    pipe_seat = PipeSeat(game, planned)
    record = play(planned, choose=pipe_seat.choose, observer=pipe_seat.watch)

    bots = frozenset(seat.bot.name for seat in planned.seats)
    own_bots: frozenset[str] = frozenset()
    if own_bot:
        own_bots = bots
    author = Author(
        name="",
        bots=own_bots,
        file="",
        hidden_paths=hidden_paths(home / "results" / "none"),
        sees_all_matches=True,
    )
    same_names = {bot: bot for bot in bots}
    portable = author.portable(record, same_names)
    text = notation.text_of(portable, UNRATED)

    cut = author.cut(record)
    played = Played.of(cut)
    games = replays.Games(lambda _: game)
    values = data.match_values(cut, played, {}, games, UNRATED)
    values["matches"]["id"] = [FILE]
    replay = replays.safe_json(values)
    if len(replay) >= MOST_BYTES // 2:
        replay = ""

    verdict = record.verdict
    reason = clean(verdict.reason)
    scores = [f"{clean(role)} {score}" for role, score in verdict.scores.items()]
    words = f"{reason}: {', '.join(scores)}"
    send(over=replay, text=text, words=words)


def send(**values: object) -> None:
    """Write a message to the server."""
    print(json.dumps(values, separators=(",", ":")), flush=True)


def serve_person() -> None:
    """Play the match that the server names on stdin, if the server lives long enough to name it."""
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        return
    wish = json.loads(line)
    try:
        tournament = workspace.own_tournament()
        conditions = workspace.conditions_here(tournament)
        seed = secrets.token_hex(16)
        (board,) = rulebook.find(wish["board"], Path(), seed)
        bot = workspace.entrant_named(wish["bot"])
        other_roles = [role for role in board.roles if role not in wish["roles"]]
        bots = [bot] * len(other_roles)
        players = dict.fromkeys(wish["roles"], HUMAN)
        players |= workspace.assign_roles(board, other_roles, bots)
        planned = workspace.make_match(tournament, board, players, seed, conditions)
        with signals.listening() as interrupt, interrupt.aborting():
            take_seat(planned, own_bot=wish["own_bot"], home=Path.cwd())
        if interrupt:
            sys.exit(interrupt.code)
    except ArenaError as error:
        statement = statements.of_error(error)
        name, _, _ = wish["bot"].partition("@")
        own_bots: list[str] = []
        if wish["own_bot"]:
            own_bots.append(name)
        send(refused=statement.shown_to(own_bots))
        if statement.is_for_organiser:  # the organiser reads it in the terminal of the server
            raise


if __name__ == "__main__":
    exits.run(serve_person)
