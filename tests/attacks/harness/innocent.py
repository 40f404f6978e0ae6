"""The bot in the other seat: has a secret in memory and in a file, and does nothing wrong."""

import sys

with open("secret.txt", "rb") as file:
    secret = file.read()
for line in sys.stdin:
    if line == "ready?\n":
        print("ready", flush=True)
