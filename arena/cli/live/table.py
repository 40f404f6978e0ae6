"""A person's seat on the screen of a terminal: arrow keys, typed moves, the legal moves on `?`.

It shows what the role may see and no more, and gives back a legal move. What words and keys mean is entering.py's.
"""

from typing import TYPE_CHECKING, Any

from arena.cli import screen, telling
from arena.cli.live import entering
from arena.cli.live.fitting import cut
from arena.cli.live.reel import Reel
from arena.cli.live.sight import Sight
from arena.cli.live.stage import ALARM, BOLD, DIM, TURNED, Story, frame, panel_columns
from arena.cli.live.viewer import LeftEarlyError, Viewer, key_line
from arena.drawing.paint import paint
from arena.game import Game, Move, Role
from arena.match import Match, Record

if TYPE_CHECKING:
    from arena.cli.live.terminal import Terminal
    from arena.referee import Referee

GLIMPSE = 0.25
"""Seconds for which each turn of the others is shown."""
KEYS = (("?", "legal moves"), ("abc Enter", "type a move"), ("Esc", "clear"), ("Ctrl-D", "leave"))
"""What is told of the keys, beside those that make moves."""


class Table:
    """A seat on the screen: arrow keys, typed moves, a list on `?`."""

    def __init__(self, terminal: "Terminal", game: Game[Any], match: Match, *, colour: bool) -> None:
        self._terminal, self._game = terminal, game
        self._sight = Sight(game, match)
        self._story = Story(game, match, telling.names_of(match), colour, [self._sight.opening()])
        self._text = ""
        self._ways: tuple[str, ...] = ()
        self._said = ""
        self._listed = False
        self._legal: tuple[Move, ...] = ()

    def watch(self, referee: "Referee") -> None:
        """Show what was played, each turn for a glimpse."""
        for scene in self._sight.go_on(referee.turns):
            self._story.scenes.append(scene)
            self._draw(self._waiting(referee), ())
            if all(turn.role not in self._sight.mine for turn in scene.turns):
                self._terminal.pause(GLIMPSE)

    def choose(self, referee: "Referee", role: Role) -> Move:
        """A legal move of the role, however long it takes."""
        self._legal = tuple(self._game.legal_moves(referee.state, role))
        self._text, self._ways, self._said, self._listed = "", (), "", False
        self._story.scenes[-1] = self._sight.of(role, self._story.scenes[-1], referee)
        while True:
            self._draw(self._prompt(role), self._aside())
            key = self._terminal.key()
            if key is not None and (move := self._press(key)) is not None:
                return move

    def look_back(self, record: Record) -> None:
        """Once it is over: how it ended, and all of it again by keys."""
        for scene in self._sight.go_on(record.turns):
            self._story.scenes.append(scene)
        self._story.record = record
        Viewer(self._terminal, self._story, Reel(last=self._story.last, place=self._story.last)).until_left()

    def _press(self, key: str) -> Move | None:
        """What a key does; the move, when it has made one."""
        self._said = ""
        if key == "ctrl-d":
            raise LeftEarlyError
        if key == "?":
            self._listed = not self._listed
        elif key in {"escape", "ctrl-u"}:
            self._text, self._ways, self._listed = "", (), False
        elif key == "enter":
            return self._enter()
        elif key in entering.KEYS and not self._text:
            return self._step(entering.KEYS[key])
        elif key in {"backspace", "delete"}:
            self._text, self._ways = self._text[:-1], self._ways[:-1]
        elif key == "space" or len(key) == 1:
            self._text, self._ways = self._text + (" " if key == "space" else key), ()
        return None

    def _step(self, way: str) -> Move | None:
        """An arrow: one more way of the move; the move, when there is but one with them."""
        found = entering.by_ways((*self._ways, way), self._legal)
        if not found:
            self._said = f"no legal move goes {' '.join(entering.SIGNS[one] for one in (*self._ways, way))}"
            return None
        self._ways = (*self._ways, way)
        if len(found) == 1:
            return found[0]
        return None

    def _enter(self) -> Move | None:
        if self._text.strip().lower() in {"quit", "exit"}:
            raise LeftEarlyError
        if self._ways:
            found = tuple(move for move in self._found() if entering.ways_of(move) == self._ways)
        else:
            found = self._found()
        if len(found) == 1:
            return found[0]
        if self._text:
            self._said = entering.misunderstood(self._text, self._legal, found)
        return None

    def _found(self) -> tuple[Move, ...]:
        """The moves that what was entered so far may mean; all of them when nothing was."""
        if self._ways:
            return entering.by_ways(self._ways, self._legal)
        return entering.by_text(self._text, self._legal) if self._text else self._legal

    def _waiting(self, referee: "Referee") -> str:
        movers = [role for role in self._game.to_move(referee.state) if role not in self._sight.mine]
        return paint(f" {' and '.join(movers)} to move ..." if movers else "", DIM, self._story.colour)

    def _prompt(self, role: Role) -> str:
        colour = self._story.colour
        if self._said:
            return paint(f" {screen.shown(self._said)}", ALARM, colour)
        entered = " ".join(entering.SIGNS[way] for way in self._ways) or screen.shown(self._text)
        found = self._found()
        hint = f"{len(found)} legal moves" if len(found) > 1 else (found[0] if found else "no such move")
        return f" {paint(f'your move, {role}:', BOLD, colour)} {entered}{paint('▏', TURNED, colour)}  " + paint(
            screen.shown(hint), DIM, colour
        )

    def _aside(self) -> tuple[str, ...]:
        if not self._listed:
            return ()
        begin = entering.shared(self._legal)
        title = " ".join(["legal moves:", *self._legal[0].split()[:begin], "..." if begin else ""])
        listed = entering.listing(self._legal, self._found() or self._legal, shared=begin)
        return (
            title.strip(),
            *(
                screen.shown(line)
                for line in entering.columned(listed, panel_columns(self._story, self._terminal.size[0]))
            ),
        )

    def _draw(self, prompt: str, aside: tuple[str, ...]) -> None:
        size = self._terminal.size
        keys = key_line(self._keys(), size[0], colour=self._story.colour)
        self._terminal.draw(frame(self._story, self._story.last, size, (cut(prompt, size[0]), keys), aside))

    def _keys(self) -> tuple[tuple[str, str], ...]:
        ways = {way for move in self._legal for way in entering.ways_of(move)}
        arrows = "".join(entering.SIGNS[way] for way in ("left", "up", "down", "right") if way in ways)
        moves = ((arrows, "move"),) if arrows else ()
        stay = ((".", "stay"),) if "stay" in ways else ()
        return (*moves, *stay, *KEYS)
