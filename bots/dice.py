"""Plays any game: throws dice over the legal moves. The smallest bot that plays, on nothing but stdin and stdout."""

import random
import sys

legal: list[str] = []
dice = random.Random()
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "seed":
        dice.seed(int(rest))
    elif word == "secret":
        dice.seed(rest)
    elif word == "ready?":
        print("ready", flush=True)
    elif word == "turn":
        legal = []
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        print(dice.choice(legal), flush=True)
    elif word == "end":
        break
