"""An engine that speaks as XBoard does, and plays the first legal move."""

import sys

import pyspiel

GAME = pyspiel.load_game("chess")
state = GAME.new_initial_state()


def say(line: str) -> None:
    print(line, flush=True)


def best_move() -> str:
    """Your idea goes here: return a legal move, such as e2e4."""
    action = state.legal_actions()[0]
    return pyspiel.chess.action_to_move(action, state.board()).to_lan()


def play(move: str) -> None:
    state.apply_action(state.parse_move_to_action(move))


for line in sys.stdin:
    command, *words = line.split()
    if command == "protover":
        say('feature myname="My engine" ping=1 usermove=1 done=1')
    elif command == "ping":
        say(f"pong {words[0]}")
    elif command == "new":
        state = GAME.new_initial_state()
    elif command == "usermove":
        play(words[0])
    elif command == "go":
        move = best_move()
        play(move)
        say(f"move {move}")
    elif command == "quit":
        break
