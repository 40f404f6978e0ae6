"""A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout."""

import random
import sys

state: list[str] = []  # what this role may see, one fact a line: "at explorer 8 1"
legal: list[str] = []  # every legal move, as it must be printed


def choose() -> str:
    """Your idea goes here: return one of the legal moves."""
    return random.choice(legal)


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "seed":
        random.seed(int(rest))  # the same dice in a rerun
    elif word == "secret":
        # An event that keeps its seed secret sends more digits: nobody can foretell these dice.
        random.seed(rest)
    elif word == "ready?":
        print("ready", flush=True)
    elif word == "turn":  # a new question: its state and its moves follow
        state.clear()
        legal.clear()
    elif word == "state":
        state.append(rest)
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        print(choose(), flush=True)
    elif word == "end":
        break  # the match is over
