"""What language models put around the seats of a match: the door to a model, and the disguise."""

from collections.abc import Mapping
from typing import Any, cast

from arena.extras.models.calls import Calls, LanguageModel
from arena.extras.models.disguise import Disguises
from arena.extras.models.service import NAME
from arena.game import Game
from arena.match.model_line import ModelSeats
from arena.match.seat import Resources, Seats


class ModelWrapper:
    """The calls and the disguises of one match."""

    def __init__(self, game: Game[Any], resources: Resources) -> None:
        self._match = resources.match
        model = cast("LanguageModel | None", resources.services.get(NAME))
        self._calls = Calls(self._match, model)
        self._disguises = Disguises(game, self._match)

    def near(self, seats: Seats) -> Seats:
        """Part of `Wrapper`: the bots may ask the model."""
        conditions = self._match.conditions
        if not any(conditions.model_of(seat.bot) for seat in self._match.seats):
            return seats  # the core says to whoever asks that nobody answers
        # Each turn counts, also one without a request.
        return ModelSeats(seats, self._calls, self._match, every_turn=True)

    def far(self, seats: Seats) -> Seats:
        """Part of `Wrapper`: some bots read and write other words."""
        return self._disguises.around(seats)

    def written(self) -> Mapping[str, object]:
        """Part of `Wrapper`: the record has the calls."""
        if not self._calls.made:
            return {}
        return {"calls": tuple(self._calls.made)}
