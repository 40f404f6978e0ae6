"""Never reads, and prints legal moves for ever: its own doing, what comes after the question is its answer."""
import os, sys, time
print('ready', flush=True)
while True:
    print('move1 nowhere', flush=True); time.sleep(0.01)
