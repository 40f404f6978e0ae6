"""Small games for the referee's tests: every shape of turn that rules can have, and nothing to
learn.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.game import CHANCE, Fact, Game, Move, Outcome, Role
from arena.values import Board, Bot, Conditions, Event, Match, SeatReport

State = tuple[str, ...]
"""The moves so far, as `role:move`."""


@dataclass(frozen=True)
class Duet(Game[State]):
    """Fox, then two hens at once (one side), for `turns` turns; whoever said `win` scores 100."""

    turns: int = 4
    hidden: bool = False
    dice: bool = False
    roles = ("fox", "hen", "chick")
    sides = (("fox",), ("hen", "chick"))

    def board(self) -> tuple[Fact, ...]:
        return (f"turns {self.turns}",)

    def start(self) -> State:
        return ()

    def to_move(self, state: State) -> tuple[Role, ...]:
        played = self._turns(state)
        if played >= self.turns:
            return ()
        if self.dice and played == 0:
            return (CHANCE,)
        return ("hen", "chick") if played % 2 else ("fox",)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        return ("one", "two", "three four") if role == CHANCE else ("win", "wait", "walk on")

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        return (
            *state,
            "/".join(f"{role}:{moves[role]}" for role in (*self.roles, CHANCE) if role in moves),
        )

    def outcome(self, state: State) -> Outcome | None:
        if self._turns(state) < self.turns:
            return None
        return Outcome(
            {role: 100 if f"{role}:win" in "/".join(state) else 0 for role in self.roles}, "time up"
        )

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        return (
            f"played {len(state)}",
            *(f"did {turn}" for turn in state if role is None or not self.hidden),
        )

    def _turns(self, state: State) -> int:
        return len(state)


def bot(name: str) -> Bot:
    return Bot(name=name, command=("true",), digest=name)


def reports(match: Match) -> tuple[SeatReport, ...]:
    """What a record has of seats whose bots ran without anything to tell."""
    return tuple(
        SeatReport(
            role=seat.role, bot=seat.bot.name, digest=seat.bot.digest, ready=0.1, exit="exit 0"
        )
        for seat in match.seats
    )


def match_of(game: Game[State], seed: int | str = 1, **conditions: object) -> Match:
    """A match at a toy game, a bot named after each role in its seat."""
    board = Board(
        game="toy", name="box", rules="toy.py", digest="0", roles=game.roles, sides=game.sides
    )
    event = Event(
        name="test",
        seed=seed,
        boards=(board,),
        bots=tuple(map(bot, game.roles)),
        conditions=Conditions(**conditions),  # type: ignore[arg-type]
    )
    return event.match(board, event.bots, 0)
