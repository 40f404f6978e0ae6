"""Asks a language model for ever, in events that have none too, and reads no answer."""
import sys

for line in sys.stdin:
    if line == "ready?\n":
        print("ready", flush=True)
    elif line.startswith("go"):
        while True:
            print('model {"prompt": "What now?"}', flush=True)
