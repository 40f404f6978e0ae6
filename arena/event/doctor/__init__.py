"""What `arena doctor` checks and measures: whether this machine can play events, and what to change where it can't.

It reads and tries, and changes nothing; it knows no command line.
"""
