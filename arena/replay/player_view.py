"""A match as a person sees it who plays it: a replay, cut to what a bot in their seats knows."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from arena.game import CHANCE, Game, Role
from arena.match.human import HUMAN
from arena.match.referee import Referee
from arena.replay.replayer import Replayer, Scene
from arena.values import Match, Turn


class PlayerView:
    """The person's view of a match: what a bot in these seats would be told, and nothing else."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._game = game
        self.own: list[Role] = []
        for seat in match.seats:
            if seat.bot == HUMAN:
                self.own.append(seat.role)
        self._replayer = Replayer(game, self.own[0])
        self._scenes = 0  # that were yielded so far

    def opening(self) -> Scene:
        """Return the start of the match."""
        return self._replayer.opening

    def go_on(self, turns: Iterable[Turn]) -> Iterator[Scene]:
        """Yield the scenes of new turns, without moves of chance and secrets of others.

        Where moves are hidden the person's own turns are counted, and those of others have no
        scene: a bot is not told how many they were either.
        """
        hidden = self._game.hidden
        for scene in self._replayer.go_on(turns):
            visible_turns = []
            visible_steps = []
            for turn, steps in zip(scene.turns, scene.steps, strict=True):
                if turn.role in self.own:
                    visible_turns.append(turn)
                elif hidden or turn.role == CHANCE:
                    continue
                else:
                    visible_turns.append(_visible_turn(turn))
                visible_steps.append(steps)
            if hidden and not visible_turns:
                continue

            self._scenes += 1
            number = scene.number
            if hidden:
                number = self._scenes
            yield replace(
                scene,
                number=number,
                turns=tuple(visible_turns),
                steps=tuple(visible_steps),
            )

    def of(self, role: Role, scene: Scene, referee: Referee) -> Scene:
        """Return the scene as this one of the person's roles sees it."""
        view = self._game.view(referee.state, role)
        return replace(scene, facts=tuple(view))


def _visible_turn(turn: Turn) -> Turn:
    """Return another's turn without what only its bot and the referee know of it.

    They alone know its remarks, its refused text, and that it is a strike.
    """
    by = turn.by
    if by == "strike":
        by = "bot"
    return turn._replace(remarks=(), rejected_text=None, by=by)
