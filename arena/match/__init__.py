"""One match: the referee, a live bot or a human in every seat, and the only code that waits for bots (polling.py).

Nothing here knows of other matches, of the archive or of the command line.
"""
