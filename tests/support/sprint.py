"""A game that is over at once, for events whose rules do not matter: hare and tortoise move twice
each, in turn.

A workspace has it as `rules/sprint.py`; its bots are shell scripts, the cheapest that there are to
start.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.game import Fact, Game, Move, Outcome, Role

State = tuple[int, int, int]
"""Turns played, and how far each is."""


@dataclass(frozen=True)
class Sprint(Game[State]):
    """Who gets further has won."""

    roles = ("hare", "tortoise")

    def board(self) -> tuple[Fact, ...]:
        return ("turns 4",)

    def start(self) -> State:
        return (0, 0, 0)

    def to_move(self, state: State) -> tuple[Role, ...]:
        return (self.roles[state[0] % 2],)

    def legal_moves(self, state: State, role: Role) -> tuple[Move, ...]:
        return ("rest", "walk", "run")

    def play(self, state: State, moves: Mapping[Role, Move]) -> State:
        turn, hare, tortoise = state
        steps = {role: self.legal_moves(state, role).index(move) for role, move in moves.items()}
        return (turn + 1, hare + steps.get("hare", 0), tortoise + steps.get("tortoise", 0))

    def outcome(self, state: State) -> Outcome | None:
        turn, hare, tortoise = state
        if turn < 4:
            return None
        return Outcome({"hare": 25 * hare, "tortoise": 25 * tortoise}, "rest")

    def view(self, state: State, role: Role | None) -> tuple[Fact, ...]:
        return (f"step {state[0]}", f"far {state[1]} {state[2]}")


game = Sprint

BOT = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    'ready?') echo ready ;;
    turn) legal= ;;
    legal) legal=%s ;;
    go) echo "$legal" ;;
  esac
done
"""
FIRST, LAST = BOT % '"${legal:-$rest}"', BOT % '"$rest"'
DICE = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    'ready?') echo ready ;;
    seed) seed=$rest ;;
    turn) count=0 ;;
    legal) count=$((count + 1)); eval "legal$count=\\$rest" ;;
    go)
      seed=$(((seed * 1103515245 + 12345) % 2147483648))
      eval "echo \\"\\$legal$((1 + seed / 65536 % count))\\""
      ;;
  esac
done
"""
"""A bot that throws dice by its seed."""


def slow(bot: str, seconds: float = 0.06) -> str:
    """Return a bot that waits before its first answer to `go`: no bot may start `sleep`."""
    waiting = bot.replace(" go) ", f' go) [ "$waited" ] || read -rt {seconds}; waited=yes; ')
    return waiting.replace("#!/bin/sh", "#!/bin/bash")
