"""An engine that speaks UCI, and plays the first legal move."""

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


for line in sys.stdin:
    command, *words = line.split()
    if command == "uci":
        say("id name My engine")
        say("uciok")
    elif command == "isready":
        say("readyok")
    elif command == "position":  # startpos moves e2e4 e7e5
        state = GAME.new_initial_state()
        for move in words[2:]:
            state.apply_action(state.parse_move_to_action(move))
    elif command == "go":
        say(f"bestmove {best_move()}")
    elif command == "quit":
        break
