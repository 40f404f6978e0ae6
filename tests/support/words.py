"""Both say a word, and the first decides who wins."""

from dataclasses import dataclass

from arena.game import Game, Outcome


@dataclass(frozen=True)
class Words(Game[tuple[str, ...]]):
    roles = ("one", "two")

    def board(self):
        return ("words",)

    def start(self):
        return ()

    def to_move(self, state):
        return self.roles[len(state) :][:1]

    def legal_moves(self, state, role):
        return ("yes", "no", "may be")

    def play(self, state, moves):
        return (*state, *moves.values())

    def outcome(self, state):
        first = 100 if state[:1] == ("yes",) else 0
        return Outcome({"one": first, "two": 100 - first}, "said") if len(state) == 2 else None

    def view(self, state, role):
        return tuple(f"said {move}" for move in state)


game = Words
