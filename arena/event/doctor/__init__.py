"""The checks and measurements of `arena doctor`: can this machine play events, and if not, why?

It reads and tries, and changes nothing; it knows no command line.
"""
