"""Says Ready, which is not ready."""
import sys

for line in sys.stdin:
    if line == 'ready?\n':
        print('Ready', flush=True)
