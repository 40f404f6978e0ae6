"""Tests of arena/results/: archives, tables, ratings and ranks."""
