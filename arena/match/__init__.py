"""One match: the referee, somebody in every seat (seat.py), and the only code that waits for bots (polling.py).

Nothing here knows of other matches, of the archive or of the command line.
"""
