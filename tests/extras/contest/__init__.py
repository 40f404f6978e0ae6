"""Tests of a contest in a git repository."""
