"""What a person who plays may see of a match: the views of their own roles, and only moves that may be told."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.game import Game, Role
from arena.match import Match, Turn
from arena.people import PERSON
from arena.scenes import Retelling, Scene

if TYPE_CHECKING:
    from arena.referee import Referee


class Sight:
    """What the person sees of a match: the views of the roles that are theirs, and moves that may be told."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._game = game
        self.mine = [seat.role for seat in match.seats if seat.bot == PERSON]
        self._retelling = Retelling(game, self.mine[0])

    def opening(self) -> Scene:
        """The start."""
        return self._retelling.opening()

    def go_on(self, turns: Iterable[Turn]) -> Iterator[Scene]:
        """What these turns add; where moves are secret, without those of others."""
        for scene in self._retelling.go_on(turns):
            kept = [place for place, turn in enumerate(scene.turns) if turn.role in self.mine or not self._game.hidden]
            turns_kept, steps_kept = ([every[place] for place in kept] for every in (scene.turns, scene.steps))
            yield replace(scene, turns=tuple(turns_kept), steps=tuple(steps_kept))  # type: ignore[arg-type]

    def of(self, role: Role, scene: Scene, referee: "Referee") -> Scene:
        """The scene as this one of their roles sees it."""
        return replace(scene, facts=tuple(self._game.view(referee.state, role)))
