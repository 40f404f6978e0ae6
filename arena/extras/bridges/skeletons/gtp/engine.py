"""An engine of Go that speaks GTP, and plays the first legal move."""

import sys

import pyspiel

COMMANDS = ["boardsize", "clear_board", "genmove", "komi", "list_commands", "play", "quit"]

size = 9
komi = 7.5
state = None


def best_move() -> str:
    """Your idea goes here: return a legal move with its colour, such as B e5."""
    return state.action_to_string(state.legal_actions()[0])


def play(move: str) -> None:
    state.apply_action(state.string_to_action(move))


for line in sys.stdin:
    command, *words = line.split()
    reply = ""
    if command == "list_commands":
        reply = "\n".join(COMMANDS)
    elif command == "boardsize":
        size = int(words[0])
    elif command == "komi":
        komi = float(words[0])
    elif command == "clear_board":
        state = None
    elif command in {"play", "genmove"}:
        if state is None:
            game = pyspiel.load_game("go", {"board_size": size, "komi": komi})
            state = game.new_initial_state()
        if command == "play":
            play(" ".join(words))
        else:
            move = best_move()
            play(move)
            reply = move.split()[1]
    print(f"= {reply}\n", flush=True)
    if command == "quit":
        break
