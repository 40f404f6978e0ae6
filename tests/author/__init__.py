"""Tests of arena/author/: starters, checks of bots, submissions."""
