"""A person's seat in a match: on the screen of a terminal by keys, elsewhere by lines of text.

It shows what the role may see and no more (replay/player_view.py), and returns a legal move;
match/entering.py decides what text and keys mean.
"""

import sys
import time
from typing import Any

from arena.cli import match_text, output
from arena.cli.live.layout import ALARM, BOLD, DIM, REVERSED, Story, frame, panel_columns
from arena.cli.live.terminal import Terminal
from arena.cli.live.viewer import LeftEarlyError, Playback, Viewer, key_line
from arena.game import Game, Move, Role
from arena.match import entering
from arena.match.referee import Referee
from arena.replay.drawing.paint import paint
from arena.replay.player_view import PlayerView
from arena.values import Match, Record

OTHERS_TURN_S = 0.25
"""The seconds for which each turn of the others is shown."""
KEYS = (("?", "legal moves"), ("abc Enter", "type a move"), ("Esc", "clear"), ("q", "leave"))
"""The keys that the last line explains, beside those that make moves."""
MOVES_LISTED = 9
"""The most legal moves that are printed with every question; `?` lists more."""
LIST_COLUMNS = 76
"""The width of a printed list of moves."""
HELP = "type a move, its number, or the beginning of its words; `?` lists them, `q` leaves"


class TextSeat:
    """A seat without a screen: the board and the legal moves are printed, a line is a move."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._game = game
        self._match = match
        self._view = PlayerView(game, match)
        print(match_text.heading(match))
        print(HELP)
        self._scene = self._view.opening()
        match_text.print_scene(game, match, self._scene, draw=True)

    def watch(self, referee: Referee) -> None:
        """Print the new turns."""
        for scene in self._view.go_on(referee.turns):
            self._scene = scene
            match_text.print_scene(self._game, self._match, scene, draw=True)

    def choose(self, referee: Referee, role: Role) -> Move:
        """Read a legal move of the role; LeftEarlyError at the end of the input."""
        legal = tuple(self._game.legal_moves(referee.state, role))
        now = self._view.of(role, self._scene, referee)
        if now.facts != self._scene.facts:  # hidden turns of others have no scene
            print(f"\n{match_text.drawing(self._game, now)}\n")
        numbered = entering.listing(legal)
        lines = entering.in_columns(numbered, LIST_COLUMNS)
        listing = "\n".join(f"  {output.safe_line(line)}" for line in lines)
        if len(legal) <= MOVES_LISTED:
            print(f"legal moves:\n{listing}")
        else:
            print(f"{len(legal)} legal moves, such as {output.safe_line(legal[0])}; ? lists them")

        while True:
            print(f"your move, {role}: ", end="", flush=True)
            line = sys.stdin.readline()
            text = line.strip()
            if not line or text in {"quit", "exit"}:
                raise LeftEarlyError
            candidates = entering.by_text(text, legal)
            if text == "q" and not candidates:
                raise LeftEarlyError
            if len(candidates) == 1:
                print(candidates[0])
                return candidates[0]
            if text in {"?", ""}:
                print(f"legal moves:\n{listing}")
            else:
                answer = entering.misunderstood(text, legal, candidates)
                print(output.safe_line(answer, 500))


class ScreenSeat:
    """A seat on the screen of a terminal: arrow keys, typed moves, the legal moves on `?`."""

    def __init__(
        self,
        terminal: Terminal,
        game: Game[Any],
        match: Match,
    ) -> None:
        self._terminal = terminal
        self._game = game
        self._view = PlayerView(game, match)
        self._story = Story(
            game=game,
            match=match,
            names=match_text.names_of(match),
            colour=output.wants_colour(),
            scenes=[self._view.opening()],
        )
        self._text = ""
        self._directions: tuple[str, ...] = ()
        self._message = ""
        self._listed = False
        self._legal: tuple[Move, ...] = ()

    def watch(self, referee: Referee) -> None:
        """Show the new turns, those of the others for a moment each."""
        own_roles = self._view.own
        for scene in self._view.go_on(referee.turns):
            self._story.scenes.append(scene)
            to_move = self._game.to_move(referee.state)
            movers = [role for role in to_move if role not in own_roles]
            waiting = ""
            if movers:
                waiting = f" {' and '.join(movers)} to move ..."
            prompt = paint(waiting, DIM, self._story.colour)
            self._draw(prompt, ())
            is_others = all(turn.role not in own_roles for turn in scene.turns)
            if is_others:
                time.sleep(OTHERS_TURN_S)  # keys that are pressed meanwhile are not lost

    def choose(self, referee: Referee, role: Role) -> Move:
        """Return a legal move of the role, however long the person takes."""
        self._legal = tuple(self._game.legal_moves(referee.state, role))
        self._clear()
        self._message = ""
        newest = self._story.scenes[-1]
        self._story.scenes[-1] = self._view.of(role, newest, referee)
        while True:
            self._draw(self._prompt(role), self._aside())
            key = self._terminal.key()
            if key is None:
                continue
            move = self._press(key)
            if move is not None:
                return move

    def look_back(self, record: Record) -> None:
        """Show how the match ended, and let the person look at all of it by keys."""
        self._story.scenes += self._view.go_on(record.turns)
        self._story.record = record
        last = self._story.last
        playback = Playback(last=last, turn=last)
        viewer = Viewer(self._terminal, self._story, playback)
        viewer.run_until_left()

    def _press(self, key: str) -> Move | None:
        """Apply a key; return the move, when the key completes a move."""
        self._message = ""
        if key == "ctrl-d":
            raise LeftEarlyError
        # In chess, say, a move may begin with this letter: there `quit` and Ctrl-D leave.
        if key == "q" and not self._text and not entering.by_text("q", self._legal):
            raise LeftEarlyError
        if key == "?":
            self._listed = not self._listed
        elif key in {"escape", "ctrl-u"}:
            self._clear()
        elif key == "enter":
            return self._entered_move()
        elif key in entering.KEYS and not self._text:
            return self._add_direction(entering.KEYS[key])
        elif key in {"backspace", "delete"}:
            self._text = self._text[:-1]
            self._directions = self._directions[:-1]
        elif key == "space":
            self._text += " "
            self._directions = ()
        elif len(key) == 1:
            self._text += key
            self._directions = ()
        return None

    def _clear(self) -> None:
        """Forget what was entered, and hide the list of moves."""
        self._text = ""
        self._directions = ()
        self._listed = False

    def _entered_move(self) -> Move | None:
        """Return the move that was entered, at Enter; None, with a message, unless it is clear."""
        if self._text.strip().lower() in {"quit", "exit"}:
            raise LeftEarlyError
        candidates = list(self._candidates())
        if self._directions:  # the whole move was entered, although others begin with it
            whole_moves: list[Move] = []
            for move in candidates:
                if entering.directions_of(move) == self._directions:
                    whole_moves.append(move)
            candidates = whole_moves
        if len(candidates) == 1:
            return candidates[0]
        if self._text:
            self._message = entering.misunderstood(
                self._text,
                self._legal,
                tuple(candidates),
            )
        return None

    def _add_direction(self, direction: str) -> Move | None:
        """Go on in this direction, if a legal move does; return the move if it is the only such."""
        directions = (*self._directions, direction)
        candidates = entering.by_directions(directions, self._legal)
        if candidates:
            self._directions = directions
        else:
            self._message = f"no legal move goes {_signs(directions)}"
        if len(candidates) != 1:
            return None
        return candidates[0]

    def _candidates(self) -> tuple[Move, ...]:
        """Return the moves that the entered keys or text may mean; without any, all moves."""
        if self._directions:
            return entering.by_directions(self._directions, self._legal)
        if self._text:
            return entering.by_text(self._text, self._legal)
        return self._legal

    def _prompt(self, role: Role) -> str:
        colour = self._story.colour
        if self._message:
            return paint(f" {output.safe_line(self._message)}", ALARM, colour)
        entered = _signs(self._directions) or output.safe_line(self._text)
        candidates = self._candidates()
        if not candidates:
            hint = "no such move"
        elif len(candidates) == 1:
            hint = candidates[0]
        else:
            hint = f"{len(candidates)} legal moves"

        question = paint(f"your move, {role}:", BOLD, colour)
        cursor = paint("▏", REVERSED, colour)
        painted_hint = paint(output.safe_line(hint), DIM, colour)
        return f" {question} {entered}{cursor}  {painted_hint}"

    def _aside(self) -> tuple[str, ...]:
        """Return the lines of the panel: the legal moves, if the person has asked for them."""
        if not self._listed:
            return ()
        shared = entering.shared_words(self._legal)
        """The number of words with which every legal move begins."""
        title = "legal moves:"
        if shared:
            words = self._legal[0].split()[:shared]
            title += f" {' '.join(words)} ..."
        candidates = self._candidates() or self._legal
        listing = entering.listing(self._legal, candidates, shared=shared)
        columns = panel_columns(self._story, self._terminal.size[0])

        aside = [title]
        for line in entering.in_columns(listing, columns):
            aside.append(output.safe_line(line))
        return tuple(aside)

    def _draw(self, prompt: str, aside: tuple[str, ...]) -> None:
        """Draw the newest scene, with the prompt and the keys below it."""
        directions: set[str] = set()
        for move in self._legal:
            directions.update(entering.directions_of(move))
        arrows = ""
        for name in ("left", "up", "down", "right"):
            if name in directions:
                arrows += entering.SIGNS[name]

        keys: list[tuple[str, str]] = []
        if arrows:
            keys.append((arrows, "move"))
        if "stay" in directions:
            keys.append((".", "stay"))
        keys += KEYS

        size = self._terminal.size
        columns, _ = size
        explained = key_line(tuple(keys), columns, colour=self._story.colour)
        lines = frame(
            self._story,
            self._story.last,
            size,
            (prompt, explained),
            aside,
        )
        self._terminal.draw(lines)


def _signs(directions: tuple[str, ...]) -> str:
    return " ".join(entering.SIGNS[direction] for direction in directions)
