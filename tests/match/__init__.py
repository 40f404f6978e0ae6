"""Tests of arena/match/: the referee, live bots, and what bots may do wrong."""
