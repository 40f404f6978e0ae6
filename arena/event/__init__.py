"""One tournament: its settings, its bots, its schedule, and the worker processes that play it.

This package owns all processes and files of a run; it knows no rules, no clock and no confinement.
"""
